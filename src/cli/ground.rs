//! `ggp check --ground` and `--dot`: the propositional network of a game.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use clap::ValueEnum;

use super::game::{self, GroundArguments};
use super::{Exit, interrupt, memory, usage};
use crate::catalog::grouped;
use crate::ground::{Limits, dot, ground};
use crate::machine::{Backend, load};
use crate::report::grounding::{Grounding, GroundingRow};
use crate::report::layout::Layout;

/// The format of the results on standard output.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Messages with the line of the rules, or a table
    Table,
    /// One JSON document
    Json,
    /// A row for each game
    Csv,
}

/// Instantiates the rules of games, and prints the graph of one or the sizes of all.
pub(super) fn run(
    games: &[PathBuf],
    as_graph: bool,
    format: Option<Format>,
    budget: &GroundArguments,
) -> anyhow::Result<Exit> {
    match (games, format) {
        ([game], None) => one(game, as_graph, &budget.limits()),
        (_, None) if as_graph => usage("--dot draws one game: name one game only"),
        (games, format) => several(games, format.unwrap_or(Format::Table), budget),
    }
}

/// The stages and counts of one game, or its graph.
fn one(game: &Path, as_graph: bool, limits: &Limits) -> anyhow::Result<Exit> {
    let (_, description) = game::description(game)?;
    let grounded = ground(&Arc::new(description), limits).map_err(|exceeded| {
        anyhow::anyhow!(
            "{}: {exceeded}; raise --ground-limit or --ground-seconds, or run the game with --backend relational",
            game.display()
        )
    })?;
    if as_graph {
        super::print(&dot(&grounded))?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    // Writing to a string can't fail, so the results of `writeln!` are ignored.
    for stage in &grounded.stages {
        let _ = writeln!(text, "stage {}: {:.4} s", stage.name, stage.seconds);
    }
    let total: f64 = grounded.stages.iter().map(|stage| stage.seconds).sum();
    let _ = writeln!(text, "total: {total:.4} s");
    for (name, count) in &grounded.metrics {
        let _ = writeln!(text, "{name}: {}", grouped(*count));
    }
    super::print(&text)?;
    Ok(Exit::Ok)
}

/// A row for each game.
fn several(games: &[PathBuf], format: Format, budget: &GroundArguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let mut all = Grounding::default();
    let mut exit = Exit::Ok;
    for game in games {
        if interrupt::asked() {
            exit = Exit::Interrupted;
            break;
        }
        let apart = if games.len() > 1 { row_apart(game, budget) } else { None };
        let row = apart.unwrap_or_else(|| row(game, &budget.limits()));
        if row.machine.is_empty() {
            exit = Exit::Findings;
        }
        all.rows.push(row);
    }
    let text = match format {
        Format::Table => all.table(&Layout::detect()),
        Format::Json => serde_json::to_string_pretty(&all)? + "\n",
        Format::Csv => all.csv()?,
    };
    super::print(&text)?;
    Ok(exit)
}

/// Loads one game in a separate process, so that the memory of earlier games is not counted; `None` if the process fails.
fn row_apart(game: &Path, budget: &GroundArguments) -> Option<GroundingRow> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["--no-config", "check", "--ground", "--format", "json"]);
    command.args(game::rule_words()).args(budget.words()).arg("--").arg(game);
    // The child reads rules from standard input.
    let input = if game == Path::new("-") { Stdio::inherit() } else { Stdio::null() };
    let output = command.stdin(input).stderr(Stdio::inherit()).output().ok()?;
    let mut all: Grounding = serde_json::from_slice(&output.stdout).ok()?;
    all.rows.pop()
}

/// Loads one game and measures time and memory.
fn row(game: &Path, limits: &Limits) -> GroundingRow {
    memory::forget_peak();
    let clock = Instant::now();
    let name = game.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let mut row = GroundingRow { game: name, ..GroundingRow::default() };
    let loaded =
        game::description(game).and_then(|(_, description)| Ok(load(description, Backend::Auto, limits)?));
    row.seconds = clock.elapsed().as_secs_f64();
    row.peak_mib = memory::peak_mib();
    match loaded {
        Ok(loaded) => {
            row.machine = loaded.machine.backend().to_owned();
            row.reason = loaded.fallback.map(|reason| reason.to_string()).unwrap_or_default();
            if let Some(grounded) = &loaded.grounded {
                row.count(&grounded.metrics);
            }
        }
        Err(error) => row.reason = format!("{error:#}"),
    }
    row
}
