//! The moves of a game in words, from how they change the facts.
