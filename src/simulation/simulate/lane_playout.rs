//! Shows one playout of a block of lanes as if it were played alone. The block is played again, and the playout's lane is
//! followed.

use std::ops::Range;

use crate::ground::Network;
use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::program::Program;
use crate::machine::{Machine, MoveId};

use super::batches::{BlockPlayer, RunProgress, run};
use super::budget::{Budget, Context, SimulateError};
use super::lane_block::LaneBlock;
use super::lane_runner::step_work;
use super::observer::{End, Observer};
use super::playout::{Snapshot, Stop};
use super::playout_counts::PlayoutCounts;
use super::statistics::Statistics;

/// Shows one playout of a block to an observer made by `make`. It uses the seed and the step limit of the budget and ignores
/// the other limits.
///
/// # Errors
/// [`SimulateError`]: the game has no lane program, the block does not contain the playout, or the game can't be played.
pub fn observe_lane_playout<O: Observer>(
    machine: &dyn Machine,
    block: LaneBlock,
    playout: u64,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, O), SimulateError> {
    if !block.contains(playout) {
        return Err(SimulateError::NotInBlock { playout, block });
    }
    let program = machine.program().ok_or(SimulateError::NoLanes)?;
    let alone = Budget { first: playout, playouts: 1, seconds: None, work: None, ..budget.clone() };
    let first = make();
    run(machine, &alone, context, SinglePlayout { machine, program, block, budget: &alone, make }, first)
}

struct SinglePlayout<'m, F> {
    machine: &'m dyn Machine,
    program: &'m Program,
    block: LaneBlock,
    budget: &'m Budget,
    make: F,
}

impl<O: Observer, F: Fn() -> O + Sync> BlockPlayer for SinglePlayout<'_, F> {
    type Observer = O;

    fn next_batch(&mut self, _standing: &RunProgress) -> Vec<u64> {
        vec![1]
    }

    fn play(&self, numbers: Range<u64>, _stop: Stop<'_>) -> (PlayoutCounts, O) {
        let network = self.program.network();
        let roles = network.moves.len();
        let mut follow = PlayoutFollower {
            machine: self.machine,
            network,
            playout: numbers.start,
            first: self.block.first,
            lane: None,
            over: false,
            counts: PlayoutCounts::new(self.machine.description()),
            observer: (self.make)(),
            before: Snapshot::new(roles),
            here: Snapshot::new(roles),
            joint: Vec::new(),
        };
        let Budget { seed, max_steps, .. } = *self.budget;
        let mut block = Block::new(self.program, seed, self.block.first, max_steps);
        follow.counts.begin();
        if block.play(self.block.playouts, &mut follow).is_err() {
            return (PlayoutCounts::new(self.machine.description()), (self.make)());
        }
        follow.counts.work = block.step() * step_work(network);
        (follow.counts, follow.observer)
    }

    fn merge(observer: &mut O, later: O) {
        observer.merge(later);
    }
}

/// Follows one playout.
struct PlayoutFollower<'m, O> {
    machine: &'m dyn Machine,
    network: &'m Network,
    /// The playout's number, and the number of the block's first playout.
    playout: u64,
    first: u64,
    /// Its lane, from the step at which it begins.
    lane: Option<usize>,
    over: bool,
    counts: PlayoutCounts,
    observer: O,
    before: Snapshot,
    here: Snapshot,
    /// The joint move in `before`.
    joint: Vec<MoveId>,
}

impl<O> PlayoutFollower<'_, O> {
    /// The lane of the playout while it runs.
    fn lane(&mut self, block: &Block<'_>) -> Option<usize> {
        if self.over {
            return None;
        }
        let index = self.playout - self.first;
        self.lane = self.lane.or_else(|| block.active().lanes().find(|&lane| block.playout(lane) == index));
        self.lane
    }

    /// Copies the position in a lane.
    fn take(&mut self, block: &Block<'_>, lane: usize) {
        let here = &mut self.here;
        here.step = block.steps(lane);
        here.terminal = block.terminal().lane(lane);
        here.state.0 = block.state(lane).into();
        here.fluents.clear();
        self.machine.fluents(&here.state, &mut here.fluents);
        for (role, (legal, moves)) in here.legal.iter_mut().zip(&self.network.moves).enumerate() {
            legal.clear();
            if !here.terminal {
                let numbered = moves.iter().enumerate();
                let held = numbered.filter(|&(number, _)| block.legal_word(role, number).lane(lane));
                legal.extend(held.map(|(_, action)| MoveId(action.action)));
            }
        }
        let mut condition = 0;
        for (held, goals) in here.goals.iter_mut().zip(&self.network.goals) {
            held.clear();
            for &(value, _) in goals {
                if block.goal(condition).lane(lane) {
                    held.push(value);
                }
                condition += 1;
            }
            held.dedup();
        }
    }
}

impl<O: Observer> BlockObserver for PlayoutFollower<'_, O> {
    fn position(&mut self, block: &Block<'_>) {
        let Some(lane) = self.lane(block) else { return };
        self.take(block, lane);
        self.counts.position(&self.here.legal, self.here.terminal, &self.here.goals);
        if O::WATCHES {
            let here = self.here.position(self.playout);
            self.observer.position(&here);
            if here.step > 0 {
                self.observer.moved(&self.before.position(self.playout), &self.joint, &here);
            }
        }
        self.joint.clear();
        for (role, moves) in self.network.moves.iter().enumerate() {
            self.joint.extend(block.made(role, lane).map(|number| MoveId(moves[number].action)));
        }
        std::mem::swap(&mut self.before, &mut self.here);
    }

    fn ended(&mut self, _block: &Block<'_>, ended: &EndedLanes) {
        let Some(lane) = self.lane.filter(|&lane| !self.over && ended.over.lane(lane)) else { return };
        self.over = true;
        let last = &self.before;
        let end = if ended.terminal.lane(lane) {
            End::Terminal
        } else if let Some(role) =
            last.legal.iter().position(Vec::is_empty).filter(|_| ended.stuck.lane(lane))
        {
            End::NoLegalMove { role }
        } else {
            End::Cap
        };
        self.counts.end(self.playout, last.step, Some(&last.goals), end);
        if O::WATCHES {
            self.observer.ended(&last.position(self.playout), end);
        }
    }
}
