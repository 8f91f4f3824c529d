//! The table that a run ends with.

use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use crosswave_base::statistics::student_t_95;
use crosswave_probe::message::{CountForm, RejectionRow, Rejections};
use crosswave_run::result::links::LinkUse;
use crosswave_run::result::steady::{Percentile, Steady, Verdict};
use crosswave_run::result::{
    Connections, Latency, LogBin, LongestQueues, OverReplicates, RouterRow, RunResult,
};

/// Lines of a distribution at most, unless its bins end at powers of two.
const LINES_MAX: usize = 20;

/// Largest latency over the smallest from which on bins grow.
const DECADE: u64 = 10;

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
    if let Some(links) = &result.links {
        of_links(links, &mut row);
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
    let steady = result.steady.as_ref();
    let rows = match steady {
        Some(steady) => &steady.latency_by_routers,
        None => &result.latency_by_routers,
    };
    if rows.len() > 1 {
        text.push_str(&by_routers(rows));
    }
    let of_window = steady.and_then(|steady| steady.latency_cycles.as_ref());
    if let Some(latency) = result.latency_cycles.as_ref().or(of_window) {
        text.push_str(&histogram(latency));
    }
    text
}

/// The use of links.
fn of_links(links: &LinkUse, row: &mut impl FnMut(&str, String)) {
    let percent = |share: f64| format!("{:.1} %", 100.0 * share);
    let stalled = |share: Option<f64>| match share {
        Some(share) => format!(", stalled in {}", percent(share)),
        None => String::new(),
    };
    let mean = percent(links.use_share_mean) + &stalled(links.stalled_share_mean);
    row(
        "use of links",
        format!("{mean} of the cycles, mean of {}", links.links),
    );
    for link in links.busiest.iter().take(1) {
        let of_cycles = percent(link.use_share) + &stalled(link.stalled_share);
        row(
            "busiest link",
            format!("{} {}, {of_cycles}", link.router, link.link),
        );
    }
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
    for own in &result.config.chips.own {
        row("your own chip", own.to_string());
    }
    let replicates = result.config.run.replicates;
    if replicates > 1 {
        let begun = match result.finished {
            true => replicates.to_string(),
            false => format!(
                "{} of {replicates} run, {} finished",
                result.replicates_run, result.replicates_finished
            ),
        };
        row("replicates", format!("{begun}; the counts are their sums"));
    }
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
    let mut text = rejections.total().to_string();
    // Rows without places are named here, where all are such.
    let is_number = |row: &&RejectionRow| row.shown == CountForm::Number;
    if rejections.rows.iter().all(|row| is_number(&row)) {
        let counted = rejections.rows.iter().filter(|row| row.counts[0] > 0);
        for (at, counted) in counted.enumerate() {
            let before = if at == 0 { ": " } else { ", " };
            text += &format!("{before}{} {}", counted.counts[0], counted.heading);
        }
    }
    row(rejections.title, text);
    if let Some(LongestQueues(rows)) = &result.longest_queues {
        let most = rows.values().flatten().max().copied().unwrap_or(0);
        row("longest queue", format!("{most} packets"));
    }
    row("cycles", result.cycles.to_string());
    if let Some(rounds) = &result.rounds {
        row(
            "rounds",
            format!("{:.3}{}", rounds.mean, interval(result, rounds, 3)),
        );
    }
}

