//! Splits the arguments of a fluent into inputs, which determine the others, and outputs. The documentation
//! of [boards](super::board) defines which split is chosen.

use rustc_hash::FxHashSet;

use crate::gdl::term::TermId;

use super::finding::FluentKind;
use super::fluents::{FactTable, Mask, StateScope, all_positions, minimal, positions};

/// The split of a fluent's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    /// The arguments that determine the others; all arguments if no set does.
    pub inputs: Mask,
    /// The arguments that are determined.
    pub outputs: Mask,
    /// `Board`, `Place` or `Other`.
    pub kind: FluentKind,
    /// The arguments that name the objects on cells or with places; empty if there are no objects.
    pub carriers: Mask,
    /// The states in which the split holds.
    pub among: StateScope,
}

/// Fewest cells of a row of cells (a board with one coordinate) whose contents are reported.
const SHORTEST_ROW: usize = 3;

/// Properties of an argument.
#[derive(Clone, Debug)]
struct ArgumentValues {
    ordered: bool,
    values: FxHashSet<TermId>,
}

impl ArgumentValues {
    /// Whether two arguments are coordinates of one space by their values: at least half of the values of
    /// the smaller domain are values of the other.
    fn shares(&self, other: &ArgumentValues) -> bool {
        let common = self.values.intersection(&other.values).count();
        common > 0 && 2 * common >= self.values.len().min(other.values.len())
    }
}

/// The arguments of one fluent.
struct ArgumentTable(Vec<ArgumentValues>);

impl ArgumentTable {
    fn new(table: &FactTable, roles: &[ArgumentUse]) -> ArgumentTable {
        let argument = |(position, role): (usize, &ArgumentUse)| ArgumentValues {
            ordered: role.ordered,
            values: table.values(position).into_iter().collect(),
        };
        ArgumentTable(roles.iter().enumerate().map(argument).collect())
    }

    fn is_ordered(&self, position: usize) -> bool {
        self.0[position].ordered
    }

    /// Whether the argument shares values with another one of the set.
    fn shares(&self, position: usize, set: Mask) -> bool {
        positions(set).any(|other| other != position && self.0[position].shares(&self.0[other]))
    }

    /// Whether a set of at least two arguments are coordinates.
    fn are_coordinates(&self, set: Mask) -> bool {
        set.count_ones() >= 2
            && positions(set).all(|position| self.is_ordered(position) || self.shares(position, set))
    }

    /// All arguments that are ordered or share values with another one.
    fn likely_coordinates(&self) -> Mask {
        let full = all_positions(self.0.len());
        let likely =
            positions(full).filter(|&position| self.is_ordered(position) || self.shares(position, full));
        likely.fold(0, |set, position| set | 1 << position)
    }

    /// Arguments with only one value.
    fn constant(&self) -> Mask {
        let constant = self.0.iter().enumerate().filter(|(_, argument)| argument.values.len() == 1);
        constant.fold(0, |set, (position, _)| set | 1 << position)
    }
}

/// Uses of a fluent's argument in the rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArgumentUse {
    /// Whether a chain orders it.
    pub ordered: bool,
    /// Whether rules compute its next value from the current one, as for amounts.
    pub computed: bool,
    /// Whether moves name its value when they set the fluent.
    pub chosen: bool,
}

/// Splits the arguments of a fluent; `roles` has one entry for each argument.
pub fn split(table: &FactTable, roles: &[ArgumentUse]) -> Split {
    let found = split_among(table, roles, StateScope::All);
    if found.outputs != 0 || table.is_empty() {
        return found;
    }
    let second = split_among(table, roles, StateScope::NotTerminal);
    let with_contents = matches!(second.kind, FluentKind::Board | FluentKind::Place) || second.carriers != 0;
    if with_contents { second } else { found }
}

