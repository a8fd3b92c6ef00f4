//! # What it does
//! Learns an evaluation function for each role from games in which every role follows what was learned so far: weights
//! of facts, and of facts that hold together (where others do not), whose sum tells the share of the goal value to be had.
//!
//! # How
//! In rounds. The first plays at random, in lanes where the game suits them: such games are played by the hundred thousand, and one
//! state of each is learned from. In the later ones every role plays a move after which its function says much
//! (softmax over the states after its moves, of which ten are drawn where there are more, 64 where lanes value them), but for some random moves at the beginning and a
//! chance of a random move later. Many games go on side by side, so that their states are looked at together. Where lanes value
//! states and there is one player, or two of whom one gets what the other does not, the moves of most value are valued again by
//! the best answer to each: a game in which both walk into every threat says little of what states are worth. Where games are so dear
//! that a round would have few, or rounds take more than their share of the work, there are fewer rounds.
//!
//! The target of a state is TD(λ): λ of it from further on in the game, the rest from the next state's value. Where a
//! move was drawn at random, the state counts as what the best move was worth, unless the drawn one turned out better. Where
//! answers were looked at, what they leave of the best move takes the place of the next state's value, and some states after
//! moves that were not played are learned from with what answers leave of them.
//!
//! Weights are fitted by logistic regression on shares of the goal value (0 to 1) with a ridge penalty, in steps that
//! become smaller for a fact the more often it was seen (Adagrad), until the loss on a tenth of the games that were kept
//! back grows; where that makes it hardly less, with shorter steps as well, of which what is best is taken. What the fit leaves
//! unexplained, summed over states in which two facts hold together, tells which pairs say more than their parts; later rounds add a
//! third fact to pairs. There are no more conjunctions than the games tell weights of: the fewer, the less of what was to come is told.
//! Half of the room is for pairs and threes that are parts of what a goal or an end asks for, which the rules tell. Instead of a fact a conjunction may ask that none holds of a group
//! of facts that exclude each other, such as those of a cell: so a row counts only where its missing places are free.
//! Facts and conjunctions that symmetries of the game take to each other have one weight, as a stone and its mirror image, or, with
//! the other sign, what one colour has and the other: what was seen of one was seen of all of them. The symmetries are those of the
//! rules' propositional network, 64 of them at most; those that change sides count from the second round on, unless what is told of games
//! kept back becomes less, as where it matters who began.
//! While weights are fitted, facts that agree in an argument have a weight in common besides their own, as a piece is worth
//! about the same wherever it stands. Where a fact tells whose turn it is, weights may differ by it, if that tells more of
//! games kept back: a threat is worth more to who may carry it out at once.
//!
//! After each round the new functions meet the old ones. Only if they don't lose, they replace them. The last three of twelve rounds add
//! nothing, but fit anew the terms that change values most, so many as lanes value in a microsecond or two, or an eighth of what a
//! step of the game takes; in the end weights are rounded to the coarsest grid that costs a hundredth of what the function tells of games kept back at most.
//!
//! # Guarantee
//! Values lie between the least and the greatest goal value of the role. The same seed and work give the same function on
//! any number of threads. Where it is interrupted, what the last whole round gave is what there is.
//!
//! # Cost
//! Learning takes what its work says, half a minute by default. A value takes a look at each fact that holds and at the
//! conjunctions that it is the rarest fact of, or at those of the facts that changed since the state valued before.
//!
//! # Example
//! `ggp learn games/connect_four.kif`; then `ggp play games/connect_four.kif alphabeta:learned uct`.
//!
//! # Source
//! Samuel 1959; Tesauro 1995 (temporal differences); Buro, "From Simple Features to Sophisticated Evaluation Functions",
//! 1998 (weighted conjunctions); Veness, Silver, Uther and Blair, "Bootstrapping from Game Tree Search", 2009 (states beside the
//! game); Silver, Sutton and Müller, "Reinforcement Learning of Local Shape in the Game of Go", 2007 (weights shared by symmetry);
//! Duchi, Hazan and Singer 2011 (Adagrad). Buro takes all conjunctions that occur often
//! enough; here those whose residuals are largest beside their standard error.

mod answers;
mod classes;
mod conjunctions;
mod descent;
mod error;
mod fit;
mod fitting;
mod function;
mod goal_conjunctions;
mod group;
mod growth;
mod holding;
mod learn;
mod lightened;
mod matches;
mod mutex_groups;
mod nearby;
mod none_of;
mod parameters;
mod policy;
mod random_games;
mod samples;
mod schedule;
mod select;
mod self_play;
mod table;
mod ties;
mod turns;
mod written;

pub use error::LearningError;
pub use function::{LearnedError, LearnedFunction, LearnedTerm, LearnedTurn, LearningRound};
pub use learn::{LearnedFunctions, learn};
pub use parameters::{LearnedParameterError, LearnedParameters};
