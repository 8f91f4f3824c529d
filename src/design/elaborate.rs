//! From a hierarchy to arrays of instances and the links between them.
//!
//! Array 0 is the top, with everything that is in no other array; it has one
//! instance. Every other array is a module and all its instances. A module is a
//! [`Leaf`]: plain registers, gates in order. An instance within the top is cut out:
//! what it reads are outputs of the top, what it drives are inputs.
//!
//! A [`Source`] says for each input net of each instance what drives it, past every
//! port that only passes something on.

use std::collections::{BTreeMap, BTreeSet};

use super::choose;
use super::clock::{check_edges, settle_clock};
use crate::diagnostic::{Class, Diagnostic, Error};
use crate::gate::Backend;
use crate::netlist::{
    Bit, BitRange, CellKind, Design, Direction, Hierarchy, Leaf, Module, NetId, Port, ZERO_RAIL,
    flatten, four_state, levelise,
};

/// Which modules become arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrays {
    /// Those that pay.
    Auto,
    /// None: everything is flattened.
    None,
    /// Those of these names.
    Named(Vec<String>),
}

/// How a design is made ready.
#[derive(Debug, Clone)]
pub struct Options {
    /// The clock; `None` when it is to be found.
    pub clock: Option<String>,
    /// Whether to compute with X.
    pub four_state: bool,
    /// Which modules become arrays.
    pub arrays: Arrays,
    /// Runs side by side.
    pub replicas: usize,
    /// How gates are evaluated.
    pub backend: Backend,
}

/// What drives an input net of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A constant.
    Constant(bool),
    /// The user, at a port of the top.
    User,
    /// A register or a gate of an instance.
    Net {
        /// Array.
        array: u32,
        /// Instance.
        instance: u32,
        /// Net of the array's leaf.
        net: NetId,
    },
}

/// What drives a net of a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    /// Nothing: the net is not used.
    Nothing,
    /// An input.
    Input,
    /// A register.
    Register,
    /// A gate, by its place in [`Leaf::gates`].
    Gate(u32),
}

/// All instances of a module.
#[derive(Debug, Clone)]
pub struct Array {
    /// The module.
    pub leaf: Leaf,
    /// Paths of the instances; that of the top is empty.
    pub instances: Vec<String>,
    /// What drives each net.
    pub drivers: Vec<Driver>,
    /// The input nets that are read, sorted.
    pub inputs: Vec<NetId>,
    /// What drives each of `inputs`, by instance.
    pub sources: Vec<Vec<Source>>,
}

/// A flip-flop as its user knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlopName {
    /// The net it drives, as a path below its instance.
    pub name: String,
    /// What its rails are: nets or constants.
    pub rails: [Bit; 2],
}

/// A design of arrays.
#[derive(Debug, Clone)]
pub struct Elaborated {
    /// The top, then the others.
    pub arrays: Vec<Array>,
    /// The clock.
    pub clock: Option<String>,
    /// The ports of the top, as in its source.
    pub ports: Vec<Port>,
    /// Gates and flip-flops of an instance of each array, as they were read.
    pub sizes: Vec<(usize, usize)>,
    /// The flip-flops of each array, in four-state mode.
    pub flops: Vec<Vec<FlopName>>,
    /// Gates and flip-flops of the design as it was read.
    pub cells: u64,
}

/// The output that makes flip-flops stay when nothing reads them.
const FLOPS_PORT: &str = "$flops";

