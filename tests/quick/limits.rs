//! What a run takes of memory, and what it says where memory is limited.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use crosswave::file::PendingFile;
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use serde_json::Value;

use crate::support::process;

/// How far the estimate may be off.
const FACTOR: f64 = 1.5;

const PROGRAM: &str = env!("CARGO_BIN_EXE_crosswave");

/// The variable with the arguments of a run that is measured.
const MEASURED: &str = "CROSSWAVE_MEASURED_RUN";

fn configuration(folder: &Path, kind: &str) -> String {
    let path = folder.join(format!("{kind}.toml"));
    let size = match kind {
        "m-port-n-tree" => "ports=4\nlevels=2",
        "fat-pyramid" => "levels=2",
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
    // Runs end after a few cycles, before messages are delivered.
    assert_eq!(output.status.code(), Some(1), "{output:?}");
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
    let cases: [(&str, &[&str], &[&str]); 10] = [
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
    for (kind, settings, engines) in cases {
        let mut arguments = vec![configuration(folder.path(), kind)];
        for setting in settings.iter().chain(&["run.cycles_max=300"]) {
            arguments.extend(["--set".to_owned(), setting.to_string()]);
        }
        let info = Command::new(PROGRAM)
            .arg("info")
            .args(&arguments)
            .args(["--json", "-"])
            .output();
        let info: Value = serde_json::from_slice(&info.expect("it runs").stdout).expect("JSON");
        for engine in engines {
            let mut run = vec![
                "run".to_owned(),
                "--engine".to_owned(),
                (*engine).to_owned(),
            ];
            run.extend_from_slice(&arguments);
            let expected = info[format!("{engine}_engine_bytes")]
                .as_f64()
                .expect("bytes");
            let found = resident(&run);
            let ratio = found / expected;
            assert!(
                (1.0 / FACTOR..FACTOR).contains(&ratio),
                "{engine} {arguments:?}: {:.1} MiB, and {:.1} expected",
                found / 1048576.0,
                expected / 1048576.0
            );
        }
    }
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
    assert!((60_000..110_000).step_by(5_000).any(is_told));
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

#[test]
fn threads_that_are_not_given_are_told_of() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = configuration(folder.path(), "fat-tree");
    let output = limited(300_000, &["run", &tree, "--set", "run.threads=256"]);
    let message = said(&output);
    match output.status.code() {
        Some(2) => {
            assert!(
                message.contains("of 256 threads and gives no more"),
                "{message}"
            );
            assert!(message.contains("take fewer threads"), "{message}");
        }
        // Stacks fill the address space, and another allocation may be the first to fail.
        Some(5) => assert!(message.contains("memory"), "{message}"),
        other => panic!("{other:?}: {message}"),
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
        let output = limited(150_000, &large);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(
            said(&output).contains("memory: the export takes about "),
            "{}",
            said(&output)
        );
        let small = [&export[..], &["network.nodes=256"]].concat();
        let output = limited(150_000, &small);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }
}

/// What is recorded counts; the network has some millions of signals.
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
    let output = limited(60_000, &["show", &long, "--period", "1", "--json", "-"]);
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
        let mut file = file.file().unwrap_or_else(|e| panic!("{e}"));
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
