//! Unrolled conditions: a graph of conjunctions and disjunctions over leaves, in KIF terms alone, so that a document
//! can carry it and any load of the same game can run it.
//!
//! A node is defined by nodes before it, so shared subformulas stand once; in a loop (see [`Node::Best`]) also by
//! nodes of the same loop.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A mention of a node: its number, counted from 1, with a minus sign where it is negated. 0 is what always holds.
pub type Mention = i32;

/// A graph of formulas.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Formula {
    /// Fluents whose arguments are ordered.
    pub families: Vec<Family>,
    /// The nodes, each after those it is made of.
    pub nodes: Vec<Node>,
    /// For every loop its first and its last node: these stand together and are defined by each other, and have the
    /// least values that fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<(u32, u32)>,
    /// What a node says in the words of the rules: atoms of the rules' own relations, by node.
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

/// How two values are compared, by their places in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Comparison {
    /// The left one stands before the right one.
    Less,
    /// It does not stand after it.
    AtMost,
    /// It stands after it.
    Greater,
    /// It does not stand before it.
    AtLeast,
    /// They are the same.
    Equal,
}

impl Comparison {
    /// Whether it holds of two places.
    pub fn holds(self, left: u32, right: u32) -> bool {
        match self {
            Comparison::Less => left < right,
            Comparison::AtMost => left <= right,
            Comparison::Greater => left > right,
            Comparison::AtLeast => left >= right,
            Comparison::Equal => left == right,
        }
    }
}

/// A node of a formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Node {
    /// A fluent: p where it holds, else 1 - p.
    Fact(String),
    /// A fluent of a family: p where it holds, else by how near its like are. `?` stands for an argument that may be
    /// anything.
    Near(String),
    /// A comparison of two values.
    Compare(Compare),
    /// An atom whose truth the rules derive in every state, without being unrolled: p or 1 - p.
    Derived(String),
    /// A fluent that is worth p where it holds, else by how near the best way is that brings it about next.
    Soon {
        /// The fluent.
        fact: String,
        /// What can bring it about.
        next: Mention,
    },
    /// What is worth p where something holds, else by how near the best way is that brings it about next.
    Toward {
        /// What is to hold.
        holds: Mention,
        /// What can bring it about.
        next: Mention,
    },
    /// A conjunction; of nothing it always holds.
    And(Vec<Mention>),
    /// A disjunction; of nothing it never holds.
    Or(Vec<Mention>),
    /// A disjunction worth as much as its best member: an atom of a recursive relation, in a loop.
    Best(Vec<Mention>),
}

/// A comparison of two values of the state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compare {
    /// What is compared, for people: literals of a rule.
    pub text: String,
    /// How.
    pub relation: Comparison,
    /// Places in the order that the left value can have, each with what holds when it has it.
    pub left: Vec<(u32, Mention)>,
    /// Those of the right one.
    pub right: Vec<(u32, Mention)>,
    /// Number of elements of the order.
    pub length: u32,
}

impl Node {
    /// The nodes it is made of.
    pub fn mentions(&self) -> impl Iterator<Item = Mention> + '_ {
        let toward = match self {
            Node::Toward { holds, next } => vec![*holds, *next],
            _ => Vec::new(),
        };
        let (list, compare): (&[Mention], Option<&Compare>) = match self {
            Node::Soon { next, .. } => (std::slice::from_ref(next), None),
            Node::And(list) | Node::Or(list) | Node::Best(list) => (list, None),
            Node::Compare(compare) => (&[], Some(compare)),
            _ => (&[], None),
        };
        let sides = compare.into_iter().flat_map(|compare| compare.left.iter().chain(&compare.right));
        toward.into_iter().chain(list.iter().copied()).chain(sides.map(|&(_, mention)| mention))
    }

    /// The same with other numbers of nodes.
    pub(super) fn renumbered(self, number: &impl Fn(Mention) -> Mention) -> Node {
        let all = |list: Vec<Mention>| list.into_iter().map(number).collect();
        let side = |list: Vec<(u32, Mention)>| {
            list.into_iter().map(|(place, mention)| (place, number(mention))).collect()
        };
        match self {
            Node::Soon { fact, next } => Node::Soon { fact, next: number(next) },
            Node::Toward { holds, next } => Node::Toward { holds: number(holds), next: number(next) },
            Node::And(list) => Node::And(all(list)),
            Node::Or(list) => Node::Or(all(list)),
            Node::Best(list) => Node::Best(all(list)),
            Node::Compare(Compare { text, relation, left, right, length }) => {
                Node::Compare(Compare { text, relation, left: side(left), right: side(right), length })
            }
            leaf => leaf,
        }
    }
}
