//! An interrupt that comes by the clock as well.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a caller's own interrupt is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// A flag that is set when the time is over, or when a caller's interrupt is. A thread of its own sets it, which ends with
/// this value.
#[derive(Debug)]
pub struct Alarm {
    flag: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Alarm {
    /// A flag that is set in so many seconds.
    pub fn after(seconds: f64, interrupt: Option<&Arc<AtomicBool>>) -> Alarm {
        let (flag, done): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
        let time = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        let deadline = Instant::now().checked_add(time);
        let watched = (flag.clone(), done.clone(), interrupt.cloned());
        let thread = thread::spawn(move || {
            let (flag, done, interrupt) = watched;
            while !done.load(Ordering::Relaxed) {
                let left = deadline.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
                if left.is_zero() || interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    flag.store(true, Ordering::Relaxed);
                    return;
                }
                thread::park_timeout(left.min(LOOK));
            }
        });
        Alarm { flag, done, thread: Some(thread) }
    }

    /// The flag.
    pub fn flag(&self) -> &Arc<AtomicBool> {
        &self.flag
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // It does not panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_set_within(alarm: &Alarm, seconds: f64) -> bool {
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            if alarm.flag().load(Ordering::Relaxed) {
                return true;
            }
            thread::sleep(Duration::from_millis(1));
        }
        false
    }

    #[test]
    fn time_and_interrupts_set_it() {
        assert!(is_set_within(&Alarm::after(0.0, None), 60.0));
        let interrupt = Arc::new(AtomicBool::new(false));
        let alarm = Alarm::after(1e300, Some(&interrupt));
        assert!(!is_set_within(&alarm, 0.05));
        interrupt.store(true, Ordering::Relaxed);
        assert!(is_set_within(&alarm, 60.0));
    }
}
