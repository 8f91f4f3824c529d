//! In which order gates are evaluated, so that every net settles once a cycle.
//!
//! The *step* of a net of an instance is the number of links between instances on
//! the longest combinational path that ends there: 0 from registers and from inputs
//! of the design, one more past each link. Steps are found for every gate of every
//! instance by Kahn's algorithm over the whole design; what is left over is in a
//! loop or behind one.
//!
//! Lanes are evaluated together, so gates are gathered into *classes*: those of one
//! module whose steps are the same in every instance. A class is evaluated in each
//! step in which it is due in some instance, for the words that hold such instances.
//! Other lanes of these words then have the value that they had, or one that is
//! replaced when they are due. Gates on no path to another instance are of the last
//! class, and are evaluated once, at the end.
//!
//! A port that reads a memory is evaluated between the moves of a step and its gates, so that its address
//! has to be there in the step before, or to arrive with the moves.
//!
//! Cost: time and space linear in the gates on such paths, over all instances.

use std::collections::BTreeMap;

use super::elaborate::{Array, Driver, Source};
use crosswave_netlist::{Bit, NetId};

/// The classes and steps of a design.
#[derive(Debug, Clone, Default)]
pub(super) struct Schedule {
    /// The order by array.
    pub arrays: Vec<ArraySchedule>,
}

/// The classes of an array, and when its inputs arrive.
#[derive(Debug, Clone, Default)]
pub(super) struct ArraySchedule {
    /// The class of each gate of the leaf. A class reads no later one.
    pub class_of: Vec<u32>,
    /// The steps of each class but the last, by instance.
    pub steps: Vec<Vec<u32>>,
    /// The step before which each input has its value, by instance: after the moves
    /// of that step.
    pub arrivals: Vec<Vec<u32>>,
    /// Nets of gates and memories that other instances read.
    pub linked: Vec<NetId>,
    /// The step of each port that reads a memory ([`Array::reads`]), by instance.
    pub reads: Vec<Vec<u32>>,
}

impl ArraySchedule {
    /// The number of classes, the last among them.
    pub fn classes(&self) -> usize {
        self.steps.len() + 1
    }
}

/// A gate is not on a path to another instance.
const NOT_NEEDED: u32 = u32::MAX;

/// One array as the search sees it.
struct Graph {
    /// The number of each gate among those needed, or [`NOT_NEEDED`].
    number: Vec<u32>,
    /// The needed gates.
    gates: Vec<u32>,
    /// Number of the ports that read memories, which are numbered behind the needed gates.
    reads: usize,
    /// Needed gates and reading ports that read each net: `readers[starts[net]..starts[net + 1]]`.
    starts: Vec<u32>,
    readers: Vec<u32>,
    /// The place of each linked net in `linked`.
    linked_at: BTreeMap<NetId, u32>,
    linked: Vec<NetId>,
    instances: usize,
    /// For each linked net and instance the inputs it leads to: array, input, instance.
    fanout: Vec<Vec<(u32, u32, u32)>>,
    /// Number of the first gate of the first instance over all arrays.
    base: usize,
}

/// Steps and classes; `None` when there is a loop through instances.
pub(super) fn schedule(arrays: &[Array]) -> Option<Schedule> {
    let mut graphs = graphs(arrays);
    fan_out(arrays, &mut graphs);
    let mut search = Search::new(arrays, &graphs);
    search.run();
    if search.ready.len() < search.waiting.len() {
        return None;
    }
    let Search {
        steps, arrivals, ..
    } = search;
    let mut result = Schedule::default();
    for ((array, graph), arrivals) in arrays.iter().zip(graphs).zip(arrivals) {
        result.arrays.push(graph.classes(array, &steps, arrivals));
    }
    Some(result)
}

/// Finds the inputs that each linked net of each instance leads to.
fn fan_out(arrays: &[Array], graphs: &mut [Graph]) {
    for (number, array) in arrays.iter().enumerate() {
        for (input, sources) in array.sources.iter().enumerate() {
            for (instance, source) in sources.iter().enumerate() {
                if let Source::Net {
                    array: from,
                    instance: of,
                    net,
                } = *source
                {
                    let graph = &mut graphs[from as usize];
                    if let Some(&at) = graph.linked_at.get(&net) {
                        let at = at as usize * graph.instances + of as usize;
                        graph.fanout[at].push((number as u32, input as u32, instance as u32));
                    }
                }
            }
        }
    }
}

/// Kahn's algorithm over the needed gates of all instances, and the ports that read memories. They are
/// numbered by array, instance and gate.
struct Search<'a> {
    arrays: &'a [Array],
    graphs: &'a [Graph],
    /// Inputs of each gate whose step is not known.
    waiting: Vec<u32>,
    /// The step of each gate, as far as its inputs are known.
    steps: Vec<u32>,
    /// The gates whose step is known: array, instance, gate.
    ready: Vec<(u32, u32, u32)>,
    /// The step before which each input has its value, by array, input and instance.
    arrivals: Vec<Vec<Vec<u32>>>,
}

