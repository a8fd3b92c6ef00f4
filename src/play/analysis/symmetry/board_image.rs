//! The image of a board under a symmetry: how its coordinates are permuted.

use std::collections::{BTreeMap, BTreeSet};

use crate::gdl::symbol::Symbol;
use crate::gdl::term::TermId;
use crate::ground::symmetry::Symmetry;
use crate::machine::Machine;
use crate::structure::finding::{FluentFinding, Structures};

use super::facts::Facts;

/// A board, or a line of cells.
pub(super) struct Board {
    name: Symbol,
    arity: usize,
    /// The arguments with its coordinates, from 0: one or two.
    arguments: Vec<usize>,
    /// For each coordinate its terms in their order; none if they have no order.
    order: Vec<Option<Vec<TermId>>>,
}

/// How a symmetry moves the cells of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BoardImage {
    /// Mirrored along the coordinate with this index.
    Mirror(usize),
    /// Rotated by a half turn.
    HalfTurn,
    /// Mirrored at one of the two diagonals.
    Diagonal(bool),
    /// Rotated by a quarter turn.
    QuarterTurn,
    /// Shifted along the coordinate with this index, with the last cells next to the first.
    Shift(usize),
    /// Any other permutation.
    Other,
}

/// The permutation of the terms of a coordinate.
type TermMap = BTreeMap<TermId, TermId>;

impl Board {
    /// The board of a fluent; none if it has no cells with one or two coordinates.
    pub(super) fn new(finding: &FluentFinding, structures: &Structures, facts: &Facts<'_>) -> Option<Board> {
        let arguments: Vec<usize> = finding.axes.iter().map(|axis| axis.argument.index()).collect();
        if !finding.kind.has_cells() || finding.constant.is_some() || !matches!(arguments.len(), 1 | 2) {
            return None;
        }
        let (name, arity) = (finding.fluent.name, finding.arity);
        let order = finding.axes.iter().map(|axis| {
            let own = facts.iter().filter(|(functor, terms)| *functor == name && terms.len() == arity);
            let used: BTreeSet<TermId> = own.map(|(_, terms)| terms[axis.argument.index()]).collect();
            let of_axis = axis.order.and_then(|order| structures.elements(order));
            let others = structures.successors.iter().map(|successor| &successor.elements[..]);
            let elements = of_axis
                .into_iter()
                .chain(others)
                .find(|elements| used.iter().all(|term| elements.contains(term)))?;
            Some(elements.iter().copied().filter(|term| used.contains(term)).collect())
        });
        let order = order.collect();
        Some(Board { name, arity, arguments, order })
    }

    /// The name of its fluent.
    pub(super) fn name(&self, machine: &dyn Machine) -> String {
        machine.description().symbols.name(self.name).to_owned()
    }

    /// How a symmetry moves its cells; none if it keeps them.
    pub(super) fn image(&self, symmetry: &Symmetry, facts: &Facts<'_>) -> Option<BoardImage> {
        let is_own =
            |(functor, terms): &(Symbol, &[TermId])| *functor == self.name && terms.len() == self.arity;
        let cell = |terms: &[TermId]| -> Vec<TermId> {
            self.arguments.iter().map(|&argument| terms[argument]).collect()
        };
        let mut cells: BTreeMap<Vec<TermId>, Vec<TermId>> = BTreeMap::new();
        for (fact, &image) in facts.iter().zip(&symmetry.bits).filter(|(fact, _)| is_own(fact)) {
            let image = &facts[image as usize];
            if !is_own(image) {
                return Some(BoardImage::Other);
            }
            let (from, to) = (cell(fact.1), cell(image.1));
            // The image of a cell must not depend on its content.
            if *cells.entry(from).or_insert_with(|| to.clone()) != to {
                return Some(BoardImage::Other);
            }
        }
        if cells.iter().all(|(from, to)| from == to) {
            return None;
        }
        Some(self.of_cells(&cells).unwrap_or(BoardImage::Other))
    }

