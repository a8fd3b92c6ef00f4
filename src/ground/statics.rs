//! The facts of the static relations: those that hold in every state.

use super::program::GameProgram;
use crate::datalog::{Engine, Exceeded, Guard, Table, components};
use crate::gdl::rule::RelationId;
use crate::gdl::term::{TermId, Terms};

/// All facts of every relation that depends on neither state nor moves; `init` is among them.
#[derive(Clone, Debug)]
pub struct StaticFacts {
    /// The ground terms of the text, and those that static rules make.
    pub terms: Terms,
    pub(super) tables: Vec<Table>,
}

/// A static relation with more facts than this is derived on demand where that can be.
const LARGE: usize = 300_000;

impl StaticFacts {
    /// Evaluates the static relations of a program; rewrites the program so that large ones are derived on
    /// demand.
    ///
    /// # Errors
    /// A budget is passed, as rules do that make ever larger terms.
    pub(super) fn new(
        program: &mut GameProgram,
        terms: &Terms,
        guard: &Guard,
    ) -> Result<StaticFacts, Exceeded> {
        loop {
            match StaticFacts::evaluate(program, terms, guard, LARGE)? {
                Ok(facts) => return Ok(facts),
                Err(large) => match program.on_demand(&large) {
                    Some(rewritten) => *program = rewritten,
                    None => {
                        let all = StaticFacts::evaluate(program, terms, guard, usize::MAX)?;
                        return all.map_err(|_| Exceeded::Atoms(usize::MAX));
                    }
                },
            }
        }
    }

    /// Evaluates the static relations, or gives those of the first component with more than `large` facts.
    fn evaluate(
        program: &GameProgram,
        terms: &Terms,
        guard: &Guard,
        large: usize,
    ) -> Result<Result<StaticFacts, Vec<RelationId>>, Exceeded> {
        let mut engine = Engine::new(&program.rules, terms.clone());
        for component in components(&program.rules, &|relation| program.is_static(relation)) {
            let cap = engine.rows().saturating_add(large);
            match engine.evaluate(&program.rules, &component, &guard.with_atoms(cap)) {
                Err(Exceeded::Atoms(limit)) if limit == cap => return Ok(Err(component.relations)),
                other => other?,
            }
        }
        Ok(Ok(StaticFacts { terms: engine.terms, tables: engine.tables }))
    }

    /// The facts of a static relation, in the order of their derivation; none for a relation that is not
    /// static.
    pub fn tuples(&self, relation: RelationId) -> impl Iterator<Item = &[TermId]> {
        self.tables[relation.index()].iter()
    }

    /// Whether a static relation holds of these terms.
    pub fn holds(&self, relation: RelationId, arguments: &[TermId]) -> bool {
        self.tables[relation.index()].find(arguments).is_some()
    }

    /// The table of a relation; empty for one that is not static.
    pub(crate) fn table(&self, relation: RelationId) -> &Table {
        &self.tables[relation.index()]
    }

    /// Number of facts of a static relation.
    pub fn count(&self, relation: RelationId) -> usize {
        self.tables[relation.index()].len() as usize
    }
}
