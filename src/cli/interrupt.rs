//! Ctrl-C: the first asks a run to end with what it has, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Exit status of a run that was interrupted: 128 + SIGINT, as shells have it.
pub(super) const STATUS: u8 = 130;

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether the end was asked for.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The flag itself, for those who look at it while they work.
pub(super) fn flag() -> &'static Arc<AtomicBool> {
    &ASKED
}

/// From now on Ctrl-C only sets the flag, until it comes again.
pub(super) fn watch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS.into());
        }
    })
}
