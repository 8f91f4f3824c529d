//! From a hierarchy to arrays of instances and the links between them.
//!
//! Array 0 is the top, with everything that is in no other array; it has one
//! instance. Every other array is a module and all its instances. A module is a
//! [`Leaf`]: plain registers, gates in order. An instance within the top is cut out:
//! what it reads are outputs of the top, what it drives are inputs. Modules that differ
//! in constants only can share an array, whose instances have these at inputs.
//!
//! A [`Source`] says for each input net of each instance what drives it, past every
//! port that only passes something on.

mod link;

use std::collections::{BTreeMap, BTreeSet};

use super::choose;
use super::clock::settle_clock;
use super::domains::{Clocks, DesignClock};
use super::family::Families;
use super::memories::{self, ArrayMemory, MemoryRead};
use super::record::{LocatedArray, NetSelection, RecordedNets, locate};
use super::share::{MemberDetails, Shared, flop_names};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_lanes::Backend;
use crosswave_netlist::{
    Bit, BitRange, CellKind, Design, DesignHierarchy, Leaf, Module, NetId, Port, PortDirection,
    ZERO_RAIL, flatten_mapped, four_state, levelise,
};
pub(crate) use link::looped;
use link::{link, take_passed};

/// Choice of the modules that become arrays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrays {
    /// Those that pay.
    Auto,
    /// None: everything is flattened.
    None,
    /// Those of these names.
    Named(Vec<String>),
}

/// Options of elaboration.
#[derive(Debug, Clone)]
pub struct Options {
    /// The clocks.
    pub clocks: Clocks,
    /// True to compute with X.
    pub four_state: bool,
    /// The modules that become arrays.
    pub arrays: Arrays,
    /// Runs side by side.
    pub replicas: usize,
    /// Evaluation of gates.
    pub backend: Backend,
    /// True when states can be saved ([`Run::saved`](super::Run::saved)): flip-flops that nothing reads stay.
    pub is_saved: bool,
}

/// Driver of an input net of an instance.
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

/// Driver of a net of a leaf.
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
    /// A memory, by the number of the port that reads it.
    Memory(u32),
}

impl Driver {
    /// True for what is evaluated in the course of a cycle.
    pub(super) fn is_evaluated(self) -> bool {
        matches!(self, Driver::Gate(_) | Driver::Memory(_))
    }
}

/// All instances of a module.
#[derive(Debug, Clone)]
pub struct Array {
    /// The module.
    pub leaf: Leaf,
    /// Paths of the instances; that of the top is empty.
    pub instances: Vec<String>,
    /// The driver of each net.
    pub drivers: Vec<Driver>,
    /// The input nets that are read, sorted.
    pub inputs: Vec<NetId>,
    /// The sources of each of `inputs`, by instance.
    pub sources: Vec<Vec<Source>>,
    /// The memories of an instance.
    pub memories: Vec<ArrayMemory>,
}

/// The flip-flops of an array as its user knows them; none unless X is computed with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flops {
    /// The rails of each flip-flop: nets or constants.
    pub rails: Vec<[Bit; 2]>,
    /// The nets they drive, as paths below an instance, for each module that shares the
    /// array.
    pub names: Vec<Vec<String>>,
    /// The module of each instance, as an index into `names`.
    pub modules: Vec<u32>,
}

/// A design of arrays.
#[derive(Debug, Clone)]
pub struct Elaborated {
    /// The top, then the others.
    pub arrays: Vec<Array>,
    /// The clock.
    pub clock: Option<String>,
    /// The nets of instances that arrive at the top and are read by nothing in it, only passed on or
    /// shown: inputs of its leaf that are not among [`Array::inputs`], so that they are not moved there.
    passed: BTreeMap<NetId, (u32, u32, NetId)>,
    /// The ports of the top, as in its source.
    pub ports: Vec<Port>,
    /// The cells of an instance of each array, as they were read.
    pub sizes: Vec<InstanceSize>,
    /// Number of modules that share each array.
    pub modules: Vec<usize>,
    /// The flip-flops of each array.
    pub flops: Vec<Flops>,
    /// Gates and flip-flops of the design as it was read.
    pub cells: u64,
    /// The names that are recorded.
    pub(super) recorded: RecordedNets,
    /// The rails of the nets that are recorded, by array: nets or constants. They are the same bit
    /// unless X is computed with.
    pub(super) recorded_rails: Vec<Vec<[Bit; 2]>>,
}

