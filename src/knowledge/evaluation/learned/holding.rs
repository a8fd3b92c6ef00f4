//! What holds in states, found once for all times that these are gone through.

use super::classes::{Classes, Held};
use super::conjunctions::Conjunctions;
use super::samples::Samples;
use super::ties::{Tied, Ties};

/// Entries that are kept at most.
const ROOM: usize = 20 << 20;

/// For states what of the classes of conjunctions holds, and how much of each tie.
pub(super) struct Holding<'a> {
    conjunctions: &'a Conjunctions,
    classes: &'a Classes,
    ties: &'a Ties,
    samples: &'a Samples,
    /// For each state that was looked at where its entries are.
    known: Vec<Option<Entries>>,
    held: Vec<Held>,
    tied: Vec<(u32, f32)>,
    /// How many of both are kept.
    kept: [usize; 2],
    /// What is taken anew for each state.
    holding: Vec<u32>,
    counts: Vec<[i16; 2]>,
    amounts: Tied,
}

/// Where entries begin and end.
#[derive(Clone, Copy)]
struct Entries {
    held: [u32; 2],
    tied: [u32; 2],
}

impl Holding<'_> {
    /// Nothing is known yet.
    pub(super) fn new<'a>(
        conjunctions: &'a Conjunctions,
        classes: &'a Classes,
        ties: &'a Ties,
        samples: &'a Samples,
    ) -> Holding<'a> {
        Holding {
            conjunctions,
            classes,
            ties,
            samples,
            known: vec![None; samples.len()],
            held: Vec::new(),
            tied: Vec::new(),
            kept: [0; 2],
            holding: Vec::new(),
            counts: vec![[0; 2]; classes.len()],
            amounts: Tied::default(),
        }
    }

    /// What holds in a state.
    pub(super) fn of(&mut self, state: u32) -> (&[Held], &[(u32, f32)]) {
        let entries = match self.known[state as usize] {
            Some(entries) => entries,
            None => {
                // What there was no room for is forgotten.
                self.held.truncate(self.kept[0]);
                self.tied.truncate(self.kept[1]);
                let entries = self.find(state);
                if self.held.len() + self.tied.len() < ROOM {
                    self.kept = [self.held.len(), self.tied.len()];
                    self.known[state as usize] = Some(entries);
                }
                entries
            }
        };
        let range = |[begin, end]: [u32; 2]| begin as usize..end as usize;
        (&self.held[range(entries.held)], &self.tied[range(entries.tied)])
    }

    fn find(&mut self, state: u32) -> Entries {
        let (held, tied) = (self.held.len() as u32, self.tied.len() as u32);
        self.holding.clear();
        self.conjunctions.holding(self.samples.state(state), &mut self.holding);
        self.classes.held(&self.holding, &mut self.counts, &mut self.held);
        self.holding.iter().for_each(|&conjunction| self.ties.add(conjunction, &mut self.amounts));
        self.ties.take(&mut self.amounts, &mut self.tied);
        Entries { held: [held, self.held.len() as u32], tied: [tied, self.tied.len() as u32] }
    }
}
