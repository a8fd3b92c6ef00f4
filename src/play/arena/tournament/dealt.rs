//! A tournament whose matches are played elsewhere, in any order, and kept in the order of the schedule: as a run on one
//! thread writes them, but for times.

use std::collections::{BTreeMap, BTreeSet};

use super::cell::Cells;
use super::error::TournamentError;
use super::plan::Plan;
use super::played::{LogLine, Played};
use super::run::Tournament;
use super::schedule::Schedule;

/// A tournament that is dealt out.
pub struct Dealt<'t, 'p> {
    tournament: &'t mut Tournament,
    plan: &'p Plan,
    schedule: Schedule<'p>,
    cells: Cells,
    /// All matches below this were dealt out, or need not be.
    dealt: u64,
    /// All matches below this are in the log, or will never be.
    kept: u64,
    /// What was played after those.
    found: BTreeMap<u64, Played>,
    /// Matches that were given up.
    given_up: BTreeSet<u64>,
}

impl<'t, 'p> Dealt<'t, 'p> {
    /// What is left of a tournament; the plan is its own.
    pub fn new(tournament: &'t mut Tournament, plan: &'p Plan) -> Dealt<'t, 'p> {
        let schedule = Schedule::new(plan);
        let mut cells = Cells::new(plan, &schedule);
        for played in tournament.played.values() {
            cells.add(plan, &schedule.fixture(played.number), played);
        }
        let (found, given_up) = (BTreeMap::new(), BTreeSet::new());
        Dealt { tournament, plan, schedule, cells, dealt: 0, kept: 0, found, given_up }
    }

    /// Whether a match is still to be played.
    pub fn wants(&self, number: u64) -> bool {
        number < self.schedule.len()
            && !self.tournament.played.contains_key(&number)
            && !self.found.contains_key(&number)
            && !self.given_up.contains(&number)
            && self.cells.counts(&self.schedule.place(number))
    }

    /// The next match to be played; each is told once.
    pub fn deal(&mut self) -> Option<u64> {
        while self.dealt < self.schedule.len() {
            self.dealt += 1;
            if self.wants(self.dealt - 1) {
                return Some(self.dealt - 1);
            }
        }
        None
    }

    /// Matches that are left at most.
    pub fn left(&self) -> u64 {
        (0..self.schedule.len()).filter(|&number| self.wants(number)).count() as u64
    }

    /// Takes a match that was played; says whether it is one of the plan's. What is there already does not count again.
    pub fn take(&mut self, played: Played) -> bool {
        let number = played.number;
        if number >= self.schedule.len() || !played.is(self.plan, &self.schedule.fixture(number)) {
            return false;
        }
        if !self.tournament.played.contains_key(&number) {
            self.found.insert(number, played);
        }
        true
    }

    /// A match was given up: the log goes on without it.
    pub fn give_up(&mut self, number: u64) {
        self.given_up.insert(number);
    }

    /// Puts into the log what can't be preceded by anything any more. Gives the matches that were put there.
    ///
    /// # Errors
    /// The log can't be written.
    pub fn keep(&mut self) -> Result<Vec<u64>, TournamentError> {
        let (mut lines, mut numbers) = (Vec::new(), Vec::new());
        while self.kept < self.schedule.len() {
            let number = self.kept;
            let there = self.tournament.played.contains_key(&number) || self.given_up.contains(&number);
            if !there && self.cells.counts(&self.schedule.place(number)) {
                let Some(played) = self.found.remove(&number) else { break };
                // A test hears of matches in their order, so that it ends where it would on one thread.
                self.cells.add(self.plan, &self.schedule.fixture(number), &played);
                lines.push(LogLine::Match(Box::new(played.clone())));
                self.tournament.played.insert(number, played);
                numbers.push(number);
            }
            self.found.remove(&number);
            self.kept += 1;
        }
        self.tournament.log.add_all(lines)?;
        Ok(numbers)
    }

    /// Matches that were played and wait for one before them.
    pub fn waiting(&self) -> usize {
        self.found.len()
    }
}
