//! Resets that act for several cycles.

/// Verilog for the signal `in_reset`, which is 1 for so many cycles when `reset` is 1 for one.
pub fn verilog(cycles: u64) -> String {
    let next = match cycles {
        1 => return "  wire in_reset = reset;\n".to_owned(),
        2 => "reset".to_owned(),
        cycles => format!("{{held[{}:0], reset}}", cycles - 3),
    };
    format!(
        "  reg [{}:0] held;\n  always @(posedge clock) held <= {next};\n  \
         wire in_reset = reset || (|held);\n",
        cycles - 2
    )
}
