//! Static relations between neighbouring cells.

use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::gdl::Description;
use crate::gdl::rule::{Atom, Dependence, Literal, RelationId, RelationKind};
use crate::gdl::term::{Term, TermId};

use super::argument::ArgumentPosition;
use super::detector::Game;
use super::finding::{Adjacency, Axis, FluentFinding, PartialOrder, Structures};
use super::shape;
use super::static_relations::{DetectedChain, DetectedOrder};

/// Most facts of a candidate relation, and of all candidates over all arrangements of their arguments.
const FACTS: usize = 50_000;
const WORK: usize = 1_000_000;

/// Most neighbours of a cell on average: this many, and the number of cells divided by the second value.
const NEIGHBOURS: (usize, usize) = (12, 2);

/// Most coordinates of a cell.
const MOST_COORDINATES: usize = 2;

/// Most cells of a board that is drawn.
const DRAWN: usize = 1_000;

/// The arguments of a fluent that name a cell.
type Cell = Box<[TermId]>;

/// A static relation that may connect neighbouring cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    relation: RelationId,
    /// Its shape in the rules, which breaks ties.
    shape: u64,
}

/// The static relations that may connect neighbouring cells: rules join them with atoms that depend on the
/// state, and they compare nothing.
pub(super) fn candidates(
    description: &Description,
    chains: &[DetectedChain],
    orders: &[DetectedOrder],
    partial_orders: &[PartialOrder],
) -> Vec<Candidate> {
    let mut compares: FxHashSet<RelationId> = chains.iter().map(|chain| chain.relation).collect();
    compares.extend(orders.iter().map(|order| order.relation));
    compares.extend(partial_orders.iter().map(|order| order.relation));
    joined_relations(description, &compares)
}

/// The relation between neighbouring cells of a board with two coordinates, whether these are ordered or
/// not. Pictures use it to distinguish hexagons from squares. None if the board is too large to draw.
pub fn board_adjacency(game: &Game<'_>, structures: &Structures, board: &FluentFinding) -> Option<Adjacency> {
    let [first, second] = board.axes[..] else { return None };
    let domain = |axis: Axis| &board.domains[axis.argument.index()].terms;
    let (first, second) = (domain(first), domain(second));
    if first.len() * second.len() > DRAWN {
        return None;
    }
    let cells: FxHashSet<Cell> = first
        .iter()
        .flat_map(|&one| second.iter().map(move |&other| -> Cell { Box::new([one, other]) }))
        .collect();
    let chains = structures.successors.iter().map(|successor| successor.relation);
    let others = structures.chains.iter().map(|chain| chain.relation);
    let orders = structures.orders.iter().map(|order| order.relation);
    let partial = structures.partial_orders.iter().map(|order| order.relation);
    let compares = chains.chain(others).chain(orders).chain(partial).collect();
    detect(game, &joined_relations(game.description(), &compares), &cells)
}

/// The static relations that rules join with atoms that depend on the state, without those in `compares`.
fn joined_relations(description: &Description, compares: &FxHashSet<RelationId>) -> Vec<Candidate> {
    let is_static =
        |atom: &Atom| description.relations[atom.relation.index()].dependence == Dependence::Static;
    let mut joined: FxHashSet<RelationId> = FxHashSet::default();
    for rule in &description.rules {
        let atoms = || rule.body.iter().filter_map(Literal::atom);
        let mut of_the_state: FxHashSet<&Term> = FxHashSet::default();
        for atom in atoms().chain([&rule.head]).filter(|atom| !is_static(atom)) {
            of_the_state.extend(atom.arguments.iter().filter(|term| matches!(term, Term::Variable(_))));
        }
        let shares = |atom: &&Atom| atom.arguments.iter().any(|term| of_the_state.contains(term));
        joined.extend(atoms().filter(|atom| is_static(atom)).filter(shares).map(|atom| atom.relation));
    }
    let own = description.relation_ids().filter(|(relation, declared)| {
        declared.kind == RelationKind::View
            && declared.dependence == Dependence::Static
            && declared.arity >= 2
            && !compares.contains(relation)
            && joined.contains(relation)
    });
    let shapes = shape::relations(description);
    own.map(|(relation, _)| Candidate { relation, shape: shapes[relation.index()] }).collect()
}

