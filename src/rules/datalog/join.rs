//! Running a join plan: every way to satisfy the steps, by backtracking without recursion.

use super::limits::{Exceeded, Guard};
use super::plan::{Marks, Plan, Rows, Step};
use super::table::{NO_ROW, Table};
use crate::gdl::symbol::Symbol;
use crate::gdl::term::{Term, TermId, Terms};

/// A table of ground terms that a join can read and add to.
pub trait Interner {
    /// The term `functor(arguments...)`, made if it is new.
    fn intern(&mut self, functor: Symbol, arguments: &[TermId]) -> TermId;
    /// The outermost symbol.
    fn functor(&self, term: TermId) -> Symbol;
    /// The arguments.
    fn arguments(&self, term: TermId) -> &[TermId];
    /// Number of symbols, see [`Terms::size`].
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

/// What a join works on.
pub(super) struct Data<'a, I> {
    /// One table a relation.
    pub(super) tables: &'a [Table],
    /// Where the rounds stand in each.
    pub(super) marks: &'a [Marks],
    /// The ground terms.
    pub(super) terms: &'a mut I,
}

/// Buffers of a join, kept from run to run.
#[derive(Default)]
pub(super) struct Scratch {
    bindings: Vec<TermId>,
    cursors: Vec<u32>,
    rows: Vec<u32>,
    key: Vec<TermId>,
}

/// The value of a term under bindings.
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

/// The clock is looked at once in so many rows.
pub(super) const CLOCK: u64 = 1 << 16;

/// A variable that has no value yet.
const UNBOUND: TermId = TermId(u32::MAX);

/// Matches a pattern against a ground term, binding variables that have no value yet.
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

/// A plan made ready to run: which variables each step is the first to bind.
#[derive(Clone, Debug)]
pub(super) struct PreparedPlan {
    plan: Plan,
    fresh: Vec<Vec<bool>>,
    variables: usize,
    literals: usize,
}

impl PreparedPlan {
    /// Prepares a plan of a clause with so many variables and body literals.
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

    /// Calls `found` with the variables' values and the row number of every positive literal (by its position
    /// in the body), for every way to satisfy the plan. `found` says whether to continue. Returns the number of
    /// rows looked at, and of those among them that the guard was not told of.
    ///
    /// # Errors
    /// The guard's time is over, or its rows.
    pub(super) fn run<I: Interner>(
        &self,
        data: &mut Data<'_, I>,
        scratch: &mut Scratch,
        guard: &Guard,
        mut found: impl FnMut(&[TermId], &[u32], &mut I) -> bool,
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
                if !found(bindings, rows, data.terms) || steps.is_empty() {
                    return Ok((work, work - counted));
                }
                depth -= 1;
                entering = false;
            }
            work += 1;
            if work >= counted + CLOCK {
                guard.look(work - counted)?;
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

/// The values of terms under bindings, as a key of a table.
#[inline]
fn build_key(terms: &[Term], bindings: &[TermId], key: &mut Vec<TermId>, interner: &mut impl Interner) {
    key.clear();
    for term in terms {
        key.push(build(term, bindings, interner));
    }
}

/// The rows among which a step looks for a match.
struct Matching<'a> {
    table: &'a Table,
    /// The index by which the rows were found; all rows otherwise.
    index: Option<usize>,
    /// The first row that does not count.
    end: u32,
    /// The columns that the index does not compare, with their patterns.
    rest: &'a [(usize, Term)],
    /// The variables that the patterns are the first to bind.
    fresh: &'a [bool],
}

impl Matching<'_> {
    /// The next row from the cursor on that fits; its values are bound, and the cursor stands behind it.
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

/// The first row that a step does not look at.
fn end(range: Rows, marks: Marks) -> u32 {
    match range {
        Rows::Old => marks.old,
        Rows::All | Rows::New => marks.now,
    }
}
