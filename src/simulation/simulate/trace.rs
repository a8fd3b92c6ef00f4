//! The trace format: playouts as JSON lines, for people, other programs and replay.
//!
//! The first line describes the run. Then each step has a line with state, legal moves and joint move, and each playout has
//! a line for its end. Atoms are lower-case KIF and sorted; lists per role are in the order of the rules.

use serde::{Deserialize, Serialize};

use crate::gdl::Negation;

/// A line of a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum TraceLine {
    /// The first line.
    Game(TraceGame),
    /// A step of a playout.
    Step(TraceStep),
    /// The end of a playout.
    End(TraceEnd),
}

/// The game and the settings of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceGame {
    /// Name of the game.
    pub game: String,
    /// File name of its rules.
    pub kif: String,
    /// Seed of the playouts.
    pub seed: u64,
    /// Number of playouts requested; null if the run was limited by time.
    pub playouts: Option<u64>,
    /// Joint moves after which a playout was cut off.
    pub cap: u32,
    /// The roles, in the order of the rules.
    pub roles: Vec<String>,
    /// Names that differ only in case, for programs that do not fold case.
    #[serde(default)]
    pub case_collisions: Vec<serde_json::Value>,
    /// How negated literals were evaluated; omitted if it is as GDL defines.
    #[serde(default, skip_serializing_if = "Negation::is_language")]
    pub negation: Negation,
    /// Remarks for the reader.
    #[serde(default)]
    pub note: String,
}

/// A position and the joint move played in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Number of the playout.
    pub playout: u64,
    /// Joint moves before the position.
    pub step: u32,
    /// The fluents that hold.
    pub state: Vec<String>,
    /// The legal moves of every role.
    pub legal: Vec<Vec<String>>,
    /// The joint move: one move per role.
    #[serde(rename = "move")]
    pub joint: Vec<String>,
}

/// The last position of a playout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceEnd {
    /// Number of the playout.
    pub playout: u64,
    /// Joint moves played.
    pub step: u32,
    /// The fluents that hold.
    pub state: Vec<String>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The goal value of every role; omitted if the playout was stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub goals: Option<Vec<TraceGoal>>,
    /// Why the playout ended.
    pub reason: TraceReason,
}

/// A role's goal: a number, possibly as text, or a list if there is not exactly one value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TraceGoal {
    /// Exactly one value.
    Value(TraceValue),
    /// No value or several.
    Values(Vec<TraceValue>),
}

/// A goal value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum TraceValue {
    /// As a number.
    Number(i32),
    /// As text, `"100"`.
    Text(String),
}

/// Why a playout of a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceReason {
    /// The state is terminal.
    Terminal,
    /// The playout was cut off at the step limit.
    Cap,
    /// The run was stopped.
    TimeLimit,
    /// A role has no legal move.
    NoLegalMove,
    /// The next state could not be evaluated.
    Failed,
}

impl TraceGoal {
    /// A goal from its values.
    pub fn new(values: &[i32]) -> Self {
        match *values {
            [value] => TraceGoal::Value(TraceValue::Number(value)),
            _ => TraceGoal::Values(values.iter().map(|value| TraceValue::Text(value.to_string())).collect()),
        }
    }

    /// The values, ascending and without duplicates; none if a value is not an integer.
    pub fn values(&self) -> Option<Vec<i32>> {
        let mut values = match self {
            TraceGoal::Value(value) => vec![value.number()?],
            TraceGoal::Values(values) => values.iter().map(TraceValue::number).collect::<Option<Vec<_>>>()?,
        };
        values.sort_unstable();
        values.dedup();
        Some(values)
    }
}

/// The goal values of every role.
pub(super) fn goal_values(goals: &[TraceGoal]) -> Result<Vec<Vec<i32>>, String> {
    let values = |goal: &TraceGoal| goal.values().ok_or("a goal value is not a number".to_owned());
    goals.iter().map(values).collect()
}

impl TraceValue {
    fn number(&self) -> Option<i32> {
        match self {
            TraceValue::Number(value) => Some(*value),
            TraceValue::Text(text) => text.trim().parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_documented_format() {
        for text in [
            r#"{"type":"game","game":"g","kif":"g.kif","seed":1,"playouts":5,"cap":500,"roles":["a"],"case_collisions":[],"note":""}"#,
            r#"{"type":"step","playout":0,"step":2,"state":["(p 1)","q"],"legal":[["a","b"],["noop"]],"move":["b","noop"]}"#,
            r#"{"type":"end","playout":0,"step":3,"state":[],"terminal":true,"goals":[0,["0","100"],[]],"reason":"terminal"}"#,
            r#"{"type":"end","playout":0,"step":3,"state":[],"terminal":false,"reason":"time_limit"}"#,
        ] {
            let line: TraceLine = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&line).unwrap(), text);
        }
    }

    #[test]
    fn goals_are_numbers_or_lists() {
        let goal: TraceGoal = serde_json::from_str(r#"["100", 0, "0"]"#).unwrap();
        assert_eq!(goal.values(), Some(vec![0, 100]));
        assert_eq!(serde_json::from_str::<TraceGoal>(r#""100""#).unwrap().values(), Some(vec![100]));
        assert_eq!(TraceGoal::new(&[]).values(), Some(vec![]));
        assert_eq!(serde_json::from_str::<TraceGoal>(r#"["win"]"#).unwrap().values(), None);
    }
}
