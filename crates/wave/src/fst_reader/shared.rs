//! A file that two readers have: each looks for its place before it reads.

use std::cell::RefCell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

/// The source from which an FST file is read.
pub(crate) trait ReadSeek: Read + Seek {}
impl<T: Read + Seek> ReadSeek for T {}

/// One of the readers of a file.
#[derive(Clone)]
pub(super) struct SharedInput(Rc<RefCell<Box<dyn ReadSeek>>>);

impl SharedInput {
    pub(super) fn new(file: Box<dyn ReadSeek>) -> SharedInput {
        SharedInput(Rc::new(RefCell::new(file)))
    }
}

impl Read for SharedInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.borrow_mut().read(buffer)
    }
}

impl Seek for SharedInput {
    fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
        self.0.borrow_mut().seek(place)
    }
}
