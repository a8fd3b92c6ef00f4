//! `ggp learn`: evaluation functions from self-play.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use super::game::{self, MachineArguments};
use super::playouts::seconds;
use super::progress::bar_with_line;
use super::{Exit, interrupt, print, print_note, usage};
use crate::analysis::{AnalysisContext, Clock, Kinds, LoadedGame, Plan, analyze};
use crate::catalog::OptionValues;
use crate::evaluation::learned::LearningRound;
use crate::evaluation::{Function, Kind, Parameters, kinds};
use crate::report::evaluation_files::{to_json_lines, write_documents};
use crate::report::layout::Layout;
use crate::report::learning;

/// Number of random playouts in the analysis; documents record it.
const PLAYOUTS: u64 = 2_000;

/// Learn evaluation functions from self-play
///
/// For each role it learns weights of facts and of combinations of facts from games in which every role follows the
/// function learned so far. The sum of the weights whose facts hold predicts the goal value of the role.
///
/// --out DIR writes a document for each role to the folder DIR; players then use it as `alphabeta:./DIR`. Ctrl-C ends the command with the
/// result of the last complete round. The player `alphabeta:learned` learns automatically when it prepares for a game.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Amount of self-play and fitting; 1 takes about a second of one processor [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    work: Option<u64>,
    /// Time limit of the whole command, in seconds; results then depend on the computer
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<f64>,
    /// Other options of learned functions, such as pairs=0&triples=0; docs/functions.md explains them
    #[arg(long, value_name = "NAME=VALUE&...")]
    options: Option<String>,
    /// Write a document for each role to this folder
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Truncate a game after this many joint moves [default: the longest possible game if the rules bound it, or 1000]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp learn tic_tac_toe --work 1
  ggp learn games/connect_four.kif --out learned
  ggp learn games/breakthrough.kif --work 5 --options 'pairs=0&triples=0'

Exit status: 0 functions were learned, 1 the game is broken or nothing can be learned from it, 2 wrong
usage, 130 interrupted.";

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Rounds and the heaviest terms, for reading
    Table,
    /// The documents, one per line
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let begun = Instant::now();
    let kind = kinds::entry(Kind::Learned);
    let entries = kind.options();
    let given = arguments.options.as_deref().map(|text| OptionValues::read("learn", &entries, text));
    let given = match given.unwrap_or(Ok(OptionValues::default())) {
        Ok(given) => given,
        Err(error) => return usage(&error.to_string()),
    };
    let mut parameters = Parameters::default();
    if let Err(error) = kind.set(&given, &mut parameters) {
        return usage(&error.to_string());
    }
    parameters.learned.seed = arguments.seed;
    parameters.learned.work = arguments.work.unwrap_or(parameters.learned.work);
    interrupt::watch()?;
    let named = || arguments.game.display().to_string();
    let (source, description) = game::description(&arguments.game)?;
    let loaded = arguments.machine.load(description).with_context(named)?;
    let game = LoadedGame::new(named(), &source, loaded);
    let machine = game.machine();

    let rounds = bar_with_line(parameters.learned.rounds.into(), "rounds");
    let on_round = |round: &LearningRound| {
        rounds.inc(1);
        rounds.set_message(learning::round_line(round));
    };
    // The first round begins after random play.
    rounds.set_message("random play");
    let left = |seconds: f64| Clock::Seconds((seconds - begun.elapsed().as_secs_f64()).max(0.0));
    let plan = Plan {
        playouts: Some(PLAYOUTS),
        clock: arguments.seconds.map_or(Clock::Counted, left),
        kinds: Kinds::Only(vec![Kind::Learned]),
        features: false,
        function_statistics: false,
        max_steps: arguments.max_steps,
        seed: arguments.seed,
        threads: arguments.threads,
        parameters,
        ..Plan::default()
    };
    let context = AnalysisContext {
        interrupt: Some(interrupt::flag()),
        on_round: Some(&on_round),
        ..AnalysisContext::default()
    };
    let analysis = interrupt::guarded(|| analyze(&game.game(), &plan, &context)).with_context(named)?;
    rounds.finish_and_clear();
    let documents = analysis.documents(machine);
    let functions: Vec<_> = analysis
        .functions
        .list
        .iter()
        .filter_map(|function| match function {
            Function::Learned(learned) => Some(learned),
            _ => None,
        })
        .collect();
    for text in &analysis.functions.notes {
        print_note(&format!("note: {text}\n"))?;
    }
    if let Some(folder) = arguments.out.as_ref().filter(|_| !documents.is_empty()) {
        write_documents(folder, &documents)
            .with_context(|| format!("{} can't be written", folder.display()))?;
        print_note(&format!("written to {}\n", folder.display()))?;
    }
    print(&match arguments.format {
        Format::Table => learning::text(&functions, Layout::detect()),
        Format::Json => to_json_lines(&documents)?,
    })?;
    Ok(match functions.is_empty() {
        _ if interrupt::asked() => Exit::Interrupted,
        true => Exit::Findings,
        false => Exit::Ok,
    })
}
