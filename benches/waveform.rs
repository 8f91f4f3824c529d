//! Value changes per second of waveforms: all ports of all chips of a fat tree
//! of 256 nodes under saturated random traffic.
//!
//! `cargo bench --bench waveform -- [NODES] [CYCLES]` (default 256 1000)
//!
//! - `simulate`: the engine and the host, nothing recorded;
//! - `write`: changes taken before, written as VCD and as FST to a sink that counts bytes;
//! - `simulate+write`: the whole, to that sink and to a temporary file.
//!
//! The last line of an engine is FST against VCD: seconds and bytes as ratios.

use std::io::{self, Seek, SeekFrom, Write};
use std::time::Instant;

use crosswave_network::traffic::Workload;
use crosswave_probe::signal::{SignalSelection, SignalSet, Value, WaveSink};
use crosswave_run::config::Config;
use crosswave_run::observer::Observer;
use crosswave_run::recorder;
use crosswave_run::recorder::{PortSelection, Recorder};
use crosswave_run::simulation::Simulation;
use crosswave_wave::{FileFormat, FstWriter, Timescale, VcdWriter, WaveFile};

/// Counts the bytes and drops them.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A header that is written again counts again.
impl Seek for Counter {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Ok(self.0)
    }
}

/// The calls that a [`WaveSink`] received after the initial values; an index of `u32::MAX` is a
/// time.
#[derive(Default)]
struct Tape {
    first: u64,
    values: Vec<Value>,
    changes: Vec<(u32, u64)>,
    last: u64,
}

impl WaveSink for Tape {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        self.first = time;
        self.values = values.to_vec();
        Ok(())
    }

    fn time(&mut self, time: u64) -> io::Result<()> {
        self.changes.push((u32::MAX, time));
        Ok(())
    }

    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        self.changes.push((index as u32, value));
        Ok(())
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        self.last = time;
        Ok(())
    }
}

impl Tape {
    fn play(&self, sink: &mut impl WaveSink) -> io::Result<()> {
        sink.begin(self.first, &self.values)?;
        for &(index, value) in &self.changes {
            match index {
                u32::MAX => sink.time(value)?,
                index => sink.change(index as usize, value)?,
            }
        }
        sink.end(self.last)
    }
}

/// One network with its traffic.
struct Bench {
    simulation: Simulation,
    workload: Workload,
    set: SignalSet,
}

impl Bench {
    /// Runs from reset; gives the last cycle and the seconds without setup.
    fn run(&self, observer: &mut dyn Observer) -> (u64, f64) {
        let mut engine = self.simulation.engine(1).expect("an engine");
        let start = Instant::now();
        let outcome = self
            .simulation
            .run_on(engine.as_mut(), &self.workload, observer);
        (outcome.last_cycle, start.elapsed().as_secs_f64())
    }

    /// Runs into `sink`; gives the sink, the changes and the seconds.
    fn record<S: WaveSink>(&self, sink: S) -> (S, u64, f64) {
        let kept = SignalSelection::all(self.set.signals.len());
        let window = (0, u64::MAX / 16);
        let mut recorder = Recorder::new(
            self.simulation.fabric(),
            1,
            PortSelection::All,
            kept,
            window,
            sink,
        );
        let (last_cycle, seconds) = self.run(&mut recorder);
        let changes = recorder.changes();
        let start = Instant::now();
        let sink = recorder.finish(last_cycle).expect("a sink that takes all");
        (sink, changes, seconds + start.elapsed().as_secs_f64())
    }

    fn writer(&self) -> VcdWriter<Counter> {
        VcdWriter::new(&self.set, Timescale::NANOSECOND, Counter(0)).expect("a header")
    }

    fn fst_writer(&self) -> FstWriter<Counter> {
        FstWriter::new(&self.set, Timescale::NANOSECOND, Counter(0)).expect("a header")
    }
}

fn main() {
    let numbers: Vec<u32> = std::env::args()
        .skip(1)
        .filter_map(|argument| argument.parse().ok())
        .collect();
    let nodes = numbers.first().copied().unwrap_or(256);
    let cycles = numbers.get(1).copied().unwrap_or(1000);
    println!(
        "{:>6} {:<8} {:<15} {:<6} {:>12} {:>9} {:>14} {:>12}",
        "nodes", "engine", "what", "to", "changes", "seconds", "changes_per_s", "bytes"
    );
    for engine in ["gate", "event"] {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes={nodes}\n[traffic]\npattern='random'\nrepeat=1000\nwords=8\n\
             [run]\nengine='{engine}'\nthreads=1\ncycles_max={cycles}"
        );
        let config =
            Config::parse(&text, "bench", std::path::Path::new("."), &[]).expect("configuration");
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let bench = Bench {
            workload: simulation.replicate(0).expect("traffic").workload,
            set: recorder::signals(simulation.fabric(), PortSelection::All),
            simulation,
        };
        let row = |what: &str, to: &str, changes: u64, seconds: f64, bytes: u64| {
            let rate = changes as f64 / seconds;
            println!(
                "{nodes:>6} {engine:<8} {what:<15} {to:<6} {changes:>12} {seconds:>9.3} {rate:>14.0} {bytes:>12}"
            );
        };

        let (_, seconds) = bench.run(&mut ());
        row("simulate", "", 0, seconds, 0);

        let (tape, changes, _) = bench.record(Tape::default());
        let mut writer = bench.writer();
        let vcd_seconds = timed(|| tape.play(&mut writer).expect("a sink that takes all"));
        let vcd_bytes = writer.into_inner().0;
        row("write VCD", "nobody", changes, vcd_seconds, vcd_bytes);
        let mut writer = bench.fst_writer();
        let fst_seconds = timed(|| tape.play(&mut writer).expect("a sink that takes all"));
        let fst_bytes = writer.into_inner().0;
        row("write FST", "nobody", changes, fst_seconds, fst_bytes);
        drop(tape);

        let (writer, changes, seconds) = bench.record(bench.writer());
        let bytes = writer.into_inner().0;
        row("simulate+VCD", "nobody", changes, seconds, bytes);

        let folder = tempfile::tempdir().expect("a temporary folder");
        for format in FileFormat::ALL {
            let path = folder.path().join(format!("all.{}", format.ending()));
            let file = WaveFile::create(&path, format, &bench.set, Timescale::NANOSECOND);
            let (file, changes, seconds) = bench.record(file.expect("a file"));
            let seconds = seconds + timed(|| file.finish().expect("the file"));
            let bytes = std::fs::metadata(&path).expect("the file").len();
            let what = format!("simulate+{}", format.ending());
            row(&what, "file", changes, seconds, bytes);
        }
        println!(
            "{nodes:>6} {engine:<8} FST against VCD: {:.2} of the seconds, {:.3} of the bytes",
            fst_seconds / vcd_seconds,
            fst_bytes as f64 / vcd_bytes as f64
        );
    }
}

/// The seconds that something takes.
fn timed(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}
