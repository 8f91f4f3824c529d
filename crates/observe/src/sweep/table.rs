//! Results of a sweep, a row for each point.
//!
//! A row has the values of the keys, the replicates, how many of them did not deliver all
//! their messages by `run.cycles_max`, of steady traffic the verdict whether they show a steady
//! state, and for each number of a run its mean over the replicates and half of that mean's 95 %
//! interval. Where no replicate has a number, its cells are empty; where only one has, and where
//! the point is not known to be stationary, the interval is.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::grid::SweepPoint;
use super::measures::Measured;
use super::values::Vary;
use crosswave_base::escape;
use crosswave_figures::columns::{Cells, Column};
use crosswave_network::traffic::TrafficConfig;
use crosswave_run::result::steady::{Stationarity, Verdict};

/// Ending of the name of a column that holds half of an interval.
pub const HALF_WIDTH: &str = "_half_width_95";

/// The columns of counts behind the keys.
pub const COUNTS: [&str; 2] = ["replicates", "replicates_unfinished"];

/// The column of verdicts behind the counts, when traffic is steady.
pub const STATIONARITY: &str = "stationarity";

/// The column of the cycles in which messages are offered, when points were lengthened.
const CYCLES: &str = "traffic.cycles";

/// Results of a sweep.
#[derive(Debug)]
pub struct Table<'a> {
    varied: &'a [Vary],
    rows: Vec<(&'a SweepPoint, Measured)>,
    /// The verdict on each row; `None` for traffic that is not steady.
    verdicts: Vec<Option<Stationarity>>,
    /// The measures of all points, in the order of their first appearance.
    measures: Vec<String>,
    has_cycles: bool,
}

/// A number of a point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Mean {
    /// Mean over the replicates.
    pub mean: f64,
    /// Half of its 95 % interval; `None` with one replicate, and of a point that is not known to be
    /// stationary.
    pub half_width_95: Option<f64>,
}

