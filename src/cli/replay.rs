//! `ggp replay`: replays recorded games, or random playouts on another back end, and compares the states.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use crate::ground::EvaluatedRules;
use crate::machine::{Backend, LoadError, Machine, load_evaluated};
use crate::report::layout::Layout;
use crate::report::replay::{BackendComparison, ReplayReport};
use crate::simulate::{Budget, Comparison, Recordings, Replay, StepLimit, cross_check};

use super::game::{self, GroundArguments};
use super::playouts::seconds;
use super::{Exit, print};

/// Compare recorded games with the rules, state by state
///
/// Traces are JSON lines that `ggp simulate --trace` writes. Match records have one match per line. Both can be
/// gzipped. Records that name another file of rules (`kif` or `gameMetaURL`) are skipped. A game is left at the first
/// state that differs.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Traces or match records
    #[arg(value_name = "TRACE", required_unless_present = "against_each_other")]
    traces: Vec<PathBuf>,
    /// Machine that replays
    #[arg(long, value_enum, default_value_t = Backends::Auto)]
    backend: Backends,
    /// Compare the network and the rules in random playouts instead
    #[arg(long, conflicts_with_all = ["traces", "backend"])]
    against_each_other: bool,
    /// Number of random playouts
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "against_each_other")]
    playouts: u64,
    /// Seed of the random playouts
    #[arg(long, value_name = "K", default_value_t = 1, requires = "against_each_other")]
    seed: u64,
    /// Truncate a random playout after this many joint moves [default: the longest possible game if the rules bound it, or 1000]
    #[arg(long, hide_short_help = true, value_name = "M", requires = "against_each_other")]
    max_steps: Option<u32>,
    /// Time limit of the random playouts, in seconds
    #[arg(long, value_name = "S", requires = "against_each_other", value_parser = seconds)]
    seconds: Option<f64>,
    /// Threads for random playouts [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    ground: GroundArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp replay nim --against-each-other --playouts 100
  ggp replay games/nim.kif nim-17.jsonl --backend both

Exit status: 0 no difference, 1 a file that can't be read, 2 wrong usage, 4 differences.";

/// The back ends that replay a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Backends {
    /// The network, or the relational machine if the network exceeds a limit
    Auto,
    /// The propositional network
    Network,
    /// The network, many states in the bits of a word
    Lanes,
    /// The rules themselves, without instantiation
    Relational,
    /// The network one state at a time and the rules themselves, one after the other
    Both,
}

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Differences and a table of counts
    Table,
    /// One document
    Json,
}

/// Replays and prints; the exit status reports whether anything differs.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let (_, description) = game::description(&arguments.game)?;
    let rules =
        EvaluatedRules::new(Arc::new(description), &arguments.ground.limits()).map_err(LoadError::Statics)?;
    let comparisons = if arguments.against_each_other {
        vec![arguments.compare_back_ends(&rules)?]
    } else {
        let backends: &[Backend] = match arguments.backend {
            Backends::Auto => &[Backend::Auto],
            Backends::Network => &[Backend::Network],
            Backends::Lanes => &[Backend::Lanes],
            Backends::Relational => &[Backend::Relational],
            Backends::Both => &[Backend::Network, Backend::Relational],
        };
        let compare = |&backend| arguments.replay(&rules, backend);
        backends.iter().map(compare).collect::<anyhow::Result<Vec<_>>>()?
    };
    let report = ReplayReport::new(arguments.game.display().to_string(), game::negation(), comparisons);
    print(&match arguments.format {
        Format::Table => report.to_table(Layout::detect()),
        Format::Json => report.to_json()?,
    })?;
    Ok(if report.differences() == 0 { Exit::Ok } else { Exit::Different })
}

impl Arguments {
    fn load(&self, rules: &Arc<EvaluatedRules>, backend: Backend) -> anyhow::Result<Box<dyn Machine>> {
        Ok(load_evaluated(rules, backend, &self.ground.limits())?.machine)
    }

    fn replay(&self, rules: &Arc<EvaluatedRules>, backend: Backend) -> anyhow::Result<BackendComparison> {
        let machine = self.load(rules, backend)?;
        let kif = self.game.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut found = Comparison::default();
        for path in &self.traces {
            replay_file(&*machine, path, &kif, &mut found)?;
        }
        Ok(BackendComparison { backend: machine.backend().to_owned(), found })
    }

    fn compare_back_ends(&self, rules: &Arc<EvaluatedRules>) -> anyhow::Result<BackendComparison> {
        let network = self.load(rules, Backend::Network)?;
        let relational = self.load(rules, Backend::Relational)?;
        let budget = Budget {
            playouts: self.playouts,
            max_steps: StepLimit::of(&*network, self.max_steps).steps,
            seed: self.seed,
            threads: self.threads,
            seconds: self.seconds,
            ..Budget::default()
        };
        let found = cross_check(&*network, &*relational, &budget)?;
        let backend = format!("{} / {}", network.backend(), relational.backend());
        Ok(BackendComparison { backend, found })
    }
}

fn replay_file(
    machine: &dyn Machine,
    path: &Path,
    kif: &str,
    comparison: &mut Comparison,
) -> anyhow::Result<()> {
    let mut replay = Replay::new(machine);
    for recording in Recordings::open(path, kif)? {
        replay.play(&recording?, None, comparison);
    }
    Ok(())
}
