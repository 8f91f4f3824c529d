//! Waveforms, by signal.

use std::path::PathBuf;

use crosswave_base::diagnostic::Error;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_wave::overview;
use crosswave_wave::waveform::SignalKind;
use crosswave_wave::{Bit, CycleWindow, DrawOptions, Radix, WaveValue, open, rows, select, svg};
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;

use crate::errors::{exception, wrong_argument};
use crate::svg::Svg;

/// Lines of a drawing for which no signals are named.
const LINES: usize = 20;

/// Cycles of a drawing for which no window is given.
const CYCLES: u64 = 48;

/// A waveform file of any tool: VCD, also compressed with gzip, or FST.
///
/// `scopes` are patterns on dotted paths, as `**.router_0_*`; only signals that match one are read.
/// `window` are the first and the last cycle that are read, and `period` the units of time of a cycle.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Waveform {
    wave: crosswave_wave::Waveform,
    kept: Vec<usize>,
    period: u64,
    phase: u64,
}

fn window_of(window: Option<(u64, u64)>) -> PyResult<CycleWindow> {
    match window {
        None => Ok(CycleWindow::ALL),
        Some((first, last)) if first <= last => Ok(CycleWindow { first, last }),
        Some((first, last)) => {
            let found = format!("found ({first}, {last})");
            Err(wrong_argument(
                "window",
                found,
                "give the first and the last cycle",
            ))
        }
    }
}

impl Waveform {
    fn read(
        path: &std::path::Path,
        scopes: &[String],
        window: CycleWindow,
        period: u64,
    ) -> Result<Waveform, Error> {
        let mut source = open(path)?;
        let kept = select("scopes", source.declared(), scopes)?;
        let phase = source.phase(&kept, period)?.unwrap_or(0);
        let options = DrawOptions {
            window,
            period,
            phase,
            ..DrawOptions::default()
        };
        let wave = match (window, scopes.is_empty()) {
            (CycleWindow::ALL, true) => open(path)?.all()?,
            (CycleWindow::ALL, false) => open(path)?.some(&kept, (0, u64::MAX))?,
            _ => open(path)?.some(&kept, options.times())?,
        };
        let kept = kept.iter().enumerate().filter(|(_, kept)| **kept);
        Ok(Waveform {
            kept: kept.map(|(signal, _)| signal).collect(),
            wave,
            period,
            phase,
        })
    }

    fn find(&self, path: &str) -> PyResult<usize> {
        let found = self
            .wave
            .find(path)
            .filter(|signal| self.kept.contains(signal));
        found.ok_or_else(|| {
            PyKeyError::new_err(format!(
                "found {path}; `paths` lists the signals that were read"
            ))
        })
    }

    fn mask(&self, signals: impl Iterator<Item = usize>) -> Vec<bool> {
        let mut mask = vec![false; self.wave.signals.len()];
        signals.for_each(|signal| mask[signal] = true);
        mask
    }
}

#[pymethods]
impl Waveform {
    #[new]
    #[pyo3(signature = (path, *, scopes=Vec::new(), window=None, period=CYCLE_TIME))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        scopes: Vec<String>,
        window: Option<(u64, u64)>,
        period: u64,
    ) -> PyResult<Waveform> {
        if period == 0 {
            let help = "give the units of time of a cycle";
            return Err(wrong_argument("period", "found 0", help));
        }
        let window = window_of(window)?;
        let read = py.detach(|| Waveform::read(&path, &scopes, window, period));
        read.map_err(exception)
    }

    /// The dotted paths of the signals.
    #[getter]
    fn paths(&self) -> Vec<String> {
        self.kept
            .iter()
            .map(|&signal| self.wave.path(signal))
            .collect()
    }

    /// The unit of times, such as `1 ns`; None where the file does not say.
    #[getter]
    fn timescale(&self) -> Option<String> {
        self.wave.timescale.map(|unit| unit.to_string())
    }

    /// The number of cycles.
    #[getter]
    fn cycles(&self) -> u64 {
        self.wave.cycles(self.period, self.phase)
    }

    fn __len__(&self) -> usize {
        self.kept.len()
    }

    fn __contains__(&self, path: &str) -> bool {
        self.find(path).is_ok()
    }

    /// The signal of a path.
    fn __getitem__(slf: &Bound<'_, Self>, path: &str) -> PyResult<Signal> {
        let signal = slf.get().find(path)?;
        Ok(Signal {
            waveform: slf.clone().unbind(),
            signal,
        })
    }

    /// A timing diagram of some signals in some cycles, both included; without `scopes` of those that
    /// change, as many as fit.
    #[pyo3(signature = (*, scopes=Vec::new(), window=None, title=""))]
    fn draw(&self, scopes: Vec<String>, window: Option<(u64, u64)>, title: &str) -> PyResult<Svg> {
        let read = self.mask(self.kept.iter().copied());
        let asked = select("scopes", &self.wave, &scopes).map_err(exception)?;
        let kept: Vec<bool> = read
            .iter()
            .zip(&asked)
            .map(|(&read, &asked)| read && asked)
            .collect();
        let mut options = DrawOptions {
            period: self.period,
            phase: self.phase,
            radix: Radix::Natural,
            title: title.to_owned(),
            ..DrawOptions::default()
        };
        options.window = match window {
            Some(_) => window_of(window)?,
            None => {
                let first = overview::FirstCycles::new(&self.wave, &kept, &options).begin();
                let last = first.saturating_add(CYCLES - 1);
                CycleWindow { first, last }
            }
        };
        let rows = match scopes.is_empty() {
            true => overview::choose(&self.wave, &kept, options.window, LINES, &options).rows,
            false => rows(&self.wave, &kept),
        };
        Ok(Svg::new(svg::draw(&self.wave, &rows, &options)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<crosswave.Waveform of {} signals in {} cycles>",
            self.kept.len(),
            self.wave.cycles(self.period, self.phase)
        )
    }
}

