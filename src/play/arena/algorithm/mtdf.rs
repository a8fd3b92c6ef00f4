//! MTD(f) as a player.

use crate::search::{AlphaBetaOptions, Deepening, LazySmp};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{CLOCK, DEPTH, KILLERS, NODES, SHARING_THREADS, TABLE, bytes};

pub(super) struct Mtdf;

crate::options! {
    pub(super) struct MtdfOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        killers: bool = KILLERS,
        clock: bool = CLOCK,
        threads: u64 = SHARING_THREADS,
    }
}

impl Algorithm for Mtdf {
    type Options = MtdfOptions;

    const ABOUT: About = About {
        name: "mtdf",
        title: "MTD(f) with iterative deepening",
        games: Games::All,
        chance: false,
        handles: "the same games as alphabeta, except games of chance",
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
            killers: options.killers,
            clock: options.clock,
            ..AlphaBetaOptions::default()
        };
        let function = context.function_since_root(context.role)?;
        let search = |tree| {
            let search = Deepening::new(context.setting(), &function, tree)?;
            Ok::<_, PrepareError>(search.by_empty_windows())
        };
        let player = match options.threads {
            1 => context.player(search(tree)?),
            threads => context.player(LazySmp::of_threads(threads, tree, search)?),
        };
        Ok(player.depth(options.depth).nodes(options.nodes))
    }

    fn threads(options: &MtdfOptions) -> usize {
        options.threads as usize
    }
}
