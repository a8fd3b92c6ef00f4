//! `ggp check`: finds errors in the rules of games.

use std::cmp::Reverse;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::game::GroundArguments;
use super::ground::Format;
use super::playouts::seconds;
use super::{Exit, check_certificate, check_player, explain, ground, interrupt, usage};
use crate::datalog::Interrupt;
use crate::gdl::diagnostic::{Diagnostic, Severity};
use crate::gdl::{Description, dependency_graph, read};
use crate::ground::Limits;
use crate::machine::{Backend, load};
use crate::report::diagnostics::{self, CheckedFile};
use crate::report::layout::Layout;
use crate::simulate::{TimedInterrupt, TrialBudget, run_trial};

/// Check rules, and explain each error
///
/// Every message has a code, which --explain explains. Rules without errors are also played: 100 random games, or fewer if 2
/// seconds pass. A role without a move in the initial state is an error; later missing moves, missing goal values and
/// endless games are warnings.
///
/// With --ground or --dot, the rules are only instantiated as a network. For one game, --ground prints the time of each stage and the size of the
/// network. For several games, or with --format, it prints a row for each game with time, memory and size.
///
/// --certificate checks a file with strategies that prove the values of one game.
///
/// --player tests a remote player instead: it sends every message of the GGP protocol, plays a match of tic-tac-toe, and
/// prints each answer. Exit status 6 means that the player fails in something that all game managers need.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The games: files of rules in GDL (prefix KIF), or names that `ggp games` lists
    #[arg(required_unless_present_any = ["explain", "player"], value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Explain an error code such as GDL007: cause, example and remedy; without CODE, list all codes
    #[arg(
        long,
        value_name = "CODE",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with_all = ["games", "player", "ground", "dot"]
    )]
    explain: Option<String>,
    /// Check the rules only, without random games
    #[arg(long)]
    no_play: bool,
    /// Show each variable that is used once, not just a count
    #[arg(long)]
    all: bool,
    /// Output format [default: table]; csv with --ground only
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Instantiate the rules as a propositional network, and print its size
    #[arg(long, conflicts_with_all = ["no_play", "all"], help_heading = "Network")]
    ground: bool,
    /// Print the propositional network of one game as a graph in the DOT language
    #[arg(long, conflicts_with_all = ["no_play", "all", "format"], help_heading = "Network")]
    dot: bool,
    /// Print the dependency graph of the relations of one game in the DOT language, with negative uses and strata
    #[arg(long, conflicts_with_all = ["no_play", "all", "format", "ground", "dot", "explain", "player"])]
    dependencies: bool,
    /// Check the certificate that `ggp solve --certificate` wrote for one game
    ///
    /// The strategies are followed through all states that they can reach. The result shows the bounds that they prove
    /// for the value of each role.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["no_play", "all", "ground", "dot", "dependencies", "explain", "player"]
    )]
    certificate: Option<PathBuf>,
    #[command(flatten)]
    budget: GroundArguments,
    /// Test whether the remote player at this address (http://HOST:PORT) conforms to the GGP protocol
    #[arg(long, value_name = "URL", conflicts_with_all = ["games", "ground", "dot"], help_heading = "Remote player")]
    player: Option<String>,
    /// Time before the first move, in seconds
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds, help_heading = "Remote player")]
    start_clock: f64,
    /// Time for each move, in seconds
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = seconds, help_heading = "Remote player")]
    play_clock: f64,
}

