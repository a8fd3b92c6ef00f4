//! The beginning of a match, and the flags that stop work for it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::super::case_map::CaseMap;
use super::super::message::Start;

/// The content of START, with times.
pub(super) struct MatchStart {
    pub(super) start: Start,
    /// The role in normalised spelling.
    pub(super) role: String,
    pub(super) case_map: CaseMap,
    pub(super) arrived: Instant,
    /// Milliseconds since 1970 at that time.
    pub(super) begun: u64,
    /// The deadline of preparation.
    pub(super) ready: Instant,
}

/// Flags that stop the work for a PLAY.
#[derive(Clone, Default)]
pub(super) struct StopFlags {
    /// Set when the move was sent: no better one is needed.
    pub(super) out: Arc<AtomicBool>,
    /// Set when the match has continued or is over: all work for this PLAY is obsolete.
    pub(super) past: Arc<AtomicBool>,
}

/// The usable part of a clock: all but the margin, or half if the clock is shorter than the margin.
pub(super) fn allowance(clock: Duration, margin: Duration) -> Duration {
    if margin < clock { clock - margin } else { clock / 2 }
}
