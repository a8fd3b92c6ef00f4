//! `ggp check`: what is wrong with descriptions.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Exit;
use crate::gdl::diagnostic::Severity;
use crate::gdl::read;
use crate::report::diagnostics::{self, Checked};
use crate::report::layout::Layout;

/// Check game descriptions against the restrictions of the language
///
/// Every fault has a code; `ggp explain CODE` says what it means.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Game descriptions (KIF files)
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  ggp check tic_tac_toe
  ggp check games/*.kif --format json

Exit status: 0 no errors (there may be warnings), 1 there are errors, 2 wrong usage.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the source line, for a person
    Text,
    /// One JSON document
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let checked: Vec<Checked> = arguments
        .games
        .iter()
        .map(|path| match super::game::source(path) {
            Ok(source) => {
                let reading = read(&source);
                Checked::Read(source, reading.diagnostics)
            }
            Err(error) => Checked::Unreadable(path.clone(), super::game::unreadable(path, &error)),
        })
        .collect();
    let text = match arguments.format {
        Format::Text => diagnostics::text(&checked, Layout::detect().colour),
        Format::Json => diagnostics::json(&checked)?,
    };
    super::print(&text)?;
    let clean = checked.iter().all(|game| game.count(Severity::Error) == 0);
    Ok(if clean { Exit::Ok } else { Exit::Findings })
}
