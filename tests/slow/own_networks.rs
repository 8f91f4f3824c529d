//! Networks of a designer's own routers beyond plain grids: lists of routers and links, several modules,
//! parameters of each instance, ways in heads, links that ask for a flit once more.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::components::{delivered, faults, mesh, result, same_in};
use crate::program::{crosswave, failure, root, shell, success, workplace, write};

const STEADY: &str = "[traffic]\npattern='steady'\nload=0.3\nwords=3\ncycles=300\n";

/// Copies files of the examples into a folder, each changed.
pub(super) fn copied(folder: &Path, names: &[&str], change: impl Fn(String) -> String) {
    for name in names {
        let text = fs::read_to_string(root("examples/routers").join(name)).expect("it is there");
        write(folder, name, &change(text));
    }
}

/// The messages of a run, and what is counted of them.
pub(super) fn told(folder: &Path) -> (Value, String) {
    let mut found = result(folder, &["--messages", "m.csv"]);
    found["performance"] = Value::Null;
    found["config"] = Value::Null;
    let messages = fs::read_to_string(folder.join("m.csv")).expect("written");
    (found, messages)
}

/// The routers and links of a mesh of 3 × 2, as CSV.
fn lists() -> [String; 2] {
    let mut routers = String::from("name,x,y\n");
    let mut links = String::from("# of a mesh\nfrom,from_port,to,to_port\n");
    for (x, y) in (0..2).flat_map(|y| (0..3).map(move |x| (x, y))) {
        routers += &format!("router_{x}_{y},{x},{y}\n");
        if x < 2 {
            links += &format!("router_{x}_{y},east,router_{}_{y},west\n", x + 1);
        }
        if y < 1 {
            links += &format!("router_{x}_1,north,router_{x}_{y},south\n");
        }
    }
    [routers, links]
}

/// The same as GraphML, with the ports of edges as attributes or as data.
fn graph() -> String {
    let [routers, links] = lists();
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
         <key id=\"d0\" for=\"node\" attr.name=\"x\" attr.type=\"int\"/>\n\
         <key id=\"d1\" for=\"edge\" attr.name=\"from_port\" attr.type=\"string\"/>\n\
         <graph edgedefault=\"undirected\">\n",
    );
    for row in routers.lines().skip(1) {
        let [name, x, y] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        text += &format!(
            "<node id=\"{name}\"><data key=\"d0\">{x}</data><data key=\"y\">{y}</data></node>\n"
        );
    }
    for row in links.lines().skip(2) {
        let [from, port, to, other] = row.split(',').collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        text += &format!(
            "<edge source=\"{from}\" target=\"{to}\" targetport=\"{other}\">\
             <data key=\"d1\">{port}</data></edge>\n"
        );
    }
    text + "</graph></graphml>\n"
}

#[test]
fn lists_of_a_mesh_are_the_mesh() {
    let work = workplace();
    let folder = work.path();
    write(folder, "two.toml", &mesh("[3, 2]", STEADY));
    success(folder, &["info", "--structure", "n.txt", "two.toml"]);
    let expected = told(folder);
    assert!(delivered(&expected.0) > 50 && faults(&expected.0) == 0);
    let [routers, links] = lists();
    write(folder, "routers.csv", &routers);
    write(folder, "links.csv", &links);
    write(folder, "n.graphml", &graph());
    let component = root("examples/routers/mesh_router.toml");
    let forms = [
        "routers='routers.csv'\nlinks='links.csv'\nlocal='local'",
        "structure='n.txt'",
        "structure='n.graphml'\nlocal=['local']",
    ];
    for form in forms {
        let text = format!(
            "[network]\nkind='custom'\ncomponent='{}'\n{form}\n{STEADY}",
            component.display()
        );
        write(folder, "two.toml", &text);
        assert!(told(folder) == expected, "{form}");
        let structure = success(folder, &["info", "--structure", "-", "two.toml"]);
        let of_mesh = fs::read_to_string(folder.join("n.txt")).expect("written");
        let links = |text: &str| {
            let links = text.lines().filter(|line| line.contains("link"));
            links.count()
        };
        assert_eq!(links(&structure), links(&of_mesh));
    }
}

