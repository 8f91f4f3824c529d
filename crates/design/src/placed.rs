//! The words of memories, and where their ports are in the frames of an array.

use super::memories::ArrayMemory;
use super::program::Program;
use crosswave_lanes::memories::{MemoryWords, PortPlanes};
use crosswave_lanes::operations::SignedSlot;
use crosswave_netlist::Bit;

/// The words of a memory in all lanes of an array, and the places of its ports in a frame.
#[derive(Debug)]
pub(super) struct PlacedMemory {
    words: MemoryWords,
    reads: Vec<(Vec<SignedSlot>, Vec<Option<u32>>)>,
    writes: Vec<[Vec<SignedSlot>; 3]>,
}

/// Copies planes of a frame beside each other.
fn gather(frame: &[u64], places: &[SignedSlot], planes: &mut [u64], width: usize) {
    for (plane, place) in planes.chunks_exact_mut(width).zip(places) {
        let from = &frame[place.slot as usize * width..][..width];
        for (to, from) in plane.iter_mut().zip(from) {
            *to = from ^ place.flip;
        }
    }
}

impl PlacedMemory {
    /// A memory of so many lanes, in the frames of a program.
    pub fn new(memory: &ArrayMemory, program: &Program, lanes: usize) -> PlacedMemory {
        let places = |bits: &Vec<Bit>| bits.iter().map(|&bit| program.place(bit)).collect();
        let reads = memory.reads.iter().map(|read| {
            let data = read.data.iter().map(|bit| program.memory_slot(*bit));
            (places(&read.address), data.collect())
        });
        PlacedMemory {
            words: MemoryWords::new(&memory.memory, lanes),
            reads: reads.collect(),
            writes: memory
                .writes
                .iter()
                .map(|port| port.each_ref().map(places))
                .collect(),
        }
    }

    /// Reads at a port for a tile.
    pub fn read(
        &self,
        port: usize,
        (tile, frame): (usize, &mut [u64]),
        planes: &mut PortPlanes,
        (arch, width): (pulp::Arch, usize),
    ) {
        let (address, data) = &self.reads[port];
        gather(frame, address, &mut planes.address, width);
        let at = &planes.address[..width * address.len()];
        self.words.read(arch, tile, at, &mut planes.data, width);
        for (plane, slot) in planes.data.chunks_exact(width).zip(data) {
            if let Some(slot) = slot {
                frame[*slot as usize * width..][..width].copy_from_slice(plane);
            }
        }
    }

    /// Writes at all ports for a tile.
    pub fn write(
        &mut self,
        (tile, frame): (usize, &[u64]),
        planes: &mut PortPlanes,
        (arch, width): (pulp::Arch, usize),
    ) {
        for [address, data, enable] in &self.writes {
            gather(frame, enable, &mut planes.enable, width);
            let enables = &planes.enable[..width * enable.len()];
            if enables.iter().all(|&word| word == 0) {
                continue;
            }
            gather(frame, address, &mut planes.address, width);
            gather(frame, data, &mut planes.data, width);
            let address = &planes.address[..width * address.len()];
            let data = &planes.data[..width * data.len()];
            self.words
                .write(arch, tile, [address, data, enables], width);
        }
    }

    /// Its words.
    pub fn words(&self) -> &MemoryWords {
        &self.words
    }

    /// Gives it the words of a memory of the same kind.
    pub fn set_words(&mut self, words: &MemoryWords) {
        self.words.clone_from(words);
    }

    /// The words of a lane.
    pub fn lane_mut(&mut self, lane: usize) -> &mut [u16] {
        self.words.lane_mut(lane)
    }

    /// Bytes of its words.
    pub fn bytes(&self) -> usize {
        self.words.bytes()
    }
}
