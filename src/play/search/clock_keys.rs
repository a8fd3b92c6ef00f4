//! Keys of states in tables that leave the game's clock out, where that is sound.
//!
//! `transpositions.rs` uses them for alpha-beta, `maxn.rs` and `simultaneous/interval_table.rs` for the other
//! searches. `tests/search/clock.rs` compares results with and without; `reports/speed/clock.md` has
//! measurements.
//!
//! # How
//! Two states that differ in the clock alone have the same legal moves, successors and goal values; the one with less
//! time left ends sooner. So what was found of one holds of the other if no line that it rests on was ended by the
//! clock, and none would be. Each entry says how many plies after its state it looks at at most, its *reach*: a terminal
//! child or an estimate 1, a child 1 + its own reach. With a reach less than the plies left (at which every play has
//! ended) it stands under the key without the clock, and holds wherever more plies than its reach are left. Else it
//! stands under the whole key, which is the other one with a number of the step.
//!
//! # Source
//! The remove-counter transformation of Kuhlmann, Dresner and Stone 2006, made exact.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machine::{Clock, Machine, State};

use super::hash::Keys;
use super::leaf::Leaf;

/// Plies after a state that what is known of it rests on at most; this many stand for any number.
pub(super) type Reach = u8;

/// The reach of what rests on children with this reach.
pub(super) fn further(reach: Reach) -> Reach {
    reach.saturating_add(1)
}

/// Any seed but that of [`Keys`] does.
const SEED: u64 = 0x2c1b_3f65;

/// What keys are xored with once a search began from a state that the clock doesn't know.
const UNKNOWN: u64 = 0x6a09_e667_f3bc_c908;

/// Keys of a game's states.
pub(super) struct ClockKeys {
    keys: Keys,
    /// What the root's key is xored with, and so all.
    salt: u64,
    steps: Option<Steps>,
}

/// What a clock adds to keys.
struct Steps {
    clock: Clock,
    /// For every step the number that the whole key has besides.
    numbers: Vec<u64>,
    /// The step at which the search began.
    root: u32,
    /// Whether anything stands under a whole key.
    ended: bool,
}

/// Under which key something is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreKey {
    /// The key of this state and no other: it replaces what was there.
    Alone(u64),
    /// One without the clock: there may be something for every depth.
    Shared(u64),
}

impl ClockKeys {
    /// Keys for a search with these estimates: without the clock where there is one that they ignore, and it is wanted.
    pub(super) fn new(machine: &dyn Machine, leaves: &mut [Leaf<'_>], wanted: bool) -> ClockKeys {
        let clock = if wanted { machine.clock() } else { None };
        match clock.filter(|clock| leaves.iter_mut().all(|leaf| leaf.ignores(clock, machine))) {
            None => ClockKeys { keys: Keys::new(machine), salt: 0, steps: None },
            Some(clock) => {
                let mut random = ChaCha8Rng::seed_from_u64(SEED);
                let numbers = (0..=clock.last_step()).map(|_| random.random()).collect();
                let steps = Steps { clock: clock.clone(), numbers, root: 0, ended: false };
                ClockKeys { keys: Keys::without(machine, clock), salt: 0, steps: Some(steps) }
            }
        }
    }

    /// Begins a search from a state; gives its key.
    pub(super) fn begin(&mut self, machine: &dyn Machine, state: &State) -> u64 {
        if let Some(steps) = &mut self.steps {
            match steps.clock.step(state) {
                Some(step) => steps.root = step,
                // Play can't come here: from now on states are told apart by all that they hold.
                None => *self = ClockKeys { keys: Keys::new(machine), salt: UNKNOWN, steps: None },
            }
        }
        self.keys.hash(&state.0) ^ self.salt
    }

    /// The key of a child, from that of its parent.
    pub(super) fn update(&self, key: u64, from: &[u64], to: &[u64]) -> u64 {
        self.keys.update(key, from, to)
    }

    /// Plies from a state so many plies from the root to the one at which the clock has ended every play; none where
    /// keys have the clock in them.
    pub(super) fn left(&self, ply: usize) -> Option<u32> {
        self.steps.as_ref().map(|steps| steps.clock.last_step().saturating_sub(steps.root + ply as u32))
    }

    /// The key of this state alone, from the one that may be shared; none where nothing stands under such a key.
    pub(super) fn alone(&self, key: u64, ply: usize) -> Option<u64> {
        match &self.steps {
            None => Some(key),
            Some(steps) => steps.ended.then(|| steps.whole(key, ply)),
        }
    }

    /// Under which key is kept what was found of a state and has a reach.
    pub(super) fn keep(&mut self, key: u64, ply: usize, reach: Reach) -> StoreKey {
        let left = self.left(ply);
        match &mut self.steps {
            Some(steps) if left.is_some_and(|left| !is_free(reach, left)) => {
                steps.ended = true;
                StoreKey::Alone(steps.whole(key, ply))
            }
            Some(_) => StoreKey::Shared(key),
            None => StoreKey::Alone(key),
        }
    }
}

impl Steps {
    fn whole(&self, key: u64, ply: usize) -> u64 {
        key ^ self.numbers.get(self.root as usize + ply).copied().unwrap_or(0)
    }
}

/// Whether no line of so many plies meets the clock where so many plies are left.
pub(super) fn is_free(reach: Reach, left: u32) -> bool {
    reach < Reach::MAX && u32::from(reach) < left
}
