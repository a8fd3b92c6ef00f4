//! `ggp ground`: instantiate games' rules and say what came of it.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::game::{self, GroundArguments};
use super::{Exit, interrupt, memory};
use crate::ground::{Limits, dot, ground};
use crate::machine::{Backend, load};
use crate::report::grounding::{Grounding, GroundingRow};
use crate::report::layout::Layout;

/// Instantiate rules as a propositional network
///
/// Of one game, prints each stage with its time, then each count, one a line. Of several, or with `--format`, one
/// row a game: seconds and memory from the text to a machine that is ready, and the network's size before and
/// after folding; a game that passes a budget is made ready on the relational machine.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Game descriptions (KIF files)
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Print the network as a graph in the DOT language instead
    #[arg(long, conflicts_with = "format")]
    dot: bool,
    /// Output format [default: of several games a table]
    #[arg(long, value_enum)]
    format: Option<Format>,
    #[command(flatten)]
    budget: GroundArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp ground tic_tac_toe
  ggp ground games/*.kif --format csv

Exit status: 0 done, 1 rules have errors, or a single game passes a budget, 2 wrong usage, 130 interrupted.";

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Table,
    /// One JSON document
    Json,
    /// Comma-separated values
    Csv,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let limits = arguments.budget.limits();
    match (&arguments.games[..], arguments.format) {
        ([game], None) => one(game, arguments.dot, &limits),
        (_, None) if arguments.dot => anyhow::bail!("--dot takes one game"),
        (games, format) => several(games, format.unwrap_or(Format::Table), &arguments.budget),
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
    // Writing to a string can't fail, so the results of `writeln!` carry nothing.
    for stage in &grounded.stages {
        let _ = writeln!(text, "stage {}: {:.4} s", stage.name, stage.seconds);
    }
    let total: f64 = grounded.stages.iter().map(|stage| stage.seconds).sum();
    let _ = writeln!(text, "total: {total:.4} s");
    for (name, count) in &grounded.metrics {
        let _ = writeln!(text, "{name}: {count}");
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

/// Makes one game ready in a process of its own, whose memory holds nothing of the games before; none where that
/// can't be.
fn row_apart(game: &Path, budget: &GroundArguments) -> Option<GroundingRow> {
    let mut command = Command::new(std::env::current_exe().ok()?);
    command.args(["--no-config", "ground", "--format", "json"]);
    command.args(game::rule_words()).args(budget.words()).arg("--").arg(game);
    // A description that comes from there is the child's to read.
    let input = if game == Path::new("-") { Stdio::inherit() } else { Stdio::null() };
    let output = command.stdin(input).stderr(Stdio::inherit()).output().ok()?;
    let mut all: Grounding = serde_json::from_slice(&output.stdout).ok()?;
    all.rows.pop()
}

/// Makes one game ready.
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
