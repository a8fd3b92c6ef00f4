//! Counters.
//!
//! # What it finds
//! Fluents with one argument that advance by one in every step, whatever the roles play: step counters. It
//! reports the relation by which they advance, their start, their direction, and the value that ends the
//! game. A counter may start late, if it does so at the same step of every playout. An argument of a
//! [control](super::control) fluent may count as well.
//!
//! # How
//! The template `(<= (next (c ?n)) (true (c ?m)) (s ?m ?n))` names the relation. In the sampled playouts,
//! the fluent must have exactly one fact in every state from some step on. It must be the same at the same
//! step of every playout, and a new one in every step. If the relation is a successor relation, each value
//! must be the neighbour of the previous one. Without the template, a successor relation along which every
//! step went is named. The limit comes from the rules: a value whose fact is sufficient for `terminal`,
//! possibly through derived relations without arguments. Of several, it is the first that is reached.
//!
//! # Guarantee
//! The finding is proved if the template is the only rule, as long as the relation has a next value; otherwise it is an
//! estimate. Each state with the limit is terminal. A limit that depends on other fluents too is not found.
//!
//! # Cost
//! One comparison in every sampled state; linear in the rules.
//!
//! # Example
//! `(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))` and `(<= terminal (true (step 50)))`.
//!
//! # Source
//! The template: Kuhlmann, Dresner and Stone 2006.

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId};

use super::argument::ArgumentPosition;
use super::detector::{Detector, Game};
use super::finding::{Counter, Direction, FluentFinding, FluentKind, Method};
use super::findings::Findings;
use super::fluent_relations::FluentRelation;
use super::fluents::FactTable;
use super::reason::Reason;
use super::samples::Samples;
use super::static_relations::DetectedChain;
use super::trajectory::Trajectory;
use crate::catalog_entry;

catalog_entry!(CounterDetector, "counter", "Counters", "Kuhlmann, Dresner and Stone 2006");

impl Detector for CounterDetector {
    fn needs(&self) -> &'static [&'static str] {
        &["successor"]
    }

    fn read_samples<'g>(&self, game: &Game<'g>, samples: &Samples<'_>, findings: &mut Findings<'g>) {
        let Findings { chains, fluents, usage, .. } = findings;
        for fluent in fluents.iter_mut().filter(|fluent| fluent.is_open()) {
            let (table, trajectory) = (&samples.facts[fluent.number], samples.trajectories.of(fluent.number));
            if fluent.relation.arity != 1 {
                continue;
            }
            let counter = detect(
                game,
                CounterArgument { fluent: fluent.relation, argument: 0 },
                table,
                trajectory,
                chains,
            );
            let Some((counter, methods)) = counter else { continue };
            let (_, split) = fluent.split(usage, table);
            let reason = Reason::Advances { by: counter.by, from_start: table.fewest() > 0 };
            fluent.finding = Some(FluentFinding {
                counter: Some(counter),
                evidence: samples.extent.evidence(&methods, reason),
                ..fluent.of_kind(FluentKind::Counter, split)
            });
        }
    }
}

/// An argument of a fluent that may count.
#[derive(Clone, Copy, Debug)]
pub(super) struct CounterArgument {
    pub(super) fluent: FluentRelation,
    /// From 0.
    pub(super) argument: usize,
}

/// The relation of a counter's template, the indices of its arguments with the old and the new value, and
/// whether the rule is the only one for the fluent and has no other conditions.
pub(super) fn counter_template(
    description: &Description,
    CounterArgument { fluent, argument }: CounterArgument,
) -> Option<(RelationId, usize, usize, bool)> {
    let next = description.relation(RelationKind::Next, fluent.name, fluent.arity)?;
    let truth = description.relation(RelationKind::True, fluent.name, fluent.arity)?;
    let rules = &description.rules_of[next.index()];
    for &rule in rules {
        let rule = &description.rules[rule as usize];
        let new = &rule.head.arguments[argument];
        let atoms = || {
            rule.body.iter().filter_map(|literal| match literal {
                Literal::Positive(atom) => Some(atom),
                _ => None,
            })
        };
        let Some(old) = atoms().find(|atom| atom.relation == truth).map(|atom| &atom.arguments[argument])
        else {
            continue;
        };
        if old == new || !matches!((old, new), (Term::Variable(_), Term::Variable(_))) {
            continue;
        }
        let is_static = |atom: &&Atom| {
            let relation = &description.relations[atom.relation.index()];
            relation.dependence == Dependence::Static && relation.kind == RelationKind::View
        };
        let found = atoms().filter(is_static).find_map(|atom| {
            let at = |wanted: &Term| atom.arguments.iter().position(|term| term == wanted);
            Some((atom.relation, at(old)?, at(new)?))
        });
        if let Some((relation, from, to)) = found {
            return Some((relation, from, to, rules.len() == 1 && rule.body.len() == 2));
        }
    }
    None
}

