//! Chips of a designer's own in Verilog, which Yosys makes netlists of, in the networks of this
//! program; against the chips that they were made from, and against Icarus Verilog.

use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave_chips::CHIPS;
use crosswave_network::registry::KINDS;

use crate::program::{crosswave, failure, root, shell, success, workplace, write};

/// A file of `hdl/` with a change, which has to be one.
fn changed(folder: &Path, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(root("hdl").join(file)).expect("it is there");
    let new = text.replace(from, to);
    assert_ne!(new, text, "{from}");
    write(folder, file, &new);
}

/// The chips of `small.toml` and one of a file do the same in every cycle; gives what is said.
fn same(folder: &Path, chip: &str) -> String {
    let ran = crosswave(folder, &["compare", "small.toml", "--chip", chip]);
    let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    assert_eq!(ran.status.code(), Some(0), "{chip}: {said}");
    assert!(
        said.contains("all outputs of all chips are the same"),
        "{said}"
    );
    said
}

#[test]
fn every_chip_can_be_replaced_by_its_own_source() {
    let work = workplace();
    let folder = work.path();
    let mut replaced = Vec::new();
    for kind in KINDS {
        for (number, sample) in kind.samples.iter().enumerate() {
            let file = format!("{}-{number}.toml", kind.name);
            write(folder, &file, sample);
            let info = success(folder, &["info", &file, "--json", "-"]);
            let info: serde_json::Value = serde_json::from_str(&info).expect("JSON");
            let rows = info["chips"].as_array().expect("a list").iter();
            let there = rows.filter(|row| row["instances"].as_u64() > Some(0));
            let netlists = there.map(|row| {
                let name = row["chip"].as_str().expect("a name");
                CHIPS.iter().find(|chip| chip.name == name)
            });
            // A network with a model that has no netlist runs on no gates.
            let Some(chips) = netlists.collect::<Option<Vec<_>>>() else {
                continue;
            };
            for chip in chips {
                let name = chip.name;
                assert!(kind.chips.contains(&name), "{}: {name}", kind.name);
                if replaced.contains(&name.to_owned()) {
                    continue;
                }
                replaced.push(name.to_owned());
                let (top, text) = chip.sources[0];
                // Under another name, so that it is the only top that is not in the library.
                let own = format!("own_{top}");
                write(
                    folder,
                    &own,
                    &text.replace(&format!("module {name} ("), "module mine ("),
                );
                let argument = format!("{name}={own}");
                let ran = crosswave(folder, &["compare", &file, "--chip", &argument]);
                let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
                assert_eq!(ran.status.code(), Some(0), "{argument}: {said}");
            }
        }
    }
    assert!(replaced.len() >= 18, "{replaced:?}");
    // Kinds name no chips that none of their networks has.
    for kind in KINDS {
        for name in kind.chips {
            assert!(CHIPS.iter().any(|chip| chip.name == *name), "{name}");
        }
    }
}

#[test]
fn a_part_of_a_chip_is_enough() {
    let work = workplace();
    let folder = work.path();
    changed(
        folder,
        "fat_tree_arbiter.v",
        "side_request & ~side_loses",
        "side_request",
    );
    let chip = "fat_tree_router=fat_tree_arbiter.v";
    let arguments = [
        "compare",
        "small.toml",
        "--chip",
        chip,
        "--set",
        "traffic.repeat=40",
    ];
    let said = failure(folder, &arguments, 1);
    assert!(said.contains("differ for the first time"), "{said}");
    // The run does not depend on the number of threads.
    let run = |threads: &str| {
        let threads = format!("run.threads={threads}");
        let arguments = [
            "run",
            "small.toml",
            "--chip",
            chip,
            "--set",
            &threads,
            "--messages",
            "-",
        ];
        success(folder, &arguments)
    };
    let one = run("1");
    assert!(one.lines().count() > 64);
    assert_eq!(one, run("2"));
    assert_eq!(one, run("7"));
}

