//! `ggp simulate`: uniformly random play, with statistics and traces.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use crate::evaluation::GameIdentity;
use crate::machine::Machine;
use crate::report::analysis::Game;
use crate::report::csv_text::to_csv;
use crate::report::layout::Layout;
use crate::report::simulation::Simulation;
use crate::report::simulation_rows::measures;
use crate::simulate::{
    Budget, Context, LaneBlock, Progress, Statistics, StopReason, TraceFile, TraceGame, observe,
    observe_lane_playout, observe_lanes, simulate,
};

use super::game::{self, Backend, MachineArguments};
use super::playouts::PlayoutArguments;
use super::progress::playout_bar;
use super::{Exit, interrupt, print};

/// Play random games and count what happens
///
/// Every role chooses uniformly among its legal moves. The same seed gives the same result on any number of threads;
/// only the values under `timing` depend on the computer.
///
/// A game with a network is played in lanes, 512 playouts at once, unless --trace is given. Games in lanes and sequential
/// games are different samples of the same distribution.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    #[command(flatten, next_help_heading = "Random play")]
    play: PlayoutArguments,
    /// Number of the first random playout; each number has its own random choices
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: u64,
    /// Repeat one playout of a run in lanes, as faults name it: number N of the block of C playouts that begins with
    /// number B
    #[arg(
        long,
        value_name = "B+C:N",
        value_parser = parse_lane_playout,
        conflicts_with_all = ["first", "playouts", "seconds"]
    )]
    only: Option<(LaneBlock, u64)>,
    /// Write every state, legal move and joint move to this file, as JSON lines; gzipped if the name ends in .gz
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp simulate connect_four --playouts 1000
  ggp simulate games/chess.kif --seconds 10 --format json
  ggp simulate games/nim.kif --seed 3 --first 17 --playouts 1 --trace nim-17.jsonl
  ggp simulate games/nim.kif --seed 3 --only 512+512:600 --trace nim-600.jsonl

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

/// Parses a playout in lanes, such as `512+1024:700`.
fn parse_lane_playout(text: &str) -> Result<(LaneBlock, u64), String> {
    let parse = || {
        let (block, playout) = text.split_once(':')?;
        let (first, playouts) = block.split_once('+')?;
        let block = LaneBlock { first: first.parse().ok()?, playouts: playouts.parse().ok()? };
        let playout = playout.parse().ok()?;
        block.contains(playout).then_some((block, playout))
    };
    parse().ok_or_else(|| {
        "a playout of a block is expected, such as 512+1024:700 for number 700 of 512 to 1535".into()
    })
}

/// Plays the playouts and prints the results.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let (source, description) = game::description(&arguments.game)?;
    let loaded = arguments.machine.load(description)?;
    let machine = &*loaded.machine;
    let lanes = arguments.lanes(machine)?;
    let statistics = arguments.play(machine, lanes)?;
    let stopped = statistics.stopped;
    let mut game =
        Game::new(&arguments.game, &GameIdentity::new(source.bytes(), machine.description()), machine);
    if lanes {
        "lanes".clone_into(&mut game.machine);
    }
    let simulation = Simulation::new(game, statistics);
    print(&match arguments.format {
        Format::Table => simulation.to_table(Layout::detect()),
        Format::Json => simulation.to_json()?,
        Format::Csv => to_csv(&measures(&simulation.game.name, &simulation.simulation))?,
    })?;
    Ok(if stopped == StopReason::Interrupted { Exit::Interrupted } else { Exit::Ok })
}

impl Arguments {
    /// Whether playouts are played in lanes.
    fn lanes(&self, machine: &dyn Machine) -> anyhow::Result<bool> {
        let single = self.trace.is_some() && self.only.is_none();
        Ok(match self.machine.backend() {
            Backend::Lanes if single => {
                bail!(
                    "lanes write no trace of a whole run: name a playout with `--only`, or use another `--backend`"
                )
            }
            Backend::Auto => !single && machine.suits_lanes(),
            backend => backend == Backend::Lanes || self.only.is_some(),
        })
    }

    fn play(&self, machine: &dyn Machine, lanes: bool) -> anyhow::Result<Statistics> {
        let budget = Budget { first: self.first, ..self.play.plan().random_play(machine, lanes) };
        let bar = playout_bar(&budget);
        let show_progress = |progress: Progress| bar.set_position(progress.playouts);
        let context = Context { interrupt: Some(interrupt::flag()), progress: Some(&show_progress) };
        let statistics = match &self.trace {
            None => match (self.only, machine.network().filter(|_| lanes)) {
                (Some((block, playout)), _) => {
                    observe_lane_playout(machine, block, playout, &budget, &context, || ())?.0
                }
                (None, Some(_)) => observe_lanes(machine, &budget, &context, || ())?.0,
                (None, None) => simulate(machine, &budget, &context)?,
            },
            Some(path) => {
                let unwritten = || format!("the trace {} can't be written", path.display());
                let file =
                    TraceFile::create(path, self.trace_game(machine, &budget)).with_context(unwritten)?;
                let make = || file.recorder(machine);
                let (statistics, recorder) = match self.only {
                    Some((block, playout)) => {
                        observe_lane_playout(machine, block, playout, &budget, &context, make)?
                    }
                    None => observe(machine, &budget, &context, make)?,
                };
                recorder.finish().and_then(|()| file.finish()).with_context(unwritten)?;
                statistics
            }
        };
        bar.finish_and_clear();
        Ok(statistics)
    }

    fn trace_game(&self, machine: &dyn Machine, budget: &Budget) -> TraceGame {
        let description = machine.description();
        let counted = (budget.playouts < u64::MAX).then_some(budget.playouts);
        let kif = self.game.file_name().unwrap_or_default().to_string_lossy().into_owned();
        TraceGame {
            game: description.name.clone(),
            kif,
            seed: budget.seed,
            playouts: if self.only.is_some() { Some(1) } else { counted },
            cap: budget.max_steps,
            roles: description.roles.iter().map(|&role| machine.term_text(role)).collect(),
            negation: description.negation,
            ..TraceGame::default()
        }
    }
}
