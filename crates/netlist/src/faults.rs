//! Faults of a netlist: what may break, which faults are one, and modules that have them on demand.
//!
//! | fault | place | effect |
//! |---|---|---|
//! | stuck at 0, at 1 | a net, or one pin that reads it | the value is always this one |
//! | flip | a flip-flop | its value in one cycle is inverted |
//! | late | the outputs of a link | what they show comes a cycle later |
//!
//! Stuck-at faults stand at the nets of a module and, where several read a net, at each pin that does. Two
//! of them are *equivalent* when a module with one does the same as with the other; those that the function
//! of a gate makes so are found ([`StuckFaults::class`]). Clock and reset have none, nor gates that
//! depend on nothing else.
//!
//! A module with faults ([`with_faults`]) has a register for each, its *mask*. A fault acts in an instance as long as its mask is
//! 1 there, so that each lane of an engine can have another one; that of a flip is to be 1 in the cycle
//! before only. The reset clears all masks, and else they keep their values.

use std::collections::BTreeMap;

use petgraph::unionfind::UnionFind;
use smallvec::SmallVec;
use smol_str::{SmolStr, format_smolstr};

use super::function::Function;
use super::lower::lower_flops;
use super::memories::without_memories;
use super::model::{Bit, Cell, CellKind, Flop, Gate, Module, NetId, PortDirection};
use super::{fold, levelise};
use crosswave_base::diagnostic::Error;

/// The place of a fault in a [`FaultTarget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultSite {
    /// A net, for all that read it.
    Net(NetId),
    /// An input of a cell, in the order of [`CellKind::visit_inputs`].
    Pin {
        /// The cell.
        cell: u32,
        /// The input.
        input: u8,
    },
    /// A bit of an output port, where others read the net as well.
    Output {
        /// The port.
        port: u32,
        /// The bit.
        bit: u32,
    },
    /// All outputs of a link, as who asks counts links.
    Link(u32),
}

/// An effect of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultEffect {
    /// The value is always this one.
    StuckAt(bool),
    /// The value is inverted in one cycle. The site is the net of a flip-flop.
    Flip,
    /// The values come a cycle later. The site is a link.
    Late,
}

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GateFault {
    /// The place.
    pub site: FaultSite,
    /// The effect.
    pub effect: FaultEffect,
}

/// The beginning of the names of masks.
const MASK: &str = "$fault$";

/// The name of the register that is the mask of fault `number` of a module.
pub fn mask(number: usize) -> SmolStr {
    format_smolstr!("{MASK}{number}")
}

/// The fault that a register of that name is the mask of.
pub fn of_mask(name: &str) -> Option<usize> {
    name.strip_prefix(MASK)?.parse().ok()
}

/// A module in which faults are placed: its flip-flops are plain, and it remembers what was there before.
#[derive(Debug, Clone)]
pub struct FaultTarget {
    /// The module.
    pub module: Module,
    /// The names of its clock and of its reset, which is active high.
    clock_and_reset: [String; 2],
    /// Nets and cells of the module as it was read; those behind them were added.
    nets: usize,
    /// For each cell whether the module that was read had it.
    is_own: Vec<bool>,
}

impl FaultTarget {
    /// A module as it was read, without instances; its memories become gates.
    ///
    /// # Errors
    /// Memories that are too large, and flip-flops that [`lower_flops`] refuses.
    pub fn new(module: &Module, [clock, reset]: [&str; 2]) -> Result<FaultTarget, Error> {
        let module = without_memories(module)?.into_owned();
        // Folding takes buffers off the clock.
        let read = match lower_flops(module.clone(), clock) {
            Ok(_) => module,
            Err(_) => fold(module, &[]),
        };
        let nets = read.nets.len();
        let names: std::collections::BTreeSet<SmolStr> =
            read.cells.iter().map(|cell| cell.name.clone()).collect();
        let module = lower_flops(read, clock)?;
        Ok(FaultTarget {
            is_own: module
                .cells
                .iter()
                .map(|cell| names.contains(&cell.name))
                .collect(),
            module,
            clock_and_reset: [clock.to_owned(), reset.to_owned()],
            nets,
        })
    }

    /// For each net true when it depends on nothing but the clock and the reset.
    fn still(&self) -> Vec<bool> {
        let mut still = vec![false; self.module.nets.len()];
        for name in &self.clock_and_reset {
            let port = self.module.port(name);
            for bit in port.into_iter().flat_map(|port| &port.bits) {
                if let Bit::Net(net) = bit {
                    still[net.index()] = true;
                }
            }
        }
        // A loop would have been refused.
        let order = levelise(&self.module).map_or(Vec::new(), |levels| levels.order);
        for cell in order {
            if let CellKind::Gate(gate) = &self.module.cells[cell].kind {
                let mut inputs = gate.inputs.iter();
                still[gate.output.index()] =
                    inputs.all(|bit| bit.net().is_none_or(|net| still[net.index()]));
            }
        }
        still
    }

