//! The facts of boards as an object in a cell.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::gdl::term::TermId;
use crate::machine::{FluentId, Machine, State};
use crate::structure::finding::{Axis, FluentFinding, FluentKind, Structures};

/// A fact of a board: an object in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BoardFact {
    /// The index of the board in [`BoardFacts::boards`].
    pub(super) board: usize,
    /// The cell, among those of all boards.
    pub(super) cell: usize,
    /// The object, among those of all boards. The same symbols on another board are another object.
    pub(super) object: usize,
}

/// The boards of a game, and their facts. Cells and objects are numbered in the order in which they were read.
pub(super) struct BoardFacts<'a> {
    machine: &'a dyn Machine,
    pub(super) boards: Vec<&'a FluentFinding>,
    cells: IndexSet<(usize, Vec<TermId>)>,
    objects: IndexSet<(usize, Vec<TermId>)>,
    table: FxHashMap<FluentId, Option<BoardFact>>,
    /// For each board with two ordered axes, the elements of each axis, in the order of the arguments.
    axes: Vec<Option<[&'a [TermId]; 2]>>,
}

impl<'a> BoardFacts<'a> {
    /// The boards are the fluents with cells whose facts change.
    pub(super) fn new(machine: &'a dyn Machine, structures: &'a Structures) -> BoardFacts<'a> {
        let has_cells = |finding: &&FluentFinding| {
            finding.kind.has_cells() && finding.constant.is_none() && finding.arity > 0
        };
        let boards: Vec<&FluentFinding> = structures.fluents.iter().filter(has_cells).collect();
        let axes = boards.iter().map(|board| ordered_axes(board, structures)).collect();
        let (cells, objects, table) = (IndexSet::new(), IndexSet::new(), FxHashMap::default());
        BoardFacts { machine, boards, cells, objects, table, axes }
    }

    /// The fact of a fluent, if it belongs to a board.
    pub(super) fn fact(&mut self, fluent: FluentId) -> Option<BoardFact> {
        if let Some(&known) = self.table.get(&fluent) {
            return known;
        }
        let fact = self.read(fluent);
        self.table.insert(fluent, fact);
        fact
    }

    fn read(&mut self, fluent: FluentId) -> Option<BoardFact> {
        let (name, arguments) = self.machine.fluent(fluent);
        let of = |board: &&FluentFinding| board.fluent.name == name && board.arity == arguments.len();
        let board = self.boards.iter().position(of)?;
        let coordinates = coordinates(self.boards[board]);
        let (mut cell, mut object) = (Vec::new(), Vec::new());
        for (argument, term) in arguments.into_iter().enumerate() {
            let part = if coordinates.contains(&argument) { &mut cell } else { &mut object };
            part.push(term);
        }
        let cell = self.cells.insert_full((board, cell)).0;
        let object = self.objects.insert_full((board, object)).0;
        Some(BoardFact { board, cell, object })
    }

    /// The board facts of a state, in the order of its fluents.
    pub(super) fn facts(&mut self, state: &State) -> Vec<BoardFact> {
        let mut fluents = Vec::new();
        self.machine.fluents(state, &mut fluents);
        fluents.into_iter().filter_map(|fluent| self.fact(fluent)).collect()
    }

    /// Number of cells of a board that were read.
    pub(super) fn cells_of(&self, board: usize) -> usize {
        self.cells_on(board).count()
    }

    /// The cells of a board that were read.
    pub(super) fn cells_on(&self, board: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.cells.len()).filter(move |&cell| self.cells[cell].0 == board)
    }

    /// The board of a cell.
    pub(super) fn board_of_cell(&self, cell: usize) -> usize {
        self.cells[cell].0
    }

    /// The position of a cell along both axes of its board; none if the board has not two ordered axes.
    pub(super) fn position(&self, cell: usize) -> Option<[i64; 2]> {
        let (board, terms) = &self.cells[cell];
        let elements = self.axes[*board]?;
        let place = |axis: usize| elements[axis].iter().position(|element| *element == terms[axis]);
        Some([place(0)? as i64, place(1)? as i64])
    }

    /// Number of objects of a board that were read.
    pub(super) fn objects_of(&self, board: usize) -> usize {
        self.objects.iter().filter(|(of, _)| *of == board).count()
    }

    /// Number of objects of all boards.
    pub(super) fn objects(&self) -> usize {
        self.objects.len()
    }

    /// The board of an object.
    pub(super) fn board_of(&self, object: usize) -> usize {
        self.objects[object].0
    }

    /// The symbols of an object.
    pub(super) fn symbols(&self, object: usize) -> &[TermId] {
        &self.objects[object].1
    }
}

/// The arguments that are the coordinates of a cell, from 0.
pub(super) fn coordinates(board: &FluentFinding) -> Vec<usize> {
    let axes = board.axes.iter().map(|axis| axis.argument.index());
    let inputs = if board.kind == FluentKind::Place { &board.outputs } else { &board.inputs };
    let list: Vec<usize> = axes.collect();
    if list.is_empty() { inputs.iter().map(|argument| argument.index()).collect() } else { list }
}

/// The elements of both axes of a board, in the order of the arguments; none if it has not two axes, or one has no order.
fn ordered_axes<'a>(board: &FluentFinding, structures: &'a Structures) -> Option<[&'a [TermId]; 2]> {
    let [first, second] = &board.axes[..] else { return None };
    let elements = |axis: &Axis| structures.elements(axis.order?);
    let both = [elements(first)?, elements(second)?];
    Some(if first.argument.index() < second.argument.index() { both } else { [both[1], both[0]] })
}
