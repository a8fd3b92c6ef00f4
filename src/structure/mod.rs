//! What a game is made of, found in its rules and in samples of its states.

pub mod finding;
