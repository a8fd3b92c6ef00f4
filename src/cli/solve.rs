//! `ggp solve`: proves the value of a game.

use crate::gdl::information::Information;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::game::{self, MachineArguments};
use super::playouts::seconds;
use super::progress::spinner;
use super::{Exit, interrupt};
use crate::machine::Loaded;
use crate::report::layout::{Layout, counted};
use crate::report::solution::SolutionDocument;
use crate::search::{Limits, solve};
use crate::simulate::{self, Budget, SimulateError};
use crate::structure::finding::Structures;
use crate::structure::team::TeamDetector;
use crate::structure::{DetectError, Game, detect_with};

/// Number of random playouts that find teams, and their limits.
const PLAYOUTS: u64 = 1_000;
const WORK: u64 = 20_000_000;

/// Prove the value of a small game, and show best play
///
/// The value is the goal value that a role can force, whatever the others do. If roles move at the same time, it is the
/// expected goal value of the best mixed strategy, and the probability of each first move is shown. A second value
/// is what the role can force if it chooses without chance and the others see its move before they choose.
///
/// For a game with one role, the shortest path to the best end is shown, if all its states fit into memory. Roles that got equal
/// goal values at the end of every random game are a team and choose together.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Rules of the game, in GDL (prefix KIF)
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Time limit of the whole command, in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    seconds: f64,
    /// Limit of states that each search visits [default: no limit but time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Memory limit for states, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u32).range(0..=65536))]
    memory: u32,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp solve tic_tac_toe
  ggp solve nim --format json

Exit status: 0 proved, 1 the game can't be used, 2 wrong usage, 5 not proved within the limits, 130
interrupted.";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// One JSON document
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let (_, description) = game::description(&arguments.game)?;
    let named = || arguments.game.display().to_string();
    let loaded = arguments.machine.load(description).with_context(named)?;
    let machine = &*loaded.machine;
    if Information::of(machine.description()).hidden {
        bail!(
            "{}: the rules hide moves from a player (`sees`, GDL-II), and games in which something is hidden can't be solved",
            named()
        );
    }
    let time = Duration::try_from_secs_f64(arguments.seconds).ok();
    let limits = Limits {
        nodes: arguments.nodes,
        deadline: time.and_then(|time| Instant::now().checked_add(time)),
        interrupt: Some(interrupt::flag()),
        ..Limits::default()
    };
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let bar = spinner("finding the teams by random play");
    let table = arguments.memory as usize * (1 << 20);
    let found = match teams(&loaded, arguments.seconds) {
        Err(DetectError::Simulate(error @ SimulateError::NoInitialMove { .. })) => {
            return Err(error).with_context(named);
        }
        found => found.ok(),
    };
    let teams = found.as_ref().map_or(&[][..], |found| &found.teams);
    bar.set_message("searching");
    let solution = solve(machine, teams, machine.initial(), table, &limits, &mut |role, result| {
        let number = role + 1;
        let plies = counted(result.depth.into(), "ply", "plies");
        bar.set_message(format!("role {number} of {}, {}: {plies} done", roles.len(), roles[role]));
    });
    bar.finish_and_clear();
    let document = SolutionDocument::new(machine, found.as_ref(), &solution.with_context(named)?);
    super::print(&match arguments.format {
        Format::Table => document.text(Layout::detect()),
        Format::Json => document.to_json()?,
    })?;
    Ok(match document.proved {
        true => Exit::Ok,
        false if interrupt::asked() => Exit::Interrupted,
        false => Exit::Unproved,
    })
}

/// Finds the teams by random play.
fn teams(loaded: &Loaded, seconds: f64) -> Result<Structures, DetectError> {
    let budget = Budget { playouts: PLAYOUTS, work: Some(WORK), seconds: Some(seconds), ..Budget::default() };
    let context = simulate::Context { interrupt: Some(interrupt::flag()), progress: None };
    let game = Game { machine: &*loaded.machine, statics: &loaded.statics };
    detect_with(&[&TeamDetector], &game, &budget, &context).map(|detected| detected.structures)
}
