//! The `ggp` binary.
fn main() {}
