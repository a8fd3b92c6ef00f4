//! `ggp man`: manual pages.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, Command};

use super::{Exit, print, print_note};
use crate::catalog::nearest;

/// Print or write manual pages
///
/// The pages contain the text of --help, in the format of man(1).
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The subcommand whose page is printed [default: ggp itself]
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,
    /// Write all pages to this folder, as ggp.1, ggp-analyze.1 and so on
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  ggp man --out ~/.local/share/man/man1
  ggp man analyze | man -l -

Exit status: 0 done, 1 the pages can't be written, 2 wrong usage.";

/// Prints one manual page, or writes all of them.
pub(super) fn run(arguments: &Arguments, mut command: Command) -> anyhow::Result<Exit> {
    command.build();
    if let Some(out) = &arguments.out {
        let unwritten = || format!("{} can't be written", out.display());
        std::fs::create_dir_all(out).with_context(unwritten)?;
        clap_mangen::generate_to(command, out).with_context(unwritten)?;
        print_note(&format!("written to {}\n", out.display()))?;
        return Ok(Exit::Ok);
    }
    let page = match &arguments.command {
        None => command,
        Some(name) => match command.find_subcommand(name) {
            Some(found) => found.clone().name(format!("ggp-{name}")),
            None => {
                let near = nearest(name, command.get_subcommands().map(Command::get_name));
                return super::usage(&format!("there is no command `{name}`; did you mean `{near}`?"));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Ok)
}
