//! Lays out text for a terminal: width, colour, headings and tables.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::OnceLock;

use comfy_table::{Attribute, Cell, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};
use console::{Style, Term, measure_text_width};

pub use crate::catalog::{counted, grouped, plural};
use crate::structure::evidence::counterexample_bound;

use super::paint::Paint;

/// The width if the output is not a terminal.
const PLAIN_WIDTH: u16 = 110;

/// The least width of a readable table; a narrower terminal breaks lines by its own rules.
const LEAST_WIDTH: u16 = 60;

/// The choice of coloured output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// On a terminal, unless `NO_COLOR` is set (<https://no-color.org>) or the terminal has none.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colour {
    fn on(self, terminal: bool) -> bool {
        let forbidden = || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self {
            Colour::Auto => terminal && !forbidden() && !dumb(),
            Colour::Always => true,
            Colour::Never => false,
        }
    }
}

/// The choice of colour and of plain output, made once.
static SETTLED: OnceLock<(Colour, bool)> = OnceLock::new();

/// Sets for the whole program when output is coloured, and whether it is plain: without colour, and with one line per row of
/// a table. Only the first call has an effect.
pub fn settle(colour: Colour, plain: bool) {
    let _ = SETTLED.set((colour, plain));
}

fn settled() -> (Colour, bool) {
    SETTLED.get().copied().unwrap_or_default()
}

/// Whether output is plain.
pub fn is_plain() -> bool {
    settled().1
}

/// Whether error messages on standard error are coloured.
pub fn colour_of_errors() -> bool {
    settled().0.on(std::io::stderr().is_terminal())
}

/// The properties of the output for which text is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The width in columns.
    pub width: u16,
    /// Whether there is colour.
    pub colour: bool,
}

impl Layout {
    /// The layout for files and pipes, without colour.
    pub fn plain() -> Self {
        Layout { width: PLAIN_WIDTH, colour: false }
    }