/// A router whose coordinates are parameters, and whose reset comes a cycle late.
const LATE: &str = "`include \"sizes/width.vh\"
module late #(parameter X = 0, parameter Y = 0) (
    input wire clk, input wire rst_n, input wire [`WIDTH-1:0] flit_in, input wire [4:0] valid_in,
    output wire [4:0] ready_in, output wire [169:0] flit_out, output wire [4:0] valid_out,
    input wire [4:0] ready_out);
  reg late_reset;
  always @(posedge clk) late_reset <= !rst_n;
  mesh_router router (.clk(clk), .rst(late_reset), .my_x(X[5:0]), .my_y(Y[5:0]), .flit_in(flit_in),
    .valid_in(valid_in), .ready_in(ready_in), .flit_out(flit_out), .valid_out(valid_out),
    .ready_out(ready_out));
endmodule
";

#[test]
fn parameters_of_instances_and_long_resets() {
    let work = workplace();
    let folder = work.path();
    fs::create_dir_all(folder.join("include/sizes")).expect("a folder");
    write(folder, "include/sizes/width.vh", "`define WIDTH 170\n");
    write(folder, "late.v", LATE);
    copied(folder, &["mesh_router.sv"], |text| text);
    copied(folder, &["mesh_router.toml"], |text| {
        let sources = "sources = [\"late.v\", \"mesh_router.sv\"]\nincludes = [\"include\"]\n\
                       parameters = { X = \"instance.x\", Y = \"instance.y\" }";
        text.replace("top = \"mesh_router\"", "top = \"late\"")
            .replace("sources = [\"mesh_router.sv\"]", sources)
            .replace("pins =", "# pins =")
            .replace(
                "\"rst\", active = \"high\"",
                "\"rst_n\", active = \"low\", cycles = 3",
            )
    });
    let in_folder = root("examples/routers/").display().to_string();
    let network = mesh("[2, 2]", &format!("[endpoint]\nstall=0.2\n{STEADY}"));
    write(folder, "two.toml", &network.replace(&in_folder, ""));
    let found = result(folder, &["--events", "e.jsonl"]);
    assert_eq!(faults(&found), 0);
    let offered = found["messages"]["offered"].as_u64();
    assert_eq!(Some(delivered(&found)), offered);
    // A message is followed over routers of four modules.
    let events = fs::read_to_string(folder.join("e.jsonl")).expect("written");
    assert!(events.contains("router_1_1") && events.contains("\"east\""));
    same_in(folder, "two.toml", "icarus");
    // One cycle is not enough for it.
    let text = fs::read_to_string(folder.join("mesh_router.toml")).expect("written");
    write(
        folder,
        "mesh_router.toml",
        &text.replace(", cycles = 3", ""),
    );
    let checked = crosswave(folder, &["component", "check", "mesh_router.toml"]);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(
        said.contains("registers or memories, which begin at 0"),
        "{said}"
    );
}

/// Writes a router whose coordinates are parameters, changed, and a mesh of it in which they become what
/// is said.
fn write_parameters(folder: &Path, size: &str, realised_as: &str, change: (&str, &str)) {
    let design =
        |name: &str| fs::read_to_string(root("tests/designs").join(name)).expect("it is there");
    let source = design("parameter_router.v");
    assert!(source.contains(change.0));
    write(
        folder,
        "parameter_router.v",
        &source.replace(change.0, change.1),
    );
    let component = design("parameter_router.toml");
    let key = format!("parameters_as = \"{realised_as}\"\nclock =");
    write(folder, "r.toml", &component.replace("clock =", &key));
    let text = mesh(
        size,
        "[endpoint]\nstall=0.2\n[traffic]\npattern='steady'\nload=0.3\ncycles=300\n",
    );
    let example = root("examples/routers/mesh_router.toml")
        .display()
        .to_string();
    write(folder, "two.toml", &text.replace(&example, "r.toml"));
}

/// The messages, links, traces and waveform of a run, and what is counted of them.
fn bytes_of(folder: &Path) -> (Value, Vec<String>) {
    let names = ["m.csv", "l.csv", "e.jsonl", "w.vcd"];
    let options = ["--messages", "--links", "--events", "--wave"];
    let words: Vec<&str> = options
        .iter()
        .zip(names)
        .flat_map(|(option, name)| [*option, name])
        .collect();
    let mut found = result(folder, &words);
    found["performance"] = Value::Null;
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("written");
    (found, names.map(read).to_vec())
}

