//! Playouts in which roles follow a function, one move ahead.
//!
//! # How
//! A role that follows the function evaluates the successors of all its moves and plays one of the best; ties are broken
//! at random. A terminal successor has its goal value. If others choose at the same time, the mean over four of their
//! joint moves counts. In a *guided* playout every role follows the function: the role's team raises it, the others lower
//! it. With probability [`EPSILON`] a move is random instead. In *play against random play* only the role follows it,
//! always.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::evaluation::FunctionError;
use crate::machine::{
    ChildFields, Children, Cursor, Expander, JointMoves, Machine, MachineError, MoveId, State,
};
use crate::property::{Moves, OutcomeTally};
use crate::simulate::{Choices, Sequence, SequenceShape};

use super::candidate::{Bound, Candidate, StateCursor};
use super::sides::Sides;

/// The probability of a random move in a guided playout.
pub const EPSILON: f64 = 0.1;

/// Joint moves of the others that are drawn for each move, if they choose at the same time.
pub const ANSWERS: usize = 4;

/// Successors between two checks of the interrupt.
const STRIDE: usize = 256;

/// Playouts that one thread plays in sequence.
const BLOCK: usize = 25;

/// The roles that follow the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Following {
    /// Every role, except for random moves.
    All,
    /// Only the role, always; the others play at random.
    Role,
}

/// The conditions of playouts.
#[derive(Clone, Copy)]
pub struct Guidance<'a> {
    /// The game.
    pub machine: &'a dyn Machine,
    /// The function.
    pub candidate: &'a Candidate,
    /// Its role and team.
    pub sides: &'a Sides,
    /// The roles that follow it.
    pub following: Following,
    /// Seed of all draws.
    pub seed: u64,
    /// Joint moves after which a playout is truncated.
    pub max_steps: u32,
    /// Limit of the work of all playouts.
    pub work: u64,
    /// Limit of the successors evaluated in all playouts.
    pub values: u64,
    /// Once true, no further move is played.
    pub interrupt: Option<&'a AtomicBool>,
}

