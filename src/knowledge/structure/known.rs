//! Chains and order relations with what later detectors ask of them.

use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

use super::chain::Chain;
use super::finding::{ChainShape, Method, Order, OrderedBy, OtherChain, Successor};

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

/// A chain with what it is by.
#[derive(Clone, Debug)]
pub struct Chained {
    /// The relation.
    pub relation: RelationId,
    /// The chain in the direction of the relation's facts.
    pub chain: Chain,
    /// What speaks for it where several chains would do; the greatest is taken.
    pub preference: Preference,
    /// The finding.
    pub finding: ChainFinding,
}

/// What is said of a chain.
#[derive(Clone, Debug)]
pub enum ChainFinding {
    /// Of a successor relation.
    Successor(Successor),
    /// Of another relation; findings of such chains are numbered.
    Other(usize, OtherChain),
}

impl Chained {
    /// What it is called as the order of values.
    pub fn ordered_by(&self) -> OrderedBy {
        match &self.finding {
            ChainFinding::Successor(_) => OrderedBy::Relation(self.relation),
            ChainFinding::Other(place, cycle) if cycle.shape == ChainShape::Cycle => OrderedBy::Cycle(*place),
            ChainFinding::Other(place, _) => OrderedBy::Chain(*place),
        }
    }

    /// Whether it is by a successor relation.
    pub fn is_successor(&self) -> bool {
        matches!(self.finding, ChainFinding::Successor(_))
    }

    /// Whether some arguments of its relation are fixed.
    pub fn is_slice(&self) -> bool {
        matches!(&self.finding, ChainFinding::Other(_, chain) if !chain.pattern.fixed.is_empty())
    }

    /// Whether it goes against the direction that other chains give.
    pub fn is_reversed(&self) -> bool {
        matches!(&self.finding, ChainFinding::Successor(successor) if successor.reversed)
    }

    /// Whether its facts are more than those of the text.
    pub fn is_derived(&self) -> bool {
        let evidence = match &self.finding {
            ChainFinding::Successor(successor) => &successor.evidence,
            ChainFinding::Other(_, chain) => &chain.evidence,
        };
        !evidence.methods.contains(&Method::Syntax)
    }
}

/// Uses of a chain's relation in the rules: the number of counters that count by it, that of literals, and the
/// [shape](super::shape::relations) of the relation.
pub type Preference = (usize, usize, u64);

/// An order relation with the chain it is the closure of.
#[derive(Clone, Debug)]
pub struct Ordered {
    /// The relation.
    pub relation: RelationId,
    /// The successor relation, by its position among the chains found; none if the relation branches at one end.
    pub over: Option<usize>,
    /// The finding.
    pub finding: Order,
}
