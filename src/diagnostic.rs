//! What crosswave says of wrong input.
//!
//! A reader of foreign bytes returns a [`Report`]: a class, which decides the
//! exit code, and one [`Diagnostic`] per mistake found. Each names the place,
//! what was found, what was expected, and how to mend it.

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
}

impl Class {
    /// The exit code of a command that ends with this class.
    pub fn exit_code(self) -> u8 {
        match self {
            Class::Check => 1,
            Class::Usage => 2,
            Class::Input => 3,
            Class::Io => 4,
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

    /// The same diagnostic with the bytes of the source that are at fault.
    pub fn at(mut self, span: Range<usize>) -> Self {
        self.span = Some(span);
        self
    }
}

/// One or more mistakes in one input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The class, which decides the exit code.
    pub class: Class,
    /// The input: a file name, `command line`, or the name of a netlist.
    pub origin: String,
    /// The text of the input, when lines of it can be shown.
    pub source: Option<String>,
    /// The mistakes, in order of their place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// A report of one mistake.
    pub fn one(class: Class, origin: impl Into<String>, diagnostic: Diagnostic) -> Self {
        Report {
            class,
            origin: origin.into(),
            source: None,
            diagnostics: vec![diagnostic],
        }
    }

    /// A report that an operation on `path` failed.
    pub fn io(path: &std::path::Path, doing: &str, error: &std::io::Error) -> Self {
        Report::one(
            Class::Io,
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

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            match (&self.source, &diagnostic.span) {
                (Some(source), Some(span)) => {
                    let end = span.end.min(source.len());
                    let start = span.start.min(end);
                    let title = format!("{}: {}", diagnostic.place, diagnostic.message);
                    let mut group = Level::ERROR.primary_title(title).element(
                        Snippet::source(source.as_str())
                            .path(self.origin.as_str())
                            .annotation(AnnotationKind::Primary.span(start..end)),
                    );
                    if !diagnostic.help.is_empty() {
                        group = group.element(Level::HELP.message(diagnostic.help.as_str()));
                    }
                    writeln!(f, "{}", Renderer::plain().render(&[group]))?;
                }
                _ => {
                    writeln!(
                        f,
                        "error: {}: {}: {}",
                        self.origin, diagnostic.place, diagnostic.message
                    )?;
                    if !diagnostic.help.is_empty() {
                        writeln!(f, "  help: {}", diagnostic.help)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl std::error::Error for Report {}
