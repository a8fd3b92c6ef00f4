//! `ggp bench`: compares the speeds of the machines in random play with each other and with a hand-written program.

mod entrant;
mod evaluations;
mod player;
mod recorded;
#[path = "../../../benches/reference/mod.rs"]
mod reference;
mod search;

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use super::game::{self, GroundArguments};
use super::{Exit, interrupt, memory, print_note};
use crate::arena::{PlayerSpec, SpecError};
use crate::report::bench::{Bench, MachineSpeed};
use crate::report::layout::Layout;
use entrant::Entrant;
use player::{MachineFactory, MachineKind};

/// Measure the speed of random play, searches and functions
///
/// The machines take turns in short rounds, and the round with the median speed counts. Speeds are per second of
/// processor time, so other work on the computer matters little. The reference is a program written by hand for one
/// game; it takes part if the game is the same.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The games: files of rules in GDL (prefix KIF), or names that `ggp games` lists
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Time that each machine plays each game, in seconds, over all rounds
    #[arg(long, value_name = "S", default_value_t = 1.0)]
    seconds_per_machine: f64,
    /// Rounds in which the machines take turns
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Also measure with this number of threads
    #[arg(long, value_name = "T", default_value_t = 1)]
    threads: usize,
    /// The machines to measure
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = MachineKind::USUAL)]
    machines: Vec<MachineKind>,
    /// Measure the cost of evaluation functions instead, compared with a step of the machine, worst first
    #[arg(long, conflicts_with_all = ["threads", "machines"])]
    evaluations: bool,
    /// Measure the searches of players instead, compared with bare expansions
    #[arg(long, conflicts_with_all = ["threads", "machines", "evaluations"])]
    search: bool,
    /// The players to measure, separated by commas (`ggp players` lists all)
    #[arg(long, value_name = "PLAYERS", requires = "search", default_value = SEARCHERS)]
    players: Vec<PlayerList>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    budget: GroundArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp bench tic_tac_toe --seconds-per-machine 0.2
  ggp bench games/connect_four.kif --evaluations
  ggp bench games/connect_four.kif --search

Exit status: 0 done, 1 a game can't be used, 2 wrong usage, 130 interrupted.";

/// The default of `--players`.
const SEARCHERS: &str = "alphabeta:fuzzy,alphabeta:statistical,uct";

/// A list of players, separated by commas.
#[derive(Clone, Debug)]
struct PlayerList(Vec<PlayerSpec>);

impl FromStr for PlayerList {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<PlayerList, SpecError> {
        // Commas within parentheses separate the options of a function.
        let mut depth = 0_i32;
        let names = text.split(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            c == ',' && depth == 0
        });
        names.map(str::parse).collect::<Result<_, SpecError>>().map(PlayerList)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    Table,
    /// One JSON document
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    if arguments.evaluations {
        return arguments.evaluations();
    }
    if arguments.search {
        return arguments.search();
    }
    let mut bench = Bench { rows: Vec::new() };
    for path in &arguments.games {
        if interrupt::asked() {
            break;
        }
        let (_, description) = game::description(path)?;
        let factory = MachineFactory::new(description, arguments.budget.limits());
        let entrants = measure(arguments, &factory).with_context(|| path.display().to_string())?;
        bench.rows.extend(entrants.into_iter().filter_map(|entrant| entrant.row(factory.game())));
    }
    let text = match arguments.format {
        Format::Table => bench.table(&Layout::detect()),
        Format::Json => serde_json::to_string_pretty(&bench)? + "\n",
    };
    super::print(&text)?;
    Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
}

impl Arguments {
    fn evaluations(&self) -> anyhow::Result<Exit> {
        let round = self.seconds_per_machine / f64::from(self.rounds);
        let speeds = evaluations::speeds(&self.games, self.rounds, round, &self.budget.limits())?;
        let text = match self.format {
            Format::Table => speeds.table(&Layout::detect()),
            Format::Json => serde_json::to_string_pretty(&speeds)? + "\n",
        };
        super::print(&text)?;
        Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
    }

    fn search(&self) -> anyhow::Result<Exit> {
        let players: Vec<PlayerSpec> = self.players.iter().flat_map(|list| list.0.clone()).collect();
        let speeds = search::speeds(&self.games, &players, self.rounds, &self.budget.limits())?;
        let text = match self.format {
            Format::Table => speeds.table(&Layout::detect()),
            Format::Json => serde_json::to_string_pretty(&speeds)? + "\n",
        };
        super::print(&text)?;
        Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok })
    }
}

/// Measures all machines on one thread, for a game of a study.
pub(super) fn speeds(path: &Path, seconds: f64, rounds: u32) -> anyhow::Result<Vec<MachineSpeed>> {
    let machines = [MachineKind::Chosen, MachineKind::Lanes, MachineKind::Network, MachineKind::Relational];
    let arguments = Arguments {
        games: vec![path.to_owned()],
        seconds_per_machine: seconds,
        rounds,
        threads: 1,
        machines: machines.to_vec(),
        evaluations: false,
        search: false,
        players: Vec::new(),
        format: Format::Json,
        budget: GroundArguments::standard(),
    };
    let (_, description) = game::description(path)?;
    let factory = MachineFactory::new(description, arguments.budget.limits());
    let entrants = measure(&arguments, &factory)?;
    Ok(entrants.into_iter().filter_map(|entrant| entrant.row(factory.game())).collect())
}

/// Measures every machine with every number of threads.
fn measure(arguments: &Arguments, factory: &MachineFactory) -> anyhow::Result<Vec<Entrant>> {
    let mut threads = vec![1, arguments.threads.max(1)];
    threads.dedup();
    let slice = arguments.seconds_per_machine / f64::from(arguments.rounds);
    let mut entrants: Vec<Entrant> = Vec::new();
    // Only one machine exists in the first round, so that set-up time and peak memory can be attributed to it.
    let mut has_network = true;
    for &kind in &arguments.machines {
        if interrupt::asked() || kind.is_network() && !has_network {
            continue;
        }
        if kind == MachineKind::Reference
            && let Some(reference) = factory.reference()?
        {
            print_note(&format!(
                "note: {}: the reference is {}; both have the same number of move sequences of up to {} moves\n",
                factory.game(),
                reference.name,
                reference.telling_plies
            ))?;
        }
        memory::forget_peak();
        let clock = Instant::now();
        let Some(player) = factory.make(kind, || factory.network())? else {
            has_network &= !kind.is_network();
            continue;
        };
        let setup_seconds = clock.elapsed().as_secs_f64();
        for &threads in &threads {
            let mut entrant = Entrant::new(kind, threads, setup_seconds);
            entrant.play(&player, slice)?;
            entrants.push(entrant);
        }
    }
    if interrupt::asked() || entrants.iter().all(|entrant| entrant.seconds >= arguments.seconds_per_machine) {
        return Ok(entrants);
    }
    // From now on all machines exist at the same time and share the network.
    let networks = entrants.iter().any(|entrant| entrant.kind.is_network());
    let network = if networks { factory.network() } else { None };
    let mut players = Vec::new();
    for &kind in &arguments.machines {
        players.extend(factory.make(kind, || network.clone())?.map(|player| (kind, player)));
    }
    for _ in 1..arguments.rounds {
        for entrant in entrants.iter_mut().filter(|entrant| entrant.seconds < arguments.seconds_per_machine) {
            if interrupt::asked() {
                return Ok(entrants);
            }
            if let Some((_, player)) = players.iter().find(|(kind, _)| *kind == entrant.kind) {
                entrant.play(player, slice)?;
            }
        }
    }
    Ok(entrants)
}
