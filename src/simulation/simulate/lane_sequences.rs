//! Sequences of states from playouts in lanes, see [`sequences`](super::sequences).
//!
//! A block is played twice. The first time tells how long each playout is and how it ends; then its sequence can be
//! chosen as if it were played alone, and the second time, which is the same play, the states chosen are taken out of
//! the lanes.

use std::ops::Range;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::machine::lanes::block::{Block, Ended, Watch};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{LANES, Word};
use crate::machine::{Machine, State};

use super::budget::{Budget, Context, SimulateError};
use super::lane_observer::{LaneObserver, LaneStep};
use super::lane_runner::observe_lanes;
use super::sequence_shape::{Sequence, SequenceShape, single};
use super::statistics::Statistics;

/// Plays at random in lanes, shows the playouts to observers made by `make`, and takes a sequence from each playout
/// that has a position that is not terminal.
///
/// # Errors
/// The game has no program for lanes, or nothing could be played.
pub fn sequences_in_lanes<O: LaneObserver>(
    machine: &dyn Machine,
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, Vec<Sequence>, O), SimulateError> {
    let program = machine.program().ok_or(SimulateError::NoLanes)?;
    let (statistics, Courses { blocks, observer, .. }) =
        observe_lanes(machine, budget, context, || Courses::new(make()))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let take = |course: &BlockCourse| {
        if context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Vec::new();
        }
        take(program, course, shape, budget)
    };
    let taken: Vec<Vec<Sequence>> = pool.install(|| blocks.par_iter().map(take).collect());
    Ok((statistics, taken.into_iter().flatten().collect(), observer))
}

/// A playout of a block.
#[derive(Clone, Copy, Debug, Default)]
struct Course {
    lane: u32,
    /// The step of the block at which it began.
    began: u64,
    /// Positions that are not terminal.
    positions: u32,
    /// Which goal conditions held at its end, by number; 0 where it did not end.
    outcome: u32,
}

/// The playouts of a block.
#[derive(Debug, Default)]
struct BlockCourse {
    /// Number of the first playout.
    first: u64,
    /// In their order.
    playouts: Vec<Course>,
    /// Goal conditions that held together at the end of a playout; the first is that of no end.
    outcomes: Vec<Vec<bool>>,
    known: FxHashMap<Vec<bool>, u32>,
}

/// Follows the playouts of blocks.
struct Courses<O> {
    observer: O,
    blocks: Vec<BlockCourse>,
    here: BlockCourse,
    /// For each lane the playout that began last in it.
    latest: Vec<u32>,
    /// Lanes whose playout was not at a terminal state in the step before, and the number of that step.
    going: Word,
    step: u64,
}

impl<O> Courses<O> {
    fn new(observer: O) -> Courses<O> {
        Courses {
            observer,
            blocks: Vec::new(),
            here: BlockCourse::default(),
            latest: vec![0; LANES],
            going: Word::ZERO,
            step: 0,
        }
    }

    /// Notes that the playouts in some lanes had their last position in the step before, which was not terminal.
    fn cut_off(&mut self, lanes: Word) {
        for lane in lanes.lanes() {
            let course = &mut self.here.playouts[self.latest[lane] as usize];
            course.positions = (self.step - course.began + 1) as u32;
        }
    }
}

impl BlockCourse {
    /// The number of the goal conditions that hold in a lane.
    fn outcome(&mut self, block: &Block<'_>, lane: usize) -> u32 {
        let holds: Vec<bool> = (0..block.goals()).map(|number| block.goal(number).lane(lane)).collect();
        if let Some(&known) = self.known.get(&holds) {
            return known;
        }
        if self.outcomes.is_empty() {
            self.outcomes.push(Vec::new());
        }
        let number = self.outcomes.len() as u32;
        self.outcomes.push(holds.clone());
        self.known.insert(holds, number);
        number
    }
}

