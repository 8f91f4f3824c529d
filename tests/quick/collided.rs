//! The trigger `collided`: it fires in the cycle in which a router rejects, in all kinds of networks
//! of circuits and on both engines, and says who met there.

use std::path::Path;

use serde_json::Value;

use super::triggers::{attempts, events, triggered};
use crate::program::{crosswave, failure, files, success, workplace, write};

/// Kinds of networks of circuits, with traffic that collides.
const KINDS: [(&str, &str); 5] = [
    ("fat-tree", "nodes = 16"),
    ("bidelta", "nodes = 64"),
    ("butterfly", "nodes = 64"),
    ("m-port-n-tree", "ports = 4\nlevels = 3"),
    ("transit", "nodes = 64"),
];

/// A configuration of a kind.
fn configuration(folder: &Path, kind: &str, size: &str, repeat: u32) {
    let text = format!(
        "[network]\nkind = \"{kind}\"\n{size}\n\
         [traffic]\npattern = \"random\"\nwords = 9\nrepeat = {repeat}\n"
    );
    write(folder, "kind.toml", &text);
}

/// Standard error of a run, which has to succeed.
fn said(folder: &Path, condition: &str, more: &[&str]) -> String {
    let run = [
        "run",
        "kind.toml",
        "-q",
        "--trigger",
        condition,
        "--wave",
        "c.vcd",
    ];
    let output = crosswave(folder, &[&run[..], more].concat());
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{condition}: {said}");
    said
}

/// The collision of an attempt, and the key by which the first one is found.
fn collision(event: &Value) -> Option<(u64, &Value)> {
    let collision = &event["collision"];
    Some((collision["cycle"].as_u64()?, collision))
}

#[test]
fn collisions_trigger_where_routers_reject() {
    for (kind, size) in KINDS {
        let place = workplace();
        let folder = place.path();
        configuration(folder, kind, size, 6);
        let events = events(folder, "kind.toml", &["--set", "run.engine=event"]);
        let all: Vec<(&Value, u64, &Value)> = attempts(&events)
            .filter_map(|event| collision(event).map(|(cycle, found)| (event, cycle, found)))
            .collect();
        let &(_, first, _) = all.iter().min_by_key(|(_, cycle, _)| cycle).expect(kind);
        for engine in ["event", "gate"] {
            let engine = format!("run.engine={engine}");
            let more = ["--set", &engine];
            assert_eq!(
                triggered(folder, "kind.toml", "collided", &more),
                [first],
                "{kind}"
            );
        }
        // The sender is told later.
        let more = ["--set", "run.engine=event"];
        let told = triggered(folder, "kind.toml", "rejected", &more)[0];
        assert!(told > first, "{kind}: {told} {first}");
        // The last attempt that met another one, by its message, node and router.
        let (event, _, found) = all
            .iter()
            .rev()
            .find(|(_, _, found)| {
                found["rivals"]
                    .as_array()
                    .is_some_and(|all| !all.is_empty())
            })
            .expect(kind);
        let message = &event["message"];
        let router = found["router"].as_str().expect("a name");
        let first_of = |is: &dyn Fn(&Value, &Value) -> bool| {
            let cycles = all.iter().filter(|(event, _, found)| is(event, found));
            cycles.map(|(_, cycle, _)| *cycle).min().expect("it is one")
        };
        let conditions = [
            (
                format!("collided(message={message})"),
                first_of(&|event, _| event["message"] == *message),
            ),
            (
                format!("collided(node={})", event["source"]),
                first_of(&|of, _| of["source"] == event["source"]),
            ),
            (
                format!("collided(router={router})"),
                first_of(&|_, found| found["router"] == router),
            ),
            (
                format!("collided(message={message}, router={router})"),
                first_of(&|event, found| event["message"] == *message && found["router"] == router),
            ),
        ];
        for (condition, cycle) in conditions {
            let found = triggered(folder, "kind.toml", &condition, &more);
            assert_eq!(found, [cycle], "{kind}: {condition}");
        }
        let text = said(
            folder,
            &format!("collided(message={message}, router={router})"),
            &more,
        );
        assert!(text.contains(&format!(": {router} (")), "{kind}: {text}");
        assert!(
            text.contains(&format!(" rejects message {message} (attempt ")),
            "{text}"
        );
        assert!(
            text.contains(" at input ") && text.contains("; it wanted output "),
            "{text}"
        );
    }
}

