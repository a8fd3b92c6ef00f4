//! Explains the value of a node as a tree.

use schemars::JsonSchema;
use serde::Serialize;

use super::evaluator::Evaluator;
use super::formula::Formula;
use super::kinds::{ExplainedKind, Junction, Prefix};
use super::mention::Mention;

/// Trees are no deeper than this.
const DEEPEST: usize = 32;

/// A part of a formula at a state.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explained {
    /// The kind of the part.
    pub kind: ExplainedKind,
    /// The fluent, atom or comparison; empty for a part of a rule.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// Whether it is negated. If so, the value and `holds` are those of the negation, and `members` are those of the
    /// negated part.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub negated: bool,
    /// Its value, 0 to 1.
    pub value: f64,
    /// Whether it holds.
    pub holds: bool,
    /// Its members: in a disjunction, those with the greatest values first; in a conjunction, those with the least
    /// values first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<Explained>,
    /// Members that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Explains a node at the evaluator's state.
pub(super) fn explain(
    formula: &Formula,
    evaluator: &Evaluator<'_>,
    mention: Mention,
    depth: usize,
    most: usize,
) -> Explained {
    let number = mention.unsigned_abs();
    let node = &formula.nodes[number as usize - 1];
    let (kind, list) = (node.kind(), node.explained());
    let own = match node.prefix() {
        Prefix::Text(_, text) => text,
        Prefix::Members(..) => "",
    };
    let text = if own.is_empty() { formula.labels.get(&number).map_or("", String::as_str) } else { own };
    let mut members: Vec<Mention> = list.iter().copied().filter(|&member| member != 0).collect();
    members.sort_by(|&a, &b| {
        let order = evaluator.value(a).total_cmp(&evaluator.value(b));
        if kind.junction() == Some(Junction::All) { order } else { order.reverse() }
    });
    let shown = if depth.min(DEEPEST) == 0 { 0 } else { members.len().min(most) };
    Explained {
        kind,
        text: text.to_owned(),
        negated: mention < 0,
        value: evaluator.value(mention),
        holds: evaluator.holds(mention),
        left_out: members.len() - shown,
        members: members[..shown]
            .iter()
            .map(|&member| explain(formula, evaluator, member, depth.min(DEEPEST) - 1, most))
            .collect(),
    }
}
