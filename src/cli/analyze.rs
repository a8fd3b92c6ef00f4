//! `ggp analyze`: finds the structure of games from their rules and random play.

use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::{Args, FromArgMatches as _, ValueEnum};

use crate::analysis::{
    AnalysisContext, GameAnalysis, Kinds, LoadedGame, Memory, Plan, Stage, StageProgress, analyze,
    demonstrate,
};
use crate::evaluation::{Document, Parameters};
use crate::gdl::diagnostic::Severity;
use crate::gdl::read;
use crate::report::analysis::Analysis;
use crate::report::board::Boards;
use crate::report::csv_text::to_csv;
use crate::report::diagnostics::CheckedFile;
use crate::report::evaluation_files::write_documents;
use crate::report::files::write_whole;
use crate::report::html::{PageMaterial, refused_page};
use crate::report::layout::{Layout, counted};
use crate::report::registry::{Material, REPORTS};
use crate::report::structure_rows::rows;
use crate::report::summary::{self, GameOutcome};
use crate::report::table::{self, Parts};
use crate::report::verdict::{self, InitialBoard};
use crate::simulate::TimedInterrupt;
use crate::verdict::{VerdictGames, begin_verdict, give_verdict};

use super::functions::{FunctionArguments, FunctionList, function_list};
use super::game::{self, MachineArguments};
use super::playouts::PlayoutArguments;
use super::progress::AnalysisBar;
use super::{Exit, interrupt, memory, output_is_closed, print, print_error, print_note};

