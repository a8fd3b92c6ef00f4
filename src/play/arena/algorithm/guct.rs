//! # What it does
//! UCT guided by evaluation functions: one, or the mean of several.
//!
//! # How
//! This is UCT as in `uct`, with a function for each role. A new state begins with the value of its functions, which
//! counts as `prior` visits. Functions can also replace a playout, end it, or order untried moves. These three methods
//! guide single playouts, so in games with lanes they need `lanes=0`. Values are calibrated: a value counts as the mean
//! share of the goal value that random play gets from states of this value.
//!
//! In states of the tree, opponents can be modelled: they follow their functions, or move at random. Several threads have
//! a tree each, as in `uct`.
//!
//! # Guarantee
//! The same seed and number of nodes give the same move on any computer. Proved values are right.
//!
//! # Cost
//! The cost of UCT, and one value of each function for each move of a new state. In lanes, the values of all new states
//! of a pass are computed together.
//!
//! # Example
//! `guct:fuzzy`; with `guct:statistical+fuzzy?prior=5` the mean of two functions counts as five visits.
//!
//! # Source
//! Walędzik and Mańdziuk, "An Automatically Generated Evaluation Function in General Game Playing", IEEE Transactions on
//! Computational Intelligence and AI in Games, 2014. Iida, Uiterwijk, van den Herik and Herschberg 1993 for models of
//! opponents.

use crate::catalog::TypedOption;
use crate::evaluation::Kind;
use crate::search::{Guide, OpponentModel, RootTrees, Uct, UctOptions};
use crate::structure::finding::Turns;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{
    ALL_FIRST, EXPLORATION, LANES, LEAVES, MEMORY, NODES, OPPONENT, SEED, TEMPERATURE, TREE_THREADS, bytes,
};

pub(super) struct Guct;

const REPLACE: TypedOption<f64> = TypedOption::real(
    "replace",
    0.0,
    [0.0, 1.0],
    "",
    "probability that the function replaces a playout; needs lanes=0",
);
const CUTOFF: TypedOption<f64> = TypedOption::real(
    "cutoff",
    DEFAULT_CUTOFF,
    [0.0, 1.0],
    "",
    "probability, at each state of a playout, that the function ends it; needs lanes=0",
);
const ORDER: TypedOption<bool> =
    TypedOption::flag("order", false, "untried moves in the order of the function; with lanes=0");
const PRIOR: TypedOption<u64> =
    TypedOption::integer("prior", 2, [0, 10_000], "visits", "that the function's value counts as");

crate::options! {
    pub(super) struct GuctOptions {
        nodes: u64 = NODES,
        exploration: f64 = EXPLORATION.or(0.2),
        temperature: f64 = TEMPERATURE,
        lanes: u64 = LANES.or(512),
        leaves: u64 = LEAVES.or(16),
        all_first: u64 = ALL_FIRST,
        memory: f64 = MEMORY,
        seed: u64 = SEED,
        replace: f64 = REPLACE,
        cutoff: f64 = CUTOFF,
        order: bool = ORDER,
        prior: u64 = PRIOR,
        opponent: OpponentModel = OPPONENT,
        threads: u64 = TREE_THREADS,
    }
}

/// The default of [`CUTOFF`].
const DEFAULT_CUTOFF: f64 = 0.1;

impl GuctOptions {
    /// Refuses options that guide single playouts if these run in lanes, where they would have no effect. The default
    /// cutoff is not refused.
    fn refuse_in_lanes(&self, suits_lanes: bool) -> Result<(), PrepareError> {
        let given = [
            (self.replace > 0.0).then(|| format!("`replace={}`", self.replace)),
            (self.cutoff != DEFAULT_CUTOFF).then(|| format!("`cutoff={}`", self.cutoff)),
            self.order.then(|| "`order=1`".to_owned()),
        ];
        let given: Vec<String> = given.into_iter().flatten().collect();
        if self.lanes == 0 || !suits_lanes || given.is_empty() {
            return Ok(());
        }
        Err(PrepareError::OneByOne {
            player: Guct::ABOUT.name,
            lanes: self.lanes,
            options: given.join(" and "),
        })
    }

