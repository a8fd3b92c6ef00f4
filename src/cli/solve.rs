//! `ggp solve`: proves the value of a game.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};

use super::game::{self, MachineArguments};
use super::playouts::seconds;
use super::progress::spinner;
use super::{Exit, interrupt};
use crate::certificate::Certificate;
use crate::gdl::information::Information;
use crate::machine::{Loaded, Machine};
use crate::report::files::write_whole;
use crate::report::layout::{Layout, counted};
use crate::report::solution::SolutionDocument;
use crate::report::state_count::StateCountDocument;
use crate::search::{CountEnd, Limits, Stop, StrategyError, certify, count_states, solve};
use crate::simulate::{self, Budget, SimulateError};
use crate::structure::finding::Structures;
use crate::structure::team::TeamDetector;
use crate::structure::{DetectError, Game, detect_with};

/// The most random playouts to find teams, and the limit of their work (see [`Budget::work`]).
const PLAYOUTS: u64 = 1_000;
const WORK: u64 = 20_000_000;

/// Prove the value of a small game, and show best play
///
/// The value is the goal value that a role can force, whatever the others do. If roles move at the same time, it is the
/// expected goal value of the best mixed strategy, and the probability of each first move is shown. A second value is
/// the goal value that the role can force without random choices, even if the others see its move before they choose.
///
/// For a game with one role, the shortest path to the best end is shown, if all its states fit into memory. Roles that got equal
/// goal values at the end of every random game are a team and choose together.
///
/// --count counts the states that can be reached instead, by the least number of steps that lead to them.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Count the reachable states by depth; terminal states and the initial state count, too
    ///
    /// The depth of a state is the least number of steps that lead to it. States are equal if the same facts hold, so
    /// whose turn it is and a step counter are part of a state. If a limit ends the count, the numbers are lower bounds.
    #[arg(long)]
    count: bool,
    /// Write a strategy for each role whose value is proved, which `ggp check --certificate` checks
    ///
    /// The file has a line of JSON for each reachable state in which a role that follows its strategy has a choice.
    /// Values that are means (with mixed strategies or with chance) have no such strategies.
    #[arg(long, value_name = "FILE", conflicts_with = "count")]
    certificate: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Time limit of the whole command, in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    seconds: f64,
    /// Limit of states that each search visits, or that --count counts [default: no limit but time]
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
  ggp solve tic_tac_toe --count
  ggp solve tic_tac_toe --certificate tic_tac_toe.jsonl

Exit status: 0 proved or counted, 1 the game can't be used, 2 wrong usage, 5 not proved or counted within the
limits, or no certificate was written, 130 interrupted.";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// One JSON document
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let begun = Instant::now();
    interrupt::watch()?;
    let (_, description) = game::description(&arguments.game)?;
    let named = || arguments.game.display().to_string();
    let loaded = arguments.machine.load(description).with_context(named)?;
    let machine = &*loaded.machine;
    let time = Duration::try_from_secs_f64(arguments.seconds).ok();
    let limits = Limits {
        nodes: arguments.nodes,
        // Loading counts, too: the limit is that of the whole command.
        deadline: time.and_then(|time| begun.checked_add(time)),
        interrupt: Some(interrupt::flag()),
        ..Limits::default()
    };
    let memory = arguments.memory as usize * (1 << 20);
    if arguments.count {
        return count(machine, memory, &limits, arguments.format);
    }
    if Information::of(machine.description()).hidden {
        bail!(
            "{}: the rules hide moves from a player (`sees`, GDL-II), and games in which something is hidden can't be solved",
            named()
        );
    }
    let roles: Vec<String> =
        machine.description().roles.iter().map(|&role| machine.term_text(role)).collect();
    let bar = spinner("finding the teams by random play");
    let found = match find_teams(&loaded, arguments.seconds) {
        Err(DetectError::Simulate(error @ SimulateError::NoInitialMove { .. })) => {
            return Err(error).with_context(named);
        }
        found => found.ok(),
    };
    let teams = found.as_ref().map_or(&[][..], |found| &found.teams);
    bar.set_message("searching");
    let solution = solve(machine, teams, machine.initial(), memory, &limits, &mut |role, result| {
        let number = role + 1;
        let plies = counted(result.depth.into(), "ply", "plies");
        bar.set_message(format!("role {number} of {}, {}: {plies} done", roles.len(), roles[role]));
    });
    let solution = solution.with_context(named)?;
    let certificate = arguments.certificate.as_ref().map(|path| {
        bar.set_message("writing the certificate");
        (path, certify(machine, teams, &solution, memory, &limits))
    });
    bar.finish_and_clear();
    let document = SolutionDocument::new(machine, found.as_ref(), &solution);
    super::print(&match arguments.format {
        Format::Table => document.text(Layout::detect()),
        Format::Json => document.to_json()?,
    })?;
    let written = certificate.map(|(path, certificate)| write_certificate(path, certificate)).transpose()?;
    Ok(match document.proved && written != Some(false) {
        true => Exit::Ok,
        false if interrupt::asked() => Exit::Interrupted,
        false => Exit::Unproved,
    })
}

/// Writes a certificate, or prints why there is none. Returns whether it was written.
fn write_certificate(path: &Path, certificate: Result<Certificate, StrategyError>) -> anyhow::Result<bool> {
    match certificate {
        Ok(certificate) => {
            write_whole(path, &certificate.to_text()?)
                .with_context(|| format!("{} can't be written", path.display()))?;
            let states: usize = certificate.strategies.iter().map(|strategy| strategy.choices.len()).sum();
            let states = counted(states as u64, "state", "states");
            super::print_note(&format!("{}: moves in {states}\n", path.display()))?;
            Ok(true)
        }
        Err(StrategyError::Search(error)) => Err(error.into()),
        Err(error) => {
            super::print_error(&format!("no certificate was written: {error}\n"))?;
            Ok(false)
        }
    }
}

/// Runs `--count`: counts the reachable states and prints their numbers.
fn count(machine: &dyn Machine, memory: usize, limits: &Limits<'_>, format: Format) -> anyhow::Result<Exit> {
    let began = Instant::now();
    let bar = spinner("counting states");
    let count = count_states(machine, machine.initial(), memory, limits, &mut |depths| {
        let states = counted(depths.iter().map(|at| at.states).sum(), "state", "states");
        bar.set_message(format!("counting states: {states} up to depth {}", depths.len() - 1));
    });
    bar.finish_and_clear();
    let document = StateCountDocument::new(machine, &count, began.elapsed().as_secs_f64());
    super::print(&match format {
        Format::Table => document.text(Layout::detect()),
        Format::Json => document.to_json()?,
    })?;
    Ok(match count.end {
        CountEnd::Complete => Exit::Ok,
        CountEnd::Limit(Stop::Interrupted) => Exit::Interrupted,
        CountEnd::Limit(_) | CountEnd::Error(_) => Exit::Unproved,
    })
}

/// Finds the teams by random play.
fn find_teams(loaded: &Loaded, seconds: f64) -> Result<Structures, DetectError> {
    let budget = Budget { playouts: PLAYOUTS, work: Some(WORK), seconds: Some(seconds), ..Budget::default() };
    let context = simulate::Context { interrupt: Some(interrupt::flag()), progress: None };
    let game = Game { machine: &*loaded.machine, statics: &loaded.statics };
    detect_with(&[&TeamDetector], &game, &budget, &context).map(|detected| detected.structures)
}
