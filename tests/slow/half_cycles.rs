//! Networks of routers with flip-flops of the falling edge.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::components::{delivered, faults, mesh, same_in};
use super::own_networks::{copied, told};
use crate::program::{failure, success, workplace, write};

const STEADY: &str = "[traffic]\npattern='steady'\nload=0.3\nwords=3\ncycles=300\n";

/// Queues that are written in the middle of the cycle.
const FALLING_QUEUES: [(&str, &str); 3] = [
    ("      places[write] <= flit;\n", ""),
    (
        "      for (at = 0; at < 4; at = at + 1) places[at] <= 34'd0;\n",
        "",
    ),
    (
        "  integer at;\n",
        "  always @(negedge clk) if (puts) places[write] <= flit;\n",
    ),
];

/// Outputs that change in the middle of the cycle, to the values of registers of the rising edge.
const FALLING_OUTPUTS: [(&str, &str); 1] = [(
    "      assign flit_out[34*o +: 34] = flit;\n      assign valid_out[o] = valid;\n",
    "      reg [34:0] late;\n      always @(negedge clk) late <= {flit, valid};\n      \
     assign {flit_out[34*o +: 34], valid_out[o]} = late;\n",
)];

/// A register of the rising edge that `valid` of a link clears at once.
const CLEARED_BY_A_LINK: [(&str, &str); 1] = [(
    "      wire free = !valid || ready_out[o];\n",
    "      reg mark;\n      wire clear = valid_in[2] && last[0];\n      \
     always @(posedge clk or posedge clear) if (clear) mark <= 1'b0; else mark <= 1'b1;\n      \
     wire free = mark && (!valid || ready_out[o]);\n",
)];

/// A memory of which registers of the falling edge give the address and take the word, and outputs that wait for
/// what they take.
const MEMORY_READ_TWICE: [(&str, &str); 3] = [
    (
        "  genvar i, o;\n",
        "  genvar i, o;\n  reg [31:0] words [0:127];\n  reg [6:0] write_at, read_at;\n  reg [31:0] word;\n  integer at;\n  \
         initial for (at = 0; at < 128; at = at + 1) words[at] = at * 77 + 5;\n  \
         always @(posedge clk) if (rst) write_at <= 0; else begin\n    \
         write_at <= write_at + 1;\n    words[write_at] <= word ^ write_at;\n  end\n  \
         always @(negedge clk) if (rst) begin read_at <= 0; word <= 0; end else begin\n    \
         read_at <= read_at + write_at;\n    word <= words[read_at];\n  end\n",
    ),
    (
        "wire moves = free && |",
        "wire passes = word[2:0] != o;\n      wire moves = free && passes && |",
    ),
    (
        "assign moves_out[o] = free;",
        "assign moves_out[o] = free && passes;",
    ),
];

/// A mesh of the example's routers with changes, in a folder.
fn changed(folder: &Path, changes: &[(&str, &str)]) {
    copied(folder, &["mesh_router.toml", "mesh_router.sv"], |text| {
        let replace = |text: String, (from, to): &(&str, &str)| text.replace(from, to);
        changes.iter().fold(text, replace)
    });
    let text = mesh("[3, 2]", &format!("[endpoint]\nstall=0.3\n{STEADY}"));
    let component = crate::program::root("examples/routers/mesh_router.toml");
    let text = text.replace(&component.display().to_string(), "mesh_router.toml");
    write(folder, "two.toml", &text);
    let source = fs::read_to_string(folder.join("mesh_router.sv")).expect("written");
    assert_eq!(source.contains("negedge"), !changes.is_empty());
}

/// Routers that do in the middle of the cycle what the example's do at its end give the same messages, in
/// Icarus Verilog too.
#[test]
fn routers_with_falling_edges_give_the_same_messages() {
    let work = workplace();
    let folder = work.path();
    changed(folder, &[]);
    let expected = told(folder);
    assert!(delivered(&expected.0) > 50 && faults(&expected.0) == 0);
    for changes in [&FALLING_QUEUES[..], &FALLING_OUTPUTS] {
        changed(folder, changes);
        assert!(told(folder) == expected, "{changes:?}");
        same_in(folder, "two.toml", "icarus");
    }
    same_in(folder, "two.toml", "verilator");
}

#[test]
fn links_are_not_sent_and_taken_in_the_middle_of_a_cycle() {
    let work = workplace();
    let folder = work.path();
    changed(folder, &[&FALLING_QUEUES[..], &FALLING_OUTPUTS].concat());
    insta::assert_snapshot!(failure(folder, &["run", "two.toml"], 3), @r"
    error: mesh_router.sv: port local_out_data: it may change at the falling edge of the clock, at which the input `local_in_data` is taken
      help: send from flip-flops of the rising edge, or take links in flip-flops of the rising edge without asynchronous controls
    ");
    let property = ["--property", "valid-stable"];
    let prove = [&["component", "prove", "mesh_router.toml"][..], &property].concat();
    let refused = failure(folder, &prove, 3);
    assert!(
        refused.contains("port local_out_data: it may change"),
        "{refused}"
    );
    // An asynchronous control takes a link in both halves.
    changed(folder, &[&FALLING_OUTPUTS[..], &CLEARED_BY_A_LINK].concat());
    let refused = failure(folder, &["run", "two.toml"], 3);
    assert!(
        refused.contains("at which the input `east_in_valid` is taken"),
        "{refused}"
    );
}

/// Routers whose outputs are held back by words of a memory give other cycles, and those of Icarus Verilog.
#[test]
fn memories_are_read_before_and_after_the_falling_edge() {
    let work = workplace();
    let folder = work.path();
    changed(folder, &[]);
    let without = told(folder);
    changed(folder, &MEMORY_READ_TWICE);
    let found = told(folder);
    assert_eq!(
        (delivered(&found.0), faults(&found.0)),
        (delivered(&without.0), 0)
    );
    assert_ne!(found.1, without.1);
    same_in(folder, "two.toml", "icarus");
}

/// Properties and coverage of a router with falling edges; no faults are put into it.
#[test]
fn routers_with_falling_edges_are_proved_and_covered() {
    let work = workplace();
    let folder = work.path();
    changed(folder, &FALLING_QUEUES);
    let proved = success(
        folder,
        &[
            "component",
            "prove",
            "mesh_router.toml",
            "--property",
            "valid-stable",
        ],
    );
    assert!(proved.contains("5 of 5 properties proved"), "{proved}");
    let refused = failure(folder, &["faults", "two.toml", "--sample", "10"], 3);
    assert!(
        refused.contains(
            "it acts on the falling edge of the clock, of which campaigns of faults know nothing"
        ),
        "{refused}"
    );
    success(folder, &["run", "two.toml", "-q", "--coverage", "c.json"]);
    let shown = success(folder, &["coverage", "c.json", "--json", "-"]);
    let shown: Value = serde_json::from_str(&shown).expect("JSON");
    assert!(
        shown["chips"][0]["nets"]
            .as_array()
            .is_some_and(|nets| nets.len() > 1000),
        "{shown}"
    );
}
