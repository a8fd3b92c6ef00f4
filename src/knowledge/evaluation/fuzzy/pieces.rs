//! The pieces of a game, by the texts that formulas use.

use crate::gdl::rule::{RelationId, RelationKind};
use crate::machine::Machine;
use crate::structure::finding::Structures;

/// A piece, by texts, because the numbers of terms differ between the game and a formula.
pub(super) struct Piece {
    /// Its fluent.
    pub(super) relation: RelationId,
    /// The arguments of its cell.
    pub(super) inputs: Vec<usize>,
    /// The arguments that name it, with its name.
    pub(super) symbol: Vec<(usize, String)>,
}

/// The pieces of a game.
pub(super) fn pieces(machine: &dyn Machine, structures: &Structures) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for finding in &structures.fluents {
        let (name, arity) = (finding.fluent.name, finding.fluent.arity);
        let Some(relation) = machine.description().relation(RelationKind::True, name, arity) else {
            continue;
        };
        for piece in finding.pieces.iter().filter(|piece| !piece.only_at_end) {
            let named = piece.arguments.iter().zip(&piece.symbol);
            pieces.push(Piece {
                relation,
                inputs: finding.inputs.iter().map(|argument| argument.index()).collect(),
                symbol: named.map(|(argument, &term)| (argument.index(), machine.term_text(term))).collect(),
            });
        }
    }
    pieces
}
