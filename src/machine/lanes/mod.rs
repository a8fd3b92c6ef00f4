//! The lanes machine: random playouts of 512 games in the bits of lane words.
//!
//! A network becomes a circuit of three-input gates (`compile`, `gates`, `choice`; `phases` finds what the number of
//! steps decides, `endings` what can't hold as it would have ended the game before), the circuit is covered with few of them (`cover`), these are put in order and in slots
//! (`assemble`, `layout`), and run as machine code (`native`) or by an interpreter (`interpret`).

mod assemble;
pub mod block;
pub mod children;
mod choice;
pub mod code;
mod compile;
mod cover;
mod draw;
mod endings;
pub mod engine;
mod factor;
mod from_states;
mod gates;
mod generations;
pub mod interpret;
mod layout;
pub mod machine;
pub mod native;
mod onward;
pub(super) mod phases;
pub mod program;
pub mod random;
pub mod states;
pub mod table;
mod transpose;
pub mod word;
