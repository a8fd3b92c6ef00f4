//! The outcomes that stages of a run reached, in addition to those that random play counts.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::plays::Moves;
use super::property_name::ProofMethod;
use crate::catalog::counted;

/// The most outcomes of one source; after that, only outcomes with a new goal value of a role are added.
const MAX_OUTCOMES: usize = 1_000;

/// The part of a run that reached an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The random games that `simulation` counts.
    RandomPlay,
    /// Random games and short plays that proofs use.
    ProofPlays,
    /// A search for the goal value that each role can force.
    Guarantee,
    /// A search for the best goal value of a single-player game.
    Search,
    /// Random games from which states for statistics were taken.
    Sample,
    /// Random games from states of the path that a search found.
    AlongPath,
    /// Exact values of states of random games.
    ExactValues,
    /// Games in which a role looks one move ahead.
    OnePly,
    /// Games in which every role follows the best function.
    GuidedPlay,
}

/// The name, as in documents.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Source {
    /// The method by which this source settles a property.
    pub(super) fn method(self) -> ProofMethod {
        match self {
            Source::Guarantee | Source::Search | Source::ExactValues => ProofMethod::Search,
            _ => ProofMethod::Play,
        }
    }

    /// A sentence with the number of games in which it reached a goal value.
    pub fn sentence(self, goal: i32, games: u64) -> String {
        let games = |one: &str, several: &str| counted(games, one, several);
        match self {
            Source::RandomPlay => format!("{} ended with goal {goal}", games("random game", "random games")),
            Source::ProofPlays => format!("a play of the proofs ended with goal {goal}"),
            Source::Guarantee => format!("a search proved that goal {goal} can be forced"),
            Source::Search => format!("a search found a play that ends with goal {goal}"),
            Source::Sample => {
                format!("{} for statistics ended with goal {goal}", games("random game", "random games"))
            }
            Source::AlongPath => format!(
                "{} that began on the path found by search ended with goal {goal}",
                games("random game", "random games")
            ),
            Source::ExactValues => format!(
                "goal {goal} can be forced from {}",
                games("state of random play", "states of random play")
            ),
            Source::OnePly => {
                format!("{} with one move of lookahead ended with goal {goal}", games("game", "games"))
            }
            Source::GuidedPlay => {
                format!("{} played by the best function ended with goal {goal}", games("game", "games"))
            }
        }
    }
}

/// Games of one source that ended alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The source.
    pub source: Source,
    /// For every role, its goal value; none if it is unknown, or there is not exactly one.
    pub goals: Vec<Option<i32>>,
    /// Number of games.
    pub games: u64,
    /// The joint moves of one of these games from the initial state, if stored.
    pub moves: Option<Moves>,
}

/// Counts of the outcomes of one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeTally(BTreeMap<Vec<Option<i32>>, (u64, Option<Moves>)>);

impl OutcomeTally {
    /// Counts games that ended with these goal values; `moves` are those of the first one.
    pub fn add(&mut self, goals: Vec<Option<i32>>, games: u64, moves: Option<Moves>) {
        let known = |role: usize, goal: Option<i32>| self.0.keys().any(|other| other[role] == goal);
        let is_new = |(role, goal): (usize, &Option<i32>)| goal.is_some() && !known(role, *goal);
        let room = self.0.len() < MAX_OUTCOMES || goals.iter().enumerate().any(is_new);
        match self.0.get_mut(&goals) {
            Some((count, known)) => {
                *count += games;
                if known.is_none() {
                    *known = moves;
                }
            }
            None if room => {
                self.0.insert(goals, (games, moves));
            }
            None => {}
        }
    }

    /// Adds later counts.
    pub fn merge(&mut self, later: OutcomeTally) {
        for (goals, (games, moves)) in later.0 {
            self.add(goals, games, moves);
        }
    }

    /// The outcomes, with their source.
    pub fn of(self, source: Source) -> impl Iterator<Item = Outcome> {
        self.0.into_iter().map(move |(goals, (games, moves))| Outcome { source, goals, games, moves })
    }
}