/// The findings of `component check` about parameters.
fn parameters(folder: &Path) -> Value {
    let found = crosswave(folder, &["component", "check", "r.toml", "--json", "-"]);
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    found["parameters"].clone()
}

#[test]
fn parameters_become_pins() {
    let work = workplace();
    let folder = work.path();
    let same = ("X = 0,", "X = 0,");
    write_parameters(folder, "[4, 4]", "pins", same);
    let with_pins = bytes_of(folder);
    let found = parameters(folder);
    assert_eq!(
        [&found["sets"], &found["netlists"], &found["with_pins"]],
        [16, 1, 1],
        "{found}"
    );
    write_parameters(folder, "[4, 4]", "arrays", same);
    assert!(bytes_of(folder) == with_pins);
    let offered = with_pins.0["messages"]["offered"].as_u64();
    let came = (Some(delivered(&with_pins.0)), faults(&with_pins.0));
    assert_eq!(came, (offered, 0));
}

#[test]
fn pins_have_the_width_and_the_sign_of_parameters() {
    let work = workplace();
    let folder = work.path();
    // The third column is -2, and the router takes all to be in the west of it.
    let narrow = ("parameter X = 0,", "parameter signed [1:0] X = 0,");
    write_parameters(folder, "[3, 2]", "pins", narrow);
    let with_pins = bytes_of(folder);
    assert!(Some(delivered(&with_pins.0)) < with_pins.0["messages"]["offered"].as_u64());
    write_parameters(folder, "[3, 2]", "arrays", narrow);
    assert!(bytes_of(folder) == with_pins);
}

