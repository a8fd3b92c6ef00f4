//! What findings name relations, terms, roles and moves by.

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
    /// What gives values their order.
    type Order: Clone + Debug + Eq;
    /// Which facts of a relation form a chain.
    type Pattern: Clone + Debug + Eq;
    /// What can stand at an argument.
    type Domain: Clone + Debug + Eq;
    /// What a finding rests on.
    type Reason: Clone + Debug + Eq;
}

/// The numbers of the machine that a finding was found on. Roles count from 0.
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

/// Text, as documents have it: terms as lower-case KIF, relations and fluents as `name/arity`, reasons as sentences.
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

/// A vocabulary of texts, whose findings documents can hold.
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

/// What gives values their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OrderedBy {
    /// A relation: a successor relation, or the one that a counter advances by.
    Relation(RelationId),
    /// Another chain, by its place in [`Structures::chains`](super::finding::Structures::chains).
    Chain(usize),
    /// A cycle, by its place in [`Structures::cycles`](super::finding::Structures::cycles): the coordinate has neighbours but neither a first nor a last value.
    Cycle(usize),
}

/// The facts of a relation that form a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainPattern {
    /// The arguments that are fixed, with what they are; empty for a binary relation.
    pub fixed: Vec<(ArgumentPosition, TermId)>,
    /// The arguments that hold an element and a later one.
    pub pair: [ArgumentPosition; 2],
}
