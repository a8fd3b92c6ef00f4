//! Counts random playouts in lanes: 512 games per word, in blocks on several threads.
//!
//! A block is identified by the seed and its number, so the counts do not depend on the number of threads or the processor.
//! Every playout that is started is played to its end, so short games are not over-represented.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use multiversion::multiversion;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::program::Program;
use crate::machine::lanes::word::{Count, LANES, Word};

use super::budget::{Budget, SimulateError};

/// Playouts per block: many times the number of lanes, so that few lanes idle at the end of the block.
pub const LANE_BLOCK: u64 = 1 << 15;

/// Counts over playouts in lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaneCounts {
    /// Playouts, all played to their end.
    pub playouts: u64,
    /// States evaluated, including initial and terminal ones.
    pub states: u64,
    /// Playouts by their number of joint moves.
    pub lengths: BTreeMap<u32, u64>,
    /// Playouts that ended in a terminal state, by the goal values of all roles there.
    pub goals: BTreeMap<Vec<Vec<i32>>, u64>,
    /// Playouts cut off at the step limit.
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

/// Maximum number of word operations to count outcomes. For more outcomes, reading the lanes one by one is as fast.
const WORD_OPERATIONS: usize = 1 << 13;

/// Counts of one block. An outcome is a set of goal conditions that hold. Most games have few outcomes, so the lanes of each
/// are counted together, and only the remaining lanes are read one by one.
#[derive(Default)]
struct BlockCounts {
    /// By the number of joint moves.
    lengths: Vec<Count>,
    outcomes: Vec<GoalCombination>,
    /// The counts of outcomes beyond [`WORD_OPERATIONS`], by the indices of the conditions that hold.
    rare: FxHashMap<Box<[u32]>, u64>,
    /// For each lane, the conditions that hold.
    holding: Vec<Vec<u32>>,
    capped: Count,
    stuck: Count,
    /// Lanes with a terminal state that is not counted yet.
    waiting: Word,
    /// For each goal condition, the lanes of `waiting` in which it holds.
    goals: Vec<Word>,
}

/// The goal conditions that hold, and the number of playouts.
struct GoalCombination {
    holds: Vec<bool>,
    count: u64,
}

impl BlockObserver for BlockCounts {
    const LOOKS: bool = false;

    #[inline(always)]
    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        self.capped.add(&ended.capped);
        self.stuck.add(&ended.stuck);
        block.count_ages(&ended.over, &mut self.lengths);
        // The next playout of a lane takes many steps, so the outcomes of many steps are counted together.
        if !(self.waiting & ended.terminal).is_zero() {
            self.count_outcomes();
        }
        let goals = block.goal_words();
        self.goals.resize(goals.len(), Word::ZERO);
        for (waiting, &goal) in self.goals.iter_mut().zip(goals) {
            *waiting = *waiting & !ended.terminal | goal & ended.terminal;
        }
        self.waiting |= ended.terminal;
    }
}

impl BlockCounts {
    /// Counts the outcomes of the waiting lanes.
    #[inline(never)]
    fn count_outcomes(&mut self) {
        let mut left = count_outcomes(&self.goals, &mut self.outcomes, self.waiting);
        let by_words = WORD_OPERATIONS / self.goals.len().max(1);
        while let Some(lane) = left.lanes().next() {
            if self.outcomes.len() >= by_words {
                self.count_each(left);
                break;
            }
            let holds = self.goals.iter().map(|goal| goal.lane(lane)).collect();
            self.outcomes.push(GoalCombination { holds, count: 0 });
            let new = self.outcomes.len() - 1;
            left = count_outcomes(&self.goals, &mut self.outcomes[new..], left);
        }
        self.waiting = Word::ZERO;
    }

    /// Counts the outcomes of these lanes one by one.
    fn count_each(&mut self, lanes: Word) {
        self.holding.resize(LANES, Vec::new());
        for (condition, &goal) in self.goals.iter().enumerate() {
            (goal & lanes).lanes().for_each(|lane| self.holding[lane].push(condition as u32));
        }
        for lane in lanes.lanes() {
            let holds = &mut self.holding[lane];
            match self.rare.get_mut(holds.as_slice()) {
                Some(count) => *count += 1,
                None => {
                    self.rare.insert(holds.as_slice().into(), 1);
                }
            }
            holds.clear();
        }
    }

