//! What each fluent is: the detectors of fluents in their order of precedence, counter, control, quantity, board
//! or place.

use crate::gdl::domain::Domains;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;
use crate::ground::StaticFacts;
use crate::machine::Machine;

use super::argument::ArgumentPosition;
use super::board::{self, Split};
use super::course::Course;
use super::detect::Known;
use super::finding::{Axis, Counter, FluentFinding, FluentKind, Method, Quantity};
use super::fluent_relations::{FluentRelation, FluentRelations};
use super::fluents::{Among, FactTable, Mask, all_positions, positions};
use super::samples::Samples;
use super::{axis, control, counter, evidence, quantity, thing};

/// A fluent relation with what is known of it.
struct Fluent<'s> {
    relation: FluentRelation,
    table: &'s FactTable,
    course: &'s Course,
    /// The successor relation that orders each argument.
    orders: Vec<Option<usize>>,
    counter: Option<counter::Found>,
}

/// What each fluent relation of arity 1 and more is, in the order of the rules.
pub(super) fn classify(
    machine: &dyn Machine,
    statics: &StaticFacts,
    relations: &FluentRelations,
    known: &Known<'_>,
    samples: &Samples<'_>,
) -> Vec<FluentFinding> {
    let description = machine.description();
    let facts_of = |relation: RelationId| -> Vec<Vec<TermId>> {
        statics.tuples(relation).map(<[TermId]>::to_vec).collect()
    };
    let look = |(index, &relation): (usize, &FluentRelation)| {
        let (table, course) = (&samples.facts[index], samples.courses.of(index));
        let order = |argument| axis::detect(&known.usage, &known.successors, relation, argument, table);
        let orders = (0..relation.arity).map(order).collect();
        let counter = counter::detect(description, relation, table, course, &known.successors, &facts_of);
        Fluent { relation, table, course, orders, counter }
    };
    let fluents: Vec<Fluent<'_>> = relations.list.iter().enumerate().map(look).collect();
    let roles = &description.roles;
    let controls = control::detect(&samples.control, &samples.facts, roles, |relation| {
        fluents[relation].counter.is_none()
    });
    let domains = Domains::of(description);
    let mut findings = Vec::new();
    for (index, fluent) in fluents.iter().enumerate().filter(|(_, fluent)| fluent.relation.arity > 0) {
        let control = controls.iter().find(|found| found.relation == index);
        let mut finding = find(machine, known, samples, fluent, control);
        finding.domains = fluent.relation.domains(description, &domains);
        findings.push(finding);
    }
    findings
}

/// What one fluent relation is.
fn find(
    machine: &dyn Machine,
    known: &Known<'_>,
    samples: &Samples<'_>,
    fluent: &Fluent<'_>,
    control: Option<&control::Found>,
) -> FluentFinding {
    let FluentRelation { name, arity } = fluent.relation;
    let description = machine.description();
    let role = |argument: usize| board::Role {
        ordered: fluent.orders[argument].is_some(),
        computed: known.usage.computed(name, arity, argument),
        chosen: known.usage.chosen(name, arity, argument),
    };
    let roles: Vec<board::Role> = (0..arity).map(role).collect();
    let mut split = board::split(fluent.table, &roles);
    if !fluent.course.changes {
        // What never changes is no board but a static relation in the guise of a fluent.
        (split.kind, split.carriers) = (FluentKind::Other, 0);
    }
    let mut finding = FluentFinding {
        fluent: fluent.relation,
        inputs: arguments(split.inputs),
        outputs: arguments(split.outputs),
        kind: split.kind,
        axes: Vec::new(),
        covered: None,
        counter: None,
        quantity: None,
        control: None,
        ordered_outputs: Vec::new(),
        markers: Vec::new(),
        pieces: Vec::new(),
        domains: Vec::new(),
        evidence: evidence::without_samples(&[], String::new()),
    };
    let mut methods: Vec<Method> = Vec::new();
    let quantity = || {
        let found = quantity::detect(fluent.table, fluent.course, &fluent.orders);
        found.filter(|&(key, ..)| split.kind != FluentKind::Board || !board::grid(fluent.table, &roles, key))
    };
    let because = if let Some(found) = &fluent.counter {
        methods.extend(&found.methods);
        be_counter(machine, found, &mut finding)
    } else if let Some(found) = control {
        finding.kind = FluentKind::Control;
        finding.control = Some(found.control);
        format!(
            "roles have several legal moves only while argument {} names them, in {} of {} states with a choice",
            found.control.argument, found.covered, samples.control.with_choice
        )
    } else if let Some((key, value, successor)) = quantity() {
        methods.push(Method::Syntax);
        finding.kind = FluentKind::Quantity;
        (finding.inputs, finding.outputs) = (arguments(key), vec![ArgumentPosition::at(value)]);
        let order = known.successors[successor].relation;
        let keys = if key == 0 { 1 } else { fluent.table.projected(key).len() };
        finding.quantity = Some(Quantity { order });
        format!(
            "one value at a time for each of {keys} keys, ordered by {}, different between playouts at the \
             same step",
            description.signature(order)
        )
    } else {
        be_board(machine, known, fluent, split, &mut finding);
        if finding.axes.iter().any(|axis| axis.order.is_some()) {
            methods.push(Method::Syntax);
        }
        reason(fluent.table, split, fluent.course.changes)
    };
    finding.evidence = samples.extent.evidence(&methods, because);
    finding
}

