//! Short sequences of states from random playouts. They show what differs between playouts and what changes within one.

use crate::machine::{Machine, MoveId, State};

use super::budget::{Budget, Context, SimulateError};
use super::lane_sequences::sequences_in_lanes;
use super::observer::{End, Observer, Position};
use super::runner::observe;
use super::sequence_shape::{Sequence, SequenceShape, single};
use super::statistics::Statistics;

/// Plays random playouts, in lanes if the game has a lane program, and takes one sequence from each playout that has a
/// nonterminal position.
///
/// # Errors
/// [`SimulateError`]: the game can't be played.
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

/// Like [`sequences`], but plays one playout at a time and also shows it to observers made by `make`.
///
/// # Errors
/// [`SimulateError`]: the game can't be played.
pub fn sequences_sequential<O: Observer>(
    machine: &dyn Machine,
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, Vec<Sequence>, O), SimulateError> {
    let taker = || SequenceSampler { seed: budget.seed, shape, playout: Vec::new(), sequences: Vec::new() };
    let (statistics, (taker, observer)) = observe(machine, budget, context, || (taker(), make()))?;
    Ok((statistics, taker.sequences, observer))
}

/// Takes a sequence from each playout.
struct SequenceSampler {
    seed: u64,
    shape: SequenceShape,
    /// The nonterminal states of the current playout.
    playout: Vec<State>,
    sequences: Vec<Sequence>,
}

impl Observer for SequenceSampler {
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
        let steps = chosen.iter().map(|&index| index as u32).collect();
        let states = chosen.into_iter().map(|index| self.playout[index].clone()).collect();
        let goals = if end == End::Terminal { single(last.goals) } else { vec![None; last.goals.len()] };
        self.sequences.push(Sequence { steps, states, goals });
    }

    fn merge(&mut self, later: Self) {
        self.sequences.extend(later.sequences);
    }
}
