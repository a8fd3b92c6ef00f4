//! Groups of mutually exclusive facts: at most one fact of a group holds. In some states no fact may hold, for example if the
//! group is a cell that may be empty.
//!
//! If an empty cell has no fact of its own, only such a group shows that it is empty. Planners give these groups a value
//! *none of those* (Helmert, "Concise finite-domain representations for PDDL planning tasks", 2009). Planners prove the
//! groups. Here they are only observed in sampled states, which is enough: the condition "no fact of the group holds" is
//! well-defined for every set of facts.

use std::collections::{BTreeMap, BTreeSet};

use crate::machine::FluentId;
use crate::simulate::EarlyEnd;

use super::super::model::conjunctions::{Bits, bits_of, has};
use super::super::self_play::samples::Samples;
use super::super::task::Task;
use super::selection::LEAST;

/// Limits the open groups and, separately, the filled ones; further groups are left out.
const MAX_GROUPS: usize = 2_000;

/// Limits the training samples that are examined; the latest ones are taken.
const MAX_SAMPLES: usize = 20_000;

/// Samples between two checks of the interrupt.
const STRIDE: usize = 256;

/// The groups of a game, observed in samples.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MutexGroups {
    /// Groups without a true fact in some states. The last ones are single facts that are not in a larger group.
    pub(crate) open: Vec<Bits>,
    /// Groups with a true fact in every sampled state.
    filled: Vec<Bits>,
}

impl MutexGroups {
    /// Finds groups whose facts differ in one argument and exclude each other in all samples, and single facts.
    pub(crate) fn find(task: &Task<'_>, samples: &Samples) -> Result<MutexGroups, EarlyEnd> {
        let candidates = candidates(task);
        let mut groups_of = vec![Vec::new(); task.network.bits.len()];
        for (number, group) in candidates.iter().enumerate() {
            group.iter().for_each(|&bit| groups_of[bit as usize].push(number));
        }
        // For each group the highest number of facts that hold in the same sample, and the number of samples in which a
        // fact holds.
        let (mut max_true, mut states) = (vec![0_u32; candidates.len()], vec![0_u32; candidates.len()]);
        let mut count = vec![0_u32; candidates.len()];
        let mut touched = Vec::new();
        let numbers: Vec<u32> = samples.training.iter().rev().take(MAX_SAMPLES).copied().collect();
        for block in numbers.chunks(STRIDE) {
            for &number in block {
                for bit in bits_of(samples.state(number)).take_while(|&bit| (bit as usize) < groups_of.len())
                {
                    for &group in &groups_of[bit as usize] {
                        if count[group] == 0 {
                            touched.push(group);
                        }
                        count[group] += 1;
                    }
                }
                for group in touched.drain(..) {
                    max_true[group] = max_true[group].max(count[group]);
                    states[group] += 1;
                    count[group] = 0;
                }
            }
            task.work_limit.spend(block.len() as u64)?;
        }
        let excludes = |&group: &usize| max_true[group] == 1;
        let varies = |&group: &usize| states[group] >= LEAST && states[group] + LEAST <= numbers.len() as u32;
        let (single, several): (Vec<usize>, Vec<usize>) =
            (0..candidates.len()).filter(excludes).partition(|&group| candidates[group].len() == 1);
        // A fact of a larger group does not also become a group of its own.
        let covered: BTreeSet<u32> =
            several.iter().flat_map(|&group| candidates[group].iter().copied()).collect();
        let single = single.into_iter().filter(|&group| !covered.contains(&candidates[group][0]));
        let open = several.iter().copied().chain(single).filter(varies).take(MAX_GROUPS);
        let filled =
            several.iter().copied().filter(|&group| states[group] == numbers.len() as u32).take(MAX_GROUPS);
        let groups = |numbers: &mut dyn Iterator<Item = usize>| {
            numbers.map(|group| candidates[group].clone()).collect()
        };
        Ok(MutexGroups { open: groups(&mut open.into_iter()), filled: groups(&mut filled.into_iter()) })
    }

    /// For each fact the bit that is set if the place of the fact is free. This is the bit of the smallest open group
    /// that contains the fact. If there is no open group, it is the fact of the smallest filled group that holds
    /// initially, for example a cell's mark for "empty". `bit_of` returns the bit of an open group.
    pub(crate) fn free_bits(&self, bit_of: impl Fn(usize) -> u32, initial: &[u64]) -> BTreeMap<u32, u32> {
        let mut free = BTreeMap::<u32, (bool, usize, u32)>::new();
        let mut add = |fact: u32, candidate: (bool, usize, u32)| {
            free.entry(fact).and_modify(|best| *best = candidate.min(*best)).or_insert(candidate);
        };
        for (number, group) in self.open.iter().enumerate() {
            group.iter().for_each(|&fact| add(fact, (false, group.len(), bit_of(number))));
        }
        for group in &self.filled {
            if let Some(&first) = group.iter().find(|&&bit| has(initial, bit)) {
                let others = group.iter().filter(|&&fact| fact != first);
                others.for_each(|&fact| add(fact, (true, group.len(), first)));
            }
        }
        free.into_iter().map(|(fact, (.., bit))| (fact, bit)).collect()
    }
}

