//! What later stages of a run reached, in the properties and findings of earlier ones: no part of a document denies what
//! another part shows.

use super::evidence::PlayEvidence;
use super::outcomes::Outcome;
use super::plays::Plays;
use super::properties::{alone, finite_length, well_formedness};
use super::prove::Proofs;
use super::statement::{Property, PropertyName};
use crate::machine::Machine;
use crate::simulate::Statistics;
use crate::structure::finding::{ProofStatus, Structures};
use crate::structure::reason::Reason;

/// Settles by all outcomes of a run what its proofs left open, and corrects teams and the sum of goal values.
pub fn reconcile(
    proofs: Option<&mut Proofs>,
    machine: &dyn Machine,
    structures: &mut Structures,
    simulation: &Statistics,
    reached: &[Outcome],
) {
    let players: Vec<usize> = machine.description().players().collect();
    let mut plays = Plays::none(machine.description().roles.len());
    reached
        .iter()
        .filter_map(|outcome| outcome.moves.as_ref())
        .for_each(|moves| plays.follow(machine, moves));
    let turns = structures.turns;
    let evidence = PlayEvidence { plays: &plays, simulation, reached, players: &players, turns };
    correct(structures, reached, &evidence);
    if let Some(proofs) = proofs {
        proofs.update(&evidence, machine.description().roles.len());
    }
}

impl Proofs {
    fn update(&mut self, evidence: &PlayEvidence<'_>, roles: usize) {
        if evidence.has_end() {
            for known in std::mem::take(&mut self.withheld) {
                let same =
                    |property: &&mut Property| (property.name, property.role) == (known.name, known.role);
                if let Some(property) = self.properties.iter_mut().find(same) {
                    *property = known.clone();
                }
            }
        }
        for property in self.properties.iter_mut().filter(|property| property.status == ProofStatus::Open) {
            if let Some(settled) = evidence.settle(property) {
                *property = settled;
            }
        }
        let find = |name| self.properties.iter().find(|property: &&Property| property.name == name).cloned();
        let follows = |property: &Property| match property.name {
            PropertyName::FiniteLength => find(PropertyName::Termination).map(finite_length),
            PropertyName::StrongWinnability if roles == 1 => {
                find(PropertyName::WeakWinnability).as_ref().map(alone)
            }
            _ => None,
        };
        let following: Vec<Option<Property>> = self.properties.iter().map(follows).collect();
        for (property, following) in self.properties.iter_mut().zip(following) {
            if let Some(following) = following {
                *property = following;
            }
        }
        let whole = well_formedness(&self.properties);
        let of_it = |property: &&mut Property| property.name == PropertyName::WellFormedness;
        if let Some(property) = self.properties.iter_mut().find(of_it) {
            *property = whole;
        }
    }
}

/// Splits teams, and takes back a constant sum, by outcomes that random play did not see.
fn correct(structures: &mut Structures, reached: &[Outcome], evidence: &PlayEvidence<'_>) {
    let sum = evidence.sum();
    let total = |goals: &[i32]| goals.iter().map(|&goal| i64::from(goal)).sum::<i64>();
    // Of what a play shows all goal values are known: what is missing is not one value.
    let is_odd = |of: &Outcome| of.moves.is_some() && evidence.of_players(&of.goals).is_none();
    let differs = evidence.outcomes().any(|(goals, _)| Some(total(&goals)) != sum);
    if structures.zero_sum && (differs || reached.iter().any(is_odd)) {
        structures.zero_sum = false;
        structures.zero_sum_evidence.refute(Reason::OtherSumLater);
    }
    let mut teams: Vec<Vec<usize>> = Vec::new();
    for team in &structures.teams {
        let first = teams.len();
        for &role in team {
            let alike = |other: usize| {
                let values = reached.iter().map(|outcome| (outcome.goals[role], outcome.goals[other]));
                values.filter_map(|(one, two)| one.zip(two)).all(|(one, two)| one == two)
            };
            match teams[first..].iter_mut().find(|part| part.iter().all(|&other| alike(other))) {
                Some(part) => part.push(role),
                None => teams.push(vec![role]),
            }
        }
    }
    if teams != structures.teams {
        teams.sort_unstable();
        structures.teams = teams;
        structures.teams_evidence.refute(Reason::GoalsDifferLater);
    }
}
