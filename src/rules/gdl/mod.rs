//! Reads KIF text into a checked [`Description`]. This room does not depend on states or simulation.
//!
//! A text passes through these files in order: `encoding` (bytes to text), `spelling` (names that differ only in case),
//! `tree` (words and lists), `statement_parser` (facts and rules), `normalise` (rules as conjunctions), `check` (the
//! restrictions of GDL). `reader.rs` calls the steps. `symbol`, `term`, `rule` and `description` define the types that all
//! later rooms use.
//!
//! `tests/rules/` tests each step; `tests/rules/reader.rs` gives the reader arbitrary bytes.

pub mod check;
mod declaration;
pub mod dependency;
mod dependency_graph;
mod description;
pub mod diagnostic;
pub mod domain;
mod encoding;
mod flow;
pub mod identity;
pub mod information;
mod initial;
mod keyword;
mod missing_parenthesis;
mod normalise;
mod reader;
pub mod rule;
pub mod source;
mod span;
mod spelling;
mod statement;
mod statement_parser;
mod successor_percepts;
pub mod symbol;
pub mod term;
pub mod tree;

pub use dependency_graph::dependency_graph;
pub use description::Description;
pub use encoding::Utf16;
pub use reader::{Reading, read};
pub use source::{Negation, Source};
pub use span::Span;
pub use spelling::Spellings;
pub use tree::spellings;
