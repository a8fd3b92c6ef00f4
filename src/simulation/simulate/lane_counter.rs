//! Counts playouts in lanes. The counts equal those of playouts one by one, but come from words of 512 games.

use multiversion::multiversion;
use rustc_hash::FxHashMap;

use crate::ground::Network;
use crate::machine::lanes::block::{Block, BlockObserver, EndedLanes};
use crate::machine::lanes::word::{LANES, Word};

use super::fault::FaultKind;
use super::lane_block::LaneBlock;
use super::lane_observer::{LaneObserver, LaneStep};
use super::playout_counts::PlayoutCounts;
use super::sliced::Sliced;

/// Number of outcomes up to which lanes are compared with each outcome as words. Beyond, the lanes are read one by one.
const WORD_OUTCOMES: usize = 256;

/// Counts the playouts of a block, and passes its steps to an observer.
pub(super) struct LaneCounter<'n, O> {
    counts: PlayoutCounts,
    observer: O,
    network: &'n Network,
    /// Number of the block's first playout.
    first: u64,
    /// Lanes whose playout was at a position before the end in the previous step.
    going: Word,
    legal: Vec<LegalCounts>,
    one: Vec<Word>,
    several: Vec<Word>,
    goals: Vec<GoalMonitor>,
    outcomes: OutcomeIndex,
}

/// Counts of a role's legal moves.
#[derive(Default)]
struct LegalCounts {
    /// The number of legal moves in every lane.
    count: Sliced,
    moves: u64,
    most: u64,
    choices: u64,
    ones: u64,
}

/// Compares a role's goal values in successive positions.
struct GoalMonitor {
    /// For each goal value, ascending, the range of its conditions among the block's goals.
    values: Vec<std::ops::Range<usize>>,
    /// For each goal value, the lanes whose previous position had only this value.
    last: Vec<Word>,
    here: Vec<Word>,
    /// Lanes in whose playout the goal value fell.
    fell: Word,
}

/// The outcomes of playouts: which goal conditions held, and how often.
#[derive(Default)]
struct OutcomeIndex {
    list: Vec<OutcomeEntry>,
    /// Indices into `list`, by the conditions that hold.
    index: FxHashMap<Box<[u32]>, usize>,
    /// For each lane, the conditions that hold.
    holding: Vec<Vec<u32>>,
}

struct OutcomeEntry {
    holds: Box<[u32]>,
    count: u64,
    /// Numbers of the first playouts with this outcome.
    playouts: Vec<u64>,
}

impl<'n, O: LaneObserver> LaneCounter<'n, O> {
    /// A counter of the playouts of a block whose first one has the number `first`; `counts` has no playouts yet.
    pub(super) fn new(network: &'n Network, first: u64, counts: PlayoutCounts, observer: O) -> Self {
        let roles = network.moves.len();
        let mut start = 0;
        let goals = network.goals.iter().map(|goals| {
            let mut values = Vec::new();
            for chunk in goals.chunk_by(|(a, _), (b, _)| a == b) {
                values.push(start..start + chunk.len());
                start += chunk.len();
            }
            GoalMonitor { last: vec![Word::ZERO; values.len()], here: Vec::new(), fell: Word::ZERO, values }
        });
        LaneCounter {
            counts,
            observer,
            network,
            first,
            going: Word::ZERO,
            goals: goals.collect(),
            legal: (0..roles).map(|_| LegalCounts::default()).collect(),
            one: vec![Word::ZERO; roles],
            several: vec![Word::ZERO; roles],
            outcomes: OutcomeIndex { holding: vec![Vec::new(); LANES], ..OutcomeIndex::default() },
        }
    }

    /// The counts of the finished block, and its observer.
    pub(super) fn finish(mut self, playouts: u64, states: u64, work: u64) -> (PlayoutCounts, O) {
        let counts = &mut self.counts;
        counts.playouts = playouts;
        debug_assert_eq!(counts.lengths.values().sum::<u64>(), playouts);
        counts.states = states;
        counts.work = work;
        for (counts, legal) in counts.roles.iter_mut().zip(&self.legal) {
            counts.moves = legal.moves;
            counts.most_moves = legal.most as usize;
            counts.choices = legal.choices;
            counts.moves_of_choices = legal.moves - legal.ones;
        }
        for outcome in &self.outcomes.list {
            let goals = goal_values(self.network, &outcome.holds);
            counts.outcome(&goals, outcome.count, &outcome.playouts);
            self.observer.outcome(&goals, outcome.count);
        }
        let block = LaneBlock { first: self.first, playouts };
        let occurrences = counts.faults.values_mut().chain(counts.outcomes.values_mut());
        occurrences.for_each(|occurrences| occurrences.block = Some(block));
        self.observer.over(playouts, states);
        (self.counts, self.observer)
    }
}

