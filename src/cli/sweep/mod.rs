//! `ggp sweep`: analyses every description of an archive in separate processes.
//!
//! `arena/log.rs` stores the results; `report/sweep.rs` writes the tables, and `report/html/sweep_page.rs` the page.

mod game;
mod process;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use crate::arena::{Log, LogHeader, Part};
use crate::gdl::identity::sha256;
use crate::report::files::write_whole;
use crate::report::html::sweep_page;
use crate::report::layout::{Layout, counted};
use crate::report::simulation::shell_word;
use crate::report::sweep::{Sweep, SweepRow, SweepVerdict};

use super::cluster::{ClusterArguments, DEALT_TWICE};
use super::playouts::seconds;
use super::progress::bar;
use super::{Exit, interrupt, print, print_note, usage};
use process::ProcessLimits;

/// Analyse every game of an archive, each in its own process
///
/// A game that is broken, takes too long or crashes the program gets a row in the result. Results are written to
/// log.jsonl in the folder --out at once; the same command resumes an interrupted sweep, and analyses only what is new
/// or has changed. sweep.csv, timing.csv, README.md and report.html are made from the log.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Folders, which are searched for *.kif with their subfolders, or files of rules
    #[arg(required = true, value_name = "DIR")]
    places: Vec<PathBuf>,
    /// Write the log and the results to this folder [default: they are only printed]
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Time limit of each analysis, in seconds
    #[arg(long, value_name = "S", default_value_t = 60.0, value_parser = seconds)]
    seconds_per_game: f64,
    /// Memory limit of each analysis, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..))]
    memory: u32,
    /// Random playouts per game [default: as in `ggp analyze`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    playouts: Option<u64>,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = 1)]
    seed: u64,
    /// Time to measure the speed of each machine on each game, in seconds; 0 for no measurement
    #[arg(long, hide_short_help = true, value_name = "S", default_value_t = 0.3, value_parser = super::playouts::seconds_or_zero)]
    speeds: f64,
    /// Games analysed at the same time [default: one per processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Discard the results of an earlier run
    #[arg(long, requires = "out")]
    fresh: bool,
    /// Analyse only part K of N, into part-K-of-N.jsonl; parts can run on different computers, and --merge combines
    /// them
    #[arg(long, hide_short_help = true, value_name = "K/N", requires = "out")]
    part: Option<Part>,
    /// Combine the logs of parts without analysing; give the other options of the parts
    #[arg(long, hide_short_help = true, value_name = "LOG", num_args = 1.., conflicts_with = "part", requires = "out")]
    merge: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    cluster: ClusterArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp sweep games/nim.kif games/tic_tac_toe.kif --playouts 1000
  ggp sweep games --out target/sweep
  ggp sweep archive --seconds-per-game 20 --speeds 0 --format csv > archive.csv

Exit status: 0 every description was analysed or has errors in its rules, 1 an analysis failed, took
too long or too much memory, 2 wrong usage, 3 the program crashed on one, 130 interrupted (the same
command resumes).";

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for reading
    Table,
    /// A row for each description, as in sweep.csv
    Csv,
    /// JSON Lines: a document for each description
    Json,
}

/// The first line of the log. All rows were made by the same version of the program with the same options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    schema: String,
    /// Version of the program.
    version: String,
    /// Options that affect the rows.
    options: String,
}

impl LogHeader for Header {
    const KIND: &'static str = "sweep";

    fn change(&self, wanted: &Header) -> Option<String> {
        let different = (&self.schema, &self.version) != (&wanted.schema, &wanted.version);
        let program =
            different.then(|| format!("the program (it was version {}) changed since", self.version));
        program.or_else(|| {
            (self.options != wanted.options).then(|| format!("its options were {}", self.options))
        })
    }
}

