//! Windows of a run against the whole: wherever they begin, also where the network rests, they
//! show what the waveform of all cycles shows there, and triggers find the moments that it shows.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::path::Path;

use crosswave_network::Fabric;
use crosswave_observe::trigger::{Plan, Trigger, parse};
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::{SignalSelection, SignalSet};
use crosswave_run::checkpoint::{Checkpoint, CheckpointTaker};
use crosswave_run::config::Config;
use crosswave_run::observer::Observer;
use crosswave_run::recorder::{PortSelection, Recorder, Signals};
use crosswave_run::simulation::Simulation;
use crosswave_run::snapshot::RunState;
use crosswave_wave::{self as wave, FstWriter, Timescale, VcdWriter};

use super::formats::{assert_same, of_fst, of_vcd};
use crate::program::{crosswave, read, success, workplace, write};
use crate::support::plain_vcd;

/// Networks of several kinds, with the engines that they run on.
const NETWORKS: [(&str, &[&str]); 6] = [
    ("kind='fat-tree'\nnodes=16", &["gate", "event"]),
    ("kind='fat-tree'\nnodes=16\nlink_delay_cycles=2", &["gate"]),
    ("kind='bidelta'\nnodes=16", &["gate", "event"]),
    ("kind='transit'\nnodes=64", &["event"]),
    (
        "kind='m-port-n-tree'\nports=4\nlevels=2\nrouting='omrmn'",
        &["event"],
    ),
    ("kind='binary-fat-tree'\nnodes=8", &["gate", "event"]),
];

/// Messages with long rests between them.
const TRACE: &str = "t_ns,source,destination,bytes\n\
                     0,0,1,1\n20,2,5,3\n4000,3,7,2\n4010,6,7,9\n9000,7,0,1\n9000,1,0,1\n";

/// Numbers that follow from one another.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

fn simulation(folder: &Path, network: &str, engine: &str) -> Simulation {
    let text =
        format!("[network]\n{network}\n[traffic]\ntrace='t.csv'\n[run]\nengine='{engine}'\n");
    let config = Config::parse(&text, "case", folder, &[]).unwrap_or_else(|e| panic!("{e}"));
    Simulation::new(&config).unwrap_or_else(|e| panic!("{e}"))
}

type InVcd<'f> = Recorder<'f, VcdWriter<Vec<u8>>>;
type InFst<'f> = Recorder<'f, FstWriter<Cursor<Vec<u8>>>>;

/// The same window in both formats.
struct Recorded<'f> {
    window: (u64, u64),
    vcd: InVcd<'f>,
    fst: InFst<'f>,
}

impl<'f> Recorded<'f> {
    fn new(fabric: &'f Fabric, seed: u64, window: (u64, u64)) -> Recorded<'f> {
        let signals = Signals::new(fabric, PortSelection::All);
        let kept = || SignalSelection::all(signals.signal_count());
        let (set, unit) = (signals.set(&kept()), Timescale::NANOSECOND);
        let vcd = VcdWriter::new(&set, unit, Vec::new()).expect("memory is written");
        let fst = FstWriter::new(&set, unit, Cursor::new(Vec::new())).expect("memory is written");
        Recorded {
            window,
            vcd: Recorder::new(fabric, seed, PortSelection::All, kept(), window, vcd),
            fst: Recorder::new(fabric, seed, PortSelection::All, kept(), window, fst),
        }
    }

    /// The waveform that was written, as VCD and as FST.
    fn finish(self, last_cycle: u64) -> (String, Vec<u8>) {
        let vcd = self.vcd.finish(last_cycle).expect("memory is written");
        let vcd = String::from_utf8(vcd.into_inner()).expect("text");
        let fst = self.fst.finish(last_cycle).expect("memory is written");
        (vcd, fst.into_inner().into_inner())
    }
}

/// Records many windows of one run, and sees in which cycles an engine stands.
struct Watching<'f> {
    windows: Vec<Recorded<'f>>,
    stood: Vec<u64>,
}