/// The cycles that replicates took, if there are several.
fn replicates(result: &RunResult, row: &mut impl FnMut(&str, String)) {
    let replicates = result.config.run.replicates;
    if let Some(finish) = result.cycles_to_finish.as_ref().filter(|_| replicates > 1) {
        row(
            "cycles to finish",
            format!(
                "{:.1}{} ({} to {})",
                finish.mean,
                interval(result, finish, 1),
                finish.min,
                finish.max
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
    row(
        "",
        format!("p99.9 {}, p99.99 {}", latency.p999, latency.p9999),
    );
    row("", span(latency));
}

/// The events between which a latency counts.
fn span(latency: &Latency) -> String {
    format!("from {} to {}", latency.from, latency.to)
}

/// Cycles in which circuits were opened, answered and closed.
fn circuits(connections: &Connections, row: &mut impl FnMut(&str, String)) {
    let parts = [
        ("circuit opened after, cycles", &connections.open_cycles),
        ("reply came after, cycles", &connections.reply_cycles),
        ("circuit closed after, cycles", &connections.close_cycles),
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

/// Half of the interval of a mean over replicates that holds the true mean in 95 % of all cases;
/// nothing for one replicate.
fn interval(result: &RunResult, values: &OverReplicates, decimals: usize) -> String {
    match u64::from(result.replicates_finished) {
        0 | 1 => String::new(),
        count => {
            let half = student_t_95(count) * values.stderr;
            format!(" ± {half:.decimals$}, 95 %")
        }
    }
}

/// Measurements in the window of steady traffic.
fn window(steady: &Steady, row: &mut impl FnMut(&str, String)) {
    let values = steady.stderr_rule.map_or(0, |rule| u64::from(rule.values));
    let error = |error: Option<f64>, decimals: usize| match error.filter(|_| values > 1) {
        Some(error) => format!(" ± {:.decimals$}", student_t_95(values) * error),
        None => String::new(),
    };
    let (from, to) = steady.window_cycles;
    row(
        "window, cycles",
        format!("{from} to {to}, warm-up {}", steady.warmup_rule),
    );
    let stationarity = &steady.stationarity;
    row("  state", stationarity.verdict.name().to_owned());
    if stationarity.verdict != Verdict::Stationary {
        for clause in stationarity.explanation.split("; ") {
            row("", clause.to_owned());
        }
    }
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
        for line in percentiles(steady) {
            row("", line);
        }
        row("", span(latency));
    }
    if let Some(rule) = steady.stderr_rule {
        row(
            "  ±",
            format!(
                "95 % interval of the mean, from {} {}",
                rule.values, rule.of
            ),
        );
    }
    let percentiles = steady.latency_percentiles.iter().flatten();
    if percentiles.into_iter().any(|row| row.low_95.is_some()) {
        row("  ( )", "95 % interval of a percentile".to_owned());
    }
    if let Some(latency) = &steady.network_latency_cycles {
        row(
            "  from first launch, cycles",
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
                "{index:.4}, throughput of single nodes {:.4} to {:.4}",
                fairness.throughput_min_fraction, fairness.throughput_max_fraction
            ),
        );
    }
}

/// Percentiles of the latency in the window with their intervals, three to a line.
fn percentiles(steady: &Steady) -> Vec<String> {
    let shown = |row: &Percentile| {
        let interval = match (row.low_95, row.high_95) {
            (Some(low), Some(high)) => format!(" ({low} to {high})"),
            (Some(low), None) => format!(" ({low} or more)"),
            (None, _) => String::new(),
        };
        format!("p{} {}{interval}", row.percent, row.cycles)
    };
    let rows = steady.latency_percentiles.iter().flatten();
    let shown: Vec<String> = rows.map(shown).collect();
    shown.chunks(3).map(|line| line.join(", ")).collect()
}

/// Latency by the routers on messages' paths.
fn by_routers(rows: &[RouterRow]) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header([
        "routers passed",
        "messages",
        "latency min, cycles",
        "mean",
        "max",
    ]);
    for row in rows {
        table.add_row([
            row.routers.to_string(),
            row.messages.to_string(),
            row.min_cycles.to_string(),
            format!("{:.1}", row.mean_cycles),
            row.max_cycles.to_string(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
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

/// Bins that end at powers of two, or four to each power where these are few.
fn doubling(distribution: &[LogBin]) -> Vec<(u64, u64, u64)> {
    let mut bins: Vec<(u64, u64, u64)> = Vec::new();
    for bin in distribution {
        let is_same =
            |last: &&mut (u64, u64, u64)| last.0.checked_ilog2() == bin.from.checked_ilog2();
        let is_merged = distribution.len() > LINES_MAX && bin.from > 0;
        match bins.last_mut().filter(is_same).filter(|_| is_merged) {
            Some(last) => (last.1, last.2) = (bin.to, last.2 + bin.messages),
            None => bins.push((bin.from, bin.to, bin.messages)),
        }
    }
    bins
}

/// The distribution of a latency: in bins of one width, or in growing ones where the largest is
/// ten times the smallest.
fn histogram(latency: &Latency) -> String {
    let is_wide = latency.max >= DECADE * latency.min.max(1);
    let linear = latency.histogram.iter();
    let linear = linear.map(|bin| (bin.from, bin.to, bin.messages));
    let bins: Vec<(u64, u64, u64)> = match is_wide {
        true => doubling(&latency.distribution),
        false => linear.collect(),
    };
    let most = bins.iter().map(|bin| bin.2).max().unwrap_or(1);
    let all: u64 = bins.iter().map(|bin| bin.2).sum();
    let mut text = String::from("latency, cycles        messages  cumulative\n");
    let mut before = 0;
    for (from, to, messages) in bins {
        before += messages;
        let bar = "█".repeat((messages * BAR_WIDTH).div_ceil(most) as usize);
        let range = format!("{from}..{to}");
        let share = 100.0 * before as f64 / all as f64;
        let _ = writeln!(text, "{range:>18} {messages:>12} {share:>10.2}% {bar}");
    }
    text
}
