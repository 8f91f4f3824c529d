//! `crosswave netlist --scope`: names inside designs, against Icarus Verilog.
//!
//! Needs Yosys and Icarus Verilog.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crosswave_design::{
    Arrays, Clocks, InstanceTree, NetSelection, Options, Run, Twin, build_recorded,
};
use crosswave_gate::Backend;
use crosswave_netlist::yosys::NetVector;
use crosswave_netlist::{Bit as NetBit, BitRange, Design as NetlistDesign, Net, NetId, text};
use crosswave_probe::signal::Hierarchy;
use crosswave_wave::{self as wave, Bit, Waveform};

use super::netlist::{BUTTERFLY_TREE, MESH, failure, pin, random_design};
use crate::support::designs::{
    Design, Verilog, crosswave, csv, icarus_of, random_rows, synthesise, synthesise_flat,
};

const NESTED: Design = Design {
    top: "nested",
    source: "tests/designs/nested.v",
    reset: ("rst", '1'),
    inputs: &[pin("enable", 1), pin("in", 8)],
    outputs: &[pin("out", 32), pin("parity", 1)],
};

fn read(file: &Path) -> Waveform {
    wave::read_file(file).unwrap_or_else(|error| panic!("{error}"))
}

/// The signals of a waveform below a path, by the rest of theirs without backslashes.
fn signals(wave: &Waveform, below: &str) -> BTreeMap<String, usize> {
    let paths = (0..wave.signals.len()).filter_map(|signal| {
        // Icarus Verilog keeps the backslash of escaped names, and so does crosswave.
        let path = wave.path(signal).replace('\\', "");
        Some((path.strip_prefix(below)?.to_owned(), signal))
    });
    paths.collect()
}

/// The digits of a signal at a time.
fn digits(wave: &Waveform, signal: usize, time: u64) -> String {
    let width = wave.signals[signal].width;
    let value = wave
        .value_at(signal, time)
        .and_then(|value| value.binary(width));
    value.unwrap_or_else(|| "x".repeat(width as usize))
}

/// The names of a waveform that crosswave wrote of a design, each of which has in every cycle the
/// value of the one in the dump of Icarus. Values that Icarus does not know are compared when `x` is set.
/// In a netlist that is `partial` Yosys has removed bits at the left of some names, and what drives
/// other bits, which are X.
pub(super) fn same_as_icarus(
    design: &Design,
    folder: &Path,
    file: &str,
    other: &Waveform,
    cycles: usize,
    x: bool,
    partial: bool,
) -> BTreeMap<String, u32> {
    let own = read(&folder.join(file));
    let found = signals(&own, &format!("{}.", design.top));
    let expected = signals(other, "bench.dut.");
    let mut known = 0;
    for (path, &signal) in &found {
        let Some(&other_signal) = expected.get(path) else {
            panic!("{file}: Icarus has no {path}");
        };
        for cycle in 0..cycles as u64 {
            // The clock is 0 at both times.
            let found = digits(&own, signal, 10 * cycle + 7);
            let expected = digits(other, other_signal, 10 * cycle + 4);
            let expected = match partial {
                true => &expected[expected.len() - found.len()..],
                false => &expected,
            };
            if x || !expected.contains(['x', 'z']) {
                let mut bits = found.chars().zip(expected.chars());
                let same = |(found, expected)| found == expected || partial && found == 'x';
                let place = format!("{file}: {path} in cycle {cycle}");
                assert!(bits.all(same), "{place}: {found}, expected {expected}");
                known += 1;
            }
        }
    }
    assert!(x || known > found.len() * cycles / 2, "{known} values");
    let widths = found.into_iter();
    let widths = widths.map(|(path, signal)| (path, own.signals[signal].width));
    widths.collect()
}