impl Observer for Watching<'_> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.stood.push(engine.cycle());
        for window in &mut self.windows {
            window.vcd.cycle(engine, clocked);
            window.fst.cycle(engine, clocked);
        }
    }

    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        for window in &mut self.windows {
            window.vcd.rests(engine, next_cycle);
            window.fst.rests(engine, next_cycle);
        }
    }
}

/// Takes a checkpoint in the first cycle from one on that is observed.
struct Taken {
    taker: CheckpointTaker,
    from_cycle: u64,
    checkpoint: Option<Checkpoint>,
}

impl Observer for Taken {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.taker.cycle(engine, clocked);
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        if self.checkpoint.is_none() && state.engine.cycle() >= self.from_cycle {
            self.checkpoint = Some(self.taker.take(state));
        }
    }
}

/// The values at the beginning, and the lines after it, by their times.
fn parts(vcd: &str) -> (u64, Vec<&str>, Vec<(u64, &str)>) {
    let (_, body) = vcd
        .split_once("$enddefinitions $end\n")
        .expect("definitions");
    let (values, changes) = body.split_once("$end\n").expect("values at the beginning");
    let mut values = values.lines();
    let begin = values
        .next()
        .and_then(|line| line[1..].parse().ok())
        .expect("a time");
    let mut time = begin;
    let mut later = Vec::new();
    for line in changes.lines() {
        match line.strip_prefix('#') {
            Some(now) => time = now.parse().expect("a time"),
            None => later.push((time, line)),
        }
    }
    (begin, values.skip(1).collect(), later)
}

/// The identifier of the signal of a line.
fn code(line: &str) -> &str {
    match line.split_once(' ') {
        Some((_, code)) => code,
        None => &line[1..],
    }
}

/// Finds whether a window shows what the whole waveform shows: the values that the lines up to its
/// beginning leave, and then the same lines.
fn assert_part(part: &str, whole: &str, window: (u64, u64), last_cycle: u64, case: &str) {
    let (begin, values, changes) = parts(part);
    let (_, initial, all) = parts(whole);
    assert_eq!(begin, 10 * window.0, "{case}");
    let mut held: BTreeMap<&str, &str> =
        initial.into_iter().map(|line| (code(line), line)).collect();
    let earlier = all.iter().take_while(|(time, _)| *time <= begin);
    held.extend(earlier.map(|(_, line)| (code(line), *line)));
    let values: BTreeMap<&str, &str> = values.into_iter().map(|line| (code(line), line)).collect();
    assert_eq!(values, held, "{case}: values at {begin}");
    let end = 10 * (window.1.min(last_cycle) + 1);
    let within = all
        .into_iter()
        .filter(|(time, _)| (begin + 1..end).contains(time));
    assert!(changes.into_iter().eq(within), "{case}: changes");
    assert!(part.ends_with(&format!("#{end}\n")), "{case}: its end");
}

