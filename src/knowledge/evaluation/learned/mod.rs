//! # What it does
//! Learns an evaluation function for each role from self-play: a weighted sum of facts, and of facts that hold together (or with
//! free places), taken as the log-odds of the role's share of its goal value.
//!
//! # How
//! In rounds. Each round plays games, takes samples from them, fits new models to the samples, and compares the new models with
//! the old ones in further games. It keeps them unless they lose.
//!
//! *Self-play.* The games of the first round are random, in lanes if the game suits lanes, with one sample each. In later rounds
//! every role follows its model: it draws moves by the softmax of the values after them, plays some random moves at the beginning,
//! and now and then one later. It values at most ten moves, or 64 in lanes. If lanes value states and there is one player, or two
//! with opposed goals, the best moves are valued again by the best reply to each.
//!
//! *Samples.* The target of a state is TD(λ): a part λ from further on in the game, the rest from the value of the next state, or
//! the value backed up from replies. After a random move, the target is the value of the best move unless the random one turned
//! out better. Some states after moves that were not played are samples too.
//!
//! *Fit.* Weights are fitted by logistic regression on shares of the goal value (0 to 1) with a ridge penalty and steps that become
//! smaller (Adagrad), until the loss on the held-out tenth of the games grows; if it hardly falls, with shorter steps too. Facts that
//! agree in an argument share a weight besides their own, because a piece is worth about the same on every square. Facts and
//! conjunctions that symmetries of the rules (at most 64) take to each other have the same weight; symmetries that exchange the sides
//! give the opposite one, from the second round on, unless they increase the loss. If a fact shows whose turn it is, weights may
//! depend on it.
//!
//! *Growth.* Each round adds conjunctions of two or three facts: parts of goal and terminal conditions, and those with the largest mean
//! residual compared with its standard error. A conjunction may also ask that none of a group of mutually exclusive facts holds,
//! such as those of a cell: so a row counts only if its missing places are free. Fewer games, and games that are explained less,
//! allow fewer conjunctions.
//!
//! *Pruning.* The last three of twelve rounds add nothing. They keep the terms that change values most, as many as lanes value in
//! a microsecond or two or in an eighth of a step of the game, and fit them again. In the end weights are rounded to the coarsest grid
//! that gives up at most a hundredth of what the function explains of held-out games.
//!
//! # Guarantee
//! Values lie between the least and the greatest goal value of the role. The same seed and work give the same function on
//! any number of threads. An interrupt leaves the result of the last complete round.
//!
//! # Cost
//! Learning takes the work that it is given, half a minute by default, in fewer rounds if games are expensive. A value examines each
//! fact that holds and the conjunctions whose rarest fact it is, or those of the facts that changed since the last valued state.
//!
//! # Example
//! `ggp learn games/connect_four.kif`; then `ggp play games/connect_four.kif alphabeta:learned uct`.
//!
//! # Source
//! Samuel 1959; Tesauro 1995 (temporal differences); Buro, "From Simple Features to Sophisticated Evaluation Functions",
//! 1998 (weighted conjunctions; he takes all that occur often, not those with large residuals); Veness, Silver, Uther and Blair,
//! "Bootstrapping from Game Tree Search", 2009 (states that were not played); Silver, Sutton and Müller, "Reinforcement Learning of
//! Local Shape in the Game of Go", 2007 (weights shared by symmetry); Duchi, Hazan and Singer 2011 (Adagrad).

mod error;
mod fit;
mod function;
mod learn;
mod model;
mod parameters;
mod schedule;
mod self_play;
mod task;

pub use error::LearningError;
pub use function::{LearnedError, LearnedFunction, LearnedTerm, LearnedTurn, LearningRound};
pub use learn::{LearnedFunctions, learn};
pub use parameters::{LearnedParameterError, LearnedParameters};
