//! Flags and latches.
//!
//! # What it finds
//! *Flags*: fluents without arguments, which hold or not. *Latches*: fluents whose facts hold for good once they came
//! up (squares visited, lines drawn), or never come back once they have gone (castling rights, tokens taken). Of any
//! fluent whether its facts were the same in all states seen.
//!
//! # How
//! Everything starts as both. In each step of each playout, a fact that goes refutes the first, a fact that comes back
//! the second. A fluent of which no fact ever came up, or none went, is no latch of that sort; counters, whose values
//! come once each, and control fluents are none.
//!
//! # Guarantee
//! Every refutation is certain; a latch is an estimate.
//!
//! # Cost
//! A few operations for each fact of a fluent in every step of 512 playouts, until both are refuted.
//!
//! # Example
//! `(<= (next lit) (true lit)) (<= (next lit) (does ann light))`: a flag that stays.
//!
//! # Source
//! Propositions that never change back: Draper and Rose's player Sancho (2014).

use super::detector::{Detector, Game};
use super::finding::{FluentFinding, FluentKind};
use super::fluents::Among;
use super::found::Found;
use super::reason::Reason;
use super::samples::Samples;
use super::split::Split;
use crate::catalog_entry;

catalog_entry!(LatchDetector, "latch", "Flags and latches", "Draper and Rose 2014");

impl Detector for LatchDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["counter", "control", "board"]
    }

    fn look<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, found: &mut Found<'g>) {
        for fluent in &mut found.fluents {
            let (table, came) = (&samples.facts[fluent.number], samples.comings[fluent.number]);
            if fluent.relation.arity == 0 {
                let none =
                    Split { inputs: 0, outputs: 0, kind: FluentKind::Flag, carriers: 0, among: Among::All };
                let reason =
                    Reason::Flag { constant: table.constant(), only_at_end: table.is_only_at_the_end() };
                fluent.finding = Some(FluentFinding {
                    evidence: samples.extent.evidence(&[], reason),
                    ..fluent.of_kind(FluentKind::Flag, none)
                });
            }
            let Some(finding) = &mut fluent.finding else { continue };
            finding.constant = table.constant();
            if !matches!(finding.kind, FluentKind::Counter | FluentKind::Control) {
                finding.latch = came.latch();
            }
        }
    }
}
