//! The statistics of random play as CSV, one row per measure.

use serde::Serialize;

use crate::simulate::Statistics;
use crate::statistics::Share;

/// A row of `simulation.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Measure {
    /// The game's name.
    pub game: String,
    /// The role; empty for a measure of the whole game.
    pub role: String,
    /// The name of the measure; shares are from 0 to 1, lengths are in joint moves.
    pub measure: String,
    /// Its value.
    pub value: f64,
    /// The number of playouts that a share counts.
    pub count: Option<u64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
}

/// The statistics as rows, without times and speeds.
pub fn measures(game: &str, statistics: &Statistics) -> Vec<Measure> {
    let without_value = |role: &str, measure: &str| Measure {
        game: game.to_string(),
        role: role.to_string(),
        measure: measure.to_string(),
        ..Measure::default()
    };
    let plain = |role: &str, measure: &str, value: f64| Measure { value, ..without_value(role, measure) };
    let share = |role: &str, measure: &str, share: &Share| Measure {
        value: share.share,
        count: Some(share.count),
        low: Some(share.low),
        high: Some(share.high),
        ..without_value(role, measure)
    };
    let mut out = vec![
        plain("", "seed", statistics.seed as f64),
        plain("", "playouts", statistics.playouts as f64),
        plain("", "states", statistics.states as f64),
        plain("", "steps", statistics.steps as f64),
        share("", "terminal", &statistics.terminal),
        share("", "cut_off", &statistics.cut_off),
        share("", "draws", &statistics.draws),
    ];
    if let Some(length) = &statistics.length {
        out.push(plain("", "length_mean", length.mean));
        let quantiles = [
            ("length_min", length.min),
            ("length_p5", length.p5),
            ("length_p25", length.p25),
            ("length_median", length.median),
            ("length_p75", length.p75),
            ("length_p95", length.p95),
            ("length_max", length.max),
        ];
        out.extend(quantiles.map(|(name, value)| plain("", name, f64::from(value))));
    }
    for role in &statistics.roles {
        let name = &role.role;
        out.push(plain(name, "branching_mean", role.branching.mean));
        out.push(plain(name, "branching_max", role.branching.max as f64));
        out.push(plain(name, "choice_share", role.branching.choice_share));
        out.extend(role.branching.choice_mean.map(|mean| plain(name, "choice_mean", mean)));
        out.extend(role.goal_mean.map(|mean| Measure {
            low: mean.low,
            high: mean.high,
            ..plain(name, "goal_mean", mean.mean)
        }));
        out.push(share(name, "wins", &role.wins));
        out.extend(role.goals.iter().map(|goal| share(name, &format!("goal_{}", goal.value), &goal.share)));
    }
    for fault in &statistics.faults {
        let kind = serde_json::to_value(fault.kind).ok();
        let kind = kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or("unknown");
        let role = fault.role.as_deref().unwrap_or("");
        out.push(Measure {
            count: Some(fault.playouts),
            ..plain(role, &format!("fault_{}", kind.replace('-', "_")), fault.playouts as f64)
        });
    }
    out
}
