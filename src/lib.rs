//! `ggp` reads the rules of a game nobody has told it about and works out how to play it well.

pub mod analysis;
pub mod arena;
pub mod catalog;
pub mod cli;
pub mod datalog;
pub mod evaluation;
pub mod feature;
pub mod gdl;
pub mod ground;
pub mod judge;
pub mod machine;
pub mod protocol;
pub mod report;
pub mod search;
pub mod simulate;
pub mod structure;
pub mod study;
