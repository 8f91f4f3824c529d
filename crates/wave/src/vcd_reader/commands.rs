//! The commands of a VCD file, made of its words and handed to the [`Builder`].
//!
//! ```text
//! #TIME                          0CODE 1CODE xCODE zCODE
//! bDIGITS CODE                   rNUMBER CODE            sTEXT CODE
//! $timescale 1 ns $end           $scope KIND NAME $end   $upscope $end
//! $var KIND WIDTH CODE NAME [INDEX]… $end                $enddefinitions $end
//! $dumpvars … $end               $attrbegin KIND SUBKIND TEXT NUMBER $end
//! $ANYTHING … $end
//! ```
//!
//! A scope of any kind is a scope, and a variable of an unknown type has bits. A text may be
//! empty, and may have blanks in it. Where it begins a line and the last word of the line is an
//! identifier code, it goes on up to that, and otherwise up to the first word that is one. A
//! real number is written as C prints it, also in hexadecimal. What other commands say is
//! passed over.

use std::io::BufRead;

use super::VcdMistake;
use super::builder::{Builder, bit};
use super::numbers::real_number;
use super::words::{ReadFailure, Words, too_long};
use crate::timescale::{TimeUnit, Timescale};
use crate::value::{Bit, WaveValue};

/// Bytes of a declaration at most.
const DECLARATION_BYTES_MAX: usize = 1 << 24;

/// Buffers in which commands are read; kept, so that changes allocate nothing.
#[derive(Default)]
pub(super) struct Commands {
    bits: Vec<Bit>,
    text: Vec<u8>,
}

impl Commands {
    /// Takes in the next command; `false` when there is none.
    pub(super) fn take<R: BufRead>(
        &mut self,
        words: &mut Words<R>,
        builder: &mut Builder,
    ) -> Result<bool, ReadFailure> {
        if !words.next()? {
            return Ok(false);
        }
        let word = words.word();
        if words.is_clipped() && !matches!(word[0], b'b' | b'B') {
            return Err(too_long());
        }
        match word[0] {
            b'#' => {
                let time = whole_number(&word[1..])?;
                if words.is_last() && words.is_cut() {
                    return Err(ReadFailure::End);
                }
                builder.advance(time)?;
            }
            b'$' => self.command(words, builder)?,
            b'b' | b'B' => self.vector(words, builder)?,
            b'r' | b'R' => real(words, builder)?,
            b's' | b'S' => self.string(words, builder)?,
            b'p' => {
                let message = "found a value of extended VCD (EVCD), expected VCD".to_owned();
                let help = "`evcd2vcd` of GTKWave makes VCD of it; or record with `$dumpvars`";
                return Err((message, help).into());
            }
            digit => {
                let Some(bit) = bit(digit) else {
                    let help = "a change is `0!`, `b0101 !`, `r1.5 !` or `sNAME !`";
                    return Err(("unexpected character at start of command".into(), help).into());
                };
                let value = WaveValue::from_bits(&[bit]);
                if word.len() == 1 {
                    words.more()?;
                    builder.change(words.word(), value)?;
                } else {
                    builder.change(&word[1..], value)?;
                }
            }
        }
        Ok(true)
    }

    fn vector<R: BufRead>(
        &mut self,
        words: &mut Words<R>,
        builder: &mut Builder,
    ) -> Result<(), ReadFailure> {
        let is_alone = words.word().len() == 1;
        let is_clipped = words.is_clipped();
        let digits = match is_alone {
            true => words.more()?,
            false => &words.word()[1..],
        };
        let is_vector = digits.iter().all(|&digit| bit(digit).is_some());
        if is_alone && !is_vector && builder.is_code(digits) {
            // A vector of no bits, and its code.
            return Ok(builder.change(digits, WaveValue::Known(0))?);
        }
        self.bits.clear();
        for &digit in digits {
            let Some(bit) = bit(digit) else {
                let message = "a vector with digits that are no values".to_owned();
                return Err((message, "the digits are 0, 1, x and z").into());
            };
            self.bits.push(bit);
        }
        let value = WaveValue::from_bits(&self.bits);
        let code = words.more()?;
        if is_clipped && !builder.is_left_out(code) {
            return Err(too_long());
        }
        builder.change(code, value)?;
        Ok(())
    }

    /// A text and an identifier code. The text is empty where the code follows at once.
    fn string<R: BufRead>(
        &mut self,
        words: &mut Words<R>,
        builder: &mut Builder,
    ) -> Result<(), ReadFailure> {
        self.text.clear();
        self.text.extend_from_slice(&words.word()[1..]);
        let mut words_before_code = match words.follows_line_end() {
            true => words_before_code(words.rest_of_line(DECLARATION_BYTES_MAX)?, builder),
            false => 0,
        };
        loop {
            words.more()?;
            let is_code = words_before_code == 0 && builder.is_code(words.word());
            words_before_code = words_before_code.saturating_sub(1);
            // A text does not go on in the next line.
            if is_code || words.follows_line_end() || self.text.len() > DECLARATION_BYTES_MAX {
                let text = builder.shared(&String::from_utf8_lossy(&self.text));
                return Ok(builder.change(words.word(), WaveValue::Text(text))?);
            }
            self.text.push(b' ');
            self.text.extend_from_slice(words.word());
        }
    }