/// The candidates: for every argument the groups of facts that differ only in this argument, and every fact as a group of
/// its own. They are sorted and without duplicates.
fn candidates(task: &Task<'_>) -> Vec<Bits> {
    let mut alike = BTreeMap::<_, Vec<u32>>::new();
    let mut groups = BTreeSet::new();
    for (bit, &fluent) in (0..).zip(&task.network.bits) {
        let (relation, arguments) = task.machine.fluent(FluentId(fluent));
        for left_out in 0..arguments.len() {
            let mut others = arguments.clone();
            others.remove(left_out);
            alike.entry((relation, left_out, others)).or_default().push(bit);
        }
        groups.insert(Bits::from([bit]));
    }
    groups.extend(alike.into_values().map(Bits::from));
    groups.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::super::model::none_of::NoneOf;
    use super::super::super::parameters::LearnedParameters;
    use super::super::super::self_play::game::PlayedGame;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::{Limits, ground};
    use crate::machine::{Machine, NetworkMachine};
    use crate::simulate::WorkLimit;

    /// Cells with a disc of one of two colours or none, a clock that always has a time, and a flag.
    #[test]
    fn cells_and_flags_are_found_and_clocks_are_not() {
        let rules = "(role r) (cell 1) (cell 2) (colour a) (colour b) (time 0 1) (time 1 0)
(init (clock 0))
(<= (legal r (put ?c ?k)) (cell ?c) (colour ?k) (not (taken ?c)))
(<= (legal r flag) (true (clock ?t)))
(<= (taken ?c) (true (disc ?c ?k)))
(<= (next (disc ?c ?k)) (does r (put ?c ?k)))
(<= (next (disc ?c ?k)) (true (disc ?c ?k)))
(<= (next flagged) (does r flag)) (<= (next flagged) (true flagged))
(<= (next (clock ?u)) (true (clock ?t)) (time ?t ?u))
(<= terminal (true flagged) (taken 1) (taken 2)) (goal r 100)";
        let description = read(&Source::from_text("cells", rules)).description.unwrap();
        let grounded = ground(&Arc::new(description), &Limits::default()).unwrap();
        let machine = NetworkMachine::new(grounded.into());
        let network = machine.network().unwrap();
        let bit = |fact: &str| {
            let fluent = machine.fluent_named(fact).unwrap();
            network.fluents[fluent.0 as usize].bit.unwrap()
        };
        assert_eq!(machine.initial().0.len(), 1);
        let word = |facts: &[&str]| facts.iter().fold(0, |word, fact| word | 1 << bit(fact));
        let none_of = NoneOf::new(machine.initial().0.len(), Vec::new());
        let mut samples = Samples::new(Arc::new(none_of), 1);
        for number in 0..400 {
            let clock = ["(clock 0)", "(clock 1)"][number % 2];
            let mut facts = vec![clock];
            facts.extend([None, Some("(disc 1 a)"), Some("(disc 1 b)")][number % 3]);
            facts.extend([None, Some("(disc 2 a)"), Some("(disc 2 b)")][number / 3 % 3]);
            facts.extend([None, Some("flagged")][number / 9 % 2]);
            samples.add(&PlayedGame::of_state(word(&facts), &[1.0]), None, 1.0, 0);
        }
        let (parameters, work_limit) = (LearnedParameters::default(), WorkLimit::default());
        let task = Task::new(&machine, &parameters, &work_limit).unwrap();
        let groups = MutexGroups::find(&task, &samples).unwrap();
        let found = &groups.open;
        let group = |facts: &[&str]| {
            let mut bits: Vec<u32> = facts.iter().map(|fact| bit(fact)).collect();
            bits.sort_unstable();
            Bits::from(bits)
        };
        let cells = [group(&["(disc 1 a)", "(disc 1 b)"]), group(&["(disc 2 a)", "(disc 2 b)"])];
        assert!(cells.iter().all(|cell| found.contains(cell)), "{found:?}");
        assert!(found.contains(&group(&["flagged"])));
        assert_eq!(found.len(), 3);
        assert_eq!(groups.filled, [group(&["(clock 0)", "(clock 1)"])]);
        // The place of a disc is free if its cell is empty; the place of time 1 is free at time 0.
        let free = groups.free_bits(|group| 1_000 + group as u32, &machine.initial().0);
        let cell = found.iter().position(|found| *found == cells[0]).unwrap() as u32;
        assert_eq!(free[&bit("(disc 1 b)")], 1_000 + cell);
        assert_eq!(free[&bit("(clock 1)")], bit("(clock 0)"));
        assert!(!free.contains_key(&bit("(clock 0)")));
    }
}