/// Makes arrays of the module with index `root`.
///
/// # Errors
/// What the netlist passes refuse; clocks other than one; arrays that are not there.
pub fn elaborate(design: &Design, root: usize, options: &Options) -> Result<Elaborated, Error> {
    let hierarchy = Hierarchy::new(design, root);
    check_edges(design, root, &hierarchy.order)?;
    let keep = match &options.arrays {
        Arrays::Auto => choose::arrays(design, &hierarchy, root, options.replicas as u64),
        Arrays::None => BTreeSet::new(),
        Arrays::Named(names) => named(&hierarchy, root, names)?,
    };
    let mut top = flatten(&hierarchy, root, &keep)?;
    let mut modules = Vec::new();
    let mut clocks = BTreeMap::new();
    for &number in &keep {
        let mut module = flatten(&hierarchy, number, &BTreeSet::new())?;
        let clock = settle_clock(&mut module, None, &BTreeMap::new())?;
        clocks.insert(module.name.clone(), clock.clone());
        modules.push((module, clock));
    }
    let ports = top.ports.clone();
    let clock = settle_clock(&mut top, options.clock.as_deref(), &clocks)?;

    let mut flops = vec![flop_names(&top, options.four_state)];
    let mut sizes = vec![size(&top)];
    let mut leaves = Vec::new();
    for (module, clock) in modules {
        sizes.push(size(&module));
        flops.push(flop_names(&module, options.four_state));
        leaves.push(leaf(module, clock.as_deref(), options.four_state)?);
    }
    let cut = Cut::new(&mut top, &clocks, &leaves, options.four_state);
    let top = leaf(cut.module, clock.as_deref(), options.four_state)?;
    leaves.insert(0, top);
    for (leaf, flops) in leaves.iter().zip(&mut flops) {
        if let Some(port) = leaf.module.port(FLOPS_PORT) {
            let zero = leaf.module.port(&format!("{FLOPS_PORT}{ZERO_RAIL}"));
            let zero = zero.map_or(&[][..], |port| &port.bits);
            for ((flop, &one), &zero) in flops.iter_mut().zip(&port.bits).zip(zero) {
                flop.rails = [one, zero];
            }
        }
    }
    let mut instances = vec![vec![String::new()]];
    instances.extend(cut.instances);
    let mut arrays: Vec<Array> = leaves
        .into_iter()
        .zip(instances)
        .map(|(leaf, instances)| array(leaf, instances, clock.as_deref()))
        .collect();
    link(&mut arrays, &cut.joints)?;
    Ok(Elaborated {
        arrays,
        clock,
        ports,
        sizes,
        flops,
        cells: hierarchy.cells[root],
    })
}

/// The modules of these names, each below the root and none within another.
fn named(
    hierarchy: &Hierarchy<'_>,
    root: usize,
    names: &[String],
) -> Result<BTreeSet<usize>, Error> {
    let usage = |message: String, help: &str| {
        Error::one(
            Class::Usage,
            "command line",
            Diagnostic::new("--array", message, help),
        )
    };
    let mut keep = BTreeSet::new();
    for name in names {
        let module = hierarchy
            .find(name)
            .filter(|&module| module != root && hierarchy.occurrences[module] > 0);
        let Some(module) = module else {
            return Err(usage(
                format!("there is no module `{name}` below the top"),
                "name modules as the netlist does",
            ));
        };
        keep.insert(module);
    }
    for &module in &keep {
        if hierarchy.below(module).intersection(&keep).next().is_some() {
            return Err(usage(
                "one of the modules is within another".to_owned(),
                "name the outer or the inner one",
            ));
        }
    }
    Ok(keep)
}

/// Gates and flip-flops of a module.
fn size(module: &Module) -> (usize, usize) {
    (module.gates().count(), module.flops().count())
}

/// The names of the flip-flops of a module; none unless X is computed with.
fn flop_names(module: &Module, four_state: bool) -> Vec<FlopName> {
    let flops = module.flops().filter(|_| four_state);
    flops
        .map(|(_, flop)| FlopName {
            name: module.net_name(flop.q).to_owned(),
            rails: [Bit::Zero; 2],
        })
        .collect()
}

/// The leaf of a flat module.
fn leaf(mut module: Module, clock: Option<&str>, x: bool) -> Result<Leaf, Error> {
    if x {
        let bits = module.flops().map(|(_, flop)| Bit::Net(flop.q)).collect();
        module.ports.push(Port {
            name: FLOPS_PORT.to_owned(),
            direction: Direction::Output,
            bits,
            range: BitRange::default(),
        });
        module = four_state(&module);
    }
    Leaf::new(&module, clock.unwrap_or(""), &[]).map_err(|error| match levelise(&module) {
        Ok(_) => error,
        // A loop of gates, which no flip-flop is to blame for.
        Err(loops) => Error {
            diagnostics: loops
                .iter()
                .take(LOOPS_SHOWN)
                .map(|found| found.diagnostic(&module))
                .collect(),
            ..error
        },
    })
}

