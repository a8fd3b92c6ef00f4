//! The boards of a game as they are drawn: which fluents share a board, which cells there are, and how they are arranged.

use std::collections::{BTreeMap, BTreeSet};

use crate::structure::finding::{FluentKind, Structures};
use crate::structure::vocabulary::Kif;

use super::board_sources::BoardSources;
use super::cells::{Cell, CellBoard, Contents};
use super::facts::Fact;
use super::graph_layout::{self, Ring};
use super::orientation::{blank, orientation, owners};

/// Limit of the cells of a board; larger boards are not drawn.
pub(super) const CELLS: usize = 900;

/// A graph with more cells is not laid out by path lengths.
const GRAPH: usize = 250;

/// A board with more rings is not drawn as rings.
const RINGS: usize = 8;

/// A fluent that never changes is drawn on a board only if it marks at most one in this many cells.
const MARKED: usize = 3;

/// A board with more coordinates is not drawn. With four, planes are arranged in a plane.
const MOST_AXES: usize = 4;

/// A board as it is drawn.
pub(super) struct DrawnBoard<'s> {
    pub(super) board: CellBoard<'s>,
    pub(super) cells: BTreeSet<Cell>,
    pub(super) arrangement: Arrangement,
    /// The content of empty cells, if there is one.
    pub(super) blank: Option<Contents>,
    /// Facts that mark cells in every state.
    pub(super) marks: Vec<Fact>,
    /// The roles that own objects, by index.
    pub(super) owners: BTreeMap<Contents, usize>,
}

/// How the cells of a board are arranged.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Arrangement {
    /// A row of cells with one coordinate.
    Row,
    /// Squares in rows and columns.
    Squares,
    /// Hexagons in rows, each half a cell to the right or the left of the one below.
    Hexagons {
        /// Whether it is to the right.
        right: bool,
    },
    /// Points, for each cell in their order, about one unit apart, and the joined pairs.
    Points {
        /// The places: to the right and down.
        places: Vec<[f64; 2]>,
        /// The joined cells, by index, each pair once.
        lines: Vec<[usize; 2]>,
        /// The names of the cells by place, if the cells are on rings.
        rings: Option<String>,
    },
    /// Planes of squares: the first coordinates select the plane.
    Planes,
}

/// The boards of a game. `states` are the states to be drawn, the initial one first.
pub(super) fn drawn_boards<'s>(
    structures: &'s Structures<Kif>,
    sources: &BoardSources,
    roles: &[String],
    states: &[&[Fact]],
) -> Vec<DrawnBoard<'s>> {
    let sampled = sources.playouts.iter().flatten().map(|state| state.facts.as_slice());
    let seen: Vec<&[Fact]> = sampled.chain(states.iter().copied()).collect();
    group_fluents(structures, sources, &seen)
        .into_iter()
        .filter_map(|board| DrawnBoard::new(board, structures, sources, roles, states, &seen))
        .collect()
}

/// The boards: fluents with the same cells share one.
fn group_fluents<'s>(
    structures: &'s Structures<Kif>,
    sources: &BoardSources,
    seen: &[&[Fact]],
) -> Vec<CellBoard<'s>> {
    let fluents = || 0..structures.fluents.len();
    // The possible facts, or those seen if the board would be too large.
    let known = |fluent: usize| -> Option<Vec<Fact>> {
        if !sources.known.is_empty() {
            return None;
        }
        let board = CellBoard::new(fluent, structures, &[]).filter(|board| board.size() > CELLS)?;
        let facts = seen.iter().copied().flatten().filter(|fact| board.cell(fact).is_some());
        Some(facts.cloned().collect())
    };
    let mut boards: Vec<CellBoard<'s>> = Vec::new();
    // Marks that never change, such as the walls between cells, hide the objects if there are many.
    let initial = seen.first().copied().unwrap_or(&[]);
    let marks = |fluent: usize| {
        let never_changes = structures.fluents[fluent].constant.is_some();
        let count = initial.iter().filter(|fact| fact.fluent == Some(fluent)).count();
        if never_changes { count } else { 0 }
    };
    let mut add = |fluent: usize, has_cells: bool| {
        let seen = known(fluent);
        let known = seen.as_deref().unwrap_or(&sources.known);
        let mut fitting = boards.iter_mut().filter(|board| MARKED * marks(fluent) <= board.size());
        if fitting.any(|board| board.add_layer(fluent, structures, known)) || !has_cells {
            return;
        }
        boards.extend(CellBoard::new(fluent, structures, known));
    };
    let has_cells = |fluent: &usize| structures.fluents[*fluent].kind.has_cells();
    let is_board = |fluent: &usize| structures.fluents[*fluent].kind == FluentKind::Board;
    let (first, others): (Vec<usize>, Vec<usize>) = fluents().filter(has_cells).partition(is_board);
    first.into_iter().chain(others).for_each(|fluent| add(fluent, true));
    fluents().filter(|fluent| !has_cells(fluent)).for_each(|fluent| add(fluent, false));
    boards.sort_by_key(|board| board.fluents().next());
    boards
}

