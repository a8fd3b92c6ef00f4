//! The command line: one file a subcommand. Each reads its input, calls the library and hands the result to
//! [`report`](crate::report).

mod analyze;
mod bench;
mod check;
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
mod old_names;
mod play;
mod players;
mod playouts;
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
    /// 1: done with findings (errors in a game), or an input that can't be used.
    Findings,
    /// 2: the command line is wrong.
    Usage,
    /// 3: the program crashed on one of many games, each of which had a process of its own.
    Crashed,
    /// 4: what was compared differs.
    Different,
    /// 5: nothing was proved within the limits.
    Unproved,
    /// 6: a player did not behave as the protocol wants it.
    Misbehaved,
    /// 130: ended by Ctrl-C; what was gathered until then was given.
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

/// The command line as it is defined, with what completes its values.
fn command() -> clap::Command {
    let command = Cli::command().mut_args(completions::completed);
    let command = command.mut_subcommands(|sub| sub.mut_args(completions::completed));
    let command = command.mut_subcommand("play", |sub| sub.mut_arg("seconds", playouts::for_a_match));
    let template = command_groups::help_template(&command);
    command.help_template(template)
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let begun = Instant::now();
    CompleteEnv::with_factory(completing).var(completions::VARIABLE).complete();
    let given: Vec<OsString> = std::env::args_os().collect();
    let (_, mut notes) = old_names::new_words(&given);
    let words = old_names::words();
    let defined = command();
    let layers = match Layers::find(words).and_then(|layers| Ok((layers.check(&defined)?, layers))) {
        Ok((of_layers, layers)) => {
            notes.extend(of_layers);
            layers
        }
        Err(error) => return failed(&error),
    };
    library::set_folders(layers.folders());
    let colour = terminal::colour_of(words);
    let layered = layers.apply(defined.clone(), words).color(colour);
    let cli = layered.try_get_matches_from(words).and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match cli {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; clap knows where each goes. A closed pipe is nobody's fault.
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
    let _ = print_detail(&format!("took {:.2} s{memory}\n", begun.elapsed().as_secs_f64()));
    match result {
        Ok(exit) => exit.into(),
        Err(error) => failed(&error),
    }
}

/// The command line for completions: games of configured folders among them.
fn completing() -> clap::Command {
    library::set_folders(Layers::find(&[]).map_or_else(|_| Vec::new(), |layers| layers.folders()));
    command()
}

/// Says why a command can't be followed.
fn failed(error: &anyhow::Error) -> ExitCode {
    let _ = print_error(&format!("error: {error:#}\n"));
    // Whose end was asked for is not to blame for what it did not come to.
    if interrupt::asked() {
        return Exit::Interrupted.into();
    }
    if error.chain().any(is_wrong_line) { Exit::Usage.into() } else { Exit::Findings.into() }
}

/// Whether an error is in the text of a player or a function, whatever the game is.
fn is_wrong_line(error: &(dyn std::error::Error + 'static)) -> bool {
    let player = error.downcast_ref::<PlayerError>();
    error.is::<SpecError>() || error.is::<TuningError>() || matches!(player, Some(PlayerError::Spec(_)))
}

/// Rows as JSON Lines.
fn json_lines(rows: &[impl serde::Serialize]) -> serde_json::Result<String> {
    rows.iter().map(|row| Ok(serde_json::to_string(row)? + "\n")).collect()
}

/// Whether standard output is closed.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// Writes a result to standard output. A reader that has gone away (`| head`) ends it quietly.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => UNREAD.store(true, Ordering::Relaxed),
        done => done?,
    }
    Ok(())
}

/// Whether standard output is closed, so that work on further output can end.
fn output_is_closed() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// A command line that can't be followed, with the reason.
fn usage(reason: &str) -> anyhow::Result<Exit> {
    print_error(&format!("error: {reason}\n"))?;
    Ok(Exit::Usage)
}

/// Writes what is wrong to standard error.
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

/// Writes to standard error what is done, where that was asked for.
fn print_detail(text: &str) -> anyhow::Result<()> {
    if terminal::verbose() { print_error(text) } else { Ok(()) }
}