/// Outputs that gates compute from registers; registers without a reset; and one that is reset
/// without the clock.
#[test]
fn other_styles_do_the_same() {
    let work = workplace();
    let folder = work.path();
    let crossbar = "fat_tree_crossbar.v";
    let outputs = "output reg  [8:0]  ";
    let moore = fs::read_to_string(root("hdl").join(crossbar)).expect("it is there");
    let mut moore = moore.replace(outputs, "output wire [8:0]  ").replace("  always @(posedge", concat!(
        "  reg [8:0] a_low, b_low, c_low, d_low;\n  assign a_out = ~a_low;\n  assign b_out = ~b_low;\n",
        "  assign c_out = ~c_low;\n  assign d_out = ~d_low;\n  always @(posedge"
    ));
    for output in ["a", "b", "c", "d"] {
        moore = moore.replace(
            &format!("{output}_out <= 9'd0;"),
            &format!("{output}_low <= ~9'd0;"),
        );
        let body = format!("      {output}_out <= ");
        let at = moore.find(&body).expect("an assignment");
        let end = at + moore[at..].find(';').expect("its end");
        let value = moore[at + body.len()..end].to_owned();
        moore.replace_range(at..end, &format!("      {output}_low <= ~({value})"));
    }
    write(folder, crossbar, &moore);
    same(folder, "fat_tree_router=fat_tree_crossbar.v");
    changed(
        folder,
        crossbar,
        "always @(posedge clock)",
        "always @(posedge clock or posedge reset)",
    );
    same(folder, "fat_tree_router=fat_tree_crossbar.v");
    changed(folder, crossbar, "      d_out <= 9'd0;\n", "");
    let text = fs::read_to_string(folder.join(crossbar)).expect("written");
    let text = text.replace("    if (reset) begin", "    d_out <= ({9{a_select[2]}} & a_word) | ({9{b_select[2]}} & b_word);\n    if (reset) begin");
    let at = text.rfind("      d_out <= ").expect("the old one");
    let end = at + text[at..].find(';').expect("its end") + 1;
    write(
        folder,
        crossbar,
        &format!("{}{}", &text[..at], &text[end..]),
    );
    let said = same(folder, "fat_tree_router=fat_tree_crossbar.v");
    assert!(
        said.contains("the reset leaves 9 registers as they are"),
        "{said}"
    );
}

#[test]
fn outputs_may_follow_links_at_once_and_no_other_inputs() {
    let work = workplace();
    let folder = work.path();
    let top = fs::read_to_string(root("hdl/fat_tree_router.v")).expect("it is there");
    let end = top.find("endmodule").expect("its end");
    let text = top.replace(
        ".d_out({d_out_valid, d_out_data})",
        ".d_out({d_valid_register, d_out_data})",
    );
    assert_ne!(text, top);
    let end = end + text.len() - top.len();
    let with = |input: &str| {
        format!(
            "{}  wire d_valid_register;\n  assign d_out_valid = d_valid_register & ~({input});\n{}",
            &text[..end],
            &text[end..]
        )
        .replacen("`default_nettype none", "", 1)
    };
    // No message has a word of ones without a valid.
    write(folder, "mealy.v", &with("~a_in_valid & (&a_in_data)"));
    let networks = ["fat_tree_router=mealy.v", "fat_tree_router=whole.v"];
    fs::copy(root("hdl/fat_tree_router.v"), folder.join("whole.v")).expect("a copy");
    let messages = networks.map(|chip| {
        success(
            folder,
            &["run", "small.toml", "--chip", chip, "--messages", "m.csv"],
        );
        fs::read_to_string(folder.join("m.csv")).expect("written")
    });
    assert!(messages[0] == messages[1]);
    same(folder, "fat_tree_router=mealy.v");
    write(folder, "mealy.v", &with("random_up"));
    let said = failure(
        folder,
        &["run", "small.toml", "--chip", "fat_tree_router=mealy.v"],
        3,
    );
    let part = "it depends on the input `random_up` in the same cycle: random_up -> ";
    assert!(
        said.contains("port d_out_valid, bit 0") && said.contains(part),
        "{said}"
    );
}

