//! A just-in-time compiler for straight-line code over lane words.
//!
//! Code is compiled in stages, each in one pass. `values` converts it to values without copies, negations and dead
//! operations, and `lower` replaces gates that the processor does not have. `allocate` assigns registers and memory, and an
//! assembler for the processor's level writes the instructions. `pages` makes them executable.
//!
//! The times below are for synthetic code similar to that of networks (`benches/lanes`). The processor was an AMD EPYC
//! (family 25, model 17; caches of 32 KiB, 1 MiB and 32 MiB), whose AVX-512 units are 256 bits wide. They are nanoseconds
//! per operation on 512 games, on one thread, best of twelve:
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
//! The largest games, on a processor of family 26 (caches of 48 KiB, 1 MiB and 32 MiB) with other work on all cores:
//!
//! | game | operations | AVX-512 | AVX2 | x86-64 | interpreter |
//! |---|---|---|---|---|---|
//! | skirmish | 70,290 | 1.2 | 2.7 | 5.6 | 5.9 |
//! | chess of 200 moves | 115,066 | 1.3 | 2.6 | 6.5 | 5.4 |
//! | amazons 10x10 | 675,610 | 10 | 18 | 44 | 12 |
//!
//! Compiling took 320 to 630 ns per operation for all lengths, a tenth to a quarter of the time to find the operations. It
//! pays off after about a hundred runs, so machine code is used wherever it is faster. Memory limits AVX-512, not gates: an
//! operation reads 0.6 to 0.8 and writes 0.2 to 0.5 slots. Prefetching the code gained nothing; shorter code did
//! (`reports/speed/large.md`).

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
use self::pages::ExecutableFunction;
use self::values::{Polarity, Values};
use self::x64::X64;
use super::code::{Code, Execute};
use super::word::Word;

/// The instruction set of machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// SSE2, which every x86-64 processor has: a quarter of a lane word in each 128-bit register.
    X64,
    /// AVX2: half of a lane word in each 256-bit register.
    Avx2,
    /// AVX-512: a whole lane word in each 512-bit register.
    Avx512,
}

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Level; 3] = [Level::X64, Level::Avx2, Level::Avx512];

    /// The best level of this processor; none on other architectures than x86-64.
    pub fn best() -> Option<Level> {
        Level::ALL.into_iter().rev().find(|level| level.available())
    }

    /// Whether this processor supports the level.
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

    /// Number of operations up to which machine code is faster than the interpreter; `usize::MAX` if
    /// no length was found for which it is slower. Levels below AVX-512 fetch the code several times per run, which costs
    /// time if no cache can hold it.
    pub fn most_operations(self) -> usize {
        match self {
            Level::X64 => 100_000,
            Level::Avx2 => 400_000,
            Level::Avx512 => usize::MAX,
        }
    }

    /// Number of calls of the function per lane word.
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

/// Why code can't be compiled.
#[derive(Debug, Error)]
pub enum Error {
    /// The processor does not support the level.
    #[error("this processor does not support {0}; use another engine")]
    Unavailable(Level),
    /// The system does not allow executable memory.
    #[error("can't allocate executable memory: {0}")]
    Memory(#[from] std::io::Error),
}

/// Compiled code.
#[derive(Debug)]
pub struct Native {
    function: ExecutableFunction,
    level: Level,
    slots: usize,
}

/// Compiles code, in time linear in its length.
///
/// # Errors
///
/// [`Error`](enum@Error): the processor does not support the level, or the system does not allow executable memory.
pub fn compile(code: &Code, level: Level) -> Result<Native, Error> {
    if !level.available() {
        return Err(Error::Unavailable(level));
    }
    let mut scratch: Vec<u32> = code.ops.iter().map(|op| op.target).collect();
    scratch.sort_unstable();
    scratch.dedup();
    let (slots, bytes) = assemble(code, level, &scratch, false)
        .or_else(|_| assemble(code, level, &scratch, true))
        .expect("storing kept values last never needs more slots than the code uses");
    Ok(Native { function: ExecutableFunction::new(&bytes)?, level, slots: slots as usize })
}

/// The number of slots and the machine code. If `late`, negations of values to be stored are computed at the end.
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
    /// The instruction set.
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
    /// `slots` is too short for the code.
    fn run(&self, slots: &mut [Word]) {
        assert!(slots.len() >= self.slots, "{} slots given, {} named", slots.len(), self.slots);
        #[cfg(target_arch = "x86_64")]
        #[allow(unsafe_code, reason = "calls machine code made at run time")]
        // SAFETY: the function was compiled here for a level that the processor supports. It saves the caller's registers
        // that it uses, and accesses only the slots that the code uses.
        unsafe {
            self.function.call(slots, self.level.passes());
        }
    }
}

#[cfg(test)]
mod tests;
