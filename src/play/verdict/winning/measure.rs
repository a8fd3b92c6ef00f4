//! Numbers of a state: how often a content is on a board, and the value of a quantity.

use super::facts::FactTable;
use super::states::{ENOUGH, StateTable};
use crate::gdl::term::TermId;
use crate::structure::finding::FluentKind;

/// The most measures of a game, and contents of a board.
const MAX_MEASURES: usize = 36;
const MAX_CONTENTS: usize = 14;

/// A number of a state.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Measure {
    /// The number of facts of a family with these contents; none means any content.
    Count { family: usize, content: Vec<Option<TermId>> },
    /// The position of a value in its order; `key` has the arguments of the fact without the value.
    Value { family: usize, key: Vec<TermId> },
}

impl Measure {
    /// The family of its facts.
    pub(super) fn family(&self) -> usize {
        match self {
            Measure::Count { family, .. } | Measure::Value { family, .. } => *family,
        }
    }
}

/// The measures of a game with their values in the states of a table.
pub(super) fn measures(
    table: &StateTable<'_>,
    facts: &FactTable<'_>,
    roles: &[TermId],
) -> Vec<(Measure, Vec<i32>)> {
    let mut all: Vec<(Measure, Vec<i32>)> = Vec::new();
    for family in 0..facts.families.len() {
        all.extend(match facts.families[family].value {
            Some((argument, order)) => values(table, facts, family, argument, order),
            None => counts(table, facts, family, roles),
        });
        all.truncate(MAX_MEASURES);
    }
    all
}

fn values(
    table: &StateTable<'_>,
    facts: &FactTable<'_>,
    family: usize,
    argument: usize,
    order: &[TermId],
) -> Vec<(Measure, Vec<i32>)> {
    let mut all: Vec<(Measure, Vec<i32>)> = Vec::new();
    for (number, fact) in facts.list.iter().enumerate().filter(|(_, fact)| fact.family == family) {
        let Some(value) = order.iter().position(|&term| term == fact.arguments[argument]) else { continue };
        let mut key = fact.arguments.clone();
        key.remove(argument);
        let measure = Measure::Value { family, key };
        let place = all.iter().position(|(known, _)| *known == measure).unwrap_or_else(|| {
            all.push((measure, vec![-1; table.len()]));
            all.len() - 1
        });
        if all.len() > MAX_MEASURES {
            break;
        }
        table.holds(number).iter().for_each(|state| all[place].1[state] = value as i32);
    }
    // Constructed states can lack a value.
    all.retain(|(_, values)| table.reached.iter().all(|state| values[state] >= 0));
    all
}

fn counts(
    table: &StateTable<'_>,
    facts: &FactTable<'_>,
    family: usize,
    roles: &[TermId],
) -> Vec<(Measure, Vec<i32>)> {
    let of = &facts.families[family];
    if matches!(of.kind(), FluentKind::Control | FluentKind::Flag | FluentKind::Counter)
        || of.place.is_empty()
    {
        return Vec::new();
    }
    let mut all: Vec<(Measure, Vec<i32>)> = Vec::new();
    for (number, fact) in facts.list.iter().enumerate().filter(|(_, fact)| fact.family == family) {
        let content: Vec<Option<TermId>> =
            of.content.iter().map(|&argument| Some(fact.arguments[argument])).collect();
        let role = |term: Option<TermId>| term.filter(|term| roles.contains(term));
        let owner: Vec<Option<TermId>> = content.iter().map(|&term| role(term)).collect();
        let owned = owner.iter().any(Option::is_some) && owner != content;
        for content in [Some(content), Some(owner).filter(|_| owned)].into_iter().flatten() {
            let measure = Measure::Count { family, content };
            let place = all.iter().position(|(known, _)| *known == measure).or_else(|| {
                (all.len() < MAX_CONTENTS).then(|| {
                    all.push((measure, vec![0; table.len()]));
                    all.len() - 1
                })
            });
            let Some(place) = place else { return Vec::new() };
            table.holds(number).iter().for_each(|state| all[place].1[state] += 1);
        }
    }
    all
}

/// The fewest goal values that count as points.
const POINTS: usize = 4;

/// At most one in this many ends may have the best value.
const SELDOM: usize = 20;

/// The measure with which the goal value of a role grows: at all sampled ends it determines the goal value, and a greater one
/// means a greater goal value. None if many games end with the best goal value, which says more.
pub(super) fn points<'e>(
    table: &StateTable<'_>,
    measures: &'e [(Measure, Vec<i32>)],
    role: usize,
) -> Option<&'e Measure> {
    let ends: Vec<(usize, i32)> = (table.reached.intersection(&table.terminal).iter())
        .filter_map(|state| Some((state, table.goals[role][state]?)))
        .collect();
    let grows = |values: &[i32]| {
        let mut pairs: Vec<(i32, i32)> = ends.iter().map(|&(state, goal)| (values[state], goal)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.len() >= POINTS && pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1)
    };
    let best = table.best[role].intersection(&table.reached).count();
    let seldom = ends.len() >= ENOUGH && best * SELDOM < ends.len();
    measures.iter().filter(|_| seldom).find(|(_, values)| grows(values)).map(|(measure, _)| measure)
}

/// Whether two measures differ only in the role that they name.
pub(super) fn same_but_role(a: &Measure, b: &Measure, roles: &[TermId]) -> bool {
    let same = |a: &[Option<TermId>], b: &[Option<TermId>]| {
        let differ: Vec<_> = a.iter().zip(b).filter(|(a, b)| a != b).collect();
        let role = |term: Option<TermId>| term.is_some_and(|term| roles.contains(&term));
        a.len() == b.len() && !differ.is_empty() && differ.iter().all(|(a, b)| role(**a) && role(**b))
    };
    match (a, b) {
        (Measure::Count { family, content }, Measure::Count { family: other, content: than }) => {
            family == other && same(content, than)
        }
        (Measure::Value { family, key }, Measure::Value { family: other, key: than }) => {
            let some = |key: &[TermId]| -> Vec<Option<TermId>> { key.iter().copied().map(Some).collect() };
            family == other && same(&some(key), &some(than))
        }
        _ => false,
    }
}
