//! What is said of a game's properties.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::plays::Moves;
use super::reason::Reason;
use crate::structure::finding::ProofStatus;

/// A property that a game has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PropertyName {
    /// Every play is finite.
    Termination,
    /// There is a number of steps that no play exceeds, and it is known.
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
    /// In no reachable state two roles have a choice.
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
    /// Its name in a sentence.
    pub fn words(self) -> String {
        self.to_string().replace('-', " ")
    }
}

/// Its name, as in documents.
impl fmt::Display for PropertyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// How a property was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProofMethod {
    /// By the shape of the instantiated rules.
    Rules,
    /// The part of the state that goes the same course in every play ends it.
    Clock,
    /// By induction over steps, asked of a SAT solver.
    Induction,
    /// Facts that change in one direction alone, of which one does in every step, or a weighted sum of facts that grows.
    Ranking,
    /// A play that shows it.
    Play,
    /// Search from the initial state.
    Search,
    /// It follows from other properties.
    Others,
}

/// Whether a game has a property.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// Which.
    pub name: PropertyName,
    /// The role that it is said of, counted from 0; none for the game as a whole.
    pub role: Option<usize>,
    /// Whether it holds.
    pub status: ProofStatus,
    /// How that is known.
    pub method: Option<ProofMethod>,
    /// Why it holds, fails or is open.
    pub reason: Reason,
    /// How many steps an induction looks back; none where there is none.
    pub k: Option<u32>,
    /// How many lemmas were proved together with it; none where there is no induction.
    pub lemmas: Option<usize>,
    /// Joint moves that no play exceeds, where that is known.
    pub longest: Option<u64>,
    /// Whether some play has this length; none if no length is known.
    pub is_attained: Option<bool>,
    /// Joint moves from the initial state that show it, or that it is false.
    pub witness: Option<Moves>,
    /// States of random play that were looked at, for what is neither proved nor refuted.
    pub states: u64,
}

impl Property {
    /// One of which nothing is known yet.
    pub(super) fn open(name: PropertyName, role: Option<usize>) -> Property {
        Property {
            name,
            role,
            status: ProofStatus::Open,
            method: None,
            reason: Reason::Unknown,
            k: None,
            lemmas: None,
            longest: None,
            is_attained: None,
            witness: None,
            states: 0,
        }
    }

    /// The same, settled.
    #[must_use]
    pub(super) fn settled(self, status: ProofStatus, method: ProofMethod, reason: Reason) -> Property {
        Property { status, method: Some(method), reason, states: 0, ..self }
    }

    /// The same, open for a reason.
    #[must_use]
    pub(super) fn left_open(self, reason: Reason) -> Property {
        Property { status: ProofStatus::Open, method: None, reason, ..self }
    }

    /// The same with a play that shows it.
    #[must_use]
    pub(super) fn shown_by(self, witness: Option<Moves>) -> Property {
        Property { witness, ..self }
    }
}
