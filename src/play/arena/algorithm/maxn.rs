//! Max^n as a player.

use crate::evaluation::Function;
use crate::search::{Maxn as Search, MaxnOptions as SearchOptions, Teams};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{CLOCK, DEPTH, NODES, TABLE, bytes};

pub(super) struct Maxn;

crate::options! {
    pub(super) struct MaxnOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        clock: bool = CLOCK,
    }
}

impl Algorithm for Maxn {
    type Options = MaxnOptions;

    const ABOUT: About = About {
        name: "maxn",
        title: "max^n with iterative deepening: every team maximises its own goal value",
        games: Games::SeveralTeams,
        chance: false,
        handles: "two or more teams; each is assumed to know the choices of those before it",
        source: "Luckhardt and Irani 1986; Korf 1991",
        functions: FunctionUse::Named,
        text: include_str!("../../search/maxn.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &MaxnOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let teams = Teams::from_structures(context.machine(), context.structures(), context.role)?;
        let all = (0..teams.len()).map(|team| context.function(teams.representative(team)));
        let all: Vec<Function> = all.collect::<Result<_, _>>()?;
        let functions: Vec<&Function> = all.iter().collect();
        let own =
            SearchOptions { table: bytes(options.table), clock: options.clock, ..SearchOptions::default() };
        let search = Search::new(context.machine(), context.role, teams, &functions, own)?;
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }
}
