//! Nets inside the chips, as signals of a waveform.

use std::collections::BTreeMap;

use crosswave_observe::export;
use crosswave_run::config::Config;

use crate::program::{failure, read, success, workplace, write};
use crate::support;
use crate::support::plain_vcd::{paths, values};

const TREE: &str = "[network]\nkind = \"fat-tree\"\nnodes = 16\n\
     [traffic]\npattern = \"random\"\nwords = 4\nrepeat = 3\n[run]\nseed = 7\n\
     [wave]\nscopes = [\"**.router_0_0\"]\nnets = [\"*\"]\n";

const BIDELTA: &str = "[network]\nkind = \"bidelta\"\nnodes = 16\n\
     [traffic]\npattern = \"pairs\"\npairs = [[0, 15], [1, 15], [2, 15], [7, 3]]\n\
     [run]\ncycles_max = 1000\n\
     [wave]\nscopes = [\"**.node_0\"]\nnets = [\"*\"]\n";

/// The value of a signal in each cycle from 1 on, where it is known.
fn by_cycle(of_signal: &BTreeMap<u64, u64>, cycles: u64) -> Vec<Option<u64>> {
    let at = |cycle| {
        of_signal
            .range(..=cycle)
            .next_back()
            .map(|(_, value)| *value)
    };
    (1..=cycles).map(at).collect()
}

/// All named nets are what Icarus Verilog shows of the sources from which the netlists were made.
/// Gives how many signals were compared, and how many of them changed.
fn against_icarus(text: &str) -> (usize, usize) {
    let folder = workplace();
    let place = folder.path();
    write(place, "net.toml", text);
    success(place, &["run", "net.toml", "--wave", "nets.vcd", "-q"]);
    let own = values(&read(place, "nets.vcd"));

    let config = Config::parse(text, "test", place, &[]).unwrap_or_else(|e| panic!("{e}"));
    let dir = place.join("verilog");
    export::write(&config, "test", &dir).unwrap_or_else(|error| panic!("{error}"));
    // Not the ports alone, but everything.
    let bench = std::fs::read_to_string(dir.join("testbench.v")).expect("a test bench");
    let begin = bench
        .find("      $dumpvars(0, testbench);")
        .expect("Verilator's");
    let end = begin + bench[begin..].find("`endif").expect("its end");
    let all = format!(
        "`endif\n      $dumpvars(0, testbench);\n{}",
        &bench[end + 6..]
    );
    let bench = format!("{}{all}", &bench[..begin]);
    std::fs::write(dir.join("testbench.v"), bench).expect("a test bench");
    let model = support::build_icarus(&dir);
    let mut options = support::plusargs(&config, &place.join("messages.csv"));
    options.push(format!("+vcd={}", place.join("icarus.vcd").display()));
    let cycles = support::run_cycles(&model, &options);
    let peer = values(&read(place, "icarus.vcd"));

    let (mut compared, mut changed) = (0, 0);
    for (path, of_signal) in own
        .iter()
        .filter(|(path, _)| path.starts_with("testbench.nets."))
    {
        let there = path.replacen("testbench.nets.", "testbench.network.", 1);
        // A bit of a vector that is not whole.
        let (there, bit) = match (peer.get(&there), there.rsplit_once('[')) {
            (None, Some((name, bit))) => (name.to_owned(), bit.trim_end_matches(']').parse().ok()),
            _ => (there, None::<u32>),
        };
        let of_peer = peer
            .get(&there)
            .unwrap_or_else(|| panic!("Icarus has no {there}"));
        let own = by_cycle(of_signal, cycles);
        let peer = by_cycle(of_peer, cycles);
        for (cycle, (own, peer)) in (1..).zip(own.iter().zip(&peer)) {
            let Some(peer) = peer else { continue };
            let peer = bit.map_or(*peer, |bit| peer >> bit & 1);
            assert_eq!(*own, Some(peer), "{path} in cycle {cycle}");
        }
        compared += 1;
        changed += usize::from(own.windows(2).any(|pair| pair[0] != pair[1]));
    }
    (compared, changed)
}

#[test]
fn nets_of_the_four_port_tree_are_those_of_icarus() {
    let (compared, changed) = against_icarus(TREE);
    // 32 routers and 16 interfaces.
    assert!(compared > 32 * 12 + 16 * 6, "{compared}");
    assert!(changed > compared / 4, "{changed} of {compared}");
}

