//! # What it does
//! Counts what each role owns on boards, weighted by use, and compares it with what its opponents own.
//!
//! # How
//! A marker or piece is owned by a role when at least 95 % of its facts that came up in random play, and at least 20,
//! came up in steps in which this role alone had a choice; or else when its symbol names exactly one role (a term of
//! the rules' `role`, whatever it is called); chance owns nothing. A thing that a role moves often weighs more: its weight is the number of
//! its facts that came up in the role's own steps for each one that was there, divided by that of the role's least
//! used thing, in quarters from 1 to 16. A role with one thing counts it. Things that partners bring up in turns are their
//! team's: those count for each of them, 1 a thing.
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
//! How a rate becomes a value is our own. By `reports/judge/findings.md` material is enough alone in dots and boxes.

use crate::catalog_entry;

use super::definition::Family;
use super::family::{FeatureFamily, Origin};
use super::features::Features;
use super::owner::{Owner, Owners};
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
    // What partners own together, where they share things.
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

/// The things of an owner with their weights.
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
        // In quarters, so that sums of weights are exact in any order.
        (Some(rate), Some(least)) => ((rate / least * 4.0).round() / 4.0).clamp(1.0, HEAVIEST),
        _ => 1.0,
    };
    let pairs = own.iter().zip(rates);
    pairs
        .map(|(&object, rate)| Term { weight: weight(rate), pattern: owners.pattern(object).to_string() })
        .collect()
}
