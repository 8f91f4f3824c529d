//! Gate netlists of any design, driven cycle by cycle.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crosswave_base::diagnostic::{Class, Error};
use crosswave_base::file::input;
use crosswave_design::run::{REPLICAS_MAX, RunPort};
use crosswave_design::{Arrays, ClockPeriod, Clocks, Options, Run, build};
use crosswave_lanes::Backend;
use crosswave_netlist::yosys;
use crosswave_wave::Bit;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyInt, PyMapping};

use crate::errors::{exception, wrong_argument};

/// A gate netlist (JSON, as the Yosys command write_json writes it) that is simulated cycle by cycle, in
/// one run or in several side by side (`lanes`).
///
/// `clock` is the name of the clock, which is found when left out; `clocks` gives several their periods
/// in cycles, and the cycles before the first period: `{"clk_a": 2, "clk_b": (3, 1)}`. With `four_state`
/// flip-flops without an initial value start unknown.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Netlist {
    state: Mutex<State>,
    inputs: Vec<RunPort>,
    outputs: Vec<RunPort>,
    lanes: usize,
}

/// Cycles of a period, or before the first one, at most.
const PERIOD_MAX: u64 = 1 << 32;

/// Time after which other threads, and signals, have their turn.
const TURN: Duration = Duration::from_millis(30);

/// A design that runs.
struct State {
    run: Run,
    cycle: u64,
    /// True when gates show the inputs of this cycle.
    is_settled: bool,
}

impl State {
    fn settle(&mut self) {
        if !self.is_settled {
            self.run.begin_cycle(self.cycle);
            self.run.settle();
            self.is_settled = true;
        }
    }

    fn step(&mut self) {
        self.settle();
        self.run.edge();
        self.cycle += 1;
        self.is_settled = false;
    }
}

fn read(path: &Path, top: Option<&str>, options: impl FnOnce() -> Options) -> Result<Run, Error> {
    let origin = path.display().to_string();
    let bytes = input::read(path, input::NETLIST)?;
    let text = input::utf8(&origin, bytes, Class::Input)?;
    let netlist = yosys::read_netlist(text.trim_start_matches('\u{feff}'), &origin)?;
    let root = netlist.root(top, &origin);
    let root = root.map_err(|found| Error::one(Class::Usage, "arguments", found))?;
    build(&netlist.design, root, &options()).map_err(|error| match error.class {
        Class::Input => Error { origin, ..error },
        _ => error,
    })
}

/// The clocks that arguments describe.
fn clocks(clock: Option<String>, clocks: Option<&Bound<'_, PyMapping>>) -> PyResult<Clocks> {
    let Some(periods) = clocks else {
        return Ok(Clocks::One(clock));
    };
    if clock.is_some() {
        let help = "give one clock by its name, or several with their periods";
        return Err(wrong_argument("clock", "found clocks too", help));
    }
    let mut all = Vec::new();
    for item in periods.items()?.iter() {
        let (name, period): (String, Bound<'_, PyAny>) = item.extract()?;
        let found: Option<(u64, u64)> = match period.extract::<u64>() {
            Ok(period) => Some((period, 0)),
            Err(_) => period.extract().ok(),
        };
        let fits = |&(period, shift): &(u64, u64)| {
            (1..=PERIOD_MAX).contains(&period) && shift <= PERIOD_MAX
        };
        let found = found.filter(fits);
        let (period, shift) = found.ok_or_else(|| {
            let help = "give the cycles of a period, from 1 to 2^32, or a pair of these and the cycles before it";
            wrong_argument(format!("clocks, {name}"), format!("found {period}"), help)
        })?;
        all.push(ClockPeriod {
            name,
            period,
            shift,
        });
    }
    Ok(Clocks::Periods(all))
}

/// The bits of an integer, least significant first.
fn bits(port: &RunPort, value: &Bound<'_, PyAny>) -> PyResult<Vec<Bit>> {
    let refused = || {
        let found = format!("found {value}");
        let bits = if port.width == 1 { "bit" } else { "bits" };
        let help = format!("give a whole number of {} {bits}, 0 or above", port.width);
        wrong_argument(format!("input {}", port.name), found, help)
    };
    let number = value.call_method0("__index__").map_err(|_| refused())?;
    let bytes = number.call_method1("to_bytes", (port.width.div_ceil(8), "little"));
    let bytes = bytes.map_err(|_| refused())?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    let bit = |at: usize| bytes[at / 8] >> (at % 8) & 1 == 1;
    if (port.width..8 * bytes.len()).any(bit) {
        return Err(refused());
    }
    let bits = (0..port.width).map(bit);
    Ok(bits
        .map(|one| if one { Bit::One } else { Bit::Zero })
        .collect())
}

/// Ports with their widths in bits.
fn widths<'py>(py: Python<'py>, ports: &[RunPort]) -> PyResult<Bound<'py, PyDict>> {
    let widths = PyDict::new(py);
    for port in ports {
        widths.set_item(&port.name, port.width)?;
    }
    Ok(widths)
}

