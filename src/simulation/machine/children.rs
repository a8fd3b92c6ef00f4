//! The children of a state: the successors with the fields that a search needs, in reusable storage.
//!
//! `scalar_expander.rs` makes children one by one, and `lanes/children.rs` makes 512 in a pass.
//! `network/expander.rs` chooses the faster of the two. `expansion_limits.rs` has the limits,
//! `reports/speed/children.md` the measurements.

use std::ops::Range;

use super::compressed_rows::CompressedRows;
use super::lanes::word::Word;
use super::{MachineError, MoveId};
use crate::ground::Lit;

/// Maximum number of joint moves that are listed for a state.
pub const MAX_JOINT_MOVES: usize = 1 << 20;

/// The joint moves to play in a state.
#[derive(Clone, Copy, Debug)]
pub enum JointMoves<'a> {
    /// All combinations of legal moves, in lexicographic order of the roles' legal lists; the last role's move changes
    /// fastest. None in a terminal state.
    All,
    /// All legal moves of one role, in their order, combined with given moves of the other roles. `joint` has a move for
    /// every role; the role's own entry is ignored. None in a terminal state.
    OfRole {
        /// The role, from 0.
        role: usize,
        /// A move for every role.
        joint: &'a [MoveId],
    },
    /// These joint moves, legal or not, one after the other, each with a move for every role.
    Given(&'a [MoveId]),
}

/// The fields to read of every child. Whether it is terminal is always read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChildFields {
    /// The state.
    pub states: bool,
    /// The goal values of all roles.
    pub goals: bool,
    /// The goal values of all roles, in terminal children only.
    pub ends: bool,
    /// The legal moves of all roles.
    pub legal: bool,
    /// Whether each role has more than one legal move. This is much faster to read than the moves.
    pub choices: bool,
}

impl ChildFields {
    /// All fields.
    pub const ALL: ChildFields =
        ChildFields { states: true, goals: true, ends: true, legal: true, choices: true };
    /// The state and the goal values.
    pub const SUCCESSORS: ChildFields =
        ChildFields { states: true, goals: true, ends: true, legal: false, choices: false };
    /// What a search needs to continue: the state, and the goal values of terminal children.
    pub const PLIES: ChildFields = ChildFields { goals: false, ..ChildFields::SUCCESSORS };
    /// The goal values.
    pub const OUTCOME: ChildFields = ChildFields { states: false, ..ChildFields::SUCCESSORS };
}

