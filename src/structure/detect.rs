//! All detectors in a line.

use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::ground::StaticFacts;
use crate::machine::Machine;
use crate::simulate::{Budget, Context, SimulateError, Statistics};

use super::classify::classify;
use super::finding::{FluentFinding, FluentKind, Structures};
use super::fluent_relations::FluentRelations;
use super::order::Ordered;
use super::samples::{Samples, Target};
use super::successor::Chained;
use super::usage::Usage;
use super::{noop, order, steered, successor, team, turns};

/// Why structures could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// What the rules alone tell.
pub(super) struct Known<'d> {
    /// Successor relations.
    pub(super) successors: Vec<Chained>,
    /// Order relations.
    pub(super) orders: Vec<Ordered>,
    /// Where the rules use them.
    pub(super) usage: Usage<'d>,
}

/// Finds what a game is made of, with the playouts that the budget allows, and gives their statistics too.
///
/// # Errors
/// Nothing could be played.
pub fn detect(
    machine: &dyn Machine,
    statics: &StaticFacts,
    budget: &Budget,
    context: &Context<'_>,
) -> Result<(Structures, Statistics), DetectError> {
    let description = machine.description();
    let relations = FluentRelations::new(description);
    let known = read_rules(description, statics);
    let (statistics, mut samples) = Samples::gather(machine, &relations, budget, context)?;
    let mut fluents = classify(machine, statics, &relations, &known, &samples);
    let targets = targets(&fluents, &relations, &samples);
    if !targets.is_empty() {
        let work = steered::allowance(machine, budget, statistics.work);
        steered::refute(machine, &mut samples, &targets, work, budget, context);
        fluents = classify(machine, statics, &relations, &known, &samples);
    }

    let roles = description.roles.len();
    let teams = team::detect(&samples.goals, roles);
    let teams_evidence = team::evidence(&samples.goals, &teams, samples.extent);
    let (zero_sum, zero_sum_evidence) = team::zero_sum(&samples.goals, roles, samples.extent);
    let (turns, turns_evidence) = turns::detect(&samples.moves, roles, samples.extent);
    let controlled = fluents.iter().any(|finding| finding.kind == FluentKind::Control);
    let mut noops = noop::detect(machine, statics, &samples.moves, controlled);
    for moves in &mut noops {
        moves.sort_by_cached_key(|&action| machine.move_text(action));
    }
    let because = "moves that were a role's only legal one while others chose, and that are never one of \
                   several or have no effect of their own";
    let structures = Structures {
        successors: known.successors.into_iter().map(|found| found.finding).collect(),
        orders: known.orders.into_iter().map(|found| found.finding).collect(),
        fluents,
        teams,
        teams_evidence,
        turns,
        turns_evidence,
        zero_sum,
        zero_sum_evidence,
        noops,
        noops_evidence: samples.extent.evidence(&[], because.to_owned()),
    };
    Ok((structures, statistics))
}

/// Successor and order relations, and where the rules use them.
fn read_rules<'d>(description: &'d Description, statics: &StaticFacts) -> Known<'d> {
    let binary = successor::binary_facts(description, |relation| statics.tuples(relation));
    let successors = successor::detect(description, &statics.terms, &binary);
    let mut bases: Vec<(RelationId, usize)> =
        successors.iter().enumerate().map(|(index, found)| (found.relation, index)).collect();
    let usage = Usage::new(description, &bases);
    let orders = order::detect(description, &binary, &successors, |relation, successor| {
        usage.distance(relation, successor)
    });
    bases.extend(orders.iter().map(|found| (found.relation, found.over)));
    let usage = Usage::new(description, &bases);
    Known { successors, orders, usage }
}

/// Where something looks like a piece.
fn targets(fluents: &[FluentFinding], relations: &FluentRelations, samples: &Samples<'_>) -> Vec<Target> {
    let suspected = fluents.iter().filter_map(|finding| {
        let carriers = finding.pieces.first()?.arguments.iter();
        let carriers = carriers.fold(0, |set, argument| set | 1 << argument.index());
        let relation = relations.position(finding.fluent.name, finding.fluent.arity)?;
        Some(Target { relation, hypothesis: samples.facts[relation].hypothesis(carriers)? })
    });
    suspected.collect()
}
