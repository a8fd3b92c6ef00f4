//! Tables of a page that a reader can sort and filter.

use super::markup::Markup;

/// A table.
pub(super) struct Table {
    /// Its name on the page.
    pub(super) id: &'static str,
    /// What it shows, above it.
    pub(super) caption: String,
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Field>>,
    /// Rows that are not shown, as a sentence; empty where there is none.
    pub(super) left_out: String,
}

/// A column.
pub(super) struct Column {
    pub(super) title: &'static str,
    /// Whether it has numbers, which stand at the right.
    pub(super) number: bool,
}

/// A field of a row.
#[derive(Default)]
pub(super) struct Field {
    pub(super) text: String,
    /// By what it is sorted, where that is no text.
    pub(super) sort: Option<f64>,
    /// What is said more, shown when asked for.
    pub(super) more: String,
    /// Words with a colour, beside the text.
    pub(super) badges: Vec<Badge>,
}

/// A word with a colour.
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
    /// Words.
    pub(super) fn text(text: impl Into<String>) -> Field {
        Field { text: text.into(), ..Field::default() }
    }

    /// A number in figures; empty where there is none.
    pub(super) fn number(value: Option<f64>, figures: impl Fn(f64) -> String) -> Field {
        Field { text: value.map_or(String::new(), figures), sort: value, ..Field::default() }
    }

    /// What it is sorted by, as an attribute.
    pub(super) fn attribute(&self) -> Markup {
        Markup::of(
            self.sort
                .filter(|sort| sort.is_finite())
                .map_or(String::new(), |sort| format!(" data-sort=\"{sort}\"")),
        )
    }
}

/// Columns by their titles, those with numbers told by a `#` before it.
pub(super) fn columns(titles: &[&'static str]) -> Vec<Column> {
    let column = |title: &&'static str| match title.strip_prefix('#') {
        Some(title) => Column { title, number: true },
        None => Column { title, number: false },
    };
    titles.iter().map(column).collect()
}
