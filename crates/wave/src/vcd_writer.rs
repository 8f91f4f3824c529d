//! Writes a run as a value change dump, the waveform format of IEEE 1364-2005,
//! clause 18.2, as fast as the engines make changes.
//!
//! # The format
//!
//! ```text
//! $version
//!     crosswave 0.1.0
//! $end
//! $timescale 1 ns $end
//! $scope module top $end            one per scope, nested as in the SignalSet
//! $var wire 1 ! valid $end          one per signal: type, width, code, name
//! $var wire 8 " data [7:0] $end
//! $var wire 2 # state [1:0] $end
//! $var string 1 $ state_name $end   after every signal that has named states
//! $upscope $end
//! $enddefinitions $end
//! #0                                the first time, then the value of everything
//! $dumpvars
//! x!
//! bx "
//! bx #
//! sX $
//! $end
//! #10                               a time, then what changes at it
//! 1!
//! b1010 "
//! b1 #
//! sSEND $
//! #90                               the end of the run
//! ```
//!
//! - There is no `$date`, so the same run gives the same bytes.
//! - Vectors are written without redundant leading zeros, as Icarus Verilog
//!   does; readers extend a leading 0 or 1 with zeros and a leading x with x.
//! - `string` variables and `s` changes are an extension which GTKWave,
//!   Surfer (wellen) and the `vcd` crate read; a reader that knows only the
//!   standard reads the vector beside it. A value without a name is `?` and the
//!   value in hexadecimal. White space in a name is written as `_`.
//! - The clock of the design has one identifier code, and so has its reset: the
//!   ports of all chips on such a [`Net`](crosswave_probe::signal::Net) are variables of
//!   that code, as simulators write it, and a change of all of them is one line.
//! - A time at which nothing changes is not written, except for the last.
//!
//! # Data layout and cost
//!
//! A signal is one record of 16 bytes: its code with the blank before and the
//! line end after it, ready to be copied, its width, and the number of its state
//! table. A change is one load of that record and one or two copies of eight bytes
//! into the buffer (one more per eight bits of a vector), so 3 to 8 bytes of
//! file for a scalar, and 3.6 ns, 7 ns for a mix of ports with state names, on
//! one core of a server: some 8 and 9 times less than the `vcd` crate takes, and
//! 30 times less for a vector of 8 bits. Nothing is allocated after
//! construction. The buffer of 1 MiB is handed to the writer below when full.
//!
//! Codes count up in the order of declaration, in base 94: one character up to
//! 94 variables, two up to 8,930, three up to 839,514, four up to 78,914,410.

use std::io;

use super::timescale::Timescale;
use crosswave_probe::signal::{SignalSet, Value, WaveSink};
use names::StateNames;

mod header;
mod names;
#[cfg(test)]
mod tests;

/// The buffer is handed on when it holds this many bytes.
const FLUSH_BYTES: usize = 1 << 20;

/// Bytes a change of a vector touches at most: `b`, 64 bits, and a tail of 8;
/// also what `#` and 20 digits need.
const CHANGE_BYTES: usize = 80;

/// No state names.
const UNNAMED: u32 = u32::MAX;

/// A signal or a state-name variable, as the hot path needs it.
#[derive(Debug, Clone, Copy)]
struct VariableCode {
    /// For vectors and strings a blank, then the identifier code and a line end.
    tail: [u8; 8],
    /// Bytes of `tail` in use.
    tail_length: u8,
    /// Width in bits, 1 to 64.
    width: u8,
    /// True when an earlier signal is on the same net, and its value is written there.
    repeats: bool,
    /// Index into `VcdWriter::named`, or [`UNNAMED`].
    named: u32,
}

