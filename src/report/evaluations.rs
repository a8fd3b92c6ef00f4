//! Evaluation functions in the analysis document, and the best ones as a table.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::evaluation::{Document, FunctionStatistics, Kind};
use crate::feature::Correlation;

use super::layout::{counted, plural, significant};
use super::one_ply::{EndsComparison, EndsSummary, GuidedPlaySummary, OnePlySummary};

/// The number of functions in the table.
const BEST: usize = 8;

/// An evaluation function in the analysis. `--out` writes the function itself as a separate document.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvaluationSummary {
    /// The name, as in `ggp eval GAME NAME`.
    pub id: String,
    /// The kind of the function.
    pub kind: Kind,
    /// The role whose goal value is estimated.
    pub role: String,
    /// The formula, in KIF terms.
    pub formula: String,
    /// The least and the greatest possible value.
    pub range: [f64; 2],
    /// Whether the value was the same in every sampled state; tables leave out such functions.
    pub constant: bool,
    /// Its statistics from random play; null if it was not measured.
    pub quality: Option<FunctionStatistics>,
    /// The result of play one move ahead with the function; null if it was not tried.
    pub one_ply: Option<OnePlySummary>,
    /// The correlation with its role's goal value on states from games of the best function; null if none were played.
    pub guided: Option<Correlation>,
}

impl EvaluationSummary {
    /// Summarizes a function's document.
    pub fn new(document: &Document) -> EvaluationSummary {
        EvaluationSummary {
            id: document.id.clone(),
            kind: document.kind,
            role: document.role.clone(),
            formula: document.formula.clone(),
            range: document.range,
            constant: document.quality.as_ref().is_some_and(FunctionStatistics::is_constant),
            quality: document.quality.clone(),
            one_ply: None,
            guided: None,
        }
    }

    /// Whether the correlation in good play is significant and has the opposite sign of that in random play. False for a
    /// function that plays better than `ends`.
    pub fn contradicts(&self) -> bool {
        let against = |with: &Correlation| with.is_significant() && with.correlation < Some(0.0);
        let better =
            self.one_ply.as_ref().and_then(|played| played.beside_ends) == Some(EndsComparison::Better);
        self.worth() > 0.0 && !better && self.guided.as_ref().is_some_and(against)
    }

    /// Whether play one move ahead with the function is significantly worse than random play.
    pub fn plays_worse_than_random(&self) -> bool {
        self.one_ply.as_ref().is_some_and(|played| played.worse_than_random)
    }

    fn worth(&self) -> f64 {
        self.quality.as_ref().map_or(0.0, FunctionStatistics::goal_correlation)
    }
}