impl<'s> DrawnBoard<'s> {
    fn new(
        mut board: CellBoard<'s>,
        structures: &Structures<Kif>,
        sources: &BoardSources,
        roles: &[String],
        states: &[&[Fact]],
        seen: &[&[Fact]],
    ) -> Option<Self> {
        let owners = owners(&board, &sources.playouts, roles);
        board.turn(orientation(&board, &sources.playouts, &owners));
        let facts = seen.iter().copied().flatten().chain(&sources.known);
        let mut cells: BTreeSet<Cell> = facts.filter_map(|fact| board.cell(fact)).collect();
        if sources.known.is_empty() && board.size() <= CELLS {
            cells = all(&board.elements);
        }
        if cells.is_empty() || cells.len() > CELLS || board.axes.len() > MOST_AXES {
            return None;
        }
        let first = board.fluents().next();
        let joined: Vec<[Cell; 2]> = (sources.joined.iter().filter(|(fluent, _)| Some(*fluent) == first))
            .flat_map(|(_, pairs)| pairs)
            .filter_map(|[from, to]| Some([board.place(from)?, board.place(to)?]))
            .collect();
        let arrangement = Arrangement::new(&board, structures, &cells, &joined);
        let sampled = sources.playouts.first().and_then(|playout| playout.first());
        let initial = sampled.map(|state| state.facts.as_slice()).or(states.first().copied()).unwrap_or(&[]);
        let blank = blank(&board, initial, &sources.playouts, cells.len());
        // A row shows all contents, so it needs no blank.
        let blank = blank.filter(|_| board.axes.len() > 1);
        let mut marks = Vec::new();
        for found in sources.marks.iter().filter(|found| Some(found.board) == first) {
            board.add_marks(found);
            let marked: Option<BTreeSet<Cell>> = found.facts.iter().map(|fact| board.cell(fact)).collect();
            let fits = |marked: &BTreeSet<Cell>| marked.is_subset(&cells) && 2 * marked.len() <= cells.len();
            match marked.filter(|marked| fits(marked)) {
                Some(_) => marks.extend(found.facts.iter().cloned()),
                None => board.remove_marks(found),
            }
        }
        Some(DrawnBoard { board, cells, arrangement, blank, marks, owners })
    }

    /// The objects on each cell that has some, without the content of empty cells if there is another one.
    pub(super) fn objects(&self, facts: &[Fact]) -> BTreeMap<Cell, Vec<Contents>> {
        let mut cells = self.board.cells(facts.iter().chain(&self.marks));
        cells.retain(|cell, _| self.cells.contains(cell));
        for contents in cells.values_mut() {
            contents.sort();
            contents.dedup();
            if contents.len() > 1 {
                contents.retain(|contents| Some(contents) != self.blank.as_ref());
            }
        }
        cells
    }
}

impl Arrangement {
    fn new(
        board: &CellBoard<'_>,
        structures: &Structures<Kif>,
        cells: &BTreeSet<Cell>,
        joined: &[[Cell; 2]],
    ) -> Arrangement {
        let numbers: BTreeMap<&Cell, usize> = cells.iter().zip(0..).collect();
        let pairs = joined.iter().filter_map(|[from, to]| Some([*numbers.get(from)?, *numbers.get(to)?]));
        let lines: BTreeSet<[usize; 2]> =
            pairs.filter(|[from, to]| from != to).map(|[from, to]| [from.min(to), from.max(to)]).collect();
        let lines: Vec<[usize; 2]> = lines.into_iter().collect();
        let is_graph = !lines.is_empty() && cells.len() <= GRAPH;
        match board.axes.len() {
            1 if is_graph => Arrangement::graph(cells, lines),
            1 => Arrangement::Row,
            2 => {
                if let Some(rings) = rings(board, structures, cells, &lines) {
                    let places = graph_layout::rings(&rings, &lines);
                    let names = ring_names(board, cells, &rings, &places);
                    return Arrangement::Points { places, lines, rings: Some(names) };
                }
                match hexagons(joined) {
                    Some(right) => Arrangement::Hexagons { right },
                    None if is_graph && board.ordered.contains(&false) => Arrangement::graph(cells, lines),
                    None => Arrangement::Squares,
                }
            }
            _ => Arrangement::Planes,
        }
    }

