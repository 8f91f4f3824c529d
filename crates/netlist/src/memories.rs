//! Memories as flip-flops and gates, and memories beside their module.
//!
//! An engine evaluates gates. [`memories_as_gates`] makes them of a memory: a flip-flop for each bit, which
//! is right for every engine and pays for small ones. [`cut_memories`] takes memories out of a module, which
//! then shows what it asks of them at outputs and takes what they answer at inputs: an engine holds the
//! words itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::findings::{Findings, NetlistPlace};
use super::function::Function;
use super::mealy;
use super::model::{
    Bit, BitRange, Cell, CellKind, CutMemory, CutRead, CutWrite, Edge, Flop, Memory, Module, NetId,
    Port, PortDirection, ReadPort, WritePort,
};
use crosswave_base::diagnostic::Error;

/// Bits of an address at most.
pub const ADDRESS_BITS_MAX: usize = 62;

/// Bits of a memory of which [`memories_as_gates`] makes flip-flops at most.
pub const GATE_BITS_MAX: usize = 1 << 18;

/// The beginning of the names of ports that [`cut_memories`] makes.
const PREFIX: &str = "$memory";

/// The end of the name of a flip-flop that [`delay_writes`] has made.
const WRITTEN: &str = "$written";

/// True for the name of a flip-flop that [`delay_writes`] has made.
pub fn delays_writes(flop: &str) -> bool {
    flop.ends_with(WRITTEN)
}

/// True for a port that [`cut_memories`] has made.
pub fn is_of_memory(port: &str) -> bool {
    port.starts_with(PREFIX)
}

/// The module without the memories that are chosen, which then stand beside it ([`Module::beside`]): their ports
/// become ports of the module. A memory that is written at edges of several clocks stays.
///
/// ```
/// use crosswave_netlist::{cut_memories, text};
/// let design = text::parse(
///     "module m\n input clk\n input a\n output q\n \
///      memory ram words 2 width 1 in R0_ADDR = a out R0_DATA = q\nend\n", "example")?;
/// let module = cut_memories(design.modules[0].clone(), |_| true);
/// let [memory] = &module.beside[..] else { panic!("one memory") };
/// assert_eq!(memory.name, "ram");
/// assert!(module.port(&memory.reads[0].address).is_some());
/// assert!(module.cells.is_empty());
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
pub fn cut_memories(mut module: Module, is_chosen: impl Fn(&Memory) -> bool) -> Module {
    let Module {
        ports,
        cells,
        beside,
        ..
    } = &mut module;
    let mut added = Vec::new();
    let mut port = |name: String, direction, bits: Vec<Bit>| {
        added.push(Port {
            name: name.clone(),
            direction,
            bits,
            range: BitRange::default(),
            signed: false,
        });
        name
    };
    let (input, output) = (PortDirection::Input, PortDirection::Output);
    cells.retain_mut(|cell| {
        let CellKind::Memory(memory) = &mut cell.kind else {
            return true;
        };
        let clock = memory.writes.first().map(|port| (port.clock, port.edge));
        let mut writes = memory.writes.iter();
        let is_clocked_once = writes.all(|port| Some((port.clock, port.edge)) == clock);
        if !is_clocked_once || !is_chosen(memory) {
            return true;
        }
        let mut inputs = ports.iter();
        let of_clock = inputs.find(|port| clock.is_some_and(|(clock, _)| port.bits == [clock]));
        let of_clock = of_clock.map_or(String::new(), |port| port.name.clone());
        let number = beside.len();
        let name =
            |kind: &str, at: usize, what: &str| format!("{PREFIX}{number}.{kind}{at}.{what}");
        let reads = std::mem::take(&mut memory.reads).into_iter().enumerate();
        let reads = reads.map(|(at, read)| {
            let data = read.data.into_iter().map(Bit::Net).collect();
            CutRead {
                address: port(name("read", at, "address"), output, read.address),
                data: port(name("read", at, "data"), input, data),
            }
        });
        let reads = reads.collect();
        let writes = std::mem::take(&mut memory.writes).into_iter().enumerate();
        let writes = writes.map(|(at, write)| CutWrite {
            address: port(name("write", at, "address"), output, write.address),
            data: port(name("write", at, "data"), output, write.data),
            enable: port(name("write", at, "enable"), output, write.enable),
        });
        let writes = writes.collect();
        beside.push(CutMemory {
            name: cell.name.clone(),
            memory: memory.as_ref().clone(),
            reads,
            writes,
            clock: of_clock,
            edge: clock.map_or(Edge::Rising, |(_, edge)| edge),
            delayed: false,
        });
        false
    });
    ports.extend(added);
    module
}

