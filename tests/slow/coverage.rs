//! The nets that toggle, against those that Icarus Verilog shows of the same run inside the exported chips.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crosswave_run::config::Config;
use serde_json::Value;

use crate::program::{root, shell, success, workplace, write};
use crate::support::plain_vcd;

/// A change of a net: its chip, its name, and true when it rose.
type Change = (String, String, bool);

/// The program's word on the nets that have a name: whether each change happened, and whether it is
/// proved impossible.
fn told(folder: &Path, file: &str, arguments: &[&str]) -> BTreeMap<Change, (bool, bool)> {
    success(
        folder,
        &[
            &[
                "run",
                file,
                "--engine",
                "gate",
                "--quiet",
                "--coverage",
                "c.json",
            ],
            arguments,
        ]
        .concat(),
    );
    let text = fs::read_to_string(folder.join("c.json")).expect("written");
    let report: Value = serde_json::from_str(&text).expect("JSON");
    let mut told = BTreeMap::new();
    for chip in report["chips"].as_array().expect("a list") {
        let name = chip["chip"].as_str().expect("a name");
        for net in chip["nets"].as_array().expect("a list") {
            let of = net["net"].as_str().expect("a name");
            if of.contains('$') {
                continue;
            }
            let never = net["reason"] == "never";
            for (rose, key) in [(true, "rose"), (false, "fell")] {
                let change = (name.to_owned(), of.to_owned(), rose);
                told.insert(change, (net[key] == true, never));
            }
        }
    }
    told
}

/// The same of Icarus, in all instances.
fn seen(
    folder: &Path,
    file: &str,
    told: &BTreeMap<Change, (bool, bool)>,
) -> BTreeMap<Change, bool> {
    success(folder, &["export", file, "--verilog", "out"]);
    let bench = folder.join("out/testbench.v");
    let text = fs::read_to_string(&bench).expect("written");
    // All signals in place of those of ports.
    let all = text.replace(
        "`ifdef VERILATOR\n      $dumpvars",
        "`ifndef NOTHING\n      $dumpvars",
    );
    assert_ne!(text, all);
    fs::write(&bench, all).expect("it is there");
    shell(folder, "sh out/run-icarus.sh +vcd=all.vcd");
    let values = plain_vcd::values(&fs::read_to_string(folder.join("all.vcd")).expect("written"));
    let text = fs::read_to_string(folder.join(file)).expect("it is there");
    let config = Config::parse(&text, file, folder, &[]).unwrap_or_else(|error| panic!("{error}"));
    let fabric = config.topology().fabric();
    let mut seen = BTreeMap::new();
    for (number, array) in fabric.arrays.iter().enumerate() {
        for instance in 0..array.instances {
            let place = format!(
                "testbench.network.{}",
                fabric.instance_name(number, instance)
            );
            for (chip, net, rose) in told.keys().filter(|(chip, _, _)| *chip == array.chip.name) {
                let whole = net.rsplit_once('[').filter(|(_, bit)| bit.ends_with(']'));
                let (name, bit) = match whole {
                    Some((name, bit)) => (name, bit[..bit.len() - 1].parse().expect("a bit")),
                    None => (net.as_str(), 0),
                };
                // The reader takes vectors of up to 64 bits.
                let last = (chip.clone(), format!("{name}[64]"), true);
                if told.contains_key(&last) || bit > 63 {
                    continue;
                }
                let Some(values) = values.get(&format!("{place}.{name}")) else {
                    continue;
                };
                let bits: Vec<bool> = values
                    .iter()
                    .filter(|(cycle, _)| **cycle > 0)
                    .map(|(_, value)| value >> bit & 1 != 0)
                    .collect();
                // Values of cycle 1 may have been set before.
                let before = values.range(..=1).next_back();
                let first = before.map(|(_, value)| value >> bit & 1 != 0);
                let bits: Vec<bool> = first.into_iter().chain(bits).collect();
                let happened = bits.windows(2).any(|pair| pair == [!rose, *rose]);
                let key = (chip.clone(), net.clone(), *rose);
                *seen.entry(key).or_insert(false) |= happened;
            }
        }
    }
    seen
}

fn compare(folder: &Path, file: &str, at_least: usize) {
    let told = told(folder, file, &[]);
    let seen = seen(folder, file, &told);
    let mut wrong = Vec::new();
    for (change, &happened) in &seen {
        let (counted, never) = told[change];
        if counted != happened || never && happened {
            wrong.push((change, counted, happened, never));
        }
    }
    let happened = seen.values().filter(|happened| **happened).count();
    assert!(
        wrong.is_empty(),
        "{} of {}: {wrong:#?}",
        wrong.len(),
        seen.len()
    );
    assert!(
        seen.len() >= at_least,
        "{file}: {} changes, {happened} happened",
        seen.len()
    );
    assert!(happened > 0 && happened < seen.len(), "{file}: {happened}");
}

#[test]
fn icarus_shows_the_same_changes() {
    let work = workplace();
    let folder = work.path();
    let networks = [
        ("fat-tree", "nodes=16\n", 100),
        ("bidelta", "nodes=16\n", 100),
        ("m-port-n-tree", "ports=4\nlevels=2\n", 100),
        ("fat-stack", "levels=2\n", 100),
        (
            "binary-fat-tree",
            "nodes=8\n[router]\nqueue_packets=8\n",
            100,
        ),
    ];
    for (kind, size, at_least) in networks {
        let text = format!(
            "[network]\nkind='{kind}'\n{size}[traffic]\npattern='random'\nwords=2\nrepeat=2\n"
        );
        let file = format!("{kind}.toml");
        write(folder, &file, &text);
        compare(folder, &file, at_least);
        fs::remove_dir_all(folder.join("out")).expect("written");
    }
}

/// The last cycle of a run counts: the one in which its only message is done.
#[test]
fn icarus_shows_the_same_changes_of_one_message() {
    let work = workplace();
    let folder = work.path();
    for (kind, size) in [("fat-tree", "nodes=16\n"), ("bidelta", "nodes=16\n")] {
        let text = format!(
            "[network]\nkind='{kind}'\n{size}[traffic]\npattern='pair'\nsource=0\ndestination=13\nwords=3\n"
        );
        let file = format!("{kind}.toml");
        write(folder, &file, &text);
        compare(folder, &file, 100);
        fs::remove_dir_all(folder.join("out")).expect("written");
    }
}

/// A router of one's own, in a run that goes on beyond the cycles in which all nets are watched.
#[test]
fn icarus_shows_the_same_changes_in_a_router_of_ones_own() {
    let work = workplace();
    let folder = work.path();
    for name in ["mesh_router.sv", "mesh_router.toml"] {
        let text = fs::read_to_string(root("examples/routers").join(name)).expect("it is there");
        write(folder, name, &text);
    }
    let text = "[network]\nkind='mesh'\ncomponent='mesh_router.toml'\nsize=[3, 2]\nlocal='local'\n\
                axes=[['west','east'],['north','south']]\n[traffic]\npattern='steady'\nload=0.05\nwords=3\n\
                cycles=3000\n";
    write(folder, "mesh.toml", text);
    compare(folder, "mesh.toml", 100);
}
