//! The layout of a block's slots.

use std::ops::Range;

use crate::ground::Network;

/// Maximum number of bits of a number of moves.
pub(super) const COUNT_BITS: usize = 24;

/// The fixed slots of a game. Slot 0 is false. The bits of the state, the moves and the recursive atoms follow, in the order
/// of the network's nodes.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Number of bits of a state.
    pub(super) bits: usize,
    /// For each role and move, the slot of whether the move is made, as in the network.
    pub(super) made: Vec<Vec<u32>>,
    /// For each role, the slots of which moves are legal.
    pub(super) legal: Vec<Range<u32>>,
    /// The slots of the goal conditions, role by role.
    pub(super) goals: Range<u32>,
    /// Whether the state is terminal.
    pub(super) terminal: u32,
    /// The lanes with a running playout.
    pub(super) active: u32,
    /// The lanes whose playout is at the step limit.
    pub(super) aged: u32,
    /// The lanes that choose moves.
    pub(super) moving: u32,
    /// The lanes whose playouts end: in a terminal state, at the step limit, without a legal move, and all of these.
    pub(super) ended: [u32; 4],
    /// The lanes that return to the initial state.
    pub(super) fresh: u32,
    /// The lanes in which a sweep of a loop changed something.
    pub(super) changed: u32,
    totals: u32,
    numbers: u32,
    /// The first slot after the fixed ones.
    pub(super) end: u32,
}

impl Layout {
    pub(super) fn new(network: &Network) -> Layout {
        let mut end = network.first_gate;
        let mut take = |count: usize| {
            let start = end;
            end += count as u32;
            start..end
        };
        let roles = network.moves.len();
        let legal = network.moves.iter().map(|moves| take(moves.len())).collect();
        let goals = take(network.goals.iter().map(Vec::len).sum());
        let [terminal, active, aged, moving, fresh, changed] = [(); 6].map(|()| take(1).start);
        let ended = [(); 4].map(|()| take(1).start);
        let totals = take(roles * COUNT_BITS).start;
        let numbers = take(roles * COUNT_BITS).start;
        Layout {
            bits: network.next.len(),
            made: network.moves.iter().map(|moves| moves.iter().map(|m| m.input).collect()).collect(),
            legal,
            goals,
            terminal,
            active,
            aged,
            moving,
            fresh,
            changed,
            ended,
            totals,
            numbers,
            end,
        }
    }

    /// The slot of a state bit.
    pub(super) fn bit(&self, bit: usize) -> u32 {
        1 + bit as u32
    }

    /// The slots of the bit-sliced number of a role's legal moves.
    pub(super) fn total(&self, role: usize, bits: usize) -> Range<usize> {
        let start = self.totals as usize + role * COUNT_BITS;
        start..start + bits
    }

    /// The slots of the number drawn for a role.
    pub(super) fn number(&self, role: usize, bits: usize) -> Range<usize> {
        let start = self.numbers as usize + role * COUNT_BITS;
        start..start + bits
    }
}
