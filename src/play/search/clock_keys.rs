//! Keys of states in transposition tables that leave out the game's clock where that is sound.
//!
//! `transpositions.rs` uses these keys for alpha-beta, `maxn.rs` and `simultaneous/interval_table.rs` for other searches.
//! `tests/search/clock.rs` compares results with and without them; `reports/speed/clock.md` has measurements.
//!
//! # How
//! Two states that differ only in the clock have the same legal moves, successors and goal values; only the clock's end
//! comes sooner for one of them. A result for one is valid for the other if the clock ends none of the lines that the
//! result depends on, in either state.
//!
//! Each entry therefore has a *reach*: the greatest number of plies after its state that the search looked at. A terminal
//! child or an estimate has reach 1, another child 1 + its own reach. If the reach is less than the plies left on the
//! clock, the entry has the key without the clock (`StoreKey::Shared`). It is then valid wherever more plies are left
//! than its reach. Otherwise its key includes a number of the step (`StoreKey::Alone`).
//!
//! # Source
//! The remove-counter transformation of Kuhlmann, Dresner and Stone 2006, made exact.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::machine::{Clock, Machine, State};

use super::hash::Keys;
use super::leaf::Leaf;
use super::symmetry::Symmetries;

/// The greatest number of plies after a state that its value depends on; `Reach::MAX` stands for any larger number.
pub(super) type Reach = u8;

/// The reach of a state whose children have this reach.
pub(super) fn further(reach: Reach) -> Reach {
    reach.saturating_add(1)
}

/// Any seed works, except that of [`Keys`].
const SEED: u64 = 0x2c1b_3f65;

/// Changes all keys once a search began from a state outside of the clock's range.
const UNKNOWN: u64 = 0x6a09_e667_f3bc_c908;

/// Keys of a game's states.
pub(super) struct ClockKeys {
    keys: Keys,
    /// Changes the root's key, and with it all others.
    salt: u64,
    steps: Option<Steps>,
    /// Symmetries: states that are images of each other have the same key.
    symmetries: Option<Arc<Symmetries>>,
}

/// The clock's part of keys.
struct Steps {
    clock: Clock,
    /// For each step the number that is added to keys with the clock.
    numbers: Vec<u64>,
    /// The step at which the search began.
    root: u32,
    /// Whether any entry has a key with the clock.
    ended: bool,
}

/// The key of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StoreKey {
    /// The key with the clock, for this state alone. Replaces the state's entry.
    Alone(u64),
    /// The key without the clock. The table may have an entry for each depth.
    Shared(u64),
}

impl ClockKeys {
    /// Keys for a search with these estimates; without the clock if `wanted` and all estimates ignore it.
    pub(super) fn new(machine: &dyn Machine, leaves: &mut [Leaf<'_>], wanted: bool) -> ClockKeys {
        let clock = if wanted { machine.clock() } else { None };
        match clock.filter(|clock| leaves.iter_mut().all(|leaf| leaf.ignores(clock, machine))) {
            None => ClockKeys { keys: Keys::new(machine), salt: 0, steps: None, symmetries: None },
            Some(clock) => {
                let mut random = ChaCha8Rng::seed_from_u64(SEED);
                let numbers = (0..=clock.last_step()).map(|_| random.random()).collect();
                let steps = Steps { clock: clock.clone(), numbers, root: 0, ended: false };
                let keys = Keys::without(machine, clock);
                ClockKeys { keys, salt: 0, steps: Some(steps), symmetries: None }
            }
        }
    }

    /// Gives the same key to states that are images of each other. The estimates of such states must be equal.
    pub(super) fn use_symmetries(&mut self, machine: &dyn Machine, symmetries: &Arc<Symmetries>) {
        // Hashes of `symmetries` leave out the clock.
        if self.steps.is_some() || machine.clock().is_none() {
            self.symmetries = Some(Arc::clone(symmetries));
        }
    }

    /// The symmetries, if states that are images of each other have the same key at this depth.
    pub(super) fn symmetries(&self, depth: u32) -> Option<&Symmetries> {
        self.symmetries.as_deref().filter(|symmetries| depth >= symmetries.least_depth())
    }

    /// Begins a search from a state and returns its key.
    pub(super) fn begin(&mut self, machine: &dyn Machine, state: &State) -> u64 {
        if let Some(steps) = &mut self.steps {
            match steps.clock.step(state) {
                Some(step) => steps.root = step,
                // No play leads here, so the clock is unknown: from now on keys must include the whole state.
                None => {
                    let keys = Keys::new(machine);
                    *self = ClockKeys { keys, salt: UNKNOWN, steps: None, symmetries: None };
                }
            }
        }
        self.keys.hash(&state.0) ^ self.salt
    }

    /// The key of a child, computed from that of its parent.
    pub(super) fn update(&self, key: u64, from: &[u64], to: &[u64]) -> u64 {
        self.keys.update(key, from, to)
    }

    /// The key of a child that is searched `depth` plies deep. If that is deep enough for symmetries, the images of the child
    /// have the same key.
    pub(super) fn child_key(&self, key: u64, from: &[u64], to: &[u64], depth: u32) -> u64 {
        match (self.symmetries(depth), self.symmetries(depth + 1)) {
            (Some(symmetries), _) => symmetries.hash(to) ^ self.salt,
            // The parent's key is that of an image.
            (None, Some(_)) => self.keys.hash(to) ^ self.salt,
            (None, None) => self.update(key, from, to),
        }
    }

    /// Plies left on the clock in a state `ply` plies below the root; none if keys include the clock.
    pub(super) fn left(&self, ply: usize) -> Option<u32> {
        self.steps.as_ref().map(|steps| steps.clock.last_step().saturating_sub(steps.root + ply as u32))
    }

    /// The key with the clock, computed from the key without it; none if no entry has such a key.
    pub(super) fn alone(&self, key: u64, ply: usize) -> Option<u64> {
        match &self.steps {
            None => Some(key),
            Some(steps) => steps.ended.then(|| steps.whole(key, ply)),
        }
    }

    /// The key for storing a result of this reach.
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

/// Whether no line of `reach` plies meets the clock's end if `left` plies remain.
pub(super) fn is_free(reach: Reach, left: u32) -> bool {
    reach < Reach::MAX && u32::from(reach) < left
}
