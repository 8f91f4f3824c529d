//! Steps of total exchange on the CBFT and on the EBFT, against nodes.

use std::fmt::Write;

use super::print;
use super::study::{Study, TreeKind};
use crate::effort::Effort;
use crate::paper::Charts;
use crosswave_base::diagnostic::Error;
use crosswave_collectives::bounds;
use crosswave_collectives::operation::{Exchange, Operation};
use crosswave_figures::plot::{Axis, Chart, PlotPoint, Series};

/// Levels of the largest tree for which schedules are made, quickly and with everything.
const LEVELS: [u32; 2] = [8, 12];
/// Levels of the largest tree for which formulas are drawn.
const FORMULA_LEVELS: u32 = 12;

/// The results drawn for one size of one tree.
struct Row {
    levels: u32,
    kind: TreeKind,
    /// Steps by way: serial, pipelined, and in the fewest steps; `None` where no schedule is
    /// made.
    made: [Option<u64>; 3],
}

impl Row {
    fn nodes(&self) -> u64 {
        1 << self.levels
    }

    /// The steps of each way by the formulas.
    fn formulas(&self) -> [u64; 3] {
        let tree = self.kind.tree(self.levels);
        [
            bounds::total_exchange_serial(&tree),
            bounds::total_exchange_pipelined(&tree),
            least(self.kind, self.levels),
        ]
    }

    /// The bounds of the paper: table 1, and for the EBFT lemma 3.
    fn printed_bounds(&self) -> (u64, Option<f64>) {
        let tree = self.kind.tree(self.levels);
        let root = u64::from(tree.capacity(self.levels));
        let lemma = match self.kind {
            TreeKind::Constant => None,
            TreeKind::Exponential => Some(print::lemma_3(self.nodes(), self.levels.into())),
        };
        (print::table_1(self.nodes(), root), lemma)
    }
}

/// The fewest steps.
fn least(kind: TreeKind, levels: u32) -> u64 {
    match kind {
        TreeKind::Constant => bounds::total_exchange_cbft_optimum(levels),
        TreeKind::Exponential => bounds::total_exchange_ebft_optimum(levels),
    }
}

/// The ways that are drawn, serial, pipelined and in the fewest steps.
fn ways(kind: TreeKind, levels: u32) -> [Exchange; 3] {
    let fewest = match (kind, levels) {
        (TreeKind::Constant, _) => Exchange::Quartered,
        // Pipelined phases are the optimum there.
        (TreeKind::Exponential, 1 | 2) => Exchange::Pipelined,
        (TreeKind::Exponential, _) => Exchange::Interleaved,
    };
    [Exchange::Serial, Exchange::Pipelined, fewest]
}

/// The figure and its numbers.
///
/// # Errors
/// When someone asks to stop.
pub fn draw(study: &mut Study<'_>) -> Result<Charts, Error> {
    let simulated = match study.effort() {
        Effort::Formulas => 0,
        Effort::Quick => LEVELS[0],
        Effort::All => LEVELS[1],
    };
    let mut rows = Vec::new();
    for kind in [TreeKind::Constant, TreeKind::Exponential] {
        for levels in 1..=FORMULA_LEVELS {
            let mut made = [None; 3];
            for (steps, way) in made.iter_mut().zip(ways(kind, levels)) {
                if levels <= simulated {
                    let operation = Operation::TotalExchange(way);
                    *steps = study.operation_steps(kind, levels, operation)?.ok();
                }
            }
            rows.push(Row { levels, kind, made });
        }
    }
    let of = |kind: TreeKind| {
        rows.iter()
            .filter(move |row| row.kind == kind)
            .collect::<Vec<_>>()
    };
    Ok(Charts {
        charts: vec![
            cbft(&of(TreeKind::Constant)),
            ebft(&of(TreeKind::Exponential)),
        ],
        csv: csv(&rows),
    })
}

