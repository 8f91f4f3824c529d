//! Transactions in FTR, the fast transaction recording of LWTR4SC: CBOR (RFC 8949), in chunks.
//!
//! ```text
//! file  = tag 55799, array of unknown length: info, dictionary | directory | block …, break
//! info        = tag 6, bytes: [exponent of the unit in seconds, tag 1 time of creation]
//! dictionary  = tag 8, bytes: map number -> text
//! directory   = tag 10, bytes: array of unknown length:
//!               tag 16 [stream, name, kind] | tag 17 [generator, name, stream]
//! block       = tag 12, [stream, first time, last time, bytes: array of unknown length:
//!               [tag 6 [transaction, generator, from, to], attribute …]]
//! attribute   = tag 8 [name, type, value]    types: 3 unsigned, 10 text
//! ```
//!
//! Names and texts are numbers in the dictionary, which comes in parts, each before the first
//! block that needs it. A stream is a sending node, with the generators `messages`, `attempts`
//! and `hops`. The unit is a nanosecond, its exponent -9. The time of creation is 0, so that a
//! file is the same bytes every time.
//!
//! Relations between transactions are left out: readers look through all of them for each
//! transaction. Blocks are not compressed.
//!
//! Memory: what has not been written yet, about `FLUSH_BYTES`.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::{self, Write};

use minicbor::Encoder;
use minicbor::data::Tag;
use minicbor::encode::Error;

use super::{Attribute, Transaction, TransactionKind, TransactionSink, nanoseconds};

#[cfg(test)]
mod tests;

/// Bytes of blocks that are kept before they are written.
const FLUSH_BYTES: usize = 1 << 22;

/// The tag that marks CBOR.
const SELF_DESCRIBED: u64 = 55799;
const INFO: u64 = 6;
const DICTIONARY: u64 = 8;
const DIRECTORY: u64 = 10;
const BLOCK: u64 = 12;
const STREAM: u64 = 16;
const GENERATOR: u64 = 17;
const EVENT: u64 = 6;
const RECORD: u64 = 8;
const UNSIGNED: u8 = 3;
const TEXT: u8 = 10;
/// The unit of times, as an exponent of ten of seconds.
const UNIT: i8 = -9;

/// The generators of a stream.
const GENERATORS: [&str; 3] = ["messages", "attempts", "hops"];

/// CBOR in memory.
type Bytes = Encoder<Vec<u8>>;

/// Unwraps the result of encoding into memory, which takes all bytes.
fn encoded(result: Result<&mut Bytes, Error<Infallible>>) {
    result.expect("memory takes all bytes");
}

/// The texts and their numbers.
#[derive(Default)]
struct Dictionary {
    numbers: BTreeMap<String, u64>,
    /// Texts that are not written yet.
    fresh: Vec<(u64, String)>,
}

impl Dictionary {
    fn number(&mut self, text: &str) -> u64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        // 0 is the empty text.
        let number = self.numbers.len() as u64 + 1;
        self.numbers.insert(text.to_owned(), number);
        self.fresh.push((number, text.to_owned()));
        number
    }
}

/// The transactions of a node that are not written yet.
#[derive(Default)]
struct Block {
    /// The transactions; empty when there are none.
    bytes: Vec<u8>,
    first: u64,
    last: u64,
}

/// Writes FTR.
pub struct FtrWriter<W: Write> {
    out: W,
    dictionary: Dictionary,
    /// By node.
    blocks: Vec<Block>,
    /// Nodes that are in the directory.
    listed: Vec<bool>,
    /// Bytes of all blocks.
    kept: usize,
    transactions: u64,
}

