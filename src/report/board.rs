//! Draws the boards of a state as text: two ordered coordinates, and a short sign for the contents of each cell.

use std::collections::BTreeSet;

use crate::machine::{Machine, State};
use crate::structure::finding::Structures;
use crate::structure::vocabulary::Kif;

use super::cell_signs::CellSigns;
use super::cells::{CellBoard, Contents};
use super::facts::{Fact, FactReader};
use super::layout::Layout;

/// The largest number of cells along an axis; a larger board is not drawn.
const LONGEST: usize = 40;

/// The most facts that are listed below the boards.
const MOST: usize = 60;

/// Draws the boards of a machine's states.
pub struct Boards<'s> {
    structures: &'s Structures<Kif>,
    reader: FactReader<'s>,
    initial: Vec<Fact>,
}

impl<'s> Boards<'s> {
    /// Takes the structures of the machine's game, by number and as text.
    pub fn new(machine: &'s dyn Machine, found: &Structures, structures: &'s Structures<Kif>) -> Boards<'s> {
        let reader = FactReader::new(machine, found);
        Boards { structures, initial: reader.facts(machine.initial()), reader }
    }

    /// Draws the boards of a state; empty if the game has none.
    pub fn draw(&self, state: &State, layout: Layout) -> String {
        draw(self.structures, &self.reader.facts(state), &self.initial, layout)
    }

    /// Draws the boards of a state; lists the facts if the game has no board.
    pub fn draw_or_list(&self, state: &State, layout: Layout) -> String {
        let facts = self.reader.facts(state);
        let boards = draw(self.structures, &facts, &self.initial, layout);
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
}

/// Draws the boards, and lists the facts that are on none of them. The content that fills most cells of the initial state is
/// a dot; if there is no such content, cells without a fact are dots.
fn draw(structures: &Structures<Kif>, state: &[Fact], initial: &[Fact], layout: Layout) -> String {
    let mut out = String::new();
    let mut drawn = BTreeSet::new();
    for fluent in 0..structures.fluents.len() {
        if let Some(board) = CellBoard::plane(fluent, structures, LONGEST) {
            out.push_str(&picture(&board, state, initial, layout));
            drawn.insert(Some(fluent));
        }
    }
    let rest: Vec<String> =
        (state.iter()).filter(|fact| !drawn.contains(&fact.fluent)).map(Fact::to_string).collect();
    if !rest.is_empty() && !drawn.is_empty() {
        let more = rest.len().saturating_sub(MOST);
        let mut line = String::from("other facts:");
        for fact in rest.iter().take(MOST) {
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

/// Draws one board.
fn picture(board: &CellBoard<'_>, state: &[Fact], initial: &[Fact], layout: Layout) -> String {
    let (cells, before) = (board.cells(state), board.cells(initial));
    let count = board.elements[0].len() * board.elements[1].len();
    let blank = CellBoard::blank(&before, count);
    let known: BTreeSet<&Contents> = (before.values().chain(cells.values()).flatten())
        .filter(|contents| Some(*contents) != blank.as_ref())
        .collect();
    let signs = CellSigns::new(known.into_iter().cloned().collect());

    let across: Vec<&str> = board.elements[0].clone();
    let label = board.elements[1].iter().map(|element| element.chars().count()).max().unwrap_or(0);
    let width = across.iter().map(|element| element.chars().count()).max().unwrap_or(1).max(signs.width);
    let mut out = format!("  {}\n", layout.heading(&board.finding.fluent));
    for (y, row) in board.elements[1].iter().enumerate().rev() {
        let mut line = layout.remark(&format!("  {row:>label$} "));
        for x in 0..across.len() {
            let sign = match cells.get([x, y].as_slice()).map(Vec::as_slice) {
                None | Some([]) if blank.is_none() => layout.remark(&format!(" {:>width$}", ".")),
                // A coordinate pair that is not a cell must not look like an empty cell.
                None | Some([]) => " ".repeat(width + 1),
                Some([contents]) if Some(contents) == blank.as_ref() => {
                    layout.remark(&format!(" {:>width$}", "."))
                }
                Some([contents]) => {
                    let (number, sign) = signs.of(contents);
                    layout.coloured(number, &format!(" {sign:>width$}"))
                }
                Some(_) => format!(" {:>width$}", "*"),
            };
            line.push_str(&sign);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let names: String = across.iter().map(|element| format!(" {element:>width$}")).collect();
    out.push_str(&layout.remark(&format!("  {:>label$} {names}", "")));
    out.push('\n');
    let axes = format!("argument {} across, {} up", board.axes[0] + 1, board.axes[1] + 1);
    let several = if cells.values().any(|list| list.len() > 1) { "; * several things" } else { "" };
    let blank = blank.map_or(String::new(), |blank| format!("; . {}", blank.join(" ")));
    out.push_str(&layout.paragraph("  ", &format!("{axes}{}{blank}{several}", signs.legend())));
    out
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::facts;
    use super::*;

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
        let text = draw(&structures, &state, &initial, Layout::plain());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..5], ["  cell/3", "  c", "  b  . p", "  a  . h .", "     a b c"], "{text}");
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
        let text = draw(&structures, &state, &[], Layout::plain());
        assert!(text.contains("  c   .  . bn\n  b   .  *  .\n  a  wk  .  .\n"), "{text}");
        assert!(text.contains("b black, w white; k king, n knight; * several things"), "{text}");
    }
}
