//! Noops.
//!
//! # What it finds
//! For every role, moves that do nothing: moves out of turn, or moves that are always legal and have no
//! effect.
//!
//! # How
//! A candidate is a move that was a role's only legal one while another role had a choice, in at least one
//! of 20 states in which the role waited. It is a noop in two cases. First: it was never one of several
//! legal moves, and the game has turns (roles never choose at the same time, or a control fluent says whose
//! turn it is). Second: it has no effect of its own, because only rules for `legal` mention it. Frame
//! rules, by which a fluent stays unchanged, do not count. A forced real move (the last free cell, a bid of
//! nothing) is one of several in other states and has effects. Single-player games have no noops.
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
//! Kuhlmann, Dresner and Stone 2006; our own definition for doubtful cases.

use crate::gdl::Description;
use crate::gdl::rule::{Literal, RelationKind};
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;
use crate::machine::{Machine, MoveId};

use super::detector::{Detector, Game};
use super::finding::FluentKind;
use super::findings::Findings;
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

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let mut fluents = findings.fluents.iter().filter_map(|fluent| fluent.finding.as_ref());
        let controlled = fluents.any(|finding| finding.kind == FluentKind::Control);
        let mut noops = detect(game.machine, game.statics, &samples.moves, controlled);
        for moves in &mut noops {
            moves.sort_by_cached_key(|&action| game.machine.move_text(action));
        }
        findings.structures.noops =
            noops.into_iter().enumerate().filter(|(_, moves)| !moves.is_empty()).collect();
        findings.structures.noops_evidence = samples.extent.evidence(&[], Reason::Waiting);
    }
}

/// A noop must be the only legal move in at least one of this many states in which the role waits. Otherwise it is a
/// rare forced move.
const RARE: u64 = 20;

/// Finds the noops of every role. `controlled` says whether the game has a control fluent.
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
            if turns && !count.one_of_several || has_no_effect(machine, statics, description, role, action) {
                noops[role].push(action);
            }
        }
    }
    noops
}

/// Whether a move of a role has no effect: no rule body has a `does` literal that matches it, except frame
/// rules.
pub fn has_no_effect(
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
            atom.relation == does && frame::may_match(&atom.arguments, &values)
        }
        Literal::Distinct(..) => false,
    };
    description.rules.iter().all(|rule| {
        rule.body.iter().filter(fits).all(|literal| match literal {
            Literal::Positive(atom) => {
                frame::is_frame_rule(description, statics, rule, &atom.arguments, &values)
            }
            _ => false,
        })
    })
}
