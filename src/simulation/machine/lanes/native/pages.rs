//! Memory for machine code: first writable, then executable, never both.

use std::io;

use memmap2::{Mmap, MmapMut};

#[cfg(target_arch = "x86_64")]
use super::super::word::Word;

/// A function of one address, in readable and executable pages.
#[derive(Debug)]
pub(super) struct ExecutableFunction {
    pages: Mmap,
}

impl ExecutableFunction {
    /// Copies machine code into its own pages.
    ///
    /// # Errors
    ///
    /// The error of the system, if it has no memory or does not allow executable pages.
    pub(super) fn new(code: &[u8]) -> io::Result<ExecutableFunction> {
        let mut pages = MmapMut::map_anon(code.len())?;
        pages.copy_from_slice(code);
        Ok(ExecutableFunction { pages: pages.make_exec()? })
    }

    /// The machine code.
    pub(super) fn code(&self) -> &[u8] {
        &self.pages
    }

    /// Calls the function once for each of `passes` parts of a word.
    ///
    /// # Safety
    ///
    /// The code must be a function of the System V ABI for this processor that takes an address. From there it may access
    /// only one part of each word in `slots`, at intervals of 64 bytes.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "calls machine code made at run time")]
    pub(super) unsafe fn call(&self, slots: &mut [Word], passes: usize) {
        // SAFETY: the caller guarantees that the pages begin with a function of this type.
        let function = unsafe {
            std::mem::transmute::<*const u8, unsafe extern "sysv64" fn(*mut u8)>(self.pages.as_ptr())
        };
        let start = slots.as_mut_ptr().cast::<u8>();
        for pass in 0..passes {
            let part = start.wrapping_add(pass * (size_of::<Word>() / passes));
            // SAFETY: the caller guarantees the accesses of the function, and the slice is mutably borrowed.
            unsafe { function(part) };
        }
    }
}
