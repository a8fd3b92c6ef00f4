//! # What it does
//! Counts the legal moves of roles.
//!
//! # How
//! For each role but chance its legal moves, noops apart, and their inverse, 1 / (1 + moves). For each role that has opponents
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
//! Departures: noops are left out, as a role that can only wait has no choice; mobility is compared by a difference, not
//! brought to a share, which needs no rule for sides without moves. By `reports/judge/findings.md` mobility is worth little
//! in the mean, and is enough alone in nine men's morris.

use rustc_hash::FxHashMap;

use crate::catalog_entry;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{FluentId, Machine, MoveId};

use super::definition::Family;
use super::error::FeatureError;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, Quantized, ValuedState};
use super::sources::Sources;
use super::spec::Spec;

const FAMILY: Family = Family::Mobility;

catalog_entry!(MobilityFamily, "mobility", "Legal moves", "Clune 2007; Genesereth and Thielscher 2014");

impl FeatureFamily for MobilityFamily {
    fn family(&self) -> Family {
        Family::Mobility
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let (roles, players) = (sources.roles(), sources.players());
    let inverse = |of: Spec| Spec::Inverse { of: Box::new(of) };
    for &number in &players {
        let role = &roles[number];
        let own = moves(sources, number);
        features.add(sources, FAMILY, Some(role), &format!("moves.{role}"), own.clone());
        features.add(sources, FAMILY, Some(role), &format!("inverse-moves.{role}"), inverse(own));
    }
    for &number in &players {
        let (role, opponents) = (&roles[number], sources.opponents(number));
        let (own, mirrored) = (moves(sources, number), players.len() == 2 && number == players[1]);
        let theirs = match opponents[..] {
            [] => continue,
            _ if mirrored => continue,
            [one] => moves(sources, one),
            ref several => Spec::Total { of: several.iter().map(|&role| moves(sources, role)).collect() },
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

/// The moves of a role, noops apart.
fn moves(sources: &Sources<'_>, role: usize) -> Spec {
    let machine = sources.machine();
    let noops = sources.structures.noops.get(&role);
    Spec::Moves {
        role: machine.term_text(machine.description().roles[role]),
        noops: noops.into_iter().flatten().map(|&action| machine.move_text(action)).collect(),
    }
}

/// How many legal moves a role has, noops not counted.
#[derive(Clone)]
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

impl<'m> Measure<'m> for Mobility<'m> {
    fn quantize(&self) -> Option<Quantized<'m>> {
        let moves = &self.machine.network()?.moves[self.role];
        let numbered = moves.iter().enumerate();
        let counted = numbered.filter(|(_, m)| {
            self.noops.is_empty() || !self.noops.contains(&self.machine.move_text(MoveId(m.action)))
        });
        let weights = counted.map(|(number, _)| (Atom::Legal { role: self.role, number }, 1.0)).collect();
        let lanes = LaneValue::of(Sum { constant: 0.0, weights }, 0.0).unless_terminal();
        Some(Quantized { measure: Box::new(self.clone()), lanes })
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        Some(Vec::new())
    }

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