#[test]
fn netlists_are_kept_until_something_changes() {
    let work = workplace();
    let folder = work.path();
    fs::copy(root("hdl/fat_tree_router.v"), folder.join("mine.v")).expect("a copy");
    let run = |program: &str| {
        Command::new(env!("CARGO_BIN_EXE_crosswave"))
            .args(["run", "small.toml", "--chip", "fat_tree_router=mine.v"])
            .current_dir(folder)
            .env("CROSSWAVE_CACHE", folder.join("cache"))
            .env("YOSYS", program)
            .output()
            .expect("the program starts")
    };
    let says = |program: &str| {
        let ran = run(program);
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(ran.status.success(), "{said}");
        said.contains("synthesis by Yosys")
    };
    assert!(says("yosys"));
    assert!(!says("yosys"));
    // A file beside it counts, and so does a kept netlist that is damaged.
    changed(
        folder,
        "fat_tree_arbiter.v",
        "side_request & ~side_loses",
        "side_request",
    );
    assert!(says("yosys") && !says("yosys"));
    for kept in fs::read_dir(folder.join("cache")).expect("a folder") {
        fs::write(kept.expect("readable").path(), "{\"modules\": ").expect("writable");
    }
    assert!(says("yosys") && !says("yosys"));
    // Without Yosys, and with a program that is none.
    let said = |program: &str, code: i32| {
        let ran = run(program);
        assert_eq!(ran.status.code(), Some(code));
        String::from_utf8_lossy(&ran.stderr).into_owned()
    };
    assert!(said("no-such-yosys", 4).contains("there is no program no-such-yosys"));
    assert!(said("true", 4).contains("gives no version of Yosys"));
}

#[test]
fn icarus_runs_the_same_network() {
    let work = workplace();
    let folder = work.path();
    success(
        folder,
        &[
            "export",
            "small.toml",
            "--set",
            "network.nodes=16",
            "--verilog",
            "out",
        ],
    );
    let file = "out/fat_tree_arbiter.v";
    let text = fs::read_to_string(folder.join(file)).expect("exported");
    write(
        folder,
        file,
        &text.replace("side_request & ~side_loses", "side_request"),
    );
    let ran = shell(folder, "sh out/run-icarus.sh +vcd=icarus.vcd");
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let chip = format!("fat_tree_router={file}");
    let run = [
        "run",
        "small.toml",
        "--set",
        "network.nodes=16",
        "--chip",
        &chip,
        "--vcd",
        "own.vcd",
    ];
    success(folder, &run);
    let said = success(
        folder,
        &[
            "diff",
            "icarus.vcd",
            "own.vcd",
            "--common",
            "--window",
            "1..",
        ],
    );
    assert!(said.contains(" signals are the same"), "{said}");
}

/// The router of the program with other names of ports, an opposite reset and an input too many.
const RENAMED: &str = "module my_router (input logic clk, rst_n, spare, input logic [4:0] height,
  input logic winner_fixed, early_acknowledge, upstream_single, random_up, random_pair_a, random_pair_b, random_third,
  input logic [35:0] li, input logic [3:0] a_to_d_ack, a_to_d_collision, output logic [35:0] lo,
  output logic a_in_ack, b_in_ack, c_in_ack, d_in_ack, a_in_collision, b_in_collision, c_in_collision, d_in_collision,
  output logic [3:0] a_state, b_state, output logic [2:0] c_state, d_state);
  logic ignored;
  always_comb ignored = spare;
  fat_tree_router inner (.*, .clock(clk), .reset(!rst_n ^ ignored), .level(height),
    .a_in_valid(li[8]), .a_in_data(li[7:0]), .b_in_valid(li[17]), .b_in_data(li[16:9]),
    .c_in_valid(li[26]), .c_in_data(li[25:18]), .d_in_valid(li[35]), .d_in_data(li[34:27]),
    .a_out_valid(lo[8]), .a_out_data(lo[7:0]), .b_out_valid(lo[17]), .b_out_data(lo[16:9]),
    .c_out_valid(lo[26]), .c_out_data(lo[25:18]), .d_out_valid(lo[35]), .d_out_data(lo[34:27]),
    .a_out_ack(a_to_d_ack[0]), .b_out_ack(a_to_d_ack[1]), .c_out_ack(a_to_d_ack[2]), .d_out_ack(a_to_d_ack[3]),
    .a_out_collision(a_to_d_collision[0]), .b_out_collision(a_to_d_collision[1]),
    .c_out_collision(a_to_d_collision[2]), .d_out_collision(a_to_d_collision[3]));
endmodule
";

