//! `ggp completions`: shell completions of the command line and of its values.

use std::ffi::OsStr;
use std::path::Path;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Arg, Args, ValueEnum};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::Shells;

use super::{Exit, library};
use crate::arena::ALGORITHMS;
use crate::catalog::CatalogEntry as _;
use crate::evaluation::Kind;
use crate::gdl::check;

/// Print the completion script for a shell
///
/// The script calls the program each time, so names of games, players, functions and documents are completed, too.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  ggp completions bash > ~/.local/share/bash-completion/completions/ggp
  ggp completions zsh > ~/.zfunc/_ggp
  ggp completions fish > ~/.config/fish/completions/ggp.fish";

/// A shell that is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Shell {
    /// Bash
    Bash,
    /// Elvish
    Elvish,
    /// Fish
    Fish,
    /// `PowerShell`
    Powershell,
    /// Zsh
    Zsh,
}

/// The environment variable with which a script requests completions from the program.
pub(super) const VARIABLE: &str = "COMPLETE";

/// Prints the script of a shell.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let name = arguments.shell.to_possible_value().map(|value| value.get_name().to_owned());
    let shells = Shells::builtins();
    let shell = name.as_deref().and_then(|name| shells.completer(name));
    let shell = shell.ok_or_else(|| anyhow::anyhow!("there are no completions for this shell"))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "ggp", "ggp", "ggp", &mut script)?;
    super::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Ok)
}

/// Adds the completer to an argument, chosen by its value name. `GAME` arguments also get a parser that resolves names.
pub(super) fn with_completer(arg: Arg) -> Arg {
    let value_name = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
    let by = |complete: fn(&OsStr) -> Vec<CompletionCandidate>| ArgValueCompleter::new(complete);
    match value_name.as_deref() {
        Some("GAME") => {
            let arg = arg.value_parser(OsStringValueParser::new().map(|word| library::place(&word)));
            arg.add(by(games))
        }
        Some("PLAYER") => arg.add(by(players)),
        Some("ROLE=PLAYER" | "ROLE=WHO") => arg.add(by(roles)),
        Some("FUNCTION") => arg.add(by(functions)),
        Some("KINDS") => arg.add(by(kinds)),
        Some("PAGE") => arg.add(by(pages)),
        Some("CODE") => arg.add(by(codes)),
        _ => arg,
    }
}

/// The names that begin with `current`, each with its description.
fn with_prefix<'n>(
    current: &OsStr,
    names: impl IntoIterator<Item = (&'n str, String)>,
) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = names.into_iter().filter(|(name, _)| name.starts_with(&*current));
    let candidate = |(name, about): (&str, String)| {
        CompletionCandidate::new(name).help(Some(about).filter(|about| !about.is_empty()).map(Into::into))
    };
    fitting.map(candidate).collect()
}

/// Names of games, then files with game descriptions.
fn games(current: &OsStr) -> Vec<CompletionCandidate> {
    let known = library::games();
    let shown =
        |place: Option<&Path>| place.map_or_else(|| "built in".into(), |path| path.display().to_string());
    let names = known.iter().map(|(name, place)| (name.as_str(), shown(place.as_deref())));
    let mut found = with_prefix(current, names);
    found.extend(files(current, "kif"));
    found
}

/// Files with the extension `end`, and folders.
fn files(current: &OsStr, end: &'static str) -> Vec<CompletionCandidate> {
    let fits = move |path: &Path| path.extension().is_some_and(|found| found == end);
    PathCompleter::file().filter(fits).complete(current)
}

/// Players, and after a colon evaluation functions.
fn players(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    match text.split_once(':') {
        Some((algorithm, begun)) => functions(OsStr::new(begun))
            .into_iter()
            .map(|candidate| candidate.add_prefix(format!("{algorithm}:")))
            .collect(),
        None => {
            let known = ALGORITHMS.iter().map(|entry| (entry.name(), entry.about().title.to_owned()));
            with_prefix(current, known.chain([("human", "you".to_owned())]))
        }
    }
}

/// Players after `ROLE=`. Roles are not completed, because they depend on the game.
fn roles(current: &OsStr) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    let Some((role, begun)) = text.split_once('=') else { return Vec::new() };
    let found = players(OsStr::new(begun)).into_iter();
    found.map(|candidate| candidate.add_prefix(format!("{role}="))).collect()
}

/// Evaluation functions: kinds, and documents.
fn functions(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut found = kinds(current);
    found.extend(files(current, "json"));
    found
}

/// Kinds of evaluation functions.
fn kinds(current: &OsStr) -> Vec<CompletionCandidate> {
    with_prefix(current, Kind::ALL.iter().map(|kind| (kind.name(), String::new())))
}

/// Pages of the guide.
fn pages(current: &OsStr) -> Vec<CompletionCandidate> {
    with_prefix(current, library::PAGES.iter().map(|&(name, _)| (name, String::new())))
}

/// Error codes of `ggp check`.
fn codes(current: &OsStr) -> Vec<CompletionCandidate> {
    let known: Vec<(String, &str)> =
        check::entries().map(|entry| (entry.code.to_string(), entry.title)).collect();
    with_prefix(current, known.iter().map(|(code, title)| (code.as_str(), (*title).to_owned())))
}
