//! The command line.

use std::process::ExitCode;

/// Runs the command.
pub fn main() -> ExitCode {
    for (name, text) in crate::chip::verilog::headers() {
        std::fs::write(format!("hdl/include/{name}"), text).unwrap();
    }
    ExitCode::SUCCESS
}
