//! Where everything stands in a block's slots.

use std::ops::Range;

use crate::ground::Network;

/// Most bits of a number of moves.
pub(super) const COUNT_BITS: usize = 24;

/// The fixed slots of a game. Slot 0 is false; the bits of the state, the moves and the recursive atoms follow,
/// numbered as the network's nodes.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Number of bits of a state.
    pub(super) bits: usize,
    /// For every role the slots that say which move is made; as in the network.
    pub(super) made: Vec<Vec<u32>>,
    /// For every role the slots that say which of its moves are legal.
    pub(super) legal: Vec<Range<u32>>,
    /// The slots of the goal conditions, role by role.
    pub(super) goals: Range<u32>,
    /// Whether the state is terminal.
    pub(super) terminal: u32,
    /// The lanes whose playout runs.
    pub(super) active: u32,
    /// The lanes whose playout has made the most steps allowed.
    pub(super) aged: u32,
    /// The lanes that choose moves.
    pub(super) moving: u32,
    /// The lanes whose playouts end: in a terminal state, by their age, for want of moves, and all of them.
    pub(super) ended: [u32; 4],
    /// The lanes that go back to the initial state.
    pub(super) fresh: u32,
    /// The slot that loops say in what they changed.
    pub(super) changed: u32,
    totals: u32,
    numbers: u32,
    /// The first slot after all these.
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

    /// The slot of a bit of the state.
    pub(super) fn bit(&self, bit: usize) -> u32 {
        1 + bit as u32
    }

    /// The slots of the sliced number of a role's legal moves.
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
