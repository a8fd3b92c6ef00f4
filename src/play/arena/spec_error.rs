//! Errors in the line of a player.

use crate::catalog::OptionError;
use crate::evaluation::Kind;
use crate::evaluation::TuningError;

/// An error in the line of a player.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The algorithm does not exist.
    #[error("there is no player `{name}`; the most similar name is `{nearest}` (`ggp players` lists all)")]
    Algorithm {
        /// The unknown name.
        name: String,
        /// The most similar name.
        nearest: &'static str,
    },
    /// `human` is used outside of `ggp play`.
    #[error("only `ggp play` has the player `human`; use a player of the list that `ggp players` prints")]
    Human,
    /// The algorithm takes no function, but one is given.
    #[error("`{name}` takes no evaluation function; remove the text after `{name}:`")]
    NoFunction {
        /// The algorithm.
        name: &'static str,
    },
    /// The algorithm needs a function, and none is given.
    #[error("`{name}` needs an evaluation function: a kind such as `{name}:fuzzy`, or a document's file")]
    Function {
        /// The algorithm.
        name: &'static str,
    },
    /// An option of the function is among those of the algorithm.
    #[error("`{option}` is an option of `{kind}`, not of `{name}`: write `{example}`")]
    OptionOfFunction {
        /// The algorithm.
        name: &'static str,
        /// The kind of its function.
        kind: Kind,
        /// The option.
        option: &'static str,
        /// A right place for the option.
        example: String,
    },
    /// An option of a function follows several functions, or a function with options in parentheses.
    #[error(
        "`{option}` is not an option of `{name}`; put the options of a function in parentheses, as in `fuzzy({option}=...)`"
    )]
    OptionAfterParentheses {
        /// The option.
        option: String,
        /// The algorithm.
        name: &'static str,
    },
    /// Wrong options of a function.
    #[error(transparent)]
    Tuning(#[from] TuningError),
    /// Wrong options of the algorithm.
    #[error(transparent)]
    Option(#[from] OptionError),
}
