//! `ggp explain`: what a code means.

use clap::Args;

use super::Exit;
use crate::gdl::check;
use crate::report::diagnostics;

/// Explain a code of `ggp check`: cause, example, remedy
#[derive(Args)]
pub(super) struct Arguments {
    /// The code, such as GDL007; without one, all codes are listed
    code: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(code) = &arguments.code else {
        super::print(&diagnostics::codes())?;
        return Ok(Exit::Ok);
    };
    let Some(entry) = check::find(code) else {
        anyhow::bail!("there is no code `{code}`; `ggp explain` lists all");
    };
    super::print(&diagnostics::explanation(entry))?;
    Ok(Exit::Ok)
}
