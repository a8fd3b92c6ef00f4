//! Interned sets of one role's moves.

use rustc_hash::FxHashMap;

/// The number of a set of moves.
pub(super) type SetId = u32;

/// The empty set.
pub(super) const NONE: SetId = 0;
/// All moves of every role.
pub(super) const ALL: SetId = 1;

/// Maximum number of moves of a role.
const MAX_MOVES: usize = 4096;
/// Maximum number of words of all sets.
const MAX_WORDS: usize = 1 << 22;

/// The interner of move sets.
#[derive(Clone, Debug)]
pub(super) struct MoveSets {
    /// For each role its possible moves as bits. Exactly one of them is made in a step.
    possible: Vec<Vec<u64>>,
    sets: Vec<(usize, Vec<u64>)>,
    numbers: FxHashMap<(usize, Vec<u64>), SetId>,
    both: FxHashMap<(SetId, SetId), SetId>,
    complements: FxHashMap<SetId, SetId>,
    words: usize,
}

impl MoveSets {
    /// An interner; `possible` has, for each role and move, whether the move is possible.
    pub(super) fn new(possible: &[Vec<bool>]) -> MoveSets {
        let words = |moves: &Vec<bool>| {
            let word = |moves: &[bool]| moves.iter().rev().fold(0, |word, &m| word << 1 | u64::from(m));
            moves.chunks(64).map(word).collect()
        };
        MoveSets {
            possible: possible.iter().map(words).collect(),
            // The first two sets belong to every role.
            sets: vec![(usize::MAX, Vec::new()); 2],
            numbers: FxHashMap::default(),
            both: FxHashMap::default(),
            complements: FxHashMap::default(),
            words: 0,
        }
    }

    /// The set of one move; none if there are too many moves or sets.
    pub(super) fn single(&mut self, role: usize, number: usize) -> Option<SetId> {
        if self.possible[role].len() > MAX_MOVES / 64 {
            return None;
        }
        let mut words = vec![0; self.possible[role].len()];
        words[number / 64] = 1 << (number % 64);
        self.add(role, words)
    }

    fn add(&mut self, role: usize, words: Vec<u64>) -> Option<SetId> {
        if words.iter().all(|&word| word == 0) {
            return Some(NONE);
        }
        if words == self.possible[role] {
            return Some(ALL);
        }
        let key = (role, words);
        if let Some(&number) = self.numbers.get(&key) {
            return Some(number);
        }
        self.words += key.1.len();
        if self.words > MAX_WORDS {
            return None;
        }
        self.sets.push(key.clone());
        let number = self.sets.len() as SetId - 1;
        self.numbers.insert(key, number);
        Some(number)
    }

    /// The intersection of two sets; none if they belong to different roles.
    pub(super) fn both(&mut self, a: SetId, b: SetId) -> Option<SetId> {
        match (a, b) {
            (NONE, _) | (_, NONE) => return Some(NONE),
            (ALL, other) | (other, ALL) => return Some(other),
            _ if a == b => return Some(a),
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&both) = self.both.get(&key) {
            return Some(both);
        }
        let ((role, first), (other, second)) = (&self.sets[a as usize], &self.sets[b as usize]);
        if role != other {
            return None;
        }
        let words = first.iter().zip(second).map(|(a, b)| a & b).collect();
        let both = self.add(*role, words)?;
        self.both.insert(key, both);
        Some(both)
    }

    /// The intersection of several sets; none if they belong to different roles.
    pub(super) fn all(&mut self, sets: &[SetId]) -> Option<SetId> {
        if sets.contains(&NONE) {
            return Some(NONE);
        }
        let mut own = sets.iter().copied().filter(|&set| set != ALL);
        let Some(first) = own.next() else { return Some(ALL) };
        let (role, mut words) = self.sets[first as usize].clone();
        for set in own {
            let (other, more) = &self.sets[set as usize];
            if *other != role {
                return None;
            }
            words.iter_mut().zip(more).for_each(|(word, more)| *word &= more);
        }
        self.add(role, words)
    }

    /// Number of words that intersecting these sets reads.
    pub(super) fn words_of(&self, sets: &[SetId]) -> usize {
        sets.iter().map(|&set| 1 + self.sets[set as usize].1.len()).sum()
    }

    /// The possible moves that are not in the set.
    pub(super) fn complement(&mut self, set: SetId) -> Option<SetId> {
        if set <= ALL {
            return Some(ALL - set);
        }
        if let Some(&complement) = self.complements.get(&set) {
            return Some(complement);
        }
        let (role, words) = &self.sets[set as usize];
        let words =
            words.iter().zip(&self.possible[*role]).map(|(word, possible)| possible & !word).collect();
        let complement = self.add(*role, words)?;
        self.complements.insert(set, complement);
        self.complements.insert(complement, set);
        Some(complement)
    }

    /// The role of a set; none for the empty set and the set of all moves.
    pub(super) fn role(&self, set: SetId) -> Option<usize> {
        (set > ALL).then(|| self.sets[set as usize].0)
    }

    /// Whether a set contains a move.
    pub(super) fn has(&self, set: SetId, number: usize) -> bool {
        set == ALL || set != NONE && self.sets[set as usize].1[number / 64] >> (number % 64) & 1 == 1
    }

    /// Whether a move of a role is possible.
    pub(super) fn possible(&self, role: usize, number: usize) -> bool {
        self.possible[role][number / 64] >> (number % 64) & 1 == 1
    }
}
