//! `ggp explain`: what a code means.

use clap::Args;

use super::Exit;
use crate::catalog::nearest;
use crate::gdl::check;
use crate::report::diagnostics;
use crate::report::layout::Layout;

/// Explain an error code of `ggp check`
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The code, such as GDL007; without one, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  ggp explain
  ggp explain GDL007

Exit status: 0 done, 1 there is no such code, 2 wrong usage.";

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(code) = &arguments.code else {
        super::print(&diagnostics::codes(Layout::detect()))?;
        return Ok(Exit::Ok);
    };
    let Some(entry) = check::find(code) else {
        let known: Vec<String> = check::entries().map(|entry| entry.code.to_string()).collect();
        let near = nearest(&code.to_uppercase(), known.iter().map(String::as_str)).to_owned();
        anyhow::bail!("there is no code `{code}`; nearest to it is `{near}` (`ggp explain` lists all)");
    };
    super::print(&diagnostics::explanation(entry))?;
    Ok(Exit::Ok)
}
