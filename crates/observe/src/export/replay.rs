//! The test bench that replays a run, and the stimulus that it reads.
//!
//! The run is made on the event engine, where chips have models, and everything that its host drives
//! is written down. So the host is not in the test bench, and any network can be exported.

use std::fmt::Write;

use super::testbench::{Parts, dumps};
use crosswave_base::diagnostic::Error;
use crosswave_chips::{PinDirection, Role};
use crosswave_network::verilog::{Meets, RouterOptions, bus_name, meets};
use crosswave_network::{ChipArray, Fabric, PinValues};
use crosswave_probe::engine::{Engine, EngineFault, InstanceList};
use crosswave_run::config::Config;
use crosswave_run::fault;
use crosswave_run::host::Outcome;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

const TEMPLATE: &str = include_str!("replay.v");

/// Number of the line that holds random pins.
const HOLD: i32 = -1;
/// Number of the line that skips cycles.
const SKIP: i32 = -2;
/// Number of the line that ends the run.
const END: i32 = -3;

/// The condition under which an array's random pins run: options are constants here.
fn driven(array: &ChipArray) -> &'static str {
    if array.random { "!held" } else { "1'b0" }
}

/// The pins of a fabric that are driven during a run, those of the host and those that change:
/// array and port, in the order of their numbers in a stimulus.
fn host_pins(fabric: &Fabric) -> Vec<(usize, usize)> {
    let mut pins = Vec::new();
    for (array, layout) in fabric.arrays.iter().enumerate() {
        for (port, table) in layout.chip.ports.iter().enumerate() {
            let is_host = matches!(table.role, Role::Host);
            if is_host && table.direction == PinDirection::Input || layout.changes(port) {
                pins.push((array, port));
            }
        }
    }
    pins
}

/// The test bench of a network, a module `testbench` that holds the network as the
/// instance `network`.
pub(super) fn testbench(fabric: &Fabric, router_options: RouterOptions) -> String {
    let random = Parts::random(fabric, |array| driven(&fabric.arrays[array]));
    let mut host = HostParts::default();
    for (number, (array, port)) in host_pins(fabric).into_iter().enumerate() {
        host.add(fabric, number, array, port);
    }
    let mut options = Vec::new();
    let mut outputs = Vec::new();
    for (index, array) in fabric.arrays.iter().enumerate() {
        for (number, port) in array.chip.ports.iter().enumerate() {
            let is_option = matches!(port.role, Role::Option);
            let scanned = router_options.scans(array);
            if is_option && !scanned && meets(array, number) == Meets::Common {
                let pin = array.pins.iter().find(|pin| pin.port == number);
                let Some(PinValues::Uniform(value)) = pin.map(|pin| &pin.values) else {
                    unreachable!("a common pin has one value");
                };
                let line = format!("      .{}({}'d{value}),\n", port.name, port.width);
                if !options.contains(&line) {
                    options.push(line);
                }
            }
            if matches!(port.role, Role::Host) && port.direction == PinDirection::Output {
                outputs.push(format!("      .{}(),\n", bus_name(fabric, index, number)));
            }
        }
    }
    let outputs = format!(
        "      // verilator lint_off PINCONNECTEMPTY\n{}      \
         // verilator lint_on PINCONNECTEMPTY\n",
        outputs.concat()
    );
    let scan = ScanParts::new(fabric, router_options);
    let mut text = TEMPLATE.to_owned();
    for (mark, value) in [
        ("@scan_options@\n", scan.options),
        ("@scan_connections@\n", scan.connections),
        ("@scan_chain@\n", &scan.chain),
        ("@scan_load@\n", scan.load),
        ("@random_bits@", include_str!("random.v").trim_end()),
        ("@waveform@\n", include_str!("dump.v")),
        ("@network@", fabric.name),
        ("@version@", env!("CARGO_PKG_VERSION")),
        ("@host_names@\n", &host.names),
        ("@host_declarations@\n", &host.declarations),
        ("@host_connections@\n", &host.connections),
        ("@host_updates@\n", &host.updates),
        ("@host_resets@\n", &host.resets),
        ("@host_cases@\n", &host.cases),
        ("@option_connections@\n", &options.concat()),
        ("@output_connections@\n", &outputs),
        ("@random_declarations@\n", &random.declarations),
        ("@random_connections@\n", &random.connections),
        ("@random_updates@\n", &random.updates),
        ("@random_draws@\n", &random.draws),
        ("@random_resets@\n", &random.resets),
        ("@dumps@\n", &dumps(fabric)),
    ] {
        text = text.replace(mark, value);
    }
    text
}

/// The parts of the text that speak of the scan chain; empty without one.
#[derive(Default)]
struct ScanParts {
    options: &'static str,
    connections: &'static str,
    chain: String,
    load: &'static str,
}

