//! A flag that is set after a time or by a caller's interrupt.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Interval between two checks of the caller's interrupt.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// A flag that becomes true when the time is over or the caller's interrupt becomes true. A thread sets it; dropping the
/// `TimedInterrupt` ends the thread.
#[derive(Debug)]
pub struct TimedInterrupt {
    flag: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl TimedInterrupt {
    /// Starts the thread that sets the flag after `seconds`, or when `interrupt` becomes true.
    pub fn after(seconds: f64, interrupt: Option<&Arc<AtomicBool>>) -> TimedInterrupt {
        let (flag, done): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
        let time = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        let deadline = Instant::now().checked_add(time);
        let watched = (flag.clone(), done.clone(), interrupt.cloned());
        let thread = thread::spawn(move || {
            let (flag, done, interrupt) = watched;
            while !done.load(Ordering::Relaxed) {
                let left =
                    deadline.map_or(CHECK_INTERVAL, |end| end.saturating_duration_since(Instant::now()));
                if left.is_zero() || interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
                thread::park_timeout(left.min(CHECK_INTERVAL));
            }
        });
        TimedInterrupt { flag, done, thread: Some(thread) }
    }

    /// The flag to pass on as an interrupt.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }
}

impl Drop for TimedInterrupt {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // The thread does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_set_within(timed_interrupt: &TimedInterrupt, seconds: f64) -> bool {
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            if timed_interrupt.flag().load(Ordering::Relaxed) {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn time_and_interrupts_set_the_flag() {
        assert!(is_set_within(&TimedInterrupt::after(0.0, None), 60.0));
        let interrupt = Arc::new(AtomicBool::new(false));
        let timed_interrupt = TimedInterrupt::after(1e300, Some(&interrupt));
        assert!(!is_set_within(&timed_interrupt, 0.05));
        interrupt.store(true, Ordering::Relaxed);
        assert!(is_set_within(&timed_interrupt, 60.0));
    }
}
