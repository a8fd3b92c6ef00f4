//! Tables of pages, which readers can sort and filter.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::markup::Markup;
use super::palette::HEATS;

/// A table.
pub(super) struct Table {
    /// Its id on the page; may be empty if it can't be filtered.
    pub(super) id: Cow<'static, str>,
    /// The caption above it.
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Field>>,
    /// The sentence on rows that are not shown; empty if there are none.
    pub(super) left_out: String,
}

/// A column.
pub(super) struct Column {
    pub(super) title: Cow<'static, str>,
    /// Whether it has numbers, which are aligned to the right.
    pub(super) number: bool,
}

/// A field of a row.
#[derive(Default)]
pub(super) struct Field {
    pub(super) text: String,
    /// The sort key, if it is not the text.
    pub(super) sort: Option<f64>,
    /// Its id on the page; empty if nothing leads to it.
    pub(super) id: String,
    /// Additional text, in small print.
    pub(super) more: String,
    /// Coloured words before the text.
    pub(super) badges: Vec<Badge>,
    /// The link of the text to a file next to the page; empty without a link.
    pub(super) link: String,
    /// The distance above (up to 1) or below (down to -1) zero, shown as a colour.
    pub(super) heat: Option<f64>,
    /// Whether it is bold.
    pub(super) strong: bool,
}

/// A coloured word.
pub(super) struct Badge {
    /// `good`, `bad`, `open` or `seen`.
    pub(super) class: &'static str,
    pub(super) text: String,
}

impl Badge {
    pub(super) fn new(class: &'static str, text: impl Into<String>) -> Badge {
        Badge { class, text: text.into() }
    }
}

impl Field {
    /// A field with text.
    pub(super) fn text(text: impl Into<String>) -> Field {
        Field { text: text.into(), ..Field::default() }
    }

    /// A field with a number; empty if there is none.
    pub(super) fn number(value: Option<f64>, figures: impl Fn(f64) -> String) -> Field {
        Field { text: value.map_or(String::new(), figures), sort: value, ..Field::default() }
    }

    /// The HTML attributes: classes and sort key.
    pub(super) fn attributes(&self, number: &bool) -> Markup {
        let mut classes = Vec::new();
        classes.extend(number.then(|| "number".to_owned()));
        classes.extend(self.heat.filter(|heat| heat.is_finite()).map(|heat| {
            let level = (heat.clamp(-1.0, 1.0) * HEATS as f64).round() as i64;
            format!("heat {}{}", if level < 0 { 'b' } else { 'u' }, level.abs())
        }));
        classes.extend(self.strong.then(|| "strong".to_owned()));
        let mut out = String::new();
        if !classes.is_empty() {
            // Writing to a string can't fail.
            let _ = write!(out, " class=\"{}\"", classes.join(" "));
        }
        if !self.id.is_empty() {
            let _ = write!(out, " id=\"{}\"", self.id);
        }
        if let Some(sort) = self.sort.filter(|sort| sort.is_finite()) {
            let _ = write!(out, " data-sort=\"{sort}\"");
        }
        Markup::of(out)
    }
}

impl Table {
    /// Removes number columns without any number.
    pub(super) fn without_empty_numbers(mut self) -> Table {
        let kept: Vec<bool> = (self.columns.iter().enumerate())
            .map(|(index, column)| {
                !column.number
                    || self.rows.iter().any(|row| row.get(index).is_some_and(|field| !field.text.is_empty()))
            })
            .collect();
        let mut of_columns = kept.iter();
        self.columns.retain(|_| *of_columns.next().unwrap_or(&true));
        for row in &mut self.rows {
            let mut of_row = kept.iter();
            row.retain(|_| *of_row.next().unwrap_or(&true));
        }
        self
    }
}

/// Makes columns from titles; a leading `#` marks a number column.
pub(super) fn columns(titles: &[&'static str]) -> Vec<Column> {
    let column = |title: &&'static str| match title.strip_prefix('#') {
        Some(title) => Column { title: title.into(), number: true },
        None => Column { title: (*title).into(), number: false },
    };
    titles.iter().map(column).collect()
}
