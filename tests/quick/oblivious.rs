//! `crosswave oblivious`: exact ratios of routings, of tables, and of damaged trees.

use serde_json::Value;

use crate::program::{failure, read, success, workplace, write};

/// The tree FT(8, 2), by d-mod-k.
const TREE: &str = "[network]\nkind = \"m-port-n-tree\"\nports = 8\nlevels = 2\n\n\
                    [traffic]\npattern = \"random\"\nmessages = 8\n";

/// The JSON of a command.
fn json(folder: &std::path::Path, arguments: &[&str]) -> Value {
    let arguments = [&["oblivious"], arguments, &["--json", "-"]].concat();
    serde_json::from_str(&success(folder, &arguments)).expect("JSON alone")
}

#[test]
fn ratios_are_those_of_the_routing_and_of_its_table() {
    let place = workplace();
    let folder = place.path();
    write(folder, "tree.toml", TREE);
    for (routing, ratio) in [
        ("network.routing=\"d-mod-k\"", "4"),
        ("network.routing=\"osrm2\"", "2"),
        ("network.routing=\"omrmn\"", "1"),
        ("network.paths=2", "2"),
    ] {
        let set = ["tree.toml", "--set", routing];
        let found = json(folder, &set);
        assert_eq!(found["oblivious_ratio"], ratio, "{routing}");
        assert_eq!(found["over"], "optimal load");
        assert_eq!(found["levels"][1]["up"], "1");
        assert_eq!(found["failures"], Value::Null);
        let written = [&set[..], &["--write-tables", "tables.csv"]].concat();
        json(folder, &written);
        let table = json(folder, &["tree.toml", "--tables", "tables.csv"]);
        for key in ["oblivious_ratio", "levels", "tree"] {
            assert_eq!(table[key], found[key], "{routing}: {key}");
        }
        assert_eq!(table["routing"], "tables.csv");
    }
}

/// The worst permutation is a trace: every message of it wants one link.
#[test]
fn the_worst_permutation_is_replayed() {
    let place = workplace();
    let folder = place.path();
    write(folder, "tree.toml", TREE);
    let arguments = ["oblivious", "tree.toml", "--witness", "worst.csv"];
    let said = success(folder, &[&arguments[..], &["--messages", "3"]].concat());
    assert!(
        said.contains("oblivious ratio") && said.contains(" 4 "),
        "{said}"
    );
    let trace = read(folder, "worst.csv");
    assert_eq!(trace.lines().count(), 2 + 3 * 4, "{trace}");
    assert!(trace.starts_with("# the worst permutation of d-mod-k on FT(8, 2)"));
    let replayed = TREE.replace(
        "pattern = \"random\"\nmessages = 8",
        "trace = \"worst.csv\"",
    );
    write(folder, "worst.toml", &replayed);
    let run = ["run", "worst.toml", "--engine", "event", "--json", "-"];
    let run: Value = serde_json::from_str(&success(folder, &run)).expect("JSON alone");
    assert_eq!(run["finished"], true);
}

#[test]
fn failures_are_named_and_their_denominator_is_said() {
    let place = workplace();
    let folder = place.path();
    write(folder, "tree.toml", TREE);
    let set = [
        "tree.toml",
        "--set",
        "network.routing=\"omrmn\"",
        "--failed",
        "switch(0, 0)",
    ];
    let found = json(folder, &set);
    assert_eq!(found["oblivious_ratio"], "4/3");
    assert_eq!(found["over"], "optimal load of the tree without failures");
    assert_eq!(found["failures"]["partly_cut_pairs"], 896);
    assert_eq!(found["failures"]["cut_pairs"], 0);
    let in_turn = [&set[..], &["--reroute", "round-robin"]].concat();
    assert_eq!(json(folder, &in_turn)["oblivious_ratio"], "2");
    let error = failure(
        folder,
        &["oblivious", "tree.toml", "--failed", "switch(9, 0)"],
        2,
    );
    assert!(
        error.contains("failure `switch(9, 0)`: found digit 9, expected 0 to 3"),
        "{error}"
    );
}