/// The words about a collision are those of the events, and a level is that of results.
#[test]
fn a_collision_names_both_messages() {
    let place = workplace();
    let folder = place.path();
    configuration(folder, "fat-tree", "nodes = 64", 20);
    let events = events(folder, "kind.toml", &["--set", "run.engine=event"]);
    for level in 0..6_u64 {
        let of_level: Vec<_> = attempts(&events)
            .filter_map(|event| {
                let (cycle, found) = collision(event)?;
                let router = found["router"].as_str()?;
                (router.split('_').nth(1)? == level.to_string()).then_some((cycle, found, event))
            })
            .collect();
        let Some(&(cycle, ..)) = of_level.iter().min_by_key(|(cycle, ..)| *cycle) else {
            continue;
        };
        let condition = format!("collided(level={level})");
        let more = ["--set", "run.engine=event", "--viewer-files"];
        let said = said(folder, &condition, &more);
        assert!(
            said.contains(&format!("triggered in cycle {cycle},")),
            "{said}"
        );
        // All that are in this cycle at this level.
        let here: Vec<_> = of_level.iter().filter(|(at, ..)| *at == cycle).collect();
        let told: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with("  cycle "))
            .collect();
        assert_eq!(told.len(), here.len(), "{said}");
        for (_, found, event) in here {
            let begin = format!(
                "  cycle {cycle}: {} (level {level}) rejects message {} (attempt {}, node {} to \
                 node {}) at input {}; it wanted output ",
                found["router"].as_str().expect("a name"),
                event["message"],
                event["attempt"],
                event["source"],
                event["destination"],
                found["input"].as_str().expect("a name"),
            );
            let line = told.iter().find(|line| line.starts_with(&begin));
            let line = line.unwrap_or_else(|| panic!("{begin}\n{said}"));
            for rival in found["rivals"].as_array().expect("a list") {
                let since = &rival["since_cycle"];
                let held = match *since == cycle {
                    true => format!("won {} in this cycle", rival["output"].as_str().unwrap()),
                    false => format!(
                        "holds {} since cycle {since}",
                        rival["output"].as_str().unwrap()
                    ),
                };
                let expected = format!(
                    "message {} (attempt {}) from input {} {held}",
                    rival["message"],
                    rival["attempt"],
                    rival["input"].as_str().expect("a name")
                );
                assert!(line.contains(&expected), "{expected}\n{line}");
            }
        }
        assert!(files(folder).contains(&"c.gtkw".to_owned()));
        std::fs::remove_file(folder.join("c.gtkw")).expect("it is there");
        std::fs::remove_file(folder.join("c.sucl")).expect("it is there");
    }
}

#[test]
fn packets_do_not_collide() {
    let place = workplace();
    let folder = place.path();
    let run = [
        "run",
        "packets.toml",
        "--trigger",
        "collided",
        "--wave",
        "p.vcd",
    ];
    for (network, help) in [
        (
            "kind = \"binary-fat-tree\"\nnodes = 8",
            "`**.conflict != 0`",
        ),
        ("kind = \"fat-stack\"\nlevels = 2", "`**.lost != 0`"),
    ] {
        let text = format!("[network]\n{network}\n[traffic]\npattern = \"random\"\nwords = 1\n");
        write(folder, "packets.toml", &text);
        let said = failure(folder, &run, 2);
        assert!(
            said.contains("are packets, and no router rejects one"),
            "{said}"
        );
        assert!(said.contains(help), "{said}");
    }
}

/// A window of the configuration limits the search, which is said, and can be taken away.
#[test]
fn a_window_that_limits_the_search_is_said() {
    let place = workplace();
    let folder = place.path();
    configuration(folder, "fat-tree", "nodes = 16", 6);
    let text = crate::program::read(folder, "kind.toml");
    write(
        folder,
        "kind.toml",
        &format!("{text}[wave]\nwindow_cycles = [0, 5]\n"),
    );
    let run = [
        "run",
        "kind.toml",
        "-q",
        "--trigger",
        "acknowledged",
        "--wave",
        "c.vcd",
    ];
    let limited = failure(folder, &run, 1);
    let line = "the trigger is looked for in cycles 0 to 5 only, as wave.window_cycles says; \
                --unset wave.window_cycles searches the whole run";
    assert!(limited.starts_with(line), "{limited}");
    assert!(limited.contains("never true in cycles 0 to 5"), "{limited}");
    assert!(
        limited.contains("without that key the whole run is searched"),
        "{limited}"
    );
    let free = said(folder, "acknowledged", &["--unset", "wave.window_cycles"]);
    assert!(free.starts_with("c.vcd: triggered in cycle "), "{free}");
    // Any key can be taken away, and set again.
    let info = |more: &[&str]| {
        success(
            folder,
            &[&["run", "kind.toml", "--json", "-"], more].concat(),
        )
    };
    let json = |text: String| -> Value { serde_json::from_str(&text).expect("JSON") };
    let default = json(info(&["--unset", "traffic.repeat"]));
    assert_eq!(default["config"]["traffic"]["repeat"], 1);
    let set = json(info(&[
        "--unset",
        "traffic.repeat",
        "--set",
        "traffic.repeat=3",
    ]));
    assert_eq!(set["config"]["traffic"]["repeat"], 3);
    let required = failure(folder, &["run", "kind.toml", "--unset", "network.nodes"], 2);
    assert!(required.contains("network.nodes"), "{required}");
    let unknown = failure(
        folder,
        &["run", "kind.toml", "--unset", "wave.windw_cycles"],
        2,
    );
    assert!(
        unknown.contains("--unset wave.windw_cycles: unknown key"),
        "{unknown}"
    );
    assert!(
        unknown.contains("did you mean `window_cycles` in [wave]?"),
        "{unknown}"
    );
    let value = failure(folder, &["run", "kind.toml", "--unset", "run.seed=1"], 2);
    assert!(
        value.contains("--unset run.seed=1: found a value"),
        "{value}"
    );
}
