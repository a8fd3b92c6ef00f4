//! Facts that show whose turn it is: weights may depend on them.

use super::super::model::conjunctions::bits_of;
use super::game::PlayedGame;

/// A fact must separate at least this number of states of either kind.
const MIN_STATES: u64 = 50;

/// Limits the words of states that are examined, summed over all roles; later states are ignored.
const MAX_WORDS: usize = 20_000_000;

/// The bits that are common to some states.
#[derive(Clone, Debug, Default, PartialEq)]
struct CommonBits {
    states: u64,
    /// Bits that are set in all of these states.
    all: Vec<u64>,
    /// Bits that are set in at least one of these states.
    any: Vec<u64>,
}

impl CommonBits {
    fn add(&mut self, words: &[u64]) {
        if self.states == 0 {
            (self.all, self.any) = (words.to_vec(), words.to_vec());
        }
        self.states += 1;
        for ((all, any), word) in self.all.iter_mut().zip(&mut self.any).zip(words) {
            *all &= word;
            *any |= word;
        }
    }

    /// The bits that are set in all of these states and in none of the others.
    fn separating(&self, others: &CommonBits) -> Vec<u32> {
        let words: Vec<u64> = self.all.iter().zip(&others.any).map(|(all, any)| all & !any).collect();
        bits_of(&words).collect()
    }
}

/// The common bits of the states in which each role chooses, and of those in which only others choose.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TurnFacts {
    roles: Vec<[CommonBits; 2]>,
    words: usize,
}

impl TurnFacts {
    /// Adds the states of a game, until [`MAX_WORDS`] words were examined.
    pub(super) fn add(&mut self, roles: usize, game: &PlayedGame) {
        self.roles.resize(roles.min(64), <[CommonBits; 2]>::default());
        for (state, &choosers) in
            game.states.iter().zip(&game.choosers).filter(|(_, choosers)| **choosers != 0)
        {
            self.words += state.0.len() * self.roles.len();
            if self.words > MAX_WORDS {
                return;
            }
            for (role, [choosing, waiting]) in self.roles.iter_mut().enumerate() {
                let kind = if choosers >> role & 1 == 1 { choosing } else { waiting };
                kind.add(&state.0);
            }
        }
    }

    /// The bits of facts that hold in all states in which a role chooses, and in none in which only others choose.
    /// The bits for which the opposite is true follow.
    pub(crate) fn facts(&self, role: usize) -> Vec<u32> {
        let Some([choosing, waiting]) = self.roles.get(role) else { return Vec::new() };
        match choosing.states.min(waiting.states) < MIN_STATES {
            true => Vec::new(),
            false => [choosing.separating(waiting), waiting.separating(choosing)].concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn_facts(states: impl Iterator<Item = (u64, u64)>) -> TurnFacts {
        let mut turns = TurnFacts::default();
        for (word, choosers) in states {
            turns.add(2, &PlayedGame { choosers: vec![choosers], ..PlayedGame::of_state(word, &[]) });
        }
        turns
    }

    #[test]
    fn a_fact_that_shows_who_chooses_is_found() {
        // Bits 0 to 2 count; bit 3 is set if the first role chooses, bit 4 if the second does; every fifth state has no
        // chooser.
        let turns = turn_facts((0..200).map(|n| match n % 5 {
            4 => (n % 16, 0),
            _ => ((n / 3 % 8) | (1 << (3 + n % 2)), 1 + n % 2),
        }));
        assert_eq!((turns.facts(0), turns.facts(1)), (vec![3, 4], vec![4, 3]));
    }

    #[test]
    fn no_fact_is_found_if_both_choose_or_states_are_few() {
        assert!(turn_facts((0..200).map(|n| (n % 16, 3))).facts(0).is_empty());
        assert!(turn_facts((0..20).map(|n| (n % 2, 1 + n % 2))).facts(0).is_empty());
        assert!(turn_facts((0..200).map(|n| (n % 3, 1 + n % 2))).facts(1).is_empty());
        assert!(TurnFacts::default().facts(0).is_empty());
    }
}