    /// How this permutation moves the cells; none if no case applies.
    fn of_cells(&self, cells: &BTreeMap<Vec<TermId>, Vec<TermId>>) -> Option<BoardImage> {
        // The images of the terms of a coordinate, if they are terms of the coordinate `to`.
        let map = |from: usize, to: usize| -> Option<TermMap> {
            let mut map = TermMap::new();
            for (cell, image) in cells {
                if *map.entry(cell[from]).or_insert(image[to]) != image[to] {
                    return None;
                }
            }
            Some(map)
        };
        if self.arguments.len() == 1 {
            let map = map(0, 0)?;
            return if self.is_mirror(0, &map) {
                Some(BoardImage::Mirror(0))
            } else {
                self.is_shift(0, &map).then_some(BoardImage::Shift(0))
            };
        }
        if let (Some(first), Some(second)) = (map(0, 0), map(1, 1)) {
            let fixed = [is_identity(&first), is_identity(&second)];
            let mirrored = [self.is_mirror(0, &first), self.is_mirror(1, &second)];
            return match (fixed, mirrored) {
                ([_, true], [true, _]) => Some(BoardImage::Mirror(0)),
                ([true, _], [_, true]) => Some(BoardImage::Mirror(1)),
                (_, [true, true]) => Some(BoardImage::HalfTurn),
                ([_, true], _) if self.is_shift(0, &first) => Some(BoardImage::Shift(0)),
                ([true, _], _) if self.is_shift(1, &second) => Some(BoardImage::Shift(1)),
                _ => None,
            };
        }
        let (first, second) = (map(0, 1)?, map(1, 0)?);
        let twice: TermMap =
            first.iter().map(|(&term, image)| Some((term, *second.get(image)?))).collect::<Option<_>>()?;
        if is_identity(&twice) {
            // The other diagonal exchanges the first coordinate of a corner with the last one.
            let is_other = match (&self.order[0], &self.order[1]) {
                (Some(across), Some(up)) => first.get(across.first()?) != up.first(),
                _ => !is_identity(&first),
            };
            return Some(BoardImage::Diagonal(is_other));
        }
        self.is_mirror(0, &twice).then_some(BoardImage::QuarterTurn)
    }

    /// Whether a permutation reverses a coordinate. Without an order, any order for which it does suffices.
    fn is_mirror(&self, axis: usize, map: &TermMap) -> bool {
        match &self.order[axis] {
            Some(order) => {
                order.iter().zip(order.iter().rev()).all(|(term, image)| map.get(term) == Some(image))
            }
            None => {
                let fixed = map.iter().filter(|(term, image)| term == image).count();
                fixed <= 1 && map.len() > 1 && map.iter().all(|(term, image)| map.get(image) == Some(term))
            }
        }
    }

    /// Whether a permutation shifts an ordered coordinate.
    fn is_shift(&self, axis: usize, map: &TermMap) -> bool {
        let Some(order) = &self.order[axis] else { return false };
        let place = |term: &TermId| order.iter().position(|other| other == term);
        let Some(by) = order.first().and_then(|first| place(map.get(first)?)) else { return false };
        (0..order.len()).all(|index| map.get(&order[index]) == Some(&order[(index + by) % order.len()]))
    }
}

fn is_identity(map: &TermMap) -> bool {
    map.iter().all(|(term, image)| term == image)
}

/// These images of a board in words, after "can be"; none if there are no words for them.
pub(super) fn phrase(images: &BTreeSet<BoardImage>, board: &Board) -> Option<String> {
    use BoardImage::{Diagonal, HalfTurn, Mirror, QuarterTurn, Shift};
    let has = |image: BoardImage| images.contains(&image);
    let diagonals = [false, true].into_iter().filter(|&other| has(Diagonal(other))).count();
    let along = |axis: usize| format!("mirrored along argument {}", board.arguments[axis] + 1);
    let mut phrases = Vec::new();
    if board.arguments.len() == 1 && has(Mirror(0)) {
        phrases.push("reversed".to_owned());
    } else if has(QuarterTurn) {
        let mirrored = if diagonals > 0 { "mirrored and " } else { "" };
        phrases.push(format!("{mirrored}rotated by quarter turns"));
    } else if has(Mirror(0)) && has(Mirror(1)) {
        phrases.push("mirrored along both coordinates".to_owned());
    } else if has(Mirror(0)) || has(Mirror(1)) {
        phrases.push(along(usize::from(!has(Mirror(0)))));
    } else if diagonals == 2 {
        phrases.push("mirrored at both diagonals".to_owned());
    } else if diagonals == 1 {
        phrases.push("mirrored at a diagonal".to_owned());
    } else if has(HalfTurn) {
        phrases.push("rotated by a half turn".to_owned());
    }
    let shifts: Vec<String> = (0..2)
        .filter(|&axis| has(Shift(axis)))
        .map(|axis| format!("argument {}", board.arguments[axis] + 1))
        .collect();
    if !shifts.is_empty() {
        phrases.push(format!(
            "shifted along {}, where the last cell is next to the first",
            shifts.join(" and ")
        ));
    }
    (!phrases.is_empty()).then(|| phrases.join(" and "))
}
