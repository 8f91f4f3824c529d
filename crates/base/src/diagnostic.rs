//! Errors that crosswave reports for wrong input.
//!
//! A reader of foreign bytes returns an [`Error`]: a class, which decides the
//! exit code, and one [`Diagnostic`] per mistake found. Each names the place,
//! what was found, what was expected, and how to mend it.
//!
//! Foreign text is repeated in part only when it is long: of a quotation or a word of
//! more than [`PIECE_MAX`] characters the beginning and the end are shown, of a whole
//! message [`MESSAGE_MAX`] characters. What acts on a terminal or hides is shown escaped
//! ([`escape`]), in place, message, help, origin and lines of the source. Whoever makes a
//! diagnostic need not care.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::escape;

/// The class of a failure; it decides the exit code of the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// A check ran and failed: exit code 1.
    Check,
    /// Wrong usage or configuration: exit code 2.
    Usage,
    /// A bad design or input file: exit code 3.
    Input,
    /// Reading or writing failed: exit code 4.
    Io,
    /// Whoever was to read what is written has gone, as `head` does. The command ends
    /// quietly, as by the signal SIGPIPE; a shell shows exit code 141.
    Pipe,
}

impl Class {
    /// The exit code of a command that ends with this class.
    pub fn exit_code(self) -> u8 {
        match self {
            Class::Check => 1,
            Class::Usage => 2,
            Class::Input => 3,
            Class::Io => 4,
            Class::Pipe => 141,
        }
    }
}

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Place of the mistake: a key, a JSON path, a line and column, or `module M, cell C, port P,
    /// bit B`.
    pub place: String,
    /// The finding and the expectation, as one text.
    pub message: String,
    /// Advice on how to fix it; empty when the message says it already.
    pub help: String,
    /// The bytes of the source that are at fault, when there is a source text.
    pub span: Option<Range<usize>>,
}

impl Diagnostic {
    /// A diagnostic without a span in a source text.
    pub fn new(
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Diagnostic {
            place: place.into(),
            message: message.into(),
            help: help.into(),
            span: None,
        }
    }

    /// The text of a warning, which is no reason to fail; `origin` as in an [`Error`].
    pub fn as_warning(&self, origin: &str) -> String {
        let origin = shown(origin);
        let (place, message) = (shown(&self.place), shown(&self.message));
        let mut text = format!("warning: {origin}: {place}: {message}\n");
        if !self.help.is_empty() {
            text.push_str(&format!("  help: {}\n", shown(&self.help)));
        }
        text
    }

    /// The diagnostic with the lines of `source` that its span marks.
    fn snippet(&self, origin: &str, source: &str, span: &Range<usize>) -> String {
        // A bound that is inside a character is moved, so that the whole character is marked.
        let is_boundary = |at: &usize| source.is_char_boundary(*at);
        let start = span.start.min(source.len());
        let start = (0..=start).rev().find(is_boundary).unwrap_or(0);
        let end = span.end.clamp(start, source.len());
        let end = (end..source.len()).find(is_boundary);
        let end = end.unwrap_or(source.len());
        let [before, marked, behind] =
            [&source[..start], &source[start..end], &source[end..]].map(escape::in_place);
        let span = before.len()..before.len() + marked.len();
        let source = format!("{before}{marked}{behind}");
        let (place, message) = (shown(&self.place), shown(&self.message));
        let help = shown(&self.help);
        let mut group = Level::ERROR
            .primary_title(format!("{place}: {message}"))
            .element(
                Snippet::source(source)
                    .path(shown(origin))
                    .annotation(AnnotationKind::Primary.span(span)),
            );
        if !help.is_empty() {
            group = group.element(Level::HELP.message(help));
        }
        Renderer::plain().render(&[group])
    }

    /// The same diagnostic with the bytes of the source that are at fault.
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }
}

