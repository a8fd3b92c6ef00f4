//! The command line. Each subcommand has one file: it reads the input, calls the library and passes the result to
//! [`report`](crate::report).

mod analyze;
mod bench;
mod check;
mod check_certificate;
mod check_player;
mod circumstances;
mod cluster;
mod command_groups;
mod compare;
mod completions;
mod config;
mod env;
mod eval;
mod explain;
mod functions;
mod game;
mod games;
mod ground;
mod guide;
mod host;
mod human;
mod interrupt;
mod judge;
mod layers;
mod learn;
mod library;
mod make_arguments;
mod man;
mod match_arguments;
mod memory;
mod move_list;
mod old_names;
mod play;
mod players;
mod playouts;
mod progress;
mod replay;
mod request_lines;
mod schema;
mod serve;
mod show;
mod simulate;
mod solve;
mod study;
mod sweep;
mod terminal;
mod tournament;
mod worker;

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::CompleteEnv;

use crate::arena::{PlayerError, SpecError};
use crate::evaluation::TuningError;
use layers::Layers;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, nothing wrong.
    Ok,
    /// 1: there are findings (such as errors in a game), or an input can't be used.
    Findings,
    /// 2: the command line is wrong.
    Usage,
    /// 3: the program crashed on one of several games; each ran in a separate process.
    Crashed,
    /// 4: the compared results differ.
    Different,
    /// 5: nothing was proved within the limits.
    Unproved,
    /// 6: a player violated the protocol, or a match with remote players was aborted.
    Misbehaved,
    /// 130: interrupted by Ctrl-C; the results so far were printed.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Ok => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Crashed => 3,
            Exit::Different => 4,
            Exit::Unproved => 5,
            Exit::Misbehaved => 6,
            Exit::Interrupted => interrupt::STATUS,
        })
    }
}

/// General game playing: analyse, play and solve games from their rules.
#[derive(Parser)]
#[command(
    name = "ggp",
    version,
    after_help = "Begin with `ggp guide first_hour`; `ggp guide` lists all pages of the guide.

Exit status: 0 done, nothing wrong; 1 faults found, or an input that can't be used; 2 wrong usage; 3 a crash in a sweep; \
4 differences found; 5 not proved; 6 a player that misbehaves; 130 interrupted."
)]
struct Cli {
    #[command(flatten)]
    rules: game::RuleArguments,
    #[command(flatten)]
    terminal: terminal::TerminalArguments,
    /// Read this configuration file instead of ggp.toml
    #[arg(long, hide_short_help = true, global = true, value_name = "FILE", help_heading = "Configuration")]
    config: Option<PathBuf>,
    /// Ignore configuration files and GGP_* variables
    #[arg(
        long,
        hide_short_help = true,
        global = true,
        conflicts_with = "config",
        help_heading = "Configuration"
    )]
    no_config: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Analyze(analyze::Arguments),
    Bench(bench::Arguments),
    Play(play::Arguments),
    Players(players::Arguments),
    Serve(serve::Arguments),
    Check(check::Arguments),
    Cluster(cluster::Arguments),
    Compare(compare::Arguments),
    Env(env::Arguments),
    Eval(eval::Arguments),
    Games(games::Arguments),
    Judge(judge::Arguments),
    Learn(learn::Arguments),
    Show(show::Arguments),
    Simulate(simulate::Arguments),
    Solve(solve::Arguments),
    Study(study::Arguments),
    Sweep(sweep::Arguments),
    Tournament(tournament::Arguments),
    Worker(worker::Arguments),
    Replay(replay::Arguments),
    Schema(schema::Arguments),
    Guide(guide::Arguments),
    Config(config::Arguments),
    Man(man::Arguments),
    Completions(completions::Arguments),
}

