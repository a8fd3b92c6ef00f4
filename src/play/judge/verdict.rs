//! What is found about the functions of a game.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::statistics::correlation::{pearson, spearman};
use crate::statistics::{Estimate, Mean};

use super::rank::Ranking;
use super::reliability::Reliability;
use super::sample::{PHASE_NAMES, PHASES};

/// How values go with outcomes, over some states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Association {
    /// Which states: `all`, or those of the `early`, `middle` or `late` third of their playouts.
    pub phase: String,
    /// States.
    pub states: u64,
    /// Pearson's correlation; null where one of the two never changes.
    pub pearson: Option<Estimate>,
    /// Spearman's.
    pub spearman: Option<Estimate>,
}

/// How values go with outcomes, over all states and by phase: each state with its phase, value and outcome.
pub(super) fn associations(states: &[(usize, f64, f64)]) -> Vec<Association> {
    let of = |phase: &str, wanted: &dyn Fn(usize) -> bool| {
        let pairs: Vec<(f64, f64)> = states
            .iter()
            .filter(|state| wanted(state.0))
            .map(|&(_, value, outcome)| (value, outcome))
            .collect();
        let states = pairs.len() as u64;
        Association { phase: phase.to_owned(), states, pearson: pearson(&pairs), spearman: spearman(&pairs) }
    };
    let mut all = vec![of("all", &|_| true)];
    all.extend((0..PHASES).map(|phase| of(PHASE_NAMES[phase], &|other| other == phase)));
    all
}

/// Play that follows a function, against random play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Play {
    /// Playouts that ended with one goal value of the role.
    pub playouts: u64,
    /// Mean of that value, with Student's interval; null where there is no such playout.
    pub goal: Option<Mean>,
}

/// What is found about a function.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judgement {
    /// The function.
    pub id: String,
    /// How it was made; `none` for the player that only sees ends, which functions are compared with.
    pub kind: String,
    /// The role whose goal value is estimated.
    pub role: String,
    /// What is computed, in KIF terms; empty for the player that only sees ends.
    #[serde(default)]
    pub formula: String,
    /// Beside exact values; null where no state was solved.
    pub exact: Option<Ranking>,
    /// With the mean outcome of random playouts.
    pub random: Vec<Association>,
    /// With the mean outcome of playouts that all roles play by the function; empty where none was played.
    pub guided: Vec<Association>,
    /// Of values and the mean outcomes of the same playouts.
    pub calibration: Option<Reliability>,
    /// The role follows the function, all others play at random; null where none was played.
    pub play: Option<Play>,
}

/// What all functions of a role are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RoleVerdict {
    /// The role.
    pub role: String,
    /// The least and the greatest goal value.
    pub rewards: [i32; 2],
    /// What an exact value is: `single-player`, `minimax`, `pessimistic` or `paranoid`; see `docs/judge.md`.
    pub exact: String,
    /// Sampled states that were solved.
    pub solved: u64,
    /// Those of them where the role's moves differ in exact value.
    pub choices: u64,
    /// States that the search listed.
    pub listed: u64,
    /// The mean share of best moves among the legal ones there: what a draw by lot hits.
    pub chance: Option<f64>,
    /// Why states have no exact value, in sentences.
    pub unsolved: Vec<String>,
    /// The mean goal value where everybody plays at random from the start.
    pub random: Option<Estimate>,
}

/// What is found about the functions of a game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// Seed of all draws.
    pub seed: u64,
    /// States that functions were judged on.
    pub states: u64,
    /// How many of them lie in each third of their playouts.
    pub phases: Vec<u64>,
    /// Random playouts from each of them, whose outcomes values are compared with.
    pub playouts: u64,
    /// Guided playouts from each of them.
    pub guided: u64,
    /// Playouts against random play.
    pub play: u64,
    /// Roles that were judged.
    pub roles: Vec<RoleVerdict>,
    /// The functions: role by role, those that rank first against random play first.
    pub functions: Vec<Judgement>,
    /// What was left out, in sentences.
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
