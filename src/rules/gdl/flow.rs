//! Least fixpoint of sets of values over a graph of places: each transfer puts into its target the values that all of its
//! sources have. [`super::domain`] and `normalise::expand` compute argument domains with it.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// Places, values and transfers.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    values: Vec<IndexSet<u32, FxBuildHasher>>,
    transfers: Vec<(u32, Vec<u32>)>,
    by_source: Vec<Vec<u32>>,
}

impl Flow {
    /// Adds an empty place.
    pub(crate) fn place(&mut self) -> u32 {
        self.values.push(IndexSet::default());
        self.by_source.push(Vec::new());
        self.values.len() as u32 - 1
    }

    /// Puts a value into a place.
    pub(crate) fn value(&mut self, index: u32, value: u32) {
        self.values[index as usize].insert(value);
    }

    /// Adds a transfer: `target` gets the values that all of `sources` have. Without sources it gets none.
    pub(crate) fn transfer(&mut self, target: u32, mut sources: Vec<u32>) {
        sources.sort_unstable();
        sources.dedup();
        if sources.binary_search(&target).is_ok() {
            return;
        }
        for &source in &sources {
            self.by_source[source as usize].push(self.transfers.len() as u32);
        }
        self.transfers.push((target, sources));
    }

    /// Propagates values until nothing changes. Returns false if more than `limit` values were added.
    pub(crate) fn solve(&mut self, limit: usize) -> bool {
        let mut queue: Vec<(u32, u32)> = Vec::new();
        for (index, values) in self.values.iter().enumerate() {
            queue.extend(values.iter().map(|&value| (index as u32, value)));
        }
        let mut added = 0;
        while let Some((index, value)) = queue.pop() {
            for &transfer in &self.by_source[index as usize] {
                let (target, sources) = &self.transfers[transfer as usize];
                let all = sources.iter().all(|&source| self.values[source as usize].contains(&value));
                if all && self.values[*target as usize].insert(value) {
                    queue.push((*target, value));
                    added += 1;
                }
            }
            if added > limit {
                return false;
            }
        }
        true
    }

    /// The values of a place, in an order that is the same in every run but has no meaning.
    pub(crate) fn values(&self, index: u32) -> impl Iterator<Item = u32> {
        self.values[index as usize].iter().copied()
    }

    pub(crate) fn holds(&self, index: u32, value: u32) -> bool {
        self.values[index as usize].contains(&value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_takes_the_common_values_of_all_sources() {
        let mut flow = Flow::default();
        let [a, b, c, d] = [flow.place(), flow.place(), flow.place(), flow.place()];
        [1, 2].iter().for_each(|&value| flow.value(a, value));
        [2, 3].iter().for_each(|&value| flow.value(b, value));
        flow.transfer(c, vec![a, b]);
        flow.transfer(d, vec![c]);
        flow.transfer(d, vec![]);
        assert!(flow.solve(100));
        assert_eq!(flow.values(d).collect::<Vec<_>>(), [2]);
    }
}
