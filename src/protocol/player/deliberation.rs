//! Follows one match on the best machine so far: reads the manager's moves, has a legal move ready at once, and passes
//! each PLAY to a search for a better one.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use super::super::message::LastStep;
use super::answer::Answer;
use super::beliefs::Beliefs;
use super::match_start::{MatchStart, StopFlags};
use super::match_state::MatchState;
use super::settings::Settings;
use super::stages::{Question, Stages};
use crate::arena::{Clock, MatchRecord, Move, SearchPlayer, ThoughtRecord, Turn, fallback_player};
use crate::machine::{Machine, MoveId};
use crate::search::SearchResult;
use crate::simulate::{Choices, canonical};

/// Limit of UCT's memory while the requested player is not ready.
const MEMORY: usize = 128 << 20;

/// Time for the last percepts of a match.
const ENDING: Duration = Duration::from_millis(500);

/// Faults after which a match is abandoned.
const MOST_FAULTS: u32 = 10;

/// Limit of pondering, in play clocks: others may be late, or the manager may be gone.
const PONDERED: u32 = 2;

/// Threads of a match that hold `living`.
const THREADS: usize = 2;

/// The number of matches with threads, from the object that every thread of a match and the server hold.
fn running_matches(living: &Arc<()>) -> usize {
    (Arc::strong_count(living) - 1).div_ceil(THREADS)
}

/// A command to the thread that follows a match.
pub(super) enum Command {
    /// A move is due.
    Play {
        /// The manager's content about the last step.
        last: LastStep,
        /// The answer to be filled.
        answer: Arc<Answer>,
        /// When the search for it ends.
        until: Instant,
        /// Flags that stop the work at once.
        ends: StopFlags,
    },
    /// The match is over.
    Over {
        /// The manager's content about the last step, if any.
        last: Option<LastStep>,
    },
}

/// Why a machine was abandoned.
enum LeaveReason {
    /// There is a better machine, which must also execute this command.
    Better(Command),
    /// The match is over.
    Over,
}

/// The state of a match, independent of the machine.
struct Deliberation<'d> {
    match_start: &'d MatchStart,
    settings: &'d Settings,
    stages: &'d Stages,
    /// Held by every thread of a match.
    living: &'d Arc<()>,
    /// The joint moves so far, in normalised spelling; if moves are hidden, some that are consistent with the percepts.
    history: Vec<Vec<String>>,
    /// When each was received.
    times: Vec<Duration>,
    /// The result of the search for each own move.
    thoughts: Vec<Option<ThoughtRecord>>,
    last: Instant,
    /// The answer to the last PLAY.
    answered: Option<Arc<Answer>>,
    /// Whether the requested player was not ready for the last move.
    late: Cell<bool>,
    /// Possible histories, after the first percepts.
    beliefs: Option<Beliefs>,
    /// The number of the first turn, as the manager counts.
    first_turn: Option<u32>,
}

/// Follows a match until it is over.
pub(super) fn deliberate(
    match_start: &MatchStart,
    settings: &Settings,
    stages: &Stages,
    (gone, living): (&AtomicBool, &Arc<()>),
    commands: &Receiver<Command>,
) {
    let mut deliberation = Deliberation {
        match_start,
        settings,
        stages,
        living,
        history: Vec::new(),
        times: Vec::new(),
        thoughts: Vec::new(),
        last: match_start.arrived,
        answered: None,
        late: Cell::new(false),
        beliefs: None,
        first_turn: None,
    };
    let (mut pending, mut faults) = (None, 0);
    // Waits for the first machine; a command that arrives meanwhile stays in its channel.
    while let Some((machine, version)) = stages.best(gone) {
        let follow = || deliberation.follow(&*machine, version, pending.take(), commands);
        match catch_unwind(AssertUnwindSafe(follow)) {
            Ok(LeaveReason::Better(command)) => pending = Some(command),
            Ok(LeaveReason::Over) => return,
            Err(_) => {
                if let Some(answer) = &deliberation.answered {
                    answer.finish();
                }
                faults += 1;
                if faults > MOST_FAULTS {
                    deliberation.note("faults of this program; the match is given up");
                    return;
                }
                deliberation.note("a fault of this program; the match goes on");
            }
        }
    }
}

