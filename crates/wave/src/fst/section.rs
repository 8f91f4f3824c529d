//! Value changes of an FST file: collected in order of time, written in order of variables.
//!
//! A section holds the changes of some span of time. The file wants them variable by
//! variable: a *chain* for each, of pairs (how many time steps since the one before, value).
//! So a section's changes are kept as records of 16 bytes, sorted by counting when it ends,
//! and written as chains. A chain that is equal to an earlier one, as those of the two ends
//! of a link are, is written once. Others are compressed with LZ4.

use std::collections::HashMap;
use std::io::{self, Write};

use super::hierarchy::Handle;
use super::{CHANGES, number, shorter};
use crate::value::Bit;

/// Changes of a section, at least.
const CHANGES_MIN: usize = 1 << 20;

/// Digits of values that are kept one by one, about.
const DIGITS_MAX: usize = 1 << 26;

/// Chains that are shorter are not compressed.
const COMPRESSED_BYTES_MIN: usize = 32;

/// In [`HandleChange::step`]: the value is the place of its digits in [`FstSection::digits`].
const IN_DIGITS: u32 = 1 << 31;

/// A change, as it is collected.
#[derive(Debug, Clone, Copy)]
struct HandleChange {
    handle: u32,
    /// The time step, counted in the section, and [`IN_DIGITS`].
    step: u32,
    /// The value, or where it is.
    value: u64,
}

/// The value of a variable from a time step on.
#[derive(Debug, Clone, Copy, Default)]
struct ChainEntry {
    step: u32,
    value: u64,
}

/// The changes of a span of time, and the values before them.
#[derive(Debug)]
pub(super) struct FstSection {
    /// Width in bits of every handle.
    widths: Vec<u32>,
    /// The value of every handle when the section begins: a character a bit, the most
    /// significant first.
    frame: Vec<u8>,
    /// The time of the values in the frame.
    begin: u64,
    /// True in the first section: changes of its first time step are in the frame.
    first: bool,
    /// The time steps as differences, and how many there are.
    times: Vec<u8>,
    steps: u32,
    /// The last time step.
    last: u64,
    changes: Vec<HandleChange>,
    /// Values of more than 64 bits, or with bits that are unknown or not driven.
    digits: Vec<u8>,
    // Buffers that are needed while a section is written, kept for the next one.
    sorted: Vec<ChainEntry>,
    starts: Vec<u32>,
    chains: Vec<u8>,
    chain_ends: Vec<u32>,
    out: Vec<u8>,
}

impl FstSection {
    /// Nothing known at a time.
    pub(super) fn new(widths: Vec<u32>) -> Self {
        let bits: usize = widths.iter().map(|&width| width as usize).sum();
        FstSection {
            frame: vec![b'x'; bits],
            widths,
            begin: 0,
            first: true,
            times: Vec::new(),
            steps: 0,
            last: 0,
            changes: Vec::new(),
            digits: Vec::new(),
            sorted: Vec::new(),
            starts: Vec::new(),
            chains: Vec::new(),
            chain_ends: Vec::new(),
            out: Vec::new(),
        }
    }

    /// Bytes of memory that so many variables of so many bits take at most, all told.
    pub(super) fn bytes(variables: u64, bits: u64) -> u64 {
        let changes = variables.max(CHANGES_MIN as u64) + variables;
        let change = size_of::<HandleChange>() + size_of::<ChainEntry>() + 2 * CHAIN_BYTES;
        changes * change as u64 + variables * 12 + bits
    }

    /// True when it is time to write it. Asked between time steps: each brings a change of every
    /// variable at most.
    pub(super) fn is_full(&self) -> bool {
        self.changes.len() >= CHANGES_MIN.max(self.widths.len()) || self.digits.len() >= DIGITS_MAX
    }

    /// The last time step; 0 before the first.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// True when no time step was begun.
    pub(super) fn is_empty(&self) -> bool {
        self.steps == 0
    }

    /// Begins a time step, which is behind the last one.
    pub(super) fn step(&mut self, time: u64) {
        match self.first && self.steps == 0 {
            // The frame holds what is known then, and no step of the table is needed.
            true => self.begin = time,
            false => {
                let since = match self.times.is_empty() {
                    true => 0,
                    false => self.last,
                };
                number::unsigned(time - since, &mut self.times);
            }
        }
        self.last = time;
        self.steps += 1;
    }

    /// A variable of up to 64 bits takes a known value in the last time step; bits above its
    /// width are 0.
    #[inline]
    pub(super) fn change(&mut self, handle: Handle, value: u64) {
        self.changes.push(HandleChange {
            handle: handle.0,
            step: self.steps - 1,
            value,
        });
    }

