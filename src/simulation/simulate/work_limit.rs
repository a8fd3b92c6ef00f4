//! Limits of a computation that does not consist of playouts: a work limit, a deadline, and the caller's interrupt.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::budget::StopReason;

/// The reason why a computation ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ended early: {0:?}")]
pub struct EarlyEnd(pub StopReason);

/// Units of work between two checks of the clock, for computations whose units take nanoseconds.
const CHECK_STRIDE: u64 = 1024;

/// Counts the work of a computation and reports when it must end.
///
/// Without a deadline or an interrupt, the end depends only on counted work, so a run with the same seed ends at the same
/// point on every computer. Results can be repeated only if one thread spends the limit, or each part of the work has a limit
/// of its own that is fixed beforehand.
#[derive(Default)]
pub struct WorkLimit<'a> {
    interrupt: Option<&'a Arc<AtomicBool>>,
    deadline: Option<Instant>,
    limit: Option<u64>,
    /// Called with the work so far.
    progress: Option<&'a (dyn Fn(u64) + Sync)>,
    spent: AtomicU64,
    stopped: AtomicU8,
}

impl<'a> WorkLimit<'a> {
    /// No limit of work or time; only the interrupt ends the computation.
    pub fn new(interrupt: Option<&'a Arc<AtomicBool>>) -> WorkLimit<'a> {
        WorkLimit { interrupt, ..WorkLimit::default() }
    }

    /// Adds a limit of counted work, in the computation's own units.
    #[must_use]
    pub fn limited(self, limit: Option<u64>) -> WorkLimit<'a> {
        WorkLimit { limit, ..self }
    }

    /// Adds a callback that receives the work so far; it may be called on any thread.
    #[must_use]
    pub fn on_progress(self, progress: &'a (dyn Fn(u64) + Sync)) -> WorkLimit<'a> {
        WorkLimit { progress: Some(progress), ..self }
    }

    /// Replaces the deadline; `None` removes it.
    #[must_use]
    pub fn until(self, deadline: Option<Instant>) -> WorkLimit<'a> {
        WorkLimit { deadline, ..self }
    }

    /// Replaces the deadline by one that is this number of seconds from now; `None` removes it.
    #[must_use]
    pub fn seconds(self, seconds: Option<f64>) -> WorkLimit<'a> {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.until(deadline)
    }

    /// The limits of a part of the computation: its own limit of work, and the same deadline and interrupt. Its work does not
    /// count here until [`WorkLimit::include`] adds it.
    pub fn part(&self, limit: Option<u64>) -> WorkLimit<'a> {
        WorkLimit { limit, ..WorkLimit::new(self.interrupt).until(self.deadline) }
    }

    /// Counts work, and checks the limits.
    ///
    /// # Errors
    /// [`EarlyEnd`]: the computation must end.
    pub fn spend(&self, work: u64) -> Result<(), EarlyEnd> {
        let spent = self.spent.fetch_add(work, Ordering::Relaxed).saturating_add(work);
        self.report(spent);
        if self.limit.is_some_and(|limit| spent > limit) {
            return Err(self.stop(StopReason::Work));
        }
        self.check()
    }

    /// Checks the clock and the interrupt.
    ///
    /// # Errors
    /// [`EarlyEnd`]: the computation must end.
    pub fn check(&self) -> Result<(), EarlyEnd> {
        if let Some(reason) = self.stopped() {
            return Err(EarlyEnd(reason));
        }
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(self.stop(StopReason::Interrupted));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(self.stop(StopReason::Seconds));
        }
        Ok(())
    }

    /// Ends the computation because the work limit keeps it from completing.
    pub fn mark_incomplete(&self) {
        self.stop(StopReason::Work);
    }

    /// Adds the work of a part. If the part ended early, the whole computation ends for the same reason.
    pub fn include(&self, part: &WorkLimit<'_>) {
        self.add(part.spent());
        if let Some(reason) = part.stopped() {
            self.stop(reason);
        }
    }

    /// Adds work that another computation has counted; never ends the computation.
    pub fn add(&self, work: u64) {
        let spent = self.spent.fetch_add(work, Ordering::Relaxed).saturating_add(work);
        self.report(spent);
    }

    fn report(&self, spent: u64) {
        if let Some(progress) = self.progress {
            progress(spent);
        }
    }

    /// The work so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The remaining work; `None` if there is no limit.
    pub fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.spent()))
    }

    /// The caller's interrupt.
    pub fn interrupt(&self) -> Option<&'a Arc<AtomicBool>> {
        self.interrupt
    }

    /// Why the computation must end; `None` if it may continue.
    pub fn stopped(&self) -> Option<StopReason> {
        match self.stopped.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopReason::Work),
            2 => Some(StopReason::Seconds),
            _ => Some(StopReason::Interrupted),
        }
    }

    fn stop(&self, reason: StopReason) -> EarlyEnd {
        let code = match reason {
            StopReason::Playouts | StopReason::Work => 1,
            StopReason::Seconds => 2,
            StopReason::Interrupted => 3,
        };
        // An interrupt matters more than a limit that was reached as well.
        self.stopped.fetch_max(code, Ordering::Relaxed);
        EarlyEnd(reason)
    }
}

/// Counts cheap steps of a computation on one thread; checks the limits only once in many steps.
pub struct Steps<'w, 'a> {
    work_limit: &'w WorkLimit<'a>,
    pending: Cell<u64>,
}

impl<'w, 'a> Steps<'w, 'a> {
    /// Counts steps as work of `work_limit`.
    pub fn new(work_limit: &'w WorkLimit<'a>) -> Steps<'w, 'a> {
        Steps { work_limit, pending: Cell::new(0) }
    }

    /// Counts a step.
    ///
    /// # Errors
    /// [`EarlyEnd`]: the computation must end.
    pub fn step(&self) -> Result<(), EarlyEnd> {
        self.pending.set(self.pending.get() + 1);
        if self.pending.get() < CHECK_STRIDE {
            Ok(())
        } else {
            self.work_limit.spend(self.pending.replace(0))
        }
    }
}

impl Drop for Steps<'_, '_> {
    fn drop(&mut self) {
        self.work_limit.add(self.pending.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_limits_are_deterministic() {
        let work_limit = WorkLimit::default().limited(Some(10));
        assert_eq!(work_limit.spend(10), Ok(()));
        assert_eq!(work_limit.spend(1), Err(EarlyEnd(StopReason::Work)));
        assert_eq!(
            (work_limit.spent(), work_limit.left(), work_limit.stopped()),
            (11, Some(0), Some(StopReason::Work))
        );
        assert_eq!(work_limit.check(), Err(EarlyEnd(StopReason::Work)));
    }

    #[test]
    fn interrupts_and_deadlines_end_a_computation() {
        let flag = Arc::new(AtomicBool::new(false));
        let work_limit = WorkLimit::new(Some(&flag));
        assert_eq!(work_limit.spend(u64::MAX), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(work_limit.check(), Err(EarlyEnd(StopReason::Interrupted)));
        assert_eq!(WorkLimit::default().seconds(Some(0.0)).check(), Err(EarlyEnd(StopReason::Seconds)));
        assert_eq!(WorkLimit::default().seconds(Some(f64::INFINITY)).check(), Ok(()));
    }

    #[test]
    fn steps_are_counted_in_batches() {
        let work_limit = WorkLimit::default().limited(Some(CHECK_STRIDE));
        let steps = Steps::new(&work_limit);
        let done = (0..10 * CHECK_STRIDE).take_while(|_| steps.step().is_ok()).count() as u64;
        assert!(done < 3 * CHECK_STRIDE, "{done}");
    }
}
