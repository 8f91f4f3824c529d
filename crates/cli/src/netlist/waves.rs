//! Waveforms of `crosswave netlist`: clocks, inputs and outputs of a run, and the names inside that
//! are asked for.

use std::path::Path;

use crosswave_base::diagnostic::Error;
use crosswave_design::run::{NetScan, RunPort};
use crosswave_design::{InstanceTree, RecordedVector, Run, Twin};
use crosswave_probe::signal::{Hierarchy, Scope};
use crosswave_wave::{Bit, FileFormat, Timescale, VectorFile, VectorSignal};

/// A cycle in a waveform, in nanoseconds; edges of clocks are at its ends and in its middle.
const CYCLE_NS: u64 = 10;

/// The scopes and signals of the waveforms of a run: the clocks, inputs, outputs and names inside.
pub(super) struct WaveLayout {
    scopes: Vec<Scope>,
    signals: Vec<VectorSignal>,
    /// Number of clocks, which are the first signals.
    clocks: usize,
    /// The indices of the recorded names that have changes of their own.
    own: Vec<usize>,
    /// Those of them that change with a clock, in the middle of a cycle too.
    clocked: Vec<usize>,
}

impl WaveLayout {
    /// The layout for a run whose module has this name; `tree` has the names inside.
    pub(super) fn new(top: &str, run: &Run, tree: Option<&InstanceTree<'_>>) -> WaveLayout {
        let mut layout = WaveLayout {
            scopes: vec![Scope {
                name: top.to_owned(),
                parent: None,
            }],
            signals: Vec::new(),
            clocks: 0,
            own: Vec::new(),
            clocked: Vec::new(),
        };
        for clock in run.wave_clocks() {
            layout.signals.push(VectorSignal {
                scope: 0,
                name: clock.name,
                width: 1,
                range: (0, 0),
                alias: None,
            });
        }
        layout.clocks = layout.signals.len();
        let ports = run.inputs().iter().chain(run.outputs());
        layout.signals.extend(ports.map(port_signal));
        if let Some(tree) = tree {
            layout.add_inside(run, tree);
        }
        layout
    }

    /// Adds the recorded names and the scopes that lead to them.
    fn add_inside(&mut self, run: &Run, tree: &InstanceTree<'_>) {
        let first = self.signals.len();
        let mut needed = vec![false; tree.scope_count()];
        for vector in run.recorded() {
            let mut at = Some(vector.scope);
            while let Some(scope) = at.filter(|&scope| !needed[scope]) {
                needed[scope] = true;
                at = tree.parent(scope);
            }
        }
        // The scope of the top is there.
        let mut places = vec![0; needed.len()];
        for scope in (1..needed.len()).filter(|&scope| needed[scope]) {
            places[scope] = self.scopes.len();
            self.scopes.push(Scope {
                name: tree.scope_name(scope).into_owned(),
                parent: tree.parent(scope).map(|parent| places[parent]),
            });
        }
        for (index, vector) in run.recorded().iter().enumerate() {
            let RecordedVector { width, range, .. } = *vector;
            let (left, right) = range.ends(width);
            let ports = self.clocks;
            let alias = vector.twin.map(|twin| match twin {
                Twin::Clock(clock) => clock,
                Twin::Input(input) => ports + input,
                Twin::Output(output) => ports + run.inputs().len() + output,
                Twin::Vector(vector) => first + vector,
            });
            self.signals.push(VectorSignal {
                scope: places[vector.scope],
                name: vector.name.clone(),
                width: width as u32,
                range: (left as i32, right as i32),
                alias,
            });
            if alias.is_none() {
                self.own.push(index);
                if run.follows_clock(index) {
                    self.clocked.push(index);
                }
            }
        }
    }
}

/// The signal of a port.
fn port_signal(port: &RunPort) -> VectorSignal {
    let (left, right) = port.range.ends(port.width);
    VectorSignal {
        scope: 0,
        name: port.name.clone(),
        width: port.width as u32,
        range: (left as i32, right as i32),
        alias: None,
    }
}

