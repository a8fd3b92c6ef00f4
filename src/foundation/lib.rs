//! Statistics, and registries with their options: everything that does not concern games.
//!
//! This crate is a part of `ggp`, which exports its modules: depend on `ggp`. Items that only other crates of `ggp`
//! need are public as well, and may change in any version.

pub mod catalog;
pub mod statistics;
