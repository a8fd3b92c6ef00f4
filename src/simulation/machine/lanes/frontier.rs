//! The last plies of a search in lanes: whether children are terminal, and their values, without their states.
//!
//! A search to a fixed depth spends most of its time on the last ply. There it needs for every child whether it is terminal,
//! its goal values if so, and otherwise its value by a function. Lanes compute all of these without reading states out. A
//! pass takes about the same time for 1 child as for 512, so the children of several states share a pass.
//!
//! The users are depth-limited search (`search/lane_source.rs`) and learning (`evaluation/learned/self_play/`).
//! [`LaneFrontier::expand_tried`] also plays one reply in each child; `split_step.rs` compiles a step as several
//! functions.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::children::{LaneExpander, set_joint_moves};
use super::children_with_replies::ChildrenWithReplies;
use super::program::Program;
use super::split_step::SplitStep;
use super::value::{LaneValue, LaneValuer};
pub use super::valued_children::ValuedChildren;
use super::word::{LANES, Word};
use crate::ground::Interrupted;
use crate::ground::network::RoleMove;
use crate::machine::children::{ChildFields, count_joint_moves, push_joint_moves};
use crate::machine::{ExpansionLimits, MachineError, MoveId, State};

/// Minimum mean number of children per state for which the bits of a state are written to the lanes of its children
/// directly. With fewer children, transposing is faster.
const MIN_AVERAGE_RUN: usize = 8;

const TRIED_FIELDS: ChildFields = ChildFields { choices: true, ..ChildFields::PLIES };

/// Initial capacity for the legal moves of a role.
const MOVES_CAPACITY: usize = 64;

/// The index of each move in the network's list of the role's moves.
fn places(moves: &[RoleMove]) -> FxHashMap<MoveId, usize> {
    moves.iter().enumerate().map(|(index, m)| (MoveId(m.action), index)).collect()
}

/// Expands states in lanes and computes the values of their children.
pub struct LaneFrontier<'a> {
    pub(super) expander: LaneExpander<'a>,
    pub(super) valuer: LaneValuer,
    pub(super) functions: usize,
    /// Number of children to evaluate in one call, so that the caller can check the clock in time.
    room: usize,
    /// For each role and lane, the legal moves.
    legal: Vec<Vec<Vec<MoveId>>>,
    /// For each listed joint move, the index of its state.
    owners: Vec<u32>,
    /// Number of states whose moves are listed at once: one more than fitted into the last pass.
    fit: usize,
    /// For each role, the index of each of its moves.
    pub(super) places: Vec<FxHashMap<MoveId, usize>>,
}

