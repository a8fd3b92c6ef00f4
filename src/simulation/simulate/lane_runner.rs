//! Runs of playouts in lanes, in the rounds of [`batches`](super::batches).
//!
//! A block of lanes is identified by the seed and the number of its first playout. Its cost is that of its longest lane, so
//! a block should have many more playouts than lanes. If the budget allows few playouts, blocks are small, so that the run
//! does not exceed it.

use std::ops::Range;

use crate::ground::Network;
use crate::ground::network::Segment;
use crate::machine::Machine;
use crate::machine::lanes::block::Block;
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::LANES;

use super::batches::{BlockPlayer, RunProgress, run};
use super::budget::{Budget, Context, SimulateError};
use super::lane_counter::LaneCounter;
use super::lane_observer::LaneObserver;
use super::lanes::LANE_BLOCK;
use super::playout::Stop;
use super::playout_counts::PlayoutCounts;
use super::statistics::Statistics;

/// Playouts of the smallest block, unless fewer remain.
const MIN_BLOCK: u64 = LANES as u64;

/// Blocks of the first round. They show how long playouts are.
const FIRST_BLOCKS: u64 = 2;

/// Number of blocks in a round. The minimum lets several threads finish at about the same time, if there are enough
/// playouts.
const BLOCKS: std::ops::RangeInclusive<u64> = 8..=32;

/// Maximum work of a block that is larger than the smallest: about a tenth of a second, after which limits are checked.
const MAX_BLOCK_WORK: u64 = 100_000_000;

/// Work of a step of 512 lanes: per two-input gate, per gate in a loop (which is evaluated several times), per move or bit
/// of the state, and a constant. One unit is about a nanosecond.
const GATE: u64 = 3;
const LOOP_GATE: u64 = 12;
const MOVE_OR_BIT: u64 = 16;
const STEP: u64 = 500;

/// Plays a game in the lanes of its network, with observers made by `make`. Returns the statistics and the merged observer.
///
/// Statistics (except timing) and observer are the same on any number of threads, unless the time limit or the caller ended
/// the run.
///
/// # Errors
/// [`SimulateError`]: the machine has no lane program, or the game can't be played.
pub fn observe_lanes<O: LaneObserver>(
    machine: &dyn Machine,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, O), SimulateError> {
    let first = make();
    let program = machine.program().ok_or(SimulateError::NoLanes)?;
    let network = program.network();
    run(
        machine,
        budget,
        context,
        LanePlayer { machine, network, program, budget, make, step: step_work(network) },
        first,
    )
}

/// The work of one step of all lanes.
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

struct LanePlayer<'n, F> {
    machine: &'n dyn Machine,
    network: &'n Network,
    program: &'n Program,
    budget: &'n Budget,
    make: F,
    step: u64,
}

impl<O: LaneObserver, F: Fn() -> O + Sync> BlockPlayer for LanePlayer<'_, F> {
    type Observer = O;

    fn next_batch(&mut self, progress: &RunProgress) -> Vec<u64> {
        batch(progress)
    }

    fn play(&self, numbers: Range<u64>, stop: Stop<'_>) -> (PlayoutCounts, O) {
        let nothing = || (PlayoutCounts::new(self.machine.description()), (self.make)());
        if stop.now() {
            return nothing();
        }
        let mut block = Block::new(self.program, self.budget.seed, numbers.start, self.budget.max_steps);
        let mut counter = LaneCounter::new(
            self.network,
            numbers.start,
            PlayoutCounts::new(self.machine.description()),
            (self.make)(),
        );
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

/// The numbers of playouts in the blocks of the next round. They are expected to fit into the remaining work; a last
/// smallest block is also allowed if half of it fits. All blocks but the last have a multiple of the number of lanes, so
/// that no lane idles if all playouts are equally long.
fn batch(progress: &RunProgress) -> Vec<u64> {
    let &RunProgress { played, left, spent, work } = progress;
    let (mut playouts, mut size) = (left.min(FIRST_BLOCKS * MIN_BLOCK), MIN_BLOCK);
    if played > 0 {
        // Small blocks cost more per playout than large ones, so this estimate is safe.
        let each = spent.div_ceil(played).max(1);
        let fitting = work.map_or(left, |work| work / each);
        if fitting < left.min(MIN_BLOCK / 2) {
            return Vec::new();
        }
        playouts = left.min(if fitting < left { (fitting / MIN_BLOCK).max(1) * MIN_BLOCK } else { left });
        size = LANE_BLOCK;
        while size > MIN_BLOCK && (size * each > MAX_BLOCK_WORK || playouts / size < *BLOCKS.start()) {
            size /= 2;
        }
        playouts = playouts.min(size * BLOCKS.end());
    }
    let full = playouts / MIN_BLOCK;
    let blocks = (playouts / size).max(1);
    let mut batch: Vec<u64> =
        (0..blocks).map(|index| (full / blocks + u64::from(index < full % blocks)) * MIN_BLOCK).collect();
    batch[blocks as usize - 1] += playouts % MIN_BLOCK;
    batch
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_fit_into_the_remaining_work() {
        let progress = RunProgress { played: 0, left: 50, spent: 0, work: None };
        assert_eq!(batch(&progress), [50]);
        assert_eq!(batch(&RunProgress { left: 100_000, ..progress }), [512, 512]);
        let later = RunProgress { played: 1024, left: 98_976, spent: 20_000, work: Some(1_000_000_000) };
        let blocks = batch(&later);
        assert_eq!((blocks.len(), blocks.iter().sum::<u64>()), (12, 98_976));
        assert!(blocks[..11].iter().all(|block| block.is_multiple_of(512)));
        let expensive = RunProgress { spent: 900_000_000, work: Some(100_000_000), ..later };
        assert!(batch(&expensive).is_empty(), "not even half a block fits");
        assert_eq!(
            batch(&RunProgress { work: Some(300_000_000), ..expensive }),
            [512],
            "no smaller block is worth it"
        );
        let endless = RunProgress { left: u64::MAX, work: None, ..later };
        assert_eq!(batch(&endless), [LANE_BLOCK; 32]);
    }
}
