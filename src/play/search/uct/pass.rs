//! A pass of lanes: playouts from several new states of the tree, or from their successors, all at once.
//!
//! # How
//! One state after the other is found as any simulation finds one. Until its playouts are over all moves on the way to it count
//! as if they had come to nothing (virtual loss), so that the next one is sought elsewhere. Then all share the lanes.

use std::time::Instant;

use crate::machine::{Children, State};

use super::nodes::NodeId;
use super::tree::PathStep;

/// Simulations for each new state that is wanted, at most, of which the others come to an end.
pub(super) const TRIES: u32 = 4;

/// How much longer finding the states of a pass may take than their playouts, by the clock: where these are quick there are
/// fewer states a pass than asked for.
const FINDING: f64 = 2.0;

/// Seconds that finding them may take in any case, so that a move comes in time.
const LONGEST: f64 = 0.005;

/// What passes took lately.
#[derive(Default)]
pub(super) struct PassTimes {
    /// Seconds for finding a state and valuing its successors, and for the playouts of a pass.
    found: f64,
    played: f64,
}

impl PassTimes {
    /// A pass with so many states took so long: they were found, played from, and told of to the tree.
    pub(super) fn note(&mut self, [begun, found, played, over]: [Instant; 4], states: usize) {
        // Functions may value each of them when it is told of.
        let of_state = (found - begun + (over - played)).as_secs_f64() / states.max(1) as f64;
        for (mean, took) in [(&mut self.found, of_state), (&mut self.played, (played - found).as_secs_f64())]
        {
            *mean = if *mean == 0.0 { took } else { 0.95 * *mean + 0.05 * took };
        }
    }

    /// As many states as a pass should have, of so many at most.
    pub(super) fn states(&self, most: u32) -> u32 {
        // One at first, as nothing is known of the game.
        let time = (FINDING * self.played).min(LONGEST);
        if self.found > 0.0 { ((time / self.found) as u32).clamp(1, most.max(1)) } else { 1 }
    }
}

/// A new state that waits for its playouts.
pub(super) struct PendingState {
    pub(super) place: PendingPlace,
    pub(super) path: Vec<PathStep>,
    /// Who alone chooses there, and the numbers of the successors that are looked at; none where the state is played from itself.
    pub(super) chooser: Option<(usize, Vec<usize>)>,
}

/// The states of the successors that are looked at and are no ends.
pub(super) fn open_successors<'c>(
    children: &'c Children,
    considered: &'c [usize],
) -> impl Iterator<Item = &'c [u64]> {
    let open = considered.iter().filter(|&&child| !children.terminal(child));
    open.map(|&child| children.state(child))
}

/// Where it is.
pub(super) enum PendingPlace {
    /// In the tree.
    Kept(NodeId),
    /// Nowhere else, as there is no room for it in the tree.
    Beyond(State),
}

impl PendingPlace {
    pub(super) fn is(&self, node: NodeId) -> bool {
        matches!(self, PendingPlace::Kept(kept) if *kept == node)
    }
}
