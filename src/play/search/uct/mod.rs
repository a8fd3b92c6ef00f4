//! # What it does
//! UCT: plays the game on from the state many times, looks most often where it went well, and gives the move it played
//! most.
//!
//! # How
//! A simulation goes down the states it knows; there every role chooses for itself, by the mean of what came of a move
//! and how seldom it was tried: mean + C sqrt(ln n / n_move). So opponents are taken to want their own goals, and moves
//! made at the same time need no order; a role that draws its moves has each as often as any other. Where it meets a new state it adds it and plays on at random, moves that were
//! good in other playouts being likelier (MAST). What comes of it goes to all moves on the way. States that are
//! proved, up from terminal ones, are not played from again. What is known is kept from move to move.
//! All moves are tried before any is tried twice, but in states that have more than `all_first`: there one that was not tried
//! counts as if it had been once, with what came of all on average (first-play urgency), as there may be no time to try all.
//! Of moves played as often the one of which more came is given.
//!
//! Where it is asked to, it plays hundreds of playouts at once in lanes from the children of each new state, all moves
//! being equally likely in them: each child begins with the mean of its own, as if it had been tried once. Several new
//! states may share these playouts (`leaves`): until they are over, each counts as lost, so that the next one is another
//! (virtual loss). The same number of playouts is worth far more so, see `reports/passes.md`; where playouts are so quick that finding
//! states takes much longer, there are fewer of them in the time of a move.
//!
//! Guided by an evaluation function (Walędzik and Mańdziuk 2014), in any of four ways: the function stands for a
//! playout with a chance, ends it at each of its states with a chance, orders moves not tried yet, or counts as so many
//! visits of a new state. Its values count as what they mean, the share of the goal value that random play gets from
//! such states. In lanes only the last way is open, where the moves of all new states that share a pass are valued together by lanes,
//! too, if they can compute the functions.
//!
//! Opponents may be modelled (opponent-model search, Iida and others 1993): in the states that are kept they make the move that their own
//! function likes best, or draw it. Then values are right if they do, and nothing is proved.
//!
//! On several threads each has a tree and a seed of its own; what they know of the moves in question is put together
//! at the end (root parallelisation, Cazenave and Jouandeau 2007).
//!
//! # Guarantee
//! The same seed and number of nodes give the same move on any machine. Proved values are right.
//!
//! # Cost
//! A simulation steps the machine once for each state on the way. Memory is bounded: where it is used up no more states
//! are added.
//!
//! # Example
//! `uct?nodes=10000`; `uct?lanes=512&leaves=16` where the game has lanes.
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
