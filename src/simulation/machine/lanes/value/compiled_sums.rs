//! Compiled sums, and the program's cache of them.

use std::sync::{Arc, Mutex, PoisonError};

use super::sum::Sum;
use crate::ground::Interrupted;
use crate::machine::lanes::engine::Executable;
use crate::machine::lanes::interpret::SCRATCH;
use crate::machine::lanes::word::Word;

/// Sums compiled for a program.
pub(super) struct Sums {
    pub(super) ready: Executable,
    /// For every sum, the slots of its bits, least significant first.
    pub(super) slots: Vec<std::ops::Range<usize>>,
    /// For every sum, the value of a unit and the constant to add.
    pub(super) scales: Vec<(f64, f64)>,
    /// The code uses only slots below this one.
    pub(super) end: u32,
}

impl Sums {
    /// Computes the sums in all lanes, from slots that the program's code has evaluated.
    pub(super) fn run(&self, slots: &mut Vec<Word>) {
        let end = self.end as usize + SCRATCH;
        if slots.len() < end {
            slots.resize(end, Word::ZERO);
        }
        self.ready.run(slots);
    }
}

/// A cache of compiled sums, because successive players of a game have the same functions.
#[derive(Default)]
pub(in crate::machine::lanes) struct CompiledSums(Mutex<Vec<(Vec<Sum>, Arc<Sums>)>>);

/// Number of cached entries.
const CACHE_SIZE: usize = 8;

impl CompiledSums {
    /// The compiled form of these sums, from the cache if possible.
    ///
    /// # Errors
    /// The interrupt ended compilation.
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
        if kept.len() >= CACHE_SIZE {
            kept.remove(0);
        }
        kept.push((sums.iter().copied().cloned().collect(), Arc::clone(&compiled)));
        Ok(compiled)
    }
}
