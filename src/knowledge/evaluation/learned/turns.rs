//! Facts that tell whose turn it is: weights may differ by it.

use crate::machine::State;

use super::conjunctions::bits_of;

/// States of each kind that have to be seen before a fact is believed to tell them apart.
const LEAST: u64 = 50;

/// Words looked at in all states and for all roles together, at most.
const WORDS: usize = 20_000_000;

/// For a role, what is common to the states in which it chooses, and to those in which others alone do.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    chooses: Common,
    others: Common,
}

/// What is common to some states.
#[derive(Clone, Debug, Default, PartialEq)]
struct Common {
    states: u64,
    /// Bits that hold in all of them, and in one at least.
    all: Vec<u64>,
    any: Vec<u64>,
}

impl Common {
    fn note(&mut self, words: &[u64]) {
        if self.states == 0 {
            (self.all, self.any) = (words.to_vec(), words.to_vec());
        }
        self.states += 1;
        for ((all, any), word) in self.all.iter_mut().zip(&mut self.any).zip(words) {
            *all &= word;
            *any |= word;
        }
    }

    /// The bits that hold in all of these, and in none of those.
    fn told_from(&self, others: &Common) -> Vec<u32> {
        let words: Vec<u64> = self.all.iter().zip(&others.any).map(|(all, any)| all & !any).collect();
        bits_of(&words).collect()
    }
}

/// What is seen of who chooses in which states.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Turns {
    roles: Vec<Seen>,
    words: usize,
}

impl Turns {
    /// Takes in states, with the roles that choose in each, a bit for a role, until enough were seen.
    pub(super) fn note(&mut self, roles: usize, states: &[State], choosers: &[u64]) {
        self.roles.resize(roles.min(64), Seen::default());
        for (state, &choosers) in states.iter().zip(choosers).filter(|(_, choosers)| **choosers != 0) {
            self.words += state.0.len() * self.roles.len();
            if self.words > WORDS {
                return;
            }
            for (role, seen) in self.roles.iter_mut().enumerate() {
                let kind = if choosers >> role & 1 == 1 { &mut seen.chooses } else { &mut seen.others };
                kind.note(&state.0);
            }
        }
    }

    /// The bits of facts that hold in all states in which a role chooses and in none in which others alone do; then those of
    /// facts of which the opposite is true.
    pub(super) fn facts(&self, role: usize) -> Vec<u32> {
        let Some(Seen { chooses, others }) = self.roles.get(role) else { return Vec::new() };
        match chooses.states.min(others.states) < LEAST {
            true => Vec::new(),
            false => [chooses.told_from(others), others.told_from(chooses)].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noted(states: impl Iterator<Item = (u64, u64)>) -> Turns {
        let mut turns = Turns::default();
        for (word, choosers) in states {
            turns.note(2, &[State(Box::new([word]))], &[choosers]);
        }
        turns
    }

    #[test]
    fn a_fact_that_tells_who_chooses_is_found() {
        // Bits 0 to 2 count, bit 3 holds where the first role chooses, bit 4 else; where nobody does they tell nothing.
        let turns = noted((0..200).map(|n| match n % 5 {
            4 => (n % 16, 0),
            _ => ((n / 3 % 8) | (1 << (3 + n % 2)), 1 + n % 2),
        }));
        assert_eq!((turns.facts(0), turns.facts(1)), (vec![3, 4], vec![4, 3]));
    }

    #[test]
    fn nothing_tells_where_both_choose_or_little_was_seen() {
        assert!(noted((0..200).map(|n| (n % 16, 3))).facts(0).is_empty());
        assert!(noted((0..20).map(|n| (n % 2, 1 + n % 2))).facts(0).is_empty());
        assert!(noted((0..200).map(|n| (n % 3, 1 + n % 2))).facts(1).is_empty());
        assert!(Turns::default().facts(0).is_empty());
    }
}
