//! What the playouts of a run say about a game.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::budget::{StepLimitReason, StopReason};
use super::fault::Fault;
use super::lane_block::LaneBlock;
use super::playout_counts::PlayoutCounts;
use crate::statistics::interval::{Mean, Share, mean_of_counts, wilson};

/// What was seen in the playouts of a run. All but `timing` follows from the rules, the seed and the budget
/// (unless the run was stopped by the clock or the caller).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Statistics {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the first playout.
    pub first: u64,
    /// Joint moves after which a playout was cut off.
    pub max_steps: u32,
    /// Why after so many.
    pub max_steps_because: StepLimitReason,
    /// Why the run ended.
    pub stopped: StopReason,
    /// Playouts played to their end or to the cap. Lengths, goals and shares are over these.
    pub playouts: u64,
    /// Playouts the end of the run cut short. Their positions count as states.
    pub unfinished: u64,
    /// States visited: every position counts, the initial and the last ones included.
    pub states: u64,
    /// Joint moves played.
    pub steps: u64,
    /// Work done (see [`Cursor::work`](crate::machine::Cursor::work)).
    pub work: u64,
    /// Lengths of the playouts in joint moves; null when there is no playout.
    pub length: Option<Lengths>,
    /// How many playouts had which lengths, in at most forty bins of one width, from the shortest to the longest.
    pub lengths: Vec<LengthBin>,
    /// Playouts that ended in a terminal state, among all.
    pub terminal: Share,
    /// Playouts cut off after `max_steps`, among all.
    pub cut_off: Share,
    /// Playouts where all roles had the same goal value at the end, among the terminal ones where every role
    /// had exactly one; nothing counts for a single role.
    pub draws: Share,
    /// For every role, in the order of the rules.
    pub roles: Vec<RoleStatistics>,
    /// The outcomes of the terminal playouts, by the goal values of the roles: at most a thousand.
    pub outcomes: Vec<OutcomeCount>,
    /// Terminal playouts whose outcome is not in that list.
    pub other_outcomes: u64,
    /// Breaches of what the language asks of a game, seen in play.
    pub faults: Vec<Fault>,
    /// What a reader of these numbers should know.
    pub warnings: Vec<Warning>,
    /// What depends on the computer.
    pub timing: Timing,
}

/// Lengths of playouts in joint moves: mean and quantiles (the smallest length that at least this share of the
/// playouts does not exceed).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Lengths {
    pub mean: f64,
    pub min: u32,
    pub p5: u32,
    pub p25: u32,
    pub median: u32,
    pub p75: u32,
    pub p95: u32,
    pub max: u32,
}

/// Playouts whose lengths are much the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LengthBin {
    /// The least number of joint moves.
    pub from: u32,
    /// The greatest.
    pub to: u32,
    /// Playouts.
    pub playouts: u64,
}

/// Bins of lengths, at most.
const BINS: u32 = 40;

/// What was seen of one role.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoleStatistics {
    /// The role, as lower-case KIF.
    pub role: String,
    /// Legal moves.
    pub branching: Branching,
    /// Goal values at the end, ascending, among terminal playouts. Those without a goal value or with several
    /// are left out here and told under the faults.
    pub goals: Vec<GoalCount>,
    /// Mean of these goal values; null when there is none.
    pub goal_mean: Option<Mean>,
    /// How often the role wins: its goal value is the highest and not all roles have it. Among the terminal
    /// playouts where every role has exactly one goal value. A single role wins with 100.
    pub wins: Share,
}

/// Legal moves of a role in positions that are not terminal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Branching {
    /// Mean over these positions.
    pub mean: f64,
    /// Mean over the role's turns: the positions where it has a choice, or all of them if it is the only role. Null if it
    /// has no turn.
    pub turn_mean: Option<f64>,
    /// The most.
    pub max: usize,
    /// Positions where the role has a choice, as a share of all that are not terminal.
    pub choice_share: f64,
    /// Mean over positions where the role has a choice; null when there is none.
    pub choice_mean: Option<f64>,
}

/// A goal value and how often it came up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalCount {
    /// The goal value.
    pub value: i32,
    /// How often.
    #[serde(flatten)]
    pub share: Share,
}

/// Terminal playouts that ended with the same goal values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutcomeCount {
    /// For every role, in the order of the rules, its goal value; null if it had none or several.
    pub goals: Vec<Option<i32>>,
    /// How many.
    pub playouts: u64,
    /// Number of the first of them.
    pub first: u64,
    /// The block in which that one was played; null if it was not played in lanes.
    pub block: Option<LaneBlock>,
}

/// What a reader of the numbers should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// Not one playout came to a terminal state within the steps allowed: the game may never end.
    NeverEnded,
}

/// What depends on the computer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Timing {
    /// Threads played on.
    pub threads: usize,
    /// Seconds from the first playout to the last.
    pub seconds: f64,
    /// States visited in a second.
    pub states_per_second: f64,
    /// Playouts finished in a second.
    pub playouts_per_second: f64,
}

/// The settings a run's statistics repeat.
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) first: u64,
    pub(super) max_steps: u32,
    pub(super) max_steps_because: StepLimitReason,
    pub(super) stopped: StopReason,
}

