//! # What it does
//! Measures how much of the state changed since a reference state.
//!
//! # How
//! The value is the number of facts that hold in exactly one of the two states, divided by the number that hold in
//! either. Facts that change in every step are left out: counters and control fluents. The reference is the initial
//! state; a document can contain another one. With `since=root` (`alphabeta:novelty(since=root)`) it is the state
//! from which a search begins.
//!
//! # Guarantee
//! Exact: 0 for the reference itself, 1 for a state that shares no fact with it. Searches that store values discard
//! them when the reference changes. Players whose search does not report its root refuse `since=root`. Commands
//! without a search (`ggp eval`) keep the initial state as reference.
//!
//! # Cost
//! One lookup per fact.
//!
//! # Example
//! Two of eight queens moved, on a board of eight facts: 6 facts hold in both states, 10 in either. The value is 4 /
//! 10 = 0.4.
//!
//! # Source
//! Genesereth and Thielscher, "General Game Playing", 2014, for novelty as difference from earlier states; the
//! formula is Jaccard's distance. The source does not say which earlier states are compared. The two references of this
//! function need no memory of the match. By `reports/judge/findings.md`, novelty against the initial state was not
//! distinguishable from chance; novelty against the root was not studied.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::catalog_entry;
use crate::machine::FluentId;
use crate::machine::lanes::value::{Atom, LaneValue, Sum};
use crate::structure::finding::FluentKind;

use super::definition::Family;
use super::error::FeatureError;
use super::facts::Facts;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::fluent_index::FluentIndex;
use super::measure::{Measure, QuantizedMeasure, ValuedState};
use super::pattern::Pattern;
use super::sources::Sources;
use super::spec::Spec;

catalog_entry!(NoveltyFamily, "novelty", "Changed facts", "Genesereth and Thielscher 2014");

impl FeatureFamily for NoveltyFamily {
    fn family(&self) -> Family {
        Family::Novelty
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let machine = sources.fluent_index.machine();
    let mut facts = Vec::new();
    machine.fluents(machine.initial(), &mut facts);
    let since = facts.into_iter().map(|fluent| machine.fluent_text(fluent)).collect();
    let ignored = sources.of_kind(&[FluentKind::Counter, FluentKind::Control]);
    let without =
        ignored.map(|finding| sources.fluent_index.pattern(finding.fluent, &[]).to_string()).collect();
    features.add(
        sources,
        Family::Novelty,
        None,
        "novelty",
        Spec::Changed { since, without, since_root: false },
    );
}

/// The share of facts that hold in only one of two states, among those that hold in either.
#[derive(Clone)]
pub(super) struct ChangedShare<'m> {
    fluent_index: FluentIndex<'m>,
    /// The number of facts of the reference that are not ignored.
    reference_count: usize,
    /// These facts as texts, if the reference is a fixed state.
    reference: FxHashSet<String>,
    /// The facts that are ignored.
    ignored: Vec<Pattern>,
    /// Whether the reference is the root of the search.
    since_root: bool,
    /// The facts of the root that are not ignored; none until a search begins.
    root: Option<FxHashSet<FluentId>>,
    /// For each fluent that has occurred: whether it counts (is not ignored), and whether it counts and holds in the
    /// reference.
    classes: FxHashMap<FluentId, (bool, bool)>,
}

impl<'m> ChangedShare<'m> {
    pub(super) fn new(
        since: &[String],
        without: &[String],
        since_root: bool,
        fluent_index: &FluentIndex<'m>,
    ) -> Result<ChangedShare<'m>, FeatureError> {
        let ignored: Vec<Pattern> =
            without.iter().map(|text| Pattern::parse(text)).collect::<Result<_, _>>()?;
        for pattern in &ignored {
            fluent_index.relation(pattern)?;
        }
        let mut reference = FxHashSet::default();
        for text in since {
            let fact = Pattern::parse(text)?;
            fluent_index.relation(&fact)?;
            let arguments: Vec<String> = fact.arguments.iter().map(ToString::to_string).collect();
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let left_out = ignored
                .iter()
                .any(|pattern| pattern.signature() == fact.signature() && pattern.matches(&arguments));
            if !left_out {
                reference.insert(fact.to_string());
            }
        }
        let (reference_count, classes) = (reference.len(), FxHashMap::default());
        let fluent_index = fluent_index.clone();
        Ok(ChangedShare {
            fluent_index,
            reference_count,
            reference,
            ignored,
            since_root,
            root: None,
            classes,
        })
    }

    /// Whether a fluent counts (is not ignored), and whether it counts and holds in the reference.
    fn classify(&mut self, fluent: FluentId) -> (bool, bool) {
        if let Some(&class) = self.classes.get(&fluent) {
            return class;
        }
        let text = self.fluent_index.machine().fluent_text(fluent);
        let counts = match Pattern::parse(&text) {
            Ok(fact) => {
                let arguments: Vec<String> = fact.arguments.iter().map(ToString::to_string).collect();
                let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                !self
                    .ignored
                    .iter()
                    .any(|pattern| pattern.signature() == fact.signature() && pattern.matches(&arguments))
            }
            Err(_) => true,
        };
        let held = match &self.root {
            Some(root) => root.contains(&fluent),
            None => self.reference.contains(&text),
        };
        let class = (counts, counts && held);
        self.classes.insert(fluent, class);
        class
    }
}

/// The share of facts that are not in both states, from the number of facts in either state and in both.
fn share(either: f64, both: f64) -> f64 {
    if either == 0.0 { 0.0 } else { (either - both) / either }
}

impl<'m> Measure<'m> for ChangedShare<'m> {
    fn quantize(&self) -> Option<QuantizedMeasure<'m>> {
        if self.since_root {
            // The weights of lanes are compiled for a fixed reference, but the root changes with every search.
            return None;
        }
        let mut changed = self.clone();
        let (mut either, mut both) =
            (Sum { constant: self.reference_count as f64, ..Sum::default() }, Sum::default());
        for fluent in changed.reads()? {
            match changed.classify(fluent) {
                (_, true) => both.weights.push((Atom::Fact(fluent), 1.0)),
                (true, false) => either.weights.push((Atom::Fact(fluent), 1.0)),
                (false, false) => {}
            }
        }
        let lanes = LaneValue::of(either, 0.0).fold(LaneValue::of(both, 0.0), [1.0, 1.0], share);
        Some(QuantizedMeasure { measure: Box::new(changed), lanes })
    }

    fn value(&mut self, position: &ValuedState<'_>) -> f64 {
        let (mut here, mut both) = (0_usize, 0_usize);
        position.facts.for_each(|fluent| {
            let (counts, held) = self.classify(fluent);
            here += usize::from(counts);
            both += usize::from(held);
        });
        let either = here + self.reference_count - both;
        share(either as f64, both as f64)
    }

    fn begin(&mut self, root: &Facts) -> bool {
        if !self.since_root {
            return false;
        }
        let mut facts = FxHashSet::default();
        root.for_each(|fluent| {
            if self.classify(fluent).0 {
                facts.insert(fluent);
            }
        });
        if self.root.as_ref() == Some(&facts) {
            return false;
        }
        self.reference_count = facts.len();
        self.root = Some(facts);
        self.classes.clear();
        true
    }

    fn reads(&mut self) -> Option<Vec<FluentId>> {
        let count = self.fluent_index.machine().network()?.fluents.len() as u32;
        Some((0..count).map(FluentId).filter(|&fluent| self.classify(fluent).0).collect())
    }

    fn facts_suffice(&self) -> bool {
        true
    }
}
