//! Save files for GTKWave and command files for Surfer: what they name is in the waveform, values
//! with names are shown by name, and nothing that somebody else has made is replaced.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::program::{crosswave, failure, files, read, success, workplace, write};

/// The signals of a waveform, as the reader of Surfer sees them: bits, and whether values have
/// names, by path.
fn declared(path: &Path) -> BTreeMap<String, (Option<u32>, bool)> {
    let wave = wellen::simple::read(path).expect("a waveform");
    let hierarchy = wave.hierarchy();
    let variables = hierarchy.all_vars().map(|variable| {
        let variable = &hierarchy[variable];
        let named = variable.is_string(hierarchy) || variable.enum_type(hierarchy).is_some();
        (
            variable.full_name(hierarchy),
            (variable.length(hierarchy), named),
        )
    });
    variables.collect()
}

/// A row of a save file: its flags, and the signal or the group.
type Row = (u64, String);

fn rows(text: &str) -> Vec<Row> {
    let (mut flags, mut rows) = (0, Vec::new());
    for line in text.lines() {
        match line.strip_prefix('@') {
            Some(hexadecimal) => flags = u64::from_str_radix(hexadecimal, 16).expect("flags"),
            None if line.starts_with(['[', '*']) => {}
            None => rows.push((flags, line.to_owned())),
        }
    }
    rows
}

const GROUP_BEGIN: u64 = 0x80_0000;
const GROUP_END: u64 = 0x100_0000;
const CLOSED: u64 = 0x40_0000;
const ENUMERATION: u64 = 0x1_0000_0000;

/// Compares the files beside a waveform with it, and gives how many signals GTKWave lists.
fn compare(folder: &Path, wave: &str) -> usize {
    let declared = declared(&folder.join(wave));
    let (stem, _) = wave.rsplit_once('.').expect("an ending");
    let text = read(folder, &format!("{stem}.gtkw"));
    assert!(text.contains(&format!("[dumpfile] \"{wave}\"\n")), "{text}");
    assert!(!text.contains('/'), "{text}");
    let (mut open, mut listed) = (Vec::new(), Vec::new());
    for (flags, row) in rows(&text) {
        let group = row.strip_prefix('-').map(str::to_owned);
        match group {
            Some(name) if flags & GROUP_BEGIN != 0 => open.push((name, flags & CLOSED)),
            Some(name) => {
                assert_ne!(flags & GROUP_END, 0, "{row}");
                assert_eq!(open.pop(), Some((name, flags & CLOSED)));
            }
            None => {
                let (path, range) = row.split_once('[').unwrap_or((&row, ""));
                let (bits, named) = declared.get(path).unwrap_or_else(|| panic!("{row}"));
                let expected = match bits {
                    Some(bits) if *bits > 1 => format!("{}:0]", bits - 1),
                    _ => String::new(),
                };
                assert_eq!(range, expected, "{row}");
                // A signal with named values is shown by the names: a string, or an enumeration.
                let has_string = declared.contains_key(&format!("{path}_name"));
                assert!(!has_string, "{row}");
                assert_eq!(flags & ENUMERATION != 0, *named && bits.is_some(), "{row}");
                listed.push(path.to_owned());
            }
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let commands = read(folder, &format!("{stem}.sucl"));
    assert!(!commands.contains(';'), "{commands}");
    for command in commands.lines().skip(1) {
        let words: Vec<&str> = command.split(' ').collect();
        match words[..] {
            ["variable_add", path] => assert!(listed.iter().any(|known| known == path), "{path}"),
            ["divider_add", _] | ["zoom_fit" | "zoom_in" | "goto_cursor"] => {}
            ["cursor_set", time] | ["marker_set", "trigger", time] => {
                assert!(text.contains(&format!(" {time} -1")), "{command}");
            }
            _ => panic!("{command}"),
        }
    }
    let count = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), count, "every signal once");
    assert!(count > 0, "there are signals");
    count
}

