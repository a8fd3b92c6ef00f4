//! Work without the interpreter's lock: Ctrl-C ends long work, and panics become exceptions.

use std::any::Any;
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;

use crate::InternalError;

/// The interval at which the caller's thread checks for signals.
const LOOKS: Duration = Duration::from_millis(50);

/// Runs `work` on its own thread. Ctrl-C sets `interrupt`, and `work` must check it.
pub(crate) fn long<T: Send>(py: Python<'_>, work: impl FnOnce(&Arc<AtomicBool>) -> T + Send) -> PyResult<T> {
    let interrupt = Arc::new(AtomicBool::new(false));
    long_with(py, &interrupt, || work(&interrupt))
}

/// Like [`long`], with an `interrupt` that an existing object checks; it is cleared afterwards.
pub(crate) fn long_with<T: Send>(
    py: Python<'_>,
    interrupt: &AtomicBool,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, mut result) = channel();
    let mut signal = None;
    let finished = std::thread::scope(|scope| {
        scope.spawn(move || {
            // Sending fails only if the receiving thread has ended.
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
        (None, None) => Err(InternalError::new_err("a thread ended without a result")),
    }
}

/// Runs short work without the interpreter's lock.
pub(crate) fn short<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| internal(&*panic))
}

fn internal(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    InternalError::new_err(format!("internal error of ggp: {text}"))
}

/// The text of an error and its sources, as the program prints it.
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
