//! Loads games, and samples states of their random playouts.

#![allow(dead_code, reason = "each binary of tests uses a part")]

use ggp::gdl::{Source, read};
use ggp::ground::Limits;
use ggp::machine::{Backend, Loaded, Machine, State, load};
use ggp::simulate::Choices;

pub(crate) fn load_game(game: &str) -> Loaded {
    load_source(&Source::load(format!("games/{game}.kif")).unwrap())
}

pub(crate) fn load_source(source: &Source) -> Loaded {
    load(read(source).description.unwrap(), Backend::Auto, &Limits::default()).unwrap()
}

/// The state of a random playout `from_end` steps before its end.
pub(crate) fn sample_state(machine: &dyn Machine, seed: u64, from_end: usize) -> State {
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
