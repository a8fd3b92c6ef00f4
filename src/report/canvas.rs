//! A grid of coloured characters, on which boards are drawn for a terminal.

use std::collections::BTreeSet;

use super::layout::Layout;
use super::paint::Paint;

/// The colour of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Plain,
    /// For names, lines and empty cells.
    Remark,
    /// For an object whose contents name a colour.
    Paint(Paint),
    /// For another object, by number.
    Object(usize),
}

/// The characters by row and column; rows and columns are added where text is written.
#[derive(Default)]
pub(super) struct Canvas {
    rows: Vec<Vec<(char, Ink)>>,
}

impl Canvas {
    /// Writes text from a column on.
    pub(super) fn write(&mut self, column: usize, row: usize, text: &str, ink: Ink) {
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        let line = &mut self.rows[row];
        let end = column + text.chars().count();
        if line.len() < end {
            line.resize(end, (' ', Ink::Plain));
        }
        for (place, symbol) in line[column..end].iter_mut().zip(text.chars()) {
            *place = (symbol, ink);
        }
    }

    /// Whether nothing is written at a place.
    pub(super) fn is_free(&self, column: usize, row: usize) -> bool {
        self.rows.get(row).and_then(|line| line.get(column)).is_none_or(|(symbol, _)| *symbol == ' ')
    }

    /// The rows as text, without blanks at the end. Numbered objects don't get the colours in `taken`.
    pub(super) fn lines(&self, layout: Layout, taken: &BTreeSet<Paint>) -> Vec<String> {
        let line = |row: &Vec<(char, Ink)>| {
            let end = row.iter().rposition(|(symbol, _)| *symbol != ' ').map_or(0, |last| last + 1);
            let mut text = String::new();
            for run in row[..end].chunk_by(|one, other| one.1 == other.1) {
                let part: String = run.iter().map(|(symbol, _)| *symbol).collect();
                text.push_str(&match run[0].1 {
                    Ink::Plain => part,
                    Ink::Remark => layout.remark(&part),
                    Ink::Paint(paint) => layout.painted(paint, &part),
                    Ink::Object(number) => layout.coloured(number, taken, &part),
                });
            }
            text
        };
        self.rows.iter().map(line).collect()
    }
}
