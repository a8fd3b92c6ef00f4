//! Rules of games, from text to a network of gates. A part of the crate `ggp`, which says more; what only its other parts need
//! is public, too, and may change with any version.

use ggp_foundation::catalog;

pub mod datalog;
pub mod gdl;
pub mod ground;
