//! Search for modules that are the same netlist except for constants.
//!
//! A module with a parameter, such as an address, is in a netlist once for each value.
//! Where no pass has folded the parameter, these modules differ only in constants at the
//! inputs of cells, at their output ports, and in the modules of their instances, which
//! differ so as well. They are a *family*, and can share an array.
//!
//! The [`ModuleForm`] of a module is the netlist without its constants, in an order that depends
//! neither on that of the file nor on names of cells and nets: from the output ports
//! backwards, breadth first, pin by pin. Every input pin has one driver, so the order
//! is that of every copy, unless cells lie in front of no output; these are in the order
//! of the file. Modules are a family when their forms are equal, word for word. A form
//! takes time and memory by the size of its module.
//!
//! Not found: copies in which inputs of a symmetric gate are exchanged, copies with other
//! values of resets or other initial values, and copies whose constants were folded.

use std::collections::BTreeMap;

use crosswave_netlist::{
    Asynchronous, Bit, CellKind, Control, Design, DesignHierarchy, Module, PortDirection,
};

#[cfg(test)]
mod tests;

/// Position of a constant in a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ConstantPlace {
    /// At an input of a gate or flip-flop: index of the cell, input in the order of
    /// [`CellKind::visit_inputs`].
    Cell(u32, u32),
    /// At an output port: index of the port, bit.
    Port(u32, u32),
}

/// Numbers of names, which forms have instead.
#[derive(Debug, Default)]
pub(super) struct NameNumbers {
    numbers: BTreeMap<String, u32>,
}

impl NameNumbers {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        number
    }
}

/// A module without its constants, in the order of its outputs.
#[derive(Debug, Default)]
pub(super) struct ModuleForm {
    /// Everything but the constants: ports, then cell by cell. Nets are numbered from 1 as
    /// they appear, and constants are 0.
    pub words: Vec<u32>,
    /// The indices of the cells in this order.
    pub cells: Vec<u32>,
    /// The constants of ports, gates and flip-flops in this order, and where they are.
    pub constants: Vec<(ConstantPlace, Bit)>,
    /// The number of each net of the module in `words`; 0 for one at no port and no cell.
    pub numbers: Vec<u32>,
}

impl ModuleForm {
    /// The form of a module; `family` gives a number for the module of an instance.
    pub(super) fn new(
        module: &Module,
        names: &mut NameNumbers,
        family: impl Fn(&str) -> usize,
    ) -> ModuleForm {
        let mut walk = Walk::new(module);
        walk.form.words.push(module.ports.len() as u32);
        for port in &module.ports {
            let input = port.direction == PortDirection::Input;
            let head = [
                names.number(&port.name),
                input.into(),
                port.bits.len() as u32,
            ];
            walk.form.words.extend(head);
        }
        // Inputs first, so that every bit of theirs has the same number in every copy.
        for direction in [PortDirection::Input, PortDirection::Output] {
            for (number, port) in module.ports.iter().enumerate() {
                for (at, &bit) in port.bits.iter().enumerate() {
                    if port.direction == direction {
                        walk.read(bit, Some(ConstantPlace::Port(number as u32, at as u32)));
                    }
                }
            }
        }
        let mut done = 0;
        for cell in 0..module.cells.len() as u32 {
            // Cells in front of no output come last, in the order of the file.
            if done == walk.form.cells.len() {
                walk.reach(cell);
            }
            while let Some(&cell) = walk.form.cells.get(done) {
                walk.cell(cell, names, &family);
                done += 1;
            }
        }
        walk.form.numbers = walk.numbers;
        walk.form
    }
}

/// A form in the making.
struct Walk<'m> {
    module: &'m Module,
    /// The cell that drives each net, if one does.
    drivers: Vec<u32>,
    /// The number of each net, 0 before it has one, and the last number.
    numbers: Vec<u32>,
    last: u32,
    reached: Vec<bool>,
    form: ModuleForm,
}

const NONE: u32 = u32::MAX;

