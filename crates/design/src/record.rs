//! Recording of nets inside: which bit of which array shows the value of a name.
//!
//! A name belongs to an instance of the hierarchy. That instance is within the flat top, or it is,
//! or lies in, an instance of an array. Its nets are followed in these steps:
//!
//! 1. to the net of the flat module that drives them ([`FlatMap`]);
//! 2. in an array that modules share, to the net of the shared module ([`MemberNets`]);
//! 3. backwards through buffers and inverters;
//! 4. from an input of an array's module to what its instance is connected to in the top, and from
//!    an output of an instance to the net inside. So no value is moved only to be looked at, and no
//!    clock is read as data in an array.
//!
//! What is left is a constant, the clock, or a net of one array. Such nets become bits of a hidden
//! output of the array, so that they outlive simplification; names of equal bits are found here,
//! and only one of them is recorded.

use std::collections::BTreeMap;

use super::scopes::InstanceTree;
use super::share::MemberNets;
use crosswave_netlist::{
    Bit, BitRange, CellKind, Connection, FlatMap, Function, Module, NetId, Port, PortDirection,
};
use crosswave_probe::signal::Hierarchy;

#[cfg(test)]
mod tests;

/// The names that are recorded.
#[derive(Debug, Clone, Copy)]
pub struct NetSelection<'a> {
    /// The names of the design.
    pub tree: &'a InstanceTree<'a>,
    /// For each signal of `tree`, true when it is recorded.
    pub kept: &'a [bool],
}

/// The source of a recorded bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BitSource {
    /// Nothing.
    Undriven,
    /// A constant.
    Constant(Bit),
    /// A clock, or its inverse.
    Clock { number: u32, inverted: bool },
    /// A net of an instance of an array, or its inverse.
    Net {
        array: u32,
        instance: u32,
        /// The net of the array's module; later its place in the hidden output of the array.
        net: NetId,
        inverted: bool,
    },
}

/// Another signal with the same bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twin {
    /// A clock, by its index among those of the run.
    Clock(usize),
    /// An input of the top, by its index among those of the run.
    Input(usize),
    /// An output of the top, by its index among those of the run.
    Output(usize),
    /// A recorded vector, by its index.
    Vector(usize),
}

/// A name that is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedVector {
    /// Its number among the names of the design.
    pub(super) signal: usize,
    /// Its scope in the tree of names.
    pub scope: usize,
    /// Its last name.
    pub name: String,
    /// Its width in bits, from 1.
    pub width: usize,
    /// The indices of its bits.
    pub range: BitRange,
    /// The signal before it that has the same bits in every cycle.
    pub twin: Option<Twin>,
    /// Number of its first bit among all recorded bits; it has none if it has a twin.
    pub(super) first: usize,
}

/// The names that are recorded of a design.
#[derive(Debug, Clone, Default)]
pub(super) struct RecordedNets {
    /// The names.
    pub vectors: Vec<RecordedVector>,
    /// The sources of the bits of the names without a twin.
    pub sources: Vec<BitSource>,
    /// The nets of each array's module that are recorded, in the order of its hidden output.
    pub nets: Vec<Vec<NetId>>,
}

/// A port of the top that is not data.
#[derive(Debug, Clone, Copy)]
pub(super) struct ClockPort<'a> {
    pub name: &'a str,
    /// The clock that it shows, and true for its inverse.
    pub shows: Option<(u32, bool)>,
}

/// An array while its nets are located.
pub(super) struct LocatedArray<'a> {
    /// The module, before it is simplified.
    pub module: &'a Module,
    /// The nets of each module that shares it.
    pub members: &'a [Option<MemberNets>],
    /// The member that each instance is of.
    pub instances: &'a [u32],
}

/// The driver of a net of a flat module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NetDriver {
    Nothing,
    /// A bit of an input: index of the port, bit.
    Input(u32, u32),
    Buffer(Bit),
    Inverter(Bit),
    /// An output of an instance of an array: the array, the instance, the bit of its module.
    Instance(u32, u32, Bit),
    Cell,
}

