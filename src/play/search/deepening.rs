//! Iterative deepening with alpha-beta. A depth cut short counts for what it found until then.

use std::sync::Arc;

use crate::evaluation::{Function, FunctionError};
use crate::feature::Measure;
use crate::machine::{MachineError, State};

use super::alpha_beta::{AlphaBeta, AlphaBetaOptions, Found};
use super::aspiration::aspiration;
use super::context::SearchContext;
use super::iterative_deepening::DepthLimited;
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use super::result::SearchResult;
use super::score::INFINITE;
use super::shared_table::SharedEntries;

/// Iterative deepening, for one role.
///
/// # Example
///
/// A move found by alpha-beta, which needs no evaluation function where it sees the end:
///
/// ```
/// # mod ggp { pub use ggp_play::*; pub use ggp_rules::*; pub use ggp_simulation::*; }
/// # std::env::set_current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))?;
/// use ggp::gdl::{Source, read};
/// use ggp::ground;
/// use ggp::machine::{Backend, load};
/// use ggp::search::{AlphaBetaOptions, Deepening, Limits, Search, SearchContext};
/// use ggp::simulate::StateReader;
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &ground::Limits::default())?;
/// let machine = &*game.machine;
/// let state = StateReader::new(machine).read(
///     "(mark 1 1 cross) (mark 1 2 cross) (mark 1 3 empty)
///      (mark 2 1 nought) (mark 2 2 nought) (mark 2 3 empty)
///      (mark 3 1 empty) (mark 3 2 empty) (mark 3 3 empty) (to_move crosses)",
/// )?;
/// let options = AlphaBetaOptions { table: 1 << 20, ..AlphaBetaOptions::default() };
/// let mut search = Deepening::plain(SearchContext::alone(machine, 0), options);
/// let limits = Limits { depth: Some(2), ..Limits::default() };
/// let found = search.search(&state, &limits, &mut |_| {})?;
/// assert_eq!(machine.move_text(found.action.expect("crosses has moves")), "(draw 1 3)");
/// assert_eq!((found.value, found.proved), (Some(100.0), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Deepening<'m> {
    alpha_beta: AlphaBeta<'m>,
    /// What the last depth came to.
    last: Option<Found>,
}

impl<'m> Deepening<'m> {
    /// A search with an evaluation function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(
        context: SearchContext<'m>,
        function: &Function,
        options: AlphaBetaOptions,
    ) -> Result<Deepening<'m>, FunctionError> {
        let leaf = Leaf::in_lanes(context.machine, function)?;
        Ok(Deepening { alpha_beta: AlphaBeta::new(context, leaf, options), last: None })
    }

    /// A search with an evaluation function of the caller. `range` has the value of the worst and of the best state for the
    /// role, in the unit of the measure; values outside of it count as its ends. `examples/own_function.rs` uses it.
    pub fn with_measure(
        context: SearchContext<'m>,
        measure: Box<dyn Measure<'m> + 'm>,
        range: [f64; 2],
        options: AlphaBetaOptions,
    ) -> Deepening<'m> {
        let leaf = Leaf::measured(context.machine, measure, range);
        Deepening { alpha_beta: AlphaBeta::new(context, leaf, options), last: None }
    }

    /// A search that knows nothing of states that are not terminal.
    pub fn plain(context: SearchContext<'m>, options: AlphaBetaOptions) -> Deepening<'m> {
        let leaf = Leaf::none_in_lanes(context.machine);
        Deepening { alpha_beta: AlphaBeta::new(context, leaf, options), last: None }
    }

    /// The same, in which a number decides between moves that nothing tells apart; 0 for the order of the rules.
    #[must_use]
    pub fn with_ties(mut self, ties: u64) -> Deepening<'m> {
        self.alpha_beta.ordering.ties = ties;
        self
    }

    /// From now on the table is one that others have, too.
    pub(super) fn share(&mut self, entries: &Arc<SharedEntries>) {
        self.alpha_beta.table.share(entries);
    }

    /// Whether a state was looked at in which both sides have a choice.
    pub(super) fn saw_both_choose(&self) -> bool {
        self.alpha_beta.at_once
    }

    fn iteration(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<Found, Halt> {
        match self.alpha_beta.options.cutoffs {
            true => aspiration(&mut self.alpha_beta, depth, self.last, meter),
            false => self.alpha_beta.root(depth, (-INFINITE, INFINITE), meter),
        }
    }
}

impl DepthLimited for Deepening<'_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        self.last = None;
        let goal = self.alpha_beta.begin(state)?;
        result.action = self.alpha_beta.any.filter(|_| goal.is_none());
        Ok(goal)
    }

    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt> {
        self.alpha_beta.forget_best();
        let iteration = self.iteration(depth, meter);
        // A depth cut short counts for what it found until then.
        if let Some((joint, found)) = self.alpha_beta.best.take() {
            result.action = Some(joint[self.alpha_beta.context.role]);
            result.value = Some(self.alpha_beta.scale.goal(found.score));
            result.principal_variation = self.alpha_beta.principal_variation();
        }
        let found = iteration?;
        result.value = Some(self.alpha_beta.scale.goal(found.score));
        result.proved = found.proved;
        self.last = Some(found);
        Ok(())
    }
}
