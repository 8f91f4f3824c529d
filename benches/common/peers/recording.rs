//! The values at the pins of a network in each cycle of a run, and the outputs of its nodes.
//!
//! The run is one of the event engine with its host, so that neither the gate engine nor a peer
//! is asked what is right. Every peer, and the gate engine, can then be driven with the same
//! pins and has to show the same outputs.

use std::path::Path;

use crosswave_chips::{PinDirection, Role, netlists};
use crosswave_event::EventEngine;
use crosswave_gate::{Backend, GateEngine};
use crosswave_network::verilog::{Meets, bus_name, meets};
use crosswave_network::{Fabric, PinValues};
use crosswave_probe::engine::Engine;
use crosswave_run::observer::Observer;

use crate::common::speed::Load;

/// The seed of the random pins.
const SEED: u64 = 1;

/// A port of all instances of an array, which is one port of the network in Verilog.
#[derive(Debug, Clone)]
pub struct Bus {
    /// Its name in Verilog.
    pub name: String,
    array: usize,
    port: usize,
    width: usize,
    instances: usize,
    /// True when the host drives it; the other pins are random and drawn.
    host: bool,
}

impl Bus {
    /// Words of 64 bits.
    pub fn words(&self) -> usize {
        (self.width * self.instances).div_ceil(64)
    }

    /// Reads it: instance `i` has the bits from `width * i` on.
    fn read(&self, engine: &dyn Engine, words: &mut [u64]) {
        for instance in 0..self.instances {
            let value = engine.value(self.array, self.port, instance);
            let at = self.width * instance;
            words[at / 64] |= value << (at % 64);
            if at % 64 + self.width > 64 {
                words[at / 64 + 1] |= value >> (64 - at % 64);
            }
        }
    }

    /// The value of an instance.
    fn value(&self, words: &[u64], instance: usize) -> u64 {
        let at = self.width * instance;
        let mut value = words[at / 64] >> (at % 64);
        if at % 64 + self.width > 64 {
            value |= words[at / 64 + 1] << (64 - at % 64);
        }
        value & (u64::MAX >> (64 - self.width))
    }
}

/// One call of [`Engine::drive`]: array, port, and the values of instances.
pub type Drive = (usize, usize, Vec<(u32, u64)>);

/// A recorded run.
pub struct Recording {
    /// The network.
    pub fabric: Fabric,
    /// The ports that are driven.
    pub inputs: Vec<Bus>,
    /// The ports that the nodes show.
    pub outputs: Vec<Bus>,
    /// The pins that have one value throughout, by name, without reset.
    pub options: Vec<(&'static str, u64)>,
    /// The inputs of each cycle.
    words: Vec<u64>,
    /// For each cycle, true when the random pins are held at 0.
    held: Vec<bool>,
    /// The sum over the outputs of all cycles but the first.
    pub checksum: u64,
}

/// The sum of outputs with a word more.
fn add(sum: u64, word: u64) -> u64 {
    let sum = (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    sum ^ sum >> 29
}

/// The sum with the outputs of a cycle.
fn observe(outputs: &[Bus], engine: &dyn Engine, mut sum: u64) -> u64 {
    for bus in outputs {
        let mut words = vec![0; bus.words()];
        bus.read(engine, &mut words);
        sum = words.into_iter().fold(sum, add);
    }
    sum
}

struct Recorder {
    recording: Recording,
    cycles: usize,
}

impl Observer for Recorder {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let recording = &mut self.recording;
        assert_eq!(
            engine.cycle(),
            recording.held.len() as u64,
            "a cycle was skipped"
        );
        for bus in &recording.inputs {
            let at = recording.words.len();
            recording.words.resize(at + bus.words(), 0);
            bus.read(engine, &mut recording.words[at..]);
        }
        recording.held.push(engine.random_held());
        if engine.cycle() > 0 {
            recording.checksum = observe(&recording.outputs, engine, recording.checksum);
        }
    }

    fn interrupted(&mut self) -> bool {
        self.recording.held.len() == self.cycles
    }
}

impl Recording {
    /// Saturated random traffic for so many cycles, messages of 8 words.
    ///
    /// # Panics
    /// When the traffic ends before.
    pub fn new(kind: &str, nodes: u32, cycles: usize) -> Recording {
        let repeat = cycles / 8 + 1;
        let load = Load::of_kind(
            kind,
            nodes,
            &format!("pattern='random'\nrepeat={repeat}\nwords=8"),
        );
        let fabric = load.fabric.clone();
        let (mut inputs, mut outputs, mut options) = (Vec::new(), Vec::new(), Vec::new());
        for (index, array) in fabric.arrays.iter().enumerate() {
            for (port, table) in array.chip.ports.iter().enumerate() {
                let common = meets(array, port) == Meets::Common;
                let pin = array.pins.iter().find(|pin| pin.port == port);
                if let (true, Some(PinValues::Uniform(value))) =
                    (common, pin.map(|pin| &pin.values))
                {
                    options.push((table.name, *value));
                }
                if meets(array, port) != Meets::Bus {
                    continue;
                }
                let bus = Bus {
                    name: bus_name(&fabric, index, port),
                    array: index,
                    port,
                    width: usize::from(table.width),
                    instances: array.instances,
                    host: !matches!(table.role, Role::Random { .. }),
                };
                match table.direction {
                    PinDirection::Input => inputs.push(bus),
                    PinDirection::Output => outputs.push(bus),
                }
            }
        }
        options.sort_unstable();
        options.dedup();
        let recording = Recording {
            fabric: fabric.clone(),
            inputs,
            outputs,
            options,
            words: Vec::new(),
            held: Vec::new(),
            checksum: 0,
        };
        let mut recorder = Recorder { recording, cycles };
        load.run(&mut EventEngine::new(fabric, SEED, 1), &mut recorder);
        assert_eq!(
            recorder.recording.cycles(),
            cycles,
            "the traffic ended too early"
        );
        recorder.recording
    }

