//! What an analysis found.

use crate::evaluation::{Document, Function, FunctionStatistics, Functions, GameIdentity};
use crate::feature::{Correlation, FeatureReport};
use crate::machine::Machine;
use crate::property::{Outcome, Proofs, reconcile};
use crate::simulate::Statistics;
use crate::statistics::Mean;
use crate::statistics::interval::Estimate;
use crate::structure::finding::Structures;

use super::stage::StageReport;
use crate::evaluation::TunedFunctions;
use crate::search::BestKnownPlan;

/// What was found out about a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameAnalysis {
    /// Which game.
    pub identity: GameIdentity,
    /// What random play gave.
    pub simulation: Statistics,
    /// What the game is made of.
    pub structures: Structures,
    /// Properties of the game, and what was proved; none where nothing was to be.
    pub proofs: Option<Proofs>,
    /// Features with their statistics, and the sequences of states that these rest on.
    pub features: FeatureReport,
    /// Evaluation functions.
    pub functions: Functions,
    /// What the sequences say of each function; empty where nobody asked.
    pub statistics: Vec<FunctionStatistics>,
    /// Evaluation functions by other parameters, as far as the plan named some.
    pub tuned: Vec<TunedFunctions>,
    /// What the best of them bring in play one move ahead, see [`OnePly`].
    pub one_ply: Vec<OnePly>,
    /// What states from games of the best of these say; none where none is better than who sees ends alone, where values are
    /// exact, or nobody asked.
    pub guided: Option<Guided>,
    /// What search found where random play did not reach the best goal value of a game for one.
    pub way: Option<BestKnownPlan>,
    /// Outcomes that stages after random play reached.
    pub reached: Vec<Outcome>,
    /// The stages that ran, or were to run, in order.
    pub stages: Vec<StageReport>,
}

impl GameAnalysis {
    /// Takes over the outcomes that a stage reached, and settles by them what was open. The moves are kept of those that
    /// random play did not see.
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

    /// The documents of its functions, for the machine that it was found on.
    pub fn documents(&self, machine: &dyn Machine) -> Vec<Document> {
        let document = |(place, function): (usize, &Function)| {
            let quality = self.statistics.get(place).cloned();
            Document::new(&self.identity, machine, &self.structures, function.clone(), quality)
        };
        self.functions.list.iter().enumerate().map(document).collect()
    }
}

/// What following a function one move ahead brings a role against others that play at random.
#[derive(Clone, Debug, PartialEq)]
pub struct OnePly {
    /// The role, counted from 0.
    pub role: usize,
    /// The function's place among the analysis' functions; none for a player that sees ends alone.
    pub function: Option<usize>,
    /// Playouts that came to an end.
    pub playouts: u64,
    /// The mean goal value.
    pub goal: Mean,
    /// How much more that is than what a player has that sees ends alone, with an interval so wide that all looks at it
    /// together hold at 95 %; none for that player itself.
    pub over_ends: Option<Estimate>,
    /// The same compared with random play; none if the role has no goal value in random play.
    pub over_random: Option<Estimate>,
    /// Whether a function plays worse than random, beyond chance (see [`is_below`](crate::statistics::interval::is_below)).
    pub worse_than_random: bool,
}

/// What states from games of the best function say.
#[derive(Clone, Debug, PartialEq)]
pub struct Guided {
    /// The function's place among the analysis' functions.
    pub function: usize,
    /// Sequences, each of another game.
    pub sequences: u64,
    /// States in them.
    pub states: u64,
    /// For each function how it goes with its role's goal value; p-values are corrected among these.
    pub correlations: Vec<Correlation>,
}
