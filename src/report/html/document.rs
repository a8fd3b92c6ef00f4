//! Pages as a whole.

use askama::Template;

use crate::structure::finding::Structures;
use crate::structure::vocabulary::Kif;

use super::super::analysis::Analysis;
use super::page::{PlayPage, ReportPage};
use super::shown::Shown;

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// Its data can't be written.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A template can't be filled in.
    #[error(transparent)]
    Template(#[from] askama::Error),
}

/// An analysis as a page; it says nothing of time, so that the same analysis gives the same bytes.
///
/// # Errors
/// None is known.
pub fn page(analysis: &Analysis, shown: &Shown) -> Result<String, PageError> {
    Ok(ReportPage::new(analysis, shown)?.render()? + "\n")
}

/// A play of a game as a page to step through.
///
/// # Errors
/// None is known.
pub fn play_page(game: &str, structures: &Structures<Kif>, shown: &Shown) -> Result<String, PageError> {
    Ok(PlayPage::new(game, structures, shown)?.render()? + "\n")
}
