//! Places the cells of a board: squares for two coordinates; hexagons if the adjacency has six directions; a graph if a
//! coordinate has no order; planes side by side for more than two coordinates.

use std::collections::{BTreeMap, BTreeSet};

use super::super::cells::{Cell, CellBoard};
use super::graph_layout::layout;

/// The side of a square cell, and the margin for the names of rows and columns.
pub(super) const SIDE: f64 = 40.0;
const MARGIN: f64 = 24.0;

/// The distance of neighbours in a graph.
const APART: f64 = 62.0;

/// The most cells of a row of a board with one coordinate.
const ROW: usize = 20;

/// The most cells of a graph that is laid out by path lengths.
const GRAPH: usize = 250;

/// The most coordinates that can be drawn: planes of planes.
const MOST_AXES: usize = 4;

/// The shape of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Square,
    Hexagon,
    Point,
}

/// The name of a row, a column or a plane.
pub(super) struct AxisLabel {
    pub(super) at: [f64; 2],
    pub(super) text: String,
}

/// The cells of a board in the plane.
pub(super) struct Shape {
    pub(super) size: [f64; 2],
    pub(super) form: Form,
    /// The cells with their centres, in the order of their coordinates.
    pub(super) cells: Vec<(Cell, [f64; 2])>,
    /// The lines between cells that are drawn as points.
    pub(super) lines: Vec<[[f64; 2]; 2]>,
    pub(super) labels: Vec<AxisLabel>,
    /// The caption, which explains the axes.
    pub(super) caption: String,
}

impl Shape {
    /// Places the cells of a board, given the joined pairs; `None` if there are too many coordinates or cells.
    pub(super) fn new(board: &CellBoard<'_>, cells: &BTreeSet<Cell>, joined: &[[Cell; 2]]) -> Option<Shape> {
        match board.axes.len() {
            _ if cells.is_empty() => None,
            1 if joined.is_empty() || cells.len() > GRAPH => Some(row(board, cells)),
            1 => Some(graph(cells, joined)),
            2 if !joined.is_empty() && board.ordered.contains(&false) && cells.len() <= GRAPH => {
                Some(graph(cells, joined))
            }
            2 => Some(match hexagons(joined) {
                Some(shear) => plane(board, cells, Form::Hexagon, shear),
                None => plane(board, cells, Form::Square, 0.0),
            }),
            axes if axes <= MOST_AXES => Some(planes(board, cells)),
            _ => None,
        }
    }
}

/// If each cell has six neighbours in the pattern of hexagons, the horizontal shift of a row against the one below, in cells.
fn hexagons(joined: &[[Cell; 2]]) -> Option<f64> {
    let mut seen: BTreeSet<[i64; 2]> = BTreeSet::new();
    for [from, to] in joined {
        let step = [0, 1].map(|axis| to[axis] as i64 - from[axis] as i64);
        seen.extend([step, step.map(|part| -part)]);
    }
    let around = |across: i64| [[1, 0], [0, 1], [1, across], [-1, 0], [0, -1], [-1, -across]];
    let only = |across| seen.len() == 6 && around(across).iter().all(|step| seen.contains(step));
    match (only(1), only(-1)) {
        (true, _) => Some(-0.5),
        (_, true) => Some(0.5),
        _ => None,
    }
}

/// The name of a coordinate, cut to fit next to a board.
fn short(word: &str) -> String {
    let cut: String = word.chars().take(5).collect();
    if cut.len() < word.len() { format!("{cut}…") } else { cut }
}

fn reading(board: &CellBoard<'_>) -> String {
    format!("argument {} runs across, argument {} up", board.axes[0] + 1, board.axes[1] + 1)
}

/// Squares or hexagons by two coordinates.
fn plane(board: &CellBoard<'_>, cells: &BTreeSet<Cell>, form: Form, shear: f64) -> Shape {
    let [across, up] = [0, 1].map(|axis| board.elements[axis].len() as f64);
    let (dx, dy) = match form {
        Form::Hexagon => (SIDE, SIDE * 3.0_f64.sqrt() / 2.0),
        _ => (SIDE, SIDE),
    };
    let left = MARGIN + if shear < 0.0 { -shear * dx * (up - 1.0) } else { 0.0 };
    let place =
        |x: f64, y: f64| [left + dx * (x + 0.5 + shear * y), 8.0 + dy * (up - y - 0.5) + (SIDE - dy) / 2.0];
    let mut labels: Vec<AxisLabel> = Vec::new();
    for (y, word) in board.elements[1].iter().enumerate() {
        let [x, y] = place(-0.5, y as f64);
        labels.push(AxisLabel { at: [x - 10.0, y + 4.0], text: short(word) });
    }
    for (x, word) in board.elements[0].iter().enumerate() {
        let [x, y] = place(x as f64, 0.0);
        labels.push(AxisLabel { at: [x, y + SIDE / 2.0 + 14.0], text: short(word) });
    }
    Shape {
        size: [
            MARGIN + dx * (across + shear.abs() * (up - 1.0)) + 8.0,
            8.0 + dy * (up - 1.0) + SIDE + MARGIN,
        ],
        form,
        cells: cells.iter().map(|cell| (cell.clone(), place(cell[0] as f64, cell[1] as f64))).collect(),
        lines: Vec::new(),
        labels,
        caption: reading(board),
    }
}

