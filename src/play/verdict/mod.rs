//! The verdict on a game: what a newcomer asks first, in few sentences. How does one win, what is a move, who wins, how
//! long does it last, does skill count, how do games end?

mod endings;
mod move_kinds;
mod played_game;
mod winning;

pub use played_game::PlayedGame;
