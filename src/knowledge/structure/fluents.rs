//! Facts of each fluent relation in sampled states: which arguments determine which, how many facts hold at
//! once, and which objects are on more than one cell.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::term::TermId;
use crate::machine::FluentId;

use super::finding::Constant;

/// Largest arity for which every set of arguments is a hypothesis; above it, only small and large sets are.
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

/// Whether two facts of one state had the same projection: in any state, and in a state that is not
/// terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Collision {
    pub(super) any_state: bool,
    pub(super) before_end: bool,
}

/// The states in which a hypothesis must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateScope {
    /// Every state.
    All,
    /// Every state that is not terminal.
    NotTerminal,
}

/// The facts of one fluent relation in sampled states.
///
/// For every set of arguments (a hypothesis "these determine the others") it stores the projections of all
/// facts seen, and whether two facts of one state had the same projection. Such a collision refutes the
/// hypothesis. If the set is the contents of a board, the contents are on two cells.
#[derive(Clone, Debug)]
pub struct FactTable {
    arity: usize,
    /// The hypotheses.
    masks: Vec<Mask>,
    fluents: Vec<FluentId>,
    /// Arguments of the facts, concatenated.
    arguments: Vec<TermId>,
    /// For each fact, one projection for each hypothesis.
    projections: Vec<u32>,
    index: FxHashMap<(Mask, Box<[TermId]>), u32>,
    /// For each projection, the number of facts of the current state that have it.
    facts: Vec<u32>,
    /// For each projection, whether two facts of one state had it.
    shared: Vec<Collision>,
    /// For each fact, whether the current state has it.
    held: Vec<bool>,
    /// For each fact, whether a state that is not terminal had it.
    pub(super) before_end: Vec<bool>,
    /// Facts that appeared in the previous, terminal state.
    late: Vec<u32>,
    /// The collision to record if two facts of the current state have the same projection.
    seen: Collision,
    /// Whether two facts got the same projection in a terminal state since the table was last cleared.
    collided_at_end: bool,
    /// Number of facts in the current state.
    count: u32,
    /// The sum of the indices of the facts in the current state.
    sum: usize,
    fewest: u32,
    most: u32,
    /// Number of facts in the initial state.
    initial: u32,
}

/// The sets without a proper subset among the others.
pub(super) fn minimal(sets: &[Mask]) -> Vec<Mask> {
    let contains = |set: Mask, other: Mask| other != set && other & set == other;
    sets.iter().copied().filter(|&set| !sets.iter().any(|&other| contains(set, other))).collect()
}

