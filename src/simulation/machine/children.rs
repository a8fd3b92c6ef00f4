//! The children of a state: what a search wants to know of every successor at once, in storage that is filled
//! again and again.
//!
//! `scalar_expander.rs` makes them one by one, `lanes/children.rs` 512 in a pass, and `network/expander.rs` by
//! the faster of the two. `until.rs` says when to stop. `reports/speed/children.md` has measurements.

use std::ops::Range;

use super::compressed_rows::CompressedRows;
use super::lanes::word::Word;
use super::{MachineError, MoveId};
use crate::ground::Lit;

/// Joint moves listed for one state at most.
pub const MOST_JOINT_MOVES: usize = 1 << 20;

/// Which joint moves are played in a state.
#[derive(Clone, Copy, Debug)]
pub enum JointMoves<'a> {
    /// All that consist of legal moves, in lexicographic order of the roles' legal lists, the last role's moves
    /// changing fastest. None in a terminal state.
    All,
    /// All legal moves of a role, in their order, with the moves of the other roles given: `joint` has a move for
    /// every role; the role's own doesn't matter. None in a terminal state.
    Of {
        /// The role, counted from 0.
        role: usize,
        /// A move for every role.
        joint: &'a [MoveId],
    },
    /// These, legal or not: a move for every role, joint move after joint move.
    These(&'a [MoveId]),
}

/// What is read of every child, besides whether it is terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildFields {
    /// Its state.
    pub states: bool,
    /// The goal values of all roles.
    pub goals: bool,
    /// The goal values of all roles where it is terminal: none are told of other states.
    pub ends: bool,
    /// The legal moves of all roles.
    pub legal: bool,
    /// Whether each role has more than one legal move: far less to read than the moves themselves.
    pub choices: bool,
}

impl ChildFields {
    /// Everything.
    pub const ALL: ChildFields =
        ChildFields { states: true, goals: true, ends: true, legal: true, choices: true };
    /// Its state and the goal values.
    pub const SUCCESSORS: ChildFields =
        ChildFields { states: true, goals: true, ends: true, legal: false, choices: false };
    /// What a search goes on from: its state, and the goal values where it is terminal.
    pub const PLIES: ChildFields = ChildFields { goals: false, ..ChildFields::SUCCESSORS };
    /// Whether it is terminal and its goal values.
    pub const OUTCOME: ChildFields = ChildFields { states: false, ..ChildFields::SUCCESSORS };
}

/// States that were looked at together, as the children of one state are; numbered from 0 in the order in which
/// their moves or states were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Children {
    roles: usize,
    joints: Vec<MoveId>,
    terminal: Vec<bool>,
    states: CompressedRows<u64>,
    goals: CompressedRows<i32>,
    legal: CompressedRows<MoveId>,
    choices: Vec<bool>,
}

impl Children {
    /// Number of children.
    pub fn len(&self) -> usize {
        self.terminal.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.terminal.is_empty()
    }

    /// The joint move that leads to a child; empty where states were only evaluated.
    pub fn joint(&self, child: usize) -> &[MoveId] {
        self.joints.get(child * self.roles..(child + 1) * self.roles).unwrap_or(&[])
    }

    /// Whether a child is terminal.
    ///
    /// # Panics
    /// There is no such child.
    pub fn terminal(&self, child: usize) -> bool {
        self.terminal[child]
    }

    /// The words of a child's state; empty unless states were wanted.
    pub fn state(&self, child: usize) -> &[u64] {
        self.states.get(child)
    }

    /// The goal values of a role that hold in a child, ascending; empty unless goals were wanted.
    pub fn goals(&self, child: usize, role: usize) -> &[i32] {
        self.goals.get(child * self.roles + role)
    }

    /// The legal moves of a role in a child, in structural order; empty where the child is terminal, and unless
    /// legal moves were wanted.
    pub fn legal(&self, child: usize, role: usize) -> &[MoveId] {
        self.legal.get(child * self.roles + role)
    }

    /// Whether a role has more than one legal move in a child; false where the child is terminal.
    ///
    /// # Panics
    /// Choices were not wanted.
    pub fn chooses(&self, child: usize, role: usize) -> bool {
        self.choices[child * self.roles + role]
    }

    /// Becomes some of the children of another list.
    pub fn copy_from(&mut self, other: &Children, children: Range<usize>) {
        self.clear(other.roles);
        let by_role = children.start * other.roles..children.end * other.roles;
        self.joints.extend_from_slice(&other.joints[by_role.clone()]);
        self.terminal.extend_from_slice(&other.terminal[children.clone()]);
        self.states.extend_from(&other.states, children);
        self.goals.extend_from(&other.goals, by_role.clone());
        self.legal.extend_from(&other.legal, by_role.clone());
        self.choices.extend_from_slice(other.choices.get(by_role).unwrap_or(&[]));
    }

    /// Bytes that all of it takes, roughly.
    pub(super) fn bytes(&self) -> usize {
        let rows = self.states.len() + self.goals.len() + self.legal.len();
        8 * self.states.total() + 4 * (rows + self.joints.len() + self.goals.total() + self.legal.total())
    }