#[test]
fn nets_of_rn1_and_its_interface_are_those_of_icarus() {
    let (compared, changed) = against_icarus(BIDELTA);
    assert!(compared > 1000, "{compared}");
    assert!(changed > 100, "{changed} of {compared}");
}

/// The same bytes from both engines; a window and what is around a trigger are parts of the
/// whole; and so is what a run shows that is taken up at a checkpoint.
#[test]
fn nets_are_the_same_however_they_are_recorded() {
    let folder = workplace();
    let place = folder.path();
    write(place, "net.toml", TREE);
    let nets = ["--set", "wave.nets=[\"**.router_1_0.**\"]", "-q"];
    let run = |more: &[&str]| {
        success(place, &[&["run", "net.toml"], more, &nets].concat());
    };
    run(&["--engine", "gate", "--wave", "gate.vcd"]);
    run(&["--engine", "event", "--wave", "event.vcd"]);
    assert_eq!(read(place, "gate.vcd"), read(place, "event.vcd"));
    run(&["--wave", "all.fst"]);
    success(place, &["diff", "gate.vcd", "all.fst"]);

    let window = "wave.window_cycles=[20,60]";
    run(&["--wave", "window.vcd", "--set", window]);
    run(&["--checkpoints", "c.bin", "--checkpoint-every", "16"]);
    let replay = [
        "replay",
        "net.toml",
        "--checkpoints",
        "c.bin",
        "--from",
        "20",
        "--to",
        "60",
    ];
    let replay = [&replay[..], &["--wave", "replay.vcd"], &nets[..2]].concat();
    success(place, &replay);
    assert_eq!(read(place, "window.vcd"), read(place, "replay.vcd"));

    run(&[
        "--trigger",
        "**.router_1_0.a_state == DRAIN",
        "--set",
        "wave.before_cycles=5",
        "--set",
        "wave.after_cycles=7",
        "--wave",
        "around.vcd",
    ]);
    let (whole, around) = (
        values(&read(place, "gate.vcd")),
        values(&read(place, "around.vcd")),
    );
    let mut cycles: Vec<u64> = around.values().flat_map(|of| of.keys().copied()).collect();
    cycles.sort_unstable();
    let (first, last) = (cycles[0], cycles[cycles.len() - 1]);
    assert!(last - first <= 12 && first > 0, "{first} to {last}");
    for (path, shown) in &around {
        let at = |of: &BTreeMap<u64, u64>, cycle| of.range(..=cycle).next_back().map(|(_, v)| *v);
        for cycle in first..=last {
            assert_eq!(
                at(shown, cycle),
                at(&whole[path], cycle),
                "{path} in {cycle}"
            );
        }
    }
}

#[test]
fn signals_lists_nets_and_wrong_patterns_are_told() {
    let folder = workplace();
    let place = folder.path();
    write(place, "net.toml", TREE);
    let listed = success(place, &["signals", "net.toml"]);
    assert!(
        listed.contains("testbench.nets.router_0_0.input_a"),
        "{listed}"
    );
    assert!(listed.contains("in_valid_q"), "{listed}");
    assert!(listed.contains("of messages and nets"), "{listed}");
    let json = success(place, &["signals", "net.toml", "--json", "-"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert!(json["beside"].as_u64() > Some(32 * 12), "{json}");

    let wrong = [
        "signals",
        "net.toml",
        "--set",
        "wave.nets=[\"testbench.nets.router_0_0.input_a.bypas\"]",
    ];
    let said = failure(place, &wrong, 2);
    assert!(
        said.contains("wave.nets") && said.contains("input_a.bypass`"),
        "{said}"
    );
    let wrong = ["signals", "net.toml", "--set", "wave.nets=[3]"];
    assert!(failure(place, &wrong, 2).contains("such as nets = "));

    success(place, &["run", "net.toml", "--wave", "nets.vcd", "-q"]);
    let shown = paths(&read(place, "nets.vcd"));
    let of_inputs = shown
        .iter()
        .filter(|path| path.ends_with(".input_a.in_valid_q"));
    assert_eq!(of_inputs.count(), 32, "routers");
}