#[test]
fn what_is_listed_is_in_the_waveform() {
    let work = workplace();
    let folder = work.path();
    write(
        folder,
        "rn1.toml",
        "[network]\nkind='bidelta'\nnodes=16\n[traffic]\npattern='random'\n",
    );
    for (config, more, at_least) in [
        (
            "small.toml",
            &["--set", "wave.scopes=['**.node_?', '**.router_0_*']"][..],
            100,
        ),
        (
            "small.toml",
            &["--set", "wave.lanes=true", "--set", "wave.levels=[1]"],
            1000,
        ),
        ("rn1.toml", &[], 500),
    ] {
        for wave in ["a.vcd", "a.fst", "a.vcd.gz"] {
            let run = ["run", config, "-q", "--wave", wave, "--viewer-files"];
            let mut made = Vec::new();
            for engine in ["gate", "event"] {
                success(folder, &[&run[..], more, &["--engine", engine]].concat());
                made.push([read(folder, "a.gtkw"), read(folder, "a.sucl")]);
            }
            assert_eq!(made[0], made[1], "{config} {wave}");
            // Surfer's reader does not read compressed VCD.
            if wave == "a.vcd.gz" {
                let text = read(folder, "a.gtkw").replace("a.vcd.gz", "a.vcd");
                success(
                    folder,
                    &[
                        &["run", config, "-q", "--wave", "a.vcd", "--viewer-files"][..],
                        more,
                    ]
                    .concat(),
                );
                assert_eq!(text, read(folder, "a.gtkw"));
                continue;
            }
            let count = compare(folder, wave);
            assert!(count >= at_least, "{config} {wave}: {count}");
        }
    }
}

/// Each window around a moment has its own files, with a marker in the moment.
#[test]
fn moments_are_marked() {
    let work = workplace();
    let folder = work.path();
    let run = [
        "run",
        "small.toml",
        "-q",
        "--wave",
        "m.vcd",
        "--viewer-files",
        "--trigger",
        "rejected",
        "--set",
        "wave.triggers=2",
        "--set",
        "wave.before_cycles=30",
        "--set",
        "wave.after_cycles=9",
    ];
    let said = crosswave(folder, &run).stderr;
    let said = String::from_utf8(said).expect("UTF-8");
    for window in 0..2 {
        compare(folder, &format!("m.{window}.vcd"));
        let told = format!("m.{window}.vcd: triggered in cycle ");
        let (_, cycle) = said.split_once(&told).expect("a moment");
        let (cycle, _) = cycle.split_once(',').expect("a window");
        let time = cycle.parse::<u64>().expect("a cycle") * 10;
        let text = read(folder, &format!("m.{window}.gtkw"));
        assert!(text.contains(&format!("\n*-6.321928 {time} -1 ")), "{text}");
        let commands = read(folder, &format!("m.{window}.sucl"));
        assert!(
            commands.ends_with(&format!("marker_set trigger {time}\n")),
            "{commands}"
        );
    }
    let windows = ["0", "1"].map(|n| ["gtkw", "sucl", "vcd"].map(|end| format!("m.{n}.{end}")));
    let mut expected = windows.concat();
    expected.push("small.toml".into());
    assert_eq!(files(folder), expected);
}

#[test]
fn replays_have_them_too() {
    let work = workplace();
    let folder = work.path();
    success(
        folder,
        &["run", "small.toml", "-q", "--checkpoints", "c.checkpoints"],
    );
    let part = [
        "--from",
        "20",
        "--to",
        "60",
        "--wave",
        "p.fst",
        "--viewer-files",
    ];
    let replay = ["replay", "small.toml", "--checkpoints", "c.checkpoints"];
    success(folder, &[&replay[..], &part].concat());
    compare(folder, "p.fst");
}

#[test]
fn nothing_else_is_replaced() {
    let work = workplace();
    let folder = work.path();
    let run = |more: &[&str], code: i32| {
        let all = [&["run", "small.toml", "-q", "--viewer-files"][..], more].concat();
        failure(folder, &all, code)
    };
    let said = run(&[], 2);
    assert!(
        said.contains("--viewer-files: no waveform is asked for"),
        "{said}"
    );
    for output in ["-", "/dev/stdout", "/dev/fd/1", "/dev/null"] {
        let said = run(&["--vcd", output], 2);
        assert!(
            said.contains("is no file to be beside of"),
            "{output}: {said}"
        );
    }
    let said = run(&["--vcd", "same.gtkw"], 2);
    assert!(said.contains("is the file of --vcd as well"), "{said}");
    // Files that viewers or anybody else have written.
    for name in ["a.gtkw", "a.sucl"] {
        write(folder, name, "[*]\n[*] GTKWave Analyzer\n");
        let said = run(&["--wave", "a.vcd"], 2);
        assert!(
            said.contains(&format!("{name} is there, and was not written here")),
            "{said}"
        );
        fs::remove_file(folder.join(name)).expect("it is there");
    }
    // A waveform that cannot be written leaves nothing.
    run(&["--wave", "a.vcd", "--trigger", "latency > 1000000"], 1);
    assert_eq!(files(folder), ["small.toml"]);
    // Its own files are replaced.
    for _ in 0..2 {
        let all = [
            "run",
            "small.toml",
            "-q",
            "--viewer-files",
            "--wave",
            "a.vcd",
        ];
        success(folder, &all);
    }
    assert_eq!(files(folder), ["a.gtkw", "a.sucl", "a.vcd", "small.toml"]);
}
