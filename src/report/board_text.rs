//! Draws one board as text: a short sign for the contents of each cell, names of rows and columns, and lines between the cells
//! of a graph.

use std::collections::{BTreeMap, BTreeSet};

use super::canvas::{Canvas, Ink};
use super::cell_signs::CellSigns;
use super::cells::{Cell, Contents};
use super::drawn_board::{Arrangement, DrawnBoard, plane_axes};
use super::facts::Fact;
use super::layout::Layout;
use super::paint::Paint;

/// The most characters for several objects on one cell; a cell with more shows `*`.
const TOGETHER: usize = 3;

/// The least number of columns in which a board may be drawn without blanks between its cells.
const DENSE: usize = 60;

/// The most characters of the name of a row.
const ROW_NAME: usize = 12;

/// The most rows of a graph, and the rows that a unit of length takes.
const GRAPH_ROWS: usize = 40;
const SCALES: [f64; 8] = [1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 4.0];

/// The most joined cells and cell names that are listed.
const LISTED: usize = 60;

/// The drawing of a board.
pub(super) struct BoardText {
    /// Its lines.
    pub(super) lines: Vec<String>,
    /// Which arguments the axes are, and the names of cells that the drawing lacks.
    pub(super) reading: String,
    /// The meaning of the signs: entries that end with no separator; empty if all signs are whole words.
    pub(super) legend: String,
}

/// The text of the cells of a state.
struct CellTexts<'b> {
    drawn: &'b DrawnBoard<'b>,
    objects: BTreeMap<Cell, Vec<Contents>>,
    signs: CellSigns,
    inks: BTreeMap<Contents, Ink>,
    taken: BTreeSet<Paint>,
    /// The number of characters of a cell.
    width: usize,
    has_several: bool,
}

impl BoardText {
    /// Draws a board in at most `columns` columns; `None` if it does not fit. Signs are the same for all states whose objects
    /// are in `initial` or in the state.
    pub(super) fn new(
        drawn: &DrawnBoard<'_>,
        state: &[Fact],
        initial: &[Fact],
        roles: &[String],
        columns: usize,
        layout: Layout,
    ) -> Option<BoardText> {
        let texts = CellTexts::new(drawn, state, initial, roles);
        let mut canvas = Canvas::default();
        let reading = match &drawn.arrangement {
            Arrangement::Row => texts.row(&mut canvas, columns)?,
            Arrangement::Squares => texts.plane(&mut canvas, columns, None)?,
            Arrangement::Hexagons { right } => texts.plane(&mut canvas, columns, Some(*right))?,
            Arrangement::Points { places, lines, rings } => {
                texts.points(&mut canvas, columns, places, lines, rings.as_deref())?
            }
            Arrangement::Planes => texts.planes(&mut canvas, columns)?,
        };
        let blank = drawn.blank.as_ref().map(|blank| format!(". {}", blank.join(" ")));
        let several = texts.has_several.then(|| "* several objects".to_owned());
        let legend: Vec<String> = texts.signs.legend().into_iter().chain(blank).chain(several).collect();
        Some(BoardText { lines: canvas.lines(layout, &texts.taken), reading, legend: legend.join("; ") })
    }
}