/// A signal of a waveform.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Signal {
    waveform: Py<Waveform>,
    signal: usize,
}

/// The values of a signal as a numpy array, by the kind of the signal.
fn array<'py>(
    py: Python<'py>,
    (kind, width): (SignalKind, u32),
    values: &[Option<WaveValue>],
) -> PyResult<Bound<'py, PyAny>> {
    match kind {
        SignalKind::Real => {
            let numbers = values.iter().map(|value| match value {
                Some(WaveValue::Real(number)) => *number,
                _ => f64::NAN,
            });
            Ok(PyArray1::from_iter(py, numbers).into_any())
        }
        SignalKind::Event => {
            let fired = values
                .iter()
                .map(|value| matches!(value, Some(WaveValue::Fired)));
            Ok(PyArray1::from_iter(py, fired).into_any())
        }
        SignalKind::Bits if width <= u64::BITS => {
            let words = values
                .iter()
                .map(|value| value.as_ref().map_or(0, known_bits));
            Ok(PyArray1::from_iter(py, words).into_any())
        }
        SignalKind::Bits | SignalKind::Text => {
            let array = py
                .import("numpy")?
                .call_method1("empty", (values.len(), "O"))?;
            let integer = py.import("builtins")?.getattr("int")?;
            for (at, value) in values.iter().enumerate() {
                match value {
                    Some(WaveValue::Text(text)) => array.set_item(at, &**text)?,
                    Some(value) if kind == SignalKind::Bits => {
                        let binary = value.binary(width).unwrap_or_default();
                        let binary = binary.replace(|bit| !"01".contains(bit), "0");
                        array.set_item(at, integer.call1((binary, 2))?)?;
                    }
                    _ => array.set_item(at, py.None())?,
                }
            }
            Ok(array)
        }
    }
}

/// The bits of a value that are 1; those that are X or Z are 0 here.
fn known_bits(value: &WaveValue) -> u64 {
    match value {
        WaveValue::Known(word) => *word,
        WaveValue::Bits(_) => (0..u64::BITS)
            .filter(|&bit| value.bit(bit) == Some(Bit::One))
            .fold(0, |word, bit| word | 1 << bit),
        _ => 0,
    }
}

/// True for a value without a bit that is X or Z.
fn is_known(value: &Option<WaveValue>) -> bool {
    match value {
        None => false,
        Some(WaveValue::Bits(bits)) => bits.iter().all(|bit| matches!(bit, Bit::Zero | Bit::One)),
        Some(_) => true,
    }
}

impl Signal {
    /// The kind and the width, and values of it.
    fn described(&self) -> (&crosswave_wave::Waveform, SignalKind, u32) {
        let wave = &self.waveform.get().wave;
        let signal = &wave.signals[self.signal];
        (wave, signal.kind, signal.width)
    }

    fn changed(&self) -> Vec<Option<WaveValue>> {
        let (wave, ..) = self.described();
        wave.changes(self.signal)
            .iter()
            .map(|change| Some(change.value))
            .collect()
    }

    /// The value at the end of each cycle.
    fn by_cycle(&self) -> Vec<Option<WaveValue>> {
        let (wave, ..) = self.described();
        let waveform = self.waveform.get();
        let changes = wave.changes(self.signal);
        let (mut values, mut until) = (Vec::new(), 0);
        let mut value = None;
        for cycle in 0..waveform.cycles() {
            let end = waveform.phase + (cycle + 1) * waveform.period;
            while until < changes.len() && changes.time(until) < end {
                value = Some(changes.value(until));
                until += 1;
            }
            values.push(value.clone());
        }
        values
    }
}

#[pymethods]
impl Signal {
    /// The dotted path.
    #[getter]
    fn path(&self) -> String {
        self.described().0.path(self.signal)
    }

    /// The width in bits; 0 of what has no bits.
    #[getter]
    fn width(&self) -> u32 {
        match self.described() {
            (_, SignalKind::Bits, width) => width,
            _ => 0,
        }
    }

    /// The times of its changes, in units of the timescale.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        let (wave, ..) = self.described();
        PyArray1::from_iter(py, wave.changes(self.signal).times())
    }

    /// Its values from these times on: `uint64` up to 64 bits, Python integers above, floats of real
    /// numbers, texts of texts. Bits that are X or Z count as 0: `known` says where there are none.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (_, kind, width) = self.described();
        array(py, (kind, width), &self.changed())
    }

    /// True for each change after which all bits are 0 or 1.
    #[getter]
    fn known<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.changed().iter().map(is_known))
    }

    /// The value at the end of each cycle, as `values`.
    fn values_by_cycle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (_, kind, width) = self.described();
        array(py, (kind, width), &self.by_cycle())
    }

    /// True for each cycle at whose end all bits are 0 or 1.
    fn known_by_cycle<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        PyArray1::from_iter(py, self.by_cycle().iter().map(is_known))
    }

    fn __len__(&self) -> usize {
        self.described().0.changes(self.signal).len()
    }

    fn __repr__(&self) -> String {
        format!(
            "<crosswave.Signal {}: {} bits, {} changes>",
            self.path(),
            self.width(),
            self.__len__()
        )
    }
}
