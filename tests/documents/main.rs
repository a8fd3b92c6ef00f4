//! Outputs and documents: the documents and pages that commands write, and the pages of the project. Each module tests one
//! property.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "tests may panic and print their results")]

mod analyze;
mod browser;
mod command_line;
mod command_line_mistakes;
mod compare;
mod completions;
mod env;
mod eval;
mod examples;
mod first_hour;
mod interrupt;
mod judge;
mod language;
#[path = "../shared/lines.rs"]
mod lines;
mod mistakes;
mod mutants;
#[path = "../shared/nats.rs"]
mod nats;
mod page;
mod paths;
mod readme;
mod report;
mod rooms;
mod schema;
mod shell;
mod study;
mod sweep;
mod verdict;
#[path = "../shared/waiting.rs"]
mod waiting;
