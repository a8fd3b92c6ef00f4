//! `ggp judge`: how well the evaluation functions of a game predict results and play.

#[cfg(feature = "cluster")]
use std::path::Path;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, anyhow, bail};
use clap::{Args, ValueEnum};
use indicatif::ProgressBar;

use crate::analysis::{
    self, AnalysisContext, FunctionSelector, GameAnalysis, Kinds, Plan, StageProgress, analyze,
};
use crate::catalog::nearest;
use crate::evaluation::TuningError;
use crate::evaluation::{GameIdentity, Kind};
use crate::judge::{Candidate, ExactLimits, Follower, JudgeContext, JudgeLimits, judge};
use crate::report::analysis::Game;
use crate::report::csv_text::to_csv;
use crate::report::files::write_whole;
use crate::report::judge::{JudgeDocument, rows, table};
use crate::report::layout::Layout;

use super::cluster::ClusterArguments;
use super::game::{self, MachineArguments};
use super::progress::{AnalysisBar, set_length, spinner};
use super::{Exit, interrupt, print, print_note};

/// Measure how well functions predict results, and how they play
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The game: a file of rules in GDL (prefix KIF), or a name that `ggp games` lists
    #[arg(value_name = "GAME")]
    game: PathBuf,
    /// Functions to judge: a kind such as fuzzy, with options as in `fuzzy(norm=product)`, an id, or a document (.json)
    /// [default: all but learned ones]
    #[arg(long, value_name = "FUNCTION", num_args = 1..)]
    functions: Vec<String>,
    /// Judge only the functions of this role
    #[arg(long, value_name = "R")]
    role: Option<String>,
    /// Number of states to judge on, each from another random playout
    #[arg(long, value_name = "N", default_value_t = JudgeLimits::default().states, value_parser = clap::value_parser!(u64).range(1..))]
    states: u64,
    /// Random playouts from each state, whose results are compared with the values
    #[arg(long, value_name = "N", default_value_t = JudgeLimits::default().playouts, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// Guided games from each state, in which all roles follow the function
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = JudgeLimits::default().guided)]
    guided: u64,
    /// Games of each function against random play
    #[arg(long, value_name = "N", default_value_t = JudgeLimits::default().play)]
    play: u64,
    /// Play only this many functions of each kind and role, those with the highest correlation [default: all]
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = JudgeLimits::default().best, hide_default_value = true)]
    best: usize,
    /// Limit of states per role in the search for exact values; 0 for no search
    #[arg(long, value_name = "N", default_value_t = ExactLimits::default().states)]
    exact: usize,
    /// Truncate a random playout after this many joint moves [default: the longest possible game if the rules bound it, or 1000]
    #[arg(long, hide_short_help = true, value_name = "M", value_parser = clap::value_parser!(u32).range(1..))]
    max_steps: Option<u32>,
    /// Seed of all random choices
    #[arg(long, value_name = "K", default_value_t = JudgeLimits::default().seed)]
    seed: u64,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "T", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Write the output to this file
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineArguments,
    #[command(flatten)]
    cluster: ClusterArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp judge tic_tac_toe --functions fuzzy --states 50
  ggp judge games/connect_four.kif --functions fuzzy --role red --states 1000
  ggp judge games/nim.kif --format csv --out nim.csv

What the numbers mean is in docs/judge.md. Exit status: 0 judged, 1 the game is broken or has no
such function, 2 wrong usage, 130 interrupted (what was gathered until then is printed).";

/// The output format of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for reading
    Table,
    /// One JSON document
    Json,
    /// A row for each function
    Csv,
}

/// Parses the values of `--functions`.
fn selectors(texts: &[String]) -> Result<Vec<(&str, FunctionSelector)>, TuningError> {
    texts.iter().map(|text| Ok((text.as_str(), text.parse()?))).collect()
}