impl Deliberation<'_> {
    fn note(&self, what: &str) {
        (self.settings.note)(&format!("match {}: {what}", self.match_start.start.id));
    }

    /// Follows the match on one machine from the beginning.
    fn follow(
        &mut self,
        machine: &dyn Machine,
        version: u32,
        mut pending: Option<Command>,
        commands: &Receiver<Command>,
    ) -> LeaveReason {
        let mut position = MatchState::new(machine);
        position.replay(&self.history);
        let roles = &machine.description().roles;
        let is_own = |&role: &_| canonical(&machine.term_text(role)) == self.match_start.role;
        let Some(role) = roles.iter().position(is_own) else { return LeaveReason::Over };
        let mut uct = None;
        loop {
            let command = pending.take().or_else(|| commands.recv().ok());
            if let Some(command) = command {
                if self.stages.is_newer(version) {
                    return LeaveReason::Better(command);
                }
                match command {
                    Command::Play { last, answer, until, ends } => {
                        let half = until.saturating_duration_since(Instant::now()) / 2;
                        self.hear(&mut position, role, last, Instant::now() + half);
                        self.answered = Some(answer.clone());
                        self.play(machine, &position, role, &mut uct, answer, until, ends);
                        continue;
                    }
                    Command::Over { last: Some(LastStep::List(Some(texts))) } if !position.has_percepts() => {
                        let joint: Vec<String> = texts.iter().map(|text| self.game_text(text)).collect();
                        if position.can_play(&joint) {
                            self.take(&mut position, role, joint);
                        }
                    }
                    Command::Over { last: Some(last) } if !position.cursor().terminal() => {
                        self.hear(&mut position, role, last, Instant::now() + ENDING);
                    }
                    Command::Over { .. } => {}
                }
            }
            self.stages.ended.store(position.cursor().terminal(), Ordering::Relaxed);
            self.record(machine, role, position);
            return LeaveReason::Over;
        }
    }

    /// Converts a text of the manager to the names of the game, in normalised spelling.
    fn game_text(&self, text: &str) -> String {
        canonical(&self.match_start.case_map.received(text))
    }

    /// Adds the last step of a PLAY, unless it is known. The search for histories ends at a time.
    fn hear(&mut self, position: &mut MatchState<'_>, role: usize, last: LastStep, until: Instant) {
        let sees = position.has_percepts();
        let own = self.answered.as_ref().and_then(|answer| answer.best());
        let texts = match last {
            LastStep::Percepts { turn, action, percepts } => {
                let first = *self.first_turn.get_or_insert(turn.saturating_sub(action.is_some().into()));
                let played = turn.saturating_sub(first) as usize;
                match action.filter(|_| played > self.history.len()) {
                    Some(action) => self.perceive(position, role, &action, &percepts, until),
                    None if played > 0 => self.note("the same turn again; answered again"),
                    None => {}
                }
                return;
            }
            LastStep::List(Some(texts)) if sees || !texts.is_empty() => texts,
            // Some managers write NIL for no percepts.
            LastStep::List(_) if sees && own.is_some() => Vec::new(),
            LastStep::List(_) => {
                if !self.history.is_empty() {
                    self.note("PLAY without moves during the match; answered again");
                }
                return;
            }
        };
        let joint: Vec<String> = texts.iter().map(|text| self.game_text(text)).collect();
        // If all moves are visible, a manager that doesn't support percepts may send joint moves.
        let is_joint = self.beliefs.is_none() && position.can_play(&joint) && self.is_answer(joint.get(role));
        if sees && !is_joint {
            if let Some(own) = own {
                self.perceive(position, role, &own, &texts, until);
            }
            return;
        }
        let again = self.history.last() == Some(&joint);
        let can = position.can_play(&joint);
        if again && !(can && self.is_answer(joint.get(role))) {
            self.note("the same PLAY again; answered again");
            return;
        }
        self.take(position, role, joint);
    }

    /// Adds a step by the own move and percepts: the match continues with consistent moves of the others.
    fn perceive(
        &mut self,
        position: &mut MatchState<'_>,
        role: usize,
        own: &str,
        percepts: &[String],
        until: Instant,
    ) {
        let own = self.game_text(own);
        let percepts: BTreeSet<String> = percepts.iter().map(|text| self.game_text(text)).collect();
        let beliefs = match self.beliefs.take() {
            Some(beliefs) => Ok(Some(beliefs)),
            None => Beliefs::new(position.machine().description(), role, &self.history),
        };
        let mut beliefs = match beliefs {
            Ok(Some(beliefs)) => beliefs,
            Ok(None) => return self.note("percepts came, but no rule of the game says what players see"),
            Err(error) => return self.note(&format!("the percepts can't be used: {error}")),
        };
        if !beliefs.perceive(&own, &percepts, until) {
            self.note(
                "no moves of the others were found that fit the percepts; the match goes on with others",
            );
        }
        let joints = beliefs.guess().to_vec();
        self.beliefs = Some(beliefs);
        if let Some((last, before)) = joints.split_last()
            && before.len() == self.history.len()
        {
            position.replay(before);
            self.history = before.to_vec();
            self.take(position, role, last.clone());
        }
    }

    /// Whether a move is the one that was sent last.
    fn is_answer(&self, action: Option<&String>) -> bool {
        let answer = self.answered.as_ref().and_then(|answer| answer.best());
        answer.is_none_or(|answer| Some(&self.game_text(&answer)) == action)
    }

    fn take(&mut self, position: &mut MatchState<'_>, role: usize, joint: Vec<String>) {
        let before = position.played_match.moves.len();
        match position.play(&joint) {
            Ok(wrong) => wrong.iter().for_each(|what| self.note(what)),
            Err(error) => self.note(&format!("the match can't be followed: {error}")),
        }
        if position.played_match.moves.len() > before {
            let played = joint.get(role);
            let own = self.answered.as_ref();
            let own =
                own.filter(|answer| answer.best().is_some_and(|text| Some(&self.game_text(&text)) == played));
            self.thoughts.push(own.and_then(|answer| answer.result()));
            self.history.push(joint);
            self.times.push(self.last.elapsed());
            self.last = Instant::now();
        }
    }

    /// Chooses the move of a PLAY: any legal one at once, then the best that is found in time.
    #[expect(clippy::too_many_arguments, reason = "a command and where it is carried out")]
    fn play<'m>(
        &self,
        machine: &'m dyn Machine,
        position: &MatchState<'_>,
        role: usize,
        uct: &mut Option<SearchPlayer<'m>>,
        answer: Arc<Answer>,
        until: Instant,
        ends: StopFlags,
    ) {
        let legal: Vec<MoveId> = match position.cursor().terminal() {
            true => Vec::new(),
            false => position.cursor().legal(role).to_vec(),
        };
        let reply = |action, result| {
            answer.offer(self.match_start.case_map.restore(&canonical(&machine.move_text(action))), result);
        };
        let any = Choices::new(self.settings.seed, self.history.len() as u64).below(legal.len());
        let Some(&any) = legal.get(any) else {
            let why = if position.cursor().terminal() {
                "the game has ended"
            } else {
                "the role has no legal move"
            };
            self.note(&format!("a move is asked for, but {why}"));
            answer.finish();
            return;
        };
        reply(any, None);
        let state = position.cursor().state().clone();
        let joint = |moves: &Vec<Move>| moves.iter().map(|played| played.action).collect();
        let joints: Vec<Vec<MoveId>> = position.played_match.moves.iter().map(joint).collect();
        if legal.len() == 1 {
            answer.finish();
            if self.settings.ponder && self.settings.has_processors_for(running_matches(self.living)) {
                let until = Instant::now() + PONDERED * self.match_start.start.playclock;
                let (is_pondering, stop) = (true, ends.past);
                let question = Question { state, joints, legal, answer, until, is_pondering, stop };
                // Without a searcher the tree is lost after the move, so pondering is useless.
                let _ = self.stages.ask(question);
            }
            return;
        }
        let (is_pondering, stop) = (false, ends.out);
        let question = Question { state, joints, legal, answer: answer.clone(), until, is_pondering, stop };
        let Err(question) = self.stages.ask(question) else {
            self.note_late(None);
            return;
        };
        let uct = uct.get_or_insert_with(|| fallback_player(machine, role, MEMORY, self.settings.seed));
        self.note_late(Some(&uct.line));
        let turn = Turn { nodes: None, deadline: Some(until), interrupt: Some(&question.stop) };
        let line = uct.line.clone();
        let better = |result: &SearchResult| {
            if let Some(action) = result.action {
                reply(action, Some(ThoughtRecord::new(&line, result)));
            }
        };
        match uct.search(&question.state, &turn, &mut |result| better(result)) {
            Ok(result) => better(&result),
            Err(error) => self.note(&format!("no better move than any: {error}")),
        }
        answer.finish();
    }

    /// Notes which player replaces the requested one, and when that ends.
    fn note_late(&self, place: Option<&str>) {
        if self.late.replace(place.is_some()) == place.is_some() {
            return;
        }
        let (spec, step) = (&self.settings.player, self.history.len() + 1);
        self.note(&match place {
            Some(other) => format!("{spec} is not ready for move {step}: {other} plays until it is"),
            None => format!("{spec} plays from move {step} on"),
        });
    }

    /// Passes on the record of the match.
    fn record(&self, machine: &dyn Machine, role: usize, position: MatchState<'_>) {
        let Some(record) = &self.settings.record else { return };
        let goals = position.goals();
        let mut played_match = position.played_match;
        played_match.goals = goals;
        played_match.times.clone_from(&self.times);
        let start = &self.match_start.start;
        let clock =
            Clock { start: start.startclock, play: Some(start.playclock), margin: self.settings.margin };
        // The names of other players are unknown.
        let names = machine.description().roles.iter().map(|&role| {
            let own = canonical(&machine.term_text(role)) == self.match_start.role;
            if own { self.settings.player.clone() } else { String::new() }
        });
        let id = start.id.clone();
        let record_of = MatchRecord::new(
            machine,
            &played_match,
            names.collect(),
            &clock,
            "",
            (id, self.match_start.begun),
        );
        let mut thoughts = record_of.thoughts.clone();
        for (step, own) in thoughts.iter_mut().zip(&self.thoughts) {
            step[role].clone_from(own);
        }
        record(&MatchRecord { thoughts, ..record_of });
    }
}