/// The place of an instance of the hierarchy.
#[derive(Debug, Clone, Copy)]
struct InstancePlace {
    /// The array and the instance of it.
    array: u32,
    instance: u32,
    /// Its index in the [`FlatMap`] of the module.
    flat: u32,
}

/// Finds what the selected names show. `top` has instances of the arrays' modules, in the order of
/// those of `top_map` that were kept, and the ports of its clocks are joined to all they clock.
pub(super) fn locate(
    selection: NetSelection<'_>,
    top: &Module,
    top_map: &FlatMap,
    arrays: &[LocatedArray<'_>],
    clocks: &[ClockPort<'_>],
) -> RecordedNets {
    let locator = Locator::new(selection.tree, top, top_map, arrays, clocks);
    let mut recorded = RecordedNets {
        nets: vec![Vec::new(); arrays.len() + 1],
        ..RecordedNets::default()
    };
    // The first signal with each list of bits: those of the ports, then those inside.
    let mut known: BTreeMap<Vec<BitSource>, Twin> = BTreeMap::new();
    for (number, inverted) in clocks.iter().filter_map(|port| port.shows) {
        if !inverted {
            let source = BitSource::Clock { number, inverted };
            known.insert(vec![source], Twin::Clock(number as usize));
        }
    }
    let ports = top.ports.iter().filter(|port| !port.bits.is_empty());
    let (mut inputs, mut outputs) = (0.., 0..);
    let is_data = |name: &str| !clocks.iter().any(|port| port.name == name);
    for port in ports.filter(|port| is_data(&port.name)) {
        let twin = match port.direction {
            PortDirection::Input => inputs.next().map(Twin::Input),
            PortDirection::Output => outputs.next().map(Twin::Output),
        };
        let bits = port.bits.iter().map(|&bit| locator.follow(0, 0, bit));
        known
            .entry(bits.collect())
            .or_insert(twin.expect("a number"));
    }
    let ports: BTreeMap<&str, &Port> = top.ports.iter().map(|port| (&*port.name, port)).collect();
    let mut places: Vec<BTreeMap<NetId, u32>> = vec![BTreeMap::new(); arrays.len() + 1];
    for (number, _) in selection.kept.iter().enumerate().filter(|(_, kept)| **kept) {
        let (instance, vector) = selection.tree.vector(number);
        if instance == 0 && ports.contains_key(&*vector.name) {
            // A port of the top, which is recorded anyhow.
            continue;
        }
        let (name, scope) = selection.tree.signal(number);
        let bits = vector.bits.iter();
        let bits: Vec<BitSource> = bits.map(|&bit| locator.bit(instance, bit)).collect();
        let twin = known.get(&bits).copied();
        let first = recorded.sources.len();
        if twin.is_none() {
            for source in &bits {
                recorded
                    .sources
                    .push(placed(*source, &mut places, &mut recorded.nets));
            }
            known.insert(bits, Twin::Vector(recorded.vectors.len()));
        }
        recorded.vectors.push(RecordedVector {
            signal: number,
            scope: scope.unwrap_or(0),
            name: name.to_owned(),
            width: vector.bits.len(),
            range: vector.range,
            twin,
            first,
        });
    }
    recorded
}

/// The source with the place of its net in the hidden output of its array.
fn placed(
    source: BitSource,
    places: &mut [BTreeMap<NetId, u32>],
    nets: &mut [Vec<NetId>],
) -> BitSource {
    match source {
        BitSource::Net {
            array,
            instance,
            net,
            inverted,
        } => {
            let nets = &mut nets[array as usize];
            let place = places[array as usize].entry(net).or_insert_with(|| {
                nets.push(net);
                nets.len() as u32 - 1
            });
            BitSource::Net {
                array,
                instance,
                net: NetId(*place),
                inverted,
            }
        }
        other => other,
    }
}

/// Follows bits of instances to what they show.
struct Locator<'a> {
    arrays: &'a [LocatedArray<'a>],
    top_map: &'a FlatMap,
    /// The place of each instance of the hierarchy.
    places: Vec<InstancePlace>,
    /// The drivers of the nets of the top and of each array's module.
    drivers: Vec<Vec<NetDriver>>,
    /// The connections of each instance of each array.
    connections: Vec<Vec<BTreeMap<&'a str, &'a [Bit]>>>,
    /// The nets of the ports that show clocks: the clock, and true for its inverse.
    clocks: BTreeMap<NetId, (u32, bool)>,
}

