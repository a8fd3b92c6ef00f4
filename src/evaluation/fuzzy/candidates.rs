//! The tables that unrolling starts from: static facts, and the fluents that can hold.

use crate::datalog::{Exceeded, Table};
use crate::gdl::domain::Domains;
use crate::gdl::rule::{RelationId, RelationKind};
use crate::gdl::term::{TermId, Terms};
use crate::ground::program::GameProgram;
use crate::ground::{Limits, StaticFacts, prepare};
use crate::machine::{FluentId, Machine};

use super::kif::ground;
use super::limits::UnrollLimits;

/// Tables of a description's relations.
pub(super) struct Candidates {
    /// The program, with static relations marked.
    pub(super) program: GameProgram,
    /// The static facts.
    pub(super) statics: StaticFacts,
    /// The ground terms.
    pub(super) terms: Terms,
    /// One table a relation of the description.
    pub(super) tables: Vec<Table>,
    /// Whether a relation's rows are not known: a static one that is too large to write out, or a fluent with more
    /// instances than the budget allows.
    pub(super) unknown: Vec<bool>,
}

/// Gathers them. On a network the fluents are those that can be reached; else the product of their argument
/// domains, which holds them.
pub(super) fn candidates(machine: &dyn Machine, limits: &UnrollLimits) -> Result<Candidates, Exceeded> {
    let description = machine.description();
    let generous =
        Limits { seconds: f64::INFINITY, interrupt: limits.interrupt.clone(), ..Limits::default() };
    let (program, statics) = prepare(description, &generous)?;
    let mut terms = statics.terms.clone();
    let count = description.relations.len();
    let mut tables = Vec::with_capacity(count);
    let mut unknown = vec![false; count];
    for (index, unknown) in unknown.iter_mut().enumerate() {
        let relation = RelationId(index as u32);
        let derived = program.rules.clauses.iter().any(|clause| clause.head.relation == relation);
        let has_rules = !description.rules_of[index].is_empty();
        let kind = description.relations[index].kind;
        if program.is_static(relation) && kind != RelationKind::Next {
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
        return Ok(Candidates { program, statics, terms, tables, unknown });
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
    Ok(Candidates { program, statics, terms, tables, unknown })
}
