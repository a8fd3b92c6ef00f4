//! The names of properties, and of the methods that settle them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyName {
    /// Every play is finite.
    Termination,
    /// A bound on the number of steps of a play is known.
    FiniteLength,
    /// Every role has a legal move in every reachable state that is not terminal.
    Playability,
    /// A role has exactly one goal value in every reachable state, and it never falls.
    Monotonicity,
    /// A role has exactly one goal value in every reachable state that is terminal.
    UniqueGoal,
    /// A role can get 100 if all roles help.
    WeakWinnability,
    /// Some role, or the only one, can force 100.
    StrongWinnability,
    /// Termination, playability, monotonicity and weak winnability together.
    WellFormedness,
    /// At most one role has a choice in every reachable state.
    Alternation,
    /// Roles choose one after the other in a fixed order, one in every step.
    PerfectAlternation,
    /// In some reachable state two roles have a choice.
    Simultaneity,
    /// The goal values of all roles have the same sum in every reachable state that is terminal.
    ConstantSum,
    /// All roles have the same goal value in every reachable state that is terminal, and not always the same one.
    Cooperation,
}

impl PropertyName {
    /// The name in a sentence.
    pub fn words(self) -> String {
        self.to_string().replace('-', " ")
    }
}

/// The name, as in documents.
impl fmt::Display for PropertyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// The method that settled a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofMethod {
    /// The instantiated rules alone.
    Rules,
    /// A step counter: a part of the state with the same course in every play ends the game.
    Clock,
    /// Induction over steps, with a SAT solver.
    Induction,
    /// A ranking function: some fact that never changes back changes in every step, or a weighted sum of
    /// facts grows.
    Ranking,
    /// A play that shows it.
    Play,
    /// Search from the initial state.
    Search,
    /// It follows from other properties.
    Others,
}
