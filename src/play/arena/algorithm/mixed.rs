//! Minimax with mixed strategies as a player.

use crate::evaluation::Kind;
use crate::search::{SimultaneousOptions as SearchOptions, SimultaneousSearch as Search};
use crate::structure::finding::Turns;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{CLOCK, DEPTH, NODES, SEED, TABLE, bytes};

pub(super) struct Mixed;

crate::options! {
    pub(super) struct SimultaneousOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        clock: bool = CLOCK,
        seed: u64 = SEED,
    }
}

impl Algorithm for Mixed {
    type Options = SimultaneousOptions;

    const ABOUT: About = About {
        name: "mixed",
        title: "minimax with mixed strategies for simultaneous moves",
        games: Games::TwoTeams,
        chance: false,
        handles: "two teams; best for simultaneous moves",
        source: "Saffidine, Finnsson and Buro 2012; Bošanský and others 2013",
        functions: FunctionUse::Named,
        text: include_str!("../../search/simultaneous/mod.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &SimultaneousOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let search_options = SearchOptions {
            table: bytes(options.table),
            clock: options.clock,
            seed: context.seed(options.seed),
            ..SearchOptions::default()
        };
        let search = Search::new(context.setting(), &context.function(context.role)?, search_options)?;
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }

    fn candidates(game: &GameClass) -> Vec<Candidate> {
        if !game.is_duel() || game.turns != Turns::Simultaneous {
            return Vec::new();
        }
        let candidate = |kind: &Kind| Candidate {
            line: format!("{}:{}", Mixed::ABOUT.name, kind.name()),
            place: 4,
            is_slow: false,
        };
        game.kinds.iter().map(candidate).collect()
    }
}
