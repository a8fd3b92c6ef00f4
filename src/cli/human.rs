//! A person at the terminal as a player. `move_list.rs` parses moves, and this module parses commands such as `undo`.
//! `play.rs` executes the commands that end or rewind the match.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::move_list::{MoveList, Reading};
use crate::arena::{
    Entrant, Move, OwnPlayers, Player, PlayerError, PlayerFactory, PreparedGame, Turn, TurnError,
};
use crate::machine::{Machine, MachineError, MoveId, State};
use crate::protocol::Remote;
use crate::report::layout::{Layout, counted};
use crate::search::SearchResult;

/// The player text for a person at the terminal.
pub(super) const HUMAN: &str = "human";

/// The player that searches for hints: it can play every game without hidden moves, and needs no evaluation function.
const HINT: &str = "uct";

/// A hint shows the expected moves of whole steps until it has at least this number of moves.
const HINT_MOVES: usize = 4;

/// The maximum number of rows in the list of moves at a prompt. The command `moves` prints longer lists.
const LISTED_ROWS: usize = 12;

/// Parses the text of a player: one of this program, or [`HUMAN`].
pub(super) fn entrant(line: &str) -> Result<Entrant, PlayerError> {
    match line {
        HUMAN => Ok(Entrant { line: HUMAN.to_owned(), document: None, threads: 1 }),
        _ if Remote::is_address(line) => Err(PlayerError::Other(format!(
            "{line} is the address of a remote player, not a player of this program"
        ))),
        _ => OwnPlayers.entrant(line),
    }
}

/// Why a person ended a call of `Match::play`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// Play again from this step on.
    Undo(usize),
    /// The person with this role resigns.
    Resign(usize),
    /// The person leaves.
    Quit,
}

/// The state of a match with human players, which they share with `ggp play`.
#[derive(Default)]
pub(super) struct PlaySession {
    /// The moves so far, step by step.
    pub(super) moves: RefCell<Vec<Vec<Move>>>,
    /// The command that ended the match; none if no command did.
    pub(super) request: Cell<Option<Request>>,
}

impl PlaySession {
    /// The step of the last move that the person with this role chose.
    fn last_choice(&self, role: usize) -> Option<usize> {
        let is_chosen = |moves: &Vec<Move>| moves[role].by.as_deref() == Some(HUMAN);
        self.moves.borrow().iter().rposition(is_chosen)
    }
}

/// A command that is typed instead of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PromptCommand {
    Help,
    Moves,
    Undo,
    Hint,
    Eval,
    Resign,
    Quit,
}

/// The commands with their words and their help.
const COMMANDS: [(PromptCommand, &[&str], &str); 7] = [
    (PromptCommand::Help, &["?", "help"], "show this help"),
    (PromptCommand::Moves, &["moves"], "list the legal moves"),
    (PromptCommand::Undo, &["undo"], "take back your last move and all moves after it"),
    (PromptCommand::Hint, &["hint"], "search for a good move, as long as a player has for a move"),
    (PromptCommand::Eval, &["eval"], "show how the other players value their positions"),
    (PromptCommand::Resign, &["resign"], "give up; the record names you"),
    (PromptCommand::Quit, &["quit", "exit"], "end the match without a result, like Ctrl-D and Ctrl-C"),
];

/// The command of a line. A slash before it distinguishes it from a move of the same name.
fn command(line: &str) -> Option<PromptCommand> {
    let word = line.strip_prefix('/').unwrap_or(line).to_lowercase();
    COMMANDS.iter().find(|(_, words, _)| words.contains(&word.as_str())).map(|&(command, ..)| command)
}

fn help(list: &MoveList) -> String {
    let mut text = "Type a move in one of these ways:\n".to_owned();
    let [whole, bare, number] = list.spellings();
    for (spelling, meaning) in [
        (whole, "as the rules write it"),
        (bare, "without parentheses"),
        (number, "its number in the list, or a part that no other move has"),
    ] {
        text.push_str(&format!("  {spelling:<11} {meaning}\n"));
    }
    text.push_str("Or type a command:\n");
    for (_, words, meaning) in COMMANDS {
        text.push_str(&format!("  {:<11} {meaning}\n", words.join(", ")));
    }
    text + "If a move has the name of a command, write the command with a slash: /undo\n"
}

/// Interval at which `next_line` checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The next line of standard input; `None` at the end of the input, or when the match is aborted. A separate thread reads
/// the lines, so that waiting for input does not delay an interrupt.
fn next_line(interrupt: Option<&AtomicBool>) -> Option<String> {
    static LINES: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();
    let lines = LINES.get_or_init(|| {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            // A line with bytes that are not UTF-8 must not end the input.
            let read = std::io::stdin().lock().split(b'\n').map_while(Result::ok);
            let mut texts = read.map(|line| String::from_utf8_lossy(&line).into_owned());
            // Sending fails only if the receiver is gone; then the thread ends.
            let _ = texts.find_map(|line| sender.send(line).err());
        });
        Mutex::new(lines)
    });
    let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        match lines.recv_timeout(POLL_INTERVAL) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return None;
        }
    }
}

