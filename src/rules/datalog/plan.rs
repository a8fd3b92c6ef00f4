//! Join plans: the order in which the literals of a clause are matched, and the index for each.

use super::program::Clause;
use super::table::Table;
use crate::gdl::rule::{Literal, RelationId};
use crate::gdl::term::{Term, Variable};

/// The rows of a relation that a literal ranges over, by the relation's [`Marks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rows {
    /// All rows before this round.
    All,
    /// The rows before the last round.
    Old,
    /// The rows of the last round.
    New,
}

/// The rounds of a relation in a fixpoint: rows `0..old` are older than the last round, rows `old..now` belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// Rows before the last round.
    pub(super) old: u32,
    /// Rows before this round.
    pub(super) now: u32,
}

/// One step of a plan.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Match a positive literal: look up the key columns, bind the others.
    Match {
        /// The index of the literal in the body.
        literal: usize,
        relation: RelationId,
        rows: Rows,
        /// The index used; `None` searches all rows of the range.
        index: Option<usize>,
        /// The terms of the columns of the index, all bound.
        key: Vec<Term>,
        /// The other columns, with the patterns that they must match or bind.
        rest: Vec<(usize, Term)>,
    },
    /// Check that an atom whose variables are bound is a row.
    Present {
        /// The index of the literal in the body.
        literal: usize,
        relation: RelationId,
        rows: Rows,
        arguments: Box<[Term]>,
    },
    /// Check that an atom is not a row.
    Absent { relation: RelationId, arguments: Box<[Term]> },
    /// Check that two terms differ.
    Distinct(Term, Term),
}

/// The steps of a clause for one choice of rows for each literal.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
}

/// The input of planning.
pub struct Purpose<'a> {
    /// The clause.
    pub clause: &'a Clause,
    /// Its index, under which its plans are stored.
    pub number: usize,
    /// The positive literal that ranges over new rows, if any. Literals before it range over old rows.
    pub new_literal: Option<usize>,
    /// Whether the relation of a literal grows in the fixpoint, so that it has old and new rows.
    pub grows: &'a dyn Fn(RelationId) -> bool,
    /// Whether a negative literal is checked here; the caller handles the others.
    pub checked: &'a dyn Fn(RelationId) -> bool,
}

impl Plan {
    /// Makes a plan for a clause and builds the indexes it needs. Greedily, the literal with the fewest expected matches
    /// comes next, and checks come as soon as their variables are bound. No index finds a literal with a compound term
    /// before all parts of the term are bound, so such a literal comes first if that avoids most of the rows.
    pub(super) fn new(purpose: &Purpose<'_>, tables: &mut [Table]) -> Plan {
        let clause = purpose.clause;
        let mut bound = vec![false; clause.variables];
        let mut pending: Vec<usize> = (0..clause.body.len()).collect();
        let mut steps = Vec::with_capacity(pending.len());
        if let Some(first) = purpose.new_literal {
            pending.retain(|&l| l != first);
            steps.push(match_step(clause, first, purpose, &mut bound, tables));
        }
        let mut early = early_compound(clause, &pending, &bound, tables);
        loop {
            pending.retain(|&index| match check_step(&clause.body[index], &bound, purpose) {
                Check::Ready(step) => {
                    steps.push(step);
                    false
                }
                Check::LeftOut => false,
                Check::No => true,
            });
            let Some(index) = early.take().or_else(|| cheapest(clause, &pending, &bound, tables)) else {
                break;
            };
            pending.retain(|&l| l != index);
            steps.push(match_step(clause, index, purpose, &mut bound, tables));
        }
        Plan { steps }
    }
}

enum Check {
    Ready(Step),
    LeftOut,
    No,
}

fn check_step(literal: &Literal, bound: &[bool], purpose: &Purpose<'_>) -> Check {
    match literal {
        Literal::Positive(_) => Check::No,
        Literal::Negative(atom) if !(purpose.checked)(atom.relation) => Check::LeftOut,
        Literal::Negative(atom) if atom.arguments.iter().all(|term| is_bound(term, bound)) => {
            Check::Ready(Step::Absent { relation: atom.relation, arguments: atom.arguments.clone() })
        }
        Literal::Distinct(a, b) if is_bound(a, bound) && is_bound(b, bound) => {
            Check::Ready(Step::Distinct(a.clone(), b.clone()))
        }
        _ => Check::No,
    }
}

