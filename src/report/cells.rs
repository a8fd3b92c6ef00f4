//! Maps the facts of a state to cells: the coordinates of boards, lines, graphs and placed pieces, and the contents of each
//! cell. `board.rs` and the pages draw from it.

use std::collections::BTreeMap;

use crate::structure::finding::{FluentFinding, FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::facts::Fact;

/// The contents of a cell: the arguments of a fact that are not coordinates.
pub(super) type Contents = Vec<String>;

/// A cell: for each axis the index along it.
pub(super) type Cell = Vec<usize>;

/// A fluent whose facts are on cells.
pub(super) struct CellBoard<'s> {
    /// The finding about the fluent.
    pub(super) finding: &'s FluentFinding<Kif>,
    /// Its index in `Structures::fluents`.
    fluent: usize,
    /// The argument indices of the coordinates, from 0.
    pub(super) axes: Vec<usize>,
    /// For each coordinate its elements, in their order or else in the order of the rules.
    pub(super) elements: Vec<Vec<&'s str>>,
    /// For each coordinate whether it has an order.
    pub(super) ordered: Vec<bool>,
    /// For each coordinate and each term of the argument's domain, the index along the axis; `None` for a term that is not an
    /// element.
    places: Vec<Vec<Option<usize>>>,
}

impl<'s> CellBoard<'s> {
    /// The cells of the fluent with this index; `None` if it has no coordinates.
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

    /// The cells of a fluent with two ordered coordinates, each with at most `longest` elements.
    pub(super) fn plane(fluent: usize, structures: &'s Structures<Kif>, longest: usize) -> Option<Self> {
        if !matches!(structures.fluents[fluent].kind, FluentKind::Board | FluentKind::Place) {
            return None;
        }
        let board = CellBoard::new(fluent, structures)?;
        let fits = board.elements.len() == 2 && board.elements.iter().all(|found| found.len() <= longest);
        (fits && board.ordered.iter().all(|&ordered| ordered)).then_some(board)
    }

    /// The cell of a fact; `None` if the fact belongs to another fluent or is not on a cell.
    pub(super) fn cell(&self, fact: &Fact) -> Option<Cell> {
        if fact.fluent != Some(self.fluent) {
            return None;
        }
        self.place(self.axes.iter().map(|&axis| fact.positions[axis]))
    }

    /// The cell with these coordinates, given by their positions in the domains.
    pub(super) fn place(&self, positions: impl IntoIterator<Item = Option<usize>>) -> Option<Cell> {
        self.places.iter().zip(positions).map(|(places, position)| places[position?]).collect()
    }

    /// The contents that a fact puts on its cell: the other arguments, or the fluent's name if there are none.
    pub(super) fn contents(&self, fact: &Fact) -> Contents {
        let rest = fact.arguments.iter().enumerate().filter(|(argument, _)| !self.axes.contains(argument));
        let contents: Contents = rest.map(|(_, text)| text.clone()).collect();
        if contents.is_empty() { vec![fact.name.clone()] } else { contents }
    }

    /// The contents of every cell that has a fact.
    pub(super) fn cells(&self, state: &[Fact]) -> BTreeMap<Cell, Vec<Contents>> {
        let mut cells: BTreeMap<Cell, Vec<Contents>> = BTreeMap::new();
        for fact in state {
            if let Some(cell) = self.cell(fact) {
                cells.entry(cell).or_default().push(self.contents(fact));
            }
        }
        cells
    }

    /// The content that fills more than half of `count` cells, if there is one: it usually means an empty cell.
    pub(super) fn blank(cells: &BTreeMap<Cell, Vec<Contents>>, count: usize) -> Option<Contents> {
        let mut often: BTreeMap<&Contents, usize> = BTreeMap::new();
        for contents in cells.values().flatten() {
            *often.entry(contents).or_default() += 1;
        }
        often.into_iter().find(|(_, times)| times * 2 > count).map(|(contents, _)| contents.clone())
    }
}

/// The elements of an order that are in a domain, from first to last, as positions in the domain.
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

/// The inverse of `along`: for each position of the domain its index in the list.
pub(super) fn places_of(along: &[usize], domain: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; domain];
    along.iter().enumerate().for_each(|(place, &position)| places[position] = Some(place));
    places
}
