//! `ggp completions`: completions of the command line for shells.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Exit};

/// Print completions of the command line for a shell
#[derive(Args)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "ggp", &mut script);
    super::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}
