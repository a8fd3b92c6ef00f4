//! How nodes of a formula refer to each other, and to what is true.

/// A mention of a node: its number, counted from 1, with a minus sign where it is negated. 0 is what always holds.
pub type Mention = i32;

/// An edge to a node that is checked: its number from 0, times two, plus one where it is negated.
pub(super) type Edge = u32;

/// A signal, times two, plus one where it is negated: what is true in a state or not.
pub(super) type Literal = u32;

/// The steps between two places of an axis, from the difference of their numbers and how many places there are.
pub(super) type Steps = fn(u32, u32) -> u32;
