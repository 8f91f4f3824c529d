//! Tables by columns, as Parquet files: what notebooks load without parsing text.
//!
//! A cell may be empty. Lists are lists of cells, and are never empty cells themselves. Names of
//! columns tell their units ([`Column::unit`]); files have them as metadata too, under [`UNITS`]. Nothing
//! in a file depends on the machine or the time. The program writes Parquet only when it is built with
//! the feature `parquet`.

use std::io;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// The cells of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Cells {
    /// Numbers, as 64-bit floating point.
    Numbers(Vec<Option<f64>>),
    /// Counts, as 64-bit integers.
    Counts(Vec<Option<u64>>),
    /// Texts, in UTF-8.
    Texts(Vec<Option<String>>),
    /// Lists of counts.
    CountLists(Vec<Vec<Option<u64>>>),
    /// Lists of texts.
    TextLists(Vec<Vec<Option<String>>>),
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// The values of the column.
    pub cells: Cells,
}

impl Column {
    /// A column.
    pub fn new(name: impl Into<String>, cells: Cells) -> Column {
        Column {
            name: name.into(),
            cells,
        }
    }

    /// The unit of its cells, which a part of its name ends in: cycles of `latency_cycles.mean`, fractions
    /// of `steady.throughput_fraction`. `None` for numbers of things, numbers of nodes and names.
    pub fn unit(&self) -> Option<&'static str> {
        if FROM_THE_START.contains(&self.name.as_str()) {
            return Some("cycles from the start");
        }
        let part = self.name.split('.').rev();
        part.into_iter().find_map(|part| {
            let ending = part.rsplit('_').next().unwrap_or(part);
            UNIT_ENDINGS
                .iter()
                .find_map(|&(known, unit)| (known == ending).then_some(unit))
        })
    }
}

/// Lists of cycles that are counted from the start.
const FROM_THE_START: [&str; 3] = ["hop_arrived_cycles", "hop_left_cycles", "hop_freed_cycles"];

/// The last words of names that tell units, with the units.
const UNIT_ENDINGS: [(&str, &str); 9] = [
    ("cycle", "cycles from the start"),
    ("cycles", "cycles"),
    ("fraction", "fraction"),
    ("share", "fraction"),
    ("percent", "percent"),
    ("seconds", "seconds"),
    ("bytes", "bytes"),
    ("words", "words"),
    ("flits", "flits"),
];

/// The key of a file's metadata with the units of its columns, a JSON object by their names.
pub const UNITS: &str = "units";

/// The units of columns that have one, as a JSON object by their names.
pub fn units_json(columns: &[Column]) -> String {
    let units = columns
        .iter()
        .filter_map(|column| Some((column.name.clone(), column.unit()?.into())));
    serde_json::Value::Object(units.collect()).to_string()
}

/// True when this program writes Parquet.
pub const IS_BUILT: bool = cfg!(feature = "parquet");

/// Reports an option that needs Parquet when this program does not write it.
///
/// # Errors
/// When it does not.
pub fn check_built(option: &str) -> Result<(), Error> {
    if IS_BUILT {
        return Ok(());
    }
    Err(Error::one(
        Class::Usage,
        "command line",
        Diagnostic::new(
            option,
            "this program was built without Parquet",
            "build it with cargo build --release --features parquet, or take another ending",
        ),
    ))
}

/// A whole table as a file; `None` without the feature.
pub fn parquet(columns: &[Column]) -> Option<Vec<u8>> {
    let write = || {
        let mut file = ParquetWriter::new(columns, Vec::new())?;
        file.rows(columns)?;
        file.finish()
    };
    IS_BUILT.then(|| write().expect("memory takes all that is written"))
}

#[cfg(feature = "parquet")]
pub use writer::ParquetWriter;

#[cfg(not(feature = "parquet"))]
pub use stub::AbsentParquetWriter as ParquetWriter;

/// A stand-in for the writer in a program that was built without it.
#[cfg(not(feature = "parquet"))]
mod stub {
    use super::*;

    /// A writer of Parquet, which this program was built without: there is none.
    pub struct AbsentParquetWriter<W>(std::convert::Infallible, std::marker::PhantomData<W>);

    impl<W: io::Write + Send> AbsentParquetWriter<W> {
        /// There is none.
        ///
        /// # Errors
        /// Always.
        pub fn new(_: &[Column], _: W) -> io::Result<Self> {
            Err(io::ErrorKind::Unsupported.into())
        }

        /// Is never called.
        ///
        /// # Errors
        /// None.
        pub fn rows(&mut self, _: &[Column]) -> io::Result<()> {
            match self.0 {}
        }

        /// Is never called.
        ///
        /// # Errors
        /// None.
        pub fn finish(self) -> io::Result<W> {
            match self.0 {}
        }
    }
}

#[cfg(feature = "parquet")]
mod writer {
    use std::sync::Arc;

    use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
    use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
    use parquet::errors::ParquetError;
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::{EnabledStatistics, WriterProperties};
    use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
    use parquet::schema::types::{Type, TypePtr};

    use super::*;

    /// Writes a Parquet file, some rows at a time.
    pub struct ParquetWriter<W: io::Write + Send> {
        file: SerializedFileWriter<W>,
    }

    fn failed(error: ParquetError) -> io::Error {
        match error {
            ParquetError::External(inner) => match inner.downcast::<io::Error>() {
                Ok(error) => *error,
                Err(inner) => io::Error::other(inner),
            },
            other => io::Error::other(other),
        }
    }

