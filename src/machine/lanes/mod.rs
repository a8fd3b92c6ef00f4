//! The lanes machine: random playouts of 512 games in the bits of lane words.

pub mod block;
pub mod choose;
pub mod code;
pub mod interpret;
pub mod native;
pub mod program;
pub mod word;