/// A person at the terminal.
pub(super) struct Human<'s, 'm> {
    pub(super) game: &'s PreparedGame<'m>,
    pub(super) role: usize,
    pub(super) session: &'s PlaySession,
    /// The time limit of a hint; none if only nodes limit it.
    pub(super) hint_time: Option<Duration>,
    pub(super) seed: u64,
}

impl Player for Human<'_, '_> {
    fn name(&self) -> &str {
        HUMAN
    }

    fn is_limited(&self) -> bool {
        true
    }

    fn is_timed(&self) -> bool {
        false
    }

    fn choose(&mut self, state: &State, turn: &Turn<'_>) -> Result<SearchResult, TurnError> {
        let machine = self.game.machine();
        let mut cursor = machine.cursor();
        cursor.set(state)?;
        let legal = cursor.legal(self.role).to_vec();
        let list = MoveList::new(legal.iter().map(|&action| machine.move_text(action)).collect());
        let role = role_name(machine, self.role);
        // Prompts go to standard error, because the match is printed to standard output.
        let mut out = std::io::stderr();
        let mut next = || next_line(turn.interrupt);
        let mut carry_out = |command| self.carry_out(command, state, turn);
        let chosen = ask(&role, &list, Layout::detect().width.into(), &mut next, &mut carry_out, &mut out);
        let is_interrupted = || turn.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let reason = || match self.session.request.get() {
            Some(Request::Resign(_)) => "resigned".to_owned(),
            Some(_) => "`quit` was typed".to_owned(),
            None if is_interrupted() => "the match was interrupted".to_owned(),
            None => "the input has ended".to_owned(),
        };
        // Writing fails only if standard error is closed.
        let chosen = chosen.map_err(|_| TurnError::Left(reason()))?;
        let chosen: Option<MoveId> = chosen.map(|number| legal[number]);
        let found = chosen.map(|action| SearchResult { action: Some(action), ..SearchResult::nothing() });
        found.ok_or_else(|| TurnError::Left(reason()))
    }
}

/// The name of a role.
fn role_name(machine: &dyn Machine, role: usize) -> String {
    machine.term_text(machine.description().roles[role])
}

/// The result of a command: a text to print, or the end of the match.
enum Response {
    Text(String),
    End,
}

impl Human<'_, '_> {
    fn carry_out(&self, command: PromptCommand, state: &State, turn: &Turn<'_>) -> Response {
        let end = |request| {
            self.session.request.set(Some(request));
            Response::End
        };
        match command {
            PromptCommand::Undo => match self.session.last_choice(self.role) {
                Some(step) => end(Request::Undo(step)),
                None => Response::Text("you have not made a move that can be taken back\n".to_owned()),
            },
            PromptCommand::Resign => end(Request::Resign(self.role)),
            PromptCommand::Quit => end(Request::Quit),
            PromptCommand::Eval => Response::Text(self.evaluations()),
            PromptCommand::Hint => {
                Response::Text(self.hint(state, turn).unwrap_or_else(|why| format!("no hint: {why}\n")))
            }
            // `ask` handles these two.
            PromptCommand::Help | PromptCommand::Moves => Response::Text(String::new()),
        }
    }

    /// The values that the other players computed in their last searches. A proved win against the person is not shown.
    fn evaluations(&self) -> String {
        let machine = self.game.machine();
        let moves = self.session.moves.borrow();
        let mut text = String::new();
        for role in (0..machine.description().roles.len()).filter(|&role| role != self.role) {
            let searched = |step: &Vec<Move>| step[role].result.clone().filter(|result| result.nodes > 0);
            let Some(result) = moves.iter().rev().find_map(searched) else { continue };
            let states = counted(result.nodes, "state", "states");
            let is_shown = !(result.proved && result.value.is_some_and(|value| value > 50.0));
            let value = match result.value.filter(|_| is_shown) {
                Some(value) => format!(" expects {value:.1} of 100 points, and"),
                None => String::new(),
            };
            let name = role_name(machine, role);
            text.push_str(&format!("{name}{value} searched {states} for its last move\n"));
        }
        match text.is_empty() {
            true => "no other player has searched yet\n".to_owned(),
            false => text,
        }
    }

