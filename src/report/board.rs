//! Draws the boards of a state as text, and lists the facts that are on none of them.

use std::collections::BTreeSet;

use crate::analysis::Game;
use crate::machine::State;
use crate::structure::finding::Structures;
use crate::structure::vocabulary::Kif;

use super::board_sources::BoardSources;
use super::board_text::BoardText;
use super::drawn_board::{Arrangement, DrawnBoard, drawn_boards};
use super::facts::{Fact, FactReader};
use super::layout::{Layout, counted};

/// Limit of the columns of a board without its indentation, so that it fits a terminal of 80 columns. A wider board is
/// not drawn.
const COLUMNS: usize = 78;

/// Limit of the columns of the main board, which is printed next to other text, and of its legend. A wider board is
/// drawn with `COLUMNS` instead.
const MAIN_COLUMNS: usize = 27;

/// Limit of the facts that are listed below the boards; of others only the number is given.
const MAX_FACTS: usize = 60;

/// Draws the boards of a game's states.
pub struct Boards<'s> {
    boards: Vec<DrawnBoard<'s>>,
    reader: FactReader<'s>,
    initial: Vec<Fact>,
    roles: Vec<String>,
}

impl<'s> Boards<'s> {
    /// Takes the structures of the game twice: `found` refers to terms by id, `structures` has them as text.
    pub fn new(game: &Game<'s>, found: &Structures, structures: &'s Structures<Kif>) -> Boards<'s> {
        let reader = FactReader::new(game.machine, found);
        let (initial, roles) = (reader.facts(game.machine.initial()), game.roles());
        let sources = BoardSources::new(game, found, &reader);
        let boards = drawn_boards(structures, &sources, &roles, &[&initial]);
        Boards { boards, reader, initial, roles }
    }

    /// Draws the boards of a state; empty if the game has none.
    pub fn draw(&self, state: &State, layout: Layout) -> String {
        draw(&self.boards, &self.reader.facts(state), &self.initial, &self.roles, layout)
    }

    /// Draws the boards of a state; lists the facts if the game has no board.
    pub fn draw_or_list(&self, state: &State, layout: Layout) -> String {
        let facts = self.reader.facts(state);
        let boards = draw(&self.boards, &facts, &self.initial, &self.roles, layout);
        if !boards.is_empty() {
            return boards;
        }
        let mut text = String::from(" ");
        let mut column = 1;
        for fact in facts.iter().map(Fact::to_string) {
            if column + fact.chars().count() + 1 > usize::from(layout.width) && column > 1 {
                text.push_str("\n ");
                column = 1;
            }
            column += fact.chars().count() + 1;
            text.push(' ');
            text.push_str(&fact);
        }
        text + "\n"
    }

    /// The size of the board with most cells in words, and the index of its fluent among the findings; none without a board.
    pub fn main_size(&self) -> Option<(String, usize)> {
        let board = largest(&self.boards)?;
        let cells = counted(board.cells.len() as u64, "cell", "cells");
        let size = match board.arrangement {
            Arrangement::Squares | Arrangement::Hexagons { .. } => {
                let axes = board.cells.first().map_or(0, Vec::len);
                let side =
                    |axis: usize| board.cells.iter().map(|cell| cell[axis]).collect::<BTreeSet<_>>().len();
                let sides: Vec<usize> = (0..axes).map(side).collect();
                let shape = sides.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ");
                match sides.iter().product::<usize>() == board.cells.len() {
                    true => shape,
                    false => format!("{cells} within {shape}"),
                }
            }
            _ => cells,
        };
        Some((size, board.board.fluents().next()?))
    }

    /// Whether the first coordinate of the board with most cells is drawn upwards, and the second across.
    pub fn main_is_turned(&self) -> bool {
        largest(&self.boards).is_some_and(|board| matches!(board.board.axes[..], [across, up] if across > up))
    }

    /// Draws the board with most cells alone, and explains its signs in the last lines; empty if no board can be drawn. A board
    /// of 8 by 8 cells has ten lines of at most 27 columns, with the explanation.
    pub fn main_board(&self, state: &State, layout: Layout) -> Vec<String> {
        main_board(&self.boards, &self.reader.facts(state), &self.initial, &self.roles, layout)
    }
}

/// The board with most cells.
fn largest<'b, 's>(boards: &'b [DrawnBoard<'s>]) -> Option<&'b DrawnBoard<'s>> {
    boards.iter().rev().max_by_key(|board| board.cells.len())
}

