//! The meaning of every field of results.

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

/// Fields that stand for a group: a summary of latencies, latencies by routers, a trend.
pub(super) const GROUPS: [(&str, &str, &[FieldRow]); 3] = [
    ("latency", "Summary of latencies", LATENCY),
    (
        "latency by routers",
        "Latencies by routers on the path",
        BY_ROUTERS,
    ),
    ("trend", "Trend", TREND),
];

/// All files.
pub(super) const TABLES: &[FieldTable] = &[
    FieldTable {
        written_by: "run --json",
        about: "The result of a run: the same bytes for the same configuration and seed, except \
                `performance`. Fields that do not apply to the network or the traffic are left out or \
                null.",
        fields: &[
            row("crosswave", "text", "The version of the program."),
            row(
                "config.…",
                "as in the configuration",
                "The whole configuration, with the defaults that it does not set.",
            ),
            row("engine", "text", "The engine that ran: `gate` or `event`."),
            row(
                "finished",
                "true or false",
                "Whether every message was delivered and acknowledged.",
            ),
            row(
                "interrupted",
                "true or false",
                "Whether someone stopped the run.",
            ),
            row(
                "replicates_run",
                "replicates",
                "The number of replicates that were begun.",
            ),
            row(
                "replicates_finished",
                "replicates",
                "The number of replicates in which every message was acknowledged.",
            ),
            row(
                "cycles",
                "cycles",
                "The cycle in which the longest replicate ended.",
            ),
            row(
                "messages.offered",
                "messages",
                "The number of messages that nodes were given.",
            ),
            row(
                "messages.delivered",
                "messages",
                "The number of messages that came whole to their destination.",
            ),
            row(
                "messages.attempts",
                "attempts",
                "How often messages were sent, retries included.",
            ),
            row(
                "collisions.total",
                "attempts",
                "The number of attempts that a router or a receiver rejected.",
            ),
            row(
                "collisions.turning_by_level",
                "attempts",
                "Those rejected by the router in which the path turns downward, by level from 0 next to the nodes; null where levels are not known.",
            ),
            row(
                "collisions.downward_by_level",
                "attempts",
                "Those rejected by a router on the downward part of the path, by level.",
            ),
            row(
                "collisions.upward_by_level",
                "attempts",
                "Those rejected on the upward part, by level; only in fat trees with channels that do not double.",
            ),
            row(
                "collisions.refused_by_receiver",
                "attempts",
                "Those refused by the receiving node.",
            ),
            row(
                "blocked.total",
                "attempts",
                "The number of attempts that a router blocked; networks of RN1.",
            ),
            row(
                "blocked.by_stage",
                "attempts",
                "The same by stage, from 0 next to the senders.",
            ),
            row(
                "connections.open_cycles",
                "latency",
                "The cycles of the attempt that succeeded, up to the first word at the destination; networks of RN1.",
            ),
            row(
                "connections.reply_cycles",
                "latency",
                "The same up to the first word of the reply.",
            ),
            row(
                "connections.close_cycles",
                "latency",
                "The same up to the end of the connection.",
            ),
            row(
                "connections.wrong",
                "connections",
                "The number of connections with a wrong status, checksum or reply.",
            ),
            row(
                "conflicts.total",
                "packets",
                "The number of packets that were lost; networks of packets.",
            ),
            row(
                "conflicts.up_by_level",
                "outputs",
                "Outputs of routers, on the upward part of a path, at which packets were lost in a cycle, by level.",
            ),
            row(
                "conflicts.down_by_level",
                "outputs",
                "The same on the downward part.",
            ),
            row(
                "conflicts.lost_by_level",
                "packets",
                "The number of packets that routers of each level lost.",
            ),
            row(
                "conflicts.wrong_node",
                "packets",
                "The number of packets that came to a node that is not their destination.",
            ),
            row(
                "longest_queues.down_by_level",
                "packets",
                "The longest queue of downward outputs, by level.",
            ),
            row(
                "longest_queues.up_by_level",
                "packets",
                "The longest queue of upward outputs, by level.",
            ),
            row(
                "latency_cycles",
                "latency",
                "The latencies of all messages, waiting and retries included; left out for steady traffic.",
            ),
            row(
                "latency_by_routers[]",
                "latency by routers",
                "The same by the number of routers on the path.",
            ),
            row(
                "steady.window_cycles",
                "cycles",
                "The first and the last cycle of the window in which messages are measured.",
            ),
            row(
                "steady.warmup_rule",
                "text",
                "The rule by which the beginning of the window was chosen.",
            ),
            row(
                "steady.stationarity.verdict",
                "text",
                "`stationary`, `not stationary` or `too short to tell`; only a stationary window has errors.",
            ),
            row(
                "steady.stationarity.latency_trend",
                "trend",
                "The trend of the latency over the window.",
            ),
            row(
                "steady.stationarity.backlog_trend",
                "trend",
                "The trend of the number of messages that wait or are under way.",
            ),
            row(
                "steady.stationarity.settling_cycles",
                "cycles",
                "The cycles in which queues settle at this load.",
            ),
            row(
                "steady.stationarity.above_saturation",
                "true or false",
                "Whether the network cannot take the load at all.",
            ),
            row(
                "steady.stationarity.explanation",
                "text",
                "The reason of the verdict, and a setting that would make the window stationary.",
            ),
            row(
                "steady.replicates",
                "replicates",
                "The number of replicates that were measured.",
            ),
            row(
                "steady.offered_load_fraction",
                "words per node and cycle",
                "The body words that nodes were given in the window.",
            ),
            row(
                "steady.throughput_fraction",
                "words per node and cycle",
                "The body words that were delivered in the window.",
            ),
            row(
                "steady.throughput_stderr",
                "words per node and cycle",
                "The standard error of the throughput.",
            ),
            row(
                "steady.stderr_rule.of",
                "text",
                "What the errors are computed over: replicates, or batches of one replicate.",
            ),
            row(
                "steady.stderr_rule.values",
                "number",
                "The number of values that the errors are computed from.",
            ),
            row(
                "steady.stderr_rule.correlation",
                "number",
                "The correlation of each batch with the next one.",
            ),
            row(
                "steady.messages",
                "messages",
                "The number of messages that were offered in the window.",
            ),
            row(
                "steady.undelivered",
                "messages",
                "The number of them that were not delivered by the end.",
            ),
            row(
                "steady.latency_cycles",
                "latency",
                "The latencies of the messages that were offered in the window, waiting at the source included.",
            ),
            row(
                "steady.latency_mean_stderr",
                "cycles",
                "The standard error of the mean latency.",
            ),
            row(
                "steady.latency_percentiles[].percent",
                "percent",
                "A percentage of the messages.",
            ),
            row(
                "steady.latency_percentiles[].cycles",
                "cycles",
                "The latency that so many do not exceed.",
            ),
            row(
                "steady.latency_percentiles[].low_95",
                "cycles",
                "The lower end of its 95 % confidence interval.",
            ),
            row(
                "steady.latency_percentiles[].high_95",
                "cycles",
                "The upper end of its 95 % confidence interval.",
            ),
            row(
                "steady.latency_by_routers[]",
                "latency by routers",
                "The latencies by the number of routers on the path.",
            ),
            row(
                "steady.network_latency_cycles",
                "latency",
                "The latencies without the wait at the source: from the first head on the wire.",
            ),
            row(
                "steady.attempts_per_message",
                "attempts",
                "The mean number of attempts of a message.",
            ),
            row(
                "steady.fairness.jain_index",
                "number",
                "Jain's index of the deliveries by source: 1 when all sources get the same.",
            ),
            row(
                "steady.fairness.throughput_min_fraction",
                "words per node and cycle",
                "The throughput of the slowest source.",
            ),
            row(
                "steady.fairness.throughput_max_fraction",
                "words per node and cycle",
                "The throughput of the fastest source.",
            ),
            row(
                "rounds.…",
                "rounds",
                "The number of rounds (`mean`, `stderr`, `min`, `max` over finished replicates); null without rounds.",
            ),
            row(
                "cycles_to_finish.…",
                "cycles",
                "The cycles until all was acknowledged (`mean`, `stderr`, `min`, `max` over finished replicates).",
            ),
            row(
                "performance.wall_seconds",
                "seconds",
                "The time that the run took; different every time.",
            ),
            row(
                "performance.cycles_per_second",
                "cycles per second",
                "Simulated cycles of all replicates over that time; different every time.",
            ),
        ],
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
                "saturation[].…",
                "see the page of loads",
                "The load at which the network saturates, with its interval; with `--saturation`.",
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
            row(
                "papers[].…",
                "number",
                "The number of quantities with each verdict.",
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
];
