//! Replaces instances by what their modules hold.
//!
//! Every net of every instance gets a number of its own. A net that a port joins
//! to one of the enclosing module is an *alias* of it: of what drives it. Every net
//! has one driver, so following aliases ends at a constant, a gate, a flip-flop, a
//! port of the root or an instance that is kept; unless ports are joined in a circle
//! without a gate, which is reported.
//!
//! Names become paths with dots: cell `g` of the module of instance `u` is `u.g`; of
//! very long ones the middle is left out. An input of an instance that is not connected
//! is X.
//! The walk keeps its stack in a vector, so depth costs no stack, and the size is
//! known before anything is copied: see [`DesignHierarchy`].

use std::collections::{BTreeMap, BTreeSet};

use smol_str::SmolStr;

use super::findings::{Findings, NetlistPlace};
use super::long_names::joined;
use super::model::{Bit, Cell, CellKind, Connection, Design, Module, Net, NetId, PortDirection};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

#[cfg(test)]
mod tests;

/// Cells of the largest module that [`flatten`] makes.
pub const FLAT_CELLS_MAX: u64 = 1 << 23;

/// Totals of a design below a root: sizes and counts, all of which stay at `u64::MAX` when they do
/// not fit.
#[derive(Debug, Clone)]
pub struct DesignHierarchy<'a> {
    design: &'a Design,
    index: BTreeMap<&'a str, usize>,
    /// The modules below the root and the root, each after those it instantiates.
    pub order: Vec<usize>,
    /// Number of occurrences of each module below the root; 1 for the root.
    pub occurrences: Vec<u64>,
    /// Gates and flip-flops of each module, with everything below it.
    pub cells: Vec<u64>,
    /// For each module, how often it instantiates which.
    pub children: Vec<BTreeMap<usize, u64>>,
}

impl<'a> DesignHierarchy<'a> {
    /// Counts below the module with this index in a design that has passed
    /// [`check()`](super::check()).
    pub fn new(design: &'a Design, root: usize) -> DesignHierarchy<'a> {
        let index: BTreeMap<&str, usize> = design
            .modules
            .iter()
            .enumerate()
            .map(|(number, module)| (module.name.as_str(), number))
            .collect();
        let mut children = vec![BTreeMap::new(); design.modules.len()];
        for (number, module) in design.modules.iter().enumerate() {
            for (_, instance) in module.instances() {
                *children[number]
                    .entry(index[instance.module.as_str()])
                    .or_insert(0) += 1;
            }
        }
        let mut order = Vec::new();
        let mut seen = vec![false; design.modules.len()];
        seen[root] = true;
        let mut stack = vec![(root, children[root].keys())];
        while let Some((module, rest)) = stack.last_mut() {
            match rest.next() {
                Some(&child) if !seen[child] => {
                    seen[child] = true;
                    stack.push((child, children[child].keys()));
                }
                Some(_) => {}
                None => {
                    order.push(*module);
                    stack.pop();
                }
            }
        }
        let mut cells = vec![0u64; design.modules.len()];
        for &module in &order {
            let own = design.modules[module]
                .cells
                .iter()
                .filter(|cell| !matches!(cell.kind, CellKind::Instance(_)))
                .count() as u64;
            cells[module] = children[module].iter().fold(own, |sum, (&child, &times)| {
                sum.saturating_add(cells[child].saturating_mul(times))
            });
        }
        let mut occurrences = vec![0u64; design.modules.len()];
        occurrences[root] = 1;
        for &module in order.iter().rev() {
            let times = occurrences[module];
            for (&child, &each) in &children[module] {
                occurrences[child] = occurrences[child].saturating_add(times.saturating_mul(each));
            }
        }
        DesignHierarchy {
            design,
            index,
            order,
            occurrences,
            cells,
            children,
        }
    }

    /// The index of the module of this name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The name of a module.
    pub fn name(&self, module: usize) -> &str {
        &self.design.modules[module].name
    }

    /// The modules below `module`, itself not among them.
    pub fn below(&self, module: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::new();
        let mut open = vec![module];
        while let Some(module) = open.pop() {
            for &child in self.children[module].keys() {
                if found.insert(child) {
                    open.push(child);
                }
            }
        }
        found
    }

    /// The cells of `root` with everything below it, where modules of `keep` count
    /// as a cell for each bit of their ports, and nets and instances count as well.
    fn size(&self, root: usize, keep: &BTreeSet<usize>) -> u64 {
        let mut sizes = vec![0u64; self.children.len()];
        for &module in &self.order {
            if module != root && keep.contains(&module) {
                let ports = self.design.modules[module].ports.iter();
                sizes[module] = ports.map(|port| port.bits.len() as u64).sum::<u64>().max(1);
                continue;
            }
            let body = &self.design.modules[module];
            let own = (body.cells.len()).max(body.nets.len()) as u64;
            sizes[module] = self.children[module]
                .iter()
                .fold(own, |sum, (&child, &times)| {
                    sum.saturating_add(sizes[child].saturating_mul(times))
                });
        }
        sizes[root]
    }
}

/// The instances that a flat module was made of, and what became of their nets.
#[derive(Debug)]
pub struct FlatMap {
    /// The root, then every instance after the one around it.
    pub instances: Vec<FlatInstance>,
    /// The bit that drives each net, as it was before nets were joined.
    drivers: Vec<Option<Bit>>,
}

/// An instance of which a flat module was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlatInstance {
    /// Index of the instance around it; 0 for the root.
    pub parent: u32,
    /// Its place among the instances of the module around it.
    pub ordinal: u32,
    /// The number of its first net; `None` when it was kept. Instances that were kept are in the
    /// order of the cells of the flat module.
    pub first_net: Option<u32>,
}

