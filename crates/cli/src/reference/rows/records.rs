//! The fields of records: attempts and messages of `run --events`, and what `trace` makes of them.

use super::{FieldRow, FieldTable, row};

/// The fields of the record of an attempt, or of a packet.
pub(super) const ATTEMPT: &[FieldRow] = &[
    row("record", "text", "Always `attempt`."),
    row("replicate", "number", "The replicate, from 0."),
    row("message", "number", "The number of the message."),
    row(
        "attempt",
        "number",
        "The number of the attempt of this message, from 1; 1 for every packet.",
    ),
    row(
        "packet",
        "number",
        "The number of the packet of this message, from 1; only in networks of packets.",
    ),
    row("source", "node", "The node that sends."),
    row(
        "destination",
        "node",
        "The node that receives; null for a copy to all nodes that did not arrive.",
    ),
    row(
        "launched_cycle",
        "cycle",
        "The cycle in which the head is on the wire at the source.",
    ),
    row(
        "hops[].router",
        "text",
        "The name of a router; routers stand in the order in which the head meets them.",
    ),
    row(
        "hops[].input",
        "text",
        "The link port where the head arrives.",
    ),
    row(
        "hops[].output",
        "text",
        "The link port where it leaves; null where it does not leave.",
    ),
    row(
        "hops[].arrived_cycle",
        "cycle",
        "The cycle in which the head is on the wire at the input.",
    ),
    row(
        "hops[].left_cycle",
        "cycle",
        "The cycle in which the head is on the wire at the output; null where it does not leave.",
    ),
    row(
        "hops[].freed_cycle",
        "cycle",
        "The first cycle in which the router holds nothing for it any more; null where that did not come.",
    ),
    row(
        "hops[].waited_cycles",
        "cycles",
        "The cycles that the head waits in the router; null where it does not leave; only in networks of packets.",
    ),
    row(
        "reached_cycle",
        "cycle",
        "The cycle in which the head is on the wire at the destination; null where it did not come.",
    ),
    row(
        "end",
        "text",
        "`acknowledged` or `rejected` for an attempt, `delivered` or `lost` for a packet, `under way` when the run ended before.",
    ),
    row(
        "end_cycle",
        "cycle",
        "The cycle in which the source has the answer; for a packet the cycle in which it is delivered or lost; null while it is under way.",
    ),
    row(
        "collision.router",
        "text",
        "The router that rejected the attempt or lost the packet; the collision is null where no router did.",
    ),
    row(
        "collision.input",
        "text",
        "The link port of the router where the head came.",
    ),
    row(
        "collision.wanted",
        "list",
        "The outputs of the router that lead on.",
    ),
    row(
        "collision.cycle",
        "cycle",
        "The cycle in which the router rejected or lost it.",
    ),
    row(
        "collision.rivals[].message",
        "number",
        "The number of a message that had one of these outputs; an output without a rival was off.",
    ),
    row("collision.rivals[].attempt", "number", "Its attempt."),
    row(
        "collision.rivals[].packet",
        "number",
        "Its packet; only in networks of packets.",
    ),
    row(
        "collision.rivals[].input",
        "text",
        "The link port where it came to the router.",
    ),
    row(
        "collision.rivals[].output",
        "text",
        "The output that it had.",
    ),
    row(
        "collision.rivals[].since_cycle",
        "cycle",
        "The cycle since which it had the output.",
    ),
    row(
        "collision.rivals[].freed_cycle",
        "cycle",
        "The cycle in which it left the output, which still waited for its answer; null where it held the output.",
    ),
];

/// The fields of the record of a message.
pub(super) const MESSAGE: &[FieldRow] = &[
    row("record", "text", "Always `message`."),
    row("replicate", "number", "The replicate, from 0."),
    row("message", "number", "The number of the message."),
    row("source", "node", "The node that sends."),
    row(
        "destination",
        "node",
        "The node that receives; null where all nodes do.",
    ),
    row("words", "words", "The number of words of its body."),
    row("attempts", "attempts", "How often it was sent."),
    row(
        "offered_cycle",
        "cycle",
        "The cycle in which the source is given the message.",
    ),
    row(
        "sent_cycle",
        "cycle",
        "The cycle in which its first head is on the wire.",
    ),
    row(
        "delivered_cycle",
        "cycle",
        "The cycle in which its last word is at the destination; null where it did not come.",
    ),
    row(
        "acknowledged_cycle",
        "cycle",
        "The cycle in which the source has the acknowledgement; in networks of packets the delivery.",
    ),
    row(
        "latency_cycles",
        "cycles",
        "The cycles from the offer to the acknowledgement; in networks of packets to the delivery.",
    ),
    row(
        "breakdown_cycles.source",
        "cycles",
        "The part of the latency from the offer to the first launch; the parts are null where they are not known.",
    ),
    row(
        "breakdown_cycles.blocked",
        "cycles",
        "The part in rejected attempts, each from its launch until the source has the answer; for a packet its waits in routers.",
    ),
    row(
        "breakdown_cycles.backoff",
        "cycles",
        "The part between attempts, from the answer to the next launch.",
    ),
    row(
        "breakdown_cycles.header",
        "cycles",
        "The part from the last launch to the head at the destination; for a packet without waits.",
    ),
    row(
        "breakdown_cycles.body",
        "cycles",
        "The part from the head at the destination to the last word there, or to the acknowledgement if it comes before.",
    ),
    row(
        "breakdown_cycles.answer",
        "cycles",
        "The part from the last word at the destination to the acknowledgement.",
    ),
];