impl<'a> Locator<'a> {
    fn new(
        tree: &InstanceTree<'_>,
        top: &'a Module,
        top_map: &'a FlatMap,
        arrays: &'a [LocatedArray<'a>],
        clocks: &[ClockPort<'_>],
    ) -> Locator<'a> {
        let modules = arrays.iter().map(|array| array.module);
        let drivers = std::iter::once(top).chain(modules).map(drivers);
        let mut drivers: Vec<Vec<NetDriver>> = drivers.collect();
        let numbers = arrays.iter().zip(1u32..);
        let numbers: BTreeMap<&str, u32> = numbers
            .map(|(array, number)| (&*array.module.name, number))
            .collect();
        let ports = arrays.iter().map(|array| {
            let ports = array.module.ports.iter();
            ports.map(|port| (&*port.name, &*port.bits)).collect()
        });
        let ports: Vec<BTreeMap<&str, &[Bit]>> = ports.collect();
        let mut connections = vec![Vec::new(); arrays.len()];
        let mut kept = Vec::new();
        for (_, instance) in top.instances() {
            let number = numbers[instance.module.as_str()];
            let of_array = &mut connections[number as usize - 1];
            let index = of_array.len() as u32;
            kept.push((number, index));
            let outputs = instance.connections.iter();
            let outputs = outputs.filter(|one| one.direction == PortDirection::Output);
            for connection in outputs {
                let inside = ports[number as usize - 1][connection.port.as_str()];
                for (outside, &inside) in connection.bits.iter().zip(inside) {
                    if let Bit::Net(net) = outside {
                        drivers[0][net.index()] = NetDriver::Instance(number, index, inside);
                    }
                }
            }
            let bits = |one: &'a Connection| (&*one.port, &*one.bits);
            of_array.push(instance.connections.iter().map(bits).collect());
        }
        let net = |port: &ClockPort<'_>| Some((top.port(port.name)?.bits[0].net()?, port.shows?));
        let clocks = clocks.iter().filter_map(net).collect();
        let mut locator = Locator {
            arrays,
            top_map,
            places: Vec::new(),
            drivers,
            connections,
            clocks,
        };
        locator.place(tree, &kept);
        locator
    }

    /// Finds the places of all instances; `kept` are the instances of arrays, in the order of the
    /// top.
    fn place(&mut self, tree: &InstanceTree<'_>, kept: &[(u32, u32)]) {
        let nowhere = InstancePlace {
            array: 0,
            instance: 0,
            flat: 0,
        };
        self.places = vec![nowhere; tree.instance_count()];
        let mut kept = kept.iter();
        for (flat, at) in tree_instances(tree, self.top_map, 0)
            .into_iter()
            .enumerate()
        {
            if self.top_map.instances[flat].first_net.is_some() {
                let flat = flat as u32;
                self.places[at] = InstancePlace { flat, ..nowhere };
                continue;
            }
            let &(array, instance) = kept.next().expect("a cell for each instance that is kept");
            let Some(nets) = self.member(array, instance) else {
                continue;
            };
            let inside = tree_instances(tree, &nets.map, at);
            for (flat, at) in (0..).zip(inside) {
                self.places[at] = InstancePlace {
                    array,
                    instance,
                    flat,
                };
            }
        }
    }

    /// The nets of the module of an instance of an array.
    fn member(&self, array: u32, instance: u32) -> Option<&'a MemberNets> {
        let array = &self.arrays[array as usize - 1];
        let member = array.instances[instance as usize];
        array.members[member as usize].as_ref()
    }

    /// The source of a bit of the module of an instance.
    fn bit(&self, instance: usize, bit: Option<Bit>) -> BitSource {
        let place = self.places[instance];
        let Some(bit) = bit else {
            return BitSource::Undriven;
        };
        if place.array == 0 {
            return self.follow(0, 0, self.top_map.bit(place.flat as usize, bit));
        }
        let nets = self.member(place.array, place.instance);
        match nets.and_then(|nets| nets.bit(place.flat as usize, bit)) {
            Some(bit) => self.follow(place.array, place.instance, bit),
            None => BitSource::Undriven,
        }
    }

    /// The source of a bit of an array's module, for an instance: past buffers and inverters, and
    /// past ports of instances in either direction.
    fn follow(&self, mut array: u32, mut instance: u32, mut bit: Bit) -> BitSource {
        let mut inverted = false;
        // A path passes a net of the top once, unless ports are joined in a circle, which is
        // refused later.
        for _ in 0..=self.drivers[0].len() {
            let drivers = &self.drivers[array as usize];
            (bit, inverted) = trace(drivers, bit, inverted);
            let Bit::Net(net) = bit else {
                return constant(bit, inverted);
            };
            if let (0, Some(&(number, inverse))) = (array, self.clocks.get(&net)) {
                let inverted = inverted != inverse;
                return BitSource::Clock { number, inverted };
            }
            match drivers[net.index()] {
                NetDriver::Nothing => return BitSource::Undriven,
                NetDriver::Instance(inner, of, inside) => {
                    (array, instance, bit) = (inner, of, inside);
                }
                NetDriver::Input(port, at) if array > 0 => {
                    let number = array as usize - 1;
                    let port = &self.arrays[number].module.ports[port as usize];
                    let outside = self.connections[number][instance as usize].get(&*port.name);
                    match outside.and_then(|bits| bits.get(at as usize)) {
                        Some(&outside) => (array, instance, bit) = (0, 0, outside),
                        None => return BitSource::Undriven,
                    }
                }
                _ => {
                    return BitSource::Net {
                        array,
                        instance,
                        net,
                        inverted,
                    };
                }
            }
        }
        BitSource::Undriven
    }
}

