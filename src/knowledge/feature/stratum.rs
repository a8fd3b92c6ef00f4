//! Strata of states that are compared with each other: states at the same step, or later in the game at a similar
//! one, with the same role to move. If roles move at the same time, only the step counts.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::machine::{Machine, MachineError, MoveId, State, StateView};
use crate::simulate::Sequence;

use super::batch_evaluator::BatchEvaluator;

/// The number of steps, of either parity, that each have a stratum of their own.
const EXACT: usize = 16;

/// The number of strata for each doubling of the step after these, of either parity.
const OCTAVE: usize = 8;

/// The number of roles that are distinguished.
const ROLES: usize = 62;

/// The number of sequences from which the turn order is derived.
const PROBE: usize = 32;

/// A step, and the role to move if there is exactly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    step: u32,
    mover: Option<u8>,
}

impl Turn {
    #[cfg(test)]
    pub(super) fn new(step: u32, mover: Option<u8>) -> Turn {
        Turn { step, mover }
    }

    /// The number of the stratum: the same step (later, steps of the same parity within an eighth of it) and the same
    /// role to move.
    pub(super) fn stratum(self) -> u32 {
        let half = self.step as usize / 2;
        let mut octave = 0;
        while half >> octave >= EXACT {
            octave += 1;
        }
        let steps = octave * OCTAVE + (half >> octave);
        let mover = self.mover.map_or(0, |role| 1 + usize::from(role));
        ((steps * 2 + self.step as usize % 2) * (ROLES + 2) + mover) as u32
    }
}

/// The turn order of a game.
pub(super) struct TurnOrder {
    /// Whether several roles choose at the same time.
    simultaneous: bool,
    /// For each role its moves that were its only legal one while another role had a choice.
    waiting: Vec<FxHashSet<MoveId>>,
}

impl TurnOrder {
    /// Derives the turn order from the first sequences.
    ///
    /// # Errors
    /// A state can't be evaluated.
    pub(super) fn new(
        machine: &dyn Machine,
        batch_evaluator: &mut BatchEvaluator<'_>,
        sequences: &[Sequence],
    ) -> Result<TurnOrder, MachineError> {
        let roles = machine.description().roles.len();
        let mut order = TurnOrder { simultaneous: false, waiting: vec![FxHashSet::default(); roles] };
        let states = sequences.iter().take(PROBE).flat_map(|sequence| &sequence.states);
        batch_evaluator.each(states, |position| {
            let choosing = (0..roles).filter(|&role| position.view.legal(role).len() > 1).count();
            order.simultaneous |= choosing > 1;
            for (role, waiting) in order.waiting.iter_mut().enumerate() {
                if let ([action], 1) = (position.view.legal(role), choosing) {
                    waiting.insert(*action);
                }
            }
            std::ops::ControlFlow::Continue(())
        })?;
        Ok(order)
    }

    /// The turn of a state: the role that has a choice; if none has one, the only role whose move is not a waiting
    /// move.
    pub(super) fn turn(&self, step: u32, view: &dyn StateView) -> Turn {
        let only = |moves: &dyn Fn(usize) -> bool| {
            let mut movers = (0..self.waiting.len()).filter(|&role| moves(role));
            movers.next().filter(|_| movers.next().is_none())
        };
        let mover = match self.simultaneous {
            true => None,
            false if (0..self.waiting.len()).any(|role| view.legal(role).len() > 1) => {
                only(&|role| view.legal(role).len() > 1)
            }
            false => only(&|role| view.legal(role).iter().any(|action| !self.waiting[role].contains(action))),
        };
        Turn { step, mover: mover.map(|role| role.min(ROLES) as u8) }
    }
}

/// The number of states that differ from the first one of their step.
pub(super) fn contrasts(sequences: &[Sequence]) -> usize {
    let mut first: FxHashMap<u32, &State> = FxHashMap::default();
    let states = sequences.iter().flat_map(|sequence| sequence.steps.iter().zip(&sequence.states));
    states.filter(|&(&step, state)| *first.entry(step).or_insert(state) != state).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strata_widen_with_the_step_and_keep_the_turn() {
        let stratum = |step, mover| Turn { step, mover }.stratum();
        let strata: Vec<u32> = (0..5000).map(|step| stratum(step, None)).collect();
        let different: std::collections::BTreeSet<u32> = strata[..32].iter().copied().collect();
        assert_eq!(different.len(), 32);
        for step in 0..4998 {
            assert!(strata[step] <= strata[step + 2], "{step}");
            assert_ne!(strata[step], strata[step + 1], "{step}");
        }
        // Strata cover an eighth of the step.
        assert_eq!(strata[1000], strata[1022]);
        assert_ne!(strata[1000], strata[1150]);
        assert!(strata.iter().max() < Some(&20_000));
        assert_ne!(stratum(6, Some(1)), stratum(7, Some(1)));
        assert_ne!(stratum(6, Some(1)), stratum(6, Some(0)));
        assert_ne!(stratum(6, Some(0)), stratum(6, None));
    }
}
