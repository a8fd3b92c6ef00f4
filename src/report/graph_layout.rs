//! Places the cells of a graph in the plane, if possible without lines that cross.
//!
//! # Source
//! Gansner, Koren and North, "Graph drawing by stress majorization", 2004: each cell in turn moves to the weighted mean
//! of the positions that the others want for it. Weights are inverse squares of distances. The method starts from
//! classical scaling (Torgerson 1952) and from a circle. If lines cross in both results, it also starts from
//! barycentric drawings (Tutte 1963). There a cycle is the outline, and every other cell is at the mean of its
//! neighbours.

use std::collections::{BTreeSet, VecDeque};

/// The rounds of majorization; few graphs of games change after half of them.
const ROUNDS: usize = 300;

/// Limits the lines of a graph whose crossings are counted. A graph with more is drawn from a circle only.
const LINES: usize = 400;
/// Limits the cycles that are tried as the outline of a barycentric drawing.
const OUTLINES: usize = 24;

/// The least distance of two cells; cells that are closer count as a crossing.
const CLOSEST: f64 = 0.2;

/// A cell on one of several rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ring {
    /// The index of the ring; ring 0 is the outermost.
    pub(super) number: usize,
    /// The index of the place on the ring, clockwise.
    pub(super) place: usize,
    /// The number of places.
    pub(super) length: usize,
    /// The number of rings.
    pub(super) count: usize,
}

/// The positions of cells on concentric rings: squares if the places have four equal sides. Corners are at places
/// without lines between rings, if there are such places.
pub(super) fn rings(cells: &[Ring], lines: &[[usize; 2]]) -> Vec<[f64; 2]> {
    let radial = lines.iter().filter(|line| cells[line[0]].number != cells[line[1]].number);
    let joined: BTreeSet<usize> = radial.flatten().map(|&cell| cells[cell].place).collect();
    let place = |cell: &Ring| {
        let inside = (cell.count - 1 - cell.number) as f64;
        if !cell.length.is_multiple_of(4) {
            let radius = inside + cell.length as f64 / std::f64::consts::TAU;
            let angle = std::f64::consts::TAU * (cell.place as f64 / cell.length as f64 - 0.25);
            return [radius * angle.cos(), radius * angle.sin()];
        }
        let side = cell.length / 4;
        let is_corner = |corner: &usize| joined.iter().all(|place| place % side != *corner);
        let corner = (0..side).find(is_corner).unwrap_or(0);
        let half = inside + side as f64 / 2.0;
        let steps = (cell.place + cell.length - corner) % cell.length;
        let along = 2.0 * half * (steps % side) as f64 / side as f64 - half;
        match steps / side {
            0 => [along, -half],
            1 => [half, along],
            2 => [-along, half],
            _ => [-half, -along],
        }
    };
    cells.iter().map(place).collect()
}

