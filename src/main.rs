//! The `crosswave` command. Everything is in [`crosswave::cli`].

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: crosswave::cli::allocator::Allocator = crosswave::cli::allocator::Allocator;

fn main() -> ExitCode {
    crosswave::cli::main()
}
