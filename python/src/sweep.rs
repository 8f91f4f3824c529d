//! Sweeps: a configuration with keys of it varied over a grid.

use std::path::PathBuf;
use std::str::FromStr;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_figures::columns::Column;
use crosswave_network::traffic::TrafficConfig;
use crosswave_observe::points::enough::Enough;
use crosswave_observe::points::runner::IdleProcessors;
use crosswave_observe::points::watch::Watch;
use crosswave_observe::points::{Store, beside};
use crosswave_observe::sweep::grid::{self, POINTS_MAX, SweepPoint};
use crosswave_observe::sweep::measures::Measured;
use crosswave_observe::sweep::values::Vary;
use crosswave_observe::sweep::{self, StopRule, table};
use crosswave_papers::fingerprint;
use crosswave_run::config::REPLICATES_MAX;
use pyo3::prelude::*;
use pyo3::types::{PyMapping, PyString};
use serde::{Deserialize, Serialize};

use crate::configuration::{Configuration, is_bytes, of_argument, toml_value};
use crate::errors::{exception, wrong_argument};
use crate::run::check_memory;
use crate::table::Table;
use crate::watched::{Control, watched};

/// A sweep, as it is asked for.
#[pyclass(frozen, module = "crosswave._crosswave")]
pub(crate) struct Sweep {
    configuration: Configuration,
    varied: Vec<Vary>,
    measures: Vec<String>,
    replicates: (usize, usize),
    half_width_fraction: f64,
    folder: Option<PathBuf>,
}

