//! `ggp players`: what players there are.

use clap::Args;

use super::Exit;
use crate::arena::ALGORITHMS;
use crate::report::layout::Layout;

/// List the players, their options, and the games they handle
///
/// A player is a line of text: `algorithm`, `algorithm:function` or `algorithm:function?option=number&...`. A function
/// is a kind (fuzzy, statistical, kuhlmann, mobility, novelty, material: of several the one that goes best with goal
/// values in random play), a name of `ggp analyze`, or the file of a document.
#[derive(Args, Debug)]
pub(super) struct Arguments {}

pub(super) fn run(_: &Arguments) -> anyhow::Result<Exit> {
    let layout = Layout::detect();
    let mut out = String::new();
    for entry in ALGORITHMS {
        let function = if entry.takes_function { ":FUNCTION" } else { "" };
        out.push_str(&format!("{}{function}\n  {}\n", entry.name, entry.title));
        out.push_str(&format!("  for {}\n", entry.handles));
        if !entry.source.is_empty() {
            out.push_str(&format!("  {}\n", layout.remark(entry.source)));
        }
        let rows = entry.options.iter().map(|option| {
            let [low, high] = option.range;
            vec![
                option.name.to_owned(),
                option.default.to_string(),
                format!("{low} to {high}"),
                option.title.to_owned(),
            ]
        });
        out.push_str(&layout.table(&["option", "default", "range", ""], rows.collect()));
        out.push('\n');
    }
    out.push_str("human\n  you: moves are listed and chosen at the prompt\n  for all games, in `ggp play`\n");
    super::print(&out)?;
    Ok(Exit::Ok)
}
