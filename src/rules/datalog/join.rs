//! Executes join plans by backtracking, without recursion.

use super::limits::{Exceeded, Guard};
use super::plan::{Marks, Plan, Rows, Step};
use super::table::{NO_ROW, Table};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId, Terms};

/// A table of ground terms that a join can read and extend.
pub trait Interner {
    /// Interns the term `functor(arguments...)`.
    fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId;
    /// The outermost symbol of a term.
    fn functor(&self, term: TermId) -> Symbol;
    /// The arguments of a term.
    fn arguments(&self, term: TermId) -> &[TermId];
    /// Number of symbols of a term, see [`Terms::size`].
    fn size(&self, term: TermId) -> u32;
}

impl Interner for Terms {
    fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId {
        Terms::intern(self, functor, arguments)
    }
    fn functor(&self, term: TermId) -> Symbol {
        Terms::functor(self, term)
    }
    fn arguments(&self, term: TermId) -> &[TermId] {
        Terms::arguments(self, term)
    }
    fn size(&self, term: TermId) -> u32 {
        Terms::size(self, term)
    }
}

/// The data of a join.
pub(super) struct Data<'a, I> {
    /// The table of each relation.
    pub(super) tables: &'a [Table],
    /// The marks of the current round of each relation.
    pub(super) marks: &'a [Marks],
    /// The ground terms.
    pub(super) terms: &'a mut I,
}

/// Buffers that joins reuse.
#[derive(Default)]
pub(super) struct Scratch {
    bindings: Vec<TermId>,
    cursors: Vec<u32>,
    rows: Vec<u32>,
    key: Vec<TermId>,
}

/// The value of a term for given bindings.
pub fn build(term: &Term, bindings: &[TermId], terms: &mut impl Interner) -> TermId {
    match term {
        Term::Variable(variable) => bindings[variable.index()],
        Term::Ground(id) => *id,
        Term::Compound(functor, arguments) => {
            let values: Vec<TermId> =
                arguments.iter().map(|argument| build(argument, bindings, terms)).collect();
            terms.intern(*functor, &values)
        }
    }
}

/// Rows between two checks of the clock.
pub(super) const CLOCK: u64 = 1 << 16;

/// Marks a variable without a value.
const UNBOUND: TermId = TermId(u32::MAX);

/// Matches a pattern against a ground term, and binds variables without a value.
fn unify(pattern: &Term, value: TermId, bindings: &mut [TermId], terms: &impl Interner) -> bool {
    match pattern {
        Term::Variable(variable) => {
            let slot = &mut bindings[variable.index()];
            if *slot == UNBOUND {
                *slot = value;
            }
            *slot == value
        }
        Term::Ground(id) => *id == value,
        Term::Compound(functor, arguments) => {
            terms.functor(value) == *functor
                && terms.arguments(value).len() == arguments.len()
                && arguments.iter().enumerate().all(|(index, argument)| {
                    let inner = terms.arguments(value)[index];
                    unify(argument, inner, bindings, terms)
                })
        }
    }
}

fn unbind(rest: &[(usize, Term)], fresh: &[bool], bindings: &mut [TermId]) {
    for (_, term) in rest {
        term.for_each_variable(&mut |variable| {
            if fresh[variable.index()] {
                bindings[variable.index()] = UNBOUND;
            }
        });
    }
}

/// A plan with the variables that each step binds.
#[derive(Clone, Debug)]
pub(super) struct PreparedPlan {
    plan: Plan,
    /// For each step and variable, whether the step binds it.
    fresh: Vec<Vec<bool>>,
    variables: usize,
    literals: usize,
}

impl PreparedPlan {
    /// Prepares a plan of a clause with these numbers of variables and body literals.
    pub(super) fn new(plan: Plan, variables: usize, literals: usize) -> PreparedPlan {
        let mut seen = vec![false; variables];
        let fresh = plan
            .steps
            .iter()
            .map(|step| {
                let mut first = vec![false; variables];
                if let Step::Match { rest, .. } = step {
                    for (_, term) in rest {
                        term.for_each_variable(&mut |variable| {
                            first[variable.index()] = !seen[variable.index()];
                        });
                    }
                    first.iter().zip(&mut seen).for_each(|(&f, s)| *s |= f);
                }
                first
            })
            .collect();
        PreparedPlan { plan, fresh, variables, literals }
    }

