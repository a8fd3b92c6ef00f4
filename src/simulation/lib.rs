//! Machines that play games, and random playouts.
//!
//! This crate is a part of `ggp`, which exports its modules: depend on `ggp`. Items that only other crates of `ggp`
//! need are public as well, and may change in any version.

use ggp_foundation::{catalog, statistics};
use ggp_rules::{datalog, gdl, ground};

pub mod machine;
pub mod simulate;
