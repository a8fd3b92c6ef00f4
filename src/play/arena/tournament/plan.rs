//! The plan of a tournament: everything that its results depend on.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gdl::Negation;
use crate::statistics::Sprt;

use super::super::log::LogHeader;
use super::super::match_play::Clock;
use super::super::spec::canonical_line;

/// Greatest number of roles: every assignment of two players to the roles is played.
const MOST_ROLES: usize = 6;

/// The plan of a tournament.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The games.
    pub games: Vec<PlanGame>,
    /// The players.
    pub players: Vec<PlanPlayer>,
    /// The pairings, by the players' numbers from 0. A player paired with itself plays all roles.
    pub pairings: Vec<[usize; 2]>,
    /// The players' limits of time or nodes.
    pub thinking: Thinking,
    /// The number of rounds. In each, every pairing plays every game in every assignment of roles.
    pub rounds: u32,
    /// Random joint moves before players begin, the same in all matches of a game in a round. Games of one role have
    /// none.
    pub opening: u32,
    /// Joint moves after which a match is aborted.
    pub most_steps: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// When the sequential test ends a pairing in a game; no test if it is missing.
    pub sprt: Option<Sprt>,
    /// Version of the program.
    pub version: String,
}

/// A game of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanGame {
    /// Its name: that of the file without its ending.
    pub name: String,
    /// SHA-256 of its rules in a normalised spelling.
    pub rules: String,
    /// When negated literals of the rules are read; left out for the language's order.
    #[serde(default, skip_serializing_if = "Negation::is_language")]
    pub negation: Negation,
    /// Its roles, in the order of the rules.
    pub roles: Vec<String>,
    /// The role that moves at random, counted from 0; no player of the plan plays it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub chance: Option<usize>,
}

impl PlanGame {
    /// The number of roles that players play: all but chance.
    pub fn seats(&self) -> usize {
        self.roles.len() - usize::from(self.chance.is_some())
    }
}

/// A player of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlanPlayer {
    /// Its line.
    pub line: String,
    /// SHA-256 of its document.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub document: Option<String>,
}

/// The players' limits of time or nodes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Thinking {
    /// Seconds before the first move, in addition to the move's own.
    pub start: f64,
    /// Seconds for each move; none if only nodes count.
    pub play: Option<f64>,
    /// Safety margin per move, in seconds.
    pub margin: f64,
    /// Limit of states that a player visits for a move, unless its line sets one.
    pub nodes: Option<u64>,
}

/// The default safety margin per move in seconds, and its greatest share of the clock. Shared computers were seen to
/// pause for 25 ms now and then (`reports/late.md`).
const MARGIN: (f64, f64) = (0.03, 0.2);

impl Thinking {
    /// A clock without a limit of nodes. The default margin is 0.03 s, or a fifth of a move's time if that is less.
    pub fn by_clock(start: f64, play: f64, margin: Option<f64>) -> Thinking {
        let margin = margin.unwrap_or_else(|| MARGIN.0.min(play * MARGIN.1));
        Thinking { start, play: Some(play), margin, nodes: None }
    }

    /// A limit of nodes without a clock.
    pub fn by_nodes(nodes: u64) -> Thinking {
        Thinking { start: 0.0, play: None, margin: 0.0, nodes: Some(nodes) }
    }

    /// The clock.
    pub fn clock(&self) -> Clock {
        let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Clock { start: time(self.start), play: self.play.map(time), margin: time(self.margin) }
    }
}

/// Why a plan can't be played.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// There is nothing to play.
    #[error("a tournament needs at least one game, one player and one round")]
    Empty,
    /// A player occurs twice.
    #[error("the player {0} is given twice; remove one")]
    SamePlayer(String),
    /// Two games have the same rules.
    #[error("{0} and {1} have the same rules")]
    SameGame(String, String),
    /// There is no pairing.
    #[error("{0} has several roles: name a pairing of players")]
    Alone(String),
    /// A sequential test of a player against itself.
    #[error(
        "the sequential test compares two players, but `{0}` plays against itself; leave out --sprt, or name another player"
    )]
    SprtAlone(String),
    /// Chance is the only role.
    #[error("{0} has no role except `random`: there is nothing to play")]
    Nobody(String),
    /// A game has too many roles.
    #[error(
        "{game} has {roles} roles; every assignment of players to roles is played, so {MOST_ROLES} are the most"
    )]
    Roles {
        /// The game.
        game: String,
        /// The number of its roles, without chance.
        roles: usize,
    },
    /// There is no limit of time or nodes.
    #[error("players have no limit: give a clock or a number of nodes")]
    NoLimit,
    /// The margin uses up the clock.
    #[error(
        "the margin of {1} s uses up the clock of {0} s per move; use a longer clock or a smaller margin"
    )]
    NoTime(f64, f64),
    /// The parameters of the sequential test are invalid.
    #[error(
        "the sequential test has elo0 = {elo0}, elo1 = {elo1}, alpha = {alpha}, beta = {beta}; use elo0 < elo1, both from -2000 to 2000, and alpha + beta < 1, both above 0, such as 0,50,0.05,0.05"
    )]
    #[allow(missing_docs, reason = "as in `Sprt`")]
    Sprt { elo0: f64, elo1: f64, alpha: f64, beta: f64 },
}

impl Plan {
    /// All pairs of players, as indices, in the given order; each pair once. A player that is listed twice also plays
    /// against itself.
    pub fn all_pairs(players: &[usize]) -> Vec<[usize; 2]> {
        let others =
            |(place, &one): (usize, &usize)| players[place + 1..].iter().map(move |&other| [one, other]);
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for [one, other] in players.iter().enumerate().flat_map(others) {
            if !pairs.contains(&[one, other]) && !pairs.contains(&[other, one]) {
                pairs.push([one, other]);
            }
        }
        pairs
    }

