//! # What it does
//! Counts what each role owns on boards, weighted by use, and compares it with what its opponents own.
//!
//! # How
//! A marker or piece is owned by a role when at least 95 % of its facts that came up in random play, and at least 20,
//! came up in steps in which this role alone had a choice; or else when its symbol names exactly one role (a term of
//! the rules' `role`, whatever it is called). A thing that a role moves often weighs more: its weight is the number of
//! its facts that came up in the role's own steps for each one that was there, divided by that of the role's least
//! used thing, in quarters from 1 to 16. A role with one thing counts it.
//!
//! # Guarantee
//! Exact counts, estimated weights: they are fixed in the feature, so a state has one value for ever.
//!
//! # Cost
//! A mask and a count of bits for each different weight.
//!
//! # Example
//! Chess: rooks, which move far more often than pawns, weigh more than these. Tic-tac-toe: every mark weighs 1.
//!
//! # Source
//! Draper and Rose's player Sancho (2014), which values pieces by their rate of use.

use crate::catalog_entry;

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::ownership::{LocatedObjects, Ownership};
use super::pattern::Argument;
use super::sources::Sources;
use super::spec::{Spec, Term};

const FAMILY: Family = Family::Material;

/// The heaviest thing.
const HEAVIEST: f64 = 16.0;

catalog_entry!(MaterialFamily, "material", "Own symbols", "Draper and Rose 2014");

impl FeatureFamily for MaterialFamily {
    fn family(&self) -> Family {
        Family::Material
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let roles = sources.roles();
    if roles.len() < 2 {
        return;
    }
    let objects = LocatedObjects::new(sources.fluent_index, sources.structures);
    let owned: Vec<Vec<Term>> =
        (0..roles.len()).map(|role| owned(&objects, sources.ownership, &roles, role)).collect();
    let sum = |role: usize| (!owned[role].is_empty()).then(|| Spec::Sum { terms: owned[role].clone() });
    for (number, role) in roles.iter().enumerate() {
        if let Some(own) = sum(number) {
            features.add(sources, FAMILY, Some(role), &format!("material.{role}"), own);
        }
    }
    for (number, role) in roles.iter().enumerate() {
        let Some(own) = sum(number).filter(|_| roles.len() != 2 || number == 0) else { continue };
        if let Some(theirs) = theirs(sources, number, &sum) {
            let spec = Spec::Difference { first: Box::new(own), second: Box::new(theirs) };
            features.add(sources, FAMILY, Some(role), &format!("material-ahead.{role}"), spec);
        }
    }
}

/// What the opponents own together.
fn theirs(sources: &Sources<'_>, role: usize, sum: &dyn Fn(usize) -> Option<Spec>) -> Option<Spec> {
    let mut of: Vec<Spec> = sources.opponents(role).into_iter().filter_map(sum).collect();
    match of.len() {
        0 => None,
        1 => of.pop(),
        _ => Some(Spec::Total { of }),
    }
}

/// The things of a role with their weights.
fn owned(objects: &LocatedObjects<'_>, ownership: &Ownership, roles: &[String], role: usize) -> Vec<Term> {
    let own: Vec<usize> =
        (0..objects.len()).filter(|&object| owner(objects, ownership, roles, object) == Some(role)).collect();
    let rates: Vec<Option<f64>> = own.iter().map(|&object| ownership.rate(object, role)).collect();
    let least = rates.iter().flatten().copied().min_by(f64::total_cmp);
    let weight = |rate: Option<f64>| match (rate, least) {
        // In quarters, so that sums of weights are exact in any order.
        (Some(rate), Some(least)) => ((rate / least * 4.0).round() / 4.0).clamp(1.0, HEAVIEST),
        _ => 1.0,
    };
    let pairs = own.iter().zip(rates);
    pairs
        .map(|(&object, rate)| Term { weight: weight(rate), pattern: objects.pattern(object).to_string() })
        .collect()
}

/// Who owns a thing: by play, or else by its symbol.
fn owner(
    objects: &LocatedObjects<'_>,
    ownership: &Ownership,
    roles: &[String],
    object: usize,
) -> Option<usize> {
    if let Some(role) = ownership.owner(object) {
        return Some(role);
    }
    let arguments = objects.pattern(object).arguments.iter();
    let mut named = arguments.filter_map(|argument| match argument {
        Argument::Term(term) => roles.iter().position(|role| role == term),
        _ => None,
    });
    named.next().filter(|_| named.next().is_none())
}