impl<'a> Table<'a> {
    /// The table of points in the order of the grid.
    pub fn new(varied: &'a [Vary], rows: Vec<(&'a SweepPoint, Measured)>) -> Table<'a> {
        let mut measures: Vec<String> = Vec::new();
        for (_, measured) in &rows {
            // A measure that only later points have goes after the one that it follows there.
            let mut behind = 0;
            for name in measured.names() {
                behind = match measures.iter().position(|known| known == name) {
                    Some(at) => at + 1,
                    None => {
                        measures.insert(behind, name.clone());
                        behind + 1
                    }
                };
            }
        }
        let verdict = |(point, measured): &(&SweepPoint, Measured)| {
            measured.stationarity(&point.config, measured.len())
        };
        Table {
            varied,
            verdicts: rows.iter().map(verdict).collect(),
            rows,
            measures,
            has_cycles: false,
        }
    }

    /// The same with some measures before all others.
    pub fn led_by(mut self, first: &[String]) -> Table<'a> {
        let place = |name: &String| first.iter().position(|one| one == name);
        self.measures
            .sort_by_key(|name| place(name).unwrap_or(first.len()));
        self
    }

    /// The same with the cycles of each point, as those of lengthened ones differ.
    pub fn with_cycles(mut self) -> Table<'a> {
        self.has_cycles = true;
        self
    }

    /// The verdict on a row; `None` for traffic that is not steady.
    pub fn verdict(&self, row: usize) -> Option<&Stationarity> {
        self.verdicts[row].as_ref()
    }

    /// True when a row is not known to be stationary, so that its means are not those of longer
    /// runs.
    pub fn is_unsteady(&self, row: usize) -> bool {
        let verdict = self.verdict(row);
        verdict.is_some_and(|found| found.verdict != Verdict::Stationary)
    }

    /// True when a row has steady traffic.
    fn has_verdicts(&self) -> bool {
        self.rows
            .iter()
            .any(|(point, _)| matches!(point.config.traffic, TrafficConfig::Steady(_)))
    }

    /// Cycles in which messages are offered at a row, where those of lengthened points are told.
    pub fn cycles_of(&self, row: usize) -> Option<u64> {
        Table::cycles(self.rows[row].0).filter(|_| self.has_cycles)
    }

    /// Cycles in which messages are offered at a point.
    fn cycles(point: &SweepPoint) -> Option<u64> {
        match &point.config.traffic {
            TrafficConfig::Steady(traffic) => Some(traffic.cycles),
            TrafficConfig::Pattern(_) | TrafficConfig::Trace(_) => None,
        }
    }

    /// The keys.
    pub fn varied(&self) -> &'a [Vary] {
        self.varied
    }

    /// The points with what was measured.
    pub fn rows(&self) -> &[(&'a SweepPoint, Measured)] {
        &self.rows
    }

    /// The measures.
    pub fn measures(&self) -> &[String] {
        &self.measures
    }

    /// A measure of a row; `None` when it has none.
    pub fn mean(&self, row: usize, measure: &str) -> Option<Mean> {
        let measured = &self.rows[row].1;
        let (mean, half_width_95) = measured.mean(measure, measured.len())?;
        Some(Mean {
            mean,
            half_width_95: half_width_95.filter(|_| !self.is_unsteady(row)),
        })
    }

    /// Comma-separated values with a line of headings. Numbers are written so that reading gives
    /// the same.
    pub fn csv(&self) -> Vec<u8> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        let mut heading: Vec<String> = self.varied.iter().map(|vary| vary.key.clone()).collect();
        heading.extend(self.has_cycles.then(|| CYCLES.to_owned()));
        heading.extend(COUNTS.map(String::from));
        let has_verdicts = self.has_verdicts();
        heading.extend(has_verdicts.then(|| STATIONARITY.to_owned()));
        for measure in &self.measures {
            heading.extend([measure.clone(), format!("{measure}{HALF_WIDTH}")]);
        }
        let whole = "memory takes all that is written";
        csv.write_record(&heading).expect(whole);
        for (row, (point, measured)) in self.rows.iter().enumerate() {
            let mut cells = self.shown(point);
            if self.has_cycles {
                cells.push(Table::cycles(point).map_or(String::new(), |n| n.to_string()));
            }
            cells.extend([measured.len(), measured.unfinished()].map(|count| count.to_string()));
            if has_verdicts {
                let verdict = self.verdict(row).map_or("", |found| found.verdict.name());
                cells.push(verdict.to_owned());
            }
            for measure in &self.measures {
                let mean = self.mean(row, measure);
                let half = mean.and_then(|mean| mean.half_width_95);
                let text = |number: Option<f64>| number.map_or(String::new(), |n| n.to_string());
                cells.extend([text(mean.map(|mean| mean.mean)), text(half)]);
            }
            csv.write_record(&cells).expect(whole);
        }
        csv.into_inner().expect(whole)
    }

    /// The values of the keys at a point, as cells.
    fn shown(&self, point: &SweepPoint) -> Vec<String> {
        let values = self.varied.iter().zip(&point.values);
        values
            .map(|(vary, &value)| escape::csv_cell(vary.shown(value)).into_owned())
            .collect()
    }

    /// The same by columns: counts of replicates as counts, keys whose values are numbers and
    /// measures as numbers, other keys as texts.
    pub fn columns(&self) -> Vec<Column> {
        let mut columns: Vec<Column> = Vec::new();
        for (key, vary) in self.varied.iter().enumerate() {
            let values = self.rows.iter().map(|(point, _)| point.values[key]);
            let cells = match (vary.is_whole(), vary.is_numeric()) {
                (true, _) => Cells::Counts(values.map(|value| vary.whole(value)).collect()),
                (_, true) => Cells::Numbers(values.map(|value| vary.number(value)).collect()),
                _ => {
                    let shown = values.map(|value| Some(vary.shown(value).to_owned()));
                    Cells::Texts(shown.collect())
                }
            };
            columns.push(Column::new(&vary.key, cells));
        }
        if self.has_cycles {
            let cycles = self.rows.iter().map(|(point, _)| Table::cycles(point));
            columns.push(Column::new(CYCLES, Cells::Counts(cycles.collect())));
        }
        let of: [fn(&Measured) -> usize; 2] = [Measured::len, Measured::unfinished];
        for (name, of) in COUNTS.into_iter().zip(of) {
            let counts = self
                .rows
                .iter()
                .map(|(_, measured)| Some(of(measured) as u64));
            columns.push(Column::new(name, Cells::Counts(counts.collect())));
        }
        if self.has_verdicts() {
            let verdicts = self.verdicts.iter();
            let names = verdicts.map(|found| Some(found.as_ref()?.verdict.name().to_owned()));
            columns.push(Column::new(STATIONARITY, Cells::Texts(names.collect())));
        }
        for measure in &self.measures {
            let means: Vec<Option<Mean>> = (0..self.rows.len())
                .map(|row| self.mean(row, measure))
                .collect();
            let mean = means.iter().map(|mean| mean.map(|mean| mean.mean));
            let half = means
                .iter()
                .map(|mean| mean.and_then(|mean| mean.half_width_95));
            columns.push(Column::new(measure, Cells::Numbers(mean.collect())));
            let name = format!("{measure}{HALF_WIDTH}");
            columns.push(Column::new(name, Cells::Numbers(half.collect())));
        }
        columns
    }

    /// The same as JSON: a list of points.
    pub fn json(&self) -> Value {
        let points = self.rows.iter().enumerate();
        let points = points.map(|(row, (point, measured))| {
            let values = self.varied.iter().zip(&point.values);
            let values = values.map(|(vary, &value)| {
                let shown = match vary.number(value) {
                    Some(number) => json!(number),
                    None => json!(vary.shown(value)),
                };
                (vary.key.clone(), shown)
            });
            let measures = self.measures.iter().filter_map(|measure| {
                let mean = serde_json::to_value(self.mean(row, measure)?).expect("two numbers");
                Some((measure.clone(), mean))
            });
            let mut json = json!({
                "values": values.collect::<Map<_, _>>(),
                "replicates": measured.len(),
                "replicates_unfinished": measured.unfinished(),
            });
            if self.has_cycles {
                json[CYCLES] = json!(Table::cycles(point));
            }
            if let Some(found) = self.verdict(row) {
                json[STATIONARITY] = json!(found);
            }
            json["measures"] = measures.collect::<Map<_, _>>().into();
            json
        });
        points.collect()
    }
}
