//! Component files that do not fit their module, and networks that do not fit their component. Networks
//! that run are in `slow::components`.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::program::{crosswave, failure, success, workplace, write};
use crate::support::plain_vcd;

/// A netlist of a module `r` with these ports: name, direction and width. It has one flip-flop.
fn netlist(ports: &[(&str, &str, usize)]) -> String {
    let mut next = 2;
    let mut table = Map::new();
    for (name, direction, width) in ports {
        let bits: Vec<usize> = (next..next + width).collect();
        next += width;
        table.insert(
            (*name).to_owned(),
            json!({ "direction": direction, "bits": bits }),
        );
    }
    let outputs = table.values().filter(|port| port["direction"] == "output");
    let driven = outputs.flat_map(|port| port["bits"].as_array().expect("bits").clone());
    let cells: Map<String, Value> = driven
        .enumerate()
        .map(|(at, bit)| {
            let cell = json!({
                "type": "$_DFF_P_",
                "port_directions": { "C": "input", "D": "input", "Q": "output" },
                "connections": { "C": [2], "D": [bit], "Q": [bit] },
            });
            (format!("f{at}"), cell)
        })
        .collect();
    json!({ "modules": { "r": { "ports": table, "cells": cells, "netnames": {} } } }).to_string()
}

/// The ports of a router with three links of nine bits, which are parts of wide ports.
const PORTS: [(&str, &str, usize); 9] = [
    ("clk", "input", 1),
    ("rst", "input", 1),
    ("my_x", "input", 2),
    ("d_in", "input", 27),
    ("v_in", "input", 3),
    ("r_in", "output", 3),
    ("d_out", "output", 27),
    ("v_out", "output", 3),
    ("r_out", "input", 3),
];

const COMPONENT: &str = r#"[component]
top = "r"
netlist = "r.json"
clock = "clk"
reset = { port = "rst" }
pins = { my_x = "instance.x" }
[[link]]
names = ["l", "w", "e"]
protocol = "valid-ready"
in = { data = "d_in[9*{i}+8:9*{i}]", valid = "v_in[{i}]", ready = "r_in[{i}]" }
out = { data = "d_out[9*{i}+8:9*{i}]", valid = "v_out[{i}]", ready = "r_out[{i}]" }
[packet]
flits = "last"
fields = { dest_x = "[1:0]", message = "[7:2]", tail = "[8]" }
"#;

const NETWORK: &str = "[network]\nkind = 'mesh'\ncomponent = 'r.toml'\nsize = [4]\nlocal = 'l'\n\
                       axes = [['w', 'e']]\n[traffic]\npattern = 'random'\n";

fn files(folder: &Path, component: &str, network: &str) {
    write(folder, "r.json", &netlist(&PORTS));
    write(folder, "r.toml", component);
    write(folder, "n.toml", network);
}

/// The exit code of `info` on a network with a mistake, and its errors without the lines of files.
fn refusal(folder: &Path, from: &str, to: &str) -> (i32, String) {
    let ran = crosswave(folder, &["info", "n.toml"]);
    let code = ran.status.code().expect("a code");
    assert!((2..=4).contains(&code), "{from} -> {to}");
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    let told = said
        .lines()
        .filter(|line| line.starts_with("error:") || line.contains("help:"));
    (code, told.map(str::trim).collect::<Vec<_>>().join("\n"))
}

