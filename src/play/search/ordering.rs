//! Move ordering: moves that were good in other states are searched first.

use crate::machine::MoveId;

/// Scores of moves by the cutoffs they made (history heuristic, Schaeffer 1983), and the last two joint moves that cut
/// off at each ply (killer moves).
pub(super) struct Ordering {
    /// The history score of each move, for both sides.
    history: [Vec<u32>; 2],
    killers: Vec<[Vec<MoveId>; 2]>,
    /// Whether killer moves come before others.
    use_killers: bool,
    /// Orders moves of the same rank; 0 keeps their order.
    pub(super) ties: u64,
}

/// The greatest history score, below the rank of killer moves.
const MAX_HISTORY: u32 = 1 << 24;

/// The rank of the last killer move, and of the move in the transposition table. A winning move has a higher rank.
pub(super) const KILLER: u32 = u32::MAX - 1;

impl Ordering {
    /// An ordering without cutoffs yet.
    pub(super) fn new(use_killers: bool) -> Ordering {
        Ordering { history: Default::default(), killers: Vec::new(), use_killers, ties: 0 }
    }

    /// Removes the killer moves and halves the scores of the history.
    pub(super) fn decay(&mut self) {
        self.killers.clear();
        self.history.iter_mut().flatten().for_each(|score| *score /= 2);
    }

    /// The position of a move among those of the same rank.
    pub(super) fn among_equals(&self, index: u32) -> u64 {
        match self.ties {
            0 => index.into(),
            ties => (u64::from(index) + 1)
                .wrapping_mul(ties | 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29),
        }
    }

    /// Records a cutoff by a side's moves in a joint move, at a ply, in a search of `depth` plies.
    pub(super) fn cut(
        &mut self,
        side: usize,
        moves: impl Iterator<Item = MoveId>,
        joint: &[MoveId],
        ply: usize,
        depth: u32,
    ) {
        for action in moves {
            let index = action.0 as usize;
            let history = &mut self.history[side];
            if history.len() <= index {
                history.resize(index + 1, 0);
            }
            history[index] += depth * depth;
            if history[index] >= MAX_HISTORY {
                history.iter_mut().for_each(|score| *score /= 2);
            }
        }
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, <[Vec<MoveId>; 2]>::default());
        }
        let [first, second] = &mut self.killers[ply];
        if !first.iter().eq(joint) {
            std::mem::swap(first, second);
            first.clear();
            first.extend_from_slice(joint);
        }
    }

    /// The last joint moves that caused cutoffs at a ply.
    pub(super) fn killers(&self, ply: usize) -> &[Vec<MoveId>] {
        self.killers.get(ply).map_or(&[], |killers| killers)
    }

    /// The priority of a joint move, by the moves of the side that chooses; higher ones are searched first.
    #[inline]
    pub(super) fn rank(
        &self,
        side: usize,
        moves: impl Iterator<Item = MoveId>,
        joint: &[MoveId],
        ply: usize,
    ) -> u32 {
        if self.use_killers
            && let Some([first, second]) = self.killers.get(ply)
        {
            // Joint moves are short: a call of `memcmp` would cost more than this loop.
            if first.iter().eq(joint) {
                return KILLER;
            }
            if second.iter().eq(joint) {
                return KILLER - 1;
            }
        }
        let history = &self.history[side];
        moves.map(|action| history.get(action.0 as usize).copied().unwrap_or(0)).max().unwrap_or(0)
    }
}
