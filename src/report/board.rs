//! Boards of a state as pictures in text: two ordered coordinates, and on every cell a short sign for its contents.

use std::collections::{BTreeMap, BTreeSet};

use crate::structure::finding::FluentKind;

use super::layout::Layout;
use super::structures::{AxisDocument, FluentDocument, StructuresDocument};

/// Cells along an axis, at most: what is larger is not drawn.
const LONGEST: usize = 40;

/// Contents that need no sign of their own, being as short as one.
const SHORT: usize = 2;

/// Words that the legend explains, and facts beside a board, at most.
const MOST: usize = 60;

/// A fact of a state in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The fluent's name.
    pub name: String,
    /// Its arguments as KIF.
    pub arguments: Vec<String>,
}

impl Fact {
    fn signature(&self) -> String {
        format!("{}/{}", self.name, self.arguments.len())
    }
}

impl std::fmt::Display for Fact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.arguments.is_empty() {
            true => f.write_str(&self.name),
            false => write!(f, "({} {})", self.name, self.arguments.join(" ")),
        }
    }
}

/// The boards of a state, and the facts that stand on none of them. What fills most cells of the initial state is drawn
/// as a dot; where nothing does, cells without a fact are.
pub fn draw(structures: &StructuresDocument, state: &[Fact], initial: &[Fact], layout: Layout) -> String {
    let mut out = String::new();
    let mut drawn = BTreeSet::new();
    for finding in &structures.fluents {
        if let Some(board) = Board::new(finding, structures) {
            out.push_str(&board.picture(state, initial, layout));
            drawn.insert(finding.fluent.as_str());
        }
    }
    let rest: Vec<String> = (state.iter())
        .filter(|fact| !drawn.contains(fact.signature().as_str()))
        .map(Fact::to_string)
        .collect();
    if !rest.is_empty() && !drawn.is_empty() {
        let more = rest.len().saturating_sub(MOST);
        let mut line = String::from("besides:");
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

/// A fluent with two ordered coordinates.
struct Board<'s> {
    fluent: &'s str,
    /// The arguments of the coordinates, from 0.
    axes: [usize; 2],
    /// Their elements.
    elements: [Vec<&'s str>; 2],
}

impl<'s> Board<'s> {
    fn new(finding: &'s FluentDocument, structures: &'s StructuresDocument) -> Option<Board<'s>> {
        if !matches!(finding.kind, FluentKind::Board | FluentKind::Place) {
            return None;
        }
        let [first, second] = &finding.axes[..] else { return None };
        let elements = |axis: &AxisDocument| -> Option<Vec<&'s str>> {
            let order = axis.order.as_ref()?;
            let domain: BTreeSet<&str> =
                finding.domains[axis.argument - 1].iter().map(String::as_str).collect();
            let inside = |element: &&str| domain.contains(element);
            let successors = structures.successors.iter().filter(|found| found.relation == *order);
            let others = structures.chains.iter().filter(|chain| chain.name == *order);
            let chains = successors.map(|found| &found.elements).chain(others.map(|chain| &chain.elements));
            let found = chains.map(|elements| -> Vec<&str> {
                elements.iter().map(String::as_str).filter(inside).collect()
            });
            let found = found.max_by_key(Vec::len)?;
            (!found.is_empty() && found.len() <= LONGEST).then_some(found)
        };
        Some(Board {
            fluent: &finding.fluent,
            axes: [first.argument - 1, second.argument - 1],
            elements: [elements(first)?, elements(second)?],
        })
    }

    /// For every cell, by the places of its coordinates, its contents.
    fn cells(&self, state: &[Fact]) -> BTreeMap<[usize; 2], Vec<Vec<String>>> {
        let mut cells: BTreeMap<[usize; 2], Vec<Vec<String>>> = BTreeMap::new();
        for fact in state.iter().filter(|fact| fact.signature() == self.fluent) {
            let place = |axis: usize| {
                let argument = &fact.arguments[self.axes[axis]];
                self.elements[axis].iter().position(|element| element == argument)
            };
            let (Some(x), Some(y)) = (place(0), place(1)) else { continue };
            let rest =
                fact.arguments.iter().enumerate().filter(|(argument, _)| !self.axes.contains(argument));
            let mut contents: Vec<String> = rest.map(|(_, text)| text.clone()).collect();
            if contents.is_empty() {
                contents.push(fact.name.clone());
            }
            cells.entry([x, y]).or_default().push(contents);
        }
        cells
    }

    fn picture(&self, state: &[Fact], initial: &[Fact], layout: Layout) -> String {
        let (cells, before) = (self.cells(state), self.cells(initial));
        let count = self.elements[0].len() * self.elements[1].len();
        let mut often: BTreeMap<&Vec<String>, usize> = BTreeMap::new();
        for contents in before.values().flatten() {
            *often.entry(contents).or_default() += 1;
        }
        let blank =
            often.iter().find(|(_, times)| **times * 2 > count).map(|(contents, _)| (*contents).clone());
        let known: BTreeSet<&Vec<String>> = (before.values().chain(cells.values()).flatten())
            .filter(|contents| Some(*contents) != blank.as_ref())
            .collect();
        let signs = Signs::new(known.into_iter().cloned().collect());

        let across: Vec<&str> = self.elements[0].clone();
        let label = self.elements[1].iter().map(|element| element.chars().count()).max().unwrap_or(0);
        let width = across.iter().map(|element| element.chars().count()).max().unwrap_or(1).max(signs.width);
        let mut out = format!("  {}\n", layout.heading(self.fluent));
        for (y, row) in self.elements[1].iter().enumerate().rev() {
            let mut line = layout.remark(&format!("  {row:>label$} "));
            for x in 0..across.len() {
                let sign = match cells.get(&[x, y]).map(Vec::as_slice) {
                    None | Some([]) if blank.is_none() => layout.remark(&format!(" {:>width$}", ".")),
                    // What is no cell is not to be taken for one with a dot.
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
        let axes = format!("  argument {} across, {} up", self.axes[0] + 1, self.axes[1] + 1);
        let several = if cells.values().any(|list| list.len() > 1) { "; * several things" } else { "" };
        let blank = blank.map_or(String::new(), |blank| format!("; . {}", blank.join(" ")));
        out.push_str(&layout.remark(&format!("{axes}{}{blank}{several}", signs.legend())));
        out.push('\n');
        out
    }
}

/// Signs for contents.
struct Signs {
    contents: Vec<Vec<String>>,
    signs: Vec<String>,
    width: usize,
    /// What the letters of a sign stand for, place by place.
    legend: Vec<BTreeMap<String, String>>,
}

impl Signs {
    fn new(contents: Vec<Vec<String>>) -> Signs {
        let words = contents.iter().map(Vec::len).max().unwrap_or(0);
        let plain = contents.iter().all(|words| words.join("").chars().count() <= SHORT);
        let mut signs = vec![String::new(); contents.len()];
        let mut legend = Vec::new();
        for place in 0..words {
            let of = |words: &Vec<String>| words.get(place).cloned().unwrap_or_default();
            let different: BTreeSet<String> = contents.iter().map(of).collect();
            // A word that all have tells nothing.
            if different.len() < 2 && words > 1 && contents.len() > 1 {
                continue;
            }
            let mut taken = BTreeSet::new();
            let letters: BTreeMap<String, String> = (different.into_iter())
                .map(|word| {
                    let sign = if plain { word.clone() } else { letter(&word, &mut taken).to_string() };
                    (word, sign)
                })
                .collect();
            for (sign, words) in signs.iter_mut().zip(&contents) {
                sign.push_str(&letters[&of(words)]);
            }
            legend.push(letters);
        }
        let width = signs.iter().map(|sign| sign.chars().count()).max().unwrap_or(1);
        Signs { contents, signs, width, legend }
    }

    /// The number and the sign of contents.
    fn of(&self, contents: &Vec<String>) -> (usize, &str) {
        let number = self.contents.iter().position(|known| known == contents).unwrap_or(0);
        (number, self.signs.get(number).map_or("?", String::as_str))
    }

    fn legend(&self) -> String {
        let mut told = String::new();
        for letters in &self.legend {
            let pairs = letters.iter().filter(|(word, letter)| word != letter).take(MOST);
            let pairs: Vec<String> = pairs.map(|(word, letter)| format!("{letter} {word}")).collect();
            if !pairs.is_empty() {
                told.push_str(&format!("; {}", pairs.join(", ")));
            }
        }
        told
    }
}

/// A letter for a word: its first one that is free, in lower case or in upper case, else any.
fn letter(word: &str, taken: &mut BTreeSet<char>) -> char {
    let own: Vec<char> = word.chars().filter(|symbol| symbol.is_alphanumeric()).collect();
    let upper = own.iter().flat_map(|symbol| symbol.to_uppercase());
    let any = ('a'..='z').chain('A'..='Z').chain('0'..='9');
    let mut candidates = own.iter().copied().chain(upper).chain(any);
    let found = candidates.find(|symbol| !taken.contains(symbol)).unwrap_or('?');
    taken.insert(found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn structures() -> StructuresDocument {
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

    fn facts(texts: &[&str]) -> Vec<Fact> {
        let fact = |text: &&str| {
            let mut words = text.split(' ').map(str::to_owned);
            Fact { name: words.next().unwrap(), arguments: words.collect() }
        };
        texts.iter().map(fact).collect()
    }

    #[test]
    fn cells_stand_where_their_coordinates_say() {
        let initial =
            facts(&["cell a a peg", "cell b a peg", "cell c a peg", "cell a b peg", "cell b b peg"]);
        let state = facts(&[
            "cell a a peg",
            "cell b a hole",
            "cell c a peg",
            "cell a b peg",
            "cell b b pit",
            "step 3",
        ]);
        let text = draw(&structures(), &state, &initial, Layout::plain());
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..5], ["  cell/3", "  c", "  b  . p", "  a  . h .", "     a b c"], "{text}");
        assert_eq!(lines[5], "  argument 1 across, 2 up; h hole, p pit; . peg");
        assert!(text.ends_with("  besides: (step 3)\n"), "{text}");
    }

    #[test]
    fn words_of_contents_have_letters_of_their_own() {
        let state = facts(&[
            "man a a white king",
            "man c c black knight",
            "man b b black king",
            "man b b white king",
        ]);
        let text = draw(&structures(), &state, &[], Layout::plain());
        assert!(text.contains("  c   .  . bn\n  b   .  *  .\n  a  wk  .  .\n"), "{text}");
        assert!(text.contains("b black, w white; k king, n knight; * several things"), "{text}");
    }
}