/// The waveform of a run: clocks, inputs, outputs and names inside.
pub(super) struct Wave {
    file: VectorFile,
    /// The levels of the clocks.
    levels: Vec<bool>,
    /// The value of each signal that was written last; empty at first.
    last: Vec<Vec<Bit>>,
    bits: Vec<Bit>,
    /// The names inside, where they change.
    scan: NetScan,
}

impl Wave {
    pub(super) fn create(
        path: &Path,
        format: FileFormat,
        layout: &WaveLayout,
        (run, replica): (&Run, usize),
    ) -> Result<Wave, Error> {
        let WaveLayout {
            scopes, signals, ..
        } = layout;
        Ok(Wave {
            file: VectorFile::create(path, format, Timescale::NANOSECOND, scopes, signals)?,
            levels: Vec::new(),
            last: vec![Vec::new(); signals.len()],
            bits: Vec::new(),
            scan: NetScan::new(run, replica),
        })
    }

    /// Writes a cycle of a run, which has settled.
    pub(super) fn cycle(
        &mut self,
        layout: &WaveLayout,
        run: &Run,
        replica: usize,
        cycle: u64,
    ) -> Result<(), Error> {
        self.file.time(cycle * CYCLE_NS)?;
        self.clocks(layout, run, replica, cycle, 0)?;
        let mut signal = layout.clocks;
        let input: &dyn Fn(usize) -> Bit = &|bit| run.input(bit, replica);
        let output: &dyn Fn(usize) -> Bit = &|bit| run.output(bit, replica);
        for (ports, value) in [(run.inputs(), input), (run.outputs(), output)] {
            for port in ports {
                self.bits.clear();
                let bits = port.first..port.first + port.width;
                self.bits.extend(bits.map(value));
                self.changed(signal)?;
                signal += 1;
            }
        }
        self.scan.scan(run);
        let mut clocked = layout.clocked.iter().copied().peekable();
        for &vector in &layout.own {
            let follows_clock = clocked.next_if_eq(&vector).is_some();
            if follows_clock || self.scan.has_changed(vector) {
                self.inside(signal, vector, run)?;
            }
        }
        self.file.time(cycle * CYCLE_NS + CYCLE_NS / 2)?;
        self.clocks(layout, run, replica, cycle, 1)?;
        for &vector in &layout.clocked {
            self.inside(signal, vector, run)?;
        }
        Ok(())
    }

    /// Writes the levels of the clocks in a half of a cycle.
    fn clocks(
        &mut self,
        layout: &WaveLayout,
        run: &Run,
        replica: usize,
        cycle: u64,
        half: usize,
    ) -> Result<(), Error> {
        self.levels.clear();
        for signal in 0..layout.clocks {
            let level = run.levels(signal, cycle, replica)[half];
            self.levels.push(level);
            self.bits.clear();
            self.bits.push(if level { Bit::One } else { Bit::Zero });
            self.changed(signal)?;
        }
        Ok(())
    }

    /// Writes a name inside, while the clocks have their levels; `first` is the first signal of them.
    fn inside(&mut self, first: usize, vector: usize, run: &Run) -> Result<(), Error> {
        self.bits.clear();
        let (levels, bits) = (&self.levels, &mut self.bits);
        self.scan.add_bits(run, vector, levels, bits);
        self.changed(first + vector)
    }

    /// Writes the value of a signal if it is another one than before.
    fn changed(&mut self, signal: usize) -> Result<(), Error> {
        if self.bits != self.last[signal] {
            self.file.change(signal, &self.bits)?;
            self.last[signal].clone_from(&self.bits);
        }
        Ok(())
    }

    /// Ends the file with the clock edges that end the last cycle.
    pub(super) fn finish(
        mut self,
        layout: &WaveLayout,
        run: &Run,
        replica: usize,
        cycles: u64,
    ) -> Result<(), Error> {
        let end = cycles * CYCLE_NS;
        if cycles > 0 {
            self.file.time(end)?;
            self.clocks(layout, run, replica, cycles, 0)?;
            // The run stands in the last cycle, so what follows a clock shows the edge only.
            let first = layout.clocks + run.inputs().len() + run.outputs().len();
            for &vector in &layout.clocked {
                self.inside(first, vector, run)?;
            }
        }
        self.file.finish(end + CYCLE_NS / 2)
    }
}