    fn graph(cells: &BTreeSet<Cell>, lines: Vec<[usize; 2]>) -> Arrangement {
        Arrangement::Points { places: graph_layout::layout(cells.len(), &lines), lines, rings: None }
    }
}

/// Names the rings from outside and the places of a ring from the top left.
fn ring_names(board: &CellBoard<'_>, cells: &BTreeSet<Cell>, rings: &[Ring], places: &[[f64; 2]]) -> String {
    let axis_of = |is_it: fn(&Ring, usize) -> bool| {
        let fits = |axis: &usize| cells.iter().zip(rings).all(|(cell, ring)| is_it(ring, cell[*axis]));
        (0..2).find(fits).unwrap_or(0)
    };
    let numbers = axis_of(|ring, place| ring.number == place);
    let round = 1 - numbers;
    let corner = (cells.iter().zip(rings).zip(places))
        .filter(|((_, ring), _)| ring.number == 0)
        .min_by(|(_, a), (_, b)| (a[0] + a[1]).total_cmp(&(b[0] + b[1])))
        .map_or(0, |((_, ring), _)| ring.place);
    let mut around = board.elements[round].clone();
    around.rotate_left(corner);
    format!(
        "argument {} from outside: {}; argument {} clockwise from the top left: {}",
        board.axes[numbers] + 1,
        board.elements[numbers].join(", "),
        board.axes[round] + 1,
        around.join(", ")
    )
}

/// The axes of a board of planes: first those that select a plane, of three the shortest, then those of the plane.
pub(super) fn plane_axes(lengths: &[usize]) -> Vec<usize> {
    match lengths.len() {
        3 => {
            let outer = (0..3).rev().min_by_key(|&axis| lengths[axis]).unwrap_or(2);
            std::iter::once(outer).chain((0..3).filter(|&axis| axis != outer)).collect()
        }
        count => (0..count).collect(),
    }
}

/// If each cell has six neighbours in the pattern of hexagons, whether a row is to the right of the one below.
fn hexagons(joined: &[[Cell; 2]]) -> Option<bool> {
    let mut steps: BTreeSet<[i64; 2]> = BTreeSet::new();
    for [from, to] in joined {
        let step = [0, 1].map(|axis| to[axis] as i64 - from[axis] as i64);
        steps.extend([step, step.map(|part| -part)]);
    }
    let around = |across: i64| [[1, 0], [0, 1], [1, across], [-1, 0], [0, -1], [-1, -across]];
    let only = |across| steps.len() == 6 && around(across).iter().all(|step| steps.contains(step));
    match (only(1), only(-1)) {
        (true, _) => Some(false),
        (_, true) => Some(true),
        _ => None,
    }
}

/// For each cell its ring and its place on the ring, if one coordinate runs around cycles whose neighbours are joined.
fn rings(
    board: &CellBoard<'_>,
    structures: &Structures<Kif>,
    cells: &BTreeSet<Cell>,
    lines: &[[usize; 2]],
) -> Option<Vec<Ring>> {
    let is_cycle = |axis: &usize| {
        let mut axes = board.finding.axes.iter();
        let order = axes.find(|found| found.argument.index() == board.axes[*axis])?.order.as_ref()?;
        structures.cycles.iter().any(|cycle| cycle.pattern == *order).then_some(*axis)
    };
    let mut cycles = [0, 1].iter().filter_map(is_cycle);
    // Two cycles are a torus, which is not easier to read as rings.
    let (Some(round), None) = (cycles.next(), cycles.next()) else { return None };
    let (length, count) = (board.elements[round].len(), board.elements[1 - round].len());
    if count > RINGS || length < 3 || cells.len() != length * count {
        return None;
    }
    let ring = |cell: &Cell| Ring { number: cell[1 - round], place: cell[round], length, count };
    let rings: Vec<Ring> = cells.iter().map(ring).collect();
    let is_round = |line: &&[usize; 2]| {
        let [from, to] = line.map(|cell| rings[cell]);
        let apart = from.place.abs_diff(to.place);
        from.number == to.number && (apart == 1 || apart + 1 == length)
    };
    (lines.iter().filter(is_round).count() == cells.len()).then_some(rings)
}

/// All cells of a board.
fn all(elements: &[Vec<&str>]) -> BTreeSet<Cell> {
    let mut cells = vec![Vec::new()];
    for axis in elements {
        let longer =
            |cell: Cell| (0..axis.len()).map(move |place| cell.iter().copied().chain([place]).collect());
        cells = cells.into_iter().flat_map(longer).collect();
    }
    cells.into_iter().collect()
}
