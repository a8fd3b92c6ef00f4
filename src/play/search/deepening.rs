//! Iterative deepening with alpha-beta. If a depth is interrupted, its best move so far counts.

use std::sync::Arc;

use crate::evaluation::{Function, FunctionError};
use crate::feature::Measure;
use crate::machine::{MachineError, State};

use super::alpha_beta::{AlphaBeta, AlphaBetaOptions};
use super::aspiration::aspiration;
use super::context::SearchContext;
use super::iterative_deepening::DepthLimited;
use super::knowledge::NodeValue;
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use super::mtdf::mtdf;
use super::result::SearchResult;

use super::shared_table::SharedEntries;
use super::symmetry::Symmetries;
use super::window::FULL;

/// Iterative deepening, for one role.
///
/// # Example
///
/// Alpha-beta needs no evaluation function if it reaches the end:
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
/// let result = search.search(&state, &limits, &mut |_| {})?;
/// assert_eq!(machine.move_text(result.action.expect("crosses has moves")), "(draw 1 3)");
/// assert_eq!((result.value, result.proved), (Some(100.0), true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Deepening<'m> {
    alpha_beta: AlphaBeta<'m>,
    /// The value at the last completed depth.
    last: Option<NodeValue>,
    /// Whether all windows are empty, as in MTD(f).
    is_mtdf: bool,
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
        Ok(Deepening { alpha_beta: AlphaBeta::new(context, leaf, options), last: None, is_mtdf: false })
    }

    /// A search with an evaluation function of the caller. `range` has the values of the worst and of the best state
    /// for the role, in the unit of the measure. Values outside are clamped. `examples/own_function.rs` uses it.
    pub fn with_measure(
        context: SearchContext<'m>,
        measure: Box<dyn Measure<'m> + 'm>,
        range: [f64; 2],
        options: AlphaBetaOptions,
    ) -> Deepening<'m> {
        let leaf = Leaf::measured(context.machine, measure, range);
        Deepening { alpha_beta: AlphaBeta::new(context, leaf, options), last: None, is_mtdf: false }
    }

    /// A search without an evaluation function.
    pub fn plain(context: SearchContext<'m>, options: AlphaBetaOptions) -> Deepening<'m> {
        let leaf = Leaf::none_in_lanes(context.machine);
        Deepening { alpha_beta: AlphaBeta::new(context, leaf, options), last: None, is_mtdf: false }
    }

    /// Chooses among moves of equal rank by this number; 0 keeps the order of the rules.
    #[must_use]
    pub fn with_ties(mut self, ties: u64) -> Deepening<'m> {
        self.alpha_beta.knowledge.ordering.ties = ties;
        self
    }

    /// Finds the value of each depth by empty windows (MTD(f)) instead of aspiration windows.
    #[must_use]
    pub fn by_empty_windows(self) -> Deepening<'m> {
        Deepening { is_mtdf: true, ..self }
    }

    /// Searches states that are images of each other once. The estimates of such states must be equal.
    #[must_use]
    pub(super) fn with_symmetries(mut self, symmetries: Option<&Arc<Symmetries>>) -> Deepening<'m> {
        let knowledge = &mut self.alpha_beta.knowledge;
        if let Some(symmetries) = symmetries {
            knowledge.table.use_symmetries(knowledge.context.machine, symmetries);
        }
        self
    }

    /// Shares the table with other searches.
    pub(super) fn share(&mut self, entries: &Arc<SharedEntries>) {
        self.alpha_beta.knowledge.table.share(entries);
    }

    /// Whether a state was visited in which both sides have a choice.
    pub(super) fn saw_both_choose(&self) -> bool {
        self.alpha_beta.both_chose
    }

    fn iteration(&mut self, depth: u32, meter: &mut Meter<'_>) -> Result<NodeValue, Halt> {
        let (search, last) = (&mut self.alpha_beta, self.last);
        match search.knowledge.cutoffs {
            true if self.is_mtdf => mtdf(search, depth, last, meter),
            true => aspiration(search, depth, last, meter),
            false => search.root(depth, FULL, meter),
        }
    }
}

impl DepthLimited for Deepening<'_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        self.last = None;
        let (goal, any) = self.alpha_beta.begin(state)?;
        result.action = any;
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
        let knowledge = &self.alpha_beta.knowledge;
        // If a depth is interrupted, its best move so far counts.
        if let Some((joint, value)) = self.alpha_beta.best() {
            result.action = Some(joint[knowledge.context.role]);
            result.value = Some(knowledge.scale.goal(value.score));
            result.principal_variation = self.alpha_beta.principal_variation();
        }
        let value = iteration?;
        result.value = Some(knowledge.scale.goal(value.score));
        result.proved = value.proved;
        self.last = Some(value);
        Ok(())
    }
}
