//! Waveforms, by signal.

use std::ffi::CString;
use std::path::PathBuf;

use crosswave_base::diagnostic::Error;
use crosswave_run::recorder::CYCLE_TIME;
use crosswave_wave::overview;
use crosswave_wave::waveform::SignalKind;
use crosswave_wave::{
    Bit, Changes, CycleWindow, DrawOptions, Radix, WaveValue, open, rows, select, svg,
};
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyError, PyUserWarning};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList};

use crate::errors::{exception, wrong_argument};
use crate::svg::Svg;

/// Lines of a drawing for which no signals are named.
const LINES: usize = 20;

/// Cycles of a drawing for which no window is given.
const CYCLES: u64 = 48;

/// Cycles whose values are given at most.
const CYCLES_MAX: u64 = 1 << 27;

/// A waveform file of any tool: VCD, also compressed with gzip, or FST.
///
/// `scopes` are patterns on dotted paths, as `**.router_0_*`; only signals that match one are read.
/// `window` are the first and the last cycle that are read: values by cycle are those of these cycles.
/// `period` are the units of time of a cycle. What is irregular in the file is a warning.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Waveform {
    wave: crosswave_wave::Waveform,
    kept: Vec<usize>,
    period: u64,
    phase: u64,
    window: CycleWindow,
}

/// Texts, of which one may stand alone.
#[derive(FromPyObject)]
pub(crate) enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    pub(crate) fn into_vec(self) -> Vec<String> {
        match self {
            Texts::One(text) => vec![text],
            Texts::Many(texts) => texts,
        }
    }
}

fn window_of(window: Option<Vec<u64>>) -> PyResult<CycleWindow> {
    match window.as_deref() {
        None => Ok(CycleWindow::ALL),
        Some(&[first, last]) if first <= last => Ok(CycleWindow { first, last }),
        Some(found) => {
            let found = format!("found {found:?}");
            let help = "give the first and the last cycle, such as (0, 40)";
            Err(wrong_argument("window", found, help))
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
            window,
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

    /// The first cycle that was read, and the number of cycles from there.
    fn span(&self) -> (u64, u64) {
        let CycleWindow { first, last } = self.window;
        let end = self.wave.cycles(self.period, self.phase);
        (first, end.min(last.saturating_add(1)).saturating_sub(first))
    }

    /// The timing diagram of some signals.
    fn drawing(
        &self,
        scopes: &[String],
        window: Option<CycleWindow>,
        title: &str,
    ) -> Result<String, Error> {
        let read = self.mask(self.kept.iter().copied());
        let asked = select("scopes", &self.wave, scopes)?;
        let kept = read.iter().zip(&asked);
        let kept: Vec<bool> = kept.map(|(&read, &asked)| read && asked).collect();
        let mut options = DrawOptions {
            period: self.period,
            phase: self.phase,
            radix: Radix::Natural,
            title: title.to_owned(),
            ..DrawOptions::default()
        };
        options.window = window.unwrap_or_else(|| {
            let begin = overview::FirstCycles::new(&self.wave, &kept, &options).begin();
            let first = begin.max(self.window.first);
            let last = first.saturating_add(CYCLES - 1).min(self.window.last);
            CycleWindow { first, last }
        });
        let rows = match scopes.is_empty() {
            true => overview::choose(&self.wave, &kept, options.window, LINES, &options).rows,
            false => rows(&self.wave, &kept),
        };
        Ok(svg::draw(&self.wave, &rows, &options))
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
    #[pyo3(signature = (path, *, scopes=None, window=None, period=CYCLE_TIME))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        scopes: Option<Texts>,
        window: Option<Vec<u64>>,
        period: u64,
    ) -> PyResult<Waveform> {
        if period == 0 {
            let help = "give the units of time of a cycle";
            return Err(wrong_argument("period", "found 0", help));
        }
        let window = window_of(window)?;
        let scopes = scopes.map_or(Vec::new(), Texts::into_vec);
        let read = py.detach(|| Waveform::read(&path, &scopes, window, period));
        let read = read.map_err(exception)?;
        for warning in &read.wave.warnings {
            let text = warning.as_warning(&path.display().to_string());
            let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
            PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)?;
        }
        Ok(read)
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

    /// The first cycle that was read.
    #[getter]
    fn first_cycle(&self) -> u64 {
        self.span().0
    }

    /// The number of cycles from there to the end of the window, or of the file.
    #[getter]
    fn cycles(&self) -> u64 {
        self.span().1
    }

    fn __len__(&self) -> usize {
        self.kept.len()
    }

    fn __contains__(&self, path: &str) -> bool {
        self.find(path).is_ok()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.paths())?.try_iter()
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
    #[pyo3(signature = (*, scopes=None, window=None, title=""))]
    fn draw(
        &self,
        py: Python<'_>,
        scopes: Option<Texts>,
        window: Option<Vec<u64>>,
        title: &str,
    ) -> PyResult<Svg> {
        let scopes = scopes.map_or(Vec::new(), Texts::into_vec);
        let asked = window.map(|window| window_of(Some(window))).transpose()?;
        let drawn = py.detach(|| self.drawing(&scopes, asked, title));
        drawn.map(Svg::new).map_err(exception)
    }

    fn __repr__(&self) -> String {
        format!(
            "<crosswave.Waveform of {} signals in {} cycles>",
            self.kept.len(),
            self.span().1
        )
    }
}

/// A signal of a waveform.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Signal {
    waveform: Py<Waveform>,
    signal: usize,
}

/// Values of a signal: those after some of its changes, in order, each by its number; `None` before the
/// first one.
struct Values<'a> {
    changes: &'a Changes,
    chosen: Vec<Option<usize>>,
}

