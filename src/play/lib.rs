//! Searches, what evaluation functions are worth, the analysis of a game, and players in matches. A part of the crate `ggp`,
//! which says more; what only its other parts need is public, too, and may change with any version.

#[cfg(feature = "cluster")]
use ggp_cluster as cluster;
use ggp_foundation::{catalog, options, statistics};
use ggp_knowledge::{evaluation, feature, property, structure};
use ggp_rules::{datalog, gdl, ground};
use ggp_simulation::{machine, simulate};

pub mod analysis;
pub mod arena;
pub mod judge;
pub mod search;