/// The fields of a blocker of a message.
pub(super) const BLOCKER: &[FieldRow] = &[
    row(
        "message",
        "number",
        "The message that had the output; null where the output was off, or the receiver refused.",
    ),
    row(
        "router",
        "text",
        "The router; null where the receiver refused.",
    ),
    row(
        "output",
        "text",
        "The output of the router; null where the receiver refused.",
    ),
    row(
        "attempts",
        "attempts",
        "The number of attempts that were rejected there.",
    ),
    row(
        "cycles",
        "cycles",
        "The cycles of these attempts, each from its launch until the source has the answer.",
    ),
];

/// The unit of fields that have [`ATTEMPT`].
pub(super) const ATTEMPT_UNIT: &str = "record of an attempt";
/// The unit of fields that have [`MESSAGE`].
pub(super) const MESSAGE_UNIT: &str = "record of a message";
/// The unit of fields that have [`BLOCKER`].
pub(super) const BLOCKER_UNIT: &str = "blocker";

/// Lines of attempts.
pub(super) const ATTEMPT_LINES: FieldTable = FieldTable {
    written_by: "run --events (lines of attempts)",
    about: "A line of JSON for each attempt, when it is over; in networks of packets for each packet. \
            Attempts that are under way when the run ends come last.",
    fields: ATTEMPT,
};

/// Lines of messages.
pub(super) const MESSAGE_LINES: FieldTable = FieldTable {
    written_by: "run --events (lines of messages)",
    about: "A line of JSON for each acknowledged message, after that of its last attempt.",
    fields: MESSAGE,
};

/// The table of attempts.
pub(super) const ATTEMPT_TABLE: FieldTable = FieldTable {
    written_by: "run --events (parquet)",
    about: "A row for each attempt or packet, with the values of its record in lines of JSON. Columns of \
            hops are lists of one length, and so are those of rivals. Columns of a message, from `words` \
            to `answer_cycles`, have values in the row of its acknowledged attempt, or of its packet \
            that came last. A cell is empty where the record has null.",
    fields: &[
        row("replicate", "number", "The replicate, from 0."),
        row("message", "number", "The number of the message."),
        row(
            "attempt",
            "number",
            "The number of the attempt of this message, from 1; 1 for every packet.",
        ),
        row("source", "node", "The node that sends."),
        row("destination", "node", "The node that receives."),
        row(
            "launched_cycle",
            "cycle",
            "The cycle in which the head is on the wire at the source.",
        ),
        row(
            "reached_cycle",
            "cycle",
            "The cycle in which the head is on the wire at the destination.",
        ),
        row(
            "end_cycle",
            "cycle",
            "The cycle in which the source has the answer; for a packet the cycle in which it is delivered or lost.",
        ),
        row(
            "end",
            "text",
            "`acknowledged`, `rejected`, `delivered`, `lost` or `under way`.",
        ),
        row(
            "hop_routers",
            "list",
            "The names of the routers, in the order in which the head meets them.",
        ),
        row(
            "hop_inputs",
            "list",
            "The link port of each router where the head arrives.",
        ),
        row("hop_outputs", "list", "The link port where it leaves."),
        row(
            "hop_arrived_cycles",
            "list of cycles",
            "The cycle in which the head is on the wire at the input of each router.",
        ),
        row(
            "hop_left_cycles",
            "list of cycles",
            "The cycle in which it is on the wire at the output.",
        ),
        row(
            "hop_freed_cycles",
            "list of cycles",
            "The first cycle in which the router holds nothing for it any more.",
        ),
        row(
            "collision_router",
            "text",
            "The router that rejected the attempt or lost the packet.",
        ),
        row(
            "collision_input",
            "text",
            "The link port of that router where the head came.",
        ),
        row(
            "collision_cycle",
            "cycle",
            "The cycle in which the router rejected or lost it.",
        ),
        row(
            "rival_messages",
            "list",
            "The numbers of the messages that had the outputs.",
        ),
        row("rival_attempts", "list", "Their attempts."),
        row("words", "words", "The number of words of its body."),
        row("attempts", "attempts", "How often the message was sent."),
        row(
            "offered_cycle",
            "cycle",
            "The cycle in which the source is given the message.",
        ),
        row(
            "sent_cycle",
            "cycle",
            "The cycle in which its first head is on the wire.",
        ),
        row(
            "delivered_cycle",
            "cycle",
            "The cycle in which its last word is at the destination.",
        ),
        row(
            "acknowledged_cycle",
            "cycle",
            "The cycle in which the source has the acknowledgement; in networks of packets the delivery.",
        ),
        row(
            "latency_cycles",
            "cycles",
            "The cycles from the offer to the acknowledgement; in networks of packets to the delivery.",
        ),
        row(
            "source_cycles",
            "cycles",
            "The part of the latency from the offer to the first launch.",
        ),
        row(
            "blocked_cycles",
            "cycles",
            "The part in rejected attempts; for a packet its waits in routers.",
        ),
        row("backoff_cycles", "cycles", "The part between attempts."),
        row(
            "header_cycles",
            "cycles",
            "The part from the last launch to the head at the destination.",
        ),
        row(
            "body_cycles",
            "cycles",
            "The part from the head at the destination to the last word there.",
        ),
        row(
            "answer_cycles",
            "cycles",
            "The part from the last word at the destination to the acknowledgement.",
        ),
        row(
            "packet",
            "number",
            "The number of the packet of this message, from 1; empty in networks of circuits.",
        ),
        row(
            "hop_waited_cycles",
            "list of cycles",
            "The cycles that the head waits in each router; empty in networks of circuits.",
        ),
    ],
};

