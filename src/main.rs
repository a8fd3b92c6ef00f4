//! The `ggp` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    ggp::cli::main()
}
