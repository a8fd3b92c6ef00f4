//! Short sequences of states from random playouts, for statistics of what changes from play to play and from step to
//! step.
//!
//! A sequence starts at any position of its playout that is not terminal, each as likely as the others, and goes a few
//! joint moves at a time. Which positions these are depends on the seed, the playout's number and its length alone.

use crate::machine::{Machine, MoveId, State};

use super::budget::{Budget, Context, SimulateError};
use super::choice::Choices;
use super::lane_sequences::sequences_in_lanes;
use super::observer::{End, Observer, Position};
use super::runner::observe;
use super::statistics::Statistics;

/// Keeps the choice of states apart from the choice of moves.
const STREAM: u64 = 0x005e_9ce5;

/// How long a sequence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceShape {
    /// States at most.
    pub length: usize,
    /// Joint moves from one state to the next at most; at least 1.
    pub gap: usize,
}

impl Default for SequenceShape {
    /// Five states, one or two joint moves apart: Walędzik and Mańdziuk 2014.
    fn default() -> SequenceShape {
        SequenceShape { length: 5, gap: 2 }
    }
}

impl SequenceShape {
    /// The positions of a playout's sequence, ascending, where `positions` of them are not terminal.
    pub(super) fn choose(self, seed: u64, playout: u64, positions: usize) -> Vec<usize> {
        let mut chosen = Vec::with_capacity(self.length);
        if positions == 0 {
            return chosen;
        }
        let mut choices = Choices::new(seed ^ STREAM, playout);
        let mut at = choices.below(positions);
        while at < positions && chosen.len() < self.length {
            chosen.push(at);
            at += 1 + choices.below(self.gap.max(1));
        }
        chosen
    }
}

/// Some states of a playout, in its order, none of them terminal; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The states.
    pub states: Vec<State>,
    /// For each role its goal value at the end of the playout; none where it did not end, or has none or several.
    pub goals: Vec<Option<i32>>,
}

/// Plays at random, in lanes where the game has a program for them, and takes a sequence from each playout that has a
/// position that is not terminal.
///
/// # Errors
/// Nothing could be played.
pub fn sequences(
    machine: &dyn Machine,
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<(Statistics, Vec<Sequence>), SimulateError> {
    if machine.suits_lanes() {
        let (statistics, sequences, ()) = sequences_in_lanes(machine, shape, budget, context, || ())?;
        return Ok((statistics, sequences));
    }
    let (statistics, sequences, ()) = sequences_sequential(machine, shape, budget, context, || ())?;
    Ok((statistics, sequences))
}

/// The same one playout at a time, which are shown to observers made by `make` as well.
///
/// # Errors
/// Nothing could be played.
pub fn sequences_sequential<O: Observer>(
    machine: &dyn Machine,
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, Vec<Sequence>, O), SimulateError> {
    let taker = || Taker { seed: budget.seed, shape, playout: Vec::new(), sequences: Vec::new() };
    let (statistics, (taker, observer)) = observe(machine, budget, context, || (taker(), make()))?;
    Ok((statistics, taker.sequences, observer))
}

/// The goal value of each role that has just one.
pub(super) fn single(goals: &[Vec<i32>]) -> Vec<Option<i32>> {
    let single = |goals: &Vec<i32>| if let [goal] = goals[..] { Some(goal) } else { None };
    goals.iter().map(single).collect()
}

/// Takes sequences from playouts.
struct Taker {
    seed: u64,
    shape: SequenceShape,
    /// The states of the playout under way that are not terminal.
    playout: Vec<State>,
    sequences: Vec<Sequence>,
}

impl Observer for Taker {
    fn position(&mut self, position: &Position<'_>) {
        if position.step == 0 {
            self.playout.clear();
        }
        if !position.terminal {
            self.playout.push(position.state.clone());
        }
    }

    fn moved(&mut self, _before: &Position<'_>, _joint: &[MoveId], _after: &Position<'_>) {}

    fn ended(&mut self, last: &Position<'_>, end: End) {
        if matches!(end, End::Stopped | End::Failed) {
            return;
        }
        let chosen = self.shape.choose(self.seed, last.playout, self.playout.len());
        if chosen.is_empty() {
            return;
        }
        let states = chosen.into_iter().map(|place| self.playout[place].clone()).collect();
        let goals = if end == End::Terminal { single(last.goals) } else { vec![None; last.goals.len()] };
        self.sequences.push(Sequence { states, goals });
    }

    fn merge(&mut self, later: Self) {
        self.sequences.extend(later.sequences);
    }
}