/// The trace of a message.
pub(super) const TRACE: FieldTable = FieldTable {
    written_by: "trace --json",
    about: "The trace of one message, with all its attempts or packets.",
    fields: &[
        row("crosswave", "text", "The version of the program."),
        row(
            "message",
            MESSAGE_UNIT,
            "The message; null when it was not acknowledged.",
        ),
        row(
            "latency.from",
            "text",
            "The moment from which the latency is counted.",
        ),
        row("latency.to", "text", "The moment to which it is counted."),
        row(
            "attempts[]",
            ATTEMPT_UNIT,
            "The attempts of the message in order, or its packets in the order of their numbers.",
        ),
        row(
            "blocked_by[]",
            BLOCKER_UNIT,
            "The messages that blocked its attempts, those first that took most cycles.",
        ),
    ],
};

/// The slowest messages.
pub(super) const SLOWEST: FieldTable = FieldTable {
    written_by: "trace --slowest --json",
    about: "The slowest messages of a replicate, and the ten outputs at which the most attempts were \
            rejected.",
    fields: &[
        row("crosswave", "text", "The version of the program."),
        row("replicate", "number", "The replicate, from 0."),
        row(
            "latency.from",
            "text",
            "The moment from which latencies are counted.",
        ),
        row(
            "latency.to",
            "text",
            "The moment to which they are counted.",
        ),
        row(
            "messages_acknowledged",
            "messages",
            "The number of acknowledged messages.",
        ),
        row(
            "messages_under_way",
            "messages",
            "The number of messages that were offered and not acknowledged when the run ended.",
        ),
        row(
            "oldest_under_way.message",
            "number",
            "The one of these that was offered first; null where there is none.",
        ),
        row(
            "oldest_under_way.offered_cycle",
            "cycle",
            "The cycle of its offer.",
        ),
        row(
            "oldest_under_way.age_cycles",
            "cycles",
            "The cycles from its offer to the end of the run.",
        ),
        row(
            "slowest[]",
            MESSAGE_UNIT,
            "The slowest messages, the one with the longest latency first.",
        ),
        row(
            "slowest[].most_cycles_in.part",
            "text",
            "The part of the latency with most cycles, as `breakdown_cycles` names it; null where parts are not known.",
        ),
        row(
            "slowest[].most_cycles_in.cycles",
            "cycles",
            "The cycles of that part.",
        ),
        row(
            "slowest[].blocked_by[]",
            BLOCKER_UNIT,
            "The messages that blocked its attempts, those first that took most cycles.",
        ),
        row("outputs[].router", "text", "A router."),
        row(
            "outputs[].output",
            "text",
            "The output of this router at which attempts were rejected, or packets lost.",
        ),
        row(
            "outputs[].attempts_rejected",
            "attempts",
            "The number of these attempts or packets.",
        ),
        row(
            "outputs[].cycles_lost",
            "cycles",
            "The cycles of these attempts, each from its launch until the source has the answer.",
        ),
        row(
            "outputs[].held_longest_by[].message",
            "number",
            "One of the three messages that held the output longest.",
        ),
        row(
            "outputs[].held_longest_by[].attempt",
            "number",
            "Its attempt.",
        ),
        row(
            "outputs[].held_longest_by[].from_cycle",
            "cycle",
            "The cycle from which it held the output.",
        ),
        row(
            "outputs[].held_longest_by[].freed_cycle",
            "cycle",
            "The cycle in which the output was free again; null where it was held when the run ended.",
        ),
        row(
            "outputs[].held_longest_by[].held_cycles",
            "cycles",
            "The cycles in which it held the output.",
        ),
        row(
            "attempts_refused",
            "attempts",
            "The number of attempts that receivers refused.",
        ),
    ],
};