impl FlatMap {
    /// The bit of the flat module for a bit of the module of an instance.
    ///
    /// # Panics
    /// When the instance was kept.
    pub fn bit(&self, instance: usize, bit: Bit) -> Bit {
        let Bit::Net(net) = bit else { return bit };
        let first = self.instances[instance].first_net;
        let net = NetId(first.expect("an instance that was replaced") + net.0);
        self.drivers[net.index()].unwrap_or(Bit::Net(net))
    }
}

/// The module with index `root`, with every instance replaced by what its module
/// holds, except for instances of modules in `keep`.
///
/// # Errors
/// When it would have more than [`FLAT_CELLS_MAX`] cells or nets, and when ports are
/// joined in a circle.
pub fn flatten(
    hierarchy: &DesignHierarchy<'_>,
    root: usize,
    keep: &BTreeSet<usize>,
) -> Result<Module, Error> {
    flatten_mapped(hierarchy, root, keep).map(|(module, _)| module)
}

/// Flattens as [`flatten`] does, and says what became of each instance.
///
/// # Errors
/// As [`flatten`].
pub fn flatten_mapped(
    hierarchy: &DesignHierarchy<'_>,
    root: usize,
    keep: &BTreeSet<usize>,
) -> Result<(Module, FlatMap), Error> {
    let design = hierarchy.design;
    let module = &design.modules[root];
    let size = hierarchy.size(root, keep);
    if size > FLAT_CELLS_MAX {
        return Err(Error::one(
            Class::Input,
            module.name.clone(),
            Diagnostic::new(
                NetlistPlace::module(&module.name, &module.src),
                format!(
                    "flattened it has {size} cells or nets, and at most {FLAT_CELLS_MAX} are held"
                ),
                "give a smaller module as --top",
            ),
        ));
    }
    let mut flat = Flat {
        module: Module {
            name: module.name.clone(),
            src: module.src.clone(),
            ports: module.ports.clone(),
            nets: Vec::with_capacity(size as usize),
            cells: Vec::with_capacity(size as usize),
            beside: Vec::new(),
        },
        alias: Vec::with_capacity(size as usize),
        cells: 0,
    };
    let first = flat.nets(module, "");
    let mut instances = vec![FlatInstance {
        parent: 0,
        ordinal: 0,
        first_net: Some(first),
    }];
    // Instances that are still to be copied: module, path, index, number of its first net.
    let mut open = vec![(root, String::new(), 0, first)];
    while let Some((number, path, parent, first)) = open.pop() {
        let mut inner = Vec::new();
        let mut ordinal = 0;
        for cell in &design.modules[number].cells {
            let mut cell = Cell {
                name: match path.is_empty() {
                    true => cell.name.clone(),
                    false => joined(&path, &cell.name, flat.cells).into(),
                },
                src: cell.src.clone(),
                kind: cell.kind.clone(),
            };
            flat.cells += 1;
            let shift = |net: NetId| NetId(first + net.0);
            cell.kind.map_inputs(|bit| match bit {
                Bit::Net(net) => Bit::Net(shift(net)),
                constant => constant,
            });
            cell.kind.map_outputs(shift);
            match &mut cell.kind {
                CellKind::Instance(instance) => {
                    let child = hierarchy.index[instance.module.as_str()];
                    let index = instances.len() as u32;
                    instances.push(FlatInstance {
                        parent,
                        ordinal,
                        first_net: None,
                    });
                    ordinal += 1;
                    if keep.contains(&child) {
                        connect_rest(&design.modules[child], &mut instance.connections);
                        flat.module.cells.push(cell);
                        continue;
                    }
                    let path = format!("{}.", cell.name);
                    let first = flat.nets(&design.modules[child], &path);
                    flat.join(&design.modules[child], first, &instance.connections);
                    instances[index as usize].first_net = Some(first);
                    inner.push((child, path, index, first));
                }
                _ => flat.module.cells.push(cell),
            }
        }
        open.extend(inner.into_iter().rev());
    }
    flat.finish(instances)
}

