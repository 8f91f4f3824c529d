//! From the bytes of a trace to messages, or to mistakes with line and column.

use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::{
    AFTER, BYTES_PER_WORD_MAX, COLUMNS, EVERY, LINE_MAX, MEMBERS_MAX, MISTAKES_MAX, TraceConfig,
};
use crate::traffic::{
    CYCLE_MAX, DeliverySets, EVERY_NODE, MESSAGES_MAX, Message, NODES_MAX, Offer, Replay,
    WORDS_MAX, Workload, usage,
};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// Reads a trace from `input`; `origin` names it in reports, and the file of
/// `config` is not looked at.
///
/// # Errors
/// [`Class::Usage`] for options out of range, [`Class::Io`] when reading fails,
/// [`Class::Input`] with up to [`MISTAKES_MAX`] mistakes of the trace.
///
/// ```
/// use crosswave_network::traffic::{trace, Offer, TraceConfig};
/// let text = "# two messages\nt_ns,source,destination,bytes\n500,0,1,0\n529,2,1,64\n";
/// let workload = trace::read(text.as_bytes(), "text", &TraceConfig::new("text"), 4).unwrap();
/// assert_eq!(workload.messages[1].offered, Offer::At(3));
/// assert_eq!(workload.messages[1].words, 64);
/// ```
pub fn read(
    input: impl Read,
    origin: &str,
    config: &TraceConfig,
    nodes: u32,
) -> Result<Workload, Error> {
    let faults = config.faults();
    if !faults.is_empty() {
        return Err(usage(faults.into_iter().map(Diagnostic::from).collect()));
    }
    let mut reader = Reader {
        config,
        nodes,
        start: None,
        last_ns: 0,
        busy: vec![false; nodes as usize],
        messages: Vec::new(),
        sets: DeliverySets::default(),
        has_after: false,
        read: 0,
        mistakes: Vec::new(),
    };
    if let Err(error) = reader.lines(input) {
        match error.get_ref().and_then(|inner| inner.downcast_ref()) {
            Some(&LongLine(line)) => reader.mistake(
                line,
                1,
                format!("the line is longer than {LINE_MAX} bytes"),
                "a trace is text with one message per line",
            ),
            None => return Err(Error::io(Path::new(origin), "reading", &error)),
        }
    }
    if reader.mistakes.is_empty() {
        return Ok(Workload {
            nodes,
            order: config.replay,
            messages: reader.messages,
            sets: reader.sets,
        });
    }
    if reader.mistakes.len() > MISTAKES_MAX {
        reader.mistakes.truncate(MISTAKES_MAX);
        if let Some(last) = reader.mistakes.last_mut() {
            last.message
                .push_str("; more mistakes follow that are not shown");
        }
    }
    Err(Error {
        class: Class::Input,
        origin: origin.to_string(),
        source: None,
        diagnostics: reader.mistakes,
    })
}

