//! The layout of a network's outputs in a row of bits.

use crate::ground::{Lit, Network};

/// The layout of a network's outputs in a row of bits; each group begins at a word boundary.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// First word of each role's legal moves; the bits of the successor come before.
    pub(super) legal: Vec<usize>,
    /// First word of the goals.
    pub(super) first_goal: usize,
    /// First word of each role's goals.
    pub(super) goals: Vec<usize>,
    /// The word whose first bit is `terminal`, after the goals.
    pub(super) terminal: usize,
    /// Number of words; the last one is spare.
    pub(super) words: usize,
    /// All output literals with their bit indices.
    pub(super) outputs: Vec<(Lit, u32)>,
}

impl Places {
    pub(super) fn new(network: &Network) -> Places {
        let mut places = Places::default();
        let mut outputs = Vec::new();
        let mut word = 0;
        let mut add = |literals: &mut dyn Iterator<Item = Lit>| {
            let start = word;
            let mut bit = 0usize;
            for literal in literals {
                outputs.push((literal, (start * 64 + bit) as u32));
                bit += 1;
            }
            word += bit.div_ceil(64);
            start
        };
        add(&mut network.next.iter().copied());
        places.legal = network.moves.iter().map(|moves| add(&mut moves.iter().map(|m| m.legal))).collect();
        places.first_goal = add(&mut std::iter::empty());
        places.goals =
            network.goals.iter().map(|goals| add(&mut goals.iter().map(|&(_, when)| when))).collect();
        places.terminal = add(&mut std::iter::once(network.terminal));
        places.words = word + 1;
        places.outputs = outputs;
        places
    }

    /// A bit that is not an output.
    pub(super) fn spare(&self) -> u32 {
        (self.words as u32 - 1) * 64
    }
}