impl<'a> Search<'a> {
    /// A search in which the gates that wait for no other one are ready.
    fn new(arrays: &'a [Array], graphs: &'a [Graph]) -> Search<'a> {
        let mut waiting = Vec::new();
        let mut ready = Vec::new();
        for (number, (array, graph)) in arrays.iter().zip(graphs).enumerate() {
            let gates = graph.gates.iter();
            let gates = gates.map(|&gate| array.leaf.gates[gate as usize].inputs.as_slice());
            let reads = array.reads().map(|read| read.address.as_slice());
            let inputs: Vec<&[Bit]> = gates.chain(reads).collect();
            for instance in 0..graph.instances {
                for (at, inputs) in inputs.iter().enumerate() {
                    let count = inputs
                        .iter()
                        .filter_map(|bit| bit.net())
                        .filter(|&net| late(array, net, instance, arrays))
                        .count();
                    waiting.push(count as u32);
                    if count == 0 {
                        ready.push((number as u32, instance as u32, at as u32));
                    }
                }
            }
        }
        Search {
            arrays,
            graphs,
            steps: vec![0; waiting.len()],
            waiting,
            ready,
            arrivals: arrays
                .iter()
                .map(|array| vec![vec![0; array.instances.len()]; array.inputs.len()])
                .collect(),
        }
    }

    /// Finds the steps of all gates that are in no loop and behind none.
    fn run(&mut self) {
        let mut next = 0;
        while let Some(&(number, instance, gate)) = self.ready.get(next) {
            next += 1;
            let graph = &self.graphs[number as usize];
            let step = self.steps[graph.first(instance) + gate as usize];
            let array = &self.arrays[number as usize];
            match graph.gates.get(gate as usize) {
                Some(&gate) => {
                    let net = array.leaf.gates[gate as usize].output;
                    self.evaluated(number, instance, net, step);
                }
                None => {
                    let read = array.reads().nth(gate as usize - graph.gates.len());
                    let data = read.map_or(&[][..], |read| &read.data);
                    for net in data.iter().filter_map(|bit| bit.net()) {
                        self.evaluated(number, instance, net, step);
                    }
                }
            }
        }
    }

    /// Tells what depends on a net of an instance that it is evaluated in a step.
    fn evaluated(&mut self, number: u32, instance: u32, net: NetId, step: u32) {
        self.tell(number, instance, net, [step, step + 1]);
        let graph = &self.graphs[number as usize];
        if let Some(&at) = graph.linked_at.get(&net) {
            let at = at as usize * graph.instances + instance as usize;
            for &(array, input, to) in &graph.fanout[at] {
                self.arrivals[array as usize][input as usize][to as usize] = step + 1;
                let net = self.arrays[array as usize].inputs[input as usize];
                self.tell(array, to, net, [step + 1; 2]);
            }
        }
    }

    /// Tells the gates and the ports of memories that read a net of an instance the first step in which
    /// they can.
    fn tell(&mut self, number: u32, instance: u32, net: NetId, [gates, reads]: [u32; 2]) {
        let graph = &self.graphs[number as usize];
        let first = graph.first(instance);
        for &reader in graph.readers_of(net) {
            let at = first + reader as usize;
            let step = match (reader as usize) < graph.gates.len() {
                true => gates,
                false => reads,
            };
            self.steps[at] = self.steps[at].max(step);
            self.waiting[at] -= 1;
            if self.waiting[at] == 0 {
                self.ready.push((number, instance, reader));
            }
        }
    }
}

/// True when a net of an instance is known only after a gate that counts has been evaluated.
fn late(array: &Array, net: NetId, instance: usize, arrays: &[Array]) -> bool {
    match array.drivers[net.index()] {
        Driver::Gate(_) | Driver::Memory(_) => true,
        Driver::Input => {
            let Ok(input) = array.inputs.binary_search(&net) else {
                return false;
            };
            match array.sources[input][instance] {
                Source::Net { array, net, .. } => {
                    arrays[array as usize].drivers[net.index()].is_evaluated()
                }
                Source::Constant(_) | Source::User => false,
            }
        }
        Driver::Register | Driver::Nothing => false,
    }
}

/// Finds what leads to other instances in each array.
fn graphs(arrays: &[Array]) -> Vec<Graph> {
    let mut linked: Vec<BTreeMap<NetId, u32>> = vec![BTreeMap::new(); arrays.len()];
    for source in arrays
        .iter()
        .flat_map(|array| array.sources.iter().flatten())
    {
        if let Source::Net { array, net, .. } = *source
            && arrays[array as usize].drivers[net.index()].is_evaluated()
        {
            linked[array as usize].insert(net, 0);
        }
    }
    let mut base = 0;
    let mut all = Vec::new();
    for (array, linked_at) in arrays.iter().zip(linked) {
        let graph = Graph::new(array, linked_at, base);
        base += graph.instances * graph.nodes();
        all.push(graph);
    }
    all
}

