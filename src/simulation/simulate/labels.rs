//! Monte Carlo labels: results of random playouts from given states. They are the training and test data of evaluation
//! functions.
//!
//! Playouts run in lanes if the machine has a lane program, else one by one. Blocks depend only on the numbers of states and
//! playouts, and sums are integers, so labels are the same on any number of threads.

use std::ops::Range;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::ground::Interrupted;
use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::program::Program;
use crate::machine::{Cursor, Machine, MachineError, MoveId, State};

use super::budget::{Budget, Context, SimulateError};
use super::choice::Choices;

/// Maximum number of playouts per block, many times the number of lanes.
const BLOCK: u64 = 1 << 13;

/// The results of random playouts from a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Playouts played; 0 if the run was interrupted before.
    pub playouts: u64,
    /// Playouts that ended in a terminal state.
    pub terminal: u64,
    /// Playouts cut off at the step limit.
    pub capped: u64,
    /// Mean number of joint moves from the state to the end; 0 if there are no playouts.
    pub mean_length: f64,
    /// Goal values at the end, per role.
    pub roles: Vec<RoleLabel>,
}

/// A role's goal values in the playouts that ended with exactly one goal value for it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoleLabel {
    /// Number of these playouts.
    pub scored: u64,
    /// Mean goal value, 0 to 100; 0 if there is none.
    pub mean: f64,
    /// Unbiased variance of the goal values (not of their mean); 0 for fewer than two.
    pub variance: f64,
}

/// Counts and sums over the playouts from one state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    playouts: u64,
    terminal: u64,
    capped: u64,
    steps: u64,
    /// Per role: the number of goal values, their sum, and the sum of their squares.
    roles: Vec<(u64, i64, i64)>,
}

impl Sums {
    fn new(roles: usize) -> Sums {
        Sums { playouts: 0, terminal: 0, capped: 0, steps: 0, roles: vec![(0, 0, 0); roles] }
    }

    fn goals(&mut self, role: usize, goals: &[i32], times: u64) {
        if let &[goal] = goals {
            let (times, goal, sums) = (times as i64, i64::from(goal), &mut self.roles[role]);
            sums.0 += times as u64;
            sums.1 += times * goal;
            sums.2 += times * goal * goal;
        }
    }

    fn add(&mut self, other: &Sums) {
        self.playouts += other.playouts;
        self.terminal += other.terminal;
        self.capped += other.capped;
        self.steps += other.steps;
        for (mine, other) in self.roles.iter_mut().zip(&other.roles) {
            *mine = (mine.0 + other.0, mine.1 + other.1, mine.2 + other.2);
        }
    }

    fn label(&self) -> Label {
        let role = |&(scored, sum, squares): &(u64, i64, i64)| {
            if scored == 0 {
                return RoleLabel::default();
            }
            let n = scored as f64;
            // Integers until the last division: equal values have exactly variance 0.
            let spread = i128::from(squares) * i128::from(scored) - i128::from(sum) * i128::from(sum);
            let variance = if scored > 1 { spread as f64 / (n * (n - 1.0)) } else { 0.0 };
            RoleLabel { scored, mean: sum as f64 / n, variance }
        };
        Label {
            playouts: self.playouts,
            terminal: self.terminal,
            capped: self.capped,
            mean_length: self.steps as f64 / self.playouts.max(1) as f64,
            roles: self.roles.iter().map(role).collect(),
        }
    }
}

/// Plays `budget.playouts` random playouts from each state and returns a label for each state. Steps are counted from the
/// given state. The budget's time and work limits do not apply. If the run is interrupted, labels have fewer playouts or
/// none.
///
/// # Errors
/// Threads can't be started, or a state can't be evaluated.
pub fn labels(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Vec<Label>, SimulateError> {
    match machine.lanes() {
        Some(program) => {
            let play = |block_range| Ok(play_in_lanes(program, states, budget, &block_range));
            run(machine, states, budget, context, play)
        }
        None => labels_sequential(machine, states, budget, context),
    }
}

/// Like [`labels`], but plays one state at a time. The playouts differ, their expectations do not.
///
/// # Errors
/// Those of [`labels`].
pub fn labels_sequential(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Vec<Label>, SimulateError> {
    let play = |block_range| play_sequentially(machine, states, budget, &block_range);
    run(machine, states, budget, context, play)
}

/// A block: its number, and the ranges of states and playouts in it.
struct LabelBlock {
    number: u64,
    states: Range<usize>,
    playouts: Range<u64>,
}

fn label_blocks(states: usize, playouts: u64) -> Vec<LabelBlock> {
    let together = ((BLOCK / playouts.max(1)) as usize).max(1);
    let mut blocks = Vec::new();
    for first in (0..states).step_by(together) {
        let states = first..(first + together).min(states);
        for start in (0..playouts).step_by(BLOCK as usize) {
            let playouts = start..(start + BLOCK).min(playouts);
            blocks.push(LabelBlock { number: blocks.len() as u64, states: states.clone(), playouts });
        }
    }
    blocks
}

/// Plays all blocks.
fn run(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    context: &Context<'_>,
    play: impl Fn(LabelBlock) -> Result<Vec<Sums>, MachineError> + Sync + Send,
) -> Result<Vec<Label>, SimulateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let mut sums = vec![Sums::new(machine.description().roles.len()); states.len()];
    let played = pool.install(|| {
        let blocks = label_blocks(states.len(), budget.playouts).into_par_iter();
        blocks
            .map(|block_range| {
                let first = block_range.states.start;
                if context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    return Ok((first, Vec::new()));
                }
                Ok((first, play(block_range)?))
            })
            .collect::<Result<Vec<_>, MachineError>>()
    })?;
    for (first, block) in played {
        sums[first..].iter_mut().zip(&block).for_each(|(sums, block)| sums.add(block));
    }
    Ok(sums.iter().map(Sums::label).collect())
}

