//! Butterfly fat trees, fat stacks and fat pyramids as configurations: runs, clocks, what is told of
//! them, and what is refused.

use serde_json::Value;

use crate::program::{failure, success, workplace, write};

const KINDS: [&str; 4] = [
    "kind = 'butterfly-fat-tree'",
    "kind = 'fat-stack'",
    "kind = 'fat-stack'\nvariant = 'general'",
    "kind = 'fat-pyramid'",
];

/// The JSON of a command, without what differs between engines.
fn json(folder: &std::path::Path, arguments: &[&str]) -> Value {
    let arguments = [arguments, &["--json", "-"]].concat();
    let mut found: Value = serde_json::from_str(&success(folder, &arguments)).expect("JSON alone");
    let document = found.as_object_mut().expect("an object");
    document.retain(|key, _| !["config", "engine", "performance"].contains(&&key[..]));
    found
}

/// Networks of 64 processors each, with traffic of every sort, on both engines.
#[test]
fn messages_of_every_sort_arrive_alike_on_both_engines() {
    let place = workplace();
    let folder = place.path();
    for kind in KINDS {
        for traffic in [
            "pattern = 'random'\nrepeat = 3\nwords = 8",
            "pattern = 'transpose'\nwords = 20",
            "pattern = 'hot-spot'\ndestination = 9\nwords = 4",
            "pattern = 'steady'\nload = 0.3\nwords = 6\ncycles = 300\nwarmup_cycles = 50",
        ] {
            let delays = match traffic.contains("random") {
                true => "link_delay_cycles = 'geometry'\ncells_per_cycle = 2\n",
                false => "",
            };
            let text = format!("[network]\n{kind}\nlevels = 3\n{delays}[traffic]\n{traffic}\n");
            write(folder, "run.toml", &text);
            let gate = json(folder, &["run", "run.toml"]);
            let event = json(
                folder,
                &["run", "run.toml", "--set", "run.engine=\"event\""],
            );
            assert_eq!(gate, event, "{text}");
            let messages = &gate["messages"];
            assert_eq!(messages["delivered"], messages["offered"], "{text}");
        }
    }
}

/// A message alone takes three clocks a switch, three more, and one for each of its words.
#[test]
fn a_message_alone_takes_three_clocks_a_switch() {
    let place = workplace();
    let folder = place.path();
    let mut seen = std::collections::BTreeSet::new();
    for kind in KINDS {
        for (destination, words) in [(1, 1), (3, 5), (22, 9), (63, 2)] {
            let text = format!(
                "[network]\n{kind}\nlevels = 3\n[traffic]\npattern = 'pair'\nsource = 0\n\
                 destination = {destination}\nwords = {words}\n"
            );
            write(folder, "run.toml", &text);
            let destination = destination.to_string();
            let route = json(folder, &["route", "run.toml", "0", &destination]);
            let switches = route["routers"].as_u64().expect("a number");
            let run = json(folder, &["run", "run.toml"]);
            // With the clock from the offer to the wire.
            let latency = 1 + 3 * switches + 3 + words;
            assert_eq!(run["latency_cycles"]["max"], latency, "{run:#}");
            seen.insert(switches);
        }
    }
    assert!(seen.len() > 3, "{seen:?}");
}

/// A place of a buffer is used again after 4 clocks and twice those of the wire, so a link with k extra
/// clocks carries 4 flits in 4 + 2k clocks.
#[test]
fn long_wires_carry_four_flits_at_a_time() {
    let place = workplace();
    let folder = place.path();
    for extra in [0u64, 1, 5] {
        let [short, long] = [4, 404].map(|words| {
            let text = format!(
                "[network]\nkind = 'butterfly-fat-tree'\nlevels = 1\nlink_delay_cycles = {extra}\n\
                 [traffic]\npattern = 'pair'\nsource = 0\ndestination = 3\nwords = {words}\n"
            );
            write(folder, "run.toml", &text);
            let run = json(folder, &["run", "run.toml"]);
            run["latency_cycles"]["max"].as_u64().expect("a number")
        });
        assert_eq!(long - short, 100 * (4 + 2 * extra));
        let route = json(folder, &["route", "run.toml", "0", "3"]);
        assert_eq!(route["link_delay_cycles"], 2 * extra);
    }
}

#[test]
fn what_is_no_network_of_the_frame_is_refused() {
    let place = workplace();
    let folder = place.path();
    let mut said = String::new();
    for keys in [
        "kind = 'fat-pyramid'",
        "kind = 'fat-pyramid'\nlevels = 0",
        "kind = 'butterfly-fat-tree'\nlevels = 9",
        "kind = 'fat-stack'\nlevels = 3\nring = 5",
        "kind = 'fat-stack'\nlevels = 3\nvariant = 'general'\nprocessors = 'alone'",
        "kind = 'fat-stack'\nlevels = 4\nvariant = 'general'",
        "kind = 'fat-pyramid'\nlevels = 8\nprocessors = 'linked'",
        "kind = 'fat-pyramid'\nlevels = 2\nring_capacity = 'upward'",
        "kind = 'butterfly-fat-tree'\nlevels = 2\nring = 4",
        "kind = 'fat-stack'\nlevels = 2\nnodes = 16",
        "kind = 'fat-stack'\nlevels = 2\ncapacities = [1, 2]",
        "kind = 'fat-stack'\nlevels = 2\nlink_delay_cycles = [1, 2]",
        "kind = 'fat-stack'\nlevels = 2\nlink_delay_cycles = 65\ncells_per_cycle = 3",
        "kind = 'fat-stack'\nlevels = 2\nlink_delay_cycles = 2\ncells_per_cycle = 3",
    ] {
        let text = format!("[network]\n{keys}\n[traffic]\npattern = 'random'\n");
        write(folder, "run.toml", &text);
        said += &format!("--- {}\n", keys.replace('\n', ", "));
        said += &failure(folder, &["run", "run.toml"], 2);
    }
    insta::assert_snapshot!(said);
}

#[test]
fn info_and_route_name_switches_as_the_paper_does() {
    let place = workplace();
    let folder = place.path();
    let mut said = String::new();
    for kind in KINDS {
        let text = format!("[network]\n{kind}\nlevels = 3\n[traffic]\npattern = 'random'\n");
        write(folder, "run.toml", &text);
        said += &success(folder, &["route", "run.toml", "5", "58"]);
        let info = success(folder, &["info", "run.toml"]);
        let told = ["network", "switches", "links", "wires", "diameter"];
        let lines = info
            .lines()
            .filter(|line| told.iter().any(|name| line.trim_start().starts_with(name)));
        said.extend(lines.map(|line| format!("{line}\n")));
        said.push('\n');
    }
    insta::assert_snapshot!(said);
}
