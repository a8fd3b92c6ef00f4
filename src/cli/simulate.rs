//! `ggp simulate`: uniformly random play, what it gave, and traces of it.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use crate::machine::Machine;
use crate::report::analysis::{Game, sha256};
use crate::report::layout::Layout;
use crate::report::measures::measures;
use crate::report::rows::to_csv;
use crate::report::simulation::Simulation;
use crate::simulate::{
    Budget, Context, Progress, Statistics, StopReason, TraceFile, TraceGame, observe, simulate,
};

use super::game::{self, MachineArguments};
use super::{Exit, interrupt, note, print};

/// Playouts unless told otherwise.
const PLAYOUTS: u64 = 10_000;

/// Work after which the default number of playouts is cut short, so that the largest games end within tens of
/// seconds. Counted, never timed: the same seed stops at the same playout.
const WORK: u64 = 1_000_000_000;

/// Play a game at random and count what happens
///
/// Every role chooses uniformly among its legal moves. The same seed gives the same result, whatever the number
/// of threads; what depends on the computer stands under `timing`.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rules of the game, in GDL (prefix KIF)
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Number of playouts [default: 10000, fewer for very large games]
    #[arg(long, value_name = "N", conflicts_with = "seconds", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Play for so many seconds instead; results then depend on the computer
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Number of the first playout: each has its own choices, whatever the others are
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Joint moves after which a playout is cut off
    #[arg(long, value_name = "M", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: u32,
    /// Write every state, legal move and joint move there, as JSON lines; gzipped when the name ends in .gz
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp simulate games/connect_four.kif
  ggp simulate games/chess.kif --seconds 10 --format json
  ggp simulate games/nim.kif --seed 3 --first 17 --playouts 1 --trace nim-17.jsonl

Exit status: 0 done, 1 the game can't be played, 2 wrong usage, 130 interrupted (what was gathered
until then is printed).";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for reading
    Table,
    /// One document
    Json,
    /// A row for each measure, without those that depend on the computer
    Csv,
}

/// A number of seconds from the command line.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("a number of seconds above 0 is expected, such as 2.5".into()),
    }
}

/// Plays and prints.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let (source, description) = game::description(&arguments.game)?;
    let loaded = arguments.machine.load(description)?;
    if let Some(reason) = &loaded.fallback {
        note(&format!("note: the game is played by the relational machine: {reason}\n"))?;
    }
    let machine = &*loaded.machine;
    let statistics = arguments.play(machine)?;
    let stopped = statistics.stopped;
    let description = machine.description();
    let game = Game {
        name: description.name.clone(),
        path: arguments.game.display().to_string(),
        sha256: sha256(source.bytes()),
        roles: description.roles.iter().map(|&role| machine.term_text(role)).collect(),
        machine: machine.backend().to_string(),
    };
    let simulation = Simulation::new(game, statistics);
    print(&match arguments.format {
        Format::Table => simulation.to_table(Layout::detect()),
        Format::Json => simulation.to_json()?,
        Format::Csv => to_csv(&measures(&simulation.game.name, &simulation.simulation))?,
    })?;
    Ok(if stopped == StopReason::Interrupted { Exit::Interrupted } else { Exit::Ok })
}

impl Arguments {
    fn play(&self, machine: &dyn Machine) -> anyhow::Result<Statistics> {
        let bar = self.bar();
        let played = |progress: Progress| bar.set_position(progress.playouts);
        let context = Context { interrupt: Some(interrupt::flag()), progress: Some(&played) };
        let budget = self.budget();
        let statistics = match &self.trace {
            None => simulate(machine, &budget, &context)?,
            Some(path) => {
                let unwritten = || format!("the trace {} can't be written", path.display());
                let file =
                    TraceFile::create(path, self.trace_game(machine, &budget)).with_context(unwritten)?;
                let (statistics, recorder) = observe(machine, &budget, &context, || file.recorder(machine))?;
                recorder.finish().and_then(|()| file.finish()).with_context(unwritten)?;
                statistics
            }
        };
        bar.finish_and_clear();
        Ok(statistics)
    }

    fn budget(&self) -> Budget {
        let default = self.playouts.is_none() && self.seconds.is_none();
        let endless = if self.seconds.is_some() { u64::MAX } else { PLAYOUTS };
        Budget {
            playouts: self.playouts.unwrap_or(endless),
            max_steps: self.max_steps,
            seed: self.seed,
            first: self.first,
            threads: self.threads,
            seconds: self.seconds,
            work: default.then_some(WORK),
        }
    }

    fn trace_game(&self, machine: &dyn Machine, budget: &Budget) -> TraceGame {
        let description = machine.description();
        let kif = self.game.file_name().unwrap_or_default().to_string_lossy().into_owned();
        TraceGame {
            game: description.name.clone(),
            kif,
            seed: budget.seed,
            playouts: self.seconds.is_none().then_some(budget.playouts),
            cap: budget.max_steps,
            roles: description.roles.iter().map(|&role| machine.term_text(role)).collect(),
            ..TraceGame::default()
        }
    }

    /// A progress bar on standard error, where that is a terminal.
    fn bar(&self) -> ProgressBar {
        if self.seconds.is_some() {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{bar:30} {human_pos}/{human_len} playouts, {eta} left")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        ProgressBar::new(self.playouts.unwrap_or(PLAYOUTS)).with_style(style)
    }
}
