//! `ggp guide`: the pages of the guide, which are built into the program.

use clap::Args;

use super::{Exit, library, print};
use crate::catalog::nearest;
use crate::report::layout::Layout;

/// Read the guide
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The page; without one, all pages are listed
    #[arg(value_name = "PAGE")]
    page: Option<String>,
}

const EXAMPLES: &str = "\
Examples:
  ggp guide
  ggp guide reference | less

Exit status: 0 done, 1 there is no such page, 2 wrong usage.";

/// Pages that only list other pages.
const LISTS: [&str; 2] = ["README", "SUMMARY"];

/// Lists the pages, or prints one.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let pages = || library::PAGES.iter().filter(|(name, _)| !LISTS.contains(name));
    let Some(wanted) = &arguments.page else {
        let title = |text: &str| text.lines().next().unwrap_or_default().trim_start_matches("# ").to_owned();
        let rows = pages().map(|(name, text)| vec![(*name).to_owned(), title(text)]).collect();
        print(&Layout::detect().table(&["page", ""], rows))?;
        return Ok(Exit::Ok);
    };
    let name = wanted.strip_suffix(".md").unwrap_or(wanted);
    let Some((_, text)) = pages().find(|(known, _)| *known == name) else {
        let near = nearest(name, pages().map(|(known, _)| *known));
        anyhow::bail!("the guide has no page `{name}`; did you mean `{near}`? (`ggp guide` lists all)");
    };
    print(text)?;
    Ok(Exit::Ok)
}
