//! What documents say of chains and orders of terms.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::structure::evidence::EvidenceDocument;
use crate::structure::finding::{ChainShape, Uncompared};

/// A successor relation: static facts that form one chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Successor")]
pub struct SuccessorDocument {
    /// `name/2`.
    pub relation: String,
    /// Number of elements of the chain.
    pub length: usize,
    /// Whether it takes its elements in the order opposite to that of another one found, which gives the
    /// direction: then a fact leads from an element to the one before it.
    #[serde(default)]
    pub reversed: bool,
    /// Its first element.
    pub first: String,
    /// Its last element.
    pub last: String,
    /// The elements from first to last.
    pub elements: Vec<String>,
    /// Evidence.
    pub evidence: EvidenceDocument,
}

/// An order relation: transitive and antisymmetric, the closure of a successor relation, or of one that branches at one
/// end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Order")]
pub struct OrderDocument {
    /// `name/2`.
    pub relation: String,
    /// The relation it is the closure of, `name/2`.
    pub over: String,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether the first argument is the smaller one, in the successor's direction.
    pub ascending: bool,
    /// The elements at one end that are not compared with each other; missing for a total order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncompared: Option<Uncompared>,
    /// Evidence.
    pub evidence: EvidenceDocument,
}

/// A chain or cycle of elements by a relation that is not a successor relation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Chain")]
pub struct ChainDocument {
    /// What orders by it are called: `name/2`, or the pattern of a slice, `(plus 1 ?x ?y)`.
    pub name: String,
    /// The relation, `name/arity`.
    pub relation: String,
    /// What makes it a chain.
    pub shape: ChainShape,
    /// The elements from first to last; a cycle begins with the element that the rules name first.
    pub elements: Vec<String>,
    /// Evidence.
    pub evidence: EvidenceDocument,
}

/// An order in which some elements can't be compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PartialOrder")]
pub struct PartialOrderDocument {
    /// `name/2`.
    pub relation: String,
    /// Whether equal elements are not related.
    pub strict: bool,
    /// Whether elements that can't be compared form levels, each of which is below or above every other.
    pub weak: bool,
    /// Number of elements.
    pub elements: usize,
    /// Number of elements of its longest chain.
    pub height: usize,
    /// Evidence.
    pub evidence: EvidenceDocument,
}
