//! How the facts of a fluent relation come and go in lanes, for as long as it may be a latch.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;

use super::super::comings::Comings;
use super::layout::RelationLayout;

/// How the facts of one fluent relation came and went.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneComings {
    pub(super) seen: Comings,
    /// For each fact the lanes that had it in the step before, and those in whose playout it went.
    facts: Vec<(Word, Word)>,
}

impl LaneComings {
    /// Looks at a step, with the lanes that go on with a playout.
    pub(super) fn look(&mut self, layout: &RelationLayout, block: &Block<'_>, going_on: Word) {
        if self.seen.is_settled() {
            return;
        }
        // A block begins with lanes none of which goes on.
        self.facts.resize(layout.facts.len(), (Word::ZERO, Word::ZERO));
        self.seen.add(look(layout, block, going_on, &mut self.facts));
    }
}

/// What a step shows, which is remembered for the next.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn look(layout: &RelationLayout, block: &Block<'_>, going_on: Word, facts: &mut [(Word, Word)]) -> Comings {
    let (mut came, mut went, mut returned) = (Word::ZERO, Word::ZERO, Word::ZERO);
    for (&(_, bit), (last, gone)) in layout.facts.iter().zip(facts) {
        let now = block.bit(bit as usize);
        let up = now & !*last & going_on;
        let before = *gone & going_on;
        let down = *last & !now & going_on;
        came |= up;
        returned |= up & before;
        went |= down;
        (*last, *gone) = (now, before | down);
    }
    Comings { came: !came.is_zero(), went: !went.is_zero(), returned: !returned.is_zero() }
}
