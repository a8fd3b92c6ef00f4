//! The values of the states that a role's moves lead to.
//!
//! The moves of the other roles are unknown. If they have a choice, the value of a move is the mean over all their
//! joint moves with equal probability, as in random play. The least and the greatest value are reported as well.

use crate::feature::{Measure, StateEvaluator};
use crate::machine::{Machine, MachineError, MoveId, State, StateView};

use super::function::Function;

/// The most joint moves of the others that are evaluated for one move. If there are more, this number is taken at
/// equal distances in the order of the roles' moves.
pub(super) const REPLIES: usize = 1000;

/// The value of a move of a role.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveValue {
    /// The move.
    pub action: MoveId,
    /// The mean of the function over the states after the move.
    pub value: f64,
    /// The least and the greatest value of these states.
    pub ends: [f64; 2],
    /// The number of joint moves of the others that were evaluated.
    pub replies: usize,
    /// The number of joint moves of the others.
    pub all_replies: f64,
    /// The number of terminal states among the evaluated ones.
    pub terminal: usize,
    /// The mean goal value of the role in these terminal states; none if there are none, or if one does not have
    /// exactly one value.
    pub goal: Option<f64>,
    /// The value by which moves are sorted: the mean, with the goal value for terminal states.
    pub rank: f64,
}

/// The legal moves of a role in a state with their values for the function's role, best first; equal ones keep the
/// order of the machine. The list is empty in a terminal state.
///
/// # Errors
/// A state can't be evaluated.
pub fn move_values(
    machine: &dyn Machine,
    function: &Function,
    measure: &mut dyn Measure<'_>,
    role: usize,
    state: &State,
) -> Result<Vec<MoveValue>, MachineError> {
    let own = machine.description().roles.iter().position(|&role| machine.term_text(role) == function.role());
    let own = own.unwrap_or(role);
    let mut cursor = machine.cursor();
    cursor.set(state)?;
    if cursor.terminal() {
        return Ok(Vec::new());
    }
    let legal: Vec<Vec<MoveId>> =
        (0..machine.description().roles.len()).map(|role| cursor.legal(role).to_vec()).collect();
    let replies = Replies::new(&legal, role);
    let mut state_evaluator = StateEvaluator::new(machine);
    let mut values = Vec::with_capacity(legal[role].len());
    for &action in &legal[role] {
        let mut sums = MoveTotals::default();
        for reply in 0..replies.looked_at {
            let joint = replies.joint(&legal, role, action, reply);
            cursor.set(state)?;
            cursor.advance(&joint)?;
            let position = state_evaluator.at(cursor.state())?;
            let value = measure.value(&position);
            let goal = cursor.terminal().then(|| single(&*cursor, own));
            sums.add(value, goal, function);
        }
        values.push(sums.finish(action, &replies));
    }
    values.sort_by(|a, b| b.rank.total_cmp(&a.rank));
    Ok(values)
}

/// The goal value of a role; none if it does not have exactly one.
fn single(view: &dyn StateView, role: usize) -> Option<f64> {
    match *view.goals(role) {
        [goal] => Some(f64::from(goal)),
        _ => None,
    }
}

/// The joint moves of the other roles.
struct Replies {
    all: f64,
    looked_at: usize,
}

impl Replies {
    fn new(legal: &[Vec<MoveId>], role: usize) -> Replies {
        let others = legal.iter().enumerate().filter(|(other, _)| *other != role);
        let all: f64 = others.map(|(_, moves)| moves.len() as f64).product();
        Replies { all, looked_at: if all > REPLIES as f64 { REPLIES } else { all as usize } }
    }

    /// The joint move of a move and a reply, which is given by its number among the evaluated ones.
    fn joint(&self, legal: &[Vec<MoveId>], role: usize, action: MoveId, reply: usize) -> Vec<MoveId> {
        let mut left = (reply as f64 * (self.all / self.looked_at as f64)).floor();
        let mut joint = vec![action; legal.len()];
        for (other, moves) in legal.iter().enumerate().rev().filter(|(other, _)| *other != role) {
            let count = moves.len() as f64;
            joint[other] = moves[((left % count) as usize).min(moves.len() - 1)];
            left = (left / count).floor();
        }
        joint
    }
}

#[derive(Default)]
struct MoveTotals {
    count: usize,
    value: f64,
    rank: f64,
    ends: Option<[f64; 2]>,
    terminal: usize,
    goals: usize,
    goal: f64,
}

impl MoveTotals {
    fn add(&mut self, value: f64, goal: Option<Option<f64>>, function: &Function) {
        self.count += 1;
        self.value += value;
        self.terminal += usize::from(goal.is_some());
        let [low, high] = self.ends.unwrap_or([value; 2]);
        self.ends = Some([low.min(value), high.max(value)]);
        match goal.flatten() {
            Some(goal) => {
                self.goals += 1;
                self.goal += goal;
                self.rank += function.of_goal(goal);
            }
            None => self.rank += value,
        }
    }

    fn finish(self, action: MoveId, replies: &Replies) -> MoveValue {
        let count = self.count.max(1) as f64;
        let known = self.terminal > 0 && self.goals == self.terminal;
        MoveValue {
            action,
            value: self.value / count,
            ends: self.ends.unwrap_or([0.0; 2]),
            replies: self.count,
            all_replies: replies.all,
            terminal: self.terminal,
            goal: known.then(|| self.goal / self.goals as f64),
            rank: self.rank / count,
        }
    }
}
