//! Collecting what is wrong with a netlist: mistakes of one kind are one diagnostic, with their
//! number and a few of their places.

use std::collections::BTreeMap;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// At most this many kinds are kept; the rest are counted.
pub(super) const LIMIT: usize = 50;

/// Places that are named of a kind after the first.
const PLACES: usize = 3;

/// Mistakes of one kind.
#[derive(Debug)]
struct Kind {
    first: Diagnostic,
    /// Mistakes after the first.
    more: usize,
    /// The places of the first few of them.
    places: Vec<String>,
    /// The subject of the first, of which others of the kind have another one.
    subject: String,
}

impl Kind {
    /// One diagnostic for all.
    fn into_diagnostic(self) -> Diagnostic {
        let mut found = self.first;
        if self.more > 0 {
            let rest = if self.more > self.places.len() {
                "; …"
            } else {
                ""
            };
            let places = self.places.join("; ");
            found.message.push_str(&format!(
                ", and {} more of this kind: {places}{rest}",
                self.more
            ));
        }
        found
    }
}

/// Mistakes found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    kinds: Vec<Kind>,
    /// The place of each kind in the list, by what its mistakes have in common.
    known: BTreeMap<String, usize>,
    left_out: usize,
}

impl Findings {
    /// Adds a mistake. Those with the same message and help are of one kind, unless they have spans
    /// in a source text.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let kind = format!("{}\n{}", diagnostic.message, diagnostic.help);
        self.enter(kind, "", diagnostic);
    }

    /// Adds a mistake without a span.
    pub fn add(
        &mut self,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.push(Diagnostic::new(place, message, help));
    }

    /// Adds a mistake of a kind whose messages differ in their subject.
    pub fn add_of_kind(
        &mut self,
        kind: &str,
        subject: &str,
        place: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let found = Diagnostic::new(place, message, help);
        self.enter(kind.to_owned(), subject, found);
    }

    fn enter(&mut self, kind: String, subject: &str, found: Diagnostic) {
        let known = self.known.get(&kind).filter(|_| found.span.is_none());
        if let Some(&at) = known {
            let known = &mut self.kinds[at];
            known.more += 1;
            if known.places.len() < PLACES {
                known.places.push(match subject == known.subject {
                    true => found.place,
                    false => format!("{}, {subject}", found.place),
                });
            }
        } else if self.kinds.len() < LIMIT {
            self.known.insert(kind, self.kinds.len());
            self.kinds.push(Kind {
                first: found,
                more: 0,
                places: Vec::new(),
                subject: subject.to_owned(),
            });
        } else {
            self.left_out += 1;
        }
    }

    /// Everything found, for warnings.
    pub fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.with_rest("warnings")
    }

    /// Everything found, and how many were left out.
    fn with_rest(self, what: &str) -> Vec<Diagnostic> {
        let mut all: Vec<Diagnostic> = self.kinds.into_iter().map(Kind::into_diagnostic).collect();
        if self.left_out > 0 {
            all.push(Diagnostic::new(
                "more",
                format!("{} more {what} of other kinds are not shown", self.left_out),
                "fix the ones above first",
            ));
        }
        all
    }

    /// The error of everything found, or `value` when nothing was.
    pub fn finish<T>(self, value: T, origin: &str, source: Option<&str>) -> Result<T, Error> {
        if self.kinds.is_empty() {
            return Ok(value);
        }
        Err(Error {
            class: Class::Input,
            origin: origin.to_owned(),
            source: source.map(str::to_owned),
            diagnostics: self.with_rest("mistakes"),
        })
    }
}

/// A place in a netlist: `module M, cell C, port P, bit B (file:line)`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NetlistPlace<'a> {
    pub module: &'a str,
    pub cell: Option<&'a str>,
    pub port: Option<&'a str>,
    pub bit: Option<usize>,
    /// The `src` attribute of the nearest thing that has one, or empty.
    pub src: &'a str,
}

impl<'a> NetlistPlace<'a> {
    /// The place of a module.
    pub fn module(module: &'a str, src: &'a str) -> Self {
        NetlistPlace {
            module,
            src,
            ..NetlistPlace::default()
        }
    }

    /// The same place narrowed to a cell; its `src` replaces that of the module.
    pub fn cell(self, cell: &'a str, src: &'a str) -> Self {
        NetlistPlace {
            cell: Some(cell),
            src: if src.is_empty() { self.src } else { src },
            ..self
        }
    }

    /// The same place narrowed to a port.
    pub fn port(self, port: &'a str) -> Self {
        NetlistPlace {
            port: Some(port),
            ..self
        }
    }

    /// The same place narrowed to a bit.
    pub fn bit(self, bit: usize) -> Self {
        NetlistPlace {
            bit: Some(bit),
            ..self
        }
    }
}

impl std::fmt::Display for NetlistPlace<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "module {}", self.module)?;
        if let Some(cell) = self.cell {
            write!(f, ", cell {cell}")?;
        }
        if let Some(port) = self.port {
            write!(f, ", port {port}")?;
        }
        if let Some(bit) = self.bit {
            write!(f, ", bit {bit}")?;
        }
        if !self.src.is_empty() {
            write!(f, " ({})", self.src)?;
        }
        Ok(())
    }
}

impl From<NetlistPlace<'_>> for String {
    fn from(place: NetlistPlace<'_>) -> String {
        place.to_string()
    }
}
