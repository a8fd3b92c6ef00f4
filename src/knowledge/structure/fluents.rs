//! What sampled states say about each fluent relation: which arguments determine which,
//! how many facts there are at once, what is on more than one cell.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::term::TermId;
use crate::machine::FluentId;

use super::finding::Constant;

/// Largest arity for which every set of arguments is a hypothesis; beyond, only small and large sets are.
const FULL_ARITY: usize = 5;

/// A set of argument positions, counted from 0, as bits.
pub type Mask = u32;

/// The positions of a set, counted from 0.
pub fn positions(mask: Mask) -> impl Iterator<Item = usize> {
    (0..Mask::BITS as usize).filter(move |position| mask >> position & 1 == 1)
}

/// The set of all positions below `arity`.
pub fn all_positions(arity: usize) -> Mask {
    ((1_u64 << arity.min(Mask::BITS as usize)) - 1) as Mask
}

/// Whether two facts of one state shared a projection: in any state, and in one that is not terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    pub(super) at_all: bool,
    pub(super) before_the_end: bool,
}

/// The states that a hypothesis is asked to hold in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Among {
    /// Every state.
    All,
    /// Every state that is not terminal.
    NotTerminal,
}

/// What sampled states say about one fluent relation.
///
/// For every set of arguments (a hypothesis "these determine the others") it keeps the projections of all facts
/// seen, and which of them two facts of one state shared: such a projection refutes the hypothesis, and where
/// the set is the contents of a board, it is on two cells.
#[derive(Clone, Debug)]
pub struct FactTable {
    arity: usize,
    /// The hypotheses.
    masks: Vec<Mask>,
    fluents: Vec<FluentId>,
    /// Arguments of the facts, one after the other.
    arguments: Vec<TermId>,
    /// For each fact one projection a hypothesis.
    projections: Vec<u32>,
    index: FxHashMap<(Mask, Box<[TermId]>), u32>,
    /// For each projection the facts of the state under way that have it.
    facts: Vec<u32>,
    /// For each projection whether two facts of one state shared it.
    shared: Vec<Shared>,
    /// For each fact whether the state under way has it.
    held: Vec<bool>,
    /// For each fact whether a state that is not terminal had it.
    pub(super) before_the_end: Vec<bool>,
    /// Facts that came up in the terminal state before the one under way.
    late: Vec<u32>,
    /// What a state under way shows where two of its facts share a projection.
    seen: Shared,
    /// Whether two facts came to share a projection in a terminal state since the table was last empty.
    shared_at_the_end: bool,
    /// Facts in the state under way.
    count: u32,
    /// The sum of the places of the facts in the state under way.
    sum: usize,
    fewest: u32,
    most: u32,
    /// Facts in the initial state.
    initial: u32,
}

/// The sets that contain none of the others.
pub(super) fn minimal(sets: &[Mask]) -> Vec<Mask> {
    let contains = |set: Mask, other: Mask| other != set && other & set == other;
    sets.iter().copied().filter(|&set| !sets.iter().any(|&other| contains(set, other))).collect()
}

impl Shared {
    pub(super) fn add(&mut self, other: Shared) {
        self.at_all |= other.at_all;
        self.before_the_end |= other.before_the_end;
    }
}

impl FactTable {
    /// An empty table.
    pub fn new(arity: usize) -> FactTable {
        let full = all_positions(arity);
        let small = |mask: &Mask| {
            let size = mask.count_ones() as usize;
            size <= 2 || size + 2 >= arity
        };
        let masks = match arity {
            0 | 1 => Vec::new(),
            _ if arity <= FULL_ARITY => (1..full).collect(),
            _ if arity <= 16 => (1..full).filter(small).collect(),
            _ => Vec::new(),
        };
        FactTable {
            arity,
            masks,
            fluents: Vec::new(),
            arguments: Vec::new(),
            projections: Vec::new(),
            index: FxHashMap::default(),
            facts: Vec::new(),
            shared: Vec::new(),
            held: Vec::new(),
            before_the_end: Vec::new(),
            late: Vec::new(),
            seen: Shared::default(),
            shared_at_the_end: false,
            count: 0,
            sum: 0,
            fewest: u32::MAX,
            most: 0,
            initial: 0,
        }
    }

