//! The matches of a plan, in the order of their numbers. A round has all games, a game all pairings, and a pairing one
//! match for each assignment of its two players to the roles in which both take part. A player paired with itself plays
//! one match. In games of one role every player plays alone. The role `random` is not counted.
//!
//! The seed of a match is computed from the tournament's seed, the rules, the round and the players. It does not change
//! if other games, players or rounds are added.

use crate::gdl::identity::sha256;

use super::super::spec::seed_text;
use super::plan::Plan;

/// The position of a match in the schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The game's number.
    pub game: usize,
    /// The pairing's number; none in games of one role.
    pub pairing: Option<usize>,
    /// The round, from 0.
    pub round: u32,
}

/// A match of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub number: u64,
    /// Its position in the schedule.
    pub place: Place,
    /// The players' numbers, in the order of the roles; none for chance.
    pub players: Vec<Option<usize>>,
    /// Seed of random choices in the match.
    pub seed: u64,
    /// Seed of the opening, which all matches of a game in a round share.
    pub opening: u64,
}

impl Fixture {
    /// The seed for the player of a role.
    pub fn seed_of(&self, role: usize) -> u64 {
        seed(&format!("{}\n{role}", self.seed))
    }
}

/// All matches of a plan.
#[derive(Clone, Debug)]
pub struct Schedule<'p> {
    plan: &'p Plan,
    /// [`seed_text`] of each player.
    lines: Vec<String>,
    /// Game, pairing and players of the matches of a round.
    round: Vec<(usize, Option<usize>, Vec<Option<usize>>)>,
}

