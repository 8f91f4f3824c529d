//! Waveforms of `crosswave netlist`: clock, inputs and outputs of a run.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use crate::design::Run;
use crate::diagnostic::Error;
use crate::file::PendingFile;
use crate::wave::{Bit, Timescale, VectorSignal, VectorWriter};

/// A cycle in a waveform, in nanoseconds; the clock falls in its middle.
const CYCLE_NS: u64 = 10;

/// The waveform of a run: clock, inputs, outputs.
pub(super) struct Wave {
    path: PathBuf,
    pending: PendingFile,
    writer: VectorWriter<File>,
    /// What was written last, by signal; empty at first.
    last: Vec<Vec<Bit>>,
    bits: Vec<Bit>,
    clocked: bool,
}

impl Wave {
    pub(super) fn create(path: &Path, top: &str, run: &Run) -> Result<Wave, Error> {
        let pending = PendingFile::create(path)?;
        let clock = run.clock().map(|clock| VectorSignal {
            name: clock.to_owned(),
            width: 1,
            range: (0, 0),
        });
        let ports = run.inputs().iter().chain(run.outputs()).map(|port| {
            let (left, right) = port.range.ends(port.width);
            VectorSignal {
                name: port.name.clone(),
                width: port.width as u32,
                range: (left as i32, right as i32),
            }
        });
        let signals: Vec<VectorSignal> = clock.into_iter().chain(ports).collect();
        let writer = VectorWriter::new(pending.file()?, Timescale::NANOSECOND, top, &signals)
            .map_err(|error| Error::io(path, "writing", &error))?;
        Ok(Wave {
            path: path.to_owned(),
            pending,
            writer,
            last: vec![Vec::new(); signals.len()],
            bits: Vec::new(),
            clocked: run.clock().is_some(),
        })
    }

    pub(super) fn cycle(&mut self, run: &Run, replica: usize, cycle: u64) -> Result<(), Error> {
        let result = self.write(run, replica, cycle);
        result.map_err(|error| Error::io(&self.path, "writing", &error))
    }

    fn write(&mut self, run: &Run, replica: usize, cycle: u64) -> io::Result<()> {
        self.writer.time(cycle * CYCLE_NS)?;
        let mut signal = 0;
        if self.clocked {
            self.writer.change(0, &[Bit::One])?;
            signal = 1;
        }
        let input: &dyn Fn(usize) -> Bit = &|bit| run.input(bit, replica);
        let output: &dyn Fn(usize) -> Bit = &|bit| run.output(bit, replica);
        for (ports, value) in [(run.inputs(), input), (run.outputs(), output)] {
            for port in ports {
                self.bits.clear();
                let bits = port.first..port.first + port.width;
                self.bits.extend(bits.map(value));
                if self.bits != self.last[signal] {
                    self.writer.change(signal, &self.bits)?;
                    self.last[signal].clone_from(&self.bits);
                }
                signal += 1;
            }
        }
        if self.clocked {
            self.writer.time(cycle * CYCLE_NS + CYCLE_NS / 2)?;
            self.writer.change(0, &[Bit::Zero])?;
        }
        Ok(())
    }

    /// Ends the file with the clock edge that ends the last cycle.
    pub(super) fn finish(mut self, cycles: u64) -> Result<(), Error> {
        let fail = |error: io::Error| Error::io(&self.path, "writing", &error);
        let end = cycles * CYCLE_NS;
        if self.clocked && cycles > 0 {
            self.writer.time(end).map_err(fail)?;
            self.writer.change(0, &[Bit::One]).map_err(fail)?;
        }
        self.writer.finish(end + CYCLE_NS / 2).map_err(fail)?;
        self.pending.finish()
    }
}
