//! `ggp check-player`: a protocol conformance test of a remote player.

use std::time::Duration;

use clap::Args;

use super::playouts::seconds;
use super::{Exit, interrupt, print};
use crate::protocol::{Finding, Remote, check_conformance};
use crate::report::layout::Layout;

/// Test whether a remote player conforms to the GGP protocol
///
/// Sends each message, good and bad, plays a match of tic-tac-toe, and prints what the player does. Some things all
/// managers need; others only some: these are reported, but don't count.
///
/// Exit status: 0 the player does what managers need, 1 it can't be reached, 2 wrong usage, 6 it does not do what
/// they need, 130 interrupted.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub(super) struct Arguments {
    /// The player's address: http://HOST:PORT
    #[arg(value_name = "URL")]
    url: String,
    /// Seconds before the first move
    #[arg(long, value_name = "S", default_value_t = 5.0, value_parser = seconds)]
    start_clock: f64,
    /// Seconds for each move
    #[arg(long, value_name = "S", default_value_t = 2.0, value_parser = seconds)]
    play_clock: f64,
}

const EXAMPLES: &str = "\
Examples:
  ggp check-player http://localhost:9147 --start-clock 1 --play-clock 1
  ggp check-player 192.168.1.7:9147 --play-clock 10";

/// Characters of an answer that are shown.
const SHOWN: usize = 40;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let remote = Remote::new(&arguments.url)?;
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(crate::protocol::LONGEST_CLOCK);
    let (start, play) = (time(arguments.start_clock), time(arguments.play_clock));
    let found = check_conformance(&remote, start, play, interrupt::flag(), &mut |_| {})?;
    let rows = found.iter().map(row).collect();
    let mut out = Layout::detect().table(&["tried", "answer", "ms", "", ""], rows);
    let failed = found.iter().filter(|finding| finding.needed && finding.wrong.is_some()).count();
    let needed = found.iter().filter(|finding| finding.needed).count();
    out.push_str(&match failed {
        _ if interrupt::asked() => format!("interrupted: {} was not tried with the rest\n", remote.url),
        0 => format!("{} does what managers need\n", remote.url),
        _ => format!("{} fails in {failed} of {needed} things that managers need\n", remote.url),
    });
    print(&out)?;
    Ok(match failed {
        _ if interrupt::asked() => Exit::Interrupted,
        0 => Exit::Ok,
        // Nobody is there who could misbehave.
        _ if found.iter().all(|finding| finding.took.is_none()) => Exit::Findings,
        _ => Exit::Misbehaved,
    })
}

fn row(finding: &Finding) -> Vec<String> {
    let mut answer: String = finding.answer.chars().take(SHOWN).collect();
    if answer.len() < finding.answer.len() {
        answer.push('…');
    }
    let verdict = match (&finding.wrong, finding.needed) {
        (None, _) => "ok",
        (Some(_), true) => "fails",
        (Some(_), false) => "differs",
    };
    vec![
        finding.what.to_owned(),
        answer,
        finding.took.map_or_else(String::new, |took| took.to_string()),
        verdict.to_owned(),
        finding.wrong.clone().unwrap_or_default(),
    ]
}
