//! Alpha-beta as a player.

use crate::evaluation::Kind;
use crate::search::{AlphaBetaOptions as SearchOptions, ChanceSearch, Deepening, LazySmp};
use crate::structure::finding::Turns;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{CLOCK, DEPTH, KILLERS, NODES, PVS, SHARING_THREADS, TABLE, bytes};

pub(super) struct AlphaBeta;

crate::options! {
    pub(super) struct AlphaBetaOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        table: f64 = TABLE,
        killers: bool = KILLERS,
        pvs: bool = PVS,
        clock: bool = CLOCK,
        threads: u64 = SHARING_THREADS,
    }
}

impl Algorithm for AlphaBeta {
    type Options = AlphaBetaOptions;

    const ABOUT: About = About {
        name: "alphabeta",
        title: "alpha-beta with iterative deepening",
        games: Games::All,
        chance: true,
        handles: "all games; assumes that all other teams play against it (paranoid) and know its \
                  simultaneous move; takes the mean over moves of `random`",
        source: "Knuth and Moore 1975; Kuhlmann, Dresner and Stone 2006",
        functions: FunctionUse::Named,
        text: include_str!("../../search/alpha_beta.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &AlphaBetaOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let tree = SearchOptions {
            table: bytes(options.table),
            killers: options.killers,
            null_window: options.pvs,
            clock: options.clock,
            ..SearchOptions::default()
        };
        let function = context.function_since_root(context.role)?;
        if let Some(search) = ChanceSearch::new(context.setting(), &function, tree.table)? {
            let player = context.player(search).depth(options.depth).nodes(options.nodes);
            let one = || "games of chance are searched with one thread; remove `threads`".to_owned();
            return Ok(SearchPlayer { note: (options.threads > 1).then(one), ..player });
        }
        let search = |tree| Deepening::new(context.setting(), &function, tree);
        let player = match options.threads {
            1 => context.player(search(tree)?),
            threads => context.player(LazySmp::of_threads(threads, tree, search)?),
        };
        Ok(player.depth(options.depth).nodes(options.nodes))
    }

    fn threads(options: &AlphaBetaOptions) -> usize {
        options.threads as usize
    }

    fn candidates(game: &GameClass) -> Vec<Candidate> {
        if !game.is_duel() && !game.is_cooperation() {
            return Vec::new();
        }
        let candidate = |kind: &Kind| Candidate {
            line: format!("{}:{}", AlphaBeta::ABOUT.name, kind.name()),
            place: 3,
            is_slow: false,
        };
        // A learned function predicts a result one or two plies better than random play, so short trials suffice.
        let learned = game.learned.iter().filter(|_| game.is_duel() && game.turns == Turns::Alternating);
        let learned = learned.map(|name| Candidate {
            line: format!("{}:{name}", AlphaBeta::ABOUT.name),
            place: 1,
            is_slow: true,
        });
        learned.chain(game.kinds.iter().map(candidate)).collect()
    }
}
