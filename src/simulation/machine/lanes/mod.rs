//! The lanes machine: random playouts of 512 games in the bits of lane words.
//!
//! A network becomes a circuit of three-input gates (`compile`, `gates`, `choice`; `phases` finds what the number of
//! steps decides, `terminal_invariants` what can't hold as it would have ended the game before), the circuit is covered with few of them (`lut_mapping`), these are put in order and in slots
//! (`schedule`, `layout`), and run as machine code (`native`) or by an interpreter (`interpret`).
//!
//! Searches ask most states for legal moves, the next state or the end alone: `split_step` has code for each.
//!
//! Bits of the state that are a finite automaton are moved from lane to lane by its table (`walk`).
//!
//! Where a network is very large and roles have very many moves, a table chooses them (`move_table`) and says what follows from
//! them alone (`effects`); the words that it counts are counted in tiles (`tiles`).
//!
//! `factor` extracts conjunctions that several gates share. `fused_step` compiles the moves of a step and the
//! look at the next state into one function. `random` and `draw` make random numbers below a total. `block` and
//! `generations` restart lanes whose playout has ended; `start_queue` orders playouts from given states.
//!
//! `children`, `frontier` and `tried` expand states for searches, `value` computes evaluation functions, and
//! `games` steps games for learners. `simulate/lanes.rs` counts what random playouts show.
//! `tests/play/lanes.rs` compares every state with the network machine.

pub mod block;
pub mod children;
mod choice;
pub mod code;
mod compile;
mod draw;
mod effects;
pub mod engine;
mod factor;
pub mod frontier;
mod fused_step;
pub mod games;
mod gates;
mod generations;
pub mod interpret;
mod layout;
mod lut_mapping;
pub mod machine;
mod move_table;
pub mod native;
pub(super) mod phases;
pub mod program;
pub mod random;
mod schedule;
mod split_step;
mod start_queue;
pub mod states;
mod step;
pub mod table;
mod terminal_invariants;
mod tiles;
mod transpose;
pub mod tried;
pub mod value;
mod valued_children;
mod walk;
pub mod word;
