//! The number of reachable states, as text and as JSON.

use schemars::JsonSchema;
use serde::Serialize;

use crate::gdl::Negation;
use crate::machine::Machine;
use crate::search::{CountEnd, StateCount, Stop};

use super::layout::{Layout, counted, grouped};

/// The number of reachable states by depth.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StateCountDocument {
    /// How negated literals of the rules are evaluated: `language` or `in-place` (`--negation`).
    pub negation: Negation,
    /// Whether all reachable states were counted; if not, every number is a lower bound.
    pub complete: bool,
    /// The number of states, terminal ones included.
    pub states: u64,
    /// The number of terminal states among them.
    pub terminal: u64,
    /// The number of states by the least number of steps that lead to them.
    pub depths: Vec<StatesAtDepth>,
    /// Whether the game has a step counter. States that differ in it count separately.
    pub step_counter: bool,
    /// Why the count ended, if it is incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// The time, which depends on the computer.
    pub timing: StateCountTiming,
}

/// The number of states that a least number of steps leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StatesAtDepth {
    /// The least number of steps from the initial state.
    pub depth: usize,
    /// The number of states.
    pub states: u64,
    /// The number of terminal states among them.
    pub terminal: u64,
}

/// The time, which depends on the computer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StateCountTiming {
    /// The time in seconds.
    pub seconds: f64,
}

impl StateCountDocument {
    /// Makes the document of a count that took this number of seconds.
    pub fn new(machine: &dyn Machine, count: &StateCount, seconds: f64) -> StateCountDocument {
        let depths = count.depths.iter().enumerate().map(|(depth, at)| StatesAtDepth {
            depth,
            states: at.states,
            terminal: at.terminal,
        });
        StateCountDocument {
            negation: machine.description().negation,
            complete: count.end == CountEnd::Complete,
            states: count.depths.iter().map(|at| at.states).sum(),
            terminal: count.depths.iter().map(|at| at.terminal).sum(),
            depths: depths.collect(),
            step_counter: machine.clock().is_some(),
            stopped: match &count.end {
                CountEnd::Complete => None,
                CountEnd::Limit(Stop::Nodes) => Some("node limit reached".to_owned()),
                CountEnd::Limit(Stop::Memory) => Some("memory limit reached".to_owned()),
                CountEnd::Limit(Stop::Interrupted) => Some("interrupted".to_owned()),
                CountEnd::Limit(_) => Some("time limit reached".to_owned()),
                CountEnd::Error(error) => Some(error.to_string()),
            },
            timing: StateCountTiming { seconds },
        }
    }

    /// The document, with a line break at the end.
    ///
    /// # Errors
    /// Serialization fails; no known input causes this.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// A table with a row for each depth, and the sum.
    pub fn text(&self, layout: Layout) -> String {
        let last = self.depths.len().saturating_sub(1);
        let rows = self.depths.iter().map(|at| {
            let least = if !self.complete && at.depth == last { "at least " } else { "" };
            vec![at.depth.to_string(), format!("{least}{}", grouped(at.states)), grouped(at.terminal)]
        });
        let mut out = layout.table(&["depth", "states", "terminal"], rows.collect());
        let least = if self.complete { "" } else { "at least " };
        let (states, terminal) = (counted(self.states, "state", "states"), grouped(self.terminal));
        let seconds = self.timing.seconds;
        out.push_str(&format!("{least}{states}, {terminal} of them terminal, in {seconds:.2} s\n"));
        if let Some(stopped) = &self.stopped {
            out.push_str(&format!("incomplete: {stopped}\n"));
        }
        if self.step_counter {
            out.push_str("states that differ only in the step counter count separately\n");
        }
        out
    }
}
