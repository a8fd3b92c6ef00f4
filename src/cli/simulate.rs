//! `ggp simulate`: uniformly random play, what it gave, and traces of it.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use crate::machine::Machine;
use crate::report::analysis::Game;
use crate::report::layout::Layout;
use crate::report::measures::measures;
use crate::report::rows::to_csv;
use crate::report::simulation::Simulation;
use crate::simulate::{
    Budget, Context, Progress, Statistics, StopReason, TraceFile, TraceGame, observe, simulate,
};

use super::game::{self, MachineArguments};
use super::play::{ONE_BY_ONE, PlayArguments};
use super::{Exit, interrupt, print};

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
    #[command(flatten)]
    play: PlayArguments,
    /// Number of the first playout: each has its own choices, whatever the others are
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
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

/// Plays and prints.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let (source, description) = game::description(&arguments.game)?;
    let loaded = arguments.machine.load(description)?;
    let machine = &*loaded.machine;
    let statistics = arguments.play(machine)?;
    let stopped = statistics.stopped;
    let game = Game::new(&arguments.game, source.bytes(), machine);
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
        let bar = self.play.bar(ONE_BY_ONE);
        let played = |progress: Progress| bar.set_position(progress.playouts);
        let context = Context { interrupt: Some(interrupt::flag()), progress: Some(&played) };
        let budget = Budget { first: self.first, ..self.play.budget(ONE_BY_ONE) };
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

    fn trace_game(&self, machine: &dyn Machine, budget: &Budget) -> TraceGame {
        let description = machine.description();
        let kif = self.game.file_name().unwrap_or_default().to_string_lossy().into_owned();
        TraceGame {
            game: description.name.clone(),
            kif,
            seed: budget.seed,
            playouts: self.play.counted(ONE_BY_ONE),
            cap: budget.max_steps,
            roles: description.roles.iter().map(|&role| machine.term_text(role)).collect(),
            ..TraceGame::default()
        }
    }
}
