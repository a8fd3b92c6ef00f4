//! The registry of reports: the name of each file, its contents and its function. `ggp analyze --out DIR` writes all of them,
//! and the documentation lists them from here.

use super::analysis::Analysis;
use super::csv_text::to_csv;
use super::features::feature_rows;
use super::function_rows::function_rows;
use super::html::{PageError, PageMaterial, page};
use super::properties::{property_rows, witnesses};
use super::quality::quality_rows;
use super::simulation_rows::measures;
use super::structure_rows::rows;

/// A report of an analysis.
pub struct ReportEntry {
    /// The name of its file.
    pub file: &'static str,
    /// A short description of its contents.
    pub title: &'static str,
    /// The function that makes its text.
    pub render: fn(&Material<'_>) -> Result<String, ReportError>,
}

/// The input of a report. It has no rules: data that the document lacks becomes a key of [`Analysis`] first.
#[derive(Clone, Copy)]
pub struct Material<'a> {
    /// The analysis document.
    pub analysis: &'a Analysis,
    /// The material of the page that is not in the document.
    pub shown: &'a PageMaterial,
}

/// The error of a report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// JSON could not be written.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// CSV could not be written.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// The page could not be rendered.
    #[error(transparent)]
    Page(#[from] PageError),
}

/// All reports, in the order in which they are written.
pub const REPORTS: &[ReportEntry] = &[
    ReportEntry {
        file: "report.html",
        title: "a page with pictures, plots, and a game to step through",
        render: |&Material { analysis, shown }| Ok(page(analysis, shown)?),
    },
    ReportEntry {
        file: "analysis.json",
        title: "the whole analysis; its schema: `ggp schema`",
        render: |&Material { analysis, .. }| Ok(analysis.to_json()?),
    },
    ReportEntry {
        file: "structures.csv",
        title: "a row for each finding",
        render: |&Material { analysis, .. }| Ok(to_csv(&rows(analysis))?),
    },
    ReportEntry {
        file: "properties.csv",
        title: "a row for each property",
        render: |&Material { analysis, .. }| {
            Ok(to_csv(&property_rows(&analysis.game.name, &analysis.properties))?)
        },
    },
    ReportEntry {
        file: "witnesses.jsonl",
        title: "games that prove or refute properties, for `ggp replay`",
        render: |&Material { analysis, .. }| {
            let roles: Vec<&str> = analysis.simulation.roles.iter().map(|role| role.role.as_str()).collect();
            Ok(witnesses(&analysis.game.name, &roles, &analysis.properties)?)
        },
    },
    ReportEntry {
        file: "quality.csv",
        title: "a row for each measure of the game's quality",
        render: |&Material { analysis, .. }| Ok(to_csv(&quality_rows(analysis))?),
    },
    ReportEntry {
        file: "features.csv",
        title: "a row for each feature and role",
        render: |&Material { analysis, .. }| Ok(to_csv(&feature_rows(analysis))?),
    },
    ReportEntry {
        file: "functions.csv",
        title: "a row for each evaluation function, best first",
        render: |&Material { analysis, .. }| Ok(to_csv(&function_rows(analysis))?),
    },
    ReportEntry {
        file: "simulation.csv",
        title: "a row for each statistic of random play",
        render: |&Material { analysis, .. }| {
            Ok(to_csv(&measures(&analysis.game.name, &analysis.simulation))?)
        },
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_has_a_unique_file_and_a_description() {
        let mut files: Vec<&str> = REPORTS.iter().map(|report| report.file).collect();
        files.sort_unstable();
        files.dedup();
        assert_eq!(files.len(), REPORTS.len());
        assert!(REPORTS.iter().all(|report| !report.title.is_empty()));
    }
}
