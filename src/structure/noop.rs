//! Noops.
//!
//! # What it finds
//! For every role the moves that do nothing: made out of turn, or legal at any time and without any effect.
//!
//! # How
//! A move is a candidate when it was a role's only legal one while another role had a choice. It is a noop when
//! it was never one of several, and was what the role had in a fair share of the states in which it waited, and
//! there are turns to wait for (roles never choose at once, or a control fluent says who is to move); or when no
//! rule but those for `legal` could tell that it was made, so that it has no effect of its own. A forced real
//! move (the last free cell, a bid of nothing) is one of several in other states and has effects.
//! In single-player games there is nobody to wait for.
//!
//! # Guarantee
//! An estimate.
//!
//! # Cost
//! Counting legal moves in every sampled state; linear in the rules.
//!
//! # Example
//! `noop`, or `(move nowhere)`, while the other role moves.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006; the doubtful cases as in the labels' definition.

use crate::gdl::Description;
use crate::gdl::rule::{Literal, RelationKind};
use crate::gdl::term::Term;
use crate::machine::{Machine, MoveId};

use super::moves::MoveSamples;

/// Of the states in which a role waited, one in so many must have had the move, or it is a rare forced move.
const RARE: u64 = 20;

/// Finds the noops of every role; `controlled` tells whether the game has a control fluent.
pub fn detect(machine: &dyn Machine, moves: &MoveSamples, controlled: bool) -> Vec<Vec<MoveId>> {
    let description = machine.description();
    let mut noops = vec![Vec::new(); moves.counts.len()];
    if noops.len() < 2 {
        return noops;
    }
    for (role, counts) in moves.counts.iter().enumerate() {
        for (index, count) in counts.iter().enumerate() {
            if count.waiting == 0 || count.waiting * RARE < moves.waiting[role] {
                continue;
            }
            let action = MoveId(index as u32);
            let turns = controlled || moves.simultaneous == 0;
            if turns && count.legal == count.only || unnoticed(machine, description, role, action) {
                noops[role].push(action);
            }
        }
    }
    noops
}

/// Whether no rule has a `does` in its body that could be this move of this role.
fn unnoticed(machine: &dyn Machine, description: &Description, role: usize, action: MoveId) -> bool {
    let (functor, arguments) = machine.action(action);
    let Some(does) = description.relation(RelationKind::Does, functor, arguments.len() + 1) else {
        return true;
    };
    let fits = |terms: &[Term]| {
        let values = std::iter::once(description.roles[role]).chain(arguments.iter().copied());
        terms.iter().zip(values).all(|(term, value)| match term {
            Term::Ground(ground) => *ground == value,
            Term::Variable(_) | Term::Compound(..) => true,
        })
    };
    let noticed = |literal: &Literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => atom.relation == does && fits(&atom.arguments),
        Literal::Distinct(..) => false,
    };
    !description.rules.iter().any(|rule| rule.body.iter().any(noticed))
}
