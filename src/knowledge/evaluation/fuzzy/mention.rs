//! References between the nodes of a formula, and to signals.

/// A mention of a node: its number, counted from 1, with a minus sign if it is negated. 0 is the constant true.
pub type Mention = i32;

/// A checked mention of a node: twice its index, plus one if it is negated.
pub(super) type Edge = u32;

/// A literal, which is true or false in a state: twice the number of a signal, plus one if it is negated.
pub(super) type Literal = u32;

/// Computes the number of steps between two places of an axis from the difference of their numbers and the number of
/// places.
pub(super) type Steps = fn(u32, u32) -> u32;
