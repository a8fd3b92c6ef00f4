//! Games read, and states of their random playouts.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    unreachable_pub,
    dead_code,
    reason = "shared by tests, which may panic"
)]

use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Loaded, Machine, State, load};
use ggp::simulate::Choices;

/// A game of `games/`.
pub fn loaded(game: &str) -> Loaded {
    loaded_from(&Source::load(format!("games/{game}.kif")).unwrap())
}

/// A game from its rules.
pub fn loaded_from(source: &Source) -> Loaded {
    load(read(source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap()
}

/// A state of a random playout, so many before its end.
pub fn sampled(machine: &dyn Machine, seed: u64, from_end: usize) -> State {
    let (mut cursor, mut choices) = (machine.cursor(), Choices::new(seed, 0));
    let mut states = Vec::new();
    while !cursor.terminal() {
        states.push(cursor.state().clone());
        let joint: Vec<_> = (0..machine.description().roles.len())
            .map(|role| cursor.legal(role)[choices.below(cursor.legal(role).len())])
            .collect();
        cursor.advance(&joint).unwrap();
    }
    states[states.len().saturating_sub(from_end)].clone()
}
