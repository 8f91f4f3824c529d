//! What crosswave says of wrong input.
//!
//! A reader of foreign bytes returns an [`Error`]: a class, which decides the
//! exit code, and one [`Diagnostic`] per mistake found. Each names the place,
//! what was found, what was expected, and how to mend it.
//!
//! Foreign text is repeated in part only when it is long: of a quotation or a word of
//! more than [`PIECE_MAX`] characters the beginning and the end are shown, of a whole
//! message [`MESSAGE_MAX`] characters. Whoever makes a diagnostic need not care.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

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
    /// Where: a key, a JSON path, a line and column, or `module M, cell C, port P, bit B`.
    pub place: String,
    /// What was found there, and what was expected.
    pub message: String,
    /// How to mend it; empty when the message says it already.
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
        let (place, message) = (brief(&self.place), brief(&self.message));
        let mut text = format!("warning: {origin}: {place}: {message}\n");
        if !self.help.is_empty() {
            text.push_str(&format!("  help: {}\n", brief(&self.help)));
        }
        text
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
                    let end = span.end.min(source.len());
                    let start = span.start.min(end);
                    let (place, message) = (brief(&diagnostic.place), brief(&diagnostic.message));
                    let title = format!("{place}: {message}");
                    let help = brief(&diagnostic.help);
                    let mut group = Level::ERROR.primary_title(title).element(
                        Snippet::source(source.as_str())
                            .path(self.origin.as_str())
                            .annotation(AnnotationKind::Primary.span(start..end)),
                    );
                    if !diagnostic.help.is_empty() {
                        group = group.element(Level::HELP.message(help.as_ref()));
                    }
                    writeln!(f, "{}", Renderer::plain().render(&[group]))?;
                }
                _ => {
                    writeln!(
                        f,
                        "error: {}: {}: {}",
                        self.origin,
                        brief(&diagnostic.place),
                        brief(&diagnostic.message)
                    )?;
                    if !diagnostic.help.is_empty() {
                        writeln!(f, "  help: {}", brief(&diagnostic.help))?;
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
                short.push_str(&brief_piece(word));
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
fn brief_piece(piece: &str) -> Cow<'_, str> {
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
        let usual = Diagnostic::new("place", "`short` is kept", "");
        let warning = usual.as_warning("t.csv");
        assert_eq!(warning, "warning: t.csv: place: `short` is kept\n");
    }
}