impl ScanParts {
    fn new(fabric: &Fabric, options: RouterOptions) -> ScanParts {
        let arrays = fabric.arrays.iter().filter(|array| options.scans(array));
        let routers: usize = arrays.map(|array| array.instances).sum();
        if routers == 0 {
            return ScanParts::default();
        }
        ScanParts {
            options: "//   +options=FILE      the options of the routers: a line with a hexadecimal number\n\
                      //                      of 105 bits for each, the last router first; the\n\
                      //                      lowest bit of a number enters the scan chain first\n",
            connections: "      .scan_clock(scan_clock),\n      .scan_reset(scan_reset),\n      \
                          .scan_shift(scan_shift),\n      .scan_in(scan_in),\n      .scan_out(scan_out),\n",
            chain: include_str!("scan.v").replace("@routers@", &routers.to_string()),
            load: "    load_options;\n",
        }
    }
}

/// The parts of the text that speak of the host pins.
#[derive(Default)]
struct HostParts {
    names: String,
    declarations: String,
    connections: String,
    updates: String,
    resets: String,
    cases: String,
}

impl HostParts {
    fn add(&mut self, fabric: &Fabric, number: usize, array: usize, port: usize) {
        let name = bus_name(fabric, array, port);
        let width = usize::from(fabric.arrays[array].chip.ports[port].width);
        let bits = width * fabric.arrays[array].instances;
        let last = bits - 1;
        self.names += &format!("//   {number:2}  {name}\n");
        self.declarations += &format!("  reg [{last}:0] {name}, next_{name};\n");
        self.connections += &format!("      .{name}({name}),\n");
        self.updates += &format!("    {name} <= next_{name};\n");
        let first = first_values(&fabric.arrays[array], port);
        self.resets += &format!("    next_{name} = {first};\n    {name} = next_{name};\n");
        self.cases += &format!(
            "          {number}: next_{name}[{width}*instance_number +: {width}] = value[{}:0];\n",
            width - 1
        );
    }
}

/// Values of a port's pins in cycle 0, all instances together.
fn first_values(array: &ChipArray, port: usize) -> String {
    let width = usize::from(array.chip.ports[port].width);
    let values = (0..array.instances).rev();
    let values = values.map(|instance| format!("{width}'d{}", array.pin(port, instance)));
    match array.pins.iter().any(|pin| pin.port == port) {
        false => "0".into(),
        true => format!("{{{}}}", values.collect::<Vec<_>>().join(", ")),
    }
}

/// The stimulus of a configuration's host, as the test bench reads it, and the outcome of the run.
///
/// # Errors
/// When the traffic cannot be read.
pub fn stimulus(config: &Config) -> Result<(String, Outcome), Error> {
    let simulation = Simulation::new(config)?;
    let Replicate { seed, workload } = simulation.replicate(0)?;
    let fabric = simulation.fabric();
    let mut engine = Logged {
        engine: simulation.light_engine(seed)?,
        instances: fabric
            .arrays
            .iter()
            .map(|array| array.instances as u32)
            .collect(),
        pins: host_pins(fabric),
        text: String::from("cycle,port,instance,value\n"),
        held: true,
    };
    let outcome = simulation.run_on(&mut engine, &workload, &mut ());
    fault::check(&*engine.engine)?;
    let end = engine.engine.cycle();
    engine.line(end, END, 0, 0);
    Ok((engine.text, outcome))
}

/// An engine that writes down what is driven.
struct Logged {
    engine: Box<dyn Engine>,
    /// Instances of each array.
    instances: Vec<u32>,
    pins: Vec<(usize, usize)>,
    text: String,
    held: bool,
}

impl Logged {
    fn line(&mut self, cycle: u64, port: i32, instance: u32, value: u64) {
        writeln!(self.text, "{cycle},{port},{instance},{value:x}").expect("a String takes it");
    }
}

impl Engine for Logged {
    fn fault(&self) -> Option<EngineFault> {
        self.engine.fault()
    }

    fn cycle(&self) -> u64 {
        self.engine.cycle()
    }

    fn drive(&mut self, array: usize, port: usize, values: &[(u32, u64)]) {
        let number = self.pins.iter().position(|&pin| pin == (array, port));
        let number = number.expect("hosts drive host pins") as i32;
        for &(instance, value) in values {
            self.line(self.engine.cycle(), number, instance, value);
        }
        self.engine.drive(array, port, values);
    }

    fn drive_all(&mut self, array: usize, port: usize, value: u64) {
        let instances = 0..self.instances[array];
        let values: Vec<(u32, u64)> = instances.map(|instance| (instance, value)).collect();
        self.drive(array, port, &values);
    }

    fn value(&self, array: usize, port: usize, instance: usize) -> u64 {
        self.engine.value(array, port, instance)
    }

    fn random_held(&self) -> bool {
        self.engine.random_held()
    }

    fn raised(&self, array: usize, port: usize, instances: &mut Vec<u32>) {
        self.engine.raised(array, port, instances);
    }

    fn raised_each(&self, array: usize, ports: &[usize], found: &mut [InstanceList]) {
        self.engine.raised_each(array, ports, found);
    }

    fn hold_random(&mut self, hold: bool) {
        if hold != self.held {
            self.held = hold;
            self.line(self.engine.cycle(), HOLD, 0, u64::from(hold));
        }
        self.engine.hold_random(hold);
    }

    fn step(&mut self) {
        self.engine.step();
    }

    fn skip_to(&mut self, cycle: u64) {
        self.line(self.engine.cycle(), SKIP, 0, cycle);
        self.engine.skip_to(cycle);
    }
}
