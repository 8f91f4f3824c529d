//! A design that runs: its ports by name, its flip-flops, its cycles.

mod clocks;
mod driven;
mod looks;
mod scan;
mod state;

use super::domains::{
    ClockPeriod, Clocks, DesignClock, JoinedClock, check_periods, join_clocks, periods_needed,
};
use super::elaborate::{Arrays, Elaborated, Flops, InstanceSize, Options, elaborate, looped};
use super::engine::{Engine, Probe};
use super::record::{BitSource, NetSelection, RecordedVector};
use super::settle::schedule;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_netlist::{self as netlist, BitRange, Design, NetId, PortDirection, ZERO_RAIL};
use crosswave_wave::Bit;

use clocks::EdgeInput;
pub use clocks::{ClockCycle, ClockLevels, RunClock};
use driven::InputValues;
pub(crate) use driven::run_masks;
pub(crate) use looks::SignalPlace;
pub use scan::NetScan;
pub use state::{RunState, SavedRun};

#[cfg(test)]
mod tests;

/// Runs side by side at most.
pub const REPLICAS_MAX: usize = 1 << 12;

/// A port of the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPort {
    /// Its name.
    pub name: String,
    /// Its width in bits, from 1.
    pub width: usize,
    /// Number of its first bit among the bits of all inputs or outputs.
    pub first: usize,
    /// The indices of its bits.
    pub range: BitRange,
    /// True when it is declared as signed.
    pub signed: bool,
}

impl RunPort {
    /// A bit for a message, counted from the least significant one: `name`, or
    /// `name[index]`.
    pub fn bit_name(&self, position: usize) -> String {
        match self.width {
            1 => self.name.clone(),
            width => format!("{}[{}]", self.name, self.range.index(position, width)),
        }
    }

    /// The port for a message: `name`, or `name[left:right]`.
    pub fn declaration(&self) -> String {
        if self.width == 1 {
            return self.name.clone();
        }
        let (left, right) = self.range.ends(self.width);
        format!("{}[{left}:{right}]", self.name)
    }
}

/// An array, for an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArraySize {
    /// The module; of several that share the array, the first.
    pub module: String,
    /// Number of modules that share the array: they differ in constants only.
    pub modules: usize,
    /// Its instances.
    pub instances: usize,
    /// The cells of an instance in the netlist, also when X is computed with.
    pub size: InstanceSize,
}

/// A design and its state, in the cycle it has reached.
pub struct Run {
    engine: Engine,
    replicas: usize,
    four_state: bool,
    clocks: Vec<RunClock>,
    /// The inputs that show edges of clocks that have become one.
    edges: Vec<EdgeInput>,
    inputs: Vec<RunPort>,
    outputs: Vec<RunPort>,
    /// The values that input bits were last driven with.
    driven: InputValues,
    output_probes: Vec<[Probe; 2]>,
    /// The instances of each array, and the flip-flops of one of them.
    flops: Vec<(Vec<String>, Flops)>,
    sizes: Vec<ArraySize>,
    cells: u64,
    recorded: Vec<RecordedVector>,
    recorded_bits: Vec<RecordedBit>,
}

/// A bit that is recorded.
#[derive(Debug, Clone, Copy)]
enum RecordedBit {
    /// A value that never changes.
    Fixed(Bit),
    /// A clock, or its inverse.
    Clock { number: u32, inverted: bool },
    /// A net, or its inverse.
    Net { rails: [Probe; 2], inverted: bool },
}