/// The header and rows of the best functions. Each kind and role has one row: the function that plays best, or else
/// correlates best. Rows go round the roles, best play first. Functions of partners with equal rows share a row. Functions
/// that play worse than random are always listed with a warning; constant functions never. If `ends` was played, a column
/// shows its mean goal value.
#[expect(clippy::too_many_lines, reason = "one cell of a row after the other")]
pub(super) fn best(
    functions: &[EvaluationSummary],
    ends: &[EndsSummary],
) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let played = |function: &EvaluationSummary| {
        function.one_ply.as_ref().map_or(f64::NEG_INFINITY, |played| played.goal)
    };
    let worse = |function: &EvaluationSummary| {
        function.one_ply.as_ref().and_then(|played| played.beside_ends) == Some(EndsComparison::Worse)
    };
    let correlates = |function: &EvaluationSummary| {
        function.worth() > 0.0 && function.quality.as_ref().is_some_and(|quality| quality.goal.is_supported())
    };
    let mut sorted: Vec<&EvaluationSummary> =
        functions.iter().filter(|of| !of.constant && (correlates(of) || of.one_ply.is_some())).collect();
    sorted.sort_by(|a, b| {
        let doubtful = |of: &EvaluationSummary| worse(of) || of.contradicts();
        let by_play = doubtful(a).cmp(&doubtful(b)).then(played(b).total_cmp(&played(a)));
        by_play.then(b.worth().total_cmp(&a.worth()))
    });
    let mut seen = BTreeSet::new();
    sorted.retain(|function| seen.insert((function.kind, function.role.as_str())));
    // Every role's first function comes before any role's second one.
    let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
    let mut ranked: Vec<(usize, &EvaluationSummary)> = Vec::new();
    for function in sorted {
        let rank = ranks.entry(function.role.as_str()).or_default();
        ranked.push((*rank, function));
        *rank += 1;
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let row = |function: &EvaluationSummary| {
        let in_play = function.one_ply.as_ref().map_or(String::new(), |played| {
            let interval = match (played.low, played.high) {
                (Some(low), Some(high)) => format!(" ({low:.0} to {high:.0})"),
                _ => String::new(),
            };
            let warning = match (played.worse_than_random, worse(function)) {
                (true, _) => "; plays worse than random",
                (false, true) => "; worse",
                (false, false) => "",
            };
            format!("{:.0}{interval}{warning}", played.goal)
        });
        let quality = function.quality.as_ref();
        let goal = quality.and_then(|quality| {
            let value = quality.goal.correlation?;
            let (low, high) = (quality.goal.low.unwrap_or(-1.0), quality.goal.high.unwrap_or(1.0));
            let good = function.guided.as_ref().filter(|_| function.contradicts());
            let good = good.and_then(|with| with.correlation);
            let good = good.map_or(String::new(), |good| format!("; {good:+.2} in good play"));
            Some(format!("{value:+.2} ({low:+.2} to {high:+.2}){good}"))
        });
        let observed = quality.and_then(|quality| quality.observed);
        let baseline = ends.iter().find(|ends| ends.role == function.role && function.one_ply.is_some());
        let mut cells = vec![
            function.id.clone(),
            observed.map_or(String::new(), |[low, high]| {
                format!("{} to {}", significant(low), significant(high))
            }),
            in_play,
        ];
        if !ends.is_empty() {
            cells.push(baseline.map_or(String::new(), |ends| format!("{:.0}", ends.goal)));
        }
        cells.push(goal.unwrap_or_default());
        cells
    };
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut warned = Vec::new();
    for (_, function) in ranked {
        let row = row(function);
        // Rows that differ only in the name belong to the same function of a partner.
        match rows
            .iter_mut()
            .find(|other| row.last().is_some_and(|goal| !goal.is_empty()) && other[1..] == row[1..])
        {
            Some(other) => other[0] = format!("{}, {}", other[0], row[0]),
            None => {
                rows.push(row);
                warned.push(function.plays_worse_than_random());
            }
        }
    }
    let rows = rows.into_iter().zip(warned).enumerate();
    let rows = rows.filter_map(|(index, (row, warned))| (index < BEST || warned).then_some(row)).collect();
    let mut columns = vec!["function", "values", "mean goal one move ahead"];
    if !ends.is_empty() {
        columns.push("mean goal without a function");
    }
    columns.push("correlation with goal value");
    (columns, rows)
}

/// The remark below the table: how many functions correlate, and the time to make them.
pub(super) fn remark(functions: &[EvaluationSummary], seconds: f64) -> String {
    let goals = || functions.iter().filter_map(|function| Some(&function.quality.as_ref()?.goal));
    let of_sign = |sign: f64| {
        goals()
            .filter(|goal| goal.correlation.is_some_and(|of| of * sign > 0.0) && goal.is_significant())
            .count()
    };
    let (with, against) = (of_sign(1.0), of_sign(-1.0));
    let negative = if against == 0 { String::new() } else { format!("; {against} negatively") };
    format!(
        "{with} of {} {} positively with the goal value of their role{negative} (p < 0.05 after Holm; made in {seconds:.2} s).",
        counted(functions.len() as u64, "function", "functions"),
        plural(with as u64, "correlates", "correlate")
    )
}

/// The remark on the games of the best function.
pub(super) fn guided_play_remark(functions: &[EvaluationSummary], guided: &GuidedPlaySummary) -> String {
    let against = functions.iter().filter(|function| function.contradicts()).count() as u64;
    format!(
        "In good play ({} of {} that follow {}), {} {} negatively with it.",
        counted(guided.states, "state", "states"),
        counted(guided.sequences, "game", "games"),
        guided.function,
        if against == 0 { "no function".to_owned() } else { counted(against, "function", "functions") },
        plural(against.max(1), "correlates", "correlate")
    )
}
