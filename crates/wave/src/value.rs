//! Values of signals in waveform files.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;

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
/// Two values of signals of one width are equal exactly when all bits are. A real number that
/// is no number (NaN) equals itself.
#[derive(Debug, Clone)]
pub enum WaveValue {
    /// A vector whose bits are known, and 0 above the 64th.
    Known(u64),
    /// Any other vector, most significant bit first and without the bits that
    /// follow from those given: a leading 0 or 1 is extended with 0, X with X and
    /// Z with Z.
    Bits(Arc<[Bit]>),
    /// A string.
    Text(Arc<str>),
    /// A real number.
    Real(f64),
    /// An event that fires. It holds nothing before and after.
    Fired,
}

impl PartialEq for WaveValue {
    fn eq(&self, other: &WaveValue) -> bool {
        match (self, other) {
            (WaveValue::Known(one), WaveValue::Known(other)) => one == other,
            (WaveValue::Bits(one), WaveValue::Bits(other)) => one == other,
            (WaveValue::Text(one), WaveValue::Text(other)) => one == other,
            (WaveValue::Real(one), WaveValue::Real(other)) => {
                one == other || one.is_nan() && other.is_nan()
            }
            (WaveValue::Fired, WaveValue::Fired) => true,
            _ => false,
        }
    }
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

    /// The bit of weight 2^`position`; `None` for what is no vector.
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
            WaveValue::Text(_) | WaveValue::Real(_) | WaveValue::Fired => None,
        }
    }

    /// The binary digits of a vector of `width` bits, as `01xz`; `None` for
    /// what is no vector.
    pub fn binary(&self, width: u32) -> Option<String> {
        (0..width)
            .rev()
            .map(|position| Some(self.bit(position)?.as_char()))
            .collect()
    }

    /// The hexadecimal digits of a vector of `width` bits, at most `limit` of
    /// them, the most significant; `None` for what is no vector.
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
    /// what is no vector.
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
            WaveValue::Text(_) | WaveValue::Real(_) | WaveValue::Fired => None,
        }
    }

    /// True when this says that nothing is known: a vector of X only, or the state name `X`.
    pub fn is_unknown(&self) -> bool {
        match self {
            WaveValue::Bits(bits) => **bits == [Bit::X],
            WaveValue::Text(text) => &**text == "X",
            WaveValue::Known(_) | WaveValue::Real(_) | WaveValue::Fired => false,
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
            WaveValue::Fired => f.write_str("fired"),
        }
    }
}
