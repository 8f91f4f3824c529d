//! Waveforms as VCD, compressed VCD and FST: one content, and what names and options say.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::Command;

use crosswave_wave::{self as wave, SignalKind, Waveform};

use crate::program::{failure, files, root, shell, success, workplace};
use crate::support;

/// The values of every signal in all their digits, by path; names of values under
/// `PATH_name`.
pub(super) type Values = BTreeMap<String, Vec<(u64, String)>>;

pub(super) fn of_vcd(wave: &Waveform) -> Values {
    let signals = 0..wave.signals.len();
    let values = signals.map(|signal| {
        let width = wave.signals[signal].width;
        let changes = wave.changes(signal).iter().map(|change| {
            let shown = match wave.signals[signal].kind {
                SignalKind::Bits => change.value.binary(width).expect("bits"),
                _ => change.value.to_string(),
            };
            (change.time, shown)
        });
        (wave.path(signal), changes.collect())
    });
    values.collect()
}

/// The values that another reader sees in an FST file.
pub(super) fn of_fst(path: &Path) -> Values {
    let mut wave = wellen::simple::read(path).expect("an FST file");
    let hierarchy = wave.hierarchy();
    let declared: Vec<_> = hierarchy
        .all_vars()
        .map(|variable| {
            let variable = &hierarchy[variable];
            let names = variable.enum_type(hierarchy).map(|(_, names)| {
                let name = |&(value, name): &(&str, &str)| (value.to_owned(), name.to_owned());
                names.iter().map(name).collect::<BTreeMap<_, _>>()
            });
            (variable.full_name(hierarchy), variable.signal_ref(), names)
        })
        .collect();
    let all: Vec<_> = declared.iter().map(|declared| declared.1).collect();
    wave.load_signals(&all);
    let mut values = Values::new();
    for (path, signal, names) in declared {
        let changes = wave.get_signal(signal).expect("loaded").iter_changes();
        let times = wave.time_table();
        let shown: Vec<(u64, String)> = changes
            .map(|(at, value)| (times[at as usize], value.to_string()))
            .collect();
        if let Some(names) = names {
            let name = |value: &str| match names.get(value) {
                Some(name) => name.clone(),
                None if value.contains('x') => "X".to_owned(),
                None => format!("?{:x}", u64::from_str_radix(value, 2).expect("binary")),
            };
            let named = shown.iter().map(|(time, value)| (*time, name(value)));
            values.insert(format!("{path}_name"), named.collect());
        }
        values.insert(path, shown);
    }
    values
}

/// An FST file as `fst2vcd` of GTKWave converts it.
fn by_gtkwave(folder: &Path, name: &str) -> Waveform {
    let mut convert = Command::new("fst2vcd");
    convert.args(["-f", name, "-o", "converted.vcd"]);
    support::finish(convert.current_dir(folder));
    wave::read_file(&folder.join("converted.vcd")).expect("VCD")
}

fn bits_of(wave: &Waveform) -> Values {
    let mut values = of_vcd(wave);
    let text = |signal: &usize| wave.signals[*signal].kind == SignalKind::Text;
    for signal in (0..wave.signals.len()).filter(text) {
        values.remove(&wave.path(signal));
    }
    values
}

/// Compares two lists of values and names the first signal that differs.
pub(super) fn assert_same(left: &Values, right: &Values) {
    assert!(!left.is_empty(), "there are signals");
    let paths = |values: &Values| values.keys().cloned().collect::<Vec<_>>();
    assert_eq!(paths(left), paths(right));
    for (path, values) in left {
        assert_eq!(values, &right[path], "{path}");
    }
}

#[test]
fn fst_holds_what_vcd_holds() {
    let work = workplace();
    let folder = work.path();
    let bidelta = ["--set", "network.kind=bidelta"];
    let window = ["--set", "wave.window_cycles=[9, 60]"];
    let few = ["--set", "wave.scopes=['**.node_3', '**.router_1_2']"];
    for (sets, states) in [
        (&[][..], true),
        (&bidelta, true),
        (&window, true),
        (&few, true),
    ] {
        for output in [["--vcd", "a.vcd"], ["--fst", "a.fst"]] {
            success(
                folder,
                &[&["run", "small.toml", "-q"][..], &output, sets].concat(),
            );
        }
        let vcd = wave::read_file(&folder.join("a.vcd")).expect("VCD");
        let fst = of_fst(&folder.join("a.fst"));
        assert_same(&of_vcd(&vcd), &fst);
        let has_states = fst.keys().any(|path| path.ends_with("tx_state_name"));
        assert_eq!(has_states, states);
        let converted = by_gtkwave(folder, "a.fst");
        assert_same(&bits_of(&vcd), &of_vcd(&converted));
        assert_eq!(
            (vcd.end, vcd.timescale),
            (converted.end, converted.timescale)
        );
    }
    let sizes = ["a.vcd", "a.fst"].map(|name| fs::metadata(folder.join(name)).expect("it").len());
    assert!(sizes[1] < sizes[0] / 2, "{sizes:?}");
}

