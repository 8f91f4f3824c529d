//! The sections of an FST file, walked before anything is read of them.
//!
//! The reader below believes the lengths that a file tells, and allocates by them. So every
//! length is compared here with the bytes that there are: a section lies in the file, and no
//! compression makes more of a byte than it can.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Read, Seek, SeekFrom};

/// Bytes that a compressed byte becomes at most: deflate 1,032, LZ4 255.
const EXPANSION_MAX: u64 = 1_032;

/// Sections of a file at most: each has changes, of which there are many.
const SECTIONS_MAX: u64 = 1 << 24;

/// Handles at most, which take memory before anything is read.
const HANDLES_MAX: u64 = 1 << 27;

/// A mistake: its place in the file, and the finding.
pub(super) type FstMistake = (String, String);

/// The sections of a file.
#[derive(Debug, Default)]
pub(super) struct Sections {
    /// Bytes of the whole sections.
    pub(super) whole: u64,
    /// True when other bytes follow them.
    pub(super) is_cut: bool,
    /// Handles, by the section of their widths.
    pub(super) handles: Option<u64>,
    /// The kind and the place of the declarations.
    pub(super) hierarchy: Option<(u8, u64)>,
    /// The most handles that a section of changes has.
    pub(super) handles_of_changes: u64,
    /// The sections of changes.
    pub(super) changes: Vec<ChangesSection>,
    /// The times of `$dumpon`.
    pub(super) dump_on: BTreeSet<u64>,
}

impl Sections {
    /// The last time that a section of changes has.
    pub(super) fn last_time(&self) -> Option<u64> {
        self.changes.iter().map(|section| section.last).max()
    }
}

/// A section of changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChangesSection {
    /// Its first byte in the file.
    pub(super) place: u64,
    /// Its first time.
    pub(super) begin: u64,
    /// Its last one.
    pub(super) last: u64,
}

/// Walks the sections. An `Err` within is a mistake of the file.
pub(super) fn check(input: &mut (impl BufRead + Seek)) -> io::Result<Result<Sections, FstMistake>> {
    let length = input.seek(SeekFrom::End(0))?;
    input.seek(SeekFrom::Start(0))?;
    let mut walk = Walk {
        input,
        length,
        found: Sections::default(),
    };
    let result = walk.sections();
    walk.input.seek(SeekFrom::Start(0))?;
    match result {
        Ok(()) => Ok(Ok(walk.found)),
        Err(CheckFailure::Mistake(mistake)) => Ok(Err(mistake)),
        Err(CheckFailure::Input(error)) if error.kind() == io::ErrorKind::UnexpectedEof => {
            Ok(Err((
                "end of file".into(),
                "the file ends in the middle of a section".into(),
            )))
        }
        Err(CheckFailure::Input(error)) => Err(error),
    }
}

enum CheckFailure {
    Mistake(FstMistake),
    Input(io::Error),
}

impl From<io::Error> for CheckFailure {
    fn from(error: io::Error) -> Self {
        CheckFailure::Input(error)
    }
}

struct Walk<'a, R> {
    input: &'a mut R,
    /// Bytes of the file.
    length: u64,
    found: Sections,
}

