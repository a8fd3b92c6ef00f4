//! What came of a match, as the log keeps it.

use serde::{Deserialize, Serialize};

use super::super::match_play::{Fault, Match};
use super::plan::Plan;
use super::schedule::Fixture;
use crate::catalog::plural;

/// A line of a tournament's log after the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogLine {
    /// From here on there are so many rounds.
    Rounds(u32),
    /// A match was played.
    Match(Box<Played>),
}

/// A match that was played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// Its number in the schedule.
    pub number: u64,
    /// The game's name.
    pub game: String,
    /// The round, from 0.
    pub round: u32,
    /// The players' lines, in the order of the roles; `random` for chance.
    pub players: Vec<String>,
    /// Its seed.
    pub seed: u64,
    /// What came of it.
    pub outcome: Outcome,
    /// Joint moves.
    pub steps: u32,
    /// For every role moves that came late.
    pub late: Vec<u32>,
    /// For every role moves that were missing or not legal.
    pub illegal: Vec<u32>,
    /// When it began, in milliseconds since 1970; with the next all that depends on the clock.
    pub begun: u64,
    /// How long it took.
    pub seconds: f64,
}

/// What came of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It came to an end, with these goal values in the order of the roles.
    Ended(Vec<i32>),
    /// It has no result, for this reason.
    Unfinished(String),
}

/// What stands for a player, or for chance: the player that draws its moves.
pub(super) fn line(plan: &Plan, player: Option<usize>) -> &str {
    player.map_or(CHANCE, |player| &plan.players[player].line)
}

/// Who plays the role `random`.
const CHANCE: &str = "random";

impl Played {
    /// What came of a fixture.
    pub(super) fn new(plan: &Plan, fixture: &Fixture, result: Result<&Match, String>, begun: u64) -> Played {
        let line = |player: &Option<usize>| line(plan, *player).to_owned();
        let mut played = Played {
            number: fixture.number,
            game: plan.games[fixture.place.game].name.clone(),
            round: fixture.place.round,
            players: fixture.players.iter().map(line).collect(),
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
            Err(why) => return Played { outcome: Outcome::Unfinished(why), ..played },
        };
        played.steps = played_match.moves.len() as u32;
        for (role, played_move) in played_match.moves.iter().flat_map(|step| step.iter().enumerate()) {
            match played_move.fault {
                Some(Fault::Late { .. }) => played.late[role] += 1,
                Some(Fault::Illegal(_) | Fault::Missing) => played.illegal[role] += 1,
                None => {}
            }
        }
        let whole =
            played_match.goals.as_ref().map(|goals| goals.iter().copied().collect::<Option<Vec<i32>>>());
        played.outcome = match whole {
            Some(Some(goals)) => Outcome::Ended(goals),
            Some(None) => Outcome::Unfinished("the rules give a role no goal value, or several".to_owned()),
            None if played.steps == plan.most_steps => Outcome::Unfinished(format!(
                "no end after {} {}",
                plan.most_steps,
                plural(plan.most_steps.into(), "joint move", "joint moves")
            )),
            None => Outcome::Unfinished("a role had no legal move".to_owned()),
        };
        played
    }

    /// Whether it is the match of this fixture.
    pub(super) fn is(&self, plan: &Plan, fixture: &Fixture) -> bool {
        let line = |player: &Option<usize>| line(plan, *player);
        self.number == fixture.number
            && self.game == plan.games[fixture.place.game].name
            && self.seed == fixture.seed
            && self.players.iter().eq(fixture.players.iter().map(line))
            && [self.late.len(), self.illegal.len()] == [fixture.players.len(); 2]
            && matches!(&self.outcome, Outcome::Ended(goals) if goals.len() == fixture.players.len())
                | matches!(self.outcome, Outcome::Unfinished(_))
    }

    /// What the match is worth to a player, in 0..1: the share of pairs of a role of its and one of its opponent's in
    /// which its goal value is higher, a pair of equal values as half. In games of two roles 1, 0.5 or 0; in others the
    /// mean rank of its roles, scaled (Mann and Whitney 1947). Chance is nobody's opponent. None without a result.
    pub fn score(&self, fixture: &Fixture, player: usize) -> Option<f64> {
        let Outcome::Ended(goals) = &self.outcome else { return None };
        let (mut halves, mut pairs) = (0_u32, 0_u32);
        let opponent = |of: Option<usize>| of.is_some_and(|of| of != player);
        for (&own, _) in goals.iter().zip(&fixture.players).filter(|&(_, &of)| of == Some(player)) {
            for (other, _) in goals.iter().zip(&fixture.players).filter(|&(_, &of)| opponent(of)) {
                halves += match own.cmp(other) {
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

    /// The score of a player; 9 stands for chance.
    fn score(players: &[usize], goals: &[i32], player: usize) -> Option<f64> {
        let place = Place { game: 0, pairing: Some(0), round: 0 };
        let players = players.iter().map(|&player| (player < 9).then_some(player)).collect();
        let fixture = Fixture { number: 0, place, players, seed: 0, opening: 0 };
        let played = Played {
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
        played.score(&fixture, player)
    }

    #[test]
    fn scores_compare_goal_values() {
        assert_eq!([score(&[0, 1], &[60, 40], 0), score(&[0, 1], &[60, 40], 1)], [Some(1.0), Some(0.0)]);
        assert_eq!(score(&[1, 0], &[50, 50], 0), Some(0.5));
        // Of three roles: 0 has two, and one above that of 1 and one equal to it.
        assert_eq!(score(&[0, 1, 0], &[100, 50, 50], 0), Some(0.75));
        assert_eq!(score(&[0, 1, 0], &[100, 50, 50], 1), Some(0.25));
        assert_eq!(score(&[0], &[100], 0), None);
        // Chance is met by nobody.
        assert_eq!(score(&[9, 1, 0], &[100, 50, 60], 0), Some(1.0));
        assert_eq!(score(&[0, 9], &[100, 50], 0), None);
    }
}
