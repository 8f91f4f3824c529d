//! Files compressed with gzip, as the program `gzip` unpacks them: members one after the
//! other are one content, zeros behind them are nothing, and other bytes are left, which is
//! told.

use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use flate2::bufread::GzDecoder;

/// First bytes of a compressed file.
pub const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// The content of a compressed input.
///
/// What cannot be unpacked, or has another checksum, is an error of
/// [`InvalidData`](io::ErrorKind::InvalidData); an end within a member one of
/// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
#[derive(Debug)]
pub struct Unpacked<R> {
    /// The member that is read; `None` behind the last.
    member: Option<GzDecoder<R>>,
    leaves_bytes: Arc<AtomicBool>,
}

impl<R: BufRead> Unpacked<R> {
    /// The content of an input.
    pub fn new(input: R) -> Unpacked<R> {
        Unpacked {
            member: Some(GzDecoder::new(input)),
            leaves_bytes: Arc::default(),
        }
    }

    /// Becomes true when other bytes follow the unpacked ones; it is set when the end is read.
    pub fn leaves_bytes(&self) -> Arc<AtomicBool> {
        self.leaves_bytes.clone()
    }

    /// The next member after the one that ended; `None` at the end.
    fn behind(&self, mut input: R) -> io::Result<Option<GzDecoder<R>>> {
        let mut has_zeros = false;
        loop {
            let buffer = input.fill_buf()?;
            let Some(zeros) = buffer.iter().position(|&byte| byte != 0) else {
                let length = buffer.len();
                has_zeros |= length > 0;
                if length == 0 {
                    return Ok(None);
                }
                input.consume(length);
                continue;
            };
            // The buffer may end between the two bytes.
            let known = (buffer.len() - zeros).min(MAGIC.len());
            if zeros == 0 && !has_zeros && buffer[..known] == MAGIC[..known] {
                return Ok(Some(GzDecoder::new(input)));
            }
            self.leaves_bytes.store(true, Ordering::Relaxed);
            return Ok(None);
        }
    }
}

impl<R: BufRead> Read for Unpacked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer).map_err(|error| match error.kind() {
                io::ErrorKind::InvalidInput => io::Error::new(io::ErrorKind::InvalidData, error),
                _ => error,
            })?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let ended = self.member.take().expect("it was just read");
            self.member = self.behind(ended.into_inner())?;
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    }

    /// The content, and whether bytes are left, with buffers of all sizes.
    fn unpacked(bytes: &[u8]) -> Result<(String, bool), io::ErrorKind> {
        let read = |capacity| {
            let mut input = Unpacked::new(BufReader::with_capacity(capacity, bytes));
            let leaves_bytes = input.leaves_bytes();
            let mut content = String::new();
            let read = input.read_to_string(&mut content);
            read.map_err(|error| error.kind())?;
            Ok((content, leaves_bytes.load(Ordering::Relaxed)))
        };
        let first = read(1);
        for capacity in [2, 3, 7, 64, 1 << 16] {
            assert_eq!(read(capacity), first);
        }
        first
    }

    /// The same bytes come out as of `gzip -dc`.
    #[test]
    fn members_zeros_and_rubbish() {
        let (one, two) = (packed(b"one "), packed(b"two"));
        let text = |content: &str, left| Ok((content.to_owned(), left));
        assert_eq!(unpacked(&one), text("one ", false));
        assert_eq!(unpacked(&[&one[..], &two].concat()), text("one two", false));
        assert_eq!(
            unpacked(&[&one[..], &[0; 99]].concat()),
            text("one ", false)
        );
        assert_eq!(
            unpacked(&[&one[..], b"rubbish"].concat()),
            text("one ", true)
        );
        assert_eq!(
            unpacked(&[&one[..], &[0; 9], b"r"].concat()),
            text("one ", true)
        );
    }

    #[test]
    fn damage_is_bad_data_and_a_cut_an_early_end() {
        let whole = packed(b"some content, some content");
        for length in 1..whole.len() {
            let found = unpacked(&whole[..length]);
            assert_eq!(found, Err(io::ErrorKind::UnexpectedEof), "{length}");
        }
        let mut wrong = whole.clone();
        let checksum = wrong.len() - 8;
        wrong[checksum] ^= 1;
        assert_eq!(unpacked(&wrong), Err(io::ErrorKind::InvalidData));
    }
}