/// Writes VCD to `W`; see the [module](self) for the format and the cost.
///
/// Calls go in the order that [`WaveSink`] asks for. After an error of `W` the
/// writer stays failed: later calls return errors, and none panics.
///
/// ```
/// use crosswave_probe::signal::{Net, Scope, Signal, SignalSet, Value, WaveSink};
/// use crosswave_wave::{Timescale, VcdWriter};
///
/// let set = SignalSet {
///     scopes: vec![Scope { name: "top".into(), parent: None }],
///     signals: vec![Signal { scope: 0, name: "data", width: 8, states: &[], net: Net::Own }],
/// };
/// let mut writer = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new())?;
/// writer.begin(0, &[Value::X])?;
/// writer.time(10)?;
/// writer.change(0, 0x0a)?;
/// writer.end(20)?;
/// let text = String::from_utf8(writer.into_inner()).unwrap();
/// assert!(text.ends_with("#0\n$dumpvars\nbx !\n$end\n#10\nb1010 !\n#20\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct VcdWriter<W: io::Write> {
    out: W,
    buffer: Box<[u8]>,
    /// Bytes of `buffer` in use.
    used: usize,
    /// Bytes of the buffer that were handed on before.
    drained_bytes: u64,
    /// Start and end of the last time stamp in the buffer; if nothing follows it, the next one
    /// takes its place.
    stamp: (usize, usize),
    last_time: u64,
    codes: Vec<VariableCode>,
    named: Vec<VariableCode>,
    names: StateNames,
    /// The error of an earlier write that failed.
    failed: Option<io::ErrorKind>,
}

impl<W: io::Write> VcdWriter<W> {
    /// Writes the header for `set` to `out`. Times are in units of `timescale`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(set: &SignalSet, timescale: Timescale, mut out: W) -> io::Result<Self> {
        let names = StateNames::new(set);
        let (codes, named) = header::write(set, timescale, &mut out)?;
        // It is looked at after every change, and takes two more lines then: a time and
        // a command, or a value and its name.
        let room = FLUSH_BYTES + 2 * CHANGE_BYTES + names.longest();
        Ok(VcdWriter {
            out,
            buffer: vec![0; room].into_boxed_slice(),
            used: 0,
            drained_bytes: 0,
            stamp: (usize::MAX, usize::MAX),
            last_time: 0,
            codes,
            named,
            names,
            failed: None,
        })
    }

    /// The writer below. What is still in the buffer is lost, unless
    /// [`WaveSink::end`] was called.
    pub fn into_inner(self) -> W {
        self.out
    }

    /// Bytes that were written after the header, also those still in the buffer.
    pub fn body_bytes(&self) -> u64 {
        self.drained_bytes + self.used as u64
    }

    /// True when a write failed; the file is then incomplete.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some()
    }

    /// Hands the buffer on.
    #[cold]
    fn drain(&mut self) -> io::Result<()> {
        let used = std::mem::take(&mut self.used);
        self.stamp = (usize::MAX, usize::MAX);
        if let Some(kind) = self.failed {
            return Err(io::Error::new(kind, "an earlier write failed"));
        }
        self.drained_bytes += used as u64;
        let result = self.out.write_all(&self.buffer[..used]);
        if let Err(error) = &result {
            self.failed = Some(error.kind());
        }
        result
    }

    fn put(&mut self, text: &[u8]) {
        self.buffer[self.used..self.used + text.len()].copy_from_slice(text);
        self.used += text.len();
    }

    fn put_tail(&mut self, code: VariableCode) {
        self.put(&code.tail[..usize::from(code.tail_length)]);
    }

    /// Writes `#time`, in the place of the last stamp if nothing followed it.
    fn put_stamp(&mut self, time: u64) {
        debug_assert!(time >= self.last_time, "time goes back");
        self.last_time = time;
        let start = if self.stamp.1 == self.used {
            self.stamp.0
        } else {
            self.used
        };
        let mut digits = [0_u8; 20];
        let mut first = digits.len();
        let mut rest = time;
        loop {
            first -= 1;
            digits[first] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.used = start;
        self.put(b"#");
        self.put(&digits[first..]);
        self.put(b"\n");
        self.stamp = (start, self.used);
    }

    /// Writes the name of `value`; `None` is X.
    fn put_name(&mut self, named: u32, value: Option<u64>) {
        let code = self.named[named as usize];
        let room = &mut self.buffer[self.used..];
        room[0] = b's';
        self.used += 1 + match value {
            Some(value) => self.names.copy(named as usize, value, &mut room[1..]),
            None => {
                room[1] = b'X';
                1
            }
        };
        self.put_tail(code);
    }

    fn put_unknown(&mut self, index: usize) {
        let code = self.codes[index];
        self.put(if code.width == 1 { b"x" } else { b"bx" });
        self.put_tail(code);
        if code.named != UNNAMED {
            self.put_name(code.named, None);
        }
    }

    #[inline]
    fn put_known(&mut self, index: usize, value: u64) {
        let code = self.codes[index];
        debug_assert!(
            code.width == 64 || value >> code.width == 0,
            "value {value:#x} is wider than the {} bits of signal {index}",
            code.width
        );
        let room = &mut self.buffer[self.used..][..CHANGE_BYTES];
        if code.width == 1 {
            room[0] = b'0' | (value as u8 & 1);
            room[1..9].copy_from_slice(&code.tail);
            self.used += 1 + usize::from(code.tail_length);
        } else {
            let bits = 64 - (value | 1).leading_zeros() as usize;
            // The bits to print, moved to the top; whole bytes are expanded,
            // and what is too much is written over by the tail.
            let mut left = value << (64 - bits);
            room[0] = b'b';
            for chunk in room[1..65].chunks_exact_mut(8).take(bits.div_ceil(8)) {
                chunk.copy_from_slice(&BINARY[(left >> 56) as usize]);
                left <<= 8;
            }
            room[1 + bits..9 + bits].copy_from_slice(&code.tail);
            self.used += 1 + bits + usize::from(code.tail_length);
        }
        if code.named != UNNAMED {
            self.put_name(code.named, Some(value));
        }
    }
}

