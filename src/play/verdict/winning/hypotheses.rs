//! Conditions that agree with a set of states: whether a role can move, measures, connections.

use super::condition::{Checker, Condition, Shape};
use super::cubes::Literal;
use super::measure::matching;
use super::state_set::StateSet;
use super::states::ENOUGH;
use crate::gdl::term::TermId;
use crate::structure::finding::FluentKind;

/// A hypothesis needs this number of states in which it holds, and in which it doesn't.
const MIN_STATES: usize = 30;

/// The states on which to compare a condition with `target`: those reached in play if they suffice.
pub(super) fn domain(checker: &Checker<'_, '_, '_>, target: &StateSet, within: &StateSet) -> StateSet {
    let reached = checker.table.reached.intersection(within);
    let with = reached.intersection(target).count();
    let without = reached.count() - with;
    if with >= ENOUGH && without >= ENOUGH { reached } else { within.clone() }
}

/// The facts that say whose turn it is.
pub(super) fn turns(checker: &Checker<'_, '_, '_>) -> Vec<Condition> {
    let control = |family: usize| checker.facts.families[family].kind() == FluentKind::Control;
    let facts = checker.facts.list.iter().enumerate().filter(|(_, fact)| control(fact.family));
    let turn = |(fact, _)| Condition::Pattern {
        cubes: vec![vec![Literal { leaf: fact as u32, negated: false }]],
        shape: Shape::Fact,
    };
    facts.map(turn).take(16).collect()
}

/// The conditions that hold in exactly the `target` states within some states, each with its cost.
pub(super) fn hypotheses(
    checker: &Checker<'_, '_, '_>,
    target: &StateSet,
    within: &StateSet,
    roles: &[TermId],
) -> Vec<(Condition, usize)> {
    let among = domain(checker, target, within);
    let with = among.intersection(target).count();
    if with < MIN_STATES || among.count() - with < MIN_STATES {
        return Vec::new();
    }
    let mut found = Vec::new();
    let agrees = |condition: &Condition| checker.states(condition).agrees(target, &among);
    if checker.stuck.is_some() {
        let turns = turns(checker);
        for role in 0..roles.len() {
            for condition in [Condition::Stuck { role }, Condition::Mobile { role }] {
                if agrees(&condition) {
                    found.push((condition, 1));
                    continue;
                }
                for turn in &turns {
                    let both = Condition::All(vec![turn.clone(), condition.clone()]);
                    if agrees(&both) {
                        found.push((both, 2));
                    }
                }
            }
        }
    }
    found.extend(matching(checker.measures, target, &among, roles).into_iter().map(|of| (of, 2)));
    for (connection, states) in checker.connections {
        if states.agrees(target, &among) {
            found.push((Condition::Connected(connection.clone()), 2));
        }
    }
    found
}
