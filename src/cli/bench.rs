//! `ggp bench`: how fast the machines play a game at random, side by side.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use cpu_time::ProcessTime;

use super::game::{self, GroundArguments};
use super::{Exit, interrupt};
use crate::gdl::Description;
use crate::machine::lanes::program::Program;
use crate::machine::{Backend, load};
use crate::report::bench::{Bench, Row};
use crate::report::layout::Layout;
use crate::simulate::{Budget, Context, LANE_BLOCK, simulate, simulate_lanes};

/// Measure how fast the machines play games at random, side by side
///
/// Every machine plays for about the same time; speeds are per second of processor time, so that other work on
/// the computer counts little.
#[derive(Args)]
pub(super) struct Arguments {
    /// Game descriptions (KIF files)
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Seconds that each machine plays each game
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    seconds: f64,
    /// Measure this many threads, too
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: usize,
    /// The machines to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Kind::Lanes, Kind::Network, Kind::Relational])]
    machines: Vec<Kind>,
    /// How to write the speeds
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    budget: GroundArguments,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Table,
    /// One JSON document
    Json,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// The network, many games in the bits of a word
    Lanes,
    /// The network, one state at a time
    Network,
    /// The rules, without instantiation
    Relational,
}

/// Playouts and states, and the time they took.
#[derive(Default)]
struct Speed {
    playouts: u64,
    states: u64,
    seconds: f64,
    cpu_seconds: f64,
}

/// Plays ever larger rounds until the time is over. `round` plays so many playouts from a number on and gives
/// playouts and states.
fn measure(
    seconds: f64,
    mut round: impl FnMut(u64, u64) -> anyhow::Result<(u64, u64)>,
) -> anyhow::Result<Speed> {
    let (clock, cpu) = (Instant::now(), ProcessTime::now());
    let mut speed = Speed::default();
    let mut size = 1;
    while speed.seconds < seconds {
        let (playouts, states) = round(speed.playouts, size)?;
        speed.playouts += playouts;
        speed.states += states;
        speed.seconds = clock.elapsed().as_secs_f64();
        if speed.seconds < seconds / 4.0 {
            size = (size * 2).max(speed.playouts);
        }
        if interrupt::asked() {
            break;
        }
    }
    speed.cpu_seconds = cpu.elapsed().as_secs_f64();
    Ok(speed)
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let mut bench = Bench { rows: Vec::new() };
    for path in &arguments.games {
        let (_, description) = game::description(path)?;
        let mut threads = vec![1, arguments.threads.max(1)];
        threads.dedup();
        for &machine in &arguments.machines {
            for &threads in &threads {
                if let Some(row) = row(arguments, path, &description, machine, threads)? {
                    bench.rows.push(row);
                }
            }
        }
    }
    let text = match arguments.format {
        Format::Table => bench.table(&Layout::detect()),
        Format::Json => serde_json::to_string_pretty(&bench)? + "\n",
    };
    super::print(&text)?;
    Ok(Exit::Ok)
}

/// One measurement; none where the game has no network.
fn row(
    arguments: &Arguments,
    path: &Path,
    description: &Description,
    machine: Kind,
    threads: usize,
) -> anyhow::Result<Option<Row>> {
    forget_peak();
    let started = Instant::now();
    let backend = if machine == Kind::Relational { Backend::Relational } else { Backend::Auto };
    let loaded = load(description.clone(), backend, &arguments.budget.limits())
        .with_context(|| path.display().to_string())?;
    let program = match (&loaded.grounded, machine) {
        (None, Kind::Lanes | Kind::Network) => return Ok(None),
        (Some(grounded), Kind::Lanes) => Some(Program::new(&grounded.network)),
        _ => None,
    };
    let setup_seconds = started.elapsed().as_secs_f64();
    let speed = measure(arguments.seconds, |first, playouts| match &program {
        Some(program) => {
            let playouts = playouts.max(threads as u64 * LANE_BLOCK); // a block a thread at least
            let counts =
                simulate_lanes(program, playouts, first, 1, threads, Budget::default().max_steps, None)?;
            Ok((counts.playouts, counts.states))
        }
        None => {
            let budget = Budget { playouts, first, threads, ..Budget::default() };
            let statistics = simulate(&*loaded.machine, &budget, &Context::default())?;
            Ok((statistics.playouts, statistics.states))
        }
    })?;
    let name = match machine {
        Kind::Lanes => "lanes",
        Kind::Network => "network",
        Kind::Relational => "relational",
    };
    Ok(Some(Row {
        game: description.name.clone(),
        machine: name.to_owned(),
        threads,
        states_per_cpu_second: speed.states as f64 / speed.cpu_seconds,
        states_per_second: speed.states as f64 / speed.seconds,
        playouts_per_cpu_second: speed.playouts as f64 / speed.cpu_seconds,
        setup_seconds,
        peak_mib: peak_mib(),
    }))
}

/// Starts the count of the peak anew, where the system can (Linux); elsewhere nothing happens.
fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// The most memory this process held since then.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
