//! The commands for Yosys.

use std::fmt::Write;

use super::sources::{LIBRARY, Sources, quoted};
use super::{Frontend, string};

/// The passes from Verilog to gates, the same as for the chips in `hdl/`, except that flip-flops may
/// be of any kind, and memories of 64 words and more stay memories, whose read ports have no registers:
/// enables, synchronous and asynchronous resets are lowered when the netlist is read. Sharing in `opt -full` may leave multiplexers of words, which
/// `simplemap` makes gates of.
pub const PASSES: &str = "proc; flatten; opt -full; fsm; opt -full; memory -nomap; \
    memory_map t:$mem_v2 r:SIZE<64 %i; memory_nordff; opt -full; techmap; opt -full; simplemap; abc -g AND,OR,XOR,XNOR,ANDNOT,ORNOT,NAND,NOR,MUX; \
    setattr -mod -unset keep_hierarchy A:occurs_often %n; flatten; opt_clean -purge";

/// The file that the netlist is written to.
pub const NETLIST: &str = "netlist.json";

/// The file of a module as RTLIL.
pub const MODULE: &str = "module.il";

/// The first number in the names that Yosys makes when it elaborates modules one after the other: as
/// many digits in each text give the same order of names.
pub const FIRST_NUMBER: u64 = 100_000_000;

/// The script for some sources.
pub fn script(sources: &Sources) -> String {
    let mut script = String::new();
    match sources.options.frontend {
        Frontend::Verilog => {
            read_verilog(sources, &mut script);
            verilog_top(sources, &sources.options.parameters, &mut script);
        }
        Frontend::Slang => read_slang(sources, &sources.options.parameters, &mut script),
    }
    synthesis(&mut script);
    script
}

/// The script for the module `top` of the file [`MODULE`].
pub fn of_module(top: &str) -> String {
    let mut script = format!("read_rtlil {MODULE}\nhierarchy -check -top {top}\n");
    synthesis(&mut script);
    script
}

/// The passes, and the netlist.
fn synthesis(script: &mut String) {
    let _ = writeln!(script, "{PASSES}");
    let _ = writeln!(script, "check -assert");
    let _ = writeln!(script, "setattr -mod -unset hdlname");
    let _ = writeln!(script, "write_json {NETLIST}");
}

/// The file of the module with a set of parameters.
pub fn elaborated(set: usize) -> String {
    format!("elaborated{set}.il")
}

/// The script that writes the top module with each set of further parameters as RTLIL
/// ([`elaborated`]): cells as the source has them, since nothing is optimised.
pub fn elaboration(sources: &Sources, sets: &[Vec<(String, String)>]) -> String {
    let mut script = format!("read_rtlil {MODULE}\n");
    if sources.options.frontend == Frontend::Verilog {
        read_verilog(sources, &mut script);
        script.push_str("design -save sources\n");
    }
    for (number, set) in sets.iter().enumerate() {
        let parameters = [&sources.options.parameters[..], set].concat();
        match sources.options.frontend {
            Frontend::Verilog => {
                script.push_str("design -load sources\n");
                verilog_top(sources, &parameters, &mut script);
            }
            Frontend::Slang => {
                script.push_str("design -reset\n");
                read_slang(sources, &parameters, &mut script);
            }
        }
        let file = elaborated(number);
        let _ = writeln!(script, "proc -noopt\nflatten\nwrite_rtlil {file}");
    }
    script
}

/// Macros as options of readers.
fn defines(sources: &Sources) -> String {
    let defines = sources.options.defines.iter();
    let option = |(name, value): &(String, String)| match value.is_empty() {
        true => format!(" -D{name}"),
        false => format!(" -D{name}={value}"),
    };
    defines.map(option).collect()
}

/// The value of a parameter as Yosys takes it: a string is the number of its letters' bits.
fn number(value: &str) -> String {
    let Some(letters) = string(value) else {
        return value.to_owned();
    };
    let digits = letters.bytes().map(|letter| format!("{letter:02x}"));
    format!("{}'h{}", 8 * letters.len(), digits.collect::<String>())
}

/// Verilog by Yosys' own reader, which reads modules that it misses from files of their names.
fn read_verilog(sources: &Sources, script: &mut String) {
    let includes = sources
        .folder_names()
        .chain([format!("{LIBRARY}/include"), LIBRARY.to_owned()]);
    for folder in includes {
        let _ = writeln!(script, "verilog_defaults -add -I{folder}");
    }
    let defines = defines(sources);
    for file in sources.named() {
        let flag = if file.ends_with(".sv") { " -sv" } else { "" };
        let _ = writeln!(script, "read_verilog{flag}{defines} {}", quoted(file));
    }
}

/// The hierarchy below the top with values of parameters.
fn verilog_top(sources: &Sources, parameters: &[(String, String)], script: &mut String) {
    let libraries: String = sources
        .folder_names()
        .chain([LIBRARY.to_owned()])
        .map(|folder| format!(" -libdir {folder}"))
        .collect();
    let top = match &sources.top {
        Some(top) => format!("-top {top}"),
        None => "-auto-top".to_owned(),
    };
    let parameters: String = parameters
        .iter()
        .map(|(name, value)| format!(" -chparam {name} {}", number(value)))
        .collect();
    let _ = writeln!(script, "hierarchy -check {top}{parameters}{libraries}");
    if let (Some(top), false) = (&sources.top, parameters.is_empty()) {
        let _ = writeln!(script, "rename -top {top}");
    }
}

/// SystemVerilog by slang, which reads all files together; on one thread, since Yosys in WebAssembly has
/// no more.
fn read_slang(sources: &Sources, parameters: &[(String, String)], script: &mut String) {
    let includes: String = sources
        .folder_names()
        .map(|folder| format!(" -I {folder}"))
        .collect();
    let top = sources
        .top
        .as_ref()
        .map_or(String::new(), |top| format!(" --top {top}"));
    let parameters: String = parameters
        .iter()
        .map(|(name, value)| format!(" -G {name}={value}"))
        .collect();
    let defines = defines(sources).replace(" -D", " -D ");
    let files: String = sources
        .named()
        .map(|file| format!(" {}", quoted(file)))
        .collect();
    let _ = writeln!(
        script,
        "read_slang -j 1{top}{parameters}{defines}{includes}{files}"
    );
    let top = sources
        .top
        .as_ref()
        .map_or("-auto-top".to_owned(), |top| format!("-top {top}"));
    let _ = writeln!(script, "hierarchy -check {top}");
}