fn split_among(table: &FactTable, roles: &[ArgumentUse], among: StateScope) -> Split {
    let arity = table.arity();
    let full = all_positions(arity);
    let arguments = ArgumentTable::new(table, roles);
    let constant = arguments.constant();
    let keys = table.keys(among);
    let smallest = minimal(&keys);
    let of = |inputs: Mask, kind: FluentKind, carriers: Mask| Split {
        inputs,
        outputs: full & !inputs,
        kind,
        carriers,
        among,
    };
    if smallest.contains(&0) {
        return of(0, FluentKind::Other, 0);
    }
    let marked = full & !constant;
    if marked != full && arguments.are_coordinates(marked) && keys.contains(&marked) {
        return of(marked, FluentKind::Board, full & !marked);
    }
    let single = smallest.iter().copied().find(|key| key.count_ones() == 1);
    let likely = arguments.likely_coordinates();
    let sound = |key: Mask| {
        let odd = key & !likely != 0 && full & !key & likely != 0;
        let contents = full & !key & !constant != 0;
        contents && (likely.count_ones() < 2 || !odd || table.always_full(key))
    };
    let rank = |key: Mask| {
        let ordered = positions(key).filter(|&position| arguments.is_ordered(position)).count();
        let shared = positions(key).filter(|&position| arguments.shares(position, key)).count();
        let contents = table.project(full & !key).len();
        (table.always_full(key), ordered, shared, std::cmp::Reverse((key.count_ones(), contents)))
    };
    let boards = || smallest.iter().copied().filter(|&key| key.count_ones() >= 2 && sound(key));
    let best = boards().map(rank).max();
    let tied: Vec<Mask> = boards().filter(|&key| Some(rank(key)) == best).collect();
    // If several tie, all their arguments are coordinates, provided that contents remain. Examples: each
    // end of an edge is determined by the other arguments; the ends of a wall determine its material.
    let board = match *tied.as_slice() {
        [key] => Some(key),
        _ if single.is_some() => None,
        _ => tied.iter().copied().reduce(|all, key| all | key).filter(|&all| sound(all)),
    };
    match (single, board) {
        (None, Some(key)) => of(key, FluentKind::Board, full & !key),
        (Some(_), Some(key)) if table.always_full(key) => of(key, FluentKind::Board, full & !key),
        (Some(_), _) => {
            let singles = || smallest.iter().copied().filter(|key| key.count_ones() == 1);
            let objects = singles()
                .find(|&key| arguments.are_coordinates(full & !key) && table.project(key).len() >= 2);
            match objects {
                Some(key) => of(key, FluentKind::Place, key),
                None => composite_object(table, &smallest, roles)
                    .map(|objects| of(objects, FluentKind::Place, objects))
                    .or_else(|| {
                        row_cells(table, singles().collect(), roles)
                            .map(|cells| of(cells, FluentKind::Other, full & !cells))
                    })
                    .unwrap_or_else(|| of(singles().next().unwrap_or(full), FluentKind::Other, 0)),
            }
        }
        (None, None) => object_argument(table, &arguments)
            .map_or(of(full, FluentKind::Other, 0), |object| of(object, FluentKind::Place, object)),
    }
}

/// Whether a set of arguments are coordinates of a grid, not keys of different kinds.
pub fn is_grid(table: &FactTable, roles: &[ArgumentUse], inputs: Mask) -> bool {
    ArgumentTable::new(table, roles).are_coordinates(inputs)
}

/// Whether the rules treat an argument as a place: moves name it, or it changes along a static relation.
fn is_place(role: ArgumentUse) -> bool {
    role.chosen || role.computed
}

/// The cell argument of a row of cells with contents. One argument determines the others, which are not
/// amounts and have the same values on two cells. All cells are always present, or the rules treat the
/// argument as a place and there are fewer contents than cells.
fn row_cells(table: &FactTable, keys: Vec<Mask>, roles: &[ArgumentUse]) -> Option<Mask> {
    let [key] = *keys.as_slice() else { return None };
    let outputs = all_positions(table.arity()) & !key;
    if outputs == 0 {
        return None;
    }
    let (cells, contents) = (table.project(key).len(), table.project(outputs));
    let several = contents.len() >= 2 && contents.iter().any(|content| content.shared);
    let amount = positions(outputs).any(|position| roles[position].computed || roles[position].ordered);
    let place = positions(key).all(|position| is_place(roles[position])) && contents.len() < cells;
    let is_row = cells >= SHORTEST_ROW && several && !amount && (place || table.always_full(key));
    is_row.then_some(key)
}

/// The arguments that together name an object. Each object is at no more than one place, which the
/// remaining argument names, and no place has two objects. Objects must reach and leave the place, and it
/// must not be an amount.
fn composite_object(table: &FactTable, smallest: &[Mask], roles: &[ArgumentUse]) -> Option<Mask> {
    let full = all_positions(table.arity());
    let [one, other] = *smallest else { return None };
    let (place, objects) = if one.count_ones() == 1 { (one, other) } else { (other, one) };
    if place.count_ones() != 1 || objects.count_ones() < 2 || objects != full & !place {
        return None;
    }
    let role = |position: usize| roles[position];
    let places = table.project(place);
    let reached = places.len() >= SHORTEST_ROW && places.iter().any(|place| place.facts > 1);
    let moves = table.project(objects).iter().any(|object| object.facts > 1);
    let sound = positions(place).all(|position| is_place(role(position)) && !role(position).ordered)
        && !positions(objects).any(|position| role(position).ordered || role(position).computed);
    (reached && moves && sound).then_some(objects)
}

