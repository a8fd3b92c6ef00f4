//! `ggp compare`: two results beside each other.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::{Exit, note, print};
use crate::report::compare::DocumentComparison;
use crate::report::files::write_whole;
use crate::report::html::comparison_page;
use crate::report::layout::Layout;

/// Compare two results and list differences beyond chance
///
/// A and B are documents (--format json of analyze, judge or tournament, the JSON Lines of a sweep) or the folders that these
/// commands and studies write; folders of several analyses are compared game by game, those of a study of matches
/// tournament by tournament. Numbers with intervals are tested, with
/// p-values corrected for their number; what is found or counted has changed or has not. Seconds and memory of sweeps are
/// compared in pairs.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The first, a document or a folder
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The second
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

/// The files of results that a folder may have, the first that is there.
const FILES: [&str; 4] = ["analysis.json", "tournament.json", "study.json", "log.jsonl"];

/// The files of results that folders within a folder may have: of several games, or of a study of matches.
const WITHIN: [&str; 2] = ["analysis.json", "tournament.json"];

/// Compares, prints, and tells by the exit status whether anything differs.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let (a, b) = (&arguments.a, &arguments.b);
    let (first, second) = (documents(a)?, documents(b)?);
    let (a_name, b_name) = (a.display().to_string(), b.display().to_string());
    let named = || format!("{a_name} and {b_name}");
    let found = DocumentComparison::new((&a_name, &first), (&b_name, &second)).with_context(named)?;
    if let Some(out) = &arguments.out {
        let page = comparison_page(&found)?;
        write_whole(out, &page).with_context(|| format!("{} can't be written", out.display()))?;
        note(&format!("written to {}\n", out.display()))?;
    }
    print(&match arguments.format {
        Format::Table => found.to_table(Layout::detect()),
        Format::Json => found.to_json()?,
    })?;
    Ok(if found.differs() { Exit::Different } else { Exit::Ok })
}

/// The documents of a file or of a folder.
fn documents(place: &Path) -> anyhow::Result<Vec<Value>> {
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

/// The document of a file, or those of its lines.
fn read(file: &Path) -> anyhow::Result<Vec<Value>> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).with_context(|| format!("{shown} can't be read"))?;
    if let Ok(document) = serde_json::from_str(&text) {
        return Ok(vec![document]);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let document = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .with_context(|| format!("{shown} is neither JSON nor JSON Lines: line {}", number + 1))
    };
    lines.map(document).collect()
}
