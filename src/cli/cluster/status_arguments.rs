//! The arguments of `ggp cluster status`. `status.rs` implements it in builds with the feature `cluster`.

use clap::{Args, ValueEnum};

use super::ServerArguments;

/// Arguments of `ggp cluster status`.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct StatusArguments {
    #[command(flatten)]
    pub(super) server: ServerArguments,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(super) format: Format,
}

const EXAMPLES: &str = "\
Examples:
  ggp cluster status --cluster nats://localhost:4222
  ggp cluster status --cluster nats://localhost:4222 --format json

Exit status: 0 the server answered, 1 it can't be reached, 2 wrong usage.";

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Tables for reading
    Table,
    /// One JSON document
    Json,
}
