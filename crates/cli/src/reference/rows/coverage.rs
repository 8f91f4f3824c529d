//! The fields of coverage.

use super::{FieldTable, row};

/// The coverage of a run, or of several.
pub(super) const COVERAGE: FieldTable = FieldTable {
    written_by: "run --coverage",
    about: "The nets of each chip that toggled, over all instances and replicates; `coverage --json` \
            writes the same of several runs.",
    fields: &[
        row("replicates", "replicates", "The replicates that were run."),
        row(
            "chips[].chip",
            "name",
            "The chip, or the module of your own.",
        ),
        row(
            "chips[].instances",
            "chips",
            "Its instances in the network, in the largest one of several.",
        ),
        row(
            "chips[].counts[].kind",
            "text",
            "The kind of nets: `input` or `output` for bits of ports, `register` or `gate` for what \
             drives the others.",
        ),
        row("chips[].counts[].nets", "nets", "The nets of the kind."),
        row(
            "chips[].counts[].toggled",
            "nets",
            "Those that rose and fell, in any instance.",
        ),
        row(
            "chips[].counts[].never",
            "nets",
            "Those that can never change, whatever the inputs are.",
        ),
        row(
            "chips[].counts[].pins",
            "nets",
            "Those that depend on nothing but pins that keep their values during a run.",
        ),
        row(
            "chips[].reach_cycles",
            "cycles",
            "The cycles after the reset among which `--coverage-reach` looked for ways: fewer than it says in \
             large chips; missing for those with memories, and after an interruption.",
        ),
        row(
            "chips[].paths[].input",
            "name",
            "A link port of a router; of routers whose paths `--coverage-paths` counted.",
        ),
        row(
            "chips[].paths[].output",
            "name",
            "A link port of it; null for messages that it rejected, where it does not show which output they wanted.",
        ),
        row(
            "chips[].paths[].passed",
            "heads",
            "The heads of messages, or packets, that came in by the one and left by the other, in all instances.",
        ),
        row(
            "chips[].paths[].waited",
            "heads",
            "Those of them that waited in the router.",
        ),
        row(
            "chips[].paths[].rejected",
            "heads",
            "Those that wanted to and were rejected, or lost; one that would have taken either of two outputs \
             counts at both.",
        ),
        row("chips[].nets[].net", "name", "A net of the netlist."),
        row("chips[].nets[].kind", "text", "Its kind."),
        row(
            "chips[].nets[].source",
            "text",
            "The file and line that it comes from; null where the netlist does not tell.",
        ),
        row("chips[].nets[].rose", "true or false", "Whether it rose."),
        row("chips[].nets[].fell", "true or false", "Whether it fell."),
        row(
            "chips[].nets[].reason",
            "text",
            "The reason for which it never changed: `never`, it cannot; `pins`, it depends \
             on nothing but pins that keep their values during a run; `inputs`, it cannot while some inputs \
             keep their values; `open`, nothing is proved. Null when it did.",
        ),
        row(
            "chips[].nets[].inputs",
            "list of names",
            "The inputs that hold it; `pins` and `inputs` only.",
        ),
        row(
            "chips[].nets[].reach.value",
            "true or false",
            "The value that the net never had; of nets to which `--coverage-reach` found a way.",
        ),
        row(
            "chips[].nets[].reach.cycle",
            "cycle",
            "The first cycle in which it can have that value; cycle 0 is the reset.",
        ),
        row(
            "chips[].nets[].reach.inputs[].cycle",
            "cycle",
            "A cycle in which an input of the chip has to have a value; 0 of pins that keep theirs during a run.",
        ),
        row("chips[].nets[].reach.inputs[].input", "name", "The input."),
        row(
            "chips[].nets[].reach.inputs[].value",
            "true or false",
            "Its value.",
        ),
        row(
            "chips[].nets[].unreached",
            "true or false",
            "True when a way was looked for and none was found; missing otherwise.",
        ),
    ],
};
