//! What functions bring in play one move ahead, in the analysis document.

use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::OnePly;

/// How play by a function compares with that of a player who sees ends alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BesideEnds {
    /// Its interval lies below the other's.
    Worse,
    /// The intervals meet.
    Level,
    /// Its interval lies above.
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
    /// Beside a player that sees ends alone; null where that was not played.
    pub beside_ends: Option<BesideEnds>,
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

/// What play says of the function at a place of the analysis' list.
pub fn of_function(played: &[OnePly], place: usize) -> Option<OnePlySummary> {
    let found = played.iter().find(|found| found.function == Some(place))?;
    let ends = played.iter().find(|ends| ends.role == found.role && ends.function.is_none());
    let beside = |ends: &OnePly| {
        let ends_of = |of: &OnePly| Some([of.goal.low?, of.goal.high?]);
        let (own, other) = (ends_of(found)?, ends_of(ends)?);
        Some(match (own[0] > other[1], own[1] < other[0]) {
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
        beside_ends: ends.and_then(beside),
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
