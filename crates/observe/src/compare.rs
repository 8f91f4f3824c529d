//! Two configurations in lock step under the same traffic, and what they measure.
//!
//! Both run at the same time, each with its own host. In every cycle all that chips drive is
//! folded into a number of 64 bits on either side, and the numbers are compared; so the first
//! cycle in which they differ is found in one pass, and two other passes, up to that cycle, read
//! the values. Networks that differ in their chips are compared as long as the arrays, their
//! instances and the ports are the same.
//!
//! Measures are compared replicate by replicate, since replicates of one number have one seed and
//! the same messages: the differences have a mean and its interval (Student's t, paired), and two
//! configurations differ in a measure when the interval does not hold 0.

use crossbeam::channel::{Receiver, Sender, bounded};

use crate::points::Store;
use crate::points::runner::IdleProcessors;
use crate::points::watch::{Watch, interruption};
use crate::sweep::grid::SweepPoint;
use crate::sweep::measures::Measured;
use crate::sweep::{self, StopRule};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::statistics::mean_and_half_width_95;
use crosswave_base::threads;
use crosswave_chips::{PinDirection, Role};
use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::StateName;
use crosswave_run::config::Config;
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Cycles by which one run may be ahead of the other.
const AHEAD_MAX: usize = 256;

/// A port that shows different values.
#[derive(Debug, Clone, Copy)]
pub struct PortDifference {
    /// The array.
    pub array: usize,
    /// The instance of the array.
    pub instance: usize,
    /// The port of its chip.
    pub port: usize,
    /// The values in the first network and in the second.
    pub values: [u64; 2],
}

impl PortDifference {
    /// The name of the instance.
    pub fn instance_name(&self, fabric: &Fabric) -> String {
        fabric.instance_name(self.array, self.instance)
    }

    /// The name of the port.
    pub fn port_name(&self, fabric: &Fabric) -> &'static str {
        fabric.arrays[self.array].chip.ports[self.port].name
    }

    /// The values as people read them: the names of states, or hexadecimal numbers.
    pub fn shown(&self, fabric: &Fabric) -> [String; 2] {
        let port = &fabric.arrays[self.array].chip.ports[self.port];
        let names: &[StateName] = match port.role {
            Role::State(names) => names,
            _ => &[],
        };
        self.values.map(|value| {
            let named = names.iter().find(|state| state.value == value);
            match named {
                Some(state) => state.name.to_owned(),
                None if port.width == 1 => value.to_string(),
                None => format!("{value:#x}"),
            }
        })
    }
}

/// The result of two runs in lock step.
#[derive(Debug, Clone)]
pub struct LockStep {
    /// The first cycle in which something differs; `None` where nothing does.
    pub differs_cycle: Option<u64>,
    /// The ports that differ there, in the order of the chips.
    pub ports: Vec<PortDifference>,
    /// The last cycles of both runs.
    pub last_cycles: [u64; 2],
}

/// Compares the shapes of two networks.
///
/// # Errors
/// When they have not the same chips in the same places.
pub fn check_shapes([first, second]: [&Fabric; 2]) -> Result<(), Error> {
    let shape = |fabric: &Fabric| -> Vec<(&str, usize)> {
        let arrays = fabric.arrays.iter();
        arrays
            .map(|array| (array.chip.name, array.instances))
            .collect()
    };
    let (of_first, of_second) = (shape(first), shape(second));
    if of_first == of_second {
        return Ok(());
    }
    let told = |shape: &[(&str, usize)]| {
        let arrays = shape.iter().filter(|(_, instances)| *instances > 0);
        let arrays: Vec<String> = arrays
            .map(|(chip, count)| format!("{count} {chip}"))
            .collect();
        arrays.join(", ")
    };
    let message = format!(
        "the first has {}; the second {}",
        told(&of_first),
        told(&of_second)
    );
    let help = "networks in lock step have the same chips, and as many of each; `crosswave sweep FIRST \
                SECOND` compares what others measure";
    Err(Error::one(
        Class::Usage,
        "networks",
        Diagnostic::new("chips", message, help),
    ))
}

/// Outputs of chips, with their bit planes.
struct DrivenPlanes(Vec<(usize, usize, usize, Vec<Vec<u64>>)>);

impl DrivenPlanes {
    fn new(fabric: &Fabric) -> DrivenPlanes {
        let mut all = Vec::new();
        for (array, layout) in fabric
            .arrays
            .iter()
            .enumerate()
            .filter(|(_, a)| a.instances > 0)
        {
            for (port, found) in layout.chip.ports.iter().enumerate() {
                if found.direction == PinDirection::Output {
                    let words = vec![0; layout.instances.div_ceil(64)];
                    let planes = vec![words; usize::from(found.width)];
                    all.push((array, port, layout.instances, planes));
                }
            }
        }
        DrivenPlanes(all)
    }