impl<'a> LaneFrontier<'a> {
    /// A frontier that evaluates children with these functions.
    ///
    /// # Errors
    /// The interrupt ended compilation.
    pub fn new(program: &'a Program, functions: Vec<LaneValue>) -> Result<LaneFrontier<'a>, Interrupted> {
        let roles = program.network().moves.len();
        let count = functions.len();
        let room = functions.iter().map(LaneValue::room).min().unwrap_or(LANES);
        let split = if functions.iter().any(LaneValue::reads_moves) { None } else { program.split()? };
        let valuer = LaneValuer::new(program, functions)?;
        let slots = valuer.slots().max(split.map_or(0, SplitStep::slots));
        let mut expander = LaneExpander::with_slots(program, slots)?;
        expander.parts().0.use_split(split);
        Ok(LaneFrontier {
            expander,
            functions: count,
            room,
            valuer,
            legal: vec![Vec::new(); roles],
            owners: Vec::new(),
            fit: 1,
            places: program.network().moves.iter().map(|moves| places(moves)).collect(),
        })
    }

    /// Number of children, of several states, to evaluate in one call. It is less than the number of lanes if the
    /// functions are expensive.
    pub fn room(&self) -> usize {
        self.room
    }

    /// Plays all joint moves of a nonterminal state.
    ///
    /// # Errors
    /// As [`LaneFrontier::expand_each`].
    pub fn expand(
        &mut self,
        limits: ExpansionLimits<'_>,
        state: &State,
        out: &mut ValuedChildren,
    ) -> Result<(), MachineError> {
        self.expand_each(limits, &[&state.0], LANES, out).map(|_| ())
    }

    /// Plays one joint move in each state. `joints` has a move for every role, state after state.
    pub fn advance(&mut self, states: &[&[u64]], joints: &[MoveId], out: &mut ValuedChildren) {
        let roles = self.legal.len().max(1);
        out.clear(self.legal.len(), self.functions);
        out.children.joint_moves_mut().extend_from_slice(joints);
        for (states, joints) in states.chunks(LANES).zip(joints.chunks(LANES * roles)) {
            let (lanes, inputs) = self.expander.parts();
            lanes.load(states);
            set_joint_moves(lanes, inputs, joints);
            lanes.advance();
            lanes.observe_ends();
            out.read(lanes, Word::ONES, &mut self.valuer);
        }
        out.ends.extend(1..=states.len());
    }

    /// Expands the first `n` of `states`, and returns `n`: the greatest number from 1 to 512 for which they have at
    /// most `most` children together. A single state may have more. The states must not be terminal.
    ///
    /// # Errors
    /// [`MachineError`]: a state has more joint moves than [`MAX_JOINT_MOVES`](crate::machine::MAX_JOINT_MOVES), the
    /// children take too much memory, or one of the `limits` was reached.
    pub fn expand_each(
        &mut self,
        limits: ExpansionLimits<'_>,
        states: &[&[u64]],
        most: usize,
        out: &mut ValuedChildren,
    ) -> Result<usize, MachineError> {
        out.clear(self.legal.len(), self.functions);
        let mut joints = std::mem::take(out.children.joint_moves_mut());
        let mut done = self.list(states, most, &mut joints, &mut out.ends);
        for (pass, joints) in joints.chunks(LANES * self.legal.len().max(1)).enumerate() {
            self.make(states, pass, joints);
            let (lanes, _) = self.expander.parts();
            lanes.observe_ends();
            out.read(lanes, Word::ONES, &mut self.valuer);
            done = done.and_then(|()| limits.check(&out.children));
            if done.is_err() {
                break;
            }
        }
        *out.children.joint_moves_mut() = joints;
        done?;
        Ok(out.ends.len())
    }

    /// Lists all joint moves of each of the first states, as in [`LaneFrontier::expand_each`]. `owners` gets the state of
    /// each joint move, and `ends` the end of each state's joint moves. If there is only one state, every lane holds
    /// it afterwards.
    pub(super) fn list(
        &mut self,
        states: &[&[u64]],
        most: usize,
        joints: &mut Vec<MoveId>,
        ends: &mut Vec<usize>,
    ) -> Result<(), MachineError> {
        let states = &states[..states.len().min(LANES)];
        let (lanes, _) = self.expander.parts();
        match states {
            [state] => lanes.splat(state, LANES),
            _ => lanes.load(states),
        }
        lanes.observe_legal();
        self.owners.clear();
        let mut next = 0;
        while next < states.len() {
            let some = next..states.len().min(next + self.fit);
            next = some.end;
            self.list_legal(some.clone());
            let listed = self.list_joints(some, most, joints, ends)?;
            // A single state gives no information on how many fit.
            if states.len() > 1 {
                self.fit = ends.len() + 1;
            }
            if !listed {
                break;
            }
        }
        Ok(())
    }

    /// Lists the legal moves of a range of evaluated lanes.
    fn list_legal(&mut self, lanes: Range<usize>) {
        let (states, _) = self.expander.parts();
        for (role, legal) in self.legal.iter_mut().enumerate() {
            legal.iter_mut().for_each(Vec::clear);
            legal.resize_with(legal.len().max(lanes.len()), || Vec::with_capacity(MOVES_CAPACITY));
            for (part, mask) in Word::parts_of(lanes.clone()) {
                let moves = &states.program().network().moves[role];
                for (action, word) in moves.iter().zip(states.legal_words(role)) {
                    let mut left = word.0[part] & mask;
                    while left != 0 {
                        let lane = part * 64 + left.trailing_zeros() as usize;
                        legal[lane - lanes.start].push(MoveId(action.action));
                        left &= left - 1;
                    }
                }
            }
        }
    }

    /// Lists the joint moves of these lanes' legal moves; returns false as soon as a state has too many.
    fn list_joints(
        &mut self,
        lanes: Range<usize>,
        most: usize,
        joints: &mut Vec<MoveId>,
        ends: &mut Vec<usize>,
    ) -> Result<bool, MachineError> {
        let roles = self.legal.len();
        for lane in lanes.clone() {
            let legal = |role: usize| &self.legal[role][lane - lanes.start][..];
            let count = count_joint_moves(roles, legal)?;
            if lane > 0 && self.owners.len() + count > most {
                return Ok(false);
            }
            push_joint_moves(roles, count, legal, joints);
            self.owners.extend(std::iter::repeat_n(lane as u32, count));
            ends.push(self.owners.len());
        }
        Ok(true)
    }

    /// Plays the joint moves of one pass, at most one per lane. It does not evaluate the children.
    pub(super) fn make(&mut self, states: &[&[u64]], pass: usize, joints: &[MoveId]) {
        let (lanes, inputs) = self.expander.parts();
        let owners = &self.owners[pass * LANES..self.owners.len().min((pass + 1) * LANES)];
        match states {
            [_] if pass == 0 => lanes.use_first(owners.len()),
            [state] => lanes.splat(state, owners.len()),
            _ if owners.chunk_by(|one, other| one == other).count() * MIN_AVERAGE_RUN <= owners.len() => {
                let mut lane = 0;
                lanes.load_runs(owners.chunk_by(|one, other| one == other).map(|same| {
                    let lanes = lane..lane + same.len();
                    lane = lanes.end;
                    (states[same[0] as usize], lanes)
                }));
            }
            _ => lanes.load_from(owners.iter().map(|&owner| states[owner as usize])),
        }
        set_joint_moves(lanes, inputs, joints);
        lanes.advance();
    }

    /// Expands states as [`LaneFrontier::expand_each`] does, and plays a reply in each nonterminal child: the first of the
    /// `candidates` that is legal there. A candidate has a move for every role. Returns the number of expanded states.
    ///
    /// # Errors
    /// [`MachineError`]: a state has more joint moves than [`MAX_JOINT_MOVES`](crate::machine::MAX_JOINT_MOVES), the
    /// children take too much memory, or one of the `limits` was reached.
    pub fn expand_tried(
        &mut self,
        limits: ExpansionLimits<'_>,
        states: &[&[u64]],
        most: usize,
        candidates: &[MoveId],
        out: &mut ChildrenWithReplies,
    ) -> Result<usize, MachineError> {
        let roles = self.places.len();
        out.clear(roles, self.functions);
        let mut joints = std::mem::take(out.children.joint_moves_mut());
        let mut done = self.list(states, most, &mut joints, &mut out.ends);
        for (pass, joints) in joints.chunks(LANES * roles.max(1)).enumerate() {
            self.make(states, pass, joints);
            self.expander.parts().0.observe();
            self.expander.read(TRIED_FIELDS, &mut out.children);
            self.try_in_lanes(candidates, out);
            done = done.and_then(|()| limits.check(&out.children));
            if done.is_err() {
                break;
            }
        }
        *out.children.joint_moves_mut() = joints;
        done?;
        Ok(out.ends.len())
    }

    /// Plays the first legal candidate in each of at most 512 states. `out.children` stays empty.
    ///
    /// # Panics
    /// There are more than 512 states.
    pub fn try_each(&mut self, states: &[&[u64]], candidates: &[MoveId], out: &mut ChildrenWithReplies) {
        out.clear(self.places.len(), self.functions);
        let (lanes, _) = self.expander.parts();
        lanes.load(states);
        lanes.observe();
        self.try_in_lanes(candidates, out);
    }

    /// Plays the first legal candidate in the evaluated states in lanes.
    fn try_in_lanes(&mut self, candidates: &[MoveId], out: &mut ChildrenWithReplies) {
        let LaneFrontier { expander, valuer, places, .. } = self;
        let (lanes, inputs) = LaneExpander::parts(expander);
        let first = out.tried.len();
        let all = Word::first(lanes.lanes()) & !lanes.terminal();
        let mut open = all;
        out.tried.resize(first + lanes.lanes(), None);
        for (number, joint) in candidates.chunks_exact(places.len().max(1)).enumerate() {
            let mut legal = open;
            for (role, action) in joint.iter().enumerate() {
                let index = places[role].get(action);
                legal &= index.map_or(Word::ZERO, |&index| lanes.legal_word(role, index));
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
            // No reply was played, so these entries are not read.
            true => out.replies.skip(lanes.lanes()),
        }
    }
}
