//! Several alpha-beta searches as one player.

use crate::catalog::TypedOption;
use crate::search::{AlphaBetaOptions, Deepening, Ensemble as Search, Method, Searcher, Worker};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{DEPTH, NODES, TABLE, bytes};

pub(super) struct Ensemble;

const THREADS: TypedOption<u64> = TypedOption::integer(
    "threads",
    0,
    [0, 1024],
    "threads",
    "searches at work at once; 0 for as many as there are cores",
);

crate::options! {
    pub(super) struct EnsembleOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        threads: u64 = THREADS,
    }
}

impl Algorithm for Ensemble {
    type Options = EnsembleOptions;

    const ABOUT: About = About {
        name: "ensemble",
        title: "several alpha-beta searches, each with a function of its own; a proof, else the deepest counts",
        games: Games::All,
        chance: false,
        handles: "as alphabeta",
        source: "Kuhlmann, Dresner and Stone 2006",
        functions: FunctionUse::Chosen,
        text: include_str!("../../search/ensemble/mod.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &EnsembleOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let setting = context.setting();
        let functions = context.game.best_of_each(context.role);
        let table = bytes(options.table) / (functions.len() + 1);
        let each = AlphaBetaOptions { table, ..AlphaBetaOptions::default() };
        let mut workers: Vec<Box<dyn Worker + 'm>> = Vec::new();
        for function in functions {
            let search = Deepening::new(setting.clone(), function, Method::Aspiration, each)?;
            workers.push(Box::new(Searcher::new(function.id(), Box::new(search))));
        }
        let plain = Deepening::plain(setting, Method::Aspiration, each);
        workers.push(Box::new(Searcher::exhaustive(Box::new(plain))));
        let search = Search::new(workers, Ensemble::threads(options));
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }

    fn threads(options: &EnsembleOptions) -> usize {
        match options.threads as usize {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}
