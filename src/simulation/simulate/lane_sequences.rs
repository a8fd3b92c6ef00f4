//! Sequences of states from playouts in lanes, see [`sequences`](super::sequences).
//!
//! Every block is played twice. The first run gives the length and the outcome of each playout, so that its sequence can be
//! chosen as if it were played alone. The second run plays the same moves again and copies the chosen states from the lanes.

use std::ops::Range;
use std::sync::atomic::Ordering;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{LANES, Word};
use crate::machine::{Machine, State};

use super::budget::{Budget, Context, SimulateError};
use super::lane_observer::{LaneObserver, LaneStep};
use super::lane_runner::observe_lanes;
use super::sequence_shape::{Sequence, SequenceShape, single};
use super::statistics::Statistics;

/// Plays in lanes, shows the playouts to observers made by `make`, and takes one sequence from each playout that has a
/// nonterminal position.
///
/// # Errors
/// [`SimulateError`]: the game has no lane program, or can't be played.
pub fn sequences_in_lanes<O: LaneObserver>(
    machine: &dyn Machine,
    shape: SequenceShape,
    budget: &Budget,
    context: &Context<'_>,
    make: impl Fn() -> O + Sync,
) -> Result<(Statistics, Vec<Sequence>, O), SimulateError> {
    let program = machine.program().ok_or(SimulateError::NoLanes)?;
    let (statistics, CourseRecorder { blocks, observer, .. }) =
        observe_lanes(machine, budget, context, || CourseRecorder::new(make()))?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let take = |course: &BlockCourse| {
        if context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Vec::new();
        }
        sample_sequences(program, course, shape, budget)
    };
    let taken: Vec<Vec<Sequence>> = pool.install(|| blocks.par_iter().map(take).collect());
    Ok((statistics, taken.into_iter().flatten().collect(), observer))
}

/// The course of one playout of a block.
#[derive(Clone, Copy, Debug, Default)]
struct PlayoutCourse {
    lane: u32,
    /// The step of the block at which the playout begins.
    began: u64,
    /// Number of nonterminal positions.
    positions: u32,
    /// Index into [`BlockCourse::outcomes`]; 0 if the playout did not end.
    outcome: u32,
}

/// The playouts of a block.
#[derive(Debug, Default)]
struct BlockCourse {
    /// Number of the first playout.
    first: u64,
    /// In the order of their numbers.
    playouts: Vec<PlayoutCourse>,
    /// The combinations of goal conditions that held at the end of a playout. The first one is for playouts that did not
    /// end.
    outcomes: Vec<Vec<bool>>,
    known: FxHashMap<Vec<bool>, u32>,
}

/// Records the courses of the playouts of blocks.
struct CourseRecorder<O> {
    observer: O,
    blocks: Vec<BlockCourse>,
    here: BlockCourse,
    /// For each lane, the playout that began in it last.
    latest: Vec<u32>,
    /// Lanes whose playout was not terminal in the previous step, and the number of that step.
    going: Word,
    step: u64,
}

impl<O> CourseRecorder<O> {
    fn new(observer: O) -> CourseRecorder<O> {
        CourseRecorder {
            observer,
            blocks: Vec::new(),
            here: BlockCourse::default(),
            latest: vec![0; LANES],
            going: Word::ZERO,
            step: 0,
        }
    }

    /// Records that the playouts in these lanes were cut off after the previous step.
    fn cut_off(&mut self, lanes: Word) {
        for lane in lanes.lanes() {
            let course = &mut self.here.playouts[self.latest[lane] as usize];
            course.positions = (self.step - course.began + 1) as u32;
        }
    }
}

impl BlockCourse {
    /// The index of the goal conditions that hold in a lane.
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

impl<O: LaneObserver> LaneObserver for CourseRecorder<O> {
    fn step(&mut self, step: &LaneStep<'_>) {
        self.observer.step(step);
        self.cut_off(self.going & (!step.active | step.first));
        let now = step.block.step();
        self.here.first = step.block.number();
        for lane in step.first.lanes() {
            self.latest[lane] = self.here.playouts.len() as u32;
            self.here.playouts.push(PlayoutCourse {
                lane: lane as u32,
                began: now,
                ..PlayoutCourse::default()
            });
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

/// A state to copy from a block.
struct StateRequest {
    step: u64,
    lane: usize,
    /// Its index among all states of the block's sequences.
    place: usize,
}

/// Copies states from lanes during the second run.
struct StateCollector<'w> {
    /// Sorted by step.
    wanted: std::iter::Peekable<std::slice::Iter<'w, StateRequest>>,
    states: Vec<State>,
}

impl BlockObserver for StateCollector<'_> {
    fn position(&mut self, block: &Block<'_>) {
        while let Some(wanted) = self.wanted.next_if(|wanted| wanted.step == block.step()) {
            self.states[wanted.place] = State(block.state(wanted.lane).into());
        }
    }

    fn ended(&mut self, _block: &Block<'_>, _ended: &EndedLanes) {}
}

fn sample_sequences(
    program: &Program,
    course: &BlockCourse,
    shape: SequenceShape,
    budget: &Budget,
) -> Vec<Sequence> {
    let mut wanted = Vec::new();
    // For each playout with a sequence: its outcome, and the steps and indices of its states.
    let mut sequences: Vec<(u32, Vec<u32>, Range<usize>)> = Vec::new();
    for (number, playout) in course.playouts.iter().enumerate() {
        let chosen = shape.choose(budget.seed, course.first + number as u64, playout.positions as usize);
        let start = wanted.len();
        let steps = chosen.iter().map(|&position| position as u32).collect();
        for position in chosen {
            let (step, place) = (playout.began + position as u64, wanted.len());
            wanted.push(StateRequest { step, lane: playout.lane as usize, place });
        }
        if wanted.len() > start {
            sequences.push((playout.outcome, steps, start..wanted.len()));
        }
    }
    let states = vec![State(Box::default()); wanted.len()];
    wanted.sort_unstable_by_key(|wanted| (wanted.step, wanted.place));
    let mut taking = StateCollector { wanted: wanted.iter().peekable(), states };
    let mut block = Block::new(program, budget.seed, course.first, budget.max_steps);
    if block.play(course.playouts.len() as u64, &mut taking).is_err() {
        return Vec::new();
    }
    debug_assert!(taking.wanted.peek().is_none(), "the second run plays the same moves");

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
