//! A player of single-player games: finds a path to the best end, stores it, and follows it.

use std::time::Instant;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{ChildFields, Children, State};
use crate::search::context::SearchContext;
use crate::search::leaf::Leaf;
use crate::search::limits::{Halt, Limits, Meter, Stop};
use crate::search::result::{Search, SearchError, SearchResult};
use crate::search::score::Scale;

use super::bestfirst::{BestFirst, BestFirstOptions};
use super::bidirectional::{BackwardSearchError, Bidirectional};
use super::finder::Finder;
use super::ida::{Ida, IdaOptions};
use super::path_search::PathSearch;
use super::relaxation::Relaxation;

/// A search for one player.
pub struct SingleAgentSearch<'m> {
    paths: PathSearch<'m>,
    finder: Box<dyn Finder>,
    scale: Scale,
}

impl<'m> SingleAgentSearch<'m> {
    /// Best-first search by an evaluation function; without one, by depth alone.
    ///
    /// # Errors
    /// The function does not fit the game.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn best_first(
        context: SearchContext<'m>,
        function: Option<&Function>,
        options: BestFirstOptions,
    ) -> Result<SingleAgentSearch<'m>, FunctionError> {
        SingleAgentSearch::new(context, function, Box::new(BestFirst::new(options)))
    }

    /// Best-first search by the distance in the delete relaxation, with at most `memory` bytes; none if the game has no network, or
    /// its network is too large.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn relaxed(context: SearchContext<'m>, memory: usize) -> Option<SingleAgentSearch<'m>> {
        let relaxation = Relaxation::new(context.machine)?;
        let options = BestFirstOptions { memory, ply: 0.0, deep: 0 };
        let mut search = SingleAgentSearch::best_first(context, None, options).ok()?;
        search.paths.relaxation = Some(relaxation);
        Some(search)
    }

    /// IDA* with the distance by an evaluation function.
    ///
    /// # Errors
    /// The function does not fit the game.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn ida(
        context: SearchContext<'m>,
        function: Option<&Function>,
        options: IdaOptions,
    ) -> Result<SingleAgentSearch<'m>, FunctionError> {
        SingleAgentSearch::new(context, function, Box::new(Ida::new(options)))
    }

    /// Search from both ends, with at most `memory` bytes.
    ///
    /// # Errors
    /// The ends can't be listed, or no move that leads to them can be undone.
    ///
    /// # Panics
    /// The game has more than one role.
    pub fn bidirectional(
        context: SearchContext<'m>,
        memory: usize,
    ) -> Result<SingleAgentSearch<'m>, BackwardSearchError> {
        assert_eq!(context.allies.len(), 1, "a game of one role");
        let scale = Scale::new(context.rewards);
        let leaf = Leaf::none(context.machine);
        let mut paths = PathSearch::new(context, leaf);
        let finder = Box::new(Bidirectional::new(&mut paths, memory)?);
        Ok(SingleAgentSearch { paths, finder, scale })
    }

    fn new(
        context: SearchContext<'m>,
        function: Option<&Function>,
        finder: Box<dyn Finder>,
    ) -> Result<SingleAgentSearch<'m>, FunctionError> {
        assert_eq!(context.allies.len(), 1, "a game of one role");
        let leaf = match function {
            Some(function) => Leaf::of(context.machine, function)?,
            None => Leaf::none(context.machine),
        };
        let scale = Scale::new(context.rewards);
        Ok(SingleAgentSearch { paths: PathSearch::new(context, leaf), finder, scale })
    }
}

/// The result so far.
fn result_so_far(paths: &PathSearch<'_>, scale: Scale, mut result: SearchResult) -> SearchResult {
    if let Some(plan) = &paths.plan {
        result.action = plan.moves.first().copied().or(result.action);
        result.value = Some(plan.goal.into());
        result.proved = plan.best;
        result.principal_variation = plan.moves.iter().map(|&action| vec![action]).collect();
        result.depth = result.depth.max(plan.moves.len() as u32);
    } else if let Some((action, share)) = paths.hope {
        result.action = Some(action);
        result.value = Some(scale.goal(scale.estimated(share)));
    }
    result
}

impl Search for SingleAgentSearch<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let begin = Instant::now();
        let (paths, scale) = (&mut self.paths, self.scale);
        paths.begin(state, limits);
        let mut result = SearchResult::nothing();
        if paths.plan.as_ref().is_some_and(|plan| plan.best) {
            result.stop = Stop::Solved;
            return Ok(SearchResult { took: begin.elapsed(), ..result_so_far(paths, scale, result) });
        }
        let mut seen = Children::default();
        paths.expander.evaluate(&[state], ChildFields::ALL, &mut seen)?;
        if seen.terminal(0) {
            let goal = paths.context.outcome(seen.goals(0, paths.context.role));
            return Ok(SearchResult { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..result });
        }
        // Before the search, any legal move is better than none.
        result.action = seen.legal(0, paths.context.role).first().copied();
        let mut meter = Meter::new(*limits);
        let mut better = |paths: &PathSearch<'_>, nodes: u64| {
            let so_far = SearchResult { nodes, took: begin.elapsed(), ..result.clone() };
            on_progress(&result_so_far(paths, scale, so_far));
        };
        let mut found = self.finder.find(paths, state, &mut meter, &mut better);
        // If the clock's end may be worth more than all ends found, the distance of states is not enough.
        let open = |paths: &PathSearch<'_>| !paths.is_done() && !paths.is_exhausted() && paths.cut.is_none();
        if found.is_ok() && open(paths) && paths.distinguish_clock() {
            found = self.finder.find(paths, state, &mut meter, &mut better);
        }
        match found {
            Ok(plies) => {
                result.depth = plies;
                let exhausted = paths.is_exhausted();
                if let Some(plan) = &mut paths.plan {
                    plan.best |= exhausted;
                }
                let proved = paths.plan.as_ref().is_some_and(|plan| plan.best);
                result.stop = match paths.cut {
                    _ if proved => Stop::Solved,
                    cut => cut.unwrap_or(Stop::Depth),
                };
            }
            Err(Halt::Error(error)) => return Err(error.into()),
            Err(Halt::Stop(stop)) => result.stop = stop,
        }
        result.nodes = meter.nodes;
        result.took = begin.elapsed();
        let result = result_so_far(paths, scale, result);
        on_progress(&result);
        Ok(result)
    }
}
