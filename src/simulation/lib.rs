//! Machines that play games, and random play. A part of the crate `ggp`, which says more; what only its other parts need is
//! public, too, and may change with any version.

use ggp_foundation::{catalog, statistics};
use ggp_rules::{datalog, gdl, ground};

pub mod machine;
pub mod simulate;
