//! # What it does
//! UCT guided by evaluation functions: one, or the mean of several.
//!
//! # How
//! UCT as `uct` has it. A new state begins with the value that its functions give, as if it had been visited `prior`
//! times; functions may also stand for a playout, end it, or order the moves that were not tried yet. Every role is
//! guided by functions of its own. The last three guide playouts one at a time: where they are played in lanes they are
//! refused unless `lanes=0` is given. A value counts as what it means: the share of the goal value that random play gets
//! from states of that value.
//!
//! Opponents may be taken to follow their functions, or to draw their moves, in the states that are known.
//!
//! # Guarantee
//! The same seed and number of nodes give the same move on any machine. Proved values are right.
//!
//! # Cost
//! That of UCT, and one value of each function for every move of a new state: in lanes those of all new states of a pass are
//! valued together.
//!
//! # Example
//! `guct:fuzzy`; `guct:statistical+fuzzy?prior=5` has the mean of two functions count as five visits.
//!
//! # Source
//! Walędzik and Mańdziuk, "An Automatically Generated Evaluation Function in General Game Playing", IEEE Transactions on
//! Computational Intelligence and AI in Games, 2014. Iida, Uiterwijk, van den Herik and Herschberg 1993 for models of
//! opponents.

use crate::catalog::TypedOption;
use crate::evaluation::Kind;
use crate::search::{Guide, OpponentModel, Uct, UctOptions};
use crate::structure::finding::Turns;

use super::super::prepared_game::PrepareError;
use super::super::search_player::SearchPlayer;
use super::candidate::{Candidate, GameClass};
use super::context::PlayerContext;
use super::entry::{About, Algorithm, FunctionUse, Games};
use super::options::{
    ALL_FIRST, EXPLORATION, LANES, LEAVES, MEMORY, NODES, OPPONENT, SEED, TEMPERATURE, bytes,
};

pub(super) struct Guct;

const REPLACE: TypedOption<f64> = TypedOption::real(
    "replace",
    0.0,
    [0.0, 1.0],
    "",
    "chance that the function stands for a playout; with lanes=0",
);
const CUTOFF: TypedOption<f64> = TypedOption::real(
    "cutoff",
    USUAL_CUTOFF,
    [0.0, 1.0],
    "",
    "chance, at each state of a playout, that the function ends it; with lanes=0",
);
const ORDER: TypedOption<bool> =
    TypedOption::flag("order", false, "untried moves in the order of the function; with lanes=0");
const PRIOR: TypedOption<u64> =
    TypedOption::integer("prior", 2, [0, 10_000], "visits", "that the function counts as");

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
    }
}

/// The chance of [`CUTOFF`] where none is given.
const USUAL_CUTOFF: f64 = 0.1;

impl GuctOptions {
    /// Refuses what guides single playouts where they are played in lanes: it would change nothing. A cutoff of the usual
    /// chance is one that was not asked for.
    fn refuse_in_lanes(&self, suits_lanes: bool) -> Result<(), PrepareError> {
        let asked = [
            (self.replace > 0.0).then(|| format!("`replace={}`", self.replace)),
            (self.cutoff != USUAL_CUTOFF).then(|| format!("`cutoff={}`", self.cutoff)),
            self.order.then(|| "`order=1`".to_owned()),
        ];
        let asked: Vec<String> = asked.into_iter().flatten().collect();
        if self.lanes == 0 || !suits_lanes || asked.is_empty() {
            return Ok(());
        }
        Err(PrepareError::OneByOne {
            player: Guct::ABOUT.name,
            lanes: self.lanes,
            options: asked.join(" and "),
        })
    }

    /// Refuses a model of opponents that choose when the role does: they don't know what comes after their moves.
    fn refuse_model(&self, turns: Turns) -> Result<(), PrepareError> {
        if self.opponent != OpponentModel::Greedy || turns != Turns::Simultaneous {
            return Ok(());
        }
        Err(PrepareError::Impossible {
            player: Guct::ABOUT.name,
            option: "opponent=greedy".to_owned(),
            because: "roles move at once, so that none knows what comes after its move".to_owned(),
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
        handles: "as uct",
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
        // Nothing guides chance.
        let guides = |role: usize| match description.random_role() == Some(role) {
            true => Ok(Vec::new()),
            false => context.guides(role),
        };
        let guides: Vec<_> = (0..description.roles.len()).map(guides).collect::<Result<_, _>>()?;
        let own = UctOptions {
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
        let search = Uct::guided(context.setting(), &guides, own)?;
        Ok(context.player(search).nodes(options.nodes))
    }

    fn candidates(game: &GameClass) -> Vec<Candidate> {
        if game.turns == Turns::SinglePlayer || game.kinds.is_empty() {
            return Vec::new();
        }
        // Kuhlmann's function is left to those that look ahead, where there is another one.
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
        // What self-play taught says more.
        let place = if candidates.is_empty() { 0 } else { 2 };
        candidates.push(guided(&guides.join("+"), place));
        candidates
    }
}
