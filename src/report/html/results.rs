//! The page of results over several games: problems first, then the settings, then tables and figures.

use askama::Template;

use super::super::study::escape_cell;
use super::document::PageError;
use super::functions::Figure;
use super::glossary::with_terms;
use super::markup::Markup;
use super::page::{SCRIPT, style};
use super::tables::{Field, Table};
use super::warnings::Warning;

/// The data of the template.
#[derive(Template)]
#[template(path = "results.html")]
struct Page<'a> {
    results: &'a ResultsPage,
    style: Markup,
    script: Markup,
    symbols: Markup,
}

/// The contents of the page.
pub(super) struct ResultsPage {
    /// The kind of results, in a word or two.
    pub(super) kind: &'static str,
    pub(super) title: String,
    /// The summary sentence.
    pub(super) lead: String,
    pub(super) warnings: Vec<Warning>,
    /// Whether the settings come after the sections.
    pub(super) run_last: bool,
    /// The command that reproduces it.
    pub(super) command: String,
    /// The settings.
    pub(super) facts: Vec<(&'static str, String)>,
    /// The games with hashes of their files or rules.
    pub(super) games: Table,
    pub(super) sections: Vec<Section>,
    /// The facts that depend on the computer and the time.
    pub(super) made: Vec<(&'static str, String)>,
}

/// A section with an entry in the table of contents.
pub(super) struct Section {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) parts: Vec<SectionPart>,
}

/// A part of a section.
pub(super) enum SectionPart {
    Heading(String),
    Text(String),
    /// A fixed table.
    Table(Table),
    /// A table that readers can sort and filter.
    Sortable(Table),
    Figures(Vec<Figure>),
    /// The legend of line colours: the number of the series, and its name.
    Legend(Vec<(usize, String)>),
}

impl ResultsPage {
    pub(super) fn render(&self) -> Result<String, PageError> {
        let page = Page {
            results: self,
            style: style(),
            script: Markup::of(SCRIPT.to_owned()),
            symbols: Markup::of(String::new()),
        };
        Ok(with_terms(page.render()?) + "\n")
    }

    /// The page as Markdown, without figures.
    pub(super) fn markdown(&self) -> String {
        let mut out =
            format!("# Study `{}`\n\n```text\n{}\n```\n\n{}\n", self.title, self.command, self.lead);
        for trouble in &self.warnings {
            out.push_str(&format!("\n- **{}** {}", trouble.title, escape_cell(&trouble.text)));
        }
        let facts = self.facts.iter().map(|(name, value)| format!("{name}: {value}"));
        out.push_str(&format!("\n{}.\n", facts.collect::<Vec<_>>().join("; ")));
        for section in &self.sections {
            out.push_str(&format!("\n## {}\n", section.title));
            for part in &section.parts {
                match part {
                    SectionPart::Heading(text) => out.push_str(&format!("\n### {text}\n")),
                    SectionPart::Text(text) => out.push_str(&format!("\n{text}\n")),
                    SectionPart::Table(table) | SectionPart::Sortable(table) => {
                        out.push_str(&markdown_table(table))
                    }
                    SectionPart::Figures(_) | SectionPart::Legend(_) => {}
                }
            }
        }
        let made: Vec<&str> = self.made.iter().map(|(_, value)| value.as_str()).collect();
        out.push_str(&format!("\n## Made on\n\n{}.\n", made.join("; ")));
        out
    }
}

fn markdown_table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let mut out = String::from("\n");
    if !table.caption.is_empty() {
        out.push_str(&format!("{}\n\n", table.caption));
    }
    out.push_str(&line(table.columns.iter().map(|column| escape_cell(&column.title)).collect()));
    out.push_str(&format!("|{}\n", "---|".repeat(table.columns.len())));
    for row in &table.rows {
        let text = |field: &Field| {
            let badges = field.badges.iter().map(|badge| badge.text.as_str());
            escape_cell(
                &badges
                    .chain([field.text.as_str()])
                    .filter(|text| !text.is_empty())
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        };
        out.push_str(&line(row.iter().map(text).collect()));
    }
    out
}
