//! `ggp players`: lists the players.

use clap::Args;

use super::Exit;
use crate::arena::{ALGORITHMS, AlgorithmEntry};
use crate::catalog::CatalogEntry;
use crate::report::layout::Layout;

/// List the players and their options
///
/// A player is a line of text: `algorithm`, `algorithm:function` or `algorithm:function?option=number&...`. A function
/// is a kind, a name from `ggp analyze`, or the file of a document. Of several functions of a kind the one with the
/// highest correlation is taken. Options of a kind are in parentheses: `alphabeta:fuzzy(norm=product,p=0.9)`.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {}

const EXAMPLES: &str = "\
Examples:
  ggp players";

/// The long help of an argument that takes players: its own text, and a list of all players.
pub(super) fn help(argument: &str) -> String {
    let lines: Vec<String> = ALGORITHMS.iter().map(AlgorithmEntry::line).collect();
    format!(
        "{argument}\n\nA player is one of {}; options of the function and of the player follow after commas, as in \
         alphabeta:fuzzy,norm=product,depth=4 (`ggp players` explains all)",
        lines.join(", ")
    )
}

pub(super) fn run(_: &Arguments) -> anyhow::Result<Exit> {
    let layout = Layout::detect();
    let mut out = String::new();
    for entry in ALGORITHMS {
        let about = entry.about();
        out.push_str(&format!("{}\n", entry.line()));
        for text in [about.title.to_owned(), format!("for {}", about.handles)] {
            out.extend(layout.broken("  ", &text).into_iter().map(|line| line + "\n"));
        }
        if !about.source.is_empty() {
            out.push_str(&layout.paragraph("  ", about.source));
        }
        let rows = entry.options().into_iter().map(|option| {
            vec![
                option.name.to_owned(),
                option.default.to_string(),
                option.kind.range(),
                option.kind.unit().to_owned(),
                option.help.to_owned(),
            ]
        });
        out.push_str(&layout.table(&["option", "default", "range", "unit", ""], rows.collect()));
        out.push('\n');
    }
    out.push_str("human\n  you: moves are listed and chosen at the prompt\n  for all games, in `ggp play`\n");
    super::print(&out)?;
    Ok(Exit::Ok)
}
