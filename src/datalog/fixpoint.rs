//! Exact evaluation of rules, bottom-up: strata in order, each by semi-naive iteration.

use super::component::Component;
use super::join::{Data, Interner, Prepared, Scratch, build};
use super::limits::{Exceeded, Guard};
use super::plan::{Marks, Plan, Purpose};
use super::program::Program;
use super::table::Table;
use crate::gdl::rule::{Literal, RelationId};
use crate::gdl::term::TermId;

/// A plan of a clause, for the literal that ranges over new rows and a measure of the tables' sizes. Sizes come
/// and go in play, so a plan is kept for when its own come again.
struct Planned {
    new_literal: Option<usize>,
    size: u32,
    prepared: Prepared,
}

/// Plans kept of one clause at most.
const PLANS: usize = 32;

/// Tables under evaluation.
pub struct Engine<I> {
    /// One table a relation.
    pub(crate) tables: Vec<Table>,
    /// Where the rounds stand in each.
    pub(crate) marks: Vec<Marks>,
    /// The ground terms.
    pub(crate) terms: I,
    /// Rows looked at so far.
    pub(crate) work: u64,
    /// For each clause its plans so far.
    plans: Vec<Vec<Planned>>,
    scratch: Scratch,
    derived: Vec<TermId>,
}

impl<I: Interner> Engine<I> {
    /// Empty tables for a program.
    pub fn new(program: &Program, terms: I) -> Engine<I> {
        Engine {
            tables: program.arities.iter().map(|&arity| Table::new(arity)).collect(),
            marks: vec![Marks::default(); program.arities.len()],
            terms,
            work: 0,
            plans: Vec::new(),
            scratch: Scratch::default(),
            derived: Vec::new(),
        }
    }

    /// Adds a fact; says whether it is new. A relation that clauses read is to be sealed after its last fact.
    pub fn insert(&mut self, relation: RelationId, fact: &[TermId]) -> bool {
        self.tables[relation.index()].insert(fact).1
    }

    /// The facts of a relation, in the order of their derivation.
    pub fn facts(&self, relation: RelationId) -> impl Iterator<Item = &[TermId]> {
        self.tables[relation.index()].iter()
    }

    /// Says that a relation is complete: all its rows are there.
    pub fn seal(&mut self, relation: RelationId) {
        let rows = self.tables[relation.index()].len();
        self.marks[relation.index()] = Marks { old: rows, now: rows };
    }

    /// Number of rows in all tables.
    pub fn rows(&self) -> usize {
        self.tables.iter().map(|table| table.len() as usize).sum()
    }

    /// Derives all facts of a component from the sealed relations and seals it.
    ///
    /// # Errors
    /// A budget is passed; the component's facts so far stay.
    pub fn evaluate(
        &mut self,
        program: &Program,
        component: &Component,
        guard: &Guard,
    ) -> Result<(), Exceeded> {
        for &relation in &component.relations {
            self.seal(relation);
            self.marks[relation.index()].old = 0;
        }
        let inside = |relation: RelationId| component.recursive && component.relations.contains(&relation);
        let mut base = self.rows();
        for &clause in &component.clauses {
            self.apply(program, clause, None, &inside, guard, base)?;
        }
        if component.recursive {
            // The first round took all rows there were; what it added is new for the second.
            loop {
                base = self.rows();
                let mut grew = false;
                for &relation in &component.relations {
                    let marks = &mut self.marks[relation.index()];
                    let rows = self.tables[relation.index()].len();
                    *marks = Marks { old: marks.now, now: rows };
                    grew |= marks.old < marks.now;
                }
                if !grew {
                    break;
                }
                for &clause in &component.clauses {
                    for (position, literal) in program.clauses[clause].body.iter().enumerate() {
                        if let Literal::Positive(atom) = literal
                            && inside(atom.relation)
                            && self.marks[atom.relation.index()].old < self.marks[atom.relation.index()].now
                        {
                            self.apply(program, clause, Some(position), &inside, guard, base)?;
                        }
                    }
                }
            }
        }
        component.relations.iter().for_each(|&relation| self.seal(relation));
        Ok(())
    }

    /// Adds the heads that one clause derives.
    fn apply(
        &mut self,
        program: &Program,
        number: usize,
        new_literal: Option<usize>,
        grows: &dyn Fn(RelationId) -> bool,
        guard: &Guard,
        base: usize,
    ) -> Result<(), Exceeded> {
        let clause = &program.clauses[number];
        let size = magnitude(clause.atoms().map(|a| self.tables[a.relation.index()].len()));
        if self.plans.len() <= number {
            self.plans.resize_with(program.clauses.len().max(number + 1), Vec::new);
        }
        let plans = &mut self.plans[number];
        let known = plans.iter().position(|plan| (plan.new_literal, plan.size) == (new_literal, size));
        let place = known.unwrap_or_else(|| {
            let purpose = Purpose { new_literal, grows, checked: &|_| true };
            let plan = Plan::new(clause, &purpose, &mut self.tables);
            let prepared = Prepared::new(plan, clause.variables, clause.body.len());
            if plans.len() == PLANS {
                plans.clear();
            }
            plans.push(Planned { new_literal, size, prepared });
            plans.len() - 1
        });
        let prepared = &plans[place].prepared;
        let derived = &mut self.derived;
        derived.clear();
        let mut data = Data { tables: &self.tables, marks: &self.marks, terms: &mut self.terms };
        let arity = clause.head.arguments.len();
        let mut exceeded = None;
        let mut count = 0usize;
        self.work += prepared.run(&mut data, &mut self.scratch, guard, |bindings, _, terms| {
            for term in &clause.head.arguments {
                derived.push(build(term, bindings, terms));
            }
            count += 1;
            if arity == 0 {
                return false; // one derivation says it all
            }
            if count & 0xfff == 0 {
                exceeded = guard.check(base + count / 8, 0, derived.len() * 4).err();
            }
            exceeded.is_none()
        })?;
        if let Some(exceeded) = exceeded {
            return Err(exceeded);
        }
        let table = &mut self.tables[clause.head.relation.index()];
        let before = table.len();
        for index in 0..count {
            table.insert(&derived[index * arity..(index + 1) * arity]);
        }
        guard.check(base + (table.len() - before) as usize, 0, 0)
    }
}

/// A coarse measure of table sizes: plans are made anew when it changes.
pub(crate) fn magnitude(sizes: impl Iterator<Item = u32>) -> u32 {
    sizes.fold(0u32, |code, rows| code.wrapping_mul(31).wrapping_add((u32::BITS - rows.leading_zeros()) / 2))
}
