//! Makes players of the registry for a game.
//!
//! An algorithm makes its player from a `PlayerContext` (game, role, functions by name, options). This file refuses games
//! that an algorithm can't play, such as those with chance or hidden moves, and sorts the candidates of `auto`.

use crate::gdl::information::Information;
use std::time::Duration;

use crate::catalog::{CatalogEntry, OptionValues};

use super::algorithm::{ALGORITHMS, AlgorithmEntry, Candidate, GameClass, Games, PlayerContext, PlayerMaker};
use super::prepared_game::{PrepareError, PreparedGame};
use super::search_player::SearchPlayer;
use super::spec::PlayerSpec;
use super::trial::{TrialError, Trials};

/// Limit of the time for compiling lanes before a match.
const COMPILING: Duration = Duration::from_millis(500);

/// The only algorithm that can play without seeing all moves.
const RANDOM: &str = "random";

/// Makes a player of a game for a role; `seed` distinguishes players that use random numbers.
///
/// # Errors
/// The algorithm can't play the game, or its evaluation function does not exist or does not fit.
///
/// # Panics
/// The game has no such role.
pub fn make_player<'m>(
    game: &PreparedGame<'m>,
    spec: &PlayerSpec,
    role: usize,
    seed: u64,
) -> Result<SearchPlayer<'m>, PrepareError> {
    check_fit(game, spec.algorithm)?;
    if spec.algorithm.name() != RANDOM {
        game.machine().compile_for_moves(COMPILING);
    }
    spec.algorithm.player(&PlayerContext {
        game,
        role,
        seed,
        line: &spec.to_string(),
        functions: &spec.function_names(),
        options: &spec.options,
        maker: &Registry,
    })
}

/// Checks that an algorithm plays this kind of game.
fn check_fit(game: &PreparedGame<'_>, algorithm: &AlgorithmEntry) -> Result<(), PrepareError> {
    let games = algorithm.about().games;
    let teams = game.structures().teams.len().max(1);
    let roles = game.machine().description().roles.len();
    let named = |fits: &dyn Fn(Games) -> bool| -> Vec<&'static str> {
        let fitting = ALGORITHMS.iter().filter(|entry| fits(entry.about().games));
        fitting.map(AlgorithmEntry::name).collect()
    };
    let player = algorithm.name();
    let information = Information::of(game.machine().description());
    if information.hidden && player != RANDOM {
        return Err(PrepareError::Hidden { player });
    }
    if information.random_role.is_some() && !algorithm.about().chance {
        let fitting: Vec<&str> =
            ALGORITHMS.iter().filter(|entry| entry.about().chance).map(AlgorithmEntry::name).collect();
        return Err(PrepareError::Chance { player, fitting: fitting.join(", ") });
    }
    if !games.have_teams(teams) {
        let fitting = named(&|games| games.have_teams(teams) && games.have_roles(roles));
        let teams = if teams == 1 { "one team".to_owned() } else { format!("{teams} teams") };
        return Err(PrepareError::Unfit { player, teams, fitting: fitting.join(", ") });
    }
    if !games.have_roles(roles) {
        let fitting = named(&|games| games.have_roles(roles));
        let fitting: Vec<String> = fitting.iter().map(|name| format!("`{name}`")).collect();
        return Err(PrepareError::ForOne { player, roles, fitting: fitting.join(", ") });
    }
    Ok(())
}

/// Makes players of all algorithms.
struct Registry;

impl PlayerMaker for Registry {
    fn player<'m>(
        &self,
        game: &PreparedGame<'m>,
        line: &str,
        options: &OptionValues,
        role: usize,
        seed: u64,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let mut spec: PlayerSpec = line.parse()?;
        spec.options.fill_from(options, &spec.algorithm.options());
        make_player(game, &spec, role, seed)
    }

    fn candidates(&self, game: &GameClass) -> Vec<Candidate> {
        let fitting = ALGORITHMS.iter().filter(|algorithm| algorithm.about().chance || !game.chance);
        let mut candidates: Vec<Candidate> =
            fitting.flat_map(|algorithm| algorithm.candidates(game)).collect();
        candidates.sort_by_key(|candidate| candidate.place);
        candidates
    }
}

