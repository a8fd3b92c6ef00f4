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
    start_step: u64,
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
    /// The playouts, in the order of their numbers.
    playouts: Vec<PlayoutCourse>,
    /// The combinations of goal conditions that held at the end of a playout. The first one is for playouts that did not
    /// end.
    outcomes: Vec<Vec<bool>>,
    /// The index of each combination in `outcomes`.
    outcome_indices: FxHashMap<Vec<bool>, u32>,
}

/// Records the courses of the playouts of blocks.
struct CourseRecorder<O> {
    observer: O,
    blocks: Vec<BlockCourse>,
    /// The block that is being recorded.
    current: BlockCourse,
    /// For each lane, the playout that began in it last.
    latest: Vec<u32>,
    /// Lanes whose playout was not terminal in the previous step.
    going: Word,
    step: u64,
}

impl<O> CourseRecorder<O> {
    fn new(observer: O) -> CourseRecorder<O> {
        CourseRecorder {
            observer,
            blocks: Vec::new(),
            current: BlockCourse::default(),
            latest: vec![0; LANES],
            going: Word::ZERO,
            step: 0,
        }
    }

    /// Records that the playouts in these lanes were cut off after the previous step.
    fn cut_off(&mut self, lanes: Word) {
        for lane in lanes.lanes() {
            let course = &mut self.current.playouts[self.latest[lane] as usize];
            course.positions = (self.step - course.start_step + 1) as u32;
        }
    }
}

impl BlockCourse {
    /// The index of the goal conditions that hold in a lane.
    fn outcome(&mut self, block: &Block<'_>, lane: usize) -> u32 {
        let holds: Vec<bool> = (0..block.goals()).map(|number| block.goal(number).lane(lane)).collect();
        if let Some(&known) = self.outcome_indices.get(&holds) {
            return known;
        }
        if self.outcomes.is_empty() {
            self.outcomes.push(Vec::new());
        }
        let number = self.outcomes.len() as u32;
        self.outcomes.push(holds.clone());
        self.outcome_indices.insert(holds, number);
        number
    }
}

impl<O: LaneObserver> LaneObserver for CourseRecorder<O> {
    fn step(&mut self, step: &LaneStep<'_>) {
        self.observer.step(step);
        self.cut_off(self.going & (!step.active | step.first));
        let now = step.block.step();
        self.current.first = step.block.number();
        for lane in step.first.lanes() {
            self.latest[lane] = self.current.playouts.len() as u32;
            self.current.playouts.push(PlayoutCourse {
                lane: lane as u32,
                start_step: now,
                ..PlayoutCourse::default()
            });
        }
        for lane in step.terminal.lanes() {
            let outcome = self.current.outcome(step.block, lane);
            let course = &mut self.current.playouts[self.latest[lane] as usize];
            (course.positions, course.outcome) = ((now - course.start_step) as u32, outcome);
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
        self.blocks.push(std::mem::take(&mut self.current));
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
    requests: std::iter::Peekable<std::slice::Iter<'w, StateRequest>>,
    states: Vec<State>,
}

impl BlockObserver for StateCollector<'_> {
    fn position(&mut self, block: &Block<'_>) {
        while let Some(request) = self.requests.next_if(|request| request.step == block.step()) {
            self.states[request.place] = State(block.state(request.lane).into());
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
    let mut requests = Vec::new();
    // For each playout with a sequence: its outcome, and the steps and indices of its states.
    let mut sequences: Vec<(u32, Vec<u32>, Range<usize>)> = Vec::new();
    for (number, playout) in course.playouts.iter().enumerate() {
        let chosen = shape.choose(budget.seed, course.first + number as u64, playout.positions as usize);
        let start = requests.len();
        let steps = chosen.iter().map(|&position| position as u32).collect();
        for position in chosen {
            let (step, place) = (playout.start_step + position as u64, requests.len());
            requests.push(StateRequest { step, lane: playout.lane as usize, place });
        }
        if requests.len() > start {
            sequences.push((playout.outcome, steps, start..requests.len()));
        }
    }
    let states = vec![State(Box::default()); requests.len()];
    requests.sort_unstable_by_key(|request| (request.step, request.place));
    let mut collector = StateCollector { requests: requests.iter().peekable(), states };
    let mut block = Block::new(program, budget.seed, course.first, budget.max_steps);
    if block.play(course.playouts.len() as u64, &mut collector).is_err() {
        return Vec::new();
    }
    debug_assert!(collector.requests.peek().is_none(), "the second run plays the same moves");

    let roles = program.network().goals.len();
    let goals: Vec<Vec<Option<i32>>> = (course.outcomes.iter().enumerate())
        .map(|(number, holds)| match number {
            0 => vec![None; roles],
            _ => single(&program.goal_values(holds)),
        })
        .collect();
    let unended = vec![None; roles];
    let mut states = collector.states.into_iter();
    let whole = sequences.into_iter().map(|(outcome, steps, places)| Sequence {
        steps,
        states: states.by_ref().take(places.len()).collect(),
        goals: goals.get(outcome as usize).unwrap_or(&unended).clone(),
    });
    whole.collect()
}
