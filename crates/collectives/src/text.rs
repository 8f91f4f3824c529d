//! A schedule as CSV: `step,source,destination`, and `message` when a relay sends on.
//!
//! ```text
//! file        = { "#" any LF } header LF { row LF }
//! header      = "step,source,destination" [ ",message" ]
//! row         = step "," source "," destination [ "," message ]
//! destination = processor | "*" [ level { "+" level } ]
//! message     = [ origin [ ">" target ] ]
//! ```
//!
//! `*` is every processor but the source, `*1+3` every processor that meets the source
//! at level 1 or 3. An empty message is the source's own; `4` is what 4 broadcasts,
//! `4>6` the message of 4 for 6. All numbers are whole and decimal. Empty lines, spaces
//! around a field and lines that begin with `#` are skipped; lines may end in CR LF.
//!
//! The file is read as a stream: memory is one line, of at most [`LINE_MAX`] bytes, and the
//! packets, at most [`PACKETS_MAX`].

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::str::FromStr;

use crate::schedule::{Destination, LevelSet, Message, PACKETS_MAX, Schedule, ScheduledPacket};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// The longest line, in bytes.
pub const LINE_MAX: u64 = 1 << 12;
/// The mistakes that are reported at once.
pub const MISTAKES_MAX: usize = 20;

const HEADER: &str = "step,source,destination";
const HEADER_WITH_MESSAGE: &str = "step,source,destination,message";

/// A schedule that was read, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Placed {
    /// The schedule.
    pub schedule: Schedule,
    /// The line of each packet, from 1.
    pub lines: Vec<u32>,
}

