//! The declarations of an FST file: scopes, variables, and the names of values.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::number;

/// Begins a scope.
const SCOPE: u8 = 254;
/// Ends one.
const UPSCOPE: u8 = 255;
/// Begins an attribute, which belongs to the variable that follows.
const ATTRIBUTE: u8 = 252;
/// A scope that is a module.
const MODULE: u8 = 0;
/// A variable that is a wire.
const WIRE: u8 = 16;
/// A variable of which no direction is told.
const NO_DIRECTION: u8 = 0;
/// Attributes of no other kind.
const MISCELLANEOUS: u8 = 0;
/// The one of them that is an enumeration: defined when it has a name, else referred to.
const ENUMERATION: u8 = 7;

/// A variable's list of changes; several variables may have one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Handle(pub(super) u32);

/// An enumeration that variables may refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Enumeration(u64);

/// Declarations as they are made, compressed.
#[derive(Debug)]
pub(crate) struct FstHierarchy {
    compressed: GzEncoder<Vec<u8>>,
    /// Bytes before compression.
    pub(super) length: u64,
    /// The entry that is being put together.
    entry: Vec<u8>,
    pub(super) scopes: u64,
    pub(super) variables: u64,
    /// Width in bits of every handle.
    pub(super) widths: Vec<u32>,
    enumerations: u64,
}

impl FstHierarchy {
    /// Nothing declared.
    pub(crate) fn new() -> Self {
        FstHierarchy {
            // Without a date or a name, so that the same run gives the same bytes.
            compressed: GzEncoder::new(Vec::new(), Compression::fast()),
            length: 0,
            entry: Vec::new(),
            scopes: 0,
            variables: 0,
            widths: Vec::new(),
            enumerations: 0,
        }
    }

    /// Begins a scope; what follows lies in it.
    pub(crate) fn open(&mut self, name: &str) -> io::Result<()> {
        self.scopes += 1;
        self.entry.extend([SCOPE, MODULE]);
        self.text(name);
        self.text("");
        self.written()
    }

    /// Ends the innermost scope.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        self.entry.push(UPSCOPE);
        self.written()
    }

    /// Declares a variable of so many bits with changes of its own.
    pub(crate) fn variable(&mut self, name: &str, width: u32) -> io::Result<Handle> {
        self.widths.push(width);
        self.wire(name, width, 0)?;
        Ok(Handle(self.widths.len() as u32 - 1))
    }

    /// Declares a variable with the changes of another one.
    pub(crate) fn alias(&mut self, name: &str, of: Handle) -> io::Result<()> {
        let width = self.widths[of.0 as usize];
        self.wire(name, width, u64::from(of.0) + 1)
    }

    /// Defines an enumeration: a name for each value of so many bits. Names have no white
    /// space in them and no backslash.
    pub(crate) fn enumeration(
        &mut self,
        name: &str,
        width: u32,
        values: &[(u64, String)],
    ) -> io::Result<Enumeration> {
        self.enumerations += 1;
        let names = values.iter().map(|(_, name)| name.clone());
        let width = width as usize;
        let binary = values.iter().map(|(value, _)| format!("{value:0width$b}"));
        let words: Vec<String> = names.chain(binary).collect();
        let text = format!("{name} {} {}", values.len(), words.join(" "));
        self.entry.extend([ATTRIBUTE, MISCELLANEOUS, ENUMERATION]);
        self.text(&text);
        number::unsigned(self.enumerations, &mut self.entry);
        self.written()?;
        Ok(Enumeration(self.enumerations))
    }

    /// Says that the values of the next variable have these names.
    pub(crate) fn named_by(&mut self, of: Enumeration) -> io::Result<()> {
        self.entry.extend([ATTRIBUTE, MISCELLANEOUS, ENUMERATION]);
        self.text("");
        number::unsigned(of.0, &mut self.entry);
        self.written()
    }

    /// The compressed declarations.
    pub(super) fn finish(self) -> io::Result<Vec<u8>> {
        self.compressed.finish()
    }

    fn wire(&mut self, name: &str, width: u32, alias: u64) -> io::Result<()> {
        self.variables += 1;
        self.entry.extend([WIRE, NO_DIRECTION]);
        self.text(name);
        number::unsigned(u64::from(width), &mut self.entry);
        number::unsigned(alias, &mut self.entry);
        self.written()
    }

    /// A text, which ends with a zero.
    fn text(&mut self, text: &str) {
        self.entry.extend(text.bytes().filter(|&byte| byte != 0));
        self.entry.push(0);
    }

    fn written(&mut self) -> io::Result<()> {
        self.length += self.entry.len() as u64;
        self.compressed.write_all(&self.entry)?;
        self.entry.clear();
        Ok(())
    }
}
