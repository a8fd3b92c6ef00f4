//! Move ordering by success rates: how often a move cut off its siblings when it was searched, as a reply to the move before.
//!
//! # Source
//! The relative history heuristic (Winands, van der Werf, van den Herik and Uiterwijk 2006) and countermoves (Uiterwijk 1992).

/// A number of a joint move.
pub(super) type MoveCode = u16;

/// Slots for pairs of joint moves of a side.
const PAIRS: usize = 1 << 16;

/// Searches after which the counts of a move are halved.
const MOST: u16 = 1 << 12;

/// Weight of a move's own success rate compared with its rate as a reply, in searches.
const PRIOR: f32 = 4.0;

#[derive(Clone, Copy, Default)]
struct Rate {
    cut: u16,
    searched: u16,
}

impl Rate {
    fn note(&mut self, cut: bool) {
        self.cut += u16::from(cut);
        self.searched += 1;
        if self.searched >= MOST {
            (self.cut, self.searched) = (self.cut / 2, self.searched / 2);
        }
    }
}

/// For both sides the success rates of joint moves, and of pairs of a joint move and its reply.
pub(super) struct SuccessRates {
    single: [Vec<Rate>; 2],
    pairs: [Vec<Rate>; 2],
}

fn pair(before: MoveCode, code: MoveCode) -> usize {
    ((u32::from(before) << 16 | u32::from(code)).wrapping_mul(0x9e37_79b1) >> 16) as usize % PAIRS
}

impl SuccessRates {
    pub(super) fn new() -> SuccessRates {
        let rates = |count: usize| [vec![Rate::default(); count], vec![Rate::default(); count]];
        SuccessRates { single: rates(1 << 16), pairs: rates(PAIRS) }
    }

    /// Records whether a joint move of a side cut off its siblings.
    pub(super) fn note(&mut self, side: usize, before: MoveCode, code: MoveCode, cut: bool) {
        self.single[side][usize::from(code)].note(cut);
        self.pairs[side][pair(before, code)].note(cut);
    }

    /// The expected success of a joint move of a side after another one, from 0 to 1.
    pub(super) fn rate(&self, side: usize, before: MoveCode, code: MoveCode) -> f32 {
        let (single, pair) = (self.single[side][usize::from(code)], self.pairs[side][pair(before, code)]);
        let general = (f32::from(single.cut) + 0.5) / (f32::from(single.searched) + 1.0);
        (f32::from(pair.cut) + PRIOR * general) / (f32::from(pair.searched) + PRIOR)
    }
}
