//! Replies that are tried before all others: joint moves that cut off elsewhere.

use crate::machine::lanes::frontier::ValuedChildren;
use crate::machine::lanes::tried::TriedChildren;
use crate::machine::{Children, MoveId};

/// Replies that cut off lately and are tried, besides killers.
const REPLIES: usize = 6;

/// A child one ply before the depth, valued.
pub(super) struct Reply<'f> {
    pub(super) joint: &'f [MoveId],
    pub(super) terminal: bool,
    children: &'f Children,
    child: usize,
    pub(super) value: f64,
}

impl<'f> Reply<'f> {
    pub(super) fn of(valued: &'f ValuedChildren, child: usize) -> Reply<'f> {
        Reply::by(valued.children.joint(child), valued, child)
    }

    /// The same with the joint move that leads there, where it isn't kept with the child.
    pub(super) fn by(joint: &'f [MoveId], valued: &'f ValuedChildren, child: usize) -> Reply<'f> {
        let children = &valued.children;
        Reply { joint, terminal: children.terminal(child), children, child, value: valued.values[0][child] }
    }

    /// The goal values of a role, where it is terminal.
    pub(super) fn goals(&self, role: usize) -> &'f [i32] {
        self.children.goals(self.child, role)
    }
}

/// Joint moves that cut off lately, the last one first.
#[derive(Default)]
pub(super) struct Recent(Vec<Vec<MoveId>>);

impl Recent {
    /// Notes a joint move that cut off.
    pub(super) fn note(&mut self, joint: &[MoveId]) {
        match self.0.iter().position(|reply| reply.iter().eq(joint)) {
            Some(0) => {}
            Some(place) => self.0[..=place].rotate_right(1),
            None => {
                if self.0.len() < REPLIES {
                    self.0.push(Vec::new());
                }
                self.0.rotate_right(1);
                self.0[0].clear();
                self.0[0].extend_from_slice(joint);
            }
        }
    }
}

/// One reply tried in each of some states: the first candidate that is legal there.
#[derive(Default)]
pub(super) struct Trial {
    /// Joint moves, one after the other.
    pub(super) candidates: Vec<MoveId>,
    roles: usize,
    pub(super) results: TriedChildren,
}

impl Trial {
    /// Candidates from now on are `killers`, then those that cut off lately.
    pub(super) fn begin(&mut self, killers: &[Vec<MoveId>], recent: &Recent) {
        self.candidates.clear();
        for reply in killers.iter().chain(&recent.0).filter(|reply| !reply.is_empty()) {
            self.roles = reply.len();
            if !self.candidates.chunks_exact(reply.len()).any(|other| other.iter().eq(reply)) {
                self.candidates.extend_from_slice(reply);
            }
        }
    }

    /// Candidates are those of another one.
    pub(super) fn follow(&mut self, other: &Trial) {
        self.candidates.clone_from(&other.candidates);
        self.roles = other.roles;
    }

    /// The candidates.
    pub(super) fn candidates(&self) -> impl Iterator<Item = &[MoveId]> {
        self.candidates.chunks_exact(self.roles.max(1))
    }

    /// What was tried in a state, by its place among the results.
    pub(super) fn reply(&self, place: usize) -> Option<Reply<'_>> {
        let joint = self.candidates().nth(usize::from(self.results.tried[place]?))?;
        Some(Reply::by(joint, &self.results.replies, place))
    }
}
