//! The results of play one move ahead, in the analysis document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{GameAnalysis, OnePly};
use crate::statistics::interval::Estimate;

/// The comparison of a function with `ends`, the player that sees only moves that end the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndsComparison {
    /// The interval of the difference is below 0.
    Worse,
    /// The interval contains 0.
    Level,
    /// The interval is above 0.
    Better,
}

/// The result of a player that chooses the move with the best value one move ahead, while all others play at random.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OnePlySummary {
    /// The number of playouts that ended.
    pub playouts: u64,
    /// The mean goal value at their ends.
    pub goal: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The difference to the result of `ends`, with its 99 % interval. At 99 % each, five such intervals hold together at 95
    /// %. Null if `ends` was not played.
    pub over_ends: Option<Estimate>,
    /// The comparison with `ends`; null if it was not played.
    pub beside_ends: Option<EndsComparison>,
    /// The difference to the mean of random play, with its 99 % interval; null if random play has no goal value.
    pub over_random: Option<Estimate>,
    /// Whether it plays significantly worse than random.
    pub worse_than_random: bool,
}

/// The result of `ends`: a player that sees moves that end the game, and otherwise plays at random, as all others do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EndsSummary {
    /// The role.
    pub role: String,
    /// The number of playouts that ended.
    pub playouts: u64,
    /// The mean goal value at their ends.
    pub goal: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Games of good play: every role follows one function, its team to raise it and the others to lower it. A tenth of the moves
/// are random.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GuidedPlaySummary {
    /// The function, chosen as the one that most certainly plays better than `ends`.
    pub function: String,
    /// The number of sequences of states, one per game.
    pub sequences: u64,
    /// The number of states in them.
    pub states: u64,
}

/// The summary of the games of the best function.
pub fn guided_play(analysis: &GameAnalysis) -> Option<GuidedPlaySummary> {
    let guided = analysis.guided.as_ref()?;
    let function = analysis.functions.list.get(guided.function)?.id();
    Some(GuidedPlaySummary { function, sequences: guided.sequences, states: guided.states })
}

/// The results of the function with this index.
pub fn function_result(played: &[OnePly], index: usize) -> Option<OnePlySummary> {
    let found = played.iter().find(|found| found.function == Some(index))?;
    let compare = |over: Estimate| {
        Some(match (over.low? > 0.0, over.high? < 0.0) {
            (true, _) => EndsComparison::Better,
            (_, true) => EndsComparison::Worse,
            _ => EndsComparison::Level,
        })
    };
    Some(OnePlySummary {
        playouts: found.playouts,
        goal: found.goal.mean,
        low: found.goal.low,
        high: found.goal.high,
        over_ends: found.over_ends,
        beside_ends: found.over_ends.and_then(compare),
        over_random: found.over_random,
        worse_than_random: found.worse_than_random,
    })
}

/// The results of `ends` for each role.
pub fn ends(played: &[OnePly], roles: &[String]) -> Vec<EndsSummary> {
    let ends = played.iter().filter(|found| found.function.is_none());
    ends.map(|found| EndsSummary {
        role: roles[found.role].clone(),
        playouts: found.playouts,
        goal: found.goal.mean,
        low: found.goal.low,
        high: found.goal.high,
    })
    .collect()
}
