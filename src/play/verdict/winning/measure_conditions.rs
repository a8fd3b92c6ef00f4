//! Conditions on measures that hold in exactly the states of a set.

use super::condition::Condition;
use super::measure::{Measure, same_but_role};
use super::state_set::StateSet;
use crate::gdl::term::TermId;

/// The conditions on measures that hold in exactly the `target` states among some states. A limit is accepted only if
/// states on both sides of it were seen.
pub(super) fn matching(
    measures: &[(Measure, Vec<i32>)],
    target: &StateSet,
    among: &StateSet,
    roles: &[TermId],
) -> Vec<Condition> {
    let with: Vec<usize> = target.intersection(among).iter().collect();
    let without: Vec<usize> = target.complement().intersection(among).iter().collect();
    let bounds = |states: &[usize], value: &dyn Fn(usize) -> i32| {
        let mut values = states.iter().map(|&state| value(state));
        let first = values.next()?;
        Some(values.fold((first, first), |(least, most), value| (least.min(value), most.max(value))))
    };
    // The value from which on the target holds, if all states agree.
    let least = |value: &dyn Fn(usize) -> i32| {
        let (from, _) = bounds(&with, value)?;
        (bounds(&without, value)?.1 == from - 1).then_some(from)
    };
    let mut found = Vec::new();
    for (measure, values) in measures {
        if let Some(from) = least(&|state| values[state]) {
            found.push(Condition::Range { measure: measure.clone(), least: Some(from), most: None });
        }
        if let Some(from) = least(&|state| -values[state]) {
            found.push(Condition::Range { measure: measure.clone(), least: None, most: Some(-from) });
        }
    }
    for (more, a) in measures {
        for (less, b) in measures.iter().filter(|(less, _)| less.family() == more.family() && less != more) {
            if let Some(by) = least(&|state| a[state] - b[state]) {
                found.push(Condition::Compare { more: more.clone(), less: less.clone(), by });
            }
        }
        // Compared with all other roles.
        let others: Vec<&(Measure, Vec<i32>)> =
            measures.iter().filter(|(other, _)| other != more && same_but_role(other, more, roles)).collect();
        if others.len() > 1 {
            let most = |state: usize| others.iter().map(|(_, values)| values[state]).max().unwrap_or(0);
            if let Some(by) = least(&|state| a[state] - most(state)) {
                let part = |(less, _): &&(Measure, Vec<i32>)| Condition::Compare {
                    more: more.clone(),
                    less: less.clone(),
                    by,
                };
                found.push(Condition::All(others.iter().map(part).collect()));
            }
        }
    }
    found
}
