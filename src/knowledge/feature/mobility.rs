//! # What it does
//! Counts the legal moves of roles.
//!
//! # How
//! Each role except `random` has two features: the number of its legal moves without noops, and its inverse, 1 / (1 +
//! moves). If a role has opponents (roles of other teams), two more features compare it with them: its moves minus
//! theirs, and its inverse minus theirs. The moves of several opponents are added; this sum and its inverse are then
//! features too. With two roles, only the first is compared, because the other differences would be negated copies. A
//! terminal state has no legal moves.
//!
//! # Guarantee
//! Exact. The greatest value of the range is the number of moves that the network has for the role; without a
//! network, the number by the domains of the rules.
//!
//! # Cost
//! The machine's list of legal moves, which a cursor has anyway. Each move is checked once for being a noop.
//!
//! # Example
//! In Reversi, where only the role in control can place a disc: `moves of black - moves of white`.
//!
//! # Source
//! Clune, "Heuristic Evaluation Functions for General Game Playing", AAAI 2007, for control as relative mobility.
//! Genesereth and Thielscher, "General Game Playing", 2014, for mobility and its inverse, focus. Two departures:
//! noops are left out, because a role that can only wait has no choice. Mobility is compared by a difference instead
//! of a share, which needs no special case for roles without moves. By `reports/judge/findings.md`, mobility helps
//! little on average, but it alone is enough for good play in nine men's morris.

use rustc_hash::FxHashMap;

use crate::catalog_entry;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::machine::{FluentId, Machine, MoveId};

use super::definition::Family;
use super::error::FeatureError;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, QuantizedMeasure, ValuedState};
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

/// The moves of a role without its noops.
fn moves(sources: &Sources<'_>, role: usize) -> Spec {
    let machine = sources.machine();
    let noops = sources.structures.noops.get(&role);
    Spec::Moves {
        role: machine.term_text(machine.description().roles[role]),
        noops: noops.into_iter().flatten().map(|&action| machine.move_text(action)).collect(),
    }
}

/// The number of legal moves of a role without its noops.
#[derive(Clone)]
pub(super) struct Mobility<'m> {
    machine: &'m dyn Machine,
    role: usize,
    noops: Vec<String>,
    /// For each move that has occurred, whether it is a noop.
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
    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        let moves = &self.machine.network()?.moves[self.role];
        let numbered = moves.iter().enumerate();
        let counted = numbered.filter(|(_, m)| {
            self.noops.is_empty() || !self.noops.contains(&self.machine.move_text(MoveId(m.action)))
        });
        let weights = counted.map(|(number, _)| (Atom::Legal { role: self.role, number }, 1.0)).collect();
        let lanes = LaneValue::of(Sum { constant: 0.0, weights }, 0.0).unless_terminal();
        Some(QuantizedMeasure { measure: Box::new(self.clone()), lanes })
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
