//! The table that a run ends with.

use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use crate::config::NetworkKind;
use crate::run::result::steady::Steady;
use crate::run::result::{Bin, BlockedCounts, CollisionCounts, Latency, RunResult};

/// Columns of the longest bar of the histogram.
const BAR_WIDTH: u64 = 40;

/// The summary of a run.
pub(super) fn text(result: &RunResult) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    let network = &result.config.network;
    let kind = match network.kind {
        NetworkKind::FatTree => "fat tree",
        NetworkKind::Bidelta => "bidelta network",
    };
    row(
        "network",
        format!("{kind}, {} nodes, {} engine", network.nodes, result.engine),
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
    if let Some(collisions) = &result.collisions {
        row("collisions", collisions.total.to_string());
    }
    if let Some(blocked) = &result.blocked {
        row("blocked", blocked.total.to_string());
    }
    row("cycles", result.cycles.to_string());
    if let Some(rounds) = &result.rounds {
        row(
            "rounds",
            format!("{:.3} ± {:.3}", rounds.mean, rounds.stderr),
        );
    }
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
    if let Some(latency) = &result.latency_cycles {
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
    if let Some(steady) = &result.steady {
        window(steady, &mut row);
    }
    if let Some(connections) = &result.connections {
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
    row(
        "simulated",
        format!("{:.0} cycles/s", result.performance.cycles_per_second),
    );
    let mut text = format!("{table}\n");
    if let Some(counts) = result.collisions.as_ref().filter(|counts| counts.total > 0) {
        text.extend(collisions(counts));
    }
    if let Some(counts) = result.blocked.as_ref().filter(|counts| counts.total > 0) {
        text.push_str(&blocked(counts));
    }
    if let Some(latency) = &result.latency_cycles {
        text.push_str(&histogram(&latency.histogram));
    }
    text
}

/// What is measured in the window of steady traffic.
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

fn blocked(counts: &BlockedCounts) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["stage", "attempts blocked"]);
    for (stage, count) in counts.by_stage.iter().enumerate() {
        table.add_row([stage.to_string(), count.to_string()]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

/// The collisions by level; nothing where senders cannot tell where they were.
fn collisions(counts: &CollisionCounts) -> Option<String> {
    let turning = counts.turning_by_level.as_ref()?;
    let downward = counts.downward_by_level.as_ref()?;
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let upward = counts.upward_by_level.iter();
    let mut columns = vec![("turning", turning)];
    columns.extend(upward.map(|upward| ("upward", upward)));
    columns.push(("downward", downward));
    let names = columns.iter().map(|(name, _)| *name);
    table.set_header(["collisions at level"].into_iter().chain(names));
    for level in (0..turning.len()).rev() {
        let counts = columns.iter().map(|(_, counts)| counts[level].to_string());
        table.add_row([level.to_string()].into_iter().chain(counts));
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