/// Writes a schedule. The fourth column is there only when some packet needs it.
///
/// # Errors
/// Those of `out`.
pub fn write(schedule: &Schedule, out: &mut dyn Write) -> io::Result<()> {
    let relays = schedule.packets.iter().any(|p| p.relayed.is_some());
    let header = if relays { HEADER_WITH_MESSAGE } else { HEADER };
    writeln!(out, "{header}")?;
    for packet in &schedule.packets {
        let destination = destination_text(packet.destination);
        write!(out, "{},{},{destination}", packet.step, packet.source)?;
        if relays {
            let message = packet.relayed.map(message_text).unwrap_or_default();
            write!(out, ",{message}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// A destination as in the grammar above.
pub fn destination_text(destination: Destination) -> String {
    match destination {
        Destination::Processor(processor) => processor.to_string(),
        Destination::Levels(LevelSet::ALL) => "*".to_string(),
        Destination::Levels(levels) => {
            let levels: Vec<String> = levels.up_to(31).map(|level| level.to_string()).collect();
            format!("*{}", levels.join("+"))
        }
    }
}

/// A message as in the grammar above.
pub fn message_text(message: Message) -> String {
    match message {
        Message::Broadcast { origin } => origin.to_string(),
        Message::Personal { origin, target } => format!("{origin}>{target}"),
    }
}

/// Reads a schedule; `origin` names it in reports. Processors and levels are not held against
/// a tree here; [`check`](crate::check::check) does that.
///
/// # Errors
/// [`Class::Io`] when reading fails, [`Class::Input`] with up to [`MISTAKES_MAX`] mistakes.
pub fn read(input: impl Read, origin: &str) -> Result<Placed, Error> {
    let mut reader = Reader {
        columns: None,
        placed: Placed::default(),
        mistakes: Vec::new(),
    };
    let read = reader.lines(input);
    read.map_err(|error| Error::io(Path::new(origin), "reading", &error))?;
    if reader.mistakes.is_empty() {
        return Ok(reader.placed);
    }
    Err(Error {
        class: Class::Input,
        origin: origin.to_owned(),
        source: None,
        diagnostics: reader.mistakes,
    })
}

/// The state of one reading.
struct Reader {
    /// Columns of the header, once it has come.
    columns: Option<usize>,
    placed: Placed,
    mistakes: Vec<Diagnostic>,
}

/// A mistake in a field or a row: the byte at which it begins, what was found and expected,
/// and the way to fix it.
struct Mistake {
    at: usize,
    message: String,
    help: &'static str,
}

impl Mistake {
    fn new(at: usize, found: &str, expected: &str, help: &'static str) -> Mistake {
        let message = format!("found `{found}`, expected {expected}");
        Mistake { at, message, help }
    }
}

impl Reader {
    /// Notes a mistake. Whether to go on.
    fn note(&mut self, line: u32, column: usize, message: String, help: &str) -> bool {
        let place = format!("line {line}, column {column}");
        let mut mistake = Diagnostic::new(place, message, help);
        let full = self.mistakes.len() + 1 == MISTAKES_MAX;
        if full {
            mistake
                .message
                .push_str("; lines after it have not been looked at");
        }
        self.mistakes.push(mistake);
        !full
    }

    /// Reads comments and the header, then the rows.
    fn lines(&mut self, input: impl Read) -> io::Result<()> {
        let mut input = BufReader::new(input);
        let mut text = Vec::new();
        for line in 1..=u32::MAX {
            text.clear();
            let read = input.by_ref().take(LINE_MAX + 1);
            if { read }.read_until(b'\n', &mut text)? == 0 {
                if self.columns.is_none() && self.mistakes.is_empty() {
                    let found = "the file ends before the column names".to_owned();
                    self.note(line, 1, found, &header_help());
                }
                return Ok(());
            }
            if text.len() as u64 > LINE_MAX {
                let found = format!("the line is longer than {LINE_MAX} bytes");
                let help = "a schedule is text with one packet per line";
                self.note(line, 1, found, help);
                return Ok(());
            }
            if !self.line(line, &text) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Reads a line. Whether to go on.
    fn line(&mut self, line: u32, bytes: &[u8]) -> bool {
        let bytes = match line {
            1 => bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes),
            _ => bytes,
        };
        if bytes.trim_ascii_start().starts_with(b"#") {
            return true;
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.trim_end(),
            Err(error) => {
                let found = "found bytes that are not UTF-8, expected text in UTF-8".to_owned();
                return self.note(line, error.valid_up_to() + 1, found, "save it as UTF-8");
            }
        };
        if text.is_empty() {
            return true;
        }
        let Some(columns) = self.columns else {
            self.columns = match text.trim() {
                HEADER => Some(3),
                HEADER_WITH_MESSAGE => Some(4),
                found => {
                    let found = format!("found `{found}`, expected the column names");
                    self.note(line, 1, found, &header_help());
                    return false;
                }
            };
            return true;
        };
        match packet(text, columns) {
            Ok(_) if self.placed.lines.len() == PACKETS_MAX => {
                let found = format!("found more than {PACKETS_MAX} packets");
                self.note(line, 1, found, "that is the most a schedule may have");
                false
            }
            Ok(packet) => {
                self.placed.schedule.packets.push(packet);
                self.placed.lines.push(line);
                true
            }
            Err(Mistake { at, message, help }) => {
                let column = text[..at].chars().count() + 1;
                self.note(line, column, message, help)
            }
        }
    }
}

fn header_help() -> String {
    format!("the first line after the comments is {HEADER}, or {HEADER_WITH_MESSAGE}")
}

/// Reads a row.
fn packet(text: &str, columns: usize) -> Result<ScheduledPacket, Mistake> {
    // Each field with the byte at which it begins.
    let mut fields: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for field in text.split(',') {
        let blank = field.len() - field.trim_start().len();
        fields.push((at + blank, field.trim()));
        at += field.len() + 1;
    }
    let [step, source, destination] = match fields[..] {
        [step, source, destination, ..] if fields.len() == columns => [step, source, destination],
        _ => {
            let expected = format!("{columns} fields");
            let help = "fields are step, source, destination, and message if the header has it";
            return Err(Mistake::new(0, text, &expected, help));
        }
    };
    let wrong = |(at, found): (usize, &str), expected: &str, help: &'static str| {
        Mistake::new(at, found, expected, help)
    };
    let whole = "processors count from 0";
    let step = number(step.1)
        .filter(|&step| step > 0)
        .ok_or_else(|| wrong(step, "a step, a whole number", "steps count from 1"))?;
    let source = number(source.1).ok_or_else(|| wrong(source, "a processor", whole))?;
    let destination = read_destination(destination.1).ok_or_else(|| {
        let help = "`*` is everybody, `*1+3` whoever meets the source at level 1 or 3";
        wrong(destination, "a processor, or `*` and levels", help)
    })?;
    let message = fields.get(3).filter(|field| !field.1.is_empty());
    let relayed = message.map(|&field| {
        let help = "`4` is what 4 broadcasts, `4>6` the message of 4 for 6";
        read_message(field.1).ok_or_else(|| wrong(field, "a message, or nothing", help))
    });
    Ok(ScheduledPacket {
        step,
        source,
        destination,
        relayed: relayed.transpose()?,
    })
}

/// A whole decimal number without a sign.
fn number<N: FromStr>(field: &str) -> Option<N> {
    let digits = field.bytes().all(|byte| byte.is_ascii_digit());
    field.parse().ok().filter(|_| digits)
}

fn read_destination(field: &str) -> Option<Destination> {
    let Some(levels) = field.strip_prefix('*') else {
        return number(field).map(Destination::Processor);
    };
    if levels.is_empty() {
        return Some(Destination::Levels(LevelSet::ALL));
    }
    let mut sets = levels
        .split('+')
        .map(|level| LevelSet::single(number(level)?));
    let first = sets.next()??;
    let union = sets.try_fold(first, |all, set| Some(all.union(set?)))?;
    Some(Destination::Levels(union))
}

fn read_message(field: &str) -> Option<Message> {
    match field.split_once('>') {
        None => Some(Message::Broadcast {
            origin: number(field)?,
        }),
        Some((origin, target)) => Some(Message::Personal {
            origin: number(origin)?,
            target: number(target)?,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(text: &str) -> Schedule {
        let placed = read(text.as_bytes(), "t.csv").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(placed.lines.len(), placed.schedule.packets.len());
        placed.schedule
    }

    #[test]
    fn text_survives_reading_and_writing() {
        for text in [
            "step,source,destination\n1,0,3\n2,0,*\n7,5,*1+3\n",
            "step,source,destination,message\n1,0,3,\n4,3,2,0>2\n4,3,*1,0\n",
        ] {
            let mut written = Vec::new();
            write(&schedule(text), &mut written).expect("memory takes all");
            assert_eq!(String::from_utf8(written).expect("UTF-8"), text);
        }
        let spaced = "# a comment\r\n\r\nstep,source,destination\r\n 1 , 0 , 3 ";
        assert_eq!(schedule(spaced).packets, [ScheduledPacket::to(1, 0, 3)]);
    }

    /// The message about a row, by its place.
    fn said(row: &str) -> String {
        let text = format!("step,source,destination,message\n1,0,1,\n{row}\n");
        let error = read(text.as_bytes(), "t.csv").expect_err("a mistake");
        assert_eq!((error.class, error.diagnostics.len()), (Class::Input, 1));
        let Diagnostic { place, message, .. } = &error.diagnostics[0];
        format!("{place}: {message}")
    }

    #[test]
    fn wrong_fields_have_their_place() {
        assert_eq!(
            said("1,2"),
            "line 3, column 1: found `1,2`, expected 4 fields"
        );
        let step = "expected a step, a whole number";
        for wrong in ["0", "+1", "1.5", "99999999999999999999", ""] {
            let expected = format!("line 3, column 1: found `{wrong}`, {step}");
            assert_eq!(said(&format!("{wrong},1,2,")), expected);
        }
        assert_eq!(
            said("1, x,2,"),
            "line 3, column 4: found `x`, expected a processor"
        );
        for wrong in ["*0", "*32", "*1+", "-1", ""] {
            let expected = "expected a processor, or `*` and levels";
            let expected = format!("line 3, column 5: found `{wrong}`, {expected}");
            assert_eq!(said(&format!("1,1,{wrong},")), expected);
        }
        assert_eq!(
            said("1,0,1,4>"),
            "line 3, column 7: found `4>`, expected a message, or nothing"
        );
    }

    #[test]
    fn mistakes_are_counted_and_files_that_are_none_named() {
        let many = format!("step,source,destination\n{}", "x\n".repeat(99));
        let error = read(many.as_bytes(), "t.csv").expect_err("mistakes");
        assert_eq!(error.diagnostics.len(), MISTAKES_MAX);
        for (bytes, found) in [
            (&b""[..], "the file ends before the column names"),
            (b"# only\n", "the file ends before the column names"),
            (
                b"step;source\n",
                "found `step;source`, expected the column names",
            ),
            (b"\xff\xfe\n", "not UTF-8"),
            (&[b'x'; 5000], "longer than 4096 bytes"),
        ] {
            let said = read(bytes, "t.csv").expect_err("no schedule").to_string();
            assert!(said.contains(found), "{said}");
        }
    }
}
