//! The lanes: bit-parallel simulation of 512 games, one per bit of a lane word.
//!
//! A network is compiled to a circuit of three-input gates (`compile`, `gates`, `choice`). `phases` finds values that depend
//! only on the number of steps, and `terminal_invariants` finds conditions that are false while a game runs. The circuit is
//! mapped to few gates (`lut_mapping`), which are scheduled and assigned to slots (`schedule`, `layout`). They run as
//! machine code (`native`) or in an interpreter (`interpret`).
//!
//! Searches need only legal moves, the next state or the end for most states: `split_step` has separate code for each.
//!
//! State bits that form a finite automaton are updated in each lane from its table (`lane_automata`).
//!
//! In very large networks with very many moves, a table chooses the moves (`move_table`) and gives their effects
//! (`effects`). The words to count are counted in tiles (`tiles`).
//!
//! `factor` extracts conjunctions that several gates share. `fused_step` fuses the moves of a step with the evaluation of
//! the next state. `random` and `draw` make random numbers below a total. `block` and `generations` restart lanes whose
//! playout has ended; `start_queue` orders playouts from given states.
//!
//! `children`, `frontier` and `children_with_replies` expand states for searches, `value` computes evaluation
//! functions, and `games` steps games for learners. `simulate/lanes.rs` counts the results of random playouts.
//! `tests/play/lanes.rs` compares every state with the network machine.

pub mod block;
pub mod children;
pub mod children_with_replies;
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
mod lane_automata;
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
pub mod value;
mod valued_children;
pub mod word;