/// The index of the newcomer that should replace the player `current`, and the number of trial matches; none if
/// `current` should stay. The first half of `time` finds the best newcomer. In the second half, it must be clearly
/// better than `current`. Players are texts as on the command line.
///
/// # Errors
/// A player does not fit the game, or a state can't be evaluated.
pub fn successor(
    game: &PreparedGame<'_>,
    current: &str,
    newcomers: &[&str],
    time: Duration,
    seed: u64,
) -> Result<Option<(usize, u32)>, PrepareError> {
    let specs = newcomers.iter().chain([&current]).map(|line| line.parse::<PlayerSpec>());
    let specs = specs.collect::<Result<Vec<_>, _>>()?;
    let make = |number: usize, role: usize, seed: u64| make_player(game, &specs[number], role, seed);
    Trials::new(game, &make, seed).successor(newcomers.len(), time).map_err(TrialError::prepare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Kind;
    use crate::structure::finding::Turns;

    fn lines(game: &GameClass) -> Vec<String> {
        Registry.candidates(game).into_iter().map(|candidate| candidate.line).collect()
    }

    /// The candidates of the studies of strength.
    #[test]
    fn candidates_follow_the_class_of_the_game() {
        let kinds = vec![Kind::Statistical, Kind::Fuzzy, Kind::Kuhlmann];
        let duel = GameClass {
            roles: 2,
            teams: 2,
            turns: Turns::Alternating,
            chance: false,
            zero_sum: true,
            kinds,
            learned: None,
        };
        let alternating = [
            "guct:statistical+fuzzy",
            "uct,lanes=512,leaves=16,exploration=0.2",
            "alphabeta:statistical",
            "alphabeta:fuzzy",
            "alphabeta:kuhlmann",
        ];
        assert_eq!(lines(&duel), alternating);
        let slow = Registry.candidates(&duel).iter().filter(|candidate| candidate.is_slow).count();
        assert_eq!(slow, 2);
        let learned = GameClass { learned: Some("learned(work=12)".to_owned()), ..duel.clone() };
        let [guided, plain, fast @ ..] = alternating;
        let mut with_learned = vec!["guct:learned(work=12)", "alphabeta:learned(work=12)", plain, guided];
        with_learned.extend(fast);
        assert_eq!(lines(&learned), with_learned);
        let at_once = lines(&GameClass { turns: Turns::Simultaneous, ..duel.clone() });
        assert_eq!(at_once[..5], alternating);
        assert_eq!(at_once[5..], ["mixed:statistical", "mixed:fuzzy", "mixed:kuhlmann"]);
        let three = GameClass { roles: 3, teams: 3, ..duel.clone() };
        assert_eq!(lines(&three), ["guct:statistical+fuzzy"]);
        assert_eq!(lines(&GameClass { zero_sum: false, ..duel.clone() }), ["guct:statistical+fuzzy"]);
        let kinds = vec![Kind::Kuhlmann];
        assert_eq!(lines(&GameClass { kinds, ..three.clone() }), ["guct:kuhlmann"]);
        let one = GameClass { roles: 1, teams: 1, turns: Turns::SinglePlayer, ..duel.clone() };
        assert_eq!(lines(&one), ["bestfirst:fuzzy"]);
        let kinds = vec![Kind::Statistical];
        assert_eq!(lines(&GameClass { kinds, ..one.clone() }), ["bestfirst:statistical"]);
        for game in [duel, three, one] {
            assert_eq!(lines(&GameClass { kinds: Vec::new(), ..game }), ["uct"]);
        }
    }
}
