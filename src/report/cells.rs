//! Where the facts of a state stand: the coordinates of boards, lines, graphs and placed things, their elements in order,
//! and what is on each cell. Pictures in text and in pages draw from here.

use std::collections::BTreeMap;

use crate::structure::finding::{FluentFinding, FluentKind, Structures};
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
    /// Its position among the fluents found.
    fluent: usize,
    /// The arguments of the coordinates, from 0.
    pub(super) axes: Vec<usize>,
    /// For each coordinate its elements: in their order, or as the rules name them.
    pub(super) elements: Vec<Vec<&'s str>>,
    /// For each coordinate whether something orders it.
    pub(super) ordered: Vec<bool>,
    /// For each coordinate the place along it of every term of the argument's domain; none for one that is not an element.
    places: Vec<Vec<Option<usize>>>,
}

impl<'s> CellBoard<'s> {
    /// The cells of a fluent, given its position among the fluents found; none if it has no coordinates.
    pub(super) fn new(fluent: usize, structures: &'s Structures<Kif>) -> Option<Self> {
        let finding = &structures.fluents[fluent];
        if !finding.kind.has_cells() || finding.axes.is_empty() {
            return None;
        }
        let axes = Vec::from_iter(finding.axes.iter().map(|axis| axis.argument.index()));
        let (mut elements, mut ordered, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for axis in &finding.axes {
            let domain = &finding.domains[axis.argument.index()];
            let in_order = axis.order.as_ref().and_then(|order| chain(order, structures, domain));
            let in_order = in_order.filter(|found| !found.is_empty());
            ordered.push(in_order.is_some());
            let along = in_order.unwrap_or_else(|| (0..domain.len()).collect());
            places.push(places_of(&along, domain.len()));
            elements.push(Vec::from_iter(along.iter().map(|&position| domain[position].as_str())));
        }
        let board = CellBoard { finding, fluent, axes, elements, ordered, places };
        board.elements.iter().all(|elements| !elements.is_empty()).then_some(board)
    }

    /// The cells of a fluent with two coordinates, both in order, along neither of which there are more than so many.
    pub(super) fn plane(fluent: usize, structures: &'s Structures<Kif>, longest: usize) -> Option<Self> {
        if !matches!(structures.fluents[fluent].kind, FluentKind::Board | FluentKind::Place) {
            return None;
        }
        let board = CellBoard::new(fluent, structures)?;
        let fits = board.elements.len() == 2 && board.elements.iter().all(|found| found.len() <= longest);
        (fits && board.ordered.iter().all(|&ordered| ordered)).then_some(board)
    }

    /// The cell that a fact stands on; none for a fact of another fluent, or one that stands elsewhere.
    pub(super) fn cell(&self, fact: &Fact) -> Option<Cell> {
        if fact.fluent != Some(self.fluent) {
            return None;
        }
        self.place(self.axes.iter().map(|&axis| fact.positions[axis]))
    }

    /// The cell with these coordinates, by their positions in the domains.
    pub(super) fn place(&self, positions: impl IntoIterator<Item = Option<usize>>) -> Option<Cell> {
        self.places.iter().zip(positions).map(|(places, position)| places[position?]).collect()
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

/// The elements of an order that are in a domain, from first to last, by their positions in the domain.
pub(super) fn chain(order: &str, structures: &Structures<Kif>, domain: &[String]) -> Option<Vec<usize>> {
    let positions: BTreeMap<&str, usize> = domain.iter().map(String::as_str).zip(0..).collect();
    let successors = structures.successors.iter().filter(|found| found.relation == order);
    let others = structures.chains.iter().filter(|chain| chain.pattern == order);
    let chains = successors.map(|found| &found.elements).chain(others.map(|chain| &chain.elements));
    let found = chains.map(|elements| -> Vec<usize> {
        elements.iter().filter_map(|element| positions.get(element.as_str()).copied()).collect()
    });
    found.max_by_key(Vec::len)
}

/// For each position in a domain its place in a list of positions.
pub(super) fn places_of(along: &[usize], domain: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; domain];
    along.iter().enumerate().for_each(|(place, &position)| places[position] = Some(place));
    places
}
