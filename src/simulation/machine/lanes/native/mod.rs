//! Machine code made at run time for straight-line code over lane words.
//!
//! A code becomes a function in stages: `values` finds what every operation really reads, `lower` replaces gates
//! the processor has no instruction for, `allocate` gives registers and memory to values, and an assembler for
//! the processor's level writes the instructions, which `pages` makes executable. Every stage is one pass.
//!
//! Measured on a server processor with AVX-512 in halves (AMD EPYC of family 25, model 17: 32 KiB first-level
//! caches, 1 MiB second-level, 32 MiB third-level) on codes made up to look like networks (`benches/lanes`), in
//! nanoseconds an operation on 512 games, one thread, best of twelve:
//!
//! | operations | slots | AVX-512 | AVX2 | x86-64 | interpreter with AVX-512 |
//! |---|---|---|---|---|---|
//! | 600 | 107 | 0.29 | 0.53 | 1.1 | 6.9 |
//! | 3,000 | 432 | 0.31 | 0.66 | 1.6 | 6.7 |
//! | 12,000 | 1,601 | 0.40 | 0.90 | 2.0 | 6.5 |
//! | 36,000 | 4,268 | 0.50 | 1.2 | 2.6 | 6.4 |
//! | 122,000 | 11,315 | 0.61 | 1.3 | 3.2 | 6.7 |
//! | 366,000 | 31,520 | 0.70 | 1.5 | 4.0 | 7.1 |
//! | 1,000,000 | 83,729 | 2.9 | 7.1 | 20 | 12 |
//! | 2,000,000 | 166,101 | 3.6 | 8.8 | 21 | 15 |
//!
//! The largest games, on a processor of family 26 (48 KiB, 1 MiB, 32 MiB) with other work on all cores:
//!
//! | game | operations | AVX-512 | AVX2 | x86-64 | interpreter |
//! |---|---|---|---|---|---|
//! | skirmish | 70,290 | 1.2 | 2.7 | 5.6 | 5.9 |
//! | chess of 200 moves | 115,066 | 1.3 | 2.6 | 6.5 | 5.4 |
//! | amazons 10x10 | 675,610 | 10 | 18 | 44 | 12 |
//!
//! Making the code took 320 to 630 ns an operation at every length, a tenth to a quarter of what it takes to find the
//! operations: it has paid for itself after some hundred runs at most, so it is made wherever it is faster. What
//! limits AVX-512 is memory, not gates: an operation makes 0.6 to 0.8 reads and 0.2 to 0.5 writes of slots.
//! Prefetching the code itself gained nothing; making it shorter did (`reports/speed/large.md`).

mod allocate;
mod assembler;
mod avx2;
mod avx512;
mod lower;
mod pages;
mod values;
mod x64;

use std::fmt;

use thiserror::Error;

use self::allocate::allocate;
use self::avx2::Avx2;
use self::avx512::Avx512;
use self::lower::lower;
use self::pages::Function;
use self::values::{Polarity, Values};
use self::x64::X64;
use super::code::{Code, Execute};
use super::word::Word;

/// What machine code is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Quarters of a lane word in 128-bit registers: any x86-64 processor has SSE2.
    X64,
    /// Halves of a lane word in 256-bit registers.
    Avx2,
    /// Whole lane words in 512-bit registers.
    Avx512,
}

impl Level {
    /// Every level, the lowest first.
    pub const ALL: [Level; 3] = [Level::X64, Level::Avx2, Level::Avx512];

    /// The best level of this processor; none if it isn't an x86-64 processor.
    pub fn best() -> Option<Level> {
        Level::ALL.into_iter().rev().find(|level| level.available())
    }

    /// Whether this processor has the level.
    pub fn available(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        match self {
            Level::X64 => true,
            Level::Avx2 => std::is_x86_feature_detected!("avx2"),
            Level::Avx512 => std::is_x86_feature_detected!("avx512f"),
        }
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Operations up to which machine code runs faster than the interpreter; `usize::MAX` if no length was found
    /// where it doesn't. A level below AVX-512 fetches its code several times a run, which tells when no cache holds
    /// it.
    pub fn most_operations(self) -> usize {
        match self {
            Level::X64 => 100_000,
            Level::Avx2 => 400_000,
            Level::Avx512 => usize::MAX,
        }
    }

    /// Calls of the function that make up a whole lane word.
    #[cfg(target_arch = "x86_64")]
    fn passes(self) -> usize {
        match self {
            Level::X64 => 4,
            Level::Avx2 => 2,
            Level::Avx512 => 1,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::X64 => "x86-64",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        })
    }
}

/// Why code could not be compiled.
#[derive(Debug, Error)]
pub enum Error {
    /// The processor lacks the level.
    #[error("this processor has no {0}")]
    Unavailable(Level),
    /// The system gave no executable memory.
    #[error("no executable memory: {0}")]
    Memory(#[from] std::io::Error),
}

/// Compiled code.
#[derive(Debug)]
pub struct Native {
    function: Function,
    level: Level,
    slots: usize,
}

/// Makes machine code of a code, in time linear in its length.
///
/// # Errors
///
/// The processor lacks the level, or the system allows no executable memory.
pub fn compile(code: &Code, level: Level) -> Result<Native, Error> {
    if !level.available() {
        return Err(Error::Unavailable(level));
    }
    let mut scratch: Vec<u32> = code.ops.iter().map(|op| op.target).collect();
    scratch.sort_unstable();
    scratch.dedup();
    let (slots, bytes) = assemble(code, level, &scratch, false)
        .or_else(|_| assemble(code, level, &scratch, true))
        .expect("storing kept values last never takes more slots than the code has");
    Ok(Native { function: Function::new(&bytes)?, level, slots: slots as usize })
}

/// The number of slots and the machine code.
fn assemble(
    code: &Code,
    level: Level,
    scratch: &[u32],
    late: bool,
) -> Result<(u32, Vec<u8>), allocate::OutOfSlots> {
    let values = match level {
        Level::Avx512 => Values::new(code, Polarity::Stored, late),
        Level::Avx2 | Level::X64 => lower(Values::new(code, Polarity::Zero, late)),
    };
    let bytes = match level {
        Level::Avx512 => {
            let mut assembler = Avx512::new(values.slots, values.gates.len());
            allocate(&values, scratch, late, &mut assembler)?;
            assembler.finish()
        }
        Level::Avx2 => {
            let mut assembler = Avx2::new(values.gates.len());
            allocate(&values, scratch, late, &mut assembler)?;
            assembler.finish()
        }
        Level::X64 => {
            let mut assembler = X64::new(values.gates.len());
            allocate(&values, scratch, late, &mut assembler)?;
            assembler.finish()
        }
    };
    Ok((values.slots, bytes))
}

impl Native {
    /// What the machine code is made of.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The machine code.
    pub fn code(&self) -> &[u8] {
        self.function.code()
    }
}

impl Execute for Native {
    /// # Panics
    ///
    /// `slots` is shorter than the highest slot that the code names.
    fn run(&self, slots: &mut [Word]) {
        assert!(slots.len() >= self.slots, "{} slots given, {} named", slots.len(), self.slots);
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "calls machine code made at run time")]
        // SAFETY: the function was made here for a level that the processor has; it saves the registers of
        // the caller that it uses, and addresses nothing but the slots that the code names.
        unsafe {
            self.function.call(slots, self.level.passes());
        }
    }
}

#[cfg(test)]
mod tests;
