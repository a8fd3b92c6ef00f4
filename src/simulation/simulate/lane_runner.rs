//! Runs of playouts in lanes, see [`batches`](super::batches).
//!
//! A block of lanes is named by the seed and the number of its first playout. It costs what its longest lane
//! takes, so a block should have many more playouts than lanes; but where a budget allows few, blocks are small, so
//! that it is kept.

use std::ops::Range;

use crate::ground::Network;
use crate::ground::network::Segment;
use crate::machine::Machine;
use crate::machine::lanes::block::Block;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::LANES;

use super::batches::{Blocks, Standing, run};
use super::budget::{Budget, Context, SimulateError};
use super::lane_counter::LaneCounter;
use super::lane_observer::LaneObserver;
use super::lanes::LANE_BLOCK;
use super::playout::Stop;
use super::playout_counts::PlayoutCounts;
use super::statistics::Statistics;

/// Playouts of the smallest block, unless fewer are left.
const SMALLEST: u64 = LANES as u64;

/// Blocks of the first round. They tell how long playouts are.
const FIRST_BLOCKS: u64 = 2;

/// Blocks that a round should have, so that several threads end at about the same time, if it has playouts for so
/// many; and has at most.
const BLOCKS: std::ops::RangeInclusive<u64> = 8..=32;

/// Work of a block at most, unless it has the fewest playouts: a tenth of a second or so, after which limits are
/// looked at.
const LARGEST_WORK: u64 = 100_000_000;

/// Work of a step of 512 lanes: for each two-input gate, for each in a loop, which takes several rounds, for each
/// move or bit of the state, and at all. About a nanosecond a unit.
const GATE: u64 = 3;
const LOOP_GATE: u64 = 12;
const MOVE_OR_BIT: u64 = 16;
const STEP: u64 = 500;

/// Plays a game on the lanes of its network, with observers made by `make`, and gives the statistics and all
/// observers merged into one.
///
/// Statistics (but for their timing) and observer are the same on any number of threads, unless the seconds
/// were over or the caller interrupted the run.
///
/// # Errors
/// The machine has no program for lanes, or nothing can be played.
pub fn observe_lanes<O: LaneObserver>(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, O), SimulateError> {
    let first = make();
    let program = machine.program().ok_or(SimulateError::NoLanes)?;
    let network = program.network();
    run(machine, budget, context, InLanes { network, program, budget, make, step: step_work(network) }, first)
}

/// What a step of all lanes costs, in units of work.
pub(super) fn step_work(network: &Network) -> u64 {
    let moves: usize = network.moves.iter().map(Vec::len).sum();
    let in_loops = network.segments.iter().map(|segment| match segment {
        Segment::Straight(_) => 0,
        Segment::Loop { gates, .. } => {
            gates.clone().map(|gate| network.gate(gate as usize).len() as u64 - 1).sum()
        }
    });
    let in_loops: u64 = in_loops.sum();
    let others = network.two_input_gates() as u64 - in_loops;
    GATE * others + LOOP_GATE * in_loops + MOVE_OR_BIT * (moves + network.bits.len()) as u64 + STEP
}

struct InLanes<'n, F> {
    network: &'n Network,
    program: &'n Program,
    budget: &'n Budget,
    make: F,
    step: u64,
}

impl<O: LaneObserver, F: Fn() -> O + Sync> Blocks for InLanes<'_, F> {
    type Observer = O;

    fn next_batch(&mut self, standing: &Standing) -> Vec<u64> {
        batch(standing)
    }

    fn play(&self, numbers: Range<u64>, stop: Stop<'_>) -> (PlayoutCounts, O) {
        let nothing = || (PlayoutCounts::new(self.network.moves.len()), (self.make)());
        if stop.now() {
            return nothing();
        }
        let mut block = Block::new(self.program, self.budget.seed, numbers.start, self.budget.max_steps);
        let mut counter = LaneCounter::new(self.network, numbers.start, (self.make)());
        let playouts = numbers.end - numbers.start;
        if block.play(playouts, &mut counter).is_err() {
            return nothing();
        }
        counter.finish(playouts, block.states(), block.step() * self.step)
    }

    fn merge(observer: &mut O, later: O) {
        observer.merge(later);
    }
}

/// The playouts of the blocks of the next round: no more than are likely to fit in the work left, but for a last
/// smallest block of which half does. All but the last have a multiple of the lanes, so that no lane waits where all
/// playouts are equally long.
fn batch(standing: &Standing) -> Vec<u64> {
    let &Standing { played, left, spent, work } = standing;
    let (mut playouts, mut size) = (left.min(FIRST_BLOCKS * SMALLEST), SMALLEST);
    if played > 0 {
        // Small blocks cost more a playout than large ones, so that what is likely to fit does.
        let each = spent.div_ceil(played).max(1);
        let fitting = work.map_or(left, |work| work / each);
        if fitting < left.min(SMALLEST / 2) {
            return Vec::new();
        }
        playouts = left.min(if fitting < left { (fitting / SMALLEST).max(1) * SMALLEST } else { left });
        size = LANE_BLOCK;
        while size > SMALLEST && (size * each > LARGEST_WORK || playouts / size < *BLOCKS.start()) {
            size /= 2;
        }
        playouts = playouts.min(size * BLOCKS.end());
    }
    let full = playouts / SMALLEST;
    let blocks = (playouts / size).max(1);
    let mut batch: Vec<u64> =
        (0..blocks).map(|index| (full / blocks + u64::from(index < full % blocks)) * SMALLEST).collect();
    batch[blocks as usize - 1] += playouts % SMALLEST;
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_cut_from_what_is_left() {
        let standing = Standing { played: 0, left: 50, spent: 0, work: None };
        assert_eq!(batch(&standing), [50]);
        assert_eq!(batch(&Standing { left: 100_000, ..standing }), [512, 512]);
        let later = Standing { played: 1024, left: 98_976, spent: 20_000, work: Some(1_000_000_000) };
        let blocks = batch(&later);
        assert_eq!((blocks.len(), blocks.iter().sum::<u64>()), (12, 98_976));
        assert!(blocks[..11].iter().all(|block| block.is_multiple_of(512)));
        let dear = Standing { spent: 900_000_000, work: Some(100_000_000), ..later };
        assert!(batch(&dear).is_empty(), "not even half a block fits");
        assert_eq!(
            batch(&Standing { work: Some(300_000_000), ..dear }),
            [512],
            "no smaller block is worth it"
        );
        let endless = Standing { left: u64::MAX, work: None, ..later };
        assert_eq!(batch(&endless), [LANE_BLOCK; 32]);
    }
}
