//! Work that may take long: without the interpreter's lock, ended by Ctrl-C, and without panics that get out.

use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::InternalError;

/// How often the caller's thread looks for signals.
const LOOKS: Duration = Duration::from_millis(50);

/// Does some work on a thread of its own; `interrupt` is set at Ctrl-C, and the work has to look at it.
pub(crate) fn long<T: Send>(py: Python<'_>, work: impl FnOnce(&Arc<AtomicBool>) -> T + Send) -> PyResult<T> {
    let interrupt = Arc::new(AtomicBool::new(false));
    long_with(py, &interrupt, || work(&interrupt))
}

/// The same where something that was made before looks at `interrupt`, which is let go afterwards.
pub(crate) fn long_with<T: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, mut result) = channel();
    let mut signal = None;
    let finished = std::thread::scope(|scope| {
        scope.spawn(move || {
            // Nobody is there only where this thread is.
            let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
        });
        loop {
            let receiver = &mut result;
            match py.detach(move || receiver.recv_timeout(LOOKS)) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    if signal.is_none() {
                        if let Err(error) = py.check_signals() {
                            interrupt.store(true, Ordering::Relaxed);
                            signal = Some(error);
                        }
                    }
                }
            }
        }
    });
    if signal.is_some() {
        interrupt.store(false, Ordering::Relaxed);
    }
    match (signal, finished) {
        (Some(signal), _) => Err(signal),
        (None, Some(Ok(result))) => Ok(result),
        (None, Some(Err(panic))) => Err(internal(&*panic)),
        (None, None) => Err(InternalError::new_err("a thread went without an answer")),
    }
}

/// Does some short work with the interpreter's lock let go.
pub(crate) fn short<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| internal(&*panic))
}

fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    InternalError::new_err(format!("ggp made a mistake: {text}"))
}

/// The words of an error and of those behind it, as the program prints them.
pub(crate) fn words(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut behind = error.source();
    while let Some(error) = behind {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        behind = error.source();
    }
    text
}
