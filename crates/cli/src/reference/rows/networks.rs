//! The fields of commands that show a network: `info`, `route` and `signals`.

use super::{FieldTable, row};

/// The size of a network.
pub(super) const INFO: FieldTable = FieldTable {
    written_by: "info --json",
    about: "The size of a network, its chips, and the memory that a run takes. Fields of other kinds of \
            networks are left out.",
    fields: &[
        row("nodes", "nodes", "The number of nodes."),
        row(
            "family",
            "text",
            "The family of the network; `butterfly-fat-tree`, `fat-stack`, `fat-pyramid`.",
        ),
        row(
            "tree",
            "text",
            "The tree, as FT(ports, levels); `m-port-n-tree`, `m-port-n-tree-packets`.",
        ),
        row(
            "ports",
            "ports",
            "The number of ports of a router; `m-port-n-tree`, `m-port-n-tree-packets`.",
        ),
        row(
            "levels",
            "levels",
            "The number of levels of a tree, stack or pyramid.",
        ),
        row(
            "stages",
            "stages",
            "The number of stages; `bidelta`, `butterfly`.",
        ),
        row(
            "stages_of_stacks",
            "list of stages",
            "The number of stages in each stack; `bidelta`.",
        ),
        row(
            "capacities",
            "list of links",
            "The number of links in the channel below each level; fat trees with channels that do not double, and `binary-fat-tree`.",
        ),
        row(
            "ring",
            "nodes",
            "The number of nodes of a ring or subnetwork; `butterfly-fat-tree`, `fat-stack`, `fat-pyramid`.",
        ),
        row("leaves", "leaves", "The number of leaves; `transit`."),
        row(
            "layers",
            "layers",
            "The number of layers above the leaves; `transit`.",
        ),
        row(
            "stacks",
            "list of stacks",
            "The number of stacks in each layer, from the leaves on; `transit`.",
        ),
        row(
            "routing",
            "text",
            "The rule by which routes are chosen; `m-port-n-tree`, `m-port-n-tree-packets`.",
        ),
        row("routers", "routers", "The number of routers."),
        row(
            "routers_by_stage",
            "list",
            "The name of each stage with the number of its routers; `transit`.",
        ),
        row("links", "links", "The number of links."),
        row(
            "links_left_out",
            "links",
            "The number of links that nothing could fill, which are left out; `binary-fat-tree`.",
        ),
        row(
            "failed_links",
            "links",
            "The number of links that have failed; `m-port-n-tree`, `m-port-n-tree-packets`.",
        ),
        row(
            "wires",
            "wires",
            "The number of wires, with those that leave the root; `butterfly-fat-tree`, `fat-stack`, `fat-pyramid`.",
        ),
        row(
            "link_delay_cycles",
            "list of cycles",
            "The least and the most extra cycles of the links after each stage; `bidelta`.",
        ),
        row(
            "link_delay_cycles[].from",
            "text",
            "The stage where long links begin; `transit`.",
        ),
        row(
            "link_delay_cycles[].to",
            "text",
            "The stage where they end.",
        ),
        row(
            "link_delay_cycles[].least",
            "cycles",
            "The extra cycles of the shortest of these links.",
        ),
        row(
            "link_delay_cycles[].most",
            "cycles",
            "The extra cycles of the longest of them.",
        ),
        row(
            "diameter_routers",
            "routers",
            "The number of routers on the longest route; `fat-tree`, `m-port-n-tree`, `m-port-n-tree-packets`.",
        ),
        row(
            "diameter_links",
            "links",
            "The number of links on the longest route; `binary-fat-tree`, `m-port-n-tree-packets`.",
        ),
        row(
            "diameter_head_cycles",
            "cycles",
            "The cycles of a head on the longest route; `fat-tree`, `m-port-n-tree`.",
        ),
        row(
            "diameter_answer_cycles",
            "cycles",
            "The cycles of an answer on the longest route; `fat-tree`, `m-port-n-tree`.",
        ),
        row(
            "size",
            "routers",
            "The routers along each axis; `mesh`, `torus`, `ring`.",
        ),
        row(
            "component",
            "text",
            "The modules of the routers; the same kinds and `custom`.",
        ),
        row(
            "protocol",
            "text",
            "The protocol of links; the same kinds and `custom`.",
        ),
        row(
            "flit_bits",
            "bits",
            "The bits of a flit; the same kinds and `custom`.",
        ),
        row(
            "way_switches_max",
            "switches",
            "The most switches on a route; `butterfly-fat-tree`, `fat-stack`, `fat-pyramid`.",
        ),
        row(
            "ports_off_sometime",
            "ports",
            "The number of ports that faults switch off in some cycles; networks with faults.",
        ),
        row(
            "wires_cut",
            "wires",
            "The number of wires that faults cut; networks with faults.",
        ),
        row(
            "wires_stuck",
            "wires",
            "The number of wires that faults hold at a value; networks with faults.",
        ),
        row("chips[].chip", "text", "The name of a chip."),
        row("chips[].instances", "chips", "The number of these chips."),
        row(
            "chips[].gates",
            "gates",
            "The number of gates of one; null where it is a model without a netlist.",
        ),
        row(
            "chips[].flip_flops",
            "flip-flops",
            "The number of flip-flops of one; null where it is a model without a netlist.",
        ),
        row(
            "gates",
            "gates",
            "The number of gates of all chips that have netlists.",
        ),
        row(
            "flip_flops",
            "flip-flops",
            "The number of flip-flops of all chips that have netlists.",
        ),
        row(
            "gate_engine_bytes",
            "bytes",
            "The memory of a run on the gate engine; null where a chip has no netlist.",
        ),
        row(
            "event_engine_bytes",
            "bytes",
            "The memory of a run on the event engine.",
        ),
        row(
            "events_bytes",
            "bytes",
            "The memory that `run --events` takes in addition.",
        ),
        row(
            "events_table_bytes",
            "bytes",
            "The memory that `run --events FILE.parquet` takes in addition.",
        ),
        row(
            "transactions_ftr_bytes",
            "bytes",
            "The memory that `run --transactions FILE.ftr` takes in addition.",
        ),
        row(
            "transactions_json_bytes",
            "bytes",
            "The memory that `run --transactions FILE.json` takes in addition.",
        ),
        row(
            "gate_engine",
            "text",
            "The machine code of the gate engine on this machine.",
        ),
        row(
            "gpu_engine_bytes",
            "bytes",
            "The memory of a run on the GPU engine, that of the device included; only with `--gpu`, of a network \
             whose chips all have netlists.",
        ),
        row(
            "adapters[].name",
            "text",
            "The name of an adapter that the GPU engine can take, the first of which it does; only with `--gpu`, as \
             what follows.",
        ),
        row(
            "adapters[].kind",
            "text",
            "Its kind: `discrete GPU`, `integrated GPU`, `virtual GPU`, `processor` or `other`.",
        ),
        row("adapters[].driver", "text", "Its driver, with the version."),
        row(
            "adapters[].buffer_bytes_max",
            "bytes",
            "The most that one of its buffers holds.",
        ),
    ],
};

