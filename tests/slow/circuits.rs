//! Networks of a designer's own routers whose messages are circuits: endpoints back to back with each kind of
//! answer, faults put in on purpose, and the fat tree of the examples with its broken twins.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::components::{delivered, faults, result, same_in};
use crate::program::{root, success, workplace, write};

/// A form of packets, the bits of a flit and its fields, with the keys of answers, and words of a message.
struct Case {
    form: &'static str,
    width: usize,
    fields: &'static str,
    keys: &'static str,
    has_ack: bool,
    words: u32,
}

const CASES: [Case; 4] = [
    Case {
        form: "last",
        width: 33,
        fields: "dest_x = \"[0]\", message = \"[24:1]\", tail = \"[32]\"",
        keys: "release = \"acknowledge\"\n",
        has_ack: true,
        words: 5,
    },
    Case {
        form: "head-tail",
        width: 70,
        fields: "dest_id = \"[5:2]\", message = \"[49:40]\", tail = \"[68]\", head = \"[69]\"",
        keys: "",
        has_ack: true,
        words: 5,
    },
    Case {
        form: "counted",
        width: 40,
        fields: "dest_id = \"[35:32]\", message = \"[23:0]\", length = \"[31:24]\"",
        keys: "answer_cycles = 12\n",
        has_ack: false,
        words: 5,
    },
    Case {
        form: "single",
        width: 34,
        fields: "dest_id = \"[3:0]\", message = \"[27:4]\"",
        keys: "",
        has_ack: true,
        words: 1,
    },
];

/// Faults of a relay, by the value of its pin.
const FAULTS: [&str; 5] = [
    "none",
    "lets valid fall in a message",
    "changes a bit",
    "forgets to reject",
    "answers when nobody has asked",
];

/// A relay between a node and its neighbour on either side: a register in each direction.
fn relay(width: usize, has_ack: bool) -> String {
    let mut ports = String::new();
    let mut answers = String::new();
    for name in ["a", "b", "c"] {
        ports += &format!(
            ",\n    input wire [{0}:0] {name}_in, input wire {name}_in_valid, output reg {name}_in_nack,\n    \
             output reg [{0}:0] {name}_out, output reg {name}_out_valid, input wire {name}_out_nack",
            width - 1
        );
        let from = if name == "a" {
            "b_out_@ | c_out_@"
        } else {
            "a_out_@"
        };
        let nack = from.replace('@', "nack");
        answers +=
            &format!("    {name}_in_nack <= !rst && fault != 3'd3 && ({nack} || {name}_stray);\n");
        if has_ack {
            ports += &format!(",\n    output reg {name}_in_ack, input wire {name}_out_ack");
            answers += &format!(
                "    {name}_in_ack <= !rst && ({});\n",
                from.replace('@', "ack")
            );
        }
    }
    format!(
        "module relay (input wire clk, input wire rst, input wire [2:0] fault{ports});\n  \
         reg [2:0] number;\n  reg [7:0] idle;\n  \
         wire a_stray = fault == 3'd4 && idle == 8'd4;\n  wire b_stray = 1'b0, c_stray = 1'b0;\n  \
         wire falls = fault == 3'd1 && number == 3'd2;\n  \
         wire [{0}:0] flit = a_in ^ {{{0}'d0, fault == 3'd2 && number == 3'd2}} << 6;\n  \
         always @(posedge clk) begin\n    number <= rst || !a_in_valid ? 3'd0 : number + 3'd1;\n    \
         idle <= rst || a_in_valid ? 8'd0 : idle == 8'd255 ? idle : idle + 8'd1;\n    \
         b_out <= flit; c_out <= flit; a_out <= b_in | c_in;\n    \
         b_out_valid <= !rst && a_in_valid && !falls;\n    c_out_valid <= !rst && a_in_valid && !falls;\n    \
         a_out_valid <= !rst && (b_in_valid || c_in_valid);\n{answers}  end\nendmodule\n",
        width - 1
    )
}