fn main_board(
    boards: &[DrawnBoard<'_>],
    state: &[Fact],
    initial: &[Fact],
    roles: &[String],
    layout: Layout,
) -> Vec<String> {
    let Some(board) = largest(boards) else { return Vec::new() };
    let draw = |columns| BoardText::new(board, state, initial, roles, columns, layout);
    let Some(text) = draw(MAIN_COLUMNS).or_else(|| draw(COLUMNS)) else { return Vec::new() };
    let mut lines = text.lines;
    if !text.legend.is_empty() {
        let narrow = Layout { width: MAIN_COLUMNS as u16, ..layout };
        lines.extend(narrow.broken("", &text.legend).iter().map(|line| layout.remark(line)));
    }
    lines
}

/// Draws the boards, and lists the facts that are on none of them.
fn draw(
    boards: &[DrawnBoard<'_>],
    state: &[Fact],
    initial: &[Fact],
    roles: &[String],
    layout: Layout,
) -> String {
    let mut out = String::new();
    let mut drawn = BTreeSet::new();
    for board in boards {
        let columns = COLUMNS.min(usize::from(layout.width).saturating_sub(2));
        let Some(text) = BoardText::new(board, state, initial, roles, columns, layout) else { continue };
        drawn.extend(board.board.fluents().map(Some));
        out.push_str(&format!("  {}\n", layout.heading(&board.board.title())));
        text.lines.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
        let notes = [text.reading, text.legend].into_iter().filter(|note| !note.is_empty());
        out.push_str(&layout.paragraph("  ", &notes.collect::<Vec<_>>().join("; ")));
    }
    let other_facts: Vec<String> =
        (state.iter()).filter(|fact| !drawn.contains(&fact.fluent)).map(Fact::to_string).collect();
    if !other_facts.is_empty() && !drawn.is_empty() {
        let more = other_facts.len().saturating_sub(MAX_FACTS);
        let mut line = String::from("other facts:");
        for fact in other_facts.iter().take(MAX_FACTS) {
            if line.chars().count() + fact.chars().count() + 3 > usize::from(layout.width) {
                out.push_str(&format!("  {line}\n"));
                line = " ".repeat(8);
            }
            line.push(' ');
            line.push_str(fact);
        }
        out.push_str(&format!("  {line}\n"));
        if more > 0 {
            out.push_str(&format!("  and {more} more\n"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::board_sources::CellPair;
    use super::super::facts::tests::facts;
    use super::super::paint::Paint;
    use super::*;
    use crate::structure::finding::FluentKind;

    fn structures() -> Structures<Kif> {
        let evidence = serde_json::json!({
            "methods": ["syntax"], "because": "", "states": 0, "playouts": 0, "counterexample_bound": 0.0,
        });
        let fluent = |name: &str, arity: usize| {
            serde_json::json!({
                "fluent": format!("{name}/{arity}"), "arity": arity, "inputs": [1, 2], "outputs": [3], "kind": "board",
                "axes": [{"argument": 1, "order": "next/2"}, {"argument": 2, "order": "next/2"}],
                "domains": [["a", "b", "c"], ["a", "b", "c"], []], "evidence": evidence,
            })
        };
        serde_json::from_value(serde_json::json!({
            "successors": [{
                "relation": "next/2", "length": 3, "first": "a", "last": "c", "elements": ["a", "b", "c"],
                "evidence": evidence,
            }],
            "orders": [], "fluents": [fluent("cell", 3), fluent("man", 4)], "teams": [], "teams_evidence": evidence,
            "turns": "alternating", "turns_evidence": evidence, "zero_sum": true, "zero_sum_evidence": evidence,
            "noops": {}, "noops_evidence": evidence,
        }))
        .unwrap()
    }

    fn drawn(structures: &Structures<Kif>, state: &[Fact], initial: &[Fact]) -> String {
        let boards = drawn_boards(structures, &BoardSources::default(), &[], &[initial]);
        draw(&boards, state, initial, &[], Layout::plain())
    }

    #[test]
    fn cells_are_drawn_by_their_coordinates() {
        let structures = structures();
        let initial = facts(
            &structures,
            &["cell a a peg", "cell b a peg", "cell c a peg", "cell a b peg", "cell b b peg"],
        );
        let state = facts(
            &structures,
            &["cell a a peg", "cell b a hole", "cell c a peg", "cell a b peg", "cell b b pit", "step 3"],
        );
        let text = drawn(&structures, &state, &initial);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..5], ["  cell/3, man/4", "  c", "  b  . p", "  a  . h .", "     a b c"], "{text}");
        assert_eq!(lines[5], "  argument 1 across, 2 up; h hole, p pit; . peg");
        assert!(text.ends_with("  other facts: (step 3)\n"), "{text}");
    }

    #[test]
    fn each_word_of_contents_has_its_own_letter() {
        let structures = structures();
        let state = facts(
            &structures,
            &["man a a white king", "man c c black knight", "man b b black king", "man b b white king"],
        );
        let text = drawn(&structures, &state, &[]);
        assert!(text.contains("  c   .  . bn\n  b   .  *  .\n  a  wk  .  .\n"), "{text}");
        assert!(text.contains("b black, w white; k king, n knight; * several objects"), "{text}");
    }

    /// Pairs of joined cells of a board of `across` by `up` cells: a cell and the one at each step.
    fn joined(across: i64, up: i64, steps: &[[i64; 2]]) -> Vec<CellPair> {
        let cells = (0..across).flat_map(|x| (0..up).map(move |y| [x, y]));
        let cell = |cell: [i64; 2]| cell.map(|part| Some(part as usize)).to_vec();
        let is_cell = |[x, y]: [i64; 2]| (0..across).contains(&x) && (0..up).contains(&y);
        cells
            .flat_map(|from| steps.iter().map(move |step| (from, [from[0] + step[0], from[1] + step[1]])))
            .filter(|(_, to)| is_cell(*to))
            .map(|(from, to)| [cell(from), cell(to)])
            .collect()
    }

    #[test]
    fn hexagons_are_shifted_by_half_a_cell() {
        let structures = structures();
        let state = facts(&structures, &["cell a a red", "cell c b blue"]);
        let sources = BoardSources {
            joined: vec![(0, joined(3, 3, &[[1, 0], [0, 1], [1, -1]]))],
            ..BoardSources::default()
        };
        let boards = drawn_boards(&structures, &sources, &[], &[&state]);
        let lines = main_board(&boards, &state, &state, &[], Layout::plain());
        assert_eq!(lines, ["  c  . . .", " b  . . b", "a  r . .", "   a b c", "b blue, r red"]);
    }

    #[test]
    fn rings_and_graphs_have_lines() {
        let mut structures = structures();
        let evidence = serde_json::to_value(&structures.turns_evidence).unwrap();
        let places = ["a", "b", "c", "d", "e", "f", "g", "h"];
        let cycle = serde_json::json!({
            "name": "round/2", "relation": "round/2", "shape": "cycle", "elements": places, "evidence": evidence,
        });
        structures.cycles.push(serde_json::from_value(cycle).unwrap());
        structures.fluents.truncate(1);
        structures.fluents[0].axes[1].order = Some("round/2".to_owned());
        structures.fluents[0].domains[0].truncate(2);
        structures.fluents[0].domains[1] = places.map(str::to_owned).to_vec();
        let mut pairs = joined(2, 8, &[[0, 1], [0, -7]]);
        pairs.extend(
            joined(2, 8, &[[1, 0]])
                .into_iter()
                .filter(|[from, _]| from[1].is_some_and(|place| place % 2 == 1)),
        );
        let state = facts(&structures, &["cell a a red", "cell b b blue"]);
        let sources = BoardSources { joined: vec![(0, pairs)], ..BoardSources::default() };
        let boards = drawn_boards(&structures, &sources, &[], &[&state]);
        let text = draw(&boards, &state, &state, &[], Layout::plain());
        let lines: Vec<&str> = text.lines().collect();
        let drawing = ["  r---.---.", "  | .-b-. |", "  .-.   .-.", "  | .-.-. |", "  .---.---."];
        assert_eq!(lines[1..6], drawing, "{text}");
        assert!(
            lines[6].contains("argument 1 from outside: a, b; argument 2 clockwise from the top left: a, b"),
            "{text}"
        );

        // A graph with one coordinate: a square of four cells with a diagonal.
        structures.fluents[0].kind = FluentKind::Graph;
        structures.fluents[0].axes.truncate(1);
        structures.fluents[0].domains[0] = places[..4].iter().map(|&place| place.to_owned()).collect();
        let pair = |[from, to]: [usize; 2]| [vec![Some(from)], vec![Some(to)]];
        let sources = BoardSources {
            joined: vec![(0, [[0, 1], [1, 2], [2, 3], [3, 0]].map(pair).to_vec())],
            ..BoardSources::default()
        };
        let state = facts(&structures, &["cell a a red"]);
        let boards = drawn_boards(&structures, &sources, &[], &[&state]);
        let text = draw(&boards, &state, &state, &[], Layout::plain());
        assert!(!text.contains("also joined") && text.contains("cells from the top: "), "{text}");
    }

    #[test]
    fn colour_words_have_their_colours() {
        let structures = structures();
        let state = facts(&structures, &["cell a a red", "cell b a white", "cell c a knight", "cell a b x"]);
        let boards = drawn_boards(&structures, &BoardSources::default(), &["white".to_owned()], &[&state]);
        let layout = Layout { width: 80, colour: true };
        let lines = main_board(&boards, &state, &state, &[], layout);
        let red = layout.painted(Paint::Red, "r");
        let white = layout.painted(Paint::White, "w");
        assert!(lines[2].contains(&red) && lines[2].contains(&white), "{lines:?}");
        assert!(!lines[2].contains(&layout.painted(Paint::Red, "k")), "red is taken: {lines:?}");
        let plain = main_board(&boards, &state, &state, &[], Layout::plain());
        assert!(plain.iter().all(|line| !line.contains('\u{1b}')), "{plain:?}");
    }

    #[test]
    fn wide_names_of_columns_are_left_out_of_the_main_board() {
        let mut structures = structures();
        for argument in 0..2 {
            structures.fluents[0].domains[argument] =
                ["east", "eastern", "easternmost"].map(str::to_owned).to_vec();
        }
        structures.successors[0].elements = structures.fluents[0].domains[0].clone();
        let state = facts(&structures, &["cell east east red"]);
        let boards = drawn_boards(&structures, &BoardSources::default(), &[], &[&state]);
        let lines = main_board(&boards, &state, &state, &[], Layout::plain());
        assert_eq!(lines, ["easternmost  . . .", "    eastern  . . .", "       east  r . .", "r red"]);
        assert!(
            draw(&boards, &state, &state, &[], Layout::plain()).contains("east     eastern easternmost\n")
        );
    }
}
