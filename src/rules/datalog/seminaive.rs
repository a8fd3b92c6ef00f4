//! Semi-naive rounds: clauses applied until nothing new follows, each way to satisfy a body met once.

use super::component::Component;
use super::database::Database;
use super::program::Program;
use crate::gdl::rule::Literal;

/// What is done with the ways to satisfy clauses: facts are derived, or instances written down.
pub trait Consequences {
    /// Why rounds stop before their end.
    type Stop;

    /// The facts that clauses are applied to.
    fn database(&mut self) -> &mut Database;

    /// A round begins.
    fn begin_round(&mut self) {}

    /// Runs a clause, by its number, with one positive literal (by its position in the body) over the rows of the last
    /// round alone, or all over all rows; adds what follows.
    ///
    /// # Errors
    /// There is a reason to stop.
    fn apply(&mut self, clause: usize, new_literal: Option<usize>) -> Result<(), Self::Stop>;

    /// A round ends; what is added here counts as its result.
    fn end_round(&mut self) {}
}

/// Applies the clauses of a component until nothing new follows. All other relations are sealed; those of the component
/// are when this returns.
///
/// # Errors
/// An application stops the rounds.
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
        // The first round took all rows there were; what it added is new for the second.
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