#[test]
fn parameters_that_change_cells_make_chips() {
    let work = workplace();
    let folder = work.path();
    // The inputs are taken in another order in one column.
    let order = (
        "i = 0; i < 5; i = i + 1)\n        if (!busy",
        "i = X == 1 ? 4 : 0; i < 5 && i >= 0; i = X == 1 ? i - 1 : i + 1)\n        if (!busy",
    );
    write_parameters(folder, "[2, 2]", "auto", order);
    let found = bytes_of(folder);
    let said = crosswave(folder, &["run", "two.toml", "-q"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.contains("4 sets of values of X, Y are 2 chips: with X = 1, Y = 0"),
        "{said}"
    );
    write_parameters(folder, "[2, 2]", "arrays", order);
    assert!(bytes_of(folder).0 == found.0);
    write_parameters(folder, "[2, 2]", "pins", order);
    let said = crosswave(folder, &["run", "two.toml", "-q"]);
    assert_eq!(said.status.code(), Some(2));
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(said.contains("X, Y of parameter_router cannot be pins: with X = 1, Y = 0 it has other cells than with X = 0, Y = 0, at parameter_router.v:"), "{said}");
}

/// A router that reads the way of a packet from its head, and takes off what it has read.
fn by_ways(text: String) -> String {
    let links = ["WEST", "EAST", "NORTH", "SOUTH", "LOCAL"];
    let is_decision = |line: &&str| {
        let wanted = |link: &&str| line.contains(&format!("assign wanted[{link}]"));
        !links.iter().any(wanted)
    };
    let kept: Vec<&str> = text.lines().filter(is_decision).collect();
    let text = kept.join("\n");
    let decided = "assign wants[5*o + i] = present[i] && flit[33] && flit[2:0] == o;";
    let shifted = "flit <= chosen[33] ? {chosen[33:15], 3'd0, chosen[14:3]} : chosen;";
    text.replace(
        "assign wants[5*o + i] = present[i] && flit[33] && wanted[o];",
        decided,
    )
    .replace("          flit <= chosen;", shifted)
}

#[test]
fn heads_may_hold_the_way() {
    let work = workplace();
    let folder = work.path();
    copied(folder, &["mesh_router.sv"], by_ways);
    copied(folder, &["mesh_router.toml"], |text| {
        text.replace(
            "dest_x = \"[5:0]\", dest_y = \"[11:6]\", message = \"[31:12]\" }",
            "message = \"[31:15]\" }\nroute = { bits = \"[14:0]\", per_hop = 3 }",
        )
    });
    let in_folder = root("examples/routers/").display().to_string();
    let write_network = |size: &str| {
        let text = mesh(size, STEADY).replace(&in_folder, "");
        write(folder, "two.toml", &text);
    };
    write_network("[3, 3]");
    let found = result(folder, &[]);
    let offered = found["messages"]["offered"].as_u64();
    assert_eq!((Some(delivered(&found)), faults(&found)), (offered, 0));
    // Five routers have room in a head.
    write_network("[4, 3]");
    let ran = crosswave(folder, &["info", "two.toml"]);
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(
        said.contains("room for 5 routers, and a way has 6"),
        "{said}"
    );
    assert_eq!(ran.status.code(), Some(2));
}

/// The files of the example with switches that deflect.
const BUTTERFLY: [&str; 5] = [
    "butterfly_switch.toml",
    "butterfly_switch.v",
    "butterfly64.toml",
    "butterfly64-routers.csv",
    "butterfly64-links.csv",
];

#[test]
fn switches_that_deflect() {
    let work = workplace();
    let folder = work.path();
    copied(folder, &BUTTERFLY, |text| {
        text.replace("load = 0.1", "load = 0.45")
            .replace("cycles = 2000", "cycles = 200")
    });
    fs::rename(folder.join("butterfly64.toml"), folder.join("two.toml")).expect("a file");
    let found = result(folder, &[]);
    let offered = found["messages"]["offered"].as_u64();
    assert!(delivered(&found) > 1_000, "{found}");
    let svg = success(folder, &["info", "two.toml", "--svg", "-"]);
    assert!(svg.contains("level 5"));
    assert_eq!((Some(delivered(&found)), faults(&found)), (offered, 0));
    same_in(folder, "two.toml", "icarus");
    let source = fs::read_to_string(folder.join("butterfly_switch.v")).expect("written");
    let twins = [
        // A node is not told that its flit was not taken.
        ("refused[3:2];", "2'd0;", None),
        // A node gets flits of others.
        (
            "else if (level == 3'd0) choice = 4'd0;",
            "",
            Some("misrouted"),
        ),
    ];
    for (from, to, row) in twins {
        let broken = source.replace(from, to);
        assert_ne!(broken, source);
        write(folder, "butterfly_switch.v", &broken);
        let found = result(folder, &[]);
        match row {
            Some(row) => assert!(found["faults"][row].as_u64() > Some(0), "{found}"),
            None => assert!(Some(delivered(&found)) < offered, "{found}"),
        }
    }
}

/// The cycle in which the only message of a run came.
fn came(folder: &Path) -> u64 {
    let (_, messages) = told(folder);
    let mut rows = csv::Reader::from_reader(messages.as_bytes());
    let column = rows.headers().expect("a header").iter();
    let column = column.clone().position(|name| name == "delivered_cycle");
    let row = rows.records().next().expect("a message").expect("a row");
    row[column.expect("a column")].parse().expect("a cycle")
}

#[test]
fn links_may_take_cycles() {
    for router in ["mesh_router.toml", "credit_router.toml"] {
        let work = workplace();
        let folder = work.path();
        let network = |cycles: u32, traffic: &str| {
            mesh("[3, 2]", traffic)
                .replace("mesh_router.toml", router)
                .replace("local=", &format!("link_cycles={cycles}\nlocal="))
        };
        let pair = "[traffic]\npattern='pair'\nsource=0\ndestination=5\n";
        write(folder, "two.toml", &network(0, pair));
        let at_once = came(folder);
        write(folder, "two.toml", &network(3, pair));
        // Three links lead from router to router.
        assert_eq!(came(folder), at_once + 9);
        let structure = success(folder, &["info", "--structure", "-", "two.toml"]);
        assert_eq!(structure.matches("clocks 3").count(), 7);
        write(folder, "n.txt", &structure);
        let text = network(3, &format!("[endpoint]\nstall=0.3\n{STEADY}"));
        write(folder, "two.toml", &text);
        let found = told(folder);
        let offered = found.0["messages"]["offered"].as_u64();
        assert_eq!((Some(delivered(&found.0)), faults(&found.0)), (offered, 0));
        same_in(folder, "two.toml", "icarus");
        let component = root("examples/routers").join(router);
        let custom = format!(
            "[network]\nkind='custom'\ncomponent='{}'\nstructure='n.txt'\n[endpoint]\nstall=0.3\n{STEADY}",
            component.display()
        );
        write(folder, "two.toml", &custom);
        assert!(told(folder) == found);
    }
}

/// Writes a network of the example's router with a mistake, and the result of its run, which fails, with
/// further keys of the network. Gives the result, and what was said.
fn failed(folder: &Path, network: &str, mistakes: &[(&str, &str)], keys: &str) -> (Value, String) {
    copied(folder, &["mesh_router.toml"], |text| text);
    copied(folder, &["mesh_router.sv"], |text| {
        mistakes.iter().fold(text, |text, (from, to)| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        })
    });
    let in_folder = root("examples/routers/").display().to_string();
    let text = mesh("[4, 4]", "[checks]\ndeadlock_cycles=500\n").replace(&in_folder, "");
    let text = text.replace("[network]\n", &format!("[network]\n{keys}"));
    write(folder, "two.toml", &format!("{text}{network}"));
    let torus = "network.kind=\"torus\"";
    let said = failure(
        folder,
        &["run", "two.toml", "--set", torus, "--json", "r.json", "-q"],
        1,
    );
    let result = fs::read_to_string(folder.join("r.json")).expect("written");
    (serde_json::from_str(&result).expect("JSON"), said)
}

