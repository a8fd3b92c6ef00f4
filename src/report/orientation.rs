//! Chooses the vertical axis of a board and its content of empty cells, from random playouts. Neither depends on names.

use std::collections::{BTreeMap, BTreeSet};

use super::cells::{Cell, CellBoard, Contents, Orientation};
use super::facts::Fact;

/// The least number of cells that were filled in order for a board to be vertical.
const FILLED: usize = 8;

/// The least share of the facts of an object that one role adds if it owns the object.
const OWNED: f64 = 0.9;

/// A state of a random playout.
#[derive(Clone, Debug, Default)]
pub(super) struct SampledState {
    pub(super) facts: Vec<Fact>,
    /// The only role that had a choice in this state, if there was one.
    pub(super) mover: Option<usize>,
}

/// Chooses how a board is turned. If objects fall to one end of an axis, this end is at the bottom. If the objects of the first
/// role begin at one end of an axis and those of the other role at the other end, the first role is at the bottom.
pub(super) fn orientation(
    board: &CellBoard<'_>,
    playouts: &[Vec<SampledState>],
    owners: &BTreeMap<Contents, usize>,
) -> Orientation {
    if board.axes.len() != 2 || board.ordered.contains(&false) {
        return Orientation::USUAL;
    }
    let initial = playouts.first().and_then(|playout| playout.first());
    let found = falling(board, playouts).or_else(|| sides(board, &initial?.facts, owners));
    found.unwrap_or(Orientation::USUAL)
}

/// The end of the only axis along which cells change in order: a cell changes only after its neighbour that is closer to the end.
fn falling(board: &CellBoard<'_>, playouts: &[Vec<SampledState>]) -> Option<Orientation> {
    let ends = [(0, false), (0, true), (1, false), (1, true)];
    let mut filled = [0; 4];
    let mut is_refuted = [false; 4];
    for playout in playouts {
        let Some(first) = playout.first() else { continue };
        let initial = board.cells(&first.facts);
        let mut changed: BTreeSet<Cell> = BTreeSet::new();
        for state in &playout[1..] {
            let cells = board.cells(&state.facts);
            let both: BTreeSet<&Cell> = initial.keys().chain(cells.keys()).collect();
            let differs =
                |cell: &&&Cell| initial.get(**cell) != cells.get(**cell) && !changed.contains(**cell);
            let new: Vec<Cell> = both.iter().filter(differs).map(|cell| (**cell).clone()).collect();
            for cell in &new {
                for (number, &(axis, last)) in ends.iter().enumerate() {
                    let Some(below) = closer(board, cell, axis, last) else { continue };
                    filled[number] += usize::from(changed.contains(&below));
                    is_refuted[number] |= !changed.contains(&below) && !new.contains(&below);
                }
            }
            changed.extend(new);
        }
    }
    let mut found = (0..ends.len()).filter(|&number| !is_refuted[number] && filled[number] >= FILLED);
    let (vertical, reversed) = ends[found.next()?];
    found.next().is_none().then_some(Orientation { vertical, reversed })
}

/// The neighbour of a cell that is closer to an end of an axis.
fn closer(board: &CellBoard<'_>, cell: &Cell, axis: usize, last: bool) -> Option<Cell> {
    let mut below = cell.clone();
    below[axis] = match last {
        true => Some(cell[axis] + 1).filter(|&place| place < board.elements[axis].len())?,
        false => cell[axis].checked_sub(1)?,
    };
    Some(below)
}

/// The axis that separates the objects of two roles in the initial state.
fn sides(board: &CellBoard<'_>, initial: &[Fact], owners: &BTreeMap<Contents, usize>) -> Option<Orientation> {
    let mut own: BTreeMap<usize, Vec<Cell>> = BTreeMap::new();
    for (cell, contents) in board.cells(initial) {
        for role in contents.iter().filter_map(|contents| owners.get(contents)) {
            own.entry(*role).or_default().push(cell.clone());
        }
    }
    let armies: Vec<&Vec<Cell>> = own.values().filter(|cells| cells.len() > 1).collect();
    let [first, second] = armies[..] else { return None };
    if own.len() > 2 {
        return None;
    }
    let range = |cells: &[Cell], axis: usize| {
        let places = cells.iter().map(|cell| cell[axis]);
        (places.clone().min().unwrap_or(0), places.max().unwrap_or(0))
    };
    // Whether the first role is at the last end of an axis; none if the axis does not separate the roles.
    let is_first_at_last_end = |axis: usize| {
        let (one, other) = (range(first, axis), range(second, axis));
        if one.1 < other.0 { Some(false) } else { (other.1 < one.0).then_some(true) }
    };
    match (is_first_at_last_end(0), is_first_at_last_end(1)) {
        (Some(reversed), None) => Some(Orientation { vertical: 0, reversed }),
        // Of opposite corners, the usual axis is as good as the other one.
        (_, Some(reversed)) => Some(Orientation { vertical: 1, reversed }),
        (None, None) => None,
    }
}

