//! Turns.
//!
//! # What it finds
//! Which roles move at the same time: one role only, roles in turn, or several at once.
//!
//! # How
//! The game is assumed to be alternating until a sampled state gives two roles several legal moves each.
//!
//! # Guarantee
//! `simultaneous` and `single-player` are certain, `alternating` is an estimate.
//!
//! # Cost
//! Counting legal moves in every sampled state.
//!
//! # Example
//! In tic-tac-toe the role that is not on turn has only `noop`: alternating.
//!
//! # Source
//! Kuhlmann, Dresner and Stone 2006.

use super::detector::{Detector, Game};
use super::evidence::Evidence;
use super::evidence::{Extent, without_samples};
use super::finding::{Method, Turns};
use super::findings::Findings;
use super::moves::MoveSamples;
use super::reason::Reason;
use super::samples::Samples;
use crate::catalog_entry;

catalog_entry!(TurnDetector, "turns", "Turns", "Kuhlmann, Dresner and Stone 2006");

impl Detector for TurnDetector {
    fn needs(&self) -> &'static [&'static str] {
        &[]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let roles = game.description().roles.len();
        (findings.structures.turns, findings.structures.turns_evidence) =
            detect(&samples.moves, roles, samples.extent);
    }
}

/// Determines whether roles take turns, with the evidence.
pub fn detect(moves: &MoveSamples, roles: usize, extent: Extent) -> (Turns, Evidence) {
    if roles == 1 {
        return (Turns::SinglePlayer, without_samples(&[Method::Syntax], Reason::OneRole));
    }
    let reason = Reason::ChoosersAtOnce { simultaneous: moves.simultaneous, states: moves.states };
    if moves.simultaneous > 0 {
        let mut evidence = extent.evidence(&[], reason);
        evidence.counterexample_bound = 0.0;
        return (Turns::Simultaneous, evidence);
    }
    (Turns::Alternating, extent.evidence(&[], reason))
}
