//! A person at the terminal as a player: moves are listed with numbers, and one is chosen by its number or its text.

use std::io::{BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use crate::arena::{Entrant, OwnPlayers, Player, PlayerError, PlayerFactory, PreparedGame, Turn, TurnError};
use crate::machine::{Machine, MoveId, State};
use crate::protocol::Remote;
use crate::report::layout::Layout;
use crate::search::SearchResult;
use crate::simulate::canonical;

/// The player text for a person at the terminal.
pub(super) const HUMAN: &str = "human";

/// Makes the players of this program, and [`Human`] players.
pub(super) struct AtTerminal;

impl PlayerFactory for AtTerminal {
    fn entrant(&self, line: &str) -> Result<Entrant, PlayerError> {
        match line {
            HUMAN => Ok(Entrant { line: HUMAN.to_owned(), document: None, threads: 1 }),
            _ if Remote::is_address(line) => Err(PlayerError::Other(format!(
                "{line} is the address of a remote player, not a player of this program"
            ))),
            _ => OwnPlayers.entrant(line),
        }
    }

    fn player<'m>(
        &self,
        line: &str,
        game: &PreparedGame<'m>,
        role: usize,
        seed: u64,
    ) -> Result<Box<dyn Player + 'm>, PlayerError> {
        if line != HUMAN {
            return OwnPlayers.player(line, game, role, seed);
        }
        Ok(Box::new(Human { machine: game.machine(), role }))
    }
}

/// Interval at which `next_line` checks for an interrupt.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The next line of standard input, without its line break; `None` at the end of the input, or when the match is aborted.
/// A separate thread reads the lines, so that waiting for input does not delay an interrupt.
fn next_line(interrupt: Option<&AtomicBool>) -> Option<String> {
    static LINES: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();
    let lines = LINES.get_or_init(|| {
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let read = std::io::stdin().lock().lines().map_while(Result::ok);
            // Sending fails only if the receiver is gone; then the thread ends.
            let _ = read.map(|line| sender.send(line)).find(Result::is_err);
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

struct Human<'m> {
    machine: &'m dyn Machine,
    role: usize,
}

impl Player for Human<'_> {
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
        let mut cursor = self.machine.cursor();
        cursor.set(state)?;
        let legal = cursor.legal(self.role).to_vec();
        let texts: Vec<String> = legal.iter().map(|&action| self.machine.move_text(action)).collect();
        let role = self.machine.term_text(self.machine.description().roles[self.role]);
        // Prompts go to standard error, because the match is printed to standard output. Writing fails only if
        // standard error is closed.
        let mut out = std::io::stderr().lock();
        let mut next = || next_line(turn.interrupt);
        let asked = ask(&role, &texts, Layout::detect().width, &mut next, &mut out);
        let asked_to_end = || turn.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let why = || if asked_to_end() { "the match was interrupted" } else { "the input has ended" };
        let left = || TurnError::Left(why().to_owned());
        let chosen: Option<MoveId> = asked.map_err(|_| left())?.map(|number| legal[number]);
        chosen.map(|action| SearchResult { action: Some(action), ..SearchResult::nothing() }).ok_or_else(left)
    }
}

/// Asks until a legal move is entered and returns its index; `None` at the end of the input.
fn ask(
    role: &str,
    texts: &[String],
    width: u16,
    next: &mut dyn FnMut() -> Option<String>,
    out: &mut dyn Write,
) -> std::io::Result<Option<usize>> {
    out.write_all(listed(texts, width.into()).as_bytes())?;
    loop {
        write!(out, "{role}, your move (1 to {}, or its text; Ctrl-D to leave): ", texts.len())?;
        out.flush()?;
        let Some(line) = next() else {
            writeln!(out)?;
            return Ok(None);
        };
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        let number = line.parse::<usize>().ok().filter(|number| (1..=texts.len()).contains(number));
        // Parentheses around a whole move may be left out.
        let bare = !line.contains('(') && line.contains(char::is_whitespace);
        let wanted = if bare { canonical(&format!("({line})")) } else { canonical(line) };
        // The text of a move may be a number, too; the number in the list takes precedence.
        let found = number.map(|number| number - 1).or_else(|| texts.iter().position(|text| *text == wanted));
        if found.is_some() {
            return Ok(found);
        }
        let like = |text: &&String| strsim::normalized_damerau_levenshtein(text, &wanted);
        let nearest = texts.iter().max_by(|a, b| like(a).total_cmp(&like(b)));
        // For a number out of range there is no useful suggestion.
        let nearest = nearest.filter(|_| line.parse::<f64>().is_err());
        let nearest = nearest.map_or(String::new(), |text| format!("; did you mean {text}?"));
        writeln!(out, "`{line}` is neither a legal move nor the number of one{nearest}")?;
    }
}

/// The moves with their numbers, in as many columns as fit into the width.
fn listed(texts: &[String], width: usize) -> String {
    let digits = texts.len().to_string().len();
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let columns = (width / (digits + longest + 4)).max(1);
    let mut out = String::new();
    for (row, line) in texts.chunks(columns).enumerate() {
        for (column, text) in line.iter().enumerate() {
            let number = row * columns + column + 1;
            out.push_str(&format!("  {number:>digits$} {text:<longest$} "));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(input: &str) -> (Option<usize>, String) {
        let texts = ["(mark 1 1)", "(mark 1 2)", "noop"].map(str::to_owned);
        let mut out = Vec::new();
        let mut lines = input.lines().map(str::to_owned);
        let found = ask("white", &texts, 80, &mut || lines.next(), &mut out).unwrap();
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
}