impl<O: LaneObserver> LaneObserver for Courses<O> {
    fn step(&mut self, step: &LaneStep<'_>) {
        self.observer.step(step);
        self.cut_off(self.going & (!step.active | step.first));
        let now = step.block.step();
        self.here.first = step.block.number();
        for lane in step.first.lanes() {
            self.latest[lane] = self.here.playouts.len() as u32;
            self.here.playouts.push(Course { lane: lane as u32, began: now, ..Course::default() });
        }
        for lane in step.terminal.lanes() {
            let outcome = self.here.outcome(step.block, lane);
            let course = &mut self.here.playouts[self.latest[lane] as usize];
            (course.positions, course.outcome) = ((now - course.began) as u32, outcome);
        }
        (self.going, self.step) = (step.active & !step.terminal, now);
    }

    fn outcome(&mut self, goals: &[Vec<i32>], playouts: u64) {
        self.observer.outcome(goals, playouts);
    }

    fn over(&mut self, playouts: u64, states: u64) {
        self.observer.over(playouts, states);
        self.cut_off(self.going);
        self.going = Word::ZERO;
        self.blocks.push(std::mem::take(&mut self.here));
    }

    fn merge(&mut self, later: Self) {
        self.blocks.extend(later.blocks);
        self.observer.merge(later.observer);
    }
}

/// A state that is taken out of a block.
struct Wanted {
    step: u64,
    lane: usize,
    /// Its place among all states of the block's sequences.
    place: usize,
}

/// Takes states out of lanes while a block plays.
struct Taking<'w> {
    /// By step.
    wanted: std::iter::Peekable<std::slice::Iter<'w, Wanted>>,
    states: Vec<State>,
}

impl Watch for Taking<'_> {
    fn position(&mut self, block: &Block<'_>) {
        while let Some(wanted) = self.wanted.next_if(|wanted| wanted.step == block.step()) {
            self.states[wanted.place] = State(block.state(wanted.lane).into());
        }
    }

    fn ended(&mut self, _block: &Block<'_>, _ended: &Ended) {}
}

fn take(program: &Program, course: &BlockCourse, shape: SequenceShape, budget: &Budget) -> Vec<Sequence> {
    let mut wanted = Vec::new();
    // For each playout with a sequence its outcome, the steps and the places of its states.
    let mut sequences: Vec<(u32, Vec<u32>, Range<usize>)> = Vec::new();
    for (number, playout) in course.playouts.iter().enumerate() {
        let chosen = shape.choose(budget.seed, course.first + number as u64, playout.positions as usize);
        let start = wanted.len();
        let steps = chosen.iter().map(|&position| position as u32).collect();
        for position in chosen {
            let (step, place) = (playout.began + position as u64, wanted.len());
            wanted.push(Wanted { step, lane: playout.lane as usize, place });
        }
        if wanted.len() > start {
            sequences.push((playout.outcome, steps, start..wanted.len()));
        }
    }
    let states = vec![State(Box::default()); wanted.len()];
    wanted.sort_unstable_by_key(|wanted| (wanted.step, wanted.place));
    let mut taking = Taking { wanted: wanted.iter().peekable(), states };
    let mut block = Block::new(program, budget.seed, course.first, budget.max_steps);
    if block.play(course.playouts.len() as u64, &mut taking).is_err() {
        return Vec::new();
    }
    debug_assert!(taking.wanted.peek().is_none(), "the second time is the same play");

    let roles = program.network().goals.len();
    let goals: Vec<Vec<Option<i32>>> = (course.outcomes.iter().enumerate())
        .map(|(number, holds)| match number {
            0 => vec![None; roles],
            _ => single(&program.goal_values(holds)),
        })
        .collect();
    let unended = vec![None; roles];
    let mut states = taking.states.into_iter();
    let whole = sequences.into_iter().map(|(outcome, steps, places)| Sequence {
        steps,
        states: states.by_ref().take(places.len()).collect(),
        goals: goals.get(outcome as usize).unwrap_or(&unended).clone(),
    });
    whole.collect()
}
