//! # What it does
//! Counts the legal moves of roles.
//!
//! # How
//! For each role its legal moves, noops apart, and their inverse, 1 / (1 + moves). For each role that has opponents
//! (roles of other teams) its moves minus theirs, and the same of the inverses; where it has several opponents, their
//! moves together as well. What equals a feature that is there, or its mirror, is left out: with two roles the
//! opponent's moves are the other role's own, and the second difference is the first one's mirror. A terminal state
//! has no legal moves.
//!
//! # Guarantee
//! Exact. The greatest value is the number of moves that the network has for the role, or of those by the domains of
//! the rules.
//!
//! # Cost
//! The machine's list of legal moves, which a cursor has anyway; a noop is recognised once.
//!
//! # Example
//! In Reversi, where only the role in control can place a disc: `moves of black - moves of white`.
//!
//! # Source
//! Clune, "Heuristic Evaluation Functions for General Game Playing", AAAI 2007, for control as relative mobility;
//! Genesereth and Thielscher, "General Game Playing", 2014, for mobility and its inverse, focus.

use rustc_hash::FxHashMap;

use crate::machine::{Machine, MoveId};
use crate::structure::finding::Structures;

use super::definition::Family;
use super::error::FeatureError;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, ValuedState};
use super::registry::{Features, Sources};
use super::spec::Spec;

const FAMILY: Family = Family::Mobility;

pub(super) fn make(sources: &Sources<'_>, features: &mut Features) {
    let structures = sources.structures;
    let roles: Vec<String> = roles(sources.fluent_index.machine());
    let inverse = |of: Spec| Spec::Inverse { of: Box::new(of) };
    for role in &roles {
        let own = moves(structures, role);
        features.add(sources, FAMILY, Some(role), &format!("moves.{role}"), own.clone());
        features.add(sources, FAMILY, Some(role), &format!("inverse-moves.{role}"), inverse(own));
    }
    for (number, role) in roles.iter().enumerate() {
        let opponents = opponents(structures, &roles, role);
        let (own, mirrored) = (moves(structures, role), roles.len() == 2 && number == 1);
        let theirs = match &opponents[..] {
            [] => continue,
            _ if mirrored => continue,
            [one] => moves(structures, one),
            several => Spec::Total { of: several.iter().map(|role| moves(structures, role)).collect() },
        };
        let difference =
            |first: Spec, second: Spec| Spec::Difference { first: Box::new(first), second: Box::new(second) };
        let mut add = |name: &str, spec: Spec| {
            features.add(sources, FAMILY, Some(role), &format!("{name}.{role}"), spec);
        };
        if opponents.len() > 1 {
            add("moves-of-others", theirs.clone());
            add("inverse-moves-of-others", inverse(theirs.clone()));
        }
        add("moves-ahead", difference(own.clone(), theirs.clone()));
        add("inverse-moves-ahead", difference(inverse(own), inverse(theirs)));
    }
}

/// The roles as text, in their order.
pub(super) fn roles(machine: &dyn Machine) -> Vec<String> {
    machine.description().roles.iter().map(|&role| machine.term_text(role)).collect()
}

/// The roles of other teams.
pub(super) fn opponents<'r>(structures: &Structures, roles: &'r [String], role: &str) -> Vec<&'r String> {
    let team = structures.teams.iter().find(|team| team.iter().any(|member| member == role));
    let friend = |other: &str| other == role || team.is_some_and(|team| team.iter().any(|m| m == other));
    roles.iter().filter(|other| !friend(other)).collect()
}

/// The moves of a role, noops apart.
fn moves(structures: &Structures, role: &str) -> Spec {
    let noops = structures.noops.get(role).cloned().unwrap_or_default();
    Spec::Moves { role: role.to_owned(), noops }
}

/// How many legal moves a role has, noops not counted.
pub(super) struct Mobility<'m> {
    machine: &'m dyn Machine,
    role: usize,
    noops: Vec<String>,
    /// Whether a move is a noop, for those that were seen.
    known: FxHashMap<MoveId, bool>,
}

impl<'m> Mobility<'m> {
    pub(super) fn new(
        role: &str,
        noops: &[String],
        fluent_index: &FluentIndex<'m>,
    ) -> Result<Mobility<'m>, FeatureError> {
        let role = fluent_index.role(role)?;
        Ok(Mobility {
            machine: fluent_index.machine(),
            role,
            noops: noops.to_vec(),
            known: FxHashMap::default(),
        })
    }
}

impl Measure for Mobility<'_> {
    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        let legal = position.view.legal(self.role);
        if position.view.terminal() {
            return 0.0;
        }
        if self.noops.is_empty() {
            return legal.len() as f64;
        }
        let Mobility { machine, noops, known, .. } = self;
        let mut noop = |action: &&MoveId| {
            *known.entry(**action).or_insert_with(|| noops.contains(&machine.move_text(**action)))
        };
        (legal.len() - legal.iter().filter(|action| noop(action)).count()) as f64
    }
}
