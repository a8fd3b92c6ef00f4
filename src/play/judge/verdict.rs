//! The results of judging the functions of a game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statistics::correlation::{pearson, spearman};
use crate::statistics::{Estimate, Mean};

use super::rank::Ranking;
use super::reliability::Reliability;
use super::sample::{PHASE_NAMES, PHASES};

/// The correlation of values and outcomes over some states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Association {
    /// The states: `all`, or those of the `early`, `middle` or `late` third of their playouts.
    pub phase: String,
    /// Number of states.
    pub states: u64,
    /// Pearson's correlation; null if one of the two is constant.
    pub pearson: Option<Estimate>,
    /// Spearman's correlation.
    pub spearman: Option<Estimate>,
}

/// The correlation of values and outcomes, over all states and by phase, for states given by phase, value and outcome.
pub(super) fn associations(states: &[(usize, f64, f64)]) -> Vec<Association> {
    let association = |phase: &str, is_included: &dyn Fn(usize) -> bool| {
        let pairs: Vec<(f64, f64)> = states
            .iter()
            .filter(|state| is_included(state.0))
            .map(|&(_, value, outcome)| (value, outcome))
            .collect();
        let states = pairs.len() as u64;
        Association { phase: phase.to_owned(), states, pearson: pearson(&pairs), spearman: spearman(&pairs) }
    };
    let mut all = vec![association("all", &|_| true)];
    all.extend((0..PHASES).map(|phase| association(PHASE_NAMES[phase], &|other| other == phase)));
    all
}

/// Play that follows a function, against random play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Play {
    /// The number of playouts at whose end the role has exactly one goal value.
    pub playouts: u64,
    /// Mean goal value of these playouts, with Student's interval; null if there are none.
    pub goal: Option<Mean>,
}

/// The judgement of a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The function's id.
    pub id: String,
    /// Its kind; `none` for the reference player, which recognises only terminal states.
    pub kind: String,
    /// The role whose goal value is estimated.
    pub role: String,
    /// What is computed, in KIF terms; empty for the player that recognises only terminal states.
    #[serde(default)]
    pub formula: String,
    /// Comparison with exact values; null if no state was solved.
    pub exact: Option<Ranking>,
    /// Correlation with the mean outcome of random playouts.
    pub random: Vec<Association>,
    /// Correlation with the mean outcome of playouts in which all roles follow the function; empty if there are none.
    pub guided: Vec<Association>,
    /// Calibration of values by the mean outcomes of the same playouts.
    pub calibration: Option<Reliability>,
    /// Play in which the role follows the function and all others play at random; null if there is none.
    pub play: Option<Play>,
}

/// The reference values for all functions of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleVerdict {
    /// The role.
    pub role: String,
    /// The lowest and the highest goal value of the role.
    pub rewards: [i32; 2],
    /// The type of the exact value: `single-player`, `minimax`, `pessimistic` or `paranoid`; see `docs/judge.md`.
    pub exact: String,
    /// Sampled states that were solved.
    pub solved: u64,
    /// Solved states in which the role's moves differ in exact value.
    pub choices: u64,
    /// The number of states that the exact search visited.
    pub listed: u64,
    /// The share of legal moves that are best, as a mean over the states of `choices`. A random choice finds a best move
    /// with this probability.
    pub chance: Option<f64>,
    /// Sentences that explain why some states have no exact value.
    pub unsolved: Vec<String>,
    /// The mean goal value if all roles play at random from the initial state.
    pub random: Option<Estimate>,
}

/// The results of judging the functions of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Seed of all draws.
    pub seed: u64,
    /// States on which functions were judged.
    pub states: u64,
    /// The number of these states in each third of their playouts.
    pub phases: Vec<u64>,
    /// The number of random playouts from each state. Their outcomes are compared with the function's values.
    pub playouts: u64,
    /// The number of playouts from each state in which all roles follow the function.
    pub guided: u64,
    /// The number of playouts of each function against random play.
    pub play: u64,
    /// Roles that were judged.
    pub roles: Vec<RoleVerdict>,
    /// The functions of each role, ordered by their results against random play.
    pub functions: Vec<Judgement>,
    /// Sentences that explain what was omitted.
    pub notes: Vec<String>,
}

impl Judgement {
    /// Pearson's correlation with random outcomes over all states.
    pub fn correlation(&self) -> Option<f64> {
        self.random.first()?.pearson.map(|found| found.value)
    }

    /// The mean goal value against random play.
    pub fn goal(&self) -> Option<f64> {
        self.play.as_ref()?.goal.map(|mean| mean.mean)
    }
}