    /// The type of a column.
    fn column(column: &Column) -> TypePtr {
        let leaf = |name: &str, cells: &Cells| {
            let (physical, logical) = match cells {
                Cells::Numbers(_) => (Physical::DOUBLE, None),
                Cells::Counts(_) | Cells::CountLists(_) => (Physical::INT64, None),
                Cells::Texts(_) | Cells::TextLists(_) => {
                    (Physical::BYTE_ARRAY, Some(LogicalType::String))
                }
            };
            Type::primitive_type_builder(name, physical)
                .with_repetition(Repetition::OPTIONAL)
                .with_logical_type(logical)
                .build()
        };
        let group = |name: &str, repetition, logical, inner| {
            Type::group_type_builder(name)
                .with_repetition(repetition)
                .with_logical_type(logical)
                .with_fields(vec![inner])
                .build()
        };
        let built = match &column.cells {
            lists @ (Cells::CountLists(_) | Cells::TextLists(_)) => leaf("element", lists)
                .and_then(|leaf| group("list", Repetition::REPEATED, None, Arc::new(leaf)))
                .and_then(|list| {
                    let logical = Some(LogicalType::List);
                    group(&column.name, Repetition::REQUIRED, logical, Arc::new(list))
                }),
            cells => leaf(&column.name, cells),
        };
        Arc::new(built.expect("a legal type"))
    }

    /// Writes cells of one type.
    fn write<T: DataType>(
        writer: &mut SerializedColumnWriter,
        cells: &[Option<T::T>],
    ) -> Result<(), ParquetError> {
        let values: Vec<T::T> = cells.iter().flatten().cloned().collect();
        let present: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
        let typed = writer.typed::<T>();
        typed.write_batch(&values, Some(&present), None).map(drop)
    }

    /// Writes lists of one type: 0 says that a list is empty, 1 that a cell of one is, and 2 that
    /// there is a value.
    fn write_lists<T: DataType>(
        writer: &mut SerializedColumnWriter,
        lists: &[Vec<Option<T::T>>],
    ) -> Result<(), ParquetError> {
        let (mut values, mut present, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
        for list in lists {
            if list.is_empty() {
                present.push(0);
                repeated.push(0);
            }
            for (at, cell) in list.iter().enumerate() {
                present.push(1 + i16::from(cell.is_some()));
                repeated.push(i16::from(at > 0));
                values.extend(cell.clone());
            }
        }
        let typed = writer.typed::<T>();
        let written = typed.write_batch(&values, Some(&present), Some(&repeated));
        written.map(drop)
    }

    fn counts(cells: &[Option<u64>]) -> Vec<Option<i64>> {
        let count = |cell: &u64| i64::try_from(*cell).expect("a count below 2^63");
        cells.iter().map(|cell| cell.as_ref().map(count)).collect()
    }

    fn texts(cells: &[Option<String>]) -> Vec<Option<ByteArray>> {
        let text = |cell: &String| ByteArray::from(cell.as_str());
        cells.iter().map(|cell| cell.as_ref().map(text)).collect()
    }

    fn write_cells(writer: &mut SerializedColumnWriter, cells: &Cells) -> Result<(), ParquetError> {
        match cells {
            Cells::Numbers(cells) => write::<DoubleType>(writer, cells),
            Cells::Counts(cells) => write::<Int64Type>(writer, &counts(cells)),
            Cells::Texts(cells) => write::<ByteArrayType>(writer, &texts(cells)),
            Cells::CountLists(lists) => {
                let lists: Vec<_> = lists.iter().map(|list| counts(list)).collect();
                write_lists::<Int64Type>(writer, &lists)
            }
            Cells::TextLists(lists) => {
                let lists: Vec<_> = lists.iter().map(|list| texts(list)).collect();
                write_lists::<ByteArrayType>(writer, &lists)
            }
        }
    }

    impl<W: io::Write + Send> ParquetWriter<W> {
        /// Begins a file with the columns, whose cells do not count.
        ///
        /// # Errors
        /// When writing fails.
        pub fn new(columns: &[Column], out: W) -> io::Result<Self> {
            let fields = columns.iter().map(column).collect();
            let schema = Type::group_type_builder("crosswave").with_fields(fields);
            let schema = schema.build().expect("columns with names");
            let properties = WriterProperties::builder()
                .set_created_by(format!("crosswave {}", env!("CARGO_PKG_VERSION")))
                .set_compression(Compression::LZ4_RAW)
                .set_statistics_enabled(EnabledStatistics::Chunk)
                .set_key_value_metadata(Some(vec![KeyValue {
                    key: UNITS.to_owned(),
                    value: Some(units_json(columns)),
                }]))
                .build();
            let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties));
            let file = file.map_err(failed)?;
            Ok(ParquetWriter { file })
        }

        /// Writes rows: as many cells in each column.
        ///
        /// # Errors
        /// When writing fails.
        pub fn rows(&mut self, columns: &[Column]) -> io::Result<()> {
            let mut write = || {
                let mut group = self.file.next_row_group()?;
                for column in columns {
                    let writer = group.next_column()?;
                    let mut writer = writer.expect("as many columns as were begun");
                    write_cells(&mut writer, &column.cells)?;
                    writer.close()?;
                }
                group.close().map(drop)
            };
            write().map_err(failed)
        }

        /// Ends the file.
        ///
        /// # Errors
        /// When writing fails.
        pub fn finish(self) -> io::Result<W> {
            self.file.into_inner().map_err(failed)
        }
    }
}
