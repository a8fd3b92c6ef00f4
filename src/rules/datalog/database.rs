//! Facts under evaluation: a table for every relation, how far rounds have come in each, and what joins over
//! them keep from run to run.

use super::join::{CLOCK, Data, Interner, PreparedPlan, Scratch};
use super::limits::{Exceeded, Guard};
use super::plan::{Marks, Plan, Purpose};
use super::table::Table;
use crate::gdl::rule::RelationId;
use crate::gdl::term::TermId;

/// Which plans of a clause are kept when the sizes of its tables change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlansKept {
    /// The latest for every literal that ranges over new rows: right where tables only grow.
    Latest,
    /// Up to `PLANS` of a clause, for when their sizes come again: right where tables are emptied and filled anew.
    Recurring,
}

/// Plans kept of one clause at most.
const PLANS: usize = 32;

/// A plan of a clause, for the literal that ranges over new rows and a measure of the tables' sizes.
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
    /// Rows that joins looked at and no guard was told of.
    untold: u64,
}

impl Database {
    /// These tables, all complete.
    pub fn new(tables: Vec<Table>, kept: PlansKept) -> Database {
        let marks = tables.iter().map(|table| Marks { old: table.len(), now: table.len() }).collect();
        Database { tables, marks, kept, plans: Vec::new(), scratch: Scratch::default(), untold: 0 }
    }

    /// The facts of a relation.
    pub fn table(&self, relation: RelationId) -> &Table {
        &self.tables[relation.index()]
    }

    /// The tables alone.
    pub fn into_tables(self) -> Vec<Table> {
        self.tables
    }

    /// Adds a fact unless it is there; gives its row and whether it is new.
    pub fn insert(&mut self, relation: RelationId, row: &[TermId]) -> (u32, bool) {
        self.tables[relation.index()].insert(row)
    }

    /// Removes all facts of a relation.
    pub fn clear(&mut self, relation: RelationId) {
        self.tables[relation.index()].clear();
    }

    /// Puts a table of facts, all there are, in the place of a relation's.
    pub fn replace(&mut self, relation: RelationId, table: Table) {
        self.tables[relation.index()] = table;
        self.seal(relation);
    }

    /// Says that a relation is complete: all its rows are there.
    pub fn seal(&mut self, relation: RelationId) {
        let rows = self.table(relation).len();
        self.marks[relation.index()] = Marks { old: rows, now: rows };
    }

    /// Begins the rounds of a relation: all its rows so far are of the first.
    pub(super) fn begin(&mut self, relation: RelationId) {
        self.marks[relation.index()] = Marks { old: 0, now: self.table(relation).len() };
    }

    /// Goes on to the next round of a relation; says whether the last one added rows.
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

    /// Bytes that the tables hold, roughly.
    pub fn bytes(&self) -> usize {
        self.tables.iter().map(Table::bytes).sum()
    }

    /// Runs a clause over the tables: calls `found` with the variables' values and the row of
    /// every positive literal (by its position in the body), for every way to satisfy the body. `found` says whether
    /// to go on. Gives the number of rows looked at.
    ///
    /// # Errors
    /// The guard's time is over.
    pub fn join<I: Interner>(
        &mut self,
        purpose: &Purpose<'_>,
        terms: &mut I,
        guard: &Guard,
        found: impl FnMut(&[TermId], &[u32], &mut I) -> bool,
    ) -> Result<u64, Exceeded> {
        let place = self.planned(purpose);
        let prepared = &self.plans[purpose.number][place].prepared;
        let mut data = Data { tables: &self.tables, marks: &self.marks, terms };
        let (work, more) = prepared.run(&mut data, &mut self.scratch, guard, found)?;
        // Most joins are too small to be told of each.
        self.untold += more;
        if self.untold >= CLOCK {
            guard.look(std::mem::take(&mut self.untold))?;
        }
        Ok(work)
    }

    /// Forgets the rows that no guard was told of yet.
    pub fn forget_untold(&mut self) {
        self.untold = 0;
    }

    /// Where the plan for a clause is that suits the tables' sizes; it is made if it is not there.
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

/// A coarse measure of table sizes: another plan is used when it changes.
fn magnitude(sizes: impl Iterator<Item = u32>) -> u32 {
    sizes.fold(0u32, |code, rows| code.wrapping_mul(31).wrapping_add((u32::BITS - rows.leading_zeros()) / 2))
}