const EXAMPLES: &str = "\
Examples:
  ggp check tic_tac_toe
  ggp check games/*.kif --format json
  ggp check --explain GDL007
  ggp check tic_tac_toe --ground
  ggp check tic_tac_toe --dot > network.dot
  ggp check tic_tac_toe --dependencies > dependencies.dot
  ggp check tic_tac_toe --certificate tic_tac_toe.jsonl
  ggp check --player http://localhost:9147 --start-clock 1 --play-clock 1

Exit status: 0 no errors (there may be warnings), 1 there are errors, the certificate is wrong or the player can't be
reached, 2 wrong usage, 5 the certificate is too large to be checked, 6 the player misbehaves, 130 interrupted.";

/// Time limit of the random games of one game, in seconds.
const SECONDS: f64 = 2.0;

/// Time in which random games must stop after [`SECONDS`]. Otherwise their results are omitted.
const GRACE_PERIOD: Duration = Duration::from_millis(500);

/// Interval at which interrupts are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Stack size of the thread that plays, in bytes.
const STACK_SIZE: usize = 16 << 20;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(url) = &arguments.player {
        return check_player::run(url, arguments.start_clock, arguments.play_clock);
    }
    if let Some(code) = &arguments.explain {
        return explain::run(Some(code.as_str()).filter(|code| !code.is_empty()));
    }
    if arguments.dependencies {
        let [game] = &arguments.games[..] else {
            return usage("--dependencies draws one game: name one game only");
        };
        let (_, description) = super::game::description(game)?;
        super::print(&dependency_graph(&description))?;
        return Ok(Exit::Ok);
    }
    if let Some(certificate) = &arguments.certificate {
        let [game] = &arguments.games[..] else {
            return usage("--certificate belongs to one game: name one game only");
        };
        let format = arguments.format.unwrap_or(Format::Table);
        return check_certificate::run(game, certificate, format, &arguments.budget);
    }
    if arguments.ground || arguments.dot {
        return ground::run(&arguments.games, arguments.dot, arguments.format, &arguments.budget);
    }
    let format = arguments.format.unwrap_or(Format::Table);
    if format == Format::Csv {
        return usage("--format csv: messages about rules are printed as table or json; csv is for --ground");
    }
    interrupt::watch()?;
    let check = |path: &PathBuf| match super::game::source(path) {
        Ok(source) => {
            let reading = read(&source);
            let mut faults = reading.diagnostics;
            let description = reading.description.filter(|_| !arguments.no_play);
            faults.extend(description.map_or_else(Vec::new, faults_in_play));
            faults.sort_by_key(|fault| (Reverse(fault.severity), fault.folded));
            CheckedFile::Read(source, faults)
        }
        Err(error) => CheckedFile::Unreadable(path.clone(), super::game::unreadable(path, &error)),
    };
    let checked: Vec<CheckedFile> =
        arguments.games.iter().take_while(|_| !interrupt::asked()).map(check).collect();
    let colour = Layout::detect().colour;
    let text = match format {
        Format::Table if arguments.all => diagnostics::text_of_all_places(&checked, colour),
        Format::Table | Format::Csv => diagnostics::text(&checked, colour),
        Format::Json => diagnostics::json(&checked)?,
    };
    super::print(&text)?;
    let clean = checked.iter().all(|game| game.count(Severity::Error) == 0);
    Ok(match clean {
        _ if interrupt::asked() => Exit::Interrupted,
        true => Exit::Ok,
        false => Exit::Findings,
    })
}

/// The faults found by random games; empty if the game can't be loaded in time.
fn faults_in_play(description: Description) -> Vec<Diagnostic> {
    let (sender, receiver) = channel();
    let timed_interrupt = TimedInterrupt::after(SECONDS, Some(interrupt::flag()));
    let flag = Interrupt::of(Some(timed_interrupt.flag()));
    let play = move || {
        let limits = Limits { interrupt: flag.clone(), ..Limits::default() };
        // Without a network, because building it can take longer than all the games.
        let Ok(loaded) = load(description, Backend::Relational, &limits) else { return };
        let budget = TrialBudget { interrupt: flag, ..TrialBudget::default() };
        let trial = loaded.machine.relational().map(|machine| run_trial(machine, &budget));
        // Sending fails if the receiver has timed out.
        let _ = sender.send(trial.map_or_else(Vec::new, |trial| trial.faults));
    };
    // A separate thread, because a single state can exceed the time limit and deep terms need a large stack.
    if thread::Builder::new().stack_size(STACK_SIZE).spawn(play).is_err() {
        return Vec::new();
    }
    let latest = Instant::now() + Duration::from_secs_f64(SECONDS) + GRACE_PERIOD;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(faults) => return faults,
            Err(RecvTimeoutError::Timeout) if Instant::now() < latest && !interrupt::asked() => {}
            Err(_) => return Vec::new(),
        }
    }
}
