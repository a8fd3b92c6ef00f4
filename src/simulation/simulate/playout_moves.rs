//! The moves of a playout that a run played before: a witness of what its counts say. It plays the playout
//! again by its number; in lanes, together with the block that it was part of.

use crate::machine::{Machine, MoveId};

use super::budget::{Budget, Context, SimulateError};
use super::lane_block::LaneBlock;
use super::lane_playout::observe_lane_playout;
use super::observer::{Observer, Position};
use super::runner::observe;

/// Plays a playout again, by the seed and the most steps of the budget, and gives its joint moves. `block` is that of the
/// playout if it was played in lanes.
///
/// # Errors
/// The block has no such playout, or nothing can be played.
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

/// The joint moves of the playouts observed.
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
