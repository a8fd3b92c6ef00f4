//! `ggp config`: the value of every option and its origin.

use std::ffi::OsString;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command, ValueEnum};
use serde::Serialize;

use super::layers::Layers;
use super::{Exit, library};
use crate::catalog::nearest;
use crate::report::layout::Layout;

/// Show the value of every option, and where it comes from
///
/// The command line takes precedence over environment variables, and these over files. GGP_COMMAND_OPTION takes
/// precedence over GGP_OPTION. The files are ggp.toml in this folder or the nearest one above, and then ggp/ggp.toml in the
/// user's configuration folder.
///
/// A key outside of a table applies to all subcommands that have the option. A key in a table applies to one subcommand:
///
///   seed = 7
///   game-folders = ["archive"]   # folders of games with a name
///   [analyze]
///   playouts = 20_000
///   [functions.fuzzy]            # options of evaluation functions
///   norm = "product"
#[derive(Args, Debug)]
#[command(verbatim_doc_comment, after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// A subcommand with any of its options [default: only configured values]
    #[arg(value_name = "COMMAND", trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  ggp config
  ggp config analyze --seed 3
  ggp config --format json tournament

Exit status: 0 done, 1 the configuration can't be read, 2 wrong usage.";

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Table,
    /// JSON Lines: a document for each option
    Json,
}

/// The value of an option.
#[derive(Clone, Debug, Serialize)]
struct Row {
    option: String,
    value: Vec<String>,
    from: String,
}

/// Prints the options of a command, or all configured values.
pub(super) fn run(arguments: &Arguments, layers: &Layers, command: &Command) -> anyhow::Result<Exit> {
    let rows = match arguments.command.first() {
        None => configured_rows(layers, command),
        Some(name) => {
            let names = command.get_subcommands().map(Command::get_name);
            let Some(sub) = name.to_str().and_then(|name| command.find_subcommand(name)) else {
                let name = name.to_string_lossy();
                let near = nearest(&name, names);
                return super::usage(&format!("there is no command `{name}`; did you mean `{near}`?"));
            };
            command_rows(layers, command, sub.get_name(), &arguments.command)
        }
    };
    super::print(&match arguments.format {
        Format::Table => table(&rows, layers),
        Format::Json => super::json_lines(&rows)?,
    })?;
    Ok(Exit::Ok)
}

/// All options of one command, with the values that it would have with these arguments.
fn command_rows(layers: &Layers, command: &Command, name: &str, words: &[OsString]) -> Vec<Row> {
    let program = [OsString::from("ggp")];
    let words: Vec<OsString> = program.iter().chain(words).cloned().collect();
    let mut layered = layers.apply(command.clone(), &words).ignore_errors(true);
    layered.build();
    let Ok(matches) = layered.clone().try_get_matches_from(&words) else { return Vec::new() };
    let (Some((_, matches)), Some(sub)) = (matches.subcommand(), layered.find_subcommand(name)) else {
        return Vec::new();
    };
    let options = sub.get_arguments().filter_map(|arg| Some((arg.get_id().as_str(), arg.get_long()?)));
    let options = options.filter(|(_, long)| !["help", "version", "config", "no-config"].contains(long));
    let is_hidden = |id: &str| sub.get_arguments().any(|arg| arg.get_id() == id && arg.is_hide_set());
    let rows = options.map(|(id, long)| (is_hidden(id), row(layers, name, matches, id, long)));
    rows.filter(|(is_hidden, row)| !is_hidden || row.from != "default").map(|(_, row)| row).collect()
}

fn row(layers: &Layers, name: &str, matches: &ArgMatches, id: &str, long: &str) -> Row {
    let raw = matches.try_get_raw(id).ok().flatten().into_iter().flatten();
    let value = raw.map(|value| value.to_string_lossy().into_owned()).collect();
    let from = match matches.value_source(id) {
        Some(ValueSource::CommandLine) => "command line".to_owned(),
        Some(_) => layers.value(Some(name), long).map_or_else(|| "default".to_owned(), |found| found.from),
        None => "default".to_owned(),
    };
    Row { option: format!("--{long}"), value, from }
}

/// The configured values of all commands.
fn configured_rows(layers: &Layers, command: &Command) -> Vec<Row> {
    let mut rows = Vec::new();
    let long = |command: &Command| -> Vec<String> {
        command.get_arguments().filter_map(|arg| arg.get_long().map(str::to_owned)).collect()
    };
    for option in long(command) {
        if let Some(found) = layers.value(None, &option) {
            rows.push(Row { option: format!("--{option}"), value: found.values, from: found.from });
        }
    }
    for sub in command.get_subcommands() {
        for option in long(sub) {
            if let Some(found) = layers.value(Some(sub.get_name()), &option) {
                let option = format!("{} --{option}", sub.get_name());
                rows.push(Row { option, value: found.values, from: found.from });
            }
        }
    }
    rows
}

fn table(rows: &[Row], layers: &Layers) -> String {
    let files: Vec<String> = layers.files().map(|path| path.display().to_string()).collect();
    let files = if files.is_empty() { "no ggp.toml".to_owned() } else { files.join(", then ") };
    let folders: Vec<String> = library::folders().iter().map(|path| path.display().to_string()).collect();
    let mut out = format!("configuration: {files}\ngames by name: {}, then built in\n", folders.join(", "));
    if rows.is_empty() {
        return out + "nothing is configured; `ggp config COMMAND` shows all options of a command\n";
    }
    let line = |row: &Row| {
        let value = if row.value.is_empty() { "-".to_owned() } else { row.value.join(" ") };
        vec![row.option.clone(), value, row.from.clone()]
    };
    out.push_str(&Layout::detect().table(&["option", "value", "from"], rows.iter().map(line).collect()));
    out
}
