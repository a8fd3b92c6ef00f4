//! Random playouts on the lanes machine: many games in the bits of a word, blocks of them on several threads.
//!
//! A block is a fixed number of playouts named by the seed and the block's number, so the counts are the same on
//! any number of threads and any processor. They are over playouts started, each played to its end: short games
//! are not over-represented.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::machine::lanes::block::{Block, Finished, LaneEnd, Watch};
use crate::machine::lanes::program::Program;

use super::budget::SimulateError;

/// Playouts of a block: many times the lanes, so that few of them wait for the last games to end.
const BLOCK: u64 = 1 << 15;

/// Counts over playouts in lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneCounts {
    /// Playouts, all played to their ends.
    pub playouts: u64,
    /// States evaluated, initial and terminal ones included.
    pub states: u64,
    /// Playouts by their number of joint moves.
    pub lengths: BTreeMap<u32, u64>,
    /// Playouts that ended in a terminal state, by the goal values of all roles there.
    pub goals: BTreeMap<Vec<Vec<i32>>, u64>,
    /// Playouts cut off.
    pub capped: u64,
    /// Playouts in which a role had no legal move.
    pub stuck: u64,
}

impl LaneCounts {
    fn merge(mut self, other: LaneCounts) -> LaneCounts {
        self.playouts += other.playouts;
        self.states += other.states;
        self.capped += other.capped;
        self.stuck += other.stuck;
        other
            .lengths
            .into_iter()
            .for_each(|(length, count)| *self.lengths.entry(length).or_default() += count);
        other.goals.into_iter().for_each(|(goals, count)| *self.goals.entry(goals).or_default() += count);
        self
    }
}

/// Counts one block; outcomes are numbered by which goal conditions hold, and spelt out at the end.
struct Tally {
    lengths: Vec<u64>,
    outcomes: BTreeMap<Vec<u64>, u64>,
    outcome: Vec<u64>,
    capped: u64,
    stuck: u64,
}

impl Watch for Tally {
    fn finished(&mut self, finished: &Finished<'_>) {
        let steps = finished.steps as usize;
        if self.lengths.len() <= steps {
            self.lengths.resize(steps + 1, 0);
        }
        self.lengths[steps] += 1;
        match finished.end {
            LaneEnd::Cap => self.capped += 1,
            LaneEnd::NoLegalMove => self.stuck += 1,
            LaneEnd::Terminal => {
                finished.outcome(&mut self.outcome);
                match self.outcomes.get_mut(&self.outcome) {
                    Some(count) => *count += 1,
                    None => {
                        self.outcomes.insert(self.outcome.clone(), 1);
                    }
                }
            }
        }
    }
}

/// Plays so many playouts from number `first` on, both rounded up to whole blocks. Ends between blocks when
/// interrupted.
///
/// # Errors
/// Threads can't be made.
pub fn simulate_lanes(
    program: &Program,
    playouts: u64,
    first: u64,
    seed: u64,
    threads: usize,
    max_steps: u32,
    interrupt: Option<&AtomicBool>,
) -> Result<LaneCounts, SimulateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let block = |number: u64| {
        if interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return LaneCounts::default();
        }
        let mut tally = Tally {
            lengths: Vec::new(),
            outcomes: BTreeMap::new(),
            outcome: Vec::new(),
            capped: 0,
            stuck: 0,
        };
        let mut block = Block::new(program, seed, number, max_steps);
        block.play(BLOCK, &mut tally);
        let lengths = tally.lengths.iter().enumerate().filter(|(_, count)| **count > 0);
        LaneCounts {
            playouts: BLOCK,
            states: block.states(),
            lengths: lengths.map(|(length, &count)| (length as u32, count)).collect(),
            goals: tally
                .outcomes
                .iter()
                .map(|(outcome, &count)| (program.goal_values(outcome), count))
                .collect(),
            capped: tally.capped,
            stuck: tally.stuck,
        }
    };
    let first = first.div_ceil(BLOCK);
    let numbers = first..first + playouts.div_ceil(BLOCK);
    let counts: Vec<LaneCounts> = pool.install(|| numbers.into_par_iter().map(block).collect());
    Ok(counts.into_iter().fold(LaneCounts::default(), LaneCounts::merge))
}
