//! The table that a run ends with.

use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use crosswave_probe::message::{CountForm, RejectionRow, Rejections};
use crosswave_run::result::steady::Steady;
use crosswave_run::result::{Bin, Connections, Latency, LongestQueues, RunResult};

/// Columns of the longest bar of the histogram.
const BAR_WIDTH: u64 = 40;

/// The summary of a run.
pub(super) fn text(result: &RunResult) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    counts(result, &mut row);
    replicates(result, &mut row);
    if let Some(latency) = &result.latency_cycles {
        latencies(latency, &mut row);
    }
    if let Some(steady) = &result.steady {
        window(steady, &mut row);
    }
    if let Some(connections) = &result.connections {
        circuits(connections, &mut row);
    }
    row(
        "simulated",
        format!("{:.0} cycles/s", result.performance.cycles_per_second),
    );
    let mut text = format!("{table}\n");
    let rejections = &result.rejections.0;
    if rejections.total() > 0 {
        text.extend(by_place(rejections));
    }
    if let Some(latency) = &result.latency_cycles {
        text.push_str(&histogram(&latency.histogram));
    }
    text
}

/// The network, and how many messages, attempts, cycles and rounds there were.
fn counts(result: &RunResult, row: &mut impl FnMut(&str, String)) {
    let network = &result.config.network;
    let kind = network.kind().title;
    row(
        "network",
        format!(
            "{kind}, {} nodes, {} engine",
            network.nodes(),
            result.engine
        ),
    );
    row(
        "messages",
        format!(
            "{} of {} delivered",
            result.messages.delivered, result.messages.offered
        ),
    );
    if result.interrupted {
        row(
            "interrupted",
            "this is what was simulated until then".into(),
        );
    }
    row("attempts", result.messages.attempts.to_string());
    let rejections = &result.rejections.0;
    row(rejections.title, rejections.total().to_string());
    if let Some(LongestQueues(rows)) = &result.longest_queues {
        let most = rows.values().flatten().max().copied().unwrap_or(0);
        row("longest queue", format!("{most} packets"));
    }
    row("cycles", result.cycles.to_string());
    if let Some(rounds) = &result.rounds {
        row(
            "rounds",
            format!("{:.3} ± {:.3}", rounds.mean, rounds.stderr),
        );
    }
}

/// Number of replicates that were run, and the time they took, if there are several.
fn replicates(result: &RunResult, row: &mut impl FnMut(&str, String)) {
    let replicates = result.config.run.replicates;
    if replicates > 1 && !result.finished {
        row(
            "replicates",
            format!(
                "{} of {replicates} run, {} finished",
                result.replicates_run, result.replicates_finished
            ),
        );
    }
    if let Some(finish) = result.cycles_to_finish.as_ref().filter(|_| replicates > 1) {
        row(
            "cycles to finish",
            format!(
                "{:.1} ± {:.1} ({} to {})",
                finish.mean, finish.stderr, finish.min, finish.max
            ),
        );
    }
}

/// The latency of messages.
fn latencies(latency: &Latency, row: &mut impl FnMut(&str, String)) {
    row(
        "latency, cycles",
        format!(
            "{} min, {:.1} mean, {} max",
            latency.min, latency.mean, latency.max
        ),
    );
    row(
        "",
        format!(
            "p50 {}, p90 {}, p99 {}",
            latency.p50, latency.p90, latency.p99
        ),
    );
}

/// Cycles in which circuits were opened, answered and closed.
fn circuits(connections: &Connections, row: &mut impl FnMut(&str, String)) {
    let parts = [
        ("opened after, cycles", &connections.open_cycles),
        ("reply after, cycles", &connections.reply_cycles),
        ("closed after, cycles", &connections.close_cycles),
    ];
    for (name, cycles) in parts {
        if let Some(Latency { min, mean, max, .. }) = cycles {
            row(name, format!("{min} min, {mean:.1} mean, {max} max"));
        }
    }
    if connections.wrong > 0 {
        row("wrong answers", connections.wrong.to_string());
    }
}

/// Measurements in the window of steady traffic.
fn window(steady: &Steady, row: &mut impl FnMut(&str, String)) {
    let error = |error: Option<f64>, decimals: usize| {
        error.map_or(String::new(), |error| format!(" ± {error:.decimals$}"))
    };
    let (from, to) = steady.window_cycles;
    row("window, cycles", format!("{from} to {to}"));
    row(
        "  offered load",
        format!(
            "{:.4} words per node and cycle",
            steady.offered_load_fraction
        ),
    );
    row(
        "  throughput",
        format!(
            "{:.4}{} words per node and cycle",
            steady.throughput_fraction,
            error(steady.throughput_stderr, 4)
        ),
    );
    if let Some(latency) = &steady.latency_cycles {
        row(
            "  latency, cycles",
            format!(
                "{} min, {:.1}{} mean, {} max",
                latency.min,
                latency.mean,
                error(steady.latency_mean_stderr, 1),
                latency.max
            ),
        );
        row("", format!("p50 {}, p99 {}", latency.p50, latency.p99));
    }
    if let Some(latency) = &steady.network_latency_cycles {
        row(
            "  from sending, cycles",
            format!(
                "{} min, {:.1} mean, {} max",
                latency.min, latency.mean, latency.max
            ),
        );
    }
    if let Some(attempts) = steady.attempts_per_message {
        row("  attempts a message", format!("{attempts:.3}"));
    }
    if steady.undelivered > 0 {
        row(
            "  not delivered",
            format!("{} of {} messages", steady.undelivered, steady.messages),
        );
    }
    let fairness = &steady.fairness;
    if let Some(index) = fairness.jain_index {
        row(
            "  Jain's fairness",
            format!(
                "{index:.4}, nodes from {:.4} to {:.4}",
                fairness.throughput_min_fraction, fairness.throughput_max_fraction
            ),
        );
    }
}

/// The rejected attempts by place; nothing where senders cannot tell where they were.
fn by_place(rejections: &Rejections) -> Option<String> {
    let lists = rejections
        .rows
        .iter()
        .filter(|row| row.shown == CountForm::List);
    let lists: Vec<&RejectionRow> = lists.collect();
    let places = lists.first()?.counts.len();
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let headings = lists.iter().map(|row| row.heading);
    table.set_header([rejections.places].into_iter().chain(headings));
    let mut order: Vec<usize> = (0..places).collect();
    if rejections.descending {
        order.reverse();
    }
    for place in order {
        let counts = lists.iter().map(|row| row.counts[place].to_string());
        table.add_row([place.to_string()].into_iter().chain(counts));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    Some(format!("{table}\n"))
}

fn histogram(bins: &[Bin]) -> String {
    let most = bins.iter().map(|bin| bin.messages).max().unwrap_or(1);
    let mut text = String::from("latency, cycles        messages\n");
    for Bin { from, to, messages } in bins {
        let bar = "█".repeat((messages * BAR_WIDTH).div_ceil(most) as usize);
        let range = format!("{from}..{to}");
        let _ = writeln!(text, "{range:>18} {messages:>12} {bar}");
    }
    text
}