    /// Refuses `opponent=greedy` if roles move at the same time: the function would have to evaluate a state that also
    /// depends on the other moves.
    fn refuse_model(&self, turns: Turns) -> Result<(), PrepareError> {
        if self.opponent != OpponentModel::Greedy || turns != Turns::Simultaneous {
            return Ok(());
        }
        Err(PrepareError::Impossible {
            player: Guct::ABOUT.name,
            option: "opponent=greedy".to_owned(),
            because: "roles move at once, so the state after a move is unknown".to_owned(),
        })
    }
}

impl Algorithm for Guct {
    type Options = GuctOptions;

    const ABOUT: About = About {
        name: "guct",
        title: "UCT guided by evaluation functions: fuzzy, or the mean of several, as statistical+fuzzy",
        games: Games::All,
        chance: true,
        handles: "the same games as uct",
        source: "Walędzik and Mańdziuk 2014",
        functions: FunctionUse::Named,
        text: include_str!("guct.rs"),
    };

    fn player<'m>(
        context: &PlayerContext<'_, 'm>,
        options: &GuctOptions,
    ) -> Result<SearchPlayer<'m>, PrepareError> {
        options.refuse_in_lanes(context.machine().suits_lanes())?;
        options.refuse_model(context.structures().turns)?;
        let description = context.machine().description();
        // No function guides chance.
        let guides = |role: usize| match description.random_role() == Some(role) {
            true => Ok(Vec::new()),
            false => context.guides(role),
        };
        let guides: Vec<_> = (0..description.roles.len()).map(guides).collect::<Result<_, _>>()?;
        let uct_options = UctOptions {
            exploration: options.exploration,
            temperature: (options.temperature > 0.0).then_some(options.temperature),
            lanes: options.lanes as u32,
            leaves: options.leaves as u32,
            all_first: options.all_first as u32,
            memory: bytes(options.memory),
            seed: context.seed(options.seed),
            guide: Guide {
                replace: options.replace,
                cutoff: options.cutoff,
                order: options.order,
                prior: options.prior as u32,
            },
            opponent: options.opponent,
            ..UctOptions::default()
        };
        let tree = |uct_options| Uct::guided(context.setting(), &guides, uct_options);
        let player = match options.threads {
            1 => context.player(tree(uct_options)?),
            threads => context.player(RootTrees::of_threads(threads, uct_options, tree)?),
        };
        Ok(player.nodes(options.nodes))
    }

    fn threads(options: &GuctOptions) -> usize {
        options.threads as usize
    }

    fn candidates(game: &GameClass) -> Vec<Candidate> {
        if game.turns == Turns::SinglePlayer || game.kinds.is_empty() {
            return Vec::new();
        }
        // Kuhlmann's function is better for deep search, so it is used only if there is no other.
        let others: Vec<&str> =
            game.kinds.iter().filter(|&&kind| kind != Kind::Kuhlmann).map(|kind| kind.name()).collect();
        let all = || game.kinds.iter().map(|kind| kind.name()).collect();
        let guides: Vec<&str> = if others.is_empty() { all() } else { others };
        let guided = |guides: &str, place: u32| Candidate {
            line: format!("{}:{guides}", Guct::ABOUT.name),
            place,
            is_slow: true,
        };
        let learned = game.learned.iter().filter(|_| game.is_duel() && game.turns == Turns::Alternating);
        let mut candidates: Vec<Candidate> = learned.map(|name| guided(name, 0)).collect();
        // A learned function is a better guide.
        let place = if candidates.is_empty() { 0 } else { 2 };
        candidates.push(guided(&guides.join("+"), place));
        candidates
    }
}
