//! Monte Carlo labels: the outcomes of random playouts from given states, for what learns from them and what is judged by
//! them.
//!
//! A machine with a program for lanes plays in them, any other one by one. States and playouts are cut into blocks by
//! their numbers alone and sums are of whole numbers, so labels are the same on any number of threads.

use std::ops::Range;
use std::sync::atomic::Ordering;

use rayon::prelude::*;

use crate::ground::Interrupted;
use crate::machine::lanes::block::{Block, Ended, Watch};
use crate::machine::lanes::program::Program;
use crate::machine::{Cursor, Machine, MachineError, MoveId, State};

use super::budget::{Budget, Context, SimulateError};
use super::choice::Choices;

/// Playouts of a block at most, unless it has one state only: many times the lanes.
const BLOCK: u64 = 1 << 13;

/// What random playouts from a state came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Playouts; 0 where the run was interrupted before.
    pub playouts: u64,
    /// Those that ended in a terminal state.
    pub terminal: u64,
    /// Those cut off after the most steps allowed.
    pub capped: u64,
    /// Mean number of joint moves from the state to the end; 0 where nothing was played.
    pub mean_length: f64,
    /// For every role the goal values at the end.
    pub roles: Vec<RoleLabel>,
}

/// Goal values of a role over playouts that ended in a terminal state where it has just one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoleLabel {
    /// Number of these playouts.
    pub scored: u64,
    /// Mean of the goal values, 0 to 100; 0 where there is none.
    pub mean: f64,
    /// Their variance, without bias: of the values, not of the mean; 0 where there are fewer than two.
    pub variance: f64,
}

/// Counts and sums over playouts from one state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sums {
    playouts: u64,
    terminal: u64,
    capped: u64,
    steps: u64,
    /// For every role how many values, their sum, and that of their squares.
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
            // In whole numbers until the last division: equal values have no variance at all.
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

/// Plays at random from each of some states, `budget.playouts` times from each, and tells what it came to. Steps are
/// counted from the states on. The budget's limits on seconds and work are not looked at; an interrupted run has
/// labels with fewer playouts or none.
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
            let play = |cut| Ok(in_lanes(program, states, budget, &cut));
            run(machine, states, budget, context, play)
        }
        None => labels_sequential(machine, states, budget, context),
    }
}

/// The same, stepping one state at a time: other playouts, with the same expectations.
///
/// # Errors
/// Those of [`labels`].
pub fn labels_sequential(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    context: &Context<'_>,
) -> Result<Vec<Label>, SimulateError> {
    let play = |cut| sequential(machine, states, budget, &cut);
    run(machine, states, budget, context, play)
}

/// The states and playouts of a block, by their numbers.
struct Cut {
    number: u64,
    states: Range<usize>,
    playouts: Range<u64>,
}

fn cuts(states: usize, playouts: u64) -> Vec<Cut> {
    let together = ((BLOCK / playouts.max(1)) as usize).max(1);
    let mut cuts = Vec::new();
    for first in (0..states).step_by(together) {
        let states = first..(first + together).min(states);
        for start in (0..playouts).step_by(BLOCK as usize) {
            let playouts = start..(start + BLOCK).min(playouts);
            cuts.push(Cut { number: cuts.len() as u64, states: states.clone(), playouts });
        }
    }
    cuts
}

/// Plays all blocks.
fn run(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    context: &Context<'_>,
    play: impl Fn(Cut) -> Result<Vec<Sums>, MachineError> + Sync + Send,
) -> Result<Vec<Label>, SimulateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let mut sums = vec![Sums::new(machine.description().roles.len()); states.len()];
    let played = pool.install(|| {
        let cuts = cuts(states.len(), budget.playouts).into_par_iter();
        cuts.map(|cut| {
            let first = cut.states.start;
            if context.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                return Ok((first, Vec::new()));
            }
            Ok((first, play(cut)?))
        })
        .collect::<Result<Vec<_>, MachineError>>()
    })?;
    for (first, block) in played {
        sums[first..].iter_mut().zip(&block).for_each(|(sums, block)| sums.add(block));
    }
    Ok(sums.iter().map(Sums::label).collect())
}

/// Adds up the ends of playouts in lanes, by the state they started from.
struct Summing<'a> {
    program: &'a Program,
    sums: Vec<Sums>,
    /// Which goal conditions hold, with the goal values of the roles then; there are few.
    outcomes: Vec<(Vec<bool>, Vec<Vec<i32>>)>,
}

impl Watch for Summing<'_> {
    const LOOKS: bool = false;

    fn ended(&mut self, block: &Block<'_>, ended: &Ended) {
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

fn in_lanes(program: &Program, states: &[State], budget: &Budget, cut: &Cut) -> Vec<Sums> {
    let words: Vec<&[u64]> = states[cut.states.clone()].iter().map(|state| &*state.0).collect();
    let roles = program.network().goals.len();
    let mut summing = Summing { program, sums: vec![Sums::new(roles); words.len()], outcomes: Vec::new() };
    let mut block = Block::new(program, budget.seed, cut.number, budget.max_steps);
    let each = cut.playouts.end - cut.playouts.start;
    match block.play_from(&words, &vec![each as u32; words.len()], &mut summing) {
        Ok(()) => summing.sums,
        Err(Interrupted) => vec![Sums::new(roles); words.len()],
    }
}

fn sequential(
    machine: &dyn Machine,
    states: &[State],
    budget: &Budget,
    cut: &Cut,
) -> Result<Vec<Sums>, MachineError> {
    let roles = machine.description().roles.len();
    let mut cursor = machine.cursor();
    let mut joint = Vec::with_capacity(roles);
    let mut all = Vec::with_capacity(cut.states.len());
    for state in cut.states.clone() {
        let mut sums = Sums::new(roles);
        for playout in cut.playouts.clone() {
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

/// Draws a joint move; false where a role has no legal move.
fn choose(cursor: &dyn Cursor, roles: usize, choices: &mut Choices, joint: &mut Vec<MoveId>) -> bool {
    joint.clear();
    if (0..roles).any(|role| cursor.legal(role).is_empty()) {
        return false;
    }
    joint.extend((0..roles).map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())]));
    true
}
