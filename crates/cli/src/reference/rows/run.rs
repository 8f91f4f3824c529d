//! The fields of the result of a run.

use super::{FieldRow, row};

/// The fields of `run --json`.
pub(super) const FIELDS: &[FieldRow] = &[
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
        "The sum of the last cycles of all replicates.",
    ),
    row(
        "messages.offered",
        "messages",
        "The number of messages that nodes were given, in all replicates.",
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
        "faults.total",
        "packets",
        "The packets with a fault; networks of your own routers.",
    ),
    row(
        "faults.misrouted",
        "packets",
        "Those that came to another node.",
    ),
    row(
        "faults.corrupted",
        "packets",
        "Those in which something was not as it was sent.",
    ),
    row("faults.doubled", "packets", "Those that had come before."),
    row(
        "faults.unknown",
        "packets",
        "Those of no message under way.",
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
        "The body words that nodes were given in the window, per node that sends.",
    ),
    row(
        "steady.throughput_fraction",
        "words per node and cycle",
        "The body words that were delivered in the window, per node that sends.",
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
        "Jain's index of the words delivered by source: 1 when all sources get the same.",
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
        "links.links",
        "links",
        "The number of links, one for each direction; with `--links`, in networks of your own routers.",
    ),
    row(
        "links.use_share_mean",
        "share of cycles",
        "The cycles in which a flit moves, over those of all replicates; the mean over links.",
    ),
    row(
        "links.stalled_share_mean",
        "share of cycles",
        "The same of cycles in which a flit is offered and not taken; null where links have no ready signals.",
    ),
    row(
        "links.use_share_mean_by_vc",
        "share of cycles",
        "The mean use by each virtual channel, where there are several.",
    ),
    row(
        "links.busiest[].router",
        "name",
        "The router or node that sends on one of the ten links that are used most, the busiest first.",
    ),
    row("links.busiest[].link", "name", "Its link."),
    row(
        "links.busiest[].use_share",
        "share of cycles",
        "The cycles in which a flit moves on it.",
    ),
    row(
        "links.busiest[].stalled_share",
        "share of cycles",
        "The cycles in which one is offered and not taken; null where links have no ready signals.",
    ),
    row(
        "failed_packets[].replicate",
        "number",
        "The replicate of a packet that had a fault or did not come; in runs of networks of your own routers that failed. The first 1,000 are listed.",
    ),
    row(
        "failed_packets[].message",
        "number",
        "Its message; null where no message has the number in its head.",
    ),
    row(
        "failed_packets[].source",
        "node",
        "The source of the message.",
    ),
    row(
        "failed_packets[].destination",
        "node",
        "The destination of the message.",
    ),
    row(
        "failed_packets[].fault",
        "text",
        "`misrouted`, `corrupted`, `doubled`, `unknown` or `missing`: it was sent and did not come.",
    ),
    row(
        "failed_packets[].node",
        "node",
        "The node to which it came; null of one that is missing.",
    ),
    row(
        "failed_packets[].cycle",
        "cycle",
        "The cycle in which its end came there; of one that is missing that in which it was sent.",
    ),
    row(
        "failed_packets[].last.router",
        "name",
        "The router, or the sending node, where its head was seen last; `last` is null of replicates that were not followed.",
    ),
    row("failed_packets[].last.link", "name", "The link there."),
    row(
        "failed_packets[].last.has_left",
        "true or false",
        "Whether the head left by the link; it came by it otherwise.",
    ),
    row(
        "failed_packets[].last.cycle",
        "cycle",
        "The cycle in which the head was on the link.",
    ),
    row(
        "failed_packets_left_out",
        "packets",
        "The number of further packets that are not listed.",
    ),
    row(
        "deadlock.replicate",
        "number",
        "The replicate in which links wait for each other; `deadlock` is null where none do.",
    ),
    row("deadlock.cycle", "cycle", "The cycle in which it ended."),
    row(
        "deadlock.is_circle",
        "true or false",
        "Whether the last link waits for the first one.",
    ),
    row(
        "deadlock.links[].router",
        "name",
        "The router, or node, that sends on a link which waits for the next one.",
    ),
    row("deadlock.links[].link", "name", "Its link."),
    row(
        "deadlock.links[].vc",
        "number",
        "The virtual channel, where there are several.",
    ),
    row(
        "deadlock.links[].message",
        "number",
        "The message that came by the link and waits for the next one.",
    ),
    row(
        "deadlock.links[].since_cycle",
        "cycle",
        "The cycle from which on no flit has moved on the link.",
    ),
    row(
        "deadlock.end",
        "text",
        "The reason why the last link of a chain waits; null of a circle.",
    ),
    row(
        "livelock.replicate",
        "number",
        "The replicate in which packets move and none comes; `livelock` is null where none do.",
    ),
    row(
        "livelock.message",
        "number",
        "The message that is longest under way of those that move; of circuits the one that was rejected \
         most often.",
    ),
    row(
        "livelock.attempts",
        "number",
        "Its attempts; 1 of a packet.",
    ),
    row(
        "livelock.launched_cycle",
        "cycle",
        "The cycle in which its head left its source.",
    ),
    row(
        "livelock.hops",
        "routers",
        "The routers that it has been in, each as often as it was.",
    ),
    row(
        "livelock.last_hops[].router",
        "name",
        "One of the last 20 of them.",
    ),
    row(
        "livelock.last_hops[].link",
        "name",
        "The link by which it left; null where it has not.",
    ),
    row(
        "livelock.last_hops[].cycle",
        "cycle",
        "The cycle in which it came.",
    ),
    row(
        "lost_nack.replicate",
        "number",
        "The replicate in which a rejection of a circuit did not come back; `lost_nack` is null where all did.",
    ),
    row(
        "lost_nack.message",
        "number",
        "The message that it rejects; of several such the one whose rejection was seen first.",
    ),
    row(
        "lost_nack.router",
        "text",
        "The router to which it came back last.",
    ),
    row(
        "lost_nack.link",
        "text",
        "The link of the router by which it came.",
    ),
    row("lost_nack.cycle", "cycle", "The cycle in which it came."),
    row(
        "monitors.properties",
        "number",
        "The properties of all routers that were looked at in every cycle; `monitors` is there with `checks.monitors`.",
    ),
    row(
        "monitors.broken[].replicate",
        "number",
        "The replicate in which a property was broken, up to a thousand times.",
    ),
    row("monitors.broken[].router", "text", "The router."),
    row(
        "monitors.broken[].place",
        "text",
        "The link and its direction, such as `east.out`, or `router`.",
    ),
    row(
        "monitors.broken[].property",
        "name",
        "The name of the property.",
    ),
    row(
        "monitors.broken[].sentence",
        "text",
        "The sentence that it stands for.",
    ),
    row(
        "monitors.broken[].cycle",
        "cycle",
        "The cycle in which it was broken first.",
    ),
    row("monitors.left_out", "number", "The number of further ones."),
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
];
