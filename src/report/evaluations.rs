//! Evaluation functions in the analysis document, and the best ones as a table.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::evaluation::{Document, FunctionStatistics, Kind};
use crate::statistics::SIGNIFICANCE;

use super::layout::{grouped, significant};

/// Functions in the table.
const BEST: usize = 8;

/// An evaluation function in the analysis; `--out` writes the function itself, as a document of its own.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EvaluationSummary {
    /// Its name, by which `ggp eval` finds it.
    pub id: String,
    /// How it is made.
    pub kind: Kind,
    /// The role whose goal value is estimated.
    pub role: String,
    /// What is computed, in KIF terms.
    pub formula: String,
    /// The least and the greatest value that it can have.
    pub range: [f64; 2],
    /// What random play says it is worth; null where it was not measured.
    pub quality: Option<FunctionStatistics>,
}

impl EvaluationSummary {
    /// What an analysis says of a document.
    pub fn new(document: &Document) -> EvaluationSummary {
        EvaluationSummary {
            id: document.id.clone(),
            kind: document.kind,
            role: document.role.clone(),
            formula: document.formula.clone(),
            range: document.range,
            quality: document.quality.clone(),
        }
    }

    fn worth(&self) -> f64 {
        self.quality.as_ref().map_or(0.0, FunctionStatistics::worth)
    }
}

/// The header and rows of the best functions, best first: of every kind and role the one that goes best with the role's
/// goal value, and none that goes against it.
pub(super) fn best(functions: &[EvaluationSummary]) -> (&'static [&'static str], Vec<Vec<String>>) {
    let mut sorted: Vec<&EvaluationSummary> =
        functions.iter().filter(|function| function.worth() > 0.0).collect();
    sorted.sort_by(|a, b| b.worth().total_cmp(&a.worth()));
    let mut seen = BTreeSet::new();
    sorted.retain(|function| seen.insert((function.kind, function.role.as_str())));
    let row = |function: &&EvaluationSummary| {
        let Some(quality) = &function.quality else { return vec![function.id.clone()] };
        let goal = &quality.goal;
        let (low, high) = (goal.low.unwrap_or(-1.0), goal.high.unwrap_or(1.0));
        vec![
            function.id.clone(),
            quality.observed.map_or(String::new(), |[low, high]| {
                format!("{} to {}", significant(low), significant(high))
            }),
            significant(quality.mean),
            quality.stability.map_or(String::new(), |stability| format!("{stability:.2}")),
            format!("{:+.2} ({low:+.2} to {high:+.2})", function.worth()),
        ]
    };
    (
        &["function", "seen", "mean", "stability", "its role's goal value"],
        sorted.iter().take(BEST).map(row).collect(),
    )
}

/// How many functions there are, and in how many seconds they were made.
pub(super) fn remark(functions: &[EvaluationSummary], seconds: f64) -> String {
    let goes_with_it = |function: &&EvaluationSummary| {
        let goal = function.quality.as_ref().map(|quality| &quality.goal);
        goal.is_some_and(|goal| goal.correlation > Some(0.0) && goal.p_holm.is_some_and(|p| p < SIGNIFICANCE))
    };
    let count = functions.iter().filter(goes_with_it).count();
    format!(
        "{count} of {} functions correlate with it (p < 0.05 after Holm); made in {seconds:.2} s.",
        grouped(functions.len() as u64)
    )
}
