//! A tournament whose matches are played elsewhere, in any order. They are logged in the order of the schedule, so that
//! the log equals that of a run on one thread, except for times.

use std::collections::{BTreeMap, BTreeSet};

use super::cell::Cells;
use super::error::TournamentError;
use super::plan::Plan;
use super::played::{LogLine, PlayedMatch};
use super::run::Tournament;
use super::schedule::Schedule;

/// A distributed tournament.
pub struct DistributedTournament<'t, 'p> {
    tournament: &'t mut Tournament,
    plan: &'p Plan,
    schedule: Schedule<'p>,
    cells: Cells,
    /// All matches below this number were dealt, or need not be played.
    dealt: u64,
    /// All matches below this number are in the log, or will never be.
    logged: u64,
    /// Results of matches that wait for the result of an earlier match.
    pending: BTreeMap<u64, PlayedMatch>,
    /// Matches that were given up.
    given_up: BTreeSet<u64>,
}

impl<'t, 'p> DistributedTournament<'t, 'p> {
    /// The remaining matches of a tournament; the plan is its own.
    pub fn new(tournament: &'t mut Tournament, plan: &'p Plan) -> DistributedTournament<'t, 'p> {
        let schedule = Schedule::new(plan);
        let mut cells = Cells::new(plan, &schedule);
        for played in tournament.played.values() {
            cells.add(plan, &schedule.fixture(played.number), played);
        }
        let (pending, given_up) = (BTreeMap::new(), BTreeSet::new());
        DistributedTournament { tournament, plan, schedule, cells, dealt: 0, logged: 0, pending, given_up }
    }

    /// Whether a match still needs to be played.
    pub fn needs(&self, number: u64) -> bool {
        number < self.schedule.len()
            && !self.tournament.played.contains_key(&number)
            && !self.pending.contains_key(&number)
            && !self.given_up.contains(&number)
            && self.cells.counts(&self.schedule.place(number))
    }

    /// The next match to be played; each is returned once.
    pub fn deal(&mut self) -> Option<u64> {
        while self.dealt < self.schedule.len() {
            self.dealt += 1;
            if self.needs(self.dealt - 1) {
                return Some(self.dealt - 1);
            }
        }
        None
    }

    /// The number of matches in the log.
    pub fn played(&self) -> u64 {
        self.tournament.played.len() as u64
    }

    /// Greatest number of remaining matches.
    pub fn left(&self) -> u64 {
        (0..self.schedule.len()).filter(|&number| self.needs(number)).count() as u64
    }

    /// Adds the result of a match; returns whether it belongs to the plan. A second result of a match is ignored.
    pub fn take(&mut self, played: PlayedMatch) -> bool {
        let number = played.number;
        if number >= self.schedule.len() || !played.is_result_of(self.plan, &self.schedule.fixture(number)) {
            return false;
        }
        if !self.tournament.played.contains_key(&number) {
            self.pending.insert(number, played);
        }
        true
    }

    /// Gives up a match: the log continues without it.
    pub fn give_up(&mut self, number: u64) {
        self.given_up.insert(number);
    }

    /// Logs the results of all matches for which no earlier match is missing. Returns the numbers of these matches.
    ///
    /// # Errors
    /// The log can't be written.
    pub fn keep(&mut self) -> Result<Vec<u64>, TournamentError> {
        let (mut lines, mut numbers) = (Vec::new(), Vec::new());
        while self.logged < self.schedule.len() {
            let number = self.logged;
            let is_settled = self.tournament.played.contains_key(&number) || self.given_up.contains(&number);
            if !is_settled && self.cells.counts(&self.schedule.place(number)) {
                let Some(played) = self.pending.remove(&number) else { break };
                // The sequential test sees matches in their order, so that it ends where it would on one thread.
                self.cells.add(self.plan, &self.schedule.fixture(number), &played);
                lines.push(LogLine::Match(Box::new(played.clone())));
                self.tournament.played.insert(number, played);
                numbers.push(number);
            }
            self.pending.remove(&number);
            self.logged += 1;
        }
        self.tournament.log.add_all(lines)?;
        Ok(numbers)
    }

    /// Results that wait for an earlier match.
    pub fn waiting(&self) -> usize {
        self.pending.len()
    }
}