    /// The plan with the canonical spelling of each player's line.
    fn canonical(&self) -> Plan {
        let mut plan = self.clone();
        plan.players.iter_mut().for_each(|player| player.line = canonical_line(&player.line));
        plan
    }

    /// Checks whether the plan can be played.
    ///
    /// # Errors
    /// The reason why the plan can't be played.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.games.is_empty() || self.players.is_empty() || self.rounds == 0 {
            return Err(PlanError::Empty);
        }
        for (number, player) in self.players.iter().enumerate() {
            if self.players[..number].contains(player) {
                return Err(PlanError::SamePlayer(player.line.clone()));
            }
        }
        for (number, game) in self.games.iter().enumerate() {
            if let Some(same) = self.games[..number].iter().find(|other| other.rules == game.rules) {
                return Err(PlanError::SameGame(same.name.clone(), game.name.clone()));
            }
            if game.seats() > 1 && self.pairings.is_empty() {
                return Err(PlanError::Alone(game.name.clone()));
            }
            if game.seats() == 0 {
                return Err(PlanError::Nobody(game.name.clone()));
            }
            if game.seats() > MOST_ROLES {
                return Err(PlanError::Roles { game: game.name.clone(), roles: game.seats() });
            }
        }
        let Thinking { play, margin, nodes, .. } = self.thinking;
        if play.is_none() && nodes.is_none() {
            return Err(PlanError::NoLimit);
        }
        if let Some(play) = play.filter(|&play| play.is_nan() || play <= margin) {
            return Err(PlanError::NoTime(play, margin));
        }
        if let Some(Sprt { elo0, elo1, alpha, beta }) = self.sprt.filter(|sprt| !sprt.is_sound()) {
            return Err(PlanError::Sprt { elo0, elo1, alpha, beta });
        }
        // Such a pairing always scores one half.
        let alone = self.pairings.iter().find(|[one, other]| one == other);
        if let Some(&[player, _]) = alone.filter(|_| self.sprt.is_some()) {
            return Err(PlanError::SprtAlone(self.players[player].line.clone()));
        }
        Ok(())
    }
}

/// The first line of a tournament's log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    schema: String,
    pub(super) plan: Plan,
}

impl Header {
    pub(super) fn new(plan: Plan) -> Header {
        Header { schema: "ggp.tournament-log/1".to_owned(), plan }
    }
}

impl LogHeader for Header {
    const KIND: &'static str = "tournament";

    fn change(&self, wanted: &Header) -> Option<String> {
        if self.schema != wanted.schema {
            return Some(format!("it is written as {}", self.schema));
        }
        // An earlier version of the program may have spelled the lines differently.
        let (logged, requested) = (&self.plan.canonical(), &wanted.plan.canonical());
        let lists = |what: &str, logged: Vec<String>, requested: Vec<String>| {
            let (logged, requested) = (logged.join(", "), requested.join(", "));
            (logged != requested).then(|| format!("its {what} are {logged}, not {requested}"))
        };
        let names = |plan: &Plan| plan.games.iter().map(|game| game.name.clone()).collect();
        let lines = |plan: &Plan| plan.players.iter().map(|player| player.line.clone()).collect();
        let pairing_texts = |plan: &Plan| {
            let line = |number: usize| plan.players[number].line.as_str();
            plan.pairings
                .iter()
                .map(|&[one, other]| format!("{} against {}", line(one), line(other)))
                .collect()
        };
        let value = |what: &str, logged: String, requested: String| {
            (logged != requested).then(|| format!("its {what} is {logged}, not {requested}"))
        };
        let rules =
            || logged.games.iter().zip(&requested.games).find(|(logged, requested)| logged != requested);
        let documents =
            || logged.players.iter().zip(&requested.players).find(|(logged, requested)| logged != requested);
        lists("games", names(logged), names(requested))
            .or_else(|| rules().map(|(game, _)| format!("the rules of {} changed since", game.name)))
            .or_else(|| lists("players", lines(logged), lines(requested)))
            .or_else(|| {
                documents().map(|(player, _)| format!("the document of {} changed since", player.line))
            })
            .or_else(|| lists("pairings", pairing_texts(logged), pairing_texts(requested)))
            .or_else(|| value("clock", logged.thinking.to_string(), requested.thinking.to_string()))
            .or_else(|| value("opening", logged.opening.to_string(), requested.opening.to_string()))
            .or_else(|| value("step limit", logged.most_steps.to_string(), requested.most_steps.to_string()))
            .or_else(|| value("seed", logged.seed.to_string(), requested.seed.to_string()))
            .or_else(|| {
                let text = |sprt: Option<Sprt>| sprt.map_or("none".to_owned(), |sprt| sprt.to_string());
                value("sequential test", text(logged.sprt), text(requested.sprt))
            })
            .or_else(|| value("program's version", logged.version.clone(), requested.version.clone()))
    }
}

impl std::fmt::Display for Thinking {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Thinking { start, play, margin, nodes } = self;
        let mut parts = Vec::new();
        if let Some(play) = play {
            let margin = (margin * 1e6).round() / 1e6;
            parts.push(format!("{play} s a move ({start} s more for the first, {margin} s left over)"));
        }
        if let Some(nodes) = nodes {
            parts.push(format!("{nodes} nodes a move"));
        }
        f.write_str(&parts.join(", "))
    }
}