    /// Searches for a move and describes it; `Err` has the reason if no search is possible.
    fn hint(&self, state: &State, turn: &Turn<'_>) -> Result<String, String> {
        let mut player =
            OwnPlayers.player(HINT, self.game, self.role, self.seed).map_err(|error| error.to_string())?;
        let deadline = self.hint_time.map(|time| Instant::now() + time);
        let found = player.choose(state, &Turn { deadline, ..*turn }).map_err(|error| error.to_string())?;
        let machine = self.game.machine();
        let action = found.action.ok_or("the search found no move")?;
        let mut text = format!("hint: {}", machine.move_text(action));
        // A proved loss is not shown.
        let is_lost = found.proved && found.value.is_some_and(|value| value < 50.0);
        match found.value.filter(|_| !is_lost) {
            Some(value) if found.proved => {
                text.push_str(&format!(", which gives {value:.0} points (proved)"))
            }
            Some(value) => text.push_str(&format!(
                ", expected result {value:.0} of 100 points after {}",
                counted(found.nodes, "state", "states")
            )),
            None => {}
        }
        text.push('\n');
        let line = self.expected(state, &found).unwrap_or_default();
        if line.len() > 1 && !is_lost {
            text.push_str(&format!("  expected moves: {}\n", line.join(", ")));
        }
        Ok(text)
    }

    /// The first expected moves, without those of roles that have only one legal move.
    fn expected(&self, state: &State, found: &SearchResult) -> Result<Vec<String>, MachineError> {
        let machine = self.game.machine();
        let mut cursor = machine.cursor();
        cursor.set(state)?;
        let mut line = Vec::new();
        for joint in &found.principal_variation {
            if cursor.terminal() || line.len() >= HINT_MOVES {
                break;
            }
            for (role, &action) in joint.iter().enumerate() {
                if cursor.legal(role).len() > 1 {
                    line.push(format!("{} {}", role_name(machine, role), machine.move_text(action)));
                }
            }
            cursor.advance(joint)?;
        }
        Ok(line)
    }
}

/// Prompts until a legal move is entered, and returns its index; `None` if the match ends instead.
fn ask(
    role: &str,
    list: &MoveList,
    width: usize,
    next: &mut dyn FnMut() -> Option<String>,
    carry_out: &mut dyn FnMut(PromptCommand) -> Response,
    out: &mut dyn Write,
) -> std::io::Result<Option<usize>> {
    let listed = list.text(width);
    match listed.lines().count() > LISTED_ROWS {
        true => {
            writeln!(out, "{}; `moves` lists them", counted(list.len() as u64, "legal move", "legal moves"))?
        }
        false => out.write_all(listed.as_bytes())?,
    }
    loop {
        write!(out, "{role}, your move (? for help): ")?;
        out.flush()?;
        let Some(line) = next() else {
            writeln!(out)?;
            return Ok(None);
        };
        let line = line.trim();
        let text = match (list.read(line), command(line)) {
            (Reading::Move(number), _) => return Ok(Some(number)),
            (_, Some(PromptCommand::Help)) => help(list),
            (_, Some(PromptCommand::Moves)) => listed.clone(),
            (_, Some(command)) => match carry_out(command) {
                Response::Text(text) => text,
                Response::End => return Ok(None),
            },
            (Reading::Unclear(text), None) => text,
        };
        out.write_all(text.as_bytes())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(input: &str) -> (Option<usize>, String) {
        let list = MoveList::new(["(mark 1 1)", "(mark 1 2)", "noop"].map(str::to_owned).to_vec());
        let mut out = Vec::new();
        let mut lines = input.lines().map(str::to_owned);
        let mut carry_out = |command| match command {
            PromptCommand::Quit => Response::End,
            command => Response::Text(format!("{command:?}\n")),
        };
        let mut next = || lines.next();
        let found = ask("white", &list, 80, &mut next, &mut carry_out, &mut out).unwrap();
        (found, String::from_utf8(out).unwrap())
    }

    #[test]
    fn moves_are_chosen_by_number_or_text() {
        for (input, wanted) in
            [("2\n", 1), ("noop\n", 2), ("( MARK  1 2 )\n", 1), ("mark 1 2", 1), ("\n\n3", 2)]
        {
            assert_eq!(asked(input).0, Some(wanted), "{input}");
        }
        let (found, printed) = asked("4\n(mark 2 1)\n0\n1\n");
        assert_eq!(found, Some(0));
        assert!(printed.starts_with("  1 (mark 1 1)   2 (mark 1 2)   3 noop\n"), "{printed}");
        assert_eq!(printed.matches("legal move").count(), 3, "{printed}");
        assert_eq!(asked("").0, None);
        assert_eq!(asked("nonsense\n").0, None);
    }

    #[test]
    fn commands_are_not_moves() {
        let (found, printed) = asked("?\nmoves\nundo\n/HINT\neval\nexit\n1\n");
        assert_eq!(found, None);
        for (_, words, meaning) in COMMANDS {
            assert!(printed.contains(words[0]) && printed.contains(meaning), "{printed}");
        }
        assert_eq!(printed.matches("1 (mark 1 1)").count(), 2, "{printed}");
        assert!(
            printed.contains("Undo\n") && printed.contains("Hint\n") && printed.contains("Eval\n"),
            "{printed}"
        );
    }
}
