//! A protocol conformance test of a remote player: valid and invalid messages, and the player's answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::client::{AskError, Remote};
use super::message::Message;
use crate::gdl::{Source, read};
use crate::ground::Limits;
use crate::machine::{Backend, Cursor, LoadError, Machine, MoveId, load};
use crate::simulate::{Choices, canonical};

/// The game of the test.
const GAME: &str = include_str!("../../games/tic_tac_toe.kif");

/// The time limit for the answer to a message without a clock, such as INFO or ABORT; it includes network delay.
const UNCLOCKED_LIMIT: Duration = Duration::from_secs(2);

/// The time between PLAY and the ABORT that interrupts its search.
const ABORT_DELAY: Duration = Duration::from_millis(300);

/// A check and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The check.
    pub what: &'static str,
    /// Whether managers need it; otherwise it is only recommended.
    pub needed: bool,
    /// The player's answer, or why there was none.
    pub answer: String,
    /// The time until the answer, in milliseconds; none without an answer, or if several messages were checked.
    pub took: Option<u128>,
    /// The fault; none if the check passed.
    pub wrong: Option<String>,
}

/// Sends every message of the test and returns the findings; `on_finding` is called after each check.
///
/// # Errors
/// The game of the test can't be loaded.
pub fn check_conformance(
    remote: &Remote,
    startclock: Duration,
    playclock: Duration,
    interrupt: &AtomicBool,
    on_finding: &mut dyn FnMut(&Finding),
) -> Result<Vec<Finding>, LoadError> {
    let description = read(&Source::from_text("tic_tac_toe", GAME)).description.expect("the game is sound");
    let machine = load(description, Backend::Auto, &Limits::default())?.machine;
    let rules = rules();
    let id = format!("examination.{}", std::process::id());
    let mut exam = ConformanceTest {
        remote,
        startclock,
        playclock,
        interrupt,
        machine: &*machine,
        rules,
        id,
        findings: Vec::new(),
        on_finding,
    };
    if exam.check_available() {
        exam.check_formats();
        exam.check_invalid_messages();
        exam.check_match();
        exam.check_upper_case();
        exam.check_abort();
        exam.check_truncated_message();
    }
    Ok(exam.findings)
}

/// The rules on one line.
fn rules() -> String {
    let bare = GAME.lines().map(|line| line.split(';').next().unwrap_or(""));
    bare.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

struct ConformanceTest<'e> {
    remote: &'e Remote,
    startclock: Duration,
    playclock: Duration,
    interrupt: &'e AtomicBool,
    machine: &'e dyn Machine,
    rules: String,
    id: String,
    findings: Vec<Finding>,
    on_finding: &'e mut dyn FnMut(&Finding),
}

/// An answer, or why there is none.
type CheckAnswer = Result<super::client::Answer, AskError>;

