//! Iterative deepening over the distance to the goal as a player.

use crate::catalog::TypedOption;
use crate::search::{IdaOptions as SearchOptions, SingleAgentSearch};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{DEPTH, NODES, TABLE, bytes};

pub(super) struct Ida;

const SCALE: TypedOption<f64> =
    TypedOption::real("scale", 100.0, [0.0, 1e4], "plies", "that the whole range of the function counts as");

crate::options! {
    pub(super) struct IdaOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        scale: f64 = SCALE,
    }
}

impl Algorithm for Ida {
    type Options = IdaOptions;

    const ABOUT: About = About {
        name: "ida",
        title: "IDA*: iterative deepening over the distance to the goal; follows the path that it found",
        games: Games::OneRole,
        chance: false,
        handles: "games of one role",
        source: "Korf 1985 (IDA*); Sarkar, Chakrabarti, Ghose and de Sarkar 1991",
        functions: FunctionUse::Named,
        text: include_str!("../../search/single_agent/ida.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &IdaOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let function = context.function(context.role)?;
        let search_options = SearchOptions { table: bytes(options.table), scale: options.scale };
        let search = SingleAgentSearch::ida(context.setting(), Some(&function), search_options)?;
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }
}