/// Connects the inputs of an instance that are not connected to X.
fn connect_rest(module: &Module, connections: &mut Vec<Connection>) {
    connections.retain(|connection| !connection.bits.is_empty());
    let connected: BTreeSet<String> = connections.iter().map(|c| c.port.clone()).collect();
    for port in module.ports_of(PortDirection::Input) {
        if !connected.contains(&port.name) {
            connections.push(Connection {
                port: port.name.clone(),
                direction: PortDirection::Input,
                bits: vec![Bit::X; port.bits.len()],
            });
        }
    }
}

struct Flat {
    module: Module,
    /// For a net that is joined to another, the bit that drives it, as far as is known.
    alias: Vec<Option<Bit>>,
    /// Cells and instances that were copied, which number them.
    cells: usize,
}

impl Flat {
    /// Adds the nets of a module, and gives the number of the first.
    fn nets(&mut self, module: &Module, path: &str) -> u32 {
        let first = self.module.nets.len() as u32;
        for net in &module.nets {
            let name = match path.is_empty() {
                true => net.name.clone(),
                false => joined(path, &net.name, self.module.nets.len()).into(),
            };
            let src = SmolStr::default();
            self.module.nets.push(Net { name, src });
        }
        self.alias.resize(self.module.nets.len(), None);
        first
    }

    /// Joins the ports of an instance to what they are connected to.
    fn join(&mut self, module: &Module, first: u32, connections: &[Connection]) {
        let connections: BTreeMap<&str, &[Bit]> = connections
            .iter()
            .map(|connection| (connection.port.as_str(), connection.bits.as_slice()))
            .collect();
        for port in &module.ports {
            let outside = connections.get(port.name.as_str()).copied().unwrap_or(&[]);
            if outside.is_empty() && port.direction == PortDirection::Input {
                for net in port.bits.iter().filter_map(|bit| bit.net()) {
                    self.alias[first as usize + net.index()] = Some(Bit::X);
                }
            }
            for (&inside, &outside) in port.bits.iter().zip(outside) {
                let inside = match inside {
                    Bit::Net(net) => Bit::Net(NetId(first + net.0)),
                    constant => constant,
                };
                let (driven, driver) = match port.direction {
                    PortDirection::Input => (inside, outside),
                    PortDirection::Output => (outside, inside),
                };
                if let Bit::Net(net) = driven {
                    self.alias[net.index()] = Some(driver);
                }
            }
        }
    }

    /// Follows aliases everywhere.
    fn finish(self, instances: Vec<FlatInstance>) -> Result<(Module, FlatMap), Error> {
        let Flat {
            mut module, alias, ..
        } = self;
        let mut resolved: Vec<Option<Bit>> = vec![None; alias.len()];
        let mut walk = vec![u32::MAX; alias.len()];
        let mut findings = Findings::default();
        for start in 0..alias.len() {
            let mut path = Vec::new();
            let mut at = Bit::Net(NetId(start as u32));
            let end = loop {
                let Bit::Net(net) = at else { break at };
                if let Some(known) = resolved[net.index()] {
                    break known;
                }
                if walk[net.index()] == start as u32 {
                    findings.add(
                        NetlistPlace::module(&module.name, &module.src),
                        format!(
                            "combinational loop: net `{}` drives itself through ports of instances",
                            module.net_name(net)
                        ),
                        "break the loop",
                    );
                    break Bit::Zero;
                }
                walk[net.index()] = start as u32;
                path.push(net);
                match alias[net.index()] {
                    None => break at,
                    Some(next) => at = next,
                }
            };
            for net in path {
                resolved[net.index()] = Some(end);
            }
        }
        let resolve = |bit: Bit| match bit {
            Bit::Net(net) => resolved[net.index()].unwrap_or(bit),
            constant => constant,
        };
        for cell in &mut module.cells {
            cell.kind.map_inputs(resolve);
        }
        for port in &mut module.ports {
            if port.direction == PortDirection::Output {
                port.bits.iter_mut().for_each(|bit| *bit = resolve(*bit));
            }
        }
        let origin = module.name.clone();
        let map = FlatMap {
            instances,
            drivers: resolved,
        };
        findings.finish((module, map), &origin, None)
    }
}