/// A switch of two hosts, as the tools print it.
#[test]
fn a_subnet_is_read_from_what_its_tools_print() {
    let place = workplace();
    let folder = place.path();
    let tree = TREE.replace("ports = 8\nlevels = 2", "ports = 2\nlevels = 1");
    write(
        folder,
        "tree.toml",
        &tree.replace("messages = 8", "messages = 1"),
    );
    let wiring = "Switch 36 \"S-00a1\" # \"leaf\" base port 0 lid 9 lmc 0\n\
        [7] \"H-00b1\"[1](b2) # \"one\" lid 4 4xQDR\n[9] \"H-00c1\"[1](c2) # \"two\" lid 2 4xQDR\n\n\
        Ca 1 \"H-00b1\" # \"one\"\n[1](b2) \"S-00a1\"[7] # lid 4 lmc 0 \"leaf\" lid 9 4xQDR\n\n\
        Ca 1 \"H-00c1\" # \"two\"\n[1](c2) \"S-00a1\"[9] # lid 2 lmc 0 \"leaf\" lid 9 4xQDR\n";
    let tables = "Unicast lids [0x0-0x9] of switch Lid 9 guid 0x00000000000000a1 (leaf):\n  Lid  Out   \
        Destination\n0x0002 009 : (Channel Adapter portguid 0xc2: 'two')\n0x0004 007 : (Channel Adapter \
        portguid 0xb2: 'one')\n2 valid lids dumped\n";
    write(folder, "net.txt", wiring);
    write(folder, "lfts.txt", tables);
    let arguments = ["tree.toml", "--tables", "lfts.txt", "--wiring", "net.txt"];
    let nodes = [&arguments[..], &["--write-nodes", "nodes.csv"]].concat();
    assert_eq!(json(folder, &nodes)["oblivious_ratio"], "1");
    let listed = read(folder, "nodes.csv");
    assert!(
        listed.contains("\n0,2,1,0x00000000000000c1,1,\"two\"\n"),
        "{listed}"
    );
    write(folder, "lfts.txt", &tables.replace("007", "070"));
    let error = failure(folder, &[&["oblivious"], &arguments[..]].concat(), 3);
    assert!(
        error.contains(
            "lfts.txt: line 4, switch S-00000000000000a1 \"leaf\", LID 0x0004: found port 70, which is \
             not there; expected 1 to 36"
        ),
        "{error}"
    );
    write(folder, "lfts.txt", tables);
    write(folder, "tree.toml", TREE);
    let error = failure(folder, &[&["oblivious"], &arguments[..]].concat(), 3);
    assert!(
        error.contains("found FT(2, 1), expected FT(8, 2)"),
        "{error}"
    );
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let place = workplace();
    let folder = place.path();
    write(folder, "tree.toml", TREE);
    write(
        folder,
        "bad.csv",
        "source,destination,ports\n0,4,9 1 0\n0,5,4 1\n",
    );
    let error = failure(
        folder,
        &["oblivious", "tree.toml", "--tables", "bad.csv"],
        3,
    );
    for expected in [
        "bad.csv: line 2, column 5: switch(0, 1) has no port 9; expected 0 to 7",
        "bad.csv: line 3, column 8: the path has 2 ports and ends in switch(1, 1); expected 3",
    ] {
        assert!(error.contains(expected), "{error}");
    }
    write(
        folder,
        "other.toml",
        "[network]\nkind = \"fat-tree\"\nnodes = 16\n\n[traffic]\npattern = \"transpose\"\n",
    );
    let error = failure(folder, &["oblivious", "other.toml"], 2);
    assert!(
        error.contains("network.kind: found \"fat-tree\", expected a tree with"),
        "{error}"
    );
}

