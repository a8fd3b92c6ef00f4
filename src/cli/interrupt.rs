//! Ctrl-C and SIGTERM. The first signal asks the run to end with its results so far; the second ends the program
//! immediately.
//!
//! All work checks the flag many times a second. If it does not return in time, for example from a slow call into a
//! library, this module prints the results so far and ends the program.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Exit status of a run that was interrupted: 128 + SIGINT, as in shells.
pub(super) const STATUS: u8 = 130;

/// Time in which work must return after a signal, so that a run ends within a second.
const GRACE_PERIOD: Duration = Duration::from_millis(700);

static INTERRUPTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Makes the text that is printed if the work does not return.
type PartialOutput = Box<dyn FnOnce() -> String + Send>;

/// What to do if the run has not ended [`GRACE_PERIOD`] after a signal.
enum LateEnd {
    /// [`guarded`] work is running: print its partial output, if any, and end the program.
    Guarded(Option<PartialOutput>),
    /// Do nothing: no guarded work is running, so the run ends in time without this module.
    Unguarded,
}

static LATE_END: Mutex<LateEnd> = Mutex::new(LateEnd::Unguarded);

/// Whether a signal has arrived.
pub(super) fn asked() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The flag that long-running work checks.
pub(super) fn flag() -> &'static Arc<AtomicBool> {
    &INTERRUPTED
}

/// Installs the signal handler: the first signal sets the flag, the second ends the program.
pub(super) fn watch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS.into());
        }
        // A separate thread, because this one waits for the second signal.
        std::thread::spawn(|| {
            std::thread::sleep(GRACE_PERIOD);
            end();
        });
    })
}

/// Sets the partial output of the running [guarded] work, which is printed if the work does not return after an interrupt.
pub(super) fn keep(what: impl FnOnce() -> String + Send + 'static) {
    let mut late_end = LATE_END.lock().unwrap_or_else(PoisonError::into_inner);
    if let LateEnd::Guarded(output) = &mut *late_end {
        *output = Some(Box::new(what));
    }
}

/// Runs work that may be abandoned. If it does not return after an interrupt, its [partial output](keep) is printed and
/// the program ends.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> T {
    let set = |to: LateEnd| *LATE_END.lock().unwrap_or_else(PoisonError::into_inner) = to;
    set(LateEnd::Guarded(None));
    let done = work();
    set(LateEnd::Unguarded);
    done
}

/// Ends the program if guarded work is still running.
fn end() {
    // The lock is held until the program ends, so that no other thread prints.
    let mut late_end = LATE_END.lock().unwrap_or_else(PoisonError::into_inner);
    let LateEnd::Guarded(output) = std::mem::replace(&mut *late_end, LateEnd::Unguarded) else { return };
    if let Some(output) = output {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(output().as_bytes()).and_then(|()| out.flush());
    }
    let _ = writeln!(std::io::stderr(), "interrupted: a stage that had not ended is left out");
    std::process::exit(STATUS.into());
}
