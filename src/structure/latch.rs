//! Flags and latches.
//!
//! # What it finds
//! *Flags*: fluents without arguments, which hold or not. *Latches*: fluents whose facts hold for good once they came
//! up (squares visited, lines drawn), or never come back once they have gone (castling rights, tokens taken).
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
use super::finding::{FluentFinding, FluentKind, Latch};
use super::fluents::Among;
use super::found::Found;
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
                let because = match (table.is_empty(), table.is_only_at_the_end()) {
                    (true, _) => "no sampled state has it",
                    (_, true) => "it holds or not; terminal states alone have it",
                    _ => "it holds or not",
                };
                fluent.finding = Some(FluentFinding {
                    evidence: samples.extent.evidence(&[], because.to_owned()),
                    ..fluent.of_kind(FluentKind::Flag, none)
                });
            }
            let Some(finding) = &mut fluent.finding else { continue };
            if !matches!(finding.kind, FluentKind::Counter | FluentKind::Control) {
                finding.latch = came.latch();
            }
        }
    }
}

/// How facts of a relation came and went from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comings {
    /// A fact came up.
    pub came: bool,
    /// A fact went.
    pub went: bool,
    /// A fact came up that had gone.
    pub returned: bool,
}

impl Comings {
    /// Adds what was seen elsewhere.
    pub fn add(&mut self, more: Comings) {
        self.came |= more.came;
        self.went |= more.went;
        self.returned |= more.returned;
    }

    /// Whether nothing more can be learned.
    pub(super) fn is_settled(self) -> bool {
        self.went && self.returned
    }

    /// The latch that was not refuted.
    fn latch(self) -> Option<Latch> {
        match self {
            Comings { came: true, went: false, .. } => Some(Latch::Stays),
            Comings { went: true, returned: false, .. } => Some(Latch::NeverReturns),
            _ => None,
        }
    }
}
