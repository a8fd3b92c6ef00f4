//! All detectors in a line.

use std::collections::BTreeMap;

use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;
use crate::machine::Machine;
use crate::simulate::{Budget, Context, SimulateError, Statistics, observe};

use super::finding::{
    Axis, Counter, FluentFinding, FluentKind, Method, Order, Quantity, Structures, Successor,
};
use super::fluents::{FluentRelations, Mask, all_positions, positions};
use super::order::Ordered;
use super::samples::Samples;
use super::successor::Chained;
use super::usage::Usage;
use super::{
    axis, board, control, counter, domain, evidence, noop, order, quantity, successor, team, thing, turns,
};

/// Why structures could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// Nothing could be played.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

/// What the rules alone tell.
struct Static<'d> {
    successors: Vec<Chained>,
    orders: Vec<Ordered>,
    usage: Usage<'d>,
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
    let (statistics, samples) = observe(machine, budget, context, || Samples::new(machine, &relations))?;
    let fluents = classify(machine, statics, &relations, &known, &samples);

    let roles = description.roles.len();
    let name = |role: usize| description.term(description.roles[role]);
    let teams = team::detect(&samples.goals, roles);
    let teams_evidence = team::evidence(&samples.goals, &teams, samples.extent);
    let (zero_sum, zero_sum_evidence) = team::zero_sum(&samples.goals, roles, samples.extent);
    let (turns, turns_evidence) = turns::detect(&samples.moves, roles, samples.extent);
    let mut noops = BTreeMap::new();
    let controlled = fluents.iter().any(|finding| finding.kind == FluentKind::Control);
    for (role, mut moves) in noop::detect(machine, &samples.moves, controlled).into_iter().enumerate() {
        moves.sort_by_cached_key(|&action| machine.move_text(action));
        if !moves.is_empty() {
            noops.insert(name(role), moves.into_iter().map(|action| machine.move_text(action)).collect());
        }
    }
    let because = "moves that were a role's only legal one while others chose, and that are never one of \
                   several or that no rule takes notice of";
    let structures = Structures {
        successors: known.successors.into_iter().map(|found| found.finding).collect::<Vec<Successor>>(),
        orders: known.orders.into_iter().map(|found| found.finding).collect::<Vec<Order>>(),
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
fn read_rules<'d>(description: &'d Description, statics: &StaticFacts) -> Static<'d> {
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
    Static { successors, orders, usage }
}