    pub(super) fn add(&mut self, fluent: FluentId, arguments: &[TermId]) -> usize {
        let place = self.fluents.len();
        self.fluents.push(fluent);
        self.held.push(false);
        self.before_the_end.push(false);
        self.arguments.extend_from_slice(arguments);
        for &mask in &self.masks {
            let values: Box<[TermId]> = positions(mask).map(|position| arguments[position]).collect();
            let fresh = self.facts.len() as u32;
            let projection = *self.index.entry((mask, values)).or_insert(fresh);
            if projection == fresh {
                self.facts.push(0);
                self.shared.push(Shared::default());
            }
            self.projections.push(projection);
        }
        place
    }

    /// Begins a state with the facts of the one before, of which some are [taken away](FactTable::remove) and
    /// others [added](FactTable::fact) then.
    pub fn begin(&mut self, terminal: bool) {
        self.seen = Shared { at_all: true, before_the_end: !terminal };
    }

    /// Whether the next state must begin [empty](FactTable::clear): facts that shared something in a terminal
    /// state only would otherwise not be seen to share it in the next one.
    pub fn is_spent(&self) -> bool {
        self.shared_at_the_end
    }

    /// Takes all facts away.
    pub fn clear(&mut self) {
        self.facts.fill(0);
        self.held.fill(false);
        self.late.clear();
        (self.count, self.sum) = (0, 0);
        self.shared_at_the_end = false;
    }

