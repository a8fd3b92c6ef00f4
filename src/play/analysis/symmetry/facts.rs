//! The facts of a game, and lists of words.

use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;

/// The fact of each bit: its functor and its arguments.
pub(super) type Facts<'n> = Vec<(Symbol, &'n [TermId])>;

/// Words in a row: `a, b and c`.
pub(super) fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
