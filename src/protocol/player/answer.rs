//! The answer to a PLAY, which improves until it is sent.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::arena::ThoughtRecord;

/// Locks a mutex even after a panic: the guarded values here are always consistent.
pub(super) fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a change, at most until a time.
pub(super) fn waited<'g, T>(
    changed: &Condvar,
    guard: MutexGuard<'g, T>,
    until: Instant,
) -> MutexGuard<'g, T> {
    let left = until.saturating_duration_since(Instant::now());
    changed.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner).0
}

/// The answer to one PLAY.
#[derive(Debug, Default)]
pub(super) struct Answer {
    state: Mutex<Offered>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Offered {
    /// The best move so far, in the manager's spelling.
    best: Option<String>,
    result: Option<ThoughtRecord>,
    /// Whether it is final.
    finished: bool,
}

impl Answer {
    /// A better move than before, with the result of the search; ignored once the answer was sent.
    pub(super) fn offer(&self, text: String, result: Option<ThoughtRecord>) {
        let mut offered = held(&self.state);
        if !offered.finished {
            (offered.best, offered.result) = (Some(text), result);
            self.changed.notify_all();
        }
    }

    /// Marks the answer as final.
    pub(super) fn finish(&self) {
        held(&self.state).finished = true;
        self.changed.notify_all();
    }

    /// The best move so far.
    pub(super) fn best(&self) -> Option<String> {
        held(&self.state).best.clone()
    }

    /// The result of the search for it, if there was one.
    pub(super) fn result(&self) -> Option<ThoughtRecord> {
        held(&self.state).result.clone()
    }

    /// Waits until the answer is final, or until a time. If there is no move then, waits for any move until a last time.
    /// Later moves are ignored.
    pub(super) fn wait(&self, until: Instant, last: Instant) -> Option<String> {
        let mut offered = held(&self.state);
        loop {
            let now = Instant::now();
            let due = if offered.best.is_some() { now >= until } else { now >= last };
            if offered.finished || due {
                offered.finished = true;
                return offered.best.clone();
            }
            let next = if offered.best.is_some() { until } else { last };
            offered = waited(&self.changed, offered, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_best_move_is_sent() {
        let now = Instant::now();
        let answer = Answer::default();
        assert_eq!(answer.wait(now, now), None);
        let answer = Answer::default();
        answer.offer("a".into(), None);
        answer.offer("b".into(), None);
        assert_eq!(answer.wait(now, now).as_deref(), Some("b"));
        answer.offer("c".into(), None);
        assert_eq!(answer.best().as_deref(), Some("b"));
        let far = now + Duration::from_secs(3600);
        let answer = Answer::default();
        answer.offer("a".into(), None);
        answer.finish();
        assert_eq!(answer.wait(far, far).as_deref(), Some("a"));
    }
}
