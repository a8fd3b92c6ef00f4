//! MTD(f) as a player.

use crate::search::{AlphaBetaOptions, Deepening, Method};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{CLOCK, DEPTH, HISTORY, KILLERS, NODES, PVS, TABLE, bytes};

pub(super) struct Mtdf;

crate::options! {
    pub(super) struct MtdfOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        history: bool = HISTORY,
        killers: bool = KILLERS,
        pvs: bool = PVS,
        clock: bool = CLOCK,
    }
}

impl Algorithm for Mtdf {
    type Options = MtdfOptions;

    const ABOUT: About = About {
        name: "mtdf",
        title: "MTD(f) with iterative deepening",
        games: Games::All,
        chance: false,
        handles: "as alphabeta",
        source: "Plaat, Schaeffer, Pijls and de Bruin 1996; Walędzik and Mańdziuk 2014",
        functions: FunctionUse::Named,
        text: include_str!("../../search/mtdf.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &MtdfOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let tree = AlphaBetaOptions {
            table: bytes(options.table),
            history: options.history,
            killers: options.killers,
            null_window: options.pvs,
            clock: options.clock,
            ..AlphaBetaOptions::default()
        };
        let function = context.function_since_root(context.role)?;
        let search = Deepening::new(context.setting(), &function, Method::Mtdf, tree)?;
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }
}