/// Combinational loops that are reported.
const LOOPS_SHOWN: usize = 20;

fn array(leaf: Leaf, instances: Vec<String>, clock: Option<&str>) -> Array {
    let mut drivers = vec![Driver::Nothing; leaf.nets()];
    for port in leaf.inputs() {
        for net in port.bits.iter().filter_map(|bit| bit.net()) {
            drivers[net.index()] = Driver::Input;
        }
    }
    for register in &leaf.registers {
        drivers[register.q.index()] = Driver::Register;
    }
    for (index, gate) in leaf.gates.iter().enumerate() {
        drivers[gate.output.index()] = Driver::Gate(index as u32);
    }
    let read = nets_read(&leaf);
    let is_clock = |port: &&Port| instances[0].is_empty() && Some(port.name.as_str()) == clock;
    let mut inputs: Vec<NetId> = leaf
        .inputs()
        .filter(|port| !is_clock(port))
        .flat_map(|port| &port.bits)
        .filter_map(|bit| bit.net())
        .filter(|net| read[net.index()])
        .collect();
    inputs.sort_unstable();
    let sources = vec![vec![Source::User; instances.len()]; inputs.len()];
    Array {
        leaf,
        instances,
        drivers,
        inputs,
        sources,
    }
}

/// A port of the top that stands for a port of an instance.
struct Joint {
    /// Array and instance.
    array: usize,
    instance: usize,
    /// Port of the array's leaf.
    port: usize,
    /// Port of the top's leaf.
    outer: usize,
}

/// The top without its instances.
struct Cut {
    module: Module,
    joints: Vec<Joint>,
    /// The instances of each array after the top, by name.
    instances: Vec<Vec<String>>,
}

impl Cut {
    fn new(
        top: &mut Module,
        clocks: &BTreeMap<String, Option<String>>,
        leaves: &[Leaf],
        x: bool,
    ) -> Cut {
        let numbers: BTreeMap<&str, usize> = leaves
            .iter()
            .enumerate()
            .map(|(number, leaf)| (leaf.module.name.as_str(), number))
            .collect();
        let ports: Vec<BTreeMap<&str, usize>> = leaves
            .iter()
            .map(|leaf| {
                let ports = leaf.module.ports.iter().enumerate();
                ports
                    .map(|(index, port)| (port.name.as_str(), index))
                    .collect()
            })
            .collect();
        let read: Vec<Vec<bool>> = leaves.iter().map(ports_read).collect();
        let mut module = std::mem::take(top);
        let mut joints = Vec::new();
        let mut instances = vec![Vec::new(); leaves.len()];
        let cells = std::mem::take(&mut module.cells);
        for cell in cells {
            let CellKind::Instance(instance) = &cell.kind else {
                module.cells.push(cell);
                continue;
            };
            let number = numbers[instance.module.as_str()];
            let clock = clocks[&instance.module].as_deref();
            let index = instances[number].len();
            instances[number].push(cell.name.clone());
            for connection in &instance.connections {
                let rails: &[&str] = if x { &["", ZERO_RAIL] } else { &[""] };
                let input = connection.direction == Direction::Input;
                let used = rails.iter().any(|rail| {
                    read[number][ports[number][format!("{}{rail}", connection.port).as_str()]]
                });
                if input && (Some(connection.port.as_str()) == clock || !used) {
                    continue;
                }
                let name = format!("{}.{}", cell.name, connection.port);
                for (at, rail) in rails.iter().enumerate() {
                    joints.push(Joint {
                        array: number + 1,
                        instance: index,
                        port: ports[number][format!("{}{rail}", connection.port).as_str()],
                        outer: module.ports.len() * rails.len() + at,
                    });
                }
                module.ports.push(Port {
                    name,
                    direction: match input {
                        true => Direction::Output,
                        false => Direction::Input,
                    },
                    bits: connection.bits.clone(),
                    range: BitRange::default(),
                });
            }
        }
        Cut {
            module,
            joints,
            instances,
        }
    }
}

