//! A waveform in memory: scopes, signals, and the changes of each.
//!
//! Changes are sorted by time and each is a change: a value that repeats the
//! one before is not kept, and of several values at one time only the last.
//! Signals that share an identifier code in the file share one list.
//!
//! A change takes 32 bytes, and a value that is wider than 64 bits or has
//! unknown bits one byte per bit besides, in its shortest form.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;

use super::timescale::Timescale;

/// The widest vector that is written in decimal digits.
const DECIMAL_BITS_MAX: usize = 4096;

/// One bit of a four-valued vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bit {
    /// 0.
    Zero,
    /// 1.
    One,
    /// Unknown.
    X,
    /// Not driven.
    Z,
}

impl Bit {
    /// `0`, `1`, `x` or `z`.
    pub fn as_char(self) -> char {
        match self {
            Bit::Zero => '0',
            Bit::One => '1',
            Bit::X => 'x',
            Bit::Z => 'z',
        }
    }
}

/// The value of a signal in a file.
///
/// Two values of signals of one width are equal exactly when all bits are.
#[derive(Debug, Clone, PartialEq)]
pub enum WaveValue {
    /// A vector whose bits are known, and 0 above the 64th.
    Known(u64),
    /// Any other vector, most significant bit first and without the bits that
    /// follow from those given: a leading 0 or 1 is extended with 0, X with X and
    /// Z with Z.
    Bits(Box<[Bit]>),
    /// A string.
    Text(Arc<str>),
    /// A real number.
    Real(f64),
}

impl WaveValue {
    /// The vector with these bits, most significant first.
    pub fn from_bits(bits: &[Bit]) -> Self {
        let mut bits = bits;
        while let [first, second, ..] = *bits {
            let implied = match first {
                Bit::Zero => matches!(second, Bit::Zero | Bit::One),
                Bit::One => false,
                Bit::X | Bit::Z => first == second,
            };
            if !implied {
                break;
            }
            bits = &bits[1..];
        }
        let known = bits.len() <= 64 && bits.iter().all(|bit| matches!(bit, Bit::Zero | Bit::One));
        if known {
            WaveValue::Known(
                bits.iter()
                    .fold(0, |value, &bit| value << 1 | u64::from(bit == Bit::One)),
            )
        } else {
            WaveValue::Bits(bits.into())
        }
    }

    /// The bit of weight 2^`position`; `None` for strings and reals.
    pub fn bit(&self, position: u32) -> Option<Bit> {
        match self {
            WaveValue::Known(value) => Some(match value.checked_shr(position) {
                Some(shifted) if shifted & 1 == 1 => Bit::One,
                _ => Bit::Zero,
            }),
            WaveValue::Bits(bits) => {
                let position = position as usize;
                Some(match bits.len().checked_sub(position + 1) {
                    Some(at) => bits[at],
                    None => match bits.first() {
                        Some(Bit::X) => Bit::X,
                        Some(Bit::Z) => Bit::Z,
                        _ => Bit::Zero,
                    },
                })
            }
            WaveValue::Text(_) | WaveValue::Real(_) => None,
        }
    }

    /// The binary digits of a vector of `width` bits, as `01xz`; `None` for
    /// strings and reals.
    pub fn binary(&self, width: u32) -> Option<String> {
        (0..width)
            .rev()
            .map(|position| Some(self.bit(position)?.as_char()))
            .collect()
    }

    /// The hexadecimal digits of a vector of `width` bits, at most `limit` of
    /// them, the most significant; `None` for strings and reals.
    ///
    /// A digit whose bits are all unknown is `x`, one with some known `X`; a
    /// digit that is not driven is `z`, one that is partly driven `Z`.
    pub fn hexadecimal(&self, width: u32, limit: usize) -> Option<String> {
        self.bit(0)?;
        let digits = width.div_ceil(4);
        (0..digits)
            .rev()
            .take(limit)
            .map(|digit| {
                let positions = 4 * digit..(4 * digit + 4).min(width);
                let (mut known, mut x, mut z, mut value) = (0, 0, 0, 0);
                for position in positions.rev() {
                    value <<= 1;
                    match self.bit(position)? {
                        Bit::Zero => known += 1,
                        Bit::One => {
                            known += 1;
                            value |= 1;
                        }
                        Bit::X => x += 1,
                        Bit::Z => z += 1,
                    }
                }
                Some(match (known, x, z) {
                    (_, 0, 0) => char::from(b"0123456789ABCDEF"[value]),
                    (0, _, 0) => 'x',
                    (0, 0, _) => 'z',
                    (_, 0, _) => 'Z',
                    _ => 'X',
                })
            })
            .collect()
    }

