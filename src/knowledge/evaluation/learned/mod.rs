//! # What it does
//! Learns an evaluation function for each role from self-play: a weighted sum of facts and of conjunctions of facts. A
//! conjunction may also require that places are free. The sum is the log-odds of the role's share of its goal value.
//!
//! # How
//! Learning has several rounds. Each round plays games, takes samples from them, and fits new models to the samples.
//! Then it compares the new models with the old ones in further games, and keeps the new ones unless they lose.
//!
//! *Self-play.* The games of the first round are random, in lanes if the game suits lanes, with one sample each. In
//! later rounds every role follows its model: it draws moves by the softmax of the values after them. It plays some
//! random moves at the beginning, and occasionally one later. It evaluates at most ten moves, or 64 in lanes. In
//! games of one player, or of two with opposed goals, the best moves are evaluated again by the best reply to each,
//! if lanes evaluate states.
//!
//! *Samples.* The target of a state is TD(λ). A share λ of it comes from later in the game. The rest comes from the
//! value of the next state, or from the value backed up from replies. After a random move, the target is the value of
//! the best move unless the random one had a better result. Some states after moves that were not played are samples
//! too.
//!
//! *Fit.* Weights are fitted by logistic regression on shares of the goal value (0 to 1), with a ridge penalty and
//! decreasing steps (Adagrad). The fit ends when the loss on the held-out tenth of the games grows. If the loss hardly
//! falls, shorter steps are tried too. Facts that agree in an argument share a weight in addition to their own weights,
//! because a piece has about the same value on every square.
//!
//! *Symmetries.* Facts and conjunctions that symmetries of the rules (at most 64) map to each other have the same
//! weight. Symmetries that exchange the sides give the opposite weight, from the second round on, unless they
//! increase the loss. If a fact shows whose turn it is, weights may depend on it.
//!
//! *Growth.* Each round adds conjunctions of two or three facts: parts of goal and terminal conditions, and those
//! with the largest mean residual compared with its standard error. A conjunction may also require that none of a
//! group of mutually exclusive facts holds, such as the contents of a cell. So a row counts only if its missing
//! places are free. Fewer conjunctions are added if games are few, or if the model explains little of their results.
//!
//! *Pruning.* The last three of twelve rounds add nothing. They keep the terms that change values most, and fit them
//! again. The limit is the number of terms that lanes evaluate in a microsecond or two, or in an eighth of a step of
//! the game. At the end, weights are rounded to the coarsest grid that loses at most a hundredth of the explained
//! variance of held-out games.
//!
//! # Guarantee
//! Values lie between the least and the greatest goal value of the role. The same seed and work give the same
//! function on any number of threads. An interrupt keeps the result of the last complete round.
//!
//! # Cost
//! Learning takes the work that the option `work` sets, half a minute by default. If games are expensive, there are
//! fewer rounds. A value examines each fact that holds and the conjunctions whose rarest fact it is, or those of the
//! facts that changed since the last evaluated state.
//!
//! # Example
//! `ggp learn games/connect_four.kif --out learned`; then
//! `ggp play games/connect_four.kif --player red=alphabeta:./learned --player yellow=uct`.
//!
//! # Source
//! Samuel 1959; Tesauro 1995 (temporal differences); Buro, "From Simple Features to Sophisticated Evaluation
//! Functions", 1998 (weighted conjunctions; he takes all frequent ones, not those with large residuals); Veness,
//! Silver, Uther and Blair, "Bootstrapping from Game Tree Search", 2009 (states that were not played); Silver, Sutton
//! and Müller, "Reinforcement Learning of Local Shape in the Game of Go", 2007 (weights shared by symmetry); Duchi,
//! Hazan and Singer 2011 (Adagrad).

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