impl<W: Write> FtrWriter<W> {
    /// Writes the transactions of a network of so many nodes.
    ///
    /// # Errors
    /// When writing fails.
    pub fn new(nodes: u32, mut out: W) -> io::Result<Self> {
        let mut head = Encoder::new(Vec::new());
        encoded(
            head.tag(Tag::new(SELF_DESCRIBED))
                .and_then(|head| head.begin_array()),
        );
        let mut info = Encoder::new(Vec::new());
        let fields = info.array(2).and_then(|info| info.i8(UNIT));
        encoded(fields.and_then(|info| info.tag(Tag::new(1))?.u64(0)));
        encoded(chunk(&mut head, INFO, info));
        out.write_all(head.writer())?;
        Ok(FtrWriter {
            out,
            dictionary: Dictionary::default(),
            blocks: (0..nodes).map(|_| Block::default()).collect(),
            listed: vec![false; nodes as usize],
            kept: 0,
            transactions: 0,
        })
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When writing fails.
    pub fn finish(mut self) -> io::Result<()> {
        self.write_blocks()?;
        let mut end = Encoder::new(Vec::new());
        encoded(end.end());
        self.out.write_all(end.writer())?;
        self.out.flush()
    }

    /// Writes what is kept, after what it needs of the dictionary and the directory.
    fn write_blocks(&mut self) -> io::Result<()> {
        let full = |node: &u32| !self.blocks[*node as usize].bytes.is_empty();
        let nodes: Vec<u32> = (0..self.blocks.len() as u32).filter(full).collect();
        let mut directory = Encoder::new(Vec::new());
        encoded(directory.begin_array());
        for &node in &nodes {
            if !std::mem::replace(&mut self.listed[node as usize], true) {
                self.list(node, &mut directory);
            }
        }
        encoded(directory.end());
        let mut written = Encoder::new(Vec::new());
        let mut texts = Encoder::new(Vec::new());
        encoded(texts.map(self.dictionary.fresh.len() as u64));
        for (number, text) in self.dictionary.fresh.drain(..) {
            encoded(texts.u64(number).and_then(|texts| texts.str(&text)));
        }
        encoded(chunk(&mut written, DICTIONARY, texts));
        encoded(chunk(&mut written, DIRECTORY, directory));
        for node in nodes {
            let Block { bytes, first, last } = std::mem::take(&mut self.blocks[node as usize]);
            let mut content = Encoder::new(Vec::new());
            encoded(content.begin_array());
            content.writer_mut().extend_from_slice(&bytes);
            encoded(content.end());
            let head = written
                .tag(Tag::new(BLOCK))
                .and_then(|block| block.array(4));
            let head = head.and_then(|block| block.u64(stream(node))?.u64(first)?.u64(last));
            encoded(head.and_then(|block| block.bytes(content.writer())));
        }
        self.kept = 0;
        self.out.write_all(written.writer())
    }

    /// Puts a node into the directory.
    fn list(&mut self, node: u32, directory: &mut Bytes) {
        let name = self.dictionary.number(&format!("node_{node}"));
        let kind = self.dictionary.number("node");
        let entry = directory
            .tag(Tag::new(STREAM))
            .and_then(|entry| entry.array(3));
        encoded(entry.and_then(|entry| entry.u64(stream(node))?.u64(name)?.u64(kind)));
        for (at, of) in GENERATORS.into_iter().enumerate() {
            let name = self.dictionary.number(of);
            let entry = directory
                .tag(Tag::new(GENERATOR))
                .and_then(|entry| entry.array(3));
            let fields = [generator(node, at), name, stream(node)];
            encoded(entry.and_then(|entry| {
                let [id, name, of] = fields;
                entry.u64(id)?.u64(name)?.u64(of)
            }));
        }
    }
}

/// A chunk with a content.
fn chunk(out: &mut Bytes, tag: u64, content: Bytes) -> Result<&mut Bytes, Error<Infallible>> {
    out.tag(Tag::new(tag))?.bytes(content.writer())
}

/// The stream of a node; 0 is none.
fn stream(node: u32) -> u64 {
    u64::from(node) + 1
}

/// A generator of a node. Streams and generators have numbers of their own.
fn generator(node: u32, at: usize) -> u64 {
    u64::from(node) * GENERATORS.len() as u64 + at as u64 + 1
}

impl<W: Write> TransactionSink for FtrWriter<W> {
    fn transaction(&mut self, transaction: &Transaction<'_>) -> io::Result<()> {
        let Transaction {
            kind,
            node,
            from_cycle,
            to_cycle,
            ref attributes,
        } = *transaction;
        let at = match kind {
            TransactionKind::Message => 0,
            TransactionKind::Attempt => 1,
            TransactionKind::Hop(_) => 2,
        };
        let (from, to) = (nanoseconds(from_cycle), nanoseconds(to_cycle));
        self.transactions += 1;
        let fields = [self.transactions, generator(node, at), from, to];
        let mut bytes = Encoder::new(Vec::new());
        let head = bytes.array(1 + attributes.len() as u64);
        let head = head.and_then(|head| head.tag(Tag::new(EVENT))?.array(4));
        encoded(head.and_then(|head| {
            let [id, generator, from, to] = fields;
            head.u64(id)?.u64(generator)?.u64(from)?.u64(to)
        }));
        for (name, value) in attributes {
            let name = self.dictionary.number(name);
            let (of, value) = match *value {
                Attribute::Number(number) => (UNSIGNED, number),
                Attribute::Name(text) => (TEXT, self.dictionary.number(text)),
            };
            let record = bytes
                .tag(Tag::new(RECORD))
                .and_then(|record| record.array(3));
            encoded(record.and_then(|record| record.u64(name)?.u8(of)?.u64(value)));
        }
        let bytes = bytes.into_writer();
        self.kept += bytes.len();
        let block = &mut self.blocks[node as usize];
        if block.bytes.is_empty() {
            (block.first, block.last) = (from, to);
        }
        (block.first, block.last) = (block.first.min(from), block.last.max(to));
        block.bytes.extend(bytes);
        match self.kept > FLUSH_BYTES {
            true => self.write_blocks(),
            false => Ok(()),
        }
    }
}
