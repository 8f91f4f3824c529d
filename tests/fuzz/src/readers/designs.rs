//! Netlists of other designs, their stimuli, and conditions on their names.

use std::cell::RefCell;
use std::path::Path;
use std::sync::LazyLock;

use crosswave_component::guess;
use crosswave_design::run::Run;
use crosswave_design::stimulus::{csv, vcd};
use crosswave_design::watch::NetCondition;
use crosswave_design::{
    Arrays, ClockPeriod, Clocks, InstanceTree, NetSelection, Options, build, build_recorded,
};
use crosswave_lanes::Backend;
use crosswave_netlist::yosys::{self, Netlist};
use crosswave_netlist::{DesignHierarchy, text, unconnected};
use crosswave_observe::trigger::parse::parse;
use crosswave_probe::signal::{Hierarchy, SignalSet};
use crosswave_run::config::Config;
use crosswave_run::simulation::Simulation;
use crosswave_wave::{CycleWindow, select, vcd_reader};

use super::{file, parts, read};

/// Cycles that a netlist runs.
const CYCLES: u64 = 4;
/// Runs side by side.
const REPLICAS: usize = 2;

/// A netlist for stimuli and conditions: an adder with a register.
const DESIGN: &str = include_str!("../../files/adder.json");

fn options(arrays: Arrays, four_state: bool, backend: Backend) -> Options {
    Options {
        clocks: Clocks::One(None),
        four_state,
        arrays,
        replicas: REPLICAS,
        backend,
        is_saved: false,
    }
}

/// Periods of the clocks of the seeds.
fn periods() -> Vec<ClockPeriod> {
    let clocks = [("ck", 2, 0), ("k2", 3, 1)];
    let clocks = clocks.map(|(name, period, shift)| ClockPeriod {
        name: name.to_owned(),
        period,
        shift,
    });
    clocks.into()
}

/// Some cycles with random inputs: all bits of outputs.
fn outputs(run: &mut Run) -> Vec<String> {
    let bits = run.outputs().iter().map(|port| port.width).sum::<usize>();
    let mut found = Vec::new();
    for cycle in 0..CYCLES {
        for input in 0..run.inputs().len() {
            run.drive_random(input, 7, cycle);
        }
        run.begin_cycle(cycle);
        run.settle();
        for replica in 0..REPLICAS {
            let values = (0..bits).map(|bit| run.output(bit, replica).as_char());
            found.push(values.collect());
        }
        run.edge();
    }
    found
}

/// A netlist of Yosys, which is printed, read again, elaborated in several forms, and run. Forms that run
/// give the same outputs.
pub fn netlist(data: &[u8]) {
    let Ok(json) = std::str::from_utf8(data) else {
        return;
    };
    let named = yosys::read_named_netlist(json, "named.json");
    let Some(found) = read(yosys::read_netlist(json, "netlist.json")) else {
        assert!(named.is_err(), "names are no mistake");
        return;
    };
    let named = named.expect("names are no mistake");
    let printed = text::print(&found.design);
    let again = read(text::parse(&printed, "printed")).expect("it is a design");
    assert_eq!(printed, text::print(&again), "printed and read again");
    let Ok(root) = found.root(None, "netlist.json") else {
        return;
    };
    for warning in unconnected(
        &found.design,
        &DesignHierarchy::new(&found.design, root).order,
    ) {
        assert!(!warning.message.is_empty(), "a warning is described");
    }
    let forms = [
        options(Arrays::None, false, Backend::Interpreter),
        options(Arrays::Auto, false, Backend::best()),
    ];
    let mut ran = forms.iter().filter_map(|options| {
        let mut run = read(build(&found.design, root, options))?;
        Some(outputs(&mut run))
    });
    if let (Some(one), Some(other)) = (ran.next(), ran.next()) {
        assert_eq!(one, other, "flat and in arrays");
    }
    for clocks in [Clocks::OfStimulus, Clocks::Periods(periods())] {
        let options = Options {
            clocks,
            ..options(Arrays::Auto, false, Backend::best())
        };
        if let Some(mut run) = read(build(&found.design, root, &options)) {
            let _ = outputs(&mut run);
        }
    }
    let four_state = options(Arrays::Auto, true, Backend::best());
    if let Some(mut run) = read(build(&found.design, root, &four_state)) {
        let _ = outputs(&mut run);
        let _ = (run.unknown_flops(), run.unknown_outputs());
    }
    recorded(&named);
    guessed(data, &found);
}

