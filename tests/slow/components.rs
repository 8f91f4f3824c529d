//! Networks of a designer's own routers: endpoints back to back in every protocol, faults put in on
//! purpose, and exported networks in Icarus Verilog and Verilator.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::program::{root, shell, success, workplace, write};

/// A protocol: its name, the signal from receivers back, virtual channels, and whether credits come with
/// their number.
type ProtocolCase = (&'static str, &'static str, usize, bool);

const PROTOCOLS: [ProtocolCase; 7] = [
    ("valid-ready", "ready", 1, false),
    ("credit", "credit", 1, false),
    ("on-off", "on", 1, false),
    ("valid-only", "", 1, false),
    ("credit", "credit", 2, false),
    ("credit", "credit", 3, true),
    ("on-off", "on", 2, false),
];

/// A form of packets: its keys, bits of a flit, its fields, and bits for a virtual channel.
type FormCase = (&'static str, usize, &'static str, [usize; 2]);

const FORMS: [FormCase; 5] = [
    (
        "flits = \"single\"",
        34,
        "dest_id = \"[3:0]\", message = \"[27:4]\"",
        [29, 28],
    ),
    (
        "flits = \"counted\"",
        40,
        "dest_id = \"[35:32]\", message = \"[23:0]\", length = \"[31:24]\"",
        [37, 36],
    ),
    (
        "flits = \"last\"",
        33,
        "dest_x = \"[0]\", message = \"[24:1]\", tail = \"[32]\"",
        [26, 25],
    ),
    (
        "flits = \"head-tail\"",
        130,
        "dest_id = \"[5:2]\", message = \"[97:80]\", tail = \"[128]\", head = \"[129]\"",
        [7, 6],
    ),
    (
        "flits = \"head-tail\"\ntype = { bits = \"[11:10]\", head = 3, body = 1, tail = 0, single = 2 }",
        12,
        "dest_id = \"[0]\", message = \"[9:3]\"",
        [2, 1],
    ),
];

/// Faults of a relay, by the value of its pin.
const FAULTS: [&str; 4] = [
    "none",
    "drops a flit",
    "sends a flit twice",
    "changes a bit",
];

/// A relay between a node and its neighbour on either side: queues where flits may have to wait, and
/// registers where senders know that there is room.
fn relay((protocol, back, vcs, is_numbered): ProtocolCase, width: usize) -> String {
    // A credit with its number is one bit and two.
    let bits = if is_numbered { 3 } else { vcs };
    let port = |name: &str| {
        let mut ports = format!(
            "    input wire [{0}:0] {name}_in, input wire {name}_in_valid,\n    \
             output wire [{0}:0] {name}_out, output wire {name}_out_valid",
            width - 1
        );
        if !back.is_empty() {
            let range = format!("wire [{}:0]", bits - 1);
            ports +=
                &format!(",\n    output {range} {name}_in_{back}, input {range} {name}_out_{back}");
        }
        ports
    };
    let answers = match back {
        "" => String::new(),
        back => format!(
            "  assign a_in_{back} = to_a;\n  assign b_in_{back} = to_b;\n  assign c_in_{back} = to_b;\n  \
             wire [{0}:0] from_bc = b_out_{back} | c_out_{back};\n  wire [{0}:0] from_a = a_out_{back};\n",
            bits - 1
        ),
    };
    let lane = match protocol {
        "valid-ready" => "lane_of_queue",
        _ => "lane_of_registers",
    };
    let from = |name: &str| {
        if back.is_empty() {
            "1'b0".to_owned()
        } else {
            name.to_owned()
        }
    };
    format!(
        "module relay (input wire clk, input wire rst_n, input wire [1:0] fault,\n{},\n{},\n{});\n\
         \x20 wire [{}:0] to_a, to_b;\n{answers}\
         \x20 wire [{last}:0] out_bc, out_a;\n  wire valid_bc, valid_a;\n\
         \x20 {lane} up(clk, rst_n, fault, a_in, a_in_valid, to_a, out_bc, valid_bc, {});\n\
         \x20 {lane} down(clk, rst_n, 2'd0, b_in | c_in, b_in_valid | c_in_valid, to_b, out_a, valid_a, {});\n\
         \x20 assign b_out = out_bc;\n  assign b_out_valid = valid_bc;\n\
         \x20 assign c_out = out_bc;\n  assign c_out_valid = valid_bc;\n\
         \x20 assign a_out = out_a;\n  assign a_out_valid = valid_a;\nendmodule\n\
         {}",
        port("a"),
        port("b"),
        port("c"),
        bits - 1,
        from("from_bc"),
        from("from_a"),
        LANES
            .replace("@last@", &(width - 1).to_string())
            .replace("@back@", &(bits - 1).to_string()),
        last = width - 1
    )
}

