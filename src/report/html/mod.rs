//! HTML pages. A page is one file that works offline, in a browser, on paper and on a phone. Templates escape all text;
//! drawings are inline SVG.
//!
//! `analysis/demonstration/` makes the page's material that is not in the document, and `shown.rs` translates it to the terms
//! of the rules. `tests/documents/page.rs` tests the text, and `tests/documents/browser/` uses pages in Chromium.

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