impl ConformanceTest<'_> {
    /// Records the result of a check; `judge` returns the fault in the text of an answer.
    fn note(
        &mut self,
        what: &'static str,
        needed: bool,
        reply: CheckAnswer,
        judge: impl FnOnce(&str) -> Option<String>,
    ) -> String {
        let finding = match reply {
            Ok(answer) => Finding {
                what,
                needed,
                wrong: judge(&answer.text),
                took: Some(answer.took.as_millis()),
                answer: answer.text,
            },
            Err(error) => Finding {
                what,
                needed,
                wrong: Some("no answer".to_owned()),
                took: None,
                answer: error.to_string(),
            },
        };
        let answer = finding.answer.clone();
        self.keep(finding);
        answer
    }

    /// Records the result of several messages.
    fn conclude(&mut self, what: &'static str, needed: bool, answer: String, wrong: Option<String>) {
        self.keep(Finding { what, needed, answer, took: None, wrong });
    }

    fn keep(&mut self, finding: Finding) {
        // After an interrupt, a missing answer is not the player's fault.
        if self.interrupt.load(Ordering::Relaxed) {
            return;
        }
        (self.on_finding)(&finding);
        self.findings.push(finding);
    }

    fn ask(&self, message: &str, clock: Duration) -> CheckAnswer {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(AskError::Interrupted);
        }
        self.remote.ask(message, clock, Some(self.interrupt))
    }

    fn send(&self, request: &str) -> CheckAnswer {
        self.remote.send(request.as_bytes(), UNCLOCKED_LIMIT, Some(self.interrupt))
    }

    /// Whether the player answers and is free.
    fn check_available(&mut self) -> bool {
        let reply = self.ask(&Message::Info.to_string(), UNCLOCKED_LIMIT);
        let answer = self.note("INFO", true, reply, status_fault);
        if is_busy(&answer) {
            let wrong = Some("it is busy, so nothing else can be tried".to_owned());
            self.conclude("free for a match", true, answer, wrong);
        }
        self.findings.iter().all(|finding| finding.wrong.is_none())
    }

    fn check_formats(&mut self) {
        let reply = self.ask("(info)", UNCLOCKED_LIMIT);
        self.note("INFO in lower case, glued", true, reply, status_fault);
        let reply = self.ask("", UNCLOCKED_LIMIT);
        self.note("empty POST, as INFO", false, reply, status_fault);
        let reply = self.ask("( PING )", UNCLOCKED_LIMIT);
        self.note("PING, of older managers", false, reply, |text| {
            word_fault(text, &["ready", "nil", "available"])
        });
        let reply = self.send("POST / HTTP/1.0\nsender: x\ncontent-length: 8\n\n( INFO )");
        self.note("lines that end in LF, headers in another case", false, reply, status_fault);
        let reply = self.send(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/acl\r\nContent-Length: 8\r\n\r\n( INFO )",
        );
        self.note("HTTP/1.1", false, reply, status_fault);
        let reply = self.send("GET /%28%20INFO%20%29 HTTP/1.1\r\nHost: x\r\n\r\n");
        self.note("a browser's GET", false, reply, status_fault);
        let reply = self.send("OPTIONS / HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\n\r\n");
        let refused = reply.as_ref().is_ok_and(|answer| !answer.status.contains(" 200"));
        self.note("a browser's OPTIONS", false, reply, |_| {
            refused.then(|| "the status is not 200".to_owned())
        });
    }

    fn check_invalid_messages(&mut self) {
        let unknown = format!("( PLAY {}.unknown NIL )", self.id);
        let reply = self.ask(&unknown, UNCLOCKED_LIMIT);
        self.note("PLAY of an unknown match", true, reply, refusal_fault);
        let reply = self.ask("( FROB ((", UNCLOCKED_LIMIT);
        // Any answer is right, or none, as long as the player continues.
        self.note("text that is not a message", false, reply, |_| None);
        let reply = self.ask(&Message::Info.to_string(), UNCLOCKED_LIMIT);
        self.note("INFO after that", true, reply, status_fault);
    }

    fn start(&self, id: &str, role: &str, rules: &str, more: &str) -> String {
        let (start, play) = (self.startclock.as_secs_f64(), self.playclock.as_secs_f64());
        format!("( START {id} {role} ({rules}) {start} {play}{more})")
    }

    fn check_match(&mut self) {
        let id = self.id.clone();
        let reply = self.ask(&self.start(&id, "crosses", &self.rules, ""), self.startclock);
        self.note("START", true, reply, |text| word_fault(text, &["ready"]));
        let reply = self.ask(&Message::Info.to_string(), UNCLOCKED_LIMIT);
        self.note("INFO during a match", false, reply, status_fault);
        let reply = self.ask(&format!("( PLAY {id}.unknown NIL )"), UNCLOCKED_LIMIT);
        self.note("PLAY of another match", true, reply, refusal_fault);

        let mut cursor = self.machine.cursor();
        let mut chance = Choices::new(1, 0);
        let mut last = "NIL".to_owned();
        let mut moves = 0;
        let failure: Option<CheckAnswer> = loop {
            if cursor.terminal() {
                break None;
            }
            let reply = self.ask(&format!("( PLAY {id} {last} )"), self.playclock);
            let Some(own_move) = reply.as_ref().ok().and_then(|answer| self.legal(&*cursor, &answer.text))
            else {
                break Some(reply);
            };
            if moves == 0 {
                self.note("the first PLAY", true, reply, |_| None);
                let again = self.ask(&format!("( PLAY {id} {last} )"), self.playclock);
                let legal = again.as_ref().is_ok_and(|answer| self.legal(&*cursor, &answer.text).is_some());
                self.note("the same PLAY again", false, again, |text| {
                    (!legal && refusal_fault(text).is_some())
                        .then(|| "neither a legal move nor a refusal".to_owned())
                });
            }
            moves += 1;
            let other_move = cursor.legal(1)[chance.below(cursor.legal(1).len())];
            last = format!("({} {})", self.machine.move_text(own_move), self.machine.move_text(other_move));
            if cursor.advance(&[own_move, other_move]).is_err() {
                break None;
            }
        };
        match failure {
            Some(reply) => {
                let wrong = format!("no legal move within {} s", self.playclock.as_secs_f64());
                self.note("PLAY", true, reply, |_| Some(wrong));
            }
            None => self.conclude("a whole match", true, format!("{moves} legal moves in time"), None),
        }
        let reply = self.ask(&format!("( STOP {id} {last} )"), self.playclock);
        self.note("STOP", true, reply, |text| word_fault(text, &["done"]));
        let reply = self.ask(&format!("( STOP {id} {last} )"), UNCLOCKED_LIMIT);
        self.note("STOP again", false, reply, |text| {
            refusal_fault(text).and_then(|_| word_fault(text, &["done"]))
        });
    }

    /// The first role's legal move that an answer names; upper and lower case are treated as equal.
    fn legal(&self, cursor: &dyn Cursor, text: &str) -> Option<MoveId> {
        let text = canonical(text);
        let is = |action: &&MoveId| canonical(&self.machine.move_text(**action)) == text;
        cursor.legal(0).iter().find(is).copied()
    }

    fn check_upper_case(&mut self) {
        let id = format!("{}.UPPER", self.id);
        let rules = self.rules.to_uppercase();
        let reply = self.ask(&self.start(&id, "CROSSES", &rules, " MORE (AND MORE)"), self.startclock);
        self.note("START in upper case, with more arguments", true, reply, |text| {
            word_fault(text, &["ready"])
        });
        let reply = self.ask(&format!("( PLAY {id} NIL )"), self.playclock);
        let legal =
            reply.as_ref().is_ok_and(|answer| self.legal(&*self.machine.cursor(), &answer.text).is_some());
        let answer =
            self.note("PLAY in upper case", true, reply, |_| (!legal).then(|| "no legal move".to_owned()));
        if legal {
            let wrong = (answer != answer.to_uppercase())
                .then(|| "case-sensitive managers won't recognise it".to_owned());
            self.conclude("the answer in the same case", false, answer, wrong);
        }
        let reply = self.ask(&format!("( ABORT {id} )"), UNCLOCKED_LIMIT);
        self.note("ABORT", true, reply, |text| word_fault(text, &["aborted", "done"]));
    }

    fn check_abort(&mut self) {
        let id = format!("{}.short", self.id);
        let reply = self.ask(&self.start(&id, "crosses", &self.rules, ""), self.startclock);
        self.note("START after ABORT", true, reply, |text| word_fault(text, &["ready"]));
        let (search, abort) = std::thread::scope(|scope| {
            let (remote, interrupt, clock) = (self.remote, self.interrupt, self.playclock);
            let play = format!("( PLAY {id} NIL )");
            let search = scope.spawn(move || remote.ask(&play, clock, Some(interrupt)));
            let deadline = Instant::now() + ABORT_DELAY;
            while Instant::now() < deadline && !search.is_finished() {
                std::thread::sleep(Duration::from_millis(10));
            }
            let abort = self.ask(&format!("( ABORT {id} )"), UNCLOCKED_LIMIT);
            (search.join(), abort)
        });
        drop(search);
        self.note("ABORT during a search", true, abort, |text| word_fault(text, &["aborted", "done"]));
        let reply = self.ask(&Message::Info.to_string(), UNCLOCKED_LIMIT);
        self.note("INFO after that: available again", true, reply, |text| {
            status_fault(text).or_else(|| is_busy(text).then(|| "it is still busy".to_owned()))
        });
    }

    fn check_truncated_message(&mut self) {
        let reply = self.remote.connect().and_then(|mut stream| {
            let half = b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( PLAY ";
            std::io::Write::write_all(&mut stream, half).map_err(AskError::Connection)?;
            drop(stream);
            self.ask(&Message::Info.to_string(), UNCLOCKED_LIMIT)
        });
        self.note("INFO after half a message", true, reply, status_fault);
    }
}

/// The fault in an answer to INFO.
fn status_fault(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let known = ["available", "busy", "ready"].iter().any(|word| text.contains(word));
    (!known).then(|| "no status: `available`, `busy` or `ready`".to_owned())
}

fn is_busy(text: &str) -> bool {
    text.to_lowercase().contains("busy")
}

/// The fault in a rejection: a player must not play a match that does not exist.
fn refusal_fault(text: &str) -> Option<String> {
    word_fault(text, &["busy", "nil", ""])
}

/// The fault in an answer that must be one of several words.
fn word_fault(text: &str, words: &[&str]) -> Option<String> {
    let known = words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()));
    (!known).then(|| format!("`{}` is expected", words.iter().find(|word| !word.is_empty()).unwrap_or(&"")))
}
