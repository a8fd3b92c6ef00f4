//! Facts of one content that connect two edges of a board, or form one group.

use std::collections::BTreeMap;

use super::facts::FactTable;
use super::state_set::StateSet;
use super::states::StateTable;
use crate::analysis::Game;
use crate::gdl::rule::{Dependence, RelationKind};
use crate::gdl::term::TermId;
use crate::simulate::WorkLimit;

/// Limits: cells of a board, contents, facts of a relation between neighbours, and steps of all searches.
const MAX_CELLS: usize = 400;
const MAX_CONTENTS: usize = 4;
const MAX_NEIGHBOURS: usize = 4_000;
const MAX_WORK: u64 = 60_000_000;

/// A connection of facts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Connection {
    pub(super) family: usize,
    pub(super) content: Vec<TermId>,
    /// The axis whose first and last cells are connected; none if all facts with the content form one group.
    pub(super) axis: Option<usize>,
    /// Which of the relations between neighbours, by index.
    neighbours: usize,
}

/// The cells of a board with its contents.
struct Board {
    family: usize,
    cells: Vec<Vec<TermId>>,
    /// For each axis the first and the last cells.
    edges: Vec<[Vec<bool>; 2]>,
    /// For each content and cell the fact.
    contents: BTreeMap<Vec<TermId>, Vec<Option<usize>>>,
    /// Relations between neighbours: for each cell the next ones.
    neighbours: Vec<Vec<Vec<usize>>>,
}

/// The connections of a game, with the states in which they exist.
pub(super) fn connections(
    game: &Game<'_>,
    facts: &FactTable<'_>,
    table: &StateTable<'_>,
    limit: &WorkLimit<'_>,
) -> Vec<(Connection, StateSet)> {
    let mut all = Vec::new();
    let mut work = 0;
    for family in 0..facts.families.len() {
        let Some(board) = Board::new(game, facts, family) else { continue };
        for (content, own) in &board.contents {
            for (number, neighbours) in board.neighbours.iter().enumerate() {
                let mut states = vec![StateSet::empty(table.len()); 1 + board.edges.len()];
                for state in 0..table.len() {
                    let held: Vec<bool> = own
                        .iter()
                        .map(|fact| fact.is_some_and(|fact| table.holds(fact).contains(state)))
                        .collect();
                    work += (held.len() * (1 + board.edges.len())) as u64;
                    if work > MAX_WORK || state % 64 == 0 && limit.check().is_err() {
                        return all;
                    }
                    if is_one_group(&held, neighbours) {
                        states[0].insert(state);
                    }
                    for (axis, edges) in board.edges.iter().enumerate() {
                        let reached = reached(&held, neighbours, &edges[0]);
                        if reached.iter().zip(&edges[1]).any(|(&reached, &edge)| reached && edge) {
                            states[1 + axis].insert(state);
                        }
                    }
                }
                let axes = [None].into_iter().chain((0..board.edges.len()).map(Some));
                for (axis, states) in axes.zip(states) {
                    let content = content.clone();
                    all.push((
                        Connection { family: board.family, content, axis, neighbours: number },
                        states,
                    ));
                }
            }
        }
    }
    limit.add(work);
    all
}

impl Board {
    fn new(game: &Game<'_>, facts: &FactTable<'_>, family: usize) -> Option<Board> {
        let of = &facts.families[family];
        if !of.kind().has_cells() || of.place.len() > 2 {
            return None;
        }
        let own = || facts.list.iter().enumerate().filter(|(_, fact)| fact.family == family);
        let mut cells: Vec<Vec<TermId>> = own().map(|(fact, _)| facts.place(fact)).collect();
        cells.sort_unstable();
        cells.dedup();
        if cells.len() > MAX_CELLS {
            return None;
        }
        let cell = |place: &[TermId]| cells.binary_search_by(|cell| cell[..].cmp(place)).ok();
        let mut contents: BTreeMap<Vec<TermId>, Vec<Option<usize>>> = BTreeMap::new();
        for (fact, _) in own() {
            let at = cell(&facts.place(fact))?;
            contents.entry(facts.content(fact)).or_insert_with(|| vec![None; cells.len()])[at] = Some(fact);
        }
        if contents.len() > MAX_CONTENTS {
            return None;
        }
        let mut edges = Vec::new();
        for (axis, order) in of.orders.iter().enumerate() {
            let Some(order) = order else { continue };
            let along = |cell: &Vec<TermId>| order.iter().position(|&term| term == cell[axis]);
            let first = cells.iter().filter_map(along).min()?;
            let last = cells.iter().filter_map(along).max()?;
            let edge = |end| cells.iter().map(|cell| along(cell) == Some(end)).collect();
            if edges.len() == axis {
                edges.push([edge(first), edge(last)]);
            }
        }
        let mut neighbours = Vec::new();
        for (relation, found) in game.machine.description().relation_ids() {
            let fits = found.kind == RelationKind::View
                && found.dependence == Dependence::Static
                && found.arity == 2 * of.place.len()
                && (1..=MAX_NEIGHBOURS).contains(&game.statics.count(relation));
            if !fits {
                continue;
            }
            let mut next = vec![Vec::new(); cells.len()];
            for tuple in game.statics.tuples(relation) {
                let (from, to) = tuple.split_at(of.place.len());
                if let (Some(from), Some(to)) = (cell(from), cell(to)) {
                    next[from].push(to);
                }
            }
            neighbours.push(next);
        }
        let places: Option<Vec<Vec<i32>>> = cells
            .iter()
            .map(|cell| {
                let along = |(term, order): (&TermId, &Option<&[TermId]>)| {
                    order.as_ref()?.iter().position(|of| of == term).map(|at| at as i32)
                };
                cell.iter().zip(&of.orders).map(along).collect()
            })
            .collect();
        if let Some(places) = places {
            // Neighbours along the axes, with one diagonal (hexagons) or both.
            for diagonals in [&[][..], &[1], &[-1], &[1, -1]] {
                let near = |a: &[i32], b: &[i32]| {
                    let steps: Vec<i32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
                    let along: i32 = steps.iter().map(|step| step.abs()).sum();
                    let diagonal = steps.iter().all(|step| step.abs() == 1)
                        && diagonals.contains(&steps.iter().product::<i32>());
                    along == 1 || steps.len() == 2 && diagonal
                };
                let next = |a: &Vec<i32>| (0..places.len()).filter(|&b| near(a, &places[b])).collect();
                neighbours.push(places.iter().map(next).collect());
            }
        }
        Some(Board { family, cells, edges, contents, neighbours }).filter(|board| !board.cells.is_empty())
    }
}

/// The cells with the content that are connected to one of the first cells.
fn reached(held: &[bool], neighbours: &[Vec<usize>], first: &[bool]) -> Vec<bool> {
    let mut reached: Vec<bool> = held.iter().zip(first).map(|(&held, &first)| held && first).collect();
    let mut queue: Vec<usize> = (0..held.len()).filter(|&cell| reached[cell]).collect();
    while let Some(cell) = queue.pop() {
        for &next in &neighbours[cell] {
            if held[next] && !std::mem::replace(&mut reached[next], true) {
                queue.push(next);
            }
        }
    }
    reached
}

fn is_one_group(held: &[bool], neighbours: &[Vec<usize>]) -> bool {
    let Some(start) = held.iter().position(|&held| held) else { return true };
    let first: Vec<bool> = (0..held.len()).map(|cell| cell == start).collect();
    reached(held, neighbours, &first) == held
}