/// Makes a design ready to run below the module with index `root`.
///
/// # Errors
/// Designs that are not supported, with the place: clocks that are not inputs, or that the options do not
/// describe, loops of gates, arrays that are not there.
///
/// ```
/// use crosswave_design::{Arrays, Clocks, Options, build};
/// use crosswave_lanes::Backend;
/// use crosswave_netlist::text;
/// use crosswave_wave::Bit;
/// let design = text::parse(
///     "module m\n input clk\n input d\n output q\n flop f d -> q posedge clk\nend\n", "example")?;
/// let options = Options {
///     clocks: Clocks::One(None),
///     four_state: true,
///     arrays: Arrays::Auto,
///     replicas: 1,
///     backend: Backend::best(),
///     is_saved: false,
/// };
/// let mut run = build(&design, 0, &options)?;
/// run.drive(0, 0, 0, Bit::One);
/// run.settle();
/// assert_eq!(run.output(0, 0), Bit::X);
/// run.edge();
/// run.settle();
/// assert_eq!(run.output(0, 0), Bit::One);
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
pub fn build(design: &Design, root: usize, options: &Options) -> Result<Run, Error> {
    build_selected(design, root, options, None)
}

/// Makes a design ready to run as [`build`] does, and to look at the names of `selection`, which
/// are those of the design below `root`.
///
/// # Errors
/// As [`build`]. Gates that are evaluated only to be looked at may be in a loop.
pub fn build_recorded(
    design: &Design,
    root: usize,
    options: &Options,
    selection: NetSelection<'_>,
) -> Result<Run, Error> {
    build_selected(design, root, options, Some(selection))
}

fn build_selected(
    design: &Design,
    root: usize,
    options: &Options,
    selection: Option<NetSelection<'_>>,
) -> Result<Run, Error> {
    if options.four_state {
        check_names(design)?;
    }
    let each_cycle = |name: &str| ClockPeriod {
        name: name.to_owned(),
        period: 1,
        shift: 0,
    };
    let is_periodic = match &options.clocks {
        Clocks::Periods(periods) => !matches!(&periods[..], [one] if one.is_each_cycle()),
        _ => false,
    };
    let Some(joined) = join_clocks(design, root, is_periodic)? else {
        let wanted = match &options.clocks {
            Clocks::One(name) => name.clone(),
            Clocks::Periods(periods) => periods.first().map(|one| one.name.clone()),
            Clocks::OfStimulus => None,
        };
        let clock = DesignClock {
            wanted,
            joined: Vec::new(),
        };
        return build_joined(design, root, &clock, options, selection);
    };
    let periods = match (&options.clocks, &joined.clocks[..]) {
        (Clocks::Periods(periods), _) => periods.clone(),
        // Modules turn it, or have several inputs for it.
        (Clocks::One(Some(name)), [one]) if one.falls.is_none() => vec![each_cycle(name)],
        (_, [one]) if one.falls.is_none() => vec![each_cycle(&one.name)],
        (Clocks::One(_), clocks) => {
            let edges = clocks.iter();
            let edges = edges.map(|clock| (&*clock.name, clock.rises, clock.falls.is_some()));
            return Err(periods_needed(edges));
        }
        (Clocks::OfStimulus, _) => Vec::new(),
    };
    if !periods.is_empty() {
        check_periods(&design.modules[root], &joined.clocks, &periods)?;
    }
    let period = |clock: &JoinedClock| periods.iter().find(|one| one.name == clock.name);
    let clocks = joined.clocks.iter();
    let clocks = clocks.map(|clock| RunClock::of_period(clock, period(clock)));
    let clocks = clocks.collect();
    let clock = DesignClock {
        wanted: Some(joined.clock),
        joined: joined.clocks,
    };
    let mut run = build_joined(&joined.design, root, &clock, options, selection)?;
    run.clocks = clocks;
    Ok(run)
}

