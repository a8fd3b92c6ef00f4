//! Children in lanes with one reply tried in each: two plies by one pass and a half.
//!
//! Children stand in lanes, evaluated, when they are made. A reply to each of them can be played right there, without a
//! state being read out, loaded or looked at again.

use super::children::LaneExpander;
use super::frontier::{LaneFrontier, ValuedChildren};
use super::word::{LANES, Word};
use crate::machine::children::{ChildFields, Children};
use crate::machine::{MachineError, MoveId, Until};

/// What is read of the children: all that a search goes on from.
const FIELDS: ChildFields = ChildFields { choices: true, ..ChildFields::PLIES };

/// Children of one state or several, and one reply to each.
#[derive(Clone, Debug, Default)]
pub struct TriedChildren {
    /// The children of all states, one state's after the other's.
    pub children: Children,
    /// What the reply to each of them comes to; of no meaning where none was tried.
    pub replies: ValuedChildren,
    /// For each child which candidate was tried.
    pub tried: Vec<Option<u16>>,
    /// For each state the end of its children.
    ends: Vec<usize>,
}

impl TriedChildren {
    /// The children of a state, by its place among the states that were expanded.
    pub fn of(&self, state: usize) -> std::ops::Range<usize> {
        let start = state.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[state]
    }

    fn clear(&mut self, roles: usize, functions: usize) {
        self.children.clear(roles);
        self.replies.clear(roles, functions);
        self.tried.clear();
        self.ends.clear();
    }
}

impl LaneFrontier<'_> {
    /// All joint moves of each of the first states, 512 states at most, as long as they have no more than `most` children
    /// together; of one at least. None of the states is terminal. In each child that is no end the first of some candidates
    /// (a move for every role, one candidate after the other) that is legal there is tried. Gives how many were expanded.
    ///
    /// # Errors
    /// One has more joint moves than [`MOST_JOINT_MOVES`](crate::machine::MOST_JOINT_MOVES), their children take too much
    /// memory, or it was time to stop.
    pub fn expand_tried(
        &mut self,
        until: Until<'_>,
        states: &[&[u64]],
        most: usize,
        candidates: &[MoveId],
        out: &mut TriedChildren,
    ) -> Result<usize, MachineError> {
        let roles = self.places.len();
        out.clear(roles, self.functions);
        let mut joints = std::mem::take(out.children.joint_moves_mut());
        let mut done = self.list(states, most, &mut joints, &mut out.ends);
        for (pass, joints) in joints.chunks(LANES * roles.max(1)).enumerate() {
            self.make(states, pass, joints);
            self.expander.parts().0.observe();
            self.expander.read(FIELDS, &mut out.children);
            self.try_in_lanes(candidates, out);
            done = done.and_then(|()| until.look(&out.children));
            if done.is_err() {
                break;
            }
        }
        *out.children.joint_moves_mut() = joints;
        done?;
        Ok(out.ends.len())
    }

    /// Tries the first legal candidate in each of some states, 512 at most; `out` has no children then.
    ///
    /// # Panics
    /// There are more states.
    pub fn try_each(&mut self, states: &[&[u64]], candidates: &[MoveId], out: &mut TriedChildren) {
        out.clear(self.places.len(), self.functions);
        let (lanes, _) = self.expander.parts();
        lanes.load(states);
        lanes.observe();
        self.try_in_lanes(candidates, out);
    }

    /// Tries the first legal candidate in the states that stand in lanes, evaluated.
    fn try_in_lanes(&mut self, candidates: &[MoveId], out: &mut TriedChildren) {
        let LaneFrontier { expander, valuer, places, .. } = self;
        let (lanes, inputs) = LaneExpander::parts(expander);
        let first = out.tried.len();
        let all = Word::first(lanes.lanes()) & !lanes.terminal();
        let mut open = all;
        out.tried.resize(first + lanes.lanes(), None);
        for (number, joint) in candidates.chunks_exact(places.len().max(1)).enumerate() {
            let mut legal = open;
            for (role, action) in joint.iter().enumerate() {
                let place = places[role].get(action);
                legal &= place.map_or(Word::ZERO, |&place| lanes.legal_word(role, place));
            }
            if legal.is_zero() {
                continue;
            }
            legal.lanes().for_each(|lane| out.tried[first + lane] = Some(number as u16));
            let made = inputs.iter().zip(joint).map(|(inputs, action)| inputs[action.0 as usize]);
            made.filter(|&input| input != 0).for_each(|input| lanes.make_in_all(legal, input));
            open &= !legal;
            if open.is_zero() {
                break;
            }
        }
        let tried = all & !open;
        match tried.is_zero() {
            false => {
                lanes.advance();
                lanes.observe_ends();
                out.replies.read(lanes, tried, valuer);
            }
            // What is said of these means nothing.
            true => out.replies.skip(lanes.lanes()),
        }
    }
}
