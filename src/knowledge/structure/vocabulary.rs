//! Vocabularies of findings: names of relations, terms, roles and moves.

use std::fmt::Debug;

use super::argument::ArgumentPosition;
use super::fluent_relations::FluentRelation;
use super::reason::Reason;
use crate::gdl::domain::Domain;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::machine::MoveId;

/// The types by which a finding names the parts of a game.
pub trait Vocabulary: Clone + Debug + Eq + Ord {
    /// A relation.
    type Relation: Clone + Debug + Eq;
    /// A fluent relation.
    type Fluent: Clone + Debug + Eq;
    /// A ground term.
    type Term: Clone + Debug + Eq + Ord;
    /// A role.
    type Role: Clone + Debug + Eq + Ord;
    /// A move.
    type Move: Clone + Debug + Eq;
    /// The order of values.
    type Order: Clone + Debug + Eq;
    /// The pattern of facts that form a chain.
    type Pattern: Clone + Debug + Eq;
    /// The terms that can occur at an argument.
    type Domain: Clone + Debug + Eq;
    /// The reason for a finding.
    type Reason: Clone + Debug + Eq;
}

/// The identifiers of the machine on which the detectors ran. Roles are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ids;

impl Vocabulary for Ids {
    type Relation = RelationId;
    type Fluent = FluentRelation;
    type Term = TermId;
    type Role = usize;
    type Move = MoveId;
    type Order = OrderedBy;
    type Pattern = ChainPattern;
    type Domain = Domain;
    type Reason = Reason;
}

/// Text, as documents store it: terms in lower-case KIF, relations and fluents as `name/arity`, reasons as sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kif;

impl Vocabulary for Kif {
    type Relation = String;
    type Fluent = String;
    type Term = String;
    type Role = String;
    type Move = String;
    type Order = String;
    type Pattern = String;
    type Domain = Vec<String>;
    type Reason = String;
}

/// A vocabulary of texts, for findings in documents.
pub trait TextVocabulary:
    Vocabulary<
        Relation = String,
        Fluent = String,
        Term = String,
        Role = String,
        Move = String,
        Order = String,
        Pattern = String,
        Domain = Vec<String>,
        Reason = String,
    >
{
}

impl TextVocabulary for Kif {}

/// The order of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderedBy {
    /// A successor relation, or the relation by which a counter advances.
    Relation(RelationId),
    /// Another chain, by its index in [`Structures::chains`](super::finding::Structures::chains).
    Chain(usize),
    /// A cycle, by its index in [`Structures::cycles`](super::finding::Structures::cycles): its elements
    /// have neighbours, but there is neither a first nor a last element.
    Cycle(usize),
}

/// The pattern of the facts that form a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainPattern {
    /// The fixed arguments with their values; empty for a binary relation.
    pub fixed: Vec<(ArgumentPosition, TermId)>,
    /// The arguments with an element and with a later element of the chain, in this order.
    pub pair: [ArgumentPosition; 2],
}
