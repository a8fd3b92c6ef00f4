//! What knows nothing of games: statistics, and registries with their options. A part of the crate `ggp`, which says more; what
//! only its other parts need is public, too, and may change with any version.

pub mod catalog;
pub mod statistics;
