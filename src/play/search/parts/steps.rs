//! The fluents that no move changes.

use crate::machine::{Machine, MoveId, State};
use crate::search::limits::Halt;

/// The values of the fluents that no move changes, at each step from the first state on.
pub(super) struct Steps {
    /// For each step the words of the state, with the bits that moves change cleared.
    pub(super) words: Vec<Box<[u64]>>,
    /// The bits that no move changes.
    mask: Box<[u64]>,
    /// Whether there is a clock: then the game is over after the last of the steps. Otherwise there is one step, and the
    /// fluents never change.
    pub(super) clock: bool,
}

impl Steps {
    /// None if there is no clock, but the fluents change.
    pub(super) fn new(machine: &dyn Machine, state: &State, moved: &[bool]) -> Result<Option<Steps>, Halt> {
        let mut mask = vec![0; state.0.len()].into_boxed_slice();
        for bit in (0..moved.len()).filter(|&bit| !moved[bit]) {
            mask[bit / 64] |= 1 << (bit % 64);
        }
        let of = |state: &State| state.0.iter().zip(&mask).map(|(word, mask)| word & mask).collect();
        let clock = machine.clock().and_then(|clock| clock.step(state).map(|step| clock.last_step() - step));
        let mut cursor = machine.cursor();
        cursor.set(state)?;
        let mut words: Vec<Box<[u64]>> = vec![of(state)];
        for _ in 0..clock.unwrap_or(1) {
            // Any move will do, even an illegal one: no move changes them.
            let Some(first) = machine.network().and_then(|network| network.moves[0].first()) else { break };
            cursor.advance(&[MoveId(first.action)])?;
            words.push(of(cursor.state()));
        }
        if clock.is_none() {
            if words.len() < 2 || words[0] != words[1] {
                return Ok(None);
            }
            words.truncate(1);
        }
        Ok(Some(Steps { words, mask, clock: clock.is_some() }))
    }

    /// Whether a bit is one that no move changes.
    pub(super) fn has(&self, bit: usize) -> bool {
        self.mask[bit / 64] >> (bit % 64) & 1 == 1
    }
}
