//! The evaluation functions of an analysis as CSV rows, best first.

use serde::Serialize;

use super::analysis::Analysis;
use super::evaluations::EvaluationSummary;

/// A row of `functions.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FunctionRow {
    /// The game's name.
    pub game: String,
    /// The function's name.
    pub id: String,
    /// The kind of the function.
    pub kind: &'static str,
    /// The role whose goal value is estimated.
    pub role: String,
    /// The least possible value.
    pub range_low: f64,
    /// The greatest possible value.
    pub range_high: f64,
    /// The number of sampled sequences of states.
    pub sequences: Option<u64>,
    /// The mean over the first state of each sequence.
    pub mean: Option<f64>,
    /// Stability, 0 to 1.
    pub stability: Option<f64>,
    /// Correlation with the role's goal value at the end of random playouts.
    pub correlation: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// p-value corrected by Holm's method.
    pub p_holm: Option<f64>,
    /// Mean goal value in play one move ahead against random play.
    pub one_ply: Option<f64>,
    /// Lower end of its 95 % interval.
    pub one_ply_low: Option<f64>,
    /// Upper end.
    pub one_ply_high: Option<f64>,
    /// Whether it plays significantly worse than random; empty if it was not tried.
    pub worse_than_random: Option<bool>,
    /// Its correlation with its role's goal value on states from games of the best function.
    pub guided: Option<f64>,
    /// The formula, in KIF terms.
    pub formula: String,
}

/// A row for each evaluation function that is not constant, best correlation first, unmeasured ones last.
pub fn function_rows(analysis: &Analysis) -> Vec<FunctionRow> {
    let mut rows: Vec<FunctionRow> = (analysis.evaluations.iter().filter(|function| !function.constant))
        .map(|function| row(&analysis.game.name, function))
        .collect();
    let worth = |row: &FunctionRow| row.correlation.unwrap_or(f64::NEG_INFINITY);
    rows.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
    rows
}

fn row(game: &str, function: &EvaluationSummary) -> FunctionRow {
    let quality = function.quality.as_ref();
    let goal = quality.map(|quality| &quality.goal);
    FunctionRow {
        game: game.to_owned(),
        id: function.id.clone(),
        kind: function.kind.name(),
        role: function.role.clone(),
        range_low: function.range[0],
        range_high: function.range[1],
        sequences: quality.map(|quality| quality.sequences),
        mean: quality.map(|quality| quality.mean),
        stability: quality.and_then(|quality| quality.stability),
        correlation: goal.and_then(|goal| goal.correlation),
        low: goal.and_then(|goal| goal.low),
        high: goal.and_then(|goal| goal.high),
        p_holm: goal.and_then(|goal| goal.p_holm),
        one_ply: function.one_ply.as_ref().map(|played| played.goal),
        one_ply_low: function.one_ply.as_ref().and_then(|played| played.low),
        one_ply_high: function.one_ply.as_ref().and_then(|played| played.high),
        worse_than_random: function.one_ply.as_ref().map(|played| played.worse_than_random),
        guided: function.guided.as_ref().and_then(|with| with.correlation),
        formula: function.formula.clone(),
    }
}
