//! Writes four-valued vectors of any width as VCD.
//!
//! [`vcd_writer`](super::vcd_writer) is the fast writer of ports of up to 64 known
//! bits; this one is for designs whose ports are as wide as they are, and have X in
//! single bits. The format is the same. A change costs about a nanosecond a bit.

use std::fmt::Write as _;
use std::io;

use super::timescale::Timescale;
use super::waveform::Bit;

/// Writes VCD to `W`.
///
/// ```
/// use crosswave::wave::{Bit, Timescale, VectorWriter};
/// let signals = [("clk".to_owned(), 1), ("d".to_owned(), 2)];
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
    /// Writes the header: one scope with signals of these names and widths. White
    /// space in names becomes `_`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        out: W,
        timescale: Timescale,
        scope: &str,
        signals: &[(String, u32)],
    ) -> io::Result<Self> {
        let plain = |name: &str| name.replace(|c: char| c.is_whitespace() || c.is_control(), "_");
        let mut out = io::BufWriter::new(out);
        let mut codes = Vec::new();
        {
            let mut header = vcd::Writer::new(&mut out);
            header.version(concat!("crosswave ", env!("CARGO_PKG_VERSION")))?;
            header.timescale(timescale.count, timescale.unit.into())?;
            header.add_module(&plain(scope))?;
            for (index, (name, width)) in signals.iter().enumerate() {
                let code = vcd::IdCode::from(index as u64);
                let range = (*width > 1).then(|| vcd::ReferenceIndex::Range(*width as i32 - 1, 0));
                header.var_def(vcd::VarType::Wire, *width, code, &plain(name), range)?;
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

    /// What follows happens at `time`; times rise.
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
