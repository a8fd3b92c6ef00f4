//! Semi-naive evaluation: applies clauses until nothing new follows, and finds each way to satisfy a body once.

use super::component::Component;
use super::database::Database;
use super::program::Program;
use crate::gdl::rule::Literal;

/// The consequences of satisfied clauses: facts are added, or instances recorded.
pub trait Consequences {
    /// The reason why evaluation stops early.
    type Stop;

    /// The facts to which clauses are applied.
    fn database(&mut self) -> &mut Database;

    /// Called at the start of a round.
    fn begin_round(&mut self) {}

    /// Applies a clause, and adds what follows. If `new_literal` is given, that positive literal (by its index in the body)
    /// ranges over the rows of the last round; otherwise all literals range over all rows.
    ///
    /// # Errors
    /// Evaluation must stop.
    fn apply(&mut self, clause: usize, new_literal: Option<usize>) -> Result<(), Self::Stop>;

    /// Called at the end of a round. Facts added here count as results of the round.
    fn end_round(&mut self) {}
}

/// Applies the clauses of a component until nothing new follows. All other relations must be sealed; the relations of the
/// component are sealed afterwards.
///
/// # Errors
/// An application stopped the evaluation.
pub fn saturate<C: Consequences>(
    program: &Program,
    component: &Component,
    consequences: &mut C,
) -> Result<(), C::Stop> {
    for &relation in &component.relations {
        consequences.database().begin(relation);
    }
    let result = rounds(program, component, consequences);
    for &relation in &component.relations {
        consequences.database().seal(relation);
    }
    result
}

fn rounds<C: Consequences>(
    program: &Program,
    component: &Component,
    consequences: &mut C,
) -> Result<(), C::Stop> {
    consequences.begin_round();
    for &clause in &component.clauses {
        consequences.apply(clause, None)?;
    }
    consequences.end_round();
    if !component.recursive {
        return Ok(());
    }
    loop {
        // The first round used all rows; the rows that it added are new in the second.
        let mut grew = false;
        for &relation in &component.relations {
            grew |= consequences.database().advance(relation);
        }
        if !grew {
            break;
        }
        consequences.begin_round();
        for &clause in &component.clauses {
            for (position, literal) in program.clauses[clause].body.iter().enumerate() {
                if let Literal::Positive(atom) = literal
                    && consequences.database().has_new(atom.relation)
                {
                    consequences.apply(clause, Some(position))?;
                }
            }
        }
        consequences.end_round();
    }
    Ok(())
}
