//! Coloured bands along the edges of a board that a role has to connect, as the winning condition found them.

use crate::verdict::ConnectedEdges;

use super::super::cells::Cell;
use super::super::drawn_board::{Arrangement, DrawnBoard};
use super::palette::role_class;
use super::shape::{SIDE, Shape};

/// Points that are closer than this are the same corner.
const NEAR: f64 = 0.5;

/// The band along one edge.
pub(super) struct EdgeBand {
    /// The CSS class of the role's colour.
    pub(super) class: String,
    pub(super) title: String,
    /// The outer sides of the cells of the edge, as connected lines.
    pub(super) lines: Vec<Vec<[f64; 2]>>,
}

/// The bands of a board: two for each role whose edges are on it. `edges` has the index of a role with its edges.
pub(super) fn edge_bands(
    drawn: &DrawnBoard<'_>,
    shape: &Shape,
    edges: &[(usize, ConnectedEdges)],
    roles: &[String],
) -> Vec<EdgeBand> {
    let board = &drawn.board;
    let mut out = Vec::new();
    for (role, edges) in edges.iter().filter(|(_, edges)| edges.fluent == board.finding.fluent) {
        let Some(axis) = board.axes.iter().position(|&argument| argument == edges.argument.index()) else {
            continue;
        };
        let last = board.elements[axis].len() - 1;
        for end in &edges.ends {
            let outwards = match board.elements[axis].iter().position(|element| element == end) {
                Some(0) => -1,
                Some(place) if place == last => 1,
                _ => continue,
            };
            let lines = outer_sides(&drawn.arrangement, shape, axis, outwards);
            if !lines.is_empty() {
                let role_name = roles.get(*role).map_or("", String::as_str);
                out.push(EdgeBand {
                    class: role_class(*role, roles),
                    title: format!("{role_name} connects this edge with the opposite one"),
                    lines,
                });
            }
        }
    }
    out
}

/// The outer sides of the cells at one end of an axis, which are connected where cells touch.
fn outer_sides(arrangement: &Arrangement, shape: &Shape, axis: usize, outwards: i64) -> Vec<Vec<[f64; 2]>> {
    // The steps to the neighbours of a cell, in the order of their directions.
    let (steps, shear, height): (&[[i64; 2]], f64, f64) = match arrangement {
        Arrangement::Squares => (&[[1, 0], [0, 1], [-1, 0], [0, -1]], 0.0, SIDE),
        Arrangement::Hexagons { right } => {
            let height = SIDE * 3.0_f64.sqrt() / 2.0;
            match right {
                true => (&[[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]], 0.5, height),
                false => (&[[1, 0], [1, 1], [0, 1], [-1, 0], [-1, -1], [0, -1]], -0.5, height),
            }
        }
        _ => return Vec::new(),
    };
    let offset = |step: [i64; 2]| {
        let [x, y] = step.map(|part| part as f64);
        [SIDE * (x + shear * y), -height * y]
    };
    // Half of the length of a side.
    let half = if steps.len() == 4 { SIDE / 2.0 } else { SIDE / 3.0_f64.sqrt() / 2.0 };
    let side = |[x, y]: [f64; 2], step: [i64; 2]| {
        let [dx, dy] = offset(step);
        let across = [-dy, dx].map(|part| part / SIDE * half);
        [1.0, -1.0].map(|sign| [x + dx / 2.0 + sign * across[0], y + dy / 2.0 + sign * across[1]])
    };
    let ends = [0, 1].map(|axis| {
        let places = shape.cells.iter().map(|(cell, _)| cell[axis]);
        (places.clone().min().unwrap_or(0), places.max().unwrap_or(0))
    });
    let is_end = |cell: &Cell, axis: usize, sign: i64| {
        cell[axis] == if sign < 0 { ends[axis].0 } else { ends[axis].1 }
    };
    let mut cells: Vec<&(Cell, [f64; 2])> =
        shape.cells.iter().filter(|(cell, _)| is_end(cell, axis, outwards)).collect();
    let other = 1 - axis;
    cells.sort_by_key(|(cell, _)| cell[other]);
    let mut along = [0, 0];
    along[other] = 1;
    let along = offset(along);
    let mut lines: Vec<Vec<[f64; 2]>> = Vec::new();
    for (cell, middle) in cells {
        let own = steps.iter().filter(|step| step[axis] == outwards);
        let mut points: Vec<[f64; 2]> = Vec::new();
        let mut sides: Vec<[[f64; 2]; 2]> = own
            .map(|&step| {
                let [from, to] = side(*middle, step);
                // Two edges share this side of a corner; each has the half that is closer to its other side.
                if step[other] != 0 && is_end(cell, other, step[other]) {
                    let centre = [0, 1].map(|part| (from[part] + to[part]) / 2.0);
                    let mut straight = step;
                    straight[other] = 0;
                    let kept = if touches(side(*middle, straight), from) { from } else { to };
                    return [kept, centre];
                }
                [from, to]
            })
            .collect();
        let forwards = |[x, y]: &[f64; 2]| x * along[0] + y * along[1];
        for side in &mut sides {
            if forwards(&side[0]) > forwards(&side[1]) {
                side.swap(0, 1);
            }
        }
        let start = |side: &[[f64; 2]; 2]| forwards(&side[0]) + forwards(&side[1]);
        sides.sort_by(|a, b| start(a).total_cmp(&start(b)));
        for [from, to] in sides {
            if points.is_empty() {
                points.push(from);
            }
            points.push(to);
        }
        match lines.last_mut() {
            Some(line) if line.last().zip(points.first()).is_some_and(|(a, b)| is_near(*a, *b)) => {
                line.extend(&points[1..]);
            }
            _ => lines.push(points),
        }
    }
    lines
}

fn is_near(a: [f64; 2], b: [f64; 2]) -> bool {
    (a[0] - b[0]).abs() < NEAR && (a[1] - b[1]).abs() < NEAR
}

fn touches(side: [[f64; 2]; 2], point: [f64; 2]) -> bool {
    side.iter().any(|&end| is_near(end, point))
}
