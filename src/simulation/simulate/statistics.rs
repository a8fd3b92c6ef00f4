//! Statistics of the playouts of a run.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::budget::{StepLimitReason, StopReason};
use super::fault::Fault;
use super::lane_block::LaneBlock;
use super::playout_counts::PlayoutCounts;
use crate::statistics::interval::{Mean, Share, mean_of_counts, wilson};

/// Statistics of the playouts of a run. All fields but `timing` depend only on the rules, the seed and the budget (unless
/// the clock or the caller ended the run).
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Statistics {
    /// Seed of the run.
    pub seed: u64,
    /// Number of the first playout.
    pub first: u64,
    /// Joint moves after which a playout was cut off.
    pub max_steps: u32,
    /// Where `max_steps` comes from.
    pub max_steps_because: StepLimitReason,
    /// Why the run ended.
    pub stopped: StopReason,
    /// Playouts that ended or were cut off. Lengths, goals and shares refer to these.
    pub playouts: u64,
    /// Playouts that the end of the run interrupted. Their positions count as states.
    pub unfinished: u64,
    /// States visited, including initial and last states.
    pub states: u64,
    /// Joint moves played.
    pub steps: u64,
    /// Work done (see [`Cursor::work`](crate::machine::Cursor::work)).
    pub work: u64,
    /// Lengths of the playouts in joint moves; null if there are no playouts.
    pub length: Option<Lengths>,
    /// Histogram of playout lengths: at most forty bins of equal width, from the shortest to the longest playout.
    pub lengths: Vec<LengthBin>,
    /// Playouts that ended in a terminal state, as a share of all.
    pub terminal: Share,
    /// Playouts cut off after `max_steps`, as a share of all.
    pub cut_off: Share,
    /// Playouts in which all players (roles other than `random`) had the same goal value at the end, as a share of the
    /// terminal playouts in which every player had exactly one value. Always 0 with one player.
    pub draws: Share,
    /// Statistics of each role, in the order of the rules.
    pub roles: Vec<RoleStatistics>,
    /// The outcomes of terminal playouts, by the goal values of the roles; at most a thousand.
    pub outcomes: Vec<OutcomeCount>,
    /// Terminal playouts whose outcome is not in `outcomes`.
    pub other_outcomes: u64,
    /// Violations of GDL's requirements that playouts revealed.
    pub faults: Vec<Fault>,
    /// Warnings about these numbers.
    pub warnings: Vec<Warning>,
    /// Measurements that depend on the computer.
    pub timing: Timing,
}

/// Playout lengths in joint moves: mean and quantiles. A quantile is the smallest length that at least this share of the
/// playouts does not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[allow(missing_docs, reason = "the field names are standard terms")]
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

/// A bin of the histogram of playout lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LengthBin {
    /// Shortest length in joint moves.
    pub from: u32,
    /// Longest length in joint moves.
    pub to: u32,
    /// Number of playouts.
    pub playouts: u64,
}

/// Maximum number of bins.
const BINS: u32 = 40;

/// Statistics of one role.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoleStatistics {
    /// The role, as lower-case KIF.
    pub role: String,
    /// Numbers of legal moves.
    pub branching: Branching,
    /// Goal values at the end of terminal playouts, ascending. Playouts in which the role had no value or several are not
    /// included; they are among the faults.
    pub goals: Vec<GoalCount>,
    /// Mean of these goal values; null if there are none.
    pub goal_mean: Option<Mean>,
    /// Playouts that the role won, as a share of the terminal playouts in which every player (role other than `random`)
    /// had exactly one goal value. A player wins if its value is the highest and not all players have it. A single player
    /// wins with 100.
    pub wins: Share,
}

/// Numbers of legal moves of a role in nonterminal positions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Branching {
    /// Mean over these positions.
    pub mean: f64,
    /// Mean over the role's turns: the positions in which it has a choice, or all positions if it is the only role. Null if
    /// it has no turn.
    pub turn_mean: Option<f64>,
    /// Maximum over these positions.
    pub max: usize,
    /// Positions in which the role has a choice, as a share of the nonterminal ones.
    pub choice_share: f64,
    /// Mean over the positions in which the role has a choice; null if there are none.
    pub choice_mean: Option<f64>,
}

/// A goal value and its frequency.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GoalCount {
    /// The goal value.
    pub value: i32,
    /// How often it occurred.
    #[serde(flatten)]
    pub share: Share,
}

/// Terminal playouts that ended with the same goal values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OutcomeCount {
    /// The goal value of each role, in the order of the rules; null for a role without exactly one value.
    pub goals: Vec<Option<i32>>,
    /// Number of playouts.
    pub playouts: u64,
    /// Number of the first such playout.
    pub first: u64,
    /// The block of the first such playout; null if it was not played in lanes.
    pub block: Option<LaneBlock>,
}

/// A warning about the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// No playout reached a terminal state within the step limit: the game may never end.
    NeverEnded,
}

/// Measurements that depend on the computer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Timing {
    /// Number of threads.
    pub threads: usize,
    /// Seconds from the start of the run to its end.
    pub seconds: f64,
    /// States visited per second.
    pub states_per_second: f64,
    /// Playouts finished per second.
    pub playouts_per_second: f64,
}

/// The settings that are repeated in the statistics.
pub(super) struct Settings {
    pub(super) seed: u64,
    pub(super) first: u64,
    pub(super) max_steps: u32,
    pub(super) max_steps_because: StepLimitReason,
    pub(super) stopped: StopReason,
}

impl Statistics {
    /// Computes the statistics from the counts.
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
                .map(|(goals, occurrences)| OutcomeCount {
                    goals: goals.clone(),
                    playouts: occurrences.playouts,
                    first: occurrences.first.first().copied().unwrap_or_default(),
                    block: occurrences.block,
                })
                .collect(),
            other_outcomes: totals.other_outcomes,
            faults: (totals.faults.iter())
                .map(|(&(kind, role), occurrences)| Fault {
                    kind,
                    role: role.map(|role| roles[role].clone()),
                    playouts: occurrences.playouts,
                    first: occurrences.first.clone(),
                    block: occurrences.block,
                })
                .collect(),
            warnings: if never_ended { vec![Warning::NeverEnded] } else { Vec::new() },
            timing,
        }
    }

    /// The statistics without timing: two runs with the same seed are equal in these.
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

/// Histogram of lengths, in bins of equal width.
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
    fn every_playout_is_in_one_bin() {
        let counts: BTreeMap<u32, u64> = (5..=90).map(|length| (length, u64::from(length % 7))).collect();
        let found = bins(&counts);
        assert_eq!(found.iter().map(|bin| bin.playouts).sum::<u64>(), counts.values().sum::<u64>());
        assert_eq!((found[0].from, found[0].to, found[found.len() - 1].to), (5, 7, 90));
        assert!(found.len() <= 40 && found.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
        assert_eq!(bins(&BTreeMap::from([(9, 3)])), [LengthBin { from: 9, to: 9, playouts: 3 }]);
        assert_eq!(bins(&BTreeMap::new()), []);
    }
}
