//! Searches, the quality of evaluation functions, the analysis of a game, and players in matches.
//!
//! This crate is a part of `ggp`, which exports its modules: depend on `ggp`. Items that only other crates of `ggp`
//! need are public as well, and may change in any version.

#[cfg(feature = "cluster")]
use ggp_cluster as cluster;
use ggp_foundation::{catalog, options, statistics};
use ggp_knowledge::{evaluation, feature, property, structure};
use ggp_rules::{datalog, gdl, ground};
use ggp_simulation::{machine, simulate};

pub mod analysis;
pub mod arena;
pub mod certificate;
pub mod judge;
pub mod search;
pub mod verdict;