    /// The decimal digits of a vector; `x` or `z` when no bit is known or driven, `X` or
    /// `Z` when some are not, and `…` when there are more than 4,096 bits. `None` for
    /// strings and reals.
    pub fn decimal(&self) -> Option<String> {
        match self {
            WaveValue::Known(value) => Some(value.to_string()),
            WaveValue::Bits(bits) => Some(match **bits {
                [Bit::X] => "x".into(),
                [Bit::Z] => "z".into(),
                _ if bits.contains(&Bit::X) => "X".into(),
                _ if bits.contains(&Bit::Z) => "Z".into(),
                _ if bits.len() > DECIMAL_BITS_MAX => "…".into(),
                _ => {
                    let digits: Vec<u8> =
                        bits.iter().map(|&bit| u8::from(bit == Bit::One)).collect();
                    BigUint::from_radix_be(&digits, 2)?.to_string()
                }
            }),
            WaveValue::Text(_) | WaveValue::Real(_) => None,
        }
    }

    /// Whether this says that nothing is known: a vector of X only, or the
    /// state name `X`.
    pub fn is_unknown(&self) -> bool {
        match self {
            WaveValue::Bits(bits) => **bits == [Bit::X],
            WaveValue::Text(text) => &**text == "X",
            WaveValue::Known(_) | WaveValue::Real(_) => false,
        }
    }
}

/// A value as a VCD file has it: binary digits, a string, or a number.
impl fmt::Display for WaveValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaveValue::Known(value) => write!(f, "{value:b}"),
            WaveValue::Bits(bits) => bits
                .iter()
                .try_for_each(|bit| write!(f, "{}", bit.as_char())),
            WaveValue::Text(text) => f.write_str(text),
            WaveValue::Real(value) => write!(f, "{value}"),
        }
    }
}

/// What kind of values a signal takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalKind {
    /// A vector of bits; a scalar is one of width 1.
    Bits,
    /// Strings.
    Text,
    /// Real numbers.
    Real,
}

/// A scope of a waveform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveScope {
    /// The instance name.
    pub name: String,
    /// Index of the enclosing scope, which is smaller; `None` for the top.
    pub parent: Option<usize>,
}

/// A signal of a waveform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaveSignal {
    /// Index of the scope it lies in; `None` when it lies in none.
    pub scope: Option<usize>,
    /// The name; a range `[width-1:0]` is left off, any other index is part of it.
    pub name: String,
    /// Width in bits, from 1; meaningless for strings and reals.
    pub width: u32,
    /// What kind of values it takes.
    pub kind: SignalKind,
    /// Index of its list of changes.
    pub stream: usize,
}

/// The value of a signal from a time on.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// When, in units of the timescale.
    pub time: u64,
    /// The new value.
    pub value: WaveValue,
}

/// A waveform: what [`read`](super::vcd_reader::read) returns.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Waveform {
    /// The unit of times, when the file says it.
    pub timescale: Option<Timescale>,
    /// The scopes; a scope comes before those it encloses.
    pub scopes: Vec<WaveScope>,
    /// The signals, in order of declaration.
    pub signals: Vec<WaveSignal>,
    /// The changes, sorted by time; see [`WaveSignal::stream`].
    pub streams: Vec<Vec<Change>>,
    /// The last time in the file.
    pub end: u64,
    /// The last time at which a signal changed.
    pub last_change: u64,
}

impl Waveform {
    /// The changes of a signal, sorted by time.
    pub fn changes(&self, signal: usize) -> &[Change] {
        &self.streams[self.signals[signal].stream]
    }

    /// The value of a signal at `time`, after all changes at that time; `None`
    /// before its first value.
    pub fn value_at(&self, signal: usize, time: u64) -> Option<&WaveValue> {
        let changes = self.changes(signal);
        let after = changes.partition_point(|change| change.time <= time);
        Some(&changes[after.checked_sub(1)?].value)
    }

    /// The number of cycles of `period`, of which the first starts at the time `phase`.
    /// A cycle that would start when the waveform ends is none, unless something
    /// changes at that time.
    ///
    /// # Panics
    /// When the period is 0.
    pub fn cycles(&self, period: u64, phase: u64) -> u64 {
        let Some(length) = self.end.checked_sub(phase) else {
            return 0;
        };
        match length.is_multiple_of(period) && self.last_change < self.end {
            true => length / period,
            false => (length / period).saturating_add(1),
        }
    }

    /// The dotted path of a scope, from the top.
    pub fn scope_path(&self, scope: usize) -> String {
        let mut names = Vec::new();
        let mut at = Some(scope);
        while let Some(scope) = at {
            names.push(self.scopes[scope].name.as_str());
            at = self.scopes[scope].parent;
        }
        names.reverse();
        names.join(".")
    }

    /// The dotted path of a signal, from the top.
    pub fn path(&self, signal: usize) -> String {
        let signal = &self.signals[signal];
        match signal.scope {
            Some(scope) => format!("{}.{}", self.scope_path(scope), signal.name),
            None => signal.name.clone(),
        }
    }

    /// The signal with this dotted path.
    pub fn find(&self, path: &str) -> Option<usize> {
        (0..self.signals.len())
            .filter(|&signal| path.ends_with(self.signals[signal].name.as_str()))
            .find(|&signal| self.path(signal) == path)
    }
}
