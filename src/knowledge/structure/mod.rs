//! What a game is made of, found in its rules and in samples of its states.
//!
//! Each kind of structure has one file, whose heading says what it finds, how, with which guarantee and at what
//! cost; [`DETECTORS`] lists them. [`detect`] runs them all: those that read the rules and the facts of static
//! relations first, then one pass of random playouts that all others share, see [`samples`].
//!
//! `finding.rs` has the types of all findings, by numbers or as text (`vocabulary.rs`); `evidence.rs` and `reason.rs` say
//! what each rests on. `found.rs` holds the findings so far. `gather.rs` plays at random and
//! fills `samples.rs`: on a network with `lanes/`, which tests each hypothesis on the words of 512 games, else
//! as an observer of single playouts.
//!
//! `tests/analysis/structures.rs` and `tests/analysis/orders_and_cells.rs` have a small game and a near miss
//! for each kind.

#[macro_use]
mod document_name;

pub mod adjacency;
pub mod argument;
pub mod axis;
pub mod board;
pub mod chain;
pub mod comings;
mod constant;
pub mod control;
pub mod control_samples;
pub mod counter;
pub mod cycle;
mod decoder;
mod detect;
pub mod detector;
pub mod diff;
pub mod evidence;
pub mod falsify;
pub mod finding;
pub mod fluent_relations;
pub mod fluents;
pub mod found;
pub mod frame;
pub mod gather;
pub mod goals;
pub mod known;
mod lanes;
pub mod latch;
pub mod line;
pub mod moves;
mod names;
pub mod noop;
pub mod order;
pub mod other_chain;
pub mod partial_order;
pub mod piece;
pub mod presence;
pub mod quantity;
pub mod reason;
mod record;
mod registry;
mod role_argument;
pub mod samples;
pub mod shape;
pub mod split;
pub mod successor;
pub mod team;
pub mod trajectory;
pub mod turns;
mod uncompared;
pub mod usage;
pub mod vocabulary;

pub use detect::{DetectError, Detected, detect, detect_with};
pub use detector::{Detector, Game};
pub use names::in_kif;
pub use registry::DETECTORS;