impl Walk<'_> {
    fn new(module: &Module) -> Walk<'_> {
        let mut drivers = vec![NONE; module.nets.len()];
        for (number, cell) in module.cells.iter().enumerate() {
            cell.kind.visit_outputs(|_, _, bit| {
                if let Bit::Net(net) = bit {
                    drivers[net.index()] = number as u32;
                }
            });
        }
        Walk {
            module,
            drivers,
            numbers: vec![0; module.nets.len()],
            last: 0,
            reached: vec![false; module.cells.len()],
            form: ModuleForm::default(),
        }
    }

    /// Puts a cell into the order, unless it is there.
    fn reach(&mut self, cell: u32) {
        if !std::mem::replace(&mut self.reached[cell as usize], true) {
            self.form.cells.push(cell);
        }
    }

    /// Writes a bit down; `place` is that of a constant.
    fn read(&mut self, bit: Bit, place: Option<ConstantPlace>) {
        let Bit::Net(net) = bit else {
            self.form.words.push(0);
            self.form.constants.extend(place.map(|place| (place, bit)));
            return;
        };
        let at = net.index();
        if self.numbers[at] == 0 {
            self.last += 1;
            self.numbers[at] = self.last;
            if self.drivers[at] != NONE {
                self.reach(self.drivers[at]);
            }
        }
        self.form.words.push(self.numbers[at]);
    }

    /// Writes a cell down, and puts those that it reads into the order.
    fn cell(&mut self, number: u32, names: &mut NameNumbers, family: impl Fn(&str) -> usize) {
        let module = self.module;
        let kind = &module.cells[number as usize].kind;
        match kind {
            CellKind::Gate(gate) => {
                let function = names.number(gate.function.name());
                self.form.words.extend([0, function]);
            }
            CellKind::Flop(flop) => {
                let control = |control: Control| u32::from(control.active_high);
                let [enable, reset] = [
                    flop.enable.map(control),
                    flop.reset.map(|reset| {
                        control(reset.control)
                            | u32::from(reset.value) << 1
                            | u32::from(reset.gated) << 2
                    }),
                ]
                .map(|found| found.map_or(0, |found| found + 1));
                let asynchronous = match flop.asynchronous {
                    Asynchronous::None => 0,
                    Asynchronous::Reset {
                        control: one,
                        value,
                    } => 1 << 2 | control(one) | u32::from(value) << 1,
                    Asynchronous::SetReset { set, reset } => {
                        2 << 2 | control(set) | control(reset) << 1
                    }
                    Asynchronous::Load { control: one, .. } => 3 << 2 | control(one),
                };
                let edge = flop.edge as u32;
                let init = flop.init.map_or(0, |value| 1 + u32::from(value));
                let words = [1, edge, enable, reset, asynchronous, init];
                self.form.words.extend(words);
            }
            CellKind::Memory(memory) => {
                let init = memory.init.iter().map(|bit| match bit {
                    None => 0,
                    Some(bit) => 1 + u32::from(*bit),
                });
                let reads = memory.reads.iter().map(|port| port.address.len() as u32);
                let writes = memory.writes.iter();
                let writes = writes.map(|port| (port.address.len() as u32) << 1 | port.edge as u32);
                let counts = [
                    memory.width,
                    memory.words,
                    memory.init.len(),
                    memory.reads.len(),
                ];
                let words = &mut self.form.words;
                words.push(3);
                words.extend(counts.map(|count| count as u32));
                words.extend([memory.writes.len() as u32, memory.beyond.into()]);
                words.extend([memory.first as u32, (memory.first >> 32) as u32]);
                words.extend(reads.chain(writes).chain(init));
            }
            CellKind::Instance(instance) => {
                let family = family(&instance.module) as u32;
                let mut connections: Vec<_> = instance.connections.iter().collect();
                connections.sort_by_key(|connection| &connection.port);
                self.form
                    .words
                    .extend([2, family, connections.len() as u32]);
                for connection in connections {
                    let head = [names.number(&connection.port), connection.bits.len() as u32];
                    self.form.words.extend(head);
                    connection.bits.iter().for_each(|&bit| self.read(bit, None));
                }
                return;
            }
        }
        let mut pin = 0;
        kind.visit_inputs(|_, _, bit| {
            self.read(bit, Some(ConstantPlace::Cell(number, pin)));
            pin += 1;
        });
        kind.visit_outputs(|_, _, bit| self.read(bit, None));
    }
}

/// The modules below a root by family.
#[derive(Debug)]
pub(super) struct Families {
    /// The first module of the family of each module; none above and beside the root.
    first: Vec<Option<usize>>,
    /// The modules of each family, by the first, in the order of the file.
    members: BTreeMap<usize, Vec<usize>>,
}

impl Families {
    /// The families below `root`, which is alone.
    pub(super) fn new(design: &Design, hierarchy: &DesignHierarchy<'_>, root: usize) -> Families {
        let mut names = NameNumbers::default();
        let mut numbers: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        let mut family: Vec<usize> = vec![0; design.modules.len()];
        for &module in hierarchy.order.iter().filter(|&&module| module != root) {
            // A module comes after those that it instantiates in the order.
            let of = |name: &str| hierarchy.find(name).map_or(0, |child| family[child]);
            let form = ModuleForm::new(&design.modules[module], &mut names, of);
            let next = numbers.len();
            family[module] = *numbers.entry(form.words).or_insert(next);
        }
        family[root] = numbers.len();
        Families::of(hierarchy, |module| family[module])
    }

    /// Every module by itself.
    pub(super) fn alone(hierarchy: &DesignHierarchy<'_>) -> Families {
        Families::of(hierarchy, |module| module)
    }

    fn of(hierarchy: &DesignHierarchy<'_>, family: impl Fn(usize) -> usize) -> Families {
        let mut gathered: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for &module in &hierarchy.order {
            gathered.entry(family(module)).or_default().push(module);
        }
        let mut first = vec![None; hierarchy.occurrences.len()];
        let mut members = BTreeMap::new();
        for (_, mut list) in gathered {
            list.sort_unstable();
            list.iter()
                .for_each(|&module| first[module] = Some(list[0]));
            members.insert(list[0], list);
        }
        Families { first, members }
    }

    /// The first modules of all families.
    pub(super) fn firsts(&self) -> impl Iterator<Item = usize> {
        self.members.keys().copied()
    }

    /// The first module of the family of a module below the root.
    pub(super) fn first(&self, module: usize) -> usize {
        self.first[module].unwrap_or(module)
    }

    /// The modules of the family with this first one.
    pub(super) fn members(&self, first: usize) -> &[usize] {
        self.members.get(&first).map_or(&[], Vec::as_slice)
    }

    /// The first modules of the families within the family with this first one.
    pub(super) fn below(&self, hierarchy: &DesignHierarchy<'_>, first: usize) -> Vec<usize> {
        let below = hierarchy.below(first);
        let mut families: Vec<usize> = below.into_iter().map(|one| self.first(one)).collect();
        families.sort_unstable();
        families.dedup();
        families
    }

    /// Number of occurrences of modules of the family with this first one.
    pub(super) fn occurrences(&self, hierarchy: &DesignHierarchy<'_>, first: usize) -> u64 {
        let members = self.members(first).iter();
        members.fold(0, |sum, &module| {
            sum.saturating_add(hierarchy.occurrences[module])
        })
    }
}