    /// The layout for standard output, with the [settings](settle) of the program. If it is not a terminal, the variable
    /// `COLUMNS` gives the width.
    pub fn detect() -> Self {
        let (colour, plain) = settled();
        if plain {
            return Layout { width: u16::MAX, colour: false };
        }
        let terminal = std::io::stdout().is_terminal();
        let asked = terminal.then(|| Term::stdout().size_checked()).flatten().map(|(_, columns)| columns);
        let variable = || std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok());
        let width = asked.or_else(variable).unwrap_or(PLAIN_WIDTH);
        Layout { width: width.max(LEAST_WIDTH), colour: colour.on(terminal) }
    }

    fn style(&self, style: Style, text: &str) -> String {
        style.force_styling(self.colour).apply_to(text).to_string()
    }

    /// Formats a heading.
    pub fn heading(&self, text: &str) -> String {
        self.style(Style::new().bold(), text)
    }

    /// Formats a heading; an empty text stays empty.
    pub(super) fn heading_if(&self, text: &str) -> String {
        if text.is_empty() { String::new() } else { self.heading(text) }
    }

    /// Formats the most important word of a line.
    pub fn strong(&self, text: &str) -> String {
        self.style(Style::new().bold().cyan(), text)
    }

    /// Gives things with different numbers different colours, except those in `taken`.
    pub(super) fn coloured(&self, number: usize, taken: &BTreeSet<Paint>, text: &str) -> String {
        let shades = [Paint::Red, Paint::Yellow, Paint::Green, Paint::Purple, Paint::Blue];
        let free: Vec<Paint> = shades.into_iter().filter(|paint| !taken.contains(paint)).collect();
        match free.get(number % (free.len() + 1)) {
            Some(&paint) => self.painted(paint, text),
            None => self.style(Style::new().bold().cyan(), text),
        }
    }

    /// Writes text in a colour that a word names. White and black have their own ground, so that any terminal shows them.
    pub(super) fn painted(&self, paint: Paint, text: &str) -> String {
        let style = Style::new().bold();
        let style = match paint {
            Paint::Red => style.red(),
            Paint::Yellow => style.yellow(),
            Paint::White => style.black().on_white(),
            Paint::Black => style.white().on_black(),
            Paint::Blue => style.blue(),
            Paint::Green => style.green(),
            Paint::Orange => style.color256(208),
            Paint::Purple => style.magenta(),
            Paint::Pink => style.color256(211),
            Paint::Brown => style.color256(130),
            Paint::Gray => style.color256(245),
        };
        self.style(style, text)
    }

    /// Formats a remark.
    pub fn remark(&self, text: &str) -> String {
        self.style(Style::new().dim(), text)
    }

    /// Formats a remark as lines of this width, each indented and ended.
    pub fn paragraph(&self, indent: &str, text: &str) -> String {
        self.broken(indent, text).into_iter().map(|line| self.remark(&line) + "\n").collect()
    }

    /// Formats a table with a header, indented by two blanks, each line ended. The first column names the row. Cells break
    /// only between words; if the words of a row don't fit side by side, every row becomes a list.
    pub fn table(&self, header: &[&str], rows: Vec<Vec<String>>) -> String {
        let longest: Vec<u16> = (0..header.len())
            .map(|column| {
                let cells = rows.iter().filter_map(|row| row.get(column)).map(String::as_str);
                cells.chain([header[column]]).map(longest_word).max().unwrap_or(0)
            })
            .collect();
        // Every column has a blank on either side.
        let least: usize = longest.iter().map(|&word| usize::from(word) + 2).sum();
        if least + 1 > usize::from(self.width) && header.len() > 1 {
            return self.lists(header, &rows);
        }
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
        table.force_no_tty().set_width(self.width.saturating_sub(1));
        if self.colour {
            table.enforce_styling();
        }
        table.set_header(header.iter().map(|title| Cell::new(title).add_attribute(Attribute::Dim)));
        for row in rows {
            table.add_row(row.into_iter().enumerate().map(|(column, text)| match column {
                0 => Cell::new(text).fg(Color::Cyan),
                _ => Cell::new(text),
            }));
        }
        for (column, &word) in table.column_iter_mut().zip(&longest) {
            column.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(word + 2)));
        }
        let mut out = String::new();
        for line in table.lines() {
            out.push(' ');
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }

    /// Formats rows as lists: the first cell, then a line or more for every other cell with text.
    fn lists(&self, header: &[&str], rows: &[Vec<String>]) -> String {
        let mut out = String::new();
        for row in rows {
            for (column, (title, text)) in header.iter().zip(row).enumerate() {
                if column == 0 {
                    out.push_str(&format!("  {}\n", self.strong(text)));
                } else if !text.is_empty() {
                    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                    let entry = if title.is_empty() { text } else { format!("{title}: {text}") };
                    out.push_str(
                        &self.broken("    ", &entry).into_iter().map(|line| line + "\n").collect::<String>(),
                    );
                }
            }
        }
        out
    }

    /// Breaks a text between words into indented lines of this width.
    pub fn broken(&self, indent: &str, text: &str) -> Vec<String> {
        let mut lines = vec![String::from(indent)];
        for word in text.split(' ') {
            let line = lines.last_mut().expect("there is one from the beginning");
            let words = line.len() > indent.len();
            if words && line.chars().count() + 1 + word.chars().count() > usize::from(self.width) {
                lines.push(format!("{indent}{word}"));
            } else {
                if words {
                    line.push(' ');
                }
                line.push_str(word);
            }
        }
        lines
    }
}

/// The width of the longest word of a cell.
fn longest_word(text: &str) -> u16 {
    let words = text.split_whitespace().map(measure_text_width);
    words.max().unwrap_or(0).try_into().unwrap_or(u16::MAX)
}

/// Formats a number with at most four significant digits and no trailing zeros: `0.4167`, `13.25`, `81`.
pub fn significant(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return format!("{number}").replace("-0", "0");
    }
    if number.abs() < 1e-4 {
        return format!("{number:.3e}");
    }
    let digits = (3 - number.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = format!("{number:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Formats a share from 0 to 1 as a percentage with two significant digits below ten: `0.03 %`, `12 %`. Only 0 becomes `0 %`,
/// and only 1 becomes `100 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    match value {
        // A share below 1 is rounded down.
        v if (99.5..100.0 - 1e-7).contains(&v) => {
            let digits = (-(100.0 - v).log10()).ceil().clamp(1.0, 7.0);
            let scale = 10_f64.powf(digits);
            format!("{:.*} %", digits as usize, (v * scale).floor() / scale)
        }
        v if v >= 10.0 || v == 0.0 => format!("{v:.0} %"),
        v if v >= 1.0 => format!("{v:.1} %"),
        v if v >= 0.01 => format!("{v:.2} %"),
        v => {
            let digits = (1.0 - v.abs().log10().floor()).clamp(4.0, 12.0) as usize;
            format!("{v:.digits$} %")
        }
    }
}

