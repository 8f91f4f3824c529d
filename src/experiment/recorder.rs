//! Records the ports of every chip as a waveform.
//!
//! Scopes are those of the exported Verilog: `testbench.network.INSTANCE`. Cycle
//! `c` takes the times `10c` to `10c + 9`; a clock edge that leads to it is at
//! `10c` and the clock falls at `10c + 5`. Cycle 0 is the reset cycle, in which
//! everything that a chip drives is X.
//!
//! What chips drive is read from the engine as bit planes and compared with
//! the planes of the cycle before, word by word, so that a port at rest costs
//! a 64th of a comparison. What a chip reads at a link port is what its
//! neighbour drives there, so it changes along. Changes of one cycle are
//! reported in the order of the signals, whatever found them.

mod lanes;

use std::io;

use bitvec::prelude::BitVec;

pub use lanes::add_connections;

use lanes::Lanes;

use crate::chip::{Direction, LinkWord, RandomKind, Role, rotated};
use crate::experiment::host::Observer;
use crate::network::stimulus::Stimulus;
use crate::network::{ChipArray, Fabric, LinkPort};
use crate::probe::engine::Engine;
use crate::probe::signal::{Scope, Signal, SignalSet, Value, WaveSink};
use crate::random;

/// Nanoseconds of a cycle in waveforms.
pub const CYCLE_TIME: u64 = 10;

/// All ports of all chips of a fabric, scope by scope.
pub fn signals(fabric: &Fabric) -> SignalSet {
    let mut set = SignalSet::default();
    set.scopes.push(Scope {
        name: "testbench".to_owned(),
        parent: None,
    });
    set.scopes.push(Scope {
        name: "network".to_owned(),
        parent: Some(0),
    });
    for (array, layout) in fabric.arrays.iter().enumerate() {
        for instance in 0..layout.instances {
            let scope = set.scopes.len();
            set.scopes.push(Scope {
                name: fabric.instance_name(array, instance),
                parent: Some(1),
            });
            for port in layout.chip.ports {
                let states = match port.role {
                    Role::State(states) => states,
                    Role::Link { .. } => layout.chip.words,
                    _ => &[],
                };
                set.signals.push(Signal {
                    scope,
                    name: port.name,
                    width: port.width,
                    states,
                });
            }
        }
    }
    set
}

/// A port that is followed by its planes.
struct Followed {
    array: usize,
    port: usize,
    /// Planes of the current cycle, bit by bit.
    planes: Vec<Vec<u64>>,
    /// Instances that changed, one bit each.
    changed: Vec<u64>,
    role: Role,
    neighbour: Option<Neighbour>,
}

/// Where a link output is read: the link port it belongs to, and the input port
/// of each array's link ports that takes it.
struct Neighbour {
    link: usize,
    lsb: u32,
    inputs: Vec<Vec<usize>>,
}

impl Neighbour {
    fn new(fabric: &Fabric, link: usize, lsb: u32) -> Self {
        let inputs_of = |layout: &ChipArray| {
            let input_of = |wanted: usize| {
                layout.chip.ports.iter().position(|port| {
                    port.direction == Direction::Input
                        && matches!(port.role, Role::Link { link, lsb: bit }
                                    if link == wanted && bit == lsb)
                })
            };
            (0..layout.chip.links.len())
                .map(|link| input_of(link).expect("link ports are symmetric"))
                .collect()
        };
        Neighbour {
            link,
            lsb,
            inputs: fabric.arrays.iter().map(inputs_of).collect(),
        }
    }
}

/// The recorder; it observes a run and reports to a [`WaveSink`].
pub struct Recorder<'a, S: WaveSink> {
    fabric: &'a Fabric,
    sink: S,
    /// First signal of each array, and the one behind all; instances follow one another.
    first_signal: Vec<usize>,
    /// Where each signal goes in the sink; `u32::MAX` when it is not selected.
    index: Vec<u32>,
    values: Vec<u64>,
    dirty: BitVec<u64>,
    /// Signals that are X before the first clock edge.
    unknown: BitVec<u64>,
    followed: Vec<Followed>,
    clocks: Vec<u32>,
    resets: Vec<usize>,
    stimulus: Stimulus,
    /// The lanes of connections, when there are signals for them behind the ports.
    lanes: Option<Lanes>,
    scratch: Vec<u64>,
    window: (u64, u64),
    begun: bool,
    in_reset: bool,
    ended: bool,
    error: Option<io::Error>,
    changes: u64,
}