/// The direction if every step went to a neighbour in the chain in the same direction: `Up` in the direction of the
/// chain's relation.
fn step_direction(steps: &[(TermId, TermId)], base: &DetectedChain) -> Option<Direction> {
    let chain = &base.chain;
    let mut up = 0;
    for &(before, after) in steps {
        let (before, after) = (chain.rank(before)?, chain.rank(after)?);
        match (after.checked_sub(before), before.checked_sub(after)) {
            (Some(1), _) => up += 1,
            (_, Some(1)) => {}
            _ => return None,
        }
    }
    let (onward, back) = match base.is_reversed() {
        false => (Direction::Up, Direction::Down),
        true => (Direction::Down, Direction::Up),
    };
    match up {
        0 if !steps.is_empty() => Some(back),
        up if up == steps.len() && up > 0 => Some(onward),
        _ => None,
    }
}

/// The counter at an argument of a fluent, if it counts, and the methods besides simulation.
pub(super) fn detect(
    game: &Game<'_>,
    counting: CounterArgument,
    table: &FactTable,
    trajectory: &Trajectory,
    chains: &[DetectedChain],
) -> Option<(Counter, Vec<Method>)> {
    let description = game.description();
    let steady = table.most() == 1 && (table.fewest() == 1 || trajectory.starts_late());
    if !steady || trajectory.varies || trajectory.branches {
        return None;
    }
    let value = |place: usize| table.arguments(place)[counting.argument];
    let mut steps: Vec<(TermId, TermId)> = trajectory.steps().map(|(a, b)| (value(a), value(b))).collect();
    steps.sort_unstable();
    steps.dedup();
    let start = match trajectory.start {
        Some(place) => value(place),
        None => steps.iter().map(|step| step.0).find(|&from| steps.iter().all(|step| step.1 != from))?,
    };
    let path = path(&steps, start)?;
    let successors = || chains.iter().filter(|chain| chain.is_successor());
    let chain_of = |relation: RelationId| successors().find(|base| base.relation == relation);
    let named = counter_template(description, counting).and_then(|(relation, from, to, alone)| {
        let direction = match chain_of(relation) {
            Some(base) => step_direction(&steps, base)?,
            None if from < to => Direction::Up,
            None => Direction::Down,
        };
        let methods = if alone { vec![Method::Syntax, Method::Proof] } else { vec![Method::Syntax] };
        Some((relation, direction, methods))
    });
    let (by, direction, methods) = named.or_else(|| {
        let fitting = successors().filter_map(|base| Some((base, step_direction(&steps, base)?)));
        let best = fitting.max_by_key(|(base, _)| base.preference);
        best.map(|(base, direction)| (base.relation, direction, Vec::new()))
    })?;
    let place = |term: TermId| {
        let base = chain_of(by)?;
        Some((base.chain.rank(term)?, base.is_reversed()))
    };
    // A value that is neither in the chain nor in the path is never reached.
    let order = |term: TermId| match place(term) {
        Some((rank, reversed)) if (direction == Direction::Up) != reversed => Some(rank),
        Some((rank, _)) => Some(usize::MAX - rank),
        None => path.iter().position(|&value| value == term),
    };
    let reached = ending_values(game, counting).into_iter().filter_map(|term| Some((order(term)?, term)));
    let limit = reached.filter(|&(at, _)| Some(at) > order(start)).min().map(|(_, term)| term);
    let argument = ArgumentPosition::at(counting.argument);
    Some((Counter { argument, by, start, limit, direction }, methods))
}

/// The values from the start on, if they are distinct and include all steps.
fn path(steps: &[(TermId, TermId)], start: TermId) -> Option<Vec<TermId>> {
    let mut path = vec![start];
    let mut last = start;
    while let Ok(index) = steps.binary_search_by_key(&last, |&(before, _)| before) {
        last = steps[index].1;
        path.push(last);
        if path.len() > steps.len() + 1 {
            return None;
        }
    }
    (path.len() == steps.len() + 1 && path.len() > 1).then_some(path)
}