impl<W: io::Write> WaveSink for VcdWriter<W> {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        assert_eq!(values.len(), self.codes.len(), "one value per signal");
        self.put_stamp(time);
        self.put(b"$dumpvars\n");
        for (index, &value) in values.iter().enumerate() {
            if self.codes[index].repeats {
                continue;
            }
            match value {
                Value::X => self.put_unknown(index),
                Value::Known(value) => self.put_known(index, value),
            }
            if self.used >= FLUSH_BYTES {
                self.drain()?;
            }
        }
        self.put(b"$end\n");
        Ok(())
    }

    #[inline]
    fn time(&mut self, time: u64) -> io::Result<()> {
        self.put_stamp(time);
        if self.used >= FLUSH_BYTES {
            self.drain()?;
        }
        Ok(())
    }

    #[inline]
    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        self.put_known(index, value);
        if self.used >= FLUSH_BYTES {
            self.drain()?;
        }
        Ok(())
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        if time > self.last_time || self.stamp.1 == self.used {
            self.put_stamp(time);
        }
        self.drain()?;
        let result = self.out.flush();
        if let Err(error) = &result {
            self.failed = Some(error.kind());
        }
        result
    }
}

/// One change of one signal; see [`replay`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignalChange {
    /// Time of the change, in units of the sink.
    pub time: u64,
    /// Index of the signal.
    pub index: u32,
    /// Its new value.
    pub value: u64,
}

/// Feeds a list of changes, in order of time, to a sink, from `begin` at time
/// `first` to `end`: what benchmarks and tests measure and compare sinks with.
///
/// # Errors
/// Those of the sink.
pub fn replay(
    sink: &mut impl WaveSink,
    first: u64,
    values: &[Value],
    changes: &[SignalChange],
    end: u64,
) -> io::Result<()> {
    sink.begin(first, values)?;
    let mut now = first;
    for change in changes {
        if change.time != now {
            now = change.time;
            sink.time(now)?;
        }
        sink.change(change.index as usize, change.value)?;
    }
    sink.end(end)
}

/// The eight binary digits of every byte.
static BINARY: [[u8; 8]; 256] = {
    let mut table = [[b'0'; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            if byte >> (7 - bit) & 1 == 1 {
                table[byte][bit] = b'1';
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};
