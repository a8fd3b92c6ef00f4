//! # What it does
//! Chooses a player that suits the game by what the analysis found.
//!
//! # How
//! For one role: best-first search, which stores its path. For several roles: UCT guided by functions, which lets every
//! role pursue its own goals and needs no order of simultaneous moves. In two-player zero-sum games, alpha-beta with
//! any of the functions may be stronger, or minimax with mixed strategies for simultaneous moves. Trial matches decide
//! between them, once per game, because random play can't show it. Options of `auto` that the chosen player also has
//! are passed on to it.
//!
//! Functions can be learned from self-play if the game has two roles and no chance, and if its network can be evaluated
//! in lanes. This needs a start clock of 8 seconds or more.
//!
//! For remote managers (`ggp serve`), the player learns while the start clock runs. UCT and alpha-beta with the learned
//! functions meet in trial matches. The better one plays as soon as it wins clearly more of them than the player chosen
//! before.
//!
//! In tournaments and matches of this program, the player learns once per game, within the time of the start clock. UCT
//! guided by the learned functions then plays, unless another player, such as alpha-beta with them, is better in trial
//! matches in the rest of that time. The option `prepare` sets this time, so that a tournament can have a short start
//! clock. A move of a trial match takes at least 20 ms, and at most as long as in the match.
//!
//! # Guarantee
//! None: a player that is stronger in short trials is probably, but not always, stronger with more time. With the
//! option `nodes` there are no trials, and the choice is the same on any computer. The limit `--nodes` of a match or
//! tournament does not have this effect.
//!
//! # Cost
//! Trial matches take the time of the option `trial`, or longer if the time for learning leaves more.
//!
//! # Example
//! In Connect Four: `guct:statistical+fuzzy`, unless another player wins clearly more trial matches.
//!
//! # Source
//! None; `reports/strength_auto` has measurements.

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
    "of trial matches for each game; 0: choose by roles, teams and turns only",
);

pub(in crate::arena) const LEARN: TypedOption<f64> = TypedOption::real(
    "learn",
    0.85,
    [0.0, 1.0],
    "",
    "share of the start clock for learning and trying functions; 0: none",
);

pub(in crate::arena) const PREPARE: TypedOption<f64> = TypedOption::real(
    "prepare",
    0.0,
    [0.0, 3600.0],
    "seconds",
    "for learning and trying functions, instead of a share of the start clock",
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
        // With a limit of nodes, only the class of the game decides: trial matches depend on the clock, so runs would
        // differ. Trial matches are for two players without chance.
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
        let why = format!("auto plays as {line}: {}{trials}", reason_text(&class));
        let player = context.maker.player(context.game, line, context.options, context.role, context.seed)?;
        Ok(SearchPlayer { name: context.line.to_owned(), note: Some(why), ..player })
    }
}

/// The properties of the game that the choice depends on.
fn class(context: &PlayerContext<'_, '_>) -> GameClass {
    let structures = context.structures();
    // Candidates need a function for each role, to predict the others or to play their roles in trials.
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

/// The reason for the choice of the candidates, as text.
fn reason_text(game: &GameClass) -> String {
    if game.kinds.is_empty() {
        return "the game has no suitable evaluation function".to_owned();
    }
    let turns = match game.turns {
        Turns::SinglePlayer => return "one role plays".to_owned(),
        Turns::Alternating => "roles take turns",
        Turns::Simultaneous => "roles move at once",
    };
    let sum = match game.zero_sum {
        true => "the game is zero-sum",
        false => "goals are not zero-sum",
    };
    match game.teams {
        1 if game.roles == 1 => "one role plays, and chance".to_owned(),
        1 => format!("all roles are one team, {turns}"),
        teams => format!("{teams} teams, {turns}, {sum}"),
    }
}
