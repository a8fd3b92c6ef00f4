//! An analysis as a page: one file with all it needs in it, to be read in a browser, on paper or on a phone, and to be
//! sent to somebody. Text is escaped by the templates; drawings are SVG in the page.
//!
//! What a page shows besides the document is made by `analysis/demonstration/` and put in words by `shown.rs`.
//! `tests/documents/page.rs` tests the text, and `tests/documents/browser/` uses the page in Chromium.

mod charts;
mod comparison;
mod document;
mod functions;
mod graph_layout;
mod judged;
mod markup;
mod page;
mod palette;
mod picture;
mod plot;
mod refused;
mod results;
mod scene;
mod sections;
mod sentences;
mod shape;
mod shown;
mod sortable;
mod studied;
mod svg;
mod tournament;
mod trouble;
mod viewer;

pub use comparison::comparison_page;
pub use document::{PageError, page, play_page};
pub use judged::judged_page;
pub use refused::refused_page;
pub use shown::Shown;
pub use studied::{Studied, labelled_page, speed_page};
pub use tournament::{TournamentResults, tournament_page};