/// Builds a design whose names are all looked at.
fn recorded(named: &Netlist) {
    let Ok(root) = named.root(None, "named.json") else {
        return;
    };
    let Some(tree) = read(InstanceTree::new(&named.design, &named.net_vectors, root)) else {
        return;
    };
    let kept = vec![true; tree.signal_count()];
    let selection = NetSelection {
        tree: &tree,
        kept: &kept,
    };
    let options = options(Arrays::Auto, false, Backend::best());
    if let Some(mut run) = read(build_recorded(&named.design, root, &options, selection)) {
        let _ = outputs(&mut run);
        for (vector, recorded) in run.recorded().iter().enumerate() {
            if recorded.twin.is_none() {
                let levels = vec![true; run.wave_clocks().len()];
                let _ = run.recorded_bit(vector, 0, 0, &levels);
            }
        }
    }
}

/// Proposes a component file for each module.
fn guessed(data: &[u8], netlist: &Netlist) {
    let path = file("guessed.json", data);
    for module in netlist.design.modules.iter().take(3) {
        let files = [path.clone()];
        let read_with = Default::default();
        if let Some(found) = read(guess::read(&files, &module.name, &read_with)) {
            let _ = guess::propose(&found, &["guessed.json".to_owned()], &read_with);
        }
    }
}

fn known() -> Netlist {
    yosys::read_named_netlist(DESIGN, "adder.json").expect("a netlist")
}

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
}

/// A stimulus: VCD if it begins with `$`, else CSV.
pub fn stimulus(data: &[u8]) {
    RUN.with_borrow_mut(|run| {
        let run = run.get_or_insert_with(|| {
            let netlist = known();
            let root = netlist.root(None, "adder.json").expect("a top");
            let options = options(Arrays::None, true, Backend::Interpreter);
            build(&netlist.design, root, &options).expect("a run")
        });
        let found = if data.starts_with(b"$") {
            let Some(wave) = read(vcd_reader::read("stimulus.vcd", data)) else {
                return;
            };
            let clocks = run.wave_clocks();
            let sampled = [None, Some(10)].map(|period| {
                let sampling = vcd::Sampling {
                    period,
                    ..vcd::Sampling::default()
                };
                read(vcd::sample(
                    "stimulus.vcd",
                    &wave,
                    run.inputs(),
                    &clocks,
                    &sampling,
                ))
            });
            sampled.into_iter().flatten().collect()
        } else {
            let Ok(table) = std::str::from_utf8(data) else {
                return;
            };
            Vec::from_iter(read(csv::read("stimulus.csv", table, run.inputs())))
        };
        for mut stimulus in found {
            let first = stimulus.drives.first().map_or(0, |drive| drive.cycle);
            for cycle in (0..CYCLES).chain(first..first.saturating_add(CYCLES)) {
                stimulus.seek(cycle);
                stimulus.apply(run, 0..REPLICAS, cycle, None);
                run.settle();
            }
        }
    });
}

/// A network whose ports and messages conditions name.
static NETWORK: LazyLock<Simulation> = LazyLock::new(|| {
    let text = "[network]\nkind = 'fat-tree'\nnodes = 4\n[traffic]\npattern = 'random'\n";
    let config = Config::parse(text, "run.toml", Path::new("."), &[]).expect("right");
    Simulation::new(&config).expect("a network")
});

/// A condition on the names of a netlist or on a network, a pattern of names, and a window, as options have
/// them.
pub fn condition(data: &[u8]) {
    let Some([condition, pattern, window]) = parts(data) else {
        return;
    };
    let netlist = known();
    let root = netlist.root(None, "adder.json").expect("a top");
    let tree = InstanceTree::new(&netlist.design, &netlist.net_vectors, root).expect("names");
    for four_state in [false, true] {
        if let Err(mistake) = NetCondition::parse(condition, &tree, four_state) {
            assert!(!mistake.message.is_empty(), "a mistake is described");
        }
    }
    let (network, fabric) = (NETWORK.network(), NETWORK.fabric());
    if let Err(mistake) = parse(condition, network, fabric, &SignalSet::default()) {
        assert!(!mistake.message.is_empty(), "a mistake is described");
    }
    let patterns: Vec<&str> = pattern.lines().collect();
    let _ = read(select("--scope", &tree, &patterns));
    if let Ok(window) = CycleWindow::parse("--window", window) {
        assert!(window.first <= window.last, "a window has cycles");
        let _ = window.times(10, 3);
    }
}