    fn command<R: BufRead>(
        &mut self,
        words: &mut Words<R>,
        builder: &mut Builder,
    ) -> Result<(), ReadFailure> {
        match words.word() {
            b"$end" => builder.end_snapshot()?,
            b"$scope" => {
                let declared = declaration(words)?;
                let Some((_, name)) = declared.split_first() else {
                    return Err(mistake("a scope without a name", SCOPE));
                };
                builder.open_scope(name.join(" "))?;
            }
            b"$upscope" => {
                words.pass_to_end()?;
                builder.close_scope()?;
            }
            b"$var" => variable(&declaration(words)?, builder)?,
            b"$timescale" => builder.timescale(timescale(&declaration(words)?.concat())?)?,
            b"$attrbegin" => {
                let declared = declaration(words)?;
                if let Some((number, text)) = declared.split_last() {
                    // A reference has the text `""`, which some writers leave out.
                    builder.attribute(text, number.parse().unwrap_or(0));
                }
            }
            b"$enddefinitions" => {
                words.pass_to_end()?;
                builder.end_definitions()?;
            }
            word if word.starts_with(b"$dump") => builder.begin_snapshot(),
            _ => words.pass_to_end()?,
        }
        Ok(())
    }
}

/// The words of a line before its last one, where that is an identifier code; otherwise 0.
fn words_before_code(line: &[u8], builder: &Builder) -> usize {
    let words = line.split(u8::is_ascii_whitespace);
    let mut words = words.filter(|word| !word.is_empty());
    match words.next_back() {
        Some(last) if builder.is_code(last) => words.count(),
        _ => 0,
    }
}

/// The form of a scope, for messages.
const SCOPE: &str = "a scope is `$scope module NAME $end`";

/// The form of a variable, for messages.
const VARIABLE: &str = "a variable is `$var wire WIDTH CODE NAME $end`";

fn mistake(message: &str, help: &'static str) -> ReadFailure {
    ReadFailure::Mistake((message.to_owned(), help))
}

/// The words of a declaration up to its `$end`. What is no UTF-8 has replacement characters.
fn declaration<R: BufRead>(words: &mut Words<R>) -> Result<Vec<String>, ReadFailure> {
    let mut declared = Vec::new();
    let mut bytes = 0;
    loop {
        let word = words.more()?;
        if word == b"$end" {
            return Ok(declared);
        }
        bytes += word.len() + size_of::<String>();
        if bytes > DECLARATION_BYTES_MAX {
            return Err(mistake(
                "a declaration goes on and on",
                "end it with `$end`",
            ));
        }
        declared.push(String::from_utf8_lossy(word).into_owned());
    }
}

fn variable(declared: &[String], builder: &mut Builder) -> Result<(), ReadFailure> {
    let [kind, width, code, name, index @ ..] = declared else {
        let message = format!("a variable of {} words, expected 4 or more", declared.len());
        return Err((message, VARIABLE).into());
    };
    let width = width.parse().map_err(|_| {
        let message = format!("found the width `{width}`, expected a whole number");
        (message, VARIABLE)
    })?;
    let mut name = name.clone();
    for word in index {
        let is_index = word.starts_with(['[', ':', ']']) || word.ends_with(']');
        if !is_index || !name.contains(" [") {
            name.push(' ');
        }
        name.push_str(word);
    }
    Ok(builder.declare(kind, width, code.as_bytes(), &name)?)
}

fn timescale(text: &str) -> Result<Timescale, VcdMistake> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (count, unit) = text.split_at(digits);
    let count = count.parse().map_err(|_| {
        let message = format!("found the timescale `{text}`, expected a whole number and a unit");
        (message, "expected 1, 10 or 100 of a unit")
    })?;
    match TimeUnit::named(unit) {
        Some(unit) => Ok(Timescale { count, unit }),
        None => Err((
            format!("found the unit of time `{unit}`"),
            "the units are s, ms, us, ns, ps and fs",
        )),
    }
}

fn whole_number(digits: &[u8]) -> Result<u64, VcdMistake> {
    let text = std::str::from_utf8(digits).ok();
    let number = text.and_then(|text| text.parse().ok());
    number.ok_or_else(|| {
        let found = String::from_utf8_lossy(digits);
        let message = format!("found the time `{found}`, expected a whole number below 2^64");
        (message, "")
    })
}

fn real<R: BufRead>(words: &mut Words<R>, builder: &mut Builder) -> Result<(), ReadFailure> {
    let digits = match words.word().len() {
        1 => words.more()?,
        _ => &words.word()[1..],
    };
    let text = String::from_utf8_lossy(digits);
    let Some(value) = real_number(&text) else {
        let message = format!("found `{text}`, expected a number");
        return Err((message, "a change is `r1.5 CODE`").into());
    };
    builder.change(words.more()?, WaveValue::Real(value))?;
    Ok(())
}
