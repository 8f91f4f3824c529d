//! The `crosswave` command. Everything is in [`crosswave_cli`].

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: crosswave_cli::allocator::Allocator = crosswave_cli::allocator::Allocator;

fn main() -> ExitCode {
    crosswave_cli::main(env!("CROSSWAVE_REVISION"))
}