/// A route.
pub(super) const ROUTE: FieldTable = FieldTable {
    written_by: "route --json",
    about: "A route from node to node, without the faults of the configuration.",
    fields: &[
        row("source", "node", "The node that sends."),
        row("destination", "node", "The node that receives."),
        row("header", "list of bytes", "The bytes of the header."),
        row("routers", "routers", "The number of routers on the route."),
        row(
            "link_delay_cycles",
            "cycles",
            "The extra cycles of all links of the route.",
        ),
        row(
            "path",
            "text",
            "The route as one line: nodes, routers and their ports.",
        ),
        row(
            "chips[].link_delay_cycles",
            "cycles",
            "The extra cycles of the link that leads to this chip.",
        ),
        row(
            "chips[].arrives",
            "text",
            "The port where the message arrives; null at the source.",
        ),
        row(
            "chips[].chip",
            "text",
            "The name of a node or router of the route, in order.",
        ),
        row(
            "chips[].leaves",
            "text",
            "The port where the message leaves; null at the destination.",
        ),
        row(
            "chips[].reads",
            "text",
            "The part of the header that the router reads; null at nodes.",
        ),
    ],
};

/// The signals of a waveform.
pub(super) const SIGNALS: FieldTable = FieldTable {
    written_by: "signals --json",
    about: "The signals that a waveform of a run would have, with its size.",
    fields: &[
        row("crosswave", "text", "The version of the program."),
        row("signals", "signals", "The number of signals."),
        row(
            "scopes",
            "scopes",
            "The number of scopes that have signals.",
        ),
        row(
            "groups[].scopes",
            "scopes",
            "The number of scopes that have the signals of this group.",
        ),
        row(
            "groups[].first",
            "text",
            "The path of the first of these scopes.",
        ),
        row("groups[].last", "text", "The path of the last one."),
        row("groups[].signals[].name", "text", "The name of a signal."),
        row(
            "groups[].signals[].width",
            "bits",
            "The width of the signal.",
        ),
        row(
            "groups[].signals[].values",
            "list",
            "The names of its values, 16 at most; empty where they have no names.",
        ),
        row(
            "beside",
            "signals",
            "The number of signals that are not ports: messages and nets.",
        ),
        row(
            "bytes[].format",
            "text",
            "The end of the name of a waveform: `vcd` or `fst`.",
        ),
        row(
            "bytes[].bytes",
            "bytes",
            "The size of replicate 0 in that format, estimated for the ports.",
        ),
    ],
};