impl Elaborated {
    /// The place where a bit of an instance is to be looked at: array, instance, bit. It is another one for
    /// what the top only passes on.
    pub(super) fn origin(&self, array: usize, instance: usize, bit: Bit) -> (usize, usize, Bit) {
        let passed = bit.net().filter(|_| array == 0);
        match passed.and_then(|net| self.passed.get(&net)) {
            Some(&(array, instance, net)) => (array as usize, instance as usize, Bit::Net(net)),
            None => (array, instance, bit),
        }
    }
}

/// The output that makes flip-flops stay when nothing reads them.
const FLOPS_PORT: &str = "$flops";

/// The output that makes nets stay that are recorded.
const RECORDED_PORT: &str = "$recorded";

/// Makes arrays of the module with index `root`. With `shared`, modules that differ in
/// constants only share one. The names of `selection` are recorded.
///
/// # Errors
/// What the netlist passes refuse; clocks other than one; arrays that are not there. Where
/// modules share an array, what a constant of theirs breaks may be refused, such as a loop.
pub fn elaborate(
    design: &Design,
    root: usize,
    of_design: &DesignClock,
    options: &Options,
    shared: bool,
    selection: Option<NetSelection<'_>>,
) -> Result<Elaborated, Error> {
    let hierarchy = DesignHierarchy::new(design, root);
    let families = match shared && options.arrays != Arrays::None {
        true => Families::new(design, &hierarchy, root),
        false => Families::alone(&hierarchy),
    };
    let chosen = match &options.arrays {
        Arrays::Auto => {
            let replicas = options.replicas as u64;
            choose::arrays(design, &hierarchy, &families, root, replicas)
        }
        Arrays::None => BTreeSet::new(),
        Arrays::Named(names) => named(&hierarchy, &families, root, names)?,
    };
    let details = MemberDetails {
        flops: options.four_state,
        nets: selection.is_some(),
    };
    let mut arrays = Vec::new();
    for &first in &chosen {
        let members = families.members(first);
        arrays.push(Shared::new(&hierarchy, members, details)?);
    }
    let members = arrays.iter().flat_map(|array| &array.members);
    let keep: BTreeSet<usize> = members.map(|member| member.module).collect();
    let (mut top, top_map) = flatten_mapped(&hierarchy, root, &keep)?;
    let instance_modules = tie(&mut top, design, &arrays);
    let mut clocks = BTreeMap::new();
    let mut modules = vec![1];
    let mut flops = vec![flops(&top, Vec::new(), vec![0], options.four_state)];
    let mut sizes = vec![size(&top)];
    let mut flat = Vec::new();
    let mut nets = Vec::new();
    for (array, instance_modules) in arrays.into_iter().zip(instance_modules) {
        let Shared {
            mut module,
            members,
            ..
        } = array;
        let clock = settle_clock(&mut module, None, &BTreeMap::new())?;
        clocks.insert(module.name.clone(), clock.clone());
        modules.push(members.len());
        let (names, member_nets): (_, Vec<_>) = members
            .into_iter()
            .map(|member| (member.flops, member.nets))
            .unzip();
        nets.push((member_nets, instance_modules.clone()));
        flops.push(self::flops(
            &module,
            names,
            instance_modules,
            options.four_state,
        ));
        sizes.push(size(&module));
        flat.push((module, clock));
    }
    let ports = top.ports.clone();
    let clock = settle_clock(&mut top, of_design.wanted.as_deref(), &clocks)?;
    let recorded = selection.map(|selection| {
        let located = flat.iter().zip(&nets);
        let located = located.map(|((module, _), (members, instances))| LocatedArray {
            module,
            members,
            instances,
        });
        let arrays: Vec<LocatedArray<'_>> = located.collect();
        let clocks = of_design.ports(clock.as_deref());
        locate(selection, &top, &top_map, &arrays, &clocks)
    });
    let recorded = recorded.unwrap_or_default();
    let seen = |number: usize| recorded.nets.get(number).map_or(&[][..], Vec::as_slice);
    let mut leaves = Vec::new();
    let mut memories = vec![Vec::new()];
    for (number, (module, clock)) in (1..).zip(flat) {
        let clock = clock.as_deref();
        let lanes = options.replicas * nets[number - 1].1.len();
        let (leaf, cut) = leaf(module, clock, options, seen(number), lanes)?;
        leaves.push(leaf);
        memories.push(cut);
    }
    let cut = Cut::new(&mut top, &clocks, &leaves, options.four_state);
    let clock_of_top = clock.as_deref();
    let (top, of_top) = leaf(cut.module, clock_of_top, options, seen(0), options.replicas)?;
    leaves.insert(0, top);
    memories[0] = of_top;
    let recorded_rails = leaves.iter().map(|leaf| rails(leaf, RECORDED_PORT));
    let recorded_rails: Vec<Vec<[Bit; 2]>> = recorded_rails.collect();
    for (leaf, flops) in leaves.iter().zip(&mut flops).filter(|_| options.four_state) {
        let rails = rails(leaf, FLOPS_PORT);
        flops.rails[..rails.len()].copy_from_slice(&rails);
    }
    let mut instances = vec![vec![String::new()]];
    instances.extend(cut.instances);
    let mut arrays: Vec<Array> = leaves
        .into_iter()
        .zip(instances)
        .zip(memories)
        .map(|((leaf, instances), memories)| array(leaf, instances, memories, clock.as_deref()))
        .collect();
    link(&mut arrays, &cut.joints)?;
    let shown = flops[0].rails.iter().chain(&recorded_rails[0]).flatten();
    let passed = take_passed(&mut arrays[0], shown.copied());
    Ok(Elaborated {
        arrays,
        passed,
        clock,
        ports,
        sizes,
        modules,
        flops,
        cells: hierarchy.cells[root],
        recorded,
        recorded_rails,
    })
}