/// The best of these relations: nine of ten facts join two of the cells, eight of ten cells are joined to
/// another, and no cell to more than a few. Its arguments may have any order, and one more argument may
/// give the direction. Of several relations, the one that joins most cells wins, then the one with fewest
/// pairs.
pub(super) fn detect(
    game: &Game<'_>,
    candidates: &[Candidate],
    cells: &FxHashSet<Cell>,
) -> Option<Adjacency> {
    let size = cells.iter().next()?.len();
    let (mut best, mut work) = (None, 0);
    for candidate in candidates {
        let arity = game.description().relations[candidate.relation.index()].arity;
        let fits = (2 * size..=2 * size + 1).contains(&arity) && size <= MOST_COORDINATES;
        if !fits {
            continue;
        }
        let facts = game.statics.tuples(candidate.relation).take(FACTS + 1).count();
        if facts > FACTS {
            continue;
        }
        for places in arrangements(arity, 2 * size) {
            let (from, to) = places.split_at(size);
            // The reverse joins the same cells.
            if from > to {
                continue;
            }
            work += facts;
            if work > WORK {
                break;
            }
            let at = |tuple: &[TermId], places: &[usize]| -> Cell {
                places.iter().map(|&index| tuple[index]).collect()
            };
            let tuples = || game.statics.tuples(candidate.relation);
            // A fact with three cells is not a cell, a neighbour and a direction.
            let third = (0..arity).find(|index| !places.contains(index)).filter(|_| size == 1);
            let is_cell = |term: TermId| cells.contains([term].as_slice());
            if third.is_some_and(|third| tuples().any(|tuple| is_cell(tuple[third]))) {
                continue;
            }
            let pairs = tuples().map(|tuple| (at(tuple, from), at(tuple, to)));
            let Some(Connectivity { cells, pairs }) = connectivity(facts, pairs, cells) else { continue };
            let rank = (cells, Reverse((pairs, arity)), candidate.shape, Reverse(places.clone()));
            if best.as_ref().is_none_or(|(other, _)| *other < rank) {
                let positions =
                    |places: &[usize]| places.iter().map(|&index| ArgumentPosition::at(index)).collect();
                let (from, to) = (positions(from), positions(to));
                best = Some((rank, Adjacency { relation: candidate.relation, from, to, cells }));
            }
        }
    }
    best.map(|(_, adjacency)| adjacency)
}

/// All sequences of `count` distinct positions below `arity`.
fn arrangements(arity: usize, count: usize) -> Vec<Vec<usize>> {
    let mut found = vec![Vec::new()];
    for _ in 0..count {
        let longer = found.into_iter().flat_map(|places: Vec<usize>| {
            let others = (0..arity).filter(|index| !places.contains(index)).collect::<Vec<_>>();
            others.into_iter().map(move |index| places.iter().copied().chain([index]).collect())
        });
        found = longer.collect();
    }
    found
}

/// The number of cells that a relation joins, and of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Connectivity {
    cells: usize,
    pairs: usize,
}

/// What the pairs join, if they connect cells as neighbours.
fn connectivity(
    facts: usize,
    pairs: impl Iterator<Item = (Cell, Cell)>,
    cells: &FxHashSet<Cell>,
) -> Option<Connectivity> {
    let mut foreign = 0_usize;
    let mut neighbours: FxHashMap<Cell, FxHashSet<Cell>> = FxHashMap::default();
    for (one, other) in pairs {
        if one == other {
            return None;
        }
        if cells.contains(&one) && cells.contains(&other) {
            neighbours.entry(one.clone()).or_default().insert(other.clone());
            neighbours.entry(other).or_default().insert(one);
        } else {
            foreign += 1;
            if 10 * foreign > facts {
                return None;
            }
        }
    }
    let count = neighbours.len();
    let pairs: usize = neighbours.values().map(FxHashSet::len).sum();
    let (most, share) = NEIGHBOURS;
    let few = pairs <= most * count && share * pairs <= count * count;
    let found = count > 0 && 10 * count >= 8 * cells.len() && few;
    found.then_some(Connectivity { cells: count, pairs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connectivity(cells: u32, pairs: &[(u32, u32)]) -> Option<usize> {
        let cell = |number: u32| -> Cell { Box::new([TermId(number)]) };
        let mapped = pairs.iter().map(|&(a, b)| (cell(a), cell(b)));
        super::connectivity(pairs.len(), mapped, &(1..=cells).map(cell).collect()).map(|joined| joined.cells)
    }

    #[test]
    fn a_ring_connects_its_cells() {
        let ring: Vec<(u32, u32)> = (1..=6).map(|cell| (cell, cell % 6 + 1)).collect();
        assert_eq!(connectivity(6, &ring), Some(6));
        assert_eq!(connectivity(20, &ring), None, "most cells are joined to none");
    }

    #[test]
    fn a_complete_graph_is_not_an_adjacency() {
        let all: Vec<(u32, u32)> = (1..=6).flat_map(|a| (1..=6).map(move |b| (a, b))).collect();
        let distinct: Vec<(u32, u32)> = all.iter().copied().filter(|(a, b)| a != b).collect();
        assert_eq!(connectivity(6, &distinct), None);
        assert_eq!(connectivity(6, &all), None, "a cell next to itself");
        assert_eq!(connectivity(6, &[(1, 11), (2, 12), (3, 13), (4, 14), (5, 15), (6, 16)]), None, "a map");
    }
}