    /// A fact that the state under way has and the one before had not.
    pub fn fact(&mut self, place: usize) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(place);
        self.held[place] = true;
        match self.seen.before_the_end {
            true => self.before_the_end[place] = true,
            false => self.late.push(place as u32),
        }
        let width = self.masks.len();
        for &projection in &self.projections[place * width..(place + 1) * width] {
            let facts = &mut self.facts[projection as usize];
            if *facts > 0 {
                self.shared[projection as usize].add(self.seen);
                self.shared_at_the_end |= !self.seen.before_the_end;
            }
            *facts += 1;
        }
    }

    /// A fact that the state before had and the one under way has not. Before any is added.
    pub fn remove(&mut self, place: usize) {
        self.count -= 1;
        self.sum = self.sum.wrapping_sub(place);
        self.held[place] = false;
        let width = self.masks.len();
        for &projection in &self.projections[place * width..(place + 1) * width] {
            self.facts[projection as usize] -= 1;
        }
    }

    /// Ends a state; `step` joint moves were played before it.
    pub fn end(&mut self, step: u32) {
        if self.seen.before_the_end {
            // What a terminal state brought, and the initial state has as well.
            for place in self.late.drain(..) {
                self.before_the_end[place as usize] |= self.held[place as usize];
            }
        }
        if step == 0 {
            self.initial = self.count;
        }
        self.fewest = self.fewest.min(self.count);
        self.most = self.most.max(self.count);
    }

    /// The place of the only fact of the state that ended last, if there was exactly one.
    pub fn only(&self) -> Option<usize> {
        (self.count == 1).then_some(self.sum)
    }

    /// Takes over what another table of the same relation saw; `places` gives for each of its places the place
    /// here.
    pub fn merge(&mut self, later: &FactTable, places: &[usize]) {
        let width = self.masks.len();
        for (place, &here) in places.iter().enumerate() {
            for hypothesis in 0..width {
                let (from, to) = (place * width + hypothesis, here * width + hypothesis);
                let shared = later.shared[later.projections[from] as usize];
                self.shared[self.projections[to] as usize].add(shared);
            }
            self.before_the_end[here] |= later.before_the_end[place];
        }
        self.fewest = self.fewest.min(later.fewest);
        self.most = self.most.max(later.most);
        self.initial = self.initial.max(later.initial);
        self.clear();
    }

    /// Takes over that two facts of one state had the projection that a fact has under a hypothesis.
    pub(super) fn share(&mut self, place: usize, hypothesis: usize, shared: Shared) {
        let projection = self.projection(place, hypothesis);
        self.shared[projection].add(shared);
    }

    /// Takes over how many facts there were in one state, and in the initial one.
    pub(super) fn count(&mut self, fewest: u64, most: u64, initial: u64) {
        let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        self.fewest = self.fewest.min(small(fewest));
        self.most = self.most.max(small(most));
        self.initial = self.initial.max(small(initial));
    }

    /// The hypotheses: sets of arguments that may determine the others.
    pub(super) fn hypotheses(&self) -> &[Mask] {
        &self.masks
    }

    /// Number of different projections, under all hypotheses.
    pub(super) fn projections(&self) -> usize {
        self.shared.len()
    }

    /// The projection of a fact under a hypothesis, as a number.
    pub(super) fn projection(&self, place: usize, hypothesis: usize) -> usize {
        self.projections[place * self.masks.len() + hypothesis] as usize
    }

    /// The number of a hypothesis, if it is one that is kept.
    pub fn hypothesis(&self, mask: Mask) -> Option<usize> {
        self.masks.iter().position(|&other| other == mask)
    }

    /// Whether two facts of one state had the projection that a fact has under a hypothesis.
    pub fn is_shared(&self, place: usize, hypothesis: usize) -> bool {
        self.shared[self.projection(place, hypothesis)].at_all
    }

    /// Number of different facts seen.
    pub fn len(&self) -> usize {
        self.fluents.len()
    }

    /// Whether no fact was seen.
    pub fn is_empty(&self) -> bool {
        self.fluents.is_empty()
    }

    /// Number of arguments.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// Whether facts were seen, and in terminal states alone.
    pub fn is_only_at_the_end(&self) -> bool {
        !self.is_empty() && !self.before_the_end.contains(&true)
    }

    /// What all states had alike, if they had the same facts.
    pub fn constant(&self) -> Option<Constant> {
        match (self.fewest, self.most) {
            (0, 0) => Some(Constant::Never),
            (fewest, most) if fewest == most && most as usize == self.len() => Some(Constant::Always),
            _ => None,
        }
    }

    /// Fewest facts in one state.
    pub fn fewest(&self) -> usize {
        if self.fewest == u32::MAX { 0 } else { self.fewest as usize }
    }

    /// Most facts in one state.
    pub fn most(&self) -> usize {
        self.most as usize
    }

    /// The fluent at a place.
    pub fn fluent(&self, place: usize) -> FluentId {
        self.fluents[place]
    }

    /// The arguments of the fact at a place.
    pub fn arguments(&self, place: usize) -> &[TermId] {
        &self.arguments[place * self.arity..(place + 1) * self.arity]
    }

    /// The hypotheses that none of these states refuted: sets of arguments that determine the others. The empty
    /// set stands for at most one fact at a time.
    pub fn keys(&self, among: Among) -> Vec<Mask> {
        let refuted = |shared: Shared| match among {
            Among::All => shared.at_all,
            Among::NotTerminal => shared.before_the_end,
        };
        let width = self.masks.len();
        let mut keys = Vec::new();
        if self.most <= 1 && self.arity > 0 {
            keys.push(0);
        }
        for (hypothesis, &mask) in self.masks.iter().enumerate() {
            let column = self.projections.iter().skip(hypothesis).step_by(width);
            if !column.into_iter().any(|&projection| refuted(self.shared[projection as usize])) {
                keys.push(mask);
            }
        }
        keys
    }

    /// The smallest of the [`keys`](FactTable::keys) of all states.
    pub fn minimal_keys(&self) -> Vec<Mask> {
        minimal(&self.keys(Among::All))
    }

    /// The projections of all facts to a set of arguments, each with whether two facts of one state shared it
    /// and how many different facts have it. In the order of their first appearance.
    pub fn projected(&self, mask: Mask) -> Vec<Projected> {
        let hypothesis = self.hypothesis(mask);
        let mut found: Vec<Projected> = Vec::new();
        let mut known: FxHashMap<Box<[TermId]>, usize> = FxHashMap::default();
        for place in 0..self.len() {
            let arguments = self.arguments(place);
            let values: Box<[TermId]> = positions(mask).map(|position| arguments[position]).collect();
            let shared = match hypothesis {
                Some(hypothesis) => self.is_shared(place, hypothesis),
                None => self.most > 1,
            };
            let at = *known.entry(values.clone()).or_insert_with(|| {
                found.push(Projected { values, shared, facts: 0, only_at_the_end: true });
                found.len() - 1
            });
            found[at].facts += 1;
            found[at].only_at_the_end &= !self.before_the_end[place];
        }
        found
    }

    /// The values seen at an argument, in the order of their first appearance.
    pub fn values(&self, argument: usize) -> Vec<TermId> {
        let mut known = FxHashSet::default();
        let values = (0..self.len()).map(|place| self.arguments(place)[argument]);
        values.filter(|value| known.insert(*value)).collect()
    }

    /// Whether, in every state, each projection to `key` ever seen had exactly one fact. `key` must be one of
    /// [`keys`](FactTable::keys).
    pub fn always_full(&self, key: Mask) -> bool {
        self.fewest() == self.cells(key)
    }

    /// Whether each projection to `key` ever seen had a fact in the initial state.
    pub fn full_at_first(&self, key: Mask) -> bool {
        self.initial as usize == self.cells(key)
    }

    fn cells(&self, key: Mask) -> usize {
        if key == 0 { 1 } else { self.projected(key).len() }
    }
}