/// The goal values of all roles if exactly these conditions hold.
fn goal_values(network: &Network, holds: &[u32]) -> Vec<Vec<i32>> {
    let mut number = 0;
    let role = |goals: &Vec<(i32, _)>| {
        let mut values = Vec::new();
        for &(value, _) in goals {
            if holds.binary_search(&number).is_ok() {
                values.push(value);
            }
            number += 1;
        }
        values.dedup();
        values
    };
    network.goals.iter().map(role).collect()
}

impl<O: LaneObserver> BlockObserver for LaneCounter<'_, O> {
    fn position(&mut self, block: &Block<'_>) {
        let (active, terminal) = (block.active(), block.terminal());
        if active.is_zero() {
            // No lane has a running playout.
            return;
        }
        let first = active & !self.going;
        self.going = active;
        let moving = active & !terminal;
        self.counts.positions += u64::from(moving.count());
        for (role, legal) in self.legal.iter_mut().enumerate() {
            (self.one[role], self.several[role]) =
                count_moves(block, role, self.network.moves[role].len(), moving, legal);
        }
        self.goals.iter_mut().for_each(|goals| detect_falling_goals(block, goals, active, first));
        let (one, several) = (&self.one[..], &self.several[..]);
        self.observer.step(&LaneStep { block, active, terminal, first, one, several });
    }

    fn ended(&mut self, block: &Block<'_>, ended: &EndedLanes) {
        let over = ended.over;
        self.going &= !over;
        for (steps, lanes) in block.ages() {
            self.counts.count_length(steps, u64::from((lanes & over).count()));
        }
        self.counts.terminal += u64::from(ended.terminal.count());
        self.counts.capped += u64::from(ended.capped.count());
        let number = |lane: usize| self.first + block.playout(lane);
        let mut stuck = ended.stuck;
        for role in 0..self.legal.len() {
            let fell = self.goals[role].fell & over;
            self.goals[role].fell &= !over;
            let here = stuck & !self.one[role] & !self.several[role];
            stuck &= !here;
            for (kind, lanes) in [(FaultKind::GoalFell, fell), (FaultKind::NoLegalMove, here)] {
                if !lanes.is_zero() {
                    self.counts.faults(kind, role, u64::from(lanes.count()), lanes.lanes().map(number));
                }
            }
        }
        self.outcomes.add(block, ended.terminal, number);
    }
}

impl OutcomeIndex {
    fn add(&mut self, block: &Block<'_>, terminal: Word, number: impl Fn(usize) -> u64) {
        let conditions = block.goals();
        let by_words = WORD_OUTCOMES / conditions.max(1);
        let mut left = terminal;
        for outcome in self.list.iter_mut().take(by_words) {
            let with = lanes_with_outcome(block, &outcome.holds, left);
            outcome.add(with, &number);
            left &= !with;
            if left.is_zero() {
                return;
            }
        }
        for condition in 0..conditions {
            let holding = (block.goal(condition) & left).lanes();
            holding.for_each(|lane| self.holding[lane].push(condition as u32));
        }
        for lane in left.lanes() {
            let holds = &mut self.holding[lane];
            let known = self.index.get(holds.as_slice()).copied();
            let index = known.unwrap_or_else(|| {
                let holds: Box<[u32]> = holds.as_slice().into();
                self.index.insert(holds.clone(), self.list.len());
                self.list.push(OutcomeEntry { holds, count: 0, playouts: Vec::new() });
                self.list.len() - 1
            });
            holds.clear();
            let mut here = Word::ZERO;
            here.set(lane);
            self.list[index].add(here, &number);
        }
    }
}

impl OutcomeEntry {
    fn add(&mut self, lanes: Word, number: &impl Fn(usize) -> u64) {
        if lanes.is_zero() {
            return;
        }
        self.count += u64::from(lanes.count());
        PlayoutCounts::examples(&mut self.playouts, lanes.lanes().map(number));
    }
}

/// The lanes of `lanes` in which exactly these goal conditions hold.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn lanes_with_outcome(block: &Block<'_>, holds: &[u32], lanes: Word) -> Word {
    let (mut with, mut next) = (lanes, 0);
    for condition in 0..block.goals() {
        let wanted = holds.get(next).is_some_and(|&hold| hold as usize == condition);
        with &= block.goal(condition).negate_if(!wanted);
        next += usize::from(wanted);
    }
    with
}

/// Counts a role's legal moves. Returns the lanes of `lanes` with one legal move, and those with several.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn count_moves(
    block: &Block<'_>,
    role: usize,
    moves: usize,
    lanes: Word,
    legal: &mut LegalCounts,
) -> (Word, Word) {
    legal.count.clear();
    legal.count.add_all(moves, |number| block.legal_word(role, number));
    let several = legal.count.several() & lanes;
    let one = legal.count.some() & lanes & !several;
    legal.moves += legal.count.sum(lanes);
    legal.most = legal.most.max(legal.count.max(lanes).unwrap_or(0));
    legal.choices += u64::from(several.count());
    legal.ones += u64::from(one.count());
    (one, several)
}

