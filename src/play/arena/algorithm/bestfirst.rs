//! Memory-bounded best-first search as a player.

use crate::catalog::TypedOption;
use crate::evaluation::Kind;
use crate::search::{BestFirstOptions as SearchOptions, SingleAgentSearch};
use crate::structure::finding::Turns;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{DEPTH, MEMORY, NODES, bytes};

pub(super) struct BestFirst;

const PLY: TypedOption<f64> =
    TypedOption::real("ply", 0.001, [0.0, 1.0], "", "cost of a ply as a share of the function's range");
const DEEP: TypedOption<u64> = TypedOption::integer(
    "deep",
    2,
    [0, 1_000_000],
    "states",
    "interval at which the best of the deepest states is expanded; 0: never",
);

crate::options! {
    pub(super) struct BestFirstOptions {
        depth: u64 = DEPTH,
        nodes: u64 = NODES,
        memory: f64 = MEMORY,
        ply: f64 = PLY,
        deep: u64 = DEEP,
    }
}

impl Algorithm for BestFirst {
    type Options = BestFirstOptions;

    const ABOUT: About = About {
        name: "bestfirst",
        title: "best-first search in bounded memory; follows the path that it found",
        games: Games::OneRole,
        chance: false,
        handles: "games of one role",
        source: "Russell 1992 (SMA*); Kaindl and Khorsand 1994",
        functions: FunctionUse::Named,
        text: include_str!("../../search/single_agent/bestfirst.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &BestFirstOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        let function = context.function(context.role)?;
        let own =
            SearchOptions { memory: bytes(options.memory), ply: options.ply, deep: options.deep as u32 };
        let search = SingleAgentSearch::best_first(context.setting(), Some(&function), own)?;
        Ok(context.player(search).depth(options.depth).nodes(options.nodes))
    }

    fn candidates(game: &GameClass) -> Vec<Candidate> {
        if game.turns != Turns::SinglePlayer {
            return Vec::new();
        }
        // The fuzzy function measures the distance to the goal; others only show which states went well in random play.
        let fuzzy = game.kinds.iter().find(|&&kind| kind == Kind::Fuzzy).or(game.kinds.first());
        let line = |kind: &Kind| format!("{}:{}", BestFirst::ABOUT.name, kind.name());
        fuzzy.map(|kind| Candidate { line: line(kind), place: 0, is_slow: true }).into_iter().collect()
    }
}