/// Writes a relay, its component file, and a network of two of them.
fn write_relay(folder: &Path, case: &Case, fault: usize) {
    let signals = |direction: &str| {
        let signal = |name: &str| format!("{name} = \"{{name}}_{direction}_{name}\"");
        let ack = if case.has_ack {
            format!(", {}", signal("ack"))
        } else {
            String::new()
        };
        format!(
            "data = \"{{name}}_{direction}\", {}, {}{ack}",
            signal("valid"),
            signal("nack")
        )
    };
    write(folder, "relay.v", &relay(case.width, case.has_ack));
    write(
        folder,
        "relay.toml",
        &format!(
            "[component]\ntop = \"relay\"\nsources = [\"relay.v\"]\nclock = \"clk\"\n\
             reset = {{ port = \"rst\" }}\npins = {{ fault = {fault} }}\n\
             [[link]]\nnames = [\"a\", \"b\", \"c\"]\nprotocol = \"circuit\"\n{}\
             in = {{ {} }}\nout = {{ {} }}\n[packet]\nflits = \"{}\"\nfields = {{ {} }}\n",
            case.keys,
            signals("in"),
            signals("out"),
            case.form,
            case.fields
        ),
    );
    write(
        folder,
        "two.toml",
        &format!(
            "[network]\nkind = \"mesh\"\ncomponent = \"relay.toml\"\nsize = [2]\nlocal = \"a\"\n\
             axes = [[\"b\", \"c\"]]\nlink_cycles = 1\n[traffic]\npattern = \"random\"\nwords = {}\nrepeat = 20\n\
             [checks]\ndeadlock_cycles = 500\n[run]\ncycles_max = 20000\n",
            case.words
        ),
    );
}

fn attempts(result: &Value) -> u64 {
    let found = result["messages"]["attempts"].as_u64();
    found.unwrap_or_else(|| panic!("{result}"))
}

#[test]
fn endpoints_back_to_back_with_each_kind_of_answer() {
    for case in &CASES {
        let work = workplace();
        let folder = work.path();
        write_relay(folder, case, 0);
        for stall in ["0", "0.8"] {
            let setting = format!("endpoint.stall={stall}");
            let found = result(folder, &["--set", &setting, "--links", "links.csv"]);
            let about = format!("{} {stall}: {found}", case.form);
            assert_eq!((delivered(&found), faults(&found)), (40, 0), "{about}");
            // Four of five heads are refused.
            match stall {
                "0" => assert_eq!(attempts(&found), 40, "{about}"),
                _ => assert!((100..400).contains(&attempts(&found)), "{about}"),
            }
            assert!(
                found["links"]["use_share_mean"].as_f64() > Some(0.0),
                "{about}"
            );
        }
    }
}

#[test]
fn faults_of_circuits_are_noticed() {
    for (fault, name) in FAULTS.iter().enumerate().skip(1) {
        let work = workplace();
        let folder = work.path();
        write_relay(folder, &CASES[0], fault);
        let found = result(folder, &["--set", "endpoint.stall=0.5"]);
        let about = format!("a relay that {name}: {found}");
        let count = |row: &str| found["faults"][row].as_u64();
        match fault {
            1 | 2 => assert!(count("corrupted") > Some(0), "{about}"),
            3 => assert!(delivered(&found) < 40 && faults(&found) == 0, "{about}"),
            _ => assert!(count("unknown") > Some(0), "{about}"),
        }
    }
}

/// Copies the fat tree of the examples, with few messages, and the switch changed.
fn tree(folder: &Path, from: &str, to: &str) {
    let files = [
        "circuit_switch.toml",
        "circuit_switch.v",
        "circuit64.toml",
        "butterfly64-routers.csv",
        "butterfly64-links.csv",
    ];
    for name in files {
        let path = root("examples/routers").join(name);
        let text = fs::read_to_string(path).expect("it is there");
        if name == "circuit_switch.v" {
            assert!(text.contains(from), "{from}");
            write(folder, name, &text.replace(from, to));
        } else if name == "circuit64.toml" {
            let text = text.replace("cycles = 2000", "cycles = 200");
            write(
                folder,
                "two.toml",
                &(text + "[checks]\ndeadlock_cycles = 1000\n"),
            );
        } else {
            write(folder, name, &text);
        }
    }
}

