//! The game manager: asks remote and local players for their moves, and records the match.
//!
//! All remote players are asked at the same time, each with a limit for its whole answer. If a player is late, can't be
//! reached or gives no legal move, a random move replaces its own, and the match continues. Random moves are drawn before
//! any player is asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::client::{AskError, Remote};
use super::expression::{expressions, rewritten};
use super::message::{LastStep, Message, Start};
use super::percepts::{Percepts, Watcher};
use super::scramble::Scramble;
use crate::arena::{Clock, Fault, Match, Move, PlayedStep, Player, Turn};
use crate::catalog::counted;
use crate::gdl::Source;
use crate::machine::{Cursor, Machine, MachineError, MoveId};
use crate::simulate::{Choices, canonical};

/// Time limit of ABORT.
const ABORTING: Duration = Duration::from_secs(1);

/// The player of a role.
pub enum Seat<'m> {
    /// A remote player.
    Remote(Remote),
    /// A player of this program.
    Local(Box<dyn Player + 'm>),
    /// The moves of a recording, step by step.
    Recorded(Vec<String>),
    /// Plays each legal move with the same probability.
    Random,
}

/// The conditions of a managed match.
#[derive(Clone, Debug)]
pub struct MatchTerms {
    /// The match's name.
    pub id: String,
    /// The clocks; the margin is for players of this program.
    pub clock: Clock,
    /// Extra time for a player's message to arrive.
    pub grace: Duration,
    /// Joint moves after which the match is aborted.
    pub most_steps: u32,
    /// Seed of all random moves.
    pub seed: u64,
    /// Whether to scramble the words of the game, and the seed for that.
    pub scramble: Option<u64>,
    /// In games whose rules say what players see (GDL-II), whether percepts are sent without the own move, as older
    /// managers do.
    pub percepts_only: bool,
}

/// A fault of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The player's role, counted from 0.
    pub role: usize,
    /// The message at which it happened.
    pub at: MatchMoment,
    /// The fault as managers record it: `TO`, `CE`, or `IL` and the move.
    pub what: String,
    /// The fault in words.
    pub why: String,
}

/// A message of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchMoment {
    /// START.
    Start,
    /// The PLAY of a step, counted from 1.
    Play(u32),
    /// STOP.
    Stop,
    /// ABORT.
    Abort,
}

/// Limit of the characters shown of an invalid answer.
const MOST_SHOWN: usize = 200;

/// The result of a managed match.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedMatch {
    /// The match.
    pub played_match: Match,
    /// For START, and then for every step, the fault of each role, as managers record it; empty if there was none.
    pub errors: Vec<Vec<String>>,
    /// All faults in words, including those after the last step.
    pub violations: Vec<Violation>,
    /// Why the match was aborted, if it was.
    pub broken: Option<String>,
}

/// Why a match could not be managed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ManageError {
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The percepts of players can't be derived, so nothing can be sent to them.
    #[error("what players see can't be derived: {0}")]
    Percepts(String),
}

/// A managed match.
struct Manager<'a, 'm> {
    machine: &'m dyn Machine,
    terms: &'a MatchTerms,
    scramble: Option<Scramble>,
    interrupt: Option<&'a AtomicBool>,
    /// The percepts of the roles, if rules define them.
    watcher: Option<Watcher>,
    violations: Vec<Violation>,
}

/// A role's answer: its move as text of the game, or the fault.
type RoleAnswer = Result<String, (String, String)>;

/// The answers of remote players, each with its role.
type RemoteAnswers = Vec<(usize, Result<String, AskError>)>;

