//! Which playout runs in which lane, and since when: lanes that started together are a generation.

use std::collections::VecDeque;

use multiversion::multiversion;

use super::word::{LANES, Word};

/// The playouts that started at one step.
#[derive(Clone, Debug)]
struct Generation {
    start: u64,
    /// The number of the playout in the first lane of `started`; the other lanes' follow, ascending.
    first: u64,
    started: Word,
    /// The lanes whose playout still runs.
    running: Word,
}

/// The playouts that run, oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Generations {
    queue: VecDeque<Generation>,
}

impl Generations {
    /// Starts playouts in lanes, numbered from `first` on.
    pub(super) fn start(&mut self, step: u64, lanes: Word, first: u64) {
        if !lanes.is_zero() {
            self.queue.push_back(Generation { start: step, first, started: lanes, running: lanes });
        }
    }

    /// Ends the playouts of lanes.
    pub(super) fn end(&mut self, lanes: Word) {
        let (front, back) = self.queue.as_mut_slices();
        clear(front, lanes);
        clear(back, lanes);
        while self.queue.front().is_some_and(|generation| generation.running.is_zero()) {
            self.queue.pop_front();
        }
        // In between, too, where short games leave many behind.
        if self.queue.len() > 2 * LANES {
            self.queue.retain(|generation| !generation.running.is_zero());
        }
    }

    /// The lanes whose playout has taken so many steps or more.
    pub(super) fn aged(&self, step: u64, steps: u64) -> Word {
        let old = self.queue.iter().take_while(|generation| step - generation.start >= steps);
        old.fold(Word::ZERO, |lanes, generation| lanes | generation.running)
    }

    /// The numbers of steps that playouts have taken, each with their lanes, the longest first.
    pub(super) fn ages(&self, step: u64) -> impl Iterator<Item = (u32, Word)> {
        self.queue.iter().map(move |generation| ((step - generation.start) as u32, generation.running))
    }

    /// The number of steps that a lane's playout has taken, and the playout's number.
    pub(super) fn of(&self, lane: usize, step: u64) -> Option<(u32, u64)> {
        let generation = self.queue.iter().find(|generation| generation.running.lane(lane))?;
        let before = generation.started.below(lane).count();
        Some(((step - generation.start) as u32, generation.first + u64::from(before)))
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn clear(generations: &mut [Generation], lanes: Word) {
    for generation in generations {
        generation.running &= !lanes;
    }
}