/// Makes instances of the shared modules of those that are kept in the top. For each
/// array, which of its modules each instance was of.
fn tie(top: &mut Module, design: &Design, arrays: &[Shared]) -> Vec<Vec<u32>> {
    let mut found = BTreeMap::new();
    for (number, array) in arrays.iter().enumerate() {
        for (index, member) in array.members.iter().enumerate() {
            let name = design.modules[member.module].name.as_str();
            found.insert(name, (number, index));
        }
    }
    let mut modules = vec![Vec::new(); arrays.len()];
    for cell in &mut top.cells {
        if let CellKind::Instance(instance) = &mut cell.kind {
            let (number, index) = found[instance.module.as_str()];
            let array = &arrays[number];
            modules[number].push(index as u32);
            array.tie(&array.members[index], &mut instance.connections);
            instance.module.clone_from(&array.module.name);
        }
    }
    modules
}

/// The first modules of the families of these names, each below the root and none within
/// another.
fn named(
    hierarchy: &DesignHierarchy<'_>,
    families: &Families,
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
            let message = format!("there is no module `{name}` below the top");
            return Err(usage(message, &modules_below(hierarchy, root)));
        };
        keep.insert(families.first(module));
    }
    for &module in &keep {
        let below = families.below(hierarchy, module);
        if below.iter().any(|module| keep.contains(module)) {
            return Err(usage(
                "one of the modules is within another".to_owned(),
                "name the outer or the inner one",
            ));
        }
    }
    Ok(keep)
}

/// Names the modules below the top, for a message.
fn modules_below(hierarchy: &DesignHierarchy<'_>, root: usize) -> String {
    let below = hierarchy.below(root);
    let names = below.iter().map(|&module| hierarchy.name(module));
    let mut names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(MODULES_NAMED);
    names.truncate(MODULES_NAMED);
    match (names.is_empty(), more) {
        (true, _) => "there are none, so leave --array out".to_owned(),
        (_, 0) => format!("modules below it: {}", names.join(", ")),
        (..) => format!("modules below it: {} and {more} more", names.join(", ")),
    }
}

/// Modules that a message names.
const MODULES_NAMED: usize = 12;

/// The cells of an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceSize {
    /// Gates.
    pub gates: usize,
    /// Flip-flops.
    pub registers: usize,
    /// Memories.
    pub memories: usize,
    /// Bits of all memories.
    pub memory_bits: usize,
}

fn size(module: &Module) -> InstanceSize {
    InstanceSize {
        gates: module.gates().count(),
        registers: module.flops().count(),
        memories: module.memories().count(),
        memory_bits: module.memories().map(|(_, memory)| memory.bits()).sum(),
    }
}

/// The flip-flops of a flat module and their names, which are those of the module where
/// there are no others; none unless X is computed with.
fn flops(
    module: &Module,
    mut names: Vec<Vec<String>>,
    instance_modules: Vec<u32>,
    four_state: bool,
) -> Flops {
    if !four_state {
        return Flops::default();
    }
    if names.is_empty() {
        names.push(flop_names(module));
    }
    Flops {
        rails: vec![[Bit::Zero; 2]; module.flops().count()],
        names,
        modules: instance_modules,
    }
}

