//! A player for a game that was not analysed.

use crate::machine::Machine;
use crate::search::{SearchContext, Uct, UctOptions};

use super::search_player::SearchPlayer;

/// A player that needs no preparation: UCT with playouts, within `memory` bytes.
///
/// # Panics
/// The game has no such role.
pub fn fallback_player(machine: &dyn Machine, role: usize, memory: usize, seed: u64) -> SearchPlayer<'_> {
    let options = UctOptions { memory, seed, ..UctOptions::default() };
    let search = Box::new(Uct::plain(SearchContext::alone(machine, role), options));
    SearchPlayer::new("uct".to_owned(), search)
}