/// The instance of the hierarchy for each of a flat module, whose root is the instance `root`.
fn tree_instances(tree: &InstanceTree<'_>, map: &FlatMap, root: usize) -> Vec<usize> {
    let mut found = Vec::with_capacity(map.instances.len());
    found.push(root);
    for instance in &map.instances[1..] {
        found.push(tree.child(found[instance.parent as usize], instance.ordinal));
    }
    found
}

/// The driver of each net of a flat module.
fn drivers(module: &Module) -> Vec<NetDriver> {
    let mut drivers = vec![NetDriver::Nothing; module.nets.len()];
    for (index, port) in (0..).zip(&module.ports) {
        if port.direction == PortDirection::Input {
            for (at, net) in (0..).zip(&port.bits) {
                if let Bit::Net(net) = net {
                    drivers[net.index()] = NetDriver::Input(index, at);
                }
            }
        }
    }
    for cell in &module.cells {
        cell.kind.visit_outputs(|_, _, bit| {
            if let Bit::Net(net) = bit {
                drivers[net.index()] = NetDriver::Cell;
            }
        });
        if let CellKind::Gate(gate) = &cell.kind {
            let driver = match gate.function {
                Function::Buf => NetDriver::Buffer(gate.inputs[0]),
                Function::Not => NetDriver::Inverter(gate.inputs[0]),
                _ => continue,
            };
            drivers[gate.output.index()] = driver;
        }
    }
    drivers
}

/// The bit before all buffers and inverters, and whether it is inverted on the way.
fn trace(drivers: &[NetDriver], mut bit: Bit, mut inverted: bool) -> (Bit, bool) {
    // A circle of them is followed for as many steps as there are nets.
    for _ in 0..=drivers.len() {
        match bit.net().map(|net| drivers[net.index()]) {
            Some(NetDriver::Buffer(before)) => bit = before,
            Some(NetDriver::Inverter(before)) => (bit, inverted) = (before, !inverted),
            _ => break,
        }
    }
    (bit, inverted)
}

/// A constant, or its inverse.
fn constant(bit: Bit, inverted: bool) -> BitSource {
    BitSource::Constant(match (bit, inverted) {
        (Bit::Zero, true) => Bit::One,
        (Bit::One, true) => Bit::Zero,
        _ => bit,
    })
}
