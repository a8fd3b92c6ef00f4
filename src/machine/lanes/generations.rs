//! Which playout runs in which lane, and since when: lanes that started together are a generation.

use multiversion::multiversion;

use super::word::{LANES, PARTS, Word};

/// The playouts of a block by the step at which they started, oldest first. A lane belongs to a generation until it
/// starts again, so that little is to be done when its playout ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Generations {
    /// The lanes that haven't started again since.
    members: Vec<Word>,
    born: Vec<Born>,
    /// The first generation that has members.
    head: usize,
}

/// The start of a generation.
#[derive(Clone, Copy, Debug)]
struct Born {
    step: u64,
    /// The lanes that started, and the number of the playout in the first of them; the others' follow, ascending.
    lanes: Word,
    first: u64,
}

impl Generations {
    /// Starts playouts in lanes, numbered from `first` on.
    pub(super) fn start(&mut self, step: u64, lanes: Word, first: u64) {
        if lanes.is_zero() {
            return;
        }
        clear(&mut self.members[self.head..], lanes);
        while self.members.get(self.head).is_some_and(|members| members.is_zero()) {
            self.head += 1;
        }
        if self.members.len() >= 4 * LANES {
            self.tidy();
        }
        self.members.push(lanes);
        self.born.push(Born { step, lanes, first });
    }

    /// Forgets generations without members; of the others there are at most as many as lanes.
    fn tidy(&mut self) {
        let mut alive = self.members.iter().map(|members| !members.is_zero());
        self.born.retain(|_| alive.next().unwrap_or(false));
        self.members.retain(|members| !members.is_zero());
        self.head = 0;
    }

    fn living(&self) -> impl Iterator<Item = (&Word, &Born)> {
        self.members[self.head..].iter().zip(&self.born[self.head..])
    }

    /// The lanes that started so many steps ago or more.
    pub(super) fn aged(&self, step: u64, steps: u64) -> Word {
        let old = self.living().take_while(|(_, born)| step - born.step >= steps);
        old.fold(Word::ZERO, |lanes, (&members, _)| lanes | members)
    }

    /// The numbers of steps since lanes started, each with the lanes, the longest first.
    pub(super) fn ages(&self, step: u64) -> impl Iterator<Item = (u32, Word)> {
        self.living().map(move |(&members, born)| ((step - born.step) as u32, members))
    }

    /// Counts lanes by the number of steps since they started, in sums of 64-bit parts of words.
    pub(super) fn count(&self, step: u64, lanes: Word, by_age: &mut Vec<[u64; PARTS]>) {
        let born = &self.born[self.head..];
        let oldest = born.first().map_or(0, |born| (step - born.step) as usize + 1);
        if by_age.len() < oldest {
            by_age.resize(oldest, [0; PARTS]);
        }
        count(&self.members[self.head..], born, step, lanes, by_age);
    }

    /// The number of steps since a lane started, and its playout's number.
    pub(super) fn of(&self, lane: usize, step: u64) -> Option<(u32, u64)> {
        let (_, born) = self.living().find(|(members, _)| members.lane(lane))?;
        let before = born.lanes.below(lane).count();
        Some(((step - born.step) as u32, born.first + u64::from(before)))
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx+avx2"))]
fn clear(words: &mut [Word], lanes: Word) {
    for word in words {
        *word &= !lanes;
    }
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl+avx512vpopcntdq", "x86_64+avx+avx2"))]
fn count(members: &[Word], born: &[Born], step: u64, lanes: Word, by_age: &mut [[u64; PARTS]]) {
    for (members, born) in members.iter().zip(born) {
        let sums = &mut by_age[(step - born.step) as usize];
        for (part, sum) in sums.iter_mut().enumerate() {
            *sum += u64::from((members.0[part] & lanes.0[part]).count_ones());
        }
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
        generations.count(6, Word::first(2), &mut by_age);
        assert_eq!(
            by_age.iter().map(|sums| sums.iter().sum::<u64>()).collect::<Vec<_>>(),
            [0, 0, 1, 0, 0, 0, 1]
        );
        for step in 7..7 + 5 * LANES as u64 {
            generations.start(step, Word::first(3), step);
        }
        assert!(generations.members.len() <= 4 * LANES);
        assert_eq!(generations.of(2, 6 + 5 * LANES as u64), Some((0, 8 + 5 * LANES as u64)));
    }
}