/// Which nets of a leaf a gate, a register or an output reads.
fn nets_read(leaf: &Leaf) -> Vec<bool> {
    let mut read = vec![false; leaf.nets()];
    let gates = leaf.gates.iter().flat_map(|gate| gate.inputs.iter());
    let registers = leaf.registers.iter().map(|register| &register.data);
    let outputs = leaf.outputs().flat_map(|port| &port.bits);
    for net in gates
        .chain(registers)
        .chain(outputs)
        .filter_map(|bit| bit.net())
    {
        read[net.index()] = true;
    }
    read
}

/// Which ports of a leaf are inputs that are read, or outputs.
fn ports_read(leaf: &Leaf) -> Vec<bool> {
    let read = nets_read(leaf);
    let ports = leaf.module.ports.iter();
    ports
        .map(|port| {
            port.direction == Direction::Output
                || port
                    .bits
                    .iter()
                    .filter_map(|bit| bit.net())
                    .any(|net| read[net.index()])
        })
        .collect()
}

/// Where an input net of an array comes from, before ports that pass on are
/// followed.
#[derive(Clone, Copy)]
enum Entry {
    User,
    /// A bit of the leaf of an array, for an instance.
    Bit(u32, u32, Bit),
}

/// Finds the source of every input.
fn link(arrays: &mut [Array], joints: &[Joint]) -> Result<(), Error> {
    let mut entries: Vec<Vec<Vec<Entry>>> = arrays
        .iter()
        .map(|array| vec![Vec::new(); array.leaf.nets()])
        .collect();
    for joint in joints {
        let outer = &arrays[0].leaf.module.ports[joint.outer];
        let inner = &arrays[joint.array].leaf.module.ports[joint.port];
        for (&outside, &inside) in outer.bits.iter().zip(&inner.bits) {
            if inner.direction == Direction::Input {
                if let Bit::Net(net) = inside {
                    let count = arrays[joint.array].instances.len();
                    let list = &mut entries[joint.array][net.index()];
                    list.resize(count, Entry::User);
                    list[joint.instance] = Entry::Bit(0, 0, outside);
                }
            } else if let Bit::Net(net) = outside {
                let entry = Entry::Bit(joint.array as u32, joint.instance as u32, inside);
                entries[0][net.index()] = vec![entry];
            }
        }
    }
    let bits: usize = entries.iter().flatten().map(Vec::len).sum();
    let mut all = Vec::new();
    for (number, array) in arrays.iter().enumerate() {
        let mut sources = array.sources.clone();
        for (input, &net) in array.inputs.iter().enumerate() {
            for (instance, source) in sources[input].iter_mut().enumerate() {
                let start = (number, instance, net);
                let mut at = start;
                let mut hops = 0;
                *source = loop {
                    let entry = entries[at.0][at.2.index()].get(at.1);
                    let Some(&Entry::Bit(array, instance, bit)) = entry else {
                        break match at == start {
                            true => Source::User,
                            false => Source::Net {
                                array: at.0 as u32,
                                instance: at.1 as u32,
                                net: at.2,
                            },
                        };
                    };
                    let Bit::Net(net) = bit else {
                        break Source::Constant(bit == Bit::One);
                    };
                    if arrays[array as usize].drivers[net.index()] != Driver::Input {
                        break Source::Net {
                            array,
                            instance,
                            net,
                        };
                    }
                    at = (array as usize, instance as usize, net);
                    hops += 1;
                    if hops > bits {
                        return Err(looped(&arrays[0].leaf.module));
                    }
                };
            }
        }
        all.push(sources);
    }
    for (array, sources) in arrays.iter_mut().zip(all) {
        array.sources = sources;
    }
    Ok(())
}

/// What is said of a loop whose nets are not known; see `build`.
pub(super) fn looped(module: &Module) -> Error {
    Error::one(
        Class::Input,
        module.name.clone(),
        Diagnostic::new(
            format!("module {}", module.name),
            "combinational loop through instances",
            "put a flip-flop into the loop, or break it",
        ),
    )
}
