//! The sections of an FST file, walked before anything is read of them.
//!
//! The reader below believes the lengths that a file tells, and allocates by them. So every
//! length is compared here with the bytes that there are: a section lies in the file, and no
//! compression makes more of a byte than it can.

use std::io::{self, BufRead, Seek, SeekFrom};

/// Bytes that a compressed byte becomes at most: deflate 1,032, LZ4 255.
const EXPANSION_MAX: u64 = 1_032;

/// Sections of a file at most: each has changes, of which there are many.
const SECTIONS_MAX: u64 = 1 << 24;

/// Handles at most, which take memory before anything is read.
const HANDLES_MAX: u64 = 1 << 27;

/// Where something is wrong, and what.
pub(super) type Mistake = (String, String);

/// Walks the sections and gives how many handles there are. An `Err` within is a mistake of
/// the file.
pub(super) fn check(input: &mut (impl BufRead + Seek)) -> io::Result<Result<usize, Mistake>> {
    let length = input.seek(SeekFrom::End(0))?;
    let mut walk = Walk {
        input,
        length,
        handles: None,
    };
    let result = walk.sections();
    walk.input.seek(SeekFrom::Start(0))?;
    match result {
        Ok(handles) => Ok(Ok(handles as usize)),
        Err(Failure::Mistake(mistake)) => Ok(Err(mistake)),
        Err(Failure::Input(error)) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(Err((
            "end of file".into(),
            "the file ends in the middle of a section".into(),
        ))),
        Err(Failure::Input(error)) => Err(error),
    }
}

enum Failure {
    Mistake(Mistake),
    Input(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Input(error)
    }
}

struct Walk<'a, R> {
    input: &'a mut R,
    /// Bytes of the file.
    length: u64,
    /// Handles, by the geometry.
    handles: Option<u64>,
}

impl<R: BufRead + Seek> Walk<'_, R> {
    fn sections(&mut self) -> Result<u64, Failure> {
        let (mut place, mut count) = (0, 0);
        let (mut headers, mut hierarchies) = (0, 0);
        while place < self.length {
            self.input.seek(SeekFrom::Start(place))?;
            let kind = self.byte()?;
            let section = self.number()?;
            if kind == 255 && section == 0 {
                break;
            }
            let left = self.length - place - 1;
            if section < 8 || section > left {
                return Err(wrong(
                    place,
                    format!("a section of {section} bytes, and the file has {left} more"),
                ));
            }
            match kind {
                0 => {
                    headers += 1;
                    self.header(place, section)?;
                }
                1 | 5 => self.changes(place, section, true)?,
                8 => self.changes(place, section, false)?,
                2 => self.blackouts(place, section)?,
                3 => self.geometry(place, section)?,
                4 | 6 | 7 => {
                    hierarchies += 1;
                    self.hierarchy(place, section)?;
                }
                255 => {}
                _ => {
                    return Err(wrong(
                        place,
                        format!("a section of the unknown kind {kind}"),
                    ));
                }
            }
            place += 1 + section;
            count += 1;
            if count > SECTIONS_MAX {
                return Err(wrong(place, "too many sections".into()));
            }
        }
        match (headers, hierarchies, self.handles) {
            (1, 1, Some(handles)) => Ok(handles),
            _ => Err(Failure::Mistake((
                "end of file".into(),
                format!(
                    "{headers} headers, {hierarchies} hierarchies and {} geometry, expected one of \
                     each; the program that wrote it was probably stopped",
                    if self.handles.is_some() { "a" } else { "no" }
                ),
            ))),
        }
    }

    fn header(&mut self, place: u64, section: u64) -> Result<(), Failure> {
        if place != 0 || section != 329 {
            return Err(wrong(place, format!("a header of {section} bytes")));
        }
        Ok(())
    }

    fn geometry(&mut self, place: u64, section: u64) -> Result<(), Failure> {
        let packed = within(place, section, 3 * 8)?;
        let length = self.number()?;
        let handles = self.number()?;
        expands(place, packed, length)?;
        if handles > length || handles > HANDLES_MAX || self.handles.is_some() {
            return Err(wrong(
                place,
                format!("{handles} variables in {length} bytes"),
            ));
        }
        self.handles = Some(handles);
        Ok(())
    }

    fn hierarchy(&mut self, place: u64, section: u64) -> Result<(), Failure> {
        let packed = within(place, section, 2 * 8)?;
        let length = self.number()?;
        // Compressed twice, where it is LZ4 of LZ4.
        expands(place, packed.saturating_mul(255), length)
    }

    fn blackouts(&mut self, place: u64, section: u64) -> Result<(), Failure> {
        let held = within(place, section, 8)?;
        let count = self.variable()?;
        match count <= held {
            true => Ok(()),
            false => Err(wrong(place, format!("{count} times in {held} bytes"))),
        }
    }

    /// Changes; those of an older kind have an index in which a number of handles without
    /// changes is believed when it is read.
    fn changes(&mut self, place: u64, section: u64, is_older: bool) -> Result<(), Failure> {
        let held = within(place, section, 4 * 8 + 3 * 8)?;
        let (begin, end) = (self.number()?, self.number()?);
        if begin > end {
            let what = format!("changes from time {begin} to time {end}");
            return Err(wrong(place, what));
        }
        self.number()?;
        let (length, packed, handles) = (self.variable()?, self.variable()?, self.variable()?);
        expands(place, packed, length)?;
        let behind = self.input.stream_position()?.saturating_add(packed);
        let end = place + 1 + section;
        if packed > held || behind > end || self.handles.is_some_and(|known| handles > known) {
            return Err(wrong(place, format!("first values of {packed} bytes")));
        }
        self.input.seek(SeekFrom::Start(behind))?;
        let chains = self.variable()?;
        if chains > HANDLES_MAX || self.handles.is_some_and(|known| chains > known) {
            return Err(wrong(place, format!("changes of {chains} variables")));
        }
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
    fn older_index(&mut self, place: u64, end: u64, chains: u64) -> Result<(), Failure> {
        let mut handles = 0_u64;
        while self.input.stream_position()? < end {
            let entry = self.variable()?;
            handles = match entry {
                0 => {
                    self.variable()?;
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

    /// A number of variable length; one that is too long is too large for everything.
    fn variable(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Ok(u64::MAX)
    }
}

fn wrong(place: u64, what: String) -> Failure {
    Failure::Mistake((format!("byte {place}"), format!("found {what}")))
}

/// What is left of a section behind numbers of so many bytes.
fn within(place: u64, section: u64, numbers: u64) -> Result<u64, Failure> {
    let short = || wrong(place, format!("a section of {section} bytes"));
    section.checked_sub(numbers).ok_or_else(short)
}

/// Fails when so many bytes cannot become so many.
fn expands(place: u64, packed: u64, length: u64) -> Result<(), Failure> {
    match length
        <= packed
            .saturating_mul(EXPANSION_MAX)
            .saturating_add(EXPANSION_MAX)
    {
        true => Ok(()),
        false => Err(wrong(place, format!("{length} bytes in {packed}"))),
    }
}
