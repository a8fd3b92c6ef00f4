//! A running tournament: matches on several threads, each logged when it is over.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::analysis::LoadedGame;

use super::super::log::{Log, LogError};
use super::super::part::Part;
use super::super::player_factory::PlayerFactory;
use super::super::prepared_game::PreparedGame;
use super::super::record::MatchRecord;
use super::cell::Cells;
use super::error::TournamentError;
use super::match_environment::{MatchEnvironment, ready_for, try_players};
use super::plan::{Header, Plan};
use super::played::{LogLine, PlayedMatch};
use super::schedule::{Fixture, Schedule};
use super::summary::{Course, Summary, counted};

/// A tournament with its results so far.
pub struct Tournament {
    pub(super) plan: Plan,
    pub(super) log: Log<LogLine>,
    pub(super) played: BTreeMap<u64, PlayedMatch>,
}

/// The environment of a run.
#[derive(Clone, Copy)]
pub struct RunConditions<'a> {
    /// The games of the plan, in its order.
    pub games: &'a [LoadedGame],
    /// Makes the players.
    pub source: &'a dyn PlayerFactory,
    /// Number of concurrent matches.
    pub threads: usize,
    /// Once true, running matches are aborted and not logged.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
    /// No match begins after this time.
    pub until: Option<Instant>,
    /// Whether records are made of matches.
    pub records: bool,
    /// Play only the matches of a part. The results of other parts are unknown, so no sequential test ends a pairing.
    pub part: Option<Part>,
}

/// Observes a tournament, from any of its threads.
pub trait Watcher: Sync {
    /// A game is being prepared; `ready` of `games` are complete.
    fn preparing(&self, _game: &str, _ready: usize, _games: usize) {}

    /// Matches begin, with the number of matches played before and the greatest number of remaining ones.
    fn begun(&self, _played: u64, _left: u64) {}

    /// A match is over; it will be logged next.
    ///
    /// # Errors
    /// The record can't be written.
    fn record(&self, _fixture: &Fixture, _record: &MatchRecord) -> std::io::Result<()> {
        Ok(())
    }

    /// A match was logged, with the greatest number of remaining ones.
    fn played(&self, _played: &PlayedMatch, _left: u64) {}
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All matches were played.
    Done,
    /// It was interrupted.
    Interrupted,
    /// The time was over.
    Time,
}

/// The result of a merge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeResult {
    /// Matches added to the log.
    pub added: u64,
    /// Matches of the parts that the log already had, counted once each.
    pub known: u64,
    /// Matches of rounds after the one that decided their pairing.
    pub decided: u64,
    /// Matches that no log contains.
    pub missing: u64,
}

