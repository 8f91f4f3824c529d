//! Memory that a run takes, and the messages where memory is limited.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use crosswave_base::file::PendingFile;
use crosswave_gate::{Backend, GateEngine};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use serde_json::Value;

use crate::support::{Case, process};

/// Factor by which the estimate may be off.
const FACTOR: f64 = 1.5;

const PROGRAM: &str = env!("CARGO_BIN_EXE_crosswave");

/// The variable with the arguments of a run that is measured.
const MEASURED: &str = "CROSSWAVE_MEASURED_RUN";

fn configuration(folder: &Path, kind: &str) -> String {
    let path = folder.join(format!("{kind}.toml"));
    let size = match kind {
        "m-port-n-tree" => "ports=4\nlevels=2",
        "fat-pyramid" | "fat-stack" => "levels=2",
        _ => "nodes=64",
    };
    let text = format!("[network]\nkind='{kind}'\n{size}\n[traffic]\npattern='random'\n");
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

/// Runs the program that a variable names and says how much was resident at most. It is
/// called in a process of its own, which counts what its children took.
#[test]
fn a_run_that_is_measured() {
    let Ok(arguments) = std::env::var(MEASURED) else {
        return;
    };
    let output = Command::new(PROGRAM).args(arguments.lines()).output();
    let output = output.expect("the program starts");
    // Runs end after a few cycles, most of them before messages are delivered.
    assert!(matches!(output.status.code(), Some(0 | 1)), "{output:?}");
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("usage");
    println!("resident {}", usage.max_rss() * 1024);
}

/// Bytes that were resident at most in a run.
fn resident(arguments: &[String]) -> f64 {
    let output = Command::new(std::env::current_exe().expect("the program knows its path"))
        .args(process::only(module_path!(), &["a_run_that_is_measured"]))
        .arg("--nocapture")
        .env(MEASURED, arguments.join("\n"))
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    let bytes = said.split("resident ").nth(1).expect("a number");
    let digits: String = bytes.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

#[test]
fn runs_take_what_info_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let both = &["gate", "event"];
    let cases: [(&str, &[&str], &[&str]); 23] = [
        // Small ones, of which most is the program.
        ("fat-tree", &["network.nodes=2"], both),
        ("fat-tree", &["network.nodes=2", "run.threads=256"], both),
        ("fat-tree", &["network.nodes=64"], both),
        ("fat-tree", &["network.nodes=1024"], both),
        ("fat-tree", &["network.nodes=16384"], both),
        ("bidelta", &["network.nodes=16"], both),
        ("bidelta", &["network.nodes=1024"], both),
        ("bidelta", &["network.nodes=16384"], both),
        ("binary-fat-tree", &["network.nodes=2"], both),
        ("m-port-n-tree", &[], both),
        (
            "m-port-n-tree",
            &[
                "network.ports=16",
                "network.levels=2",
                "router.release='tail'",
            ],
            both,
        ),
        ("fat-pyramid", &[], both),
        ("fat-stack", &[], both),
        ("fat-tree", &["network.nodes=65536"], &["gate", "event"]),
        (
            "fat-tree",
            &["network.nodes=8192", "network.link_delay_cycles=8"],
            &["gate", "event"],
        ),
        (
            "bidelta",
            &["network.nodes=4096", "traffic.repeat=100"],
            &["gate", "event"],
        ),
        (
            "binary-fat-tree",
            &["network.nodes=8192"],
            &["gate", "event"],
        ),
        (
            "binary-fat-tree",
            &[
                "network.nodes=8192",
                "router.queue_packets=1",
                "run.engine=event",
            ],
            &["event"],
        ),
        (
            "m-port-n-tree",
            &["network.ports=32", "network.levels=3", "traffic.repeat=20"],
            &["gate", "event"],
        ),
        ("fat-pyramid", &["network.levels=8"], &["gate", "event"]),
        // 32 of them run at a time.
        (
            "fat-tree",
            &["traffic.repeat=1000", "run.replicates=40"],
            &["gate"],
        ),
        // Those that are done leave nothing behind.
        (
            "bidelta",
            &[
                "network.nodes=1024",
                "traffic.repeat=400",
                "run.replicates=6",
            ],
            &["event"],
        ),
        (
            "fat-tree",
            &[
                "network.nodes=1024",
                "traffic.repeat=1000",
                "run.threads=16",
            ],
            &["gate", "event"],
        ),
    ];
    let excesses = both.map(|engine| (engine, excess(folder.path(), engine)));
    let mut wrong = Vec::new();
    for (kind, settings, engines) in cases {
        let (arguments, info) = told(folder.path(), kind, &[settings, &[SHORT][..]].concat());
        for engine in engines {
            let expected = bytes(&info, &format!("{engine}_engine_bytes"));
            let run = [
                &["run".to_owned(), format!("--engine={engine}")],
                &arguments[..],
            ]
            .concat();
            let (_, excess) = excesses.iter().find(|(of, _)| of == engine).expect("known");
            wrong.extend(compared(&run, expected, *excess));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A run that ends early: what it takes does not depend on how long it is.
const SHORT: &str = "run.cycles_max=300";

/// The arguments of a run, and what `info` says of it.
fn told(folder: &Path, kind: &str, settings: &[&str]) -> (Vec<String>, Value) {
    let mut arguments = vec![configuration(folder, kind)];
    for setting in settings {
        arguments.extend(["--set".to_owned(), setting.to_string()]);
    }
    let info = Command::new(PROGRAM)
        .arg("info")
        .args(&arguments)
        .args(["--json", "-"])
        .output();
    let info = serde_json::from_slice(&info.expect("it runs").stdout).expect("JSON");
    (arguments, info)
}

fn bytes(info: &Value, name: &str) -> f64 {
    let bytes = info[name].as_f64();
    bytes.unwrap_or_else(|| panic!("{name} in {info}"))
}

/// Bytes that the program takes more than is said of it, because it is not optimised: its file is
/// larger then, and more of it is mapped. Found by a run that takes next to nothing else, on the
/// engine in question: each maps its own part of the file.
///
/// # Panics
/// When an optimised one takes more or less than is said.
fn excess(folder: &Path, engine: &str) -> f64 {
    let (arguments, info) = told(folder, "fat-tree", &["network.nodes=2"]);
    let run = ["run".to_owned(), format!("--engine={engine}")];
    let run = [&run, &arguments[..]].concat();
    let expected = bytes(&info, &format!("{engine}_engine_bytes"));
    let found = resident(&run);
    let is_near = (1.0 / FACTOR..FACTOR).contains(&(found / expected));
    let is_optimised = !cfg!(debug_assertions);
    assert!(
        is_near || !is_optimised,
        "{found} bytes, and {expected} expected"
    );
    (found - expected).max(0.0)
}

/// A complaint about a run that takes more or less than is expected, beside the excess of the
/// program.
fn compared(run: &[String], expected: f64, excess: f64) -> Option<String> {
    let found = resident(run) - excess;
    let is_near = (1.0 / FACTOR..FACTOR).contains(&(found / expected));
    let mib = |bytes: f64| bytes / 1048576.0;
    let (found, expected) = (mib(found), mib(expected));
    let said = format!("{run:?}: {found:.1} MiB, and {expected:.1} expected");
    (!is_near).then_some(said)
}

/// Files of what becomes of each message take more in large networks, and more with more messages
/// until as much waits as is written together.
#[test]
fn files_of_records_take_what_info_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: [(&str, &[&str]); 6] = [
        ("fat-tree", &["network.nodes=64"]),
        ("fat-tree", &["network.nodes=1024"]),
        ("fat-tree", &["network.nodes=1024", "traffic.repeat=10"]),
        ("fat-tree", &["network.nodes=8192"]),
        ("bidelta", &["network.nodes=4096"]),
        ("m-port-n-tree", &["network.ports=16", "network.levels=3"]),
    ];
    let mut files = vec![
        ("--events", "e.jsonl", "events_bytes"),
        ("--transactions", "t.ftr", "transactions_ftr_bytes"),
        ("--transactions", "t.json", "transactions_json_bytes"),
    ];
    if cfg!(feature = "parquet") {
        files.push(("--events", "e.parquet", "events_table_bytes"));
    }
    let excess = excess(folder.path(), "event");
    let mut wrong = Vec::new();
    for (kind, settings) in cases {
        let (arguments, info) = told(folder.path(), kind, settings);
        for (option, name, more) in &files {
            let expected = bytes(&info, "event_engine_bytes") + bytes(&info, more);
            let path = folder.path().join(name).display().to_string();
            let begin = ["run", "--engine=event", option, &path].map(str::to_owned);
            let run = [&begin, &arguments[..]].concat();
            wrong.extend(compared(&run, expected, excess));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Runs the program with a limit on its address space.
fn limited(kibibytes: u32, arguments: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", "ulimit -v \"$0\" && exec \"$@\""])
        .args([&kibibytes.to_string(), PROGRAM])
        .args(arguments)
        .output()
        .expect("a shell")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_run_that_takes_more_than_is_granted_is_not_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = configuration(folder.path(), "fat-tree");
    let vcd = folder.path().join("run.vcd").display().to_string();
    let large = [
        "run",
        &tree,
        "--set",
        "network.nodes=1048576",
        "--vcd",
        &vcd,
    ];
    let output = limited(300_000, &large);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let message = said(&output);
    for part in [
        "memory: the run takes about ",
        "and the system grants ",
        "the limit on its address space (ulimit -v)",
        "lower network.nodes",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let output = limited(300_000, &["run", &tree, "--set", "traffic.repeat=200000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("lower traffic.repeat or traffic.messages"));
    // The messages of a trace are counted when it has been read.
    let mut trace = String::from("t_ns,source,destination,bytes\n");
    for message in 0..500_000 {
        trace += &format!("{message},{},63,1\n", message % 63);
    }
    std::fs::write(folder.path().join("long.csv"), trace).expect("a file");
    let traced = folder.path().join("traced.toml");
    let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\ntrace='long.csv'\n";
    std::fs::write(&traced, text).expect("a file");
    let traced = traced.display().to_string();
    // The program takes a part of its address space itself, more with each that is added to it.
    let is_told = |kibibytes: u32| {
        let output = limited(kibibytes, &["run", &traced, "--engine", "event"]);
        output.status.code() == Some(2) && said(&output).contains("lower traffic.limit")
    };
    assert!((60_000..200_000).step_by(5_000).any(is_told));
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 3, "two configurations and a trace");
}

#[test]
fn a_run_that_is_granted_enough_is_not_disturbed() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = configuration(folder.path(), "fat-tree");
    for engine in ["gate", "event"] {
        let output = limited(200_000, &["run", &tree, "--engine", engine]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

/// The variable that asks for more threads than there is memory for.
const MANY_THREADS: &str = "CROSSWAVE_MANY_THREADS";

/// Makes an engine of 256 threads where the address space has room for fewer. It is called in a
/// process of its own.
#[test]
fn an_engine_that_gets_too_few_threads() {
    if std::env::var_os(MANY_THREADS).is_none() {
        return;
    }
    let case = Case::new("[network]\nkind='fat-tree'\nnodes=32768\n[traffic]\npattern='random'\n");
    let pages = std::fs::read_to_string("/proc/self/statm").expect("the system says it");
    let pages: u64 = pages
        .split(' ')
        .next()
        .expect("the size")
        .parse()
        .expect("a number");
    let granted = pages * 4096 + (300 << 20);
    setrlimit(Resource::RLIMIT_AS, granted, granted).expect("a limit");
    let netlist = crosswave_chips::netlists::plain;
    let engine = GateEngine::new(case.fabric, netlist, 1, 256, Backend::best());
    let error = engine.err().expect("stacks of 2 MiB do not fit");
    println!("told {error}");
}

#[test]
fn threads_that_are_not_given_are_told_of() {
    let output = Command::new(std::env::current_exe().expect("the program knows its path"))
        .args(process::only(
            module_path!(),
            &["an_engine_that_gets_too_few_threads"],
        ))
        .arg("--nocapture")
        .env(MANY_THREADS, "1")
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    match printed.split_once("told ") {
        Some((_, told)) => {
            assert!(told.contains("of 256 threads and gives no more"), "{told}");
            assert!(told.contains("take fewer threads"), "{told}");
        }
        // Stacks fill the address space, and another allocation may be the first to fail.
        None => assert!(
            said(&output).contains("memory"),
            "{printed}{}",
            said(&output)
        ),
    }
}

/// More threads than processors are not started, so that even those of a machine whose address
/// space has no room for them are no reason to fail.
#[test]
fn threads_beyond_the_processors_are_not_started() {
    if std::thread::available_parallelism().is_ok_and(|processors| processors.get() > 16) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let tree = configuration(folder.path(), "fat-tree");
    let output = limited(300_000, &["run", &tree, "--set", "run.threads=256"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}

/// Memory for records counts before a run begins.
#[test]
fn records_that_take_more_than_is_granted_are_not_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = configuration(folder.path(), "fat-tree");
    let [events, transactions] = ["e.jsonl", "t.ftr"].map(|name| {
        let path = folder.path().join(name);
        path.display().to_string()
    });
    let large = ["network.nodes=131072", "--engine", "event"];
    let with = [
        &["run", &tree, "--set"],
        &large[..],
        &["--events", &events, "--transactions", &transactions],
    ];
    let output = limited(500_000, &with.concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let message = said(&output);
    for part in [
        ", and following the messages ",
        "or leave out --events and --transactions",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn an_export_that_takes_more_than_is_granted_is_not_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    for kind in ["fat-tree", "bidelta"] {
        let text = configuration(folder.path(), kind);
        let out = folder.path().join(kind).display().to_string();
        let export = ["export", &text, "--verilog", &out, "--set"];
        let large = [&export[..], &["network.nodes=16384"]].concat();
        let output = limited(170_000, &large);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(
            said(&output).contains("memory: the export takes about "),
            "{}",
            said(&output)
        );
        let small = [&export[..], &["network.nodes=256"]].concat();
        let output = limited(170_000, &small);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

/// Memory for a waveform counts; the network has some millions of signals.
#[test]
fn a_waveform_that_takes_more_than_is_granted_is_not_begun() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = configuration(folder.path(), "fat-tree");
    let vcd = folder.path().join("run.vcd").display().to_string();
    let run = [
        "run", &tree, "-q", "--engine", "event", "--vcd", &vcd, "--set",
    ];
    let sets = ["network.nodes=16384", "--set", "run.cycles_max=20", "--set"];
    let all = [&run[..], &sets, &["wave.scopes=['*']"]].concat();
    let output = limited(300_000, &all);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    let message = said(&output);
    assert!(
        message.contains("and the recorder of the waveform "),
        "{message}"
    );
    assert!(
        message.contains("lower what wave.scopes selects"),
        "{message}"
    );
    let one = [&run[..], &sets, &["wave.scopes=['**.node_3']"]].concat();
    let output = limited(300_000, &one);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(
        said(&output).contains("were not delivered"),
        "{}",
        said(&output)
    );
    // The names of a scope alone are made, and not those of all.
    let arguments: Vec<String> = one.iter().map(|&argument| argument.to_owned()).collect();
    let without: Vec<String> = ["run", &tree, "-q", "--engine", "event", "--set"]
        .into_iter()
        .chain(sets[..3].iter().copied())
        .map(str::to_owned)
        .collect();
    let (with, without) = (resident(&arguments), resident(&without));
    assert!(with < 1.5 * without, "{with} and {without} without");
}

#[test]
fn an_allocation_that_fails_ends_the_program_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::from("$var wire 1 ! a $end $enddefinitions $end\n");
    for time in 0..3_000_000 {
        text += &format!("#{time}\n{}!\n", time % 2);
    }
    let long = folder.path().join("long.vcd").display().to_string();
    std::fs::write(&long, text).expect("a file");
    let output = limited(90_000, &["show", &long, "--period", "1", "--json", "-"]);
    assert_eq!(output.status.code(), Some(5), "{}", said(&output));
    let message = said(&output);
    assert!(
        message.starts_with("error: memory: the system gave no more when "),
        "{message}"
    );
    assert!(
        message.contains("bytes were asked for\n  help: lower "),
        "{message}"
    );
}

/// The variable with the folder in which a program runs out of memory.
const OUT_OF_MEMORY: &str = "CROSSWAVE_OUT_OF_MEMORY";

/// Asks for more than there is while files are unfinished. It is called in a process of its
/// own.
#[test]
fn a_program_that_runs_out_of_memory() {
    let Ok(folder) = std::env::var(OUT_OF_MEMORY) else {
        return;
    };
    let folder = Path::new(&folder);
    let pending: Vec<PendingFile> = ["one.vcd", "two.csv"]
        .iter()
        .map(|name| PendingFile::create(&folder.join(name)).unwrap_or_else(|e| panic!("{e}")))
        .collect();
    for file in &pending {
        let mut file = file.file();
        file.write_all(b"half").expect("writable");
    }
    let unfinished = std::fs::read_dir(folder).expect("a folder").count();
    println!("unfinished {unfinished}");
    setrlimit(Resource::RLIMIT_AS, 1 << 30, 1 << 30).expect("a limit");
    let asked = std::hint::black_box(vec![1_u8; 4 << 30]);
    drop((asked, pending));
}

#[test]
fn a_program_that_runs_out_of_memory_leaves_no_unfinished_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(std::env::current_exe().expect("the program knows its path"))
        .args(process::only(
            module_path!(),
            &["a_program_that_runs_out_of_memory"],
        ))
        .arg("--nocapture")
        .env(OUT_OF_MEMORY, folder.path())
        .output()
        .expect("the program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{printed}{}", said(&output));
    assert!(printed.contains("unfinished 2"), "{printed}");
    assert!(
        said(&output).contains("error: memory: "),
        "{}",
        said(&output)
    );
    let left = std::fs::read_dir(folder.path()).expect("a folder").count();
    assert_eq!(left, 0, "no unfinished file and no other one");
}