/// Makes a design with one clock ready to run.
fn build_joined(
    design: &Design,
    root: usize,
    clock: &DesignClock,
    options: &Options,
    selection: Option<NetSelection<'_>>,
) -> Result<Run, Error> {
    let flat = Options {
        arrays: Arrays::None,
        ..options.clone()
    };
    let prepare = |shared: bool| {
        let elaborated = elaborate(design, root, clock, options, shared, selection)?;
        let steps = schedule(&elaborated.arrays);
        Ok::<_, Error>((elaborated, steps))
    };
    let (elaborated, steps) = match prepare(true) {
        Ok((elaborated, Some(steps))) => (elaborated, steps),
        // A constant may break a loop that modules with it at an input have.
        _ => match prepare(false)? {
            (elaborated, Some(steps)) => (elaborated, steps),
            (_, None) => {
                // The flat design has the loop within one module, whose nets can be named.
                elaborate(design, root, clock, &flat, false, selection)?;
                return Err(looped(&design.modules[root]));
            }
        },
    };
    let run = Run::new(elaborated, &steps, clock, options);
    let words = options.replicas.div_ceil(64).div_ceil(8) as u64;
    if options.arrays == Arrays::Auto
        && run.sizes.len() > 1
        && run.cells.saturating_mul(words) < run.engine.cost()
    {
        // Paths from instance to instance make the arrays dearer than they save.
        // A loop that a constant breaks within a module is seen only when flat.
        return build_joined(design, root, clock, &flat, selection).or(Ok(run));
    }
    Ok(run)
}

/// Refuses ports whose names the second rail would take.
fn check_names(design: &Design) -> Result<(), Error> {
    for module in &design.modules {
        if let Some(port) = module.ports.iter().find(|p| p.name.ends_with(ZERO_RAIL)) {
            return Err(Error::one(
                Class::Input,
                module.name.clone(),
                Diagnostic::new(
                    format!("module {}, port {}", module.name, port.name),
                    format!("names of ports must not end with `{ZERO_RAIL}` in four-state mode"),
                    "rename the port",
                ),
            ));
        }
    }
    Ok(())
}

