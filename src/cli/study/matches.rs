//! A study of who is stronger.

use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::super::tournament::{LOG, planned, play_on, seats, write_files};
use super::super::{Exit, game, interrupt, note, print, usage};
use super::{Arguments, circumstances};
use crate::analysis::LoadedGame;
use crate::arena::OwnPlayers;
use crate::arena::tournament::{Ending, Hall, Tournament};
use crate::datalog::Interrupt;
use crate::ground::Limits;
use crate::machine::{Backend, load};
use crate::report::files::write_whole;
use crate::report::layout::{counted, grouped};
use crate::report::strength::page;
use crate::study::{MatchResults, MatchStudy, Study, folder};

/// Plays the tournaments of a study, one after the other.
pub(super) fn run(study: &Study, matches: &MatchStudy, arguments: &Arguments) -> anyhow::Result<Exit> {
    let threads = match seats(arguments.threads, matches.entrants.threads, arguments.force) {
        Ok(threads) => threads,
        Err(fault) => return usage(&fault),
    };
    let begun = Instant::now();
    let hours = matches.most_hours.and_then(|hours| Duration::try_from_secs_f64(hours * 3600.0).ok());
    let mut games = Vec::new();
    let limits = Limits { interrupt: Interrupt::of(Some(interrupt::flag())), ..Limits::default() };
    for path in &study.games {
        let named = || path.display().to_string();
        let (source, description) = game::description(path)?;
        let loaded = interrupt::guarded(|| load(description, Backend::Auto, &limits)).with_context(named)?;
        games.push(LoadedGame::new(named(), &source, loaded));
    }
    let hall = Hall {
        games: &games,
        source: &OwnPlayers,
        threads,
        interrupt: Some(interrupt::flag()),
        until: hours.and_then(|hours| begun.checked_add(hours)),
        records: false,
    };
    let mut results = Vec::new();
    for &thinking in &matches.thinking {
        let out = study.out.join(folder(&thinking));
        let plan = matches.plan(thinking, games.iter().map(planned).collect());
        let mut tournament = Tournament::open(plan, &out.join(LOG), arguments.fresh)?;
        if !interrupt::asked() {
            note(&format!("{thinking}\n"))?;
            if play_on(&mut tournament, &hall, &out)? == Ending::Time {
                note("the hours of the study are over; the same command resumes\n")?;
            }
        }
        let summary = tournament.summary();
        write_files(&tournament, &summary, &out)
            .with_context(|| format!("{} can't be written", out.display()))?;
        results.push(MatchResults::new(thinking, summary, tournament.played()));
    }
    let about = circumstances(&arguments.file);
    let shown = study.out.join("README.md");
    write_whole(&shown, &page(study, matches, &results, &about))
        .with_context(|| format!("{} can't be written", shown.display()))?;
    let sum = |of: &dyn Fn(&MatchResults) -> u64| results.iter().map(of).sum::<u64>();
    let played = counted(sum(&|found| found.summary.matches), "match", "matches");
    let left = grouped(sum(&|found| found.summary.left));
    print(&format!("{played} played, {left} left at most; {}\n", shown.display()))?;
    if interrupt::asked() {
        note("interrupted; the same command resumes\n")?;
        return Ok(Exit::Interrupted);
    }
    Ok(Exit::Ok)
}