impl<'a, S: WaveSink> Recorder<'a, S> {
    /// A recorder of the signals whose entry in `index` is not `u32::MAX`, in
    /// the cycles `window.0 ..= window.1`.
    pub fn new(
        fabric: &'a Fabric,
        seed: u64,
        index: Vec<u32>,
        window: (u64, u64),
        sink: S,
    ) -> Self {
        let mut recorder = Recorder {
            fabric,
            sink,
            first_signal: Vec::new(),
            values: vec![0; index.len()],
            dirty: BitVec::repeat(false, index.len()),
            unknown: BitVec::repeat(false, index.len()),
            followed: Vec::new(),
            clocks: Vec::new(),
            resets: Vec::new(),
            stimulus: Stimulus::new(fabric, seed),
            lanes: None,
            scratch: Vec::new(),
            window,
            begun: false,
            in_reset: false,
            ended: false,
            error: None,
            changes: 0,
            index,
        };
        let mut signal = 0;
        for (array, layout) in fabric.arrays.iter().enumerate() {
            recorder.first_signal.push(signal);
            let words = layout.instances.div_ceil(64);
            for (port, table) in layout.chip.ports.iter().enumerate() {
                let link_input =
                    matches!(table.role, Role::Link { .. }) && table.direction == Direction::Input;
                let fixed = matches!(table.role, Role::Clock | Role::Reset | Role::Option);
                let still = matches!(table.role, Role::Random { .. }) && !layout.random;
                if !link_input && !fixed && !still {
                    recorder.followed.push(Followed {
                        array,
                        port,
                        planes: vec![vec![0; words]; table.width as usize],
                        changed: vec![0; words],
                        role: table.role,
                        neighbour: match table.role {
                            Role::Link { link, lsb } => Some(Neighbour::new(fabric, link, lsb)),
                            _ => None,
                        },
                    });
                }
            }
            for instance in 0..layout.instances {
                for (port, table) in layout.chip.ports.iter().enumerate() {
                    match table.role {
                        Role::Clock if recorder.index[signal] != u32::MAX => {
                            recorder.clocks.push(recorder.index[signal]);
                        }
                        Role::Reset => {
                            recorder.values[signal] = 1;
                            recorder.resets.push(signal);
                        }
                        Role::Option => recorder.values[signal] = layout.pin(port, instance),
                        Role::Link { link, .. } if table.direction == Direction::Input => {
                            let joined = fabric
                                .peer(LinkPort {
                                    array,
                                    instance,
                                    link,
                                })
                                .is_some();
                            recorder.unknown.set(signal, joined);
                        }
                        _ if table.direction == Direction::Output => {
                            recorder.unknown.set(signal, true);
                        }
                        _ => {}
                    }
                    signal += 1;
                }
            }
            recorder
                .scratch
                .resize(recorder.scratch.len().max(words), 0);
        }
        recorder.first_signal.push(signal);
        recorder.lanes = (signal < recorder.index.len()).then(|| Lanes::new(fabric));
        recorder
    }

    /// Ends the waveform and gives back the sink, or the first error.
    pub fn finish(mut self, last_cycle: u64) -> io::Result<S> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if !self.begun {
            let values = self.selected_values(|_| Value::X);
            self.sink.begin(last_cycle * CYCLE_TIME, &values)?;
        }
        if !self.ended || !self.begun {
            self.sink
                .end((last_cycle.min(self.window.1) + 1) * CYCLE_TIME)?;
        }
        Ok(self.sink)
    }

    /// Value changes reported so far, without the initial values.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    fn selected_values(&self, value: impl Fn(usize) -> Value) -> Vec<Value> {
        let selected = self
            .index
            .iter()
            .enumerate()
            .filter(|(_, index)| **index != u32::MAX);
        selected.map(|(signal, _)| value(signal)).collect()
    }

    fn signal(&self, array: usize, instance: usize, port: usize) -> usize {
        self.first_signal[array] + instance * self.fabric.arrays[array].chip.ports.len() + port
    }

    /// Brings `values` up to the engine's cycle and marks what changed.
    fn update<E: Engine + ?Sized>(&mut self, engine: &E) {
        self.stimulus.begin(engine.cycle());
        self.stimulus.hold(engine.random_held());
        let mut followed = std::mem::take(&mut self.followed);
        let mut scratch = std::mem::take(&mut self.scratch);
        for port in &mut followed {
            let layout = &self.fabric.arrays[port.array];
            let fresh = &mut scratch[..layout.instances.div_ceil(64)];
            let mut any = 0;
            for (bit, plane) in port.planes.iter_mut().enumerate() {
                match port.role {
                    Role::Random { stream, kind } => {
                        self.draw(stream + bit as u64, kind, fresh);
                    }
                    _ => engine.plane(port.array, port.port, bit, layout.instances, fresh),
                }
                // An engine may drive lanes that have no instance along.
                if let (Some(last), 1..) = (fresh.last_mut(), layout.instances % 64) {
                    *last &= (1 << (layout.instances % 64)) - 1;
                }
                for ((old, new), changed) in plane.iter_mut().zip(&*fresh).zip(&mut port.changed) {
                    let difference = *old ^ *new;
                    *changed |= difference;
                    any |= difference;
                    *old = *new;
                }
            }
            if any != 0 {
                self.mark_changed(port);
            }
        }
        self.scratch = scratch;
        self.followed = followed;
        self.update_lanes(engine);
    }

    /// Brings the lanes of connections up to the engine's cycle.
    fn update_lanes<E: Engine + ?Sized>(&mut self, engine: &E) {
        if let Some(mut lanes) = self.lanes.take() {
            let first = self.first_signal[self.fabric.arrays.len()];
            lanes.update(engine, |instance, phase| self.set(first + instance, phase));
            self.lanes = Some(lanes);
        }
    }

    /// The random bits of a stream in this cycle, in every lane.
    fn draw(&self, stream: u64, kind: RandomKind, words: &mut [u64]) {
        if self.stimulus.held() {
            words.fill(0);
            return;
        }
        let key = self.stimulus.key(stream);
        for (group, word) in words.iter_mut().enumerate() {
            *word = match kind {
                RandomKind::Fair => random::word(key, group as u64),
                RandomKind::Third => random::third_word(key, group as u64),
            };
        }
    }

    /// Takes over the values of a port where it changed.
    fn mark_changed(&mut self, port: &mut Followed) {
        let fabric = self.fabric;
        for word in 0..port.changed.len() {
            let mut lanes = std::mem::take(&mut port.changed[word]);
            while lanes != 0 {
                let lane = lanes.trailing_zeros();
                lanes &= lanes - 1;
                let mut value = 0;
                for (bit, plane) in port.planes.iter().enumerate() {
                    value |= (plane[word] >> lane & 1) << bit;
                }
                let instance = 64 * word + lane as usize;
                self.set(self.signal(port.array, instance, port.port), value);
                if let Some(neighbour) = &port.neighbour {
                    let near = LinkPort {
                        array: port.array,
                        instance,
                        link: neighbour.link,
                    };
                    if let Some(far) = fabric.peer(near) {
                        let input = neighbour.inputs[far.array][far.link];
                        let steps = fabric.rotation(fabric.number(far));
                        let word = rotated((value << neighbour.lsb) as LinkWord, steps);
                        let value = u64::from(word) >> neighbour.lsb;
                        self.set(self.signal(far.array, far.instance, input), value);
                    }
                }
            }
        }
    }

    fn set(&mut self, signal: usize, value: u64) {
        if self.index[signal] != u32::MAX {
            self.values[signal] = value;
            self.dirty.set(signal, true);
        }
    }
}