/// From this number of games on, a bound is written as a number of games; below, as a percentage.
const FEW: u64 = 100;

/// The 95 % confidence bound for an event that none of these games had: `fewer than 3 of 100,000`.
pub fn rarely(games: u64) -> String {
    fewer(counterexample_bound(games), games)
}

/// A bound on a share of games, to be followed by the noun: `at most 50 % of` (random games).
pub fn fewer(share: f64, games: u64) -> String {
    match games {
        FEW.. => {
            format!("fewer than {} of {}", grouped((share * games as f64).ceil() as u64), grouped(games))
        }
        _ => format!("at most {} of", percent(share)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_respect_their_width() {
        let text = Layout { width: 20, colour: false }.paragraph("  ", "one two three four five six seven");
        assert_eq!(text, "  one two three four\n  five six seven\n");
        let text = Layout { width: 5, colour: false }.paragraph("", "interval of a mean");
        assert_eq!(text, "interval\nof a\nmean\n");
    }

    #[test]
    fn words_are_never_broken() {
        let name = |letter: &str| letter.repeat(25);
        let rows = vec![vec![name("a"), name("b"), format!("{} and more words than fit", name("c"))]];
        let text = Layout { width: 90, colour: false }.table(&["one", "two", "three"], rows.clone());
        assert!(text.lines().count() > 2 && text.lines().all(|line| line.len() < 90), "{text}");
        let narrow = Layout { width: 60, colour: false }.table(&["one", "two", "three"], rows);
        for letter in ["a", "b", "c"] {
            assert!(text.contains(&name(letter)) && narrow.contains(&name(letter)), "{text}{narrow}");
        }
        assert!(narrow.lines().all(|line| line.len() <= 60) && narrow.contains("    two: b"), "{narrow}");
    }

    #[test]
    fn numbers_have_four_digits() {
        let numbers =
            [0.0, -0.0, 0.416_666, 13.25, 81.0, 100.0, 12_345.6, -0.000_012_345, 99.999_9, 0.1 + 0.2];
        let texts = ["0", "0", "0.4167", "13.25", "81", "100", "12346", "-1.234e-5", "100", "0.3"];
        assert_eq!(numbers.map(significant), texts);
    }

    #[test]
    fn shares_are_printed_as_percentages() {
        assert_eq!([0.0, 0.0003, 0.012, 0.25, 1.0].map(percent), ["0 %", "0.03 %", "1.2 %", "25 %", "100 %"]);
        assert_eq!([0.996, 0.99998, 0.9999999999].map(percent), ["99.6 %", "99.998 %", "100 %"]);
        assert_eq!([3e-5, 3e-7, 3e-9].map(percent), ["0.0030 %", "0.000030 %", "0.00000030 %"]);
        assert_eq!([1.0, 0.5].map(|share| fewer(share, 7)), ["at most 100 % of", "at most 50 % of"]);
        assert_eq!([100, 100_000].map(rarely), ["fewer than 3 of 100", "fewer than 3 of 100,000"]);
        assert_eq!(fewer(0.25, 1_000), "fewer than 250 of 1,000");
    }

    #[test]
    fn a_narrow_table_wraps_and_a_plain_one_has_no_colour() {
        let rows = vec![vec!["cell/3".to_string(), "a long sentence ".repeat(12)]];
        let narrow = Layout { width: 60, colour: true }.table(&["fluent", "evidence"], rows.clone());
        assert!(narrow.lines().count() > 4 && narrow.contains('\u{1b}'));
        let plain = Layout { width: 60, colour: false }.table(&["fluent", "evidence"], rows);
        assert!(plain.lines().all(|line| line.len() <= 60) && !plain.contains('\u{1b}'), "{plain}");
    }
}