/// The keys and their values: a dict of lists, or of texts as `--vary` takes them, such as `0.1..0.9:0.1`.
fn varied(vary: &Bound<'_, PyMapping>) -> PyResult<Vec<Vary>> {
    let mut varied = Vec::new();
    for item in vary.items()?.iter() {
        let (key, values): (String, Bound<'_, PyAny>) = item.extract()?;
        let values = match values.cast::<PyString>() {
            Ok(range) => range.to_string(),
            Err(_) => {
                let refused = || {
                    let found = format!("found {values}");
                    wrong_argument(&key, found, "give a list of values, or a range as text")
                };
                if is_bytes(&values) {
                    return Err(refused());
                }
                let values = values.try_iter().map_err(|_| refused())?;
                let values = values.map(|value| Ok(toml_value(&key, &value?)?.to_string()));
                values.collect::<PyResult<Vec<String>>>()?.join(",")
            }
        };
        let read = Vary::from_str(&format!("{key}={values}"));
        varied.push(read.map_err(|message| {
            wrong_argument(&key, message, "give other values, or vary another key")
        })?);
    }
    Ok(varied)
}

impl Sweep {
    fn wanted(&self) -> StopRule {
        StopRule {
            measures: self.measures.clone(),
            replicates: Enough {
                least: self.replicates.0,
                most: self.replicates.1,
                step: 1,
            },
            half_width_fraction: self.half_width_fraction,
        }
    }

    fn store(&self) -> Result<Store, Error> {
        match &self.folder {
            Some(folder) => Store::in_folder(&folder.join("points"), env!("CARGO_PKG_VERSION")),
            None => Ok(Store::in_memory()),
        }
    }

    fn points_count(&self) -> Result<usize, Error> {
        grid::count(&self.varied).ok_or_else(|| {
            let found = format!("there are more than {POINTS_MAX} points");
            let diagnostic =
                Diagnostic::new("vary", found, "vary fewer keys, or take longer steps");
            Error::one(Class::Usage, "arguments", diagnostic)
        })
    }

    fn point(&self, index: usize) -> Result<SweepPoint, Error> {
        let values = grid::values(&self.varied, index);
        let settings = self.varied.iter().zip(&values);
        let settings: Vec<String> = settings.map(|(vary, &at)| vary.setting(at)).collect();
        let config = self.configuration.checked_with(&settings)?;
        Ok(SweepPoint {
            index,
            settings,
            values,
            program: fingerprint::of_runs(&config),
            config,
        })
    }

    fn points(&self) -> Result<Vec<SweepPoint>, Error> {
        let points = (0..self.points_count()?).map(|index| {
            let point = self.point(index)?;
            check_memory(&point.config, &point.title())?;
            Ok(point)
        });
        points.collect()
    }

    fn columns(&self, rows: Vec<(&SweepPoint, Measured)>) -> Vec<Column> {
        table::Table::new(&self.varied, rows)
            .led_by(&self.measures)
            .columns()
    }

    /// Runs all points on all processors.
    fn run_points(&self, mut control: &Control) -> Result<Vec<Column>, Error> {
        let (points, wanted, store) = (self.points()?, self.wanted(), self.store()?);
        let rows = beside::each(&points, &mut control, |point, idle, watch| {
            sweep::run(point, &wanted, &store, idle, watch)
        })?;
        Ok(self.columns(points.iter().zip(rows).collect()))
    }

    /// Runs one point; its results as a text that [`Sweep::columns_of`] takes.
    fn measure_point(&self, index: usize, control: &Control) -> Result<String, Error> {
        let point = self.point(index)?;
        let watch: &mut dyn Watch = &mut { control };
        let measured = sweep::run(
            &point,
            &self.wanted(),
            &self.store()?,
            &IdleProcessors::default(),
            watch,
        )?;
        let result = PointResult { index, measured };
        Ok(serde_json::to_string(&result).expect("it is made of numbers and names"))
    }

    /// The table of all points, of which results are given as texts.
    fn columns_of(&self, results: &[String]) -> Result<Vec<Column>, Error> {
        let points = self.points()?;
        let refused = |found: String| {
            let help =
                "map has to give a result for each point, in their order, as Python's map does";
            let diagnostic = Diagnostic::new("map", found, help);
            Error::one(Class::Usage, "arguments", diagnostic)
        };
        if results.len() != points.len() {
            let found = format!(
                "found {} results for {} points",
                results.len(),
                points.len()
            );
            return Err(refused(found));
        }
        let mut rows = Vec::new();
        for (point, text) in points.iter().zip(results) {
            let result: PointResult = serde_json::from_str(text)
                .map_err(|error| refused(format!("found a result that is none: {error}")))?;
            if result.index != point.index {
                let found = format!("found the result of point {}", result.index + 1);
                return Err(refused(format!("{found} in place {}", point.index + 1)));
            }
            rows.push((point, result.measured));
        }
        Ok(self.columns(rows))
    }
}

/// The result of a point, as a worker hands it back.
#[derive(Serialize, Deserialize)]
struct PointResult {
    /// The place of the point in the grid.
    index: usize,
    measured: Measured,
}

#[pymethods]
impl Sweep {
    #[new]
    fn new(
        configuration: &Bound<'_, PyAny>,
        vary: &Bound<'_, PyMapping>,
        measures: Option<Vec<String>>,
        replicates: (usize, usize),
        half_width: f64,
        folder: Option<PathBuf>,
    ) -> PyResult<Sweep> {
        let (least, most) = replicates;
        if !(1..=most).contains(&least) || most > REPLICATES_MAX as usize {
            let found = format!("found ({least}, {most})");
            let help =
                format!("give the least and the greatest number, from 1 to {REPLICATES_MAX}");
            return Err(wrong_argument("replicates", found, help));
        }
        if !(0.0..=1.0).contains(&half_width) {
            let found = format!("found {half_width}");
            return Err(wrong_argument(
                "half_width",
                found,
                "give a number from 0 to 1",
            ));
        }
        let configuration = of_argument(configuration)?;
        let mut sweep = Sweep {
            configuration,
            varied: varied(vary)?,
            measures: Vec::new(),
            replicates,
            half_width_fraction: half_width,
            folder,
        };
        sweep.measures = match measures {
            Some(measures) => measures,
            None => {
                let points = sweep.points().map_err(exception)?;
                let is_steady =
                    |point: &SweepPoint| matches!(point.config.traffic, TrafficConfig::Steady(_));
                let names: &[&str] = match points.iter().all(is_steady) {
                    true => &["steady.throughput_fraction", "steady.latency_cycles.mean"],
                    false => &["latency_cycles.mean"],
                };
                names.iter().map(|&name| name.to_owned()).collect()
            }
        };
        Ok(sweep)
    }

    /// The measures whose means are to be sure.
    #[getter]
    fn measures(&self) -> Vec<String> {
        self.measures.clone()
    }

    /// The number of points, all of which are checked.
    fn count(&self, py: Python<'_>) -> PyResult<usize> {
        let points = py.detach(|| self.points());
        Ok(points.map_err(exception)?.len())
    }

    /// Runs all points in this process; their table.
    fn run(&self, py: Python<'_>, progress: Option<&Bound<'_, PyAny>>) -> PyResult<Table> {
        let columns = watched(py, progress, |control| self.run_points(control))?;
        Table::new(columns.map_err(exception)?)
    }

    /// Runs a point; its results as a text.
    fn run_point(&self, py: Python<'_>, index: usize) -> PyResult<String> {
        let text = watched(py, None, |control| self.measure_point(index, control))?;
        text.map_err(exception)
    }

    /// The table of all points, whose results are given as texts.
    fn table(&self, py: Python<'_>, results: Vec<String>) -> PyResult<Table> {
        let columns = py.detach(|| self.columns_of(&results));
        Table::new(columns.map_err(exception)?)
    }
}