impl<S: WaveSink> Recorder<'_, S> {
    /// Reports the engine's cycle.
    fn record<E: Engine + ?Sized>(&mut self, engine: &E, clocked: bool) -> io::Result<()> {
        let cycle = engine.cycle();
        let time = cycle * CYCLE_TIME;
        self.update(engine);
        if !self.begun {
            self.begun = true;
            self.in_reset = cycle == 0;
            let reset = u64::from(self.in_reset);
            for index in 0..self.resets.len() {
                self.values[self.resets[index]] = reset;
            }
            self.dirty.fill(false);
            let clock = u64::from(clocked);
            let mut values = self.selected_values(|signal| {
                if cycle == 0 && self.unknown[signal] {
                    Value::X
                } else {
                    Value::Known(self.values[signal])
                }
            });
            for &index in &self.clocks {
                values[index as usize] = Value::Known(clock);
            }
            self.sink.begin(time, &values)?;
        } else {
            self.sink.time(time)?;
            if clocked {
                for &index in &self.clocks {
                    self.sink.change(index as usize, 1)?;
                }
                self.changes += self.clocks.len() as u64;
            }
            if std::mem::take(&mut self.in_reset) {
                for index in 0..self.resets.len() {
                    self.set(self.resets[index], 0);
                }
            }
            if cycle == 1 {
                self.dirty |= self.unknown.as_bitslice();
            }
            for (word, bits) in self.dirty.as_raw_mut_slice().iter_mut().enumerate() {
                let mut bits = std::mem::take(bits);
                self.changes += u64::from(bits.count_ones());
                while bits != 0 {
                    let signal = 64 * word + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let index = self.index[signal];
                    if index != u32::MAX {
                        self.sink.change(index as usize, self.values[signal])?;
                    }
                }
            }
        }
        if clocked && !self.clocks.is_empty() {
            self.sink.time(time + CYCLE_TIME / 2)?;
            for &index in &self.clocks {
                self.sink.change(index as usize, 0)?;
            }
            self.changes += self.clocks.len() as u64;
        }
        Ok(())
    }
}

impl<E: Engine + ?Sized, S: WaveSink> Observer<E> for Recorder<'_, S> {
    fn cycle(&mut self, engine: &E, clocked: bool) {
        let cycle = engine.cycle();
        if self.error.is_some() || self.ended {
            return;
        }
        if cycle < self.window.0 {
            // A connection may be open when the window begins.
            return self.update_lanes(engine);
        }
        let done = if cycle > self.window.1 {
            self.ended = true;
            self.begun
                .then(|| self.sink.end((self.window.1 + 1) * CYCLE_TIME))
        } else {
            Some(self.record(engine, clocked))
        };
        if let Some(Err(error)) = done {
            self.error = Some(error);
        }
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some()
    }
}