/// Gives the ports that write memories beside a module flip-flops on its clock: what they show in a cycle is to
/// be written before anything is read in it. The module has no outputs then that depend on inputs in the
/// same cycle for the sake of what is written.
pub fn delay_writes(module: &mut Module, clock: Bit) {
    let writes = module.beside.iter().flat_map(|memory| &memory.writes);
    let ports = writes.flat_map(|port| [&port.address, &port.data, &port.enable]);
    let ports: BTreeSet<String> = ports.cloned().collect();
    let mut delayed: BTreeMap<Bit, Bit> = BTreeMap::new();
    for at in 0..module.ports.len() {
        if !ports.contains(&module.ports[at].name) {
            continue;
        }
        for bit in 0..module.ports[at].bits.len() {
            let shown = module.ports[at].bits[bit];
            if shown.constant().is_some() {
                continue;
            }
            let later = delayed.entry(shown).or_insert_with(|| {
                let name = format!("{}[{bit}]{WRITTEN}", module.ports[at].name);
                let q = module.add_net(&name);
                module.add_flop(&name, Flop::plain(clock, shown, q));
                Bit::Net(q)
            });
            module.ports[at].bits[bit] = *later;
        }
    }
    for memory in &mut module.beside {
        memory.delayed = true;
    }
}

/// The module with the memories within it again that stood beside it.
pub fn join_memories(mut module: Module) -> Module {
    let beside = std::mem::take(&mut module.beside);
    if beside.is_empty() {
        return module;
    }
    let mut before: BTreeMap<Bit, Bit> = BTreeMap::new();
    for (cell, flop) in module.flops() {
        // An output that settles shows what its flip-flop is about to take.
        if mealy::settles(cell) || delays_writes(&cell.name) {
            before.insert(Bit::Net(flop.q), flop.data);
        }
    }
    let bits = |name: &str| {
        let port = module.port(name);
        port.map_or(Vec::new(), |port| port.bits.clone())
    };
    let now = |name: &str| {
        let bits = bits(name).into_iter();
        bits.map(|bit| before.get(&bit).copied().unwrap_or(bit))
            .collect::<Vec<Bit>>()
    };
    let cells = beside.iter().map(|cut| {
        let clock = bits(&cut.clock).first().copied().unwrap_or(Bit::Zero);
        let reads = cut.reads.iter().map(|port| ReadPort {
            address: now(&port.address),
            data: bits(&port.data)
                .iter()
                .filter_map(|bit| bit.net())
                .collect(),
        });
        let writes = cut.writes.iter().map(|port| WritePort {
            clock,
            edge: cut.edge,
            address: now(&port.address),
            data: now(&port.data),
            enable: now(&port.enable),
        });
        Cell {
            name: cut.name.clone(),
            src: SmolStr::default(),
            kind: CellKind::Memory(Box::new(Memory {
                reads: reads.collect(),
                writes: writes.collect(),
                ..cut.memory.clone()
            })),
        }
    });
    let cells: Vec<Cell> = cells.collect();
    module.cells.extend(cells);
    module.ports.retain(|port| !is_of_memory(&port.name));
    module
}

