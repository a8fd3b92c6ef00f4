//! `ggp check`: what is wrong with descriptions.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};

use super::{Exit, interrupt};
use crate::datalog::Interrupt;
use crate::gdl::diagnostic::{Diagnostic, Severity};
use crate::gdl::{Description, read};
use crate::ground::Limits;
use crate::machine::{Backend, load};
use crate::report::diagnostics::{self, CheckedFile};
use crate::report::layout::Layout;
use crate::simulate::{TimedInterrupt, TrialBudget, run_trial};

/// Check rules, and explain each error
///
/// Every fault has a code; `ggp explain CODE` says what it means. A description without errors is also played: 100 random
/// games, or as many as fit in 2 seconds. They show roles without a legal move, missing goal values, and games that do not
/// end. These are warnings.
#[derive(Args)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Game descriptions (KIF files)
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Check the rules alone, without random games
    #[arg(long)]
    no_play: bool,
    /// Show every variable that is used once, not only their number
    #[arg(long)]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

const EXAMPLES: &str = "\
Examples:
  ggp check tic_tac_toe
  ggp check games/*.kif --format json

Exit status: 0 no errors (there may be warnings), 1 there are errors, 2 wrong usage, 130 interrupted.";

/// Seconds that random games of a description may take.
const SECONDS: f64 = 2.0;

/// How much longer random games may take to stop; then what they showed is left out.
const GRACE: Duration = Duration::from_millis(500);

/// How often the caller's interrupt is looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// Bytes of the stack of the thread that plays.
const STACK: usize = 16 << 20;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// With the source line, for a person
    Table,
    /// One JSON document
    Json,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let check = |path: &PathBuf| match super::game::source(path) {
        Ok(source) => {
            let reading = read(&source);
            let mut faults = reading.diagnostics;
            let description = reading.description.filter(|_| !arguments.no_play);
            faults.extend(description.map_or_else(Vec::new, shown_by_play));
            CheckedFile::Read(source, faults)
        }
        Err(error) => CheckedFile::Unreadable(path.clone(), super::game::unreadable(path, &error)),
    };
    let checked: Vec<CheckedFile> =
        arguments.games.iter().take_while(|_| !interrupt::asked()).map(check).collect();
    let colour = Layout::detect().colour;
    let text = match arguments.format {
        Format::Table if arguments.all => diagnostics::text_of_all_places(&checked, colour),
        Format::Table => diagnostics::text(&checked, colour),
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

/// What random games show; nothing where the game can't be loaded in time.
fn shown_by_play(description: Description) -> Vec<Diagnostic> {
    let (sender, receiver) = channel();
    let timed_interrupt = TimedInterrupt::after(SECONDS, Some(interrupt::flag()));
    let flag = Interrupt::of(Some(timed_interrupt.flag()));
    let play = move || {
        let limits = Limits { interrupt: flag.clone(), ..Limits::default() };
        // Without a network, which can take longer to build than all games take.
        let Ok(loaded) = load(description, Backend::Relational, &limits) else { return };
        let budget = TrialBudget { interrupt: flag, ..TrialBudget::default() };
        let trial = loaded.machine.relational().map(|machine| run_trial(machine, &budget));
        // The receiver may have left.
        let _ = sender.send(trial.map_or_else(Vec::new, |trial| trial.faults));
    };
    // A thread of its own: a single state can take longer than there is time, and a deep term needs stack.
    if thread::Builder::new().stack_size(STACK).spawn(play).is_err() {
        return Vec::new();
    }
    let latest = Instant::now() + Duration::from_secs_f64(SECONDS) + GRACE;
    loop {
        match receiver.recv_timeout(GLANCE) {
            Ok(faults) => return faults,
            Err(RecvTimeoutError::Timeout) if Instant::now() < latest && !interrupt::asked() => {}
            Err(_) => return Vec::new(),
        }
    }
}
