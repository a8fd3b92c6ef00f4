//! What can be claimed of a game, as what would contradict it.

use super::lemma::Lemma;
use crate::ground::Lit;

/// A condition on a state and its successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// A literal holds, in the state (0) or its successor (1).
    Holds(usize, Lit),
    /// No literal of a list holds.
    None(usize, Vec<Lit>),
    /// At least one of a list holds.
    Some(usize, Vec<Lit>),
    /// At least two of a list hold.
    Two(usize, Vec<Lit>),
    /// None of these bits changes in so many steps, one after the other.
    Unchanged(usize, Vec<u32>),
}

/// Conditions that never hold together, in a reachable state and its successor, if the claim that it belongs to is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contradiction(pub(super) Vec<Condition>);

impl Contradiction {
    /// How many steps it is about.
    pub(super) fn steps(&self) -> usize {
        let steps = self.0.iter().map(|condition| match condition {
            Condition::Holds(frame, _)
            | Condition::None(frame, _)
            | Condition::Some(frame, _)
            | Condition::Two(frame, _)
            | Condition::Unchanged(frame, _) => *frame,
        });
        steps.max().unwrap_or(0)
    }

    /// The lemma that says that it never comes, if it is about one state and one list.
    pub(super) fn lemma(&self) -> Option<Lemma> {
        match &self.0[..] {
            [Condition::Two(0, literals)] => Some(Lemma::AtMostOne(literals.clone())),
            [Condition::None(0, literals)] => Some(Lemma::Clause(literals.clone())),
            conditions => {
                // Literals that don't hold together while none of a list does are a clause.
                let mut clause = Vec::new();
                for condition in conditions {
                    match condition {
                        Condition::Holds(0, literal) => clause.push(!*literal),
                        Condition::None(0, literals) => clause.extend_from_slice(literals),
                        _ => return None,
                    }
                }
                Some(Lemma::Clause(clause))
            }
        }
    }
}

/// A claim about all reachable states.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// What it says, for readers.
    pub(super) text: String,
    /// It is true if none of these ever comes.
    pub(super) never: Vec<Contradiction>,
    /// And if none of these bits holds again after it went.
    pub(super) never_return: Vec<u32>,
}

impl Claim {
    pub(super) fn new(text: impl Into<String>, never: Vec<Contradiction>) -> Claim {
        Claim { text: text.into(), never, never_return: Vec::new() }
    }
}