/// Fills in a counter and gives what it rests on.
fn be_counter(machine: &dyn Machine, found: &counter::Found, finding: &mut FluentFinding) -> String {
    let &counter::Found { by, start, limit, direction, .. } = found;
    finding.kind = FluentKind::Counter;
    finding.counter = Some(Counter { by, start, limit, direction });
    let by = machine.description().signature(by);
    format!("it has one value in every state, and the next one by {by} in every step")
}

/// Fills in axes, cover and what stands on the cells, for boards, places and rows of cells.
fn be_board(
    machine: &dyn Machine,
    known: &Known<'_>,
    fluent: &Fluent<'_>,
    split: Split,
    finding: &mut FluentFinding,
) {
    let coordinates = match split.kind {
        FluentKind::Board => split.inputs,
        FluentKind::Place => all_positions(fluent.relation.arity) & !split.carriers,
        _ => 0,
    };
    let relation = |successor: usize| known.successors[successor].relation;
    let axis = |position: usize| Axis {
        argument: ArgumentPosition::at(position),
        order: fluent.orders[position].map(relation),
    };
    finding.axes = positions(coordinates).map(axis).collect();
    let mut carriers = split.carriers;
    if split.kind == FluentKind::Board {
        let is_ordered = |position: &usize| fluent.orders[*position].is_some();
        finding.covered = Some(fluent.table.always_full(split.inputs));
        finding.ordered_outputs = positions(split.outputs).filter(is_ordered).map(axis).collect();
        let named = positions(split.outputs).filter(|position| !is_ordered(position));
        carriers = named.fold(0, |set, position| set | 1 << position);
    }
    if carriers != 0 {
        (finding.markers, finding.pieces) = thing::detect(machine, fluent.table, carriers);
    }
}

/// Argument positions of a set.
fn arguments(mask: Mask) -> Vec<ArgumentPosition> {
    positions(mask).map(ArgumentPosition::at).collect()
}

/// What the split of a fluent rests on.
fn reason(table: &FactTable, split: Split, changes: bool) -> String {
    let list = |mask: Mask| {
        let positions: Vec<String> = arguments(mask).iter().map(ToString::to_string).collect();
        positions.join(", ")
    };
    let facts = format!("{} to {} facts at a time, {} in all", table.fewest(), table.most(), table.len());
    let constant = if changes { "" } else { "; never changes" };
    match split.kind {
        _ if table.is_empty() => "no sampled state has a fact of it".to_owned(),
        _ if split.outputs == 0 || split.inputs == all_positions(table.arity()) => {
            format!("no set of arguments determines the others; {facts}{constant}")
        }
        FluentKind::Place
            if split.inputs == split.carriers && !table.keys(split.among).contains(&split.inputs) =>
        {
            format!("argument {} names things, of which one moves about alone; {facts}", list(split.inputs))
        }
        _ if split.inputs == 0 => format!("at most one fact at a time; {facts}{constant}"),
        _ => format!(
            "no sampled state{} has two facts that agree on {} and differ on {}; {facts}{constant}",
            if split.among == Among::All { "" } else { " but terminal ones" },
            list(split.inputs),
            list(split.outputs)
        ),
    }
}