/// The module with a flip-flop for each bit of its memories, also of those beside it, `NAME[WORD][BIT]`, and gates.
///
/// # Errors
/// Memories of more than [`GATE_BITS_MAX`] bits.
pub fn memories_as_gates(module: Module) -> Result<Module, Error> {
    memories_within_as_gates(join_memories(module))
}

/// A module as [`memories_as_gates`] makes it, which is itself when there are none.
///
/// # Errors
/// As [`memories_as_gates`].
pub fn without_memories(module: &Module) -> Result<Cow<'_, Module>, Error> {
    match module.beside.is_empty() && module.memories().next().is_none() {
        true => Ok(Cow::Borrowed(module)),
        false => memories_as_gates(module.clone()).map(Cow::Owned),
    }
}

/// The module with flip-flops and gates for the memories within it; those beside it stay there.
///
/// # Errors
/// As [`memories_as_gates`].
pub fn memories_within_as_gates(module: Module) -> Result<Module, Error> {
    let help = "this can be done without memories or with smaller ones only";
    chosen_as_gates(module, |_, _| true, help)
}

/// The same for the memories that are chosen; `help` is for those that are too large.
pub(super) fn chosen_as_gates(
    mut module: Module,
    is_chosen: impl Fn(&Cell, &Memory) -> bool,
    help: &str,
) -> Result<Module, Error> {
    let mut findings = Findings::default();
    let chosen = module
        .memories()
        .filter(|(cell, memory)| is_chosen(cell, memory));
    for (cell, memory) in chosen {
        if memory.bits() > GATE_BITS_MAX {
            findings.add(
                NetlistPlace::module(&module.name, &module.src).cell(&cell.name, &cell.src),
                format!(
                    "a memory of {} words of {} bits, of which at most {GATE_BITS_MAX} bits can be flip-flops",
                    memory.words, memory.width
                ),
                help,
            );
        }
        let clock = |port: &WritePort| (port.clock, port.edge);
        if memory
            .writes
            .iter()
            .any(|port| clock(port) != clock(&memory.writes[0]))
        {
            findings.add(
                NetlistPlace::module(&module.name, &module.src).cell(&cell.name, &cell.src),
                "a memory that is written at edges of several clocks",
                "write it at one edge of one clock",
            );
        }
    }
    let name = module.name.clone();
    findings.finish((), &name, None)?;
    let cells = std::mem::take(&mut module.cells);
    for cell in cells {
        match &cell.kind {
            CellKind::Memory(memory) if is_chosen(&cell, memory) => {
                let mut maker = Maker {
                    module: &mut module,
                    cell: &cell,
                    memory,
                    gates: 0,
                };
                maker.memory();
            }
            _ => module.cells.push(cell),
        }
    }
    Ok(module)
}

/// Makes gates of a memory.
struct Maker<'a> {
    module: &'a mut Module,
    cell: &'a Cell,
    memory: &'a Memory,
    gates: usize,
}