impl Netlist {
    /// The state. Other threads go on while this one waits for it.
    fn state(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        let locked = self.state.lock_py_attached(py);
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    fn input(&self, name: &str) -> PyResult<usize> {
        let place = self.inputs.iter().position(|port| port.name == name);
        place.ok_or_else(|| unknown("input", name, &self.inputs))
    }

    fn output(&self, name: &str) -> PyResult<&RunPort> {
        let found = self.outputs.iter().find(|port| port.name == name);
        found.ok_or_else(|| unknown("output", name, &self.outputs))
    }

    fn check_lane(&self, lane: usize) -> PyResult<()> {
        match lane < self.lanes {
            true => Ok(()),
            false => {
                let found = format!("found {lane}");
                let help = format!("give a number from 0 to {}", self.lanes - 1);
                Err(wrong_argument("lane", found, help))
            }
        }
    }

    /// The value of an output; `None` where a bit of it is X.
    fn value<'py>(
        &self,
        py: Python<'py>,
        port: &RunPort,
        lane: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let mut bytes = vec![0_u8; port.width.div_ceil(8)];
        {
            let mut state = self.state(py);
            state.settle();
            for bit in 0..port.width {
                match state.run.output(port.first + bit, lane) {
                    Bit::One => bytes[bit / 8] |= 1 << (bit % 8),
                    Bit::Zero => {}
                    Bit::X | Bit::Z => return Ok(None),
                }
            }
        }
        let integer = py.get_type::<PyInt>();
        let bytes = PyBytes::new(py, &bytes);
        integer
            .call_method1("from_bytes", (bytes, "little"))
            .map(Some)
    }
}

fn unknown(kind: &str, name: &str, ports: &[RunPort]) -> PyErr {
    let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    let help = format!("there are {}", names.join(", "));
    wrong_argument(kind, format!("found {name}"), help)
}

#[pymethods]
impl Netlist {
    #[new]
    #[pyo3(signature = (path, *, top=None, clock=None, clocks=None, four_state=false, lanes=1))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        top: Option<String>,
        clock: Option<String>,
        clocks: Option<&Bound<'_, PyMapping>>,
        four_state: bool,
        lanes: usize,
    ) -> PyResult<Netlist> {
        if !(1..=REPLICAS_MAX).contains(&lanes) {
            let help = format!("give a number from 1 to {REPLICAS_MAX}");
            return Err(wrong_argument("lanes", format!("found {lanes}"), help));
        }
        let clocks = self::clocks(clock, clocks)?;
        let options = || Options {
            clocks,
            four_state,
            arrays: Arrays::Auto,
            replicas: lanes,
            backend: Backend::best(),
            is_saved: false,
        };
        let run = py
            .detach(|| read(&path, top.as_deref(), options))
            .map_err(exception)?;
        Ok(Netlist {
            inputs: run.inputs().to_vec(),
            outputs: run.outputs().to_vec(),
            lanes,
            state: Mutex::new(State {
                run,
                cycle: 0,
                is_settled: false,
            }),
        })
    }

    /// The inputs with their widths in bits. Clocks are none.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        widths(py, &self.inputs)
    }

    /// The outputs with their widths in bits.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        widths(py, &self.outputs)
    }

    /// The number of runs side by side.
    #[getter]
    fn lanes(&self) -> usize {
        self.lanes
    }

    /// The cycle that it is in, from 0.
    #[getter]
    fn cycle(&self, py: Python<'_>) -> u64 {
        self.state(py).cycle
    }

    /// Drives inputs until they are driven again: `drive(valid=1, data=0x2a)`, or a dict. A list is a
    /// value for each lane; one value is for all lanes. Inputs that were never driven are 0.
    #[pyo3(signature = (values=None, /, **named))]
    fn drive(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyMapping>>,
        named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let named = named.map(|named| named.as_mapping());
        // All values are checked before the first one counts.
        let mut driven = Vec::new();
        for values in [values, named].into_iter().flatten() {
            for item in values.items()?.iter() {
                let (name, value): (String, Bound<'_, PyAny>) = item.extract()?;
                let input = self.input(&name)?;
                let port = &self.inputs[input];
                let Ok(count) = value.len() else {
                    driven.push((input, vec![bits(port, &value)?; self.lanes]));
                    continue;
                };
                if count != self.lanes {
                    let found = format!("found {count} values for {} lanes", self.lanes);
                    let help = "give one value, or one for each lane";
                    return Err(wrong_argument(format!("input {name}"), found, help));
                }
                let of_lanes = value.try_iter()?.map(|value| bits(port, &value?));
                driven.push((input, of_lanes.collect::<PyResult<Vec<_>>>()?));
            }
        }
        let mut state = self.state(py);
        for (input, lanes) in driven {
            for (lane, bits) in lanes.iter().enumerate() {
                for (bit, &value) in bits.iter().enumerate() {
                    state.run.drive(input, bit, lane, value);
                }
            }
        }
        state.is_settled = false;
        Ok(())
    }

    /// The value of an output in this cycle, for the inputs as they are driven; None where a bit is X.
    #[pyo3(signature = (output, lane=0))]
    fn read<'py>(
        &self,
        py: Python<'py>,
        output: &str,
        lane: usize,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.check_lane(lane)?;
        self.value(py, self.output(output)?, lane)
    }

    /// The values of all outputs in this cycle, by name.
    #[pyo3(signature = (lane=0))]
    fn read_all<'py>(&self, py: Python<'py>, lane: usize) -> PyResult<Bound<'py, PyDict>> {
        self.check_lane(lane)?;
        let values = PyDict::new(py);
        for port in &self.outputs {
            values.set_item(&port.name, self.value(py, port, lane)?)?;
        }
        Ok(values)
    }

    /// Goes on by some cycles with the inputs as they are driven.
    #[pyo3(signature = (cycles=1))]
    fn step(&self, py: Python<'_>, cycles: u64) -> PyResult<()> {
        let mut left = cycles;
        while left > 0 {
            left = py.detach(|| {
                let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                let started = Instant::now();
                while left > 0 && started.elapsed() < TURN {
                    let part = left.min(16);
                    (0..part).for_each(|_| state.step());
                    left -= part;
                }
                left
            });
            py.check_signals()?;
        }
        Ok(())
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let (inputs, outputs) = (self.inputs.len(), self.outputs.len());
        let cycle = self.state(py).cycle;
        format!("<crosswave.Netlist with {inputs} inputs and {outputs} outputs in cycle {cycle}>")
    }
}
