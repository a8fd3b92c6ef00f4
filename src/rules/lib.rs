//! Rules of games, from text to a network of gates.
//!
//! This crate is a part of `ggp`, which exports its modules: depend on `ggp`. Items that only other crates of `ggp`
//! need are public as well, and may change in any version.

use ggp_foundation::catalog;

pub mod datalog;
pub mod gdl;
pub mod ground;
