//! The playout that runs in each lane, and the step in which it started. Lanes that started together are a generation.

use multiversion::multiversion;

use super::word::{Count, LANES, Word};

/// The playouts of a block by their starting step, oldest first. A lane belongs to the last generation with which it
/// started. A lane's earlier generations are not updated.
#[derive(Clone, Debug, Default)]
pub(super) struct Generations {
    /// The lanes that started in each generation.
    started: Vec<Word>,
    born: Vec<GenerationStart>,
    /// Index of the first generation that may still have lanes.
    head: usize,
}

/// The start of a generation.
#[derive(Clone, Copy, Debug)]
struct GenerationStart {
    step: u64,
    /// The number of the playout in its first lane; the other lanes follow in order.
    first: u64,
}

/// Number of generations after which those without lanes are removed.
const TRIM: usize = 8;

impl Generations {
    /// Starts playouts in lanes, numbered from `first`.
    #[inline]
    pub(super) fn start(&mut self, step: u64, lanes: Word, first: u64) {
        self.started.push(lanes);
        self.born.push(GenerationStart { step, first });
        if self.started.len().is_multiple_of(TRIM) {
            self.trim();
        }
    }

    /// Skips generations without lanes at the front, and removes them if there are many.
    fn trim(&mut self) {
        self.head += empty_generations(&self.started[self.head..]);
        if self.started.len() >= 4 * LANES {
            let alive = self.lanes_of_generations().filter(|(lanes, _)| !lanes.is_zero());
            let mut alive: Vec<(Word, GenerationStart)> = alive.map(|(_, generation)| generation).collect();
            alive.reverse();
            (self.started, self.born) = alive.into_iter().unzip();
            self.head = 0;
        }
    }

    /// The lanes of each generation, youngest first.
    fn lanes_of_generations(&self) -> impl Iterator<Item = (Word, (Word, GenerationStart))> {
        let mut left = Word::ONES;
        self.started[self.head..].iter().zip(&self.born[self.head..]).rev().map(move |(&started, &born)| {
            let lanes = started & left;
            left &= !started;
            (lanes, (started, born))
        })
    }

    /// An upper bound on the number of steps since a lane started.
    #[inline]
    pub(super) fn oldest(&self, step: u64) -> u64 {
        self.born.get(self.head).map_or(0, |born| step - born.step)
    }

    /// The lanes that started at least `steps` steps ago.
    pub(super) fn aged(&self, step: u64, steps: u64) -> Word {
        let old = self.lanes_of_generations().filter(|(_, (_, born))| step - born.step >= steps);
        old.fold(Word::ZERO, |old, (lanes, _)| old | lanes)
    }

    /// The lanes by the number of steps since they started, fewest first.
    pub(super) fn ages(&self, step: u64) -> impl Iterator<Item = (u32, Word)> {
        self.lanes_of_generations().map(move |(lanes, (_, born))| ((step - born.step) as u32, lanes))
    }

    /// Counts lanes by the number of steps since they started.
    pub(super) fn count(&self, step: u64, lanes: &Word, by_age: &mut Vec<Count>) {
        let born = &self.born[self.head..];
        let oldest = born.first().map_or(0, |born| (step - born.step) as usize + 1);
        if by_age.len() < oldest {
            by_age.resize(oldest, Count::default());
        }
        count(&self.started[self.head..], born, step, *lanes, by_age);
    }

    /// The number of steps since a lane started, and its playout's number.
    pub(super) fn of(&self, lane: usize, step: u64) -> Option<(u32, u64)> {
        let (_, (started, born)) = self.lanes_of_generations().find(|(lanes, _)| lanes.lane(lane))?;
        let before = started.below(lane).count();
        Some(((step - born.step) as u32, born.first + u64::from(before)))
    }
}

/// The number of generations at the front without lanes.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn empty_generations(started: &[Word]) -> usize {
    let mut left = Word::ONES;
    let mut first = 0;
    for (index, &lanes) in started.iter().enumerate().rev() {
        if !(lanes & left).is_zero() {
            first = index;
        }
        left &= !lanes;
    }
    first
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq", "x86_64+avx+avx2"))]
fn count(started: &[Word], born: &[GenerationStart], step: u64, mut lanes: Word, by_age: &mut [Count]) {
    for (&started, born) in started.iter().zip(born).rev() {
        let here = started & lanes;
        lanes &= !started;
        by_age[(step - born.step) as usize].add(&here);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lane_belongs_to_the_generation_that_started_it_last() {
        let mut generations = Generations::default();
        generations.start(0, Word::first(3), 0);
        let mut second = Word::ZERO;
        second.set(1);
        generations.start(4, second, 3);
        assert_eq!([0, 1, 2].map(|lane| generations.of(lane, 6)), [Some((6, 0)), Some((2, 3)), Some((6, 2))]);
        assert_eq!(generations.of(3, 6), None);
        assert_eq!(generations.aged(6, 6).lanes().collect::<Vec<_>>(), [0, 2]);
        let mut by_age = Vec::new();
        generations.count(6, &Word::first(2), &mut by_age);
        assert_eq!(by_age.iter().map(Count::sum).collect::<Vec<_>>(), [0, 0, 1, 0, 0, 0, 1]);
        for step in 7..7 + 5 * LANES as u64 {
            generations.start(step, Word::first(3), step);
        }
        assert!(generations.started.len() <= 4 * LANES);
        assert_eq!(generations.of(2, 6 + 5 * LANES as u64), Some((0, 8 + 5 * LANES as u64)));
    }
}