/// Proofs of the properties of a router.
pub(super) const PROOFS: FieldTable = FieldTable {
    written_by: "component prove --json",
    about: "The properties of a router, and what is known of each.",
    fields: &[
        row("crosswave", "text", "The version of the program."),
        row("file", "text", "The component file."),
        row("module", "text", "The name of the module."),
        row("protocol", "text", "The protocol of the links."),
        row(
            "destination_bits",
            "bits",
            "The lowest bits of each field of a destination that were not held at 0; null for all.",
        ),
        row(
            "assumptions",
            "text",
            "The assumptions about neighbours and about traffic, as `component prove --list` explains them.",
        ),
        row(
            "properties[].place",
            "text",
            "The link and its direction, such as `east.out`, or `router`.",
        ),
        row("properties[].property", "name", "The name of the property."),
        row(
            "properties[].sentence",
            "text",
            "The sentence that it stands for.",
        ),
        row(
            "properties[].verdict",
            "name",
            "`proved`, `holds to a depth`, `fails`, `vacuous` or `no verdict`.",
        ),
        row(
            "properties[].method",
            "name",
            "`k-induction` or `invariant`, of a proof; else null.",
        ),
        row(
            "properties[].depth",
            "number",
            "The cycles of the induction, the frames in which an invariant was found, or the cycles in which it holds; else null.",
        ),
        row(
            "properties[].cycle",
            "cycle",
            "The cycle in which it is broken; else null.",
        ),
        row(
            "properties[].values[].port",
            "name",
            "A port of the link in that cycle.",
        ),
        row("properties[].values[].value", "binary digits", "Its value."),
        row(
            "properties[].waveform",
            "text",
            "The waveform of the counterexample; null without one.",
        ),
        row(
            "properties[].seconds",
            "seconds",
            "The time that its proof took; different every time.",
        ),
        row("proved", "number", "The properties that are proved."),
        row(
            "seconds",
            "seconds",
            "The time that all proofs took; different every time.",
        ),
    ],
};

