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
//! reported in the order of the signals, whatever found them. All chips have one clock
//! and one reset, whose changes are reported once. Planes of which no signal is
//! selected are not read.

mod lanes;
mod layout;

use std::io;
use std::rc::Rc;

use bitvec::prelude::BitVec;

pub use lanes::{LaneStates, RunLanes};
pub use layout::{PortSelection, Signals, signals};

use layout::SignalRange;

use crate::observer::Observer;
use crosswave_base::random;
use crosswave_chips::{PinDirection, RandomKind, Role, rotated};
use crosswave_network::random_bits::RandomBits;
use crosswave_network::{ChipArray, Fabric, LinkPort};
use crosswave_probe::engine::{Engine, Watched};
use crosswave_probe::signal::{Mark, SignalSelection, Value, WaveSink};

/// Nanoseconds of a cycle in waveforms.
pub const CYCLE_TIME: u64 = 10;

/// A port that is followed by its planes.
struct Followed {
    /// The port, with what it shows in the current cycle and the instances that changed.
    watched: Watched,
    /// True when it only changes at clock edges, so that engines know the chips at which it may have.
    is_registered: bool,
    role: Role,
    neighbour: Option<Neighbour>,
}

/// Readers of a link output: the link port it belongs to, and the input port of each array's link
/// ports that takes it, where there is one.
struct Neighbour {
    link: usize,
    lsb: u32,
    inputs: Vec<Vec<Option<usize>>>,
}

