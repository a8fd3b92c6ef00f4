//! The `ggp` binary.

use std::process::ExitCode;

// Grounding, compiling and rules make and drop many small vectors.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ggp::cli::main()
}
