//! # What it does
//! Plays as the player that suits the game, by what was found out about it.
//!
//! # How
//! One role: best-first search, which keeps the way it finds. Several: UCT guided by functions, which takes every role
//! to want its own goals and needs no order of moves made at the same time. Where two roles play for what the other
//! loses, alpha-beta may be better, by any function, or minimax with mixed strategies where they move at once: which,
//! is found out in trial matches, once a game, as random play does not tell. Options that the chosen player has as well
//! go to it.
//!
//! In games of two roles without chance that have lanes it learns functions from self-play, where the start clock has time for that
//! (8 seconds and more). As a player for remote managers (`ggp serve`) it does so while that clock runs, and UCT or alpha-beta by these
//! functions, whichever is better in trial matches, plays as soon as it wins clearly more of them than what was chosen; in
//! tournaments and matches here it does so once a game, as much as the clock had time for: UCT guided by these functions plays,
//! unless another one, as alpha-beta by them, shows that it is better in trial matches, which take what is left of that time.
//! With `prepare` it takes those seconds instead, so that matches of a tournament can have a short start clock.
//! Moves of trial matches take as long as lets some of them end, 20 ms at least, the clock's own at most.
//!
//! # Guarantee
//! None: that a player is stronger in short trials makes it likely to be with more time, not sure. With a limit of nodes
//! there are no trials, and the choice is the same on any machine.
//!
//! # Cost
//! The seconds of trial matches that `trial` gives.
//!
//! # Example
//! In Connect Four: `guct:statistical+fuzzy`, unless one of the others wins clearly more trial matches.
//!
//! # Source
//! None; `reports/strength_auto` has what it is worth.

use std::time::Duration;

use crate::catalog::TypedOption;
use crate::structure::finding::Turns;

use super::super::prepared_game::{PrepareError, SUITABLE};
use super::super::search_player::SearchPlayer;
use super::super::trial::{TrialError, Trials};
use super::candidate::GameClass;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{NODES, SEED};

pub(super) struct Auto;

const TRIAL: TypedOption<f64> = TypedOption::real(
    "trial",
    6.0,
    [0.0, 600.0],
    "seconds",
    "of trial matches, once a game; 0: by roles, teams and turns alone",
);

pub(in crate::arena) const LEARN: TypedOption<f64> = TypedOption::real(
    "learn",
    0.85,
    [0.0, 1.0],
    "",
    "share of the start clock in which functions are learned and tried; 0: none",
);

pub(in crate::arena) const PREPARE: TypedOption<f64> = TypedOption::real(
    "prepare",
    0.0,
    [0.0, 3600.0],
    "seconds",
    "in which functions are learned and tried, where it is not to be a share of the start clock",
);

crate::options! {
    pub(super) struct AutoOptions {
        nodes: u64 = NODES,
        trial: f64 = TRIAL,
        learn: f64 = LEARN,
        prepare: f64 = PREPARE,
        seed: u64 = SEED,
    }
}

impl Algorithm for Auto {
    type Options = AutoOptions;

    const ABOUT: About = About {
        name: "auto",
        title: "selected automatically by the game's roles, teams and turns",
        games: Games::All,
        chance: true,
        handles: "all games",
        source: "",
        functions: FunctionUse::Chosen,
        text: include_str!("auto.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &AutoOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let class = class(context);
        let candidates = context.maker.candidates(&class);
        // Players that count states are compared by nothing but their class: a clock would make each run another.
        // Trial matches seat two players, and nobody that draws.
        let tries = candidates.len() > 1 && options.trial > 0.0 && options.nodes == 0 && !class.chance;
        let (chosen, tried) = if tries {
            let mut known = context.game.tried();
            match *known {
                Some(found) => found,
                None => {
                    let slow = candidates.iter().take_while(|candidate| candidate.is_slow).count();
                    let make = |number: usize, role: usize, seed: u64| {
                        let line = &candidates[number].line;
                        context.maker.player(context.game, line, &Default::default(), role, seed)
                    };
                    let learning = context.game.learning();
                    let time = learning.map_or(Duration::ZERO, |learning| learning.trials);
                    let time = time.max(Duration::try_from_secs_f64(options.trial).unwrap_or_default());
                    let trials = Trials::new(context.game, &make, context.seed);
                    let found = trials.strongest(candidates.len(), slow, time);
                    let found = found.map_err(TrialError::prepare)?;
                    *known.insert(found)
                }
            }
        } else {
            (0, 0)
        };
        let line = &candidates[chosen].line;
        let trials = if tried > 0 { format!("; the best in {tried} trial matches") } else { String::new() };
        let why = format!("auto plays as {line}: {}{trials}", because(&class));
        let player = context.maker.player(context.game, line, context.options, context.role, context.seed)?;
        Ok(SearchPlayer { name: context.line.to_owned(), note: Some(why), ..player })
    }
}

/// What is known of the game.
fn class(context: &PlayerContext<'_, '_>) -> GameClass {
    let structures = context.structures();
    // Candidates take all roles to have a function, to foresee what others want or to sit in their place in trials.
    let players = || context.machine().description().players();
    let has = |kind| players().all(|role| context.game.has(kind, role));
    GameClass {
        roles: players().count(),
        teams: structures.teams.len(),
        turns: structures.turns,
        chance: context.machine().description().random_role().is_some(),
        zero_sum: structures.zero_sum,
        kinds: SUITABLE.into_iter().filter(|&kind| has(kind)).collect(),
        learned: context.game.learning().map(|learning| learning.name.clone()),
    }
}

/// Why the candidates are what they are.
fn because(game: &GameClass) -> String {
    if game.kinds.is_empty() {
        return "the game has no evaluation function that would do".to_owned();
    }
    let turns = match game.turns {
        Turns::SinglePlayer => return "one role plays".to_owned(),
        Turns::Alternating => "roles take turns",
        Turns::Simultaneous => "roles move at once",
    };
    let sum = match game.zero_sum {
        true => "one's gain is the other's loss",
        false => "goals are no zero-sum",
    };
    match game.teams {
        1 if game.roles == 1 => "one role plays, and chance".to_owned(),
        1 => format!("all roles are one team, {turns}"),
        teams => format!("{teams} teams, {turns}, {sum}"),
    }
}