/// Failures by the configuration and by the command count together, and tables as well.
#[test]
fn failures_of_the_configuration_count() {
    let place = workplace();
    let folder = place.path();
    write(folder, "tree.toml", TREE);
    let set = "network.failed=[\"switch(0, 0)\"]";
    let both = json(
        folder,
        &[
            "tree.toml",
            "--failed",
            "switch(0, 0)",
            "--failed",
            "switch(1, 0)",
        ],
    );
    let found = json(
        folder,
        &["tree.toml", "--set", set, "--failed", "switch(1, 0)"],
    );
    assert_eq!(found, both);
    let one = json(folder, &["tree.toml", "--set", set]);
    assert_eq!(one["over"], "optimal load of the tree without failures");
    assert_eq!(one["failures"]["failed"][0], "switch(0, 0)");
    json(folder, &["tree.toml", "--write-tables", "t.csv"]);
    let table = json(folder, &["tree.toml", "--set", set, "--tables", "t.csv"]);
    assert_eq!(table["levels"], one["levels"]);
    // The table that the configuration has is not written over.
    let tables = "network.tables=\"t.csv\"";
    let arguments = [
        "oblivious",
        "tree.toml",
        "--set",
        tables,
        "--write-tables",
        "t.csv",
    ];
    let said = failure(folder, &arguments, 2);
    assert!(said.contains("t.csv"), "{said}");
    let said = failure(
        folder,
        &["oblivious", "tree.toml", "--reroute", "evenly"],
        2,
    );
    assert!(said.contains("--reroute"), "{said}");
}

/// A tree alone will do; what is too large, or has no table, is said before the work.
#[test]
fn a_tree_needs_no_traffic_and_has_bounds() {
    let place = workplace();
    let folder = place.path();
    let alone = &TREE[..TREE.find("[traffic]").expect("a table")];
    write(folder, "alone.toml", alone);
    assert_eq!(json(folder, &["alone.toml"])["oblivious_ratio"], "4");
    let refused = |arguments: &[&str], code, expected: &str| {
        let said = failure(
            folder,
            &[&["oblivious", "alone.toml"], arguments].concat(),
            code,
        );
        assert!(said.contains(expected), "{said}");
    };
    let large = ["--set", "network.levels=8"];
    refused(
        &large,
        2,
        "FT(8, 8) has 131072 nodes, whose pairs take at least",
    );
    let wide = ["--set", "network.ports=96"];
    refused(&wide, 2, "network.ports");
    let tables = ["--set", "network.levels=7", "--write-tables", "t.csv"];
    refused(&tables, 2, "--write-tables: found a tree of 32768 nodes");
    let bytes = ["--witness", "w.csv", "--bytes", "0"];
    refused(&bytes, 2, "--bytes");
    let messages = ["--witness", "w.csv", "--messages", "4000000000"];
    refused(
        &messages,
        2,
        "--messages: found up to 128000000000 messages",
    );
    refused(&["--set", "network.tables=none.csv"], 4, "none.csv");
    write(folder, "bad.csv", "source,destination,ports\n0,4,9 1 0\n");
    refused(&["--set", "network.tables=bad.csv"], 3, "has no port 9");
    let two = ["--set", "network.tables=bad.csv", "--set", "run.seed=-1"];
    refused(&two, 2, "has no port 9");
    refused(
        &["--failed", "node(3, 0) port 0"],
        2,
        "found a port of a node",
    );
}

/// Nothing is loaded when nothing is left of a tree.
#[test]
fn a_tree_in_pieces_has_no_load() {
    let place = workplace();
    let folder = place.path();
    write(folder, "tree.toml", TREE);
    let leaves: Vec<String> = (0..8).map(|leaf| format!("switch({leaf}, 1)")).collect();
    let failed = |count: usize| {
        let failed = leaves[..count].iter();
        failed
            .flat_map(|leaf| ["--failed", leaf])
            .collect::<Vec<&str>>()
    };
    let all = json(folder, &[&["tree.toml"], &failed(8)[..]].concat());
    assert_eq!(all["oblivious_ratio"], "0");
    assert_eq!(all["levels"][1]["up"], "0");
    assert_eq!(all["witness"], serde_json::json!([]));
    // Nodes of one leaf switch reach each other still, over their own links.
    let most = json(folder, &[&["tree.toml"], &failed(7)[..]].concat());
    assert_eq!(most["oblivious_ratio"], "1");
    assert_eq!(most["levels"][0]["up"], "0");
    assert_eq!(most["levels"][1]["up"], "1");
    let tables = ["oblivious", "tree.toml", "--write-tables", "t.csv"];
    let said = failure(folder, &[&tables[..], &failed(1)[..]].concat(), 2);
    assert!(
        said.contains("pairs of nodes have no shortest path"),
        "{said}"
    );
    assert!(!folder.join("t.csv").exists());
}
