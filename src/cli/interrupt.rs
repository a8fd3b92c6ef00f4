//! Ctrl-C and SIGTERM: the first asks a run to end with what it has, the second ends the program at once.
//!
//! Work looks at the flag many times a second. Should some of it not come back all the same, as a library that was given
//! awkward numbers may not, what was gathered so far is printed for it and the program ends.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Exit status of a run that was interrupted: 128 + SIGINT, as shells have it.
pub(super) const STATUS: u8 = 130;

/// Time in which work comes back, so that a run ends within a second.
const PATIENCE: Duration = Duration::from_millis(700);

static ASKED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// What is printed for work that does not come back.
type Kept = Box<dyn FnOnce() -> String + Send>;

/// The last work of a run that does not end in time.
enum Rest {
    /// Work goes on that may not come back; if there is something to be printed for it, this.
    Working(Option<Kept>),
    /// The run handles its end without help.
    Settled,
}

static REST: Mutex<Rest> = Mutex::new(Rest::Settled);

/// Whether the end was asked for.
pub(super) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// The flag itself, for those who look at it while they work.
pub(super) fn flag() -> &'static Arc<AtomicBool> {
    &ASKED
}

/// From now on a signal only sets the flag, until it comes again.
pub(super) fn watch() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS.into());
        }
        // On a thread of its own: this one waits for the second signal.
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            end();
        });
    })
}

/// Keeps what is printed should [guarded] work not come back from an interrupt.
pub(super) fn keep(what: impl FnOnce() -> String + Send + 'static) {
    let mut rest = REST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Rest::Working(kept) = &mut *rest {
        *kept = Some(Box::new(what));
    }
}

/// Does work that has nothing of its own to finish: should it not come back from an interrupt, the program ends, with what
/// the work has [kept](keep).
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> T {
    let set = |to: Rest| *REST.lock().unwrap_or_else(PoisonError::into_inner) = to;
    set(Rest::Working(None));
    let done = work();
    set(Rest::Settled);
    done
}

/// Ends a run whose work did not come back.
fn end() {
    // Held until the end, so that no other thread prints.
    let mut rest = REST.lock().unwrap_or_else(PoisonError::into_inner);
    let Rest::Working(kept) = std::mem::replace(&mut *rest, Rest::Settled) else { return };
    if let Some(kept) = kept {
        let mut out = std::io::stdout().lock();
        let _ = out.write_all(kept().as_bytes()).and_then(|()| out.flush());
    }
    let _ = writeln!(std::io::stderr(), "interrupted: a stage that had not ended is left out");
    std::process::exit(STATUS.into());
}