/// Records the lanes in which a role's goal value falls. Only positions with a single goal value count.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn detect_falling_goals(block: &Block<'_>, goals: &mut GoalMonitor, active: Word, first: Word) {
    if goals.values.len() < 2 {
        return;
    }
    goals.here.clear();
    let (mut some, mut several) = (Word::ZERO, Word::ZERO);
    for conditions in &goals.values {
        let here = conditions.clone().fold(Word::ZERO, |any, condition| any | block.goal(condition));
        several |= some & here;
        some |= here;
        goals.here.push(here);
    }
    let going_on = active & !first;
    let mut higher = Word::ZERO;
    for (here, last) in goals.here.iter().zip(&mut goals.last).rev() {
        let here = *here & !several;
        goals.fell |= here & higher & going_on;
        higher |= *last;
        *last = here;
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::{StepLimitReason, StopReason};
    use super::super::lane_unpack::{LaneUnpack, game};
    use super::super::statistics::{Settings, Statistics, Timing};
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::Limits;
    use crate::machine::lanes::block::Block;
    use crate::machine::lanes::program::Program;
    use crate::machine::{self, Backend, Machine};
    use crate::simulate::{End, LaneObserver, Observer, Position};

    /// Plays one block; returns its counts and its observer.
    fn play<O: LaneObserver>(
        machine: &dyn Machine,
        playouts: u64,
        max_steps: u32,
        observer: O,
    ) -> (PlayoutCounts, O) {
        let network = machine.network().unwrap();
        let program = Program::new(network);
        let mut block = Block::new(&program, 9, 4, max_steps);
        let mut counts = LaneCounter::new(network, 100, PlayoutCounts::new(machine.description()), observer);
        block.play(playouts, &mut counts).expect("nothing interrupts");
        counts.finish(playouts, block.states(), 0)
    }

    /// Counts playouts one by one.
    struct CountingObserver(PlayoutCounts);

    impl Observer for CountingObserver {
        fn position(&mut self, position: &Position<'_>) {
            if position.step == 0 {
                self.0.begin();
            }
            self.0.position(position.legal, position.terminal, position.goals);
        }
        fn ended(&mut self, last: &Position<'_>, end: End) {
            self.0.end(100 + last.playout, last.step, Some(last.goals), end);
        }
        fn merge(&mut self, _later: Self) {}
    }

    #[test]
    fn lane_counts_equal_counts_of_single_playouts() {
        let text = "
            (role a) (role b) (init (n 1)) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 1)
            (<= (legal a up) (true (n ?n))) (<= (legal a stay) (true (n 1))) (<= (legal b wait) (not (true (n 4))))
            (<= (legal b (jump ?m)) (true (n 2)) (succ ?m ?k))
            (<= (next (n ?m)) (true (n ?n)) (does a up) (succ ?n ?m) (does b wait))
            (<= (next (n ?n)) (true (n ?n)) (does a stay)) (<= (next (n ?m)) (does b (jump ?m)))
            (<= terminal (true (n 3)) ) (<= (goal a 60) (true (n 1))) (<= (goal a 20) (true (n 2)))
            (<= (goal a 50) (true (n 3))) (<= (goal a 70) (true (n 3))) (<= (goal b 10) (true (n 1)))";
        let description = read(&Source::from_text("odd", text)).description.unwrap();
        let odd = machine::load(description, Backend::Network, &Limits::default()).unwrap();
        let games = ["tic_tac_toe", "bidding_tic_tac_toe", "rock_paper_scissors", "three_player_race", "nim"];
        let games = games.iter().map(|name| game(name)).chain([odd, game("sokoban")]);
        for loaded in games {
            let machine = &*loaded.machine;
            let (counts, unpacked) = play(machine, 1300, 6, LaneUnpack::new(machine));
            let roles: Vec<String> =
                machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
            let mut counted = CountingObserver(PlayoutCounts::new(machine.description()));
            unpacked.show(&mut counted);
            let statistics = |counts: &PlayoutCounts| {
                let settings = Settings {
                    seed: 0,
                    first: 0,
                    max_steps: 6,
                    max_steps_because: StepLimitReason::Named,
                    stopped: StopReason::Playouts,
                };
                Statistics::new(settings, counts, &roles, Timing::default())
            };
            let [lanes, sequential] = [&counts, &counted.0].map(|counts| {
                let mut statistics = statistics(counts);
                // The examples depend on the order of the playouts, and only playouts in lanes have a block.
                for fault in &mut statistics.faults {
                    fault.first.clear();
                    fault.block = None;
                }
                for outcome in &mut statistics.outcomes {
                    (outcome.first, outcome.block) = (0, None);
                }
                statistics
            });
            assert_eq!(lanes, sequential);
            assert_eq!(counts.playouts, 1300);
        }
    }
}