/// Judges the functions of a game.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    #[cfg(feature = "cluster")]
    let follower = super::cluster::Elsewhere::new(&arguments.cluster, arguments)?;
    #[cfg(feature = "cluster")]
    let judged = arguments.judged(follower.as_ref().map(|follower| follower as &dyn Follower))?;
    #[cfg(not(feature = "cluster"))]
    let judged = arguments.judged(None)?;
    let text = match (arguments.format, &arguments.out) {
        (Format::Table, None) => table(&judged, Layout::detect()),
        (Format::Table, Some(_)) => table(&judged, Layout::plain()),
        (Format::Json, _) => judged.to_json()?,
        (Format::Csv, _) => to_csv(&rows(&judged.game.name, &judged.verdict))?,
    };
    match &arguments.out {
        None => print(&text)?,
        Some(file) => {
            write_whole(file, &text).with_context(|| format!("{} can't be written", file.display()))?;
            print_note(&format!("written to {}\n", file.display()))?;
        }
    }
    if interrupt::asked() {
        print_note("interrupted: the results rest on what was played until then\n")?;
        return Ok(Exit::Interrupted);
    }
    #[cfg(feature = "cluster")]
    if follower.is_some_and(|follower| follower.given_up() > 0) {
        return Ok(Exit::Findings);
    }
    Ok(Exit::Ok)
}

impl Arguments {
    /// The command-line arguments with which a worker judges the same game, with the given paths of the game and of the
    /// functions.
    #[cfg(feature = "cluster")]
    pub(super) fn words(&self, game: &str, functions: &[String], threads: usize) -> Vec<String> {
        let mut words = vec!["judge".to_owned(), game.to_owned()];
        let mut add = |name: &str, value: String| words.push(format!("--{name}={value}"));
        add("states", self.states.to_string());
        add("playouts", self.playouts.to_string());
        add("guided", self.guided.to_string());
        add("play", self.play.to_string());
        add("best", self.best.to_string());
        add("exact", self.exact.to_string());
        add("seed", self.seed.to_string());
        add("threads", threads.to_string());
        self.max_steps.iter().for_each(|steps| add("max-steps", steps.to_string()));
        self.role.iter().for_each(|role| add("role", role.clone()));
        functions.iter().for_each(|function| add("functions", function.clone()));
        words.extend(self.machine.words());
        words
    }

    /// The game and the functions as given on the command line.
    #[cfg(feature = "cluster")]
    pub(super) fn named(&self) -> (&Path, &[String]) {
        (&self.game, &self.functions)
    }

    /// Judges the selected functions.
    pub(super) fn judged(&self, follower: Option<&dyn Follower>) -> anyhow::Result<JudgeDocument> {
        let path = &self.game;
        let game_path = || path.display().to_string();
        let (source, description) = game::description(path)?;
        let loaded = self.machine.load(description).with_context(game_path)?;
        let machine = &*loaded.machine;
        let selectors = selectors(&self.functions)?;
        let tunings = selectors.iter().filter_map(|(_, selector)| selector.tuning().cloned());
        let plan = Plan {
            kinds: FunctionSelector::kinds(selectors.iter().map(|(_, selector)| selector)),
            tunings: tunings.collect(),
            seed: self.seed,
            threads: self.threads,
            max_steps: self.max_steps,
            function_statistics: false,
            ..Plan::default()
        };
        let identity = GameIdentity::new(source.bytes(), machine.description());
        let subject = analysis::Game {
            machine,
            statics: &loaded.statics,
            identity: &identity,
            left_out: loaded.left_out.as_deref(),
        };
        let stages = plan.stages(machine);
        let analysis_bar = AnalysisBar::new(1);
        let report_progress = |progress: StageProgress| analysis_bar.stage(&stages, progress);
        let context = AnalysisContext {
            interrupt: Some(interrupt::flag()),
            progress: Some(&report_progress),
            ..AnalysisContext::default()
        };
        let analysis = interrupt::guarded(|| analyze(&subject, &plan, &context));
        analysis_bar.bar().finish_and_clear();
        let analysis = analysis.with_context(game_path)?;
        for left_out in &analysis.functions.notes {
            print_note(&format!("note: {left_out}\n"))?;
        }
        let game = Game::new(path, &identity, machine);
        let candidates = self.candidates(self.select(&analysis, &selectors, &game)?, &game)?;

        let bar = match follower {
            Some(_) => ProgressBar::hidden(),
            None => spinner("drawing and solving test states"),
        };
        let is_counting = AtomicBool::new(false);
        let progress = |done: usize, all: usize| {
            if !is_counting.swap(true, Ordering::Relaxed) {
                set_length(&bar, all as u64, "functions");
            }
            bar.set_position(done as u64);
        };
        let context =
            JudgeContext { interrupt: Some(interrupt::flag()), progress: Some(&progress), follower };
        let verdict = judge(machine, &analysis.structures, &candidates, &self.limits(), &context)
            .with_context(game_path)?;
        bar.finish_and_clear();
        Ok(JudgeDocument::new(game, verdict))
    }

