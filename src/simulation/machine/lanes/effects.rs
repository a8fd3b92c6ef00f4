//! Conditions that depend on a role's move only, such as "the move goes to this cell", as sets of moves. A table maps each
//! move to the sets that contain it, so no gates are needed for them.
//!
//! A role makes one of its moves in every lane that continues. The values in other lanes do not matter.

use rustc_hash::FxHashMap;

use super::gates::Signal;

/// Maximum number of set entries to process; further sets become gates.
const MAX_WORK: usize = 50_000_000;

/// Minimum number of sets of a conjunction that are joined into one set. Smaller conjunctions are often shared, so they
/// become gates.
const MIN_JOINED: usize = 4;

/// A value during compilation of the gates that depend on moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// A signal of the circuit.
    Signal(Signal),
    /// Whether the role's move is in a set.
    Moves {
        /// Index of the set.
        set: u32,
        /// Whether the value is negated.
        negated: bool,
    },
}

impl Value {
    pub(super) const FALSE: Value = Value::Signal(Signal::FALSE);
    pub(super) const TRUE: Value = Value::Signal(Signal::TRUE);

    pub(super) fn negate_if(self, negate: bool) -> Value {
        match self {
            Value::Signal(signal) => Value::Signal(signal.negate_if(negate)),
            Value::Moves { set, negated } => Value::Moves { set, negated: negated ^ negate },
        }
    }
}

/// A set of moves of a role, as ascending indices in the role's list of moves.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct MoveSet {
    role: usize,
    indices: Vec<u32>,
}

/// The sets of moves of a step.
#[derive(Debug)]
pub(super) struct MoveEffects {
    sets: Vec<MoveSet>,
    /// For each role, its possible moves.
    possible: Vec<Vec<u32>>,
    /// The sets that gates read, with their numbers.
    read_sets: FxHashMap<MoveSet, u32>,
    work_left: usize,
}

impl MoveEffects {
    pub(super) fn new(roles: usize) -> MoveEffects {
        MoveEffects {
            sets: Vec::new(),
            possible: vec![Vec::new(); roles],
            read_sets: FxHashMap::default(),
            work_left: MAX_WORK,
        }
    }

    /// Sets the possible moves of a role. Returns, for each, the value that is true if the move is made.
    pub(super) fn moves(&mut self, role: usize, indices: Vec<u32>) -> Vec<Value> {
        self.possible[role] = indices;
        let made = self.possible[role].clone();
        made.into_iter().map(|index| self.add(role, vec![index], false)).collect()
    }

    /// The value that is true if a role's move is in the set. Stores the set or its complement, whichever is smaller.
    fn add(&mut self, role: usize, mut indices: Vec<u32>, mut negated: bool) -> Value {
        let possible = &self.possible[role];
        self.work_left = self.work_left.saturating_sub(indices.len());
        if 2 * indices.len() > possible.len() {
            self.work_left = self.work_left.saturating_sub(possible.len());
            let mut others = indices.iter().copied().peekable();
            let outside = |index: &u32| others.next_if(|other| other == index).is_none();
            indices = possible.iter().copied().filter(outside).collect();
            negated = !negated;
        }
        if indices.is_empty() {
            return Value::FALSE.negate_if(negated);
        }
        self.sets.push(MoveSet { role, indices });
        Value::Moves { set: self.sets.len() as u32 - 1, negated }
    }

    /// The conjunction of the values, if one role's move determines all of them.
    pub(super) fn conjunction(&mut self, values: &[Value]) -> Option<Value> {
        let (mut within, mut without) = (Vec::new(), Vec::new());
        for &value in values {
            match value {
                Value::FALSE => return Some(Value::FALSE),
                Value::TRUE => {}
                Value::Signal(_) => return None,
                Value::Moves { set, negated: false } => within.push(set as usize),
                Value::Moves { set, negated: true } => without.push(set as usize),
            }
        }
        let Some(role) = within.iter().chain(&without).map(|&set| self.sets[set].role).next() else {
            return Some(Value::TRUE);
        };
        let all = || within.iter().chain(&without);
        if all().any(|&set| self.sets[set].role != role) {
            return None;
        }
        let size = |set: usize| self.sets[set].indices.len();
        let smallest = within.iter().copied().min_by_key(|&set| size(set));
        let candidates = smallest.map_or_else(|| without.iter().map(|&set| size(set)).sum(), size);
        if candidates * (values.len().ilog2() as usize + 1) > self.work_left {
            return None;
        }
        self.work_left -= candidates;
        let mut indices;
        if let Some(smallest) = smallest {
            let has = |set: usize, index: &u32| self.sets[set].indices.binary_search(index).is_ok();
            indices = self.sets[smallest].indices.clone();
            indices.retain(|index| {
                within.iter().all(|&set| has(set, index)) && !without.iter().any(|&set| has(set, index))
            });
        } else {
            indices = without.iter().flat_map(|&set| &self.sets[set].indices).copied().collect();
            indices.sort_unstable();
            indices.dedup();
        }
        Some(self.add(role, indices, smallest.is_none()))
    }

