//! # What it does
//! Counts the markers and pieces of each role, weighted by use, and compares them with those of its opponents.
//!
//! # How
//! Ownership is derived from random play. A step is a role's own if only this role had a choice. A role owns a marker
//! or piece if at least 95 % of its new facts, and at least 20, appeared in the role's own steps. Otherwise it owns a
//! marker or piece whose symbol names this role alone (a term of the rules' `role`, whatever its name). The role
//! `random` owns nothing.
//!
//! Objects that a role moves often weigh more. The rate of an object is the number of its new facts in the role's own
//! steps, divided by the number of its facts before these steps. Its weight is its rate divided by the rate of the
//! role's least used object, rounded to quarters and limited to 1 to 16. If a role owns only one kind, it is counted.
//! Objects that partners move in turn belong to their team: they count for each partner, with weight 1.
//!
//! # Guarantee
//! Exact counts with estimated weights. The weights are stored in the feature, so a state always has the same value.
//!
//! # Cost
//! A mask and a count of bits for each distinct weight.
//!
//! # Example
//! Chess: rooks move far more often than pawns and weigh more. Tic-tac-toe: every mark weighs 1.
//!
//! # Source
//! Draper and Rose's player Sancho (2014), which values pieces by their rate of use. The formula for weights is our
//! own. By `reports/judge/findings.md`, material alone is enough for good play in dots and boxes.

use crate::catalog_entry;

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::owner::{Owner, Owners};
use super::sources::Sources;
use super::spec::{Spec, Term};

const FAMILY: Family = Family::Material;

/// The greatest weight.
const HEAVIEST: f64 = 16.0;

catalog_entry!(MaterialFamily, "material", "Own markers and pieces", "Draper and Rose 2014");

impl FeatureFamily for MaterialFamily {
    fn family(&self) -> Family {
        Family::Material
    }

    fn origin(&self) -> Origin {
        Origin::Structures(make)
    }
}

fn make(sources: &Sources<'_>, features: &mut Features) {
    let (roles, players) = (sources.roles(), sources.players());
    if players.len() < 2 {
        return;
    }
    let owners = Owners::new(sources);
    let own: Vec<Vec<Term>> =
        (0..roles.len()).map(|role| owned(sources, &owners, Owner::Role(role))).collect();
    let teams = 0..sources.structures.teams.len();
    let shared: Vec<Vec<Term>> = teams.map(|team| owned(sources, &owners, Owner::Team(team))).collect();
    let sum = |terms: &[&[Term]]| {
        let terms = terms.concat();
        (!terms.is_empty()).then_some(Spec::Sum { terms })
    };
    for &number in &players {
        let role = &roles[number];
        if let Some(own) = sum(&[&own[number]]) {
            features.add(sources, FAMILY, Some(role), &format!("material.{role}"), own);
        }
    }
    // The patterns that partners own together.
    let team_of = |role: usize| sources.structures.teams.iter().position(|team| team.contains(&role));
    let of_team = |team: usize| {
        let members = sources.structures.teams[team].iter().map(|&role| own[role].as_slice());
        sum(&members.chain([shared[team].as_slice()]).collect::<Vec<_>>())
    };
    for (team, members) in sources.structures.teams.iter().enumerate() {
        let Some(spec) = of_team(team).filter(|_| !shared[team].is_empty()) else { continue };
        let names: Vec<&str> = members.iter().map(|&role| roles[role].as_str()).collect();
        let id = format!("material.team.{}", names.join("."));
        features.add(sources, FAMILY, names.first().copied(), &id, spec);
    }
    for &number in &players {
        let (role, team) = (&roles[number], team_of(number));
        let of_own_team = || of_team(team?).filter(|_| team.is_some_and(|team| !shared[team].is_empty()));
        let mine = if own[number].is_empty() { of_own_team() } else { sum(&[&own[number]]) };
        let Some(mine) = mine.filter(|_| players.len() != 2 || number == players[0]) else { continue };
        let others = (0..sources.structures.teams.len()).filter(|&other| Some(other) != team);
        let mut of: Vec<Spec> = others.filter_map(of_team).collect();
        let theirs = match of.len() {
            0 => continue,
            1 => of.remove(0),
            _ => Spec::Total { of },
        };
        let spec = Spec::Difference { first: Box::new(mine), second: Box::new(theirs) };
        features.add(sources, FAMILY, Some(role), &format!("material-ahead.{role}"), spec);
    }
}

/// The objects of an owner with their weights.
fn owned(sources: &Sources<'_>, owners: &Owners<'_, '_>, owner: Owner) -> Vec<Term> {
    let own: Vec<usize> =
        owners.all().filter(|(_, known)| *known == Some(owner)).map(|(object, _)| object).collect();
    let rate = |object: usize| match owner {
        Owner::Role(role) => sources.ownership.rate(object, role),
        Owner::Team(_) => None,
    };
    let rates: Vec<Option<f64>> = own.iter().map(|&object| rate(object)).collect();
    let least = rates.iter().flatten().copied().min_by(f64::total_cmp);
    let weight = |rate: Option<f64>| match (rate, least) {
        // Quarters, so that sums of weights are exact in any order.
        (Some(rate), Some(least)) => ((rate / least * 4.0).round() / 4.0).clamp(1.0, HEAVIEST),
        _ => 1.0,
    };
    let pairs = own.iter().zip(rates);
    pairs
        .map(|(&object, rate)| Term { weight: weight(rate), pattern: owners.pattern(object).to_string() })
        .collect()
}
