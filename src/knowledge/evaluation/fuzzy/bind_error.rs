//! Errors of binding a formula to a machine.

use super::mention::Mention;

/// Limit of the members of a node.
pub(super) const MOST_MEMBERS: usize = 1 << 18;

/// The reason why a formula is invalid or does not fit a game.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// An atom that the game does not have.
    #[error("the game has no atom `{atom}`")]
    UnknownAtom {
        /// The atom.
        atom: String,
    },
    /// A measured fluent without a family that gives its order.
    #[error(
        "`{atom}` is measured, but the families have no `{fluent}`, or not with elements such as its own"
    )]
    NoFamily {
        /// The atom or pattern.
        atom: String,
        /// Its fluent as `name/arity`.
        fluent: String,
    },
    /// A family with a wrong argument or order.
    #[error("the family `{fluent}`: {what}")]
    Family {
        /// The fluent as `name/arity`.
        fluent: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A mention of a node that does not exist, or that comes later.
    #[error(
        "node {node} mentions {mention}; a node is made of nodes before it, or of its own loop, counted from 1"
    )]
    Mention {
        /// The node that mentions it.
        node: usize,
        /// The mention.
        mention: Mention,
    },
    /// An invalid loop.
    #[error("the loop from node {first} to node {last}: {what}")]
    Loop {
        /// Its first node.
        first: u32,
        /// Its last node.
        last: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// A comparison with places outside its order, or without places.
    #[error("node {node} compares places outside 0 to {length}, its length not included, or nothing at all")]
    Places {
        /// The node.
        node: usize,
        /// The number of places.
        length: u32,
    },
    /// A node with too many members.
    #[error("node {node} has {members} members; at most {MOST_MEMBERS} are allowed")]
    Members {
        /// The node.
        node: usize,
        /// The number of its members.
        members: usize,
    },
}
