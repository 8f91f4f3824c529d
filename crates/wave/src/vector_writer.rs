//! Writes four-valued vectors of any width as VCD.
//!
//! [`vcd_writer`](super::vcd_writer) is the fast writer of ports of up to 64 known
//! bits; this one is for designs whose ports are as wide as they are, and have X in
//! single bits. The format is the same. A change costs about a nanosecond a bit.
//!
//! A name that is no plain identifier is *escaped*, as Verilog simulators do it: a
//! backslash stands before it. Scopes may have indices (`rows[2]`), as those of generated blocks
//! and of arrays of instances do there.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use super::declarations::{Declarations, declare};
use super::timescale::Timescale;
use super::value::Bit;
use crosswave_probe::signal::Scope;

/// A signal of a [`VectorWriter`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorSignal {
    /// Index of the scope it lies in.
    pub scope: usize,
    /// The name.
    pub name: String,
    /// Width in bits, from 1.
    pub width: u32,
    /// The leftmost and the rightmost index; told of vectors only.
    pub range: (i32, i32),
    /// The index of the signal before it, of the same width, that has its values; it has no changes
    /// of its own then.
    pub alias: Option<usize>,
}

/// Writes VCD to `W`.
///
/// ```
/// use crosswave_probe::signal::Scope;
/// use crosswave_wave::{Bit, Timescale, VectorSignal, VectorWriter};
/// let scopes = [Scope { name: "top".to_owned(), parent: None }];
/// let signals = [("clk", 1, (0, 0)), ("d", 2, (5, 4))].map(|(name, width, range)| VectorSignal {
///     scope: 0,
///     name: name.to_owned(),
///     width,
///     range,
///     alias: None,
/// });
/// let mut writer = VectorWriter::new(Vec::new(), Timescale::NANOSECOND, &scopes, &signals)?;
/// writer.time(0)?;
/// writer.change(0, &[Bit::One])?;
/// writer.change(1, &[Bit::X, Bit::One])?; // the least significant bit first
/// let text = String::from_utf8(writer.finish(10)?).unwrap();
/// assert!(text.ends_with("#0\n1!\nb1x \"\n#10\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct VectorWriter<W: io::Write> {
    out: io::BufWriter<W>,
    codes: Vec<String>,
    line: String,
}

impl<W: io::Write> VectorWriter<W> {
    /// Writes the header: scopes, each after the one that it lies in, and these signals. White
    /// space in names becomes `_`, and a name that is then taken in its scope gets a number.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        out: W,
        timescale: Timescale,
        scopes: &[Scope],
        signals: &[VectorSignal],
    ) -> io::Result<Self> {
        let mut out = io::BufWriter::new(out);
        let mut header = VcdVectorHeader {
            vcd: vcd::Writer::new(&mut out),
            signals,
            names: declared_names(signals),
        };
        let vcd = &mut header.vcd;
        vcd.version(concat!("crosswave ", env!("CARGO_PKG_VERSION")))?;
        vcd.timescale(timescale.count, timescale.unit.into())?;
        let within = signals.iter().map(|signal| signal.scope);
        declare(scopes, within, &mut header)?;
        header.vcd.enddefinitions()?;
        Ok(VectorWriter {
            out,
            codes: (0..signals.len() as u64)
                .map(|index| vcd::IdCode::from(index).to_string())
                .collect(),
            line: String::new(),
        })
    }

    /// Sets the time of the values that follow; times rise.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn time(&mut self, time: u64) -> io::Result<()> {
        self.line.clear();
        let _ = writeln!(self.line, "#{time}");
        io::Write::write_all(&mut self.out, self.line.as_bytes())
    }

    /// A signal takes a value, the least significant bit first.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn change(&mut self, signal: usize, bits: &[Bit]) -> io::Result<()> {
        self.line.clear();
        if bits.len() > 1 {
            self.line.push('b');
        }
        self.line.extend(bits.iter().rev().map(|bit| bit.as_char()));
        if bits.len() > 1 {
            self.line.push(' ');
        }
        self.line.push_str(&self.codes[signal]);
        self.line.push('\n');
        io::Write::write_all(&mut self.out, self.line.as_bytes())
    }

    /// Ends the file at `time` and gives the writer below.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn finish(mut self, time: u64) -> io::Result<W> {
        self.time(time)?;
        self.out.into_inner().map_err(|error| error.into_error())
    }
}

