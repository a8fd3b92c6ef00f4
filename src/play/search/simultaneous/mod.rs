//! # What it does
//! Minimax with mixed strategies: what a role can be sure of on average where both sides choose at the same time, and
//! how likely it has to play each of its moves for that.
//!
//! # How
//! Iterative deepening, as in alpha-beta. A state where one side has a choice takes the best or the worst of its children.
//! Where both have, the children's values are a matrix game, solved as a linear program (`payoffs`). Not all children
//! need be searched: each has an interval in which its value lies, and only those are looked at that stand where the
//! mixture the role's side hopes for meets the one that the others fear; the value is found when hope and fear agree.
//! The intervals come from the table, and from searches where one side knows the other's choice, which need no linear
//! program: what the role gets where the others know its moves is the least, where it knows theirs the most. Rows and
//! columns that are dominated are left out; a saddle point is a value without a program. The table leaves out what only
//! counts steps, as that of `alphabeta` does.
//!
//! The move is drawn from the root's mixture with the seed; the roles of one side draw the same choice. Goal values
//! are taken to have a constant sum: the others want what the role does not.
//!
//! # Guarantee
//! The value is that of the full matrix games to the same depth, to 1e-6 of a goal point for each ply; proved where no
//! estimate is left in it. Whatever the others do, the mixture gets a proved value on average. Same seed and nodes, same
//! move.
//!
//! # Cost
//! A linear program of 10 by 10 takes some 50 microseconds, as long as some tens to hundreds of states. One of more than
//! 16,384 cells is not tried: the safest row stands for it, and its value stays an interval.
//!
//! # Example
//! Rock, paper, scissors: 50 goal points, each move with a third.
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
    /// How often each state was asked for, by its hash: another draw each time.
    asked: FxHashMap<u64, u64>,
    /// Where in its mixture the move is drawn, 0 to 1.
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

    /// A search that knows nothing of states that are not terminal.
    pub fn plain(context: SearchContext<'m>, options: SimultaneousOptions) -> SimultaneousSearch<'m> {
        let leaf = Leaf::none(context.machine);
        SimultaneousSearch {
            depth_search: DepthSearch::new(context, leaf, options),
            asked: FxHashMap::default(),
            place: 0.0,
        }
    }

    /// A number from 0 to 1 for the side, the state, and how often it came.
    fn chance(&mut self) -> f64 {
        let key = self.depth_search.key();
        let times = self.asked.entry(key).or_default();
        *times += 1;
        let side = self.depth_search.context.allies.iter().position(|&ally| ally).unwrap_or(0) as u64;
        let mut choices = Choices::new(self.depth_search.options.seed ^ key, (*times << 8) | side);
        choices.below(1 << 30) as f64 / f64::from(1 << 30)
    }
}

/// A proof may be off by what rounding adds up to, in goal points.
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
        let found = self.depth_search.root(depth, meter)?;
        result.proved = found.sure.high - found.sure.low <= ROUNDING;
        let value = if result.proved { found.sure } else { found.here };
        result.value = Some(rounded((value.low + value.high) / 2.0));
        let context = &self.depth_search.context;
        let lost = result.proved && found.sure.high <= f64::from(context.rewards[0]) + ROUNDING;
        // Where all is lost, what the last depth held against it is lost latest.
        if !lost || depth == 1 {
            let [ours, theirs] = self.depth_search.mixtures(result.proved);
            result.action = drawn(&ours, self.place).map(|joint| joint[context.role]);
            result.principal_variation = expected(&ours, &theirs, &context.allies).into_iter().collect();
            result.mixture = of_role(&ours, context.role);
        }
        Ok(())
    }
}

/// Joint moves, of which those of one side count, each with how likely it is.
type Mixture = [(Vec<MoveId>, f64)];

/// To the digits that rounding leaves.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// The joint move at a place from 0 to 1.
fn drawn(mixture: &Mixture, chance: f64) -> Option<&[MoveId]> {
    let mut left = chance;
    let chosen = mixture.iter().find(|(_, share)| {
        left -= share;
        left < 0.0
    });
    chosen.or(mixture.last()).map(|(joint, _)| joint.as_slice())
}

/// The likeliest joint move.
fn expected(ours: &Mixture, theirs: &Mixture, allies: &[bool]) -> Option<Vec<MoveId>> {
    let likeliest = |mixture: &Mixture| {
        let better = |best: usize, next: usize| if mixture[next].1 > mixture[best].1 { next } else { best };
        (0..mixture.len()).reduce(better).map(|number| mixture[number].0.clone())
    };
    let (ours, theirs) = (likeliest(ours)?, likeliest(theirs)?);
    let sides = ours.iter().zip(theirs).zip(allies);
    Some(sides.map(|((&own, other), &ally)| if ally { own } else { other }).collect())
}

/// How likely each move of a role is, the likeliest first.
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
