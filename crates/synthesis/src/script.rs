//! The commands for Yosys.

use std::fmt::Write;

use super::sources::{LIBRARY, Sources, quoted};

/// The passes from Verilog to gates, the same as for the chips in `hdl/`, except that flip-flops may
/// be of any kind, and memories become flip-flops: enables, synchronous and asynchronous resets are
/// lowered when the netlist is read.
pub const PASSES: &str = "proc; flatten; opt -full; fsm; opt -full; memory; opt -full; techmap; opt -full; \
    abc -g AND,OR,XOR,XNOR,ANDNOT,ORNOT,NAND,NOR,MUX; \
    setattr -mod -unset keep_hierarchy A:occurs_often %n; flatten; opt_clean -purge";

/// The file that the netlist is written to.
pub const NETLIST: &str = "netlist.json";

/// The script for some sources.
pub fn script(sources: &Sources) -> String {
    let mut script = String::new();
    let folders = || (0..sources.folders()).map(|at| format!("d{at}"));
    let includes = folders().chain([format!("{LIBRARY}/include"), LIBRARY.to_owned()]);
    for folder in includes {
        let _ = writeln!(script, "verilog_defaults -add -I{folder}");
    }
    for file in sources.named() {
        let flag = if file.ends_with(".sv") { " -sv" } else { "" };
        let _ = writeln!(script, "read_verilog{flag} {}", quoted(file));
    }
    let libraries: String = folders()
        .chain([LIBRARY.to_owned()])
        .map(|folder| format!(" -libdir {folder}"))
        .collect();
    let top = match &sources.top {
        Some(top) => format!("-top {top}"),
        None => "-auto-top".to_owned(),
    };
    let _ = writeln!(script, "hierarchy -check {top}{libraries}");
    let _ = writeln!(script, "{PASSES}");
    let _ = writeln!(script, "check -assert");
    let _ = writeln!(script, "setattr -mod -unset hdlname");
    let _ = writeln!(script, "write_json {NETLIST}");
    script
}