/// Analyses the descriptions that are not in the log yet, and prints all results.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    if arguments.cluster.is_asked() && (arguments.part.is_some() || !arguments.merge.is_empty()) {
        return usage(DEALT_TWICE);
    }
    let hash = |path: &PathBuf| std::fs::read(path).map(|bytes| sha256(&bytes)).unwrap_or_default();
    let paths: Vec<(PathBuf, String)> =
        arguments.descriptions()?.into_iter().map(|path| (path.clone(), hash(&path))).collect();
    anyhow::ensure!(!paths.is_empty(), "the given folders contain no game description (*.kif)");
    let scratch = tempfile::tempdir()?;
    let folder = arguments.out.as_deref().unwrap_or(scratch.path());
    let header = arguments.header();
    let place = arguments.part.map_or_else(|| "log.jsonl".into(), |part| part.log());
    let (mut log, _) = Log::<SweepRow>::open(&folder.join(place), header.clone(), arguments.fresh)?;
    arguments.merge_logs(&paths, &header, &mut log)?;
    let has = |number: usize| arguments.part.is_none_or(|part| part.has(number as u64));
    let left: Vec<u64> = paths
        .iter()
        .enumerate()
        .filter(|(number, (path, hash))| has(*number) && find_row(&log.entries, path, hash).is_none())
        .map(|(number, _)| number as u64)
        .collect();
    let given_up = match arguments.cluster.is_asked() && !left.is_empty() {
        #[cfg(feature = "cluster")]
        true => arguments.analyze_on_cluster(&paths, left.clone(), &mut log, folder)?,
        _ => 0,
    };
    if arguments.cluster.is_asked() {
        // The workers have analysed the descriptions above.
    } else if arguments.merge.is_empty() {
        let left: Vec<&PathBuf> = left.iter().map(|&number| &paths[number as usize].0).collect();
        arguments.analyze(&left, &mut log)?;
    } else if !left.is_empty() {
        let left = counted(left.len() as u64, "description is", "descriptions are");
        print_note(&format!("{left} missing: the command without --merge analyses them\n"))?;
    }
    if let Some(part) = arguments.part {
        let rows = counted(log.entries.len() as u64, "description", "descriptions");
        print(&format!("part {part}: {rows}\n"))?;
        return Ok(if interrupt::asked() { Exit::Interrupted } else { Exit::Ok });
    }

    let rows = paths.iter().filter_map(|(path, hash)| find_row(&log.entries, path, hash).cloned());
    let sweep = Sweep { rows: rows.collect() };
    if let Some(out) = &arguments.out {
        arguments.write(&sweep, out)?;
    }
    print(&match arguments.format {
        Format::Table => sweep.table(Layout::detect()),
        Format::Csv => sweep.csv()?,
        Format::Json => {
            let lines: Result<Vec<String>, _> = sweep.rows.iter().map(serde_json::to_string).collect();
            lines?.into_iter().map(|line| line + "\n").collect()
        }
    })?;
    if interrupt::asked() {
        let left = paths.len() - sweep.rows.len();
        print_note(&format!("interrupted: {left} left; the same command resumes\n"))?;
        return Ok(Exit::Interrupted);
    }
    let any = |verdicts: &[SweepVerdict]| verdicts.iter().any(|&verdict| sweep.count(verdict) > 0);
    Ok(if any(&[SweepVerdict::Crashed]) {
        Exit::Crashed
    } else if given_up > 0 || any(&[SweepVerdict::Failed, SweepVerdict::TimedOut, SweepVerdict::OutOfMemory])
    {
        Exit::Findings
    } else {
        Exit::Ok
    })
}

impl Arguments {
    /// The header of the log for these options.
    fn header(&self) -> Header {
        Header {
            schema: "ggp.sweep-log/1".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            options: self.option_words(),
        }
    }

    /// Writes the tables and the page.
    fn write(&self, sweep: &Sweep, out: &Path) -> anyhow::Result<()> {
        let command = format!("ggp sweep {}", self.command_words());
        for (file, text) in [
            ("sweep.csv", sweep.csv()?),
            ("timing.csv", sweep.timing_csv()?),
            ("README.md", sweep.page(&command)),
            ("report.html", sweep_page(sweep, &command)?),
        ] {
            let path = out.join(file);
            write_whole(&path, &text).with_context(|| format!("{} can't be written", path.display()))?;
        }
        Ok(())
    }
}

/// Settings for the analysis of a description in a separate process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Analysis {
    /// Time limit in seconds.
    seconds: f64,
    /// Memory limit in MiB.
    memory_mib: f64,
    /// Seconds to measure the speed of each machine; `None` to skip the measurement.
    speeds: Option<f64>,
    /// Options for `ggp analyze`.
    options: Vec<String>,
}

impl Analysis {
    /// Analyses a game. Returns `None` after an interrupt.
    pub(super) fn row(&self, path: &Path) -> anyhow::Result<Option<SweepRow>> {
        let limits = ProcessLimits { seconds: self.seconds, memory_mib: self.memory_mib };
        game::row(path, limits, self.speeds, &self.options)
    }
}

/// The last row of a description with this path and hash.
fn find_row<'r>(rows: &'r [SweepRow], path: &Path, hash: &str) -> Option<&'r SweepRow> {
    let path = path.display().to_string();
    rows.iter().rev().find(|row| row.path == path && row.sha256 == hash)
}