/// Why guided playouts could not be played.
#[derive(Debug, thiserror::Error)]
pub enum GuidedError {
    /// The function does not fit the game.
    #[error(transparent)]
    Function(#[from] FunctionError),
    /// A state can't be evaluated.
    #[error(transparent)]
    Machine(#[from] MachineError),
    /// The function has no role of the game.
    #[error("the function is for a role that this game does not have")]
    OtherRole,
    /// Threads can't be started.
    #[error(transparent)]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// The results of [`one_ply`](super::trial::one_ply).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnePlyResult {
    /// The role's goal value at the end of each playout; none if it was cut off.
    pub outcomes: Vec<Option<i32>>,
    /// The goal values of all roles, with the moves of a playout for each outcome.
    pub tally: OutcomeTally,
    /// Number of evaluations.
    pub values: u64,
}

/// The results of [`guided_states`](super::trial::guided_states).
#[derive(Clone, Debug, PartialEq)]
pub struct GuidedResult {
    /// A sequence of states of each game that ended.
    pub sequences: Vec<Sequence>,
    /// The goal values of all roles, with the moves of a game for each outcome.
    pub tally: OutcomeTally,
    /// Number of evaluations.
    pub values: u64,
}

/// Plays one playout from each of some states, and returns the role's goal values. None for a playout that was cut off,
/// has no unique goal value, or was not played because the work limit was reached.
///
/// # Errors
/// The function does not fit the game, or a state can't be evaluated.
pub fn outcomes(guidance: &Guidance<'_>, starts: &[&State]) -> Result<Vec<Option<i32>>, GuidedError> {
    let (outcomes, _) = played(guidance, starts, 0, &|_, _, outcome| outcome)?;
    Ok(outcomes.into_iter().map(Option::flatten).collect())
}

/// Plays `playouts` playouts from the initial state; returns their outcomes and the goal values of all roles. `first` is
/// the number of the first playout.
pub(super) fn outcomes_with_goals(
    guidance: &Guidance<'_>,
    playouts: usize,
    first: u64,
) -> Result<OnePlyResult, GuidedError> {
    let starts = vec![guidance.machine.initial(); playouts];
    let take = |player: &mut GuidedPlayer<'_>, _: u64, outcome: Option<i32>| (outcome, player.end());
    let (found, values) = played(guidance, &starts, first, &take)?;
    let mut tally = OutcomeTally::default();
    let mut outcomes = Vec::with_capacity(found.len());
    for playout in found {
        let (outcome, end) = playout.unzip();
        outcomes.push(outcome.flatten());
        if let Some((goals, moves)) = end.flatten() {
            tally.add(goals, 1, Some(moves));
        }
    }
    Ok(OnePlyResult { outcomes, tally, values })
}

/// Plays playouts from the initial state and takes a sequence of states from each that ended; also returns the number of
/// evaluated successors.
///
/// # Errors
/// The function does not fit the game, or a state can't be evaluated.
pub(super) fn sequences(guidance: &Guidance<'_>, playouts: usize) -> Result<GuidedResult, GuidedError> {
    let shape = SequenceShape::default();
    let take = |player: &mut GuidedPlayer<'_>, number: u64, _: Option<i32>| {
        let chosen = shape.choose(guidance.seed, number, player.path.len());
        let sequence = (player.at_end && !chosen.is_empty()).then(|| {
            let steps = chosen.iter().map(|&index| index as u32).collect();
            let states = chosen.into_iter().map(|index| player.path[index].clone()).collect();
            Sequence { steps, states, goals: player.goals.clone() }
        });
        (sequence, player.end())
    };
    let starts = vec![guidance.machine.initial(); playouts];
    let (found, values) = played(guidance, &starts, 0, &take)?;
    let (mut sequences, mut tally) = (Vec::new(), OutcomeTally::default());
    for (sequence, end) in found.into_iter().flatten() {
        sequences.extend(sequence);
        if let Some((goals, moves)) = end {
            tally.add(goals, 1, Some(moves));
        }
    }
    Ok(GuidedResult { sequences, tally, values })
}

/// The result for each playout, none if it was not played, and the number of evaluated successors.
type Played<T> = Result<(Vec<Option<T>>, u64), GuidedError>;

/// Plays from each of some states; `take` computes a result from the player, the number and the outcome of each playout.
/// Playouts have the numbers `first`, `first + 1`, and so on; other numbers give other random draws.
fn played<T: Send>(
    guidance: &Guidance<'_>,
    starts: &[&State],
    first: u64,
    take: &(dyn Fn(&mut GuidedPlayer<'_>, u64, Option<i32>) -> T + Sync),
) -> Played<T> {
    let blocks = starts.len().div_ceil(BLOCK).max(1) as u64;
    let play = |(number, states): (usize, &[&State])| {
        let mut player = GuidedPlayer::new(guidance)?;
        let mut results: Vec<Option<T>> = std::iter::repeat_with(|| None).take(states.len()).collect();
        for (index, state) in states.iter().enumerate() {
            let number = first + (number * BLOCK + index) as u64;
            player.choices = Choices::new(guidance.seed, number);
            match player.play(state, guidance.work / blocks, guidance.values / blocks)? {
                Some(outcome) => results[index] = Some(take(&mut player, number, outcome)),
                None => break,
            }
        }
        Ok((results, player.values))
    };
    let blocks: Vec<Played<T>> = starts.par_chunks(BLOCK).enumerate().map(play).collect();
    let (mut all, mut values) = (Vec::with_capacity(starts.len()), 0);
    for block in blocks {
        let (results, looked_at) = block?;
        all.extend(results);
        values += looked_at;
    }
    Ok((all, values))
}

struct GuidedPlayer<'a> {
    guidance: &'a Guidance<'a>,
    bound: Bound<'a>,
    state_cursor: StateCursor<'a>,
    /// The position of the playout.
    cursor: Box<dyn Cursor + 'a>,
    expander: Box<dyn Expander + 'a>,
    children: Children,
    choices: Choices,
    /// Work of the last step.
    step: u64,
    /// Estimated work of expansions.
    expanded: u64,
    /// Number of evaluated successors.
    values: u64,
    /// The non-terminal states of the playout, and the joint moves made there.
    path: Vec<State>,
    moves: Moves,
    /// Whether it ended, and each role's goal value there.
    at_end: bool,
    goals: Vec<Option<i32>>,
}

impl<'a> GuidedPlayer<'a> {
    fn new(guidance: &'a Guidance<'a>) -> Result<GuidedPlayer<'a>, FunctionError> {
        let machine = guidance.machine;
        Ok(GuidedPlayer {
            guidance,
            bound: guidance.candidate.bind(machine)?,
            state_cursor: StateCursor::new(machine),
            cursor: machine.cursor(),
            expander: machine.expander(),
            children: Children::default(),
            choices: Choices::new(guidance.seed, 0),
            step: 0,
            expanded: 0,
            values: 0,
            path: Vec::new(),
            moves: Moves::new(),
            at_end: false,
            goals: Vec::new(),
        })
    }

    /// The goal values at the end and the moves that led there; none if the playout did not end.
    fn end(&mut self) -> Option<(Vec<Option<i32>>, Moves)> {
        self.at_end.then(|| (self.goals.clone(), std::mem::take(&mut self.moves)))
    }

    fn work(&self) -> u64 {
        self.cursor.work() + self.state_cursor.work() + self.expanded
    }

    /// The goal value at the end, if there is one. `None` if a limit or the interrupt stopped it.
    fn play(&mut self, start: &State, work: u64, values: u64) -> Result<Option<Option<i32>>, MachineError> {
        match self.play_on(start, work, values) {
            // A state that can't be evaluated has no goal value, like a playout that does not end.
            Err(error) if error.is_of_growth() => Ok(Some(None)),
            played => played,
        }
    }

    fn play_on(
        &mut self,
        start: &State,
        work: u64,
        values: u64,
    ) -> Result<Option<Option<i32>>, MachineError> {
        let roles = self.guidance.sides.own.len();
        self.cursor.set(start)?;
        (self.at_end, self.path, self.moves) = (false, Vec::new(), Moves::new());
        let mut joint = Vec::with_capacity(roles);
        for step in 0..=self.guidance.max_steps {
            if self.cursor.terminal() {
                self.at_end = true;
                let cursor = &mut self.cursor;
                let single = |role: usize| if let [goal] = *cursor.goals(role) { Some(goal) } else { None };
                self.goals = (0..roles).map(single).collect();
                return Ok(Some(match *self.cursor.goals(self.guidance.sides.role) {
                    [goal] => Some(goal),
                    _ => None,
                }));
            }
            // An end exactly at the limit of moves counts.
            if step == self.guidance.max_steps {
                break;
            }
            if self.is_interrupted() || self.work() > work || self.values > values {
                return Ok(None);
            }
            self.path.push(self.cursor.state().clone());
            joint.clear();
            for role in 0..roles {
                match self.choose(role, roles)? {
                    Some(action) => joint.push(action),
                    None if self.is_interrupted() => return Ok(None),
                    None => return Ok(Some(None)),
                }
            }
            let before = self.cursor.work();
            self.cursor.advance(&joint)?;
            self.moves.push(joint.clone());
            self.step = self.cursor.work() - before;
        }
        Ok(Some(None))
    }

    fn is_interrupted(&self) -> bool {
        self.guidance.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// A role's move. `None` if it has no legal move, or after an interrupt.
    fn choose(&mut self, role: usize, roles: usize) -> Result<Option<MoveId>, MachineError> {
        let count = self.cursor.legal(role).len();
        if count < 2 {
            return Ok(self.cursor.legal(role).first().copied());
        }
        let follows = match self.guidance.following {
            Following::Role => role == self.guidance.sides.role,
            // The probability in thousandths.
            Following::All => self.choices.below(1000) >= (EPSILON * 1000.0) as usize,
        };
        if !follows {
            let drawn = self.choices.below(count);
            return Ok(Some(self.cursor.legal(role)[drawn]));
        }
        let others_choose = (0..roles).any(|other| other != role && self.cursor.legal(other).len() > 1);
        let wanted = ChildFields::SUCCESSORS;
        let state = self.cursor.state().clone();
        let mut sums = vec![0.0; count];
        let mut joint = Vec::with_capacity(roles);
        for _ in 0..if others_choose { ANSWERS } else { 1 } {
            joint.clear();
            for other in 0..roles {
                let legal = self.cursor.legal(other);
                if legal.is_empty() {
                    return Ok(None);
                }
                joint.push(legal[if other == role { 0 } else { self.choices.below(legal.len()) }]);
            }
            self.expander.expand(
                &state,
                JointMoves::OfRole { role, joint: &joint },
                wanted,
                &mut self.children,
            )?;
            // An expander does not report its work. In lanes a child costs a small part of a step.
            let share = if self.guidance.machine.suits_lanes() { 16 } else { 1 };
            self.expanded += self.children.len() as u64 * self.step / share;
            self.values += self.children.len() as u64;
            for (child, sum) in sums.iter_mut().enumerate() {
                // With many successors, one move takes long.
                if child % STRIDE == 0 && self.is_interrupted() {
                    return Ok(None);
                }
                let (state_cursor, judged) = (&mut self.state_cursor, self.guidance.sides.role);
                *sum += self.bound.child(state_cursor, &self.children, child, judged)?;
            }
        }
        let sign = if self.guidance.sides.own[role] { 1.0 } else { -1.0 };
        let best = sums.iter().map(|sum| sign * sum).fold(f64::NEG_INFINITY, f64::max);
        let equals: Vec<usize> = (0..count).filter(|&index| sign * sums[index] == best).collect();
        let drawn = equals.get(self.choices.below(equals.len())).copied().unwrap_or(0);
        Ok(Some(self.cursor.legal(role)[drawn]))
    }
}
