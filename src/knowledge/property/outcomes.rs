//! The outcomes that the stages of a run reached, in addition to those that random play counts.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use super::plays::Moves;
use super::statement::ProofMethod;
use crate::catalog::counted;

/// The number of outcomes kept of one source; beyond it only outcomes with a new goal value of a role are added.
const OUTCOMES: usize = 1_000;

/// What reached an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The random games that `simulation` counts.
    RandomPlay,
    /// Random games and short plays that proofs look at.
    ProofPlays,
    /// A search for what roles can force: the value that a role is sure of.
    Guarantee,
    /// A search for the best goal value of a game for one.
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

/// Its name, as in documents.
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl Source {
    /// How a property is settled by what it reached.
    pub(super) fn method(self) -> ProofMethod {
        match self {
            Source::Guarantee | Source::Search | Source::ExactValues => ProofMethod::Search,
            _ => ProofMethod::Play,
        }
    }

    /// The number of games in which it reached a goal value.
    pub fn sentence(self, goal: i32, games: u64) -> String {
        let games = |one: &str, several: &str| counted(games, one, several);
        match self {
            Source::RandomPlay => format!("{} ended with goal {goal}", games("random game", "random games")),
            Source::ProofPlays => format!("a play that was looked at for proofs ends with goal {goal}"),
            Source::Guarantee => format!("goal {goal} can be forced, by search"),
            Source::Search => format!("a search found a play to goal {goal}"),
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
                format!("{} with a look one move ahead ended with goal {goal}", games("game", "games"))
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
    /// What reached it.
    pub source: Source,
    /// For every role its goal value; none if it is not known, or there are several or none.
    pub goals: Vec<Option<i32>>,
    /// How many games.
    pub games: u64,
    /// The joint moves of one of them from the initial state; none if they were not kept.
    pub moves: Option<Moves>,
}

/// Outcomes of one source, as they are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutcomeTally(BTreeMap<Vec<Option<i32>>, (u64, Option<Moves>)>);

impl OutcomeTally {
    /// Counts games that ended with these goal values, `moves` being those of the first.
    pub fn add(&mut self, goals: Vec<Option<i32>>, games: u64, moves: Option<Moves>) {
        let known = |role: usize, goal: Option<i32>| self.0.keys().any(|other| other[role] == goal);
        let is_new = |(role, goal): (usize, &Option<i32>)| goal.is_some() && !known(role, *goal);
        let room = self.0.len() < OUTCOMES || goals.iter().enumerate().any(is_new);
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

    /// Adds what was counted later.
    pub fn merge(&mut self, later: OutcomeTally) {
        for (goals, (games, moves)) in later.0 {
            self.add(goals, games, moves);
        }
    }

    /// The outcomes, as those of a source.
    pub fn of(self, source: Source) -> impl Iterator<Item = Outcome> {
        self.0.into_iter().map(move |(goals, (games, moves))| Outcome { source, goals, games, moves })
    }
}
