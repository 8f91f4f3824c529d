//! The reference evaluator: slow and obvious, the judge of the fast ones.
//!
//! It shares nothing with them but the netlist reader: each instance is a
//! [`netlist::Evaluation`](crosswave_netlist::Evaluation), net by net.

use std::borrow::Cow;

use super::settling::{Settling, settling};
use crosswave_base::diagnostic::Error;
use crosswave_chips::{PinDirection, Role, rotated};
use crosswave_netlist::{Evaluation, Module, Port, without_memories};
use crosswave_network::random_bits::RandomBits;
use crosswave_network::{ChipArray, Fabric, LinkPort};
use crosswave_probe::engine::{Engine, EngineFault};

/// One array: its module and the value of every net of every instance.
struct Array<'m> {
    evaluation: Evaluation<'m>,
    /// Net `i` of instance `k` is `nets[k * module.nets.len() + i]`.
    nets: Vec<bool>,
    /// The module's port of each port of the chip's table, if it has one.
    ports: Vec<Option<&'m Port>>,
    /// Values of configuration and host pins: `pins[instance * ports + port]`.
    pins: Vec<u64>,
}

/// The reference engine.
pub struct ReferenceEngine<'m> {
    fabric: Fabric,
    arrays: Vec<Array<'m>>,
    random_bits: RandomBits,
    cycle: u64,
    /// Passes after an edge until outputs have settled.
    settling: Settling,
    /// The fault of the cycle in which they did not.
    unsettled: Option<EngineFault>,
}

/// The values of an array's pins in cycle 0.
fn first_pins(layout: &ChipArray) -> Vec<u64> {
    let ports = layout.chip.ports.len();
    let all =
        (0..layout.instances).flat_map(|instance| (0..ports).map(move |port| (instance, port)));
    all.map(|(instance, port)| layout.pin(port, instance))
        .collect()
}

impl<'m> ReferenceEngine<'m> {
    /// An engine at cycle 0; `netlist` gives the module of each chip by name.
    ///
    /// # Errors
    /// When a netlist has a combinational loop or a flip-flop that does not act
    /// on the rising edge alone.
    pub fn new(
        fabric: Fabric,
        netlist: impl Fn(&str) -> Result<&'m Module, Error>,
        seed: u64,
    ) -> Result<Self, Error> {
        let settling = settling(&fabric, &netlist)?;
        let mut arrays = Vec::new();
        for layout in &fabric.arrays {
            let module = match without_memories(netlist(layout.chip.name)?)? {
                Cow::Borrowed(module) => module,
                // Netlists are there to the end of the program.
                Cow::Owned(module) => Box::leak(Box::new(module)),
            };
            let evaluation = Evaluation::new(module)?;
            let ports = layout.chip.ports.iter();
            arrays.push(Array {
                nets: evaluation.initial().repeat(layout.instances),
                evaluation,
                ports: ports.map(|port| module.port(port.name)).collect(),
                pins: first_pins(layout),
            });
        }
        let random_bits = RandomBits::new(&fabric, seed);
        Ok(ReferenceEngine {
            fabric,
            arrays,
            random_bits,
            cycle: 0,
            settling,
            unsettled: None,
        })
    }

    fn output(&self, array: usize, port: usize, instance: usize) -> u64 {
        let array = &self.arrays[array];
        let count = array.evaluation.module().nets.len();
        let nets = &array.nets[instance * count..(instance + 1) * count];
        array.ports[port].map_or(0, |port| Evaluation::port(port, nets))
    }
}

impl Engine for ReferenceEngine<'_> {
    fn cycle(&self) -> u64 {
        self.cycle
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        let ports = self.fabric.arrays[array].chip.ports.len();
        for &(instance, value) in values {
            self.arrays[array].pins[instance as usize * ports + port] = value;
        }
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        for instance in 0..self.fabric.arrays[array].instances as u32 {
            self.drive(array, port, &[(instance, value)]);
        }
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        let layout = &self.fabric.arrays[array];
        let table = &layout.chip.ports[port];
        if table.direction == PinDirection::Output {
            return self.output(array, port, instance);
        }
        match table.role {
            Role::Clock | Role::State(_) => 1,
            Role::Reset => u64::from(self.cycle == 0),
            Role::Random { stream, kind } => {
                self.random_bits
                    .of(layout, instance)
                    .value(stream, kind, table.width)
            }
            Role::Option | Role::Parameter | Role::Host => {
                self.arrays[array].pins[instance * layout.chip.ports.len() + port]
            }
            Role::Link { link, lsb } => {
                let near = LinkPort {
                    array,
                    instance,
                    link,
                };
                let Some(peer) = self.fabric.peer(near) else {
                    return 0;
                };
                let ports = self.fabric.arrays[peer.array].chip.ports;
                let driver = ports.iter().position(|port| {
                    port.direction == PinDirection::Output
                        && matches!(port.role, Role::Link { link, lsb: bit }
                                    if link == peer.link && bit == lsb)
                });
                let Some(driver) = driver else {
                    return 0;
                };
                let driven = self.output(peer.array, driver, peer.instance);
                let steps = self.fabric.rotation(self.fabric.number(near));
                rotated(driven << lsb, steps) >> lsb
            }
        }
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        let count = self.fabric.arrays[array].instances;
        instances.extend((0..count as u32).filter(|&i| self.value(array, port, i as usize) != 0));
    }

    fn hold_random(&mut self, hold: bool) {
        self.random_bits.hold(hold);
    }

    fn random_held(&self) -> bool {
        self.random_bits.held()
    }

    fn step(&mut self) {
        self.take(|evaluation, nets| evaluation.edge(nets));
        self.cycle += 1;
        self.random_bits.begin(self.cycle);
        let pass = |engine: &mut Self| {
            let before: Vec<_> = engine
                .arrays
                .iter()
                .map(|array| array.nets.clone())
                .collect();
            engine.take(|evaluation, nets| evaluation.settle_outputs(nets));
            let nets = engine.arrays.iter().map(|array| &array.nets);
            nets.eq(&before)
        };
        let settles = (0..self.settling.passes).any(|_| pass(self));
        if !settles && self.settling.circle.is_some() {
            let fault = self.settling.fault(self.cycle, Vec::new());
            self.unsettled.get_or_insert(fault);
        }
    }

    fn fault(&self) -> Option<EngineFault> {
        self.unsettled.clone()
    }

    fn skip_to(&mut self, cycle: u64) {
        self.cycle = cycle;
        self.random_bits.begin(cycle);
    }
}

impl ReferenceEngine<'_> {
    /// Evaluates every instance with what it sees now, and has registers take their values.
    fn take(&mut self, act: impl Fn(&Evaluation<'_>, &mut [bool])) {
        let mut next = Vec::new();
        for (index, array) in self.arrays.iter().enumerate() {
            let layout = &self.fabric.arrays[index];
            let count = array.evaluation.module().nets.len();
            let mut all = array.nets.clone();
            for (instance, nets) in all.chunks_mut(count).enumerate() {
                for (port, table) in layout.chip.ports.iter().enumerate() {
                    if table.direction == PinDirection::Input
                        && let Some(pins) = array.ports[port]
                    {
                        Evaluation::drive(pins, nets, self.value(index, port, instance));
                    }
                }
                array.evaluation.settle(nets);
                act(&array.evaluation, nets);
            }
            next.push(all);
        }
        for (array, nets) in self.arrays.iter_mut().zip(next) {
            array.nets = nets;
        }
    }
}
