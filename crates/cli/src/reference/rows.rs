//! The meaning of every field of results.
//!
//! | file | holds |
//! |---|---|
//! | `run` | `run --json` |
//! | `records` | attempts and messages: `run --events`, `trace` |
//! | `networks` | `info`, `route`, `signals` |
//! | `waveforms` | `diff`, `show`, `netlist` |

mod coverage;
mod networks;
mod records;
mod run;
mod waveforms;

/// A file that a command writes, with its fields.
#[derive(Debug)]
pub(super) struct FieldTable {
    /// The command and option that write it.
    pub written_by: &'static str,
    /// One or two sentences about the file.
    pub about: &'static str,
    /// The fields in the order of the file.
    pub fields: &'static [FieldRow],
}

/// A field, or a group of fields where `…` stands for any text.
#[derive(Debug)]
pub(super) struct FieldRow {
    /// Its path in JSON, with `[]` for each entry of a list; or a column.
    pub path: &'static str,
    /// The unit of its value, or the type where it has none.
    pub unit: &'static str,
    /// Its meaning, in a sentence.
    pub meaning: &'static str,
}

const fn row(path: &'static str, unit: &'static str, meaning: &'static str) -> FieldRow {
    FieldRow {
        path,
        unit,
        meaning,
    }
}

/// The fields of a summary of latencies.
pub(super) const LATENCY: &[FieldRow] = &[
    row("from", "text", "The moment from which cycles are counted."),
    row("to", "text", "The moment to which cycles are counted."),
    row("min", "cycles", "The smallest latency."),
    row("mean", "cycles", "The mean."),
    row("p50", "cycles", "The median."),
    row(
        "p90",
        "cycles",
        "The latency that 90 % of the messages do not exceed.",
    ),
    row(
        "p99",
        "cycles",
        "The latency that 99 % of the messages do not exceed.",
    ),
    row(
        "p999",
        "cycles",
        "The latency that 99.9 % of the messages do not exceed.",
    ),
    row(
        "p9999",
        "cycles",
        "The latency that 99.99 % of the messages do not exceed.",
    ),
    row("max", "cycles", "The largest latency."),
    row(
        "histogram[].from",
        "cycles",
        "The first latency of a bin; the bins have one width.",
    ),
    row("histogram[].to", "cycles", "The last latency of the bin."),
    row(
        "histogram[].messages",
        "messages",
        "The number of messages in the bin.",
    ),
    row(
        "distribution[].from",
        "cycles",
        "The first latency of a bin; there are four bins to each power of two.",
    ),
    row(
        "distribution[].to",
        "cycles",
        "The last latency of the bin.",
    ),
    row(
        "distribution[].messages",
        "messages",
        "The number of messages in the bin.",
    ),
    row(
        "distribution[].cumulative_fraction",
        "fraction",
        "The fraction of all messages up to the end of the bin.",
    ),
];

/// The fields of latencies by the length of the path.
pub(super) const BY_ROUTERS: &[FieldRow] = &[
    row(
        "routers",
        "routers",
        "The number of routers on the path from source to destination.",
    ),
    row(
        "messages",
        "messages",
        "The number of messages with such a path.",
    ),
    row("min_cycles", "cycles", "Their smallest latency."),
    row("mean_cycles", "cycles", "Their mean latency."),
    row("max_cycles", "cycles", "Their largest latency."),
];

/// The fields of a trend.
pub(super) const TREND: &[FieldRow] = &[
    row(
        "batches",
        "batches",
        "The number of parts into which the window is cut for the test.",
    ),
    row(
        "change_fraction",
        "fraction",
        "The change over the window, as a fraction of the mean.",
    ),
    row(
        "slope_t",
        "number",
        "The slope over its standard error (Student's t).",
    ),
    row(
        "correlation",
        "number",
        "The correlation of each batch with the next one.",
    ),
];

/// Fields that stand in several places.
#[derive(Debug)]
pub(super) struct FieldGroup {
    /// The unit of a field that has them.
    pub unit: &'static str,
    pub title: &'static str,
    pub fields: &'static [FieldRow],
    /// The file that has a table of the same fields.
    pub written_by: Option<&'static str>,
}

/// Groups of fields: parts of results, and records.
pub(super) const GROUPS: &[FieldGroup] = &[
    FieldGroup {
        unit: "latency",
        title: "Summary of latencies",
        fields: LATENCY,
        written_by: None,
    },
    FieldGroup {
        unit: "latency by routers",
        title: "Latencies by routers on the path",
        fields: BY_ROUTERS,
        written_by: None,
    },
    FieldGroup {
        unit: "trend",
        title: "Trend",
        fields: TREND,
        written_by: None,
    },
    FieldGroup {
        unit: records::ATTEMPT_UNIT,
        title: "Record of an attempt",
        fields: records::ATTEMPT,
        written_by: Some(records::ATTEMPT_LINES.written_by),
    },
    FieldGroup {
        unit: records::MESSAGE_UNIT,
        title: "Record of a message",
        fields: records::MESSAGE,
        written_by: Some(records::MESSAGE_LINES.written_by),
    },
    FieldGroup {
        unit: records::BLOCKER_UNIT,
        title: "Blocker",
        fields: records::BLOCKER,
        written_by: None,
    },
];

