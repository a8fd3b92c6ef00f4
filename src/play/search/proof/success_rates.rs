//! Move ordering by success rates: how often a move cut off its siblings when it was searched, as a reply to the move before.
//!
//! A move is known by its effect, what it changes in the state. The same move may fill one cell of a board in one state
//! and another cell in the next. Large searches weigh more than small ones: a wrong order costs more there.
//!
//! # Source
//! The relative history heuristic (Winands, van der Werf, van den Herik and Uiterwijk 2006) and countermoves (Uiterwijk 1992).

/// A number of what a joint move changes in a state.
pub(super) type EffectCode = u16;

/// Slots for pairs of joint moves of a side.
const PAIRS: usize = 1 << 16;

/// Total weight of searches after which the counts of a move are halved.
const MOST: u16 = 1000;

/// Weight of a move's own success rate compared with its rate as a reply.
const PRIOR: f32 = 20.0;

/// Weights of searches.
#[derive(Clone, Copy, Default)]
struct Rate {
    cut: u16,
    searched: u16,
}

impl Rate {
    fn note(&mut self, cut: bool, weight: u16) {
        self.cut += if cut { weight } else { 0 };
        self.searched += weight;
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

fn pair(before: EffectCode, code: EffectCode) -> usize {
    ((u32::from(before) << 16 | u32::from(code)).wrapping_mul(0x9e37_79b1) >> 16) as usize % PAIRS
}

impl SuccessRates {
    pub(super) fn new() -> SuccessRates {
        let rates = |count: usize| [vec![Rate::default(); count], vec![Rate::default(); count]];
        SuccessRates { single: rates(1 << 16), pairs: rates(PAIRS) }
    }

    /// Records whether a joint move of a side after another one cut off its siblings. `work` is the number of states that
    /// its search visited.
    pub(super) fn note(
        &mut self,
        side: usize,
        (before, code): (EffectCode, EffectCode),
        cut: bool,
        work: u64,
    ) {
        let weight = 1 + work.max(1).ilog2() as u16;
        self.single[side][usize::from(code)].note(cut, weight);
        self.pairs[side][pair(before, code)].note(cut, weight);
    }

    /// The expected success of a joint move of a side after another one, from 0 to 1.
    pub(super) fn rate(&self, side: usize, before: EffectCode, code: EffectCode) -> f32 {
        let (single, pair) = (self.single[side][usize::from(code)], self.pairs[side][pair(before, code)]);
        let general = (f32::from(single.cut) + 0.5) / (f32::from(single.searched) + 1.0);
        (f32::from(pair.cut) + PRIOR * general) / (f32::from(pair.searched) + PRIOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_searches_weigh_more() {
        let mut rates = SuccessRates::new();
        for (code, large_cuts) in [(2, true), (3, false)] {
            rates.note(0, (1, code), large_cuts, 1 << 20);
            (0..3).for_each(|_| rates.note(0, (1, code), !large_cuts, 1));
        }
        assert!(rates.rate(0, 1, 2) > 0.5 && rates.rate(0, 1, 3) < 0.5);
        assert_eq!(rates.rate(1, 1, 2).to_bits(), 0.5_f32.to_bits(), "the other side's rates are its own");
        for _ in 0..1000 {
            rates.note(0, (1, 2), true, u64::MAX);
        }
        let rate = rates.rate(0, 1, 2);
        assert!(rate > 0.9 && rate <= 1.0, "{rate}");
    }
}
