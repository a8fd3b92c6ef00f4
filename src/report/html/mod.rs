//! HTML pages. A page is one file that works offline, in a browser, on paper and on a phone. Templates escape all text;
//! drawings are inline SVG.
//!
//! `analysis/demonstration/` computes the data of a page that its document lacks, and `material.rs` converts them to
//! text. `tests/documents/page.rs` tests the text, and `tests/documents/browser/` uses pages in Chromium.

mod charts;
mod comparison;
mod deciding_facts;
mod document;
mod edge_bands;
mod functions;
mod glossary;
mod judge_page;
mod markup;
mod material;
mod overview;
mod page;
mod palette;
mod picture;
mod plot;
mod refusal;
mod results;
mod scene;
mod sections;
mod sentences;
mod shape;
mod study_pages;
mod svg;
mod sweep_page;
mod tables;
mod tournament;
mod value_drops;
mod verdict_sections;
mod viewer;
mod warnings;

pub use comparison::comparison_page;
pub use document::{PageError, page, play_page};
pub use judge_page::judged_page;
pub use material::PageMaterial;
pub use refusal::refused_page;
pub use study_pages::{StudyResults, labelled_page, speed_page};
pub use sweep_page::sweep_page;
pub use tournament::{TournamentResults, tournament_page};
