//! Reasons to refuse a Yosys cell type, and the passes that remove such cells.

/// The description of a cell type that begins with `$` and is not a gate or a flip-flop, and advice
/// on how to remove such cells.
pub(super) fn reason(cell_type: &str) -> (&'static str, &'static str) {
    let any = |prefixes: &[&str]| prefixes.iter().any(|p| cell_type.starts_with(p));
    let one = |types: &[&str]| types.contains(&cell_type);
    if any(&["$mem"]) {
        (
            "a part of a memory, or one of another version of Yosys",
            "run the Yosys pass `memory -nomap`, or `memory` to make flip-flops of it, then `techmap`",
        )
    } else if any(&["$_DLATCH", "$dlatch", "$adlatch"]) {
        (
            "a latch, which follows its input while enabled; values change at clock edges only here",
            "assign the signal in every branch, or in a clocked process, and after an asynchronous reset each bit that it sets; \
             `proc` names the latches",
        )
    } else if any(&["$_SR_", "$sr"]) && !one(&["$sra", "$_SRA_"]) {
        (
            "a set-reset latch, which has no clock",
            "describe it as a flip-flop with asynchronous set and reset",
        )
    } else if any(&["$_TBUF_", "$tribuf"]) {
        (
            "a tristate buffer; a net has one driver and two values here",
            "run the Yosys pass `tribuf -logic`, or write a multiplexer",
        )
    } else if one(&["$ff", "$_FF_"]) {
        (
            "a flip-flop on the global clock of formal checks",
            "give it a clock, and do not run `clk2fflogic` or `async2sync`",
        )
    } else if any(&["$dff", "$adff", "$sdff", "$aldff"]) {
        ("a word-level flip-flop", "run the Yosys pass `simplemap`")
    } else if one(&["$fsm"]) {
        (
            "a state machine",
            "run the Yosys passes `fsm_map; opt`, then `techmap`",
        )
    } else if one(&["$lut", "$sop"]) {
        (
            "a look-up table",
            "run the Yosys pass `techmap`, or `abc -g simple` instead of `abc -lut`",
        )
    } else if any(&["$any", "$all"]) || one(&["$initstate", "$equiv"]) {
        (
            "a cell of formal checks",
            "read the Verilog without `-formal`, and leave out what is for formal checks only",
        )
    } else if cell_type.starts_with("$_") {
        (
            "a gate or flip-flop that is not known",
            "use gates as `abc -g simple` makes them, and flip-flops as `dfflegalize` does",
        )
    } else if one(&[
        "$and", "$or", "$xor", "$xnor", "$not", "$mux", "$pos", "$tribuf",
    ]) {
        ("a word-level gate", "run the Yosys pass `simplemap`")
    } else {
        (
            "a word-level cell",
            "run the Yosys pass `techmap`, then `simplemap`",
        )
    }
}