/// The literal with the fewest expected matches; the first of equal ones.
fn cheapest(clause: &Clause, pending: &[usize], bound: &[bool], tables: &[Table]) -> Option<usize> {
    let costs =
        pending.iter().filter_map(|&index| Some((index, expected(&clause.body[index], bound, tables)?)));
    costs.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0))).map(|(index, _)| index)
}

/// A plan that is not greedy must examine fewer rows by this factor.
const FEWER: f64 = 4.0;

/// A literal with a compound term to begin with, if that is much cheaper than the greedy order.
fn early_compound(clause: &Clause, pending: &[usize], bound: &[bool], tables: &[Table]) -> Option<usize> {
    let is_open = |term: &Term| matches!(term, Term::Compound(..)) && !is_bound(term, bound);
    let is_compound = |&&index: &&usize| match &clause.body[index] {
        Literal::Positive(atom) => atom.arguments.iter().any(is_open),
        _ => false,
    };
    let rows = |first: Option<usize>| {
        let (mut pending, mut bound) = (pending.to_vec(), bound.to_vec());
        let (mut matches, mut rows, mut first) = (1.0, 0.0, first);
        while let Some(index) = first.take().or_else(|| cheapest(clause, &pending, &bound, tables)) {
            pending.retain(|&other| other != index);
            let looked_at = expected(&clause.body[index], &bound, tables).unwrap_or(1.0);
            rows += matches * looked_at;
            matches *= looked_at;
            clause.body[index].for_each_variable(&mut |variable| bound[variable.index()] = true);
        }
        rows
    };
    let greedy = rows(None);
    let early = pending.iter().filter(is_compound).map(|&index| (index, rows(Some(index))));
    let best = early.min_by(|a, b| a.1.total_cmp(&b.1))?;
    (best.1 * FEWER < greedy).then_some(best.0)
}

/// Expected number of matches of a positive literal for the bound variables.
fn expected(literal: &Literal, bound: &[bool], tables: &[Table]) -> Option<f64> {
    let Literal::Positive(atom) = literal else { return None };
    let table = &tables[atom.relation.index()];
    let mut matches = f64::from(table.len()).max(0.5);
    for (column, term) in atom.arguments.iter().enumerate() {
        if is_bound(term, bound) {
            matches /= table.distinct(column);
        }
    }
    Some(matches)
}

fn match_step(
    clause: &Clause,
    literal: usize,
    purpose: &Purpose<'_>,
    bound: &mut [bool],
    tables: &mut [Table],
) -> Step {
    let Literal::Positive(atom) = &clause.body[literal] else { unreachable!("only positive literals match") };
    let relation = atom.relation;
    let rows = match purpose.new_literal {
        Some(new) if literal == new => Rows::New,
        Some(new) if literal < new && (purpose.grows)(relation) => Rows::Old,
        _ => Rows::All,
    };
    if rows != Rows::New && atom.arguments.iter().all(|term| is_bound(term, bound)) {
        return Step::Present { literal, relation, rows, arguments: atom.arguments.clone() };
    }
    let mut columns = Vec::new();
    let mut key = Vec::new();
    let mut rest = Vec::new();
    for (column, term) in atom.arguments.iter().enumerate() {
        if rows != Rows::New && is_bound(term, bound) {
            columns.push(column as u8);
            key.push(term.clone());
        } else {
            rest.push((column, term.clone()));
        }
    }
    for (_, term) in &rest {
        term.for_each_variable(&mut |variable: Variable| bound[variable.index()] = true);
    }
    let index = (!columns.is_empty()).then(|| tables[relation.index()].index_on(&columns));
    Step::Match { literal, relation, rows, index, key, rest }
}

/// Whether all variables of a term are bound.
pub fn is_bound(term: &Term, bound: &[bool]) -> bool {
    let mut all = true;
    term.for_each_variable(&mut |variable| all &= bound[variable.index()]);
    all
}
