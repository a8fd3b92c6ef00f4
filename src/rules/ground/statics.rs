//! Evaluates the static rules once for each load of a game. The network, the relational machine and fuzzy conditions share
//! the result.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::program::GameProgram;
use super::translate::translate;
use super::{Metrics, Stage};
use crate::datalog::{Engine, Exceeded, Guard, Limits, Table, components};
use crate::gdl::Description;
use crate::gdl::rule::RelationId;
use crate::gdl::term::{TermId, Terms};

/// The rules of a game as a program, with the facts of its static relations.
#[derive(Clone, Debug)]
pub struct EvaluatedRules {
    /// The rules.
    pub description: Arc<Description>,
    /// The facts of the static relations.
    pub statics: Arc<StaticFacts>,
    /// The rules as a program. It derives static relations that are too large on demand.
    pub program: GameProgram,
    /// The stages with their times, in order.
    pub(super) stages: Vec<Stage>,
    /// Numbers of rules, clauses, relations and static facts.
    pub(super) metrics: Metrics,
    /// The total time.
    pub(super) time: Duration,
}

impl EvaluatedRules {
    /// Evaluates the static rules of a description.
    ///
    /// # Errors
    /// A limit is exceeded.
    pub fn new(description: Arc<Description>, limits: &Limits) -> Result<Arc<EvaluatedRules>, Exceeded> {
        #[cfg(debug_assertions)]
        EVALUATIONS.with(|count| count.set(count.get() + 1));
        let guard = Guard::start(limits);
        let start = Instant::now();
        let mut program = translate(&description);
        let mut metrics = vec![
            ("rules", description.rules.len() as u64),
            ("clauses", program.rules.clauses.len() as u64),
            ("relations", program.relations.len() as u64),
        ];
        let split = start.elapsed();
        let statics = Arc::new(StaticFacts::new(&mut program, &description, &guard)?);
        metrics.push(("static facts", statics.tables.iter().map(|table| u64::from(table.len())).sum()));
        let time = start.elapsed();
        let stages = vec![
            Stage { name: "split rules", seconds: split.as_secs_f64() },
            Stage { name: "static facts", seconds: (time - split).as_secs_f64() },
        ];
        Ok(Arc::new(EvaluatedRules { description, statics, program, stages, metrics, time }))
    }
}

#[cfg(debug_assertions)]
thread_local! {
    /// The number of evaluations of static rules by this thread, for tests.
    pub static EVALUATIONS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// All facts of the relations that depend on neither state nor moves, including `init`.
#[derive(Clone, Debug)]
pub struct StaticFacts {
    /// The ground terms of the text and of static rules.
    pub terms: Terms,
    pub(super) tables: Vec<Table>,
}

/// A static relation with more facts than this is derived on demand, if possible.
const LARGE: usize = 300_000;

impl StaticFacts {
    /// Evaluates the static relations of a program. Rewrites the program so that relations with more than [`LARGE`]
    /// facts are derived on demand.
    ///
    /// # Errors
    /// A limit is exceeded, for example by rules that derive ever larger terms.
    fn new(
        program: &mut GameProgram,
        description: &Description,
        guard: &Guard,
    ) -> Result<StaticFacts, Exceeded> {
        loop {
            match StaticFacts::evaluate(program, description, guard, LARGE)? {
                Ok(facts) => return Ok(facts),
                Err(large) => {
                    match program.on_demand(&large, false).or_else(|| program.on_demand(&large, true)) {
                        Some(rewritten) => *program = rewritten,
                        None => {
                            let all = StaticFacts::evaluate(program, description, guard, usize::MAX)?;
                            return all.map_err(|_| Exceeded::Atoms(usize::MAX));
                        }
                    }
                }
            }
        }
    }

    /// Evaluates the static relations. The inner `Err` has the relations of the first component with more than `large`
    /// facts.
    fn evaluate(
        program: &GameProgram,
        description: &Description,
        guard: &Guard,
        large: usize,
    ) -> Result<Result<StaticFacts, Vec<RelationId>>, Exceeded> {
        let mut engine = Engine::new(&program.rules, description.terms.clone());
        for component in components(&program.rules, &|relation| program.is_static(relation)) {
            let cap = engine.rows().saturating_add(large);
            match engine.evaluate(&program.rules, &component, &guard.with_atoms(cap)) {
                Err(Exceeded::Atoms(limit)) if limit == cap => return Ok(Err(component.relations)),
                // The rules may derive ever larger terms; derived on demand, they may not.
                Err(Exceeded::Symbols(_)) if large < usize::MAX => return Ok(Err(component.relations)),
                other => other.map_err(|exceeded| {
                    let rows = |relation| u64::from(engine.database.table(relation).len());
                    let statics = program.rules.relations().filter(|&relation| program.is_static(relation));
                    exceeded.grown(|| program.growth(statics, rows, &description.symbols))
                })?,
            }
        }
        Ok(Ok(StaticFacts { terms: engine.terms, tables: engine.database.into_tables() }))
    }

    /// The facts of a static relation, in the order of derivation; empty for other relations.
    pub fn tuples(&self, relation: RelationId) -> impl Iterator<Item = &[TermId]> {
        self.tables[relation.index()].iter()
    }

    /// Whether a static relation has a fact with these terms.
    pub fn holds(&self, relation: RelationId, arguments: &[TermId]) -> bool {
        self.tables[relation.index()].find(arguments).is_some()
    }

    /// The tables of a program's relations; the tables of relations that are not static are empty. `program` may have
    /// relations that were added after the evaluation.
    pub fn tables_of(&self, program: &GameProgram) -> Vec<Table> {
        let more = program.rules.arities.iter().skip(self.tables.len()).map(|&arity| Table::new(arity));
        self.tables.iter().cloned().chain(more).collect()
    }

    /// The table of a relation; empty if it is not static.
    pub fn table(&self, relation: RelationId) -> &Table {
        &self.tables[relation.index()]
    }

    /// Number of facts of a static relation.
    pub fn count(&self, relation: RelationId) -> usize {
        self.tables[relation.index()].len() as usize
    }
}
