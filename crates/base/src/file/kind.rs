//! The kind of an input file, told by its first bytes.
//!
//! A reader that finds something else than it expects says what it found, what it expected,
//! and how to come from the one to the other. Formats without a known beginning (FSDB, WLF and
//! VPD of commercial simulators) are told by the end of the name, when the content is binary.

use std::path::Path;

use crate::diagnostic::Diagnostic;

/// Bytes at the beginning that are looked at; more do no harm.
pub const BEGINNING_BYTES: usize = 1 << 12;

/// A kind of file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A value change dump.
    Vcd,
    /// An extended value change dump, of ports with strengths.
    ExtendedVcd,
    /// A waveform of GTKWave's FST format.
    Fst,
    /// A waveform of GHDL.
    Ghw,
    /// A waveform of GTKWave's older format LXT.
    Lxt,
    /// A waveform of its successor LXT2.
    Lxt2,
    /// A waveform of GTKWave's format VZT.
    Vzt,
    /// A waveform of Verdi.
    Fsdb,
    /// A waveform of ModelSim and Questa.
    Wlf,
    /// A waveform of VCS.
    Vpd,
    /// A save file of GTKWave.
    GtkWaveSave,
    /// A compiled design of Icarus Verilog.
    Vvp,
    /// A table.
    Csv,
    /// JSON, as netlists and results are.
    Json,
    /// TOML, as configurations are.
    Toml,
    /// Verilog source.
    Verilog,
    /// VHDL source.
    Vhdl,
    /// Compressed with gzip.
    Gzip,
    /// Compressed with something else: its name.
    Compressed(&'static str),
    /// Text in UTF-16.
    Utf16,
    /// A Parquet table.
    Parquet,
    /// HTML or XML, as SVG is.
    Markup,
    /// Nothing.
    Empty,
    /// Other text.
    Text,
    /// Other bytes.
    Binary,
}

/// Beginnings of binary files.
const MAGIC: &[(&[u8], FileKind)] = &[
    (&[0, 0, 0, 0, 0, 0, 0, 1, 0x49], FileKind::Fst),
    (&[0xfe, 0, 0, 0], FileKind::Fst),
    (b"GHDLwave", FileKind::Ghw),
    (&[0x01, 0x38, 0x00], FileKind::Lxt),
    (&[0x13, 0x80, 0x00], FileKind::Lxt2),
    (b"VZ\0", FileKind::Vzt),
    (&[0x1f, 0x8b], FileKind::Gzip),
    (b"BZh", FileKind::Compressed("bzip2")),
    (&[0x28, 0xb5, 0x2f, 0xfd], FileKind::Compressed("zstd")),
    (&[0xfd, b'7', b'z', b'X', b'Z'], FileKind::Compressed("xz")),
    (b"PK\x03\x04", FileKind::Compressed("zip")),
    (&[0x04, 0x22, 0x4d, 0x18], FileKind::Compressed("lz4")),
    (b"PAR1", FileKind::Parquet),
    (&[0xff, 0xfe], FileKind::Utf16),
    (&[0xfe, 0xff], FileKind::Utf16),
];

/// Ends of names of binary files without a known beginning.
const ENDINGS: [(&str, FileKind); 3] = [
    ("fsdb", FileKind::Fsdb),
    ("wlf", FileKind::Wlf),
    ("vpd", FileKind::Vpd),
];

