//! Memories of instances.
//!
//! A memory that pays is cut out of the module of its array: what it is asked are nets of the module, and
//! what it answers are nets that come from outside. Its words are held for each lane
//! ([`placed`](super::placed)). Others are flip-flops and gates.

use crosswave_lanes::memories::pays;
use crosswave_netlist::{Bit, CutMemory, Leaf, Memory, Module, cut_memories, fold};

/// Takes the memories out of a module that cost less than gates when it has so many instances.
pub(super) fn cut(module: Module, lanes: usize) -> Module {
    if module.memories().next().is_none() {
        return module;
    }
    // A memory that nothing reads is none.
    cut_memories(fold(module, &[]), |memory| pays(memory, lanes))
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