/// Plays a match from the initial state. In games whose rules say what players see (`sees`, GDL-II), a remote player
/// receives its own moves and percepts, but not the moves of others.
///
/// # Errors
/// A state can't be evaluated, or percepts can't be derived.
pub fn manage(
    machine: &dyn Machine,
    source: &Source,
    seats: &mut [Seat<'_>],
    terms: &MatchTerms,
    interrupt: Option<&AtomicBool>,
    on_move: &mut dyn FnMut(&PlayedStep<'_>),
) -> Result<ManagedMatch, ManageError> {
    let rules = rules_sent(source, machine);
    let scramble = terms.scramble.map(|seed| Scramble::new(&rules, seed));
    let description = machine.description();
    let watcher = match seats.iter().any(|seat| matches!(seat, Seat::Remote(_))) {
        true => Percepts::new(description, || description.kif()).map_err(ManageError::Percepts)?,
        false => None,
    };
    let watcher = watcher.map(Watcher::new);
    let mut manager = Manager { machine, terms, scramble, interrupt, watcher, violations: Vec::new() };
    manager.play(&rules, seats, on_move)
}

/// The rules for players: in lower case, on one line, without comments. If parentheses don't match, the text is
/// unchanged.
fn rules_sent(source: &Source, machine: &dyn Machine) -> String {
    let names = &machine.description().spellings;
    let text = match expressions(source.text()) {
        // In normal form, every player reads a negation in the same way.
        _ if !source.negation().is_language() => rewritten(&machine.description().kif(), |word| word),
        Ok(_) => rewritten(source.text(), |word| names.own(word).unwrap_or(word)),
        Err(_) => rewritten(&machine.description().kif(), |word| word),
    };
    text.to_lowercase()
}

impl Manager<'_, '_> {
    fn asked_to_end(&self) -> bool {
        self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Converts a text to the words that remote players receive.
    fn sent(&self, text: &str) -> String {
        self.scramble.as_ref().map_or_else(|| text.to_owned(), |scramble| scramble.sent(text))
    }

    /// Converts a text of remote players to the game's words, in a normalised spelling.
    fn received(&self, text: &str) -> String {
        canonical(&self.scramble.as_ref().map_or_else(|| text.to_owned(), |scramble| scramble.received(text)))
    }

    fn play(
        &mut self,
        rules: &str,
        seats: &mut [Seat<'_>],
        on_move: &mut dyn FnMut(&PlayedStep<'_>),
    ) -> Result<ManagedMatch, ManageError> {
        let roles = seats.len();
        let mut cursor = self.machine.cursor();
        let mut chance = Choices::new(self.terms.seed, u64::MAX);
        let mut played_match = Match::new(self.machine.initial().clone());
        let mut errors = vec![self.start(rules, seats)];
        let mut last: Option<Vec<String>> = None;
        let broken = loop {
            if cursor.terminal() {
                break None;
            }
            if self.asked_to_end() {
                break Some("it was interrupted".to_owned());
            }
            let step = played_match.moves.len() as u32;
            if step >= self.terms.most_steps {
                break Some(format!("it did not end within {}", counted(step.into(), "step", "steps")));
            }
            if let Some(role) = (0..roles).find(|&role| cursor.legal(role).is_empty()) {
                let role = self.machine.term_text(self.machine.description().roles[role]);
                break Some(format!("{role} has no legal move though the game has not ended"));
            }
            let begun = Instant::now();
            let before = cursor.state().clone();
            let drawn: Vec<MoveId> =
                (0..roles).map(|role| cursor.legal(role)[chance.below(cursor.legal(role).len())]).collect();
            let answers = self.moves(&*cursor, seats, &last, &drawn, step);
            if self.asked_to_end() {
                break Some("it was interrupted".to_owned());
            }
            let (moves, wrong) = self.checked(&*cursor, answers, &drawn, step, begun);
            errors.push(wrong);
            let joint: Vec<MoveId> = moves.iter().map(|played| played.action).collect();
            last = Some(joint.iter().map(|&action| self.machine.move_text(action)).collect());
            if let (Some(watcher), Some(moves)) = (&mut self.watcher, &last)
                && let Err(error) = watcher.play(moves)
            {
                break Some(format!("what players see can't be derived: {error}"));
            }
            cursor.advance(&joint)?;
            on_move(&PlayedStep { step, before: &before, moves: &moves, after: cursor.state() });
            played_match.states.push(cursor.state().clone());
            played_match.moves.push(moves);
            played_match.times.push(begun.elapsed());
        };
        self.end(seats, last, broken.is_some());
        if broken.is_none() {
            let goal = |role| match *cursor.goals(role) {
                [goal] => Some(goal),
                _ => None,
            };
            played_match.goals = Some((0..roles).map(goal).collect());
        }
        Ok(ManagedMatch { played_match, errors, violations: std::mem::take(&mut self.violations), broken })
    }

    /// The move of every role: its answer if that is legal, otherwise the random one, with the fault.
    fn checked(
        &mut self,
        cursor: &dyn Cursor,
        answers: Vec<RoleAnswer>,
        drawn: &[MoveId],
        step: u32,
        begun: Instant,
    ) -> (Vec<Move>, Vec<String>) {
        let (mut moves, mut wrong) = (Vec::new(), Vec::new());
        for (role, answer) in answers.into_iter().enumerate() {
            let found = answer.and_then(|text| {
                let is = |action: &&MoveId| canonical(&self.machine.move_text(**action)) == text;
                let legal = cursor.legal(role).iter().find(is).copied();
                let shown: String = text.chars().take(MOST_SHOWN).collect();
                legal.ok_or_else(|| (format!("IL {shown}"), format!("`{shown}` is not a legal move")))
            });
            let (action, what) = match found {
                Ok(action) => (action, String::new()),
                Err((what, why)) => {
                    self.violations.push(Violation {
                        role,
                        at: MatchMoment::Play(step + 1),
                        what: what.clone(),
                        why,
                    });
                    (drawn[role], what)
                }
            };
            moves.push(Move { action, result: None, by: None, fault: self.fault(&what, begun.elapsed()) });
            wrong.push(what);
        }
        (moves, wrong)
    }

    /// Asks all remote players at once; `message` gives the message for a role. Meanwhile `here` runs.
    fn ask_all<T>(
        &self,
        seats: &mut [Seat<'_>],
        clock: Duration,
        message: &(dyn Fn(usize) -> Message + Sync),
        meanwhile: impl FnOnce(&mut [(usize, &mut Seat<'_>)]) -> T,
    ) -> (RemoteAnswers, T) {
        // The interrupt must not prevent the message ABORT.
        let ending = matches!(message(0), Message::Abort { .. });
        let interrupt = self.interrupt.filter(|_| !ending);
        let mut here = Vec::new();
        let mut remotes = Vec::new();
        for (role, seat) in seats.iter_mut().enumerate() {
            match seat {
                Seat::Remote(remote) => remotes.push((role, remote.clone())),
                _ => here.push((role, seat)),
            }
        }
        thread::scope(|scope| {
            let asked: Vec<_> = remotes
                .iter()
                .map(|(role, remote)| {
                    let ask = move || {
                        let answer = remote.ask(&message(*role).to_string(), clock, interrupt);
                        answer.map(|answer| answer.text)
                    };
                    (*role, scope.spawn(ask))
                })
                .collect();
            let done = meanwhile(&mut here);
            let answer = |(role, asked): (usize, thread::ScopedJoinHandle<'_, _>)| {
                let fault = || Err(AskError::Answer("a fault of this program".to_owned()));
                (role, asked.join().unwrap_or_else(|_| fault()))
            };
            (asked.into_iter().map(answer).collect(), done)
        })
    }

    /// Sends START; returns the fault of each role. Of the answers only `busy` matters, and records don't count it as an
    /// error.
    fn start(&mut self, rules: &str, seats: &mut [Seat<'_>]) -> Vec<String> {
        let Clock { start, play, .. } = self.terms.clock;
        let roles: Vec<String> = self
            .machine
            .description()
            .roles
            .iter()
            .map(|&role| self.sent(&self.machine.term_text(role)))
            .collect();
        let rules = self.sent(rules);
        let message = |role: usize| {
            Message::Start(Start {
                id: self.terms.id.clone(),
                role: roles[role].clone(),
                rules: rules.clone(),
                startclock: start,
                playclock: play.unwrap_or_default(),
            })
        };
        let (answers, ()) = self.ask_all(seats, start + self.terms.grace, &message, |_| ());
        for (role, answer) in &answers {
            if answer.as_ref().is_ok_and(|text| text.eq_ignore_ascii_case("busy")) {
                let why = "it takes no more matches, so it does not know this one".to_owned();
                self.violations.push(Violation {
                    role: *role,
                    at: MatchMoment::Start,
                    what: "busy".to_owned(),
                    why,
                });
            }
        }
        self.errors(answers, MatchMoment::Start, seats.len())
    }

    /// The errors of answers whose content doesn't matter.
    fn errors(&mut self, answers: RemoteAnswers, at: MatchMoment, roles: usize) -> Vec<String> {
        let mut errors = vec![String::new(); roles];
        for (role, answer) in answers {
            if let Err(error) = answer {
                let (what, why) = recorded(&error);
                if what.is_empty() {
                    continue;
                }
                errors[role].clone_from(&what);
                self.violations.push(Violation { role, at, what, why });
            }
        }
        errors
    }

    /// The message to a role about the last step: all moves, or its own and its percepts if rules define them.
    fn last_step(&self, role: usize, last: &Option<Vec<String>>) -> LastStep {
        let sent = |texts: &[String]| texts.iter().map(|text| self.sent(text)).collect::<Vec<_>>();
        let Some(watcher) = &self.watcher else {
            return LastStep::List(last.as_deref().map(sent));
        };
        match watcher.last_step(role) {
            LastStep::Percepts { percepts, .. } if self.terms.percepts_only => {
                LastStep::List(last.is_some().then(|| sent(&percepts)))
            }
            LastStep::Percepts { turn, action, percepts } => LastStep::Percepts {
                turn,
                action: action.map(|text| self.sent(&text)),
                percepts: sent(&percepts),
            },
            list => list,
        }
    }

    /// The moves of all roles in a step.
    fn moves(
        &self,
        cursor: &dyn Cursor,
        seats: &mut [Seat<'_>],
        last: &Option<Vec<String>>,
        drawn: &[MoveId],
        step: u32,
    ) -> Vec<RoleAnswer> {
        let message = |role| Message::Play { id: self.terms.id.clone(), last: self.last_step(role, last) };
        let play = self.terms.clock.play.unwrap_or_default();
        let text = |action: MoveId| Ok(canonical(&self.machine.move_text(action)));
        let (answers, own) = self.ask_all(seats, play + self.terms.grace, &message, |here| {
            let mut own = Vec::new();
            for (role, seat) in here.iter_mut() {
                let legal = cursor.legal(*role);
                own.push((
                    *role,
                    match seat {
                        Seat::Random | Seat::Remote(_) => text(drawn[*role]),
                        Seat::Recorded(moves) => match moves.get(step as usize) {
                            Some(action) => Ok(action.clone()),
                            None => Err(("IL".to_owned(), "the recording has ended".to_owned())),
                        },
                        Seat::Local(_) if legal.len() == 1 => text(legal[0]),
                        Seat::Local(player) => self.result(&mut **player, cursor, step),
                    },
                ));
            }
            own
        });
        let mut all: Vec<RoleAnswer> = vec![Ok(String::new()); seats.len()];
        for (role, answer) in own {
            all[role] = answer;
        }
        for (role, answer) in answers {
            all[role] = match answer {
                Ok(reply) => Ok(self.received(&reply)),
                Err(error) => Err(recorded(&error)),
            };
        }
        all
    }

    /// The move of a local player.
    fn result(&self, player: &mut dyn Player, cursor: &dyn Cursor, step: u32) -> RoleAnswer {
        let Clock { start, play, margin } = self.terms.clock;
        let clock = if step == 0 { start } else { Duration::ZERO } + play.unwrap_or_default();
        let turn = Turn {
            nodes: None,
            deadline: Some(Instant::now() + clock.saturating_sub(margin)),
            interrupt: self.interrupt,
        };
        let begun = Instant::now();
        let result = player.choose(cursor.state(), &turn);
        match result.map(|result| result.action) {
            _ if begun.elapsed() > clock + self.terms.grace => Err(recorded(&AskError::Late)),
            Ok(Some(action)) => Ok(canonical(&self.machine.move_text(action))),
            Ok(None) => Err(("IL".to_owned(), "the player has no move".to_owned())),
            Err(error) => Err(("CE".to_owned(), error.to_string())),
        }
    }

    /// Converts a failure to the fault of a move.
    fn fault(&self, what: &str, took: Duration) -> Option<Fault> {
        match what {
            "" => None,
            "TO" => Some(Fault::Late { took, allowed: self.terms.clock.play.unwrap_or_default() }),
            _ => {
                Some(what.strip_prefix("IL ").map_or(Fault::Missing, |text| Fault::Illegal(text.to_owned())))
            }
        }
    }

    /// Sends STOP or ABORT.
    fn end(&mut self, seats: &mut [Seat<'_>], last: Option<Vec<String>>, broken: bool) {
        let id = || self.terms.id.clone();
        let stop = |role| Message::Stop { id: id(), last: self.last_step(role, &last) };
        let abort = |_| Message::Abort { id: id() };
        let (at, clock, message): (_, _, &(dyn Fn(usize) -> Message + Sync)) = match broken {
            true => (MatchMoment::Abort, ABORTING, &abort),
            false => (MatchMoment::Stop, self.terms.clock.play.unwrap_or_default() + self.terms.grace, &stop),
        };
        let (answers, ()) = self.ask_all(seats, clock, message, |_| ());
        self.errors(answers, at, seats.len());
    }
}

/// The code that managers record for a failure, and the same in words.
fn recorded(error: &AskError) -> (String, String) {
    let what = match error {
        AskError::Late => "TO",
        AskError::Connection(_) | AskError::Answer(_) => "CE",
        AskError::Interrupted => "",
    };
    (what.to_owned(), error.to_string())
}
