//! Which moves are looked at first: those that were good elsewhere.

use crate::machine::MoveId;

/// Scores of moves by the cutoffs they made (history heuristic, Schaeffer 1983), and the last two that cut off at each
/// ply (killers).
#[derive(Default)]
pub(super) struct Ordering {
    /// For both sides and every move.
    history: [Vec<u32>; 2],
    killers: Vec<[Vec<MoveId>; 2]>,
    /// Decides between moves that nothing tells apart; 0 for their order.
    pub(super) ties: u64,
}

/// History never reaches killers.
const MOST_HISTORY: u32 = 1 << 24;

/// What comes before all: the move of the table.
const FIRST: u32 = u32::MAX;

impl Ordering {
    /// Forgets killers, and half of the rest.
    pub(super) fn grow_old(&mut self) {
        self.killers.clear();
        self.history.iter_mut().flatten().for_each(|score| *score /= 2);
    }

    /// The place of a move among those of the same rank.
    pub(super) fn among_equals(&self, place: u32) -> u64 {
        match self.ties {
            0 => place.into(),
            ties => (u64::from(place) + 1)
                .wrapping_mul(ties | 1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(29),
        }
    }

    /// A move, with the joint move it is part of, cut off at a ply in a search of so many plies.
    pub(super) fn cut(&mut self, side: usize, chosen: &[MoveId], joint: &[MoveId], ply: usize, depth: u32) {
        for &action in chosen {
            let place = action.0 as usize;
            let history = &mut self.history[side];
            if history.len() <= place {
                history.resize(place + 1, 0);
            }
            history[place] += depth * depth;
            if history[place] >= MOST_HISTORY {
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

    /// The last joint moves that cut off at a ply.
    pub(super) fn killers(&self, ply: usize) -> &[Vec<MoveId>] {
        self.killers.get(ply).map_or(&[], |killers| killers)
    }

    /// How early a move should be looked at: the higher the sooner.
    #[inline]
    pub(super) fn rank(
        &self,
        options: Rank,
        side: usize,
        chosen: impl Iterator<Item = MoveId>,
        joint: &[MoveId],
        ply: usize,
    ) -> u32 {
        if options.of_table {
            return FIRST;
        }
        if options.killers
            && let Some([first, second]) = self.killers.get(ply)
        {
            // Joint moves are short: no call is worth while for them.
            if first.iter().eq(joint) {
                return FIRST - 1;
            }
            if second.iter().eq(joint) {
                return FIRST - 2;
            }
        }
        let history = &self.history[side];
        chosen.map(|action| history.get(action.0 as usize).copied().unwrap_or(0)).max().unwrap_or(0)
    }
}

/// What a move is ranked by.
#[derive(Clone, Copy)]
pub(super) struct Rank {
    /// Whether the table has it as best.
    pub(super) of_table: bool,
    /// Whether killers count.
    pub(super) killers: bool,
}