impl Tournament {
    /// Opens the tournament with the log at `path`, or begins a new one; `fresh` drops its results. A plan with more
    /// rounds than the log's resumes it.
    ///
    /// # Errors
    /// The plan can't be played, or the log belongs to another plan.
    pub fn open(plan: Plan, path: &Path, fresh: bool) -> Result<Tournament, TournamentError> {
        plan.check()?;
        let (log, header) = Log::open(path, Header::new(plan.clone()), fresh)?;
        let mut rounds = header.plan.rounds;
        let mut tournament = Tournament { plan, log, played: BTreeMap::new() };
        let most = Plan { rounds: u32::MAX, ..tournament.plan.clone() };
        let schedule = Schedule::new(&most);
        for (number, line) in tournament.log.entries.iter().enumerate() {
            match line {
                LogLine::Rounds(more) => rounds = *more,
                LogLine::Match(played) => {
                    let number_of = played.number;
                    let fixture = (number_of < schedule.len()).then(|| schedule.fixture(number_of));
                    let fixture = fixture.filter(|fixture| played.is_result_of(&most, fixture));
                    let kept = fixture.map(|fixture| played.with_canonical_players(&most, &fixture));
                    if kept.is_none_or(|kept| tournament.played.insert(number_of, kept).is_some()) {
                        return Err(tournament
                            .log
                            .damaged(number, "no such match is left to be played")
                            .into());
                    }
                }
            }
        }
        let here = tournament.plan.rounds;
        if here < rounds {
            return Err(TournamentError::Rounds { path: path.display().to_string(), there: rounds, here });
        }
        if here > rounds {
            tournament.log.add(LogLine::Rounds(here))?;
        }
        Ok(tournament)
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The results in the order of the schedule.
    pub fn played(&self) -> impl Iterator<Item = &PlayedMatch> {
        self.played.values()
    }

    /// The results that count: without matches after the round that decided their pairing, which other threads may have
    /// played.
    pub fn counted(&self) -> impl Iterator<Item = &PlayedMatch> {
        counted(&self.plan, &self.played).1.into_iter().map(|(_, played)| played)
    }

    /// Bytes of an incomplete last line of the log, which is dropped.
    pub fn dropped(&self) -> usize {
        self.log.dropped
    }

    /// The course of the sequential test of each pairing in each game of several roles; empty without a test.
    pub fn courses(&self) -> Vec<Course> {
        Course::all(&self.plan, &self.played)
    }

    /// The summary of the results so far.
    pub fn summary(&self) -> Summary {
        Summary::new(&self.plan, &self.played)
    }

    /// Plays the remaining matches. Before the first one, prepares all games that are still needed, and makes every
    /// player once in every role.
    ///
    /// # Errors
    /// A game can't be played, a player does not suit a game, or a file can't be written.
    pub fn run(
        &mut self,
        conditions: &RunConditions<'_>,
        watcher: &dyn Watcher,
    ) -> Result<Ending, TournamentError> {
        let plan = self.plan.clone();
        let schedule = Schedule::new(&plan);
        let tested = Plan { sprt: plan.sprt.filter(|_| conditions.part.is_none()), ..plan.clone() };
        let mut cells = Cells::new(&tested, &schedule);
        for played in self.played.values() {
            cells.add(&plan, &schedule.fixture(played.number), played);
        }
        let part = conditions.part;
        let queue = Queue { schedule: &schedule, cells, next: 0, tournament: self, part, failed: None };
        let asked = || conditions.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let needed = queue.needed();
        let mut ready: Vec<Option<PreparedGame<'_>>> = Vec::new();
        let count = needed.iter().filter(|&&needed| needed).count();
        for (game, needed) in conditions.games.iter().zip(&needed) {
            if !needed || asked() {
                ready.push(None);
                continue;
            }
            let name = &game.identity.name;
            watcher.preparing(name, ready.iter().flatten().count(), count);
            let prepared = ready_for(&plan, game, conditions.threads, conditions.interrupt);
            ready.push(if asked() { None } else { Some(prepared?) });
        }
        if asked() {
            return Ok(Ending::Interrupted);
        }
        for (game, prepared) in ready.iter().enumerate() {
            if let Some(prepared) = prepared {
                try_players(&plan, &schedule, conditions.source, game, prepared)?;
            }
        }

        let left = queue.left();
        watcher.begun(queue.tournament.played.len() as u64, left);
        let queue = Mutex::new(queue);
        let room = SharedRun { plan: &plan, conditions, ready: &ready, watcher };
        std::thread::scope(|scope| {
            for _ in 0..(conditions.threads.max(1) as u64).min(left) {
                scope.spawn(|| room.work(&queue));
            }
        });
        let mut queue = queue.into_inner().unwrap_or_else(PoisonError::into_inner);
        match queue.failed.take() {
            Some(error) => Err(error),
            None if asked() => Ok(Ending::Interrupted),
            None if queue.left() > 0 => Ok(Ending::Time),
            None => Ok(Ending::Done),
        }
    }

    /// Adds the results of other logs of the same tournament, in the order of the schedule. The logs of all parts
    /// together give the log of a run on one thread, except for times.
    ///
    /// # Errors
    /// A log can't be read, belongs to another tournament, or is being written.
    pub fn merge(&mut self, logs: &[PathBuf]) -> Result<MergeResult, TournamentError> {
        let mut found: BTreeMap<u64, PlayedMatch> = BTreeMap::new();
        let mut merged = MergeResult::default();
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

    /// Whether a log belongs to this tournament.
    ///
    /// # Errors
    /// It can't be read, is not a log, or is being written.
    pub fn has(&self, log: &Path) -> Result<bool, TournamentError> {
        match self.part(log) {
            Ok(_) => Ok(true),
            Err(TournamentError::Log(LogError::Changed { .. })) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The results in a log of this tournament.
    fn part(&self, path: &Path) -> Result<BTreeMap<u64, PlayedMatch>, TournamentError> {
        if !path.is_file() {
            let error = std::io::ErrorKind::NotFound.into();
            return Err(LogError::Unread { path: path.display().to_string(), error }.into());
        }
        Ok(Tournament::open(self.plan.clone(), path, false)?.played)
    }
}

/// The schedule with the results so far.
struct Queue<'t, 'p> {
    schedule: &'t Schedule<'p>,
    cells: Cells,
    /// All matches below this number were handed out.
    next: u64,
    tournament: &'t mut Tournament,
    part: Option<Part>,
    failed: Option<TournamentError>,
}

impl Queue<'_, '_> {
    fn is_open(&self, number: u64) -> bool {
        !self.tournament.played.contains_key(&number)
            && self.part.is_none_or(|part| part.has(number))
            && self.cells.counts(&self.schedule.place(number))
    }

    fn take(&mut self) -> Option<Fixture> {
        while self.failed.is_none() && self.next < self.schedule.len() {
            self.next += 1;
            if self.is_open(self.next - 1) {
                return Some(self.schedule.fixture(self.next - 1));
            }
        }
        None
    }

    fn open(&self) -> impl Iterator<Item = u64> {
        (0..self.schedule.len()).filter(|&number| self.is_open(number))
    }

    /// Greatest number of remaining matches.
    fn left(&self) -> u64 {
        self.open().count() as u64
    }

    /// For each game whether it is still needed.
    fn needed(&self) -> Vec<bool> {
        let mut needed = vec![false; self.tournament.plan.games.len()];
        self.open().for_each(|number| needed[self.schedule.place(number).game] = true);
        needed
    }
}

/// The state that all threads share.
struct SharedRun<'a> {
    plan: &'a Plan,
    conditions: &'a RunConditions<'a>,
    ready: &'a [Option<PreparedGame<'a>>],
    watcher: &'a dyn Watcher,
}

impl SharedRun<'_> {
    fn asked(&self) -> bool {
        self.conditions.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Plays until no match remains.
    fn work(&self, queue: &Mutex<Queue<'_, '_>>) {
        let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.asked() && self.conditions.until.is_none_or(|until| Instant::now() < until) {
            let Some(fixture) = lock().take() else { return };
            let found = self.play(&fixture);
            if self.asked() {
                // The interrupt cut its last moves short.
                return;
            }
            let mut queue = lock();
            if queue.failed.is_some() {
                // The log may end with an incomplete line, so nothing may be appended.
                return;
            }
            let kept = found.and_then(|played| {
                queue.tournament.log.add(LogLine::Match(Box::new(played.clone())))?;
                Ok(played)
            });
            match kept {
                Ok(played) => {
                    queue.cells.add(self.plan, &fixture, &played);
                    queue.tournament.played.insert(fixture.number, played.clone());
                    let left = queue.left();
                    drop(queue);
                    self.watcher.played(&played, left);
                }
                Err(error) => queue.failed = Some(error),
            }
        }
    }

    /// Plays a match. A match without an end is a result, too.
    fn play(&self, fixture: &Fixture) -> Result<PlayedMatch, TournamentError> {
        let table = MatchEnvironment {
            plan: self.plan,
            source: self.conditions.source,
            interrupt: self.conditions.interrupt,
        };
        let (game, ready) =
            (&self.conditions.games[fixture.place.game], self.ready[fixture.place.game].as_ref());
        let outcome = table.play(fixture, game, ready, self.conditions.records)?;
        if let (Some(record), false) = (&outcome.record, self.asked()) {
            let number = fixture.number;
            let kept = self.watcher.record(fixture, record);
            kept.map_err(|error| TournamentError::Record { number, error })?;
        }
        Ok(outcome.played)
    }
}
