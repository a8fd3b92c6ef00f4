//! UCT as a player.

use crate::search::{OpponentModel, RootTrees, Uct as Search, UctOptions as SearchOptions};

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{
    ALL_FIRST, EXPLORATION, LANES, LEAVES, MEMORY, NODES, OPPONENT, SEED, TEMPERATURE, TREE_THREADS, bytes,
};

pub(super) struct Uct;

crate::options! {
    pub(super) struct UctOptions {
        nodes: u64 = NODES,
        exploration: f64 = EXPLORATION,
        temperature: f64 = TEMPERATURE,
        lanes: u64 = LANES,
        leaves: u64 = LEAVES,
        all_first: u64 = ALL_FIRST,
        memory: f64 = MEMORY,
        seed: u64 = SEED,
        opponent: OpponentModel = OPPONENT,
        threads: u64 = TREE_THREADS,
    }
}

impl Algorithm for Uct {
    type Options = UctOptions;

    const ABOUT: About = About {
        name: "uct",
        title: "UCT with averages of moves (MAST)",
        games: Games::All,
        chance: true,
        handles: "all games; every role maximises its own goal value",
        source: "Kocsis and Szepesvári 2006; Finnsson and Björnsson 2008",
        functions: FunctionUse::None,
        text: include_str!("../../search/uct/mod.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &UctOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        if options.opponent == OpponentModel::Greedy {
            let because = "it has no function for predicting opponents; use `guct:FUNCTION`".to_owned();
            let (player, option) = (Uct::ABOUT.name, "opponent=greedy".to_owned());
            return Err(PrepareError::Impossible { player, option, because });
        }
        let own = SearchOptions {
            exploration: options.exploration,
            temperature: (options.temperature > 0.0).then_some(options.temperature),
            lanes: options.lanes as u32,
            leaves: options.leaves as u32,
            all_first: options.all_first as u32,
            memory: bytes(options.memory),
            seed: context.seed(options.seed),
            opponent: options.opponent,
            ..SearchOptions::default()
        };
        let tree = |own| Ok::<_, PrepareError>(Search::plain(context.setting(), own));
        let player = match options.threads {
            1 => context.player(tree(own)?),
            threads => context.player(RootTrees::of_threads(threads, own, tree)?),
        };
        Ok(player.nodes(options.nodes))
    }

    fn threads(options: &UctOptions) -> usize {
        options.threads as usize
    }

    fn candidates(game: &GameClass) -> Vec<Candidate> {
        // Games without functions have no other candidate; in duels UCT without them may be stronger.
        let options = match game.kinds.is_empty() {
            true => "",
            false if game.is_duel() => ",lanes=512,leaves=16,exploration=0.2",
            false => return Vec::new(),
        };
        vec![Candidate { line: format!("{}{options}", Uct::ABOUT.name), place: 1, is_slow: true }]
    }
}