impl Arguments {
    /// Adds missing rows from the logs of parts, in the order of the descriptions.
    fn merge_logs(
        &self,
        paths: &[(PathBuf, String)],
        header: &Header,
        log: &mut Log<SweepRow>,
    ) -> anyhow::Result<()> {
        let mut merged_rows = Vec::new();
        for path in &self.merge {
            anyhow::ensure!(path.is_file(), "{} does not exist", path.display());
            merged_rows.extend(Log::<SweepRow>::open(path, header.clone(), false)?.0.entries);
        }
        for (path, hash) in paths {
            if let (None, Some(row)) =
                (find_row(&log.entries, path, hash), find_row(&merged_rows, path, hash))
            {
                log.add(row.clone())?;
            }
        }
        Ok(())
    }

    /// The paths of all descriptions, sorted and without duplicates.
    fn descriptions(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut descriptions = BTreeSet::new();
        let mut open: Vec<PathBuf> = self.places.clone();
        while let Some(place) = open.pop() {
            if !place.is_dir() {
                anyhow::ensure!(place.exists(), "{} does not exist", place.display());
                descriptions.insert(place);
                continue;
            }
            let unread = || format!("{} can't be read", place.display());
            for entry in std::fs::read_dir(&place).with_context(unread)? {
                let path = entry.with_context(unread)?.path();
                // A symbolic link may lead back to one of its parent folders.
                if path.is_dir() && !path.is_symlink() {
                    open.push(path);
                } else if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("kif")) {
                    descriptions.insert(path);
                }
            }
        }
        Ok(descriptions.into_iter().collect())
    }

    /// The settings for each analysis.
    fn analysis(&self) -> Analysis {
        let mut options = vec![format!("--seed={}", self.seed)];
        options.extend(super::game::rule_words());
        options.extend(self.playouts.map(|playouts| format!("--playouts={playouts}")));
        let speeds = (self.speeds > 0.0).then_some(self.speeds);
        Analysis { seconds: self.seconds_per_game, memory_mib: self.memory.into(), speeds, options }
    }

    /// Analyses descriptions on a cluster. Returns the number that failed on every attempt.
    #[cfg(feature = "cluster")]
    fn analyze_on_cluster(
        &self,
        paths: &[(PathBuf, String)],
        left: Vec<u64>,
        log: &mut Log<SweepRow>,
        folder: &Path,
    ) -> anyhow::Result<usize> {
        let paths: Vec<PathBuf> = paths.iter().map(|(path, _)| path.clone()).collect();
        let bar = bar(left.len() as u64, "descriptions");
        let mut keep = |_: u64, result: Result<SweepRow, String>| {
            // A description that failed on every attempt is not logged, so the same command tries it again.
            if let Ok(row) = result {
                log.add(row)?;
            }
            Ok(())
        };
        let folder = (folder, self.fresh);
        Ok(super::cluster::sweep(&self.cluster, (&paths, left), &self.analysis(), folder, &bar, &mut keep)?
            .given_up)
    }

    /// Analyses descriptions in parallel. The progress bar counts a row after it was written to the log.
    fn analyze(&self, paths: &[&PathBuf], log: &mut Log<SweepRow>) -> anyhow::Result<()> {
        let analysis = self.analysis();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = if self.threads == 0 { processors } else { self.threads }.min(paths.len());
        let bar = bar(paths.len() as u64, "descriptions");
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let log = Mutex::new(log);
        let work = || {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                let row = analysis.row(path);
                let logged = row.and_then(|row| match row {
                    Some(row) => {
                        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                        log.add(row)?;
                        Ok(true)
                    }
                    None => Ok(false),
                });
                match logged {
                    Ok(true) => bar.inc(1),
                    Ok(false) => return,
                    Err(error) => {
                        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        // The other threads end after their current description.
                        next.store(paths.len(), Ordering::Relaxed);
                        return;
                    }
                }
                if interrupt::asked() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
        bar.finish_and_clear();
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// The places and options as words of the command line.
    fn command_words(&self) -> String {
        let places = self.places.iter().map(|place| shell_word(&place.display().to_string()) + " ");
        places.collect::<String>() + &self.option_words()
    }

    /// The options that decide the rows, as words of the command line.
    fn option_words(&self) -> String {
        let playouts = self.playouts.map(|playouts| format!("--playouts {playouts}"));
        let mut words = vec![
            format!("--seconds-per-game {}", self.seconds_per_game),
            format!("--memory {} --seed {} --speeds {}", self.memory, self.seed, self.speeds),
        ];
        words.extend(playouts.into_iter().chain(super::game::rule_words()));
        words.join(" ")
    }
}