/// Routers that send packets east and south only, around the torus.
const AROUND: [(&str, &str); 4] = [
    ("flit[5:0] < my_x;", "1'b0;"),
    ("flit[5:0] > my_x;", "flit[5:0] != my_x;"),
    ("flit[5:0] == my_x && flit[11:6] < my_y;", "1'b0;"),
    (
        "flit[5:0] == my_x && flit[11:6] > my_y;",
        "flit[5:0] == my_x && flit[11:6] != my_y;",
    ),
];

const FULL: &str = "[traffic]\npattern='steady'\nload=1.0\nwords=8\ncycles=400\n";

/// The router to which a link of a router in a torus of 4 × 4 leads.
fn neighbour(router: &str, link: &str) -> String {
    let place = router.strip_prefix("router_").expect("a router");
    let (x, y) = place.split_once('_').expect("two coordinates");
    let [x, y]: [u32; 2] = [x, y].map(|at| at.parse().expect("a number"));
    match link {
        "east" => format!("router_{}_{y}", (x + 1) % 4),
        "south" => format!("router_{x}_{}", (y + 1) % 4),
        other => panic!("{other}"),
    }
}

#[test]
fn links_of_a_deadlock_wait_for_each_other() {
    // Cycles on links change nothing about the circle.
    for cycles in [0, 1] {
        circle_of_links(&format!("link_cycles={cycles}\n"));
    }
}

/// Checks the circle in which a torus comes to rest, with further keys.
fn circle_of_links(keys: &str) {
    let work = workplace();
    let folder = work.path();
    let (found, said) = failed(folder, FULL, &AROUND, keys);
    let deadlock = &found["deadlock"];
    assert_eq!(deadlock["is_circle"], true, "{found}");
    assert!(found["livelock"].is_null(), "{found}");
    let links: Vec<[&str; 2]> = deadlock["links"]
        .as_array()
        .expect("links")
        .iter()
        .map(|link| [&link["router"], &link["link"]].map(|name| name.as_str().expect("a name")))
        .collect();
    // Four routers on a line, or more lines.
    assert!(links.len() >= 4, "{links:?}");
    for (at, [router, link]) in links.iter().enumerate() {
        let [next, _] = links[(at + 1) % links.len()];
        assert_eq!(neighbour(router, link), next, "{links:?}");
        assert!(
            said.contains(&format!("{router}.{link} (message ")),
            "{said}"
        );
    }
    // A message waits at the router to which the link leads.
    let first = &deadlock["links"][0];
    let message = first["message"].to_string();
    let trace = crosswave(
        folder,
        &[
            "trace",
            "two.toml",
            &message,
            "--set",
            "network.kind=\"torus\"",
            "--json",
            "-",
        ],
    );
    // More cycles would not bring it on.
    let advice = String::from_utf8_lossy(&trace.stderr);
    assert!(
        advice.contains("which links wait") && !advice.contains("cycles_max"),
        "{advice}"
    );
    let trace: Value = serde_json::from_slice(&trace.stdout).expect("JSON");
    let hops = trace["attempts"][0]["hops"].as_array().expect("hops");
    let waits = |hop: &Value| hop["router"] == links[1][0] && hop["freed_cycle"].is_null();
    assert!(hops.iter().any(waits), "{trace}");
    // The waveform that is proposed.
    let (_, options) = said.split_once("a waveform of it: add ").expect("advice");
    let options = options.lines().next().expect("a line");
    let program = env!("CARGO_BIN_EXE_crosswave");
    let line = format!("{program} run two.toml --set network.kind='\"torus\"' -q {options}");
    let ran = shell(folder, &line);
    assert_eq!(ran.status.code(), Some(1));
    let wave = fs::read_to_string(folder.join("deadlock.vcd")).expect("written");
    for [router, _] in links {
        assert!(
            wave.contains(&format!("$scope module {router} ")),
            "{router}"
        );
    }
}

