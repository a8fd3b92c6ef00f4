//! Bottom-up evaluation of rules, one component of relations after the other.

use super::component::Component;
use super::database::{Database, PlansKept};
use super::join::{Interner, build};
use super::limits::{Exceeded, Guard, MOST_SYMBOLS};
use super::plan::Purpose;
use super::program::Program;
use super::seminaive::{Consequences, saturate};
use super::table::Table;
use crate::gdl::rule::RelationId;
use crate::gdl::term::{Term, TermId};

/// Facts of a program's relations, and the terms in them.
pub struct Engine<I> {
    /// The facts.
    pub database: Database,
    /// The ground terms.
    pub terms: I,
    /// The number of rows that joins have examined so far.
    pub work: u64,
    /// For each clause whether its body was satisfied at least once.
    pub satisfied: Vec<bool>,
    derived: Vec<TermId>,
}

impl<I: Interner> Engine<I> {
    /// An engine without facts.
    pub fn new(program: &Program, terms: I) -> Engine<I> {
        let tables = program.arities.iter().map(|&arity| Table::new(arity)).collect();
        let database = Database::new(tables, PlansKept::Recurring);
        Engine {
            database,
            terms,
            work: 0,
            satisfied: vec![false; program.clauses.len()],
            derived: Vec::new(),
        }
    }

    /// Adds a fact. Returns whether it is new. Call [`Engine::seal`] after the last fact of each relation that clauses
    /// use.
    pub fn insert(&mut self, relation: RelationId, fact: &[TermId]) -> bool {
        self.database.insert(relation, fact).1
    }

    /// The facts of a relation, in the order of their derivation.
    pub fn facts(&self, relation: RelationId) -> impl Iterator<Item = &[TermId]> {
        self.database.table(relation).iter()
    }

    /// Marks a relation as complete.
    pub fn seal(&mut self, relation: RelationId) {
        self.database.seal(relation);
    }

    /// Number of facts of all relations.
    pub fn rows(&self) -> usize {
        self.database.rows()
    }

    /// Removes all facts of the relations of these components.
    pub fn clear(&mut self, components: &[Component]) {
        for &relation in components.iter().flat_map(|component| &component.relations) {
            self.database.clear(relation);
        }
    }

    /// Derives all facts of a component from sealed relations, and seals its relations.
    ///
    /// # Errors
    /// A limit of the guard was exceeded. The facts derived so far remain.
    pub fn evaluate(
        &mut self,
        program: &Program,
        component: &Component,
        guard: &Guard,
    ) -> Result<(), Exceeded> {
        saturate(program, component, &mut Evaluation { engine: self, program, component, guard, before: 0 })
    }
}

/// Number of heads from one application of a clause after which duplicates are removed.
const MANY: usize = 1 << 16;

/// A component being evaluated.
struct Evaluation<'a, I> {
    engine: &'a mut Engine<I>,
    program: &'a Program,
    component: &'a Component,
    guard: &'a Guard,
    /// Number of rows in all tables at the start of the round.
    before: usize,
}

impl<I: Interner> Consequences for Evaluation<'_, I> {
    type Stop = Exceeded;

    fn database(&mut self) -> &mut Database {
        &mut self.engine.database
    }

    fn begin_round(&mut self) {
        self.before = self.engine.rows();
    }

    /// Adds the heads derived by one clause.
    fn apply(&mut self, number: usize, new_literal: Option<usize>) -> Result<(), Exceeded> {
        let (guard, before, component) = (self.guard, self.before, self.component);
        let clause = &self.program.clauses[number];
        let grows = |relation: RelationId| component.recursive && component.relations.contains(&relation);
        let purpose = Purpose { clause, number, new_literal, grows: &grows, checked: &|_| true };
        let Engine { database, terms, work, satisfied, derived } = &mut *self.engine;
        derived.clear();
        let arity = clause.head.arguments.len();
        let mut exceeded = None;
        let mut count = 0usize;
        let mut seen: Option<Table> = None;
        *work += database.join(&purpose, terms, guard, |bindings, _, terms| {
            for term in &clause.head.arguments {
                let value = build(term, bindings, terms);
                // The value of a variable was checked when it was built.
                if matches!(term, Term::Compound(..)) && terms.size(value) > MOST_SYMBOLS {
                    exceeded = Some(Exceeded::Symbols(MOST_SYMBOLS));
                }
                derived.push(value);
            }
            count += 1;
            if arity == 0 {
                return false; // one derivation is enough
            }
            if count & 0xfff == 0 {
                exceeded = exceeded.take().or(guard.time().err());
            }
            // Some rules derive the same few facts many times, so duplicates do not count towards the limit.
            if count == MANY {
                let distinct = seen.get_or_insert_with(|| Table::new(arity));
                derived.chunks_exact(arity).for_each(|row| {
                    distinct.insert(row);
                });
                derived.clear();
                count = 0;
                exceeded = exceeded
                    .take()
                    .or(guard.check(before.max(distinct.len() as usize), 0, distinct.bytes()).err());
            }
            exceeded.is_none()
        })?;
        satisfied[number] |= count > 0 || seen.is_some();
        let head = clause.head.relation;
        let known = database.table(head).len();
        seen.iter().flat_map(Table::iter).for_each(|row| {
            database.insert(head, row);
        });
        if let Some(exceeded) = exceeded {
            return Err(exceeded);
        }
        for index in 0..count {
            database.insert(head, &derived[index * arity..(index + 1) * arity]);
        }
        let rows = before + (database.table(head).len() - known) as usize;
        // For few rows, computing the sum costs more than it saves.
        let bytes = if rows > MANY { database.bytes() } else { 0 };
        guard.check(rows, 0, bytes)
    }
}