/// For each gate of an array, true when it leads to one of some nets.
fn needed(array: &Array, nets: impl Iterator<Item = NetId>) -> Vec<bool> {
    let leaf = &array.leaf;
    let mut needed = vec![false; leaf.gates.len()];
    let mut open: Vec<NetId> = nets.collect();
    while let Some(net) = open.pop() {
        if let Driver::Gate(gate) = array.drivers[net.index()]
            && !std::mem::replace(&mut needed[gate as usize], true)
        {
            let inputs = leaf.gates[gate as usize].inputs.iter();
            open.extend(inputs.filter_map(|bit| bit.net()));
        }
    }
    needed
}

impl Graph {
    /// The graph of an array, without fan-out; the first gate of its first instance has
    /// the number `base`.
    fn new(array: &Array, mut linked_at: BTreeMap<NetId, u32>, base: usize) -> Graph {
        let leaf = &array.leaf;
        let addresses = || array.reads().flat_map(|read| &read.address);
        let of_addresses = addresses().filter_map(|bit| bit.net());
        let needed = needed(array, linked_at.keys().copied().chain(of_addresses));
        let mut number = vec![NOT_NEEDED; leaf.gates.len()];
        let mut gates = Vec::new();
        let mut starts = vec![0u32; leaf.nets() + 1];
        for (gate, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            number[gate] = gates.len() as u32;
            gates.push(gate as u32);
            for net in leaf.gates[gate].inputs.iter().filter_map(|bit| bit.net()) {
                starts[net.index() + 1] += 1;
            }
        }
        for net in addresses().filter_map(|bit| bit.net()) {
            starts[net.index() + 1] += 1;
        }
        for net in 0..leaf.nets() {
            starts[net + 1] += starts[net];
        }
        let mut fill = starts.clone();
        let mut readers = vec![0; starts[leaf.nets()] as usize];
        let of_gates = gates.iter();
        let of_gates = of_gates.map(|&gate| leaf.gates[gate as usize].inputs.as_slice());
        let of_reads = array.reads().map(|read| read.address.as_slice());
        for (index, inputs) in of_gates.chain(of_reads).enumerate() {
            for net in inputs.iter().filter_map(|bit| bit.net()) {
                readers[fill[net.index()] as usize] = index as u32;
                fill[net.index()] += 1;
            }
        }
        for (at, place) in linked_at.values_mut().enumerate() {
            *place = at as u32;
        }
        let instances = array.instances.len();
        Graph {
            number,
            gates,
            reads: array.reads().count(),
            starts,
            readers,
            fanout: vec![Vec::new(); linked_at.len() * instances],
            linked: linked_at.keys().copied().collect(),
            linked_at,
            instances,
            base,
        }
    }

    /// Needed gates and ports that read memories.
    fn nodes(&self) -> usize {
        self.gates.len() + self.reads
    }

    /// The number of the first gate of an instance over all arrays.
    fn first(&self, instance: u32) -> usize {
        self.base + instance as usize * self.nodes()
    }

    /// The needed gates that read a net.
    fn readers_of(&self, net: NetId) -> &[u32] {
        let at = net.index();
        &self.readers[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// Gathers gates with equal steps. Steps do not fall along a path, so a class of
    /// a smaller sum reads none of a larger one.
    fn classes(self, array: &Array, steps: &[u32], arrivals: Vec<Vec<u32>>) -> ArraySchedule {
        let count = self.nodes();
        let step_of = |instance: usize, node: usize| steps[self.base + instance * count + node];
        let of_node = |node: usize| -> Vec<u32> {
            let instances = 0..self.instances;
            instances.map(|instance| step_of(instance, node)).collect()
        };
        let reads = (self.gates.len()..count).map(of_node).collect();
        let mut class_of_steps: BTreeMap<(u64, Vec<u32>), Vec<u32>> = BTreeMap::new();
        for index in 0..self.gates.len() {
            let of_gate = of_node(index);
            let sum = of_gate.iter().map(|&step| u64::from(step)).sum();
            class_of_steps
                .entry((sum, of_gate))
                .or_default()
                .push(self.gates[index]);
        }
        let last = class_of_steps.len() as u32;
        let mut class_of = vec![last; array.leaf.gates.len()];
        let mut class_steps = Vec::new();
        for (class, ((_, steps), gates)) in class_of_steps.into_iter().enumerate() {
            for gate in gates {
                debug_assert_ne!(self.number[gate as usize], NOT_NEEDED);
                class_of[gate as usize] = class as u32;
            }
            class_steps.push(steps);
        }
        ArraySchedule {
            class_of,
            steps: class_steps,
            arrivals,
            linked: self.linked,
            reads,
        }
    }
}
