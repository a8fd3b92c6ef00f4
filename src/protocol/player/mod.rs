//! A match that is played for a remote manager.
//!
//! A match has two threads: one prepares the game and then searches (`preparation`), the other follows the match and has
//! a legal move ready (`deliberation`). The connection that waits for a move takes the best one when its time is over
//! (`answer`), so that nothing in the two threads makes it late. A third thread may learn functions while the start clock
//! runs (`learning`).

mod answer;
mod beliefs;
mod deliberation;
mod learning;
mod match_start;
mod match_state;
mod preparation;
mod settings;
mod stages;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::Builder;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::case_map::CaseMap;
use super::message::{LastStep, Start};
use super::session::Reply;
use crate::simulate::canonical;
use answer::{Answer, held};
use deliberation::Command;
use match_start::{MatchStart, StopFlags, allowance};
pub use settings::{Record, Settings};
use stages::Stages;

/// Bytes of the stacks of a match: searches are deeply recursive.
const STACK: usize = 16 << 20;

/// The search ends this long before its move is sent, or a tenth of its time if that is less.
const WRAP_UP: Duration = Duration::from_millis(20);

pub(in crate::protocol) struct Match {
    match_start: Arc<MatchStart>,
    settings: Arc<Settings>,
    stages: Arc<Stages>,
    commands: Sender<Command>,
    /// Flags that stop the work for the last PLAY.
    thinking: Mutex<Option<StopFlags>>,
    gone: Arc<AtomicBool>,
}

impl Match {
    /// Begins a match whose START arrived at a time. `living` is held while the match has threads.
    ///
    /// # Errors
    /// The system has no more threads.
    pub(super) fn begin(
        start: Start,
        arrived: Instant,
        settings: &Arc<Settings>,
        living: &Arc<()>,
    ) -> io::Result<Arc<Match>> {
        let begun = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
        let case_map = CaseMap::of(&start.rules, settings.case_sensitive);
        let match_start = Arc::new(MatchStart {
            role: canonical(&case_map.received(&start.role)),
            case_map,
            arrived,
            begun,
            ready: arrived + allowance(start.startclock, settings.margin),
            start,
        });
        let (commands, received) = channel();
        let (stages, gone) = (Arc::<Stages>::default(), Arc::<AtomicBool>::default());
        let shared = || (match_start.clone(), settings.clone(), stages.clone(), gone.clone(), living.clone());
        let thread = || Builder::new().name("match".to_owned()).stack_size(STACK);
        let (of, settings_of, stages_of, gone_of, alive) = shared();
        thread().spawn(move || {
            preparation::prepare(&of, &settings_of, &stages_of, &gone_of);
            drop(alive);
        })?;
        let (of, settings_of, stages_of, gone_of, alive) = shared();
        let follow = thread().spawn(move || {
            deliberation::deliberate(&of, &settings_of, &stages_of, (&gone_of, &alive), &received);
            // All other work for the match is obsolete.
            gone_of.store(true, Ordering::Relaxed);
            stages_of.close();
            drop(alive);
        });
        if let Err(error) = follow {
            gone.store(true, Ordering::Relaxed);
            stages.close();
            return Err(error);
        }
        Ok(Arc::new(Match {
            match_start,
            settings: settings.clone(),
            stages,
            commands,
            thinking: Mutex::default(),
            gone,
        }))
    }

    /// Waits until the player is ready or its clock demands an answer. Returns whether the game can be played at all.
    pub(super) fn ready(&self) -> bool {
        self.stages.ready(self.match_start.ready);
        self.is_playable()
    }

    /// Whether the game can be played, as far as is known.
    pub(super) fn is_playable(&self) -> bool {
        self.stages.failed().is_none()
    }

    /// Answers a PLAY that arrived at a time, within its clock.
    pub(super) fn play(&self, last: LastStep, arrived: Instant) -> Reply {
        let clock = self.match_start.start.playclock;
        let allowed = allowance(clock, self.settings.margin);
        let (out, latest) = (arrived + allowed, arrived + clock.max(allowed) * 9 / 10);
        let until = out - WRAP_UP.min(allowed / 10);
        let ends = StopFlags::default();
        self.interrupt(Some(ends.clone()));
        let answer = Arc::new(Answer::default());
        let command = Command::Play { last, answer: answer.clone(), until, ends: ends.clone() };
        if self.commands.send(command).is_err() {
            answer.finish();
        }
        let best = answer.wait(out, latest.max(out));
        ends.out.store(true, Ordering::Relaxed);
        match best {
            Some(text) => Reply::Move(text),
            None => {
                let why = self.stages.failed().unwrap_or_else(|| "no move was found in time".to_owned());
                (self.settings.note)(&format!("match {}: answered nil: {why}", self.match_start.start.id));
                Reply::Nil
            }
        }
    }

    /// The match is over, after this step if it is given: preparation and searches end, and the record is written.
    pub(super) fn stop(&self, last: Option<LastStep>) {
        self.interrupt(None);
        // If no thread follows the match any more, there is nothing to do.
        let _ = self.commands.send(Command::Over { last });
        self.gone.store(true, Ordering::Relaxed);
    }

    /// The match is aborted.
    pub(super) fn abort(&self) {
        self.stop(None);
    }

    /// Stops the work for the last PLAY; `next` is that for another one, if any.
    fn interrupt(&self, next: Option<StopFlags>) {
        self.stages.hurry.store(true, Ordering::Relaxed);
        if let Some(before) = std::mem::replace(&mut *held(&self.thinking), next) {
            before.out.store(true, Ordering::Relaxed);
            before.past.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_above_the_clock_leaves_half_of_it() {
        let seconds = Duration::from_secs_f64;
        assert_eq!(allowance(seconds(10.0), seconds(0.5)), seconds(9.5));
        assert_eq!(allowance(seconds(1.0), seconds(0.9)), Duration::from_millis(100));
        assert_eq!(allowance(seconds(1.0), seconds(1.0)), seconds(0.5));
        assert_eq!(allowance(seconds(1.0), seconds(3.0)), seconds(0.5));
    }
}
