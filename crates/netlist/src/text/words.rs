//! Words of a line: cutting a line into them, and writing names as them.

use std::fmt;
use std::ops::Range;

/// Words that are not names unless quoted: constants, and what may follow bits.
const RESERVED: [&str; 8] = ["0", "1", "?", "=", "->", "src", "in", "out"];

/// One word and where it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextWord {
    /// Its text, without quotes and escapes.
    pub text: String,
    /// True when it was quoted, and so is a name.
    pub quoted: bool,
    /// Its bytes in the whole text.
    pub span: Range<usize>,
}

impl TextWord {
    /// True when it is this reserved word.
    pub fn is(&self, reserved: &str) -> bool {
        !self.quoted && self.text == reserved
    }

    /// True when it may stand for a name.
    pub fn is_name(&self) -> bool {
        self.quoted || !RESERVED.contains(&self.text.as_str())
    }
}

/// A mistake in a quoted name: its bytes, and a description.
pub(super) type NameMistake = (Range<usize>, &'static str);

/// Cuts a line that starts at byte `start` of the text into words.
pub(super) fn words(line: &str, start: usize) -> Result<Vec<TextWord>, NameMistake> {
    let mut words = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let at = start + (line.len() - rest.len());
        let Some(first) = rest.chars().next() else {
            return Ok(words);
        };
        if first == '#' {
            return Ok(words);
        }
        let (text, length) = if first == '"' {
            unquote(rest, at)?
        } else {
            let end = |c: char| c.is_whitespace() || c == '"' || c == '#';
            let length = rest.find(end).unwrap_or(rest.len());
            (rest[..length].to_owned(), length)
        };
        words.push(TextWord {
            text,
            quoted: first == '"',
            span: at..at + length,
        });
        rest = &rest[length..];
    }
}

/// The name that a quoted word stands for, and the bytes it takes.
fn unquote(rest: &str, at: usize) -> Result<(String, usize), NameMistake> {
    let mut name = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((position, c)) = chars.next() {
        match c {
            '"' => return Ok((name, position + 1)),
            '\\' => match chars.next().map(|(_, c)| c) {
                Some(c @ ('"' | '\\')) => name.push(c),
                Some('n') => name.push('\n'),
                Some('u') => {
                    let digits = rest[position..]
                        .strip_prefix("\\u{")
                        .and_then(|digits| digits.split_once('}'))
                        .map(|(digits, _)| digits)
                        .filter(|digits| digits.len() <= 6);
                    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                    match (digits, code.and_then(char::from_u32)) {
                        (Some(digits), Some(c)) => {
                            name.push(c);
                            // The digits and both braces.
                            for _ in 0..digits.len() + 2 {
                                chars.next();
                            }
                        }
                        _ => {
                            let span = at + position..at + position + 2;
                            return Err((span, "expected the code of a character: `\\u{hex}`"));
                        }
                    }
                }
                _ => {
                    let span = at + position..at + position + 1;
                    return Err((span, "expected one of `\\\"`, `\\\\`, `\\n`, `\\u{hex}`"));
                }
            },
            _ => name.push(c),
        }
    }
    Err((at..at + rest.len(), "the quoted name has no end"))
}

/// A name as [`words`] reads it back.
pub(super) struct Name<'a>(pub &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let odd = |c: char| c.is_whitespace() || c.is_control() || c == '"' || c == '#';
        if !self.0.is_empty() && !self.0.contains(odd) && !RESERVED.contains(&self.0) {
            return f.write_str(self.0);
        }
        f.write_str("\"")?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => write!(f, "{c}")?,
            }
        }
        f.write_str("\"")
    }
}
