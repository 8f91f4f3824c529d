//! Tables, which data frames take without a copy by the Arrow C data interface.

use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
};
use arrow_schema::{DataType, Field, Metadata, Schema};
use crosswave_figures::columns::{Cells, Column};
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyIterator, PyList};

/// Rows that are shown of a table.
const SHOWN_ROWS: usize = 10;

/// A table: columns of integers, numbers, texts and lists of these, of which cells may be empty.
///
/// It has the Arrow PyCapsule interface, so that `polars.DataFrame(table)`, `pyarrow.table(table)`,
/// `duckdb` and `pandas.DataFrame.from_arrow(table)` (pandas 3) take it without copying cells. Fields have their unit in
/// their metadata, under `unit`.
#[pyclass(frozen, module = "crosswave")]
pub(crate) struct Table {
    batch: RecordBatch,
    units: Vec<Option<&'static str>>,
}

/// The count as what Arrow and Parquet call a 64-bit integer; counts are below 2^63.
fn integer(count: u64) -> i64 {
    i64::try_from(count).expect("a count below 2^63")
}

/// Lists as an array, each made of its cells by `append`.
fn lists<T, B: ArrayBuilder>(
    lists: Vec<Vec<Option<T>>>,
    builder: B,
    data_type: DataType,
    mut append: impl FnMut(&mut B, Option<T>),
) -> ArrayRef {
    let element = Field::new("element", data_type, true);
    let mut list = ListBuilder::new(builder).with_field(element);
    for cells in lists {
        for cell in cells {
            append(list.values(), cell);
        }
        list.append(true);
    }
    Arc::new(list.finish())
}

/// The array of a column.
fn array(cells: Cells) -> ArrayRef {
    match cells {
        Cells::Numbers(cells) => Arc::new(Float64Array::from(cells)),
        Cells::Counts(cells) => {
            let cells = cells.into_iter().map(|cell| cell.map(integer));
            Arc::new(cells.collect::<Int64Array>())
        }
        Cells::Texts(cells) => Arc::new(StringArray::from(cells)),
        Cells::CountLists(all) => lists(
            all,
            Int64Builder::new(),
            DataType::Int64,
            |values, cell: Option<u64>| values.append_option(cell.map(integer)),
        ),
        Cells::TextLists(all) => lists(
            all,
            StringBuilder::new(),
            DataType::Utf8,
            |values, cell: Option<String>| values.append_option(cell),
        ),
    }
}

fn failed(error: impl std::fmt::Display) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

impl Table {
    /// The table of some columns of one length.
    pub(crate) fn new(columns: Vec<Column>) -> PyResult<Table> {
        let units: Vec<_> = columns.iter().map(Column::unit).collect();
        let mut fields = Vec::new();
        let mut arrays = Vec::new();
        for column in columns {
            let unit = column.unit();
            let is_list = matches!(column.cells, Cells::CountLists(_) | Cells::TextLists(_));
            let array = array(column.cells);
            let field = Field::new(column.name, array.data_type().clone(), !is_list);
            let metadata = unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
            let metadata: Metadata = metadata.into_iter().collect();
            fields.push(field.with_metadata(metadata));
            arrays.push(array);
        }
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        Ok(Table {
            batch: batch.map_err(failed)?,
            units,
        })
    }

    fn column(&self, name: &str) -> PyResult<&ArrayRef> {
        self.batch.column_by_name(name).ok_or_else(|| {
            let schema = self.batch.schema();
            let names: Vec<&str> = schema
                .fields()
                .iter()
                .map(|field| &**field.name())
                .collect();
            let known = names.join(", ");
            PyKeyError::new_err(format!("found {name}; expected one of the columns {known}"))
        })
    }

    /// The cell of a column as text, for people.
    fn shown(array: &ArrayRef, row: usize) -> String {
        if array.is_null(row) {
            return String::new();
        }
        let any = array.as_any();
        if let Some(cells) = any.downcast_ref::<Int64Array>() {
            return cells.value(row).to_string();
        }
        if let Some(cells) = any.downcast_ref::<Float64Array>() {
            return cells.value(row).to_string();
        }
        if let Some(cells) = any.downcast_ref::<StringArray>() {
            return cells.value(row).to_owned();
        }
        "[…]".to_owned()
    }
}