    /// Forgets all children; the next ones have moves of so many roles.
    pub(super) fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.joints.clear();
        self.terminal.clear();
        self.states.clear();
        self.goals.clear();
        self.legal.clear();
        self.choices.clear();
    }

    /// The list of joint moves, to be filled before the children are added.
    pub(super) fn joint_moves_mut(&mut self) -> &mut Vec<MoveId> {
        &mut self.joints
    }

    /// Adds a child.
    pub(super) fn push(&mut self, terminal: bool) {
        self.terminal.push(terminal);
    }

    /// Adds the state of the next child that has none.
    pub(super) fn push_state(&mut self, words: &[u64]) {
        self.states.items_mut().extend_from_slice(words);
        self.states.end_row();
    }

    /// Adds the states of the next children that have none, as many words each: `add` appends them.
    pub(super) fn push_states(&mut self, children: usize, words: usize, add: impl FnOnce(&mut Vec<u64>)) {
        add(self.states.items_mut());
        self.states.end_rows_of(words, children);
    }

    /// Adds the next list of goal values: child by child, role by role.
    pub(super) fn push_goals(&mut self, goals: impl Iterator<Item = i32>) {
        let items = self.goals.items_mut();
        let start = items.len();
        for goal in goals {
            // Several conditions may give one value.
            if items[start..].last() != Some(&goal) {
                items.push(goal);
            }
        }
        self.goals.end_row();
    }

    /// Adds the goal values of the next child, whose goal conditions are bits, role by role.
    pub(super) fn push_goals_of(&mut self, goals: &[Vec<(i32, Lit)>], row: &[u64]) {
        let mut first = 0;
        for goals in goals {
            let held = (first..first + goals.len()).filter(|goal| row[goal / 64] >> (goal % 64) & 1 == 1);
            self.push_goals(held.map(|goal| goals[goal - first].0));
            first += goals.len();
        }
    }

    /// Adds that nothing is told of the goal values of the next child.
    pub(super) fn push_no_goals(&mut self) {
        self.push_no_goals_for(1);
    }

    /// The same of so many.
    pub(super) fn push_no_goals_for(&mut self, children: usize) {
        self.goals.fill_to(self.goals.len() + children * self.roles);
    }

    /// Adds so many children of which these are terminal, ascending.
    pub(super) fn push_all(&mut self, children: usize, terminal: impl Iterator<Item = usize>) {
        let first = self.terminal.len();
        self.terminal.resize(first + children, false);
        terminal.for_each(|child| self.terminal[first + child] = true);
    }

    /// Adds in which of so many children each role chooses.
    pub(super) fn push_choices(&mut self, children: usize, choices: &[Word]) {
        let first = self.choices.len();
        self.choices.resize(first + children * self.roles, false);
        for (role, word) in choices.iter().enumerate() {
            word.lanes().for_each(|child| self.choices[first + child * self.roles + role] = true);
        }
    }

    /// Adds whether the next role chooses: child by child, role by role.
    pub(super) fn push_choice(&mut self, chooses: bool) {
        self.choices.push(chooses);
    }

    /// Adds the next list of legal moves: child by child, role by role.
    pub(super) fn push_legal(&mut self, legal: impl Iterator<Item = MoveId>) {
        self.legal.push(legal);
    }
}

/// Lists the joint moves to play in a state with these legal moves, after clearing `out`.
///
/// # Errors
/// There are more than [`MOST_JOINT_MOVES`].
pub(super) fn list_joint_moves<'l>(
    joints: JointMoves<'_>,
    roles: usize,
    terminal: bool,
    legal: impl Fn(usize) -> &'l [MoveId],
    out: &mut Vec<MoveId>,
) -> Result<(), MachineError> {
    out.clear();
    match joints {
        JointMoves::These(joints) => out.extend_from_slice(joints),
        JointMoves::All | JointMoves::Of { .. } if terminal => {}
        JointMoves::Of { role, joint } => {
            for &action in legal(role) {
                let start = out.len();
                out.extend_from_slice(joint);
                out[start + role] = action;
            }
        }
        JointMoves::All => {
            let count = count_joint_moves(roles, &legal)?;
            push_joint_moves(roles, count, legal, out);
        }
    }
    Ok(())
}

/// How many joint moves these legal moves make.
///
/// # Errors
/// More than [`MOST_JOINT_MOVES`].
pub(super) fn count_joint_moves<'l>(
    roles: usize,
    legal: impl Fn(usize) -> &'l [MoveId],
) -> Result<usize, MachineError> {
    let counts = (0..roles).map(|role| legal(role).len());
    if counts.clone().any(|count| count == 0) {
        return Ok(0);
    }
    let count = counts.clone().try_fold(1usize, usize::checked_mul);
    let count = count.filter(|&count| count <= MOST_JOINT_MOVES);
    count.ok_or(MachineError::TooManyJointMoves { limit: MOST_JOINT_MOVES })
}

/// Adds all joint moves of these legal moves, which are so many, to a list.
pub(super) fn push_joint_moves<'l>(
    roles: usize,
    count: usize,
    legal: impl Fn(usize) -> &'l [MoveId],
    out: &mut Vec<MoveId>,
) {
    let start = out.len();
    out.resize(start + count * roles, MoveId(0));
    let joints = &mut out[start..];
    let mut each = 1;
    for role in (0..roles).rev() {
        let legal = legal(role);
        let places = joints.iter_mut().skip(role).step_by(roles);
        match (legal, each) {
            // Most often one role has a choice, and is in the first or the second case.
            ([only], _) => places.for_each(|place| *place = *only),
            (_, 1) => places.zip(legal.iter().cycle()).for_each(|(place, &action)| *place = action),
            _ => {
                let moves = legal.iter().cycle().flat_map(|&action| std::iter::repeat_n(action, each));
                places.zip(moves).for_each(|(place, action)| *place = action);
            }
        }
        each *= legal.len();
    }
}
