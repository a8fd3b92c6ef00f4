//! # What it does
//! Compares a function with exact values: its ranking of states, and whether its best move is one of the best.
//!
//! # How
//! For states: Kendall's tau-b between values and exact values, over the solved states.
//!
//! For moves, only solved states count in which the role's moves differ in exact value. The report has the mean of
//! tau-b among the moves of a state, which is 0 if the function gives all of them the same value. It also has the share
//! of states in which the move with the greatest value is a best move; ties are broken at random. Both values of a move
//! are computed with the same lookahead of one step: the team's best choice against the worst answer, and goal values
//! in terminal states.
//!
//! For comparison, the report has the mean share of best moves among the legal ones, which a random choice reaches.
//!
//! # Source
//! Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945; Wilson 1927 for the share.

use ndarray::Array2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::{ChildFields, Children, JointMoves, Machine, MachineError, MoveId, State};
use crate::simulate::Choices;
use crate::statistics::correlation::{kendall, tau_b};
use crate::statistics::interval::{Estimate, Share, student, wilson};

use super::candidate::{Bound, StateCursor};
use super::exact::{Solver, Unsolved};
use super::sides::Sides;

/// Selects the stream of random numbers that breaks ties.
const STREAM: u64 = 0x6c6f_7473;

/// States with more joint moves than this are not used for the ranking of moves.
const MAX_JOINT_MOVES: usize = 4096;

/// States with exact values for a role.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SolvedStates {
    /// Solved states, by their numbers in the sample, with their exact values.
    pub states: Vec<(usize, i32)>,
    /// Solved states in which the role's moves differ in exact value, with the value after each move.
    pub choices: Vec<(usize, Vec<(MoveId, i32)>)>,
    /// Why other states have no value: each reason with the number of states.
    pub unsolved: Vec<(Unsolved, u64)>,
}

/// Solves the states of a sample within the solver's limits, those close to the end of their playouts first.
pub fn solve(solver: &mut Solver<'_>, sample: &[(&State, u32)]) -> SolvedStates {
    let mut order: Vec<usize> = (0..sample.len()).collect();
    order.sort_by_key(|&index| sample[index].1);
    let mut solved = SolvedStates::default();
    for index in order {
        let solution =
            solver.value(sample[index].0).and_then(|value| Ok((value, solver.moves(sample[index].0)?)));
        match solution {
            Ok((value, moves)) => {
                solved.states.push((index, value));
                if moves.iter().any(|(_, other)| *other != moves[0].1) {
                    solved.choices.push((index, moves));
                }
            }
            Err(reason) => match solved.unsolved.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => solved.unsolved.push((reason, 1)),
            },
        }
    }
    solved.states.sort_unstable_by_key(|state| state.0);
    solved.choices.sort_by_key(|state| state.0);
    solved
}

/// The agreement of a function's ranking with exact values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ranking {
    /// Kendall's tau-b of value and exact value over the solved states; null if one of the two is constant.
    pub states: Option<Estimate>,
    /// Mean of tau-b among the moves of a state, over the states whose moves differ, with Student's interval.
    pub moves: Option<Estimate>,
    /// States in which the move with the greatest value is a best move, with Wilson's interval.
    pub best: Share,
}

/// The mean share of best moves among the legal ones, over the states whose moves differ.
pub fn chance(solved: &SolvedStates) -> Option<f64> {
    let shares: Vec<f64> = solved.choices.iter().map(|(_, moves)| share_of_best(moves)).collect();
    student(&shares).map(|mean| mean.value)
}

fn share_of_best(moves: &[(MoveId, i32)]) -> f64 {
    let best = moves.iter().map(|&(_, value)| value).max();
    moves.iter().filter(|&&(_, value)| Some(value) == best).count() as f64 / moves.len().max(1) as f64
}

/// The rankings of many candidates of one role. `values` has a row for each candidate and a column for each state of
/// the sample.
///
/// # Errors
/// A state can't be evaluated.
pub fn rank(
    machine: &dyn Machine,
    sides: &Sides,
    (candidates, values): (&mut [Bound<'_>], &Array2<f64>),
    sample: &[(&State, u32)],
    solved: &SolvedStates,
    seed: u64,
) -> Result<Vec<Ranking>, MachineError> {
    let mut taus: Vec<Vec<f64>> = vec![Vec::new(); candidates.len()];
    let mut hits = vec![0_u64; candidates.len()];
    let mut states = 0;
    let (mut expander, mut state_cursor, mut children) =
        (machine.expander(), StateCursor::new(machine), Children::default());
    let wanted = ChildFields::SUCCESSORS;
    for (index, exact) in &solved.choices {
        expander.expand(sample[*index].0, JointMoves::All, wanted, &mut children)?;
        if children.len() > MAX_JOINT_MOVES {
            continue;
        }
        states += 1;
        let mut of_children = Array2::zeros((candidates.len(), children.len()));
        for (child, mut column) in of_children.columns_mut().into_iter().enumerate() {
            for (bound, value) in candidates.iter_mut().zip(&mut column) {
                *value = bound.child(&mut state_cursor, &children, child, sides.role)?;
            }
        }
        let mut choices = Choices::new(seed ^ STREAM, *index as u64);
        for (number, values) in of_children.rows().into_iter().enumerate() {
            let moves = sides.moves(&children, |child| values[child], f64::min, f64::max);
            let pair = |&(action, value): &(MoveId, f64)| {
                let known = exact.iter().find(|(known, _)| *known == action);
                known.map(|&(_, exact)| (value, f64::from(exact)))
            };
            let pairs: Vec<(f64, f64)> = moves.iter().filter_map(pair).collect();
            taus[number].push(tau_b(&pairs).unwrap_or(0.0));
            let most = pairs.iter().map(|pair| pair.0).fold(f64::NEG_INFINITY, f64::max);
            let best = pairs.iter().map(|pair| pair.1).fold(f64::NEG_INFINITY, f64::max);
            let equals: Vec<f64> = pairs.iter().filter(|pair| pair.0 == most).map(|pair| pair.1).collect();
            let drawn = equals.get(choices.below(equals.len()));
            hits[number] += u64::from(drawn == Some(&best));
        }
    }
    let ranking = |number: usize| {
        let pairs = solved.states.iter().map(|&(index, exact)| (values[[number, index]], f64::from(exact)));
        Ranking {
            states: kendall(&pairs.collect::<Vec<_>>()),
            moves: student(&taus[number]),
            best: wilson(hits[number], states),
        }
    };
    Ok((0..candidates.len()).map(ranking).collect())
}
