//! The measures of a game's quality as CSV rows and as a table.

use serde::Serialize;

use crate::verdict::{MEASURES, QualityMeasure};

use super::analysis::Analysis;
use super::layout::{Layout, grouped, significant};

/// A row of `quality.csv`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QualityRow {
    /// The game.
    pub game: String,
    /// The measure.
    pub measure: &'static str,
    /// The value.
    pub value: f64,
    /// Lower end of its 95 % interval; empty if it has none.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The number of games that it was computed from.
    pub games: u64,
    /// The definition.
    pub definition: &'static str,
    /// The publication of the definition.
    pub source: &'static str,
}

/// The rows of a game, one for each measure that it allows; none without a verdict.
pub fn quality_rows(analysis: &Analysis) -> Vec<QualityRow> {
    let measures = analysis.verdict.iter().flat_map(|verdict| &verdict.quality);
    let row = |measure: &QualityMeasure| {
        let entry = MEASURES.iter().find(|entry| entry.name == measure.name)?;
        Some(QualityRow {
            game: analysis.game.name.clone(),
            measure: entry.name,
            value: measure.value,
            low: measure.low,
            high: measure.high,
            games: measure.games,
            definition: entry.definition,
            source: entry.source,
        })
    };
    measures.filter_map(row).collect()
}

/// The measures as a table, each line ended; empty without measures.
pub fn table(analysis: &Analysis, layout: Layout) -> String {
    let rows = quality_rows(analysis);
    if rows.is_empty() {
        return String::new();
    }
    let row = |row: QualityRow| {
        let interval = match (row.low, row.high) {
            (Some(low), Some(high)) => format!("{} to {}", short(low), short(high)),
            _ => String::new(),
        };
        vec![
            row.measure.to_owned(),
            short(row.value),
            interval,
            grouped(row.games),
            row.definition.to_owned(),
        ]
    };
    let columns = ["measure", "value", "95 % interval", "games", "definition"];
    let heading = layout.heading("Quality");
    format!("\n{heading}\n{}", layout.table(&columns, rows.into_iter().map(row).collect()))
}

/// Formats a number with at most three decimals.
fn short(number: f64) -> String {
    significant((number * 1000.0).round() / 1000.0)
}