impl<R: BufRead + Seek> Walk<'_, R> {
    fn sections(&mut self) -> Result<(), CheckFailure> {
        let (mut place, mut count) = (0, 0);
        while place < self.length {
            self.input.seek(SeekFrom::Start(place))?;
            let left = self.length - place - 1;
            let (kind, section) = match left {
                8.. => (self.byte()?, self.number()?),
                _ => (self.byte()?, 0),
            };
            if place > 0 && (section < 8 || section > left) {
                // A writer gives a section its kind and its length when it is whole.
                self.found.is_cut = true;
                break;
            }
            if section > left {
                return Err(wrong(
                    place,
                    format!("a section of {section} bytes, and the file has {left} more"),
                ));
            }
            match kind {
                0 => self.header(place, section)?,
                1 | 5 => self.changes(place, section, true)?,
                8 => self.changes(place, section, false)?,
                2 => self.blackouts(place, section)?,
                3 => self.geometry(place, section)?,
                4 | 6 | 7 => self.hierarchy(kind, place, section)?,
                255 => {}
                _ => {
                    return Err(wrong(
                        place,
                        format!("a section of the unknown kind {kind}"),
                    ));
                }
            }
            place += 1 + section;
            self.found.whole = place;
            count += 1;
            if count > SECTIONS_MAX {
                return Err(wrong(place, "too many sections".into()));
            }
        }
        Ok(())
    }

    fn header(&mut self, place: u64, section: u64) -> Result<(), CheckFailure> {
        if place != 0 || section != 329 {
            return Err(wrong(place, format!("a header of {section} bytes")));
        }
        Ok(())
    }

    fn geometry(&mut self, place: u64, section: u64) -> Result<(), CheckFailure> {
        let packed = within(place, section, 3 * 8)?;
        let length = self.number()?;
        let handles = self.number()?;
        expands(place, packed, length)?;
        if handles > length || handles > HANDLES_MAX || self.found.handles.is_some() {
            return Err(wrong(
                place,
                format!("{handles} variables in {length} bytes"),
            ));
        }
        self.found.handles = Some(handles);
        Ok(())
    }

    fn hierarchy(&mut self, kind: u8, place: u64, section: u64) -> Result<(), CheckFailure> {
        if self.found.hierarchy.replace((kind, place)).is_some() {
            return Err(wrong(place, "a second section of declarations".into()));
        }
        let packed = within(place, section, 2 * 8)?;
        let length = self.number()?;
        // Compressed twice, where it is LZ4 of LZ4.
        expands(place, packed.saturating_mul(255), length)
    }

    /// The times of `$dumpoff` and `$dumpon`: whether it is the latter, and the time since the
    /// one before.
    fn blackouts(&mut self, place: u64, section: u64) -> Result<(), CheckFailure> {
        let held = within(place, section, 8)?;
        let count = variable(self.input)?;
        if count > held {
            return Err(wrong(place, format!("{count} times in {held} bytes")));
        }
        let mut time = 0_u64;
        for _ in 0..count {
            let is_on = self.byte()? != 0;
            time = time.saturating_add(variable(self.input)?);
            if is_on {
                self.found.dump_on.insert(time);
            }
        }
        Ok(())
    }

    /// Changes; those of an older kind have an index in which a number of handles without
    /// changes is believed when it is read.
    fn changes(&mut self, place: u64, section: u64, is_older: bool) -> Result<(), CheckFailure> {
        let held = within(place, section, 4 * 8 + 3 * 8)?;
        let (begin, last) = (self.number()?, self.number()?);
        if begin > last {
            let what = format!("changes from time {begin} to time {last}");
            return Err(wrong(place, what));
        }
        self.found
            .changes
            .push(ChangesSection { place, begin, last });
        self.number()?;
        let (length, packed, handles) = (
            variable(self.input)?,
            variable(self.input)?,
            variable(self.input)?,
        );
        expands(place, packed, length)?;
        let behind = self.input.stream_position()?.saturating_add(packed);
        let end = place + 1 + section;
        let known = self.found.handles;
        if packed > held || behind > end || known.is_some_and(|known| handles > known) {
            return Err(wrong(place, format!("first values of {packed} bytes")));
        }
        self.input.seek(SeekFrom::Start(behind))?;
        let chains = variable(self.input)?;
        if chains > HANDLES_MAX || known.is_some_and(|known| chains > known) {
            return Err(wrong(place, format!("changes of {chains} variables")));
        }
        let most = self.found.handles_of_changes.max(handles);
        self.found.handles_of_changes = most.max(chains);
        self.input.seek(SeekFrom::Start(end - 3 * 8))?;
        let (length, packed, steps) = (self.number()?, self.number()?, self.number()?);
        expands(place, packed, length)?;
        if packed > held || steps > length {
            return Err(wrong(place, format!("{steps} times in {packed} bytes")));
        }
        // The length of the index of the chains stands before the times.
        let before = end - 3 * 8 - packed - 8;
        if before < behind {
            return Err(wrong(place, format!("{packed} bytes of times")));
        }
        self.input.seek(SeekFrom::Start(before))?;
        let index = self.number()?;
        if index > before - behind {
            return Err(wrong(place, format!("an index of {index} bytes")));
        }
        if is_older {
            self.input.seek(SeekFrom::Start(before - index))?;
            self.older_index(place, before, chains)?;
        }
        Ok(())
    }

    /// An index of an older kind, which ends at `end`: numbers of handles without changes
    /// are even, and a zero and what stands behind it is a reference.
    fn older_index(&mut self, place: u64, end: u64, chains: u64) -> Result<(), CheckFailure> {
        let mut handles = 0_u64;
        while self.input.stream_position()? < end {
            let entry = variable(self.input)?;
            handles = match entry {
                0 => {
                    variable(self.input)?;
                    handles + 1
                }
                entry if entry % 2 == 0 => handles.saturating_add(entry / 2),
                _ => handles + 1,
            };
            if handles > chains {
                return Err(wrong(place, format!("an index of {handles} variables")));
            }
        }
        Ok(())
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn number(&mut self) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.input.read_exact(&mut bytes)?;
        Ok(u64::from_be_bytes(bytes))
    }
}

/// A number of variable length; one that is too long is too large for everything.
pub(super) fn variable(input: &mut impl Read) -> io::Result<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let mut byte = [0];
        input.read_exact(&mut byte)?;
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(value);
        }
    }
    Ok(u64::MAX)
}

fn wrong(place: u64, what: String) -> CheckFailure {
    CheckFailure::Mistake((format!("byte {place}"), format!("found {what}")))
}

/// Bytes of a section that remain after numbers of so many bytes.
fn within(place: u64, section: u64, numbers: u64) -> Result<u64, CheckFailure> {
    let short = || wrong(place, format!("a section of {section} bytes"));
    section.checked_sub(numbers).ok_or_else(short)
}

/// Fails when so many bytes cannot become so many.
fn expands(place: u64, packed: u64, length: u64) -> Result<(), CheckFailure> {
    match length
        <= packed
            .saturating_mul(EXPANSION_MAX)
            .saturating_add(EXPANSION_MAX)
    {
        true => Ok(()),
        false => Err(wrong(place, format!("{length} bytes in {packed}"))),
    }
}
