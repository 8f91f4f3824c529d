//! Memories beside a module: where their ports are among the planes of an array.
//!
//! The word that a memory shows lies in planes of the state, which the module reads as it reads registers. After an edge
//! the array's memories are *served*: what the ports that write have taken over the edge is written, and then
//! all ports are read at the addresses of the cycle.

use super::Plan;
use crosswave_chips::registers::Storage;
use crosswave_lanes::memories::{MemoryWords, PortPlanes};
use crosswave_netlist::{Bit, Leaf, Memory};

/// A bit of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortBit {
    /// A constant.
    Constant(bool),
    /// A register.
    Register(Storage),
}

/// A memory of the instances of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedMemory {
    /// Its form and its initial contents.
    pub memory: Memory,
    /// The ports that read: the bits of the address, and the plane of the state where the word begins.
    pub reads: Vec<(Vec<PortBit>, usize)>,
    /// The ports that write: address, word and enables. A single enable is that of all bits.
    pub writes: Vec<[Vec<PortBit>; 3]>,
}

impl Plan {
    /// Finds the ports of the memories beside a module.
    pub(super) fn place_memories(&mut self, leaf: &Leaf) {
        let register = |bit: &Bit| match bit.net() {
            None => PortBit::Constant(*bit == Bit::One),
            Some(net) => {
                let mut registers = leaf.registers.iter();
                let found = registers.position(|register| register.q == net);
                PortBit::Register(
                    self.places[found.expect("ports of memories come from registers")],
                )
            }
        };
        let port = |name: &String| -> Vec<PortBit> {
            let found = leaf.module.port(name);
            found.map_or(Vec::new(), |port| port.bits.iter().map(register).collect())
        };
        let mut plane = self.kept.len();
        let mut memories = Vec::new();
        for cut in &leaf.module.beside {
            let mut reads = Vec::new();
            for read in &cut.reads {
                reads.push((port(&read.address), plane));
                plane += cut.memory.width;
            }
            let writes = cut.writes.iter().map(|write| {
                let mut enable = port(&write.enable);
                if enable.iter().all(|bit| *bit == enable[0]) {
                    enable.truncate(1);
                }
                [port(&write.address), port(&write.data), enable]
            });
            memories.push(PlannedMemory {
                writes: writes.collect(),
                memory: cut.memory.clone(),
                reads,
            });
        }
        self.memory_planes = self.kept.len()..plane;
        self.memories = memories;
    }

    /// The plane of the state for a bit of an input that a memory drives; `None` for other inputs.
    pub(super) fn memory_plane(&self, leaf: &Leaf, port: &str, bit: usize) -> Option<usize> {
        let memories = leaf.module.beside.iter().zip(&self.memories);
        let mut reads = memories.flat_map(|(cut, planned)| cut.reads.iter().zip(&planned.reads));
        let (_, (_, first)) = reads.find(|(read, _)| read.data == port)?;
        Some(first + bit)
    }

    /// Memory for ports of the memories.
    pub fn port_planes(&self) -> PortPlanes {
        let widths = self.memories.iter().map(|planned| planned.memory.width);
        PortPlanes::new(widths.max().unwrap_or(0))
    }

    /// The words of the memories for so many lanes.
    pub fn memory_words(&self, lanes: usize) -> Vec<MemoryWords> {
        let memories = self.memories.iter();
        memories
            .map(|planned| MemoryWords::new(&planned.memory, lanes))
            .collect()
    }

    /// Serves the memories of a group: its planes lie `stride` words after each other.
    pub fn serve<const W: usize>(
        &self,
        arch: pulp::Arch,
        group: usize,
        words: &mut [MemoryWords],
        (state, outputs, stride): (&mut [u64], &[u64], usize),
        planes: &mut PortPlanes,
    ) {
        for (planned, words) in self.memories.iter().zip(words) {
            for [address, data, enable] in &planned.writes {
                gather::<W>(enable, (state, outputs, stride), &mut planes.enable);
                let enables = &planes.enable[..W * enable.len()];
                if enables.iter().all(|&word| word == 0) {
                    continue;
                }
                gather::<W>(address, (state, outputs, stride), &mut planes.address);
                gather::<W>(data, (state, outputs, stride), &mut planes.data);
                let address = &planes.address[..W * address.len()];
                let data = &planes.data[..W * data.len()];
                words.write(arch, group, [address, data, enables], W);
            }
            for (address, first) in &planned.reads {
                gather::<W>(address, (state, outputs, stride), &mut planes.address);
                let asked = &planes.address[..W * address.len()];
                words.read(arch, group, asked, &mut planes.data, W);
                let width = planned.memory.width;
                let (shown, _) = planes.data[..W * width].as_chunks::<W>();
                for (plane, shown) in (*first..).zip(shown) {
                    state[plane * stride..][..W].copy_from_slice(shown);
                }
            }
        }
    }
}

/// Copies the planes of bits beside each other.
fn gather<const W: usize>(
    bits: &[PortBit],
    (state, outputs, stride): (&[u64], &[u64], usize),
    planes: &mut [u64],
) {
    for (to, bit) in planes.as_chunks_mut::<W>().0.iter_mut().zip(bits) {
        let from = match *bit {
            PortBit::Constant(one) => {
                *to = [u64::from(one).wrapping_neg(); W];
                continue;
            }
            PortBit::Register(Storage::State(plane)) => &state[plane * stride..][..W],
            PortBit::Register(Storage::Outputs(plane)) => &outputs[plane * stride..][..W],
        };
        to.copy_from_slice(from);
    }
}