#[pymethods]
impl Table {
    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        let schema = self.batch.schema();
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    }

    /// The units of the columns that have one, by their names.
    #[getter]
    fn units<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let units = PyDict::new(py);
        for (name, unit) in self.column_names().into_iter().zip(&self.units) {
            if let Some(unit) = unit {
                units.set_item(name, unit)?;
            }
        }
        Ok(units)
    }

    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.batch.num_rows()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.batch.column_by_name(name).is_some()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.column_names())?.try_iter()
    }

    /// The cells of a column as a numpy array: integers where no cell is empty; floats, with NaN for empty
    /// cells, otherwise; objects of a column of texts or lists.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let array = self.column(name)?;
        let any = array.as_any();
        if let Some(cells) = any.downcast_ref::<Int64Array>() {
            if cells.null_count() == 0 {
                return Ok(PyArray1::from_slice(py, cells.values()).into_any());
            }
            let cells = cells
                .iter()
                .map(|cell| cell.map_or(f64::NAN, |cell| cell as f64));
            return Ok(PyArray1::from_iter(py, cells).into_any());
        }
        if let Some(cells) = any.downcast_ref::<Float64Array>() {
            let cells = cells.iter().map(|cell| cell.unwrap_or(f64::NAN));
            return Ok(PyArray1::from_iter(py, cells).into_any());
        }
        let list = match any.downcast_ref::<StringArray>() {
            Some(cells) => PyList::new(py, cells.iter())?,
            None => {
                let lists = any.downcast_ref::<arrow_array::ListArray>();
                let lists = lists.ok_or_else(|| failed("a column of an unknown type"))?;
                let cells: PyResult<Vec<Bound<'py, PyList>>> =
                    lists.iter().map(|cells| list(py, cells)).collect();
                PyList::new(py, cells?)?
            }
        };
        // An array of objects, not of the lists' cells.
        let numpy = py.import("numpy")?;
        let object = py.import("builtins")?.getattr("object")?;
        let array = numpy.call_method1("empty", (list.len(), object))?;
        for (at, item) in list.iter().enumerate() {
            array.set_item(at, item)?;
        }
        Ok(array)
    }

    /// The table as `pyarrow.Table`.
    fn to_arrow<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let pyarrow = slf.py().import("pyarrow")?;
        pyarrow.call_method1("table", (slf,))
    }

    /// The table as `pandas.DataFrame`, by pyarrow. Columns of integers with empty cells have the pandas
    /// type `Int64`, so that integers stay integers.
    fn to_pandas<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let pandas = py.import("pandas")?;
        let integer = py.import("pyarrow")?.call_method0("int64")?;
        let types = PyDict::new(py);
        types.set_item(integer, pandas.call_method0("Int64Dtype")?)?;
        let arguments = PyDict::new(py);
        arguments.set_item("types_mapper", types.getattr("get")?)?;
        Table::to_arrow(slf)?.call_method("to_pandas", (), Some(&arguments))
    }

    /// The table as `polars.DataFrame`.
    fn to_polars<'py>(slf: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let polars = slf.py().import("polars")?;
        polars.call_method1("DataFrame", (slf,))
    }

    /// The Arrow PyCapsule interface: the schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(failed)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The Arrow PyCapsule interface: the cells. Another schema than the table's is not made.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = [Ok(self.batch.clone())];
        let reader = RecordBatchIterator::new(batches, self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    fn __repr__(&self) -> String {
        let names = self.column_names().join(", ");
        format!(
            "<crosswave.Table of {} rows: {names}>",
            self.batch.num_rows()
        )
    }

    fn _repr_html_(&self) -> String {
        let rows = self.batch.num_rows();
        let escaped = |text: &str| {
            let text = text.replace('&', "&amp;");
            text.replace('<', "&lt;").replace('>', "&gt;")
        };
        let mut html = String::from("<table><thead><tr>");
        for name in self.column_names() {
            html += &format!("<th>{}</th>", escaped(&name));
        }
        html += "</tr></thead><tbody>";
        for row in 0..rows.min(SHOWN_ROWS) {
            html += "<tr>";
            for array in self.batch.columns() {
                html += &format!("<td>{}</td>", escaped(&Table::shown(array, row)));
            }
            html += "</tr>";
        }
        html += "</tbody></table>";
        html + &format!("<p>{rows} rows</p>")
    }
}

/// The cells of a list.
fn list<'py>(py: Python<'py>, cells: Option<ArrayRef>) -> PyResult<Bound<'py, PyList>> {
    let Some(cells) = cells else {
        return Ok(PyList::empty(py));
    };
    let any = cells.as_any();
    match (
        any.downcast_ref::<Int64Array>(),
        any.downcast_ref::<StringArray>(),
    ) {
        (Some(cells), _) => PyList::new(py, cells.iter()),
        (None, Some(cells)) => PyList::new(py, cells.iter()),
        (None, None) => Err(failed("a list of an unknown type")),
    }
}
