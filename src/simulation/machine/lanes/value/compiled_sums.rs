//! Sums that are compiled, and the program's store of them.

use std::sync::{Arc, Mutex, PoisonError};

use super::sum::Sum;
use crate::ground::Interrupted;
use crate::machine::lanes::engine::Ready;
use crate::machine::lanes::interpret::SCRATCH;
use crate::machine::lanes::word::Word;

/// Sums compiled for a program.
pub(super) struct Sums {
    pub(super) ready: Ready,
    /// For every sum the slots of its bits, the lowest first.
    pub(super) slots: Vec<std::ops::Range<usize>>,
    /// For every sum what a unit is worth, and what is added.
    pub(super) scales: Vec<(f64, f64)>,
    /// Slots that the code names are fewer than this.
    pub(super) end: u32,
}

impl Sums {
    /// Adds up in all lanes of slots that the program's code looked at.
    pub(super) fn run(&self, slots: &mut Vec<Word>) {
        let end = self.end as usize + SCRATCH;
        if slots.len() < end {
            slots.resize(end, Word::ZERO);
        }
        self.ready.run(slots);
    }
}

/// Sums compiled before: players of one game after the other have the same functions.
#[derive(Default)]
pub(in crate::machine::lanes) struct CompiledSums(Mutex<Vec<(Vec<Sum>, Arc<Sums>)>>);

/// Sums that are kept.
const KEPT: usize = 8;

impl CompiledSums {
    /// The compiled form of sums, made where it is not kept.
    ///
    /// # Errors
    /// It was interrupted.
    pub(super) fn get(
        &self,
        sums: &[&Sum],
        compile: impl FnOnce() -> Result<Sums, Interrupted>,
    ) -> Result<Arc<Sums>, Interrupted> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |(known, _): &&(Vec<Sum>, _)| known.iter().eq(sums.iter().copied());
        if let Some((_, compiled)) = lock().iter().find(same) {
            return Ok(Arc::clone(compiled));
        }
        let compiled = Arc::new(compile()?);
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.remove(0);
        }
        kept.push((sums.iter().copied().cloned().collect(), Arc::clone(&compiled)));
        Ok(compiled)
    }
}
