//! What functions bring in play one move ahead, in the analysis document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::{GameAnalysis, OnePly};
use crate::statistics::interval::Estimate;

/// How play by a function compares with that of a player who sees ends alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BesideEnds {
    /// The interval of the difference lies below 0.
    Worse,
    /// It holds 0.
    Level,
    /// It lies above 0.
    Better,
}

/// What following a function one move ahead brings its role, while all others play at random.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OnePlySummary {
    /// Playouts that came to an end.
    pub playouts: u64,
    /// The mean goal value at their ends.
    pub goal: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// How much more that is than what a player has that sees ends alone, with its 99 % interval: as many as five looks at it
    /// hold at 95 % together; null where that player was not followed.
    pub over_ends: Option<Estimate>,
    /// Beside a player that sees ends alone; null where that was not played.
    pub beside_ends: Option<BesideEnds>,
    /// How much more that is than the mean in random play, with its 99 % interval; null where random play has no goal value.
    pub over_random: Option<Estimate>,
    /// Whether it plays worse than random, beyond chance.
    pub worse_than_random: bool,
}

/// What a player brings its role that sees ends one move ahead and else plays at random, as all others do.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EndsSummary {
    /// The role.
    pub role: String,
    /// Playouts that came to an end.
    pub playouts: u64,
    /// The mean goal value at their ends.
    pub goal: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// Games in which every role follows one function, its team to raise it and the others to lower it, but for a tenth of the
/// moves.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GuidedPlaySummary {
    /// The function: of those followed the one that is most surely better than a player who sees ends alone.
    pub function: String,
    /// Sequences of states, each of another game.
    pub sequences: u64,
    /// States in them.
    pub states: u64,
}

/// The games that were played by the best function.
pub fn guided_play(found: &GameAnalysis) -> Option<GuidedPlaySummary> {
    let guided = found.guided.as_ref()?;
    let function = found.functions.list.get(guided.function)?.id();
    Some(GuidedPlaySummary { function, sequences: guided.sequences, states: guided.states })
}

/// What play says of the function at a place of the analysis' list.
pub fn of_function(played: &[OnePly], place: usize) -> Option<OnePlySummary> {
    let found = played.iter().find(|found| found.function == Some(place))?;
    let beside = |over: Estimate| {
        Some(match (over.low? > 0.0, over.high? < 0.0) {
            (true, _) => BesideEnds::Better,
            (_, true) => BesideEnds::Worse,
            _ => BesideEnds::Level,
        })
    };
    Some(OnePlySummary {
        playouts: found.playouts,
        goal: found.goal.mean,
        low: found.goal.low,
        high: found.goal.high,
        over_ends: found.over_ends,
        beside_ends: found.over_ends.and_then(beside),
        over_random: found.over_random,
        worse_than_random: found.worse_than_random,
    })
}

/// The players that see ends alone, by role.
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
