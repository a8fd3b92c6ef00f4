//! Claims about a game, as lists of contradictions.

use super::lemma::Lemma;
use crate::ground::Lit;

/// A condition on a state and its successor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// A literal holds, in the state (0) or its successor (1).
    Holds(usize, Lit),
    /// No literal of a list holds, in the given frame.
    None(usize, Vec<Lit>),
    /// At least one of a list holds.
    Some(usize, Vec<Lit>),
    /// At least two of a list hold.
    Two(usize, Vec<Lit>),
    /// None of these bits changes over this number of steps.
    Unchanged(usize, Vec<u32>),
}

/// Conditions that never hold together in a reachable state and its successors if the claim is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contradiction(pub(super) Vec<Condition>);

impl Contradiction {
    /// Number of steps that it covers.
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

    /// The lemma that excludes it, if it covers one state and is a clause or one list.
    pub(super) fn lemma(&self) -> Option<Lemma> {
        match &self.0[..] {
            [Condition::Two(0, literals)] => Some(Lemma::AtMostOne(literals.clone())),
            [Condition::None(0, literals)] => Some(Lemma::Clause(literals.clone())),
            conditions => {
                // Literals that exclude each other unless one of a list holds form a clause.
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
    /// The claim as text, for readers.
    pub(super) text: String,
    /// The claim is true if none of these occurs,
    pub(super) never: Vec<Contradiction>,
    /// and if none of these bits holds again after it was lost.
    pub(super) never_return: Vec<u32>,
}

impl Claim {
    pub(super) fn new(text: impl Into<String>, never: Vec<Contradiction>) -> Claim {
        Claim { text: text.into(), never, never_return: Vec::new() }
    }
}

/// The result of proving a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Proved, with the number of steps that the induction looks back.
    Proved(u32),
    /// Not proved.
    Open,
}
