//! What games are made of: structures, proofs, features and evaluation functions. A part of the crate `ggp`, which says more;
//! what only its other parts need is public, too, and may change with any version.

use ggp_foundation::{catalog, catalog_entry, statistics};
use ggp_rules::{datalog, gdl, ground};
use ggp_simulation::{machine, simulate};

pub mod evaluation;
pub mod feature;
pub mod property;
pub mod structure;
