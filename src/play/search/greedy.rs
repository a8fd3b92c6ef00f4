//! # What it does
//! Looks one ply ahead and plays the move to the state with the greatest value.
//!
//! # How
//! A terminal state after a legal move of the role has its goal value. Another state has the function's value, scaled to
//! lie between the lowest and the highest goal value. All joint moves of other roles are assumed to have the same
//! probability, and a move has the mean value over them. If there are many joint moves, a sample is drawn. Ties are
//! broken at random.
//!
//! # Guarantee
//! A move that wins at once against all answers is played. Later answers of the opponents are not considered. The same
//! seed gives the same moves.
//!
//! # Cost
//! The children of one state, and one value of the function for each; at most 256 joint moves of others.
//!
//! # Example
//! `greedy:mobility`: a baseline that shows the effect of a function without deeper search.
//!
//! # Source
//! Russell and Norvig, "Artificial Intelligence: A Modern Approach", on one-step lookahead.

use std::time::Instant;

use crate::evaluation::{Function, FunctionError};
use crate::machine::{ChildFields, Children, Expander, JointMoves, MachineError, MoveId, State};
use crate::simulate::Choices;

use super::context::SearchContext;
use super::leaf::Leaf;
use super::limits::{Halt, Limits, Meter, Stop};
use super::result::{Search, SearchError, SearchResult};
use super::score::Scale;

/// Most joint moves of others that are evaluated; if there are more, this many are drawn.
const MOST_ANSWERS: usize = 256;

/// One ply of search, for one role.
pub struct Greedy<'m> {
    context: SearchContext<'m>,
    scale: Scale,
    leaf: Leaf<'m>,
    expander: Box<dyn Expander + 'm>,
    choices: Choices,
}

/// The sums for each legal move of the role.
struct Tally {
    /// For each move the sum of its values.
    sums: Vec<f64>,
    /// For each move whether every answer so far led to the best goal value.
    wins: Vec<bool>,
    /// The number of joint moves of others so far.
    answers: u32,
}

impl<'m> Greedy<'m> {
    /// A search with an evaluation function of the role.
    ///
    /// # Errors
    /// The function does not fit the game.
    pub fn new(
        context: SearchContext<'m>,
        function: &Function,
        seed: u64,
    ) -> Result<Greedy<'m>, FunctionError> {
        let machine = context.machine;
        Ok(Greedy {
            scale: Scale::new(context.rewards),
            leaf: Leaf::of(machine, function)?,
            expander: machine.expander(),
            choices: Choices::new(seed, context.role as u64),
            context,
        })
    }

    /// Evaluates all moves against one joint move of the others.
    fn evaluate_against(
        &mut self,
        state: &State,
        joint: &[MoveId],
        children: &mut Children,
        meter: &mut Meter<'_>,
        tally: &mut Tally,
    ) -> Result<(), Halt> {
        let role = self.context.role;
        let fields = ChildFields::SUCCESSORS;
        let joint_moves = JointMoves::OfRole { role, joint };
        self.expander.expand_within(meter.expansion_limits(), state, joint_moves, fields, children)?;
        let mut values = Vec::with_capacity(children.len());
        for child in 0..children.len() {
            meter.count(1)?;
            values.push(match children.terminal(child) {
                true => {
                    let goal = self.context.outcome(children.goals(child, role));
                    (f64::from(goal), goal == self.context.rewards[1])
                }
                false => {
                    let share = self.leaf.estimate(children.state(child))?;
                    (self.scale.goal(self.scale.estimated(share)), false)
                }
            });
        }
        // If this loop is interrupted, moves without a value would be compared with fewer answers, so the whole answer is
        // dropped.
        for (index, (value, wins)) in values.into_iter().enumerate() {
            tally.sums[index] += value;
            tally.wins[index] &= wins;
        }
        tally.answers += 1;
        Ok(())
    }
}

impl Search for Greedy<'_> {
    fn search(
        &mut self,
        state: &State,
        limits: &Limits<'_>,
        on_progress: &mut dyn FnMut(&SearchResult),
    ) -> Result<SearchResult, SearchError> {
        let begin = Instant::now();
        let mut result = SearchResult::nothing();
        let (role, mut children) = (self.context.role, Children::default());
        self.leaf.begin(state);
        self.expander.evaluate(&[state], ChildFields::ALL, &mut children)?;
        if children.terminal(0) {
            let goal = self.context.outcome(children.goals(0, role));
            return Ok(SearchResult { value: Some(goal.into()), proved: true, stop: Stop::Solved, ..result });
        }
        let roles = self.context.allies.len();
        let legal: Vec<Vec<MoveId>> = (0..roles).map(|role| children.legal(0, role).to_vec()).collect();
        if legal.iter().any(Vec::is_empty) {
            result.action = legal[role].first().copied();
            return Ok(result);
        }
        let own_moves = &legal[role];
        let mut tally =
            Tally { sums: vec![0.0; own_moves.len()], wins: vec![true; own_moves.len()], answers: 0 };
        let others = || (0..roles).filter(|&other| other != role);
        let all = others().try_fold(1usize, |count, other| count.checked_mul(legal[other].len()));
        let all = all.filter(|&all| all <= MOST_ANSWERS);
        let mut joint: Vec<MoveId> = legal.iter().map(|moves| moves[0]).collect();
        let mut meter = Meter::new(*limits);
        for number in 0..all.unwrap_or(MOST_ANSWERS) {
            let mut rest = number;
            for other in others() {
                let moves = &legal[other];
                let index = match all {
                    Some(_) => rest % moves.len(),
                    None => self.choices.below(moves.len()),
                };
                joint[other] = moves[index];
                rest /= moves.len();
            }
            match self.evaluate_against(state, &joint, &mut children, &mut meter, &mut tally) {
                Ok(()) => {}
                Err(Halt::Error(error)) => return Err(MachineError::into(error)),
                Err(Halt::Stop(stop)) => {
                    result.stop = stop;
                    break;
                }
            }
        }
        let best = tally.sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties: Vec<usize> = (0..own_moves.len()).filter(|&index| tally.sums[index] == best).collect();
        let chosen = ties[self.choices.below(ties.len())];
        result.action = Some(own_moves[chosen]);
        if tally.answers > 0 {
            result.value = Some(best / f64::from(tally.answers));
            result.depth = 1;
            let every = all == Some(tally.answers as usize);
            result.proved = every && tally.wins[chosen];
        }
        result.nodes = meter.nodes;
        result.took = begin.elapsed();
        on_progress(&result);
        Ok(result)
    }
}