/// The roles that own objects: the one that adds most of an object's facts, or else the only one that its contents name.
pub(super) fn owners(
    board: &CellBoard<'_>,
    playouts: &[Vec<SampledState>],
    roles: &[String],
) -> BTreeMap<Contents, usize> {
    let mut added: BTreeMap<Contents, Vec<usize>> = BTreeMap::new();
    let mut seen: BTreeSet<Contents> = BTreeSet::new();
    for pair in playouts.iter().flat_map(|playout| playout.windows(2)) {
        let [before, after] = pair else { continue };
        let earlier = board.cells(&before.facts);
        seen.extend(earlier.values().flatten().cloned());
        let Some(mover) = before.mover else { continue };
        for (cell, contents) in board.cells(&after.facts) {
            for contents in contents {
                if !earlier.get(&cell).is_some_and(|before| before.contains(&contents)) {
                    added.entry(contents).or_insert_with(|| vec![0; roles.len()])[mover] += 1;
                }
            }
        }
    }
    seen.extend(added.keys().cloned());
    let owner = |contents: Contents| {
        let counts = added.get(&contents).map_or(&[][..], Vec::as_slice);
        let all: usize = counts.iter().sum();
        let most = (0..counts.len()).max_by_key(|&role| counts[role]);
        let by_play =
            most.filter(|&role| roles.len() > 1 && counts[role] as f64 >= OWNED * all as f64 && all > 1);
        let named = || {
            let mut named = contents.iter().filter_map(|word| roles.iter().position(|role| role == word));
            named.next().filter(|_| named.next().is_none())
        };
        let role = by_play.or_else(named)?;
        Some((contents, role))
    };
    seen.into_iter().filter_map(owner).collect()
}