    /// The readers of each net, but for clocks: pins of cells, and bits of output ports.
    fn readers(&self) -> Vec<SmallVec<[FaultSite; 2]>> {
        let mut readers = vec![SmallVec::new(); self.module.nets.len()];
        for (cell, of_cell) in (0..).zip(&self.module.cells) {
            let mut input = 0;
            of_cell.kind.visit_inputs(|pin, _, bit| {
                let is_clock = pin == "C" && matches!(of_cell.kind, CellKind::Flop(_));
                if let (Bit::Net(net), false) = (bit, is_clock) {
                    let site = FaultSite::Pin { cell, input };
                    readers[net.index()].push(site);
                }
                input += 1;
            });
        }
        for (port, of_port) in (0..).zip(&self.module.ports) {
            if of_port.direction == PortDirection::Output {
                for (bit, net) in (0..).zip(&of_port.bits) {
                    if let Bit::Net(net) = net {
                        readers[net.index()].push(FaultSite::Output { port, bit });
                    }
                }
            }
        }
        readers
    }

    /// True for a pin that the module had when it was read: those of added gates that read added nets, or
    /// the flip-flop that they belong to, are none.
    fn is_own(&self, site: FaultSite, net: NetId) -> bool {
        if net.index() >= self.nets {
            return false;
        }
        let FaultSite::Pin { cell, .. } = site else {
            return true;
        };
        let cell = cell as usize;
        if self.is_own[cell] {
            return true;
        }
        // An enable holds by reading what the flip-flop shows.
        let name = &self.module.cells[cell].name;
        let mut flops = self.module.flops();
        !flops.any(|(of, flop)| {
            let rest = name.strip_prefix(of.name.as_str());
            flop.q == net && rest.is_some_and(|rest| rest.starts_with('$'))
        })
    }

    /// All stuck-at faults.
    pub fn stuck(&self) -> StuckFaults {
        let (still, readers) = (self.still(), self.readers());
        // Each site has two numbers, for 0 and for 1: nets first, then pins.
        let nets = self.module.nets.len();
        let mut pins: BTreeMap<FaultSite, usize> = BTreeMap::new();
        for site in readers.iter().flatten() {
            let number = nets + pins.len();
            pins.entry(*site).or_insert(number);
        }
        let mut classes = UnionFind::<usize>::new(2 * (nets + pins.len()));
        for (net, of_net) in readers.iter().enumerate() {
            if let [site] = of_net[..] {
                for value in 0..2 {
                    classes.union(2 * net + value, 2 * pins[&site] + value);
                }
            }
        }
        for (cell, of_cell) in (0..).zip(&self.module.cells) {
            let CellKind::Gate(gate) = &of_cell.kind else {
                continue;
            };
            for input in 0..gate.inputs.len() as u8 {
                let Some(pin) = pins.get(&FaultSite::Pin { cell, input }) else {
                    continue;
                };
                for value in [false, true] {
                    if let Some(output) = forced(gate, usize::from(input), value) {
                        let output = 2 * gate.output.index() + usize::from(output);
                        classes.union(2 * pin + usize::from(value), output);
                    }
                }
            }
        }
        let mut faults = Vec::new();
        let mut roots = Vec::new();
        for (net, of_net) in readers.iter().enumerate() {
            let id = NetId(net as u32);
            if still[net] || of_net.is_empty() {
                continue;
            }
            let mut at = |site, number: usize| {
                for value in [false, true] {
                    let effect = FaultEffect::StuckAt(value);
                    faults.push(GateFault { site, effect });
                    roots.push(classes.find(2 * number + usize::from(value)));
                }
            };
            if net < self.nets {
                at(FaultSite::Net(id), net);
            }
            if of_net.len() > 1 {
                for site in of_net.iter().filter(|site| self.is_own(**site, id)) {
                    at(*site, pins[site]);
                }
            }
        }
        let mut firsts: BTreeMap<usize, u32> = BTreeMap::new();
        let class = (0..).zip(roots);
        let class = class.map(|(number, root)| *firsts.entry(root).or_insert(number));
        StuckFaults {
            class: class.collect(),
            faults,
        }
    }

    /// The flip-flops, as sites of flips.
    pub fn flip_flops(&self) -> Vec<FaultSite> {
        let flops = self.module.flops();
        flops.map(|(_, flop)| FaultSite::Net(flop.q)).collect()
    }

