//! `ggp schema`: the JSON Schemas of the documents.

use clap::{Args, ValueEnum};

use super::Exit;
use crate::report::{analysis, compare, evaluation_files, tournament};

/// Print the JSON Schema of a document
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Which document
    #[arg(value_enum, default_value_t = Which::Analysis)]
    document: Which,
}

const EXAMPLES: &str = "\
Examples:
  ggp schema
  ggp schema evaluation > evaluation.schema.json";

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// What `ggp analyze --format json` prints
    Analysis,
    /// An evaluation function, as `ggp analyze --out DIR` writes into DIR/evaluations
    Evaluation,
    /// What `ggp tournament --format json` prints
    Tournament,
    /// What `ggp compare --format json` prints
    Comparison,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    super::print(&match arguments.document {
        Which::Analysis => analysis::schema()?,
        Which::Evaluation => evaluation_files::schema()?,
        Which::Tournament => tournament::schema()?,
        Which::Comparison => compare::schema()?,
    })?;
    Ok(Exit::Ok)
}