/// One or more mistakes in one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The class, which decides the exit code.
    pub class: Class,
    /// The input: a file name, `command line`, or the name of a netlist.
    pub origin: String,
    /// The text of the input, when lines of it can be shown.
    pub source: Option<String>,
    /// The mistakes, in order of their place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// An error of one mistake.
    pub fn one(class: Class, origin: impl Into<String>, diagnostic: Diagnostic) -> Self {
        Error {
            class,
            origin: origin.into(),
            source: None,
            diagnostics: vec![diagnostic],
        }
    }

    /// An error that an operation on `path` failed; of [`Class::Pipe`] when it was a pipe
    /// that nobody reads.
    pub fn io(path: &std::path::Path, doing: &str, error: &std::io::Error) -> Self {
        // The writer of CSV wraps what failed in an error of its own.
        let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref());
        let kind = match wrapped.map(csv::Error::kind) {
            Some(csv::ErrorKind::Io(inner)) => inner.kind(),
            _ => error.kind(),
        };
        let class = match kind {
            std::io::ErrorKind::BrokenPipe => Class::Pipe,
            _ => Class::Io,
        };
        Error::one(
            class,
            path.display().to_string(),
            Diagnostic::new("file", format!("{doing} failed: {error}"), ""),
        )
    }

    /// Line and column of a byte offset, both from 1; columns count characters.
    pub fn line_column(source: &str, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(source.len());
        while !source.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &source[..offset];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            match (&self.source, &diagnostic.span) {
                (Some(source), Some(span)) => {
                    let snippet = diagnostic.snippet(&self.origin, source, span);
                    writeln!(f, "{snippet}")?;
                }
                _ => {
                    writeln!(
                        f,
                        "error: {}: {}: {}",
                        shown(&self.origin),
                        shown(&diagnostic.place),
                        shown(&diagnostic.message)
                    )?;
                    if !diagnostic.help.is_empty() {
                        writeln!(f, "  help: {}", shown(&diagnostic.help))?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// Characters of a quotation in backquotes, or of a word outside of one, that is shown
/// whole.
pub const PIECE_MAX: usize = 160;

/// Characters of a place, message or help that are shown.
pub const MESSAGE_MAX: usize = 4000;

/// Characters that are shown of the beginning and of the end of a longer piece.
const PIECE_ENDS: (usize, usize) = (100, 40);

/// A text of a diagnostic as it is shown: on one line, harmless, and not too long.
pub fn shown(text: &str) -> Cow<'_, str> {
    match escape::line(text) {
        Cow::Borrowed(text) => brief(text),
        Cow::Owned(text) => Cow::Owned(brief(&text).into_owned()),
    }
}

/// A text with its long pieces shortened, for people to read.
fn brief(text: &str) -> Cow<'_, str> {
    if text.len() <= PIECE_MAX {
        return Cow::Borrowed(text);
    }
    let mut short = String::new();
    let mut quoted = false;
    for (index, quotation) in text.split('`').enumerate() {
        if index > 0 {
            short.push('`');
            quoted = !quoted;
        }
        if quoted {
            short.push_str(&brief_piece(quotation));
        } else {
            for word in quotation.split_inclusive(char::is_whitespace) {
                let (word, space) = word.split_at(word.trim_end().len());
                short.push_str(&brief_piece(word));
                short.push_str(space);
            }
        }
    }
    if short.chars().count() > MESSAGE_MAX {
        short = short.chars().take(MESSAGE_MAX).collect();
        short.push('…');
    }
    Cow::Owned(short)
}

/// The ends of a piece that is too long, and how much it is.
pub fn brief_piece(piece: &str) -> Cow<'_, str> {
    let count = piece.chars().count();
    if count <= PIECE_MAX {
        return Cow::Borrowed(piece);
    }
    let (head, tail) = PIECE_ENDS;
    let first: String = piece.chars().take(head).collect();
    let last: String = piece.chars().skip(count - tail).collect();
    Cow::Owned(format!("{first}… ({count} characters) …{last}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_shortened_wherever_it_stands() {
        let long = "x".repeat(1 << 20);
        let spaced = "ab ".repeat(1 << 18);
        let diagnostic = |source: bool| {
            let made = Diagnostic::new(
                format!("line 3, column {long}"),
                format!("`{spaced}` is not a value, and `{long}` is none"),
                format!("its pins are {spaced}"),
            );
            if source { made.at(0..1) } else { made }
        };
        let mut error = Error::one(Class::Input, "t.csv", diagnostic(false));
        for source in [None, Some("short\n".to_owned()), Some(long.clone())] {
            error.diagnostics = vec![diagnostic(source.is_some())];
            error.source = source;
            let said = error.to_string();
            assert!(said.len() < 12_000, "{} bytes", said.len());
            assert!(said.contains("is not a value, and `xxx"), "{said}");
            assert!(said.contains("(1048576 characters)"), "{said}");
        }
        assert!(diagnostic(false).as_warning("t.csv").len() < 12_000);
        error.diagnostics = vec![diagnostic(false)];
        error.origin = long;
        assert!(error.to_string().len() < 12_000);
        let usual = Diagnostic::new("place", "`short` is kept", "");
        let warning = usual.as_warning("t.csv");
        assert_eq!(warning, "warning: t.csv: place: `short` is kept\n");
    }

    #[test]
    fn foreign_text_is_harmless_wherever_it_stands() {
        let hostile = "\u{1b}]52;c;eA==\u{7}\u{9b}2J\u{7f}\u{202e}\u{200b}\u{2028}x\n\r";
        let shown = r"\u{1b}]52;c;eA==\u{7}\u{9b}2J\u{7f}\u{202e}\u{200b}\u{2028}x\n\r";
        let plain = Diagnostic::new(hostile, hostile, hostile);
        let said = Error::one(Class::Input, hostile, plain.clone()).to_string();
        let expected = format!("error: {shown}: {shown}: {shown}\n  help: {shown}\n");
        assert_eq!(said, expected);
        let warned = plain.as_warning(hostile);
        assert_eq!(warned, expected.replace("error: ", "warning: "));
        let source = format!("first\n\tab = {hostile}=\r\nlast\n");
        let at = source.find("x").expect("it is there");
        let error = Error {
            class: Class::Usage,
            origin: hostile.into(),
            source: Some(source),
            diagnostics: vec![plain.at(at..at + 1)],
        };
        let said = error.to_string();
        let is_harmless = |c: char| c == '\n' || !escape::is_active(c);
        assert!(said.chars().all(is_harmless), "{said:?}");
        assert_eq!(said.matches(shown).count(), 4, "{said}");
        // A tab is a character, and so is each of the others.
        assert!(said.contains(":2:26\n"), "{said}");
        let marked = said.lines().find(|line| line.contains("ab = ␛]52;c;eA==␇"));
        let mark = said
            .lines()
            .find(|line| line.trim() == "|     ^" || line.contains('^'));
        let place = |line: &str, c: char| line.chars().position(|found| found == c);
        let columns = (
            marked.and_then(|l| place(l, 'x')),
            mark.and_then(|l| place(l, '^')),
        );
        assert!(columns.0.is_some() && columns.0 == columns.1, "{said}");
    }

    #[test]
    fn every_class_has_its_exit_code() {
        let all = [
            Class::Check,
            Class::Usage,
            Class::Input,
            Class::Io,
            Class::Pipe,
        ];
        assert_eq!(all.map(Class::exit_code), [1, 2, 3, 4, 141]);
    }

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let source = "ab\né—c\n";
        for (offset, place) in [
            (0, (1, 1)),
            (2, (1, 3)),
            (3, (2, 1)),
            // The second byte of a character, and the third of the next.
            (4, (2, 1)),
            (5, (2, 2)),
            (7, (2, 2)),
            (8, (2, 3)),
            (9, (2, 4)),
            (10, (3, 1)),
            (99, (3, 1)),
        ] {
            assert_eq!(Error::line_column(source, offset), place, "{offset}");
        }
    }

    /// A pipe that nobody reads is told from other failures, also where the writer of CSV hides it.
    #[test]
    fn a_pipe_that_nobody_reads_is_no_other_failure() {
        use std::io;
        let class = |error: &io::Error| Error::io("f".as_ref(), "writing", error).class;
        let pipe = || io::Error::from(io::ErrorKind::BrokenPipe);
        let other = || io::Error::other("no room");
        let wrapped = |error: io::Error| io::Error::other(csv::Error::from(error));
        assert_eq!(class(&pipe()), Class::Pipe);
        assert_eq!(class(&wrapped(pipe())), Class::Pipe);
        assert_eq!(class(&other()), Class::Io);
        assert_eq!(class(&wrapped(other())), Class::Io);
        let said = Error::io("f".as_ref(), "writing", &other()).to_string();
        assert_eq!(said, "error: f: file: writing failed: no room\n");
    }

    #[test]
    fn mistakes_stand_one_below_the_other() {
        let mistake = |place: &str| Diagnostic::new(place, "wrong", "");
        let mut error = Error::one(Class::Input, "f", mistake("line 1"));
        error.diagnostics.push(mistake("line 2"));
        let said = "error: f: line 1: wrong\n\nerror: f: line 2: wrong\n";
        assert_eq!(error.to_string(), said);
    }

    #[test]
    fn the_bytes_at_fault_are_marked() {
        let error = Error {
            class: Class::Input,
            origin: "f".into(),
            source: Some("first\nabcdef\n".into()),
            diagnostics: vec![Diagnostic::new("key", "wrong", "take 1").at(8..11)],
        };
        let said = error.to_string();
        let marked = said.lines().find(|line| line.contains('^'));
        assert_eq!(marked.map(str::trim), Some("|   ^^^"), "{said}");
    }

    /// A piece is shown whole up to a length, and a text up to another one.
    #[test]
    fn pieces_are_whole_up_to_their_length() {
        let piece = |length: usize| "é".repeat(length);
        assert_eq!(brief_piece(&piece(PIECE_MAX)), piece(PIECE_MAX));
        let mut long = piece(PIECE_MAX + 1);
        long.replace_range(0..2, "a");
        long.replace_range(long.len() - 2.., "b");
        let short = format!("a{}… (161 characters) …{}b", piece(99), piece(39));
        assert_eq!(brief_piece(&long), short);
        // The piece stands in a quotation, and outside of one.
        for text in [format!("of `{long}` none"), format!("{long} `x`")] {
            assert_eq!(shown(&text), text.replace(&long, &short));
        }
        let text = |words: usize| "ab ".repeat(words);
        let whole = text(MESSAGE_MAX / 3) + "c";
        assert_eq!(
            (shown(&whole), whole.len()),
            (Cow::from(&whole), MESSAGE_MAX)
        );
        let cut = format!("{whole}…");
        assert_eq!(shown(&format!("{whole}d")), cut);
    }
}