#[test]
fn windows_show_what_the_whole_shows() {
    let place = workplace();
    let folder = place.path();
    write(folder, "t.csv", TRACE);
    let mut numbers = Numbers(7);
    let (mut begun_at_rest, mut all_at_rest, mut replayed) = (0, 0, 0);
    for (network, engines) in NETWORKS {
        for engine in engines {
            let simulation = simulation(folder, network, engine);
            let fabric = simulation.fabric();
            let replicate = simulation.replicate(0).unwrap_or_else(|e| panic!("{e}"));
            let whole = Recorded::new(fabric, replicate.seed, (0, u64::MAX / 16));
            let windows = (0..12).map(|_| {
                let first = numbers.below(900);
                (first, first + numbers.below(60))
            });
            let windows: Vec<_> = windows.collect();
            let recorded = |window: &(u64, u64)| Recorded::new(fabric, replicate.seed, *window);
            let mut watching = Watching {
                windows: windows.iter().map(recorded).chain([whole]).collect(),
                stood: Vec::new(),
            };
            let mut taken = Taken {
                taker: CheckpointTaker::new(fabric),
                from_cycle: 40,
                checkpoint: None,
            };
            let outcome = simulation
                .run_one(&replicate, &mut (&mut watching, &mut taken))
                .unwrap_or_else(|e| panic!("{e}"));
            let last = outcome.last_cycle;
            assert!(last > 900, "{network}: {last}");
            let (whole, _) = watching.windows.pop().expect("the whole").finish(last);
            let judge = |recorded: Recorded<'_>, whole: &str, case: &str| {
                let window = recorded.window;
                let (vcd, fst) = recorded.finish(last);
                assert_part(&vcd, whole, window, last, case);
                write(folder, "part.vcd", &vcd);
                fs::write(folder.join("part.fst"), fst).expect("the folder is writable");
                let vcd = wave::read_file(&folder.join("part.vcd")).expect("VCD");
                assert_same(&of_vcd(&vcd), &of_fst(&folder.join("part.fst")));
                let fst = wellen::simple::read(folder.join("part.fst")).expect("FST");
                let times = fst.time_table();
                let ends = (times.first().copied(), times.last().copied());
                let end = 10 * (window.1.min(last) + 1);
                assert_eq!(ends, (Some(10 * window.0), Some(end)), "{case}");
            };
            let stood = watching.stood;
            for recorded in watching.windows {
                let window = recorded.window;
                let is_at_rest = |cycle: &u64| stood.binary_search(cycle).is_err();
                begun_at_rest += u32::from(is_at_rest(&window.0));
                all_at_rest += u32::from((window.0..=window.1).all(|cycle| is_at_rest(&cycle)));
                judge(recorded, &whole, &format!("{network} {engine} {window:?}"));
            }
            // The same from a checkpoint on, which is in the cycle before the rest, or in it.
            let Some(Checkpoint { snapshot, lanes }) = taken.checkpoint else {
                panic!("{network}: no checkpoint");
            };
            for window in windows
                .iter()
                .filter(|window| window.0 > snapshot.cycle)
                .take(3)
            {
                let mut recorded = recorded(window);
                if let Some(lanes) = &lanes {
                    recorded.vcd.set_lanes(lanes.clone());
                    recorded.fst.set_lanes(lanes.clone());
                }
                let mut watching = Watching {
                    windows: vec![recorded],
                    stood: Vec::new(),
                };
                let ended = simulation.go_on(&replicate, &snapshot, &mut watching);
                assert_eq!(ended.unwrap_or_else(|e| panic!("{e}")), Ok(outcome.clone()));
                let recorded = watching.windows.pop().expect("one window");
                judge(
                    recorded,
                    &whole,
                    &format!("{network} {engine} {window:?} replayed"),
                );
                replayed += 1;
            }
        }
    }
    assert!(
        begun_at_rest > 30 && all_at_rest > 15 && replayed > 20,
        "{begun_at_rest} {all_at_rest} {replayed}"
    );
}