    /// Cycles.
    pub fn cycles(&self) -> usize {
        self.held.len()
    }

    /// Bytes of the inputs of a cycle.
    pub fn stride(&self) -> usize {
        8 * self.inputs.iter().map(Bus::words).sum::<usize>()
    }

    /// Writes the inputs of all cycles as a peer reads them.
    pub fn write(&self, file: &Path) {
        let bytes: Vec<u8> = self
            .words
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        std::fs::write(file, bytes).expect("a folder to write to");
    }

    /// The values that a host drives in each cycle to have these pins.
    pub fn drives(&self) -> Vec<Vec<Drive>> {
        let stride = self.stride() / 8;
        let of = |cycle: usize| {
            let now = &self.words[stride * cycle..][..stride];
            let before = cycle
                .checked_sub(1)
                .map(|cycle| &self.words[stride * cycle..][..stride]);
            let mut at = 0;
            let mut drives = Vec::new();
            for bus in &self.inputs {
                let range = at..at + bus.words();
                at = range.end;
                let Some(before) = before.filter(|_| bus.host) else {
                    continue;
                };
                let (before, now) = (&before[range.clone()], &now[range]);
                let changes = (0..bus.instances).filter_map(|instance| {
                    let value = bus.value(now, instance);
                    (value != bus.value(before, instance)).then_some((instance as u32, value))
                });
                let changes: Vec<(u32, u64)> = changes.collect();
                if !changes.is_empty() {
                    drives.push((bus.array, bus.port, changes));
                }
            }
            drives
        };
        (0..self.cycles()).map(of).collect()
    }

    /// Drives the gate engine with these pins, and gives the sum over its outputs, 0 when it is
    /// not asked for, and the seconds of all cycles.
    pub fn replay(&self, drives: &[Vec<Drive>], summed: bool) -> (u64, f64) {
        let fabric = self.fabric.clone();
        let engine = GateEngine::new(fabric, netlists::plain, SEED, 1, Backend::best());
        let mut engine = engine.expect("the chips' netlists");
        let mut sum = 0;
        let start = std::time::Instant::now();
        for (cycle, drives) in drives.iter().enumerate() {
            if cycle > 0 {
                engine.step();
            }
            if engine.random_held() != self.held[cycle] {
                engine.hold_random(self.held[cycle]);
            }
            for (array, port, values) in drives {
                engine.drive(*array, *port, values);
            }
            if summed && cycle > 0 {
                sum = observe(&self.outputs, &engine, sum);
            }
        }
        (sum, start.elapsed().as_secs_f64())
    }
}
