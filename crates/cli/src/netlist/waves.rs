//! Waveforms of `crosswave netlist`: clock, inputs and outputs of a run.

use std::path::Path;

use crosswave_base::diagnostic::Error;
use crosswave_design::Run;
use crosswave_wave::{Bit, FileFormat, Timescale, VectorFile, VectorSignal};

/// A cycle in a waveform, in nanoseconds; the clock falls in its middle.
const CYCLE_NS: u64 = 10;

/// The waveform of a run: clock, inputs, outputs.
pub(super) struct Wave {
    file: VectorFile,
    /// The value of each signal that was written last; empty at first.
    last: Vec<Vec<Bit>>,
    bits: Vec<Bit>,
}

impl Wave {
    pub(super) fn create(
        path: &Path,
        format: FileFormat,
        top: &str,
        run: &Run,
    ) -> Result<Wave, Error> {
        let clock = VectorSignal {
            name: run.wave_clock(),
            width: 1,
            range: (0, 0),
        };
        let ports = run.inputs().iter().chain(run.outputs()).map(|port| {
            let (left, right) = port.range.ends(port.width);
            VectorSignal {
                name: port.name.clone(),
                width: port.width as u32,
                range: (left as i32, right as i32),
            }
        });
        let signals: Vec<VectorSignal> = std::iter::once(clock).chain(ports).collect();
        Ok(Wave {
            file: VectorFile::create(path, format, Timescale::NANOSECOND, top, &signals)?,
            last: vec![Vec::new(); signals.len()],
            bits: Vec::new(),
        })
    }

    pub(super) fn cycle(&mut self, run: &Run, replica: usize, cycle: u64) -> Result<(), Error> {
        self.file.time(cycle * CYCLE_NS)?;
        self.file.change(0, &[Bit::One])?;
        let mut signal = 1;
        let input: &dyn Fn(usize) -> Bit = &|bit| run.input(bit, replica);
        let output: &dyn Fn(usize) -> Bit = &|bit| run.output(bit, replica);
        for (ports, value) in [(run.inputs(), input), (run.outputs(), output)] {
            for port in ports {
                self.bits.clear();
                let bits = port.first..port.first + port.width;
                self.bits.extend(bits.map(value));
                if self.bits != self.last[signal] {
                    self.file.change(signal, &self.bits)?;
                    self.last[signal].clone_from(&self.bits);
                }
                signal += 1;
            }
        }
        self.file.time(cycle * CYCLE_NS + CYCLE_NS / 2)?;
        self.file.change(0, &[Bit::Zero])
    }

    /// Ends the file with the clock edge that ends the last cycle.
    pub(super) fn finish(mut self, cycles: u64) -> Result<(), Error> {
        let end = cycles * CYCLE_NS;
        if cycles > 0 {
            self.file.time(end)?;
            self.file.change(0, &[Bit::One])?;
        }
        self.file.finish(end + CYCLE_NS / 2)
    }
}
