//! Symmetries of a game in search: states that are images of each other are searched once.
//!
//! # What it does
//! Maps a state to its canonical image. In a small group all images of a state have the same canonical image; in a
//! large group most of them have. Tables of `solve` use it as the key ([`graph`](super::graph), `clock_keys.rs`).
//!
//! # How
//! The symmetries are automorphisms of the network ([`symmetries_of_flat`]). Only those are used that keep every role
//! and every bit with a fixed trajectory (the clock, whose turn it is). If the group is small, the canonical state is
//! the image with the least hash (`group.rs`); otherwise it is a normal form by a chain of stabilisers (`chain.rs`).
//! [`Symmetries::reduction`] measures on the first states of a game whether symmetry saves time.
//!
//! # Guarantee
//! Sound: the canonical state is always an image of the state. A symmetry maps legal moves to legal moves, successors to
//! successors, and keeps terminal states and goal values. So a state and its image have the same values for every role, even
//! if the symmetry does not fix the initial state.
//!
//! # Source
//! Emerson and Sistla 1996; Schiffel, "Symmetry Detection in General Game Playing", 2010.

mod chain;
mod group;
mod permutation;
mod sample;

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use crate::ground::symmetry::{Generators, symmetries_of_flat};
use crate::machine::{Machine, MoveId, State};

use super::hash::Keys;
use chain::Chain;
use group::Group;
use permutation::Permutation;

/// Limit of the work of the search for symmetries. A unit of work takes a few nanoseconds.
const WORK: u64 = 10_000_000;

/// The least search depth in plies at which a small group is used.
const GROUP_DEPTH: u32 = 3;
/// The least search depth in plies at which a large group is used.
const CHAIN_DEPTH: u32 = 4;

/// The symmetries of a game that keep every role.
pub(crate) struct Symmetries {
    keys: Keys,
    elements: Elements,
}

/// The elements of a group.
enum Elements {
    /// All elements, of a small group.
    All(Group),
    /// A chain of stabilisers, of a large group.
    Levels(Chain),
}

/// A state's canonical image.
pub(super) struct Canonical<'s> {
    pub(super) words: Vec<u64>,
    /// The permutations that lead to it, in the order of application.
    applied: Vec<&'s Permutation>,
}

/// For each state the index of the first one with the same canonical image; its own index without symmetries. In large groups some
/// images are missed. An interrupt ends the search for symmetries; each state is then its own image.
pub(crate) fn first_images(
    machine: &dyn Machine,
    states: &[State],
    interrupt: Option<&AtomicBool>,
) -> Vec<usize> {
    let Some(symmetries) = Symmetries::find(machine, interrupt) else { return (0..states.len()).collect() };
    let mut first = FxHashMap::default();
    let canonical = states.iter().map(|state| symmetries.canonical(&state.0).words);
    canonical.enumerate().map(|(index, words)| *first.entry(words).or_insert(index)).collect()
}

impl Symmetries {
    /// Finds the symmetries of a game; none if it has no network, no symmetry is found, or an interrupt comes.
    pub(super) fn find(machine: &dyn Machine, interrupt: Option<&AtomicBool>) -> Option<Symmetries> {
        let network = machine.network()?;
        // Roles of different kinds are not exchanged.
        let kinds: Vec<u32> = (0..network.moves.len() as u32).collect();
        let mut spent = 0;
        let generators = symmetries_of_flat(network, &kinds, &mut |work| {
            spent += work;
            spent <= WORK && interrupt.is_none_or(|flag| !flag.load(Ordering::Relaxed))
        });
        Symmetries::from_generators(machine, &generators)
    }

    /// The group of some generators.
    fn from_generators(machine: &dyn Machine, generators: &Generators) -> Option<Symmetries> {
        let network = machine.network()?;
        let clock = machine.clock();
        let keeps_clock = |permutation: &Permutation| {
            let fixed = |bit: u32| clock.is_some_and(|clock| clock.is_fixed(bit as usize));
            (0..permutation.bits.len() as u32).all(|bit| !fixed(bit) || permutation.fixes(bit))
        };
        let permutations: Vec<Permutation> = generators
            .found
            .iter()
            .zip(&generators.moves)
            .filter(|(symmetry, _)| symmetry.keeps_roles())
            .map(|(symmetry, moves)| Permutation::new(network, symmetry, moves))
            .filter(keeps_clock)
            .collect();
        if permutations.is_empty() {
            return None;
        }
        let keys = clock.map_or_else(|| Keys::new(machine), |clock| Keys::without(machine, clock));
        let identity = Permutation::identity(network);
        let elements = match Group::new(&permutations, identity.clone(), &keys) {
            Some(group) => Elements::All(group),
            None => Elements::Levels(Chain::new(&permutations, &identity)),
        };
        Some(Symmetries { keys, elements })
    }

    /// The least depth in plies at which a search uses the symmetries. At smaller depths, a state takes less time than
    /// its canonical image.
    pub(super) fn least_depth(&self) -> u32 {
        match self.elements {
            Elements::All(_) => GROUP_DEPTH,
            Elements::Levels(_) => CHAIN_DEPTH,
        }
    }

    /// The canonical image of a state.
    pub(super) fn canonical(&self, words: &[u64]) -> Canonical<'_> {
        match &self.elements {
            Elements::All(group) => {
                let element = &group.elements[group.least(words).0];
                let mut image = Vec::with_capacity(words.len());
                element.apply(words, &mut image);
                Canonical { words: image, applied: vec![element] }
            }
            Elements::Levels(chain) => {
                let (words, applied) = chain.normal_form(words);
                Canonical { words, applied }
            }
        }
    }

    /// The hash of the canonical image, without the clock.
    pub(super) fn hash(&self, words: &[u64]) -> u64 {
        match &self.elements {
            Elements::All(group) => group.least(words).1,
            Elements::Levels(chain) => self.keys.hash(&chain.normal_form(words).0),
        }
    }
}

impl Canonical<'_> {
    /// The image of a move of a role.
    fn move_image(&self, role: usize, action: MoveId) -> MoveId {
        self.applied.iter().fold(action, |action, element| element.image_of_move(role, action))
    }

    /// A number of the image of a joint move. Different joint moves of a state rarely have the same number.
    pub(super) fn move_code(&self, joint: &[MoveId]) -> u16 {
        let mut code = 0_u64;
        for (role, &action) in joint.iter().enumerate() {
            let image = self.move_image(role, action);
            code = (code ^ u64::from(image.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
        // `u16::MAX` can't be stored.
        (code % u64::from(u16::MAX)) as u16
    }
}

#[cfg(test)]
mod tests;
