//! A cache of the classes and ties that are active in each sample, so that they are computed once for all passes of a
//! fit.

use super::super::model::conjunctions::Conjunctions;
use super::super::self_play::samples::Samples;
use super::classes::{ActiveClass, Classes};
use super::ties::{TieCounts, Ties};

/// Limit of the cached entries; entries of other samples are computed each time.
const MAX_CACHED_ENTRIES: usize = 20 << 20;

/// For each sample the active classes of conjunctions, and the amount of each tie.
pub(super) struct Activations<'a> {
    conjunctions: &'a Conjunctions,
    classes: &'a Classes,
    ties: &'a Ties,
    samples: &'a Samples,
    /// For each sample the index of its entries, if they are cached.
    entries_of_samples: Vec<Option<Entries>>,
    active: Vec<ActiveClass>,
    tied: Vec<(u32, f32)>,
    /// The numbers of cached entries in `active` and in `tied`.
    cached_counts: [usize; 2],
    buffers: Buffers,
}

/// The range of a sample's entries.
#[derive(Clone, Copy)]
struct Entries {
    active: [u32; 2],
    tied: [u32; 2],
}

/// Buffers that are reused for each sample.
struct Buffers {
    conjunctions: Vec<u32>,
    counts: Vec<[i16; 2]>,
    ties: TieCounts,
}

impl Activations<'_> {
    pub(super) fn new<'a>(
        conjunctions: &'a Conjunctions,
        classes: &'a Classes,
        ties: &'a Ties,
        samples: &'a Samples,
    ) -> Activations<'a> {
        let counts = vec![[0; 2]; classes.len()];
        Activations {
            conjunctions,
            classes,
            ties,
            samples,
            entries_of_samples: vec![None; samples.len()],
            active: Vec::new(),
            tied: Vec::new(),
            cached_counts: [0; 2],
            buffers: Buffers { conjunctions: Vec::new(), counts, ties: TieCounts::default() },
        }
    }

    /// The active classes and the ties of a sample.
    pub(super) fn of(&mut self, sample: u32) -> (&[ActiveClass], &[(u32, f32)]) {
        let entries = match self.entries_of_samples[sample as usize] {
            Some(entries) => entries,
            None => {
                // Removes the entries of the last sample if they are not cached.
                self.active.truncate(self.cached_counts[0]);
                self.tied.truncate(self.cached_counts[1]);
                let entries = self.find(sample);
                if self.active.len() + self.tied.len() < MAX_CACHED_ENTRIES {
                    self.cached_counts = [self.active.len(), self.tied.len()];
                    self.entries_of_samples[sample as usize] = Some(entries);
                }
                entries
            }
        };
        let range = |[begin, end]: [u32; 2]| begin as usize..end as usize;
        (&self.active[range(entries.active)], &self.tied[range(entries.tied)])
    }

    fn find(&mut self, sample: u32) -> Entries {
        let (active, tied) = (self.active.len() as u32, self.tied.len() as u32);
        let Buffers { conjunctions, counts, ties } = &mut self.buffers;
        conjunctions.clear();
        self.conjunctions.push_true(self.samples.state(sample), conjunctions);
        self.classes.push_active(conjunctions, counts, &mut self.active);
        conjunctions.iter().for_each(|&conjunction| self.ties.count(conjunction, ties));
        self.ties.take(ties, &mut self.tied);
        Entries { active: [active, self.active.len() as u32], tied: [tied, self.tied.len() as u32] }
    }
}
