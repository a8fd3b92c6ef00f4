//! The facts of boards as an object in a cell.

use indexmap::IndexSet;
use rustc_hash::FxHashMap;

use crate::gdl::term::TermId;
use crate::machine::{FluentId, Machine, State};
use crate::structure::finding::{FluentFinding, FluentKind, Structures};

/// A fact of a board: an object in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct BoardFact {
    /// The board, by its place in [`BoardFacts::boards`].
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
}

impl<'a> BoardFacts<'a> {
    /// The boards are the fluents with cells whose facts change.
    pub(super) fn new(machine: &'a dyn Machine, structures: &'a Structures) -> BoardFacts<'a> {
        let has_cells = |finding: &&FluentFinding| {
            finding.kind.has_cells() && finding.constant.is_none() && finding.arity > 0
        };
        let boards = structures.fluents.iter().filter(has_cells).collect();
        let (cells, objects, table) = (IndexSet::new(), IndexSet::new(), FxHashMap::default());
        BoardFacts { machine, boards, cells, objects, table }
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
        self.cells.iter().filter(|(of, _)| *of == board).count()
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
