//! Files compressed with gzip, as the program `gzip` unpacks them: members one after the
//! other are one content, zeros behind them are nothing, and other bytes are left, which is
//! told.
//!
//! Written content is cut into pieces of the same length, each of which is a member. They are
//! compressed side by side, and the bytes do not depend on how many threads do it.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, bounded};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;

use crate::threads::processors;

/// Bytes of the content of a member that is written, but for the last one.
const PIECE: usize = 1 << 20;

/// The most threads that compress for one output: nobody writes faster. Each takes some 3 MiB.
const THREADS_MAX: usize = 4;

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

/// One member with a content.
fn member(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let written = encoder.write_all(content);
    let finished = written.and_then(|()| encoder.finish());
    finished.expect("memory takes all bytes")
}

/// A content and where its member goes.
type Job = (Vec<u8>, Sender<Vec<u8>>);

/// An output whose content is compressed. From the first whole piece on, threads of its own compress,
/// and so does the thread that writes. Nothing in the bytes depends on when or where.
#[derive(Debug)]
pub struct Packed<W> {
    output: W,
    piece: Vec<u8>,
    /// True when any piece has been taken away.
    has_pieces: bool,
    /// Members that are still to be written, in order.
    members: VecDeque<Receiver<Vec<u8>>>,
    threads: usize,
    jobs: Option<Sender<Job>>,
    started: Vec<JoinHandle<()>>,
}

impl<W: Write> Packed<W> {
    /// Compresses for an output, with threads of its own as far as there are processors.
    pub fn new(output: W) -> Packed<W> {
        Packed::on((processors() - 1).min(THREADS_MAX), output)
    }

    /// The same with so many threads of its own.
    fn on(threads: usize, output: W) -> Packed<W> {
        Packed {
            output,
            piece: Vec::new(),
            has_pieces: false,
            members: VecDeque::new(),
            threads,
            jobs: None,
            started: Vec::new(),
        }
    }

    /// Starts the threads, as far as the system has them.
    fn start(&mut self) {
        let (jobs, taken) = bounded::<Job>(0);
        for _ in 0..self.threads {
            let taken = taken.clone();
            let work = move || {
                for (content, to) in taken {
                    // Nobody waits for it after an error of the output.
                    let _ = to.send(member(&content));
                }
            };
            let thread = std::thread::Builder::new().spawn(work);
            self.started.extend(thread);
        }
        if !self.started.is_empty() {
            self.jobs = Some(jobs);
        }
        self.threads = self.started.len();
    }

    /// Compresses the piece.
    fn take_piece(&mut self) -> io::Result<()> {
        if self.jobs.is_none() && self.threads > 0 {
            self.start();
        }
        self.has_pieces = true;
        let Some(jobs) = &self.jobs else {
            let member = member(&self.piece);
            self.piece.clear();
            return self.output.write_all(&member);
        };
        let (to, done) = bounded(1);
        let content = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        if let Err(refused) = jobs.try_send((content, to)) {
            // All threads are at work.
            let (content, to) = refused.into_inner();
            to.send(member(&content)).expect("its place is kept here");
        }
        self.members.push_back(done);
        // A thread that is slow keeps no more than a few from being written.
        self.write_members(2 * self.threads)
    }

    /// Writes members that are done, until no more than so many are left.
    fn write_members(&mut self, left: usize) -> io::Result<()> {
        while let Some(done) = self.members.front() {
            let member = match done.try_recv() {
                Ok(member) => member,
                Err(_) if self.members.len() <= left => break,
                Err(_) => done.recv().expect("a thread compresses it"),
            };
            self.members.pop_front();
            self.output.write_all(&member)?;
        }
        Ok(())
    }

    /// Writes what is left, and gives the output back.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<W> {
        self.write_members(0)?;
        if !self.piece.is_empty() || !self.has_pieces {
            let member = member(&self.piece);
            self.output.write_all(&member)?;
        }
        drop(self.jobs.take());
        for thread in self.started.drain(..) {
            thread.join().expect("compressing does not panic");
        }
        Ok(self.output)
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PIECE - self.piece.len());
        self.piece.extend_from_slice(&bytes[..taken]);
        if self.piece.len() == PIECE {
            self.take_piece()?;
        }
        Ok(taken)
    }

    /// Compressed bytes are handed on when there is a whole piece, and at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::member as packed;
    use super::*;

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

    /// Contents around the length of a piece and of several, written in different portions.
    #[test]
    fn what_is_written_does_not_depend_on_threads() {
        let text: Vec<u8> = (0..2 * PIECE as u32 + 9)
            .flat_map(|at| (at / 3).to_le_bytes())
            .collect();
        for length in [0, 1, PIECE - 1, PIECE, PIECE + 1, 7 * PIECE + 5, text.len()] {
            let content = &text[..length];
            let written = |threads: usize, portion: usize| {
                let mut out = Packed::on(threads, Vec::new());
                content
                    .chunks(portion)
                    .for_each(|bytes| out.write_all(bytes).unwrap());
                out.flush().unwrap();
                out.finish().unwrap()
            };
            let one = written(0, PIECE / 3);
            assert!(
                [1, 2, 5]
                    .iter()
                    .all(|&threads| written(threads, 70_001) == one)
            );
            let mut read = Vec::new();
            let mut input = Unpacked::new(BufReader::new(&one[..]));
            input.read_to_end(&mut read).unwrap();
            assert!(read == content, "{length}");
            assert!(!input.leaves_bytes().load(Ordering::Relaxed));
        }
    }

    /// An output that is full says so, and no thread waits for ever.
    #[test]
    fn errors_of_the_output_are_told() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                match self.0.min(bytes.len()) {
                    0 => Err(io::ErrorKind::StorageFull.into()),
                    room => {
                        self.0 -= room;
                        Ok(room)
                    }
                }
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for threads in [0, 1, 3] {
            let mut out = Packed::on(threads, Full(100));
            let content = vec![1; 9 * PIECE];
            let error = out.write_all(&content).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            drop(out);
            let mut out = Packed::on(threads, Full(5));
            out.write_all(b"short").unwrap();
            let error = out.finish().err().map(|error| error.kind());
            assert_eq!(error, Some(io::ErrorKind::StorageFull));
        }
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
