//! Reasons why a feature does not fit a game.

/// The reason why a feature can't be bound to a machine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FeatureError {
    /// The text is not a pattern.
    #[error("`{text}` is not a fluent pattern, such as `(cell ?x 1 b)`: {reason}")]
    Syntax {
        /// The text.
        text: String,
        /// The fault.
        reason: &'static str,
    },
    /// The game has no such fluent.
    #[error("the game has no fluent `{fluent}`; it has {known}")]
    UnknownFluent {
        /// The fluent as `name/arity`.
        fluent: String,
        /// The fluents of the game, separated by commas.
        known: String,
    },
    /// No fluent of the game matches the pattern.
    #[error("no fluent of the game matches `{pattern}`; argument {argument} has {known}")]
    NoMatch {
        /// The pattern.
        pattern: String,
        /// The first argument that no fluent matches, from 1.
        argument: usize,
        /// The terms that occur there, separated by commas.
        known: String,
    },
    /// The game has no such role.
    #[error("the game has no role `{role}`; it has {known}")]
    UnknownRole {
        /// The role.
        role: String,
        /// The roles of the game, separated by commas.
        known: String,
    },
    /// The fluent has no argument at this position.
    #[error("`{pattern}` has no argument {argument}; arguments count from 1")]
    NoArgument {
        /// The pattern.
        pattern: String,
        /// The position, from 1.
        argument: usize,
    },
    /// An order is empty, or lists an element twice.
    #[error("{}", wrong_order(.element))]
    Order {
        /// The repeated element.
        element: String,
    },
    /// A number is not finite, or so large that sums may overflow.
    #[error("a {what} must be a number from -1e15 to 1e15")]
    NotFinite {
        /// The kind of number.
        what: &'static str,
    },
    /// The ends of a range are in the wrong order, or too far apart to be distinguished.
    #[error(
        "the {what} can't go from {low} to {high}: write the smaller number first, and a different one second"
    )]
    Range {
        /// The kind of range.
        what: &'static str,
        /// The lower end.
        low: f64,
        /// The upper end.
        high: f64,
    },
    /// The feature is the value of an evaluation function.
    #[error(
        "the feature is the value of the evaluation function `{function}`: use the document of that function"
    )]
    Evaluation {
        /// The name of the function.
        function: String,
    },
    /// Specs are nested too deep.
    #[error("features are nested more than {limit} deep; use fewer levels")]
    TooDeep {
        /// The deepest nesting allowed.
        limit: usize,
    },
}

fn wrong_order(element: &str) -> String {
    match element {
        "" => "an order is empty; list its elements".to_owned(),
        _ => format!("an order lists `{element}` twice; list each element once"),
    }
}