impl Run {
    fn new(
        design: Elaborated,
        steps: &super::settle::Schedule,
        clock: &DesignClock,
        options: &Options,
    ) -> Run {
        let x = options.four_state;
        let rails = if x { 2 } else { 1 };
        let leaf_ports = &design.arrays[0].leaf.module.ports;
        let mut observed: Vec<Vec<NetId>> = vec![Vec::new(); design.arrays.len()];
        let mut inputs = Vec::new();
        let mut outputs = Vec::new();
        let mut input_nets = Vec::new();
        let mut edges = Vec::new();
        let mut output_bits: Vec<[(usize, usize, netlist::Bit); 2]> = Vec::new();
        let used = &design.arrays[0].inputs;
        let read = |bit: netlist::Bit| bit.net().filter(|net| used.binary_search(net).is_ok());
        for (index, port) in design.ports.iter().enumerate() {
            if Some(&port.name) == design.clock.as_ref() || port.bits.is_empty() {
                continue;
            }
            let one = &leaf_ports[rails * index].bits;
            let zero = &leaf_ports[rails * index + rails - 1].bits;
            if let Some((clock, rising)) = clock.edge(&port.name) {
                let nets = [read(one[0]), read(zero[0]).filter(|_| x)];
                edges.push((clock, rising, nets));
                continue;
            }
            let (list, first) = match port.direction {
                PortDirection::Input => (&mut inputs, input_nets.len()),
                PortDirection::Output => (&mut outputs, output_bits.len()),
            };
            list.push(RunPort {
                name: port.name.clone(),
                width: port.bits.len(),
                first,
                range: port.range,
                signed: port.signed,
            });
            for (&one, &zero) in one.iter().zip(zero) {
                match port.direction {
                    PortDirection::Input => input_nets.push([read(one), read(zero).filter(|_| x)]),
                    PortDirection::Output => {
                        let rails = [one, zero].map(|bit| design.origin(0, 0, bit));
                        for (array, _, bit) in rails {
                            observed[array].extend(bit.net());
                        }
                        output_bits.push(rails);
                    }
                }
            }
        }
        for (observed, flops) in observed.iter_mut().zip(&design.flops) {
            let rails = flops.rails.iter().flatten();
            observed.extend(rails.filter_map(|bit| bit.net()));
        }
        for (observed, rails) in observed.iter_mut().zip(&design.recorded_rails) {
            observed.extend(rails.iter().flatten().filter_map(|bit| bit.net()));
        }
        let engine = Engine::new(&design, steps, options.replicas, &observed, options.backend);
        let instances = design.arrays.iter().map(|array| array.instances.clone());
        let flops = instances.zip(design.flops).collect();
        let sources = design.recorded.sources.iter();
        let recorded_bits = sources.map(|&source| match source {
            BitSource::Undriven => RecordedBit::Fixed(Bit::X),
            BitSource::Constant(netlist::Bit::One) => RecordedBit::Fixed(Bit::One),
            BitSource::Constant(netlist::Bit::X) if x => RecordedBit::Fixed(Bit::X),
            BitSource::Constant(_) => RecordedBit::Fixed(Bit::Zero),
            BitSource::Clock { number, inverted } => RecordedBit::Clock { number, inverted },
            BitSource::Net {
                array,
                instance,
                net: place,
                inverted,
            } => {
                let (array, instance) = (array as usize, instance as usize);
                let rails = design.recorded_rails[array][place.index()];
                RecordedBit::Net {
                    rails: rails.map(|bit| engine.probe(array, instance, bit)),
                    inverted,
                }
            }
        });
        let recorded_bits = recorded_bits.collect();
        let driven_nets = |nets: &[Option<NetId>; 2]| nets.map(|net| Some(engine.driven_net(net?)));
        let edges = edges.into_iter().map(|(clock, rising, nets)| EdgeInput {
            clock,
            rising,
            nets: driven_nets(&nets),
        });
        let edges = edges.collect();
        let input_nets = input_nets.iter().map(driven_nets).collect();
        let mut run = Run {
            output_probes: output_bits
                .iter()
                .map(|rails| rails.map(|(array, instance, bit)| engine.probe(array, instance, bit)))
                .collect(),
            engine,
            replicas: options.replicas,
            four_state: x,
            clocks: design
                .clock
                .map(RunClock::of_each_cycle)
                .into_iter()
                .collect(),
            edges,
            driven: InputValues::new(options.replicas, input_nets, x),
            inputs,
            outputs,
            flops,
            sizes: design
                .arrays
                .iter()
                .zip(&design.sizes)
                .zip(&design.modules)
                .map(|((array, &size), &modules)| ArraySize {
                    module: array.leaf.module.name.clone(),
                    modules,
                    instances: array.instances.len(),
                    size,
                })
                .collect(),
            cells: design.cells,
            recorded: design.recorded.vectors,
            recorded_bits,
        };
        if x {
            run.driven.drive_all(&mut run.engine);
        }
        run
    }

    /// Runs side by side.
    pub fn replicas(&self) -> usize {
        self.replicas
    }

    /// True when X is computed with.
    pub fn four_state(&self) -> bool {
        self.four_state
    }

    /// The inputs but for the clock, in the order of the module.
    pub fn inputs(&self) -> &[RunPort] {
        &self.inputs
    }

    /// The outputs, in the order of the module.
    pub fn outputs(&self) -> &[RunPort] {
        &self.outputs
    }

    /// The top and the arrays.
    pub fn sizes(&self) -> &[ArraySize] {
        &self.sizes
    }

    /// Gates and flip-flops of the netlist, counted once for each instance.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Steps in which instances pass values on within a cycle.
    pub fn steps(&self) -> usize {
        self.engine.steps()
    }

    /// Bytes of all values.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }

    /// Drives a bit of an input in one run, from this cycle on. X and Z are 0 unless
    /// X is computed with.
    ///
    /// # Panics
    /// When there is no such input, bit or run.
    pub fn drive(&mut self, input: usize, bit: usize, replica: usize, value: Bit) {
        let at = self.inputs[input].first + bit;
        let value = match value {
            Bit::X | Bit::Z if self.four_state => Bit::X,
            Bit::X | Bit::Z => Bit::Zero,
            known => known,
        };
        self.driven.drive(at, replica, value, &mut self.engine);
    }