impl FileKind {
    /// The kind of a file with this name that begins with these bytes.
    ///
    /// ```
    /// use crosswave_base::file::kind::FileKind;
    /// assert_eq!(FileKind::of("a".as_ref(), b"GHDLwave\n"), FileKind::Ghw);
    /// assert_eq!(FileKind::of("a.vcd".as_ref(), b"[network]\n"), FileKind::Toml);
    /// ```
    pub fn of(name: &Path, beginning: &[u8]) -> FileKind {
        let beginning = &beginning[..beginning.len().min(BEGINNING_BYTES)];
        if beginning.is_empty() {
            return FileKind::Empty;
        }
        if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| beginning.starts_with(magic)) {
            return *kind;
        }
        if let [b'$' | b'/' | b'{' | b'[' | b'#', 0, ..]
        | [0, b'$' | b'/' | b'{' | b'[' | b'#', ..] = beginning
        {
            return FileKind::Utf16;
        }
        // A machine that is stopped may leave zeros behind text.
        let text = beginning.trim_ascii_end();
        let zeros = text.iter().rev().take_while(|&&byte| byte == 0).count();
        let text = &text[..text.len() - zeros];
        if zeros > 0 && text.is_empty() || text.contains(&0) {
            let end = name.extension().map(|end| end.to_ascii_lowercase());
            let known = ENDINGS
                .iter()
                .find(|(ending, _)| end.as_ref().is_some_and(|end| end == ending));
            return known.map_or(FileKind::Binary, |(_, kind)| *kind);
        }
        of_text(&String::from_utf8_lossy(text))
    }

    /// The kind as a noun, for "found …".
    pub fn noun(self) -> String {
        let noun = match self {
            FileKind::Vcd => "a waveform (VCD)",
            FileKind::ExtendedVcd => "an extended VCD file (EVCD, of `$dumpports`)",
            FileKind::Fst => "a waveform (FST)",
            FileKind::Ghw => "a waveform of GHDL (GHW)",
            FileKind::Lxt => "a waveform in the format LXT",
            FileKind::Lxt2 => "a waveform in the format LXT2",
            FileKind::Vzt => "a waveform in the format VZT",
            FileKind::Fsdb => "a waveform of Verdi (FSDB)",
            FileKind::Wlf => "a waveform of ModelSim or Questa (WLF)",
            FileKind::Vpd => "a waveform of VCS (VPD)",
            FileKind::GtkWaveSave => "a save file of GTKWave, which has no values",
            FileKind::Vvp => "a compiled design of Icarus Verilog",
            FileKind::Csv => "a table (CSV)",
            FileKind::Json => "JSON",
            FileKind::Toml => "a configuration (TOML)",
            FileKind::Verilog => "Verilog source",
            FileKind::Vhdl => "VHDL source",
            FileKind::Gzip => "a file compressed with gzip",
            FileKind::Compressed(name) => return format!("a file compressed with {name}"),
            FileKind::Utf16 => "text in UTF-16",
            FileKind::Parquet => "a table (Parquet)",
            FileKind::Markup => "HTML, SVG or XML",
            FileKind::Empty => "an empty file",
            FileKind::Text => "some other text",
            FileKind::Binary => "some other binary file",
        };
        noun.into()
    }

    /// Help on how to get a waveform that is read (VCD or FST) from such a file, or the purpose of
    /// such a file; empty where there is nothing to say.
    pub fn to_waveform(self) -> String {
        let help = match self {
            FileKind::ExtendedVcd => {
                "`evcd2vcd -f FILE > w.vcd` of GTKWave makes VCD of it, or record with `$dumpvars`"
            }
            FileKind::Ghw => {
                "run with `--vcd=w.vcd` or `--fst=w.fst` in place of `--wave`, which GHDL writes as well"
            }
            FileKind::Lxt => "record with VCD or FST: `vvp design -fst`",
            FileKind::Lxt2 => "`lxt2vcd FILE > w.vcd` of GTKWave makes VCD of it",
            FileKind::Vzt => "`vzt2vcd FILE > w.vcd` of GTKWave makes VCD of it",
            FileKind::Fsdb => "`fsdb2vcd FILE -o w.vcd` of Verdi makes VCD of it",
            FileKind::Wlf => "`wlf2vcd -o w.vcd FILE` of ModelSim makes VCD of it",
            FileKind::Vpd => "`vpd2vcd FILE w.vcd` of VCS makes VCD of it",
            FileKind::GtkWaveSave => "its line `[dumpfile]` names the waveform",
            FileKind::Vvp => {
                "`vvp FILE` runs it, and writes the waveform if the design has `$dumpvars`"
            }
            FileKind::Toml => "`crosswave run FILE --vcd w.vcd` runs it and records a waveform",
            FileKind::Verilog => {
                "simulate it with `$dumpvars` to record a waveform, or synthesise it for \
                 `crosswave netlist`"
            }
            FileKind::Vhdl => "simulate it, as `ghdl -r TOP --vcd=w.vcd`, to record a waveform",
            FileKind::Json => "a netlist is run by `crosswave netlist FILE --cycles N --vcd w.vcd`",
            FileKind::Compressed(_) => "unpack it; of compressed files only those of gzip are read",
            FileKind::Utf16 => "`iconv -f UTF-16 -t UTF-8 FILE > w.vcd` makes UTF-8 of it",
            FileKind::Empty => "the program that was to write it failed, or still runs",
            _ => "",
        };
        help.into()
    }

    /// Help on how to get text in UTF-8 from such a file; empty where there is nothing to say.
    pub fn to_text(self) -> &'static str {
        match self {
            FileKind::Utf16 => "`iconv -f UTF-16 -t UTF-8 FILE` makes UTF-8 of it",
            FileKind::Gzip => "unpack it, as `gunzip FILE` does",
            FileKind::Compressed(_) => "unpack it",
            _ => "",
        }
    }

    /// True when such a file is binary.
    pub fn is_binary(self) -> bool {
        match self {
            FileKind::Vcd
            | FileKind::ExtendedVcd
            | FileKind::GtkWaveSave
            | FileKind::Vvp
            | FileKind::Csv
            | FileKind::Json
            | FileKind::Toml
            | FileKind::Verilog
            | FileKind::Vhdl
            | FileKind::Markup
            | FileKind::Empty
            | FileKind::Text => false,
            FileKind::Fst
            | FileKind::Ghw
            | FileKind::Lxt
            | FileKind::Lxt2
            | FileKind::Vzt
            | FileKind::Fsdb
            | FileKind::Wlf
            | FileKind::Vpd
            | FileKind::Gzip
            | FileKind::Compressed(_)
            | FileKind::Utf16
            | FileKind::Parquet
            | FileKind::Binary => true,
        }
    }

    /// The diagnostic for a file of this kind where another one was expected, which is named as in
    /// "expected …".
    pub fn mistake(self, expected: &str, help: impl Into<String>) -> Diagnostic {
        let message = format!("found {}, expected {expected}", self.noun());
        Diagnostic::new("content", message, help)
    }
}

