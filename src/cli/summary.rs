//! The table that a run ends with.

use std::fmt::Write;

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table};

use crate::experiment::result::{RunResult, percentile};

/// Rows of the latency histogram.
const BARS: usize = 12;
/// Columns of its longest bar.
const BAR_WIDTH: u64 = 40;

/// The summary of a run.
pub(super) fn text(result: &RunResult) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    let network = &result.config.network;
    row(
        "network",
        format!(
            "fat tree, {} nodes, {} engine",
            network.nodes, result.engine
        ),
    );
    row(
        "messages",
        format!(
            "{} of {} delivered",
            result.messages.delivered, result.messages.offered
        ),
    );
    row("attempts", result.messages.attempts.to_string());
    row("collisions", result.collisions.total.to_string());
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
        let percentiles: Vec<String> = [50, 90, 99]
            .iter()
            .map(|&p| format!("p{p} {}", percentile(&result.latencies, p)))
            .collect();
        row("", percentiles.join(", "));
    }
    row(
        "simulated",
        format!("{:.0} cycles/s", result.performance.cycles_per_second),
    );
    let mut text = format!("{table}\n");
    if result.collisions.total > 0 {
        text.push_str(&collisions(result));
    }
    text.push_str(&histogram(&result.latencies));
    text
}

fn collisions(result: &RunResult) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_BORDERS_ONLY);
    table.set_header(["collisions at level", "turning", "downward"]);
    let counts = &result.collisions;
    for level in (0..counts.turning_by_level.len()).rev() {
        table.add_row([
            level.to_string(),
            counts.turning_by_level[level].to_string(),
            counts.downward_by_level[level].to_string(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}

/// A histogram of sorted latencies in equal steps.
fn histogram(sorted: &[u64]) -> String {
    let (Some(&first), Some(&last)) = (sorted.first(), sorted.last()) else {
        return String::new();
    };
    let step = ((last - first) / BARS as u64 + 1).max(1);
    let mut counts = vec![0u64; ((last - first) / step + 1) as usize];
    for &latency in sorted {
        counts[((latency - first) / step) as usize] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let mut text = String::from("latency, cycles        messages\n");
    for (index, &count) in counts.iter().enumerate() {
        let from = first + index as u64 * step;
        let bar = "█".repeat((count * BAR_WIDTH).div_ceil(most) as usize);
        let range = format!("{from}..{}", from + step - 1);
        let _ = writeln!(text, "{range:>18} {count:>12} {bar}");
    }
    text
}