    /// A variable takes a value in the last time step, the least significant bit first.
    pub(super) fn change_bits(&mut self, handle: Handle, bits: &[Bit]) {
        let known = |bit: &Bit| matches!(bit, Bit::Zero | Bit::One);
        if bits.len() <= 64 && bits.iter().all(known) {
            let one = |bit: &Bit| u64::from(*bit == Bit::One);
            let value = bits
                .iter()
                .rev()
                .fold(0, |value, bit| value << 1 | one(bit));
            return self.change(handle, value);
        }
        let place = self.digits.len() as u64;
        let digits = bits.iter().rev().map(|bit| bit.as_char() as u8);
        self.digits.extend(digits);
        self.changes.push(HandleChange {
            handle: handle.0,
            step: (self.steps - 1) | IN_DIGITS,
            value: place,
        });
    }

    /// Writes the section and begins the next one.
    pub(super) fn write(&mut self, out: &mut impl Write) -> io::Result<u64> {
        self.sort();
        self.chain();
        self.out.clear();
        self.put_frame()?;
        self.keep_last_values();
        self.put_chains();
        self.put_times()?;
        let mut head = vec![CHANGES];
        head.extend((self.out.len() as u64 + 8 + 3 * 8).to_be_bytes());
        head.extend(self.begin.to_be_bytes());
        head.extend(self.last.to_be_bytes());
        head.extend((self.chains.len() as u64).to_be_bytes());
        out.write_all(&head)?;
        out.write_all(&self.out)?;
        self.begin = self.last;
        self.first = false;
        self.times.clear();
        self.steps = 0;
        self.changes.clear();
        self.digits.clear();
        Ok((head.len() + self.out.len()) as u64)
    }

    /// Sorts the changes by handle; those of one handle stay in order of time.
    fn sort(&mut self) {
        self.starts.clear();
        self.starts.resize(self.widths.len() + 1, 0);
        for change in &self.changes {
            self.starts[change.handle as usize] += 1;
        }
        let mut start = 0;
        for count in &mut self.starts {
            (start, *count) = (start + *count, start);
        }
        self.sorted
            .resize(self.changes.len(), ChainEntry::default());
        for change in &self.changes {
            let place = &mut self.starts[change.handle as usize];
            self.sorted[*place as usize] = ChainEntry {
                step: change.step,
                value: change.value,
            };
            *place += 1;
        }
    }

