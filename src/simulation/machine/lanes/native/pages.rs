//! Memory for machine code: first writable, then executable, never both.

use std::io;

use memmap2::{Mmap, MmapMut};

#[cfg(target_arch = "x86_64")]
use super::super::word::Word;

/// A function of one address in pages that can be read and executed.
#[derive(Debug)]
pub(super) struct Function {
    pages: Mmap,
}

impl Function {
    /// Puts machine code into pages of its own.
    ///
    /// # Errors
    ///
    /// What the system says when it has no memory, or allows no executable pages.
    pub(super) fn new(code: &[u8]) -> io::Result<Function> {
        let mut pages = MmapMut::map_anon(code.len())?;
        pages.copy_from_slice(code);
        Ok(Function { pages: pages.make_exec()? })
    }

    /// The machine code.
    pub(super) fn code(&self) -> &[u8] {
        &self.pages
    }

    /// Calls the function once for each part of the words, `passes` parts in all.
    ///
    /// # Safety
    ///
    /// The code is a function of the System V ABI for this processor that takes an address; from there on it
    /// reads and writes only a part of words that `slots` has, at 64 bytes distance from each other.
    #[cfg(target_arch = "x86_64")]
    #[allow(unsafe_code, reason = "calls machine code made at run time")]
    pub(super) unsafe fn call(&self, slots: &mut [Word], passes: usize) {
        // SAFETY: the caller vouches that the pages start with a function of this type.
        let function = unsafe {
            std::mem::transmute::<*const u8, unsafe extern "sysv64" fn(*mut u8)>(self.pages.as_ptr())
        };
        let start = slots.as_mut_ptr().cast::<u8>();
        for pass in 0..passes {
            let part = start.wrapping_add(pass * (size_of::<Word>() / passes));
            // SAFETY: the caller vouches for the function, and the slice is borrowed for writing.
            unsafe { function(part) };
        }
    }
}
