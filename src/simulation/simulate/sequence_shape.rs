//! What a sequence of states is: which positions of a playout it takes, and what is kept of them.
//!
//! A sequence starts at any position of its playout that is not terminal, each as likely as the others, and goes a few
//! joint moves at a time. Which positions these are depends on the seed, the playout's number and its length alone.

use crate::machine::State;

use super::choice::Choices;

/// Keeps the choice of states apart from the choice of moves.
const STREAM: u64 = 0x005e_9ce5;

/// How long a sequence is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceShape {
    /// States at most.
    pub length: usize,
    /// Joint moves from one state to the next at most; at least 1.
    pub gap: usize,
}

impl Default for SequenceShape {
    /// Five states, one or two joint moves apart: Walędzik and Mańdziuk 2014.
    fn default() -> SequenceShape {
        SequenceShape { length: 5, gap: 2 }
    }
}

impl SequenceShape {
    /// The positions of a playout's sequence, ascending, where `positions` of them are not terminal.
    pub fn choose(self, seed: u64, playout: u64, positions: usize) -> Vec<usize> {
        let mut chosen = Vec::with_capacity(self.length);
        if positions == 0 {
            return chosen;
        }
        let mut choices = Choices::new(seed ^ STREAM, playout);
        let mut at = choices.below(positions);
        while at < positions && chosen.len() < self.length {
            chosen.push(at);
            at += 1 + choices.below(self.gap.max(1));
        }
        chosen
    }
}

/// Some states of a playout, in its order, none of them terminal; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// For each state the number of joint moves before it.
    pub steps: Vec<u32>,
    /// The states.
    pub states: Vec<State>,
    /// For each role its goal value at the end of the playout; none where it did not end, or has none or several.
    pub goals: Vec<Option<i32>>,
}

/// The goal value of each role that has just one.
pub(super) fn single(goals: &[Vec<i32>]) -> Vec<Option<i32>> {
    let single = |goals: &Vec<i32>| if let [goal] = goals[..] { Some(goal) } else { None };
    goals.iter().map(single).collect()
}