fn csv(rows: &[Row]) -> String {
    let mut csv = String::from(
        "tree,nodes,equation_1,serial,equation_2,pipelined,least,in_fewest,table_1,lemma_3\n",
    );
    let or_none = |steps: Option<u64>| steps.map_or_else(String::new, |steps| steps.to_string());
    for row in rows {
        let [serial, pipelined, least] = row.formulas();
        let [made_serial, made_pipelined, made_least] = row.made.map(or_none);
        let (table_1, lemma) = row.printed_bounds();
        let lemma = lemma.map_or_else(String::new, |lemma| format!("{lemma:.1}"));
        let _ = writeln!(
            csv,
            "{},{},{serial},{made_serial},{pipelined},{made_pipelined},{least},{made_least},{table_1},{lemma}",
            row.kind.name(),
            row.nodes(),
        );
    }
    csv
}

/// One way: its formula as a curve, its schedules as points.
fn series(name: &str, rows: &[&Row], way: usize, scaled: impl Fn(&Row, u64) -> f64) -> Series {
    let place = |row: &Row, steps: u64| (row.nodes() as f64, scaled(row, steps));
    Series {
        name: name.into(),
        curve: rows
            .iter()
            .map(|row| place(row, row.formulas()[way]))
            .collect(),
        points: rows
            .iter()
            .filter_map(|row| {
                let (x, y) = place(row, row.made[way]?);
                Some(PlotPoint::with_error(x, y, 0.0))
            })
            .collect(),
    }
}

/// Room is left for the last mark.
fn axis() -> Axis {
    Axis::powers_of_two("nodes n", 2.0, 1.3 * f64::from(1u32 << FORMULA_LEVELS))
}

fn cbft(rows: &[&Row]) -> Chart {
    // The messages that cross the root one by one take that many.
    let scaled = |row: &Row, steps: u64| steps as f64 / (row.nodes().pow(2) as f64 / 4.0);
    let ways = [(0, "serial phases"), (1, "pipelined phases"), (2, "fewest")];
    Chart {
        title: "Total exchange on the CBFT: formulas, and schedules (points)".into(),
        x: axis(),
        y: Axis::linear("steps / (n² / 4)", 0.0, 2.5),
        series: ways
            .map(|(way, name)| series(name, rows, way, scaled))
            .into(),
        marks: Vec::new(),
        hollow_name: "",
    }
}

fn ebft(rows: &[&Row]) -> Chart {
    let scaled = |row: &Row, steps: u64| steps as f64 - row.nodes() as f64;
    let ways = [(1, "pipelined phases, conjectured least"), (2, "fewest")];
    let mut all: Vec<Series> = ways
        .map(|(way, name)| series(name, rows, way, scaled))
        .into();
    let lemma = rows.iter().filter_map(|row| {
        let (_, lemma) = row.printed_bounds();
        Some((row.nodes() as f64, lemma? - row.nodes() as f64))
    });
    all.push(Series {
        name: "lemma 3".into(),
        curve: lemma.collect(),
        points: Vec::new(),
    });
    Chart {
        title: "Total exchange on the EBFT: formulas, and schedules (points)".into(),
        x: axis(),
        y: Axis::linear("steps − n", 0.0, 24.0),
        series: all,
        marks: Vec::new(),
        hollow_name: "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_observe::points::Store;

    #[test]
    fn schedules_take_what_the_formulas_say() {
        let (mut store, mut watch) = (Store::in_memory(), ());
        let mut study = Study::new(Effort::Quick, &mut store, &mut watch);
        let drawn = draw(&mut study).expect("nobody stops it");
        let mut lines = drawn.csv.lines();
        assert_eq!(lines.clone().count(), 1 + 2 * 12);
        assert!(lines.any(|line| line == "EBFT,64,99,99,74,74,73,73,65,68.8"));
        for chart in drawn.charts {
            for series in chart.series {
                let points: Vec<(f64, f64)> = series.points.iter().map(|p| (p.x, p.y)).collect();
                assert_eq!(points, series.curve[..points.len()], "{}", series.name);
            }
        }
    }
}
