//! # What it does
//! Reports which flags hold, and counts facts that never change back.
//!
//! # How
//! Every fluent without arguments is a feature: 1 if it holds, otherwise 0. A fluent with arguments is a latch if its
//! facts stay once they hold, or never come back once they are gone. For each latch that is not a board, place or
//! amount, the number of its facts is a feature. If an argument names roles, the number of facts of each role is one
//! as well.
//!
//! # Guarantee
//! Exact counts; the choice of latches is an estimate from random play (see their finding).
//!
//! # Cost
//! A mask and a count of bits.
//!
//! # Example
//! Lights out with a switch: `count lit`. A tour: `count (visited ?x ?y)`, which only grows.
//!
//! # Source
//! Propositions that never change back: Draper and Rose's player Sancho (2014).

use crate::catalog_entry;
use crate::structure::argument::ArgumentPosition;
use crate::structure::finding::FluentKind;

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::{Features, slug};
use super::sources::Sources;
use super::spec::Spec;

const FAMILY: Family = Family::Latch;

catalog_entry!(LatchFamily, "latch", "Flags and latches", "Draper and Rose 2014");

impl FeatureFamily for LatchFamily {
    fn family(&self) -> Family {
        FAMILY
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    for finding in &sources.structures.fluents {
        let latch = finding.kind == FluentKind::Other && finding.latch.is_some();
        if !latch && finding.kind != FluentKind::Flag {
            continue;
        }
        let mut count = |role: Option<&str>, fixed: &[(ArgumentPosition, &str)]| {
            let pattern = sources.fluent_index.pattern(finding.fluent, fixed);
            let spec = Spec::Count { pattern: pattern.to_string() };
            features.add(sources, FAMILY, role, &format!("holds.{}", slug(&pattern)), spec);
        };
        count(None, &[]);
        let arguments = (0..finding.fluent.arity).map(ArgumentPosition::at);
        let role_arguments = arguments.map(|argument| (argument, sources.roles_at(finding, argument)));
        let Some((argument, roles)) = role_arguments.into_iter().find(|(_, roles)| roles.len() >= 2) else {
            continue;
        };
        for (_, role) in &roles {
            count(Some(role), &[(argument, role)]);
        }
    }
}