#[test]
fn netlists_are_recorded_as_fst() {
    let work = workplace();
    let folder = work.path();
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    let run = [
        "netlist",
        netlist,
        "--reset",
        "rst",
        "--random-seed",
        "1",
        "--cycles",
        "200",
    ];
    for more in [&[][..], &["--four-state"], &["--lanes", "2"]] {
        for name in ["n.vcd", "n.fst", "n.vcd.gz"] {
            success(folder, &[&run[..], more, &["--wave", name]].concat());
        }
        let numbers = if more.contains(&"--lanes") {
            &[".0", ".1"][..]
        } else {
            &[""]
        };
        for number in numbers {
            let vcd = wave::read_file(&folder.join(format!("n{number}.vcd"))).expect("VCD");
            let fst = format!("n{number}.fst");
            assert_same(&of_vcd(&vcd), &of_fst(&folder.join(&fst)));
            assert_same(&of_vcd(&vcd), &of_vcd(&by_gtkwave(folder, &fst)));
            assert!(folder.join(format!("n{number}.vcd.gz")).exists());
        }
    }
}

/// Engines, threads and the time of day are not in a file.
#[test]
fn fst_has_the_same_bytes_for_the_same_seed() {
    let work = workplace();
    let folder = work.path();
    let mut first = None;
    for (engine, threads) in [("gate", 1), ("gate", 2), ("event", 1), ("event", 3)] {
        let threads = format!("run.threads={threads}");
        let engine = ["--engine", engine, "--set", &threads, "-q"];
        let formats = ["a.fst", "a.vcd.gz"].map(|name| {
            success(
                folder,
                &[&["run", "small.toml", "--wave", name][..], &engine].concat(),
            );
            fs::read(folder.join(name)).expect("written")
        });
        assert!(
            first.get_or_insert_with(|| formats.clone()) == &formats,
            "{engine:?}"
        );
    }
}

#[test]
fn the_end_of_a_name_says_the_format() {
    let work = workplace();
    let folder = work.path();
    let run = |more: &[&str]| success(folder, &[&["run", "small.toml", "-q"][..], more].concat());
    let begins = |name: &str, with: &[u8]| {
        let bytes = fs::read(folder.join(name)).expect("written");
        assert!(bytes.starts_with(with), "{name}");
        bytes
    };
    run(&["--wave", "a.vcd"]);
    let plain = begins("a.vcd", b"$version");
    run(&["--wave", "a.FST"]);
    begins("a.FST", &[0, 0, 0, 0, 0, 0, 0, 1, 73]);
    for option in ["--wave", "--vcd"] {
        run(&[option, "a.vcd.gz"]);
        begins("a.vcd.gz", &[0x1f, 0x8b]);
        let mut unpacked = Vec::new();
        let file = File::open(folder.join("a.vcd.gz")).expect("written");
        let mut decoder = flate2::read::MultiGzDecoder::new(file);
        decoder.read_to_end(&mut unpacked).expect("gzip");
        assert!(unpacked == plain);
    }
    run(&["--wave", "a", "--wave-format", "fst"]);
    begins("a", &[0, 0, 0, 0, 0, 0, 0, 1, 73]);
    assert_eq!(
        run(&["--wave", "-", "--wave-format", "vcd"]).as_bytes(),
        plain
    );

    let refused = |more: &[&str]| {
        failure(
            folder,
            &[&["run", "small.toml", "-q"][..], more].concat(),
            2,
        )
    };
    for name in ["-", "b", "b.gz", "b.ghw", ".fst.txt"] {
        let said = refused(&["--wave", name]);
        assert!(said.contains("--wave-format"), "{said}");
    }
    let said = refused(&["--wave", "b.fst", "--wave-format", "vcd"]);
    assert!(
        said.contains("b.fst ends in .fst, and VCD is the only format"),
        "{said}"
    );
    refused(&["--vcd", "b.vcd", "--fst", "b.fst"]);
    refused(&["--vcd", "b.vcd", "--wave", "b.fst"]);
    refused(&["--vcd", "b.vcd", "--wave-format", "vcd"]);
    refused(&["--wave", "b", "--wave-format", "ghw"]);
    assert_eq!(
        files(folder),
        ["a", "a.FST", "a.vcd", "a.vcd.gz", "small.toml"]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn fst_goes_to_files_only_and_vcd_to_pipes() {
    let work = workplace();
    let folder = work.path();
    shell(folder, "mkfifo pipe");
    for (name, redirection) in [
        ("-", ""),
        ("/dev/stdout", "> out"),
        ("/dev/fd/3", "3>> out"),
        ("pipe", ""),
    ] {
        let line =
            format!("crosswave run small.toml --wave-format fst --wave {name} {redirection}");
        let output = shell(folder, &line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {said}");
        assert!(
            said.contains("the beginning of FST is written last"),
            "{said}"
        );
        assert!(said.contains("help: name a file, or write VCD"), "{said}");
    }
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    failure(
        folder,
        &["netlist", netlist, "--cycles", "4", "--fst", "-"],
        2,
    );
    let line = "cat pipe > out & crosswave run small.toml -q --vcd pipe && wait";
    assert!(shell(folder, line).status.success());
    success(folder, &["run", "small.toml", "-q", "--vcd", "a.vcd"]);
    assert!(fs::read(folder.join("out")).ok() == fs::read(folder.join("a.vcd")).ok());
}

/// A disk that is full leaves no file, whatever the format.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_waveform() {
    let work = workplace();
    let folder = work.path();
    for option in ["--fst", "--vcd"] {
        let said = failure(folder, &["run", "small.toml", "-q", option, "/dev/full"], 4);
        assert!(said.contains("No space left on device"), "{said}");
    }
    for name in ["a.fst", "a.vcd", "a.vcd.gz"] {
        // Blocks of 512 bytes; the signal of a file that is too long is ignored.
        let line = format!("ulimit -f 16; crosswave run small.toml -q --wave {name}");
        let output = shell(folder, &line);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{name}: {said}");
        assert_eq!(files(folder), ["small.toml"], "{name}");
    }
}
