//! The exceptions of the package: what the `crosswave` command prints as an error and ends with as an exit
//! code, as classes.

use crosswave_base::diagnostic::{Class, Error};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

create_exception!(
    crosswave,
    CrosswaveError,
    PyException,
    "Base class of the package's exceptions. `diagnostics` is a list of the mistakes, each a dict with \
     `place`, `message` and `help`; `origin` is what they are in, and `exit_code` what the command would end \
     with."
);
create_exception!(
    crosswave,
    CheckError,
    CrosswaveError,
    "Something was found to be wrong in a run (exit code 1)."
);
create_exception!(
    crosswave,
    ConfigurationError,
    CrosswaveError,
    "A configuration or an argument is wrong (exit code 2)."
);
create_exception!(
    crosswave,
    InputError,
    CrosswaveError,
    "A design or another input file is bad (exit code 3)."
);
create_exception!(
    crosswave,
    FileError,
    CrosswaveError,
    "Reading or writing a file failed (exit code 4)."
);

/// The exception of an error.
pub(crate) fn exception(mut error: Error) -> PyErr {
    // Keys that a program sets are called what they are, not by the option of the command.
    for mistake in &mut error.diagnostics {
        let place = mistake.place.as_str();
        if let Some(key) = place.strip_prefix("--set ") {
            let key = key.split_once('=').map_or(key, |(key, _)| key);
            mistake.place = key.to_owned();
        } else if let Some(option) = place.strip_prefix("--") {
            mistake.place = option.replace('-', "_");
        }
    }
    if error.origin == "command line" {
        error.origin = "arguments".to_owned();
    }
    let text = error.to_string().trim_end().to_owned();
    let raised = match error.class {
        Class::Check => CheckError::new_err(text),
        Class::Usage => ConfigurationError::new_err(text),
        Class::Input => InputError::new_err(text),
        Class::Io | Class::Pipe => FileError::new_err(text),
    };
    Python::attach(|py| {
        let described = describe(py, &raised, &error);
        described.map_or_else(|failed| failed, |()| raised)
    })
}

fn describe(py: Python<'_>, raised: &PyErr, error: &Error) -> PyResult<()> {
    let value = raised.value(py);
    let diagnostics = PyList::empty(py);
    for mistake in &error.diagnostics {
        let entry = PyDict::new(py);
        entry.set_item("place", &mistake.place)?;
        entry.set_item("message", &mistake.message)?;
        entry.set_item("help", &mistake.help)?;
        diagnostics.append(entry)?;
    }
    value.setattr("diagnostics", diagnostics)?;
    value.setattr("origin", &error.origin)?;
    value.setattr("exit_code", error.class.exit_code())
}

/// The exception of a configuration or an argument that is wrong.
pub(crate) fn wrong_argument(
    place: impl Into<String>,
    message: impl Into<String>,
    help: impl Into<String>,
) -> PyErr {
    let diagnostic = crosswave_base::diagnostic::Diagnostic::new(place, message, help);
    exception(Error::one(Class::Usage, "arguments", diagnostic))
}

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("CrosswaveError", py.get_type::<CrosswaveError>())?;
    module.add("CheckError", py.get_type::<CheckError>())?;
    module.add("ConfigurationError", py.get_type::<ConfigurationError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("FileError", py.get_type::<FileError>())
}
