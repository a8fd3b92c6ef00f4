//! Renders whole pages.

use askama::Template;

use crate::structure::finding::Structures;
use crate::structure::vocabulary::Kif;

use super::super::analysis::Analysis;
use super::glossary::with_terms;
use super::material::PageMaterial;
use super::page::{PlayPage, ReportPage};

/// Why a page could not be rendered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// The data of the page could not be serialized as JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The template could not be rendered.
    #[error(transparent)]
    Template(#[from] askama::Error),
}

/// Renders an analysis as a page without times, so that the same analysis gives the same bytes.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn page(analysis: &Analysis, shown: &PageMaterial) -> Result<String, PageError> {
    Ok(with_terms(ReportPage::new(analysis, shown)?.render()?) + "\n")
}

/// Renders a game as a page to step through.
///
/// # Errors
/// Rendering fails; no known input causes this.
pub fn play_page(
    game: &str,
    structures: &Structures<Kif>,
    shown: &PageMaterial,
) -> Result<String, PageError> {
    Ok(with_terms(PlayPage::new(game, structures, shown)?.render()?) + "\n")
}