    /// The net that is read at a site; none of a link.
    pub fn net(&self, site: FaultSite) -> Option<NetId> {
        match site {
            FaultSite::Net(net) => Some(net),
            FaultSite::Pin { cell, input } => {
                let (mut at, mut found) = (0, None);
                self.module.cells[cell as usize]
                    .kind
                    .visit_inputs(|_, _, bit| {
                        if at == input {
                            found = bit.net();
                        }
                        at += 1;
                    });
                found
            }
            FaultSite::Output { port, bit } => {
                self.module.ports[port as usize].bits[bit as usize].net()
            }
            FaultSite::Link(_) => None,
        }
    }

    /// The name of the pin at a site, with its cell or port; none of nets and links.
    pub fn pin(&self, site: FaultSite) -> Option<String> {
        match site {
            FaultSite::Pin { cell, input } => {
                let cell = &self.module.cells[cell as usize];
                let (mut at, mut name) = (0, String::new());
                cell.kind.visit_inputs(|pin, _, _| {
                    if at == input {
                        name = format!("{}.{pin}", cell.name);
                    }
                    at += 1;
                });
                Some(name)
            }
            FaultSite::Output { port, bit } => {
                let port = &self.module.ports[port as usize];
                Some(match port.bits.len() {
                    1 => port.name.clone(),
                    width => {
                        let index = port.range.index(bit as usize, width);
                        format!("{}[{index}]", port.name)
                    }
                })
            }
            FaultSite::Net(_) | FaultSite::Link(_) => None,
        }
    }

    /// The place in a source that a site comes from; empty where the netlist does not tell.
    pub fn source(&self, site: FaultSite) -> &str {
        let of_net = |net: NetId| &*self.module.nets[net.index()].src;
        match site {
            FaultSite::Pin { cell, .. } => &self.module.cells[cell as usize].src,
            FaultSite::Net(net) => match of_net(net) {
                "" => {
                    let mut cells = self.module.cells.iter();
                    let drives = |cell: &&Cell| {
                        let mut found = false;
                        let is_it = |bit| bit == Bit::Net(net);
                        cell.kind.visit_outputs(|_, _, bit| found |= is_it(bit));
                        found
                    };
                    cells.find(drives).map_or("", |cell| &cell.src)
                }
                source => source,
            },
            FaultSite::Output { .. } => self.net(site).map_or("", of_net),
            FaultSite::Link(_) => "",
        }
    }
}

/// The value of a gate's output that one input forces by itself, if it does.
fn forced(gate: &Gate, input: usize, value: bool) -> Option<bool> {
    let table = gate.function.table();
    let mut outputs = (0..1_usize << gate.inputs.len())
        .filter(|at| (at >> input & 1 != 0) == value)
        .map(|at| table >> at & 1 != 0);
    let first = outputs.next()?;
    outputs.all(|output| output == first).then_some(first)
}

/// The stuck-at faults of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StuckFaults {
    /// The faults: for each site stuck at 0, then at 1.
    pub faults: Vec<GateFault>,
    /// For each of them the first one that it is equivalent to, as far as that is known.
    pub class: Vec<u32>,
}

/// Adds cells to a module, for faults.
struct Placing<'a> {
    module: Module,
    clock: Bit,
    reset: Bit,
    target: &'a FaultTarget,
}

