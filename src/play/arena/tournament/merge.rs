//! Parts of a tournament, played anywhere, put together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::log::LogError;
use super::cell::Cells;
use super::error::TournamentError;
use super::played::{LogLine, Played};
use super::run::Tournament;
use super::schedule::Schedule;

/// What was put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// Matches added to the log.
    pub added: u64,
    /// Matches of the parts that were there before: each counts once.
    pub known: u64,
    /// Matches of later rounds than the one that decided their pairing.
    pub decided: u64,
    /// Matches that no log has.
    pub missing: u64,
}

impl Tournament {
    /// Adds the matches that other logs of the same tournament have, in the order of the schedule: from the logs of all
    /// parts comes what a run on one thread writes, but for times.
    ///
    /// # Errors
    /// A log can't be read, is of another tournament, or is being written.
    pub fn merge(&mut self, logs: &[PathBuf]) -> Result<Merged, TournamentError> {
        let mut found: BTreeMap<u64, Played> = BTreeMap::new();
        let mut merged = Merged::default();
        for path in logs {
            for (number, played) in self.part(path)? {
                if self.played.contains_key(&number) || found.insert(number, played).is_some() {
                    merged.known += 1;
                }
            }
        }
        let plan = self.plan.clone();
        let schedule = Schedule::new(&plan);
        let mut cells = Cells::new(&plan, &schedule);
        for number in 0..schedule.len() {
            let fixture = schedule.fixture(number);
            if !self.played.contains_key(&number) {
                let played = found.remove(&number);
                if !cells.counts(&fixture.place) {
                    merged.decided += u64::from(played.is_some());
                    continue;
                }
                let Some(played) = played else {
                    merged.missing += 1;
                    continue;
                };
                self.log.add(LogLine::Match(Box::new(played.clone())))?;
                self.played.insert(number, played);
                merged.added += 1;
            }
            cells.add(&plan, &fixture, &self.played[&number]);
        }
        Ok(merged)
    }

    /// Whether a log is one of this tournament.
    ///
    /// # Errors
    /// It can't be read, is none, or is being written.
    pub fn has(&self, log: &Path) -> Result<bool, TournamentError> {
        match self.part(log) {
            Ok(_) => Ok(true),
            Err(TournamentError::Log(LogError::Changed { .. })) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What a log of this tournament has.
    fn part(&self, path: &Path) -> Result<BTreeMap<u64, Played>, TournamentError> {
        if !path.is_file() {
            let error = std::io::ErrorKind::NotFound.into();
            return Err(LogError::Unread { path: path.display().to_string(), error }.into());
        }
        Ok(Tournament::open(self.plan.clone(), path, false)?.played)
    }
}
