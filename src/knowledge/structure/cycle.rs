//! Cycles.
//!
//! # What it finds
//! Static relations whose facts form cycles of three or more elements, such as compass directions or the
//! cells of a ring. Also the coordinates whose neighbours they define. A cycle has neither a first nor a
//! last element, so its coordinates are not compared.
//!
//! # How
//! All facts of every static binary relation are enumerated. For relations with more arguments, the facts
//! that match an atom of a rule with all but two arguments fixed are enumerated. Every element must have
//! one successor and one predecessor. A rule may change a value by an amount or in a direction that is one
//! more argument, as in `(add ?old ?speed ?new)`. Then the value of that argument is taken whose cycle has
//! all elements, and from which the cycles of the other values are the fewest steps away. A cycle is the
//! axis of an argument that no chain orders. The rules must change or compare the argument's values through
//! the relation, and the cycle must have every value seen there. Of several such cycles, the one nearest in
//! the rules is taken.
//!
//! # Guarantee
//! Cycles are sound: the facts of a static relation are the same in every state, and all are enumerated.
//! Relations with more than 200,000 facts are left out (50,000 for a step that varies). At most 64 patterns
//! and 64 steps are tried. Axes are sound for the states seen.
//!
//! # Cost
//! Linear in the number of facts, and one search through the rules that read each fluent.
//!
//! # Example
//! `(next_to north east) (next_to east south) (next_to south west) (next_to west north)`.
//!
//! # Source
//! Our own; ordered boards: Kuhlmann, Dresner and Stone 2006.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::argument::ArgumentPosition;
use super::chain::{Chain, cycles};
use super::detector::{Detector, Game};
use super::evidence::without_samples;
use super::finding::{Axis, ChainShape, FluentKind, Method, OtherChain};
use super::findings::Findings;
use super::fluent_relations::FluentRelation;
use super::fluents::FactTable;
use super::other_chain::{binary_chain, query_pairs, slice_queries};
use super::reason::Reason;
use super::samples::Samples;
use super::shape;
use super::static_relations::{ChainFinding, DetectedChain};
use super::successor::preference;
use super::usage::Usage;
use super::vocabulary::ChainPattern;
use crate::catalog_entry;
use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId};

/// Most facts of a relation for a step that varies.
const FACTS: usize = 50_000;

/// Most steps that are tried, and most values of the argument that varies.
const STEPS: usize = 64;

catalog_entry!(CycleDetector, "cycle", "Cycles", "Our own");

impl Detector for CycleDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["chain", "axis", "board", "line"]
    }

    fn read_rules<'g>(&self, game: &Game<'g>, findings: &mut Findings<'g>) {
        let description = game.description();
        let mut all = Vec::new();
        for facts in &findings.binary {
            for (elements, reason) in of(facts.relation, &facts.pairs, false) {
                all.push(binary_chain(facts.relation, ChainShape::Cycle, elements, reason));
            }
        }
        for question in slice_queries(description) {
            let Some(pairs) = query_pairs(game, &question) else { continue };
            let (relation, fixed, pair) = question;
            for (elements, reason) in of(relation, &pairs, true) {
                let evidence = without_samples(&[Method::Syntax, Method::Enumeration], reason);
                let (fixed, shape) = (fixed.clone(), ChainShape::Cycle);
                let pattern = ChainPattern { fixed, pair };
                all.push(OtherChain { pattern, relation, shape, elements, evidence });
            }
        }
        all.extend(steps(description).into_iter().filter_map(|step| step_cycle(game, step)));
        if all.is_empty() {
            return;
        }
        let shapes = shape::relations(description);
        let chained = all.into_iter().enumerate().map(|(place, finding)| DetectedChain {
            relation: finding.relation,
            chain: Chain::of_elements(finding.elements.clone()),
            preference: preference(description, &shapes, finding.relation),
            finding: ChainFinding::Other(place, finding),
        });
        findings.cycles = chained.collect();
        findings.read_cycle_usage();
    }

    fn read_samples<'g>(&self, _game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { cycles, cycle_usage, fluents, .. } = findings;
        if cycles.is_empty() {
            return;
        }
        for fluent in fluents {
            let (table, relation) = (&samples.facts[fluent.number], fluent.relation);
            let Some(finding) = &mut fluent.finding else { continue };
            let axis = |argument| {
                axis(cycle_usage, cycles, relation, argument, table).map(DetectedChain::ordered_by)
            };
            let mut ordered = false;
            if finding.kind == FluentKind::Other {
                for argument in (0..relation.arity).filter(|&argument| fluent.orders[argument].is_none()) {
                    let Some(order) = axis(argument) else { continue };
                    finding.axes.push(Axis { argument: ArgumentPosition::at(argument), order: Some(order) });
                    ordered = true;
                }
            } else {
                for coordinate in finding.axes.iter_mut().filter(|axis| axis.order.is_none()) {
                    coordinate.order = axis(coordinate.argument.index());
                    ordered |= coordinate.order.is_some();
                }
            }
            if ordered && !finding.evidence.methods.contains(&Method::Syntax) {
                finding.evidence.methods.insert(0, Method::Syntax);
            }
        }
    }
}

/// A change of a fluent's argument by a rule: through a relation with some fixed arguments, and one
/// argument that gives the amount or the direction.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CycleStep {
    relation: RelationId,
    fixed: Vec<(ArgumentPosition, TermId)>,
    how: ArgumentPosition,
    /// The arguments with the current value and the next one.
    pair: [ArgumentPosition; 2],
}

