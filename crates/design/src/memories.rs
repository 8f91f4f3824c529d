//! Memories of instances.
//!
//! A memory that pays is cut out of the module of its array: what it is asked are nets of the module, and
//! what it answers are nets that come from outside. Its words are held for each lane
//! ([`MemoryWords`]). Others are flip-flops and gates.

use super::program::Program;
use crosswave_lanes::memories::{MemoryWords, PortPlanes};
use crosswave_lanes::operations::SignedSlot;
use crosswave_netlist::{Bit, CutMemory, Leaf, Memory, Module, cut_memories, fold};

/// Operations of gates that one lane of a port costs for each 16 bits of the word, about.
const OPERATIONS_PER_LANE: usize = 2;

/// Operations that a port costs for each tile, about.
const OPERATIONS_PER_PORT: usize = 600;

/// Lanes of a tile at most.
const TILE_LANES: usize = 512;

/// Takes the memories out of a module that cost less than gates when it has so many instances.
pub(super) fn cut(module: Module, lanes: usize) -> (Module, Vec<CutMemory>) {
    if module.memories().next().is_none() {
        return (module, Vec::new());
    }
    // What reads no memory keeps none.
    cut_memories(fold(module, &[]), |memory| pays(memory, lanes))
}

/// True when gates cost more than a memory: as many operations for its bits as it has ports.
fn pays(memory: &Memory, lanes: usize) -> bool {
    let ports = memory.reads.len() + memory.writes.len();
    let units = memory.width.div_ceil(16);
    let of_port = OPERATIONS_PER_PORT + OPERATIONS_PER_LANE * units * lanes.min(TILE_LANES);
    memory.bits() > of_port || ports == 0
}

/// A memory of the instances of an array, in nets of its leaf.
#[derive(Debug, Clone)]
pub struct ArrayMemory {
    /// Its form and its initial contents.
    pub memory: Memory,
    /// The ports that read.
    pub reads: Vec<MemoryRead>,
    /// The ports that write: address, word, enables.
    pub writes: Vec<[Vec<Bit>; 3]>,
}

/// A port that reads.
#[derive(Debug, Clone)]
pub struct MemoryRead {
    /// The address.
    pub address: Vec<Bit>,
    /// The word: inputs of the leaf.
    pub data: Vec<Bit>,
}

impl ArrayMemory {
    /// A memory that was cut out of the module of a leaf.
    pub(super) fn new(cut: &CutMemory, leaf: &Leaf) -> ArrayMemory {
        let bits = |name: &str| {
            leaf.module
                .port(name)
                .map_or(Vec::new(), |port| port.bits.clone())
        };
        let writes = cut.writes.iter().map(|port| {
            let mut enable = bits(&port.enable);
            if enable.iter().all(|bit| *bit == enable[0]) {
                enable.truncate(1);
            }
            [bits(&port.address), bits(&port.data), enable]
        });
        ArrayMemory {
            memory: cut.memory.clone(),
            reads: cut
                .reads
                .iter()
                .map(|port| MemoryRead {
                    address: bits(&port.address),
                    data: bits(&port.data),
                })
                .collect(),
            writes: writes.collect(),
        }
    }

    /// The bits that it is asked with.
    pub(super) fn asked(&self) -> impl Iterator<Item = Bit> {
        let reads = self.reads.iter().flat_map(|read| &read.address);
        let writes = self.writes.iter().flatten().flatten();
        reads.chain(writes).copied()
    }
}

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

    /// Bytes of its words.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words.held())
    }
}
