//! Conditions that agree with a set of states: whether a role can move, measures, connections.

use super::condition::{Checker, Condition, Shape};
use super::cubes::Literal;
use super::facts::Fact;
use super::measure_conditions::matching;
use super::state_set::StateSet;
use super::states::ENOUGH;
use crate::gdl::term::TermId;
use crate::structure::finding::FluentKind;

/// A hypothesis needs this number of states in which it holds, and in which it doesn't.
const MIN_STATES: usize = 20;

/// The states on which to compare a condition with `target`: those reached in play if they suffice.
pub(super) fn domain(checker: &Checker<'_, '_, '_>, target: &StateSet, within: &StateSet) -> StateSet {
    let reached = checker.table.reached.intersection(within);
    let with = reached.intersection(target).count();
    let without = reached.count() - with;
    if with >= ENOUGH && without >= ENOUGH { reached } else { within.clone() }
}

/// The fact that says that it is a role's turn.
fn turn(checker: &Checker<'_, '_, '_>, role: TermId) -> Option<Condition> {
    let says = |fact: &Fact| {
        let finding = checker.facts.families[fact.family].finding;
        let control = finding.filter(|of| of.kind == FluentKind::Control).and_then(|of| of.control);
        control.is_some_and(|control| fact.arguments[control.argument.index()] == role)
    };
    let mut facts = checker.facts.list.iter().enumerate().filter(|(_, fact)| says(fact));
    let (fact, _) = facts.next().filter(|_| facts.next().is_none())?;
    let cubes = vec![vec![Literal { leaf: fact as u32, negated: false }]];
    Some(Condition::Pattern { cubes, shape: Shape::Fact })
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
    let examined = among.intersection(&checker.mobility.known);
    let examined_with = examined.intersection(target).count();
    if examined_with >= MIN_STATES && examined.count() - examined_with >= MIN_STATES {
        let agrees = |condition: &Condition| checker.states(condition).agrees(target, &examined);
        for (role, &name) in roles.iter().enumerate() {
            for condition in [Condition::Stuck { role }, Condition::Mobile { role }] {
                if agrees(&condition) {
                    found.push((condition, 1));
                }
            }
            let both = turn(checker, name).map(|turn| Condition::All(vec![turn, Condition::Stuck { role }]));
            found.extend(both.filter(|both| agrees(both)).map(|both| (both, 1)));
        }
    }
    found.extend(matching(checker.measures, target, &among, roles).into_iter().map(|of| (of, 2)));
    for (connection, _) in checker.connections {
        for condition in
            [Condition::Connected(connection.clone()), Condition::Disconnected(connection.clone())]
        {
            if agrees(&condition) {
                found.push((condition, 2));
            }
        }
    }
    found
}