/// Runs a design that has been synthesised, with each of the options, and compares every name. The
/// names and their widths.
fn check(
    design: &Design,
    folder: &Path,
    cycles: usize,
    verilog: Verilog,
    options: &[&[&str]],
    partial: bool,
) -> BTreeMap<String, u32> {
    let mut names = None;
    for x in [false, true] {
        // A source takes X in conditions as 0, and a netlist passes it on.
        let known = x && verilog == Verilog::Source;
        let rows = random_rows(design, cycles, 5, x && !known);
        fs::write(folder.join("s.csv"), csv(design, &rows)).expect("writable");
        icarus_of(design, &rows, folder, true, verilog);
        let dump = read(&folder.join("icarus.vcd"));
        for (index, extra) in options.iter().enumerate() {
            let file = ["out.vcd", "out.fst"][index % 2];
            let mut arguments = vec!["netlist", "netlist.json", "--stimulus", "s.csv"];
            arguments.extend(["--quiet", "--wave", file, "--scope", "*"]);
            arguments.extend_from_slice(extra);
            if x {
                arguments.push("--four-state");
            }
            crosswave(folder, &arguments);
            let found = same_as_icarus(design, folder, file, &dump, cycles, x && !known, partial);
            assert_eq!(
                names.get_or_insert_with(|| found.clone()),
                &found,
                "{extra:?}"
            );
        }
    }
    names.expect("names")
}

#[test]
fn names_inside_are_those_of_the_source() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&NESTED, folder);
    let options: &[&[&str]] = &[
        &[],
        &["--array", "lane"],
        &["--array", "stage", "--array", "stage(STEP=3)"],
        &["--array", "stage(STEP=4)", "--lanes", "1"],
        &["--flat"],
    ];
    check(&NESTED, folder, 60, Verilog::Source, options, false);
    let names = check(&NESTED, folder, 60, Verilog::Netlist, options, false);
    assert_eq!(names.len(), 88);
    assert_eq!(names["lanes[3].held[11:4]"], 8);
    assert_eq!(names["lanes[0].in[0:7]"], 8);
    assert_eq!(names["pairs[1].high.total"], 8);
}

#[test]
fn names_inside_a_design_that_yosys_flattened() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise_flat(&NESTED, folder);
    let names = check(
        &NESTED,
        folder,
        60,
        Verilog::Source,
        &[&[], &["--flat"]],
        true,
    );
    assert_eq!(names["lanes[3].held[11:4]"], 8);
    assert_eq!(names["pairs[1].high.total"], 8);
    assert_eq!(
        names["pairs[0].both"], 15,
        "Yosys leaves out the bit that nothing reads"
    );
}

#[test]
fn names_inside_arrays_with_paths_through_neighbours() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&MESH, folder);
    let options: &[&[&str]] = &[&[], &["--array", "element"], &["--flat"]];
    check(&MESH, folder, 40, Verilog::Netlist, options, false);
}

/// Modules that differ in constants share an array here, each with its own names.
#[test]
fn names_inside_arrays_that_modules_share() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&BUTTERFLY_TREE, folder);
    check(
        &BUTTERFLY_TREE,
        folder,
        6,
        Verilog::Netlist,
        &[&[], &["--flat"]],
        false,
    );
}

/// Runs the example, and gives the standard error of a pattern that is wrong.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let all = ["netlist", "netlist.json", "--cycles", "2"];
    failure(folder, &[&all, arguments].concat(), 2)
}

#[test]
fn patterns_without_a_name_are_refused() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&NESTED, folder);
    let mut said = String::new();
    for arguments in [
        &["--vcd", "w.vcd", "--scope", "nested.lanes[7]"][..],
        &["--vcd", "w.vcd", "--scope", "**.totl", "--scope", "*"],
        &["--vcd", "w.vcd", "--scope", "held*"],
        &["--vcd", "w.vcd", "--scope", "nested..held"],
        &["--scope", "*"],
    ] {
        said += &format!(
            "$ {}\n{}\n",
            arguments.join(" "),
            refused(folder, arguments)
        );
    }
    insta::assert_snapshot!("scope_patterns", said);
    assert!(!folder.join("w.vcd").exists());
}

/// The head of a file: scopes, ranges as in the source, and one code for names of the same bits.
#[test]
fn head_of_a_waveform_with_names_inside() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&NESTED, folder);
    let mut arguments = vec!["netlist", "netlist.json", "--cycles", "3", "--quiet"];
    arguments.extend(["--reset", "rst", "--vcd", "w.vcd"]);
    arguments.extend([
        "--scope",
        "nested.lanes[2]",
        "--scope",
        "**.low.*",
        "--scope",
        "**.both",
    ]);
    crosswave(folder, &arguments);
    let text = fs::read_to_string(folder.join("w.vcd")).expect("a waveform");
    insta::assert_snapshot!("scope_head", text.split("#10\n").next().expect("a head"));
}

