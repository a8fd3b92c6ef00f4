//! UCT on several threads, each with its own tree (root parallelisation, Cazenave and Jouandeau 2007). The statistics of
//! the root's moves are added at the end.
//!
//! Each tree has its own seed and share of the nodes, so that a search limited by nodes is repeatable.

use std::collections::BTreeMap;

use crate::machine::{MoveId, State};
use crate::search::limits::Limits;
use crate::search::result::{Search, SearchError, SearchResult};

use super::options::UctOptions;
use super::search::Uct;

/// Searches whose root statistics are added.
pub struct RootTrees<'m> {
    trees: Vec<Uct<'m>>,
}

impl<'m> RootTrees<'m> {
    /// A tree for each thread, made by `make` with its own seed and its share of the memory. The first tree has the seed of a
    /// search with one thread.
    ///
    /// # Errors
    /// Those of `make`.
    ///
    /// # Panics
    /// There is no thread.
    pub fn of_threads<E>(
        threads: u64,
        options: UctOptions,
        make: impl Fn(UctOptions) -> Result<Uct<'m>, E>,
    ) -> Result<RootTrees<'m>, E> {
        let memory = options.memory / threads.max(1) as usize;
        let tree = |number: u64| {
            let seed = options.seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            make(UctOptions { seed, memory, ..options })
        };
        Ok(RootTrees::new((0..threads).map(tree).collect::<Result<_, E>>()?))
    }

    /// Searches for one role of one game, each for its own thread; they should have different seeds.
    ///
    /// # Panics
    /// The list is empty.
    pub fn new(trees: Vec<Uct<'m>>) -> RootTrees<'m> {
        assert!(!trees.is_empty(), "somebody has to search");
        RootTrees { trees }
    }

    /// The move with the most visits in all trees, the better one of several, and its mean value as a share.
    fn vote(&self) -> Option<(MoveId, f64)> {
        let mut votes: BTreeMap<MoveId, (u64, f64)> = BTreeMap::new();
        for tree in &self.trees {
            for (action, visits, sum) in tree.tallies() {
                let vote = votes.entry(action).or_default();
                *vote = (vote.0 + u64::from(visits), vote.1 + sum);
            }
        }
        let order =
            |one: &(u64, f64), other: &(u64, f64)| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1));
        let best = votes.into_iter().rev().max_by(|(_, one), (_, other)| order(one, other));
        best.map(|(action, (visits, sum))| (action, sum / (visits.max(1) as f64)))
    }
}

impl Search for RootTrees<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let nodes = limits.nodes.map(|nodes| nodes.div_ceil(self.trees.len() as u64));
        let limits = &Limits { nodes, ..*limits };
        let results = std::thread::scope(|scope| {
            let (first, others) = self.trees.split_at_mut(1);
            let others: Vec<_> = others
                .iter_mut()
                .map(|tree| scope.spawn(move || tree.search(state, limits, &mut |_| {})))
                .collect();
            let mut results = vec![first[0].search(state, limits, on_progress)];
            // A panic of a thread must not be lost.
            results.extend(
                others
                    .into_iter()
                    .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))),
            );
            results.into_iter().collect::<Result<Vec<SearchResult>, SearchError>>()
        })?;
        let nodes = results.iter().map(|result| result.nodes).sum();
        let took = results.iter().map(|result| result.took).max().unwrap_or_default();
        // A proof of one tree is valid for all. Otherwise the most visited move counts, with the line of the tree that
        // visited it most.
        if let Some(proved) = results.iter().find(|result| result.proved) {
            return Ok(SearchResult { nodes, took, ..proved.clone() });
        }
        let Some((action, share)) = self.vote() else {
            return Ok(SearchResult { nodes, took, ..results[0].clone() });
        };
        let value = self.trees[0].goal(share);
        let own = results.iter().find(|result| result.action == Some(action));
        let line = own.map_or_else(Vec::new, |result| result.principal_variation.clone());
        Ok(SearchResult {
            action: Some(action),
            value: Some(value),
            depth: line.len() as u32,
            principal_variation: line,
            nodes,
            took,
            ..results[0].clone()
        })
    }
}