/// A component file.
pub(super) const COMPONENT: FieldTable = FieldTable {
    written_by: "component check --json",
    about: "What a component file says of its module, and what the module was found to be.",
    fields: &[
        row("crosswave", "text", "The version of the program."),
        row("file", "text", "The component file."),
        row("module", "text", "The name of the module."),
        row("links", "text", "The names of the links."),
        row("protocol", "text", "The protocol of the links."),
        row(
            "virtual_channels",
            "channels",
            "The virtual channels of a link.",
        ),
        row(
            "credits",
            "list of flits",
            "The credits of a virtual channel, by link; empty in other protocols.",
        ),
        row("flit_bits", "bits", "The bits of a flit."),
        row(
            "packets",
            "text",
            "The form of packets, as `packet.flits` has it.",
        ),
        row(
            "message_bits",
            "bits",
            "The bits of a head with the number of its message.",
        ),
        row(
            "gates",
            "gates",
            "The gates of the module, as they were synthesised.",
        ),
        row("flip_flops", "flip-flops", "Its flip-flops."),
        row(
            "memories",
            "memories",
            "Its memories of 64 words and more, which are among neither.",
        ),
        row("memory_bits", "bits", "The bits of these memories."),
        row(
            "endpoint_gates",
            "gates",
            "The gates of the endpoint that was written for it.",
        ),
        row(
            "endpoint_flip_flops",
            "flip-flops",
            "The flip-flops of the endpoint.",
        ),
        row(
            "computed_output_bits",
            "bits",
            "The bits of outputs that are computed from registers alone; the others are registers, or settle.",
        ),
        row(
            "settled_output_bits",
            "bits",
            "The bits of outputs that depend on inputs in the same cycle (Mealy).",
        ),
        row(
            "unreset_registers",
            "text",
            "The names of the registers that the reset leaves open.",
        ),
        row(
            "hash",
            "text",
            "The hash of the netlist and of the component file.",
        ),
        row(
            "parameters.names",
            "text",
            "The parameters that instances have values of; `parameters` is null without such.",
        ),
        row(
            "parameters.sets",
            "number",
            "The sets of values of these in a grid of 4 routers along each axis.",
        ),
        row(
            "parameters.netlists",
            "number",
            "The netlists for these sets.",
        ),
        row(
            "parameters.with_pins",
            "number",
            "Those of them that are for several sets, by pins.",
        ),
        row(
            "parameters.reason",
            "text",
            "Why there are several netlists, where the sets were to have one; else null.",
        ),
        row(
            "rtl.simulator",
            "text",
            "With `--rtl`: the simulator of the sources; null without.",
        ),
        row("rtl.cycles", "cycles", "The cycles that were compared."),
        row("rtl.seed", "number", "The seed of the random inputs."),
        row(
            "rtl.compared_bits",
            "bits",
            "The bits of outputs, of all cycles, that have a value on both sides.",
        ),
        row(
            "rtl.unknown_bits",
            "bits",
            "The bits that are X in the sources.",
        ),
        row(
            "rtl.unknown_bits_in_reset",
            "bits",
            "Those of them in the reset at the beginning.",
        ),
        row(
            "rtl.unknown_netlist_bits",
            "bits",
            "The bits that are X in the netlist only.",
        ),
        row(
            "rtl.never_compared",
            "text",
            "The bits of outputs that were compared in no cycle.",
        ),
        row(
            "rtl.first_difference.cycle",
            "cycle",
            "The first cycle in which the sides differ; null where they agree.",
        ),
        row(
            "rtl.first_difference.port",
            "text",
            "The output and its bit.",
        ),
        row(
            "rtl.first_difference.netlist",
            "text",
            "The value in the netlist: `0` or `1`.",
        ),
        row(
            "rtl.first_difference.sources",
            "text",
            "The value in the sources.",
        ),
    ],
};
