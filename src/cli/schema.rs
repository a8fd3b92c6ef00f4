//! `ggp schema`: the JSON Schema of the analysis document.

use clap::Args;

use super::Exit;
use crate::report::analysis;

/// Print the JSON Schema of what `ggp analyze --format json` prints
#[derive(Args)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments) -> anyhow::Result<Exit> {
    super::print(&analysis::schema()?)?;
    Ok(Exit::Ok)
}