/// A row of cells, or several where it is long.
fn row(board: &CellBoard<'_>, cells: &BTreeSet<Cell>) -> Shape {
    let count = cells.len();
    let rows = count.div_ceil(ROW);
    let place = |number: usize| {
        [8.0 + SIDE * ((number % ROW) as f64 + 0.5), 8.0 + (SIDE + 18.0) * (number / ROW) as f64 + SIDE / 2.0]
    };
    let label = |(number, cell): (usize, &Cell)| {
        let [x, y] = place(number);
        AxisLabel { at: [x, y + SIDE / 2.0 + 13.0], text: short(board.elements[0][cell[0]]) }
    };
    Shape {
        size: [16.0 + SIDE * count.min(ROW) as f64, 8.0 + (SIDE + 18.0) * rows as f64],
        form: Form::Square,
        cells: cells.iter().enumerate().map(|(number, cell)| (cell.clone(), place(number))).collect(),
        lines: Vec::new(),
        labels: cells.iter().enumerate().map(label).collect(),
        caption: format!("argument {} names the cell", board.axes[0] + 1),
    }
}

/// A graph of joined cells.
fn graph(cells: &BTreeSet<Cell>, joined: &[[Cell; 2]]) -> Shape {
    let numbers: BTreeMap<&Cell, usize> =
        cells.iter().enumerate().map(|(number, cell)| (cell, number)).collect();
    let edges: Vec<[usize; 2]> =
        joined.iter().filter_map(|[from, to]| Some([*numbers.get(from)?, *numbers.get(to)?])).collect();
    let places = layout(cells.len(), &edges);
    let least = [0, 1].map(|axis| places.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min));
    let most = [0, 1].map(|axis| places.iter().map(|place| place[axis]).fold(f64::NEG_INFINITY, f64::max));
    let place =
        |number: usize| [0, 1].map(|axis| MARGIN + 4.0 + APART * (places[number][axis] - least[axis]));
    Shape {
        size: [0, 1].map(|axis| 2.0 * MARGIN + 8.0 + APART * (most[axis] - least[axis])),
        form: Form::Point,
        cells: cells.iter().enumerate().map(|(number, cell)| (cell.clone(), place(number))).collect(),
        lines: edges.iter().map(|edge| edge.map(place)).collect(),
        labels: Vec::new(),
        caption: "lines join neighbouring cells; distances approximate path lengths".to_owned(),
    }
}

/// Planes of the last two coordinates, side by side along the first ones. With three coordinates, the shortest one numbers
/// the planes.
fn planes(board: &CellBoard<'_>, cells: &BTreeSet<Cell>) -> Shape {
    let lengths: Vec<usize> = board.elements.iter().map(Vec::len).collect();
    let axes: Vec<usize> = match lengths.len() {
        3 => {
            let outer = (0..3).rev().min_by_key(|&axis| lengths[axis]).unwrap_or(2);
            std::iter::once(outer).chain((0..3).filter(|&axis| axis != outer)).collect()
        }
        _ => (0..lengths.len()).collect(),
    };
    let (outer, inner) = axes.split_at(axes.len() - 2);
    let [wide, high] = [0, 1].map(|axis| SIDE * lengths[inner[axis]] as f64);
    let (rows, gap) = (outer.get(1).map_or(1, |&axis| lengths[axis]), [14.0, 30.0]);
    let corner = |cell: &Cell| {
        let up = outer.get(1).map_or(0, |&axis| rows - 1 - cell[axis]);
        [8.0 + (wide + gap[0]) * cell[outer[0]] as f64, 8.0 + (high + gap[1]) * up as f64]
    };
    let place = |cell: &Cell| {
        let [x, y] = corner(cell);
        [x + SIDE * (cell[inner[0]] as f64 + 0.5), y + high - SIDE * (cell[inner[1]] as f64 + 0.5)]
    };
    let mut labels: BTreeMap<Vec<usize>, AxisLabel> = BTreeMap::new();
    for cell in cells {
        let key: Vec<usize> = outer.iter().map(|&axis| cell[axis]).collect();
        let words: Vec<&str> = outer.iter().map(|&axis| board.elements[axis][cell[axis]]).collect();
        let [x, y] = corner(cell);
        let at = [x + wide / 2.0, y + high + 15.0];
        labels.entry(key).or_insert_with(|| AxisLabel { at, text: words.join(" ") });
    }
    let outer_names: Vec<String> = outer.iter().map(|axis| (board.axes[*axis] + 1).to_string()).collect();
    let caption = format!(
        "each plane is a value of argument{} {}; in it argument {} runs across, argument {} up",
        if outer.len() == 1 { "" } else { "s" },
        outer_names.join(" and "),
        board.axes[inner[0]] + 1,
        board.axes[inner[1]] + 1
    );
    Shape {
        size: [
            16.0 + (wide + gap[0]) * lengths[outer[0]] as f64 - gap[0],
            8.0 + (high + gap[1]) * rows as f64 - 8.0,
        ],
        form: Form::Square,
        cells: cells.iter().map(|cell| (cell.clone(), place(cell))).collect(),
        lines: Vec::new(),
        labels: labels.into_values().collect(),
        caption,
    }
}