/// The argument that names objects, if several objects may share a cell and an object may be on several
/// cells.
fn object_argument(table: &FactTable, arguments: &ArgumentTable) -> Option<Mask> {
    let full = all_positions(table.arity());
    let named = positions(full).find(|&position| {
        let others = full & !(1 << position) & !arguments.constant();
        !arguments.is_ordered(position)
            && !arguments.shares(position, full)
            && arguments.are_coordinates(others)
            && table.project(1 << position).iter().any(|object| !object.shared && object.facts > 1)
    });
    named.map(|position| 1 << position)
}

#[cfg(test)]
mod tests {
    use super::super::fluents::tests::table;
    use super::*;
    use crate::machine::FluentId;

    const ORDERED: ArgumentUse = ArgumentUse { ordered: true, computed: false, chosen: false };
    const PLAIN: ArgumentUse = ArgumentUse { ordered: false, computed: false, chosen: false };

    #[test]
    fn fixed_cells_are_the_inputs_of_a_sliding_puzzle() {
        // Tiles 7, 8 and 9 are on three of the four cells; each tile is on one cell as well.
        let states: [&[&[u32]]; 2] = [
            &[&[1, 1, 7], &[1, 2, 8], &[2, 1, 9], &[2, 2, 10]],
            &[&[1, 1, 8], &[1, 2, 7], &[2, 1, 9], &[2, 2, 10]],
        ];
        let split = split(&table(3, &states), &[PLAIN; 3]);
        assert_eq!((split.kind, split.inputs, split.carriers), (FluentKind::Board, 0b011, 0b100));
    }

    #[test]
    fn pieces_that_never_meet_have_positions() {
        let states: [&[&[u32]]; 2] = [&[&[1, 1, 7], &[2, 2, 8]], &[&[1, 2, 7], &[2, 2, 8]]];
        let split = split(&table(3, &states), &[ORDERED, ORDERED, PLAIN]);
        assert_eq!((split.kind, split.inputs, split.carriers), (FluentKind::Place, 0b100, 0b100));
    }

    #[test]
    fn pieces_that_share_cells_have_positions() {
        // Object 7 moves and meets object 9, which is on two cells.
        let states: [&[&[u32]]; 3] = [
            &[&[1, 1, 7], &[2, 2, 9], &[1, 2, 9]],
            &[&[1, 2, 7], &[2, 2, 9], &[1, 2, 9]],
            &[&[2, 2, 7], &[2, 2, 9], &[1, 2, 9]],
        ];
        let split = split(&table(3, &states), &[PLAIN; 3]);
        assert_eq!((split.kind, split.carriers), (FluentKind::Place, 0b100));
    }

    #[test]
    fn walls_have_no_position() {
        // Walls: two are on one cell, and no object is unique and moves.
        let states: [&[&[u32]]; 2] =
            [&[&[1, 1, 7], &[1, 1, 8], &[2, 2, 7], &[1, 2, 8]], &[&[1, 1, 7], &[1, 1, 8], &[1, 2, 8]]];
        let split = split(&table(3, &states), &[PLAIN; 3]);
        assert_eq!(split.kind, FluentKind::Other);
    }

    #[test]
    fn latin_squares_have_a_board() {
        // The cells (arguments 2 and 3) are always present; 9 is blank.
        let states: [&[&[u32]]; 3] = [
            &[&[9, 1, 1], &[9, 1, 2], &[9, 2, 1], &[9, 2, 2]],
            &[&[1, 1, 1], &[9, 1, 2], &[9, 2, 1], &[9, 2, 2]],
            &[&[1, 1, 1], &[2, 1, 2], &[2, 2, 1], &[1, 2, 2]],
        ];
        let split = split(&table(3, &states), &[PLAIN; 3]);
        assert_eq!((split.kind, split.inputs), (FluentKind::Board, 0b110));
    }

    #[test]
    fn fluents_with_several_keys_have_all_their_arguments_as_inputs() {
        // Lines have three numbers and the kind 7 or 8. Any two of the numbers determine the third.
        let states: [&[&[u32]]; 3] = [
            &[&[11, 21, 31, 7], &[11, 22, 32, 7], &[12, 21, 32, 8], &[12, 22, 31, 8]],
            &[&[11, 21, 31, 7], &[11, 22, 32, 8], &[12, 21, 32, 7], &[12, 22, 31, 7]],
            &[&[11, 21, 31, 8], &[11, 22, 32, 7], &[12, 21, 32, 8], &[12, 22, 31, 7]],
        ];
        let lines = table(4, &states);
        assert_eq!(lines.minimal_keys(), [0b0011, 0b0101, 0b0110]);
        let split = split(&lines, &[ORDERED, ORDERED, ORDERED, PLAIN]);
        assert_eq!((split.kind, split.inputs, split.carriers), (FluentKind::Board, 0b0111, 0b1000));
    }