/// Sums the results of playouts in lanes by their starting state.
struct LabelSums<'a> {
    program: &'a Program,
    sums: Vec<Sums>,
    /// Which goal conditions hold, with the roles' goal values. Few combinations occur, so a list is fast enough.
    outcomes: Vec<(Vec<bool>, Vec<Vec<i32>>)>,
}

impl BlockObserver for LabelSums<'_> {
    const LOOKS: bool = false;

    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        let mut holds = Vec::with_capacity(block.goals());
        for lane in ended.over.lanes() {
            let sums = &mut self.sums[block.origin(lane)];
            sums.playouts += 1;
            sums.steps += u64::from(block.steps(lane));
            sums.capped += u64::from(ended.capped.lane(lane));
            if !ended.terminal.lane(lane) {
                continue;
            }
            sums.terminal += 1;
            holds.clear();
            holds.extend((0..block.goals()).map(|number| block.goal(number).lane(lane)));
            let known = self.outcomes.iter().position(|(outcome, _)| *outcome == holds);
            let known = known.unwrap_or_else(|| {
                self.outcomes.push((holds.clone(), self.program.goal_values(&holds)));
                self.outcomes.len() - 1
            });
            for (role, goals) in self.outcomes[known].1.iter().enumerate() {
                sums.goals(role, goals, 1);
            }
        }
    }
}

fn play_in_lanes(
    program: &Program,
    states: &[State],
    budget: &Budget,
    block_range: &LabelBlock,
) -> Vec<Sums> {
    let words: Vec<&[u64]> = states[block_range.states.clone()].iter().map(|state| &*state.0).collect();
    let roles = program.network().goals.len();
    let mut summing = LabelSums { program, sums: vec![Sums::new(roles); words.len()], outcomes: Vec::new() };
    let mut block = Block::new(program, budget.seed, block_range.number, budget.max_steps);
    let each = block_range.playouts.end - block_range.playouts.start;
    match block.play_from(&words, &vec![each as u32; words.len()], &mut summing) {
        Ok(()) => summing.sums,
        Err(Interrupted) => vec![Sums::new(roles); words.len()],
    }
}

fn play_sequentially(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    block_range: &LabelBlock,
) -> Result<Vec<Sums>, MachineError> {
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let mut joint = Vec::with_capacity(roles);
    let mut all = Vec::with_capacity(block_range.states.len());
    for state in block_range.states.clone() {
        let mut sums = Sums::new(roles);
        for playout in block_range.playouts.clone() {
            let number = (state as u64).wrapping_mul(budget.playouts).wrapping_add(playout);
            let mut choices = Choices::new(budget.seed, number);
            cursor.set(&states[state])?;
            let mut steps = 0;
            let capped = loop {
                if cursor.terminal() || !choose(&*cursor, roles, &mut choices, &mut joint) {
                    break false;
                } else if steps >= budget.max_steps {
                    break true;
                }
                cursor.advance(&joint)?;
                steps += 1;
            };
            sums.playouts += 1;
            sums.steps += u64::from(steps);
            sums.terminal += u64::from(cursor.terminal());
            sums.capped += u64::from(capped);
            if cursor.terminal() {
                (0..roles).for_each(|role| sums.goals(role, cursor.goals(role), 1));
            }
        }
        all.push(sums);
    }
    Ok(all)
}

/// Draws a joint move; false if a role has no legal move.
fn choose(cursor: &dyn Cursor, roles: usize, choices: &mut Choices, joint: &mut Vec<MoveId>) -> bool {
    joint.clear();
    if (0..roles).any(|role| cursor.legal(role).is_empty()) {
        return false;
    }
    joint.extend((0..roles).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]));
    true
}
