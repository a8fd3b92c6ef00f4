//! Finds static relations that mark cells of a board, such as the goals of crates: rules join their arguments with the
//! coordinates of a cell.

use std::collections::BTreeSet;

use crate::analysis::Game;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::Term;
use crate::structure::finding::{FluentFinding, Structures};

use super::facts::{Fact, FactReader};

/// The most facts of a relation that marks cells.
const FACTS: usize = 200;

/// The rounds in which coordinates are followed through rules.
const ROUNDS: usize = 8;

/// A relation and the arguments that name a cell, in the order of the board's axes.
type Coordinates = (RelationId, Vec<usize>);

/// A static relation that marks cells.
#[derive(Clone, Debug)]
pub(super) struct CellMarks {
    /// The fluent of the board, by index in `Structures::fluents`.
    pub(super) board: usize,
    /// Its name with its arity.
    pub(super) title: String,
    /// The arguments that name a cell, in the order of the finding's axes.
    pub(super) axes: Vec<usize>,
    /// Its facts. `Fact::fluent` is a number that no fluent has, and positions are those in the domains of the board's axes.
    pub(super) facts: Vec<Fact>,
}

/// The relations that mark cells of boards with two coordinates.
pub(super) fn cell_marks(
    game: &Game<'_>,
    structures: &Structures,
    reader: &FactReader<'_>,
) -> Vec<CellMarks> {
    let description = game.machine.description();
    let mut found: Vec<CellMarks> = Vec::new();
    for (board, finding) in structures.fluents.iter().enumerate() {
        if !finding.kind.has_cells() || finding.axes.len() != 2 {
            continue;
        }
        for (relation, axes) in joined_relations(game, structures, finding) {
            let tuples: Vec<_> = game.statics.tuples(relation).take(FACTS + 1).collect();
            if tuples.len() > FACTS {
                continue;
            }
            let name = description.symbols.name(description.relations[relation.index()].name);
            let number = structures.fluents.len() + found.len();
            let facts = tuples.into_iter().map(|tuple| {
                let mut positions = vec![None; tuple.len()];
                for (axis, &argument) in finding.axes.iter().zip(&axes) {
                    positions[argument] = reader.position(board, axis.argument.index(), tuple[argument]);
                }
                let arguments = tuple.iter().map(|&term| game.machine.term_text(term)).collect();
                Fact { name: name.to_owned(), arguments, fluent: Some(number), positions }
            });
            let (facts, title) = (facts.collect(), format!("{name}/{}", axes.len()));
            found.push(CellMarks { board, title, axes, facts });
        }
    }
    found
}

/// The static relations whose arguments are, in some rule, the coordinates of a cell in an atom that depends on the state.
fn joined_relations(
    game: &Game<'_>,
    structures: &Structures,
    finding: &FluentFinding,
) -> BTreeSet<Coordinates> {
    let description = game.machine.description();
    let compares: BTreeSet<RelationId> = (structures.successors.iter().map(|found| found.relation))
        .chain(structures.orders.iter().map(|found| found.relation))
        .chain(structures.chains.iter().map(|found| found.relation))
        .chain(structures.cycles.iter().map(|found| found.relation))
        .collect();
    let own: Vec<usize> = finding.axes.iter().map(|axis| axis.argument.index()).collect();
    let is_own = |relation: RelationId| {
        let declared = &description.relations[relation.index()];
        matches!(declared.kind, RelationKind::True | RelationKind::Next)
            && declared.name == finding.fluent.name
            && declared.arity == finding.arity
    };
    let mut known: BTreeSet<Coordinates> = description
        .relation_ids()
        .filter(|(relation, _)| is_own(*relation))
        .map(|(relation, _)| (relation, own.clone()))
        .collect();
    let mut marks: BTreeSet<Coordinates> = BTreeSet::new();
    for _ in 0..ROUNDS {
        let before = known.len();
        for rule in &description.rules {
            let atoms: Vec<&Atom> = rule.body.iter().filter_map(Literal::atom).chain([&rule.head]).collect();
            let cells: Vec<Vec<&Term>> = (atoms.iter())
                .flat_map(|atom| coordinates_in(atom, &known))
                .filter(|cell| {
                    cell.iter().all(|term| matches!(term, Term::Variable(_))) && cell[0] != cell[1]
                })
                .collect();
            for atom in &atoms {
                let declared = &description.relations[atom.relation.index()];
                if !matches!(declared.kind, RelationKind::View | RelationKind::Auxiliary) {
                    continue;
                }
                for arguments in cells.iter().filter_map(|cell| arguments_of(atom, cell)) {
                    match declared.dependence {
                        Dependence::Static
                            if declared.arity == own.len() && !compares.contains(&atom.relation) =>
                        {
                            marks.insert((atom.relation, arguments));
                        }
                        Dependence::Static => {}
                        _ => {
                            known.insert((atom.relation, arguments));
                        }
                    }
                }
            }
        }
        if known.len() == before {
            break;
        }
    }
    marks
}

/// The terms of an atom that name a cell.
fn coordinates_in<'a>(atom: &'a Atom, known: &BTreeSet<Coordinates>) -> Vec<Vec<&'a Term>> {
    let of_atom =
        known.range((atom.relation, Vec::new())..).take_while(|(relation, _)| *relation == atom.relation);
    of_atom
        .map(|(_, arguments)| arguments.iter().map(|&argument| &atom.arguments[argument]).collect())
        .collect()
}

/// The arguments of an atom that are these terms, if each is exactly one argument.
fn arguments_of(atom: &Atom, cell: &[&Term]) -> Option<Vec<usize>> {
    let argument = |term: &&Term| {
        let mut places = (0..atom.arguments.len()).filter(|&argument| &atom.arguments[argument] == *term);
        places.next().filter(|_| places.next().is_none())
    };
    cell.iter().map(argument).collect()
}
