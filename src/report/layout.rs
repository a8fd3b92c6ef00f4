//! How text is laid out on a terminal: its width, whether there is colour, headings and tables.

use std::io::IsTerminal;

use comfy_table::{Attribute, Cell, Color, ContentArrangement, Table, presets};
use console::{Style, Term};

/// Columns where there is no terminal to ask.
const PLAIN_WIDTH: u16 = 110;

/// Columns below which tables become unreadable; a narrower terminal breaks lines itself.
const LEAST_WIDTH: u16 = 60;

/// The place text is laid out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Columns.
    pub width: u16,
    /// Whether there is colour.
    pub colour: bool,
}

impl Layout {
    /// Without colour, for files and pipes.
    pub fn plain() -> Self {
        Layout { width: PLAIN_WIDTH, colour: false }
    }

    /// For standard output: the terminal's width, and colour unless `NO_COLOR` is set (<https://no-color.org>)
    /// or the terminal has none; plain where standard output is no terminal.
    pub fn detect() -> Self {
        if !std::io::stdout().is_terminal() {
            return Self::plain();
        }
        let width = Term::stdout().size_checked().map_or(PLAIN_WIDTH, |(_, columns)| columns);
        let forbidden = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Layout { width: width.max(LEAST_WIDTH), colour: !forbidden && !dumb }
    }

    fn style(&self, style: Style, text: &str) -> String {
        style.force_styling(self.colour).apply_to(text).to_string()
    }

    /// A heading.
    pub fn heading(&self, text: &str) -> String {
        self.style(Style::new().bold(), text)
    }

    /// The most important word of a line.
    pub fn strong(&self, text: &str) -> String {
        self.style(Style::new().bold().cyan(), text)
    }

    /// Things that are told apart by colour, by their numbers.
    pub fn coloured(&self, number: usize, text: &str) -> String {
        let style = Style::new().bold();
        let style = match number % 6 {
            0 => style.red(),
            1 => style.yellow(),
            2 => style.green(),
            3 => style.magenta(),
            4 => style.blue(),
            _ => style.cyan(),
        };
        self.style(style, text)
    }

    /// A remark.
    pub fn remark(&self, text: &str) -> String {
        self.style(Style::new().dim(), text)
    }

    /// A remark of any length, broken into lines of this width, each of them indented and ended.
    pub fn paragraph(&self, indent: &str, text: &str) -> String {
        let (mut out, mut line) = (String::new(), String::from(indent));
        for word in text.split(' ') {
            let words = line.len() > indent.len();
            if words && line.chars().count() + 1 + word.chars().count() > usize::from(self.width) {
                out.push_str(&format!("{}\n", self.remark(&line)));
                line.truncate(indent.len());
            } else if words {
                line.push(' ');
            }
            line.push_str(word);
        }
        out + &format!("{}\n", self.remark(&line))
    }

    /// A table with a header, indented by two blanks, each line ended. The first column names the row.
    pub fn table(&self, header: &[&str], rows: Vec<Vec<String>>) -> String {
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
        let mut out = String::new();
        for line in table.lines() {
            out.push(' ');
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}

/// A number with a thin grouping of thousands, `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// How many of something, `1 state`, `2,000 states`.
pub fn counted(number: u64, one: &str, several: &str) -> String {
    format!("{} {}", grouped(number), if number == 1 { one } else { several })
}

/// A number with four significant digits at most, and none that say nothing: `0.4167`, `13.25`, `81`.
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

/// A share in 0..1 as per cent with two significant digits below ten, `0.03 %`, `12 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    match value {
        v if v >= 10.0 || v == 0.0 => format!("{v:.0} %"),
        v if v >= 1.0 => format!("{v:.1} %"),
        v if v >= 0.01 => format!("{v:.2} %"),
        v => format!("{v:.4} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        let texts = [0, 12, 123, 1234, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "123", "1,234", "123,456", "1,234,567"]);
        let texts = [0, 1, 2000].map(|number| counted(number, "state", "states"));
        assert_eq!(texts, ["0 states", "1 state", "2,000 states"]);
    }

    #[test]
    fn a_paragraph_keeps_to_its_width() {
        let text = Layout { width: 20, colour: false }.paragraph("  ", "one two three four five six seven");
        assert_eq!(text, "  one two three four\n  five six seven\n");
        let text = Layout { width: 5, colour: false }.paragraph("", "interval of a mean");
        assert_eq!(text, "interval\nof a\nmean\n");
    }

    #[test]
    fn numbers_have_four_digits() {
        let numbers =
            [0.0, -0.0, 0.416_666, 13.25, 81.0, 100.0, 12_345.6, -0.000_012_345, 99.999_9, 0.1 + 0.2];
        let texts = ["0", "0", "0.4167", "13.25", "81", "100", "12346", "-1.234e-5", "100", "0.3"];
        assert_eq!(numbers.map(significant), texts);
    }

    #[test]
    fn shares() {
        assert_eq!([0.0, 0.0003, 0.012, 0.25, 1.0].map(percent), ["0 %", "0.03 %", "1.2 %", "25 %", "100 %"]);
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
