//! `ggp check --player`: a conformance test of a remote player.

use std::time::Duration;

use anyhow::Context as _;

use super::{Exit, interrupt, print};
use crate::protocol::{Finding, Remote, check_conformance};
use crate::report::layout::Layout;

/// Limit of characters that are printed of an answer.
const MAX_ANSWER: usize = 40;

/// Tests the player at `url`, with clocks in seconds.
pub(super) fn run(url: &str, start_clock: f64, play_clock: f64) -> anyhow::Result<Exit> {
    interrupt::watch()?;
    let remote = Remote::new(url).with_context(|| format!("--player {url}"))?;
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(crate::protocol::LONGEST_CLOCK);
    let (start, play) = (time(start_clock), time(play_clock));
    let findings = check_conformance(&remote, start, play, interrupt::flag(), &mut |_| {})?;
    let rows = findings.iter().map(row).collect();
    let mut out = Layout::detect().table(&["tried", "answer", "ms", "", ""], rows);
    let failed = findings.iter().filter(|finding| finding.needed && finding.wrong.is_some()).count();
    let needed = findings.iter().filter(|finding| finding.needed).count();
    out.push_str(&match failed {
        _ if interrupt::asked() => format!("interrupted: {} was not tried with the rest\n", remote.url),
        0 => format!("{} passes all {needed} tests that managers need\n", remote.url),
        _ => format!("{} fails {failed} of {needed} tests that managers need\n", remote.url),
    });
    print(&out)?;
    Ok(match failed {
        _ if interrupt::asked() => Exit::Interrupted,
        0 => Exit::Ok,
        // An unreachable player can't misbehave.
        _ if findings.iter().all(|finding| finding.took.is_none()) => Exit::Findings,
        _ => Exit::Misbehaved,
    })
}

fn row(finding: &Finding) -> Vec<String> {
    let mut answer: String = finding.answer.chars().take(MAX_ANSWER).collect();
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