/// The leaf of a flat module with so many instances, and its memories. The nets of `seen` stay.
fn leaf(
    mut module: Module,
    clock: Option<&str>,
    options: &Options,
    seen: &[NetId],
    lanes: usize,
) -> Result<(Leaf, Vec<ArrayMemory>), Error> {
    let hidden = |name: &str, bits: Vec<Bit>| Port {
        name: name.to_owned(),
        direction: PortDirection::Output,
        bits,
        range: BitRange::default(),
        signed: false,
    };
    if !seen.is_empty() {
        let bits = seen.iter().map(|&net| Bit::Net(net)).collect();
        module.ports.push(hidden(RECORDED_PORT, bits));
    }
    if options.four_state || options.is_saved {
        let bits = module.flops().map(|(_, flop)| Bit::Net(flop.q)).collect();
        module.ports.push(hidden(FLOPS_PORT, bits));
    }
    if options.four_state {
        module = four_state(&module);
    }
    let module = memories::cut(module, lanes);
    let leaf =
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
        })?;
    let beside = leaf.module.beside.iter();
    let memories = beside.map(|memory| ArrayMemory::new(memory, &leaf));
    let memories = memories.collect();
    Ok((leaf, memories))
}

/// The rails of the bits of a hidden output, which are the same unless X is computed with; none
/// when the leaf does not have it.
fn rails(leaf: &Leaf, name: &str) -> Vec<[Bit; 2]> {
    let Some(one) = leaf.module.port(name) else {
        return Vec::new();
    };
    let zero = leaf.module.port(&format!("{name}{ZERO_RAIL}"));
    let zero = zero.unwrap_or(one);
    let pairs = one.bits.iter().zip(&zero.bits);
    pairs.map(|(&one, &zero)| [one, zero]).collect()
}

/// Combinational loops that are reported.
const LOOPS_SHOWN: usize = 20;

fn array(
    leaf: Leaf,
    instances: Vec<String>,
    memories: Vec<ArrayMemory>,
    clock: Option<&str>,
) -> Array {
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
    let reads = memories.iter().flat_map(|memory| &memory.reads);
    for (number, read) in (0..).zip(reads) {
        for net in read.data.iter().filter_map(|bit| bit.net()) {
            drivers[net.index()] = Driver::Memory(number);
        }
    }
    let read = nets_read(&leaf);
    let is_clock = |port: &&Port| instances[0].is_empty() && Some(port.name.as_str()) == clock;
    let mut inputs: Vec<NetId> = leaf
        .inputs()
        .filter(|port| !is_clock(port))
        .flat_map(|port| &port.bits)
        .filter_map(|bit| bit.net())
        .filter(|net| read[net.index()] && drivers[net.index()] == Driver::Input)
        .collect();
    inputs.sort_unstable();
    let sources = vec![vec![Source::User; instances.len()]; inputs.len()];
    Array {
        leaf,
        instances,
        drivers,
        inputs,
        sources,
        memories,
    }
}

impl Array {
    /// The ports that read memories, memory by memory.
    pub(super) fn reads(&self) -> impl Iterator<Item = &MemoryRead> {
        self.memories.iter().flat_map(|memory| &memory.reads)
    }
}

/// A port of the top that stands for a port of an instance.
pub(super) struct Joint {
    /// Array.
    pub array: usize,
    /// Instance.
    pub instance: usize,
    /// Port of the array's leaf.
    pub port: usize,
    /// Port of the top's leaf.
    pub outer: usize,
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
            instances[number].push(cell.name.to_string());
            for connection in &instance.connections {
                let rails: &[&str] = if x { &["", ZERO_RAIL] } else { &[""] };
                let input = connection.direction == PortDirection::Input;
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
                        true => PortDirection::Output,
                        false => PortDirection::Input,
                    },
                    bits: connection.bits.clone(),
                    range: BitRange::default(),
                    signed: false,
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

/// For each net of a leaf, true when a gate, a register or an output reads it.
pub(super) fn nets_read(leaf: &Leaf) -> Vec<bool> {
    let mut read = nets_used(leaf);
    let outputs = leaf.outputs().flat_map(|port| &port.bits);
    for net in outputs.filter_map(|bit| bit.net()) {
        read[net.index()] = true;
    }
    read
}

/// For each net of a leaf, true when a gate or a register reads it.
pub(super) fn nets_used(leaf: &Leaf) -> Vec<bool> {
    let mut used = vec![false; leaf.nets()];
    let gates = leaf.gates.iter().flat_map(|gate| gate.inputs.iter());
    let registers = leaf.registers.iter().map(|register| &register.data);
    for net in gates.chain(registers).filter_map(|bit| bit.net()) {
        used[net.index()] = true;
    }
    used
}

/// For each port of a leaf, true when it is an output, or an input that is read.
fn ports_read(leaf: &Leaf) -> Vec<bool> {
    let read = nets_read(leaf);
    let ports = leaf.module.ports.iter();
    ports
        .map(|port| {
            port.direction == PortDirection::Output
                || port
                    .bits
                    .iter()
                    .filter_map(|bit| bit.net())
                    .any(|net| read[net.index()])
        })
        .collect()
}
