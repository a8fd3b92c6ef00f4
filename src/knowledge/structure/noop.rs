//! Noops.
//!
//! # What it finds
//! For every role the moves that do nothing: made out of turn, or legal at any time and without any effect.
//!
//! # How
//! A move is a candidate when it was a role's only legal one while another role had a choice. It is a noop when
//! it was never one of several, and was what the role had in a fair share of the states in which it waited, and
//! there are turns to wait for (roles never choose at once, or a control fluent says who is to move); or when no
//! rule but those for `legal` takes notice of it, so that it has no effect of its own. A rule for `next` that with
//! the move in it only says that a fluent stays what it is takes no notice. A forced real move (the last free
//! cell, a bid of nothing) is one of several in other states and has effects.
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
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;
use crate::machine::{Machine, MoveId};

use super::detector::{Detector, Game};
use super::finding::FluentKind;
use super::found::Found;
use super::frame;
use super::moves::MoveSamples;
use super::reason::Reason;
use super::samples::Samples;
use crate::catalog_entry;

catalog_entry!(NoopDetector, "noop", "Noops", "Kuhlmann, Dresner and Stone 2006");

impl Detector for NoopDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["control"]
    }

    fn look<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        let mut findings = found.fluents.iter().filter_map(|fluent| fluent.finding.as_ref());
        let controlled = findings.any(|finding| finding.kind == FluentKind::Control);
        let mut noops = detect(game.machine, game.statics, &samples.moves, controlled);
        for moves in &mut noops {
            moves.sort_by_cached_key(|&action| game.machine.move_text(action));
        }
        found.whole.noops = noops.into_iter().enumerate().filter(|(_, moves)| !moves.is_empty()).collect();
        found.whole.noops_evidence = samples.extent.evidence(&[], Reason::Waiting);
    }
}

/// Of the states in which a role waited, one in so many must have had the move, or it is a rare forced move.
const RARE: u64 = 20;

/// Finds the noops of every role, with the facts of static relations; `controlled` tells whether the game has a control fluent.
pub fn detect(
    machine: &dyn Machine,
    statics: &StaticFacts,
    moves: &MoveSamples,
    controlled: bool,
) -> Vec<Vec<MoveId>> {
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
            if turns && !count.one_of_several || unnoticed(machine, statics, description, role, action) {
                noops[role].push(action);
            }
        }
    }
    noops
}

/// Whether no rule takes notice of this move of this role: none has a `does` in its body that could be it, but
/// for rules by which fluents stay.
pub fn unnoticed(
    machine: &dyn Machine,
    statics: &StaticFacts,
    description: &Description,
    role: usize,
    action: MoveId,
) -> bool {
    let (functor, arguments) = machine.action(action);
    let Some(does) = description.relation(RelationKind::Does, functor, arguments.len() + 1) else {
        return true;
    };
    let values: Vec<TermId> = std::iter::once(description.roles[role]).chain(arguments).collect();
    let fits = |literal: &&Literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => {
            atom.relation == does && frame::may_be(&atom.arguments, &values)
        }
        Literal::Distinct(..) => false,
    };
    description.rules.iter().all(|rule| {
        rule.body.iter().filter(fits).all(|literal| match literal {
            Literal::Positive(atom) => frame::stays(description, statics, rule, &atom.arguments, &values),
            _ => false,
        })
    })
}