    /// Reads all of them, and folds them into a number; 0 in cycle 0, before whose end the chips are
    /// reset, so that what they drive is not known.
    fn fold(&mut self, engine: &dyn Engine) -> u64 {
        if engine.cycle() == 0 {
            return 0;
        }
        let mut folded = 0_u64;
        for (array, port, instances, planes) in &mut self.0 {
            engine.planes(*array, *port, *instances, planes);
            let last = match *instances % 64 {
                0 => u64::MAX,
                lanes => (1 << lanes) - 1,
            };
            for plane in planes {
                let count = plane.len();
                for (at, word) in plane.iter().enumerate() {
                    let word = if at + 1 == count { word & last } else { *word };
                    folded = (folded.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                }
            }
        }
        folded
    }
}

/// Folds every cycle, and tells the other side.
struct Teller<'a> {
    planes: DrivenPlanes,
    to: Option<Sender<(u64, u64)>>,
    interrupted: &'a (dyn Fn() -> bool + Sync),
}

impl Observer for Teller<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _clocked: bool) {
        let Some(to) = &self.to else {
            return;
        };
        let folded = (engine.cycle(), self.planes.fold(engine));
        if to.send(folded).is_err() {
            self.to = None;
        }
    }

    fn interrupted(&mut self) -> bool {
        (self.interrupted)()
    }
}

/// Folds every cycle, and compares it with what the other side tells.
struct Listener<'a> {
    planes: DrivenPlanes,
    from: Option<Receiver<(u64, u64)>>,
    differs_cycle: Option<u64>,
    interrupted: &'a (dyn Fn() -> bool + Sync),
}

impl Observer for Listener<'_> {
    fn cycle(&mut self, engine: &dyn Engine, _clocked: bool) {
        // There is nothing more to compare once the other run has ended.
        let Some(Ok(told)) = self.from.as_ref().map(Receiver::recv) else {
            self.from = None;
            return;
        };
        if told != (engine.cycle(), self.planes.fold(engine)) {
            self.differs_cycle = Some(engine.cycle());
            self.from = None;
        }
    }

    fn interrupted(&mut self) -> bool {
        (self.interrupted)()
    }
}

/// Reads all outputs in a cycle, and ends the run.
struct ValuesAt {
    cycle: u64,
    planes: DrivenPlanes,
    is_read: bool,
}

impl Observer for ValuesAt {
    fn cycle(&mut self, engine: &dyn Engine, _clocked: bool) {
        if engine.cycle() == self.cycle {
            self.planes.fold(engine);
            self.is_read = true;
        }
    }

    fn interrupted(&mut self) -> bool {
        self.is_read
    }
}

/// Runs a replicate of two networks in lock step. Neither of them skips cycles in which it rests.
///
/// # Errors
/// When a run fails, or is interrupted; those of [`check_shapes`].
pub fn lock_step(
    simulations: [&Simulation; 2],
    replicates: [&Replicate; 2],
    interrupted: &(dyn Fn() -> bool + Sync),
) -> Result<LockStep, Error> {
    let [first, second] = simulations;
    check_shapes([first.fabric(), second.fabric()])?;
    let (to, from) = bounded(AHEAD_MAX);
    let (first_last, second_last, differs_cycle) = std::thread::scope(|scope| {
        let told = threads::start(scope, move || {
            let mut teller = Teller {
                planes: DrivenPlanes::new(first.fabric()),
                to: Some(to),
                interrupted,
            };
            first.run_one(replicates[0], &mut teller)
        })?;
        let mut listener = Listener {
            planes: DrivenPlanes::new(second.fabric()),
            from: Some(from),
            differs_cycle: None,
            interrupted,
        };
        let heard = second.run_one(replicates[1], &mut listener);
        let differs_cycle = listener.differs_cycle;
        // The first run goes on alone.
        drop(listener);
        let told = match told.join() {
            Ok(told) => told,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        Ok::<_, Error>((told?.last_cycle, heard?.last_cycle, differs_cycle))
    })?;
    if interrupted() {
        return Err(interruption());
    }
    let mut found = LockStep {
        differs_cycle,
        ports: Vec::new(),
        last_cycles: [first_last, second_last],
    };
    let Some(cycle) = differs_cycle else {
        return Ok(found);
    };
    let mut read = Vec::new();
    for (simulation, replicate) in simulations.into_iter().zip(replicates) {
        let mut values = ValuesAt {
            cycle,
            planes: DrivenPlanes::new(simulation.fabric()),
            is_read: false,
        };
        simulation.run_one(replicate, &mut values)?;
        read.push(values.planes.0);
    }
    for ((array, port, instances, one), (_, _, _, other)) in read[0].iter().zip(&read[1]) {
        for instance in 0..*instances {
            let value = |planes: &[Vec<u64>]| {
                let bit = |plane: &Vec<u64>| plane[instance / 64] >> (instance % 64) & 1;
                let bits = planes.iter().enumerate();
                bits.fold(0, |value, (at, plane)| value | bit(plane) << at)
            };
            let values = [value(one), value(other)];
            if values[0] != values[1] {
                found.ports.push(PortDifference {
                    array: *array,
                    instance,
                    port: *port,
                    values,
                });
            }
        }
    }
    found
        .ports
        .sort_by_key(|found| (found.array, found.instance, found.port));
    Ok(found)
}

/// A measure of both configurations.
#[derive(Debug, Clone)]
pub struct MeasureDifference {
    /// Its name, a path in the JSON of a run.
    pub measure: String,
    /// The means over the replicates.
    pub means: [f64; 2],
    /// The mean of the differences of replicates, second less first.
    pub difference: f64,
    /// Half of its 95 % interval; `None` with one replicate.
    pub half_width_95: Option<f64>,
}

/// The verdict on a measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MeasureVerdict {
    /// It is the same in every replicate.
    Same,
    /// The interval of the differences does not contain 0.
    Differs,
    /// The interval contains 0.
    NoDifferenceFound,
    /// It differs in the only replicate.
    OneReplicate,
}

