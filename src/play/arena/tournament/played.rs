//! The result of a match, as the log stores it.

use serde::{Deserialize, Serialize};

use super::super::match_play::{Fault, Match};
use super::super::spec::canonical_line;
use super::plan::Plan;
use super::schedule::Fixture;
use crate::catalog::plural;

/// A line of a tournament's log after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLine {
    /// The number of rounds was raised to this number.
    Rounds(u32),
    /// The result of a match.
    Match(Box<PlayedMatch>),
}

/// The result of a match, with its circumstances.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayedMatch {
    /// The match's number in the schedule.
    pub number: u64,
    /// The game's name.
    pub game: String,
    /// The round, from 0.
    pub round: u32,
    /// The players' lines, in the order of the roles; `random` for chance.
    pub players: Vec<String>,
    /// The match's seed.
    pub seed: u64,
    /// How the match ended.
    pub outcome: Outcome,
    /// The number of joint moves.
    pub steps: u32,
    /// For each role the number of late moves.
    pub late: Vec<u32>,
    /// For each role the number of missing or illegal moves.
    pub illegal: Vec<u32>,
    /// The time when it began, in milliseconds since 1970. This and `seconds` are the only values that depend on the
    /// clock.
    pub begun: u64,
    /// The duration in seconds.
    pub seconds: f64,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It reached a terminal state with these goal values, in the order of the roles.
    Ended(Vec<i32>),
    /// It has no result, for this reason.
    Unfinished(String),
}

/// The line of a player, or [`CHANCE`] if no player has the role.
pub(super) fn line(plan: &Plan, player: Option<usize>) -> &str {
    player.map_or(CHANCE, |player| &plan.players[player].line)
}

/// The players' lines of a fixture, in the order of the roles.
fn lines(plan: &Plan, fixture: &Fixture) -> Vec<String> {
    fixture.players.iter().map(|&player| line(plan, player).to_owned()).collect()
}

/// The player that draws the moves of the role `random`.
const CHANCE: &str = "random";

impl PlayedMatch {
    /// The result of a fixture.
    pub(super) fn new(
        plan: &Plan,
        fixture: &Fixture,
        result: Result<&Match, String>,
        begun: u64,
    ) -> PlayedMatch {
        let mut played = PlayedMatch {
            number: fixture.number,
            game: plan.games[fixture.place.game].name.clone(),
            round: fixture.place.round,
            players: lines(plan, fixture),
            seed: fixture.seed,
            outcome: Outcome::Unfinished(String::new()),
            steps: 0,
            late: vec![0; fixture.players.len()],
            illegal: vec![0; fixture.players.len()],
            begun,
            seconds: 0.0,
        };
        let played_match = match result {
            Ok(played_match) => played_match,
            Err(why) => return PlayedMatch { outcome: Outcome::Unfinished(why), ..played },
        };
        played.steps = played_match.moves.len() as u32;
        for (role, played_move) in played_match.moves.iter().flat_map(|step| step.iter().enumerate()) {
            match played_move.fault {
                Some(Fault::Late { .. }) => played.late[role] += 1,
                Some(Fault::Illegal(_) | Fault::Missing) => played.illegal[role] += 1,
                None => {}
            }
        }
        let chance = fixture.players.iter().position(Option::is_none);
        played.outcome = match played_match.goal_numbers(chance) {
            Some(goals) => Outcome::Ended(goals),
            None if played_match.goals.is_some() => {
                Outcome::Unfinished("the rules give a player no goal value, or several".to_owned())
            }
            None if played.steps == plan.most_steps => Outcome::Unfinished(format!(
                "no end after {} {}",
                plan.most_steps,
                plural(plan.most_steps.into(), "joint move", "joint moves")
            )),
            None => Outcome::Unfinished("a role had no legal move".to_owned()),
        };
        played
    }

    /// The match with the players' lines as the plan spells them; an earlier version may have spelled them differently.
    pub(super) fn with_canonical_players(&self, plan: &Plan, fixture: &Fixture) -> PlayedMatch {
        PlayedMatch { players: lines(plan, fixture), ..self.clone() }
    }

    /// Whether this is the result of the fixture.
    pub(super) fn is_result_of(&self, plan: &Plan, fixture: &Fixture) -> bool {
        let canonical = |lines: &[String]| lines.iter().map(|line| canonical_line(line)).collect::<Vec<_>>();
        self.number == fixture.number
            && self.game == plan.games[fixture.place.game].name
            && self.seed == fixture.seed
            && canonical(&self.players) == canonical(&lines(plan, fixture))
            && [self.late.len(), self.illegal.len()] == [fixture.players.len(); 2]
            && matches!(&self.outcome, Outcome::Ended(goals) if goals.len() == fixture.players.len())
                | matches!(self.outcome, Outcome::Unfinished(_))
    }