#[test]
fn a_component_file_maps_the_ports_of_a_chip() {
    let work = workplace();
    let folder = work.path();
    write(folder, "my_router.sv", RENAMED);
    let mut file = String::from(
        "[component]\ntop = 'my_router'\nsources = ['my_router.sv']\nclock = 'clk'\nreset = { port = 'rst_n', active = 'low' }\n\
         pins = { spare = 0 }\n\n[ports]\nlevel = 'height'\n",
    );
    for (number, link) in ["a", "b", "c", "d"].iter().enumerate() {
        let (low, valid) = (9 * number, 9 * number + 8);
        let high = valid - 1;
        file += &format!(
            "{link}_in_valid = 'li[{valid}]'\n{link}_in_data = 'li[{high}:{low}]'\n\
             {link}_out_valid = 'lo[{valid}]'\n{link}_out_data = 'lo[{high}:{low}]'\n\
             {link}_out_ack = 'a_to_d_ack[{number}]'\n{link}_out_collision = 'a_to_d_collision[{number}]'\n"
        );
    }
    write(folder, "mine.toml", &file);
    same(folder, "fat_tree_router=mine.toml");
    let refused = |from: &str, to: &str, parts: &[&str]| {
        let changed = file.replacen(from, to, 1);
        assert_ne!(changed, file, "{from}");
        write(folder, "mine.toml", &changed);
        let arguments = ["run", "small.toml", "--chip", "fat_tree_router=mine.toml"];
        let said = failure(folder, &arguments, 2);
        for part in parts {
            assert!(said.contains(part), "{part}: {said}");
        }
    };
    refused(
        "level = 'height'\n",
        "",
        &["ports.level", "has no port level"],
    );
    refused(
        "level = 'height'",
        "level = 'height[3:0]'",
        &["found 4 bits; expected 5"],
    );
    refused(
        "level =",
        "levels =",
        &["ports.levels", "did you mean level?"],
    );
    refused(
        "pins = { spare = 0 }\n",
        "",
        &["nothing drives the inputs spare of the module"],
    );
    refused(
        "a_in_data = 'li",
        "a_in_data = 'lo",
        &["lo is an output of the module; expected an input"],
    );
    refused(
        "[ports]",
        "[[link]]",
        &["component file", "expected `component` or `ports`"],
    );
}

/// Circuits that are none: the net or the loop is told, and the way out.
#[test]
fn drivers_that_meet_and_loops_are_named() {
    let work = workplace();
    let folder = work.path();
    let done = "assign tx_done      = done;";
    let twice = "reg twice; always @(posedge clock) twice <= done; always @(posedge clock) twice <= !done; \
                 assign tx_done = twice;";
    let around =
        "wire back; wire ahead = back | done; assign back = ahead & !done; assign tx_done = ahead;";
    for (change, expected, help) in [
        (
            twice,
            "several drivers of network_interface.tx_done",
            "a net has one driver",
        ),
        (
            around,
            "a loop without a register in network_interface",
            "let a register, which the clock drives, break the loop",
        ),
    ] {
        changed(folder, "circuit_sender.v", done, change);
        let chip = "network_interface=circuit_sender.v";
        let said = failure(folder, &["run", "small.toml", "--chip", chip], 3);
        assert!(said.contains(expected) && said.contains(help), "{said}");
        assert!(said.contains("circuit_sender.v: Yosys"), "{said}");
    }
}

/// In a broken router it may be that no head gets an output for which several came. Its collisions are told all the
/// same, where no message ever wins.
#[test]
fn collisions_without_a_winner_are_told() {
    let work = workplace();
    let folder = work.path();
    changed(
        folder,
        "fat_tree_arbiter.v",
        "assign d_grant = free & ~side_wins & d_beats_c;",
        "assign d_grant = free & ~side_wins & d_beats_c & ~c_request;",
    );
    let small = root("examples/steady64.toml");
    let small = small.to_str().expect("UTF-8");
    let own = ["--chip", "fat_tree_router=fat_tree_arbiter.v"];
    let found = ["--collisions", "-", "--set", "traffic.cycles=2000"];
    let table = success(folder, &[&["run", small], &own[..], &found[..]].concat());
    let heads = table.lines().find(|line| line.starts_with("0,above,head,"));
    let count = heads.and_then(|line| line.rsplit(',').next()?.parse::<u64>().ok());
    assert!(count > Some(0), "{table}");
}
