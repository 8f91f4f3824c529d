//! Writes four-valued vectors of any width as VCD.
//!
//! [`vcd_writer`](super::vcd_writer) is the fast writer of ports of up to 64 known
//! bits; this one is for designs whose ports are as wide as they are, and have X in
//! single bits. The format is the same. A change costs about a nanosecond a bit.
//!
//! A name that is no plain identifier is *escaped*, as Verilog simulators do it: a
//! backslash stands before it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use super::timescale::Timescale;
use super::value::Bit;

/// A signal of a [`VectorWriter`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorSignal {
    /// The name.
    pub name: String,
    /// Width in bits, from 1.
    pub width: u32,
    /// The leftmost and the rightmost index; told of vectors only.
    pub range: (i32, i32),
}

/// Writes VCD to `W`.
///
/// ```
/// use crosswave_wave::{Bit, Timescale, VectorWriter};
/// use crosswave_wave::VectorSignal;
/// let signals = [("clk", 1, (0, 0)), ("d", 2, (5, 4))].map(|(name, width, range)| VectorSignal {
///     name: name.to_owned(),
///     width,
///     range,
/// });
/// let mut writer = VectorWriter::new(Vec::new(), Timescale::NANOSECOND, "top", &signals)?;
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
    /// Writes the header: one scope with these signals. White space in names becomes
    /// `_`, and a name that is then taken gets a number.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        out: W,
        timescale: Timescale,
        scope: &str,
        signals: &[VectorSignal],
    ) -> io::Result<Self> {
        let mut out = io::BufWriter::new(out);
        let mut codes = Vec::new();
        {
            let mut header = vcd::Writer::new(&mut out);
            header.version(concat!("crosswave ", env!("CARGO_PKG_VERSION")))?;
            header.timescale(timescale.count, timescale.unit.into())?;
            header.add_module(&escaped(scope))?;
            for (index, (signal, name)) in signals.iter().zip(declared_names(signals)).enumerate() {
                let code = vcd::IdCode::from(index as u64);
                let (left, right) = signal.range;
                let vector = signal.width > 1;
                let range = vector.then_some(vcd::ReferenceIndex::Range(left, right));
                header.var_def(vcd::VarType::Wire, signal.width, code, &name, range)?;
                codes.push(code.to_string());
            }
            header.upscope()?;
            header.enddefinitions()?;
        }
        Ok(VectorWriter {
            out,
            codes,
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

/// The names under which signals are declared: words, no two of them the same.
pub(super) fn declared_names(signals: &[VectorSignal]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let distinct = |signal: &VectorSignal| {
        let plain = escaped(&signal.name);
        let mut name = plain.clone();
        let mut count = 1;
        while !taken.insert(name.clone()) {
            count += 1;
            name = format!("{plain}_{count}");
        }
        name
    };
    signals.iter().map(distinct).collect()
}

/// A name as a word of a VCD file.
pub(super) fn escaped(name: &str) -> String {
    let word = name.replace(|c: char| c.is_whitespace() || c.is_control(), "_");
    let begins = |c: char| c.is_ascii_alphabetic() || c == '_';
    let goes_on = |c: char| begins(c) || c.is_ascii_digit() || c == '$';
    match word.starts_with(begins) && word.chars().all(goes_on) {
        true => word,
        false => format!("\\{word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_distinct() {
        let names = ["a", "w.[1]", "$end", "", "a b", "a_b", "\u{1}", "_x$1", "é"];
        let signals = names.map(|name| VectorSignal {
            name: name.to_owned(),
            width: 8,
            range: (4, 11),
        });
        let writer = VectorWriter::new(Vec::new(), Timescale::NANOSECOND, "t.1", &signals);
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
