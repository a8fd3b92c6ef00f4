//! Remote players in matches and tournaments of this program: a [`Player`] that sends messages to them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::client::{AskError, Remote};
use super::expression::rewritten;
use super::message::{LastStep, Message, Start};
use super::percepts::{Percepts, Watcher};
use crate::arena::{Entrant, OwnPlayers, Player, PlayerError, PlayerFactory, PreparedGame, Turn, TurnError};
use crate::gdl::rule::RelationKind;
use crate::machine::{Machine, MoveId, State};
use crate::search::SearchResult;
use crate::simulate::canonical;

/// The longest wait for a player that is busy with other matches.
const BUSY: Duration = Duration::from_secs(60);
/// The time between two requests to a busy player.
const AGAIN: Duration = Duration::from_millis(200);

/// Time limit of the message at the end of a match.
const ENDING: Duration = Duration::from_secs(2);

/// The players of this program, and remote ones by address.
#[derive(Clone, Copy, Debug, Default)]
pub struct AllPlayers;

impl PlayerFactory for AllPlayers {
    fn entrant(&self, line: &str) -> Result<Entrant, PlayerError> {
        if !Remote::is_address(line) {
            return OwnPlayers.entrant(line);
        }
        remote(line)?;
        Ok(Entrant { line: line.to_owned(), document: None, threads: 1 })
    }

    fn player<'m>(
        &self,
        line: &str,
        game: &PreparedGame<'m>,
        role: usize,
        seed: u64,
    ) -> Result<Box<dyn Player + 'm>, PlayerError> {
        if !Remote::is_address(line) {
            return OwnPlayers.player(line, game, role, seed);
        }
        Ok(Box::new(RemotePlayer {
            line: line.to_owned(),
            remote: remote(line)?,
            machine: game.machine(),
            role,
            id: String::new(),
            last: LastStep::List(None),
            watcher: None,
            on: Err("it was not asked to play".to_owned()),
            failures: 0,
        }))
    }
}

fn remote(line: &str) -> Result<Remote, PlayerError> {
    Remote::new(line).map_err(|error| PlayerError::Other(error.to_string()))
}

/// A remote player in one match.
struct RemotePlayer<'m> {
    line: String,
    remote: Remote,
    machine: &'m dyn Machine,
    role: usize,
    id: String,
    last: LastStep,
    /// The percepts of the player, if rules define them.
    watcher: Option<Watcher>,
    /// Whether it takes part, or why not.
    on: Result<(), String>,
    /// Consecutive requests at which it could not be reached.
    failures: u32,
}

/// Distinguishes matches that begin in the same moment.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The rules of a game that begins in this state.
fn rules_from(machine: &dyn Machine, state: &State) -> String {
    let description = machine.description();
    if state == machine.initial() {
        return description.kif();
    }
    let begins = |rule: &&crate::gdl::rule::Rule| {
        description.relations[rule.head.relation.index()].kind != RelationKind::Init
    };
    let mut text: String =
        description.rules.iter().filter(begins).map(|rule| description.display_rule(rule) + "\n").collect();
    let mut fluents = Vec::new();
    machine.fluents(state, &mut fluents);
    for fluent in fluents {
        text.push_str(&format!("(init {})\n", machine.fluent_text(fluent)));
    }
    text
}

impl Player for RemotePlayer<'_> {
    fn name(&self) -> &str {
        &self.line
    }

    fn is_limited(&self) -> bool {
        false
    }

    fn follows(&self) -> bool {
        true
    }

    fn begin(&mut self, state: &State, clocks: Option<[Duration; 2]>, interrupt: Option<&AtomicBool>) {
        let Some([startclock, playclock]) = clocks else { return };
        let description = self.machine.description();
        let rules = rules_from(self.machine, state);
        match Percepts::new(description, || rules.clone()) {
            Ok(percepts) => self.watcher = percepts.map(Watcher::new),
            Err(error) => {
                self.on = Err(format!("what it sees can't be derived: {error}"));
                return;
            }
        }
        self.last =
            self.watcher.as_ref().map_or(LastStep::List(None), |watcher| watcher.last_step(self.role));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        self.id = format!("match.{now}.{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let message = Message::Start(Start {
            id: self.id.clone(),
            role: self.machine.term_text(description.roles[self.role]),
            rules: rewritten(&rules, |word| word),
            startclock,
            playclock,
        })
        .to_string();
        let until = Instant::now() + BUSY;
        loop {
            match self.remote.ask(&message, startclock, interrupt) {
                Ok(answer) if answer.text.eq_ignore_ascii_case("busy") && Instant::now() < until => {
                    thread::sleep(AGAIN);
                }
                Ok(answer) if answer.text.eq_ignore_ascii_case("busy") => {
                    let seconds = BUSY.as_secs();
                    self.on = Err(format!("it answered `busy` to START for {seconds} s"));
                    return;
                }
                // A player that prepares too long takes part all the same.
                Ok(_) | Err(AskError::Late) => {
                    self.on = Ok(());
                    return;
                }
                Err(error) => {
                    self.on = Err(error.to_string());
                    return;
                }
            }
            if interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return;
            }
        }
    }

    fn choose(&mut self, state: &State, turn: &Turn<'_>) -> Result<SearchResult, TurnError> {
        self.on.clone().map_err(TurnError::Left)?;
        let no_clock = || TurnError::Left("it can't be asked without a clock".to_owned());
        let deadline = turn.deadline.ok_or_else(no_clock)?;
        let begun = Instant::now();
        let message = Message::Play { id: self.id.clone(), last: self.last.clone() }.to_string();
        let clock = deadline.saturating_duration_since(begun);
        let mut result = SearchResult::nothing();
        match self.remote.ask(&message, clock, turn.interrupt) {
            Ok(answer) => {
                self.failures = 0;
                let text = canonical(&answer.text);
                let mut cursor = self.machine.cursor();
                cursor.set(state)?;
                let is = |action: &&MoveId| canonical(&self.machine.move_text(**action)) == text;
                result.action = cursor.legal(self.role).iter().find(is).copied();
            }
            Err(error @ AskError::Connection(_)) if self.failures > 0 => {
                return Err(TurnError::Left(error.to_string()));
            }
            Err(AskError::Connection(_)) => self.failures += 1,
            Err(_) => {}
        }
        result.took = begun.elapsed();
        Ok(result)
    }

    fn played(&mut self, joint: &[MoveId]) {
        let moves: Vec<String> = joint.iter().map(|&action| self.machine.move_text(action)).collect();
        let Some(watcher) = &mut self.watcher else {
            self.last = LastStep::List(Some(moves));
            return;
        };
        match watcher.play(&moves) {
            Ok(()) => self.last = watcher.last_step(self.role),
            // The moves of others may be hidden: without percepts nothing can be sent.
            Err(error) => self.on = Err(format!("what it sees can't be derived: {error}")),
        }
    }

    fn over(&mut self, at_its_end: bool) {
        if std::mem::replace(&mut self.on, Err("its match is over".to_owned())).is_err() {
            return;
        }
        let message = match at_its_end {
            true => Message::Stop { id: self.id.clone(), last: self.last.clone() },
            false => Message::Abort { id: self.id.clone() },
        };
        // The match is over, whatever the answer is.
        let _ = self.remote.ask(&message.to_string(), ENDING, None);
    }
}