impl Values<'_> {
    fn iter(&self) -> impl ExactSizeIterator<Item = Option<WaveValue>> {
        let chosen = self.chosen.iter();
        chosen.map(|number| number.map(|number| self.changes.value(number)))
    }
}

/// The values of a signal as a numpy array, by the kind of the signal.
fn array<'py>(
    py: Python<'py>,
    (kind, width): (SignalKind, u32),
    values: &Values<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    match kind {
        SignalKind::Real => {
            let numbers = values.iter().map(|value| match value {
                Some(WaveValue::Real(number)) => number,
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
                .call_method1("empty", (values.chosen.len(), "O"))?;
            let integer = py.import("builtins")?.getattr("int")?;
            for (at, value) in values.iter().enumerate() {
                match value {
                    Some(WaveValue::Text(text)) => array.set_item(at, &*text)?,
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
fn is_known(value: Option<WaveValue>) -> bool {
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

    fn changed(&self) -> Values<'_> {
        let changes = self.described().0.changes(self.signal);
        Values {
            changes,
            chosen: (0..changes.len()).map(Some).collect(),
        }
    }

    /// The value at the end of each cycle.
    fn by_cycle(&self) -> PyResult<Values<'_>> {
        let waveform = self.waveform.get();
        let changes = self.described().0.changes(self.signal);
        let (first, count) = waveform.span();
        if count > CYCLES_MAX {
            let found = format!("found {count} cycles; at most {CYCLES_MAX} are given");
            let help = "read a window, or give the units of time of a cycle as period";
            return Err(wrong_argument("cycles", found, help));
        }
        let (mut chosen, mut until) = (Vec::new(), 0);
        for cycle in first..first.saturating_add(count) {
            let end = cycle.saturating_add(1).saturating_mul(waveform.period);
            let end = end.saturating_add(waveform.phase);
            while until < changes.len() && changes.time(until) < end {
                until += 1;
            }
            chosen.push(until.checked_sub(1));
        }
        Ok(Values { changes, chosen })
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

    /// The value at the end of each cycle that was read, as `values`.
    fn values_by_cycle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (_, kind, width) = self.described();
        array(py, (kind, width), &self.by_cycle()?)
    }

    /// True for each cycle at whose end all bits are 0 or 1.
    fn known_by_cycle<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let known = self.by_cycle()?.iter().map(is_known).collect::<Vec<bool>>();
        Ok(PyArray1::from_vec(py, known))
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
