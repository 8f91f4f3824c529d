//! The contents of a module, in numbers.

use std::collections::BTreeMap;
use std::fmt;

use super::function::Function;
use super::levelise::levelise;
use super::model::Module;

/// The numbers of one module. Displays as a small table, one count to a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statistics {
    /// The name of the module.
    pub module: String,
    /// The number of nets.
    pub nets: usize,
    /// The bits of all input ports.
    pub input_bits: usize,
    /// The bits of all output ports.
    pub output_bits: usize,
    /// The number of gates of each function that occurs, in the order of
    /// [`Function::ALL`].
    pub gates: Vec<(Function, usize)>,
    /// The number of flip-flops.
    pub flops: usize,
    /// The number of memories.
    pub memories: usize,
    /// The number of bits of all memories.
    pub memory_bits: usize,
    /// The number of instances of each module, by name.
    pub instances: Vec<(String, usize)>,
    /// The most gates on a path; `None` when there is a combinational loop.
    pub levels: Option<usize>,
}

impl Statistics {
    /// Counts the cells of a module.
    pub fn new(module: &Module) -> Statistics {
        let mut gates = BTreeMap::new();
        for (_, gate) in module.gates() {
            *gates.entry(gate.function).or_insert(0) += 1;
        }
        let mut instances = BTreeMap::new();
        for (_, instance) in module.instances() {
            *instances.entry(instance.module.clone()).or_insert(0) += 1;
        }
        let bits = |direction| module.ports_of(direction).map(|port| port.bits.len()).sum();
        Statistics {
            module: module.name.clone(),
            nets: module.nets.len(),
            input_bits: bits(super::PortDirection::Input),
            output_bits: bits(super::PortDirection::Output),
            gates: gates.into_iter().collect(),
            flops: module.flops().count(),
            memories: module.memories().count(),
            memory_bits: module.memories().map(|(_, memory)| memory.bits()).sum(),
            instances: instances.into_iter().collect(),
            levels: levelise(module).ok().map(|levels| levels.depth()),
        }
    }

    /// The number of gates of all functions.
    pub fn gate_count(&self) -> usize {
        self.gates.iter().map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "module {}", self.module)?;
        writeln!(f, "{:>8} input bits", self.input_bits)?;
        writeln!(f, "{:>8} output bits", self.output_bits)?;
        writeln!(f, "{:>8} nets", self.nets)?;
        writeln!(f, "{:>8} flip-flops", self.flops)?;
        writeln!(f, "{:>8} gates", self.gate_count())?;
        for (function, count) in &self.gates {
            writeln!(f, "{count:>12} {}", function.name())?;
        }
        if self.memories > 0 {
            let (memories, bits) = (self.memories, self.memory_bits);
            writeln!(f, "{memories:>8} memories of {bits} bits in all")?;
        }
        for (module, count) in &self.instances {
            writeln!(f, "{count:>8} instances of {module}")?;
        }
        match self.levels {
            Some(levels) => writeln!(f, "{levels:>8} levels"),
            None => writeln!(f, "  a combinational loop"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text;

    #[test]
    fn counts_by_kind() {
        let design = text::parse(
            "module leaf\n input a\n output y = a\nend\n\
             module m\n input clk\n input a\n output q\n output z\n gate g1 AND a q -> d\n \
             gate g2 AND a d -> e\n flop f e -> q posedge clk\n \
             instance u leaf in a = q out y = z\nend\n",
            "test",
        )
        .unwrap();
        insta::assert_snapshot!(Statistics::new(&design.modules[1]), @r"
        module m
               2 input bits
               2 output bits
               6 nets
               1 flip-flops
               2 gates
                   2 AND
               1 instances of leaf
               2 levels
        ");
    }
}
