//! What UCT is tuned by.

use crate::catalog::Choice;

/// What UCT is tuned by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UctOptions {
    /// C: how much moves seldom tried are preferred, where goal values go from 0 to 1.
    pub exploration: f64,
    /// How much less likely worse moves are in playouts; none where all are equally likely.
    pub temperature: Option<f64>,
    /// Bytes that the known states may take.
    pub memory: usize,
    /// Joint moves after which a playout is truncated; none for as many as [`StepLimit::of`](crate::simulate::StepLimit::of) the game.
    pub max_steps: Option<u32>,
    /// Playouts at once, in lanes, from a state that is new and its children; 0 for one at a time, by averages of
    /// moves. Where a game has no lanes it is one at a time.
    pub lanes: u32,
    /// New states at most that share a pass of lanes; by the clock fewer, where finding them takes longer than their playouts. Each after the first is found as if the ones before it had come to nothing
    /// (virtual loss, Chaslot, Winands and van den Herik 2008), so that they differ.
    pub leaves: u32,
    /// Legal moves of a role up to which all are tried before any is tried twice. Of more an untried one counts as if it had been
    /// tried once and had come to as much as the others on average (first-play urgency, Gelly and Wang 2006), as a search may
    /// end before all of them are tried.
    pub all_first: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// How a function guides it, where there is one.
    pub guide: Guide,
    /// What opponents are taken to do.
    pub opponent: OpponentModel,
}

impl Default for UctOptions {
    /// C 0.4 and temperature 0.25 (values remembered of CadiaPlayer: 40 and 1 of 100, on another scale), 512 MiB.
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

/// What the roles against whom a search is made are taken to do in the states that it keeps. Playouts are the same
/// whatever they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpponentModel {
    /// They search as the role itself does.
    Search,
    /// They make the move whose successor their function values most, the first of equal ones.
    Greedy,
    /// They draw their moves, each as often as any other.
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
    /// The chance that it stands for a whole playout.
    pub replace: f64,
    /// The chance, at each state of a playout, that it ends it.
    pub cutoff: f64,
    /// Whether moves not tried yet are tried in the order of their states' values.
    pub order: bool,
    /// The number of visits as which it counts in a new state.
    pub prior: u32,
}

impl Default for Guide {
    /// Cut off with a chance of a tenth (remembered of the source).
    fn default() -> Self {
        Guide { replace: 0.0, cutoff: 0.1, order: false, prior: 0 }
    }
}