impl Statistics {
    /// The statistics of a tally.
    pub(super) fn new(settings: Settings, totals: &PlayoutCounts, roles: &[String], timing: Timing) -> Self {
        let Settings { seed, first, max_steps, max_steps_because, stopped } = settings;
        let never_ended = totals.playouts > 0 && totals.terminal == 0;
        Statistics {
            seed,
            first,
            max_steps,
            max_steps_because,
            stopped,
            playouts: totals.playouts,
            unfinished: totals.stopped,
            states: totals.states,
            steps: totals.steps,
            work: totals.work,
            length: Lengths::new(&totals.lengths),
            lengths: bins(&totals.lengths),
            terminal: wilson(totals.terminal, totals.playouts),
            cut_off: wilson(totals.capped, totals.playouts),
            draws: wilson(totals.draws, totals.scored),
            roles: (0..roles.len()).map(|role| RoleStatistics::new(totals, role, &roles[role])).collect(),
            outcomes: (totals.outcomes.iter())
                .map(|(goals, sighting)| OutcomeCount {
                    goals: goals.clone(),
                    playouts: sighting.playouts,
                    first: sighting.first.first().copied().unwrap_or_default(),
                    block: sighting.block,
                })
                .collect(),
            other_outcomes: totals.other_outcomes,
            faults: (totals.faults.iter())
                .map(|(&(kind, role), sighting)| Fault {
                    kind,
                    role: role.map(|role| roles[role].clone()),
                    playouts: sighting.playouts,
                    first: sighting.first.clone(),
                    block: sighting.block,
                })
                .collect(),
            warnings: if never_ended { vec![Warning::NeverEnded] } else { Vec::new() },
            timing,
        }
    }

    /// The same with the timing blanked: what two runs with one seed agree on.
    pub fn without_timing(&self) -> Self {
        Statistics { timing: Timing::default(), ..self.clone() }
    }
}

impl RoleStatistics {
    fn new(totals: &PlayoutCounts, role: usize, name: &str) -> Self {
        let counts = &totals.roles[role];
        let ratio = |a: u64, b: u64| if b == 0 { 0.0 } else { a as f64 / b as f64 };
        let goals = counts.goals.iter();
        RoleStatistics {
            role: name.to_owned(),
            branching: Branching {
                mean: ratio(counts.moves, totals.positions),
                turn_mean: match totals.roles.len() {
                    1 => (totals.positions > 0).then(|| ratio(counts.moves, totals.positions)),
                    _ => (counts.choices > 0).then(|| ratio(counts.moves_of_choices, counts.choices)),
                },
                max: counts.most_moves,
                choice_share: ratio(counts.choices, totals.positions),
                choice_mean: (counts.choices > 0).then(|| ratio(counts.moves_of_choices, counts.choices)),
            },
            goals: goals.map(|(&value, &n)| GoalCount { value, share: wilson(n, totals.terminal) }).collect(),
            goal_mean: mean_of_counts(&counts.goals),
            wins: wilson(counts.wins, totals.scored),
        }
    }
}

/// Counts of lengths in bins of one width.
fn bins(counts: &BTreeMap<u32, u64>) -> Vec<LengthBin> {
    let (Some(&min), Some(&max)) = (counts.keys().next(), counts.keys().next_back()) else {
        return Vec::new();
    };
    let width = (max - min) / BINS + 1;
    let bin = |number: u32| {
        let from = min + number * width;
        let to = max.min(from + (width - 1));
        LengthBin { from, to, playouts: counts.range(from..=to).map(|(_, count)| count).sum() }
    };
    (0..=(max - min) / width).map(bin).collect()
}

impl Lengths {
    fn new(counts: &BTreeMap<u32, u64>) -> Option<Self> {
        let (&min, &max) = (counts.keys().next()?, counts.keys().next_back()?);
        let total: u64 = counts.values().sum();
        let quantile = |percent: u64| {
            let rank = (total * percent).div_ceil(100);
            let mut below = 0;
            let found = counts.iter().find(|&(_, &count)| {
                below += count;
                below >= rank
            });
            found.map_or(max, |(&length, _)| length)
        };
        let sum: u64 = counts.iter().map(|(&length, &count)| u64::from(length) * count).sum();
        Some(Lengths {
            mean: sum as f64 / total as f64,
            min,
            p5: quantile(5),
            p25: quantile(25),
            median: quantile(50),
            p75: quantile(75),
            p95: quantile(95),
            max,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_hold_every_playout_once() {
        let counts: BTreeMap<u32, u64> = (5..=90).map(|length| (length, u64::from(length % 7))).collect();
        let found = bins(&counts);
        assert_eq!(found.iter().map(|bin| bin.playouts).sum::<u64>(), counts.values().sum::<u64>());
        assert_eq!((found[0].from, found[0].to, found[found.len() - 1].to), (5, 7, 90));
        assert!(found.len() <= 40 && found.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
        assert_eq!(bins(&BTreeMap::from([(9, 3)])), [LengthBin { from: 9, to: 9, playouts: 3 }]);
        assert_eq!(bins(&BTreeMap::new()), []);
    }
}