/// The positions of cells, given the joined pairs. Neighbours are about one unit apart.
pub(super) fn layout(cells: usize, edges: &[[usize; 2]]) -> Vec<[f64; 2]> {
    let mut neighbours = vec![Vec::new(); cells];
    for &[from, to] in edges {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let apart = (cells as f64).sqrt() + 1.0;
    let distances: Vec<Vec<f64>> = (0..cells).map(|cell| distances(cell, &neighbours, apart)).collect();
    let spread = |mut places: Vec<[f64; 2]>, rounds: usize| {
        majorize(&mut places, &distances, rounds);
        places
    };
    let circle = spread(circle(cells), ROUNDS);
    if edges.len() > LINES {
        return align_to_axes(circle, edges);
    }
    let scaled = spread(scaling(&distances), ROUNDS);
    let mut best = (crossings(&scaled, edges), scaled);
    let mut offer = |places: Vec<[f64; 2]>| {
        let crossings = crossings(&places, edges);
        if crossings < best.0 {
            best = (crossings, places);
        }
        best.0 == 0
    };
    if !offer(circle) {
        for outline in outlines(&neighbours).into_iter().take(OUTLINES) {
            let flat = barycentric(&outline, &neighbours);
            if crossings(&flat, edges) > 0 {
                continue;
            }
            // Majorization evens out the distances, and may let lines cross again.
            let done = [ROUNDS, 10, 1].into_iter().any(|rounds| offer(spread(flat.clone(), rounds)));
            if done || offer(flat) {
                break;
            }
        }
    }
    align_to_axes(best.1, edges)
}

/// A start on a circle that is not exact: symmetric forces would cancel.
fn circle(cells: usize) -> Vec<[f64; 2]> {
    let radius = cells as f64 / std::f64::consts::TAU;
    let place = |cell: usize| {
        let (sin, cos) = (std::f64::consts::TAU * cell as f64 / cells.max(1) as f64).sin_cos();
        [radius * cos * (1.0 + 0.01 * (cell % 7) as f64), radius * sin]
    };
    (0..cells).map(place).collect()
}

/// Moves the cells in rounds to lower the stress.
fn majorize(places: &mut [[f64; 2]], distances: &[Vec<f64>], rounds: usize) {
    let cells = places.len();
    for _ in 0..rounds {
        for cell in 0..cells {
            let (mut sum, mut weights) = ([0.0, 0.0], 0.0);
            for other in (0..cells).filter(|&other| other != cell) {
                let target = distances[cell][other];
                let [x, y] = [0, 1].map(|axis| places[cell][axis] - places[other][axis]);
                let length = (x * x + y * y).sqrt().max(1e-6);
                let weight = 1.0 / (target * target);
                sum[0] += weight * (places[other][0] + target * x / length);
                sum[1] += weight * (places[other][1] + target * y / length);
                weights += weight;
            }
            if weights > 0.0 {
                places[cell] = sum.map(|sum| sum / weights);
            }
        }
    }
}

/// Classical scaling: the two main directions of the distances, by power iteration.
fn scaling(distances: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let cells = distances.len();
    let square = |from: usize, to: usize| distances[from][to] * distances[from][to];
    let mean = |from: usize| (0..cells).map(|to| square(from, to)).sum::<f64>() / cells.max(1) as f64;
    let means: Vec<f64> = (0..cells).map(mean).collect();
    let all = means.iter().sum::<f64>() / cells.max(1) as f64;
    let product = |from: usize, to: usize| (means[from] + means[to] - square(from, to) - all) / 2.0;
    let norm = |vector: &[f64]| vector.iter().map(|part| part * part).sum::<f64>().sqrt();
    let mut directions: Vec<Vec<f64>> = Vec::new();
    for axis in 0..2 {
        // Any start without symmetry will do.
        let mut vector: Vec<f64> = (0..cells).map(|cell| ((cell * (axis + 2) + 1) as f64).sin()).collect();
        let mut value = 0.0;
        for _ in 0..ROUNDS {
            for other in &directions {
                let length = norm(other).powi(2).max(1e-9);
                let shared = vector.iter().zip(other).map(|(a, b)| a * b).sum::<f64>() / length;
                vector.iter_mut().zip(other).for_each(|(part, other)| *part -= shared * other);
            }
            let length = norm(&vector).max(1e-9);
            vector.iter_mut().for_each(|part| *part /= length);
            vector =
                (0..cells).map(|from| (0..cells).map(|to| product(from, to) * vector[to]).sum()).collect();
            value = norm(&vector);
        }
        let length = value.max(1e-9);
        directions.push(vector.iter().map(|part| part / length * value.max(0.0).sqrt()).collect());
    }
    (0..cells).map(|cell| [directions[0][cell], directions[1][cell]]).collect()
}

/// The number of pairs of lines that cross, and of cells that are too close to each other or to a line.
fn crossings(places: &[[f64; 2]], edges: &[[usize; 2]]) -> usize {
    let apart = |a: [f64; 2], b: [f64; 2]| ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt();
    // On which side of the line from `a` to `b` a point is.
    let side =
        |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let mut count = 0;
    for (number, &place) in places.iter().enumerate() {
        count += places[..number].iter().filter(|&&other| apart(place, other) < CLOSEST).count();
        for &[from, to] in edges.iter().filter(|edge| !edge.contains(&number)) {
            let (a, b) = (places[from], places[to]);
            let length = apart(a, b).max(1e-9);
            let along =
                ((place[0] - a[0]) * (b[0] - a[0]) + (place[1] - a[1]) * (b[1] - a[1])) / (length * length);
            let is_on = (0.0..1.0).contains(&along) && side(a, b, place).abs() / length < CLOSEST / 2.0;
            count += usize::from(is_on);
        }
    }
    for (number, &[a, b]) in edges.iter().enumerate() {
        for &[c, d] in edges[..number].iter().filter(|other| !other.contains(&a) && !other.contains(&b)) {
            let [a, b, c, d] = [a, b, c, d].map(|cell| places[cell]);
            let opposite = |one: f64, other: f64| one * other < 0.0;
            let crosses = opposite(side(a, b, c), side(a, b, d)) && opposite(side(c, d, a), side(c, d, b));
            count += usize::from(crosses);
        }
    }
    count
}

/// For each line a shortest cycle through it, the longest first: the faces of a plane drawing are among such cycles.
fn outlines(neighbours: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut cycle_sets: BTreeSet<Vec<usize>> = BTreeSet::new();
    let mut cycles: Vec<Vec<usize>> = Vec::new();
    for (from, next) in neighbours.iter().enumerate() {
        for &to in next.iter().filter(|&&to| to > from) {
            let Some(cycle) = detour(from, to, neighbours) else { continue };
            let mut members = cycle.clone();
            members.sort_unstable();
            if cycle_sets.insert(members) {
                cycles.push(cycle);
            }
        }
    }
    cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
    cycles
}

/// A shortest path between two neighbours that does not use the line between them.
fn detour(from: usize, to: usize, neighbours: &[Vec<usize>]) -> Option<Vec<usize>> {
    let mut before: Vec<Option<usize>> = vec![None; neighbours.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(cell) = queue.pop_front() {
        for &next in &neighbours[cell] {
            let is_line = cell == from && next == to;
            if !is_line && next != from && before[next].is_none() {
                before[next] = Some(cell);
                queue.push_back(next);
            }
        }
    }
    let mut path = vec![to];
    while let Some(cell) = before[*path.last()?] {
        path.push(cell);
    }
    (path.len() > 2 && path.last() == Some(&from)).then_some(path)
}

/// A drawing with an outline on a circle and every other cell at the mean of its neighbours.
fn barycentric(outline: &[usize], neighbours: &[Vec<usize>]) -> Vec<[f64; 2]> {
    let cells = neighbours.len();
    let radius = (cells as f64 / std::f64::consts::PI).sqrt().max(1.0) * 1.5;
    let mut places = vec![[0.0, 0.0]; cells];
    for (number, &cell) in outline.iter().enumerate() {
        let (sin, cos) = (std::f64::consts::TAU * (number as f64 + 0.5) / outline.len() as f64).sin_cos();
        places[cell] = [radius * cos, radius * sin];
    }
    for _ in 0..ROUNDS {
        for cell in (0..cells).filter(|cell| !outline.contains(cell) && !neighbours[*cell].is_empty()) {
            let mean = |axis: usize| neighbours[cell].iter().map(|&next| places[next][axis]).sum::<f64>();
            places[cell] = [0, 1].map(|axis| mean(axis) / neighbours[cell].len() as f64);
        }
    }
    places
}

/// Turns a drawing so that lines run across or up as far as possible.
fn align_to_axes(places: Vec<[f64; 2]>, edges: &[[usize; 2]]) -> Vec<[f64; 2]> {
    let (mut sine, mut cosine) = (0.0, 0.0);
    for [from, to] in edges.iter().map(|edge| edge.map(|cell| places[cell])) {
        let angle = 4.0 * (to[1] - from[1]).atan2(to[0] - from[0]);
        sine += angle.sin();
        cosine += angle.cos();
    }
    let (sin, cos) =
        if sine.hypot(cosine) < 1e-6 { (0.0, 1.0) } else { (-sine.atan2(cosine) / 4.0).sin_cos() };
    places.into_iter().map(|[x, y]| [x * cos - y * sin, x * sin + y * cos]).collect()
}

/// The lengths of the shortest paths from a cell; `apart` for cells that can't be reached.
fn distances(from: usize, neighbours: &[Vec<usize>], apart: f64) -> Vec<f64> {
    let mut lengths = vec![apart; neighbours.len()];
    let mut seen = vec![false; neighbours.len()];
    let mut queue = VecDeque::from([(from, 0.0)]);
    seen[from] = true;
    while let Some((cell, distance)) = queue.pop_front() {
        lengths[cell] = distance;
        for &next in &neighbours[cell] {
            if !std::mem::replace(&mut seen[next], true) {
                queue.push_back((next, distance + 1.0));
            }
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    #[test]
    fn rings_are_round_with_unit_distances() {
        let edges: Vec<[usize; 2]> = (0..8).map(|cell| [cell, (cell + 1) % 8]).collect();
        let places = layout(8, &edges);
        for &[from, to] in &edges {
            let length = distance(places[from], places[to]);
            assert!((0.8..1.2).contains(&length), "{length}");
        }
        assert!(distance(places[0], places[4]) > 2.0);
        assert_eq!(places, layout(8, &edges));
    }

    #[test]
    fn unconnected_cells_stay_apart() {
        let places = layout(4, &[[0, 1], [2, 3]]);
        assert!(distance(places[0], places[2]) > 1.5 && distance(places[0], places[1]) < 1.5);
        assert_eq!(layout(0, &[]), Vec::<[f64; 2]>::new());
    }

    #[test]
    fn rings_of_eight_are_squares() {
        // Nine men's morris: the second and every other place of a ring is joined with the next ring.
        let cells: Vec<Ring> =
            (0..24).map(|cell| Ring { number: cell / 8, place: cell % 8, length: 8, count: 3 }).collect();
        let round = (0..24).map(|cell| [cell, cell / 8 * 8 + (cell + 1) % 8]);
        let radial = (0..16).filter(|cell| cell % 2 == 1).map(|cell| [cell, cell + 8]);
        let lines: Vec<[usize; 2]> = round.chain(radial).collect();
        let places = rings(&cells, &lines);
        assert_eq!(places[..4], [[-3.0, -3.0], [0.0, -3.0], [3.0, -3.0], [3.0, 0.0]]);
        assert_eq!(places[16..18], [[-1.0, -1.0], [0.0, -1.0]]);
        assert_eq!(crossings(&places, &lines), 0);
        let three = [0, 1, 2].map(|place| Ring { number: 0, place, length: 3, count: 1 });
        assert!(rings(&three, &[])[0][1] < 0.0, "the first place is at the top");
    }

    #[test]
    fn plane_graphs_are_drawn_without_crossings() {
        // A grid of 5 by 5, a wheel, a prism of two rings, and a tree.
        let grid = (0..25).flat_map(|cell| {
            let across = (cell % 5 < 4).then_some([cell, cell + 1]);
            across.into_iter().chain((cell < 20).then_some([cell, cell + 5]))
        });
        let wheel = (1..8).flat_map(|cell| [[0, cell], [cell, cell % 7 + 1]]);
        let prism = (0..6)
            .flat_map(|cell| [[cell, (cell + 1) % 6], [cell + 6, (cell + 1) % 6 + 6], [cell, cell + 6]]);
        let tree = (1..15).map(|cell| [cell, (cell - 1) / 2]);
        let graphs: [(usize, Vec<[usize; 2]>); 4] =
            [(25, grid.collect()), (8, wheel.collect()), (12, prism.collect()), (15, tree.collect())];
        for (cells, edges) in graphs {
            let places = layout(cells, &edges);
            assert_eq!(crossings(&places, &edges), 0, "{cells} cells: {places:?}");
        }
    }
}
