//! `crosswave activity`: counts and SAIF, against what another reader sees in the same waveform.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::formats::of_fst;
use crate::program::{failure, read, root, success, workplace};

/// Time at 0, 1, X and Z, and toggles.
type Bit = [u64; 5];

/// The bits of a SAIF file by path, and its duration.
fn parsed(text: &str) -> (BTreeMap<String, Bit>, u64) {
    let mut bits = BTreeMap::new();
    let mut scopes: Vec<String> = Vec::new();
    let mut duration = 0;
    let plain = |name: &str| name.replace('\\', "");
    let mut open = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line
            .split(['(', ')', ' '])
            .filter(|word| !word.is_empty())
            .collect();
        match words[..] {
            ["SAIFILE"] | ["NET"] => open.push(false),
            ["INSTANCE", name] => {
                scopes.push(plain(name));
                open.push(true);
            }
            [] if open.pop().expect("an open parenthesis") => drop(scopes.pop()),
            ["DURATION", time] => duration = time.parse().expect("a time"),
            [
                name,
                "T0",
                t0,
                "T1",
                t1,
                "TX",
                tx,
                "TZ",
                tz,
                "TC",
                tc,
                "IG",
                "0",
            ] => {
                let path = format!("{}.{}", scopes.join("."), plain(name));
                let number = |text: &str| text.parse().expect("a number");
                let values = [t0, t1, tx, tz, tc].map(number);
                assert!(bits.insert(path, values).is_none(), "{line}");
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "parentheses match");
    (bits, duration)
}

/// The same of an FST file, of its changes one by one, in the times from `from` to before `to`.
fn counted(file: &Path, from: u64, to: u64) -> BTreeMap<String, Bit> {
    let mut bits = BTreeMap::new();
    for (path, changes) in of_fst(file) {
        let path = path.replace('\\', "").replace(".[", "[");
        let width = changes[0].1.len();
        for position in 0..width {
            let name = match width {
                1 => path.clone(),
                _ => format!("{path}[{}]", width - 1 - position),
            };
            let mut found: Bit = [0; 5];
            let mut last = ' ';
            for (at, (time, value)) in changes.iter().enumerate() {
                let value = value.as_bytes()[position] as char;
                let until = changes.get(at + 1).map_or(to, |next| next.0.min(to));
                let spent = until.saturating_sub((*time).max(from));
                found["01xz".find(value).expect("a bit")] += spent;
                if *time < from {
                    last = ' ';
                }
                if "01".contains(value) {
                    let toggles = last != ' ' && last != value && (from..to).contains(time);
                    found[4] += u64::from(toggles);
                    last = value;
                }
            }
            bits.insert(name, found);
        }
    }
    bits
}

#[test]
fn every_bit_is_what_another_reader_counts() {
    let work = workplace();
    let folder = work.path();
    let netlist = root("examples/bridge/bridge.json");
    let netlist = netlist.to_str().expect("UTF-8");
    let clocks = "--clock left=3 --clock right=2 --reset rst --reset-cycles 12 --random-seed 1";
    let mut arguments = vec![
        "netlist",
        netlist,
        "--four-state",
        "--scope",
        "*",
        "--quiet",
    ];
    arguments.extend(clocks.split(' '));
    arguments.extend(["--cycles", "60", "--fst", "bridge.fst"]);
    success(folder, &arguments);
    let file = folder.join("bridge.fst");
    for (window, from, to) in [("", 0, 605), ("5..20", 50, 210), ("40..", 400, 605)] {
        let mut arguments = vec!["activity", "bridge.fst", "--saif", "bridge.saif"];
        arguments.extend(["--json", "bridge.activity.json"]);
        if !window.is_empty() {
            arguments.extend(["--window", window]);
        }
        let printed = success(folder, &arguments);
        assert!(printed.contains("more signals: --list"), "{printed}");
        let (found, duration) = parsed(&read(folder, "bridge.saif"));
        assert_eq!(duration, to - from);
        let expected = counted(&file, from, to);
        assert_eq!(found.len(), expected.len());
        for (name, bit) in &found {
            assert_eq!(Some(bit), expected.get(name), "{window} {name}");
            assert_eq!(bit[..4].iter().sum::<u64>(), duration, "{name}");
        }
        assert!(!window.is_empty() || found.values().any(|bit| bit[2] > 0 && bit[4] > 2));
        let result = read(folder, "bridge.activity.json");
        let result: Value = serde_json::from_str(&result).expect("JSON");
        let sum: u64 = found.values().map(|bit| bit[4]).sum();
        assert_eq!(result["toggles"], sum);
        assert_eq!(result["bits"], found.len());
    }
}

#[test]
fn nets_inside_the_chips_of_a_network_have_activity() {
    let work = workplace();
    let folder = work.path();
    let config = root("examples/diameter16.toml");
    let run = [
        "run",
        config.to_str().expect("UTF-8"),
        "--quiet",
        "--wave",
        "inside.vcd.gz",
    ];
    let nets = ["--set", "wave.nets=['testbench.nets.router_0_0']"];
    success(folder, &[&run[..], &nets].concat());
    let scope = ["--scope", "testbench.nets.router_0_0", "--list", "4"];
    let printed = success(
        folder,
        &[&["activity", "inside.vcd.gz"], &scope[..]].concat(),
    );
    insta::assert_snapshot!(printed, @r"
    inside.vcd.gz: 24 signals of 58 bits, 290 × 1 ns from 0 on (29.0 cycles)
    18 toggles, 0.0107 for each bit and cycle
    ┌───────────────────────────────────────────────────────────────────────────────────────────────────┐
    │ signal                                          bits   toggles   a bit and cycle     at 1    at X │
    ╞═══════════════════════════════════════════════════════════════════════════════════════════════════╡
    │ testbench.nets.router_0_0.grants.a_turn_level      8        12            0.0517    5.6 %   3.4 % │
    │ testbench.nets.router_0_0.crossbar.a_select        3         2            0.0230   26.4 %   3.4 % │
    │ testbench.nets.router_0_0.input_a.ack              1         2            0.0690    3.4 %   3.4 % │
    │ testbench.nets.router_0_0.input_a.in_valid_q       1         2            0.0690   17.2 %   3.4 % │
    └───────────────────────────────────────────────────────────────────────────────────────────────────┘
    20 more signals: --list 24
    ");
    let saif = success(
        folder,
        &[
            "activity",
            "inside.vcd.gz",
            "--scope",
            "**.router_0_0.input_a",
            "--saif",
            "-",
        ],
    );
    insta::assert_snapshot!(saif, @r#"
    (SAIFILE
    (SAIFVERSION "2.0")
    (DIRECTION "backward")
    (DESIGN )
    (VENDOR "crosswave")
    (PROGRAM_NAME "crosswave")
    (VERSION "0.1.0")
    (DIVIDER / )
    (TIMESCALE 1 ns)
    (DURATION 290)
    (INSTANCE testbench
    (INSTANCE nets
    (INSTANCE router_0_0
    (INSTANCE input_a
    (NET
     (ack (T0 270) (T1 10) (TX 10) (TZ 0) (TC 2) (IG 0))
     (acknowledged (T0 280) (T1 0) (TX 10) (TZ 0) (TC 0) (IG 0))
     (bypass (T0 280) (T1 0) (TX 10) (TZ 0) (TC 0) (IG 0))
     (in_valid_q (T0 230) (T1 50) (TX 10) (TZ 0) (TC 2) (IG 0))
    )
    )
    )
    )
    )
    )
    "#);
}

#[test]
fn states_and_transitions_of_machines_are_counted() {
    let work = workplace();
    let folder = work.path();
    let config = root("examples/hotspot64.toml");
    let config = config.to_str().expect("UTF-8");
    success(folder, &["run", config, "--quiet", "--wave", "all.fst"]);
    for (window, from, to) in [("", 0, u64::MAX), ("3..12", 30, 130)] {
        let mut arguments = vec!["activity", "all.fst", "--states", "**.tx_state"];
        arguments.extend(["--states", "**.rx_state", "--json", "-"]);
        if !window.is_empty() {
            arguments.extend(["--window", window]);
        }
        let found: Value = serde_json::from_str(&success(folder, &arguments)).expect("JSON");
        // Signals that are counted do not matter, nor does the format.
        success(folder, &["run", config, "--quiet", "--wave", "all.vcd"]);
        arguments[1] = "all.vcd";
        arguments.extend(["--scope", "**.node_3.tx_state"]);
        let other: Value = serde_json::from_str(&success(folder, &arguments)).expect("JSON");
        assert_eq!(other["machines"], found["machines"], "{window}");
        for (number, machine) in ["tx_state", "rx_state"].into_iter().enumerate() {
            let mut transitions = BTreeMap::new();
            let mut instances = 0;
            for (path, changes) in of_fst(&folder.join("all.fst")) {
                if !path.ends_with(&format!(".{machine}_name")) {
                    continue;
                }
                instances += 1;
                for pair in changes.windows(2) {
                    if (from..to).contains(&pair[1].0) && pair[0].1 != pair[1].1 {
                        let pair = (pair[0].1.clone(), pair[1].1.clone());
                        *transitions.entry(pair).or_insert(0u64) += 1;
                    }
                }
            }
            let found = &found["machines"][number];
            assert_eq!(found["instances"], instances);
            let listed = found["transitions"].as_array().expect("a list").iter();
            let listed: BTreeMap<(String, String), u64> = listed
                .map(|one| {
                    let text = |key: &str| one[key].as_str().expect("a state").to_owned();
                    let times = one["times"].as_u64().expect("a number");
                    ((text("from"), text("to")), times)
                })
                .collect();
            assert_eq!(listed, transitions, "{window} {machine}");
            let states = found["states"].as_array().expect("a list").iter();
            let shares = states
                .clone()
                .map(|state| state["share"].as_f64().expect("a share"));
            assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9, "{found}");
            let entered = states.map(|state| state["entered"].as_u64().expect("a number"));
            assert_eq!(entered.sum::<u64>(), transitions.values().sum::<u64>());
        }
    }
    let mut arguments = vec![
        "activity",
        "all.fst",
        "--states",
        "**.tx_state",
        "--list",
        "0",
    ];
    arguments.extend(["--scope", "**.node_3.tx_state"]);
    insta::assert_snapshot!(success(folder, &arguments), @r"
    all.fst: 1 signals of 3 bits, 9930 × 1 ns from 0 on (993.0 cycles)
    0 toggles, 0.0000 for each bit and cycle
    **.tx_state: 8 states and 9 transitions in 64 instances
    ┌───────────────────────────────────────────────┐
    │ state      time   entered   to                │
    ╞═══════════════════════════════════════════════╡
    │ BODY      2.8 %        55   RETRY 45, WAIT 10 │
    │ DONE      0.0 %        10   IDLE 9            │
    │ HEADER    0.2 %        55   BODY 55           │
    │ IDLE     91.4 %        73   HEADER 10         │
    │ RETRY     0.1 %        45   ROUND 45          │
    │ ROUND     4.9 %        45   HEADER 45         │
    │ WAIT      0.5 %        10   DONE 10           │
    │ X         0.1 %         0   IDLE 64           │
    └───────────────────────────────────────────────┘
    ");
    let none = failure(folder, &["activity", "all.fst", "--states", "none"], 2);
    assert!(
        none.contains("--states: pattern `none`: matches no"),
        "{none}"
    );
}

#[test]
fn what_has_no_activity_is_refused() {
    let work = workplace();
    let folder = work.path();
    let netlist = root("examples/systolic/systolic.json");
    let netlist = netlist.to_str().expect("UTF-8");
    success(
        folder,
        &[
            "netlist", netlist, "--cycles", "5", "--vcd", "a.vcd", "--quiet",
        ],
    );
    let past = failure(folder, &["activity", "a.vcd", "--window", "9.."], 2);
    let other = failure(folder, &["activity", netlist], 3);
    let none = failure(folder, &["activity", "a.vcd", "--scope", "none"], 2);
    let name = failure(folder, &["activity", "a.vcd", "--saif", "a.vcd"], 2);
    insta::assert_snapshot!([past, other.replace(netlist, "systolic.json"), none, name].concat(), @r"
    error: command line: --window: the waveform ends at 55, and the window begins at 90
      help: --window takes cycles, and --period what they last
    error: systolic.json: content: found JSON, expected a waveform (VCD, also compressed with gzip, or FST)
      help: a netlist is run by `crosswave netlist FILE --cycles N --vcd w.vcd`
    error: --scope: pattern `none`: matches no scope and no signal
      help: did you mean `systolic.a`, `systolic.b` or `systolic.c`?
    error: command line: --saif: a.vcd ends in .vcd, and SAIF is the only format that is written here
      help: name a file that ends in .saif, and convert it afterwards
    ");
}
