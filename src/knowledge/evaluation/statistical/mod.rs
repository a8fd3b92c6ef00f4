//! # What it does
//! Learns a linear evaluation function for each role from random play: a weighted sum of the expressions of the rules
//! that are stable and go with the outcome.
//!
//! # How
//! Components are the features that count solutions of an expression, differences of two of them, coordinates, values of
//! quantities, sums along orders, flags and latches; with `all_features` also those of other families. 1,000 short sequences of positions come from random playouts, each from
//! another one. The label of a sequence is the mean goal value of 10 more playouts from its last position.
//! Of each component are computed
//! - TV, the variance over first positions, and SV, the mean variance within sequences: S = TV / (TV + 10 SV);
//! - r, the correlation of its mean over a sequence with the label.
//!
//! The 30 with the greatest min(S, |r|) are kept, and weigh S r (`candidates` of a document says of how many). With the mean label as constant term the value is
//!
//! constant + scale · Σ weight · (component - mean) / deviation
//!
//! where mean and deviation are those of the component over first positions, and scale is the one number that makes the
//! sum fit the labels of the same sequences best (least squares).
//!
//! A function is followed one move ahead in 24 games against random play, or in 100 where 24 leave open whether it is worse.
//! If it plays worse than random, sequences of its own games join the sample and it is learned again (`own_play.rs`), which a
//! note of the analysis reports.
//!
//! # Guarantee
//! The same seed gives the same function on any number of threads. Components that never change, or whose correlation
//! is not defined, are left out; where none is left, as in a game with one result, every state has the mean. A role
//! whose playouts never came to a goal value has no function. Values are finite, and near goal values, but nothing
//! holds them between the least and the greatest.
//!
//! # Cost
//! Of components that count facts all are one sum with a weight for each fluent: a mask or a lookup a fact, whatever
//! their number. Others cost what they cost.
//!
//! # Example
//! Connect four, red: the mean 56, plus what more red than yellow discs in the middle column are worth.
//!
//! # Source
//! Walędzik and Mańdziuk, "An Automatically Generated Evaluation Function in General Game Playing", IEEE TCIAIG 6(3),
//! 2014, as in the authors' slides. They don't say from which position a sequence is labelled: here from its last, so
//! that what is correlated lies before what it is to foretell. They add weighted components as they are: a count of 0
//! to 64 then outweighs one of 0 to 1 by its size alone, and the sum does not stand in units of goal values. So
//! components are divided by their deviation first, and the sum is scaled; `"scaling": "none"` is the form of the
//! slides. They take about 100 sequences. The correlation of values with the means of 64 fresh playouts from the same
//! states, 600 of random play (means over five seeds, November 2026):
//!
//! | game | 100 sequences, no scaling | 100, fitted | 1,000, no scaling | 1,000, fitted | 5,000, fitted |
//! |---|---|---|---|---|---|
//! | connect four | 0.22 | 0.23 | 0.34 | 0.37 | 0.41 |
//! | reversi | 0.24 | 0.24 | 0.39 | 0.44 | 0.46 |
//! | breakthrough | 0.14 | 0.21 | 0.32 | 0.50 | 0.60 |
//! | checkers | 0.69 | 0.74 | 0.80 | 0.84 | 0.88 |
//! | gold rush | 0.60 | 0.64 | 0.73 | 0.80 | 0.80 |
//! | hex | 0.11 | 0.09 | 0.14 | 0.13 | 0.22 |
//! | tic-tac-toe | -0.01 | 0.05 | 0.09 | 0.23 | 0.30 |
//!
//! They take expressions alone; coordinates, quantities, sums along orders, flags and latches are added here. Joins and
//! derived relations are left out. `reports/judge/findings.md` compares such functions with others.

mod function;
mod learn;
mod own_play;
mod parameters;

pub use function::{StatisticalError, StatisticalFunction, StatisticalTerm};
pub use learn::{LearnError, Learned, functions};
pub use parameters::{Scaling, StatisticalParameterError, StatisticalParameters};
