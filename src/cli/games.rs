//! `ggp games`: lists the games that have a name.

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::{Exit, library, print};
use crate::report::layout::Layout;

/// List the games that can be called by name
///
/// A GAME of any subcommand is a file, `-` for standard input, or one of these names. They come from the configured
/// folders (`ggp config`), from games/ in the current folder, and from the program itself. A file of the same name has
/// precedence.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Print the rules of this game instead
    #[arg(value_name = "GAME")]
    game: Option<std::path::PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table, conflicts_with = "game")]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  ggp games
  ggp games tic_tac_toe > my_game.kif

Exit status: 0 done, 1 there is no such game, 2 wrong usage.";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Table,
    /// JSON Lines: a document for each game
    Json,
}

/// A game with a name.
#[derive(Serialize)]
struct Row {
    name: String,
    /// The file; `None` for a built-in game.
    file: Option<String>,
    /// The first line of the comment at the beginning.
    about: String,
}

/// Lists the games, or prints one.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(game) = &arguments.game {
        let source = super::game::source(game).map_err(|error| {
            anyhow::anyhow!("{} can't be read: {}", game.display(), super::game::unreadable(game, &error))
        })?;
        print(source.text())?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<Row> = library::games()
        .into_iter()
        .map(|(name, path)| {
            let place = path.clone().unwrap_or_else(|| format!("{name}.kif").into());
            let source = super::game::source(&place);
            let about = source.map_or_else(|error| error.to_string(), |source| comment(source.text()));
            Row { name, file: path.map(|path| path.display().to_string()), about }
        })
        .collect();
    print(&match arguments.format {
        Format::Table => {
            let line = |row: &Row| {
                let place = row.file.clone().unwrap_or_else(|| "built in".to_owned());
                vec![row.name.clone(), place, row.about.clone()]
            };
            Layout::detect().table(&["game", "from", ""], rows.iter().map(line).collect())
        }
        Format::Json => super::json_lines(&rows)?,
    })?;
    Ok(Exit::Ok)
}

/// The first line of a comment at the beginning.
fn comment(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_start_matches([';', ' '])).find(|line| !line.is_empty());
    line.filter(|_| text.starts_with(';')).unwrap_or_default().trim_end().to_owned()
}
