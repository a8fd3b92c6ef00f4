//! Finds where pieces arrive: how far and in which directions they move, and on which empty cells they are put.
//!
//! A destination is stated only if all moves of the relation that were seen agree with it.

use std::collections::{BTreeMap, BTreeSet};

use super::super::board_facts::BoardFacts;
use super::super::played_game::PlayedGame;
use super::change::BoardChange;
use super::destination::Destination;
use super::empty_cells::EmptyObjects;
use super::move_kind::ChangeKind;
use super::transition::{CellChange, Transition, TransitionReader};
use crate::machine::MoveId;
use crate::simulate::WorkLimit;

/// The least number of moves for a destination.
const MIN_MOVES: u64 = 20;

/// The most states in which the cells for new pieces are compared with the empty cells.
const MAX_STATES: usize = 300;

/// The least number of cells of a line in which pieces are put in order.
const MIN_LINE: usize = 3;

/// The moves of the pieces of one object.
#[derive(Clone, Debug, Default)]
struct ObjectMoves {
    /// The different steps along both axes.
    steps: BTreeSet<[i64; 2]>,
    moves: u64,
}

/// Where the moves of a relation were seen to arrive.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals {
    /// The moves of pieces, by role and object.
    steps: BTreeMap<(usize, usize), ObjectMoves>,
    moved: u64,
    /// Whether a piece moved in a way that has no steps.
    unclear: bool,
    /// Moves that capture nothing, or only the piece on the cell in the middle; and the latter alone.
    over_the_middle: [u64; 2],
    /// The cells of pieces that were put on a board, each with the number of its transition.
    placed: Vec<(usize, usize)>,
}

impl Arrivals {
    /// Adds a move of `role`. `number` is that of its transition, `marker` the object of empty cells.
    pub(super) fn add(
        &mut self,
        (number, role): (usize, usize),
        cells: &[CellChange],
        marker: Option<usize>,
        change: &BoardChange,
        boards: &BoardFacts<'_>,
    ) {
        let filled = |object: Option<usize>| object.filter(|&object| Some(object) != marker);
        match change.kind {
            ChangeKind::Place => {
                let gained =
                    cells.iter().find(|cell| filled(cell.old).is_none() && filled(cell.new).is_some());
                self.placed.extend(gained.filter(|_| change.pieces == 1).map(|cell| (number, cell.cell)));
            }
            ChangeKind::Move => {
                self.moved += 1;
                let pair = cells.iter().find_map(|to| moved_piece(to, cells, &filled, boards));
                let Some(MovedPiece { object, from, to }) = pair.filter(|_| change.pieces == 1) else {
                    self.unclear = true;
                    return;
                };
                let of_object = self.steps.entry((role, object)).or_default();
                of_object.steps.insert([to[0] - from[0], to[1] - from[1]]);
                of_object.moves += 1;
                let middle = [from[0] + to[0], from[1] + to[1]];
                let is_middle = |cell: &&CellChange| {
                    boards.position(cell.cell).is_some_and(|place| place.map(|place| 2 * place) == middle)
                };
                let emptied = |cell: &&CellChange| filled(cell.old).is_some() && filled(cell.new).is_none();
                let others = cells.iter().filter(emptied).count() - 1;
                let jumped = cells.iter().filter(emptied).filter(is_middle).count();
                self.over_the_middle[0] += u64::from(others == jumped);
                self.over_the_middle[1] += u64::from(others == jumped && jumped == 1);
            }
            _ => {}
        }
    }

    /// Whether most of these moves move pieces.
    pub(super) fn are_moved(&self) -> bool {
        self.moved > self.placed.len() as u64
    }

    /// Where moved pieces arrive; none if the moves don't agree or are too few.
    pub(super) fn of_moved(&self) -> Option<Destination> {
        if self.unclear || self.moved < MIN_MOVES {
            return None;
        }
        let all: BTreeSet<[i64; 2]> =
            self.steps.values().flat_map(|of_object| &of_object.steps).copied().collect();
        // The greater and the smaller number of steps along an axis.
        let lengths = |step: &[i64; 2]| {
            let [a, b] = step.map(i64::abs);
            (a.max(b), a.min(b))
        };
        if all.iter().all(|step| lengths(step) == (2, 1)) {
            return Some(Destination::Knight);
        }
        if !all.iter().all(|step| matches!(lengths(step), (long, short) if short == 0 || short == long)) {
            return None;
        }
        Some(Destination::Steps {
            least: all.iter().map(|step| lengths(step).0).min()?,
            most: all.iter().map(|step| lengths(step).0).max()?,
            straight: all.iter().any(|step| lengths(step).1 == 0),
            diagonal: all.iter().any(|step| lengths(step).1 > 0),
            forward: (0..2).any(|axis| self.forward(axis, 1).len() == self.steps.len()),
            jumps: self.over_the_middle[0] == self.moved && self.over_the_middle[1] > 0,
        })
    }

    /// The objects that move only forward, if another was seen to move otherwise.
    pub(super) fn only_forward(&self) -> BTreeSet<usize> {
        let differ = |axis: &usize| self.forward(*axis, 1).len() < self.steps.len();
        let of_axis = (0..2).filter(differ).map(|axis| self.forward(axis, MIN_MOVES));
        of_axis.max_by_key(BTreeSet::len).unwrap_or_default()
    }

