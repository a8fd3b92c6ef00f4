//! Errors of binding a formula to a machine.

use super::mention::Mention;

/// Members that a node can have at most.
pub(super) const MOST_MEMBERS: usize = 1 << 18;

/// Why a formula does not fit a game, or is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// An atom that the game does not have.
    #[error("the game has no atom `{atom}`")]
    UnknownAtom {
        /// The atom.
        atom: String,
    },
    /// A fluent that is measured without saying by what order.
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
    /// A mention of a node that is not there, or not yet.
    #[error(
        "node {node} mentions {mention}; a node is made of nodes before it, or of its own loop, counted from 1"
    )]
    Mention {
        /// The node that mentions it.
        node: usize,
        /// The mention.
        mention: Mention,
    },
    /// A loop that is none.
    #[error("the loop from node {first} to node {last}: {what}")]
    Loop {
        /// Its first node.
        first: u32,
        /// Its last node.
        last: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// A comparison with places outside its order.
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
        /// How many it has.
        members: usize,
    },
}