#[test]
fn a_fat_tree_of_circuits() {
    let work = workplace();
    let folder = work.path();
    tree(folder, "", "");
    let run = |threads: &str| {
        let setting = format!("run.threads={threads}");
        let mut found = result(folder, &["--set", &setting, "--events", "e.jsonl"]);
        found["performance"] = Value::Null;
        found["config"]["run"] = Value::Null;
        (
            found,
            fs::read_to_string(folder.join("e.jsonl")).expect("written"),
        )
    };
    let (found, events) = run("1");
    let offered = found["messages"]["offered"].as_u64();
    assert!(offered > Some(100), "{found}");
    assert_eq!((Some(delivered(&found)), faults(&found)), (offered, 0));
    assert!(attempts(&found) > 150, "{found}");
    // Each attempt is told of, and the parts of each latency are the latency.
    assert_eq!(
        events.matches("\"rejected\"").count() as u64,
        attempts(&found) - delivered(&found)
    );
    assert!((found, events) == run("2"));
    let refused = success(folder, &["trace", "two.toml", "21"]);
    assert!(
        refused.contains("launched") && refused.contains("delivered"),
        "{refused}"
    );
    // A small tree is enough for the other simulator.
    let mut routers = String::from("name,level,is_top,subtree\n");
    let mut links = String::from("from,from_port,to,to_port\n");
    for number in 0..2 {
        let side = ["left", "right"][number];
        routers += &format!("low_{number},0,0,{number}\ntop_{number},1,1,0\n");
        for top in 0..2 {
            links += &format!("low_{number},up_{top},top_{top},{side}\n");
        }
    }
    write(folder, "routers.csv", &routers);
    write(folder, "links.csv", &links);
    write(
        folder,
        "two.toml",
        "[network]\nkind = \"custom\"\ncomponent = \"circuit_switch.toml\"\nrouters = \"routers.csv\"\n\
         links = \"links.csv\"\nlocal = [\"left\", \"right\"]\n[endpoint]\nstall = 0.3\n\
         [traffic]\npattern = \"steady\"\nload = 0.4\nwords = 3\ncycles = 200\n",
    );
    assert!(attempts(&result(folder, &[])) > 50);
    same_in(folder, "two.toml", "icarus");
}

#[test]
fn broken_twins_of_the_fat_tree_are_noticed() {
    let twins = [
        ("nack[link] = chosen == 4'd0;", ""),
        ("if (!valid_in[link] || nack[link])", "if (nack[link])"),
        ("taken      = taken | chosen;", ""),
        (
            "nack[link] = |(chosen & nack_out);",
            "nack[link] = level != 3'd1 && |(chosen & nack_out);",
        ),
        (
            "nack_in   <= rst ? 4'd0 : nack;",
            "nack_in   <= rst ? 4'd0 : nack | nack_in;",
        ),
    ];
    for (number, (from, to)) in twins.into_iter().enumerate() {
        let work = workplace();
        let folder = work.path();
        tree(folder, from, to);
        let found = result(folder, &[]);
        let offered = found["messages"]["offered"].as_u64();
        assert!(Some(delivered(&found)) < offered, "{to}: {found}");
        assert_eq!(found["lost_nack"].is_object(), number == 3, "{found}");
        match number {
            // Heads that nobody rejects wait for each other's circuits.
            0 => assert!(found["deadlock"]["links"][0].is_object(), "{found}"),
            // Others are rejected for ever.
            1 => assert!(found["livelock"]["attempts"].as_u64() > Some(5), "{found}"),
            2 => assert!(found["faults"]["corrupted"].as_u64() > Some(0), "{found}"),
            // A switch of level 1 keeps a rejection for itself: it is the one that is told.
            3 => {
                let lost = &found["lost_nack"];
                let router = lost["router"].as_str().expect("a name");
                let routers = fs::read_to_string(folder.join("butterfly64-routers.csv"));
                let routers = routers.expect("it is there");
                let row = routers
                    .lines()
                    .find(|row| row.split(',').next() == Some(router));
                assert_eq!(
                    row.and_then(|row| row.split(',').nth(1)),
                    Some("1"),
                    "{lost}"
                );
                assert!(lost["cycle"].as_u64() < found["cycles"].as_u64(), "{lost}");
            }
            // A rejection that does not end has come to the source, which waits for its end.
            _ => {}
        }
    }
}
