//! Corrects properties and findings by the outcomes of later stages, so that no part of a document
//! contradicts another.

use super::evidence::PlayEvidence;
use super::outcomes::Outcome;
use super::plays::Plays;
use super::proofs::Proofs;
use crate::machine::Machine;
use crate::simulate::Statistics;
use crate::structure::finding::Structures;
use crate::structure::reason::Reason;

/// Settles open properties by all outcomes of a run, and corrects teams and the sum of goal values.
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

/// Splits teams, and withdraws a constant sum, by outcomes that random play did not reach.
fn correct(structures: &mut Structures, reached: &[Outcome], evidence: &PlayEvidence<'_>) {
    let of_sum = structures.roles_of_sum();
    let total = |goals: &[i32]| {
        let of_players = evidence.players.iter().zip(goals).filter(|(role, _)| of_sum.contains(role));
        of_players.map(|(_, &goal)| i64::from(goal)).sum::<i64>()
    };
    let sum = evidence.outcomes().next().map(|(goals, _)| total(&goals));
    // With a play, all goal values are known: a missing one means that there is not exactly one.
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
        if structures.zero_sum && structures.sum_is_of_teams() {
            structures.zero_sum = false;
            structures.zero_sum_evidence.refute(Reason::GoalsDifferLater);
        }
        structures.teams = teams;
        structures.teams_evidence.refute(Reason::GoalsDifferLater);
    }
}