    #[test]
    fn marked_cells_are_a_board_even_if_one_coordinate_suffices() {
        let states: [&[&[u32]]; 2] = [&[&[1, 2, 9]], &[&[1, 2, 9], &[2, 1, 9]]];
        let split = split(&table(3, &states), &[PLAIN; 3]);
        assert_eq!((split.kind, split.inputs, split.carriers), (FluentKind::Board, 0b011, 0b100));
    }

    #[test]
    fn rows_of_cells_have_contents() {
        let states: [&[&[u32]]; 2] = [&[&[1, 7], &[2, 7], &[3, 7]], &[&[1, 7], &[2, 8], &[3, 7]]];
        let row = split(&table(2, &states), &[PLAIN; 2]);
        assert_eq!((row.kind, row.inputs, row.carriers), (FluentKind::Other, 0b01, 0b10));
        let amounts = [PLAIN, ArgumentUse { computed: true, ..PLAIN }];
        assert_eq!(split(&table(2, &states), &amounts).carriers, 0, "amounts stand on no cell");
    }

    #[test]
    fn sparse_rows_of_cells_have_contents() {
        let states: [&[&[u32]]; 3] = [&[&[1, 7], &[2, 7], &[3, 8]], &[&[1, 7], &[2, 7], &[4, 8]], &[&[1, 7]]];
        let moved = [ArgumentUse { chosen: true, ..PLAIN }, PLAIN];
        let row = split(&table(2, &states), &moved);
        assert_eq!((row.kind, row.inputs, row.carriers), (FluentKind::Other, 0b01, 0b10));
        let led = [ArgumentUse { computed: true, ..PLAIN }, PLAIN];
        assert_eq!(split(&table(2, &states), &led).carriers, 0b10, "static relations lead from cell to cell");
        assert_eq!(split(&table(2, &states), &[PLAIN; 2]).carriers, 0, "what stands on what");
    }

    #[test]
    fn pieces_named_by_two_arguments_have_positions() {
        // 7 and 8 own objects 1 and 2 each.
        let states: [&[&[u32]]; 2] = [
            &[&[7, 1, 20], &[7, 2, 21], &[8, 1, 22]],
            &[&[7, 1, 23], &[7, 2, 21], &[8, 1, 21 + 1], &[8, 2, 20]],
        ];
        let table = table(3, &states);
        let moved = ArgumentUse { chosen: true, ..PLAIN };
        let place = split(&table, &[PLAIN, PLAIN, moved]);
        assert_eq!((place.kind, place.inputs, place.carriers), (FluentKind::Place, 0b011, 0b011));
        assert_eq!(split(&table, &[PLAIN; 3]).carriers, 0, "nothing says that the third is a place");
    }

    #[test]
    fn a_constant_is_not_the_content_of_a_board() {
        // 9 meets 8 on a cell in the last state; the first argument is always 5.
        let states: [&[&[u32]]; 3] = [
            &[&[5, 1, 1, 9]],
            &[&[5, 2, 1, 9], &[5, 1, 1, 8]],
            &[&[5, 2, 1, 9], &[5, 2, 1, 8], &[5, 1, 1, 8], &[5, 2, 2, 8]],
        ];
        let split = split(&table(4, &states), &[PLAIN, ORDERED, ORDERED, PLAIN]);
        assert_eq!((split.kind, split.inputs, split.carriers), (FluentKind::Place, 0b1000, 0b1000));
    }

    #[test]
    fn terminal_states_may_violate_the_board() {
        // There are two of 9 and two of 8; some cells have both when the game ends.
        let mut table =
            table(3, &[&[&[1, 1, 9], &[2, 2, 9]], &[&[1, 2, 9], &[1, 1, 8], &[2, 2, 9], &[2, 1, 8]]]);
        let roles = [ORDERED, ORDERED, PLAIN];
        assert_eq!((split(&table, &roles).inputs, split(&table, &roles).among), (0b011, StateScope::All));
        table.clear();
        table.begin(true);
        let met = table.add(FluentId(99), &[TermId(1), TermId(1), TermId(9)]);
        for place in [met, 3, 1] {
            table.insert(place);
        }
        let same = table.add(FluentId(98), &[TermId(1), TermId(1), TermId(7)]);
        let row = table.add(FluentId(97), &[TermId(1), TermId(2), TermId(7)]);
        let other = table.add(FluentId(96), &[TermId(2), TermId(1), TermId(9)]);
        [same, row, other].into_iter().for_each(|place| table.insert(place));
        table.end(9);
        let broken = split(&table, &roles);
        assert_eq!((broken.kind, broken.inputs), (FluentKind::Board, 0b011));
        assert_eq!(broken.among, StateScope::NotTerminal);
    }
}