/// The state of one reading.
struct Reader<'a> {
    config: &'a TraceConfig,
    nodes: u32,
    /// The time of the first message.
    start: Option<u64>,
    last_ns: u64,
    /// Nodes that have sent a message.
    busy: Vec<bool>,
    messages: Vec<Message>,
    /// The deliveries that messages wait for.
    sets: DeliverySets,
    /// True when the lines say what messages wait for.
    has_after: bool,
    /// Messages so far, those with mistakes among them: the number of the next one.
    read: u64,
    mistakes: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn mistake(&mut self, line: u64, column: usize, message: String, help: &str) {
        let place = format!("line {line}, column {column}");
        self.mistakes.push(Diagnostic::new(place, message, help));
    }

    /// Reads the comments and the column names, then the messages.
    fn lines(&mut self, input: impl Read) -> io::Result<()> {
        let mut input = BufReader::new(ShortLines {
            input,
            line: 1,
            length: 0,
        });
        let mut line = 0;
        let mut text = Vec::new();
        loop {
            text.clear();
            line += 1;
            if input.read_until(b'\n', &mut text)? == 0 {
                let help = format!("the first line after the comments is {}", COLUMNS.join(","));
                self.mistake(
                    line,
                    1,
                    "the file ends before the column names".into(),
                    &help,
                );
                return Ok(());
            }
            let mut names = text.as_slice();
            if line == 1 {
                names = names.strip_prefix(b"\xef\xbb\xbf").unwrap_or(names);
            }
            let names = names.trim_ascii();
            if names.is_empty() || names.starts_with(b"#") {
                continue;
            }
            let found = names.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
            let columns = COLUMNS.iter().map(|name| name.as_bytes());
            self.has_after = found.clone().eq(columns.clone().chain([AFTER.as_bytes()]));
            if !self.has_after && !found.eq(columns) {
                let columns = COLUMNS.join(",");
                let found = format!(
                    "found {}; expected the column names {columns}",
                    quoted(names)
                );
                let help = "name the columns, in this order, on the line after the comments; after \
                            may follow them";
                self.mistake(line, 1, found, help);
                return Ok(());
            }
            break;
        }

        // With a line feed after the last line, every record ends in one, and
        // the reader's line after a record is one more than the record's.
        let mut records = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .quoting(false)
            .terminator(csv::Terminator::Any(b'\n'))
            .from_reader(input.chain(&b"\n"[..]));
        let mut record = csv::ByteRecord::new();
        let limit = self.config.limit.unwrap_or(u64::MAX);
        while self.read < limit && self.mistakes.len() <= MISTAKES_MAX {
            if !records.read_byte_record(&mut record).map_err(io_error)? {
                break;
            }
            let line = line + records.position().line() - 1;
            if record.len() == 1 && record[0].trim_ascii().is_empty() {
                continue;
            }
            if self.read == MESSAGES_MAX {
                let found = format!("a message after {MESSAGES_MAX}, the most of one run");
                let help = format!("set traffic.limit = {MESSAGES_MAX} or less");
                self.mistake(line, 1, found, &help);
                return Ok(());
            }
            self.message(line, &record);
            self.read += 1;
        }
        if self.read == 0 && self.mistakes.is_empty() {
            let found = "no messages after the column names; expected at least one".into();
            self.mistake(line, 1, found, "");
        }
        Ok(())
    }

    fn message(&mut self, line: u64, record: &csv::ByteRecord) {
        let fields = COLUMNS.len() + usize::from(self.has_after);
        if record.len() != fields {
            let (message, help) = match record.get(0) {
                Some(first) if first.trim_ascii().starts_with(b"#") => (
                    "a comment among the messages".into(),
                    "comments stand before the column names",
                ),
                _ => {
                    let after = if self.has_after {
                        [",", AFTER].concat()
                    } else {
                        String::new()
                    };
                    let columns = COLUMNS.join(",") + &after;
                    (
                        format!("{} fields; expected {fields}: {columns}", record.len()),
                        "",
                    )
                }
            };
            self.mistake(line, 1, message, help);
            return;
        }
        let mut columns = [1; 4];
        for field in 1..4 {
            columns[field] = columns[field - 1] + record[field - 1].len() + 1;
        }
        let mut values = [None; 4];
        let goes_everywhere = record[2].trim_ascii() == EVERY.as_bytes();
        for field in (0..4).filter(|&field| field != 2 || !goes_everywhere) {
            values[field] = self.number(line, columns[field], COLUMNS[field], &record[field]);
        }
        let [t_ns, source, destination, bytes] = values;
        let offered = t_ns.and_then(|t_ns| self.offer(line, t_ns));
        let source = source.and_then(|node| self.node(line, columns[1], "source", node));
        let destination = match goes_everywhere {
            true => Some(EVERY_NODE),
            false => destination.and_then(|node| self.node(line, columns[2], "destination", node)),
        };
        let words = bytes.and_then(|bytes| self.words(line, columns[3], bytes));
        let after = match record.get(4) {
            Some(after) => self.after(line, columns[3] + record[3].len() + 1, after),
            None => Some(Vec::new()),
        };
        if let (Some(source), Some(destination)) = (source, destination)
            && source == destination
        {
            let found = format!("node {source} sends to itself; expected another destination");
            let help = "leave the line out: such a message does not enter the network";
            self.mistake(line, columns[2], found, help);
        } else if let (Some(cycle), Some(source), Some(destination), Some(words), Some(after)) =
            (offered, source, destination, words, after)
        {
            let busy = std::mem::replace(&mut self.busy[source as usize], true);
            let offered = match self.config.replay {
                _ if !after.is_empty() => Offer::After {
                    set: self.sets.push(&after),
                    not_before: cycle,
                },
                Replay::Timed => Offer::At(cycle),
                Replay::InOrder if busy => Offer::AfterPrevious,
                Replay::InOrder => Offer::At(1),
            };
            self.messages.push(Message {
                source,
                destination,
                words,
                offered,
            });
        }
    }

    /// The messages that one waits for: numbers of earlier ones, each once.
    fn after(&mut self, line: u64, column: usize, field: &[u8]) -> Option<Vec<u32>> {
        let numbers = field.split(u8::is_ascii_whitespace);
        let mut ids = Vec::new();
        let mut right = true;
        for text in numbers.filter(|text| !text.is_empty()) {
            let number = std::str::from_utf8(text).ok();
            let number = number.and_then(|text| text.parse::<u64>().ok());
            let digits = text.iter().all(u8::is_ascii_digit);
            if let Some(number) = number.filter(|&number| digits && number < self.read) {
                ids.push(number as u32);
                continue;
            }
            let place = column + (text.as_ptr() as usize - field.as_ptr() as usize);
            let expected = match self.read {
                0 => "nothing, as no message stands before this one".to_owned(),
                own => format!("a number from 0 to {}, as this is message {own}", own - 1),
            };
            let message = format!("{AFTER} has {}; expected {expected}", quoted(text));
            let help = "messages are numbered from 0 in the order of the file; separate numbers \
                        by spaces";
            self.mistake(line, place, message, help);
            right = false;
        }
        ids.sort_unstable();
        ids.dedup();
        if self.sets.members() + ids.len() > MEMBERS_MAX {
            let message =
                format!("more than {MEMBERS_MAX} messages are waited for, over all lines");
            self.mistake(
                line,
                column,
                message,
                "let a message in between wait for many",
            );
            right = false;
        }
        right.then_some(ids)
    }

    /// A whole decimal number.
    fn number(&mut self, line: u64, column: usize, name: &str, field: &[u8]) -> Option<u64> {
        let text = field.trim_ascii();
        let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let number = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|_| digits);
        if number.is_none() {
            let found = format!("{name} is {}; expected a whole number", quoted(text));
            let help = match (digits, name) {
                (true, _) => format!("the largest is {}", u64::MAX),
                (false, "t_ns") => "round the time to nanoseconds".into(),
                (false, _) => String::new(),
            };
            self.mistake(line, column, found, &help);
        }
        number
    }

    /// The cycle of a message; the first one's time is where time begins.
    fn offer(&mut self, line: u64, t_ns: u64) -> Option<u64> {
        let start = *self.start.get_or_insert(t_ns);
        if t_ns < self.last_ns {
            let last = self.last_ns;
            let found = format!("t_ns is {t_ns} after {last}; expected times that do not decrease");
            self.mistake(line, 1, found, "sort the messages by t_ns");
            return None;
        }
        self.last_ns = t_ns;
        if self.config.replay == Replay::InOrder {
            return Some(1);
        }
        let cycle = self.config.cycle(t_ns - start);
        if cycle.is_none() {
            let elapsed = t_ns - start;
            let found = format!(
                "t_ns is {elapsed} ns after the first message; expected a cycle up to {CYCLE_MAX}"
            );
            let help = "lower traffic.time_scale or traffic.clock_mhz";
            self.mistake(line, 1, found, help);
        }
        cycle
    }

    fn node(&mut self, line: u64, column: usize, name: &str, node: u64) -> Option<u32> {
        if node < u64::from(self.nodes) {
            return u32::try_from(node).ok();
        }
        let (nodes, last) = (self.nodes, self.nodes.max(1) - 1);
        let found = format!("{name} is node {node} of {nodes}; expected 0 to {last}");
        let help = match node.checked_add(1).and_then(u64::checked_next_power_of_two) {
            Some(enough) if enough <= u64::from(NODES_MAX) => {
                format!("a network of {enough} nodes has this one")
            }
            _ => format!("a network has at most {NODES_MAX} nodes"),
        };
        self.mistake(line, column, found, &help);
        None
    }

    fn words(&mut self, line: u64, column: usize, bytes: u64) -> Option<u32> {
        let words = self.config.words(bytes, self.config.bytes_per_word);
        if words <= u128::from(WORDS_MAX) {
            return u32::try_from(words).ok();
        }
        let found = format!("{bytes} bytes make {words} words; expected at most {WORDS_MAX}");
        let enough = self.config.words(bytes, WORDS_MAX);
        let help = if enough <= u128::from(BYTES_PER_WORD_MAX) {
            format!("traffic.bytes_per_word = {enough} is enough")
        } else {
            "lower traffic.bytes_scale".into()
        };
        self.mistake(line, column, found, &help);
        None
    }
}

/// Foreign bytes in quotes, escaped, at most 40 of them.
fn quoted(text: &[u8]) -> String {
    let shown = String::from_utf8_lossy(&text[..text.len().min(40)]).into_owned();
    let dots = if text.len() > 40 { " …" } else { "" };
    format!("{shown:?}{dots}")
}

fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

/// A line of more than [`LINE_MAX`] bytes, by its number.
#[derive(Debug)]
struct LongLine(u64);

impl std::fmt::Display for LongLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {} is longer than {LINE_MAX} bytes", self.0)
    }
}

impl std::error::Error for LongLine {}

/// Passes bytes on, and fails with [`LongLine`] on a long line.
struct ShortLines<R> {
    input: R,
    line: u64,
    length: usize,
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        for &byte in &buffer[..count] {
            self.length += 1;
            if byte == b'\n' {
                self.line += 1;
                self.length = 0;
            } else if self.length > LINE_MAX {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    LongLine(self.line),
                ));
            }
        }
        Ok(count)
    }
}