    /// The entries of every handle, in order of handles, after they are sorted.
    fn entries<'a>(
        sorted: &'a [ChainEntry],
        ends: &'a [u32],
    ) -> impl Iterator<Item = &'a [ChainEntry]> {
        let mut start = 0;
        ends.iter().map(move |&end| {
            let entries = &sorted[start..end as usize];
            start = end as usize;
            entries
        })
    }

    /// Makes the chains of all handles. Of the first section what happens in the first time
    /// step goes to the frame.
    fn chain(&mut self) {
        self.chains.clear();
        self.chain_ends.clear();
        let ends = &self.starts[..self.widths.len()];
        let mut place = 0;
        for (entries, &width) in Self::entries(&self.sorted, ends).zip(&self.widths) {
            let slot = place..place + width as usize;
            place = slot.end;
            let mut last = u32::from(self.first);
            for entry in entries {
                let step = entry.step & !IN_DIGITS;
                if self.first && step == 0 {
                    put_digits(entry, &self.digits, &mut self.frame[slot.clone()]);
                    continue;
                }
                let since = u64::from(step - last);
                last = step;
                put_entry(entry, since, width, &self.digits, &mut self.chains);
            }
            self.chain_ends.push(self.chains.len() as u32);
        }
    }

    /// Brings the frame to the end of the section.
    fn keep_last_values(&mut self) {
        let ends = &self.starts[..self.widths.len()];
        let mut place = 0;
        for (entries, &width) in Self::entries(&self.sorted, ends).zip(&self.widths) {
            let slot = place..place + width as usize;
            place = slot.end;
            if let Some(last) = entries.last() {
                put_digits(last, &self.digits, &mut self.frame[slot]);
            }
        }
    }

    fn put_frame(&mut self) -> io::Result<()> {
        let packed = shorter(&self.frame)?;
        for number in [self.frame.len(), packed.len(), self.widths.len()] {
            number::unsigned(number as u64, &mut self.out);
        }
        self.out.extend_from_slice(&packed);
        Ok(())
    }

    /// Writes every distinct chain, and behind them where each handle's is.
    fn put_chains(&mut self) {
        number::unsigned(self.widths.len() as u64, &mut self.out);
        let origin = self.out.len();
        // LZ4.
        self.out.push(b'4');
        let mut index = Vec::new();
        let mut without = 0;
        let mut written: HashMap<&[u8], u32> = HashMap::new();
        // Positions of the last chain that was written, and of the last one that was referred to.
        let (mut before, mut referred) = (0, None);
        let mut packed = Vec::new();
        let mut start = 0;
        for (handle, &end) in (1..).zip(&self.chain_ends) {
            let chain = &self.chains[start..end as usize];
            start = end as usize;
            if chain.is_empty() {
                without += 1;
                continue;
            }
            if without > 0 {
                number::unsigned(without << 1, &mut index);
                without = 0;
            }
            if let Some(&same) = written.get(chain) {
                // 0 is the one that was referred to last.
                let shown = match referred == Some(same) {
                    true => 0,
                    false => -i64::from(same),
                };
                number::signed(shown << 1 | 1, &mut index);
                referred = Some(same);
                continue;
            }
            written.insert(chain, handle);
            referred = None;
            let place = self.out.len() - origin;
            number::signed(((place - before) as i64) << 1 | 1, &mut index);
            before = place;
            let length = match chain.len() >= COMPRESSED_BYTES_MIN {
                true => {
                    packed.resize(lz4_flex::block::get_maximum_output_size(chain.len()), 0);
                    let made = lz4_flex::block::compress_into(chain, &mut packed);
                    made.ok().filter(|&length| length < chain.len())
                }
                false => None,
            };
            match length {
                Some(length) => {
                    number::unsigned(chain.len() as u64, &mut self.out);
                    self.out.extend(&packed[..length]);
                }
                None => {
                    self.out.push(0);
                    self.out.extend(chain);
                }
            }
        }
        if without > 0 {
            number::unsigned(without << 1, &mut index);
        }
        self.out.extend(&index);
        self.out.extend((index.len() as u64).to_be_bytes());
    }

    /// Lists the first time step of a file, which stands with the frame, where the file ends with
    /// it: readers expect a time.
    pub(super) fn list_only_step(&mut self) {
        if self.first && self.steps == 1 && self.times.is_empty() {
            number::unsigned(self.begin, &mut self.times);
        }
    }

    fn put_times(&mut self) -> io::Result<()> {
        let steps = match (self.first, self.steps) {
            // The first one is listed where there is no other.
            (true, 1) => u32::from(!self.times.is_empty()),
            (first, steps) => steps - u32::from(first),
        };
        let packed = shorter(&self.times)?;
        self.out.extend_from_slice(&packed);
        self.out.extend((self.times.len() as u64).to_be_bytes());
        self.out.extend((packed.len() as u64).to_be_bytes());
        self.out.extend(u64::from(steps).to_be_bytes());
        Ok(())
    }
}

/// Bytes of an entry of a chain, of a port of 8 bits and with room for longer ones.
const CHAIN_BYTES: usize = 4;

/// Appends an entry to a chain: the time steps since the one before, and the value.
#[inline]
fn put_entry(entry: &ChainEntry, since: u64, width: u32, digits: &[u8], out: &mut Vec<u8>) {
    let known = entry.step & IN_DIGITS == 0;
    match (known, width) {
        (true, 1) => number::unsigned(since << 2 | (entry.value & 1) << 1, out),
        (true, _) => {
            number::unsigned(since << 1, out);
            // The bits stand at the top of as few bytes as hold them.
            let top = entry.value << (64 - width);
            out.extend_from_slice(&top.to_be_bytes()[..width.div_ceil(8) as usize]);
        }
        (false, 1) => {
            // 0 is X, 1 is Z.
            let kind = u64::from(digits[entry.value as usize] == b'z');
            number::unsigned(since << 4 | kind << 1 | 1, out);
        }
        (false, _) => {
            let place = entry.value as usize;
            let digits = &digits[place..place + width as usize];
            let known = digits.iter().all(|digit| matches!(digit, b'0' | b'1'));
            number::unsigned(since << 1 | u64::from(!known), out);
            match known {
                true => out.extend(digits.chunks(8).map(|bits| {
                    let one = |(at, &bit): (usize, &u8)| (bit & 1) << (7 - at);
                    bits.iter().enumerate().map(one).sum::<u8>()
                })),
                false => out.extend_from_slice(digits),
            }
        }
    }
}

/// The digits of a value, a character each.
fn put_digits(entry: &ChainEntry, digits: &[u8], out: &mut [u8]) {
    if entry.step & IN_DIGITS != 0 {
        let place = entry.value as usize;
        out.copy_from_slice(&digits[place..place + out.len()]);
        return;
    }
    let mut value = entry.value;
    for digit in out.iter_mut().rev() {
        *digit = b'0' | (value & 1) as u8;
        value >>= 1;
    }
}