    /// Calls `on_match` for each way to satisfy the plan, with the values of the variables and the row of each positive literal
    /// (by its index in the body). Stops when `on_match` returns false. Returns the number of rows examined, and how many of
    /// these the guard has not counted.
    ///
    /// # Errors
    /// The time limit or the row limit of the guard has passed.
    pub(super) fn run<I: Interner>(
        &self,
        data: &mut Data<'_, I>,
        scratch: &mut Scratch,
        guard: &Guard,
        mut on_match: impl FnMut(&[TermId], &[u32], &mut I) -> bool,
    ) -> Result<(u64, u64), Exceeded> {
        let Scratch { bindings, cursors, rows, key } = scratch;
        bindings.clear();
        bindings.resize(self.variables, UNBOUND);
        cursors.clear();
        cursors.resize(self.plan.steps.len(), NO_ROW);
        rows.clear();
        rows.resize(self.literals, NO_ROW);
        let steps = &self.plan.steps;
        let mut depth = 0;
        let mut entering = true;
        let (mut work, mut counted) = (0, 0);
        loop {
            if depth == steps.len() {
                if !on_match(bindings, rows, data.terms) || steps.is_empty() {
                    return Ok((work, work - counted));
                }
                depth -= 1;
                entering = false;
            }
            work += 1;
            if work >= counted + CLOCK {
                guard.count(work - counted)?;
                guard.time()?;
                counted = work;
            }
            let advanced = match &self.plan.steps[depth] {
                Step::Match { literal, relation, rows: range, index, rest, key: terms } => {
                    let (table, marks) = (&data.tables[relation.index()], data.marks[relation.index()]);
                    if entering {
                        cursors[depth] = match index {
                            None if matches!(range, Rows::New) => marks.old,
                            None => 0,
                            Some(index) => {
                                build_key(terms, bindings, key, data.terms);
                                table.newest(*index, key)
                            }
                        };
                    }
                    let matching = Matching {
                        table,
                        index: *index,
                        end: end(*range, marks),
                        rest,
                        fresh: &self.fresh[depth],
                    };
                    let matched = matching.next(&mut cursors[depth], bindings, data.terms, &mut work);
                    if let Some(row) = matched {
                        rows[*literal] = row;
                    }
                    matched.is_some()
                }
                _ if !entering => false,
                Step::Present { literal, relation, rows: range, arguments } => {
                    build_key(arguments, bindings, key, data.terms);
                    let row = data.tables[relation.index()].find(key);
                    rows[*literal] = row.unwrap_or(NO_ROW);
                    row.is_some_and(|row| row < end(*range, data.marks[relation.index()]))
                }
                Step::Absent { relation, arguments } => {
                    build_key(arguments, bindings, key, data.terms);
                    data.tables[relation.index()].find(key).is_none()
                }
                Step::Distinct(a, b) => build(a, bindings, data.terms) != build(b, bindings, data.terms),
            };
            if advanced {
                depth += 1;
                entering = true;
            } else {
                if depth == 0 {
                    return Ok((work, work - counted));
                }
                depth -= 1;
                entering = false;
            }
        }
    }
}

/// The values of terms for given bindings, as a key of a table.
#[inline]
fn build_key(terms: &[Term], bindings: &[TermId], key: &mut Vec<TermId>, interner: &mut impl Interner) {
    key.clear();
    for term in terms {
        key.push(build(term, bindings, interner));
    }
}

/// The rows that a step searches for a match.
struct Matching<'a> {
    table: &'a Table,
    /// The index used; `None` searches all rows.
    index: Option<usize>,
    /// One past the last row of the range.
    end: u32,
    /// The columns that the index does not compare, with their patterns.
    rest: &'a [(usize, Term)],
    /// The variables that the patterns bind.
    fresh: &'a [bool],
}

impl Matching<'_> {
    /// Finds the next matching row from the cursor on, binds its values, and moves the cursor after it.
    #[inline]
    fn next(
        &self,
        cursor: &mut u32,
        bindings: &mut [TermId],
        terms: &impl Interner,
        work: &mut u64,
    ) -> Option<u32> {
        let mut row = *cursor;
        unbind(self.rest, self.fresh, bindings);
        while row != NO_ROW {
            if self.index.is_none() && row >= self.end {
                break;
            }
            let next = match self.index {
                Some(index) => self.table.older(index, row),
                None => row + 1,
            };
            if row < self.end {
                *work += 1;
                let values = self.table.row(row);
                if self.rest.iter().all(|(column, term)| unify(term, values[*column], bindings, terms)) {
                    *cursor = next;
                    return Some(row);
                }
                unbind(self.rest, self.fresh, bindings);
            }
            row = next;
        }
        None
    }
}

/// One past the last row that a step searches.
fn end(range: Rows, marks: Marks) -> u32 {
    match range {
        Rows::Old => marks.old,
        Rows::All | Rows::New => marks.now,
    }
}
