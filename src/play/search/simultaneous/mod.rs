//! # What it does
//! Minimax with mixed strategies: the mean that a role can guarantee with simultaneous moves, and a probability for each
//! move.
//!
//! # How
//! Iterative deepening, as in alpha-beta. If one side has a choice, a state has the value of its best or worst child. If
//! both have, the children's values form a matrix game, which is solved as a linear program (`payoffs`).
//!
//! Most children need not be searched. Each has an interval for its value, and only children that are likely under both
//! sides' current strategies are searched. The value is found when the bounds from both sides meet. Intervals come from
//! the table, and from searches in which one side knows the other's choice. These need no linear program: if the others
//! know the role's move, the value is a lower bound; if it knows theirs, an upper bound. Dominated rows and columns are
//! removed, and a saddle point needs no linear program. As in `alphabeta`, the table ignores step counters.
//!
//! The move is drawn from the root's strategy by the seed; all roles of a side draw the same choice. Goal values are
//! assumed to have a constant sum, so the others minimise the role's value.
//!
//! # Guarantee
//! The value is that of the full matrix games to the same depth, to 1e-6 of a goal point per ply. It is proved if no
//! estimate is left in it. The strategy then gets at least this value on average against any opponents. The same seed and
//! nodes give the same move.
//!
//! # Cost
//! A linear program of 10 by 10 takes about 50 microseconds, as long as some tens to hundreds of states. A matrix of more
//! than 16,384 cells is not solved: its safest row is played, and its value remains an interval.
//!
//! # Example
//! Rock, paper, scissors: 50 goal points, each move with probability 1/3.
//!
//! # Source
//! von Neumann 1928; Dantzig 1951; Saffidine, Finnsson and Buro, "Alpha-Beta Pruning for Games with Simultaneous Moves",
//! AAAI 2012; Bošanský, Lisý, Čermák, Vítek and Pěchouček, "Using Double-Oracle Method and Serialized Alpha-Beta Search
//! for Pruning in Simultaneous Move Games", IJCAI 2013.

mod depth_search;
mod interval;
mod interval_table;
mod matrix_node;
mod options;
mod payoffs;
mod tree_position;

pub use options::SimultaneousOptions;

use rustc_hash::FxHashMap;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{MachineError, MoveId, State};
use crate::simulate::Choices;

use super::context::SearchContext;
use super::iterative_deepening::DepthLimited;
use super::leaf::Leaf;
use super::limits::{Halt, Meter};
use super::result::SearchResult;
use depth_search::DepthSearch;

/// Minimax with mixed strategies, for one role.
pub struct SimultaneousSearch<'m> {
    depth_search: DepthSearch<'m>,
    /// How often each state was searched, by its hash; each search draws anew.
    asked: FxHashMap<u64, u64>,
    /// The random number from 0 to 1 that selects the move.
    place: f64,
}

impl<'m> SimultaneousSearch<'m> {
    /// A search with an evaluation function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(
        context: SearchContext<'m>,
        function: &Function,
        options: SimultaneousOptions,
    ) -> Result<SimultaneousSearch<'m>, FunctionError> {
        let leaf = Leaf::in_lanes(context.machine, function)?;
        Ok(SimultaneousSearch {
            depth_search: DepthSearch::new(context, leaf, options),
            asked: FxHashMap::default(),
            place: 0.0,
        })
    }

    /// A search without an evaluation function.
    pub fn plain(context: SearchContext<'m>, options: SimultaneousOptions) -> SimultaneousSearch<'m> {
        let leaf = Leaf::none(context.machine);
        SimultaneousSearch {
            depth_search: DepthSearch::new(context, leaf, options),
            asked: FxHashMap::default(),
            place: 0.0,
        }
    }

    /// A random number from 0 to 1 by side, state, and number of searches of the state.
    fn chance(&mut self) -> f64 {
        let key = self.depth_search.key();
        let times = self.asked.entry(key).or_default();
        *times += 1;
        let side = self.depth_search.context.allies.iter().position(|&ally| ally).unwrap_or(0) as u64;
        let mut choices = Choices::new(self.depth_search.options.seed ^ key, (*times << 8) | side);
        choices.below(1 << 30) as f64 / f64::from(1 << 30)
    }
}

/// Bound of rounding errors in a proof, in goal points.
const ROUNDING: f64 = 1e-4;

impl DepthLimited for SimultaneousSearch<'_> {
    fn begin(&mut self, state: &State, result: &mut SearchResult) -> Result<Option<i32>, MachineError> {
        let goal = self.depth_search.begin(state)?;
        if goal.is_none() {
            result.action = self.depth_search.any;
            self.place = self.chance();
        }
        Ok(goal)
    }

    fn search_to_depth(
        &mut self,
        depth: u32,
        meter: &mut Meter<'_>,
        result: &mut SearchResult,
    ) -> Result<(), Halt> {
        let bounds = self.depth_search.root(depth, meter)?;
        result.proved = bounds.sure.high - bounds.sure.low <= ROUNDING;
        let value = if result.proved { bounds.sure } else { bounds.here };
        result.value = Some(rounded((value.low + value.high) / 2.0));
        let context = &self.depth_search.context;
        let lost = result.proved && bounds.sure.high <= f64::from(context.rewards[0]) + ROUNDING;
        // If the position is lost, the strategy of the last unproved depth delays the loss most.
        if !lost || depth == 1 {
            let [ours, theirs] = self.depth_search.mixtures(result.proved);
            result.action = drawn(&ours, self.place).map(|joint| joint[context.role]);
            result.principal_variation = expected(&ours, &theirs, &context.allies).into_iter().collect();
            result.mixture = of_role(&ours, context.role);
        }
        Ok(())
    }
}

/// Joint moves with their probabilities; only the moves of one side count.
type Mixture = [(Vec<MoveId>, f64)];

/// Rounds to the digits that are exact.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The joint move selected by a number from 0 to 1.
fn drawn(mixture: &Mixture, chance: f64) -> Option<&[MoveId]> {
    let mut left = chance;
    let chosen = mixture.iter().find(|(_, share)| {
        left -= share;
        left < 0.0
    });
    chosen.or(mixture.last()).map(|(joint, _)| joint.as_slice())
}

/// The joint move with the highest probability.
fn expected(ours: &Mixture, theirs: &Mixture, allies: &[bool]) -> Option<Vec<MoveId>> {
    let likeliest = |mixture: &Mixture| {
        let better = |best: usize, next: usize| if mixture[next].1 > mixture[best].1 { next } else { best };
        (0..mixture.len()).reduce(better).map(|number| mixture[number].0.clone())
    };
    let (ours, theirs) = (likeliest(ours)?, likeliest(theirs)?);
    let sides = ours.iter().zip(theirs).zip(allies);
    Some(sides.map(|((&own, other), &ally)| if ally { own } else { other }).collect())
}

/// The probability of each move of a role, the likeliest first.
fn of_role(mixture: &Mixture, role: usize) -> Vec<(MoveId, f64)> {
    let mut moves: Vec<(MoveId, f64)> = Vec::new();
    for (joint, share) in mixture {
        match moves.iter_mut().find(|(action, _)| *action == joint[role]) {
            Some((_, sum)) => *sum += share,
            None => moves.push((joint[role], *share)),
        }
    }
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    moves
}
