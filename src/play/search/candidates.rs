//! Replies that are tried first because they refuted other states: killer moves and recent refutations.

use crate::machine::MoveId;

/// Recent refutations that are remembered.
const RECENT: usize = 6;

/// Joint moves that refuted states, the last one first.
#[derive(Default)]
pub(super) struct RecentRefutations(Vec<Vec<MoveId>>);

impl RecentRefutations {
    /// The last refutation; empty if there is none.
    #[inline]
    pub(super) fn last(&self) -> &[MoveId] {
        self.0.first().map_or(&[], Vec::as_slice)
    }

    /// Adds a joint move that refuted a state.
    #[inline]
    pub(super) fn note(&mut self, joint: &[MoveId]) {
        match self.0.iter().position(|reply| reply.iter().eq(joint)) {
            Some(0) => {}
            Some(index) => self.0[..=index].rotate_right(1),
            None => {
                if self.0.len() < RECENT {
                    self.0.push(Vec::new());
                }
                self.0.rotate_right(1);
                self.0[0].clear();
                self.0[0].extend_from_slice(joint);
            }
        }
    }
}

/// Joint moves to try in a state; the first legal one is tried.
#[derive(Default)]
pub(super) struct Candidates {
    /// A move for each role, one joint move after another.
    pub(super) moves: Vec<MoveId>,
    roles: usize,
    /// Whether the candidates were chosen; the choice may be empty.
    pub(super) are_chosen: bool,
}

impl Candidates {
    /// Discards the choice.
    pub(super) fn clear(&mut self) {
        self.moves.clear();
        self.are_chosen = false;
    }

    /// Copies other candidates.
    pub(super) fn follow(&mut self, other: &Candidates) {
        self.moves.clone_from(&other.moves);
        (self.roles, self.are_chosen) = (other.roles, other.are_chosen);
    }

    /// Chooses the killer moves, then the recent refutations.
    pub(super) fn choose(&mut self, killers: &[Vec<MoveId>], recent: &RecentRefutations) {
        self.clear();
        self.are_chosen = true;
        for joint in killers.iter().chain(&recent.0).filter(|joint| !joint.is_empty()) {
            self.roles = joint.len();
            if !self.joints().any(|other| other.iter().eq(joint)) {
                self.moves.extend_from_slice(joint);
            }
        }
    }

    /// The joint moves.
    #[inline]
    pub(super) fn joints(&self) -> impl Iterator<Item = &[MoveId]> {
        self.moves.chunks_exact(self.roles.max(1))
    }
}
