//! Where the facts of a state stand: the coordinates of boards, lines, graphs and placed things, their elements in order,
//! and what is on each cell. Pictures in text and in pages draw from here.

use std::collections::{BTreeMap, BTreeSet};

use crate::structure::finding::{Axis, FluentFinding, FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::facts::Fact;

/// What stands on a cell: the words of a fact that are no coordinates.
pub(super) type Contents = Vec<String>;

/// A cell, by the places of its coordinates along their axes.
pub(super) type Cell = Vec<usize>;

/// A fluent whose facts stand on cells.
pub(super) struct CellBoard<'s> {
    /// What was found about it.
    pub(super) finding: &'s FluentFinding<Kif>,
    /// The arguments of the coordinates, from 0.
    pub(super) axes: Vec<usize>,
    /// For each coordinate its elements: in their order, or as the rules name them.
    pub(super) elements: Vec<Vec<&'s str>>,
    /// For each coordinate whether something orders it.
    pub(super) ordered: Vec<bool>,
}

impl<'s> CellBoard<'s> {
    /// The cells of a fluent; none where it has no coordinates.
    pub(super) fn new(finding: &'s FluentFinding<Kif>, structures: &'s Structures<Kif>) -> Option<Self> {
        if !finding.kind.has_cells() || finding.axes.is_empty() {
            return None;
        }
        let in_order = |axis: &Axis<Kif>| in_order(axis, finding, structures);
        let any =
            |axis: &Axis<Kif>| finding.domains[axis.argument.index()].iter().map(String::as_str).collect();
        let ordered: Vec<Option<Vec<&'s str>>> = finding.axes.iter().map(in_order).collect();
        let board = CellBoard {
            finding,
            axes: finding.axes.iter().map(|axis| axis.argument.index()).collect(),
            ordered: ordered.iter().map(Option::is_some).collect(),
            elements: ordered
                .into_iter()
                .zip(&finding.axes)
                .map(|(found, axis)| found.unwrap_or_else(|| any(axis)))
                .collect(),
        };
        board.elements.iter().all(|elements| !elements.is_empty()).then_some(board)
    }

    /// The cells of a fluent with two coordinates, both in order, along neither of which there are more than so many.
    pub(super) fn plane(
        finding: &'s FluentFinding<Kif>,
        structures: &'s Structures<Kif>,
        longest: usize,
    ) -> Option<Self> {
        if !matches!(finding.kind, FluentKind::Board | FluentKind::Place) {
            return None;
        }
        let board = CellBoard::new(finding, structures)?;
        let fits = board.elements.len() == 2 && board.elements.iter().all(|found| found.len() <= longest);
        (fits && board.ordered.iter().all(|&ordered| ordered)).then_some(board)
    }

    /// The cell that a fact stands on; none for a fact of another fluent, or one that stands elsewhere.
    pub(super) fn cell(&self, fact: &Fact) -> Option<Cell> {
        if fact.signature() != self.finding.fluent {
            return None;
        }
        let words: Vec<&str> = self.axes.iter().map(|&axis| fact.arguments[axis].as_str()).collect();
        self.place(&words)
    }

    /// The cell with these coordinates.
    pub(super) fn place(&self, words: &[&str]) -> Option<Cell> {
        let place = |(elements, word): (&Vec<&str>, &&str)| elements.iter().position(|found| found == word);
        self.elements.iter().zip(words).map(place).collect()
    }

    /// What a fact says of its cell: its words that are no coordinates, or its name where there are none.
    pub(super) fn contents(&self, fact: &Fact) -> Contents {
        let rest = fact.arguments.iter().enumerate().filter(|(argument, _)| !self.axes.contains(argument));
        let contents: Contents = rest.map(|(_, text)| text.clone()).collect();
        if contents.is_empty() { vec![fact.name.clone()] } else { contents }
    }

    /// For every cell with a fact its contents.
    pub(super) fn cells(&self, state: &[Fact]) -> BTreeMap<Cell, Vec<Contents>> {
        let mut cells: BTreeMap<Cell, Vec<Contents>> = BTreeMap::new();
        for fact in state {
            if let Some(cell) = self.cell(fact) {
                cells.entry(cell).or_default().push(self.contents(fact));
            }
        }
        cells
    }

    /// What fills more than half of so many cells of a state, as an empty cell's contents do.
    pub(super) fn blank(cells: &BTreeMap<Cell, Vec<Contents>>, count: usize) -> Option<Contents> {
        let mut often: BTreeMap<&Contents, usize> = BTreeMap::new();
        for contents in cells.values().flatten() {
            *often.entry(contents).or_default() += 1;
        }
        often.into_iter().find(|(_, times)| times * 2 > count).map(|(contents, _)| contents.clone())
    }
}

/// The elements of a coordinate from first to last; none where nothing orders it.
fn in_order<'s>(
    axis: &Axis<Kif>,
    finding: &'s FluentFinding<Kif>,
    structures: &'s Structures<Kif>,
) -> Option<Vec<&'s str>> {
    let domain: BTreeSet<&str> = finding.domains[axis.argument.index()].iter().map(String::as_str).collect();
    let found = chain(axis.order.as_ref()?, structures, &domain)?;
    (!found.is_empty()).then_some(found)
}

/// The elements of an order that are in a domain, from first to last.
pub(super) fn chain<'s>(
    order: &str,
    structures: &'s Structures<Kif>,
    domain: &BTreeSet<&str>,
) -> Option<Vec<&'s str>> {
    let successors = structures.successors.iter().filter(|found| found.relation == order);
    let others = structures.chains.iter().filter(|chain| chain.pattern == order);
    let chains = successors.map(|found| &found.elements).chain(others.map(|chain| &chain.elements));
    let found = chains.map(|elements| -> Vec<&'s str> {
        elements.iter().map(String::as_str).filter(|element| domain.contains(element)).collect()
    });
    found.max_by_key(Vec::len)
}
