//! The `crosswave` command. Everything is in [`crosswave::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    crosswave::cli::main()
}