impl Placing<'_> {
    fn gate(&mut self, name: &str, function: Function, inputs: &[Bit]) -> Bit {
        self.module.add_gate(name, function, inputs)
    }

    fn flop(&mut self, name: &str, data: Bit, q: NetId) {
        let flop = Flop::plain(self.clock, data, q);
        self.module.add_flop(name, flop);
    }

    /// The mask of a fault, which holds its value; 0 while the reset acts.
    fn mask(&mut self, number: usize) -> Bit {
        let name = mask(number);
        let q = self.module.add_net(&name);
        let now = self.gate(
            &format!("{name}$now"),
            Function::AndNot,
            &[Bit::Net(q), self.reset],
        );
        self.flop(&name, now, q);
        now
    }

    /// A bit as the stuck-at faults of its site show it: each a value and its mask.
    fn stuck(&mut self, name: &str, bit: Bit, stuck: &[(bool, Bit)]) -> Bit {
        let mut shown = bit;
        for (number, &(value, mask)) in stuck.iter().enumerate() {
            let function = match value {
                true => Function::Or,
                false => Function::AndNot,
            };
            shown = self.gate(&format!("{name}${number}"), function, &[shown, mask]);
        }
        shown
    }

    /// Has the driver of a net drive a new one, and gives that.
    fn cut(&mut self, net: NetId) -> Bit {
        let good = self.module.add_net(&format!("{MASK}good${}", net.0));
        for cell in &mut self.module.cells {
            cell.kind
                .map_outputs(|output| if output == net { good } else { output });
        }
        let inputs = self.module.ports.iter_mut();
        let inputs = inputs.filter(|port| port.direction == PortDirection::Input);
        for bit in inputs.flat_map(|port| &mut port.bits) {
            if *bit == Bit::Net(net) {
                *bit = Bit::Net(good);
            }
        }
        Bit::Net(good)
    }

    fn place_stuck(&mut self, site: FaultSite, stuck: &[(bool, Bit)]) {
        match site {
            FaultSite::Net(net) => {
                let good = self.cut(net);
                let name = format!("{MASK}at${}", net.0);
                let shown = self.stuck(&name, good, stuck);
                self.module
                    .drive(&format!("{name}$shown"), Function::Buf, &[shown], net);
            }
            FaultSite::Pin { cell, input } => {
                // A flip may have put a gate before it.
                let (mut at, mut bit) = (0, Bit::Zero);
                self.module.cells[cell as usize]
                    .kind
                    .visit_inputs(|_, _, of| {
                        if at == input {
                            bit = of;
                        }
                        at += 1;
                    });
                let shown = self.stuck(&format!("{MASK}pin${cell}${input}"), bit, stuck);
                let mut at = 0;
                self.module.cells[cell as usize].kind.map_inputs(|bit| {
                    at += 1;
                    if at == input + 1 { shown } else { bit }
                });
            }
            FaultSite::Output { port, bit } => {
                let (port, bit) = (port as usize, bit as usize);
                let good = self.module.ports[port].bits[bit];
                let shown = self.stuck(&format!("{MASK}out${port}${bit}"), good, stuck);
                self.module.ports[port].bits[bit] = shown;
            }
            FaultSite::Link(_) => {}
        }
    }

    /// Inverts what a flip-flop takes, where a mask is 1.
    fn place_flip(&mut self, net: NetId, mask: Bit) {
        let cells = &mut self.module.cells;
        // The net may have been cut for another fault, so the flip-flop is looked up where it was.
        let found = self
            .target
            .module
            .cells
            .iter()
            .position(|cell| matches!(&cell.kind, CellKind::Flop(flop) if flop.q == net));
        let Some(cell) = found else {
            return;
        };
        let CellKind::Flop(flop) = &cells[cell].kind else {
            return;
        };
        let data = flop.data;
        let flipped = self.gate(
            &format!("{MASK}flip${}", net.0),
            Function::Xor,
            &[data, mask],
        );
        if let CellKind::Flop(flop) = &mut self.module.cells[cell].kind {
            flop.data = flipped;
        }
    }

    /// Has output ports show what they showed a cycle before, where a mask is 1.
    fn place_late(&mut self, outputs: &[usize], mask: Bit) {
        for &port in outputs {
            for bit in 0..self.module.ports[port].bits.len() {
                let now = self.module.ports[port].bits[bit];
                let name = format!("{MASK}late${port}${bit}");
                let kept = self.gate(
                    &format!("{name}$kept"),
                    Function::AndNot,
                    &[now, self.reset],
                );
                let before = self.module.add_net(&name);
                self.flop(&name, kept, before);
                let shown = self.gate(
                    &format!("{name}$shown"),
                    Function::Mux,
                    &[now, Bit::Net(before), mask],
                );
                self.module.ports[port].bits[bit] = shown;
            }
        }
    }
}

/// A module with some faults, of which fault `i` acts where the register [`mask`]`(i)` is 1. `outputs` gives the output ports of
/// a link.
pub fn with_faults(
    target: &FaultTarget,
    faults: &[GateFault],
    outputs: impl Fn(u32) -> Vec<usize>,
) -> Module {
    let [clock, reset] = target.clock_and_reset.each_ref().map(|name| {
        let port = target.module.port(name);
        port.and_then(|port| port.bits.first().copied())
            .unwrap_or(Bit::Zero)
    });
    let mut placing = Placing {
        module: target.module.clone(),
        clock,
        reset,
        target,
    };
    let mut stuck: BTreeMap<FaultSite, Vec<(bool, Bit)>> = BTreeMap::new();
    for (number, fault) in faults.iter().enumerate() {
        let mask = placing.mask(number);
        match (fault.effect, fault.site) {
            (FaultEffect::StuckAt(value), site) => {
                stuck.entry(site).or_default().push((value, mask));
            }
            (FaultEffect::Flip, FaultSite::Net(net)) => placing.place_flip(net, mask),
            (FaultEffect::Late, FaultSite::Link(link)) => placing.place_late(&outputs(link), mask),
            _ => {}
        }
    }
    // Pins first: they read nets that are named as before.
    for (site, stuck) in stuck.iter().rev() {
        placing.place_stuck(*site, stuck);
    }
    placing.module
}

#[cfg(test)]
mod tests;