impl<'p> Schedule<'p> {
    /// The matches of a plan.
    pub fn new(plan: &'p Plan) -> Schedule<'p> {
        let mut round = Vec::new();
        for (number, game) in plan.games.iter().enumerate() {
            let seats = game.seats();
            let with_chance = |mut players: Vec<Option<usize>>| {
                if let Some(chance) = game.chance {
                    players.insert(chance, None);
                }
                players
            };
            if seats == 1 {
                let alone = |player| (number, None, with_chance(vec![Some(player)]));
                round.extend((0..plan.players.len()).map(alone));
                continue;
            }
            for (pairing, pair) in plan.pairings.iter().enumerate() {
                // The mask has a bit for each role, the highest for the first role: the player of the pair that plays
                // it.
                let seated = |mask: u32| {
                    let of = (0..seats).rev().map(|seat| Some(pair[(mask >> seat) as usize & 1]));
                    with_chance(of.collect())
                };
                // If one player has all roles, all assignments are the same.
                let masks = if pair[0] == pair[1] { 1..2 } else { 1..(1 << seats) - 1 };
                round.extend(masks.map(|mask| (number, Some(pairing), seated(mask))));
            }
        }
        let lines = plan.players.iter().map(|player| seed_text(&player.line)).collect();
        Schedule { plan, lines, round }
    }

    /// Matches of a round.
    pub fn per_round(&self) -> u64 {
        self.round.len() as u64
    }

    /// All matches.
    pub fn len(&self) -> u64 {
        self.per_round() * u64::from(self.plan.rounds)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The position of the match with this number, which is below [`Schedule::len`].
    pub fn place(&self, number: u64) -> Place {
        let &(game, pairing, _) = &self.round[(number % self.per_round()) as usize];
        Place { game, pairing, round: (number / self.per_round()) as u32 }
    }

    /// The match with this number, which is below [`Schedule::len`].
    pub fn fixture(&self, number: u64) -> Fixture {
        let place = self.place(number);
        let players = self.round[(number % self.per_round()) as usize].2.clone();
        let lines: Vec<&str> = players.iter().flatten().map(|&player| self.lines[player].as_str()).collect();
        let base = format!("{}\n{}\n{}", self.plan.seed, self.plan.games[place.game].rules, place.round);
        let seed_here = seed(&format!("{base}\n{}", lines.join("\n")));
        Fixture { number, place, players, seed: seed_here, opening: seed(&base) }
    }

    /// The number of assignments of roles for a pairing in a game.
    pub fn assignments(&self, game: usize, pairing: usize) -> usize {
        let [one, other] = self.plan.pairings[pairing];
        if one == other { 1 } else { (1 << self.plan.games[game].seats()) - 2 }
    }
}

/// A seed of 53 bits from a text, so that every reader of JSON can represent it exactly.
fn seed(text: &str) -> u64 {
    let digits = sha256(text.as_bytes());
    u64::from_str_radix(&digits[..16], 16).unwrap_or(0) >> 11
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::gdl::Negation;

    use super::super::super::log::LogHeader;
    use super::super::plan::{Header, PlanGame, PlanPlayer, Thinking};
    use super::super::played::PlayedMatch;
    use super::*;

    fn plan(roles: &[usize], players: &[&str]) -> Plan {
        let game = |(number, &roles): (usize, &usize)| PlanGame {
            name: format!("game{number}"),
            rules: format!("rules of {roles} roles"),
            negation: Negation::default(),
            roles: (0..roles).map(|role| role.to_string()).collect(),
            chance: None,
        };
        let player = |line: &&str| PlanPlayer { line: (*line).to_owned(), document: None };
        Plan {
            games: roles.iter().enumerate().map(game).collect(),
            players: players.iter().map(player).collect(),
            pairings: Plan::all_pairs(&(0..players.len()).collect::<Vec<_>>()),
            thinking: Thinking::by_nodes(1),
            rounds: 3,
            opening: 2,
            most_steps: 9,
            seed: 1,
            sprt: None,
            version: String::new(),
        }
    }

    fn all(plan: &Plan) -> Vec<Fixture> {
        let schedule = Schedule::new(plan);
        (0..schedule.len()).map(|number| schedule.fixture(number)).collect()
    }

    #[test]
    fn players_play_every_role_equally_often() {
        let plan = plan(&[2, 1, 3], &["a", "b", "c"]);
        let fixtures = all(&plan);
        // A round: three pairings of two assignments, three players alone, three pairings of six assignments.
        assert_eq!(fixtures.len(), 3 * (6 + 3 + 18));
        for game in 0..3 {
            for role in 0..plan.games[game].roles.len() {
                let plays = |player: usize| {
                    let of = fixtures.iter().filter(|fixture| fixture.place.game == game);
                    of.filter(|fixture| fixture.players[role] == Some(player)).count()
                };
                assert!((1..3).all(|player| plays(player) == plays(0)), "game {game}, role {role}");
            }
        }
        assert_eq!(
            (fixtures[0].players.as_slice(), fixtures[1].players.as_slice()),
            (&[Some(0), Some(1)][..], &[Some(1), Some(0)][..])
        );
        let seeds: BTreeSet<u64> = fixtures.iter().map(|fixture| fixture.seed).collect();
        assert_eq!(seeds.len(), fixtures.len());
        let openings: BTreeSet<u64> = fixtures.iter().map(|fixture| fixture.opening).collect();
        assert_eq!(openings.len(), 3 * 3, "one for a game in a round");
    }

    #[test]
    fn the_role_of_chance_has_no_player() {
        let mut plan = plan(&[3, 2], &["a", "b"]);
        plan.games.iter_mut().for_each(|game| game.chance = Some(1));
        let seats: Vec<Vec<Option<usize>>> =
            all(&plan).into_iter().take(4).map(|fixture| fixture.players).collect();
        let wanted = [[0, 1], [1, 0]].map(|[one, other]| vec![Some(one), None, Some(other)]);
        assert_eq!(seats[..2], wanted);
        // A player that plays with chance only has no opponent.
        assert_eq!(seats[2..], [vec![Some(0), None], vec![Some(1), None]]);
        assert_eq!(plan.check(), Ok(()));
        plan.games[1].roles.truncate(1);
        plan.games[1].chance = Some(0);
        assert_eq!(plan.check(), Err(super::super::plan::PlanError::Nobody("game1".to_owned())));
    }

    #[test]
    fn a_player_that_is_listed_twice_plays_against_itself() {
        assert_eq!(Plan::all_pairs(&[0, 0]), [[0, 0]]);
        assert_eq!(Plan::all_pairs(&[0, 1, 0]), [[0, 1], [0, 0]]);
        let plan = Plan { pairings: vec![[0, 0], [0, 1]], ..plan(&[2, 3], &["a", "b"]) };
        assert_eq!(plan.check(), Ok(()));
        let schedule = Schedule::new(&plan);
        // One match of `a` against itself in each game, and two and six assignments of `a` and `b`.
        assert_eq!(schedule.per_round(), (1 + 2) + (1 + 6));
        assert_eq!([schedule.assignments(1, 0), schedule.assignments(1, 1)], [1, 6]);
        assert_eq!(schedule.fixture(0).players, [Some(0), Some(0)]);
        let seeds: BTreeSet<u64> = all(&plan).iter().map(|fixture| fixture.seed).collect();
        assert_eq!(seeds.len() as u64, schedule.len());
    }

    /// Logs of earlier versions have the second spelling, and their seeds.
    #[test]
    fn another_spelling_of_a_player_changes_nothing() {
        let here = plan(&[2], &["uct,nodes=5,seed=2", "alphabeta:fuzzy,norm=product,depth=4"]);
        let before = plan(&[2], &["uct?nodes=5&seed=2", "alphabeta:fuzzy(norm=product)?depth=4"]);
        assert_eq!(all(&here), all(&before));
        let before = Header::new(before);
        assert_eq!(before.change(&Header::new(here.clone())), None);
        let other = plan(&[2], &["uct,nodes=5,seed=3", "alphabeta:fuzzy,norm=product,depth=4"]);
        assert_eq!(
            before.change(&Header::new(other)).unwrap(),
            "its players are uct,nodes=5,seed=2, alphabeta:fuzzy,norm=product,depth=4, not uct,nodes=5,seed=3, \
             alphabeta:fuzzy,norm=product,depth=4"
        );
        let fixture = &all(&here)[0];
        let played = PlayedMatch::new(&before.plan, fixture, Err(String::new()), 0);
        assert!(played.is_result_of(&here, fixture));
        assert_eq!(played.with_canonical_players(&here, fixture).players[0], here.players[0].line);
    }

    #[test]
    fn seeds_do_not_change_with_added_games_or_players() {
        let seeds = |plan: &Plan| -> BTreeSet<(u64, u64)> {
            all(plan).into_iter().map(|fixture| (fixture.seed, fixture.opening)).collect()
        };
        let small = seeds(&plan(&[2], &["a", "b"]));
        let large = seeds(&Plan { rounds: 5, ..plan(&[3, 2], &["a", "c", "b"]) });
        assert!(small.is_subset(&large));
        assert!(small.is_disjoint(&seeds(&Plan { seed: 2, ..plan(&[2], &["a", "b"]) })));
    }
}
