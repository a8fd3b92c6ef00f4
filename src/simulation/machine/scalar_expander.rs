//! Expands states one successor after the other, with the cursor of any machine.

use super::children::{ChildFields, Children, JointMoves, list_joint_moves};
use super::expander::Expander;
use super::{Cursor, ExpansionLimits, MachineError, MoveId, State};

/// Cursor work between two checks of the clock: less than a millisecond.
const CHECK_WORK: u64 = 10_000;

/// An expander that steps a cursor.
pub struct ScalarExpander<'m> {
    cursor: Box<dyn Cursor + 'm>,
    roles: usize,
    joints: Vec<MoveId>,
}

impl<'m> ScalarExpander<'m> {
    /// An expander that uses `cursor`; `roles` is the number of roles.
    pub fn new(cursor: Box<dyn Cursor + 'm>, roles: usize) -> ScalarExpander<'m> {
        ScalarExpander { cursor, roles, joints: Vec::new() }
    }

    /// Lists the joint moves to play in a state, one after the other.
    pub(super) fn list(&mut self, state: &State, joints: JointMoves<'_>) -> Result<&[MoveId], MachineError> {
        if !matches!(joints, JointMoves::Given(_)) {
            self.cursor.set(state)?;
        }
        let cursor = &self.cursor;
        list_joint_moves(joints, self.roles, cursor.terminal(), |role| cursor.legal(role), &mut self.joints)?;
        Ok(&self.joints)
    }

    /// Adds the requested fields of the cursor's state.
    fn read(&self, fields: ChildFields, children: &mut Children) {
        let terminal = self.cursor.terminal();
        children.push(terminal);
        if fields.states {
            children.push_state(&self.cursor.state().0);
        }
        for role in 0..self.roles {
            if fields.goals || fields.ends && terminal {
                children.push_goals(self.cursor.goals(role).iter().copied());
            }
            if fields.ends && !fields.goals && !terminal {
                children.push_goals(std::iter::empty());
            }
            if fields.choices {
                children.push_choice(!terminal && self.cursor.legal(role).len() > 1);
            }
            if fields.legal {
                let legal = if terminal { &[] } else { self.cursor.legal(role) };
                children.push_legal(legal.iter().copied());
            }
        }
    }
}

impl Expander for ScalarExpander<'_> {
    fn expand_within(
        &mut self,
        limits: ExpansionLimits<'_>,
        state: &State,
        joints: JointMoves<'_>,
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.list(state, joints)?;
        children.clear(self.roles);
        children.joint_moves_mut().extend_from_slice(&self.joints);
        let mut checked_work = self.cursor.work();
        for joint in self.joints.chunks_exact(self.roles.max(1)) {
            self.cursor.set(state)?;
            self.cursor.advance(joint)?;
            self.read(fields, children);
            if self.cursor.work() - checked_work >= CHECK_WORK {
                checked_work = self.cursor.work();
                limits.check(children)?;
            }
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        states: &[&State],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        children.clear(self.roles);
        for state in states {
            self.cursor.set(state)?;
            self.read(fields, children);
        }
        Ok(())
    }

    fn advance(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        fields: ChildFields,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        children.clear(self.roles);
        children.joint_moves_mut().extend_from_slice(joints);
        for (state, joint) in states.iter().zip(joints.chunks_exact(self.roles.max(1))) {
            self.cursor.set(state)?;
            self.cursor.advance(joint)?;
            self.read(fields, children);
        }
        Ok(())
    }
}
