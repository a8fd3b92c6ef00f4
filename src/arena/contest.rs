//! A match: players, clocks, and what they play.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::machine::{Machine, MachineError, MoveId, State};
use crate::search::{Limits, Search, SearchError, Thought};
use crate::simulate::Choices;

/// A player of one role.
pub struct Player<'m> {
    /// What it was asked for as.
    pub name: String,
    /// How it finds its moves.
    pub search: Box<dyn Search + 'm>,
    /// Plies it looks ahead at most.
    pub depth: Option<u32>,
    /// States it visits for a move at most.
    pub nodes: Option<u64>,
}

/// How long players may think.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Before the first move.
    pub start: Duration,
    /// For every move; none where depth or nodes limit every player.
    pub play: Option<Duration>,
    /// What a player leaves of it, so that its move is there in time.
    pub margin: Duration,
}

/// A move of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// What was played.
    pub action: MoveId,
    /// What the player thought; none where it had one move only, or its move did not count.
    pub thought: Option<Thought>,
    /// Why another move was played than the player's, or empty.
    pub error: String,
}

/// A step of a match, told as it is made.
pub struct Moved<'a> {
    /// Steps before it.
    pub step: u32,
    /// The state it was made in.
    pub before: &'a State,
    /// What every role played.
    pub moves: &'a [Move],
    /// The state it led to.
    pub after: &'a State,
}

/// What a match came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Contest {
    /// The states, from the initial one on.
    pub states: Vec<State>,
    /// What every role played, step by step.
    pub moves: Vec<Vec<Move>>,
    /// For every role its goal value at the end; none where the match did not end, or the rules give none or several.
    pub goals: Option<Vec<Option<i32>>>,
    /// How long each step took.
    pub times: Vec<Duration>,
}

/// Why a match can't go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContestError {
    /// A search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// Nobody limits how long a player thinks.
    #[error("{0} may think for ever: give it a clock, a depth or a number of nodes")]
    NoLimit(String),
}

impl Contest {
    /// Plays a match from the initial state, at most so many steps. A player with one legal move plays it at once; one
    /// whose move is late or not legal has a random one played for it, as game managers do.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub fn play(
        machine: &dyn Machine,
        players: &mut [Player<'_>],
        clock: &Clock,
        most_steps: u32,
        seed: u64,
        interrupt: Option<&AtomicBool>,
        tell: &mut dyn FnMut(&Moved<'_>),
    ) -> Result<Contest, ContestError> {
        for player in players.iter() {
            let thinks = !player.search.is_instant();
            if thinks && clock.play.is_none() && player.depth.is_none() && player.nodes.is_none() {
                return Err(ContestError::NoLimit(player.name.clone()));
            }
        }
        let mut cursor = machine.cursor();
        let mut chance = Choices::new(seed, u64::MAX);
        let mut contest = Contest {
            states: vec![machine.initial().clone()],
            moves: Vec::new(),
            goals: None,
            times: Vec::new(),
        };
        let asked = || interrupt.is_some_and(|flag| flag.load(std::sync::atomic::Ordering::Relaxed));
        for step in 0..most_steps {
            if cursor.terminal() || asked() {
                break;
            }
            let begin = Instant::now();
            let before = cursor.state().clone();
            let mut moves = Vec::with_capacity(players.len());
            for (role, player) in players.iter_mut().enumerate() {
                let legal = cursor.legal(role);
                let Some(&first) = legal.first() else { return Ok(contest) };
                if legal.len() == 1 {
                    moves.push(Move { action: first, thought: None, error: String::new() });
                    continue;
                }
                let start = Instant::now();
                let time = clock.play.map(|play| if step == 0 { play + clock.start } else { play });
                let limits = Limits {
                    depth: player.depth,
                    nodes: player.nodes,
                    deadline: time.map(|time| start + time.saturating_sub(clock.margin)),
                    interrupt,
                };
                let thought = player.search.think(&before, &limits, &mut |_| {})?;
                let took = start.elapsed();
                let error = match (time, thought.action) {
                    (Some(time), _) if took > time => {
                        format!("late: {:.3} s of {:.3} s", took.as_secs_f64(), time.as_secs_f64())
                    }
                    (_, Some(action)) if legal.contains(&action) => String::new(),
                    (_, Some(action)) => format!("not legal: {}", machine.move_text(action)),
                    (_, None) => "no move".to_owned(),
                };
                let action = match thought.action {
                    Some(action) if error.is_empty() => action,
                    _ => legal[chance.below(legal.len())],
                };
                moves.push(Move { action, thought: error.is_empty().then_some(thought), error });
            }
            let joint: Vec<MoveId> = moves.iter().map(|played| played.action).collect();
            cursor.advance(&joint)?;
            tell(&Moved { step, before: &before, moves: &moves, after: cursor.state() });
            contest.states.push(cursor.state().clone());
            contest.moves.push(moves);
            contest.times.push(begin.elapsed());
        }
        if cursor.terminal() {
            let goal = |role| match *cursor.goals(role) {
                [goal] => Some(goal),
                _ => None,
            };
            contest.goals = Some((0..players.len()).map(goal).collect());
        }
        Ok(contest)
    }
}