impl Neighbour {
    fn new(fabric: &Fabric, link: usize, lsb: u32) -> Self {
        let inputs_of = |layout: &ChipArray| {
            let input_of = |wanted: usize| {
                layout.chip.ports.iter().position(|port| {
                    port.direction == PinDirection::Input
                        && matches!(port.role, Role::Link { link, lsb: bit }
                                    if link == wanted && bit == lsb)
                })
            };
            (0..layout.chip.links.len()).map(input_of).collect()
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
    /// The signals of each array.
    places: Vec<SignalRange>,
    /// The signal behind those of all arrays.
    behind: usize,
    /// The signals that are selected: their places among these are those in the sink, of
    /// `values` and of the two sets.
    kept: SignalSelection,
    values: Vec<u64>,
    dirty: BitVec<u64>,
    /// Signals that are X before the first clock edge.
    unknown: BitVec<u64>,
    followed: Vec<Followed>,
    /// Number of the clock in the sink, when one is selected.
    clock: Option<usize>,
    /// Number of the first reset that is selected in the sink.
    reset: Option<usize>,
    random_bits: RandomBits,
    /// The lanes of connections, when there are signals for them behind the ports.
    lanes: Option<RunLanes>,
    /// Changes of signals behind those that are kept, in the order of cycles, of which the first
    /// ones have been taken over.
    marks: (Rc<[Mark]>, usize),
    /// Room for the planes of a port.
    scratch: Vec<Vec<u64>>,
    window: (u64, u64),
    begun: bool,
    in_reset: bool,
    ended: bool,
    error: Option<io::Error>,
    changes: u64,
}

impl<'a, S: WaveSink> Recorder<'a, S> {
    /// A recorder of the signals that are kept, in the cycles `window.0 ..= window.1`. The
    /// signals are those of [`Signals`] with `pins`, with or without the lanes behind the
    /// ports.
    pub fn new(
        fabric: &'a Fabric,
        seed: u64,
        pins: PortSelection,
        kept: SignalSelection,
        window: (u64, u64),
        sink: S,
    ) -> Self {
        let mut recorder = Recorder {
            fabric,
            sink,
            places: Vec::new(),
            behind: 0,
            values: vec![0; kept.count()],
            dirty: BitVec::repeat(false, kept.count()),
            unknown: BitVec::repeat(false, kept.count()),
            followed: Vec::new(),
            clock: None,
            reset: None,
            random_bits: RandomBits::new(fabric, seed),
            lanes: None,
            marks: (Rc::new([]), 0),
            scratch: Vec::new(),
            window,
            begun: false,
            in_reset: false,
            ended: false,
            error: None,
            changes: 0,
            kept,
        };
        let first_of = |layout| SignalRange::new(layout, pins, 0);
        recorder.places = fabric.arrays.iter().map(first_of).collect();
        for array in fabric.shown_arrays() {
            let place = &mut recorder.places[array];
            place.first = recorder.behind;
            recorder.behind += fabric.arrays[array].instances * place.per_instance;
        }
        for array in 0..fabric.arrays.len() {
            recorder.start(array);
        }
        recorder.follow();
        if recorder.behind < recorder.kept.signals() {
            recorder.lanes = RunLanes::new(fabric);
        }
        recorder
    }

    /// Shows more signals behind those that are kept, which change as `marks` say, in the order
    /// of cycles, and are 0 before, or X in cycle 0 where they are `unknown` then.
    pub fn set_marks(&mut self, unknown: &[bool], marks: Rc<[Mark]>) {
        let all = self.kept.count() + unknown.len();
        self.values.resize(all, 0);
        self.dirty.resize(all, false);
        self.unknown.extend(unknown);
        self.marks = (marks, 0);
    }

    /// Takes over what the lanes of connections show, when the run does not begin at its
    /// beginning.
    pub fn set_lanes(&mut self, states: LaneStates) {
        let Some(mut lanes) = self.lanes.take() else {
            return;
        };
        lanes.resume(states);
        for (instance, phase) in lanes.phases() {
            self.set(Some(self.behind + instance), phase);
        }
        self.lanes = Some(lanes);
    }

    /// Finds what the signals of an array show before the run, and which are X then.
    fn start(&mut self, array: usize) {
        let layout = &self.fabric.arrays[array];
        for instance in 0..layout.instances {
            for (port, table) in layout.chip.ports.iter().enumerate() {
                let signal = self.places[array].signal(instance, port);
                let Some(signal) = signal.and_then(|signal| self.kept.place(signal)) else {
                    continue;
                };
                match table.role {
                    Role::Clock => {
                        self.clock.get_or_insert(signal);
                    }
                    Role::Reset => {
                        self.reset.get_or_insert(signal);
                    }
                    Role::Option if !layout.changes(port) => {
                        self.values[signal] = layout.pin(port, instance);
                    }
                    Role::Link { link, .. } if table.direction == PinDirection::Input => {
                        let joined = self
                            .fabric
                            .peer(LinkPort {
                                array,
                                instance,
                                link,
                            })
                            .is_some();
                        self.unknown.set(signal, joined);
                    }
                    _ if table.direction == PinDirection::Output => {
                        self.unknown.set(signal, true);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Lays out the planes of the ports that signals show.
    fn follow(&mut self) {
        let selected: Vec<Vec<bool>> = (0..self.fabric.arrays.len())
            .map(|array| self.selected_ports(array))
            .collect();
        for (array, layout) in self.fabric.arrays.iter().enumerate() {
            for (port, table) in layout.chip.ports.iter().enumerate() {
                let link_input = matches!(table.role, Role::Link { .. })
                    && table.direction == PinDirection::Input;
                let fixed = match table.role {
                    Role::Option => !layout.changes(port),
                    role => matches!(role, Role::Clock | Role::Reset | Role::Parameter),
                };
                let still = matches!(table.role, Role::Random { .. }) && !layout.random;
                if link_input || fixed || still {
                    continue;
                }
                let neighbour = match table.role {
                    Role::Link { link, lsb } => Some(Neighbour::new(self.fabric, link, lsb)),
                    _ => None,
                };
                let read_elsewhere = neighbour.as_ref().is_some_and(|neighbour| {
                    let arrays = neighbour.inputs.iter().zip(&selected);
                    arrays.into_iter().any(|(inputs, selected)| {
                        inputs.iter().flatten().any(|&input| selected[input])
                    })
                });
                if selected[array][port] || read_elsewhere {
                    self.followed.push(Followed {
                        watched: Watched::new(array, port, table.width, layout.instances),
                        is_registered: table.direction == PinDirection::Output,
                        role: table.role,
                        neighbour,
                    });
                    let widest = self.scratch.len().max(table.width.into());
                    self.scratch.resize(widest, Vec::new());
                }
            }
        }
    }

    /// For every port of an array, whether it is selected of any instance.
    fn selected_ports(&self, array: usize) -> Vec<bool> {
        let layout = &self.fabric.arrays[array];
        let place = &self.places[array];
        let of_any = |port: usize| {
            let mut signals = (0..layout.instances).map(|instance| place.signal(instance, port));
            signals.any(|signal| signal.is_some_and(|signal| self.kept.place(signal).is_some()))
        };
        (0..layout.chip.ports.len()).map(of_any).collect()
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

    /// The sink that takes the changes.
    pub fn sink(&self) -> &S {
        &self.sink
    }

    /// Value changes reported so far, without the initial values.
    pub fn changes(&self) -> u64 {
        self.changes
    }

    fn selected_values(&self, value: impl Fn(usize) -> Value) -> Vec<Value> {
        (0..self.values.len()).map(value).collect()
    }

    /// Calls with the place in the sink of every selected port of a role.
    fn each_selected(&self, is: impl Fn(Role) -> bool, mut call: impl FnMut(usize)) {
        for (layout, place) in self.fabric.arrays.iter().zip(&self.places) {
            for (port, table) in layout.chip.ports.iter().enumerate() {
                if !is(table.role) {
                    continue;
                }
                let signals = (0..layout.instances).filter_map(|i| place.signal(i, port));
                for signal in signals.filter_map(|signal| self.kept.place(signal)) {
                    call(signal);
                }
            }
        }
    }

    /// Brings `values` up to the engine's cycle and marks what changed, except for the lanes of
    /// connections.
    fn update(&mut self, engine: &dyn Engine) {
        self.random_bits.begin(engine.cycle());
        self.random_bits.hold(engine.random_held());
        let mut followed = std::mem::take(&mut self.followed);
        let mut scratch = std::mem::take(&mut self.scratch);
        for port in &mut followed {
            // Once it has begun, a waveform sees every cycle in which a chip changes.
            if port.is_registered && self.begun {
                engine.watch(&mut port.watched);
            } else {
                self.look(engine, port, &mut scratch);
            }
            self.mark_changed(port);
        }
        self.scratch = scratch;
        self.followed = followed;
        let (marks, mut next) = self.marks.clone();
        while let Some(mark) = marks.get(next)
            && mark.cycle <= engine.cycle()
        {
            self.mark(self.kept.count() + mark.signal, mark.value);
            next += 1;
        }
        self.marks.1 = next;
    }

    /// Brings a port up to the engine's cycle, whatever was seen of it before.
    fn look(&self, engine: &dyn Engine, port: &mut Followed, scratch: &mut [Vec<u64>]) {
        let Followed { watched, role, .. } = port;
        let instances = self.fabric.arrays[watched.array].instances;
        let fresh = &mut scratch[..watched.planes.len()];
        for plane in &mut *fresh {
            plane.resize(instances.div_ceil(64), 0);
        }
        match *role {
            Role::Random { stream, kind } => {
                for (bit, plane) in (0..).zip(&mut *fresh) {
                    self.draw(stream + bit, kind, plane);
                }
            }
            _ => engine.planes(watched.array, watched.port, instances, fresh),
        }
        for (bit, plane) in fresh.iter().enumerate() {
            watched.take(bit, 0, plane);
        }
        // An engine may drive lanes that have no instance along.
        watched.trim();
    }

    /// Brings the lanes of connections up to the engine's cycle.
    fn update_lanes(&mut self, engine: &dyn Engine) {
        if let Some(mut lanes) = self.lanes.take() {
            let first = self.behind;
            lanes.update(engine, |instance, phase| {
                self.set(Some(first + instance), phase)
            });
            self.lanes = Some(lanes);
        }
    }

    /// The random bits of a stream in this cycle, in every lane.
    fn draw(&self, stream: u64, kind: RandomKind, words: &mut [u64]) {
        if self.random_bits.held() {
            words.fill(0);
            return;
        }
        let key = self.random_bits.key(stream);
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
        let Followed {
            watched, neighbour, ..
        } = port;
        let array = watched.array;
        for word in 0..watched.changed.len() {
            let mut lanes = std::mem::take(&mut watched.changed[word]);
            while lanes != 0 {
                let lane = lanes.trailing_zeros();
                lanes &= lanes - 1;
                let instance = 64 * word + lane as usize;
                let value = watched.value(instance);
                self.set(self.places[array].signal(instance, watched.port), value);
                if let Some(neighbour) = neighbour {
                    let near = LinkPort {
                        array,
                        instance,
                        link: neighbour.link,
                    };
                    if let Some(far) = fabric.peer(near)
                        && let Some(input) = neighbour.inputs[far.array][far.link]
                    {
                        let steps = fabric.rotation(fabric.number(far));
                        let value = rotated(value << neighbour.lsb, steps) >> neighbour.lsb;
                        self.set(self.places[far.array].signal(far.instance, input), value);
                    }
                }
            }
        }
    }

    fn set(&mut self, signal: Option<usize>, value: u64) {
        if let Some(signal) = signal.and_then(|signal| self.kept.place(signal)) {
            self.mark(signal, value);
        }
    }

    /// Gives the signal at a place in the sink a value that may be another one.
    fn mark(&mut self, signal: usize, value: u64) {
        self.values[signal] = value;
        self.dirty.set(signal, true);
    }
}

impl<S: WaveSink> Recorder<'_, S> {
    /// Begins the waveform in a cycle with the values that are known in it; `clocked` says whether
    /// the clock rises in it.
    fn begin(&mut self, cycle: u64, clocked: bool) -> io::Result<()> {
        self.begun = true;
        self.in_reset = cycle == 0;
        self.dirty.fill(false);
        let mut values = self.selected_values(|signal| {
            if cycle == 0 && self.unknown[signal] {
                Value::X
            } else {
                Value::Known(self.values[signal])
            }
        });
        let (clock, reset) = (u64::from(clocked), u64::from(self.in_reset));
        self.each_selected(
            |role| matches!(role, Role::Clock),
            |index| values[index] = Value::Known(clock),
        );
        self.each_selected(
            |role| matches!(role, Role::Reset),
            |index| values[index] = Value::Known(reset),
        );
        self.sink.begin(cycle * CYCLE_TIME, &values)
    }

    /// Reports the engine's cycle.
    fn record(&mut self, engine: &dyn Engine, clocked: bool) -> io::Result<()> {
        let cycle = engine.cycle();
        let time = cycle * CYCLE_TIME;
        self.update(engine);
        self.update_lanes(engine);
        if !self.begun {
            self.begin(cycle, clocked)?;
        } else {
            self.sink.time(time)?;
            if clocked && let Some(clock) = self.clock {
                self.sink.change(clock, 1)?;
                self.changes += 1;
            }
            if std::mem::take(&mut self.in_reset)
                && let Some(reset) = self.reset
            {
                self.mark(reset, 0);
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
                    self.sink.change(signal, self.values[signal])?;
                }
            }
        }
        if clocked && let Some(clock) = self.clock {
            self.sink.time(time + CYCLE_TIME / 2)?;
            self.sink.change(clock, 0)?;
            self.changes += 1;
        }
        Ok(())
    }
}

impl<S: WaveSink> Observer for Recorder<'_, S> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
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

    /// A window may begin, and end, while the network rests. What is shown then is what the
    /// last cycle before has left; the clock is low.
    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        let first = self.window.0;
        let begins = engine.cycle() < first && first < next_cycle;
        if !begins || self.begun || self.error.is_some() {
            return;
        }
        self.update(engine);
        self.error = self.begin(first, false).err();
    }

    fn interrupted(&mut self) -> bool {
        self.error.is_some()
    }
}
