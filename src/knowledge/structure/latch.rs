//! Flags and latches.
//!
//! # What it finds
//! *Flags*: fluents without arguments, which hold or do not. *Latches*: fluents whose facts never end once
//! they hold (visited squares, drawn lines), or never return once they are gone (castling rights, tokens
//! taken). It also reports whether the facts of a fluent were the same in all states seen.
//!
//! # How
//! Every fluent starts as both kinds of latch. In each step of each playout, a fact that disappears refutes
//! the first kind, and a fact that returns the second. The first kind also needs a fact that appeared, and
//! the second one that disappeared. Counters and control fluents are not latches.
//!
//! # Guarantee
//! Every refutation is certain; a latch is an estimate.
//!
//! # Cost
//! A few operations for each fact in every step of 512 playouts, until both kinds are refuted.
//!
//! # Example
//! `(<= (next lit) (true lit)) (<= (next lit) (does ann light))`: a flag that stays.
//!
//! # Source
//! Propositions that never change back: Draper and Rose's player Sancho (2014).

use super::detector::{Detector, Game};
use super::finding::{FluentFinding, FluentKind};
use super::findings::Findings;
use super::fluents::StateScope;
use super::reason::Reason;
use super::samples::Samples;
use super::split::Split;
use crate::catalog_entry;

catalog_entry!(LatchDetector, "latch", "Flags and latches", "Draper and Rose 2014");

impl Detector for LatchDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["counter", "control", "board"]
    }

    fn read_samples<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        for fluent in &mut findings.fluents {
            let (table, came) = (&samples.facts[fluent.number], samples.changes[fluent.number]);
            if fluent.relation.arity == 0 {
                let none = Split {
                    inputs: 0,
                    outputs: 0,
                    kind: FluentKind::Flag,
                    carriers: 0,
                    among: StateScope::All,
                };
                let reason = Reason::Flag { constant: table.constant(), only_at_end: table.is_only_at_end() };
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