    /// In a conjunction, joins the values that depend on the same role's move, if there are at least [`MIN_JOINED`].
    pub(super) fn join(&mut self, values: &mut Vec<Value>) {
        for role in 0..self.possible.len() {
            let of_role = |value: &Value| matches!(*value, Value::Moves { set, .. } if self.sets[set as usize].role == role);
            let decided: Vec<Value> = values.iter().copied().filter(of_role).collect();
            if decided.len() >= MIN_JOINED
                && let Some(joined) = self.conjunction(&decided)
            {
                let sets = &self.sets;
                values.retain(
                    |value| !matches!(*value, Value::Moves { set, .. } if sets[set as usize].role == role),
                );
                values.push(joined);
            }
        }
    }

    /// The number of a set that gates read, and whether it is new.
    pub(super) fn number_of(&mut self, set: u32) -> (u32, bool) {
        let next = self.read_sets.len() as u32;
        let number = *self.read_sets.entry(self.sets[set as usize].clone()).or_insert(next);
        (number, number == next)
    }

    /// Number of sets that gates read.
    pub(super) fn read_sets(&self) -> u32 {
        self.read_sets.len() as u32
    }

    /// The table of a role with `words` moves, in compressed rows: for each move the start of its sets, and the numbers of
    /// the sets.
    pub(super) fn table(&self, role: usize, words: usize) -> (Vec<u32>, Vec<u32>) {
        let mut sets: Vec<(u32, &MoveSet)> =
            self.read_sets.iter().map(|(set, &number)| (number, set)).collect();
        sets.retain(|(_, set)| set.role == role);
        sets.sort_unstable_by_key(|&(number, _)| number);
        let mut starts = vec![0u32; words + 1];
        for (_, set) in &sets {
            set.indices.iter().for_each(|&index| starts[index as usize + 1] += 1);
        }
        (0..words).for_each(|word| starts[word + 1] += starts[word]);
        let mut ends = starts.clone();
        let mut list = vec![0; starts[words] as usize];
        for (number, set) in sets {
            for &index in &set.indices {
                let end = &mut ends[index as usize];
                list[*end as usize] = number;
                *end += 1;
            }
        }
        (starts, list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The conjunctions of up to three values are correct for every move.
    #[test]
    fn conjunctions_are_sets_of_moves() {
        for count in 1..6u32 {
            let mut effects = MoveEffects::new(2);
            let mut values = effects.moves(1, (0..count).collect());
            for round in 0..40usize {
                let pick = |number: usize| {
                    let value = values[(round * 7 + number * 5) % values.len()];
                    value.negate_if((round >> number).is_multiple_of(3))
                };
                let operands = [pick(0), pick(1), pick(2)];
                let found = effects.conjunction(&operands).expect("one role decides");
                for index in 0..count {
                    let holds = |value: Value| match value {
                        Value::Signal(signal) => signal == Signal::TRUE,
                        Value::Moves { set, negated } => {
                            effects.sets[set as usize].indices.contains(&index) != negated
                        }
                    };
                    assert_eq!(holds(found), operands.into_iter().all(holds), "{operands:?}");
                }
                values.push(found);
            }
        }
    }

    #[test]
    fn the_table_maps_moves_to_their_sets() {
        let mut effects = MoveEffects::new(1);
        let moves = effects.moves(0, vec![0, 2, 3, 5, 6, 7]);
        let either =
            effects.conjunction(&[moves[1].negate_if(true), moves[2].negate_if(true)]).expect("a set");
        for value in [moves[1], either, moves[1]] {
            let Value::Moves { set, .. } = value else { panic!("a set") };
            effects.number_of(set);
        }
        assert_eq!(effects.read_sets(), 2);
        let (starts, list) = effects.table(0, 8);
        assert_eq!(starts, [0, 0, 0, 2, 3, 3, 3, 3, 3]);
        assert_eq!(list, [0, 1, 1]);
        assert_eq!(effects.conjunction(&[moves[0], moves[1]]), Some(Value::FALSE));
        let signal = Value::Signal(Signal::of(9));
        assert_eq!(effects.conjunction(&[moves[0], signal]), None);
    }
}