/// All files.
pub(super) const TABLES: &[FieldTable] = &[
    FieldTable {
        written_by: "run --json",
        about: "The result of a run: the same bytes for the same configuration and seed, except \
                `performance`. Fields that do not apply to the network or the traffic are left out or \
                null.",
        fields: run::FIELDS,
    },
    FieldTable {
        written_by: "run --messages",
        about: "A table with a row for each message, in the order of their numbers, as CSV or Parquet.",
        fields: &[
            row("id", "number", "The number of the message."),
            row("source", "node", "The node that sends."),
            row("destination", "node", "The node that receives."),
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
            row("attempts", "attempts", "How often it was sent."),
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
                "The cycles from the offer to the acknowledgement.",
            ),
            row(
                "launched_cycle",
                "cycle",
                "The cycle in which the last attempt began; networks of RN1.",
            ),
            row(
                "opened_cycle",
                "cycle",
                "The cycle in which it came to the destination; networks of RN1.",
            ),
            row(
                "reply_cycle",
                "cycle",
                "The cycle in which it brought its reply; networks of RN1.",
            ),
            row(
                "stages",
                "routers",
                "The number of routers that connected the last attempt that is over; networks of RN1.",
            ),
            row(
                "wrong",
                "0 or 1",
                "1 when a status, a checksum or a reply was wrong; networks of RN1.",
            ),
            row("replicate", "number", "The replicate, from 0."),
        ],
    },
    FieldTable {
        written_by: "run --collisions",
        about: "Where the messages of a fat tree collided, all replicates added.",
        fields: &[
            row(
                "level",
                "level",
                "The level of the router, from 0 next to the nodes.",
            ),
            row(
                "scenario",
                "text",
                "The messages that wanted one downward output: `above`, two from ports c and d; `side`, one that turned and one from above; `both`, all three; or `upward`, when no upward port was free.",
            ),
            row(
                "winner",
                "text",
                "`head` when a message won that came in the same cycle, `circuit` when one held the output already.",
            ),
            row("collisions", "attempts", "How often it happened."),
        ],
    },
    FieldTable {
        written_by: "run --links",
        about: "The use of each link in a network of your own routers, all replicates added; a row for \
                each virtual channel, where there are several.",
        fields: &[
            row(
                "router",
                "name",
                "The router or node that sends on the link.",
            ),
            row("link", "name", "Its link."),
            row(
                "vc",
                "number",
                "The virtual channel, from 0; empty where there is one.",
            ),
            row("flits", "flits", "The flits that moved."),
            row(
                "stalled_cycles",
                "cycles",
                "The cycles in which a flit was offered and not taken; empty where links have no ready \
                 signals.",
            ),
            row(
                "use_share",
                "share of cycles",
                "The flits over the cycles of all replicates.",
            ),
        ],
    },
    coverage::COVERAGE,
    records::FAULTS,
    records::ATTEMPT_LINES,
    records::MESSAGE_LINES,
    records::ATTEMPT_TABLE,
    records::TRACE,
    records::SLOWEST,
    FieldTable {
        written_by: "sweep --json",
        about: "All points of a sweep, in the order of the varied keys.",
        fields: &[
            row("crosswave", "text", "The version of the program."),
            row("vary", "list", "The varied keys with their values."),
            row(
                "measures",
                "list",
                "The fields of a run that `--measure` names, or those that suit the traffic.",
            ),
            row(
                "half_width_fraction",
                "fraction",
                "The half-width of confidence intervals, as a fraction of the mean, at which replicates suffice.",
            ),
            row(
                "points[].values.…",
                "as in the configuration",
                "The values of the varied keys.",
            ),
            row(
                "points[].replicates",
                "replicates",
                "The number of replicates of the point.",
            ),
            row(
                "points[].replicates_unfinished",
                "replicates",
                "The number of them in which messages were not delivered.",
            ),
            row(
                "points[].stationarity.…",
                "as in a run",
                "The verdict on steady traffic.",
            ),
            row(
                "points[].measures.….mean",
                "as in a run",
                "The mean of a field over the replicates.",
            ),
            row(
                "points[].measures.….half_width_95",
                "as in a run",
                "The half-width of its 95 % confidence interval; null where there is none.",
            ),
            row(
                "saturation[].values",
                "list",
                "The values of the varied keys except the load.",
            ),
            row(
                "saturation[].low_load_fraction",
                "words per node and cycle",
                "0.99 of the largest load that the throughput was found to follow; 1 where it follows a load of 1.",
            ),
            row(
                "saturation[].high_load_fraction",
                "words per node and cycle",
                "The smallest load that it was found not to follow, or 1 where long runs do not decide about 1; null where it follows a load of 1.",
            ),
            row(
                "saturation[].throughput_fraction",
                "words per node and cycle",
                "The throughput at that load, or at 1 where it is null.",
            ),
            row(
                "saturation[].zero_load_latency_cycles",
                "cycles",
                "The mean latency without load.",
            ),
            row(
                "saturation[].latency_tripled_load_fraction",
                "words per node and cycle",
                "The load at which the mean latency is three times that, on the curve.",
            ),
            row(
                "saturation[].tries[].load_fraction",
                "words per node and cycle",
                "A load that was tried.",
            ),
            row(
                "saturation[].tries[].cycles",
                "cycles",
                "The cycles in which messages were offered.",
            ),
            row(
                "saturation[].tries[].messages",
                "messages",
                "The number of messages that were measured.",
            ),
            row(
                "saturation[].tries[].throughput_fraction",
                "words per node and cycle",
                "The mean throughput.",
            ),
            row(
                "saturation[].tries[].shortfall_fraction",
                "fraction",
                "The fraction of the offer that the throughput lacks.",
            ),
            row(
                "saturation[].tries[].shortfall_half_width_95",
                "fraction",
                "The half-width of its 95 % confidence interval.",
            ),
            row(
                "saturation[].tries[].is_followed",
                "true or false",
                "Whether the throughput follows the offer; null where it could not be told, and the run was made longer.",
            ),
        ],
    },
    FieldTable {
        written_by: "sweep --out (sweep.csv, sweep.parquet)",
        about: "A row for each point of a sweep.",
        fields: &[
            row(
                "KEY",
                "as in the configuration",
                "The value of each varied key.",
            ),
            row(
                "replicates",
                "replicates",
                "The number of replicates of the point.",
            ),
            row(
                "replicates_unfinished",
                "replicates",
                "The number of them in which messages were not delivered.",
            ),
            row("stationarity", "text", "The verdict on steady traffic."),
            row(
                "FIELD",
                "as in a run",
                "The mean of a field of `run --json` over the replicates; the fields that are looked at stand first.",
            ),
            row(
                "FIELD_half_width_95",
                "as in a run",
                "The half-width of its 95 % confidence interval; empty where there is none.",
            ),
        ],
    },
    FieldTable {
        written_by: "check --json",
        about: "The quantities of papers, with what was computed for each.",
        fields: &[
            row("crosswave", "text", "The version of the program."),
            row("papers[].paper", "text", "The name of the paper."),
            row("papers[].title", "text", "Authors, title and year."),
            row(
                "papers[].reproduced",
                "number",
                "The number of quantities that are reproduced.",
            ),
            row(
                "papers[].reproduced_by_formula",
                "number",
                "The number of those of them for which nothing was simulated or tried case by case.",
            ),
            row(
                "papers[].undecided",
                "number",
                "The number of quantities whose interval is too wide to tell.",
            ),
            row(
                "papers[].differs",
                "number",
                "The number of quantities that differ for a known reason.",
            ),
            row(
                "papers[].not_reproduced",
                "number",
                "The number of quantities that are not reproduced.",
            ),
            row(
                "papers[].holds",
                "true or false",
                "Whether every verdict is the expected one.",
            ),
            row(
                "papers[].quantities[].id",
                "text",
                "The name of the quantity.",
            ),
            row(
                "papers[].quantities[].name",
                "text",
                "A sentence that says what it is.",
            ),
            row(
                "papers[].quantities[].source",
                "text",
                "The paper's section, equation, table or figure.",
            ),
            row(
                "papers[].quantities[].printed",
                "as named",
                "The number that the paper prints; null where it prints none.",
            ),
            row(
                "papers[].quantities[].claimed",
                "as named",
                "The number that a statement without a number comes to.",
            ),
            row(
                "papers[].quantities[].analytic",
                "as named",
                "The result of the paper's formula.",
            ),
            row(
                "papers[].quantities[].enumerated",
                "as named",
                "The result of trying every case.",
            ),
            row(
                "papers[].quantities[].simulated",
                "as named",
                "The result of simulation.",
            ),
            row(
                "papers[].quantities[].stderr",
                "as named",
                "The standard error of the simulation.",
            ),
            row(
                "papers[].quantities[].tolerance",
                "as named",
                "The difference that still counts as reproduced.",
            ),
            row(
                "papers[].quantities[].verdict",
                "text",
                "`reproduced`, `undecided` (the interval is too wide to tell), `differs` (for a reason that is given) or `not reproduced`.",
            ),
            row(
                "papers[].quantities[].reason",
                "text",
                "The reason of a difference.",
            ),
            row(
                "papers[].quantities[].expected",
                "text",
                "The verdict that is expected; another one makes the exit code 1.",
            ),
        ],
    },
    networks::INFO,
    networks::ROUTE,
    networks::SIGNALS,
    networks::COMPONENT,
    networks::PROOFS,
    waveforms::COMPARISON,
    waveforms::WAVEFORM_DIFF,
    waveforms::TABLE_DIFF,
    waveforms::SHOWN,
    waveforms::CURSORS,
    waveforms::LIST,
    waveforms::ACTIVITY,
    waveforms::NETLIST,
];