/// The values of some arguments of facts seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projected {
    /// The values, in order of argument positions.
    pub values: Box<[TermId]>,
    /// Whether two facts of one state had them.
    pub shared: bool,
    /// Number of different facts seen with them.
    pub facts: usize,
    /// Whether terminal states alone had them.
    pub only_at_the_end: bool,
}

#[cfg(test)]
pub(super) mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    /// The table of hand-made states; the first is the initial one.
    pub(crate) fn table(arity: usize, states: &[&[&[u32]]]) -> FactTable {
        let mut table = FactTable::new(arity);
        let mut places: FxHashMap<Vec<TermId>, usize> = FxHashMap::default();
        for (step, state) in states.iter().enumerate() {
            table.clear();
            table.begin(false);
            for fact in *state {
                let arguments: Vec<TermId> = fact.iter().map(|&term| TermId(term)).collect();
                let fresh = places.len();
                let place = *places.entry(arguments.clone()).or_insert(fresh);
                if place == fresh {
                    table.add(FluentId(fresh as u32), &arguments);
                }
                table.fact(place);
            }
            table.end(step as u32);
        }
        table
    }

    #[test]
    fn hypotheses_die_by_one_state() {
        let states: [&[&[u32]]; 2] = [&[&[1, 1, 7], &[1, 2, 7]], &[&[1, 1, 8], &[2, 1, 8]]];
        let table = table(3, &states);
        assert_eq!(
            table.keys(Among::All),
            [0b011],
            "1, 3 -> 2 dies in the first state, 2, 3 -> 1 in the second"
        );
        assert_eq!((table.fewest(), table.most(), table.len()), (2, 2, 4));
        assert!(!table.always_full(0b011));
    }

    #[test]
    fn facts_that_all_states_share() {
        assert_eq!(table(1, &[&[&[5], &[6]], &[&[6], &[5]]]).constant(), Some(Constant::Always));
        assert_eq!(table(1, &[&[], &[]]).constant(), Some(Constant::Never));
        assert_eq!(table(1, &[&[&[5]], &[&[6]]]).constant(), None, "as many, but others");
        assert_eq!(table(0, &[&[&[]], &[]]).constant(), None);
    }

    #[test]
    fn no_more_than_one_fact_needs_no_input() {
        let states: [&[&[u32]]; 3] = [&[&[5]], &[&[6]], &[]];
        let table = table(1, &states);
        assert_eq!(table.keys(Among::All), [0]);
        assert!(table.full_at_first(0) && !table.always_full(0));
    }

    #[test]
    fn merged_tables_know_what_each_saw() {
        let one: [&[&[u32]]; 1] = [&[&[1, 7], &[2, 8]]];
        let other: [&[&[u32]]; 1] = [&[&[2, 8], &[3, 8]]];
        let (mut first, second) = (table(2, &one), table(2, &other));
        let third = first.add(FluentId(9), &[TermId(3), TermId(8)]);
        first.merge(&second, &[1, third]);
        assert_eq!(first.keys(Among::All), [0b01], "8 was with two others at once");
    }
}
