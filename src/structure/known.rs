//! Successor and order relations with what later detectors ask of them.

use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

use super::chain::Chain;
use super::finding::{Order, Successor};

/// A static binary relation of the description's own, with all its facts.
#[derive(Clone, Debug)]
pub struct BinaryFacts {
    /// The relation.
    pub relation: RelationId,
    /// Its facts.
    pub pairs: Vec<(TermId, TermId)>,
}

impl BinaryFacts {
    /// Whether all its facts stand in the text.
    pub fn is_ground(&self, description: &Description) -> bool {
        let rules = &description.rules_of[self.relation.index()];
        rules.iter().all(|&rule| description.rules[rule as usize].body.is_empty())
    }
}

/// A successor relation with its chain.
#[derive(Clone, Debug)]
pub struct Chained {
    /// The relation.
    pub relation: RelationId,
    /// Its chain.
    pub chain: Chain,
    /// What speaks for it where several chains would do; the greatest is taken.
    pub preference: Preference,
    /// The finding.
    pub finding: Successor,
}

/// Uses of a chain's relation in the rules: the number of counters that count by it, that of literals, and the
/// [shape](super::shape::relations) of the relation.
pub type Preference = (usize, usize, u64);

/// An order relation with the chain it is the closure of.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// The relation.
    pub relation: RelationId,
    /// The successor relation, by its position among those found.
    pub over: usize,
    /// The finding.
    pub finding: Order,
}