/// The lanes of a relay. In every eighth flit there is a fault.
const LANES: &str = "
module lane_of_queue (input wire clk, input wire rst_n, input wire [1:0] fault,
    input wire [@last@:0] in, input wire in_valid, output wire in_ready,
    output wire [@last@:0] out, output wire out_valid, input wire out_ready);
  reg [@last@:0] places [0:3];
  reg [1:0] write, read;
  reg [2:0] count, number;
  reg again;
  assign in_ready = !count[2];
  wire puts = in_valid && in_ready && !(fault == 2'd1 && number == 3'd5);
  wire takes = out_valid && out_ready;
  wire stays = fault == 2'd2 && number == 3'd5 && !again;
  wire moves = takes && !stays;
  assign out_valid = count != 3'd0;
  assign out = places[read];
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      write <= 0; read <= 0; count <= 0; number <= 0; again <= 0;
    end else begin
      if (puts) write <= write + 2'd1;
      if (moves) read <= read + 2'd1;
      count <= count + {2'd0, puts} - {2'd0, moves};
      if (fault == 2'd2 ? moves : in_valid && in_ready) number <= number + 3'd1;
      again <= takes ? stays : again;
    end
  always @(posedge clk)
    if (puts) places[write] <= in ^ {@last@'d0, fault == 2'd3 && number == 3'd5} << 2;
endmodule

module lane_of_registers (input wire clk, input wire rst_n, input wire [1:0] fault,
    input wire [@last@:0] in, input wire in_valid, output reg [@back@:0] in_back,
    output reg [@last@:0] out, output reg out_valid, input wire [@back@:0] out_back);
  reg [2:0] number;
  reg twice;
  always @(posedge clk or negedge rst_n)
    if (!rst_n) begin
      in_back <= 0; out <= 0; out_valid <= 0; number <= 0; twice <= 0;
    end else begin
      in_back <= out_back;
      if (in_valid) begin
        out <= in ^ {@last@'d0, fault == 2'd3 && number == 3'd5} << 2;
        number <= number + 3'd1;
      end
      out_valid <= in_valid ? !(fault == 2'd1 && number == 3'd5) : twice;
      twice <= fault == 2'd2 && in_valid && number == 3'd5;
    end
endmodule
";

/// Writes a relay, its component file, and a network of two of them.
fn write_relay(
    folder: &Path,
    of: ProtocolCase,
    (form, width, fields, channel): FormCase,
    fault: usize,
) {
    let (protocol, back, vcs, is_numbered) = of;
    write(folder, "relay.v", &relay(of, width));
    let signals = |direction: &str| {
        let mut text =
            format!("data = \"{{name}}_{direction}\", valid = \"{{name}}_{direction}_valid\"");
        let signal = format!("{{name}}_{direction}_{back}");
        text += &match (back, is_numbered) {
            ("", _) => String::new(),
            (_, false) => format!(", {back} = \"{signal}\""),
            (_, true) => format!(", {back} = \"{signal}[0]\", {back}_vc = \"{signal}[2:1]\""),
        };
        text
    };
    let mut keys = match back {
        "credit" => "credits = 3\n".to_owned(),
        _ => String::new(),
    };
    let mut fields = fields.to_owned();
    if vcs > 1 {
        keys += &format!("vcs = {vcs}\n");
        let [left, right] = channel;
        let left = if vcs == 2 { right } else { left };
        fields += &format!(", vc = \"[{left}:{right}]\"");
    }
    write(
        folder,
        "relay.toml",
        &format!(
            "[component]\ntop = \"relay\"\nsources = [\"relay.v\"]\nclock = \"clk\"\n\
             reset = {{ port = \"rst_n\", active = \"low\" }}\npins = {{ fault = {fault} }}\n\
             [[link]]\nnames = [\"a\", \"b\", \"c\"]\nprotocol = \"{protocol}\"\n{keys}\
             in = {{ {} }}\nout = {{ {} }}\n\
             [packet]\n{form}\nfields = {{ {fields} }}\n",
            signals("in"),
            signals("out")
        ),
    );
    write(
        folder,
        "two.toml",
        "[network]\nkind = \"mesh\"\ncomponent = \"relay.toml\"\nsize = [2]\nlocal = \"a\"\n\
         axes = [[\"b\", \"c\"]]\n[traffic]\npattern = \"random\"\nwords = 5\nrepeat = 20\n\
         [run]\ncycles_max = 4000\n",
    );
}

/// The result of a run, whatever its exit code is; netlists are kept in the folder.
pub(crate) fn result(folder: &Path, arguments: &[&str]) -> Value {
    let ran = Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .current_dir(folder)
        .env("CROSSWAVE_CACHE", folder.join("cache"))
        .args(["run", "two.toml", "--json", "-"])
        .args(arguments)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ran.stderr);
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{said}"))
}

/// The messages of a run that came.
pub(crate) fn delivered(result: &Value) -> u64 {
    let found = result["messages"]["delivered"].as_u64();
    found.unwrap_or_else(|| panic!("{result}"))
}

/// The packets of a run with faults.
pub(crate) fn faults(result: &Value) -> u64 {
    let found = result["faults"]["total"].as_u64();
    found.unwrap_or_else(|| panic!("{result}"))
}

/// Each of the 40 times 5 flits moves on three of the six links, and messages take the virtual channels
/// in turn.
fn check_links(result: &Value, vcs: usize, about: &str) {
    let links = &result["links"];
    let cycles = result["cycles"].as_f64().expect("a number");
    let flits = |share: &Value| (share.as_f64().expect("a share") * 6.0 * cycles).round();
    assert_eq!(links["links"], 6, "{about}");
    assert_eq!(flits(&links["use_share_mean"]), 600.0, "{about}");
    let by_vc = links["use_share_mean_by_vc"].as_array();
    let by_vc: Vec<f64> = by_vc.into_iter().flatten().map(flits).collect();
    match vcs {
        1 => assert!(by_vc.is_empty(), "{about}"),
        _ => {
            assert_eq!(by_vc.len(), vcs, "{about}");
            assert_eq!(by_vc.iter().sum::<f64>(), 600.0, "{about}");
            assert!(by_vc.iter().all(|&flits| flits > 100.0), "{about}");
        }
    }
}

#[test]
fn endpoints_back_to_back_in_every_protocol() {
    for (number, protocol) in PROTOCOLS.into_iter().enumerate() {
        // Every second form, so that each meets several protocols.
        for form in FORMS.into_iter().skip(number % 2).step_by(2) {
            let work = workplace();
            let folder = work.path();
            write_relay(folder, protocol, form, 0);
            for stall in ["0", "0.25", "0.9"] {
                if protocol.0 == "valid-only" && stall != "0" {
                    continue;
                }
                let setting = format!("endpoint.stall={stall}");
                let found = result(folder, &["--set", &setting, "--links", "links.csv"]);
                let about = format!("{protocol:?} {form:?} {stall}: {found}");
                assert_eq!((delivered(&found), faults(&found)), (40, 0), "{about}");
                check_links(&found, protocol.2, &about);
            }
        }
    }
}

#[test]
fn faults_that_are_put_in_are_noticed() {
    for (number, protocol) in PROTOCOLS.into_iter().enumerate() {
        // A form for each protocol, and each form for one at least.
        for form in [FORMS[number % FORMS.len()]] {
            for (fault, name) in FAULTS.iter().enumerate().skip(1) {
                let work = workplace();
                let folder = work.path();
                write_relay(folder, protocol, form, fault);
                let found = result(folder, &[]);
                let about = format!("{protocol:?} {form:?}, a relay that {name}: {found}");
                match fault {
                    // A flit that is a packet is lost without a trace in others.
                    1 => assert!(delivered(&found) < 40, "{about}"),
                    _ => assert!(faults(&found) > 0, "{about}"),
                }
            }
        }
    }
}

/// A mesh with a router of the examples.
fn mesh_of(router: &str, size: &str, more: &str) -> String {
    format!(
        "[network]\nkind='mesh'\ncomponent='{}'\nsize={size}\nlocal='local'\n\
         axes=[['west','east'],['north','south']]\n{more}",
        root("examples/routers").join(router).display()
    )
}

/// A mesh with the router that has valid/ready links.
pub(crate) fn mesh(size: &str, more: &str) -> String {
    mesh_of("mesh_router.toml", size, more)
}

#[test]
fn exported_networks_do_the_same_in_icarus_and_verilator() {
    let steady = "[traffic]\npattern='steady'\nload=0.3\nwords=3\ncycles=300\n";
    let cases = [
        (
            mesh("[3, 2]", &format!("[endpoint]\nstall=0.3\n{steady}")),
            "icarus",
        ),
        (
            mesh("[3, 2]", &format!("[endpoint]\nstall=0.3\n{steady}")),
            "verilator",
        ),
        (
            mesh("[2, 2]", steady).replace("'mesh'", "'torus'"),
            "icarus",
        ),
        (
            mesh_of(
                "credit_router.toml",
                "[2, 3]",
                &format!("[endpoint]\nstall=0.3\n{steady}"),
            ),
            "icarus",
        ),
    ];
    for (text, simulator) in cases {
        let work = workplace();
        let folder = work.path();
        write(folder, "mesh.toml", &text);
        same_in(folder, "mesh.toml", simulator);
    }
}

/// Checks that an exported network shows the same at all ports in a simulator.
pub(crate) fn same_in(folder: &Path, network: &str, simulator: &str) {
    success(folder, &["export", network, "--verilog", "out"]);
    let program = env!("CARGO_BIN_EXE_crosswave");
    let line = format!("CROSSWAVE={program} sh out/run-{simulator}.sh +vcd=w.vcd");
    let ran = shell(folder, &line);
    let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    assert!(ran.status.success(), "{said}");
    assert!(said.contains("signals are the same"), "{said}");
}

/// A router of the examples with a bug in it.
struct BrokenTwin {
    /// The component file, and the Verilog.
    files: [&'static str; 2],
    /// The text that is another one.
    from: &'static str,
    to: &'static str,
    /// The row that counts the faults; none where messages are missing.
    row: Option<&'static str>,
}

#[test]
fn broken_twins_of_the_examples_are_noticed() {
    let mesh = ["mesh_router.toml", "mesh_router.sv"];
    let credit = ["credit_router.toml", "credit_router.v"];
    let twins = [
        // The row below 2 is forgotten: packets for it leave there.
        BrokenTwin {
            files: mesh,
            from: "assign wanted[LOCAL] = flit[5:0] == my_x && flit[11:6] == my_y;",
            to: "assign wanted[LOCAL] = flit[5:0] == my_x && (flit[11:6] == my_y || my_y == 2 && flit[11:6] == 3);",
            row: Some("misrouted"),
        },
        // An output is given away before the tail.
        BrokenTwin {
            files: mesh,
            from: "owner <= chosen[32] ? 5'd0 : grant;",
            to: "owner <= 5'd0;",
            row: None,
        },
        // Queues that are full take a flit more.
        BrokenTwin {
            files: mesh,
            from: "assign ready = !count[2];",
            to: "assign ready = count != 3'd5;",
            row: Some("corrupted"),
        },
        // A credit is lost where a channel sends and gets one.
        BrokenTwin {
            files: credit,
            from: "{2'd0, credit_out[2*o]}",
            to: "{2'd0, credit_out[2*o] && !sends}",
            row: None,
        },
        // Channels are mixed where a packet begins while the channel is taken.
        BrokenTwin {
            files: credit,
            from: "firsts[35*q + 34] ? owner0 == 5'd0 : owner0[q/2]",
            to: "firsts[35*q + 34] || owner0[q/2]",
            row: Some("corrupted"),
        },
    ];
    for twin in twins {
        let work = workplace();
        let folder = work.path();
        let [component, source] = twin.files;
        let text = |name: &str| {
            let path = root("examples/routers").join(name);
            fs::read_to_string(path).expect("it is there")
        };
        let broken = text(source).replace(twin.from, twin.to);
        assert_ne!(broken, text(source), "{}", twin.from);
        write(folder, source, &broken);
        write(folder, component, &text(component));
        let network = mesh_of(
            component,
            "[4, 4]",
            "[endpoint]\nstall=0.3\n[traffic]\npattern='steady'\nload=0.4\nwords=4\ncycles=1000\n",
        );
        let folder_of = root("examples/routers").display().to_string() + "/";
        write(folder, "two.toml", &network.replace(&folder_of, ""));
        let found = result(folder, &[]);
        match twin.row {
            Some(row) => {
                let count = found["faults"][row]
                    .as_u64()
                    .unwrap_or_else(|| panic!("{found}"));
                assert!(count > 0, "{}: {found}", twin.to);
            }
            None => {
                let offered = found["messages"]["offered"].as_u64();
                assert!(Some(delivered(&found)) < offered, "{}: {found}", twin.to);
            }
        }
    }
}

/// A node whose messages wait begins one in the cycle after the end of another, with valid/ready and with
/// credits.
#[test]
fn nodes_send_a_flit_in_every_cycle() {
    for router in ["mesh_router.toml", "credit_router.toml"] {
        let work = workplace();
        let traffic = "[traffic]\npattern='steady'\nload=0.95\nwords=1\ncycles=2000\n\
                       destinations='neighbour'\n";
        write(work.path(), "two.toml", &mesh_of(router, "[4, 4]", traffic));
        let found = result(work.path(), &["--links", "links.csv"]);
        let carried = found["steady"]["throughput_fraction"].as_f64();
        let carried = carried.unwrap_or_else(|| panic!("{found}"));
        assert!((carried - 0.95).abs() < 0.02, "{router}: {carried}");
    }
}

#[test]
fn threads_and_lanes_change_nothing() {
    let work = workplace();
    let folder = work.path();
    let text = mesh(
        "[12, 12]",
        "[endpoint]\nstall=0.2\n[traffic]\npattern='steady'\nload=0.2\nwords=4\ncycles=400\n",
    );
    write(folder, "two.toml", &text);
    let run = |threads: &str| {
        let setting = format!("run.threads={threads}");
        let mut found = result(folder, &["--set", &setting, "--vcd", "w.vcd"]);
        found["performance"] = Value::Null;
        found["config"]["run"] = Value::Null;
        (found, fs::read(folder.join("w.vcd")).expect("written"))
    };
    let first = run("1");
    assert!(first == run("2"));
    assert!(first == run("7"));
    // Replicates together are those alone.
    let messages = |replicates: &str| {
        let setting = format!("run.replicates={replicates}");
        result(folder, &["--set", &setting, "--messages", "m.csv"]);
        fs::read_to_string(folder.join("m.csv")).expect("written")
    };
    let (alone, together) = (messages("1"), messages("3"));
    assert!(together.starts_with(&alone) && together.len() > 2 * alone.len());
}

/// An output that depends on a pin, and one that is always 1.
#[test]
fn outputs_of_pins_and_of_constants() {
    let work = workplace();
    let folder = work.path();
    let text = |name: &str| {
        let path = root("examples/routers").join(name);
        fs::read_to_string(path).expect("it is there")
    };
    let source = text("mesh_router.sv")
        .replace(
            "input  wire         rst,",
            "input  wire         rst, closed,",
        )
        .replace("input  wire        rst,", "input  wire        rst, closed,")
        .replace(".rst(rst),", ".rst(rst), .closed(closed),");
    let component = text("mesh_router.toml").replace("pins = {", "pins = { closed = 0,");
    write(folder, "mesh_router.toml", &component);
    let network = mesh_of(
        "mesh_router.toml",
        "[2, 2]",
        "[traffic]\npattern='steady'\nload=0.1\nwords=4\ncycles=400\n",
    );
    let original = root("examples/routers").display().to_string() + "/";
    let messages = |network: &str| {
        write(folder, "two.toml", network);
        result(folder, &["--messages", "m.csv"]);
        fs::read_to_string(folder.join("m.csv")).expect("written")
    };
    let expected = messages(&network);
    assert!(expected.lines().count() > 40);
    let network = network.replace(&original, "");
    for ready in ["!count[2] && !closed", "1'b1"] {
        let own = source.replace(
            "assign ready = !count[2];",
            &format!("assign ready = {ready};"),
        );
        assert!(own.contains(ready));
        write(folder, "mesh_router.sv", &own);
        assert_eq!(messages(&network), expected, "{ready}");
    }
}

/// Heads whose number begins anew after 256 messages, in a network that cannot carry its load: messages
/// with the same number wait at their sources for long.
#[test]
fn numbers_that_begin_anew_are_those_of_messages_that_have_left() {
    let work = workplace();
    let folder = work.path();
    let text = |name: &str| {
        let path = root("examples/routers").join(name);
        fs::read_to_string(path).expect("it is there")
    };
    write(folder, "mesh_router.sv", &text("mesh_router.sv"));
    let component = text("mesh_router.toml");
    let narrow = component.replace("message = \"[31:12]\"", "message = \"[19:12]\"");
    assert_ne!(narrow, component);
    write(folder, "mesh_router.toml", &narrow);
    let network = mesh_of(
        "mesh_router.toml",
        "[2, 2]",
        "[traffic]\npattern='steady'\nload=0.7\nwords=1\ncycles=4000\n",
    );
    let folder_of = root("examples/routers").display().to_string() + "/";
    write(folder, "two.toml", &network.replace(&folder_of, ""));
    let found = result(folder, &["--messages", "m.csv"]);
    assert_eq!(
        Some(delivered(&found)),
        found["messages"]["offered"].as_u64()
    );
    let mut messages = csv::Reader::from_path(folder.join("m.csv")).expect("written");
    let headers = messages.headers().expect("headers").clone();
    let column = |name: &str| {
        headers
            .iter()
            .position(|header| header == name)
            .expect("a column")
    };
    let columns = ["sent_cycle", "delivered_cycle"].map(column);
    for message in messages.records() {
        let message = message.expect("a record");
        let cycle = |at: usize| message[at].parse::<u64>().expect("a cycle");
        let [sent, delivered] = columns.map(cycle);
        assert!(sent < delivered, "{message:?}");
    }
}