    fn limits(&self) -> JudgeLimits {
        let &Arguments { states, playouts, guided, play, best, max_steps, seed, threads, .. } = self;
        let base = JudgeLimits::default();
        let exact = ExactLimits { states: self.exact, ..base.exact };
        JudgeLimits { states, playouts, guided, play, best, max_steps, seed, threads, exact, ..base }
    }

    /// The functions for the role given by `--role`, and for each of their roles `Candidate::ends` as the baseline.
    fn candidates(&self, mut chosen: Vec<Candidate>, game: &Game) -> anyhow::Result<Vec<Candidate>> {
        let roles = &game.roles;
        let role = match &self.role {
            None => None,
            Some(name) => match roles.iter().position(|role| role == &name.to_lowercase()) {
                Some(role) => Some(role),
                None => bail!("{} has no role {name}; it has {}", self.game.display(), roles.join(", ")),
            },
        };
        chosen.retain(|candidate| role.is_none_or(|role| role == candidate.role));
        let judged: Vec<usize> =
            (0..roles.len()).filter(|&role| chosen.iter().any(|candidate| candidate.role == role)).collect();
        if judged.is_empty() {
            bail!("{} has no such function for this role", self.game.display());
        }
        chosen.extend(judged.into_iter().map(Candidate::ends));
        Ok(chosen)
    }

    /// The functions that match the selectors; all functions if there are no selectors.
    fn select(
        &self,
        analysis: &GameAnalysis,
        selectors: &[(&str, FunctionSelector)],
        game: &Game,
    ) -> anyhow::Result<Vec<Candidate>> {
        let roles = &game.roles;
        let all = Candidate::all(&analysis.functions.list, &analysis.tuned, roles);
        let (files, names): (Vec<_>, Vec<_>) =
            selectors.iter().partition(|(_, selector)| matches!(selector, FunctionSelector::Document(_)));
        for (name, selector) in &names {
            if !all.iter().any(|candidate| selector.means(candidate)) {
                return Err(self.unknown(name, &all));
            }
        }
        let is_selected = |candidate: &Candidate| names.iter().any(|(_, selector)| selector.means(candidate));
        let mut chosen: Vec<Candidate> =
            all.into_iter().filter(|candidate| selectors.is_empty() || is_selected(candidate)).collect();
        for (file, selector) in files {
            let Some(document) = selector.document(&analysis.identity, None)? else { continue };
            if document.edited {
                print_note(&format!("note: {file} was edited after it was made\n"))?;
            }
            let no_such_role = || format!("{file}: {} has no role {}", self.game.display(), document.role);
            let candidate = Candidate::new(document.function.clone(), roles).with_context(no_such_role)?;
            chosen.push(Candidate { id: (*file).to_owned(), ..candidate });
        }
        Ok(chosen)
    }

    /// The error for a name that matches no function.
    fn unknown(&self, name: &str, all: &[Candidate]) -> anyhow::Error {
        let mut kinds: Vec<&str> =
            all.iter().filter_map(|other| other.kind.map(|kind| kind.name())).collect();
        kinds.dedup();
        // Also list the kinds that are only made on request, such as learned functions.
        let is_usual_or_listed = |kind: &&Kind| Kinds::Usual.contains(**kind) || kinds.contains(&kind.name());
        let more: Vec<&str> =
            Kind::ALL.iter().filter(|kind| !is_usual_or_listed(kind)).map(|kind| kind.name()).collect();
        kinds.extend(more);
        let near = nearest(name, kinds.iter().copied().chain(all.iter().map(|other| other.id.as_str())));
        anyhow!(
            "--functions {name}: {} has no such function; did you mean `{near}`? Use a kind ({}), an id such as {}, or a \
             document that ends in .json",
            self.game.display(),
            kinds.join(", "),
            all.first().map_or("none, as the game has no functions", |candidate| &candidate.id)
        )
    }
}
