//! Files that the program wrote itself and reads again: checkpoints of runs and of netlists, kept points of
//! sweeps, coverage. Each has a genuine one, from which mutations begin.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::LazyLock;

use crosswave_checkpoint::{StateFile, StateFormat, StateWriter};
use crosswave_design::run::{Run, SavedRun};
use crosswave_design::{Arrays, Clocks, Options, build};
use crosswave_lanes::Backend;
use crosswave_netlist::yosys;
use crosswave_observe::points::Store;
use crosswave_observe::points::runner::IdleProcessors;
use crosswave_observe::sweep::grid::SweepPoint;
use crosswave_observe::sweep::table::Table;
use crosswave_observe::sweep::{self, StopRule};
use crosswave_probe::engine::Engine;
use crosswave_run::checkpoint::{CheckpointWriter, Checkpoints, Header};
use crosswave_run::config::Config;
use crosswave_run::coverage::{CoverageReport, lcov};
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use super::{file, read};

/// The name of the program in checkpoints and kept points.
const PROGRAM: &str = "fuzz";
/// Cycles from one checkpoint to the next.
const EVERY_CYCLES: u64 = 24;
/// Cycles that a run goes on from a checkpoint.
const CYCLES: u64 = 100;

/// Runs whose checkpoints are read.
const NETWORKS: [&str; 4] = [
    "[network]\nkind = 'fat-tree'\nnodes = 4\n[traffic]\npattern = 'random'\nwords = 3\nrepeat = 4\n\
     [retry]\nstrategy = 'backoff'\n[run]\nengine = 'event'\nthreads = 1\n",
    "[network]\nkind = 'bidelta'\nnodes = 16\n[traffic]\npattern = 'random'\nwords = 4\nrepeat = 3\n\
     [run]\nengine = 'event'\nthreads = 1\n",
    "[network]\nkind = 'm-port-n-tree-packets'\nports = 4\nlevels = 1\n\
     [traffic]\npattern = 'steady'\nload = 0.3\nwords = 3\ncycles = 60\n\
     [run]\nengine = 'event'\nthreads = 1\n",
    "[network]\nkind = 'fat-tree'\nnodes = 4\n[traffic]\npattern = 'random'\nwords = 3\n\
     [run]\nengine = 'gate'\nthreads = 1\n",
];

/// A run whose checkpoints are read.
struct Known {
    simulation: Simulation,
    replicate: Replicate,
    header: Header,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let networks = NETWORKS.iter();
    let known = networks.map(|text| {
        let config = Config::parse(text, "run.toml", Path::new("."), &[]).expect("right");
        let simulation = Simulation::new(&config).expect("a network");
        let replicate = simulation.replicate(0).expect("no trace");
        Known {
            header: Header::new(PROGRAM, &config, &replicate),
            simulation,
            replicate,
        }
    });
    known.collect()
});

/// Ends a run some cycles after it began.
#[derive(Default)]
struct Limit {
    first: Option<u64>,
    last: u64,
}

impl Observer for Limit {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        self.last = engine.cycle();
        self.first.get_or_insert(self.last);
    }

    fn interrupted(&mut self) -> bool {
        self.first.is_some_and(|first| self.last - first >= CYCLES)
    }
}

/// Checkpoints of a run: the last of them is checked, and the run goes on from it for some cycles.
pub fn checkpoint(data: &[u8]) {
    for known in &*KNOWN {
        let opened = Checkpoints::open(Cursor::new(data), "run.checkpoints", &known.header);
        let Some(mut checkpoints) = read(opened) else {
            continue;
        };
        let _ = read(checkpoints.before(EVERY_CYCLES + 1));
        let Some(Some(last)) = read(checkpoints.before(u64::MAX)) else {
            continue;
        };
        let fabric = known.simulation.fabric();
        if read(last.check_lanes(fabric, "run.checkpoints")).is_none() {
            continue;
        }
        let taken_up =
            known
                .simulation
                .take_up(&known.replicate, &last.snapshot, &mut Limit::default());
        if let Some(Err(reason)) = read(taken_up) {
            assert!(!reason.to_string().is_empty(), "a reason is told");
        }
    }
}

/// Checkpoints as they are written, of a run that the number chooses.
pub fn genuine_checkpoint(choice: usize) -> Vec<u8> {
    let known = &KNOWN[choice % NETWORKS.len()];
    let fabric = known.simulation.fabric();
    let writer = CheckpointWriter::new(Vec::new(), &known.header, fabric, EVERY_CYCLES);
    let mut writer = writer.expect("memory takes it");
    let ran = known.simulation.run_one(&known.replicate, &mut writer);
    ran.expect("it runs");
    writer.finish().expect("memory takes it")
}

