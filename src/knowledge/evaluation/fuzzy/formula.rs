//! The document form of unrolled conditions: a graph of conjunctions and disjunctions over leaves, with KIF terms, so
//! that a document does not depend on symbol numbers.
//!
//! A node is defined by nodes before it, in a loop (see [`Node::Best`]) also by nodes of the same loop.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::kinds::Node;
use super::mention::Mention;

/// A graph of formulas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formula {
    /// Fluents whose arguments are ordered.
    pub families: Vec<Family>,
    /// The nodes; each comes after those that it mentions, except in loops.
    pub nodes: Vec<Node>,
    /// For every loop, its first and its last node. The nodes of a loop are consecutive and mention each other; they
    /// have the least values that agree with their definitions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<(u32, u32)>,
    /// For nodes that are atoms of the rules' own relations, these atoms.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<u32, String>,
}

/// A fluent with ordered arguments: a board, a place, a quantity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// `name/arity`.
    pub fluent: String,
    /// The ordered arguments.
    pub axes: Vec<Scale>,
}

/// An ordered argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scale {
    /// Its position, from 1.
    pub argument: usize,
    /// Its elements from first to last; steps are counted along them.
    pub order: Vec<String>,
}

/// A goal value and the node of its condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// The value, 1 to 100.
    pub value: i32,
    /// The node.
    pub condition: Mention,
}