/// The content of empty cells: the one that fills more than half of `count` cells in the initial state. If the initial state
/// has one other content, play can refute this. If the common content never grows and the other never shrinks, and both
/// appear on new cells, the other one means empty: pegs are removed and leave holes. If the numbers of both grow and shrink,
/// both are objects: lights are switched on and off.
pub(super) fn blank(
    board: &CellBoard<'_>,
    initial: &[Fact],
    playouts: &[Vec<SampledState>],
    count: usize,
) -> Option<Contents> {
    let amounts = |cells: &BTreeMap<Cell, Vec<Contents>>| {
        let mut amounts: BTreeMap<Contents, usize> = BTreeMap::new();
        for contents in cells.values().flatten() {
            *amounts.entry(contents.clone()).or_default() += 1;
        }
        amounts
    };
    let before = amounts(&board.cells(initial));
    let common = before.iter().find(|(_, amount)| **amount * 2 > count)?.0;
    let mut others = before.keys().filter(|contents| *contents != common);
    let (Some(other), None) = (others.next(), others.next()) else { return Some(common.clone()) };
    // For the common and the other content: whether it appears on a new cell, whether its number ever grows, and whether it
    // ever shrinks.
    let (mut appears, mut grows, mut shrinks) = ([false; 2], [false; 2], [false; 2]);
    for pair in playouts.iter().flat_map(|playout| playout.windows(2)) {
        let [from, to] = [0, 1].map(|step| board.cells(&pair[step].facts));
        let [less, more] = [amounts(&from), amounts(&to)];
        for (number, contents) in [common, other].into_iter().enumerate() {
            let is_new = |(cell, here): (&Cell, &Vec<Contents>)| {
                here.contains(contents) && !from.get(cell).is_some_and(|old| old.contains(contents))
            };
            appears[number] |= to.iter().any(is_new);
            let change = more.get(contents).cmp(&less.get(contents));
            grows[number] |= change.is_gt();
            shrinks[number] |= change.is_lt();
        }
    }
    match (appears, grows, shrinks) {
        ([true, true], [false, true], [true, false]) => Some(other.clone()),
        (_, [true, true], [true, true]) => None,
        _ => Some(common.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::facts;
    use super::*;
    use crate::structure::finding::Structures;
    use crate::structure::vocabulary::Kif;

    /// A board of four by four cells, `on ACROSS UP CONTENTS`.
    fn structures() -> Structures<Kif> {
        let evidence = serde_json::json!({
            "methods": ["syntax"], "because": "", "states": 0, "playouts": 0, "counterexample_bound": 0.0,
        });
        let words = ["1", "2", "3", "4"];
        serde_json::from_value(serde_json::json!({
            "successors": [{
                "relation": "next/2", "length": 4, "first": "1", "last": "4", "elements": words, "evidence": evidence,
            }],
            "orders": [], "teams": [], "teams_evidence": evidence, "turns": "alternating", "turns_evidence": evidence,
            "fluents": [{
                "fluent": "on/3", "arity": 3, "inputs": [1, 2], "outputs": [3], "kind": "board",
                "axes": [{"argument": 1, "order": "next/2"}, {"argument": 2, "order": "next/2"}],
                "domains": [words, words, []], "evidence": evidence,
            }],
            "zero_sum": true, "zero_sum_evidence": evidence, "noops": {}, "noops_evidence": evidence,
        }))
        .unwrap()
    }

    fn playout(structures: &Structures<Kif>, states: &[Vec<String>]) -> Vec<SampledState> {
        let state = |(step, state): (usize, &Vec<String>)| {
            let texts: Vec<&str> = state.iter().map(String::as_str).collect();
            SampledState { facts: facts(structures, &texts), mover: Some(step % 2) }
        };
        states.iter().enumerate().map(state).collect()
    }

    #[test]
    fn objects_fall_to_the_bottom() {
        let structures = structures();
        let board = CellBoard::new(0, &structures, &[]).unwrap();
        // Columns are filled from the last value of the first argument on.
        let cells =
            [(4, 1), (4, 2), (3, 1), (4, 4), (2, 1), (3, 4), (3, 2), (1, 1), (2, 4), (2, 2), (1, 2), (1, 4)];
        let state = |count: usize| -> Vec<String> {
            cells[..count].iter().map(|(x, y)| format!("on {x} {y} disc")).collect()
        };
        let states: Vec<Vec<String>> = (0..=cells.len()).map(state).collect();
        let playouts = [playout(&structures, &states)];
        let found = orientation(&board, &playouts, &BTreeMap::new());
        assert_eq!(found, Orientation { vertical: 0, reversed: true });
        let mut board = board;
        board.turn(found);
        assert_eq!(
            board.cell(&playouts[0][1].facts[0]),
            Some(vec![0, 0]),
            "the first disc is at the bottom left"
        );
        assert_eq!(
            (board.reading(), board.name(&vec![0, 0])),
            ("argument 2 across, 1 down".to_owned(), "4 1".to_owned())
        );
        // A single disc that is placed elsewhere refutes it.
        let mut states = states;
        states.push([state(cells.len()), vec!["on 2 3 disc".to_owned()]].concat());
        let board = CellBoard::new(0, &structures, &[]).unwrap();
        let found = orientation(&board, &[playout(&structures, &states)], &BTreeMap::new());
        assert_eq!(found, Orientation::USUAL);
    }

    #[test]
    fn the_first_role_is_at_the_bottom() {
        let structures = structures();
        let board = CellBoard::new(0, &structures, &[]).unwrap();
        let initial: Vec<String> =
            (1..5).flat_map(|y| [format!("on 1 {y} dark"), format!("on 4 {y} light")]).collect();
        let playouts = [playout(&structures, &[initial])];
        let owners =
            |first: &str, second: &str| BTreeMap::from([(vec![first.into()], 0), (vec![second.into()], 1)]);
        let found = orientation(&board, &playouts, &owners("light", "dark"));
        assert_eq!(found, Orientation { vertical: 0, reversed: true });
        let found = orientation(&board, &playouts, &owners("dark", "light"));
        assert_eq!(found, Orientation { vertical: 0, reversed: false });
        assert_eq!(orientation(&board, &playouts, &BTreeMap::new()), Orientation::USUAL);
    }

    #[test]
    fn holes_are_empty_and_pegs_are_not() {
        let structures = structures();
        let board = CellBoard::new(0, &structures, &[]).unwrap();
        let row = |words: [&str; 4]| -> Vec<String> {
            words.iter().zip(1..).map(|(word, x)| format!("on {x} 1 {word}")).collect()
        };
        let content = |states: &[Vec<String>]| {
            let playout = playout(&structures, states);
            blank(&board, &playout[0].facts, std::slice::from_ref(&playout), 4).unwrap_or_default().concat()
        };
        let jump = [row(["peg", "peg", "peg", "hole"]), row(["peg", "hole", "hole", "peg"])];
        assert_eq!(content(&jump), "hole");
        // `none` never appears on a new cell, so it stays the empty content.
        let fill = [row(["none", "none", "none", "disc"]), row(["disc", "none", "none", "disc"])];
        assert_eq!(content(&fill), "none");
        // A common content that grows is empty, unless both grow.
        let capture = [row(["none", "none", "none", "man"]), row(["none", "none", "none", "none"])];
        assert_eq!(content(&capture), "none");
        let switch = [
            row(["on", "on", "on", "off"]),
            row(["on", "off", "off", "off"]),
            row(["on", "on", "off", "off"]),
        ];
        assert_eq!(content(&switch), "");
    }

    #[test]
    fn owners_add_their_objects() {
        let structures = structures();
        let board = CellBoard::new(0, &structures, &[]).unwrap();
        let roles = ["light".to_owned(), "dark".to_owned()];
        let states = [
            "",
            "on 1 1 x",
            "on 1 1 x;on 2 2 o",
            "on 1 1 x;on 2 2 o;on 3 3 x",
            "on 4 4 o;on 2 2 o;on 4 1 dark",
        ];
        let states: Vec<Vec<String>> = (states.iter())
            .map(|state| state.split(';').filter(|fact| !fact.is_empty()).map(str::to_owned).collect())
            .collect();
        let owners = owners(&board, &[playout(&structures, &states)], &roles);
        let of = |word: &str| owners.get(&vec![word.to_owned()]).copied();
        assert_eq!([of("x"), of("o"), of("dark")], [Some(0), Some(1), Some(1)]);
    }
}
