//! Pictures that a notebook shows.

use std::path::PathBuf;

use crosswave_base::file;
use pyo3::prelude::*;

use crate::errors::exception;

/// A picture, as SVG. A notebook shows it.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Svg {
    text: String,
}

impl Svg {
    pub(crate) fn new(text: String) -> Svg {
        Svg { text }
    }
}

#[pymethods]
impl Svg {
    fn _repr_svg_(&self) -> &str {
        &self.text
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<crosswave.Svg of {} bytes>", self.text.len())
    }

    /// Writes the picture to a file.
    fn save(&self, path: PathBuf) -> PyResult<()> {
        file::write(&path, |out| out.write_all(self.text.as_bytes())).map_err(exception)
    }
}
