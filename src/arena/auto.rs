//! `auto`: selected automatically by what was found out about the game.
//!
//! One role: best-first search, which keeps the way it finds. Several: UCT guided by functions, which takes every role to want its own goals and
//! needs no order of moves made at the same time. Where two roles play for what the other loses, alpha-beta may be
//! better, by any function, or minimax with mixed strategies where they move at once: which, is found out in trial
//! matches, as random play does not tell.

use crate::evaluation::Kind;
use crate::structure::finding::Turns;

use super::prepared_game::{PrepareError, PreparedGame};
use super::spec::PlayerSpec;
use super::trial::{TrialError, strongest};

/// The player that was selected.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The player.
    pub spec: PlayerSpec,
    /// Why it was chosen, as a sentence without a stop.
    pub why: String,
}

/// Kinds of functions that players may be chosen to play by, the most useful one first.
pub const SUITABLE: [Kind; 3] = [Kind::Statistical, Kind::Fuzzy, Kind::Kuhlmann];

impl PreparedGame<'_> {
    /// The player selected for a role of the game, with the options of the one that asked. Trials are made once for a game.
    ///
    /// # Errors
    /// Trial matches could not be played.
    ///
    /// # Panics
    /// The game has no such role.
    pub fn select(&self, asked: &PlayerSpec, role: usize, seed: u64) -> Result<Selection, PrepareError> {
        let Candidates { lines, slow, because } = self.candidates(role);
        let read = |line: &String| -> PlayerSpec { line.parse().expect("these are players") };
        let specs: Vec<PlayerSpec> = lines.iter().map(read).collect();
        let seconds = asked.option("trial");
        // Players that count states are compared by nothing but their class: a clock would make each run another.
        let tries = specs.len() > 1 && seconds > 0.0 && asked.option("nodes") == 0.0;
        let (chosen, tried) = if tries {
            let mut known = self.tried();
            match *known {
                Some(found) => found,
                None => {
                    let found =
                        strongest(self, &specs, slow, seconds, seed).map_err(|error| match error {
                            TrialError::Player(error) => *error,
                            TrialError::Match(error) => PrepareError::Trial(error),
                        })?;
                    *known.insert(found)
                }
            }
        } else {
            (0, 0)
        };
        let trials = if tried > 0 { format!("; the best in {tried} trial matches") } else { String::new() };
        let why = format!("auto plays as {}: {because}{trials}", lines[chosen]);
        Ok(Selection { spec: specs[chosen].clone().with_options_of(asked), why })
    }

    /// The players that may suit a role.
    fn candidates(&self, role: usize) -> Candidates {
        let structures = self.structures();
        let one = |line: String, because: &str| Candidates {
            lines: vec![line],
            slow: 1,
            because: because.to_owned(),
        };
        let known: Vec<&str> =
            SUITABLE.into_iter().filter(|&kind| self.has(kind, role)).map(Kind::name).collect();
        if known.is_empty() {
            return one("uct".to_owned(), "the game has no evaluation function that would do");
        }
        if structures.turns == Turns::SinglePlayer {
            let kind = if known.contains(&"fuzzy") { "fuzzy" } else { known[0] };
            return one(format!("bestfirst:{kind}"), "one role plays");
        }
        let guides: Vec<&str> = known.iter().copied().filter(|&name| name != "kuhlmann").collect();
        let guides = if guides.is_empty() { known.clone() } else { guides };
        let mut lines = vec![format!("guct:{}", guides.join("+"))];
        let teams = structures.teams.len();
        if teams == 2 && structures.zero_sum && self.machine().description().roles.len() == 2 {
            lines.push("uct?lanes=512&exploration=0.2".to_owned());
            lines.extend(known.iter().map(|kind| format!("alphabeta:{kind}")));
            if structures.turns == Turns::Simultaneous {
                lines.extend(known.iter().map(|kind| format!("mixed:{kind}")));
            }
        }
        let turns = match structures.turns {
            Turns::Alternating => "roles take turns",
            _ => "roles move at once",
        };
        let sum = match structures.zero_sum {
            true => "one's gain is the other's loss",
            false => "goals are no zero-sum",
        };
        Candidates { slow: lines.len().min(2), lines, because: format!("{teams} teams, {turns}, {sum}") }
    }
}

/// The players that may suit a role.
struct Candidates {
    /// As lines, the likeliest one first.
    lines: Vec<String>,
    /// How many of these, from the first on, need time to be good.
    slow: usize,
    /// Why these.
    because: String,
}
