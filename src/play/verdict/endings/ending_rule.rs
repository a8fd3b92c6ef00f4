//! A rule of `terminal` and the type of its condition.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gdl::source::Span;

/// The type of a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndingKind {
    /// The condition of a rule.
    Condition,
    /// Every cell of a board is occupied.
    BoardFull,
    /// No role has a legal move except noops.
    NoMove,
    /// A counter has reached its limit.
    StepLimit,
    /// A role has no legal move although the state is not terminal.
    Stuck,
    /// The game was cut off.
    CutOff,
}

/// A rule of `terminal` in the text. Parts of a disjunction are one rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EndingRule {
    /// Its place in the text.
    #[serde(skip)]
    pub span: Span,
    /// Its first line, from 1; 0 before [`GameEndings::set_lines`](super::GameEndings::set_lines).
    pub line: usize,
    /// The type of its condition.
    pub kind: EndingKind,
    /// Its condition: a few words if it is recognised, else shortened KIF.
    pub text: String,
}
