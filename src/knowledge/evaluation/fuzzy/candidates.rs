//! The tables from which unrolling starts: static facts, and the fluents that can hold.

use crate::datalog::Table;
use crate::gdl::domain::Domains;
use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::term::{TermId, Terms};
use crate::machine::{FluentId, Machine};

use super::kif::ground;
use super::limits::UnrollLimits;

/// Tables of a description's relations.
pub(super) struct Candidates {
    /// The ground terms.
    pub(super) terms: Terms,
    /// One table for each relation of the description.
    pub(super) tables: Vec<Table>,
    /// Whether the rows of a relation are unknown: the relation is static and too large to list, or a fluent with more
    /// instances than the budget allows.
    pub(super) unknown: Vec<bool>,
}

/// The candidates of a game. With a network, fluents are those that it can reach; without one, all combinations of
/// their arguments' values.
pub(super) fn candidates(machine: &dyn Machine, limits: &UnrollLimits) -> Candidates {
    let description = machine.description();
    let (program, statics) = (&machine.rules().program, &machine.rules().statics);
    let mut terms = statics.terms.clone();
    let count = description.relations.len();
    let mut tables = Vec::with_capacity(count);
    let mut unknown = vec![false; count];
    for (index, unknown) in unknown.iter_mut().enumerate() {
        let relation = RelationId(index as u32);
        let derived = program.rules.clauses.iter().any(|clause| clause.head.relation == relation);
        let has_rules = !description.rules_of[index].is_empty();
        // `next`, `goal` and `terminal` are unrolled from their rules, even if they are static.
        let is_unrolled = matches!(
            description.relations[index].kind,
            RelationKind::Next | RelationKind::Goal | RelationKind::Terminal
        );
        if program.is_static(relation) && !is_unrolled {
            *unknown = has_rules && !derived;
            tables.push(statics.table(relation).clone());
        } else {
            tables.push(Table::new(description.relations[index].arity));
        }
    }
    let varying = |relation: RelationId| !program.is_static(relation);
    if let Some(network) = machine.network() {
        for number in 0..network.fluents.len() as u32 {
            let (functor, arguments) = machine.fluent(FluentId(number));
            let Some(relation) = description.relation(RelationKind::True, functor, arguments.len()) else {
                continue;
            };
            if !varying(relation) {
                continue;
            }
            let symbols = &description.symbols;
            let row: Option<Vec<TermId>> =
                arguments.iter().map(|&term| ground(&machine.term_text(term), symbols, &mut terms)).collect();
            match row {
                Some(row) => drop(tables[relation.index()].insert(&row)),
                None => unknown[relation.index()] = true,
            }
        }
        return Candidates { terms, tables, unknown };
    }
    let domains = Domains::of(description);
    for (relation, of) in description.relation_ids() {
        if of.kind != RelationKind::True || !varying(relation) {
            continue;
        }
        let columns: Vec<_> = (0..of.arity).map(|argument| domains.argument(relation, argument)).collect();
        let size = columns.iter().try_fold(1_usize, |size, column| {
            column.functors.is_empty().then(|| size.saturating_mul(column.terms.len()))
        });
        if size.is_none_or(|size| size > limits.fluents) {
            unknown[relation.index()] = true;
            continue;
        }
        let mut row = vec![0; of.arity];
        if columns.iter().any(|column| column.terms.is_empty()) {
            continue;
        }
        loop {
            let values: Vec<TermId> =
                row.iter().zip(&columns).map(|(&at, column)| column.terms[at]).collect();
            tables[relation.index()].insert(&values);
            let Some(column) = (0..of.arity).rev().find(|&c| row[c] + 1 < columns[c].terms.len()) else {
                break;
            };
            row[column] += 1;
            row[column + 1..].fill(0);
        }
    }
    Candidates { terms, tables, unknown }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::evaluator::Evaluator;
    use super::super::unroll::unroll;
    use super::*;
    use crate::evaluation::fuzzy::FuzzyParameters;
    use crate::gdl::{Source, read};
    use crate::ground::{EVALUATIONS, EvaluatedRules, Limits};
    use crate::machine::{Backend, load, load_evaluated};
    use crate::simulate::Budget;
    use crate::structure::detect;

    #[test]
    fn static_rules_are_evaluated_once_for_each_load() {
        let description = || {
            let source = Source::load("../../games/connect_four.kif").expect("the game is there");
            read(&source).description.expect("the game is whole")
        };
        let evaluations = || EVALUATIONS.with(|count| count.replace(0));
        evaluations();
        for backend in [Backend::Auto, Backend::Network, Backend::Lanes, Backend::Relational] {
            let loaded = load(description(), backend, &Limits::default()).expect("the game is small");
            assert_eq!(evaluations(), 1, "{backend:?}");
            assert!(Arc::ptr_eq(&loaded.statics, &loaded.machine.rules().statics));
        }
        // Two machines of one game, each with a function of unrolled conditions and one of lifted conditions.
        let rules = EvaluatedRules::new(Arc::new(description()), &Limits::default()).expect("small");
        for backend in [Backend::Relational, Backend::Network] {
            let loaded = load_evaluated(&rules, backend, &Limits::default()).expect("small");
            let machine = &*loaded.machine;
            let budget = Budget { playouts: 5, ..Budget::default() };
            let found = detect(machine, &loaded.statics, &budget, &Default::default());
            let structures = found.expect("the game can be played").0;
            for limits in [UnrollLimits::default(), UnrollLimits { mentions: 1, ..UnrollLimits::default() }] {
                let parameters = FuzzyParameters::default();
                let conditions = unroll(machine, &structures, 0, &|_| true, &parameters, &limits)
                    .expect("nothing interrupts it");
                assert_eq!(conditions.lifted.is_empty(), limits.mentions > 1, "the rules decide in one case");
                let made = Evaluator::new(machine, &conditions.formula, &[conditions.terminal], parameters);
                assert!(made.is_ok());
            }
        }
        assert_eq!(evaluations(), 1);
    }
}
