//! A pass of lanes: playouts from several new states of the tree, or from their successors, at once.
//!
//! # How
//! Each state is found by a simulation. Until its playouts are over, all moves on the path to it count as losses (virtual
//! loss), so that the next simulation finds another state. Then all states share the lanes.

use std::time::Instant;

use crate::machine::{Children, State};

use super::nodes::NodeId;
use super::tree::PathStep;

/// Limit of simulations for each new state, as some reach terminal or proved states.
pub(super) const TRIES: u32 = 4;

/// Finding the states of a pass may take this many times as long as their playouts. If playouts are short, a pass has
/// fewer states.
const FINDING: f64 = 2.0;

/// Seconds that finding them may always take.
const LONGEST: f64 = 0.005;

/// Recent times of passes.
#[derive(Default)]
pub(super) struct PassTimes {
    /// Seconds for finding a state and evaluating its successors, and for the playouts of a pass.
    found: f64,
    played: f64,
}

impl PassTimes {
    /// Records the times of a pass with this many states: when the search for them began, when they were found, and when
    /// playouts and updates were over.
    pub(super) fn note(&mut self, [begun, found, played, over]: [Instant; 4], states: usize) {
        // Functions may evaluate each state during the update.
        let of_state = (found - begun + (over - played)).as_secs_f64() / states.max(1) as f64;
        for (mean, took) in [(&mut self.found, of_state), (&mut self.played, (played - found).as_secs_f64())]
        {
            *mean = if *mean == 0.0 { took } else { 0.95 * *mean + 0.05 * took };
        }
    }

    /// The number of states of the next pass, at most `most`.
    pub(super) fn states(&self, most: u32) -> u32 {
        // Begin with one state, as no time is known yet.
        let time = (FINDING * self.played).min(LONGEST);
        if self.found > 0.0 { ((time / self.found) as u32).clamp(1, most.max(1)) } else { 1 }
    }
}

/// A new state that waits for its playouts.
pub(super) struct PendingState {
    pub(super) place: PendingPlace,
    pub(super) path: Vec<PathStep>,
    /// The only role that chooses there, and the numbers of the considered successors; none if the playouts begin at the
    /// state itself.
    pub(super) chooser: Option<(usize, Vec<usize>)>,
}

/// The considered successors that are not terminal.
pub(super) fn open_successors<'c>(
    children: &'c Children,
    considered: &'c [usize],
) -> impl Iterator<Item = &'c [u64]> {
    let open = considered.iter().filter(|&&child| !children.terminal(child));
    open.map(|&child| children.state(child))
}

/// The place at which a state is stored.
pub(super) enum PendingPlace {
    /// In the tree.
    Kept(NodeId),
    /// Only here, because the tree is full.
    Beyond(State),
}

impl PendingPlace {
    pub(super) fn is(&self, node: NodeId) -> bool {
        matches!(self, PendingPlace::Kept(kept) if *kept == node)
    }
}
