//! The joint moves of a playout of an earlier run, as evidence for the run's counts. The playout is played again from its
//! number, in lanes together with its block.

use crate::machine::{Machine, MoveId};

use super::budget::{Budget, Context, SimulateError};
use super::lane_block::LaneBlock;
use super::lane_playout::observe_lane_playout;
use super::observer::{Observer, Position};
use super::runner::observe;

/// Plays a playout again, with the seed and the step limit of the budget, and returns its joint moves. `block` is the
/// playout's block if it was played in lanes.
///
/// # Errors
/// [`SimulateError`]: the block does not contain the playout, or the game can't be played.
pub fn moves_of_playout(
    machine: &dyn Machine,
    playout: u64,
    block: Option<LaneBlock>,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Vec<Vec<MoveId>>, SimulateError> {
    let alone =
        Budget { first: playout, playouts: 1, seconds: None, work: None, threads: 1, ..budget.clone() };
    let (_, MoveList(moves)) = match block {
        Some(block) => observe_lane_playout(machine, block, playout, &alone, context, MoveList::default)?,
        None => observe(machine, &alone, context, MoveList::default)?,
    };
    Ok(moves)
}

/// The joint moves of the observed playouts.
#[derive(Default)]
struct MoveList(Vec<Vec<MoveId>>);

impl Observer for MoveList {
    fn moved(&mut self, _before: &Position<'_>, joint: &[MoveId], _after: &Position<'_>) {
        self.0.push(joint.to_vec());
    }

    fn merge(&mut self, later: Self) {
        self.0.extend(later.0);
    }
}