/// The definition of the command line, with completers for values.
fn command() -> clap::Command {
    let command = Cli::command().mut_args(completions::with_completer);
    let command = command.mut_subcommands(|sub| sub.mut_args(completions::with_completer));
    let command = command.mut_subcommand("play", |sub| sub.mut_arg("seconds", playouts::rename_seconds));
    let template = command_groups::help_template(&command);
    command.help_template(template)
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let start = Instant::now();
    CompleteEnv::with_factory(completing).var(completions::VARIABLE).complete();
    let given: Vec<OsString> = std::env::args_os().collect();
    let (_, mut notes) = old_names::new_words(&given);
    let words = old_names::words();
    let defined = command();
    let layers = match Layers::find(words).and_then(|layers| Ok((layers.check(&defined)?, layers))) {
        Ok((layer_notes, layers)) => {
            notes.extend(layer_notes);
            layers
        }
        Err(error) => return report_error(&error),
    };
    library::set_folders(layers.folders());
    let colour = terminal::colour_of(words);
    let layered = layers.apply(defined.clone(), words).color(colour);
    let cli = layered.try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match cli {
        Ok(cli) => cli,
        Err(error) => {
            // clap prints help and version to standard output, errors to standard error. A closed pipe is not an error.
            let _ = error.print();
            let _ = print_error(&notes.concat());
            if let Some(from) = layers.origin(&error, words) {
                let _ = print_error(&format!(
                    "the value is from {from} (`ggp config` shows where values come from)\n"
                ));
            }
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() };
        }
    };
    cli.terminal.settle();
    cli.rules.settle();
    let _ = print_note(&notes.concat());
    let files: Vec<String> = layers.files().map(|path| path.display().to_string()).collect();
    let _ = print_detail(&format!(
        "configuration: {}\n",
        if files.is_empty() { "none".into() } else { files.join(", ") }
    ));
    let result = match cli.command {
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Play(arguments) if arguments.is_managed() => host::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Players(arguments) => players::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Cluster(arguments) => cluster::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Env(arguments) => env::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Judge(arguments) => judge::run(&arguments),
        Command::Learn(arguments) => learn::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Tournament(arguments) => tournament::run(&arguments),
        #[cfg(feature = "cluster")]
        Command::Worker(arguments) => cluster::worker::run(&arguments),
        #[cfg(not(feature = "cluster"))]
        Command::Worker(_) => cluster::without_cluster(),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
        Command::Games(arguments) => games::run(&arguments),
        Command::Guide(arguments) => guide::run(&arguments),
        Command::Config(arguments) => config::run(&arguments, &layers, &defined),
        Command::Man(arguments) => man::run(&arguments, defined),
    };
    let memory =
        memory::peak_mib().map_or_else(String::new, |mib| format!(", {mib:.0} MiB of memory at most"));
    let _ = print_detail(&format!("took {:.2} s{memory}\n", start.elapsed().as_secs_f64()));
    match result {
        Ok(exit) => exit.into(),
        Err(error) => report_error(&error),
    }
}

/// The command line for completions. Sets the configured folders, so that their games are completed, too.
fn completing() -> clap::Command {
    library::set_folders(Layers::find(&[]).map_or_else(|_| Vec::new(), |layers| layers.folders()));
    command()
}

/// Prints the error of a command and returns its exit status.
fn report_error(error: &anyhow::Error) -> ExitCode {
    let _ = print_error(&format!("error: {error:#}\n"));
    // An interrupted run may fail because it is incomplete.
    if interrupt::asked() {
        return Exit::Interrupted.into();
    }
    if error.chain().any(is_wrong_line) { Exit::Usage.into() } else { Exit::Findings.into() }
}

/// Whether the text of a player or a function is wrong for every game, which is a usage error.
fn is_wrong_line(error: &(dyn std::error::Error + 'static)) -> bool {
    let player = error.downcast_ref::<PlayerError>();
    error.is::<SpecError>() || error.is::<TuningError>() || matches!(player, Some(PlayerError::Spec(_)))
}

/// Rows as JSON Lines.
fn json_lines(rows: &[impl serde::Serialize]) -> serde_json::Result<String> {
    rows.iter().map(|row| Ok(serde_json::to_string(row)? + "\n")).collect()
}

/// Set when standard output is closed.
static OUTPUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Writes a result to standard output. A closed pipe (`| head`) is not an error.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            OUTPUT_IS_CLOSED.store(true, Ordering::Relaxed)
        }
        done => done?,
    }
    Ok(())
}

/// Whether standard output is closed, so that work on further output can end.
fn output_is_closed() -> bool {
    OUTPUT_IS_CLOSED.load(Ordering::Relaxed)
}

/// Prints a usage error and returns its exit status.
fn usage(reason: &str) -> anyhow::Result<Exit> {
    print_error(&format!("error: {reason}\n"))?;
    Ok(Exit::Usage)
}

/// Writes a text to standard error.
fn print_error(text: &str) -> anyhow::Result<()> {
    match std::io::stderr().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// Writes a note to standard error, unless `--quiet` is given.
fn print_note(text: &str) -> anyhow::Result<()> {
    if terminal::notes() { print_error(text) } else { Ok(()) }
}

/// Writes details to standard error if `--verbose` is given.
fn print_detail(text: &str) -> anyhow::Result<()> {
    if terminal::verbose() { print_error(text) } else { Ok(()) }
}
