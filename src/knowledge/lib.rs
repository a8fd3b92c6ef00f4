//! Knowledge about games: structures, proofs, features and evaluation functions.
//!
//! This crate is a part of `ggp`, which exports its modules: depend on `ggp`. Items that only other crates of the
//! project need are public as well, and may change in any version.

use ggp_foundation::{catalog, catalog_entry, statistics};
use ggp_rules::{datalog, gdl, ground};
use ggp_simulation::{machine, simulate};

pub mod evaluation;
pub mod feature;
pub mod property;
pub mod structure;