impl Maker<'_> {
    fn gate(&mut self, function: Function, inputs: &[Bit]) -> Bit {
        let name = self.gate_name();
        self.module.add_gate(&name, function, inputs)
    }

    fn gate_name(&mut self) -> String {
        self.gates += 1;
        format!("{}$gate{}", self.cell.name, self.gates)
    }

    fn memory(&mut self) {
        let Memory { width, words, .. } = *self.memory;
        let count = width * words;
        let nets = (0..count).map(|at| {
            let (word, bit) = (at / width, at % width);
            let name = format!("{}[{word}][{bit}]", self.cell.name);
            self.module.add_net(&name)
        });
        let nets: Vec<NetId> = nets.collect();
        let mut next: Vec<Bit> = nets.iter().map(|&net| Bit::Net(net)).collect();
        for port in &self.memory.writes {
            self.write(port, &mut next);
        }
        let clock = self.memory.writes.first();
        let (clock, edge) = clock.map_or((Bit::Zero, Edge::Rising), |port| (port.clock, port.edge));
        for (at, &net) in nets.iter().enumerate() {
            let init = self.memory.initial(at / width, at % width);
            let name = self.module.net_name(net).to_owned();
            // Words that nothing writes are what they are.
            if self.memory.writes.is_empty() {
                let value = init.map_or(Bit::X, Bit::from);
                self.module.drive(&name, Function::Buf, &[value], net);
                continue;
            }
            let flop = Flop {
                edge,
                init,
                ..Flop::plain(clock, next[at], net)
            };
            self.module.add_flop(&name, flop);
        }
        for port in &self.memory.reads {
            for (bit, &data) in port.data.iter().enumerate() {
                let shown = self.select(&nets, &port.address, bit, 0);
                let name = self.gate_name();
                self.module.drive(&name, Function::Buf, &[shown], data);
            }
        }
    }

    /// A bit of the word at an address of which the upper bits are those of `base`.
    fn select(&mut self, nets: &[NetId], address: &[Bit], bit: usize, base: u64) -> Bit {
        let Memory {
            first,
            words,
            width,
            beyond,
            ..
        } = *self.memory;
        let last = first + (words as u64 - 1);
        if base > last || base + (1 << address.len()) <= first {
            return Bit::from(beyond);
        }
        let Some((&upper, lower)) = address.split_last() else {
            return Bit::Net(nets[(base - first) as usize * width + bit]);
        };
        let low = self.select(nets, lower, bit, base);
        let high = self.select(nets, lower, bit, base | 1 << lower.len());
        match upper.constant() {
            _ if low == high => low,
            Some(value) => [low, high][usize::from(value)],
            None => self.gate(Function::Mux, &[low, high, upper]),
        }
    }

    /// The next values of bits, of which a port writes some.
    fn write(&mut self, port: &WritePort, next: &mut [Bit]) {
        let Memory {
            width,
            words,
            first,
            ..
        } = *self.memory;
        let inverted: Vec<Bit> = port
            .address
            .iter()
            .map(|&bit| self.gate(Function::Not, &[bit]))
            .collect();
        for word in 0..words {
            let address = first + word as u64;
            if address >> port.address.len() != 0 {
                continue;
            }
            let mut chosen = Bit::One;
            for (at, (&bit, &not)) in port.address.iter().zip(&inverted).enumerate() {
                let literal = if address >> at & 1 == 1 { bit } else { not };
                chosen = match chosen {
                    Bit::One => literal,
                    chosen => self.gate(Function::And, &[chosen, literal]),
                };
            }
            let mut enabled: Option<(Bit, Bit)> = None;
            for bit in 0..width {
                let enable = port.enable[bit];
                let acts = match enabled {
                    Some((of, acts)) if of == enable => acts,
                    _ => self.gate(Function::And, &[chosen, enable]),
                };
                enabled = Some((enable, acts));
                let at = word * width + bit;
                next[at] = self.gate(Function::Mux, &[next[at], port.data[bit], acts]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Evaluation, text};

    /// Two words of two bits at addresses 1 and 2, of which the second port writes last.
    const TEXT: &str = "module m\n input clk\n input r = r0 r1\n input w = w0 w1\n \
        input v = v0 v1\n input d = d0 d1\n input e = e0 e1\n output q = q0 q1\n \
        memory ram words 2 width 2 first 1 init x10 in R0_ADDR = r0 r1 out R0_DATA = q0 q1 \
        in W0_CLK = clk in W0_ADDR = w0 w1 in W0_DATA = d0 d1 in W0_EN = e0 e0 \
        in W1_CLK = clk in W1_ADDR = v0 v1 in W1_DATA = d1 d1 in W1_EN = 0 e1\nend\n";

    fn module(text: &str) -> Module {
        let design = text::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
        design.modules[0].clone()
    }

    #[test]
    fn gates_are_written_and_read_as_words_are() {
        let memory = module(TEXT);
        let gates = memories_as_gates(memory.clone()).expect("a small memory");
        assert_eq!((gates.memories().count(), gates.flops().count()), (0, 4));
        let evaluation = Evaluation::new(&gates).expect("no loop");
        let mut nets = evaluation.initial();
        // The words at addresses 1 and 2.
        let mut words = [2, 0];
        let mut written = [0; 4];
        for cycle in 0..400_u64 {
            let drawn = cycle.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
            let [r, w, v, d, e] = [0, 2, 4, 6, 8].map(|bit| drawn >> bit & 3);
            for (name, value) in [("r", r), ("w", w), ("v", v), ("d", d), ("e", e)] {
                Evaluation::drive(gates.port(name).expect("a port"), &mut nets, value);
            }
            evaluation.settle(&mut nets);
            let word = |address: u64| (address as usize).checked_sub(1);
            let shown = word(r).and_then(|at| words.get(at)).copied().unwrap_or(0);
            let q = Evaluation::port(gates.port("q").expect("a port"), &nets);
            assert_eq!(q, shown, "cycle {cycle}");
            if let Some(held) = word(w)
                .and_then(|at| words.get_mut(at))
                .filter(|_| e & 1 != 0)
            {
                *held = d;
                written[0] += 1;
            }
            if let Some(held) = word(v)
                .and_then(|at| words.get_mut(at))
                .filter(|_| e & 2 != 0)
            {
                *held = *held & 1 | d & 2;
                written[1] += 1;
            }
            evaluation.edge(&mut nets);
        }
        assert!(written[0] > 50 && written[1] > 50);
    }

    #[test]
    fn the_text_form_has_memories() {
        let memory = module(TEXT);
        let printed = text::print_module(&memory);
        assert_eq!(module(&printed), memory, "{printed}");
        assert!(
            printed.contains("words 2 width 2 first 1 init \"x10\""),
            "{printed}"
        );
        for (from, to, expected) in [
            (
                "W0_EN = e0 e0",
                "W0_EN = e0",
                "1 bits of enables, expected 2",
            ),
            ("words 2", "words 0", "a memory of 0 words of 2 bits"),
            (
                "first 1",
                "first 4294967295",
                "addresses of words of at most 32 bits",
            ),
            ("words 2", "words two", "found `two`, expected a number"),
            ("init x10", "init x1z", "expected digits `0`, `1` and `x`"),
            (
                "init x10",
                "init 11111",
                "5 bits of initial contents, expected at most 4",
            ),
            ("in W0_CLK", "in W1_CLK", "expected `W0_CLK` or `W0_CLKN`"),
        ] {
            let error = text::parse(&TEXT.replace(from, to), "test").expect_err(to);
            assert!(error.to_string().contains(expected), "{error}");
        }
    }

    #[test]
    fn large_memories_and_several_clocks_are_no_gates() {
        let large = module(&TEXT.replace("words 2", "words 200000"));
        let error = memories_as_gates(large).expect_err("too large");
        assert!(
            error.to_string().contains("200000 words of 2 bits"),
            "{error}"
        );
        let clocks = module(&TEXT.replace("W1_CLK = clk", "W1_CLKN = clk"));
        let error = memories_as_gates(clocks).expect_err("two edges");
        assert!(error.to_string().contains("several clocks"), "{error}");
    }

    #[test]
    fn what_is_cut_becomes_ports() {
        let module = cut_memories(module(TEXT), |_| true);
        assert!(module.cells.is_empty() && module.beside.len() == 1);
        let of_memory = module.ports.iter().filter(|port| is_of_memory(&port.name));
        let found: Vec<(&str, usize)> = of_memory
            .map(|port| (&*port.name, port.bits.len()))
            .collect();
        assert_eq!(found.len(), 8);
        assert_eq!(found[0], ("$memory0.read0.address", 2));
        assert_eq!(found[7], ("$memory0.write1.enable", 2));
    }
}