/// The steps of all rules for the next state, in the order of the rules.
fn steps(description: &Description) -> Vec<CycleStep> {
    let mut cycles = Vec::new();
    for rule in &description.rules {
        let head = &description.relations[rule.head.relation.index()];
        let present = description.relation(RelationKind::True, head.name, head.arity);
        let (RelationKind::Next, Some(present)) = (head.kind, present) else { continue };
        let positive = || {
            rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) => Some(atom),
                Literal::Negative(_) | Literal::Distinct(..) => None,
            })
        };
        for (argument, new) in rule.head.arguments.iter().enumerate() {
            let olds =
                positive().filter(|atom| atom.relation == present).map(|atom| &atom.arguments[argument]);
            for old in olds.filter(|old| *old != new) {
                cycles.extend(positive().filter_map(|atom| step(description, atom, old, new)));
            }
        }
    }
    let mut distinct: Vec<CycleStep> = Vec::new();
    for step in cycles {
        if distinct.len() < STEPS && !distinct.contains(&step) {
            distinct.push(step);
        }
    }
    distinct
}

/// The step from one variable to another through an atom.
fn step(description: &Description, atom: &Atom, old: &Term, new: &Term) -> Option<CycleStep> {
    let relation = &description.relations[atom.relation.index()];
    let own = relation.kind == RelationKind::View && relation.dependence == Dependence::Static;
    if !own || !matches!((old, new), (Term::Variable(_), Term::Variable(_))) {
        return None;
    }
    let (mut fixed, mut how, mut from, mut to) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (index, term) in atom.arguments.iter().enumerate() {
        let position = ArgumentPosition::at(index);
        match term {
            Term::Ground(value) => fixed.push((position, *value)),
            term if term == old => from.push(position),
            term if term == new => to.push(position),
            Term::Variable(_) | Term::Compound(..) => how.push(position),
        }
    }
    let ([how], [from], [to]) = (how.as_slice(), from.as_slice(), to.as_slice()) else { return None };
    Some(CycleStep { relation: atom.relation, fixed, how: *how, pair: [*from, *to] })
}

/// The cycle of a step. Of the values that give the amount, those whose facts form one cycle of all
/// elements qualify. The one is taken from which the others are the fewest steps away.
fn step_cycle(game: &Game<'_>, step: CycleStep) -> Option<OtherChain> {
    let CycleStep { relation, mut fixed, how, pair } = step;
    if game.statics.tuples(relation).take(FACTS + 1).count() > FACTS {
        return None;
    }
    let mut by: BTreeMap<TermId, Vec<(TermId, TermId)>> = BTreeMap::new();
    for tuple in game.statics.tuples(relation) {
        if fixed.iter().all(|(position, value)| tuple[position.index()] == *value) {
            let value = (tuple[pair[0].index()], tuple[pair[1].index()]);
            by.entry(tuple[how.index()]).or_default().push(value);
        }
    }
    if by.len() > STEPS {
        return None;
    }
    let single = |(&value, pairs): (&TermId, &Vec<(TermId, TermId)>)| match cycles(pairs)?.as_slice() {
        [cycle] => Some((value, cycle.clone())),
        _ => None,
    };
    let all: Vec<(TermId, Vec<TermId>)> = by.iter().filter_map(single).collect();
    let length = all.iter().map(|(_, cycle)| cycle.len()).max()?;
    let longest = all.into_iter().filter(|(_, cycle)| cycle.len() == length);
    let away = |cycle: &Vec<TermId>| -> usize {
        let chain = Chain::of_elements(cycle.clone());
        by.values().map(|pairs| distance(&chain, pairs).unwrap_or(length)).sum()
    };
    let (value, elements) = longest.min_by_key(|(value, cycle)| (away(cycle), *value))?;
    let reason = Reason::Cycle { relation, facts: elements.len(), slice: true, cycles: 1 };
    fixed.push((how, value));
    let evidence = without_samples(&[Method::Syntax, Method::Enumeration], reason);
    let pattern = ChainPattern { fixed, pair };
    Some(OtherChain { pattern, relation, shape: ChainShape::Cycle, elements, evidence })
}

/// Number of steps along a cycle, forwards or backwards, from the first of each pair to the second, if all
/// pairs agree.
fn distance(cycle: &Chain, pairs: &[(TermId, TermId)]) -> Option<usize> {
    let length = cycle.elements().len();
    let steps = |&(a, b): &(TermId, TermId)| Some((cycle.rank(b)? + length - cycle.rank(a)?) % length);
    let first = steps(pairs.first()?)?;
    let agree = pairs.iter().all(|pair| steps(pair) == Some(first));
    agree.then_some(first.min(length - first))
}

/// The cycles of pairs, each with its reason.
fn of(relation: RelationId, pairs: &[(TermId, TermId)], slice: bool) -> Vec<(Vec<TermId>, Reason)> {
    let found = cycles(pairs).unwrap_or_default();
    let reason = Reason::Cycle { relation, facts: pairs.len(), slice, cycles: found.len() };
    found.into_iter().map(|elements| (elements, reason.clone())).collect()
}

/// The cycle that gives neighbours to an argument (counted from 0).
fn axis<'c>(
    usage: &Usage<'_>,
    cycles: &'c [DetectedChain],
    fluent: FluentRelation,
    argument: usize,
    table: &FactTable,
) -> Option<&'c DetectedChain> {
    let values = table.values(argument);
    if values.is_empty() {
        return None;
    }
    let uses = usage.chains_of(fluent.name, fluent.arity, argument);
    let fitting = uses.into_iter().filter(|(index, _)| cycles[*index].chain.covers(values.iter().copied()));
    let best = fitting.min_by_key(|&(index, used)| {
        let cycle = &cycles[index];
        (used.distance, Reverse(used.places), cycle.is_derived(), Reverse(cycle.preference), index)
    });
    best.map(|(index, _)| &cycles[index])
}
