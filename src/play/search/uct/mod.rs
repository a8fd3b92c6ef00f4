//! # What it does
//! UCT: plays many simulations from the state, prefers moves with good results, and plays the move with the most visits.
//!
//! # How
//! A simulation descends through the states of the tree. There each role chooses the move with the greatest mean + C
//! sqrt(ln n / n_move), where n counts the visits of the state and n_move those of the move. So good results and few
//! visits make a move attractive. Opponents thus maximise their own goals, and simultaneous moves need no order. A role
//! that moves at random plays each move with the same probability.
//!
//! At a new state, the simulation adds it to the tree and continues with random moves, among which moves with good
//! results in other playouts are likelier (MAST). The result is added to all moves on the path. States that are proved,
//! from terminal ones upwards, are not searched again. The tree is kept from move to move.
//!
//! All moves of a state are tried before any is tried twice, because there may be few simulations. In states with more
//! than `all_first` moves, an untried move counts as one visit with the mean of all results instead (first-play urgency).
//! Among moves with equally many visits, the one with the better results is played.
//!
//! With the option `lanes`, hundreds of playouts run at once in lanes, from the children of each new state. Each child
//! begins with the mean of its playouts as one visit. Several new states can share the playouts (`leaves`). Until these
//! are over, each counts as a loss, so that the next simulation finds another state (virtual loss). This makes much
//! better use of the same number of playouts (`reports/passes.md`). In games with very short playouts, finding the
//! states takes longer than the playouts, so a move gets fewer playouts.
//!
//! An evaluation function can guide the search in four ways (Walędzik and Mańdziuk 2014). With the probabilities of two
//! options, it replaces a playout, or ends it at one of its states. It can also order untried moves, or count as a
//! number of visits of a new state. Its value is calibrated: the mean share of the goal value that random play gets
//! from states of this value. With lanes, only the last method is possible. The lanes then also evaluate the moves of
//! all new states of a pass, if they can compute the functions.
//!
//! Opponents can be modelled (opponent-model search, Iida and others 1993): in the states of the tree, they play the best
//! move by their own function, or a random one. Values are then right only if they do so, and no value is proved.
//!
//! With several threads, each has its own tree and seed. The visits of the root's moves are added at the end (root
//! parallelisation, Cazenave and Jouandeau 2007).
//!
//! # Guarantee
//! The same seed and number of nodes give the same move on any computer. Proved values are right.
//!
//! # Cost
//! A simulation steps the machine once for each state on its path. Memory is bounded: if it is full, no states are added.
//!
//! # Example
//! `uct,nodes=10000`; `uct,lanes=512,leaves=16` for games with lanes.
//!
//! # Source
//! Kocsis and Szepesvári 2006; Gelly and Wang 2006 (first-play urgency); Finnsson and Björnsson 2008 (CadiaPlayer); Winands, Björnsson and Saito 2008 for proofs;
//! Chaslot, Winands and van den Herik 2008 for virtual losses and playouts from one state at once.

mod estimate_budget;
mod lanes;
mod move_estimates;
mod nodes;
mod options;
mod pass;
mod playout;
mod root_trees;
mod search;
mod tree;

pub use options::{Guide, OpponentModel, UctOptions};
pub use root_trees::RootTrees;
pub use search::Uct;
