//! m-port n-trees as configurations: routings, tables, failures, packets with queues, and what is
//! refused.

use serde_json::Value;

use crate::program::{failure, success, workplace, write};

const TREE: &str = "[network]\nkind = 'm-port-n-tree'\nports = 8\nlevels = 2\n";
const PACKETS: &str = "[network]\nkind = 'm-port-n-tree-packets'\nports = 8\nlevels = 2\n\
                       [run]\nengine = 'event'\n";
const TRAFFIC: &str = "[traffic]\npattern = 'random'\nrepeat = 3\nwords = 2\n";

/// The JSON of a run.
fn json(folder: &std::path::Path, arguments: &[&str]) -> Value {
    let arguments = [&["run", "run.toml", "--json", "-"], arguments].concat();
    let mut found: Value = serde_json::from_str(&success(folder, &arguments)).expect("JSON alone");
    let document = found.as_object_mut().expect("an object");
    document.retain(|key, _| !["config", "performance", "simulation"].contains(&&key[..]));
    found
}

/// A table takes the place of the routing that it was written from.
#[test]
fn tables_are_routed_by() {
    let place = workplace();
    let folder = place.path();
    write(folder, "run.toml", &format!("{TREE}{TRAFFIC}"));
    for routing in ["d-mod-k", "osrm2", "mlid"] {
        let set = format!("network.routing={routing:?}");
        let arguments = [
            "oblivious",
            "run.toml",
            "--set",
            &set,
            "--write-tables",
            "t.csv",
        ];
        success(folder, &arguments);
        let named = json(folder, &["--set", &set]);
        for engine in ["gate", "event"] {
            let engine = format!("run.engine={engine:?}");
            let set = ["--set", "network.tables=\"t.csv\"", "--set", &engine];
            let found = json(folder, &set);
            assert_eq!(found["messages"], named["messages"], "{routing}");
            assert_eq!(found["cycles"], named["cycles"], "{routing}");
        }
    }
    // The file is named with what is wrong in it.
    write(folder, "t.csv", "source,destination,ports\n0,1,9\n");
    let said = failure(
        folder,
        &["run", "run.toml", "--set", "network.tables=\"t.csv\""],
        3,
    );
    assert!(said.contains("t.csv") && said.contains("line 2"), "{said}");
    let both = "[network]\nkind = 'm-port-n-tree'\nports = 8\nlevels = 2\nrouting = 'mlid'\ntables = 'no.csv'\n";
    write(folder, "both.toml", &format!("{both}{TRAFFIC}"));
    insta::assert_snapshot!(failure(folder, &["run", "both.toml"], 2));
}

/// Messages go around what has failed, and every one arrives, alike on both engines.
#[test]
fn messages_go_around_what_has_failed() {
    let place = workplace();
    let folder = place.path();
    let failed = "failed = ['switch(0, 0)', 'switch(3, 1) port 5']\n";
    for reroute in ["evenly", "round-robin"] {
        let text = format!("{TREE}{failed}reroute = {reroute:?}\n{TRAFFIC}");
        write(folder, "run.toml", &text);
        let gate = json(folder, &[]);
        let event = json(folder, &["--set", "run.engine=\"event\""]);
        assert_eq!(gate["messages"], event["messages"], "{reroute}");
        assert_eq!(gate["messages"]["delivered"], 3 * 32, "{reroute}");
        let info = success(folder, &["info", "run.toml", "--json", "-"]);
        let info: Value = serde_json::from_str(&info).expect("JSON");
        assert_eq!(info["failed_links"], 8 + 1);
    }
    write(
        folder,
        "cut.toml",
        &format!("{TREE}failed = ['node(2, 1)']\n{TRAFFIC}"),
    );
    insta::assert_snapshot!(failure(folder, &["run", "cut.toml"], 2));
    let text = format!("{TREE}failed = ['switch(0, 0)', 'switch(9, 1) port 5', 7]\n{TRAFFIC}");
    write(folder, "names.toml", &text);
    insta::assert_snapshot!(failure(folder, &["run", "names.toml"], 2));
}

/// Queues that are too short lose packets, and the run says where.
#[test]
fn packets_are_lost_where_queues_are_full() {
    let place = workplace();
    let folder = place.path();
    let traffic = "[traffic]\npattern = 'hot-spot'\ndestination = 0\nwords = 4\n";
    write(folder, "run.toml", &format!("{PACKETS}{traffic}"));
    let whole = json(folder, &[]);
    assert_eq!(whole["messages"]["delivered"], 31);
    // 31 nodes send 4 packets each: at least as many clocks as packets.
    assert!(whole["cycles"].as_u64().expect("a number") > 124);
    let arguments = ["run", "run.toml", "--set", "router.queue_packets=2"];
    let said = failure(folder, &arguments, 1);
    assert!(said.contains("lost"), "{said}");
}

#[test]
fn what_is_no_tree_is_refused() {
    let place = workplace();
    let folder = place.path();
    let mut said = String::new();
    for keys in [
        "",
        "ports = 7\nlevels = 2",
        "ports = 34\nlevels = 1",
        "ports = 8\nlevels = 9",
        "ports = 32\nlevels = 5",
        "ports = 8\nlevels = 2\nnodes = 32",
        "ports = 8\nlevels = 2\nrouting = 'osrm3'",
        "ports = 6\nlevels = 2\nrouting = 'd-mod'",
        "ports = 8\nlevels = 2\nrouting = 'omrmn'\npaths = 2",
        "ports = 8\nlevels = 2\npaths = 0",
    ] {
        let text = format!("[network]\nkind = 'm-port-n-tree'\n{keys}\n{TRAFFIC}");
        write(folder, "run.toml", &text);
        said += &format!("--- {}\n", keys.replace('\n', ", "));
        said += &failure(folder, &["run", "run.toml"], 2);
    }
    let gate = PACKETS.replace("event", "gate");
    write(folder, "run.toml", &format!("{gate}{TRAFFIC}"));
    said += "--- packets on the gate engine\n";
    said += &failure(folder, &["run", "run.toml"], 2);
    write(
        folder,
        "to_all.csv",
        "t_ns,source,destination,bytes\n0,1,*,1\n",
    );
    let all = format!("{PACKETS}[traffic]\ntrace = 'to_all.csv'\n");
    write(folder, "run.toml", &all);
    said += "--- packets to all nodes\n";
    said += &failure(folder, &["run", "run.toml"], 3);
    insta::assert_snapshot!(said);
}
