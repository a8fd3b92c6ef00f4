//! Alpha-beta or MTD(f) on several threads that share a transposition table (lazy SMP). Each thread searches the same state; half
//! of them search one ply deeper. They exchange results through the table.
//!
//! The order of the threads varies, so a search can't be repeated exactly. The answer is that of the thread with the
//! greatest depth.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::machine::{MachineError, State};

use super::alpha_beta::AlphaBetaOptions;
use super::deepening::Deepening;
use super::iterative_deepening::DepthLimited;
use super::limits::{Halt, Limits, Meter, Stop};
use super::result::{Search, SearchError, SearchResult};
use super::table::Table;

/// Searches that share a transposition table.
pub struct LazySmp<'m> {
    searches: Vec<Deepening<'m>>,
}

impl<'m> LazySmp<'m> {
    /// A search for each thread, made by `make` with these options and a shared table.
    ///
    /// # Errors
    /// Those of `make`.
    ///
    /// # Panics
    /// There is no thread.
    pub fn of_threads<E>(
        threads: u64,
        options: AlphaBetaOptions,
        make: impl Fn(AlphaBetaOptions) -> Result<Deepening<'m>, E>,
    ) -> Result<LazySmp<'m>, E> {
        let alone = AlphaBetaOptions { table: 0, ..options };
        let searches = (0..threads).map(|_| make(alone)).collect::<Result<_, E>>()?;
        Ok(LazySmp::new(searches, options.table))
    }

    /// Searches for one role of one game, each for its own thread, with a shared table of `table` bytes.
    ///
    /// # Panics
    /// `searches` is empty.
    pub fn new(mut searches: Vec<Deepening<'m>>, table: usize) -> LazySmp<'m> {
        assert!(!searches.is_empty(), "the list of searches is empty");
        let entries = Table::shared_entries(table);
        searches.iter_mut().for_each(|search| search.share(&entries));
        LazySmp { searches }
    }
}

/// A search that adds `plies` to the requested depth.
struct DeeperSearch<'s, 'm> {
    search: &'s mut Deepening<'m>,
    plies: u32,
}

impl DepthLimited for DeeperSearch<'_, '_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        self.search.begin(state, result)
    }

    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt> {
        self.search.search_to_depth(depth + self.plies, meter, result)
    }
}

impl Search for LazySmp<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let count = self.searches.len() as u64;
        let nodes = limits.nodes.map(|nodes| nodes.div_ceil(count));
        let stop_helpers = AtomicBool::new(false);
        let helping = Limits { nodes, interrupt: Some(&stop_helpers), ..*limits };
        let Some((first, others)) = self.searches.split_first_mut() else {
            return Ok(SearchResult::nothing());
        };
        let (result, helped) = std::thread::scope(|scope| {
            let helpers: Vec<_> = others
                .iter_mut()
                .enumerate()
                .map(|(number, search)| {
                    // With a depth limit, every thread must search exactly to it.
                    let plies = if limits.depth.is_some() { 0 } else { (number as u32 + 1) % 2 };
                    let helping = &helping;
                    scope.spawn(move || {
                        let result = DeeperSearch { search, plies }.search(state, helping, &mut |_| {});
                        result.map(|result| SearchResult { depth: result.depth + plies, ..result })
                    })
                })
                .collect();
            let result = first.search(state, &Limits { nodes, ..*limits }, &mut |result| {
                on_progress(&SearchResult { repeatable: false, ..result.clone() });
            });
            stop_helpers.store(true, Ordering::Relaxed);
            let helped: Vec<_> = helpers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            (result, helped)
        });
        let mut result = result?;
        let stop = result.stop;
        for helped in helped {
            // A panic of a thread must not be lost.
            let helped = helped.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            let nodes = result.nodes + helped.nodes;
            let better =
                (helped.proved, helped.depth) > (result.proved, result.depth) && helped.value.is_some();
            if better {
                result = SearchResult {
                    stop: if helped.proved { Stop::Solved } else { stop },
                    took: result.took,
                    ..helped
                };
            }
            result.nodes = nodes;
        }
        Ok(SearchResult { repeatable: false, ..result })
    }
}
