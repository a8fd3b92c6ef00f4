//! What ends a computation that is not made of playouts: its limit of work, a deadline, the caller's interrupt.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::budget::StopReason;

/// Why a computation ended before it was complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ended early: {0:?}")]
pub struct Stopped(pub StopReason);

/// Work between two looks at the clock, for computations whose units of work take nanoseconds.
const STRIDE: u64 = 1024;

/// Counts the work of a computation, and says when it has to end.
///
/// Where no deadline and no interrupt strikes, the end depends on the counted work alone, so that the same seed ends at
/// the same place on any computer; a limit of work belongs to computations on one thread, or to shares of the work that
/// are fixed beforehand.
#[derive(Default)]
pub struct Watch<'a> {
    interrupt: Option<&'a Arc<AtomicBool>>,
    deadline: Option<Instant>,
    limit: Option<u64>,
    /// Told of the work so far.
    progress: Option<&'a (dyn Fn(u64) + Sync)>,
    spent: AtomicU64,
    stopped: AtomicU8,
}

impl<'a> Watch<'a> {
    /// Ends by an interrupt alone.
    pub fn new(interrupt: Option<&'a Arc<AtomicBool>>) -> Watch<'a> {
        Watch { interrupt, ..Watch::default() }
    }

    /// The same with a limit of work, in the computation's own units.
    #[must_use]
    pub fn limited(self, limit: Option<u64>) -> Watch<'a> {
        Watch { limit, ..self }
    }

    /// The same, telling somebody on any thread how much work is done.
    #[must_use]
    pub fn telling(self, progress: &'a (dyn Fn(u64) + Sync)) -> Watch<'a> {
        Watch { progress: Some(progress), ..self }
    }

    /// The same with a deadline.
    #[must_use]
    pub fn until(self, deadline: Option<Instant>) -> Watch<'a> {
        Watch { deadline, ..self }
    }

    /// The same with so many seconds from now on.
    #[must_use]
    pub fn seconds(self, seconds: Option<f64>) -> Watch<'a> {
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds.max(0.0)).ok());
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.until(deadline)
    }

    /// A part of the computation with a limit of its own, which the same deadline and interrupt end. What it spends is
    /// its own until it is added to the whole.
    pub fn part(&self, limit: Option<u64>) -> Watch<'a> {
        Watch { limit, ..Watch::new(self.interrupt).until(self.deadline) }
    }

    /// Counts work, and looks at the clock and the interrupt.
    ///
    /// # Errors
    /// It has to end.
    pub fn spend(&self, work: u64) -> Result<(), Stopped> {
        let spent = self.spent.fetch_add(work, Ordering::Relaxed).saturating_add(work);
        self.tell(spent);
        if self.limit.is_some_and(|limit| spent > limit) {
            return Err(self.stop(StopReason::Work));
        }
        self.check()
    }

    /// Looks at the clock and the interrupt.
    ///
    /// # Errors
    /// It has to end.
    pub fn check(&self) -> Result<(), Stopped> {
        if let Some(reason) = self.stopped() {
            return Err(Stopped(reason));
        }
        if self.interrupt.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(self.stop(StopReason::Interrupted));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(self.stop(StopReason::Seconds));
        }
        Ok(())
    }

    /// Says that the limit of work made the computation do less than all of it.
    pub fn cut(&self) {
        self.stop(StopReason::Work);
    }

    /// Adds what a part of the computation has spent, and why that ended.
    pub fn include(&self, part: &Watch<'_>) {
        self.add(part.spent());
        if let Some(reason) = part.stopped() {
            self.stop(reason);
        }
    }

    /// Notes work that another computation has counted, without ending.
    pub fn add(&self, work: u64) {
        let spent = self.spent.fetch_add(work, Ordering::Relaxed).saturating_add(work);
        self.tell(spent);
    }

    fn tell(&self, spent: u64) {
        if let Some(progress) = self.progress {
            progress(spent);
        }
    }

    /// The work so far.
    pub fn spent(&self) -> u64 {
        self.spent.load(Ordering::Relaxed)
    }

    /// The work that is left, where it is limited.
    pub fn left(&self) -> Option<u64> {
        self.limit.map(|limit| limit.saturating_sub(self.spent()))
    }

    /// The flag of the caller's interrupt.
    pub fn interrupt(&self) -> Option<&'a Arc<AtomicBool>> {
        self.interrupt
    }

    /// Why it has to end; none as long as it need not.
    pub fn stopped(&self) -> Option<StopReason> {
        match self.stopped.load(Ordering::Relaxed) {
            0 => None,
            1 => Some(StopReason::Work),
            2 => Some(StopReason::Seconds),
            _ => Some(StopReason::Interrupted),
        }
    }

    fn stop(&self, reason: StopReason) -> Stopped {
        let code = match reason {
            StopReason::Playouts | StopReason::Work => 1,
            StopReason::Seconds => 2,
            StopReason::Interrupted => 3,
        };
        self.stopped.store(code, Ordering::Relaxed);
        Stopped(reason)
    }
}

/// Steps of a computation on one thread that take nanoseconds each: the watch is looked at once in many.
pub struct Steps<'w, 'a> {
    watch: &'w Watch<'a>,
    pending: Cell<u64>,
}

impl<'w, 'a> Steps<'w, 'a> {
    /// Steps that a watch counts.
    pub fn new(watch: &'w Watch<'a>) -> Steps<'w, 'a> {
        Steps { watch, pending: Cell::new(0) }
    }

    /// One more step.
    ///
    /// # Errors
    /// The computation has to end.
    pub fn step(&self) -> Result<(), Stopped> {
        self.pending.set(self.pending.get() + 1);
        if self.pending.get() < STRIDE { Ok(()) } else { self.watch.spend(self.pending.replace(0)) }
    }
}

impl Drop for Steps<'_, '_> {
    fn drop(&mut self) {
        self.watch.add(self.pending.get());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_it_at_the_same_place() {
        let watch = Watch::default().limited(Some(10));
        assert_eq!(watch.spend(10), Ok(()));
        assert_eq!(watch.spend(1), Err(Stopped(StopReason::Work)));
        assert_eq!((watch.spent(), watch.left(), watch.stopped()), (11, Some(0), Some(StopReason::Work)));
        assert_eq!(watch.check(), Err(Stopped(StopReason::Work)));
    }

    #[test]
    fn interrupts_and_deadlines_end_it() {
        let flag = Arc::new(AtomicBool::new(false));
        let watch = Watch::new(Some(&flag));
        assert_eq!(watch.spend(u64::MAX), Ok(()));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(watch.check(), Err(Stopped(StopReason::Interrupted)));
        assert_eq!(Watch::default().seconds(Some(0.0)).check(), Err(Stopped(StopReason::Seconds)));
        assert_eq!(Watch::default().seconds(Some(f64::INFINITY)).check(), Ok(()));
    }

    #[test]
    fn many_small_steps_are_counted_once_in_a_while() {
        let watch = Watch::default().limited(Some(STRIDE));
        let steps = Steps::new(&watch);
        let done = (0..10 * STRIDE).take_while(|_| steps.step().is_ok()).count() as u64;
        assert!(done < 3 * STRIDE, "{done}");
    }
}
