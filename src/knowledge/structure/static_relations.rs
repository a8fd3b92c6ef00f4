//! Chains and order relations over static facts, with the values by which later detectors choose among
//! them.

use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

use super::chain::Chain;
use super::finding::{ChainShape, Method, Order, OrderedBy, OtherChain, Successor};

/// A static binary relation that the description defines, with all its facts.
#[derive(Clone, Debug)]
pub struct BinaryFacts {
    /// The relation.
    pub relation: RelationId,
    /// Its facts, sorted and distinct.
    pub pairs: Vec<(TermId, TermId)>,
}

impl BinaryFacts {
    /// Whether all its facts are written in the description.
    pub fn is_ground(&self, description: &Description) -> bool {
        let rules = &description.rules_of[self.relation.index()];
        rules.iter().all(|&rule| description.rules[rule as usize].body.is_empty())
    }
}

/// A chain and the relation that forms it.
#[derive(Clone, Debug)]
pub struct DetectedChain {
    /// The relation.
    pub relation: RelationId,
    /// The chain in the direction of the relation's facts.
    pub chain: Chain,
    /// Rank among several chains that would fit; the greatest is taken.
    pub preference: Preference,
    /// The finding.
    pub finding: ChainFinding,
}

/// The finding about a chain.
#[derive(Clone, Debug)]
pub enum ChainFinding {
    /// A chain that is a successor relation.
    Successor(Successor),
    /// A chain or cycle of another relation, with its index among these findings.
    Other(usize, OtherChain),
}

impl DetectedChain {
    /// Its name as the order of values.
    pub fn ordered_by(&self) -> OrderedBy {
        match &self.finding {
            ChainFinding::Successor(_) => OrderedBy::Relation(self.relation),
            ChainFinding::Other(index, cycle) if cycle.shape == ChainShape::Cycle => OrderedBy::Cycle(*index),
            ChainFinding::Other(index, _) => OrderedBy::Chain(*index),
        }
    }

    /// Whether it is a successor relation.
    pub fn is_successor(&self) -> bool {
        matches!(self.finding, ChainFinding::Successor(_))
    }

    /// Whether some arguments of its relation are fixed.
    pub fn is_slice(&self) -> bool {
        matches!(&self.finding, ChainFinding::Other(_, chain) if !chain.pattern.fixed.is_empty())
    }

    /// Whether its direction is opposite to the one that other chains agree on.
    pub fn is_reversed(&self) -> bool {
        matches!(&self.finding, ChainFinding::Successor(successor) if successor.reversed)
    }

    /// Whether rules derive some of its facts.
    pub fn is_derived(&self) -> bool {
        let evidence = match &self.finding {
            ChainFinding::Successor(successor) => &successor.evidence,
            ChainFinding::Other(_, chain) => &chain.evidence,
        };
        !evidence.methods.contains(&Method::Syntax)
    }
}

/// The number of counters that advance by a chain's relation, the number of its literals in the rules, and
/// the [shape](super::shape::relations) of the relation.
pub type Preference = (usize, usize, u64);

/// An order relation with the chain it is the closure of.
#[derive(Clone, Debug)]
pub struct DetectedOrder {
    /// The relation.
    pub relation: RelationId,
    /// The index of the successor relation among the detected chains; none if the relation branches at one
    /// end.
    pub over: Option<usize>,
    /// The finding.
    pub finding: Order,
}