/// States that are evaluated together, such as the children of one state. They are numbered from 0, in the order of the
/// given moves or states.
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

    /// Whether there are no children.
    pub fn is_empty(&self) -> bool {
        self.terminal.is_empty()
    }

    /// The joint move that leads to a child; empty if states were only evaluated.
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

    /// The words of a child's state; empty if `states` was not requested.
    pub fn state(&self, child: usize) -> &[u64] {
        self.states.get(child)
    }

    /// The goal values of a role in a child, ascending; empty if they were not requested.
    pub fn goals(&self, child: usize, role: usize) -> &[i32] {
        self.goals.get(child * self.roles + role)
    }

    /// The legal moves of a role in a child, in structural order; empty if the child is terminal or `legal` was not
    /// requested.
    pub fn legal(&self, child: usize, role: usize) -> &[MoveId] {
        self.legal.get(child * self.roles + role)
    }

    /// Whether a role has more than one legal move in a child; false if the child is terminal.
    ///
    /// # Panics
    /// `choices` was not requested.
    pub fn chooses(&self, child: usize, role: usize) -> bool {
        self.choices[child * self.roles + role]
    }

    /// Replaces these children by copies of some children of another list.
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

    /// Memory used, in bytes (estimate).
    pub(super) fn bytes(&self) -> usize {
        let rows = self.states.len() + self.goals.len() + self.legal.len();
        8 * self.states.total() + 4 * (rows + self.joints.len() + self.goals.total() + self.legal.total())
    }

    /// Removes all children; `roles` is the number of roles of the next ones.
    pub(super) fn clear(&mut self, roles: usize) {
        self.roles = roles;
        self.joints.clear();
        self.terminal.clear();
        self.states.clear();
        self.goals.clear();
        self.legal.clear();
        self.choices.clear();
    }

    /// The list of joint moves. Fill it before adding children.
    pub(super) fn joint_moves_mut(&mut self) -> &mut Vec<MoveId> {
        &mut self.joints
    }

    /// Adds a child without a state, goal values or moves, which are added separately.
    pub(super) fn push(&mut self, terminal: bool) {
        self.terminal.push(terminal);
    }

    /// Adds the state of the next child without a state.
    pub(super) fn push_state(&mut self, words: &[u64]) {
        self.states.items_mut().extend_from_slice(words);
        self.states.end_row();
    }

    /// Adds the states of the next children without a state. `add` appends `words` words for each.
    pub(super) fn push_states(&mut self, children: usize, words: usize, add: impl FnOnce(&mut Vec<u64>)) {
        add(self.states.items_mut());
        self.states.end_rows_of(words, children);
    }

    /// Adds the goal values of the next role of a child. Calls go through all roles of one child, then the
    /// next child.
    pub(super) fn push_goals(&mut self, goals: impl Iterator<Item = i32>) {
        let items = self.goals.items_mut();
        let start = items.len();
        for goal in goals {
            // Several goal conditions may have the same value.
            if items[start..].last() != Some(&goal) {
                items.push(goal);
            }
        }
        self.goals.end_row();
    }

    /// Adds the goal values of the next child for all roles. `row` has a bit for each goal condition.
    pub(super) fn push_goals_of(&mut self, goals: &[Vec<(i32, Lit)>], row: &[u64]) {
        let mut first = 0;
        for goals in goals {
            let held = (first..first + goals.len()).filter(|goal| row[goal / 64] >> (goal % 64) & 1 == 1);
            self.push_goals(held.map(|goal| goals[goal - first].0));
            first += goals.len();
        }
    }

    /// Adds a child without goal values.
    pub(super) fn push_no_goals(&mut self) {
        self.push_no_goals_for(1);
    }

    /// Adds this number of children without goal values.
    pub(super) fn push_no_goals_for(&mut self, children: usize) {
        self.goals.fill_to(self.goals.len() + children * self.roles);
    }

    /// Adds children; `terminal` has the indices of the terminal ones, ascending.
    pub(super) fn push_all(&mut self, children: usize, terminal: impl Iterator<Item = usize>) {
        let first = self.terminal.len();
        self.terminal.resize(first + children, false);
        terminal.for_each(|child| self.terminal[first + child] = true);
    }

    /// Adds, for each role, the children in which it has a choice, as lanes.
    pub(super) fn push_choices(&mut self, children: usize, choices: &[Word]) {
        let first = self.choices.len();
        self.choices.resize(first + children * self.roles, false);
        for (role, word) in choices.iter().enumerate() {
            word.lanes().for_each(|child| self.choices[first + child * self.roles + role] = true);
        }
    }

    /// Adds whether the next role has a choice, in the same order as [`Children::push_goals`].
    pub(super) fn push_choice(&mut self, chooses: bool) {
        self.choices.push(chooses);
    }

    /// Adds the legal moves of the next role, in the same order as [`Children::push_goals`].
    pub(super) fn push_legal(&mut self, legal: impl Iterator<Item = MoveId>) {
        self.legal.push(legal);
    }
}

/// Lists the joint moves to play in a state with these legal moves; clears `out` first.
///
/// # Errors
/// [`MachineError::TooManyJointMoves`]: there are more than [`MAX_JOINT_MOVES`].
pub(super) fn list_joint_moves<'l>(
    joints: JointMoves<'_>,
    roles: usize,
    terminal: bool,
    legal: impl Fn(usize) -> &'l [MoveId],
    out: &mut Vec<MoveId>,
) -> Result<(), MachineError> {
    out.clear();
    match joints {
        JointMoves::Given(joints) => out.extend_from_slice(joints),
        JointMoves::All | JointMoves::OfRole { .. } if terminal => {}
        JointMoves::OfRole { role, joint } => {
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

/// The number of joint moves.
///
/// # Errors
/// [`MachineError::TooManyJointMoves`]: there are more than [`MAX_JOINT_MOVES`].
pub(super) fn count_joint_moves<'l>(
    roles: usize,
    legal: impl Fn(usize) -> &'l [MoveId],
) -> Result<usize, MachineError> {
    let counts = (0..roles).map(|role| legal(role).len());
    if counts.clone().any(|count| count == 0) {
        return Ok(0);
    }
    let count = counts.clone().try_fold(1usize, usize::checked_mul);
    let count = count.filter(|&count| count <= MAX_JOINT_MOVES);
    count.ok_or(MachineError::TooManyJointMoves { limit: MAX_JOINT_MOVES })
}

/// Appends all joint moves; `count` is their number.
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
            // In most games only one role has a choice, so the first two cases are the common ones.
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