impl<'b> CellTexts<'b> {
    fn new(drawn: &'b DrawnBoard<'b>, state: &[Fact], initial: &[Fact], roles: &[String]) -> CellTexts<'b> {
        let (objects, before) = (drawn.objects(state), drawn.objects(initial));
        let is_blank = |contents: &&Contents| drawn.blank.as_ref() == Some(*contents);
        let is_mark = |contents: &Contents| (drawn.board.is_mark(contents), contents.clone());
        let known: BTreeSet<Contents> = (before.values().chain(objects.values()).flatten())
            .filter(|contents| !is_blank(contents))
            .cloned()
            .collect();
        let paint = |contents: &Contents| {
            let owner = || Paint::of_symbol(roles.get(*drawn.owners.get(contents)?)?);
            Paint::of_contents(contents).or_else(owner)
        };
        let mut number = 0;
        let mut inks = BTreeMap::new();
        for contents in &known {
            let ink = paint(contents).map_or(Ink::Object(number), Ink::Paint);
            number += usize::from(matches!(ink, Ink::Object(_)));
            inks.insert(contents.clone(), ink);
        }
        let taken = known.iter().filter_map(paint).collect();
        // Marks choose their letters last.
        let mut known: Vec<Contents> = known.into_iter().collect();
        known.sort_by_key(is_mark);
        let signs = CellSigns::new(known);
        let mut texts = CellTexts { drawn, objects, signs, inks, taken, width: 1, has_several: false };
        let width = |cell: &Cell| texts.signs_of(cell).map_or(1, |signs| length(&signs));
        texts.width = texts.objects.keys().map(width).max().unwrap_or(1).max(texts.signs.width).max(1);
        texts.has_several = texts.objects.keys().any(|cell| texts.signs_of(cell).is_none());
        texts
    }

    /// The signs of the objects on a cell with their inks; `None` for too many.
    fn signs_of(&self, cell: &Cell) -> Option<Vec<(&str, Ink)>> {
        let objects = self.objects.get(cell).map_or(&[][..], Vec::as_slice);
        let sign = |contents: &Contents| match self.inks.get(contents) {
            Some(&ink) => (self.signs.of(contents), ink),
            None => (".", Ink::Remark),
        };
        let signs: Vec<(&str, Ink)> = objects.iter().map(sign).collect();
        (signs.len() < 2 || length(&signs) <= TOGETHER).then_some(signs)
    }

    /// Writes a cell so that it ends before a column.
    fn write(&self, canvas: &mut Canvas, cell: &Cell, end: usize, row: usize) {
        if !self.drawn.cells.contains(cell) {
            return;
        }
        let signs = match self.signs_of(cell) {
            None => vec![("*", Ink::Plain)],
            Some(signs) if signs.is_empty() && self.drawn.blank.is_none() => vec![(".", Ink::Remark)],
            Some(signs) => signs,
        };
        let mut column = end - length(&signs);
        for (sign, ink) in signs {
            canvas.write(column, row, sign, ink);
            column += sign.chars().count();
        }
    }

    /// Draws a row, or several if it is long.
    fn row(&self, canvas: &mut Canvas, columns: usize) -> Option<String> {
        let names: Vec<&str> =
            self.drawn.cells.iter().map(|cell| self.drawn.board.elements[0][cell[0]]).collect();
        let width = names.iter().map(|name| name.chars().count()).max()?.max(self.width);
        let in_row = columns / (width + 1);
        if in_row == 0 {
            return None;
        }
        for (number, (cell, name)) in self.drawn.cells.iter().zip(names).enumerate() {
            let (end, row) = ((number % in_row + 1) * (width + 1), 2 * (number / in_row));
            self.write(canvas, cell, end, row);
            canvas.write(end - name.chars().count(), row + 1, name, Ink::Remark);
        }
        Some(format!("argument {} names the cell", self.drawn.board.axes[0] + 1))
    }

    /// Draws rows and columns of squares, or of hexagons: each row half a cell to the right or the left of the one below.
    fn plane(&self, canvas: &mut Canvas, columns: usize, right: Option<bool>) -> Option<String> {
        let board = &self.drawn.board;
        let names = |axis: usize, most: usize| -> Vec<String> {
            board.elements[axis].iter().map(|name| name.chars().take(most).collect()).collect()
        };
        let widest = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let side = names(1, ROW_NAME);
        let (label, rows) = (widest(&side), side.len());
        // A row of hexagons is shifted by half a cell, so that a cell has an even number of columns.
        let pitch_of = |width: usize| width + 1 + usize::from(right.is_some() && width.is_multiple_of(2));
        let shift = |row: usize, pitch: usize| match right {
            None => 0,
            Some(true) => (rows - 1 - row) * pitch / 2,
            Some(false) => row * pitch / 2,
        };
        let fits = |pitch: usize| {
            let most = shift(0, pitch).max(shift(rows - 1, pitch));
            label + 1 + board.elements[0].len() * pitch + most <= columns
        };
        let whole = names(0, usize::MAX);
        let (across, pitch) = match pitch_of(widest(&whole).max(self.width)) {
            pitch if fits(pitch) => (whole, pitch),
            // Too long names of columns are cut, or left out if that makes them equal.
            _ => {
                let cut = names(0, self.width);
                let are_different = cut.iter().collect::<BTreeSet<_>>().len() == cut.len();
                let dense = (right.is_none() && columns >= DENSE).then_some(self.width);
                let pitch = std::iter::once(pitch_of(self.width)).chain(dense).find(|&pitch| fits(pitch))?;
                (if are_different { cut } else { Vec::new() }, pitch)
            }
        };
        for (row, name) in side.iter().rev().enumerate() {
            let start = shift(row, pitch);
            canvas.write(start, row, &format!("{name:>label$}"), Ink::Remark);
            for column in 0..board.elements[0].len() {
                let end = start + label + 1 + (column + 1) * pitch;
                self.write(canvas, &vec![column, rows - 1 - row], end, row);
            }
        }
        for (column, name) in across.iter().enumerate() {
            let end = shift(rows - 1, pitch) + label + 1 + (column + 1) * pitch;
            canvas.write(end - name.chars().count(), rows, name, Ink::Remark);
        }
        let missing = match across.as_slice() {
            cut if cut.iter().eq(board.elements[0].iter()) => String::new(),
            _ => format!("; columns {}", board.elements[0].join(", ")),
        };
        Some(board.reading() + &missing)
    }

    /// Draws planes side by side.
    fn planes(&self, canvas: &mut Canvas, columns: usize) -> Option<String> {
        let board = &self.drawn.board;
        let lengths: Vec<usize> = board.elements.iter().map(Vec::len).collect();
        let axes = plane_axes(&lengths);
        let (outer, inner) = axes.split_at(axes.len() - 2);
        let pitch = self.width + 1;
        let key = |cell: &Cell| -> Vec<usize> { outer.iter().rev().map(|&axis| cell[axis]).collect() };
        let planes: BTreeSet<Vec<usize>> = self.drawn.cells.iter().map(key).collect();
        let name = |plane: &Vec<usize>| {
            let words = outer.iter().rev().zip(plane).map(|(&axis, &place)| board.elements[axis][place]);
            words.collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join(" ")
        };
        let longest = planes.iter().map(|plane| name(plane).chars().count()).max()?;
        let wide = (lengths[inner[0]] * pitch).max(longest + 1) + 1;
        let (high, most) = (lengths[inner[1]] + 2, columns / wide);
        if most == 0 {
            return None;
        }
        // Planes of two coordinates are in rows, if these fit.
        let in_row = if outer.len() == 2 { most.min(lengths[outer[0]]) } else { most };
        let corners: BTreeMap<&Vec<usize>, [usize; 2]> = planes
            .iter()
            .enumerate()
            .map(|(n, plane)| (plane, [n % in_row * wide, n / in_row * high]))
            .collect();
        for cell in &self.drawn.cells {
            let [x, y] = corners[&key(cell)];
            let row = lengths[inner[1]] - 1 - cell[inner[1]];
            self.write(canvas, cell, x + (cell[inner[0]] + 1) * pitch, y + row);
        }
        for (plane, [x, y]) in corners {
            canvas.write(x + 1, y + high - 2, &name(plane), Ink::Remark);
        }
        let outer: Vec<String> = outer.iter().map(|&axis| (board.axes[axis] + 1).to_string()).collect();
        let [across, up] = [0, 1].map(|axis| board.axes[inner[axis]] + 1);
        let several = if outer.len() > 1 { "s" } else { "" };
        Some(format!(
            "planes by argument{several} {}; argument {across} across, {up} up",
            outer.join(" and ")
        ))
    }

    /// Draws points and lines between them. Joined cells without a line are listed.
    fn points(
        &self,
        canvas: &mut Canvas,
        columns: usize,
        places: &[[f64; 2]],
        lines: &[[usize; 2]],
        rings: Option<&str>,
    ) -> Option<String> {
        let scaled = SCALES.iter().filter_map(|&scale| self.grid(places, scale));
        let fitting = scaled.filter(|grid| {
            grid.iter().all(|&[column, row]| column + self.width <= columns && row < GRAPH_ROWS)
        });
        // The smallest grid with most lines.
        let grid =
            fitting.min_by_key(|grid| self.draw_lines(&mut self.points_only(grid), grid, lines).len())?;
        *canvas = self.points_only(&grid);
        let missing = self.draw_lines(canvas, &grid, lines);
        let names: Vec<String> = self.drawn.cells.iter().map(|cell| self.drawn.board.name(cell)).collect();
        let missing: Vec<String> =
            missing.iter().map(|line| line.map(|cell| names[cell].as_str()).join(" – ")).collect();
        let mut by_row: BTreeMap<usize, Vec<(usize, &str)>> = BTreeMap::new();
        for ([column, row], name) in grid.iter().zip(&names) {
            by_row.entry(*row).or_default().push((*column, name));
        }
        let row = |mut cells: Vec<(usize, &str)>| {
            cells.sort_unstable();
            cells.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(", ")
        };
        let mut text = String::from("lines join neighbouring cells");
        if let Some(rings) = rings {
            text.push_str(&format!("; {rings}"));
        } else if names.len() <= LISTED {
            let rows: Vec<String> = by_row.into_values().map(row).collect();
            text.push_str(&format!("; cells from the top: {}", rows.join(" / ")));
        }
        if !missing.is_empty() {
            let more = missing.len().saturating_sub(LISTED);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let listed = &missing[..missing.len().min(LISTED)];
            text.push_str(&format!("; also joined: {}{more}", listed.join(", ")));
        }
        Some(text)
    }

    /// The columns and rows of points in a scale; `None` if two are too close.
    fn grid(&self, places: &[[f64; 2]], scale: f64) -> Option<Vec<[usize; 2]>> {
        let least = [0, 1].map(|axis| places.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min));
        // A character is about twice as high as wide.
        let across = scale * (self.width + 1) as f64;
        let to_grid = |place: &[f64; 2]| {
            [(place[0] - least[0]) * across, (place[1] - least[1]) * scale]
                .map(|at| at.round().max(0.0) as usize)
        };
        let grid: Vec<[usize; 2]> = places.iter().map(to_grid).collect();
        let is_apart = |one: &[usize; 2], other: &[usize; 2]| {
            one[1] != other[1] || one[0].abs_diff(other[0]) > self.width
        };
        let are_apart = grid
            .iter()
            .enumerate()
            .all(|(number, one)| grid[..number].iter().all(|other| is_apart(one, other)));
        are_apart.then_some(grid)
    }

    /// The points of a grid without lines.
    fn points_only(&self, grid: &[[usize; 2]]) -> Canvas {
        let mut canvas = Canvas::default();
        for (cell, [column, row]) in self.drawn.cells.iter().zip(grid) {
            self.write(&mut canvas, cell, column + self.width, *row);
            // A cell without a sign is a point.
            if canvas.is_free(column + self.width - 1, *row) {
                canvas.write(column + self.width - 1, *row, ".", Ink::Remark);
            }
        }
        canvas
    }

    /// Draws lines between points; returns those that are neither straight nor free.
    fn draw_lines(&self, canvas: &mut Canvas, grid: &[[usize; 2]], lines: &[[usize; 2]]) -> Vec<[usize; 2]> {
        let mut missing = Vec::new();
        for line in lines {
            let [from, to] = line.map(|cell| grid[cell]);
            match self.path(canvas, grid, from.min(to), from.max(to)) {
                None => missing.push(*line),
                Some((symbol, path)) => {
                    path.into_iter().for_each(|[column, row]| canvas.write(column, row, symbol, Ink::Remark))
                }
            }
        }
        missing
    }

    /// The places of a line's characters between two points, the left one first.
    fn path(
        &self,
        canvas: &Canvas,
        grid: &[[usize; 2]],
        [left, top]: [usize; 2],
        [right, bottom]: [usize; 2],
    ) -> Option<(&'static str, Vec<[usize; 2]>)> {
        let (across, rows) = (right - left, top.abs_diff(bottom));
        if rows == 0 {
            let is_between = |place: &&[usize; 2]| place[1] == top && place[0] > left && place[0] < right;
            // A wide cell may begin with a blank.
            let free = (left + self.width..right + self.width).filter(|&column| canvas.is_free(column, top));
            let path = free.map(|column| [column, top]).collect();
            return (!grid.iter().any(|place| is_between(&place))).then_some(("-", path));
        }
        // A line in steps of one to three columns looks straight, if it has a character at all.
        let step = if across.is_multiple_of(rows) { across / rows } else { return None };
        if step > 3 || (rows == 1 && step > 0) {
            return None;
        }
        let at = |number: usize| {
            let row = if bottom > top { top + number } else { top - number };
            [left + self.width - 1 + step * number, row]
        };
        let path: Vec<[usize; 2]> = (1..rows).map(at).collect();
        let symbol = match step {
            0 => "|",
            _ if bottom > top => "\\",
            _ => "/",
        };
        path.iter().all(|place| canvas.is_free(place[0], place[1])).then_some((symbol, path))
    }
}

/// The number of characters of signs.
fn length(signs: &[(&str, Ink)]) -> usize {
    signs.iter().map(|(sign, _)| sign.chars().count()).sum()
}