/// The format of states of a netlist.
const SAVED: StateFormat = StateFormat {
    name: "crosswave netlist checkpoints ",
    version: 1,
    origin: "it is made here",
    again: "make it again",
};

fn netlist_run() -> Run {
    let netlist = include_str!("../../files/adder.json");
    let netlist = yosys::read_netlist(netlist, "adder.json").expect("a netlist");
    let root = netlist.root(None, "adder.json").expect("a top");
    let options = Options {
        clocks: Clocks::One(None),
        four_state: true,
        arrays: Arrays::None,
        replicas: 2,
        backend: Backend::Interpreter,
        is_saved: true,
    };
    build(&netlist.design, root, &options).expect("a run")
}

/// Checkpoints of a netlist: the run goes on from the last one.
pub fn saved_run(data: &[u8]) {
    let opened = StateFile::open(Cursor::new(data), "saved", SAVED, |_: &String| None);
    let Some(mut states) = read(opened) else {
        return;
    };
    if let Some(Some((_, state))) = read(states.before::<SavedRun>(u64::MAX)) {
        let mut run = netlist_run();
        if run.load(&state) {
            for cycle in 0..4 {
                run.begin_cycle(cycle);
                run.settle();
                run.edge();
            }
            let again = run.saved();
            assert!(netlist_run().load(&again), "what was saved can be loaded");
        }
    }
}

/// Checkpoints of a netlist as they are written.
pub fn genuine_saved_run() -> Vec<u8> {
    let mut writer = StateWriter::new(Vec::new(), &SAVED, &"top".to_owned()).expect("memory");
    let mut run = netlist_run();
    for cycle in 0..3 {
        run.drive_random(0, 3, cycle);
        run.begin_cycle(cycle);
        run.settle();
        run.edge();
        writer
            .write(cycle + 1, &run.saved())
            .expect("memory takes it");
    }
    writer.finish().expect("memory takes it")
}

/// A point of a sweep, and the file that is kept of it.
struct KnownPoint {
    point: SweepPoint,
    name: String,
    content: Vec<u8>,
}

static POINT: LazyLock<KnownPoint> = LazyLock::new(|| {
    let text = "[network]\nkind = 'fat-tree'\nnodes = 4\n\
                [traffic]\npattern = 'steady'\nload = 0.1\nwords = 2\ncycles = 200\n[run]\nengine = 'event'\n";
    let config = Config::parse(text, "run.toml", Path::new("."), &[]).expect("right");
    let point = SweepPoint {
        index: 0,
        settings: Vec::new(),
        values: Vec::new(),
        config,
        program: PROGRAM.to_owned(),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::in_folder(folder.path(), PROGRAM).expect("a folder");
    let ran = sweep::run(
        &point,
        &StopRule::exactly(2),
        &store,
        &IdleProcessors::beside(1),
        &mut (),
    );
    ran.expect("it runs");
    let mut kept = fs::read_dir(folder.path()).expect("a folder");
    let kept = kept.next().expect("a file").expect("a file").path();
    let name = kept.file_name().expect("a name").to_string_lossy();
    KnownPoint {
        name: name.into_owned(),
        content: fs::read(&kept).expect("a file"),
        point,
    }
});

/// A kept point of a sweep, which becomes a table.
pub fn point(data: &[u8]) {
    let KnownPoint { point, name, .. } = &*POINT;
    let path = file(name, data);
    let folder = path.parent().expect("a folder");
    let store = Store::in_folder(folder, PROGRAM).expect("a folder");
    let kept = read(sweep::kept(point, &StopRule::exactly(2), &store));
    if let Some(Some(measured)) = kept {
        let (name, config) = (measured.names().last().cloned(), &point.config);
        let _ = (measured.unfinished(), measured.shortfalls(config));
        let _ = measured.stationarity(config, 2);
        if let Some(name) = name {
            let _ = (measured.values(&name), measured.mean(&name, 2));
        }
        let table = Table::new(&[], vec![(point, measured)]);
        let _ = (table.csv(), table.columns(), table.json());
    }
}

/// A kept point as it is written.
pub fn genuine_point() -> Vec<u8> {
    POINT.content.clone()
}

/// The coverage of a run, which is merged with itself, written and read again.
pub fn coverage(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(report) = CoverageReport::parse(text) else {
        return;
    };
    let mut merged = report.clone();
    let _ = read(merged.merge(report.clone(), "coverage.json"));
    for report in [report, merged] {
        let written = serde_json::to_string(&report).expect("a report is JSON");
        let again = CoverageReport::parse(&written).expect("it is a report");
        assert_eq!(again, report, "written and read again");
        lcov::write(&report, Vec::new()).expect("memory takes it");
        for chip in &report.chips {
            let _ = chip.sums().percent();
        }
    }
}
