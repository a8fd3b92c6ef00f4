//! What sampled states say about legal moves.

use crate::machine::MoveId;

/// How often a move of a role was legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveCount {
    /// In so many states.
    pub legal: u64,
    /// In so many as the role's only one.
    pub only: u64,
    /// In so many as the role's only one while another role had several.
    pub waiting: u64,
}

/// Counts over all states that are not terminal.
#[derive(Clone, Debug)]
pub struct MoveSamples {
    /// For each role, counts by move.
    pub counts: Vec<Vec<MoveCount>>,
    /// States seen.
    pub states: u64,
    /// States in which two or more roles had several legal moves.
    pub simultaneous: u64,
    /// For each role, states in which it had one legal move while another role had several.
    pub waiting: Vec<u64>,
}

impl MoveSamples {
    /// Nothing seen yet.
    pub fn new(roles: usize) -> MoveSamples {
        MoveSamples { counts: vec![Vec::new(); roles], states: 0, simultaneous: 0, waiting: vec![0; roles] }
    }

    /// A state that is not terminal.
    pub fn state(&mut self, legal: &[Vec<MoveId>]) {
        self.states += 1;
        let choosing = legal.iter().filter(|moves| moves.len() > 1).count();
        self.simultaneous += u64::from(choosing > 1);
        for ((counts, moves), waiting) in self.counts.iter_mut().zip(legal).zip(&mut self.waiting) {
            let only = moves.len() == 1;
            let waits = only && choosing > 0;
            *waiting += u64::from(waits);
            for action in moves {
                let index = action.0 as usize;
                if counts.len() <= index {
                    counts.resize(index + 1, MoveCount::default());
                }
                counts[index].legal += 1;
                counts[index].only += u64::from(only);
                counts[index].waiting += u64::from(waits);
            }
        }
    }

    /// Takes over what later playouts showed.
    pub fn merge(&mut self, later: MoveSamples) {
        self.states += later.states;
        self.simultaneous += later.simultaneous;
        self.waiting.iter_mut().zip(later.waiting).for_each(|(waiting, more)| *waiting += more);
        for (counts, more) in self.counts.iter_mut().zip(later.counts) {
            if counts.len() < more.len() {
                counts.resize(more.len(), MoveCount::default());
            }
            for (count, more) in counts.iter_mut().zip(more) {
                count.legal += more.legal;
                count.only += more.only;
                count.waiting += more.waiting;
            }
        }
    }
}