    /// The number of playouts by the goal values of all roles.
    fn goals(&self, program: &Program) -> BTreeMap<Vec<Vec<i32>>, u64> {
        let mut goals: BTreeMap<Vec<Vec<i32>>, u64> = BTreeMap::new();
        for GoalCombination { holds, count } in &self.outcomes {
            *goals.entry(program.goal_values(holds)).or_default() += count;
        }
        let mut holds = vec![false; self.goals.len()];
        // Integer sums do not depend on the order.
        #[allow(clippy::iter_over_hash_type)]
        for (held, count) in &self.rare {
            held.iter().for_each(|&condition| holds[condition as usize] = true);
            *goals.entry(program.goal_values(&holds)).or_default() += count;
            holds.fill(false);
        }
        goals
    }
}

/// Counts the lanes with each outcome; returns the lanes with none of them.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq", "x86_64+avx+avx2"))]
fn count_outcomes(goals: &[Word], outcomes: &mut [GoalCombination], mut lanes: Word) -> Word {
    for outcome in outcomes {
        let mut with = lanes;
        for (&goal, &holds) in goals.iter().zip(&outcome.holds) {
            with &= goal.negate_if(!holds);
        }
        outcome.count += u64::from(with.count());
        lanes &= !with;
        if lanes.is_zero() {
            break;
        }
    }
    lanes
}

/// Plays the playouts of a budget, with their number and the first number rounded up to whole blocks. Limits of time and
/// work do not apply. An interrupt takes effect between blocks.
///
/// # Errors
/// The threads can't be started.
pub fn simulate_lanes(
    program: &Program,
    budget: &Budget,
    interrupt: Option<&AtomicBool>,
) -> Result<LaneCounts, SimulateError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(budget.threads).build()?;
    let block = |number: u64| {
        if interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed)) {
            return LaneCounts::default();
        }
        let mut counts = BlockCounts::default();
        let mut block = Block::new(program, budget.seed, number, budget.max_steps);
        if block.play(LANE_BLOCK, &mut counts).is_err() {
            return LaneCounts::default();
        }
        counts.count_outcomes();
        let lengths = counts.lengths.iter().map(Count::sum).enumerate();
        LaneCounts {
            playouts: LANE_BLOCK,
            states: block.states(),
            lengths: lengths
                .filter(|&(_, count)| count > 0)
                .map(|(length, count)| (length as u32, count))
                .collect(),
            goals: counts.goals(program),
            capped: counts.capped.sum(),
            stuck: counts.stuck.sum(),
        }
    };
    let first = budget.first.div_ceil(LANE_BLOCK);
    let numbers = first..first + budget.playouts.div_ceil(LANE_BLOCK);
    let counts: Vec<LaneCounts> = pool.install(|| numbers.into_par_iter().map(block).collect());
    Ok(counts.into_iter().fold(LaneCounts::default(), LaneCounts::merge))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::{Backend, load};

    /// Two roles with fifty goal values each have 2,500 outcomes, more than are compared as words.
    #[test]
    fn rare_outcomes_are_counted_one_by_one() {
        let mut text = "(role a) (role b) (<= terminal (true (end))) (<= (next (end)) (does a (say ?x)))
            (<= (next (said ?r ?x)) (does ?r (say ?x))) (<= (legal ?r (say ?x)) (role ?r) (number ?x))
            (<= (goal ?r ?x) (true (said ?r ?x)))"
            .to_owned();
        (0..50).for_each(|number| text.push_str(&format!("(number {number})")));
        let rules = read(&Source::from_text("numbers", text)).description.unwrap();
        let game = load(rules, Backend::Network, &Limits::default()).unwrap();
        let program = game.machine.program().unwrap();
        let budget = Budget { playouts: LANE_BLOCK, threads: 1, max_steps: 100, ..Budget::default() };
        let counts = simulate_lanes(program, &budget, None).unwrap();
        assert_eq!(counts.goals.len(), 2500);
        assert_eq!(counts.goals.values().sum::<u64>(), counts.playouts);
        // The mean is 13; the bounds are more than three standard deviations (3.6) away.
        assert!(counts.goals.values().all(|count| (1..=35).contains(count)));
        assert!(counts.goals.keys().all(|goals| goals.iter().all(|values| values.len() == 1)));
    }
}
