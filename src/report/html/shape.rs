//! Places the cells of a board on a page: squares, hexagons, points that lines join, and planes side by side.

use std::collections::{BTreeMap, BTreeSet};

use super::super::cells::{Cell, CellBoard};
use super::super::drawn_board::{Arrangement, DrawnBoard, plane_axes};

/// The side of a square cell, and the margin for the names of rows and columns.
pub(super) const SIDE: f64 = 40.0;
const MARGIN: f64 = 24.0;

/// The greatest usual width of a letter of a name.
const LETTER: f64 = 7.0;

/// The distance of neighbours in a graph.
const APART: f64 = 62.0;

/// The most cells of a row of a board with one coordinate.
const ROW: usize = 20;

/// The most planes in one row.
const PLANES: usize = 4;

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
    /// Its CSS class.
    pub(super) class: &'static str,
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
    /// Places the cells of a board.
    pub(super) fn new(drawn: &DrawnBoard<'_>) -> Shape {
        let DrawnBoard { board, cells, .. } = drawn;
        match &drawn.arrangement {
            Arrangement::Row => row(board, cells),
            Arrangement::Squares => plane(board, cells, Form::Square, 0.0),
            Arrangement::Hexagons { right } => {
                plane(board, cells, Form::Hexagon, if *right { 0.5 } else { -0.5 })
            }
            Arrangement::Points { places, lines, rings } => {
                let more = rings.as_ref().map_or(String::new(), |rings| format!("; {rings}"));
                let mut shape = graph(cells, places, lines);
                shape.caption.push_str(&more);
                shape
            }
            Arrangement::Planes => planes(board, cells),
        }
    }
}

/// The name of a coordinate, cut to fit next to a board.
fn short(word: &str) -> String {
    let cut: String = word.chars().take(if word.chars().count() > 5 { 4 } else { 5 }).collect();
    if cut.len() < word.len() { format!("{cut}…") } else { cut }
}

/// Squares or hexagons by two coordinates.
fn plane(board: &CellBoard<'_>, cells: &BTreeSet<Cell>, form: Form, shear: f64) -> Shape {
    let [across, up] = [0, 1].map(|axis| board.elements[axis].len() as f64);
    // The corner of a hexagon is closer to the label below it.
    let (dx, dy, below) = match form {
        Form::Hexagon => (SIDE, SIDE * 3.0_f64.sqrt() / 2.0, 19.0),
        _ => (SIDE, SIDE, 16.0),
    };
    let longest = board.elements[1].iter().map(|word| short(word).chars().count()).max().unwrap_or(0);
    let margin = MARGIN.max(10.0 + LETTER * longest as f64);
    let left = margin + if shear < 0.0 { -shear * dx * (up - 1.0) } else { 0.0 };
    let place =
        |x: f64, y: f64| [left + dx * (x + 0.5 + shear * y), 8.0 + dy * (up - y - 0.5) + (SIDE - dy) / 2.0];
    let mut labels: Vec<AxisLabel> = Vec::new();
    for (y, word) in board.elements[1].iter().enumerate() {
        let [x, y] = place(-0.5, y as f64);
        labels.push(AxisLabel { at: [x - 8.0, y + 4.0], text: short(word), class: "name row" });
    }
    for (x, word) in board.elements[0].iter().enumerate() {
        let [x, y] = place(x as f64, 0.0);
        labels.push(AxisLabel { at: [x, y + SIDE / 2.0 + below], text: short(word), class: "name" });
    }
    Shape {
        size: [
            margin + dx * (across + shear.abs() * (up - 1.0)) + 8.0,
            8.0 + dy * (up - 1.0) + SIDE + MARGIN,
        ],
        form,
        cells: cells.iter().map(|cell| (cell.clone(), place(cell[0] as f64, cell[1] as f64))).collect(),
        lines: Vec::new(),
        labels,
        caption: board.reading(),
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
        let text = short(board.elements[0][cell[0]]);
        AxisLabel { at: [x, y + SIDE / 2.0 + 13.0], text, class: "name" }
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

/// Points that lines join.
fn graph(cells: &BTreeSet<Cell>, places: &[[f64; 2]], lines: &[[usize; 2]]) -> Shape {
    let least = [0, 1].map(|axis| places.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min));
    let most = [0, 1].map(|axis| places.iter().map(|place| place[axis]).fold(f64::NEG_INFINITY, f64::max));
    let place =
        |number: usize| [0, 1].map(|axis| MARGIN + 4.0 + APART * (places[number][axis] - least[axis]));
    Shape {
        size: [0, 1].map(|axis| 2.0 * MARGIN + 8.0 + APART * (most[axis] - least[axis])),
        form: Form::Point,
        cells: cells.iter().enumerate().map(|(number, cell)| (cell.clone(), place(number))).collect(),
        lines: lines.iter().map(|line| line.map(place)).collect(),
        labels: Vec::new(),
        caption: "lines join neighbouring cells".to_owned(),
    }
}

/// Planes of the last two coordinates along the first ones. With three coordinates, the shortest one numbers the planes, and
/// many planes are in several rows.
fn planes(board: &CellBoard<'_>, cells: &BTreeSet<Cell>) -> Shape {
    let lengths: Vec<usize> = board.elements.iter().map(Vec::len).collect();
    let axes = plane_axes(&lengths);
    let (outer, inner) = axes.split_at(axes.len() - 2);
    let [wide, high] = [0, 1].map(|axis| SIDE * lengths[inner[axis]] as f64);
    let count = lengths[outer[0]];
    let columns =
        if outer.len() == 1 && count > PLANES { (count as f64).sqrt().ceil() as usize } else { count };
    let rows = outer.get(1).map_or(count.div_ceil(columns), |&axis| lengths[axis]);
    let gap = [14.0, 30.0];
    let corner = |cell: &Cell| {
        let [across, down] = match outer.get(1) {
            Some(&axis) => [cell[outer[0]], rows - 1 - cell[axis]],
            None => [cell[outer[0]] % columns, cell[outer[0]] / columns],
        };
        [8.0 + (wide + gap[0]) * across as f64, 8.0 + (high + gap[1]) * down as f64]
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
        let at = [x + wide / 2.0, y + high + 21.0];
        labels.entry(key).or_insert_with(|| AxisLabel { at, text: words.join(" "), class: "name plane" });
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
        size: [16.0 + (wide + gap[0]) * columns as f64 - gap[0], 8.0 + (high + gap[1]) * rows as f64],
        form: Form::Square,
        cells: cells.iter().map(|cell| (cell.clone(), place(cell))).collect(),
        lines: Vec::new(),
        labels: labels.into_values().collect(),
        caption,
    }
}