#[test]
fn mistakes_in_component_files() {
    let cases = [
        ("clock = \"clk\"", "clock = \"clock\""),
        ("port = \"rst\"", "port = \"my_x\""),
        ("pins = { my_x = \"instance.x\" }", ""),
        ("\"instance.x\"", "\"instance.w\""),
        ("\"instance.x\"", "9"),
        (
            "names = [\"l\", \"w\", \"e\"]",
            "names = [\"l\", \"w\", \"l\"]",
        ),
        ("\"valid-ready\"", "\"credit\""),
        ("\"valid-ready\"", "\"ready-valid\""),
        ("valid = \"v_in[{i}]\", ", ""),
        ("r_out[{i}]", "r_in[{i}]"),
        ("v_in[{i}]", "v_in[{i}+1]"),
        ("v_in[{i}]", "v_in"),
        ("d_in[9*{i}+8:9*{i}]", "d_in[9*{i}+7:9*{i}]"),
        ("9*{i}+8", "9*{i}+"),
        ("r_out[{i}]", "r_out[0]"),
        ("dest_x = \"[1:0]\", ", ""),
        ("[7:2]", "[8:2]"),
        ("[7:2]", "[9:2]"),
        ("tail", "length"),
        ("dest_x", "dest_X"),
        ("top = \"r\"", "top = \"router\""),
        ("\"r.json\"", "\"missing.json\""),
        ("[packet]", "[packets]"),
        ("\"valid-ready\"", "\"valid-redy\""),
        ("ready = \"r_in", "redy = \"r_in"),
        ("names = [\"l\", \"w\", \"e\"]", "names = [\"l\", \"w\"]"),
        ("d_in[9*{i}+8:9*{i}]", "d_in[8:0]"),
        ("\"instance.x\"", "\"instanc.x\""),
        ("\"instance.x\"", "true"),
        ("clock = \"clk\"\n", ""),
    ];
    let mut all = String::new();
    for (from, to) in cases {
        let work = workplace();
        let folder = work.path();
        let changed = COMPONENT.replace(from, to);
        assert_ne!(changed, COMPONENT, "{from}");
        files(folder, &changed, NETWORK);
        let (code, told) = refusal(folder, from, to);
        all += &format!("{from} -> {to}: {code}\n{}\n\n", told);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn mistakes_of_circuits() {
    let circuit = COMPONENT
        .replace("\"valid-ready\"", "\"circuit\"")
        .replace("ready =", "nack =");
    let acknowledged = circuit.replace("\"circuit\"", "\"circuit\"\nrelease = \"acknowledge\"");
    let cases = [
        (
            acknowledged,
            "link.out.ack: release = \"acknowledge\" needs this signal",
        ),
        (
            COMPONENT.replace("\"valid-ready\"", "\"circuit\""),
            "link.in.nack: the protocol circuit needs this signal",
        ),
        (
            circuit.replace("\"circuit\"", "\"circuit\"\nanswer_cycles = 0"),
            "link[0].answer_cycles: found 0; expected 1 to 1023",
        ),
        (
            COMPONENT.replace("\"valid-ready\"", "\"valid-ready\"\nrelease = \"tail\""),
            "link[0].release: the protocol valid-ready has no circuits",
        ),
        (
            COMPONENT.to_owned(),
            "endpoint.retry_cycles: links by valid-ready have no circuits",
        ),
    ];
    for (component, expected) in cases {
        let work = workplace();
        let network = format!("{NETWORK}[endpoint]\nretry_cycles = 3\n");
        files(work.path(), &component, &network);
        let (code, told) = refusal(work.path(), expected, "");
        assert!(code == 2 && told.contains(expected), "{expected}: {told}");
    }
    let work = workplace();
    files(work.path(), &circuit, NETWORK);
    success(work.path(), &["info", "n.toml"]);
}

#[test]
fn mistakes_in_codes_of_flits() {
    let with = |fields: &str, kinds: &str| {
        COMPONENT
            .replace("flits = \"last\"", "flits = \"head-tail\"")
            .replace(
                ", tail = \"[8]\" }",
                &format!("{fields} }}\ntype = {kinds}"),
            )
            .replace("[7:2]", "[6:2]")
    };
    let codes = "head = 1, body = 0, tail = 2, single = 3 }";
    let good = format!("{{ bits = \"[8:7]\", {codes}");
    let cases = [
        (
            with("", &good.replace("tail = 2", "tail = 1")),
            "r.toml:15:53: packet.type.tail: found 1, which is the code of head as well",
        ),
        (
            with("", &good.replace("single = 3", "single = 4")),
            "r.toml:15:65: packet.type.single: found 4; the type has 2 bits",
        ),
        (
            with("", &good.replace(", single = 3", "")),
            "r.toml:15:8: packet.type.single: missing: the code of the only flit of a packet",
        ),
        (
            with("", &good.replace("head = 1, ", "")),
            "packet.type.head: missing",
        ),
        (
            with("", &good.replace("[8:7]", "[8:6]")),
            "packet.type.bits: it shares bits with the field message",
        ),
        (
            with("", &good.replace("[8:7]", "[9:8]")),
            "packet.type.bits: found \"[9:8]\"; expected bits from [8:0]",
        ),
        (
            with("", &good).replace("\"head-tail\"", "\"last\""),
            "packet.type: flits = \"last\" has no kinds of flits",
        ),
        (
            with(", head = \"[6]\"", &good).replace("[6:2]", "[5:2]"),
            "packet.fields.head: found this and packet.type",
        ),
        (
            with("", &good.replace("body", "middle")),
            "unknown field `middle`",
        ),
        (
            with("", "{ bits = \"[8:7]\" }").replace("type =", "types ="),
            "did you mean type?",
        ),
        (
            COMPONENT.replace("flits = \"last\"", "flits = \"head-tail\""),
            "packet.fields.head: flits = \"head-tail\" needs this field",
        ),
    ];
    for (component, expected) in cases {
        let work = workplace();
        files(work.path(), &component, NETWORK);
        let (code, told) = refusal(work.path(), expected, "");
        assert!(code == 2 && told.contains(expected), "{expected}: {told}");
    }
    let work = workplace();
    files(work.path(), &with("", &good), NETWORK);
    success(work.path(), &["info", "n.toml"]);
}

#[test]
fn pins_have_no_coordinates_along_missing_axes() {
    let work = workplace();
    let component = COMPONENT.replace("instance.x", "instance.z");
    files(work.path(), &component, NETWORK);
    let (code, told) = refusal(work.path(), "instance.x", "instance.z");
    let expected = "network.size: the pin my_x is instance.z, and the network has one axis";
    assert!(code == 2 && told.contains(expected), "{told}");
}

#[test]
fn opposites_are_of_signals_of_links() {
    let cases = [
        ("clock = \"clk\"", "clock = \"~clk\"", "rising edge"),
        ("port = \"rst\"", "port = \"~rst\"", "active = \"low\""),
        ("{ my_x =", "{ \"~my_x\" =", "give the opposite value"),
        ("\"v_in[{i}]\"", "\"!v_in[{i}]\"", "expected `~`"),
    ];
    for (from, to, expected) in cases {
        let work = workplace();
        files(work.path(), &COMPONENT.replace(from, to), NETWORK);
        let (code, told) = refusal(work.path(), from, to);
        assert!(code == 2 && told.contains(expected), "{expected}: {told}");
    }
    let work = workplace();
    files(
        work.path(),
        &COMPONENT.replace("\"r_in[{i}]\"", "\"~r_in[{i}]\""),
        NETWORK,
    );
    success(work.path(), &["info", "n.toml"]);
}

#[test]
fn networks_that_do_not_fit_their_component() {
    let cases = [
        ("size = [4]", "size = [5]"),
        ("size = [4]", "size = [2, 2]"),
        ("size = [4]", "size = [1]"),
        ("size = [4]", "size = 4"),
        ("local = 'l'", "local = 'x'"),
        ("local = 'l'", "local = 'w'"),
        ("axes = [['w', 'e']]", "axes = [['w']]"),
        ("axes = [['w', 'e']]", "axes = []"),
        ("component = 'r.toml'", "component = 'none.toml'"),
        ("'random'\n", "'random'\n[endpoint]\nstall = 2\n"),
        ("'random'\n", "'random'\n[checks]\ndeadlock_cycles = 0\n"),
        ("'random'\n", "'random'\n[run]\nengine = 'event'\n"),
    ];
    let mut all = String::new();
    for (from, to) in cases {
        let work = workplace();
        let folder = work.path();
        let changed = NETWORK.replace(from, to);
        assert_ne!(changed, NETWORK, "{from}");
        files(folder, COMPONENT, &changed);
        let (code, told) = refusal(folder, from, to);
        all += &format!("{from} -> {to}: {code}\n{}\n\n", told);
    }
    insta::assert_snapshot!(all);
}

/// A head that counts the flits after it holds no more of them than its field.
#[test]
fn messages_fit_the_length_of_heads() {
    let work = workplace();
    let folder = work.path();
    let counted = COMPONENT.replace("\"last\"", "\"counted\"");
    let counted = counted.replace("tail = \"[8]\"", "length = \"[8]\"");
    files(folder, &counted, &format!("{NETWORK}words = 3\n"));
    let said = failure(folder, &["info", "n.toml"], 2);
    assert!(said.contains("packets of up to 2"), "{said}");
    files(folder, &counted, &format!("{NETWORK}words = 2\n"));
    success(folder, &["info", "n.toml"]);
    let traced = NETWORK.replace("pattern = 'random'", "trace = 't.csv'\nbytes_per_word = 1");
    files(folder, &counted, &traced);
    write(
        folder,
        "t.csv",
        "t_ns,source,destination,bytes\n1,0,1,2\n1,1,2,3\n",
    );
    let said = failure(folder, &["run", "n.toml"], 3);
    assert!(
        said.contains("message 1, counted from 0, has 3 words"),
        "{said}"
    );
}

/// An output that follows an input of a link in the same cycle is told, and is 1 in the cycle in which the
/// input is 0.
#[test]
fn outputs_may_follow_inputs_of_links_at_once() {
    let work = workplace();
    let folder = work.path();
    files(folder, COMPONENT, NETWORK);
    let text = fs::read_to_string(folder.join("r.json")).expect("it is there");
    let mut design: Value = serde_json::from_str(&text).expect("JSON");
    let module = &mut design["modules"]["r"];
    let (ready, valid) = (
        module["ports"]["r_in"]["bits"][0].clone(),
        module["ports"]["v_in"]["bits"][0].clone(),
    );
    let cells = module["cells"].as_object_mut().expect("cells");
    cells.retain(|_, cell| cell["connections"]["Q"][0] != ready);
    cells.insert(
        "mealy".to_owned(),
        json!({
            "type": "$_NOT_",
            "port_directions": { "A": "input", "Y": "output" },
            "connections": { "A": [valid], "Y": [ready] },
        }),
    );
    write(folder, "r.json", &design.to_string());
    let found = success(folder, &["component", "check", "r.toml", "--json", "-"]);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    assert_eq!(found["settled_output_bits"], 1, "{found}");
    // Nothing is taken, and all four nodes ask in cycle 2.
    let said = failure(folder, &["run", "n.toml", "--vcd", "w.vcd"], 1);
    assert!(
        said.contains("4 of 4 messages were not delivered"),
        "{said}"
    );
    let recorded = fs::read_to_string(folder.join("w.vcd")).expect("written");
    let values = plain_vcd::values(&recorded);
    let ready = "testbench.network.router_0.l_in_ready";
    let valid = "testbench.network.router_0.l_in_valid";
    let shown = |name: &str| {
        let signal = values
            .get(name)
            .unwrap_or_else(|| panic!("{:?}", values.keys()));
        let bits = signal.range(1..).map(|(&time, &bit)| (time, bit));
        bits.collect::<Vec<_>>()
    };
    let opposite: Vec<_> = shown(valid)
        .into_iter()
        .map(|(time, bit)| (time, 1 - bit))
        .collect();
    assert!(opposite.iter().any(|(_, bit)| *bit == 0));
    assert_eq!(shown(ready), opposite);
}

/// A line of three routers as lists.
const CUSTOM: &str = "[network]\nkind = 'custom'\ncomponent = 'r.toml'\nrouters = 'r.csv'\nlinks = 'l.csv'\n\
                      local = 'l'\n[traffic]\npattern = 'random'\n";
const ROUTERS: &str = "name,x,my_x\na,0,0\nb,1,1\nc,2,3\n";
const LINKS: &str = "from,from_port,to,to_port\na,e,b,w\nb,e,c,w\n";

#[test]
fn lists_that_do_not_fit() {
    let cases = [
        // The configuration.
        ("routers = 'r.csv'", ""),
        ("links = 'l.csv'", "structure = 'n.txt'"),
        ("local = 'l'", "local = 'local'"),
        ("local = 'l'", ""),
        ("'r.csv'", "'missing.csv'"),
        ("'r.toml'", "['r.toml', 'wide.toml']"),
        // The list of routers.
        ("name,x", "router,x"),
        ("b,1,1", "b,1"),
        ("b,1,1", "b,one,1"),
        ("b,1,1", "a,1,1"),
        ("b,1,1", "b-1,1,1"),
        ("b,1,1", "node_1,1,1"),
        ("c,2,3", "c,2,4"),
        ("c,2,3", "c,9,3"),
        ("c,2,3", "c,1,3"),
        ("name,x,my_x", "name,x,your_x"),
        ("name,x,my_x\na,0,0\nb,1,1", "name,x,id\na,0,3\nb,1,1"),
        ("name,x,my_x", "name,x,component"),
        // The list of links.
        ("from,from_port", "from,port"),
        ("b,e,c,w", "b,e,d,w"),
        ("b,e,c,w", "b,e,c,n"),
        ("b,e,c,w", "b,w,c,w"),
        ("b,e,c,w", "b,e,b,e"),
        ("b,e,c,w", "b,e,c,w\na,l,c,l"),
        ("\nb,e,c,w", ""),
    ];
    let mut all = String::new();
    for (from, to) in cases {
        let work = workplace();
        let folder = work.path();
        let texts = [CUSTOM, ROUTERS, LINKS];
        assert!(texts.iter().any(|text| text.contains(from)), "{from}");
        let [network, routers, links] = texts.map(|text| text.replace(from, to));
        files(folder, COMPONENT, &network);
        write(folder, "wide.toml", &COMPONENT.replace("[7:2]", "[6:2]"));
        write(folder, "r.csv", &routers);
        write(folder, "l.csv", &links);
        let (code, told) = refusal(folder, from, to);
        all += &format!("{from} -> {to}: {code}\n{told}\n\n");
    }
    insta::assert_snapshot!(all);
}

#[test]
fn structures_that_do_not_fit() {
    let text = "network n nodes 2\n  chip a r my_x=1\n  chip b r\n  chip n0 r_endpoint\n  \
                chip n1 r_endpoint own_header=1\n  link a.e b.w\n  link n0.net a.l\n  link n1.net b.l\nend\n";
    let graph = "<graphml><graph><node id=\"a\"/><node id=\"b\"><data key=\"x\">1</data></node>\
                 <edge source=\"a\" target=\"b\" sourceport=\"e\" targetport=\"w\"/></graph></graphml>";
    let cases = [
        ("n.txt", "chip b r", "chip b q"),
        ("n.txt", "my_x=1", "my_x=4"),
        ("n.txt", "link a.e b.w", "link a.e b.w clocks 99"),
        ("n.txt", "link n0.net a.l", "link n0.net a.l clocks 2"),
        ("n.txt", "link a.e b.w", "link n0.net n1.net"),
        ("n.txt", "end", ""),
        ("n.graphml", "</graphml>", ""),
        ("n.graphml", ">1<", ">one<"),
        ("n.graphml", "sourceport=\"e\"", ""),
        (
            "n.graphml",
            "<graphml>",
            "<!DOCTYPE g [<!ENTITY a \"aa\">]><graphml>",
        ),
    ];
    let mut all = String::new();
    for (name, from, to) in cases {
        let work = workplace();
        let folder = work.path();
        let listed = if name == "n.txt" { text } else { graph };
        let network = CUSTOM.replace(
            "routers = 'r.csv'\nlinks = 'l.csv'",
            &format!("structure = '{name}'"),
        );
        files(folder, COMPONENT, &network);
        write(folder, name, listed);
        success(folder, &["info", "n.toml"]);
        write(folder, name, &listed.replace(from, to));
        let (code, told) = refusal(folder, from, to);
        all += &format!("{from} -> {to}: {code}\n{told}\n\n");
    }
    insta::assert_snapshot!(all);
}