/// Describe a game: how one wins, who wins, and its structure
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The games: files of rules in GDL (prefix KIF), or names that `ggp games` lists
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Write report.html, analysis.json, CSV tables and evaluations/*.json to this folder (with several games, a
    /// subfolder for each)
    #[arg(long, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten, next_help_heading = "Random play")]
    play: PlayoutArguments,
    /// Memory limit of the game and its analysis, such as 512MiB or 4GiB; if more is needed, a slower machine is
    /// used, or some evaluation functions are not made
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = memory::size)]
    memory: Memory,
    /// Work limit of proofs, in literals that a SAT solver propagates (some millions per second); 0 for no proofs
    /// [default: 45000000]
    #[arg(long, value_name = "N")]
    proof_work: Option<u64>,
    /// Also print the structures with their evidence, and the proofs
    #[arg(long)]
    evidence: bool,
    /// Also print the best features
    #[arg(long)]
    features: bool,
    /// Also print the best evaluation functions; the value limits which kinds are made, such as
    /// `fuzzy(norm=product),statistical`, or `all` [default: all but learned, which takes half a minute]
    #[arg(long, value_name = "KINDS", value_parser = function_list, num_args = 0..=1)]
    functions: Option<Option<FunctionList>>,
    /// Also print measures of the game's quality, such as balance, drama and skill depth (not with --effort 0)
    #[arg(long)]
    quality: bool,
    /// Print everything: --evidence, --features, --functions and --quality
    #[arg(long)]
    all: bool,
    /// Do ten times the work for the first part of the output, such as "Who wins?": more games between searches
    #[arg(long)]
    thorough: bool,
    /// Work for the first part of the output, as a multiple of the usual work; 0 for no games between searches
    /// [default: 1]
    #[arg(long, value_name = "X", conflicts_with = "thorough", value_parser = effort)]
    effort: Option<f64>,
    #[command(flatten)]
    function_options: FunctionArguments,
    #[command(flatten)]
    machine: MachineArguments,
}

const EXAMPLES: &str = "\
Examples:
  ggp analyze tic_tac_toe
  ggp analyze my_game.kif --out target/my_game
  ggp analyze games/chess.kif --format json | jq .structures.fluents
  ggp analyze games/*.kif --out analyses

Several games with --format json give one document a line (JSON Lines), with --format csv one
table whose first column names the game. Exit status: 0 all games analysed, 1 a game is broken,
2 wrong usage, 130 interrupted (what was gathered until then is printed). For a broken game,
--out writes a report.html that explains what is wrong.";

/// Work limit of proofs, in literals that the SAT solver propagates, if only the verdict is printed.
const QUICK_PROOF_WORK: u64 = 10_000_000;

/// The factor by which `--thorough` multiplies the work for the verdict.
const THOROUGH_EFFORT: f64 = 10.0;

/// The verdict may take this share of the seconds that the analysis leaves of `--seconds`.
const VERDICT_SHARE: f64 = 0.9;

/// What is printed on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table for reading
    Table,
    /// The whole document (its schema: ggp schema)
    Json,
    /// A row for each finding
    Csv,
}

/// The results of one game.
struct GameReport {
    analysis: Analysis,
    documents: Vec<Document>,
    /// The board of the initial state.
    board: InitialBoard,
    /// The content of the HTML pages; empty without `--out`.
    shown: PageMaterial,
    /// Whether the first lines were printed already.
    is_beginning_printed: bool,
}

impl GameReport {
    /// Makes the documents of a complete or interrupted analysis, without content for pages.
    fn new(path: &Path, game: &LoadedGame, found: &GameAnalysis) -> GameReport {
        let machine = game.machine();
        let documents = found.documents(machine);
        let analysis = Analysis::new(path, found, &documents, machine);
        let boards = Boards::new(&game.game(), &found.structures, &analysis.structures);
        let board = InitialBoard::new(&boards, machine.initial(), Layout::detect());
        GameReport { analysis, documents, board, shown: PageMaterial::default(), is_beginning_printed: false }
    }
}

/// Analyses every game. An error in one game does not stop the others.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let list = arguments.function_list();
    if let Some(out) = arguments.out.as_ref().filter(|out| out.is_file()) {
        bail!("--out {} can't be written: it is a file; name a folder", out.display());
    }
    let Some(parameters) = arguments.function_options.parameters(arguments.play.seed(), &list)? else {
        return Ok(Exit::Usage);
    };
    interrupt::watch()?;
    arguments.analyze_all(&parameters)
}

/// Analyses a game as `ggp analyze GAME` does by default. The caller watches for interrupts.
pub(super) fn quick_analysis(path: &Path) -> anyhow::Result<Analysis> {
    let command = Arguments::augment_args(clap::Command::new("analyze"));
    let matches = command.try_get_matches_from([std::ffi::OsStr::new("analyze"), path.as_os_str()])?;
    let arguments = Arguments::from_arg_matches(&matches)?;
    let progress = AnalysisBar::new(1);
    let result = arguments.analyze(path, &Parameters::default(), &progress, false);
    progress.bar().finish_and_clear();
    Ok(result?.analysis)
}

impl Arguments {
    fn analyze_all(&self, parameters: &Parameters) -> anyhow::Result<Exit> {
        let layout = Layout::detect();
        let several = self.games.len() > 1;
        let folders = self.folders();
        let progress = AnalysisBar::new(self.games.len());
        let bar = progress.bar();
        let mut outcomes = Vec::new();
        for (path, folder) in self.games.iter().zip(&folders) {
            // Files are written even if standard output is closed.
            if interrupt::asked() || (output_is_closed() && self.out.is_none()) {
                break;
            }
            progress.begin(path);
            let result = self.analyze(path, parameters, &progress, self.begins_at_once());
            if let (Err(error), Some(folder), false) = (&result, folder, interrupt::asked()) {
                write_refusal(path, error, folder)?;
            }
            let result = result.and_then(|analysed| {
                if let Some(folder) = folder {
                    let unwritten = || format!("{} can't be written", folder.display());
                    write_files(&analysed, folder).with_context(unwritten)?;
                }
                Ok(analysed)
            });
            if !several {
                bar.finish_and_clear();
            }
            bar.suspend(|| self.show(&result, layout, several && !outcomes.is_empty()))?;
            if let (Ok(_), Some(folder), false) = (&result, folder, several) {
                bar.suspend(|| print_note(&format!("written to {}\n", folder.display())))?;
            }
            let result = result.map(|analysed| analysed.analysis).map_err(|error| one_line(&error));
            outcomes.push(GameOutcome { path: path.display().to_string(), result });
            if several {
                bar.inc(1);
            }
        }
        bar.finish_and_clear();
        if several && self.format == Format::Table {
            print(&summary::render(&outcomes, layout))?;
        }
        self.exit_status(&outcomes)
    }

    /// Analyses a game. With `streamed`, prints the first lines before the games between searches are played.
    fn analyze(
        &self,
        path: &Path,
        parameters: &Parameters,
        bar: &AnalysisBar,
        streamed: bool,
    ) -> anyhow::Result<GameReport> {
        let start = Instant::now();
        let (source, description) = game::description(path)?;
        let path_text = || path.display().to_string();
        let loaded = self
            .machine
            .load_within(description, self.play.seconds(), self.memory)
            .with_context(path_text)?;
        let game = Arc::new(LoadedGame::new(path_text(), &source, loaded));
        let loading_seconds = start.elapsed().as_secs_f64();
        let plan = self.plan(parameters, game.roles().len() == 1, start);
        let stages = plan.stages(game.machine());
        let peaks = Mutex::new(Vec::from_iter(memory::peak_mib()));
        let begun_stages: Mutex<Vec<Stage>> = Mutex::default();
        let report_progress = |progress: StageProgress| {
            // The first report of a stage means that the previous stage has ended.
            let mut begun_stages = begun_stages.lock().unwrap_or_else(PoisonError::into_inner);
            if !begun_stages.contains(&progress.stage) {
                if !begun_stages.is_empty() {
                    add_peak(&peaks, begun_stages.len());
                }
                begun_stages.push(progress.stage);
            }
            drop(begun_stages);
            bar.stage(&stages, progress);
        };
        // The interrupt handler prints this if a stage does not return in time.
        let keep_partial = |found: &Arc<GameAnalysis>| {
            let (game, found, path) = (Arc::clone(&game), Arc::clone(found), path.to_owned());
            let (format, parts, layout) = (self.format, self.parts(), Layout::detect());
            interrupt::keep(move || {
                let report = GameReport::new(&path, &game, &found);
                render_report(&report, parts, format, layout, false).unwrap_or_default()
            });
        };
        let context = AnalysisContext {
            interrupt: Some(interrupt::flag()),
            progress: Some(&report_progress),
            on_round: None,
            finished: Some(&keep_partial),
        };
        let work = || -> anyhow::Result<(GameReport, usize)> {
            let found = analyze(&game.game(), &plan, &context)?;
            let mut report = GameReport::new(path, &game, &found);
            let clock = self.play.seconds().map(|seconds| {
                let left = seconds - start.elapsed().as_secs_f64();
                TimedInterrupt::after(left * VERDICT_SHARE, Some(interrupt::flag()))
            });
            let stop = Some(clock.as_ref().map_or(interrupt::flag(), TimedInterrupt::flag));
            let effort = self.effort.unwrap_or(if self.thorough { THOROUGH_EFFORT } else { 1.0 });
            bar.work("the verdict");
            let begun_verdict = begin_verdict(&game.game(), &found, &plan, effort, stop);
            report.analysis.verdict = Some(begun_verdict.verdict.clone());
            if streamed {
                let beginning = verdict::beginning(&report.analysis, &report.board, Layout::detect());
                bar.bar().suspend(|| print(&beginning.text))?;
                report.is_beginning_printed = true;
            }
            bar.work("games between searches, for the verdict");
            let mut given = give_verdict(begun_verdict, &game.game(), &found, &plan, effort, stop)?;
            given.verdict.endings.set_lines(&source);
            report.analysis.verdict = Some(given.verdict.clone());
            if self.out.is_some() {
                bar.work("example games for the report");
            }
            let shown = self.page_material(&game.game(), &found, &plan, &given)?;
            report.shown = shown.with_board(report.board.clone());
            Ok((report, found.stages.len()))
        };
        let (mut report, stages) = interrupt::guarded(work).with_context(path_text)?;
        add_peak(&peaks, stages);
        let timing = &mut report.analysis.timing;
        timing.loading_seconds = loading_seconds;
        timing.peak_mib = peaks.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(report)
    }

    /// The kinds of functions with their options.
    fn function_list(&self) -> FunctionList {
        self.functions.clone().flatten().unwrap_or_default()
    }

    /// The tables that are printed after the verdict.
    fn parts(&self) -> Parts {
        let &Arguments { evidence, features, quality, all, .. } = self;
        let functions = self.functions.is_some();
        if all { Parts::ALL } else { Parts { evidence, features, functions, quality } }
    }

    /// Whether the first lines are printed before the others are computed: one game, on a terminal.
    fn begins_at_once(&self) -> bool {
        self.games.len() == 1 && self.format == Format::Table && std::io::stdout().is_terminal()
    }

    /// The plan of the analysis, with only those stages whose results are printed or written. `alone` is true in a game of one
    /// role, whose best plan is printed.
    fn plan(&self, parameters: &Parameters, alone: bool, start: Instant) -> Plan {
        let full = self.play.full_plan_since(start);
        let parts = match self.format == Format::Table && self.out.is_none() {
            true => self.parts(),
            false => Parts::ALL,
        };
        let proof_work = if parts.evidence { full.proof_work } else { full.proof_work.min(QUICK_PROOF_WORK) };
        Plan {
            parameters: *parameters,
            kinds: if parts.functions { self.function_list().kinds } else { Kinds::NONE },
            memory: self.memory,
            proof_work: self.proof_work.unwrap_or(proof_work),
            search_nodes: if parts.evidence || alone { full.search_nodes } else { 0 },
            features: true,
            function_statistics: parts.functions,
            one_ply: if parts.functions { full.one_ply } else { 0 },
            exact: parts.features || parts.functions,
            ..full
        }
    }

    /// The content of the HTML pages of a game; empty without `--out`.
    fn page_material(
        &self,
        game: &crate::analysis::Game<'_>,
        found: &GameAnalysis,
        plan: &Plan,
        given: &VerdictGames,
    ) -> anyhow::Result<PageMaterial> {
        if self.out.is_none() {
            return Ok(PageMaterial::default());
        }
        let context = crate::simulate::Context { interrupt: Some(interrupt::flag()), progress: None };
        let typical = given.typical_game().map(|typical| typical.play(game.machine)).transpose()?;
        let shown = demonstrate(game, found, plan, typical.as_ref(), &context)?;
        Ok(PageMaterial::new(game, found, &given.verdict, &shown)?)
    }

    /// The output folder of each game: `--out` itself for one game, else a subfolder with the name of the game. If two
    /// games have the same name, the second folder gets a number.
    fn folders(&self) -> Vec<Option<PathBuf>> {
        let Some(out) = &self.out else { return vec![None; self.games.len()] };
        if self.games.len() == 1 {
            return vec![Some(out.clone())];
        }
        let mut taken = BTreeSet::new();
        let mut folder = |path: &PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let numbered = (2..).map(|number| format!("{name}-{number}"));
            let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
            Some(out.join(free.unwrap_or(name)))
        };
        self.games.iter().map(&mut folder).collect()
    }

    /// Prints the analysis of a game or its error, as soon as the game is finished.
    fn show(&self, result: &anyhow::Result<GameReport>, layout: Layout, later: bool) -> anyhow::Result<()> {
        let several = self.games.len() > 1;
        match (result, self.format) {
            (Err(error), _) => print_error(&format!("error: {error:#}\n"))?,
            (Ok(_), Format::Table) if several && self.out.is_some() => {}
            (Ok(report), format) => {
                let text = render_report(report, self.parts(), format, layout, several)?;
                let header = text.find('\n').map_or(0, |end| end + 1);
                match format {
                    Format::Table if several => print(&(text + "\n"))?,
                    Format::Csv if later => print(&text[header..])?,
                    _ => print(&text)?,
                }
            }
        }
        Ok(())
    }

    fn exit_status(&self, outcomes: &[GameOutcome]) -> anyhow::Result<Exit> {
        if interrupt::asked() {
            let left = self.games.len() - outcomes.len();
            let rest = match left {
                0 => String::new(),
                left => format!(" {} not begun.", counted(left as u64, "game was", "games were")),
            };
            let what = match outcomes.iter().any(|outcome| outcome.result.is_ok()) {
                true => "the results rest on what was played until then",
                false => "there are no results yet",
            };
            print_note(&format!("interrupted: {what}.{rest}\n"))?;
            return Ok(Exit::Interrupted);
        }
        let broken = outcomes.iter().any(|outcome| outcome.result.is_err());
        Ok(if broken { Exit::Findings } else { Exit::Ok })
    }
}

/// A multiple of the usual work from the command line.
fn effort(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(effort) if (0.0..=1000.0).contains(&effort) => Ok(effort),
        _ => Err("a number from 0 to 1000 is expected, such as 10".into()),
    }
}

/// Records the peak memory so far as that of stage `number`, unless it is recorded already.
fn add_peak(peaks: &Mutex<Vec<f64>>, number: usize) {
    let mut peaks = peaks.lock().unwrap_or_else(PoisonError::into_inner);
    if let (true, Some(peak)) = (peaks.len() == number, memory::peak_mib()) {
        peaks.push(peak);
    }
}

/// The text of an analysis in the given format. With several games, JSON is on one line.
fn render_report(
    report: &GameReport,
    parts: Parts,
    format: Format,
    layout: Layout,
    several: bool,
) -> anyhow::Result<String> {
    let GameReport { analysis, board, is_beginning_printed, .. } = report;
    Ok(match format {
        Format::Table => {
            let beginning = verdict::beginning(analysis, board, layout);
            let results = verdict::results(analysis, board, &beginning, layout);
            let beginning = if *is_beginning_printed { String::new() } else { beginning.text };
            let tables =
                if parts.is_empty() { String::new() } else { table::render_parts(analysis, parts, layout) };
            beginning + &results + &tables
        }
        Format::Json if several => analysis.to_json_line()?,
        Format::Json => analysis.to_json()?,
        Format::Csv => to_csv(&rows(analysis))?,
    })
}

/// The first line of an error, for a table.
fn one_line(error: &anyhow::Error) -> String {
    format!("{error:#}").lines().next().unwrap_or_default().to_string()
}

/// Writes a page that explains why there is no analysis. For a file that can't be read, no page is written.
fn write_refusal(path: &Path, error: &anyhow::Error, folder: &Path) -> anyhow::Result<()> {
    let shown = path.display().to_string();
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let checked = if path == Path::new("-") {
        // Standard input can't be read a second time.
        None
    } else {
        let Ok(source) = game::source(path) else { return Ok(()) };
        let faults = read(&source).diagnostics;
        Some(CheckedFile::Read(source, faults))
    };
    let checked = checked.filter(|checked| checked.count(Severity::Error) > 0);
    let page = refused_page(&name, &shown, &format!("{error:#}"), checked)?;
    let file = folder.join("report.html");
    write_whole(&file, &page).with_context(|| format!("{} can't be written", file.display()))
}

fn write_files(analysed: &GameReport, folder: &Path) -> anyhow::Result<()> {
    let material = Material { analysis: &analysed.analysis, shown: &analysed.shown };
    for report in REPORTS {
        write_whole(&folder.join(report.file), &(report.render)(&material)?)?;
    }
    write_documents(&folder.join("evaluations"), &analysed.documents)?;
    Ok(())
}