/// The values of a fluent whose fact alone makes `terminal` true. Only rules with exactly one literal that depends on the
/// state are followed, directly or through views without arguments. The static literals of a rule have to hold whatever the
/// other arguments of the fact are.
fn ending_values(game: &Game<'_>, CounterArgument { fluent, argument }: CounterArgument) -> Vec<TermId> {
    let description = game.description();
    let mut values = Vec::new();
    let mut views: Vec<RelationId> = description
        .relation_ids()
        .filter(|(_, r)| r.kind == RelationKind::Terminal)
        .map(|(id, _)| id)
        .collect();
    let mut next = 0;
    while let Some(&view) = views.get(next) {
        next += 1;
        for &rule in &description.rules_of[view.index()] {
            let body = &description.rules[rule as usize].body;
            let is_dynamic = |literal: &&Literal| match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => {
                    description.relations[atom.relation.index()].dependence != Dependence::Static
                }
                Literal::Distinct(..) => false,
            };
            let (dynamic, statics): (Vec<&Literal>, Vec<&Literal>) = body.iter().partition(is_dynamic);
            let [Literal::Positive(atom)] = dynamic[..] else { continue };
            let relation = &description.relations[atom.relation.index()];
            match (relation.kind, atom.arguments.as_ref()) {
                (RelationKind::View | RelationKind::Auxiliary, [])
                    if !views.contains(&atom.relation) && hold(game, &statics) =>
                {
                    views.push(atom.relation);
                }
                (RelationKind::True, terms)
                    if (relation.name, terms.len()) == (fluent.name, fluent.arity)
                        && others_are_free(terms, argument, &statics) =>
                {
                    match &terms[argument] {
                        Term::Ground(value) if hold(game, &statics) => values.push(*value),
                        term @ Term::Variable(_) => values.extend(allowed_values(game, &statics, term)),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
    }
    values
}

/// Whether all arguments but one are different variables that occur nowhere else.
fn others_are_free(terms: &[Term], argument: usize, statics: &[&Literal]) -> bool {
    let in_statics = |wanted: &Term| {
        statics.iter().any(|literal| match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.arguments.iter().any(|term| contains(term, wanted))
            }
            Literal::Distinct(one, other) => [one, other].into_iter().any(|term| contains(term, wanted)),
        })
    };
    terms.iter().enumerate().filter(|(index, _)| *index != argument).all(|(index, term)| {
        let repeats = terms.iter().enumerate().any(|(other, of)| other != index && contains(of, term));
        matches!(term, Term::Variable(_)) && !repeats && !in_statics(term)
    })
}

/// Whether a term is a variable or contains it.
fn contains(term: &Term, variable: &Term) -> bool {
    match term {
        Term::Compound(_, parts) => parts.iter().any(|part| contains(part, variable)),
        _ => term == variable,
    }
}

/// Whether static literals are known to hold: there are none, or only a positive one that some row satisfies.
fn hold(game: &Game<'_>, statics: &[&Literal]) -> bool {
    match statics {
        [] => true,
        [Literal::Positive(atom)] => rows(game, atom).next().is_some(),
        _ => false,
    }
}

/// The values of a variable that the static literals of a body allow. One positive literal must list them all.
fn allowed_values(game: &Game<'_>, statics: &[&Literal], variable: &Term) -> Vec<TermId> {
    let [Literal::Positive(atom)] = statics else { return Vec::new() };
    let Some(column) = atom.arguments.iter().position(|term| term == variable) else { return Vec::new() };
    rows(game, atom).map(|row| row[column]).collect()
}

/// The rows of a static relation that an atom matches.
fn rows<'g>(game: &'g Game<'_>, atom: &'g Atom) -> impl Iterator<Item = &'g [TermId]> {
    let fits = move |row: &&[TermId]| {
        let terms = || atom.arguments.iter().zip(*row);
        terms().enumerate().all(|(index, (term, value))| match term {
            Term::Ground(ground) => ground == value,
            Term::Variable(_) => terms().take(index).all(|(other, of)| other != term || of == value),
            Term::Compound(..) => false,
        })
    };
    game.statics.tuples(atom.relation).filter(fits)
}
