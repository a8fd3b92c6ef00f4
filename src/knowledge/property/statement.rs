//! Statements about a game's properties.

use super::plays::Moves;
use super::property_name::{ProofMethod, PropertyName};
use super::reason::Reason;
use crate::structure::finding::ProofStatus;

/// A property with its status.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The property.
    pub name: PropertyName,
    /// The role, counted from 0; none for the game as a whole.
    pub role: Option<usize>,
    /// Whether it holds.
    pub status: ProofStatus,
    /// The method that settled it; none if it is open.
    pub method: Option<ProofMethod>,
    /// The reason for the status.
    pub reason: Reason,
    /// Number of steps that an induction looks back; none without an induction.
    pub k: Option<u32>,
    /// Number of lemmas that the proof may use; none without an induction.
    pub lemmas: Option<usize>,
    /// Upper bound on the joint moves of a play, if known.
    pub longest: Option<u64>,
    /// Whether some play has this length; none if the length is unknown.
    pub is_attained: Option<bool>,
    /// Joint moves from the initial state that prove or refute it.
    pub witness: Option<Moves>,
    /// States of random play that were checked, if it is open.
    pub states: u64,
}

impl Property {
    /// An open property without a reason.
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

    /// The property with a status and a method.
    #[must_use]
    pub(super) fn settled(self, status: ProofStatus, method: ProofMethod, reason: Reason) -> Property {
        Property { status, method: Some(method), reason, states: 0, ..self }
    }

    /// The property, open for a reason.
    #[must_use]
    pub(super) fn left_open(self, reason: Reason) -> Property {
        Property { status: ProofStatus::Open, method: None, reason, ..self }
    }

    /// The property with a witness.
    #[must_use]
    pub(super) fn shown_by(self, witness: Option<Moves>) -> Property {
        Property { witness, ..self }
    }
}