impl MeasureVerdict {
    /// The verdict in words.
    pub fn name(self) -> &'static str {
        match self {
            MeasureVerdict::Same => "same",
            MeasureVerdict::Differs => "differs",
            MeasureVerdict::NoDifferenceFound => "no difference found",
            MeasureVerdict::OneReplicate => "differs in one replicate",
        }
    }
}

impl MeasureDifference {
    /// The verdict.
    pub fn verdict(&self) -> MeasureVerdict {
        match self.half_width_95 {
            Some(half) if self.difference == 0.0 && half == 0.0 => MeasureVerdict::Same,
            Some(half) if self.difference.abs() > half => MeasureVerdict::Differs,
            Some(_) => MeasureVerdict::NoDifferenceFound,
            None if self.difference == 0.0 => MeasureVerdict::Same,
            None => MeasureVerdict::OneReplicate,
        }
    }
}

/// Measures that are compared, where both configurations have them.
const MEASURES: [&str; 11] = [
    "messages.delivered",
    "messages.attempts",
    "collisions.total",
    "blocked.total",
    "conflicts.total",
    "cycles",
    "latency_cycles.mean",
    "latency_cycles.max",
    "steady.throughput_fraction",
    "steady.latency_cycles.mean",
    "steady.latency_cycles.max",
];

/// Measures both configurations in all their replicates, of which both have as many as the one
/// with fewer. `program` names the versions of the program with their chips.
///
/// # Errors
/// When a run fails or is interrupted.
pub fn measures(
    configs: [&Config; 2],
    programs: [String; 2],
    watch: &mut dyn Watch,
) -> Result<(u32, Vec<MeasureDifference>), Error> {
    let count = configs[0].run.replicates.min(configs[1].run.replicates);
    let idle = IdleProcessors::default();
    let mut measured: Vec<Measured> = Vec::new();
    for (index, (config, program)) in configs.into_iter().zip(programs).enumerate() {
        let point = SweepPoint {
            index,
            settings: Vec::new(),
            values: Vec::new(),
            config: config.clone(),
            program,
        };
        let rule = StopRule::exactly(count as usize);
        measured.push(sweep::run(&point, &rule, &Store::default(), &idle, watch)?);
    }
    let mut all = Vec::new();
    for measure in MEASURES {
        let values = |measured: &Measured| measured.values(measure);
        let (Some(one), Some(other)) = (values(&measured[0]), values(&measured[1])) else {
            continue;
        };
        let pairs = one.iter().zip(&other);
        let pairs: Vec<(f64, f64)> = pairs.filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        let differences: Vec<f64> = pairs.iter().map(|(a, b)| b - a).collect();
        let Some((difference, half_width_95)) = mean_and_half_width_95(&differences) else {
            continue;
        };
        let mean =
            |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
        all.push(MeasureDifference {
            measure: measure.to_owned(),
            means: [mean(|pair| pair.0), mean(|pair| pair.1)],
            difference,
            half_width_95,
        });
    }
    Ok((count, all))
}
