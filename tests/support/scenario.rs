//! Scenarios: configurations in `examples/scenarios` that are run on both engines and
//! have a waveform in `traces/scenarios`.

use std::path::{Path, PathBuf};

use crosswave_probe::message::MessageRecord;
use crosswave_probe::signal::SignalSelection;
use crosswave_run::config::Config;
use crosswave_run::host::{End, Outcome};
use crosswave_run::recorder::{CYCLE_TIME, PortSelection, Recorder, Signals};
use crosswave_run::simulation::Simulation;
use crosswave_wave::{
    CycleWindow, DrawOptions, Timescale, VcdWriter, WaveValue, Waveform, read, reduce, rows,
    select, terminal,
};

/// The largest waveform that is kept.
const GOLDEN_BYTES_MAX: usize = 60_000;

/// Networks of which tests see everything.
const SMALL_NODES: u32 = 64;

pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

pub fn config(name: &str, overrides: &[&str]) -> Config {
    let folder = folder("examples/scenarios");
    let path = folder.join(format!("{name}.toml"));
    let text = std::fs::read_to_string(&path).expect("the configuration is there");
    assert!(text.starts_with("# "), "{name} does not say what it shows");
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Config::parse(&text, name, &folder, &overrides).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a configuration and gives the bytes of the waveform of `scopes` too.
pub fn record(config: &Config, scopes: &[String], window: (u64, u64)) -> (Outcome, Vec<u8>) {
    let simulation = Simulation::new(config).expect("a legal configuration");
    let fabric = simulation.fabric();
    let replicate = simulation.replicate(0);
    let replicate = replicate.unwrap_or_else(|error| panic!("{error}"));
    let pins = match config.wave.random_pins {
        true => PortSelection::All,
        false => PortSelection::NotRandom,
    };
    let signals = Signals::new(fabric, pins);
    let set = signals.set(&SignalSelection::all(signals.signal_count()));
    let kept = select("scopes", &set, scopes).unwrap_or_else(|error| panic!("{error}"));
    let kept: SignalSelection = kept.into_iter().collect();
    let reduced = reduce(&set, &kept);
    assert_eq!(signals.set(&kept), reduced, "made one by one");
    let sink = VcdWriter::new(&reduced, Timescale::NANOSECOND, Vec::new())
        .expect("memory takes everything");
    let mut recorder = Recorder::new(fabric, replicate.seed, pins, kept, window, sink);
    let outcome = simulation
        .run_one(&replicate, &mut recorder)
        .unwrap_or_else(|error| panic!("{error}"));
    let sink = recorder
        .finish(outcome.last_cycle)
        .expect("memory takes everything");
    (outcome, sink.into_inner())
}

/// A scenario that was run on both engines.
pub struct Scenario {
    pub outcome: Outcome,
    /// All cycles; of a small network everything, not only what the golden waveform holds.
    pub wave: Waveform,
    /// The golden waveform, drawn.
    pub drawing: String,
}

impl Scenario {
    /// Runs a scenario on both engines and compares it with its golden waveform
    /// and the drawing of `rows` in `window`.
    pub fn run(name: &str, scopes: &[&str], window: std::ops::Range<u64>) -> Scenario {
        let on = |engine: &str| {
            let config = config(name, &[&format!("run.engine={engine}")]);
            let window = config.wave.window_cycles.unwrap_or((0, u64::MAX / 16));
            record(&config, &config.wave.scopes, window)
        };
        let (outcome, bytes) = on("gate");
        assert!(
            on("event") == (outcome.clone(), bytes.clone()),
            "{name}: the engines differ"
        );
        assert_ne!(outcome.end, End::OutOfCycles, "{name}");
        assert!(
            bytes.len() < GOLDEN_BYTES_MAX,
            "{name}: {} bytes",
            bytes.len()
        );

        let golden = folder("traces/scenarios").join(format!("{name}.vcd"));
        if std::env::var_os("CROSSWAVE_BLESS").is_some() {
            std::fs::write(&golden, &bytes).expect("the folder is there");
        }
        let expected = std::fs::read(&golden).unwrap_or_default();
        assert!(
            expected == bytes,
            "{} differs; see the top of this file",
            golden.display()
        );

        let wave = read(name, &bytes).unwrap_or_else(|error| panic!("{error}"));
        let kept = select("rows", &wave, scopes).unwrap_or_else(|error| panic!("{error}"));
        let options = DrawOptions {
            window: CycleWindow {
                first: window.start,
                last: window.end - 1,
            },
            period: CYCLE_TIME,
            ..DrawOptions::default()
        };
        let drawing = terminal::draw(&wave, &rows(&wave, &kept), &options);

        let config = config(name, &["run.engine=event"]);
        let scopes = match config.network.nodes() <= SMALL_NODES {
            true => vec!["*".to_owned()],
            false => config.wave.scopes.clone(),
        };
        let all = record(&config, &scopes, (0, u64::MAX / 16));
        Scenario {
            outcome,
            drawing,
            wave: read(name, &all.1).unwrap_or_else(|error| panic!("{error}")),
        }
    }

    pub fn value(&self, signal: &str, cycle: u64) -> WaveValue {
        let path = format!("testbench.network.{signal}");
        let index = self.wave.find(&path).unwrap_or_else(|| panic!("no {path}"));
        let value = self.wave.value_at(index, cycle * CYCLE_TIME);
        value.expect("every signal has an initial value")
    }

    /// The number that a port shows in a cycle.
    pub fn at(&self, signal: &str, cycle: u64) -> u64 {
        match self.value(signal, cycle) {
            WaveValue::Known(value) => value,
            other => panic!("{signal} is {other:?} in cycle {cycle}"),
        }
    }

    /// The name of the state that a port shows in a cycle.
    pub fn state(&self, signal: &str, cycle: u64) -> String {
        match self.value(&format!("{signal}_name"), cycle) {
            WaveValue::Text(name) => name.to_string(),
            other => panic!("{signal} is {other:?} in cycle {cycle}"),
        }
    }

    /// The cycles after reset in which a scalar port is high.
    pub fn high(&self, signal: &str) -> Vec<u64> {
        (1..=self.outcome.last_cycle)
            .filter(|&cycle| self.at(signal, cycle) == 1)
            .collect()
    }

    /// The cycles after reset in which a state port shows a state.
    pub fn cycles_in(&self, signal: &str, state: &str) -> Vec<u64> {
        (1..=self.outcome.last_cycle)
            .filter(|&cycle| self.state(signal, cycle) == state)
            .collect()
    }

    pub fn message(&self, id: usize) -> &MessageRecord {
        &self.outcome.messages[id]
    }

    /// The names that a state port shows, by cycle.
    pub fn states(&self, signal: &str) -> Vec<String> {
        let path = format!("testbench.network.{signal}_name");
        let index = self.wave.find(&path).unwrap_or_else(|| panic!("no {path}"));
        let name = |cycle: u64| match self.wave.value_at(index, cycle * CYCLE_TIME) {
            Some(WaveValue::Text(name)) => name.to_string(),
            _ => String::new(),
        };
        (0..=self.outcome.last_cycle).map(name).collect()
    }
}
