//! Detectors: they find the structures of a game in its rules and in sampled states.
//!
//! Each detector has one file. Its heading says what it finds, how, with which guarantee and at what cost.
//! [`DETECTORS`] lists them. [`detect`] runs all detectors: first they read the rules and the facts of
//! static relations, then they read the samples of one shared pass of random playouts ([`samples`]).
//!
//! `finding.rs` has the types of all findings, with numbers or text for names (`vocabulary.rs`).
//! `evidence.rs` and `reason.rs` hold the evidence of each finding. `findings.rs` collects the findings of
//! a run. `gather.rs` plays at random and fills `samples.rs`: on a network with `lanes/`, which test each
//! hypothesis on 512 games at once, otherwise with an observer of single playouts.
//!
//! `tests/analysis/structures.rs` and `tests/analysis/orders_and_cells.rs` have a small game and a near
//! miss for each kind.

#[macro_use]
mod document_name;

pub mod adjacency;
pub mod argument;
pub mod axis;
pub mod board;
pub mod chain;
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
pub mod fact_changes;
pub mod finding;
pub mod findings;
pub mod fluent_relations;
pub mod fluents;
pub mod frame;
pub mod gather;
pub mod goals;
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
pub mod static_relations;
pub mod steered_playouts;
pub mod successor;
pub mod team;
pub mod trajectory;
pub mod turns;
mod uncompared;
pub mod usage;
pub mod vocabulary;

pub use detect::{DetectError, Detection, detect, detect_with};
pub use detector::{Detector, Game};
pub use names::in_kif;
pub use registry::DETECTORS;
