//! Changes of a fluent relation's facts in lanes, recorded until no latch is possible.

use multiversion::multiversion;

use crate::machine::lanes::block::Block;
use crate::machine::lanes::word::Word;

use super::super::fact_changes::FactChanges;
use super::layout::RelationLayout;

/// The changes of one fluent relation's facts.
#[derive(Clone, Debug, Default)]
pub(super) struct LaneFactChanges {
    pub(super) seen: FactChanges,
    /// For each fact, the lanes that had it in the previous step, and those in whose playout it
    /// disappeared.
    facts: Vec<(Word, Word)>,
}

impl LaneFactChanges {
    /// Processes a step, with the lanes that continue a playout.
    pub(super) fn process(&mut self, layout: &RelationLayout, block: &Block<'_>, going_on: Word) {
        if self.seen.is_settled() {
            return;
        }
        // In the first step of a block, no lane continues a playout.
        self.facts.resize(layout.facts.len(), (Word::ZERO, Word::ZERO));
        self.seen.add(process(layout, block, going_on, &mut self.facts));
    }
}

/// The changes in a step; `facts` is updated for the next step.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn process(
    layout: &RelationLayout,
    block: &Block<'_>,
    going_on: Word,
    facts: &mut [(Word, Word)],
) -> FactChanges {
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
    FactChanges { came: !came.is_zero(), went: !went.is_zero(), returned: !returned.is_zero() }
}
