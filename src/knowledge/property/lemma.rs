//! Lemmas about states: clauses, and groups of mutually exclusive facts.

use crate::ground::Lit;
use crate::machine::State;

/// A claim about every reachable state, over a network's literals that depend on the state alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Lemma {
    /// At least one of the literals holds.
    Clause(Vec<Lit>),
    /// At most one of the literals holds.
    AtMostOne(Vec<Lit>),
}

impl Lemma {
    pub(super) fn literals(&self) -> &[Lit] {
        let (Lemma::Clause(literals) | Lemma::AtMostOne(literals)) = self;
        literals
    }

    /// Whether it holds for given values of its literals.
    pub(super) fn holds(&self, holds: impl Fn(Lit) -> bool) -> bool {
        let mut holding = self.literals().iter().filter(|&&literal| holds(literal));
        match self {
            Lemma::Clause(_) => holding.next().is_some(),
            Lemma::AtMostOne(_) => holding.nth(1).is_none(),
        }
    }

    /// Whether it holds in a state; its literals must be bits.
    pub(super) fn holds_in(&self, state: &State) -> bool {
        self.holds(|literal| bit_holds(state, literal))
    }
}

/// A proved lemma, and the number of steps that its induction looks back.
pub(super) struct ProvedLemma {
    pub(super) lemma: Lemma,
    pub(super) k: u32,
}

/// Whether a literal over a bit, or a constant, holds in a state.
pub(super) fn bit_holds(state: &State, literal: Lit) -> bool {
    let held = match literal.node().checked_sub(1) {
        None => false,
        Some(bit) => state.0[bit as usize / 64] >> (bit % 64) & 1 == 1,
    };
    held != literal.negated()
}

/// The literal of a bit.
pub(super) fn of_bit(bit: u32) -> Lit {
    Lit::of(1 + bit)
}
