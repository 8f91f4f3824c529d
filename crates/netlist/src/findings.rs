//! Collecting what is wrong with a netlist, up to a limit.

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// At most this many diagnostics are kept; the rest are counted.
pub(super) const LIMIT: usize = 50;

/// Mistakes found so far.
#[derive(Debug, Default)]
pub(super) struct Findings {
    diagnostics: Vec<Diagnostic>,
    left_out: usize,
}

impl Findings {
    /// Adds a mistake.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < LIMIT {
            self.diagnostics.push(diagnostic);
        } else {
            self.left_out += 1;
        }
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

    /// Everything found, for warnings.
    pub fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        self.count_rest("warnings");
        self.diagnostics
    }

    /// Tells how many were left out.
    fn count_rest(&mut self, what: &str) {
        if self.left_out > 0 {
            self.diagnostics.push(Diagnostic::new(
                "more",
                format!("{} more {what} are not shown", self.left_out),
                "mend the ones above first",
            ));
        }
    }

    /// The error of everything found, or `value` when nothing was.
    pub fn finish<T>(mut self, value: T, origin: &str, source: Option<&str>) -> Result<T, Error> {
        if self.diagnostics.is_empty() {
            return Ok(value);
        }
        self.count_rest("mistakes");
        Err(Error {
            class: Class::Input,
            origin: origin.to_owned(),
            source: source.map(str::to_owned),
            diagnostics: self.diagnostics,
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
