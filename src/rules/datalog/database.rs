//! The facts of an evaluation: a table and the marks of the current round for each relation, and the join plans that are
//! reused.

use super::join::{CLOCK, Data, Interner, PreparedPlan, Scratch};
use super::limits::{Exceeded, Guard};
use super::plan::{Marks, Plan, Purpose};
use super::table::Table;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

/// Which plans of a clause are kept when the sizes of its tables change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlansKept {
    /// Only the latest plan for each literal that ranges over new rows. Suits tables that only grow.
    Latest,
    /// Up to `PLANS` plans of a clause, because their table sizes recur. Suits tables that are cleared and filled again.
    Recurring,
}

/// Maximum number of plans kept for one clause.
const PLANS: usize = 32;

/// A plan of a clause, with the literal that ranges over new rows and a measure of the table sizes.
struct Planned {
    new_literal: Option<usize>,
    size: u32,
    prepared: PreparedPlan,
}

/// The tables of a program's relations.
pub struct Database {
    tables: Vec<Table>,
    marks: Vec<Marks>,
    kept: PlansKept,
    /// For each clause its plans so far.
    plans: Vec<Vec<Planned>>,
    scratch: Scratch,
    /// Rows examined by joins and not yet counted by a guard.
    uncounted: u64,
}

impl Database {
    /// A database of complete tables.
    pub fn new(tables: Vec<Table>, kept: PlansKept) -> Database {
        let marks = tables.iter().map(|table| Marks { old: table.len(), now: table.len() }).collect();
        Database { tables, marks, kept, plans: Vec::new(), scratch: Scratch::default(), uncounted: 0 }
    }

    /// The facts of a relation.
    pub fn table(&self, relation: RelationId) -> &Table {
        &self.tables[relation.index()]
    }

    /// Returns the tables and drops the rest.
    pub fn into_tables(self) -> Vec<Table> {
        self.tables
    }

    /// Adds a fact if it is new. Returns its row and whether it is new.
    pub fn insert(&mut self, relation: RelationId, row: &[TermId]) -> (u32, bool) {
        self.tables[relation.index()].insert(row)
    }

    /// Removes all facts of a relation.
    pub fn clear(&mut self, relation: RelationId) {
        self.tables[relation.index()].clear();
    }

    /// Replaces the table of a relation by a complete one.
    pub fn replace(&mut self, relation: RelationId, table: Table) {
        self.tables[relation.index()] = table;
        self.seal(relation);
    }

    /// Marks a relation as complete.
    pub fn seal(&mut self, relation: RelationId) {
        let rows = self.table(relation).len();
        self.marks[relation.index()] = Marks { old: rows, now: rows };
    }

    /// Starts the rounds of a relation: all its rows so far belong to the first round.
    pub(super) fn begin(&mut self, relation: RelationId) {
        self.marks[relation.index()] = Marks { old: 0, now: self.table(relation).len() };
    }

    /// Starts the next round of a relation. Returns whether the last round added rows.
    pub(super) fn advance(&mut self, relation: RelationId) -> bool {
        let now = self.table(relation).len();
        let marks = &mut self.marks[relation.index()];
        *marks = Marks { old: marks.now, now };
        self.has_new(relation)
    }

    /// Whether the last round added rows to a relation.
    pub(super) fn has_new(&self, relation: RelationId) -> bool {
        let marks = self.marks[relation.index()];
        marks.old < marks.now
    }

    /// Number of rows in all tables.
    pub fn rows(&self) -> usize {
        self.tables.iter().map(|table| table.len() as usize).sum()
    }

    /// Approximate memory of the tables in bytes.
    pub fn bytes(&self) -> usize {
        self.tables.iter().map(Table::bytes).sum()
    }

    /// Runs a clause over the tables. For each way to satisfy the body it calls `found` with the values of the variables and
    /// the row of each positive literal (by its index in the body). The join stops when `found` returns false. Returns the
    /// number of rows examined.
    ///
    /// # Errors
    /// The time limit of the guard has passed.
    pub fn join<I: Interner>(
        &mut self,
        purpose: &Purpose<'_>,
        terms: &mut I,
        guard: &Guard,
        found: impl FnMut(&[TermId], &[u32], &mut I) -> bool,
    ) -> Result<u64, Exceeded> {
        let index = self.planned(purpose);
        let prepared = &self.plans[purpose.number][index].prepared;
        let mut data = Data { tables: &self.tables, marks: &self.marks, terms };
        let (work, more) = prepared.run(&mut data, &mut self.scratch, guard, found)?;
        // Most joins are too small for a call of the guard.
        self.uncounted += more;
        if self.uncounted >= CLOCK {
            guard.count(std::mem::take(&mut self.uncounted))?;
        }
        Ok(work)
    }

    /// Discards the count of rows that no guard has counted yet.
    pub fn discard_uncounted(&mut self) {
        self.uncounted = 0;
    }

    /// The index of a plan for a clause that suits the table sizes, made if necessary.
    fn planned(&mut self, purpose: &Purpose<'_>) -> usize {
        let &Purpose { number, clause, .. } = purpose;
        let size = magnitude(clause.atoms().map(|atom| self.tables[atom.relation.index()].len()));
        if self.plans.len() <= number {
            self.plans.resize_with(number + 1, Vec::new);
        }
        let plans = &mut self.plans[number];
        let new_literal = purpose.new_literal;
        let known = plans.iter().position(|plan| (plan.new_literal, plan.size) == (new_literal, size));
        known.unwrap_or_else(|| {
            let plan = Plan::new(purpose, &mut self.tables);
            let prepared = PreparedPlan::new(plan, clause.variables, clause.body.len());
            match self.kept {
                PlansKept::Latest => plans.retain(|plan| plan.new_literal != new_literal),
                PlansKept::Recurring if plans.len() == PLANS => plans.clear(),
                PlansKept::Recurring => {}
            }
            plans.push(Planned { new_literal, size, prepared });
            plans.len() - 1
        })
    }
}

/// A coarse measure of table sizes. If it changes, another plan is used.
fn magnitude(sizes: impl Iterator<Item = u32>) -> u32 {
    sizes.fold(0u32, |code, rows| code.wrapping_mul(31).wrapping_add((u32::BITS - rows.leading_zeros()) / 2))
}