/// A waveform with names inside is a stimulus that gives itself, also beside other runs.
#[test]
fn runs_side_by_side_have_their_own_names_inside() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let folder = place.path();
    synthesise(&NESTED, folder);
    let base = ["netlist", "netlist.json", "--scope", "**.total", "--quiet"];
    let mut together = base.to_vec();
    together.extend(["--array", "lane", "--random-seed", "4", "--lanes", "70"]);
    together.extend(["--cycles", "20", "--reset", "rst", "--vcd", "w.vcd"]);
    crosswave(folder, &together);
    let read = |file: &str| fs::read(folder.join(file)).expect("a waveform");
    assert_ne!(read("w.0.vcd"), read("w.69.vcd"));
    for file in ["w.0.vcd", "w.69.vcd"] {
        let mut again = base.to_vec();
        again.extend([
            "--stimulus",
            file,
            "--stimulus-scope",
            "nested",
            "--vcd",
            "again.vcd",
        ]);
        crosswave(folder, &again);
        assert_eq!(read(file), read("again.vcd"));
    }
}

/// The value of every net of every instance, by path, in a run that records them all.
fn values(tree: &InstanceTree<'_>, run: &Run, replica: usize) -> BTreeMap<String, Bit> {
    let values = run.recorded().iter().enumerate().map(|(index, vector)| {
        let mut path = vector.name.clone();
        let mut scope = Some(vector.scope);
        while let Some(at) = scope {
            path = format!("{}.{path}", tree.scope_name(at));
            scope = tree.parent(at);
        }
        let value = match vector.twin {
            None => run.recorded_bit(index, 0, replica, &[true]),
            Some(Twin::Clock(_)) => Bit::One,
            Some(Twin::Input(input)) => run.input(run.inputs()[input].first, replica),
            Some(Twin::Output(output)) => run.output(run.outputs()[output].first, replica),
            Some(Twin::Vector(vector)) => run.recorded_bit(vector, 0, replica, &[true]),
        };
        (path, value)
    });
    values.collect()
}

#[test]
fn nets_inside_arrays_are_those_of_the_flat_design() {
    for seed in 0..24 {
        let instances = [3, 20, 70][seed as usize % 3];
        let replicas = [1, 3, 70][seed as usize / 3 % 3];
        let text = random_design(seed, instances);
        let design: NetlistDesign = text::parse(&text, "random").expect("a design");
        let names = design.modules.iter().map(|module| {
            let nets = module.nets.iter().enumerate();
            let vector = |(net, named): (usize, &Net)| NetVector {
                name: named.name.to_string(),
                bits: vec![Some(NetBit::Net(NetId(net as u32)))],
                range: BitRange::default(),
            };
            nets.map(vector).collect::<Vec<_>>()
        });
        let names: Vec<Vec<NetVector>> = names.collect();
        let tree = InstanceTree::new(&design, &names, 1).expect("few names");
        let kept = vec![true; tree.signal_count()];
        for four_state in [false, true] {
            let run = |arrays: Arrays, backend: Backend| {
                let options = Options {
                    clocks: Clocks::One(None),
                    four_state,
                    arrays,
                    replicas,
                    backend,
                    is_saved: false,
                };
                let selection = NetSelection {
                    tree: &tree,
                    kept: &kept,
                };
                let run = build_recorded(&design, 1, &options, selection);
                run.unwrap_or_else(|error| panic!("{error}"))
            };
            let mut runs = [
                run(Arrays::Named(vec!["part".to_owned()]), Backend::best()),
                run(Arrays::None, Backend::Interpreter),
            ];
            for cycle in 0..8 {
                for run in &mut runs {
                    for input in 0..run.inputs().len() {
                        if !four_state || cycle > 2 {
                            run.drive_random(input, seed, cycle);
                        }
                    }
                    run.settle();
                }
                for replica in [0, replicas - 1] {
                    let [array, flat] = runs.each_ref().map(|run| values(&tree, run, replica));
                    assert!(array.len() > 12 * instances);
                    assert_eq!(array, flat, "seed {seed} cycle {cycle}\n{text}");
                }
                runs.iter_mut().for_each(Run::edge);
            }
        }
    }
}