/// The kind of a text.
fn of_text(text: &str) -> FileKind {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim_start();
    let first = text.lines().next().unwrap_or_default().trim_end();
    if text.starts_with('$') {
        let is_extended = text.contains("$dumpports") || text.contains("$var port");
        return match is_extended {
            true => FileKind::ExtendedVcd,
            false => FileKind::Vcd,
        };
    }
    if first.starts_with("#!") && first.contains("vvp") || text.starts_with(":ivl_version") {
        return FileKind::Vvp;
    }
    if first.starts_with("[*]") || text.starts_with("[dumpfile]") {
        return FileKind::GtkWaveSave;
    }
    if text.starts_with('<') {
        return FileKind::Markup;
    }
    let mut lines = text.lines().map(str::trim);
    let code = lines.find(|line| !is_comment(line)).unwrap_or_default();
    if is_toml(code) {
        return FileKind::Toml;
    }
    if text.starts_with('{') || text.starts_with('[') {
        return FileKind::Json;
    }
    let words: Vec<&str> = text.split_ascii_whitespace().take(500).collect();
    let has = |word: &str| words.iter().any(|found| found.eq_ignore_ascii_case(word));
    let is_vhdl = has("entity") && has("is") || has("library") && has("ieee;");
    if is_vhdl {
        return FileKind::Vhdl;
    }
    let is_verilog = code.starts_with('`')
        || ["module", "package", "interface", "(*"]
            .iter()
            .any(|word| code.split([' ', '\t']).next() == Some(word));
    if is_verilog && !code.contains(',') || has("module") && has("endmodule") {
        return FileKind::Verilog;
    }
    match code.contains(',') {
        true => FileKind::Csv,
        false => FileKind::Text,
    }
}

/// True when a line has no word of any language: it is blank or a comment.
fn is_comment(line: &str) -> bool {
    let marks = ["#", "//", "--", "/*", "*"];
    line.is_empty() || marks.iter().any(|mark| line.starts_with(mark))
}

/// True when a line is a heading or a key of TOML.
fn is_toml(line: &str) -> bool {
    let is_key = |key: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-.\" ".contains(c);
        key.chars().any(|c| c.is_ascii_alphabetic()) && key.chars().all(plain)
    };
    let line = line.split_once('#').map_or(line, |(line, _)| line).trim();
    match line
        .strip_prefix('[')
        .and_then(|line| line.strip_suffix(']'))
    {
        Some(heading) => {
            let inner = heading
                .strip_prefix('[')
                .and_then(|heading| heading.strip_suffix(']'));
            is_key(inner.unwrap_or(heading)) && !heading.starts_with('"')
        }
        None => line.split_once('=').is_some_and(|(key, value)| {
            is_key(key.trim()) && !key.trim().contains(' ') && !value.starts_with('=')
        }),
    }
}

#[cfg(test)]
mod tests;
