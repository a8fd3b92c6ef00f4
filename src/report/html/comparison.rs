//! The page of a comparison.

use askama::Template;

use super::super::compare::{ChangeKind, Difference, DocumentComparison};
use super::super::layout::{grouped, significant};
use super::document::PageError;
use super::glossary::with_terms;
use super::markup::Markup;
use super::page::{SCRIPT, style};
use super::tables::{Badge, Field, Table, columns};

/// The most differences on a page; the JSON document has all.
const SHOWN: usize = 2_000;

/// The data of the template.
#[derive(Template)]
#[template(path = "comparison.html")]
struct ComparisonPage {
    kind: &'static str,
    a: String,
    b: String,
    style: Markup,
    script: Markup,
    symbols: Markup,
    closing: String,
    table: Option<Table>,
}

/// Renders a comparison as a page, significant differences first.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn comparison_page(found: &DocumentComparison) -> Result<String, PageError> {
    let all: Vec<&Difference> = [
        ChangeKind::Significant,
        ChangeKind::Changed,
        ChangeKind::OtherFunction,
        ChangeKind::OnlyInA,
        ChangeKind::OnlyInB,
        ChangeKind::Chance,
    ]
    .into_iter()
    .flat_map(|what| found.of(what))
    .collect();
    let left = all.len().saturating_sub(SHOWN);
    let table = (!all.is_empty()).then(|| Table {
        id: "differences".into(),
        caption: String::new(),
        columns: columns(&["what", "thing", "of it", "in", "A", "B", "#difference", "#p (Holm)"]),
        rows: all.iter().take(SHOWN).map(|difference| row(difference)).collect(),
        left_out: match left {
            0 => String::new(),
            _ => format!("{} more: ggp compare --format json.", grouped(left as u64)),
        },
    });
    let page = ComparisonPage {
        kind: found.kind.name(),
        a: found.a.clone(),
        b: found.b.clone(),
        style: style(),
        script: Markup::of(SCRIPT.to_owned()),
        symbols: Markup::of(String::new()),
        closing: found.closing(),
        table,
    };
    Ok(with_terms(page.render()?) + "\n")
}

fn row(difference: &Difference) -> Vec<Field> {
    let (class, word) = match difference.what {
        ChangeKind::Significant => ("bad", "differs"),
        ChangeKind::Changed => ("bad", "changed"),
        ChangeKind::OtherFunction => ("open", "other function"),
        ChangeKind::OnlyInA => ("open", "only in A"),
        ChangeKind::OnlyInB => ("open", "only in B"),
        ChangeKind::Chance => ("seen", "chance"),
    };
    let side = |text: &Option<String>| Field::text(text.clone().unwrap_or_default());
    vec![
        Field { badges: vec![Badge::new(class, word)], ..Field::default() },
        Field::text(difference.name.clone()),
        Field::text(difference.aspect.clone()),
        Field::text(difference.section),
        side(&difference.a),
        side(&difference.b),
        Field::number(difference.change, significant),
        Field::number(difference.p_holm, significant),
    ]
}
