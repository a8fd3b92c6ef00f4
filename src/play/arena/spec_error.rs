//! Why a line is no player.

use crate::catalog::OptionError;
use crate::evaluation::Kind;
use crate::evaluation::TuningError;

/// A line that is no player.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// An algorithm that there is not.
    #[error("there is no player `{name}`; nearest to it is `{nearest}` (`ggp players` lists them all)")]
    Algorithm {
        /// What was said.
        name: String,
        /// What may have been meant.
        nearest: &'static str,
    },
    /// A person where nobody sits.
    #[error("`human` plays at the prompt of `ggp play` alone")]
    Human,
    /// A function where none belongs.
    #[error("`{name}` takes no evaluation function, so nothing can stand after `{name}:`")]
    NoFunction {
        /// The algorithm.
        name: &'static str,
    },
    /// No function where one belongs.
    #[error("`{name}` needs an evaluation function: a kind such as `{name}:fuzzy`, or a document's file")]
    Function {
        /// The algorithm.
        name: &'static str,
    },
    /// An option of the function among those of the algorithm.
    #[error("`{option}` is an option of `{kind}`, not of `{name}`: say `{name}:{kind}({option}={default})`")]
    OptionOfFunction {
        /// The algorithm.
        name: &'static str,
        /// The kind of its function.
        kind: Kind,
        /// The option.
        option: &'static str,
        /// What it is where nothing is said.
        default: String,
    },
    /// An option of a function after several functions, or after options in parentheses.
    #[error(
        "`{option}` is not an option of `{name}`; put the options of a function in parentheses, as in `fuzzy({option}=...)`"
    )]
    OptionAfterParentheses {
        /// The option.
        option: String,
        /// The algorithm.
        name: &'static str,
    },
    /// Options that the functions can't have.
    #[error(transparent)]
    Tuning(#[from] TuningError),
    /// An option that the algorithm does not have, or a value that it can't have.
    #[error(transparent)]
    Option(#[from] OptionError),
}