#[test]
fn places_of_faults_and_of_standstills() {
    let steady = "[traffic]\npattern='steady'\nload=0.1\nwords=4\ncycles=300\n";
    let work = workplace();
    let folder = work.path();
    // The routers of the last row are forgotten: packets for them leave before.
    let forgotten = (
        "flit[5:0] == my_x && flit[11:6] == my_y;",
        "flit[5:0] == my_x && (flit[11:6] == my_y || my_y == 2 && flit[11:6] == 3);",
    );
    let (found, said) = failed(
        folder,
        steady,
        &[
            forgotten,
            (
                "&& flit[11:6] > my_y;",
                "&& flit[11:6] > my_y && my_y != 2;",
            ),
        ],
        "",
    );
    let packets = found["failed_packets"].as_array().expect("packets");
    assert_eq!(
        Some(packets.len() as u64),
        found["faults"]["total"].as_u64()
    );
    assert!(packets.len() > 10);
    for packet in packets {
        let [node, destination] = ["node", "destination"].map(|key| packet[key].as_u64());
        let node = node.expect("a node");
        assert_eq!(
            (&packet["fault"], Some(node + 4)),
            (&"misrouted".into(), destination)
        );
        let last = &packet["last"];
        assert_eq!(last["router"], format!("router_{}_2", node % 4));
        assert_eq!(
            (&last["link"], &last["has_left"]),
            (&"local".into(), &true.into())
        );
        assert!(last["cycle"].as_u64() < packet["cycle"].as_u64());
    }
    assert!(
        said.contains(&format!("{} more", packets.len() - 10)),
        "{said}"
    );

    // A packet for one node goes around for ever.
    let work = workplace();
    let folder = work.path();
    let lost = "wire lost = flit[11:0] == {6'd3, 6'd3};\n      assign wanted[EAST]  = lost || ";
    let mut mistakes = AROUND.to_vec();
    mistakes.push(("assign wanted[EAST]  = ", lost));
    mistakes.push(("flit[11:6] != my_y;", "flit[11:6] != my_y && !lost;"));
    mistakes.push(("flit[11:6] == my_y;", "flit[11:6] == my_y && !lost;"));
    let pair = "[traffic]\npattern='pair'\nsource=0\ndestination=15\nwords=3\n";
    let (found, said) = failed(folder, pair, &mistakes, "");
    let livelock = &found["livelock"];
    assert!(found["deadlock"].is_null() && livelock["hops"].as_u64() > Some(100));
    let hops = livelock["last_hops"].as_array().expect("hops");
    assert_eq!(hops.len(), 20);
    for pair in hops.windows(2) {
        let router = pair[0]["router"].as_str().expect("a name");
        assert_eq!(pair[1]["router"], neighbour(router, "east"));
    }
    assert!(said.contains("message 0 moves on and on"), "{said}");

    // An input takes nothing.
    let work = workplace();
    let folder = work.path();
    let deaf = (
        "assign ready = !count[2];",
        "reg deaf;\n  always @(posedge clk) deaf <= is_deaf && !rst;\n  assign ready = !count[2] && !deaf;",
    );
    let port = (
        "    output wire        ready,\n",
        "    output wire        ready,\n    input wire is_deaf,\n",
    );
    let pin = (
        ".ready(ready_in[i]),",
        ".ready(ready_in[i]), .is_deaf(i == 1 && my_x == 3 && my_y == 1),",
    );
    let (found, _) = failed(folder, steady, &[deaf, port, pin], "");
    let deadlock = &found["deadlock"];
    assert_eq!(deadlock["is_circle"], false);
    let end = deadlock["end"].as_str().expect("a reason");
    assert!(end.starts_with("router_3_1 takes nothing at west"), "{end}");
    let last = deadlock["links"].as_array().expect("links").last();
    let last = last.expect("a link");
    assert_eq!(
        (&last["router"], &last["link"]),
        (&"router_2_1".into(), &"east".into())
    );
}
