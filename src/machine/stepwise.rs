//! Expanding states one successor after the other, on any machine's cursor.

use super::children::{Children, Expander, Joints, Wanted, list_joints};
use super::{Cursor, MachineError, MoveId, State};

/// An expander that steps a cursor.
pub struct Stepwise<'m> {
    cursor: Box<dyn Cursor + 'm>,
    roles: usize,
    joints: Vec<MoveId>,
}

impl<'m> Stepwise<'m> {
    /// An expander over a cursor of a game with so many roles.
    pub fn new(cursor: Box<dyn Cursor + 'm>, roles: usize) -> Stepwise<'m> {
        Stepwise { cursor, roles, joints: Vec::new() }
    }

    /// Lists the joint moves to play in a state, as a flat list.
    pub(super) fn list(&mut self, state: &State, joints: Joints<'_>) -> Result<&[MoveId], MachineError> {
        if !matches!(joints, Joints::These(_)) {
            self.cursor.set(state)?;
        }
        let cursor = &self.cursor;
        list_joints(joints, self.roles, cursor.terminal(), |role| cursor.legal(role), &mut self.joints)?;
        Ok(&self.joints)
    }

    /// Notes what is wanted where the cursor stands.
    fn read(&self, wanted: Wanted, children: &mut Children) {
        let terminal = self.cursor.terminal();
        children.push(terminal);
        if wanted.states {
            children.push_state(&self.cursor.state().0);
        }
        for role in 0..self.roles {
            if wanted.goals {
                children.push_goals(self.cursor.goals(role).iter().copied());
            }
            if wanted.legal {
                let legal = if terminal { &[] } else { self.cursor.legal(role) };
                children.push_legal(legal.iter().copied());
            }
        }
    }
}

impl Expander for Stepwise<'_> {
    fn expand(
        &mut self,
        state: &State,
        joints: Joints<'_>,
        wanted: Wanted,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        self.list(state, joints)?;
        children.clear(self.roles);
        children.joints_mut().extend_from_slice(&self.joints);
        for joint in self.joints.chunks_exact(self.roles.max(1)) {
            self.cursor.set(state)?;
            self.cursor.advance(joint)?;
            self.read(wanted, children);
        }
        Ok(())
    }

    fn evaluate(
        &mut self,
        states: &[&State],
        wanted: Wanted,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        children.clear(self.roles);
        for state in states {
            self.cursor.set(state)?;
            self.read(wanted, children);
        }
        Ok(())
    }

    fn advance(
        &mut self,
        states: &[&State],
        joints: &[MoveId],
        wanted: Wanted,
        children: &mut Children,
    ) -> Result<(), MachineError> {
        children.clear(self.roles);
        children.joints_mut().extend_from_slice(joints);
        for (state, joint) in states.iter().zip(joints.chunks_exact(self.roles.max(1))) {
            self.cursor.set(state)?;
            self.cursor.advance(joint)?;
            self.read(wanted, children);
        }
        Ok(())
    }
}
