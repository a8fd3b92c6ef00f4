//! Why a feature does not fit a game.

/// A feature that can't be made ready for a machine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeatureError {
    /// A text that is no pattern.
    #[error("`{text}` is no fluent with variables, such as `(cell ?x 1 b)`: {reason}")]
    Syntax {
        /// The text.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A fluent that the game does not have.
    #[error("the game has no fluent `{fluent}`; it has {known}")]
    UnknownFluent {
        /// The fluent as `name/arity`.
        fluent: String,
        /// Those that it has, separated by commas.
        known: String,
    },
    /// Nothing in the game can match a pattern.
    #[error("no fluent of the game matches `{pattern}`; argument {argument} has {known}")]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// The first argument that nothing matches, from 1.
        argument: usize,
        /// What can stand there, separated by commas.
        known: String,
    },
    /// A role that the game does not have.
    #[error("the game has no role `{role}`; it has {known}")]
    UnknownRole {
        /// The role.
        role: String,
        /// Those that it has, separated by commas.
        known: String,
    },
    /// An argument position that the fluent does not have.
    #[error("`{pattern}` has no argument {argument}; arguments count from 1")]
    NoArgument {
        /// The pattern.
        pattern: String,
        /// The position.
        argument: usize,
    },
    /// An order without elements, or with one twice.
    #[error("an order is a list of different elements; `{element}` stands there twice, or nothing at all")]
    Order {
        /// The element.
        element: String,
    },
    /// A number that is none, is infinite, or too large to be added up.
    #[error("a {what} must be a number from -1e15 to 1e15")]
    NotFinite {
        /// What it is.
        what: &'static str,
    },
    /// Two ends that stand the wrong way round, or too far apart to be told from each other.
    #[error("the {what} can't go from {low} to {high}: the smaller number comes first")]
    Range {
        /// What it is.
        what: &'static str,
        /// The first.
        low: f64,
        /// The second.
        high: f64,
    },
    /// A feature that is the value of an evaluation function.
    #[error(
        "the feature is the value of the evaluation function `{function}`: use the document of that function"
    )]
    Evaluation {
        /// The function.
        function: String,
    },
    /// Specs within specs, deeper than any that are made here.
    #[error("features stand in each other more than {limit} deep")]
    TooDeep {
        /// The deepest.
        limit: usize,
    },
}
