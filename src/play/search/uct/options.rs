//! Options of UCT.

use crate::catalog::Choice;

/// Options of UCT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UctOptions {
    /// C, the weight of exploration, for goal values from 0 to 1.
    pub exploration: f64,
    /// The temperature of moves in playouts: the lower, the more good moves are preferred. None for uniform moves.
    pub temperature: Option<f64>,
    /// Limit of memory for the tree, in bytes.
    pub memory: usize,
    /// Joint moves after which a playout is truncated; none for [`StepLimit::of`](crate::simulate::StepLimit::of) the
    /// game.
    pub max_steps: Option<u32>,
    /// Playouts at once, in lanes, from a new state and its children; 0 for one at a time with MAST. Games without lanes
    /// always play one at a time.
    pub lanes: u32,
    /// Most new states that share a pass of lanes. With a clock there are fewer if finding them takes longer than their
    /// playouts. Each one is found as if those before it were lost (virtual loss, Chaslot, Winands and van den Herik
    /// 2008), so that they differ.
    pub leaves: u32,
    /// Up to this number of legal moves, all are tried before any is tried twice. With more, an untried move counts as
    /// one visit with the mean of all results (first-play urgency, Gelly and Wang 2006), because the search may end
    /// before all are tried.
    pub all_first: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// How a function guides the search, if there is one.
    pub guide: Guide,
    /// The model of opponents.
    pub opponent: OpponentModel,
}

impl Default for UctOptions {
    /// C 0.4, temperature 0.25 and 512 MiB. The first two are CadiaPlayer's values (40 and 1 of 100 goal points), from
    /// memory, on another scale.
    fn default() -> Self {
        UctOptions {
            exploration: 0.4,
            temperature: Some(0.25),
            memory: 512 << 20,
            max_steps: None,
            lanes: 0,
            leaves: 1,
            all_first: 100,
            seed: 1,
            guide: Guide::default(),
            opponent: OpponentModel::Search,
        }
    }
}

/// The model of the opponents' moves in states of the tree. Playouts don't depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpponentModel {
    /// They search like the role itself.
    Search,
    /// They play the move with the greatest value by their function, the first of several.
    Greedy,
    /// They play each move with the same probability.
    Random,
}

impl Choice for OpponentModel {
    const WORDS: &'static [&'static str] = &["search", "greedy", "random"];
    const ALL: &'static [OpponentModel] =
        &[OpponentModel::Search, OpponentModel::Greedy, OpponentModel::Random];
}

/// The four ways in which an evaluation function guides UCT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guide {
    /// The probability that it replaces a whole playout.
    pub replace: f64,
    /// The probability, at each state of a playout, that it ends the playout.
    pub cutoff: f64,
    /// Whether untried moves are tried in the order of their values.
    pub order: bool,
    /// The number of visits that it counts as in a new state.
    pub prior: u32,
}

impl Default for Guide {
    /// Cutoffs with probability 0.1, the value of the source, from memory.
    fn default() -> Self {
        Guide { replace: 0.0, cutoff: 0.1, order: false, prior: 0 }
    }
}