impl Collision {
    pub(super) fn add(&mut self, other: Collision) {
        self.any_state |= other.any_state;
        self.before_end |= other.before_end;
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
            before_end: Vec::new(),
            late: Vec::new(),
            seen: Collision::default(),
            collided_at_end: false,
            count: 0,
            sum: 0,
            fewest: u32::MAX,
            most: 0,
            initial: 0,
        }
    }

    pub(super) fn add(&mut self, fluent: FluentId, arguments: &[TermId]) -> usize {
        let index = self.fluents.len();
        self.fluents.push(fluent);
        self.held.push(false);
        self.before_end.push(false);
        self.arguments.extend_from_slice(arguments);
        for &mask in &self.masks {
            let values: Box<[TermId]> = positions(mask).map(|position| arguments[position]).collect();
            let fresh = self.facts.len() as u32;
            let projection = *self.index.entry((mask, values)).or_insert(fresh);
            if projection == fresh {
                self.facts.push(0);
                self.shared.push(Collision::default());
            }
            self.projections.push(projection);
        }
        index
    }

    /// Begins a state with the facts of the previous one. Then facts are [removed](FactTable::remove), and
    /// others [inserted](FactTable::insert).
    pub fn begin(&mut self, terminal: bool) {
        self.seen = Collision { any_state: true, before_end: !terminal };
    }

    /// Whether the table must be [cleared](FactTable::clear) before the next state: collisions that
    /// occurred only in a terminal state would not be noticed again.
    pub fn needs_clear(&self) -> bool {
        self.collided_at_end
    }

    /// Removes all facts from the current state.
    pub fn clear(&mut self) {
        self.facts.fill(0);
        self.held.fill(false);
        self.late.clear();
        (self.count, self.sum) = (0, 0);
        self.collided_at_end = false;
    }

    /// Adds a fact that the previous state did not have.
    pub fn insert(&mut self, index: usize) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(index);
        self.held[index] = true;
        match self.seen.before_end {
            true => self.before_end[index] = true,
            false => self.late.push(index as u32),
        }
        let width = self.masks.len();
        for &projection in &self.projections[index * width..(index + 1) * width] {
            let facts = &mut self.facts[projection as usize];
            if *facts > 0 {
                self.shared[projection as usize].add(self.seen);
                self.collided_at_end |= !self.seen.before_end;
            }
            *facts += 1;
        }
    }

    /// Removes a fact that the current state no longer has. Must be called before any insertion.
    pub fn remove(&mut self, index: usize) {
        self.count -= 1;
        self.sum = self.sum.wrapping_sub(index);
        self.held[index] = false;
        let width = self.masks.len();
        for &projection in &self.projections[index * width..(index + 1) * width] {
            self.facts[projection as usize] -= 1;
        }
    }

    /// Ends a state that is reached by `step` joint moves.
    pub fn end(&mut self, step: u32) {
        if self.seen.before_end {
            // Facts that appeared in a terminal state and are in the initial state of the next playout as
            // well.
            for index in self.late.drain(..) {
                self.before_end[index as usize] |= self.held[index as usize];
            }
        }
        if step == 0 {
            self.initial = self.count;
        }
        self.fewest = self.fewest.min(self.count);
        self.most = self.most.max(self.count);
    }

    /// The index of the only fact of the latest complete state, if it had exactly one.
    pub fn only_fact(&self) -> Option<usize> {
        (self.count == 1).then_some(self.sum)
    }

    /// Adds another table of the same relation; `places` maps its facts to their indices here.
    pub fn merge(&mut self, later: &FactTable, places: &[usize]) {
        let width = self.masks.len();
        for (index, &here) in places.iter().enumerate() {
            for hypothesis in 0..width {
                let (from, to) = (index * width + hypothesis, here * width + hypothesis);
                let shared = later.shared[later.projections[from] as usize];
                self.shared[self.projections[to] as usize].add(shared);
            }
            self.before_end[here] |= later.before_end[index];
        }
        self.fewest = self.fewest.min(later.fewest);
        self.most = self.most.max(later.most);
        self.initial = self.initial.max(later.initial);
        self.clear();
    }

    /// Records a collision of the projection that a fact has under a hypothesis.
    pub(super) fn record_collision(&mut self, index: usize, hypothesis: usize, shared: Collision) {
        let projection = self.projection(index, hypothesis);
        self.shared[projection].add(shared);
    }

    /// Records the fewest and the most facts of one state, and the number in the initial state.
    pub(super) fn record_counts(&mut self, fewest: u64, most: u64, initial: u64) {
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
    pub(super) fn projection(&self, index: usize, hypothesis: usize) -> usize {
        self.projections[index * self.masks.len() + hypothesis] as usize
    }

    /// The index of the hypothesis for a set, if there is one.
    pub fn hypothesis(&self, mask: Mask) -> Option<usize> {
        self.masks.iter().position(|&other| other == mask)
    }

    /// Whether two facts of one state had the projection that a fact has under a hypothesis.
    pub fn is_shared(&self, index: usize, hypothesis: usize) -> bool {
        self.shared[self.projection(index, hypothesis)].any_state
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

    /// Whether facts were seen, but only in terminal states.
    pub fn is_only_at_end(&self) -> bool {
        !self.is_empty() && !self.before_end.contains(&true)
    }

    /// The constant facts, if all states had the same ones.
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

    /// The fluent at an index.
    pub fn fluent(&self, index: usize) -> FluentId {
        self.fluents[index]
    }

    /// The arguments of the fact at an index.
    pub fn arguments(&self, index: usize) -> &[TermId] {
        &self.arguments[index * self.arity..(index + 1) * self.arity]
    }

    /// The hypotheses that no state in the scope refuted: sets of arguments that determine the others. The
    /// empty set means at most one fact at a time.
    pub fn keys(&self, among: StateScope) -> Vec<Mask> {
        let refuted = |shared: Collision| match among {
            StateScope::All => shared.any_state,
            StateScope::NotTerminal => shared.before_end,
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
        minimal(&self.keys(StateScope::All))
    }

    /// The projections of all facts to a set of arguments, in the order of their first appearance. Each has
    /// the number of different facts, and whether two facts of one state had it.
    pub fn project(&self, mask: Mask) -> Vec<Projection> {
        let hypothesis = self.hypothesis(mask);
        let mut projections: Vec<Projection> = Vec::new();
        let mut known: FxHashMap<Box<[TermId]>, usize> = FxHashMap::default();
        for index in 0..self.len() {
            let arguments = self.arguments(index);
            let values: Box<[TermId]> = positions(mask).map(|position| arguments[position]).collect();
            let shared = match hypothesis {
                Some(hypothesis) => self.is_shared(index, hypothesis),
                None => self.most > 1,
            };
            let at = *known.entry(values.clone()).or_insert_with(|| {
                projections.push(Projection { values, shared, facts: 0, only_at_end: true });
                projections.len() - 1
            });
            projections[at].facts += 1;
            projections[at].only_at_end &= !self.before_end[index];
        }
        projections
    }

    /// The values seen at an argument, in the order of their first appearance.
    pub fn values(&self, argument: usize) -> Vec<TermId> {
        let mut known = FxHashSet::default();
        let values = (0..self.len()).map(|index| self.arguments(index)[argument]);
        values.filter(|value| known.insert(*value)).collect()
    }

    /// Whether in every state each projection to `key` ever seen had exactly one fact. `key` must be one of
    /// [`keys`](FactTable::keys).
    pub fn always_full(&self, key: Mask) -> bool {
        self.fewest() == self.cells(key)
    }

    /// Whether each projection to `key` ever seen had a fact in the initial state.
    pub fn full_at_first(&self, key: Mask) -> bool {
        self.initial as usize == self.cells(key)
    }

    fn cells(&self, key: Mask) -> usize {
        if key == 0 { 1 } else { self.project(key).len() }
    }
}

/// The values of some arguments of facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Projection {
    /// The values, in order of argument positions.
    pub values: Box<[TermId]>,
    /// Whether two facts of one state had them.
    pub shared: bool,
    /// Number of different facts with these values.
    pub facts: usize,
    /// Whether only terminal states had them.
    pub only_at_end: bool,
}

#[cfg(test)]
pub(super) mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    /// The table of hand-made states; the first is initial.
    pub(crate) fn table(arity: usize, states: &[&[&[u32]]]) -> FactTable {
        let mut table = FactTable::new(arity);
        let mut places: FxHashMap<Vec<TermId>, usize> = FxHashMap::default();
        for (step, state) in states.iter().enumerate() {
            table.clear();
            table.begin(false);
            for fact in *state {
                let arguments: Vec<TermId> = fact.iter().map(|&term| TermId(term)).collect();
                let fresh = places.len();
                let index = *places.entry(arguments.clone()).or_insert(fresh);
                if index == fresh {
                    table.add(FluentId(fresh as u32), &arguments);
                }
                table.insert(index);
            }
            table.end(step as u32);
        }
        table
    }

    #[test]
    fn one_state_refutes_a_hypothesis() {
        let states: [&[&[u32]]; 2] = [&[&[1, 1, 7], &[1, 2, 7]], &[&[1, 1, 8], &[2, 1, 8]]];
        let table = table(3, &states);
        assert_eq!(
            table.keys(StateScope::All),
            [0b011],
            "1, 3 -> 2 dies in the first state, 2, 3 -> 1 in the second"
        );
        assert_eq!((table.fewest(), table.most(), table.len()), (2, 2, 4));
        assert!(!table.always_full(0b011));
    }

    #[test]
    fn common_facts_of_all_states_are_found() {
        assert_eq!(table(1, &[&[&[5], &[6]], &[&[6], &[5]]]).constant(), Some(Constant::Always));
        assert_eq!(table(1, &[&[], &[]]).constant(), Some(Constant::Never));
        assert_eq!(table(1, &[&[&[5]], &[&[6]]]).constant(), None, "as many, but others");
        assert_eq!(table(0, &[&[&[]], &[]]).constant(), None);
    }

    #[test]
    fn a_single_fact_needs_no_input() {
        let states: [&[&[u32]]; 3] = [&[&[5]], &[&[6]], &[]];
        let table = table(1, &states);
        assert_eq!(table.keys(StateScope::All), [0]);
        assert!(table.full_at_first(0) && !table.always_full(0));
    }

    #[test]
    fn merged_tables_combine_their_observations() {
        let one: [&[&[u32]]; 1] = [&[&[1, 7], &[2, 8]]];
        let other: [&[&[u32]]; 1] = [&[&[2, 8], &[3, 8]]];
        let (mut first, second) = (table(2, &one), table(2, &other));
        let third = first.add(FluentId(9), &[TermId(3), TermId(8)]);
        first.merge(&second, &[1, third]);
        assert_eq!(first.keys(StateScope::All), [0b01], "8 was with two others at once");
    }
}
