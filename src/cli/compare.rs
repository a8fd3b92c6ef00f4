//! `ggp compare`: the differences between two results.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::analyze::quick_analysis;
use super::{Exit, interrupt, print, print_note};
use crate::report::compare::DocumentComparison;
use crate::report::files::write_whole;
use crate::report::html::comparison_page;
use crate::report::layout::Layout;

/// Compare two results and list differences beyond chance
///
/// A and B are rules of games (*.kif), documents (--format json of analyze, judge, tournament or sweep) or the folders
/// that these commands and studies write. For two files of rules, it shows the effects of the change on the game: who
/// wins, how long games last, draws, causes of ends, and rules that never fire. Roles are compared by their names, or
/// by their order if the names differ. Folders with several games are compared game by game, and studies of matches
/// tournament by tournament.
///
/// Differences between numbers with intervals are tested, and the p-values are corrected for the number of tests. Any
/// difference between findings or counts is listed. Seconds and memory of sweeps are compared game by game.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The first result: rules, a document or a folder
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second result
    #[arg(value_name = "B")]
    b: PathBuf,
    /// Also write an HTML page to this file
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  ggp compare before after
  ggp compare old.kif new.kif
  ggp compare before/analysis.json after/analysis.json --format json
  ggp compare monday/tournament.json tuesday/tournament.json --out compared.html

Exit status: 0 nothing differs by more than chance, 1 a document can't be compared, 2 wrong usage, 4 there are
differences.";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table of what differs by more than chance
    Table,
    /// One document, with all differences
    Json,
}

/// The names of result files in a folder. The first existing one is used.
const FILES: [&str; 4] = ["analysis.json", "tournament.json", "study.json", "log.jsonl"];

/// The names of result files in subfolders: of several games, or of a study of matches.
const WITHIN: [&str; 2] = ["analysis.json", "tournament.json"];

/// Compares and prints; the exit status reports whether anything differs.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let (a, b) = (&arguments.a, &arguments.b);
    if is_rules(a) || is_rules(b) {
        interrupt::watch()?;
    }
    let (first, second) = (documents(a)?, documents(b)?);
    let (a_name, b_name) = (a.display().to_string(), b.display().to_string());
    let named = || format!("{a_name} and {b_name}");
    let found = DocumentComparison::new((&a_name, &first), (&b_name, &second)).with_context(named)?;
    if let Some(out) = &arguments.out {
        let page = comparison_page(&found)?;
        write_whole(out, &page).with_context(|| format!("{} can't be written", out.display()))?;
        print_note(&format!("written to {}\n", out.display()))?;
    }
    print(&match arguments.format {
        Format::Table if is_rules(a) && is_rules(b) => found.verdict_table(Layout::detect()),
        Format::Table => found.to_table(Layout::detect()),
        Format::Json => found.to_json()?,
    })?;
    Ok(if found.differs() { Exit::Different } else { Exit::Ok })
}

/// Whether a path names rules of a game.
fn is_rules(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("kif"))
}

/// The documents of a file or of a folder; of rules, their analysis.
fn documents(place: &Path) -> anyhow::Result<Vec<Value>> {
    if is_rules(place) {
        return Ok(vec![serde_json::to_value(quick_analysis(place)?)?]);
    }
    if !place.is_dir() {
        return read(place);
    }
    if let Some(file) = FILES.iter().map(|file| place.join(file)).find(|file| file.is_file()) {
        return read(&file);
    }
    let unread = || format!("{} can't be read", place.display());
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(place).with_context(unread)? {
        let folder = entry.with_context(unread)?.path();
        folders.extend(WITHIN.iter().map(|file| folder.join(file)).find(|file| file.is_file()));
    }
    folders.sort();
    if folders.is_empty() {
        bail!(
            "{} has no results: neither {}, nor folders with {}",
            place.display(),
            FILES.join(", "),
            WITHIN.join(" or ")
        );
    }
    let found: Vec<Vec<Value>> = folders.iter().map(|file| read(file)).collect::<anyhow::Result<_>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// The document of a file, or the documents of its lines.
fn read(file: &Path) -> anyhow::Result<Vec<Value>> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{shown} can't be read"))?;
    let fault = match serde_json::from_str(&text) {
        Ok(document) => return Ok(vec![document]),
        Err(fault) => fault,
    };
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    if serde_json::from_str::<Value>(first).is_err() {
        let remedy = "write it again with --format json";
        return Err(fault).with_context(|| format!("{shown} is neither JSON nor JSON Lines; {remedy}"));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let document = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .with_context(|| format!("{shown} is neither JSON nor JSON Lines: line {}", number + 1))
    };
    lines.map(document).collect()
}