/// The declarations of a file.
struct VcdVectorHeader<'a, W: io::Write> {
    vcd: vcd::Writer<W>,
    signals: &'a [VectorSignal],
    names: Vec<String>,
}

impl<W: io::Write> Declarations for VcdVectorHeader<'_, W> {
    fn open(&mut self, scope: &str) -> io::Result<()> {
        self.vcd.add_module(&scope_name(scope))
    }

    fn signal(&mut self, index: usize) -> io::Result<()> {
        let signal = &self.signals[index];
        let code = vcd::IdCode::from(signal.alias.unwrap_or(index) as u64);
        let (left, right) = signal.range;
        let vector = signal.width > 1;
        let range = vector.then_some(vcd::ReferenceIndex::Range(left, right));
        let (wire, name) = (vcd::VarType::Wire, &self.names[index]);
        self.vcd.var_def(wire, signal.width, code, name, range)
    }

    fn close(&mut self) -> io::Result<()> {
        self.vcd.upscope()
    }
}

/// The names under which signals are declared: words, no two of them the same in a scope.
pub(super) fn declared_names(signals: &[VectorSignal]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let distinct = |signal: &VectorSignal| {
        let plain = escaped(&signal.name);
        let mut name = plain.clone();
        let mut count = 1;
        while !taken.insert((signal.scope, name.clone())) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    };
    signals.iter().map(distinct).collect()
}

/// A name as a word of a VCD file.
fn escaped(name: &str) -> String {
    let word = word(name);
    match is_identifier(&word) {
        true => word,
        false => format!("\\{word}"),
    }
}

/// The name of a scope as a word of a file.
pub(super) fn scope_name(name: &str) -> String {
    let word = word(name);
    let mut plain = word.as_str();
    while let Some((before, index)) = plain.strip_suffix(']').and_then(|one| one.rsplit_once('['))
        && !index.is_empty()
        && index.bytes().all(|digit| digit.is_ascii_digit())
    {
        plain = before;
    }
    match is_identifier(plain) {
        true => word,
        false => format!("\\{word}"),
    }
}

/// A name without what ends a word.
fn word(name: &str) -> String {
    name.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

fn is_identifier(word: &str) -> bool {
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let goes_on = |c: char| begins(c) || c.is_ascii_digit() || c == '$';
    word.starts_with(begins) && word.chars().all(goes_on)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_distinct() {
        let names = ["a", "w.[1]", "$end", "", "a b", "a_b", "\u{1}", "_x$1", "é"];
        let signals = names.map(|name| VectorSignal {
            scope: 0,
            name: name.to_owned(),
            width: 8,
            range: (4, 11),
            alias: None,
        });
        let scopes = [Scope {
            name: "t.1".to_owned(),
            parent: None,
        }];
        let writer = VectorWriter::new(Vec::new(), Timescale::NANOSECOND, &scopes, &signals);
        let bytes = writer.and_then(|writer| writer.finish(10)).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let scope = text.lines().find(|line| line.starts_with("$scope"));
        assert_eq!(scope, Some("$scope module \\t.1 $end"));
        let found: Vec<&str> = text
            .lines()
            .filter(|line| line.starts_with("$var"))
            .map(|line| line.split(' ').nth(4).unwrap())
            .collect();
        let expected = [
            "a", "\\w.[1]", "\\$end", "\\", "a_b", "a_b_2", "_", "_x$1", "\\é",
        ];
        assert_eq!(found, expected);
        let wave = super::super::read("t", &bytes).unwrap();
        assert_eq!(wave.signals.len(), names.len());
        assert_eq!(wave.signals[0].name, "a[4:11]");
    }
}
