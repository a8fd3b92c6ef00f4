//! All detectors in a line.

use std::collections::BTreeMap;

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
/// # Example
///
/// ```
/// use ggp::gdl::{Source, read};
/// use ggp::ground::Limits;
/// use ggp::machine::{Backend, load};
/// use ggp::simulate::{Budget, Context};
/// use ggp::structure::detect;
/// use ggp::structure::finding::FluentKind;
///
/// let rules = read(&Source::load("games/tic_tac_toe.kif")?).description.expect("the rules have no errors");
/// let game = load(rules, Backend::Auto, &Limits::default())?;
/// let budget = Budget { playouts: 200, ..Budget::default() };
/// let (structures, _) = detect(&*game.machine, &game.statics, &budget, &Context::default())?;
///
/// let board = structures.fluents.iter().find(|fluent| fluent.kind == FluentKind::Board).expect("it has one");
/// assert_eq!((board.fluent.as_str(), &board.inputs[..], &board.outputs[..]), ("mark/3", &[1, 2][..], &[3][..]));
/// assert!(structures.zero_sum);
/// // Every finding says what it rests on.
/// assert_eq!(board.evidence.playouts, 200);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    let targets = targets(&fluents, &relations, description, &samples);
    if !targets.is_empty() {
        let work = steered::allowance(machine, budget, statistics.work);
        steered::refute(machine, &mut samples, &targets, work, budget, context);
        fluents = classify(machine, statics, &relations, &known, &samples);
    }

    let roles = description.roles.len();
    let name = |role: usize| description.term(description.roles[role]);
    let teams = team::detect(&samples.goals, roles);
    let teams_evidence = team::evidence(&samples.goals, &teams, samples.extent);
    let (zero_sum, zero_sum_evidence) = team::zero_sum(&samples.goals, roles, samples.extent);
    let (turns, turns_evidence) = turns::detect(&samples.moves, roles, samples.extent);
    let mut noops = BTreeMap::new();
    let controlled = fluents.iter().any(|finding| finding.kind == FluentKind::Control);
    for (role, mut moves) in
        noop::detect(machine, statics, &samples.moves, controlled).into_iter().enumerate()
    {
        moves.sort_by_cached_key(|&action| machine.move_text(action));
        if !moves.is_empty() {
            noops.insert(name(role), moves.into_iter().map(|action| machine.move_text(action)).collect());
        }
    }
    let because = "moves that were a role's only legal one while others chose, and that are never one of \
                   several or have no effect of their own";
    let structures = Structures {
        successors: known.successors.into_iter().map(|found| found.finding).collect(),
        orders: known.orders.into_iter().map(|found| found.finding).collect(),
        fluents,
        teams: teams.into_iter().map(|team| team.into_iter().map(name).collect()).collect(),
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
fn targets(
    fluents: &[FluentFinding],
    relations: &FluentRelations,
    description: &Description,
    samples: &Samples<'_>,
) -> Vec<Target> {
    let suspected = fluents.iter().filter_map(|finding| {
        let carriers =
            finding.pieces.first()?.arguments.iter().fold(0, |set, position| set | 1 << (position - 1));
        let signature = |relation: usize| {
            let fluent = relations.list[relation];
            format!("{}/{}", description.symbols.name(fluent.name), fluent.arity)
        };
        let relation = (0..relations.list.len()).find(|&relation| signature(relation) == finding.fluent)?;
        Some(Target { relation, hypothesis: samples.facts[relation].hypothesis(carriers)? })
    });
    suspected.collect()
}