    /// The score of a player, from 0 to 1. Each pair of one of its roles and one role of an opponent counts 1 if the
    /// player's goal value is higher, 0.5 if both are equal and 0 otherwise; the score is the mean. In games of two roles
    /// it is 1, 0.5 or 0; in others it is the scaled mean rank of the player's roles (Mann and Whitney 1947). Chance is
    /// not an opponent. `None` if the match has no result.
    pub fn score(&self, fixture: &Fixture, player: usize) -> Option<f64> {
        let is_own = |role: usize| fixture.players[role] == Some(player);
        let is_opponent = |role: usize| fixture.players[role].is_some_and(|of| of != player);
        self.score_of_roles(fixture, &is_own, &is_opponent)
    }

    /// The score of a role against all other roles except chance, from 0 to 1, whichever players have them. `None` if the
    /// match has no result.
    pub fn role_score(&self, fixture: &Fixture, role: usize) -> Option<f64> {
        let is_other = |other: usize| other != role && fixture.players[other].is_some();
        self.score_of_roles(fixture, &|own| own == role, &is_other)
    }

    /// The mean over all pairs of an own role and an opponent's: 1 if the own goal value is higher, 0.5 if both are equal.
    fn score_of_roles(
        &self,
        fixture: &Fixture,
        is_own: &dyn Fn(usize) -> bool,
        is_opponent: &dyn Fn(usize) -> bool,
    ) -> Option<f64> {
        let Outcome::Ended(goals) = &self.outcome else { return None };
        let (mut halves, mut pairs) = (0_u32, 0_u32);
        let roles = || 0..fixture.players.len();
        for own in roles().filter(|&role| is_own(role)) {
            for other in roles().filter(|&role| is_opponent(role)) {
                halves += match goals[own].cmp(&goals[other]) {
                    std::cmp::Ordering::Greater => 2,
                    std::cmp::Ordering::Equal => 1,
                    std::cmp::Ordering::Less => 0,
                };
                pairs += 1;
            }
        }
        (pairs > 0).then(|| f64::from(halves) / f64::from(2 * pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::Place;
    use super::*;

    /// A match with its fixture; in `players`, 9 means chance.
    fn ended(players: &[usize], goals: &[i32]) -> (Fixture, PlayedMatch) {
        let place = Place { game: 0, pairing: Some(0), round: 0 };
        let players = players.iter().map(|&player| (player < 9).then_some(player)).collect();
        let fixture = Fixture { number: 0, place, players, seed: 0, opening: 0 };
        let played = PlayedMatch {
            number: 0,
            game: String::new(),
            round: 0,
            players: Vec::new(),
            seed: 0,
            outcome: Outcome::Ended(goals.to_vec()),
            steps: 0,
            late: Vec::new(),
            illegal: Vec::new(),
            begun: 0,
            seconds: 0.0,
        };
        (fixture, played)
    }

    fn score(players: &[usize], goals: &[i32], player: usize) -> Option<f64> {
        let (fixture, played) = ended(players, goals);
        played.score(&fixture, player)
    }

    #[test]
    fn role_scores_do_not_depend_on_players() {
        let role_score = |players: &[usize], goals: &[i32], role| {
            let (fixture, played) = ended(players, goals);
            played.role_score(&fixture, role)
        };
        assert_eq!([0, 1].map(|role| role_score(&[0, 0], &[100, 0], role)), [Some(1.0), Some(0.0)]);
        // Role 0 has a higher goal value than role 1, and the same as role 2.
        assert_eq!(role_score(&[0, 1, 0], &[50, 0, 50], 0), Some(0.75));
        // Chance is not another role.
        assert_eq!(role_score(&[0, 9, 1], &[50, 100, 0], 0), Some(1.0));
        assert_eq!(role_score(&[0, 9], &[50, 100], 0), None);
        assert_eq!(score(&[0, 0], &[100, 0], 0), None, "a player is not its own opponent");
    }

    #[test]
    fn scores_compare_goal_values() {
        assert_eq!([score(&[0, 1], &[60, 40], 0), score(&[0, 1], &[60, 40], 1)], [Some(1.0), Some(0.0)]);
        assert_eq!(score(&[1, 0], &[50, 50], 0), Some(0.5));
        // Three roles: player 0 has two of them. One goal value of player 0 is above that of player 1, the other is equal.
        assert_eq!(score(&[0, 1, 0], &[100, 50, 50], 0), Some(0.75));
        assert_eq!(score(&[0, 1, 0], &[100, 50, 50], 1), Some(0.25));
        assert_eq!(score(&[0], &[100], 0), None);
        // Chance is not an opponent.
        assert_eq!(score(&[9, 1, 0], &[100, 50, 60], 0), Some(1.0));
        assert_eq!(score(&[0, 9], &[100, 50], 0), None);
    }
}