    /// The value that a bit of all input bits is driven with.
    pub fn input(&self, bit: usize, replica: usize) -> Bit {
        self.driven.get(bit, replica)
    }

    /// Evaluates everything for the inputs and flip-flops of this cycle.
    pub fn settle(&mut self) {
        self.engine.settle();
    }

    /// Takes the clock edge; everything has to be settled.
    pub fn edge(&mut self) {
        self.engine.edge();
    }

    /// A bit of all output bits, as it was last settled.
    pub fn output(&self, bit: usize, replica: usize) -> Bit {
        self.look(self.output_probes[bit], replica)
    }

    /// The names inside that are recorded, in the order of their tree.
    pub fn recorded(&self) -> &[RecordedVector] {
        &self.recorded
    }

    /// A bit of a recorded name without a twin, as it was last settled, while the clocks are at these
    /// levels. A bit that nothing drives is X.
    ///
    /// # Panics
    /// When there is no such name, bit, run or clock.
    pub fn recorded_bit(&self, vector: usize, bit: usize, replica: usize, clocks: &[bool]) -> Bit {
        let known = |value: bool| if value { Bit::One } else { Bit::Zero };
        match self.recorded_bits[self.recorded[vector].first + bit] {
            RecordedBit::Fixed(value) => value,
            RecordedBit::Clock { number, inverted } => known(clocks[number as usize] != inverted),
            RecordedBit::Net { rails, inverted } => match self.look(rails, replica) {
                Bit::Zero => known(inverted),
                Bit::One => known(!inverted),
                unknown => unknown,
            },
        }
    }

    /// True when a recorded name has a bit that follows a clock.
    pub fn follows_clock(&self, vector: usize) -> bool {
        let RecordedVector { first, width, .. } = self.recorded[vector];
        let mut bits = self.recorded_bits[first..].iter().take(width);
        self.recorded[vector].twin.is_none()
            && bits.any(|bit| matches!(bit, RecordedBit::Clock { .. }))
    }

    fn look(&self, [one, zero]: [Probe; 2], replica: usize) -> Bit {
        let one = self.engine.value(one, replica);
        if !self.four_state {
            return if one { Bit::One } else { Bit::Zero };
        }
        match (one, self.engine.value(zero, replica)) {
            (true, true) => Bit::X,
            (true, false) => Bit::One,
            _ => Bit::Zero,
        }
    }

    /// The flip-flops that are X in some run, by path; none unless X is computed with.
    pub fn unknown_flops(&self) -> Vec<String> {
        let mut names = Vec::new();
        for (array, (instances, flops)) in self.flops.iter().enumerate() {
            for (instance, (path, &module)) in instances.iter().zip(&flops.modules).enumerate() {
                for (rails, name) in flops.rails.iter().zip(&flops.names[module as usize]) {
                    let probes = rails.map(|bit| self.engine.probe(array, instance, bit));
                    if self.unknown(probes) {
                        names.push(match path.is_empty() {
                            true => name.clone(),
                            false => format!("{path}.{name}"),
                        });
                    }
                }
            }
        }
        names
    }

    /// The output bits that are X in some run, as `name` or `name[bit]`.
    pub fn unknown_outputs(&self) -> Vec<String> {
        let mut names = Vec::new();
        for port in &self.outputs {
            for bit in 0..port.width {
                if self.unknown(self.output_probes[port.first + bit]) {
                    names.push(port.bit_name(bit));
                }
            }
        }
        names
    }

    fn unknown(&self, probes: [Probe; 2]) -> bool {
        (0..self.replicas).any(|replica| self.look(probes, replica) == Bit::X)
    }

    /// The flip-flops whose values can be looked at; none unless X is computed with.
    pub fn flops(&self) -> usize {
        let all = self.flops.iter();
        all.map(|(instances, flops)| instances.len() * flops.rails.len())
            .sum()
    }
}
