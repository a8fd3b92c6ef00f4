//! What came of proving a state's value, as lines and as JSON.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Serialize;

use crate::machine::Machine;
use crate::search::{Solution, Stop};

use super::layout::{Layout, grouped};

/// A solution in the words of the rules.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolutionDocument {
    /// Whether the value of every role is proved.
    pub proved: bool,
    /// For every role, in the order of the rules, the goal value it can be sure of; null where it is not proved.
    pub values: IndexMap<String, Option<i32>>,
    /// Joint moves of best play, a move for every role in the order of the rules.
    pub line: Vec<Vec<String>>,
    /// States visited.
    pub nodes: u64,
    /// For roles whose value is not proved why the search ended.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stopped: BTreeMap<String, Stop>,
    /// What depends on the clock.
    pub timing: SolutionTiming,
}

/// What depends on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolutionTiming {
    /// Seconds it took.
    pub seconds: f64,
}

impl SolutionDocument {
    /// The solution of a machine's game.
    pub fn new(machine: &dyn Machine, solution: &Solution) -> SolutionDocument {
        let names: Vec<String> =
            machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
        let open = names.iter().zip(&solution.roles).filter(|(_, sure)| sure.value.is_none());
        let text = |joint: &Vec<_>| joint.iter().map(|&action| machine.move_text(action)).collect();
        SolutionDocument {
            proved: solution.proved(),
            stopped: open.map(|(name, sure)| (name.clone(), sure.stop)).collect(),
            values: names.into_iter().zip(solution.roles.iter().map(|sure| sure.value)).collect(),
            line: solution.line.iter().map(text).collect(),
            nodes: solution.nodes,
            timing: SolutionTiming { seconds: solution.took.as_secs_f64() },
        }
    }

    /// The document, with a line break at the end.
    ///
    /// # Errors
    /// None that is known.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// For reading: values, and the line of play with a row for each step.
    pub fn text(&self, layout: Layout) -> String {
        let rows = self.values.iter().map(|(role, value)| {
            let value = value.map_or_else(|| "not proved".to_owned(), |value| value.to_string());
            let why = self.stopped.get(role).map_or("proved", |stop| match stop {
                Stop::Time => "time over",
                Stop::Nodes => "nodes used up",
                Stop::Memory => "memory used up",
                Stop::Interrupted => "interrupted",
                Stop::Depth | Stop::Solved => "longer than the search looks ahead",
            });
            vec![role.clone(), value, why.to_owned()]
        });
        let mut out = layout.table(&["role", "is sure of", ""], rows.collect());
        if !self.line.is_empty() {
            let last = if self.proved { "to the end" } else { "as far as it was searched" };
            out.push_str(&format!("Best play, {last}\n"));
            let columns: Vec<&str> =
                std::iter::once("step").chain(self.values.keys().map(String::as_str)).collect();
            let rows = self.line.iter().enumerate();
            let rows = rows.map(|(step, joint)| {
                std::iter::once((step + 1).to_string()).chain(joint.iter().cloned()).collect()
            });
            out.push_str(&layout.table(&columns, rows.collect()));
        }
        let seconds = self.timing.seconds;
        out.push_str(&format!("{} states in {seconds:.2} s\n", grouped(self.nodes)));
        out
    }
}
