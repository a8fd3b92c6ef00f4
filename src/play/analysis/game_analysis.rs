//! The result of an analysis.

use crate::evaluation::{Document, Function, FunctionStatistics, Functions, GameIdentity};
use crate::feature::{Correlation, FeatureReport};
use crate::machine::Machine;
use crate::property::{Outcome, Proofs, reconcile};
use crate::simulate::Statistics;
use crate::statistics::Mean;
use crate::statistics::interval::Estimate;
use crate::structure::finding::Structures;

use super::parts::PartsSummary;
use super::stage::StageReport;
use super::symmetry::SymmetrySummary;
use crate::evaluation::TunedFunctions;
use crate::search::BestKnownPlan;

/// The result of an analysis.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAnalysis {
    /// The identity of the rules.
    pub identity: GameIdentity,
    /// Statistics of random play.
    pub simulation: Statistics,
    /// The structures of the game.
    pub structures: Structures,
    /// The parts that do not influence each other; none if there are fewer than two.
    pub parts: Option<PartsSummary>,
    /// The symmetries of the game; none if the machine has no network.
    pub symmetry: Option<SymmetrySummary>,
    /// Properties of the game with their proofs; none if nothing was to be proved.
    pub proofs: Option<Proofs>,
    /// Features with their statistics, and the sequences of states that these are computed from.
    pub features: FeatureReport,
    /// Evaluation functions.
    pub functions: Functions,
    /// The statistics of each function; empty if they were not requested.
    pub statistics: Vec<FunctionStatistics>,
    /// Evaluation functions with other parameters, if the plan has some.
    pub tuned: Vec<TunedFunctions>,
    /// The results of the best functions in play one move ahead, see [`OnePly`].
    pub one_ply: Vec<OnePly>,
    /// Correlations on states from games of the best function. None if no function beats the reference player `ends`,
    /// if values are exact, or if they were not requested.
    pub guided: Option<Guided>,
    /// The best plan that a search found in a single-player game, if random play did not reach the best goal value.
    pub best_plan: Option<BestKnownPlan>,
    /// Outcomes reached by stages after random play.
    pub reached: Vec<Outcome>,
    /// The stages that ran or were left out, in order.
    pub stages: Vec<StageReport>,
}

impl GameAnalysis {
    /// Adds the outcomes that a stage reached, and decides open properties by them. Stores the moves of outcomes that
    /// random play did not reach.
    pub(super) fn reach(&mut self, machine: &dyn Machine, outcomes: impl IntoIterator<Item = Outcome>) {
        let GameAnalysis { proofs, structures, simulation, reached, .. } = self;
        let is_seen = |goals: &[Option<i32>]| simulation.outcomes.iter().any(|count| count.goals == goals);
        let new = |outcome: Outcome| match is_seen(&outcome.goals) {
            true => Outcome { moves: None, ..outcome },
            false => outcome,
        };
        reached.extend(outcomes.into_iter().map(new));
        reconcile(proofs.as_mut(), machine, structures, simulation, reached);
    }

    /// The documents of its functions, for the machine of the analysis.
    pub fn documents(&self, machine: &dyn Machine) -> Vec<Document> {
        let document = |(index, function): (usize, &Function)| {
            let quality = self.statistics.get(index).cloned();
            Document::new(&self.identity, machine, &self.structures, function.clone(), quality)
        };
        self.functions.list.iter().enumerate().map(document).collect()
    }
}

/// The result of a role that follows a function one move ahead, against random opponents.
#[derive(Clone, Debug, PartialEq)]
pub struct OnePly {
    /// The role, counted from 0.
    pub role: usize,
    /// The function's index in the analysis; none for the reference player `ends`.
    pub function: Option<usize>,
    /// Playouts that ended.
    pub playouts: u64,
    /// The mean goal value.
    pub goal: Mean,
    /// The difference from the reference player `ends`, with an interval that holds at 95 % for all comparisons
    /// together; none for that player itself.
    pub over_ends: Option<Estimate>,
    /// The difference from random play; none if the role has no goal value in random play.
    pub over_random: Option<Estimate>,
    /// Whether a function plays worse than random, beyond chance (see [`is_below`](crate::statistics::interval::is_below)).
    pub worse_than_random: bool,
}

/// Statistics on states from games of the best function.
#[derive(Clone, Debug, PartialEq)]
pub struct Guided {
    /// The function's index in the analysis.
    pub function: usize,
    /// Number of sequences, each from another game.
    pub sequences: u64,
    /// States in them.
    pub states: u64,
    /// The correlation of each function with its role's goal value; p-values are corrected among these.
    pub correlations: Vec<Correlation>,
}