/// A window that no cycle of an engine falls in, through the program: of `run`, of `replay` and
/// around a moment, with all that can be shown beside ports.
#[test]
fn windows_in_a_rest_are_written_by_all_commands() {
    let place = workplace();
    let folder = place.path();
    write(folder, "t.csv", TRACE);
    write(
        folder,
        "rest.toml",
        "[network]\nkind='bidelta'\nnodes=16\n[traffic]\ntrace='t.csv'\n[wave]\nlanes=true\n",
    );
    success(
        folder,
        &[
            "run",
            "rest.toml",
            "-q",
            "--vcd",
            "whole.vcd",
            "--checkpoints",
            "k",
            "--checkpoint-every",
            "30",
        ],
    );
    let whole = read(folder, "whole.vcd");
    let within = ["--set", "wave.window_cycles=[200, 230]"];
    success(
        folder,
        &[&["run", "rest.toml", "-q", "--vcd", "run.vcd"][..], &within].concat(),
    );
    success(
        folder,
        &[
            "replay",
            "rest.toml",
            "--checkpoints",
            "k",
            "--from",
            "200",
            "--to",
            "230",
            "--vcd",
            "replay.vcd",
        ],
    );
    // In the rest, the state of an interface that has nothing to send is true all the time: the
    // moments are the first cycle in which it is looked for, and those after the windows.
    let moments = [
        &["run", "rest.toml", "-q", "--vcd", "t.vcd"][..],
        &within,
        &["--trigger", "**.node_9.tx_request == 0 and !launched"],
        &[
            "--set",
            "wave.before_cycles=5",
            "--set",
            "wave.after_cycles=3",
        ],
        &["--set", "wave.triggers=4"],
    ];
    let output = crosswave(folder, &moments.concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for (window, file) in [
        ((200, 230), "run.vcd"),
        ((200, 230), "replay.vcd"),
        ((195, 203), "t.0.vcd"),
        ((199, 207), "t.1.vcd"),
        ((203, 211), "t.2.vcd"),
        ((207, 215), "t.3.vcd"),
    ] {
        assert_part(&read(folder, file), &whole, window, u64::MAX, file);
    }
}

/// The moments of a condition on signals are the cycles in which the waveform of the whole run
/// shows it, also where the network rests.
#[test]
fn moments_are_found_in_rests() {
    let place = workplace();
    let folder = place.path();
    write(folder, "t.csv", TRACE);
    let mut numbers = Numbers(11);
    let (mut found, mut at_rest) = (0, 0);
    for (network, engines) in NETWORKS {
        for engine in engines {
            let simulation = simulation(folder, network, engine);
            let fabric = simulation.fabric();
            let replicate = simulation.replicate(0).unwrap_or_else(|e| panic!("{e}"));
            let whole = Recorded::new(fabric, replicate.seed, (0, u64::MAX / 16));
            let mut watching = Watching {
                windows: vec![whole],
                stood: Vec::new(),
            };
            let outcome = simulation.run_one(&replicate, &mut watching);
            let last = outcome.unwrap_or_else(|e| panic!("{e}")).last_cycle;
            let (vcd, _) = watching.windows.pop().expect("the whole").finish(last);
            let values = plain_vcd::values(&vcd);
            // A signal that does not change has no value but its first, which may be X.
            let is_known = |path: &&String| !path.ends_with(".clock") && !path.ends_with(".reset");
            let known: Vec<&String> = values.keys().filter(is_known).collect();
            for _ in 0..12 {
                let path = known[numbers.below(known.len() as u64) as usize];
                let changes = &values[path];
                let cycles: Vec<u64> = changes.keys().copied().collect();
                let value = changes[&cycles[numbers.below(cycles.len() as u64) as usize]];
                let shown =
                    |cycle: u64| changes.range(..=cycle).next_back().map(|(_, value)| *value);
                let (relation, holds): (&str, fn(u64, u64) -> bool) = match numbers.below(3) {
                    0 => ("==", |shown, value| shown == value),
                    1 => ("!=", |shown, value| shown != value),
                    _ => ("<=", |shown, value| shown <= value),
                };
                let first = numbers.below(950);
                let plan = Plan {
                    before_cycles: numbers.below(30),
                    after_cycles: numbers.below(30),
                    moments: 3,
                    armed_cycles: (first, first + numbers.below(300)),
                };
                let text = format!("{path} {relation} {value}");
                let mut expected = Vec::new();
                let mut cycle = plan.armed_cycles.0.max(1);
                while cycle <= plan.armed_cycles.1.min(last) && expected.len() < plan.moments {
                    match shown(cycle).is_some_and(|shown| holds(shown, value)) {
                        true => {
                            expected.push(cycle);
                            cycle += plan.after_cycles + 1;
                        }
                        false => cycle += 1,
                    }
                }
                let extra = SignalSet::default();
                let condition = parse::parse(&text, simulation.network(), fabric, &extra);
                let condition = condition.unwrap_or_else(|e| panic!("{text}: {e:?}"));
                let mut trigger = Trigger::new(simulation.network(), fabric, condition, plan);
                simulation
                    .run_one(&replicate, &mut trigger)
                    .unwrap_or_else(|e| panic!("{e}"));
                let moments = trigger.moments();
                let cycles: Vec<u64> = moments.iter().map(|moment| moment.cycle).collect();
                assert_eq!(cycles, expected, "{network} {engine}: {text} {plan:?}");
                found += cycles.len();
                let rests = |cycle: &&u64| watching.stood.binary_search(cycle).is_err();
                at_rest += cycles.iter().filter(rests).count();
            }
        }
    }
    assert!(found > 100 && at_rest > 60, "{found} {at_rest}");
}
