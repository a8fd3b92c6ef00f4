//! Short sequences of states from a playout, and the choice of their positions.
//!
//! A sequence starts at a uniformly random nonterminal position of its playout and advances a few joint moves per state. The
//! positions depend only on the seed, the playout's number and its length.

use crate::machine::State;

use super::choice::Choices;

/// Separates the random numbers for positions from those for moves.
const STREAM: u64 = 0x005e_9ce5;

/// The length of sequences and the distance between their states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceShape {
    /// Maximum number of states.
    pub length: usize,
    /// Maximum number of joint moves between successive states, at least 1.
    pub gap: usize,
}

impl Default for SequenceShape {
    /// Five states, one or two joint moves apart (Walędzik and Mańdziuk 2014).
    fn default() -> SequenceShape {
        SequenceShape { length: 5, gap: 2 }
    }
}

impl SequenceShape {
    /// The positions of a playout's sequence, ascending. `positions` is the number of nonterminal positions.
    pub fn choose(self, seed: u64, playout: u64, positions: usize) -> Vec<usize> {
        let mut chosen = Vec::with_capacity(self.length);
        if positions == 0 {
            return chosen;
        }
        let mut choices = Choices::new(seed ^ STREAM, playout);
        let mut position = choices.below(positions);
        while position < positions && chosen.len() < self.length {
            chosen.push(position);
            position += 1 + choices.below(self.gap.max(1));
        }
        chosen
    }
}

/// Nonterminal states of one playout, in their order; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// For each state, the number of joint moves before it.
    pub steps: Vec<u32>,
    /// The states.
    pub states: Vec<State>,
    /// For each role, its goal value at the end of the playout; none if the playout did not end or the role has not exactly
    /// one value.
    pub goals: Vec<Option<i32>>,
}

/// The goal value of each role that has exactly one.
pub(super) fn single(goals: &[Vec<i32>]) -> Vec<Option<i32>> {
    let single = |goals: &Vec<i32>| if let [goal] = goals[..] { Some(goal) } else { None };
    goals.iter().map(single).collect()
}
