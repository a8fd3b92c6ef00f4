//! Records of the past: growing lists of facts; each fact names the step at which it appeared.
//!
//! A record `(played 3 red rock)` looks like a board whose cells are filled once. But its first argument is
//! not a coordinate: rules set it to the value of a clock. A clock is a counter, or another fluent with one
//! value that advances whatever the roles play, or a view of such a value.

use rustc_hash::FxHashSet;

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind, Rule};
use crate::gdl::term::Term;

use super::finding::Latch;
use super::findings::Fluent;
use super::fluent_relations::FluentRelation;
use super::fluents::{Mask, all_positions, positions};
use super::samples::Samples;
use super::usage::Usage;

/// The argument positions that have the value of a clock in every fact.
pub(super) struct Clocks<'d> {
    description: &'d Description,
    positions: FxHashSet<(RelationId, usize)>,
}

impl<'d> Clocks<'d> {
    /// The clocks among the fluents, and the views of their values.
    pub(super) fn new(
        description: &'d Description,
        fluents: &[Fluent],
        samples: &Samples<'_>,
        usage: &Usage<'_>,
    ) -> Clocks<'d> {
        let mut clocks = Clocks { description, positions: FxHashSet::default() };
        for fluent in fluents {
            let FluentRelation { name, arity } = fluent.relation;
            let counter = fluent.finding.as_ref().and_then(|finding| finding.counter);
            let argument = match counter {
                Some(counter) => counter.argument.index(),
                None if arity == 1 && advances(fluent, samples, usage) => 0,
                None => continue,
            };
            if let Some(relation) = description.relation(RelationKind::True, name, arity) {
                clocks.positions.insert((relation, argument));
            }
        }
        if !clocks.positions.is_empty() {
            clocks.propagate();
        }
        clocks
    }

    /// Adds the arguments of views if each of their rules takes the value from a clock.
    fn propagate(&mut self) {
        loop {
            let before = self.positions.len();
            for (relation, declared) in self.description.relation_ids() {
                let rules = &self.description.rules_of[relation.index()];
                if declared.kind != RelationKind::View || rules.is_empty() {
                    continue;
                }
                for argument in 0..declared.arity {
                    let mut rules = rules.iter().map(|&rule| &self.description.rules[rule as usize]);
                    if rules.all(|rule| self.takes_from_clock(rule, &rule.head.arguments[argument])) {
                        self.positions.insert((relation, argument));
                    }
                }
            }
            if self.positions.len() == before {
                return;
            }
        }
    }

    /// Whether the body of a rule gives a term the value of a clock.
    fn takes_from_clock(&self, rule: &Rule, term: &Term) -> bool {
        positive(rule).any(|atom| {
            let mut arguments = atom.arguments.iter().enumerate();
            arguments.any(|(index, other)| other == term && self.positions.contains(&(atom.relation, index)))
        })
    }

    /// Whether the body gives a term the value of a clock, or a value that a static relation pairs with it.
    fn takes_from_clock_or_pair(&self, rule: &Rule, term: &Term) -> bool {
        let is_static =
            |atom: &&Atom| self.description.relations[atom.relation.index()].dependence == Dependence::Static;
        let mut pairs = positive(rule).filter(is_static).filter_map(|atom| match &*atom.arguments {
            [one, other] if other == term => Some(one),
            [one, other] if one == term => Some(other),
            _ => None,
        });
        self.takes_from_clock(rule, term) || pairs.any(|other| self.takes_from_clock(rule, other))
    }

    /// The arguments (from 0) that all rules that add facts of a fluent take from a clock; empty unless facts stay.
    pub(super) fn stamps(&self, fluent: &Fluent, samples: &Samples<'_>) -> Mask {
        let FluentRelation { name, arity } = fluent.relation;
        let stays = samples.changes[fluent.number].latch() == Some(Latch::Stays);
        if self.positions.is_empty() || !stays {
            return 0;
        }
        let relation = |kind| self.description.relation(kind, name, arity);
        let (Some(next), Some(present)) = (relation(RelationKind::Next), relation(RelationKind::True)) else {
            return 0;
        };
        let rules = self.description.rules_of[next.index()].iter();
        let rules = rules.map(|&rule| &self.description.rules[rule as usize]);
        let keeps = |rule: &&Rule| {
            positive(rule).any(|atom| atom.relation == present && atom.arguments == rule.head.arguments)
        };
        let mut adding = rules.filter(|rule| !keeps(rule)).peekable();
        if adding.peek().is_none() {
            return 0;
        }
        adding.fold(all_positions(arity), |stamps, rule| {
            let stamped = |&index: &usize| self.takes_from_clock_or_pair(rule, &rule.head.arguments[index]);
            positions(stamps).filter(stamped).fold(0, |set, index| set | 1 << index)
        })
    }
}

fn positive(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        Literal::Negative(_) | Literal::Distinct(..) => None,
    })
}

/// Whether a fluent with one argument advances. It must have at most one value, which is computed from the previous
/// value and never returns to an earlier one. At the same step, the value must be the same in all playouts.
fn advances(fluent: &Fluent, samples: &Samples<'_>, usage: &Usage<'_>) -> bool {
    samples.facts[fluent.number].most() == 1
        && !samples.trajectories.of(fluent.number).varies
        && samples.changes[fluent.number].latch() == Some(Latch::NeverReturns)
        && usage.is_computed(fluent.relation.name, 1, 0)
}
