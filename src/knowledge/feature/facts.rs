//! The facts of a state: its fluents as a set of numbers.

use crate::machine::{FluentId, Machine, State};

/// A run of bits in a network's state whose fluents are numbered consecutively.
#[derive(Clone, Copy, Debug)]
struct Run {
    bit: usize,
    fluent: usize,
    length: usize,
}

/// The fluents that hold in a state of one machine, as a set over [`FluentId`].
///
/// On a network the numbers of fluents are fixed, and words are copied. On the relational machine any state can have
/// new numbers, and the set grows.
#[derive(Clone, Debug)]
pub struct Facts {
    words: Vec<u64>,
    /// On a network: how the bits of the state are copied into the words.
    runs: Option<Vec<Run>>,
    /// Whether some fluents hold in every state of a network.
    has_constants: bool,
    /// Without a network: the fluents that hold.
    listed: Vec<FluentId>,
}

impl Facts {
    /// The facts of a machine's initial state.
    pub fn new(machine: &dyn Machine) -> Facts {
        let mut facts = Facts { words: Vec::new(), runs: None, has_constants: false, listed: Vec::new() };
        if let Some(network) = machine.network() {
            facts.words = vec![0; network.fluents.len().div_ceil(64)];
            for (number, _) in network.fluents.iter().enumerate().filter(|(_, fluent)| fluent.bit.is_none()) {
                facts.words[number / 64] |= 1 << (number % 64);
            }
            let mut runs: Vec<Run> = Vec::new();
            for (bit, &fluent) in network.bits.iter().enumerate() {
                match runs.last_mut() {
                    Some(run) if run.fluent + run.length == fluent as usize => run.length += 1,
                    _ => runs.push(Run { bit, fluent: fluent as usize, length: 1 }),
                }
            }
            facts.runs = Some(runs);
            facts.has_constants = network.bits.len() < network.fluents.len();
        }
        facts.fill(machine, machine.initial());
        facts
    }

    /// Replaces the facts by those of another state of the same machine.
    pub fn fill(&mut self, machine: &dyn Machine, state: &State) {
        match &self.runs {
            Some(runs) => match runs[..] {
                // Fluents that always hold have no bit, so a copy of whole words would lose them.
                [Run { bit: 0, fluent: 0, .. }]
                    if self.words.len() == state.0.len() && !self.has_constants =>
                {
                    self.words.copy_from_slice(&state.0);
                }
                _ => runs.iter().for_each(|&run| copy(&mut self.words, &state.0, run)),
            },
            None => {
                for fluent in self.listed.drain(..) {
                    self.words[fluent.0 as usize / 64] = 0;
                }
                machine.fluents(state, &mut self.listed);
                let word_count =
                    self.listed.iter().map(|fluent| fluent.0 as usize / 64 + 1).max().unwrap_or(0);
                if word_count > self.words.len() {
                    self.words.resize(word_count, 0);
                }
                for fluent in &self.listed {
                    self.words[fluent.0 as usize / 64] |= 1 << (fluent.0 % 64);
                }
            }
        }
    }

    /// Whether a fluent holds.
    pub fn contains(&self, fluent: FluentId) -> bool {
        let word = self.words.get(fluent.0 as usize / 64).copied().unwrap_or(0);
        word >> (fluent.0 % 64) & 1 == 1
    }

    /// The set as bits: fluent `n` is bit `n % 64` of word `n / 64`. Missing words are 0.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The number of fluents that hold.
    pub fn len(&self) -> usize {
        match self.runs {
            Some(_) => self.words.iter().map(|word| word.count_ones() as usize).sum(),
            None => self.listed.len(),
        }
    }

    /// Whether no fluent holds.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls `visit` for each fluent that holds: in ascending order on a network, otherwise in the order of the
    /// state.
    pub fn for_each(&self, mut visit: impl FnMut(FluentId)) {
        if self.runs.is_none() {
            self.listed.iter().for_each(|&fluent| visit(fluent));
            return;
        }
        for (index, &word) in self.words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                visit(FluentId((index * 64) as u32 + left.trailing_zeros()));
                left &= left - 1;
            }
        }
    }
}

/// Copies the bits of a run, up to a word at a time.
fn copy(words: &mut [u64], state: &[u64], run: Run) {
    let mut copied = 0;
    while copied < run.length {
        let (to, shift) = ((run.fluent + copied) / 64, (run.fluent + copied) % 64);
        let count = (run.length - copied).min(64 - shift);
        let mask = (u64::MAX >> (64 - count)) << shift;
        words[to] = words[to] & !mask | (bits(state, run.bit + copied) << shift) & mask;
        copied += count;
    }
}

/// The 64 bits that start at bit `from`; those past the end are 0.
fn bits(state: &[u64], from: usize) -> u64 {
    let word = |index: usize| state.get(index).copied().unwrap_or(0);
    match from % 64 {
        0 => word(from / 64),
        shift => word(from / 64) >> shift | word(from / 64 + 1) << (64 - shift),
    }
}
