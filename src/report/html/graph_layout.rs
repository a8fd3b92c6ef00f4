//! Places the cells of a graph in the plane, so that distances approximate the lengths of shortest paths.
//!
//! # Source
//! Gansner, Koren and North, "Graph drawing by stress majorization", 2004: each cell in turn moves to the weighted mean of
//! the positions that the others want for it. Weights are inverse squares of distances.

use std::collections::VecDeque;

/// The rounds of majorization; few graphs of games change after half of them.
const ROUNDS: usize = 300;

/// The positions of cells, given the joined pairs. Neighbours are about one unit apart.
pub(super) fn layout(cells: usize, edges: &[[usize; 2]]) -> Vec<[f64; 2]> {
    let mut neighbours = vec![Vec::new(); cells];
    for &[from, to] in edges {
        neighbours[from].push(to);
        neighbours[to].push(from);
    }
    let apart = (cells as f64).sqrt() + 1.0;
    let distances: Vec<Vec<f64>> = (0..cells).map(|cell| distances(cell, &neighbours, apart)).collect();
    let radius = cells as f64 / std::f64::consts::TAU;
    let mut places: Vec<[f64; 2]> = (0..cells)
        .map(|cell| {
            // The start is not an exact circle: symmetric forces would cancel.
            let (sin, cos) = (std::f64::consts::TAU * cell as f64 / cells.max(1) as f64).sin_cos();
            [radius * cos * (1.0 + 0.01 * (cell % 7) as f64), radius * sin]
        })
        .collect();
    for _ in 0..ROUNDS {
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
    places
}

/// The lengths of the shortest paths from a cell; `apart` for cells that can't be reached.
fn distances(from: usize, neighbours: &[Vec<usize>], apart: f64) -> Vec<f64> {
    let mut found = vec![apart; neighbours.len()];
    let mut seen = vec![false; neighbours.len()];
    let mut queue = VecDeque::from([(from, 0.0)]);
    seen[from] = true;
    while let Some((cell, distance)) = queue.pop_front() {
        found[cell] = distance;
        for &next in &neighbours[cell] {
            if !std::mem::replace(&mut seen[next], true) {
                queue.push_back((next, distance + 1.0));
            }
        }
    }
    found
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
}
