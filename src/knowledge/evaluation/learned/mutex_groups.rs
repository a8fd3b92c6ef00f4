//! Groups of facts of which one holds at most, and sometimes none: a cell that may be free.
//!
//! Where a free cell has no fact of its own, what is free can be told by such a group alone. Planners give the same groups
//! a value *none of those* (Helmert, "Concise finite-domain representations for PDDL planning tasks", 2009). Here they
//! are taken from states that were seen, not proved: whatever they are, "none of these holds" has a meaning.

use std::collections::{BTreeMap, BTreeSet};

use crate::ground::Network;
use crate::machine::{FluentId, Machine};
use crate::simulate::{Stopped, Watch};

use super::conjunctions::{Bits, bits_of};
use super::samples::Samples;
use super::select::LEAST;

/// Groups at most.
const GROUPS: usize = 2_000;

/// States that are looked at, at most.
const STATES: usize = 20_000;

/// States between two looks at the interrupt.
const STRIDE: usize = 256;

/// Groups of facts of which one holds at most.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MutexGroups {
    /// Those of which sometimes none holds; last the facts alone that are in no group.
    pub(super) open: Vec<Bits>,
    /// Those of which one always holds.
    pub(super) filled: Vec<Bits>,
}

impl MutexGroups {
    /// For each fact the bit that says that its place is free: the one of the smallest group that may be open, else the fact
    /// of its smallest group that holds at the beginning, as a cell that is marked as empty does. `bit_of` gives the bits
    /// of groups that may be open.
    pub(super) fn free_places(&self, bit_of: impl Fn(usize) -> u32, initial: &[u64]) -> BTreeMap<u32, u32> {
        let mut free = BTreeMap::<u32, (bool, usize, u32)>::new();
        let mut add = |fact: u32, found: (bool, usize, u32)| {
            free.entry(fact).and_modify(|known| *known = found.min(*known)).or_insert(found);
        };
        for (number, group) in self.open.iter().enumerate() {
            group.iter().for_each(|&fact| add(fact, (false, group.len(), bit_of(number))));
        }
        for group in &self.filled {
            let holds = |bit: &&u32| initial[**bit as usize / 64] >> (**bit % 64) & 1 == 1;
            if let Some(&first) = group.iter().find(holds) {
                group
                    .iter()
                    .filter(|&&fact| fact != first)
                    .for_each(|&fact| add(fact, (true, group.len(), first)));
            }
        }
        free.into_iter().map(|(fact, (.., bit))| (fact, bit)).collect()
    }
}

/// Groups of facts that are alike but for one argument, of which no state has two, and facts alone.
///
/// # Errors
/// It has to end.
pub(super) fn mutex_groups(
    machine: &dyn Machine,
    network: &Network,
    samples: &Samples,
    watch: &Watch<'_>,
) -> Result<MutexGroups, Stopped> {
    let candidates = candidates(machine, network);
    let mut groups_of = vec![Vec::new(); network.bits.len()];
    for (number, group) in candidates.iter().enumerate() {
        group.iter().for_each(|&bit| groups_of[bit as usize].push(number));
    }
    // Of each group how many of its facts held together at most, and in how many states one did.
    let (mut most, mut states) = (vec![0_u32; candidates.len()], vec![0_u32; candidates.len()]);
    let mut held = vec![0_u32; candidates.len()];
    let mut touched = Vec::new();
    let numbers: Vec<u32> = samples.fitted.iter().rev().take(STATES).copied().collect();
    for block in numbers.chunks(STRIDE) {
        for &number in block {
            for bit in bits_of(samples.state(number)).take_while(|&bit| (bit as usize) < groups_of.len()) {
                for &group in &groups_of[bit as usize] {
                    if held[group] == 0 {
                        touched.push(group);
                    }
                    held[group] += 1;
                }
            }
            for group in touched.drain(..) {
                most[group] = most[group].max(held[group]);
                states[group] += 1;
                held[group] = 0;
            }
        }
        watch.spend(block.len() as u64)?;
    }
    let excludes = |&group: &usize| most[group] == 1;
    let varies = |&group: &usize| states[group] >= LEAST && states[group] + LEAST <= numbers.len() as u32;
    let (alone, together): (Vec<usize>, Vec<usize>) =
        (0..candidates.len()).filter(excludes).partition(|&group| candidates[group].len() == 1);
    // Where one of a group always holds, that a fact does not says that another one does.
    let covered: BTreeSet<u32> =
        together.iter().flat_map(|&group| candidates[group].iter().copied()).collect();
    let alone = alone.into_iter().filter(|&group| !covered.contains(&candidates[group][0]));
    let open = together.iter().copied().chain(alone).filter(varies).take(GROUPS);
    let filled = together.iter().copied().filter(|&group| states[group] == numbers.len() as u32).take(GROUPS);
    let groups =
        |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|group| candidates[group].clone()).collect();
    Ok(MutexGroups { open: groups(&mut open.into_iter()), filled: groups(&mut filled.into_iter()) })
}

/// Facts alike but for one argument, for every argument, and every fact alone; each group once, ascending.
fn candidates(machine: &dyn Machine, network: &Network) -> Vec<Bits> {
    let mut alike = BTreeMap::<_, Vec<u32>>::new();
    let mut groups = BTreeSet::new();
    for (bit, &fluent) in (0..).zip(&network.bits) {
        let (relation, arguments) = machine.fluent(FluentId(fluent));
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

    use super::super::none_of::NoneOf;
    use super::super::self_play::Played;
    use super::*;
    use crate::gdl::{Source, read};
    use crate::ground::{Limits, ground};
    use crate::machine::{NetworkMachine, State};

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
        let words = |facts: &[&str]| {
            let mut state = State(vec![0; machine.initial().0.len()].into());
            facts.iter().for_each(|fact| state.0[bit(fact) as usize / 64] |= 1 << (bit(fact) % 64));
            state
        };
        let none_of = NoneOf::new(machine.initial().0.len(), Vec::new());
        let mut samples = Samples::new(Arc::new(none_of), 1);
        for number in 0..400 {
            let clock = ["(clock 0)", "(clock 1)"][number % 2];
            let mut facts = vec![clock];
            facts.extend([None, Some("(disc 1 a)"), Some("(disc 1 b)")][number % 3]);
            facts.extend([None, Some("(disc 2 a)"), Some("(disc 2 b)")][number / 3 % 3]);
            facts.extend([None, Some("flagged")][number / 9 % 2]);
            let states = vec![words(&facts)];
            let game = Played { states, missed: vec![None], outcome: Some(vec![1.0]), ..Played::default() };
            samples.add(&game, None, 1.0, 0);
        }
        let groups = mutex_groups(&machine, network, &samples, &Watch::default()).unwrap();
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
        // A disc's place is free where its cell has none, and another time's where it is the first time.
        let free = groups.free_places(|group| 1_000 + group as u32, &machine.initial().0);
        let cell = found.iter().position(|found| *found == cells[0]).unwrap() as u32;
        assert_eq!(free[&bit("(disc 1 b)")], 1_000 + cell);
        assert_eq!(free[&bit("(clock 1)")], bit("(clock 0)"));
        assert!(!free.contains_key(&bit("(clock 0)")));
    }
}