/// The fields of `faults --json`.
pub(super) const FAULTS: FieldTable = FieldTable {
    written_by: "faults --json",
    about: "The faults of a router, what each does in a run, and why others do nothing. Equivalent faults \
            are in one row, and count each.",
    fields: &[
        row("chip", "name", "The chip, or the module of your own."),
        row("router", "name", "The router, by its name in waveforms."),
        row("replicates", "replicates", "The replicates that were run."),
        row(
            "cycles",
            "cycles",
            "The cycles of all of them, without a fault.",
        ),
        row(
            "counts[].kind",
            "text",
            "The kind of faults: `stuck-at`, `late-link` or `flip`.",
        ),
        row("counts[].faults", "faults", "All of the kind."),
        row(
            "counts[].classes",
            "faults",
            "Those that were looked at: one of those that are equivalent.",
        ),
        row(
            "counts[].seen",
            "faults",
            "Those with which an output of the router differs.",
        ),
        row(
            "counts[].harmless",
            "faults",
            "Those of them that change nothing of the messages. This and the next fields are null with `--alone`.",
        ),
        row(
            "counts[].delayed",
            "faults",
            "Those with which all messages come, some in other cycles.",
        ),
        row(
            "counts[].retried",
            "faults",
            "Those with which all messages come, with other attempts.",
        ),
        row(
            "counts[].wrong",
            "faults",
            "Those with which a node receives something wrong.",
        ),
        row(
            "counts[].lost",
            "faults",
            "Those with which all messages leave their senders, and some never come.",
        ),
        row(
            "counts[].deceived",
            "faults",
            "Those with which a sender is told that a message came which never came.",
        ),
        row(
            "counts[].hang",
            "faults",
            "Those with which the network takes no more messages, or messages are tried again without end.",
        ),
        row(
            "counts[].unsettled",
            "faults",
            "Those with which outputs that depend on each other in the same cycle do not settle.",
        ),
        row(
            "counts[].redundant",
            "faults",
            "Stuck-at faults that nothing makes show: proved.",
        ),
        row(
            "counts[].pins",
            "faults",
            "Stuck-at faults that nothing makes show in this instance: proved.",
        ),
        row(
            "counts[].not_excited",
            "faults",
            "Other stuck-at faults that are not seen, at nets that never had the other value.",
        ),
        row(
            "counts[].not_propagated",
            "faults",
            "All others that are not seen.",
        ),
        row(
            "counts[].fault_coverage_percent",
            "percent",
            "The share of faults that are seen.",
        ),
        row(
            "counts[].test_coverage_percent",
            "percent",
            "The same share of those that are not proved to be unable to show.",
        ),
        row("faults[].fault", "text", "The fault."),
        row("faults[].kind", "text", "Its kind."),
        row(
            "faults[].source",
            "text",
            "The place in a source; null where the netlist does not tell.",
        ),
        row(
            "faults[].equivalent",
            "faults",
            "The faults that are equivalent, itself among them.",
        ),
        row(
            "faults[].replicate",
            "index",
            "The replicate in which it is seen; null where it is not, as the next three.",
        ),
        row(
            "faults[].cycle",
            "cycle",
            "The first cycle in which an output differs.",
        ),
        row("faults[].output", "name", "The first such output."),
        row(
            "faults[].effect",
            "text",
            "What becomes of messages: `none`, `delayed`, `retried`, `wrong`, `lost`, `deceived`, `hang` or \
             `unsettled`; null with `--alone`, too.",
        ),
        row(
            "faults[].unseen",
            "text",
            "The reason for which a stuck-at fault is not seen: `redundant`, `pins`, `not-excited` or \
             `not-propagated`.",
        ),
    ],
};