    /// The objects that move only forward along an axis: those of each role in one direction, and those of two roles in
    /// opposite ones. Objects with fewer than `least` moves are left out.
    fn forward(&self, axis: usize, least: u64) -> BTreeSet<usize> {
        let direction = |steps: &BTreeSet<[i64; 2]>| {
            let mut signs = steps.iter().map(|step| step[axis].signum());
            let first = signs.next().filter(|&sign| sign != 0)?;
            signs.all(|sign| sign == first).then_some(first)
        };
        let of_objects = self.steps.iter().filter(|(_, of_object)| of_object.moves >= least);
        let forward: Vec<(usize, usize, i64)> = of_objects
            .filter_map(|(&(role, object), of)| Some((role, object, direction(&of.steps)?)))
            .collect();
        let directions: BTreeSet<(usize, i64)> =
            forward.iter().map(|&(role, _, direction)| (role, direction)).collect();
        let roles: BTreeSet<usize> = forward.iter().map(|&(role, ..)| role).collect();
        let opposite = forward.iter().map(|&(.., direction)| direction).collect::<BTreeSet<i64>>().len() == 2;
        let all_roles = self.steps.keys().all(|(role, _)| roles.contains(role));
        let objects = || forward.iter().map(|&(_, object, _)| object).collect();
        if opposite && all_roles && directions.len() == roles.len() { objects() } else { BTreeSet::new() }
    }

    /// On which empty cells pieces are put; none if neither rule holds or the moves are too few. `is_of_relation` says whether
    /// a move belongs to the relation. A unit of work is a fact of a state.
    pub(super) fn of_placed(
        &self,
        reader: &mut TransitionReader<'_>,
        empty: &EmptyObjects,
        (games, transitions): (&[PlayedGame], &[Transition]),
        is_of_relation: &dyn Fn(MoveId) -> bool,
        limit: &WorkLimit<'_>,
    ) -> Option<Destination> {
        let stride = self.placed.len().div_ceil(MAX_STATES).max(1);
        let (mut any, mut states) = (true, 0);
        // For both ends of both axes whether all cells on that side were filled.
        let mut first = [true; 4];
        for &(number, cell) in self.placed.iter().step_by(stride) {
            let transition = &transitions[number];
            let state = &games[transition.game].states[transition.step];
            let (role, board) = (transition.mover()?, reader.boards.board_of_cell(cell));
            let facts = reader.boards.facts(state);
            limit.spend(facts.len() as u64 + 1).ok()?;
            let filled: BTreeSet<usize> = (facts.iter())
                .filter(|fact| fact.board == board && !empty.contains(**fact))
                .map(|fact| fact.cell)
                .collect();
            let free = reader.boards.cells_of(board) - filled.len();
            any &= reader.legal(state, role).iter().filter(|&&action| is_of_relation(action)).count() == free;
            let sides = reader.boards.filled_sides(cell, &filled);
            first = std::array::from_fn(|side| first[side] && sides.is_some_and(|sides| sides[side]));
            states += 1;
            if !any && first == [false; 4] {
                return None;
            }
        }
        if states < MIN_MOVES {
            return None;
        }
        match (any, first.iter().filter(|&&holds| holds).count()) {
            (true, _) => Some(Destination::AnyEmpty),
            (false, 1) => Some(Destination::FirstEmpty),
            _ => None,
        }
    }
}

/// A piece that moved.
struct MovedPiece {
    object: usize,
    /// Where it was and where it is, along both axes.
    from: [i64; 2],
    to: [i64; 2],
}

/// The piece that moved to a cell; none if no piece, or more than one, can have moved there. Of
/// two pieces, the one on the cell in the middle between the other one and the new cell was jumped over.
fn moved_piece(
    to: &CellChange,
    cells: &[CellChange],
    filled: &dyn Fn(Option<usize>) -> Option<usize>,
    boards: &BoardFacts<'_>,
) -> Option<MovedPiece> {
    let object = filled(to.new)?;
    let left = |cell: &&CellChange| {
        cell.cell != to.cell && filled(cell.old) == Some(object) && filled(cell.new).is_none()
    };
    let arrived = boards.position(to.cell)?;
    let left: Option<Vec<[i64; 2]>> =
        cells.iter().filter(left).map(|cell| boards.position(cell.cell)).collect();
    let is_middle =
        |middle: [i64; 2], of: [i64; 2]| (0..2).all(|axis| 2 * middle[axis] == of[axis] + arrived[axis]);
    let from = match left?[..] {
        [from] => from,
        [one, other] if is_middle(one, other) => other,
        [one, other] if is_middle(other, one) => one,
        _ => return None,
    };
    Some(MovedPiece { object, from, to: arrived })
}

impl BoardFacts<'_> {
    /// For the lower and upper end of both axes: whether all cells between a cell and that end are filled. None if the board
    /// has not two ordered axes, or an axis is short.
    fn filled_sides(&self, cell: usize, filled: &BTreeSet<usize>) -> Option<[bool; 4]> {
        let place = self.position(cell)?;
        let board = self.board_of_cell(cell);
        let mut sides = [true; 4];
        let mut lengths = [BTreeSet::new(), BTreeSet::new()];
        for other in self.cells_on(board) {
            let at = self.position(other)?;
            for axis in 0..2 {
                lengths[axis].insert(at[axis]);
                if at[1 - axis] == place[1 - axis] && at[axis] != place[axis] {
                    sides[2 * axis + usize::from(at[axis] > place[axis])] &= filled.contains(&other);
                }
            }
        }
        lengths.iter().all(|seen| seen.len() >= MIN_LINE).then_some(sides)
    }
}

/// Whether a destination says where the pieces of moves with an effect arrive.
pub(super) fn is_destination_of(destination: Destination, kind: ChangeKind) -> bool {
    match destination {
        Destination::AnyEmpty | Destination::FirstEmpty => kind == ChangeKind::Place,
        Destination::Steps { .. } | Destination::Knight => kind == ChangeKind::Move,
    }
}