/// What each fluent relation of arity 1 and more is.
fn classify(
    machine: &dyn Machine,
    statics: &StaticFacts,
    relations: &FluentRelations,
    known: &Static<'_>,
    samples: &Samples<'_>,
) -> Vec<FluentFinding> {
    let description = machine.description();
    let successors = &known.successors;
    let orders: Vec<Vec<Option<usize>>> = (relations.list.iter().enumerate())
        .map(|(index, &fluent)| {
            let table = &samples.facts[index];
            let order = |argument| axis::detect(&known.usage, successors, fluent, argument, table);
            (0..fluent.arity).map(order).collect()
        })
        .collect();
    let facts_of = |relation: RelationId| -> Vec<Vec<TermId>> {
        statics.tuples(relation).map(<[TermId]>::to_vec).collect()
    };
    let counters: Vec<Option<counter::Found>> = (relations.list.iter().enumerate())
        .map(|(index, &fluent)| {
            let (table, course) = (&samples.facts[index], samples.courses.of(index));
            counter::detect(description, fluent, table, course, successors, &facts_of)
        })
        .collect();
    let controls = control::detect(&samples.control, &samples.facts, &description.roles, |relation| {
        counters[relation].is_none()
    });

    let name = |successor: usize| successors[successor].finding.relation.clone();
    let domains = domain::Texts::new(machine);
    let listed = relations.list.iter().enumerate().filter(|(_, fluent)| fluent.arity > 0);
    let findings = listed.map(|(index, &fluent)| {
        let (table, course) = (&samples.facts[index], samples.courses.of(index));
        let order = &orders[index];
        let ordered: Vec<bool> = order.iter().map(Option::is_some).collect();
        let computed: Vec<bool> = (0..fluent.arity)
            .map(|argument| known.usage.computed(fluent.name, fluent.arity, argument))
            .collect();
        let split = board::split(table, &ordered, &computed);
        let mut finding = FluentFinding {
            fluent: format!("{}/{}", description.symbols.name(fluent.name), fluent.arity),
            arity: fluent.arity,
            inputs: from_one(split.inputs),
            outputs: from_one(split.outputs),
            kind: split.kind,
            axes: Vec::new(),
            covered: None,
            counter: None,
            quantity: None,
            control: None,
            ordered_outputs: Vec::new(),
            markers: Vec::new(),
            pieces: Vec::new(),
            domains: domains.of(fluent),
            evidence: evidence::without_samples(&[], String::new()),
        };
        let mut methods: Vec<Method> = Vec::new();
        let because;
        if let Some(found) = &counters[index] {
            finding.kind = FluentKind::Counter;
            finding.counter = Some(Counter {
                by: description.signature(found.by),
                start: machine.term_text(found.start),
                limit: found.limit.map(|term| machine.term_text(term)),
                direction: found.direction,
            });
            methods.extend(&found.methods);
            because = format!(
                "it has one value in every state, and the next one by {} in every step",
                description.signature(found.by)
            );
        } else if let Some(found) = controls.iter().find(|found| found.relation == index) {
            finding.kind = FluentKind::Control;
            finding.control = Some(found.control.clone());
            because = format!(
                "roles have several legal moves only while argument {} names them, in {} of {} states with a choice",
                found.control.argument, found.covered, samples.control.with_choice
            );
        } else if let Some((key, value, successor)) = quantity::detect(table, course, order)
            .filter(|&(key, ..)| !(split.kind == FluentKind::Board && board::grid(table, &ordered, key)))
        {
            finding.kind = FluentKind::Quantity;
            finding.inputs = from_one(key);
            finding.outputs = vec![value + 1];
            finding.quantity = Some(Quantity { order: name(successor) });
            methods.push(Method::Syntax);
            because = format!(
                "one value at a time for each of {} keys, ordered by {}, different between playouts at the same step",
                if key == 0 { 1 } else { table.projected(key).len() },
                name(successor)
            );
        } else {
            let coordinates = match split.kind {
                FluentKind::Board => split.inputs,
                FluentKind::Place => all_positions(fluent.arity) & !split.carriers,
                _ => 0,
            };
            let axis = |position: usize| Axis { argument: position + 1, order: order[position].map(name) };
            finding.axes = positions(coordinates).map(axis).collect();
            if finding.axes.iter().any(|axis| axis.order.is_some()) {
                methods.push(Method::Syntax);
            }
            let mut carriers = split.carriers;
            if split.kind == FluentKind::Board {
                finding.covered = Some(table.always_full(split.inputs));
                finding.ordered_outputs =
                    positions(split.outputs).filter(|&position| ordered[position]).map(axis).collect();
                carriers = positions(split.outputs)
                    .filter(|&position| !ordered[position])
                    .fold(0, |set, position| set | 1 << position);
            }
            if carriers != 0 {
                (finding.markers, finding.pieces) = thing::detect(machine, table, carriers);
            }
            because = reason(table, split, course.changes);
        }
        finding.evidence = samples.extent.evidence(&methods, because);
        finding
    });
    findings.collect()
}

/// Argument positions of a set, from 1.
fn from_one(mask: Mask) -> Vec<usize> {
    positions(mask).map(|position| position + 1).collect()
}

/// What the split of a fluent rests on.
fn reason(table: &super::fluents::FactTable, split: board::Split, changes: bool) -> String {
    let list = |mask: Mask| {
        let positions: Vec<String> = from_one(mask).iter().map(ToString::to_string).collect();
        positions.join(", ")
    };
    let facts = format!("{} to {} facts at a time, {} in all", table.fewest(), table.most(), table.len());
    let constant = if changes { "" } else { "; never changes" };
    match split.kind {
        _ if table.is_empty() => "no sampled state has a fact of it".to_owned(),
        _ if split.outputs == 0 || split.inputs == all_positions(table.arity()) => {
            format!("no set of arguments determines the others; {facts}{constant}")
        }
        FluentKind::Place if split.inputs == split.carriers && !table.keys().contains(&split.inputs) => {
            format!("argument {} names things, of which one moves about alone; {facts}", list(split.inputs))
        }
        _ if split.inputs == 0 => format!("at most one fact at a time; {facts}{constant}"),
        _ => format!(
            "no sampled state has two facts that agree on {} and differ on {}; {facts}{constant}",
            list(split.inputs),
            list(split.outputs)
        ),
    }
}
