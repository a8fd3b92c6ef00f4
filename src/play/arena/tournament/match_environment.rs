//! One match of a tournament, on any computer.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::analysis::{self, LoadedGame};

use super::super::match_play::{Conditions, Match};
use super::super::opening::opening;
use super::super::player_factory::{OwnPlayers, PlayerFactory};
use super::super::prepared_game::PreparedGame;
use super::super::ready::ready;
use super::super::record::MatchRecord;
use super::error::TournamentError;
use super::plan::Plan;
use super::played::{PlayedMatch, line};
use super::schedule::{Fixture, Schedule};

/// Prepares a game for the players of a plan.
///
/// # Errors
/// It can't be analysed.
pub fn ready_for<'g>(
    plan: &Plan,
    game: &'g LoadedGame,
    threads: usize,
    interrupt: Option<&Arc<AtomicBool>>,
) -> Result<PreparedGame<'g>, TournamentError> {
    let of_game = analysis::Plan { seed: plan.seed, threads, ..analysis::Plan::default() };
    let lines: Vec<&str> = plan.players.iter().map(|player| player.line.as_str()).collect();
    // With a limit of nodes, players must not depend on the clock.
    let clock = plan.thinking.nodes.is_none().then(|| plan.thinking.clock());
    ready(game, of_game, &lines, clock.as_ref(), interrupt)
        .map_err(|error| TournamentError::Game { game: game.identity.name.clone(), error: Box::new(error) })
}

/// Makes every player of a game once in every role that it plays.
///
/// # Errors
/// A player does not suit the game.
pub fn try_players(
    plan: &Plan,
    schedule: &Schedule<'_>,
    source: &dyn PlayerFactory,
    game: usize,
    prepared: &PreparedGame<'_>,
) -> Result<(), TournamentError> {
    let mut tried = BTreeSet::new();
    let first = (0..schedule.per_round().min(schedule.len())).map(|number| schedule.fixture(number));
    for fixture in first.filter(|fixture| fixture.place.game == game) {
        let seated = fixture.players.iter().enumerate();
        for (role, player) in seated.filter_map(|(role, player)| Some((role, (*player)?))) {
            if tried.insert((player, role)) {
                let line = &plan.players[player].line;
                source.player(line, prepared, role, 0).map_err(|error| TournamentError::Player {
                    player: line.clone(),
                    game: plan.games[game].name.clone(),
                    role: plan.games[game].roles[role].clone(),
                    error: Box::new(error),
                })?;
            }
        }
    }
    Ok(())
}

/// The environment of a match.
#[derive(Clone, Copy)]
pub struct MatchEnvironment<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Makes the players.
    pub source: &'a dyn PlayerFactory,
    /// Once true, the match is aborted.
    pub interrupt: Option<&'a Arc<AtomicBool>>,
}

/// The result of a match, and its record.
#[derive(Clone, Debug)]
pub struct MatchOutcome {
    /// The entry for the log.
    pub played: PlayedMatch,
    /// The record, if it is requested and the match ended.
    pub record: Option<MatchRecord>,
    /// States that players visited in their searches.
    pub states: u64,
}

impl MatchEnvironment<'_> {
    /// Plays a match of a prepared game. A match without an end is a result, too.
    ///
    /// # Errors
    /// A player left before the end.
    pub fn play(
        &self,
        fixture: &Fixture,
        game: &LoadedGame,
        prepared: Option<&PreparedGame<'_>>,
        record: bool,
    ) -> Result<MatchOutcome, TournamentError> {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let clock = Instant::now();
        let played_match = self.play_match(fixture, prepared);
        if let Ok(Match { left: Some(why), .. }) = &played_match {
            return Err(TournamentError::Left(why.clone()));
        }
        let mut played =
            PlayedMatch::new(self.plan, fixture, played_match.as_ref().map_err(String::clone), begun);
        played.seconds = (clock.elapsed().as_secs_f64() * 1e3).round() / 1e3;
        let asked = || self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed));
        let record = played_match.as_ref().ok().filter(|_| record && !asked()).map(|played_match| {
            let id = format!("{}.{}", game.identity.name, fixture.number);
            let (clock, names) = (self.plan.thinking.clock(), played.players.clone());
            MatchRecord::new(game.machine(), played_match, names, &clock, &game.path, (id, begun))
        });
        let steps = played_match.iter().flat_map(|played_match| played_match.moves.iter().flatten());
        let states = steps.filter_map(|step| Some(step.result.as_ref()?.nodes)).sum();
        Ok(MatchOutcome { played, record, states })
    }

    fn play_match(&self, fixture: &Fixture, prepared: Option<&PreparedGame<'_>>) -> Result<Match, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let prepared = prepared.ok_or("the game is not ready")?;
        let machine = prepared.machine();
        let mut players = Vec::new();
        for (role, &player) in fixture.players.iter().enumerate() {
            let (line, seed) = (line(self.plan, player), fixture.seed_of(role));
            let made = match player {
                Some(_) => self.source.player(line, prepared, role, seed),
                None => OwnPlayers.player(line, prepared, role, seed),
            };
            players.push(made.map_err(|error| told(&error))?);
        }
        let steps = if self.plan.games[fixture.place.game].seats() == 1 { 0 } else { self.plan.opening };
        let conditions = Conditions {
            clock: self.plan.thinking.clock(),
            nodes: self.plan.thinking.nodes,
            most_steps: self.plan.most_steps,
            seed: fixture.seed,
            opening: opening(machine, steps, fixture.opening).map_err(|error| told(&error))?,
        };
        let played =
            Match::play(machine, &mut players, &conditions, self.interrupt.map(|flag| &**flag), &mut |_| {})
                .map_err(|error| told(&error))?;
        match played.outgrown {
            Some(why) => Err(why),
            None => Ok(played),
        }
    }
}
