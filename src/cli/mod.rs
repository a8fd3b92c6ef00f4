//! The command line: one file a subcommand. Each reads its input, calls the library and hands the result to
//! [`report`](crate::report).

mod analyze;
mod bench;
mod check;
mod check_player;
mod completions;
mod eval;
mod explain;
mod functions;
mod game;
mod ground;
mod host;
mod human;
mod interrupt;
mod judge;
mod learn;
mod memory;
mod play;
mod players;
mod playouts;
mod replay;
mod schema;
mod serve;
mod show;
mod simulate;
mod solve;
mod study;
mod sweep;
mod tournament;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::analysis::TuningError;
use crate::arena::{PlayerError, SpecError};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// 0: done, nothing wrong.
    Ok,
    /// 1: done with findings (errors in a game, differences), or an input that can't be used.
    Findings,
    /// 2: the command line is wrong.
    Usage,
    /// 3: the program crashed on one of many games, each of which had a process of its own.
    Crashed,
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
            Exit::Interrupted => interrupt::STATUS,
        })
    }
}

/// General game playing: analyses games from their rules alone, evaluates states, searches, plays and solves.
#[derive(Parser)]
#[command(
    name = "ggp",
    version,
    after_help = "Exit status: 0 done, nothing wrong; 1 findings or an input that can't be used; 2 wrong usage; 3 a \
                  crash in a sweep; 130 interrupted."
)]
struct Cli {
    /// Take names in rules that differ in case only for different names; the language takes them for one
    #[arg(long, global = true, help_heading = "Rules")]
    case_sensitive: bool,
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
    Host(host::Arguments),
    CheckPlayer(check_player::Arguments),
    Check(check::Arguments),
    Eval(eval::Arguments),
    Explain(explain::Arguments),
    Ground(ground::Arguments),
    Judge(judge::Arguments),
    Learn(learn::Arguments),
    Show(show::Arguments),
    Simulate(simulate::Arguments),
    Solve(solve::Arguments),
    Study(study::Arguments),
    Sweep(sweep::Arguments),
    Tournament(tournament::Arguments),
    Replay(replay::Arguments),
    Schema(schema::Arguments),
    Completions(completions::Arguments),
}

/// Runs the command line.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no errors; clap knows where each goes. A closed pipe is nobody's fault.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() };
        }
    };
    game::set_case_sensitive(cli.case_sensitive);
    let result = match cli.command {
        Command::Analyze(arguments) => analyze::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Players(arguments) => players::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Host(arguments) => host::run(&arguments),
        Command::CheckPlayer(arguments) => check_player::run(&arguments),
        Command::Check(arguments) => check::run(&arguments),
        Command::Eval(arguments) => eval::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Ground(arguments) => ground::run(&arguments),
        Command::Judge(arguments) => judge::run(&arguments),
        Command::Learn(arguments) => learn::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Study(arguments) => study::run(&arguments),
        Command::Sweep(arguments) => sweep::run(&arguments),
        Command::Tournament(arguments) => tournament::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => completions::run(&arguments),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            if error.chain().any(is_wrong_line) { Exit::Usage.into() } else { Exit::Findings.into() }
        }
    }
}

/// Whether an error says that a player's line, or a function's name with options, is wrong by itself, whatever the game.
fn is_wrong_line(error: &(dyn std::error::Error + 'static)) -> bool {
    let player = error.downcast_ref::<PlayerError>();
    error.is::<SpecError>() || error.is::<TuningError>() || matches!(player, Some(PlayerError::Spec(_)))
}

/// Writes a result to standard output. A reader that has gone away (`| head`) ends it quietly.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// A command line that can't be followed, with the reason.
fn usage(fault: &str) -> anyhow::Result<Exit> {
    note(&format!("error: {fault}\n"))?;
    Ok(Exit::Usage)
}

/// Writes a note to standard error, beside the results.
fn note(text: &str) -> anyhow::Result<()> {
    match std::io::stderr().lock().write_all(text.as_bytes()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
