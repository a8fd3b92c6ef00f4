//! `ggp study`: runs the experiment of a study file, and resumes an interrupted run.

mod by_game;
mod check;
mod judge;
mod matches;
mod parts;
mod speed;
mod structures;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use super::cluster::{ClusterArguments, DEALT_TWICE};
use super::{Exit, interrupt, print, usage};
use crate::arena::Part;
use crate::report::layout::colour_of_errors;
use crate::report::study::fault;
use crate::study::{Measurement, Study};

#[cfg(feature = "cluster")]
pub(super) use judge::entry_of_game;
#[cfg(feature = "cluster")]
pub(super) use structures::entry as structures_of_game;

/// The log's name in the folder of results.
const LOG: &str = "log.jsonl";

/// Run an experiment over many games, described by a TOML file
///
/// Results are written to log.jsonl in the folder of the study, game by game or match by match; the same command
/// resumes an interrupted study. README.md, report.html and the tables are made from the log.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The study file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Discard the results of an earlier run
    #[arg(long)]
    fresh: bool,
    /// Write the log and the results to this folder [default: the folder that FILE names, else reports/NAME]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Play matches even if there are fewer processors than threads
    #[arg(long)]
    force: bool,
    /// Do only part K of N, into part-K-of-N.jsonl; parts can run on different computers, and --merge combines them
    #[arg(long, hide_short_help = true, value_name = "K/N")]
    part: Option<Part>,
    /// Combine the logs of parts, and do nothing else
    #[arg(long, hide_short_help = true, value_name = "LOG", num_args = 1.., conflicts_with = "part")]
    merge: Vec<PathBuf>,
    /// Check whether the program would produce the same results today, without changing any file
    ///
    /// If the results depend only on the seed, the study is repeated in a temporary folder and the files are compared byte
    /// by byte, except for times and the computer. If they depend on the clock, the logged plan and the hashes of the games
    /// are compared with the current ones, and the tables with those made from the log.
    #[arg(long, conflicts_with_all = ["fresh", "part", "merge"])]
    check: bool,
    #[command(flatten)]
    cluster: ClusterArguments,
}

/// The result of a run.
struct StudyResult {
    /// Printed on standard output.
    message: String,
    exit: Exit,
}

const EXAMPLES: &str = "\
Examples:
  ggp study docs/guide/study.toml
  ggp study analyses/structures.toml --check

A study file that judges functions, as ggp judge does:
  kind = \"judge\"
  games = [\"../games/*.kif\"]    # relative to the file
  functions = [\"fuzzy\"]         # kinds or ids; all where it is missing
  seed = 1
  [budget]
  states = 200                  # as the options of ggp judge
  play = 100

One that runs tournaments, as ggp tournament does:
  kind = \"matches\"
  games = [\"../games/connect_four.kif\", \"../games/nim.kif\"]
  seed = 1
  [matches]
  players = [\"alphabeta:fuzzy\", \"guct:statistical\"]
  against = [\"uct\", \"random\"]   # each other where it is missing; or pairings = [[\"uct\", \"random\"]]
  nodes = [1_000, 10_000]       # a tournament for each
  clocks = [[1, 0.05]]          # seconds before the first move and for each move
  rounds = 40                   # at most; each is every assignment of roles
  sprt = { elo0 = 0, elo1 = 100, alpha = 0.05, beta = 0.05 }
  opening = 2                   # random joint moves
  most_hours = 2                # a run begins no match after that; the same command resumes it

One that compares the structures found with the labels of the games (NAME.toml), and one of speed:
  kind = \"structures\"
  games = [\"../games/*.kif\"]
  [structures]
  playouts = 10_000             # random playouts that findings rest on

  kind = \"speed\"
  games = [\"../games/chess.kif\"]
  [speed]
  seconds = 1                   # for each machine and game
  rounds = 3                    # in which machines take turns

Exit status: 0 the study is complete, 1 a game is broken or the file can't be used, 2 wrong usage, 4 the results
are not what the program gives today (--check), 130 interrupted (the same command resumes).";

/// Runs a study.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let path = &arguments.file;
    let text = std::fs::read_to_string(path).with_context(|| format!("{} can't be read", path.display()))?;
    let mut study = match Study::read(path, &text) {
        Ok(study) => study,
        Err(error) => {
            let shown = path.display().to_string();
            super::print_error(&fault(&shown, &text, &error, colour_of_errors()))?;
            bail!("{shown} is not a valid study file");
        }
    };
    if let Some(out) = &arguments.out {
        study.out.clone_from(out);
    }
    if arguments.cluster.is_asked() {
        if arguments.part.is_some() || !arguments.merge.is_empty() {
            return usage(DEALT_TWICE);
        }
        if arguments.check || matches!(study.work, Measurement::Speed(_)) {
            return usage("speed studies and --check run only on this computer: leave out --cluster");
        }
    }
    if arguments.check {
        return check::run(study, &text, arguments);
    }
    let StudyResult { message, exit } = make(&study, &text, arguments)?;
    print(&message)?;
    Ok(exit)
}

/// Runs a study and writes its results. `text` is the text of the study file.
fn make(study: &Study, text: &str, arguments: &Arguments) -> anyhow::Result<StudyResult> {
    match &study.work {
        Measurement::Judge(judged) => judge::run(study, judged, text, arguments),
        Measurement::Matches(matches) => matches::run(study, matches, arguments),
        Measurement::Structures(structures) => structures::run(study, structures, text, arguments),
        Measurement::Speed(speed) => speed::run(study, speed, text, arguments),
    }
}

/// The command that repeats a study.
fn command(path: &Path) -> String {
    format!("ggp study {}", path.display())
}
