//! The table that a sweep prints.

use comfy_table::presets::UTF8_BORDERS_ONLY;
use comfy_table::{CellAlignment, Table as TextTable};

use crosswave_observe::sweep::table::{Mean, Table};

/// Rows that are printed at most; the files have all.
const ROWS_MAX: usize = 200;

/// The keys of each point, its replicates, its verdict and the measures that are looked at.
pub(super) fn text(table: &Table, measures: &[String]) -> String {
    let mut text = TextTable::new();
    text.load_style(UTF8_BORDERS_ONLY);
    let has_verdicts = (0..table.rows().len()).any(|row| table.verdict(row).is_some());
    let mut heading: Vec<String> = table.varied().iter().map(|vary| vary.key.clone()).collect();
    let keys = heading.len();
    let has_cycles = (0..table.rows().len()).any(|row| table.cycles_of(row).is_some());
    heading.extend(has_cycles.then(|| "traffic.cycles".to_owned()));
    let keys = heading.len().max(keys);
    heading.push("replicates".into());
    heading.extend(has_verdicts.then(|| "state".to_owned()));
    heading.extend(measures.iter().map(|measure| format!("{measure} ± 95 %")));
    text.set_header(heading);
    for (row, (point, measured)) in table.rows().iter().enumerate().take(ROWS_MAX) {
        let values = table.varied().iter().zip(&point.values);
        let mut cells: Vec<String> = values
            .map(|(vary, &value)| vary.shown(value).to_owned())
            .collect();
        if has_cycles {
            let cycles = table.cycles_of(row);
            cells.push(cycles.map_or(String::new(), |cycles| cycles.to_string()));
        }
        cells.push(match measured.unfinished() {
            0 => measured.len().to_string(),
            late => format!("{}, {late} unfinished", measured.len()),
        });
        if has_verdicts {
            let verdict = table.verdict(row);
            cells.push(verdict.map_or("", |found| found.verdict.name()).to_owned());
        }
        cells.extend(
            measures
                .iter()
                .map(|measure| shown(table.mean(row, measure))),
        );
        text.add_row(cells);
    }
    for (at, column) in text.column_iter_mut().enumerate() {
        if at < keys || at >= keys + 1 + usize::from(has_verdicts) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let left = table.rows().len().saturating_sub(ROWS_MAX);
    let more = match left {
        0 => String::new(),
        _ => format!("{left} more points are in the table\n"),
    };
    format!("{text}\n{more}")
}

/// A mean with half of its interval, as many digits as that makes sense of, and four without one.
fn shown(mean: Option<Mean>) -> String {
    let Some(Mean {
        mean,
        half_width_95,
    }) = mean
    else {
        return String::new();
    };
    let digits = |number: f64, digits: f64| match number.abs() > 0.0 {
        true => (digits - 1.0 - number.abs().log10().floor()).max(0.0) as usize,
        false => 0,
    };
    match half_width_95 {
        Some(half) if half > 0.0 => {
            let decimals = digits(half, 2.0);
            format!("{mean:.decimals$} ± {half:.decimals$}")
        }
        Some(_) => format!("{mean} ± 0"),
        None => format!("{mean:.decimals$}", decimals = digits(mean, 4.0)),
    }
}
