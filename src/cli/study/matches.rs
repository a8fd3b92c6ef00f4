//! A study that compares the strength of players in tournaments.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use super::super::circumstances::circumstances;
#[cfg(feature = "cluster")]
use super::super::cluster::ClusterRun;
#[cfg(feature = "cluster")]
use super::super::tournament::play_elsewhere;
use super::super::tournament::{LOG, planned, play_on, put_together, seats, shown, write_files};
use super::super::{Exit, game, interrupt, print_note, usage};
use super::{Arguments, StudyResult, command};
use crate::analysis::LoadedGame;
use crate::arena::OwnPlayers;
use crate::arena::tournament::{Ending, RunConditions, Tournament};
use crate::datalog::Interrupt;
use crate::ground::Limits;
use crate::machine::{Backend, load};
use crate::report::files::write_whole;
use crate::report::html::tournament_page;
use crate::report::layout::{counted, grouped};
use crate::report::strength::{page, time};
use crate::study::{MatchResults, MatchStudy, Study, folder};

/// Loads the games of a study.
pub(super) fn games(study: &Study) -> anyhow::Result<Vec<LoadedGame>> {
    let limits = Limits { interrupt: Interrupt::of(Some(interrupt::flag())), ..Limits::default() };
    let game = |path: &PathBuf| {
        let named = || path.display().to_string();
        let (source, description) = game::description(path)?;
        let loaded = interrupt::guarded(|| load(description, Backend::Auto, &limits)).with_context(named)?;
        Ok(LoadedGame::new(named(), &source, loaded))
    };
    study.games.iter().map(game).collect()
}

/// Plays the tournaments of a study, one after the other.
pub(super) fn run(study: &Study, matches: &MatchStudy, arguments: &Arguments) -> anyhow::Result<StudyResult> {
    let threads = match seats(arguments.threads, matches.entrants.threads, arguments.force) {
        Ok(threads) => threads,
        Err(fault) => return Ok(StudyResult { message: String::new(), exit: usage(&fault)? }),
    };
    let begun = Instant::now();
    let time_limit = matches.most_hours.and_then(|hours| Duration::try_from_secs_f64(hours * 3600.0).ok());
    let games = games(study)?;
    let conditions = RunConditions {
        games: &games,
        source: &OwnPlayers,
        threads,
        interrupt: Some(interrupt::flag()),
        until: time_limit.and_then(|limit| begun.checked_add(limit)),
        records: false,
        part: arguments.part,
    };
    let log = arguments.part.map_or_else(|| LOG.into(), |part| part.log());
    let mut logs_to_merge = arguments.merge.clone();
    #[cfg_attr(not(feature = "cluster"), allow(unused_mut, reason = "only runs on a cluster can fail"))]
    let mut given_up = 0;
    let (mut results, mut tournaments) = (Vec::new(), Vec::new());
    for &thinking in &matches.thinking {
        let out = study.out.join(folder(&thinking));
        let plan = matches.plan(thinking, games.iter().map(planned).collect());
        let mut tournament = Tournament::open(plan, &out.join(&log), arguments.fresh)?;
        if !arguments.merge.is_empty() {
            merge(&mut tournament, &mut logs_to_merge)?;
        } else if !interrupt::asked() {
            print_note(&format!("{thinking}\n"))?;
            let ending = match arguments.cluster.is_asked() {
                #[cfg(feature = "cluster")]
                true => {
                    let run = ClusterRun {
                        arguments: &arguments.cluster,
                        machine: None,
                        records: false,
                        fresh: arguments.fresh,
                    };
                    let gathered = play_elsewhere(&mut tournament, &games, &run, &out)?;
                    given_up += gathered.given_up;
                    gathered.ending
                }
                _ => play_on(&mut tournament, &conditions, &out)?,
            };
            if ending == Ending::Time {
                print_note(
                    "the time limit of the study (most_hours) was reached; the same command resumes\n",
                )?;
            }
        }
        let summary = tournament.summary();
        if arguments.part.is_some() {
            results.push(MatchResults::new(thinking, summary, tournament.played()));
            continue;
        }
        write_files(&tournament, &summary, &out)
            .with_context(|| format!("{} can't be written", out.display()))?;
        results.push(MatchResults::new(thinking, summary, tournament.played()));
        tournaments.push((tournament, out));
    }
    if let Some(log) = logs_to_merge.first() {
        bail!("{} is not the log of a tournament of this study: leave it out of --merge", log.display());
    }
    let sum = |of: &dyn Fn(&MatchResults) -> u64| results.iter().map(of).sum::<u64>();
    if let Some(part) = arguments.part {
        let played = counted(sum(&|found| found.summary.matches), "match", "matches");
        return finish(format!("part {part}: {played}\n"));
    }
    let readme = publish(study, matches, arguments, &results, &tournaments)?;
    let played = counted(sum(&|found| found.summary.matches), "match", "matches");
    let left = grouped(sum(&|found| found.summary.left));
    let result = finish(format!("{played} played, {left} left at most; {}\n", readme.display()))?;
    let exit = if given_up > 0 && result.exit == Exit::Ok { Exit::Findings } else { result.exit };
    Ok(StudyResult { exit, ..result })
}

/// Writes README.md and report.html, which cover all tournaments. Returns the path of README.md.
fn publish(
    study: &Study,
    matches: &MatchStudy,
    arguments: &Arguments,
    results: &[MatchResults],
    tournaments: &[(Tournament, PathBuf)],
) -> anyhow::Result<PathBuf> {
    let times: Vec<String> = results.iter().map(time).collect();
    let about = circumstances(command(&arguments.file), times.join("; "));
    let readme = study.out.join("README.md");
    let sections: Vec<_> = (tournaments.iter().zip(results))
        .map(|((tournament, out), found)| {
            let folder = format!("{}/", folder(&found.thinking));
            shown(tournament, &found.summary, out, folder)
        })
        .collect();
    let whole = tournament_page(Some(&study.name), &sections, &about)?;
    write_whole(&readme, &page(study, matches, results, &about))
        .and_then(|()| write_whole(&study.out.join("report.html"), &whole))
        .with_context(|| format!("{} can't be written", study.out.display()))?;
    Ok(readme)
}

/// Makes the result of a run, and prints a note if it was interrupted.
fn finish(message: String) -> anyhow::Result<StudyResult> {
    if interrupt::asked() {
        print_note("interrupted; the same command resumes\n")?;
        return Ok(StudyResult { message, exit: Exit::Interrupted });
    }
    Ok(StudyResult { message, exit: Exit::Ok })
}

/// Merges those logs that belong to this tournament, and removes them from the list.
fn merge(tournament: &mut Tournament, logs: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let mut own = Vec::new();
    let mut others = Vec::new();
    for log in logs.drain(..) {
        if tournament.has(&log)? { own.push(log) } else { others.push(log) }
    }
    *logs = others;
    print_note(&put_together(tournament.merge(&own)?))
}
