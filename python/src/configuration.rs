//! Configurations: dicts, files and texts.

use std::path::{Path, PathBuf};

use crosswave_base::diagnostic::{Class, Error};
use crosswave_base::file::input;
use crosswave_observe::drawing;
use crosswave_run::config::{Config, ConfigSource};
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyMapping, PyMemoryView, PyString, PyTuple,
};

use crate::errors::{exception, wrong_argument};
use crate::svg::Svg;

/// The configuration of a run: a network, its traffic, and how they are simulated.
///
/// `Configuration(network={"kind": "fat-tree", "nodes": 64}, traffic={"pattern": "random"})`
/// has the tables and keys of a configuration file, which `crosswave keys` explains; `Configuration(tables)`
/// takes them as one dict. Keys are checked by `check`, and by whatever runs the configuration.
#[pyclass(frozen, module = "crosswave")]
#[derive(Clone)]
pub(crate) struct Configuration {
    text: String,
    origin: String,
    folder: PathBuf,
    overrides: Vec<String>,
}

/// The configuration of an argument: one, or a dict, or the path of a file.
pub(crate) fn of_argument(argument: &Bound<'_, PyAny>) -> PyResult<Configuration> {
    if let Ok(configuration) = argument.cast::<Configuration>() {
        return Ok(configuration.get().clone());
    }
    if let Ok(tables) = argument.cast::<PyMapping>() {
        return Configuration::of_tables(tables);
    }
    match argument.extract::<PathBuf>() {
        Ok(path) => Configuration::read(path),
        Err(_) => Err(wrong_argument(
            "configuration",
            format!("found {}", kind(argument)),
            "give a Configuration, a dict of tables, or the path of a file",
        )),
    }
}

/// The type of a value, for messages.
fn kind(value: &Bound<'_, PyAny>) -> String {
    let name = value.get_type().qualname();
    name.map_or_else(|_| "a value".to_owned(), |name| name.to_string())
}

/// Dicts and lists in each other at most.
const DEPTH_MAX: usize = 16;

/// A value as TOML; its key is for messages.
pub(crate) fn toml_value(key: &str, value: &Bound<'_, PyAny>) -> PyResult<toml::Value> {
    value_within(key, value, 0)
}

fn value_within(key: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<toml::Value> {
    if depth > DEPTH_MAX {
        let found = format!("found dicts or lists in each other, more than {DEPTH_MAX}");
        return Err(wrong_argument(
            key,
            found,
            "give a value of the kind that the key takes",
        ));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(toml::Value::Boolean(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(toml::Value::String(text.to_str()?.to_owned()));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(toml::Value::Float(value.extract()?));
    }
    let is_sequence = value.len().is_ok();
    let is_integer = !is_sequence && value.hasattr("__index__")?;
    if is_integer {
        return match value.extract() {
            Ok(number) => Ok(toml::Value::Integer(number)),
            Err(_) => Err(wrong_argument(
                key,
                format!("found {value}"),
                "give a whole number from -2^63 to 2^63 - 1",
            )),
        };
    }
    if let Ok(table) = value.cast::<PyMapping>() {
        return Ok(toml::Value::Table(table_within(key, table, depth + 1)?));
    }
    // Numbers of numpy that are not Python's.
    if value.hasattr("item")? && !is_sequence {
        let item = value.call_method0("item")?;
        // The shortest text of a number of single precision is the number that is meant.
        return match value.str()?.to_str()?.parse() {
            Ok(number) if item.is_instance_of::<PyFloat>() => Ok(toml::Value::Float(number)),
            _ => value_within(key, &item, depth + 1),
        };
    }
    let has_order = value.hasattr("__getitem__")? && !is_bytes(value);
    if is_sequence && has_order {
        let items = value.try_iter()?;
        let items = items.map(|item| value_within(key, &item?, depth + 1));
        return Ok(toml::Value::Array(items.collect::<PyResult<_>>()?));
    }
    match value.extract::<PathBuf>() {
        Ok(path) if !is_bytes(value) => {
            Ok(toml::Value::String(path.to_string_lossy().into_owned()))
        }
        _ => Err(wrong_argument(
            key,
            format!("found {}", kind(value)),
            "give a text, a number, True or False, a path, or a list or dict of these",
        )),
    }
}

/// True for bytes of any kind, which are neither texts nor lists of numbers.
pub(crate) fn is_bytes(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBytes>()
        || value.is_instance_of::<PyByteArray>()
        || value.is_instance_of::<PyMemoryView>()
}

/// A key; a place is for messages.
fn key_of(place: &str, key: &Bound<'_, PyAny>) -> PyResult<String> {
    match key.cast::<PyString>() {
        Ok(key) => Ok(key.to_str()?.to_owned()),
        Err(_) => {
            let found = format!("found the key {key}");
            Err(wrong_argument(place, found, "give keys as texts"))
        }
    }
}

/// A dict as TOML, without the keys whose value is None.
fn toml_table(place: &str, table: &Bound<'_, PyMapping>) -> PyResult<toml::Table> {
    table_within(place, table, 0)
}

fn table_within(place: &str, table: &Bound<'_, PyMapping>, depth: usize) -> PyResult<toml::Table> {
    let mut keys = toml::Table::new();
    for item in table.items()?.iter() {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let key = key_of(
            if place.is_empty() {
                "configuration"
            } else {
                place
            },
            &key,
        )?;
        let name = match place.is_empty() {
            true => key.clone(),
            false => format!("{place}.{key}"),
        };
        if !value.is_none() {
            keys.insert(key, value_within(&name, &value, depth)?);
        }
    }
    Ok(keys)
}

impl Configuration {
    fn of_tables(tables: &Bound<'_, PyMapping>) -> PyResult<Configuration> {
        Ok(Configuration {
            text: toml_table("", tables)?.to_string(),
            origin: "configuration".to_owned(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
        })
    }

    /// The text, and what replaces keys of it.
    pub(crate) fn source(&self) -> ConfigSource {
        ConfigSource {
            text: self.text.clone(),
            origin: self.origin.clone(),
            overrides: self.overrides.clone(),
        }
    }

    /// The configuration with every default filled in, its keys and files checked.
    pub(crate) fn checked(&self) -> Result<Config, Error> {
        self.checked_with(&[])
    }

    /// The same with more settings.
    pub(crate) fn checked_with(&self, settings: &[String]) -> Result<Config, Error> {
        let overrides = [self.overrides.as_slice(), settings].concat();
        let config = Config::parse(&self.text, &self.origin, &self.folder, &overrides)?;
        config.check_files(&self.text, &self.origin, &overrides)?;
        Ok(config)
    }

    /// The name of where it is from, for messages.
    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }
}

/// The settings that `replace` makes of its arguments: values of keys, and dicts of tables.
fn settings(
    keys: Option<&Bound<'_, PyMapping>>,
    tables: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<String>> {
    let mut settings = Vec::new();
    let mut set = |key: &str, value: &Bound<'_, PyAny>| {
        settings.push(match value.is_none() {
            true => format!("!{key}"),
            false => format!("{key}={}", toml_value(key, value)?),
        });
        Ok::<_, PyErr>(())
    };
    let tables = tables.map(|tables| tables.as_mapping());
    for values in [keys, tables].into_iter().flatten() {
        for item in values.items()?.iter() {
            let (name, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let name = key_of("replace", &name)?;
            if name.contains('.') && !name.contains('=') {
                set(&name, &value)?;
                continue;
            }
            let Ok(table) = value.cast::<PyMapping>() else {
                let found = format!("found {name} with {}", kind(&value));
                let help = "give the value of a key as {\"run.seed\": 2}, or a dict of keys as run={\"seed\": 2}";
                return Err(wrong_argument("replace", found, help));
            };
            for item in table.items()?.iter() {
                let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
                let key = key_of(&name, &key)?;
                set(&format!("{name}.{key}"), &value)?;
            }
        }
    }
    Ok(settings)
}

#[pymethods]
impl Configuration {
    #[new]
    #[pyo3(signature = (source=None, /, **tables))]
    fn new(
        source: Option<&Bound<'_, PyAny>>,
        tables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Configuration> {
        match (source, tables) {
            (Some(source), tables) => of_argument(source)?.replace(None, tables),
            (None, Some(tables)) => Configuration::of_tables(tables.as_mapping()),
            (None, None) => Ok(Configuration::parse(String::new(), "configuration")),
        }
    }

    /// The configuration in a file (TOML). Files that it names are looked for beside it.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Configuration> {
        let text = input::read_text(&path, input::CONFIGURATION, Class::Usage);
        Ok(Configuration {
            text: text.map_err(exception)?,
            origin: path.display().to_string(),
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
            overrides: Vec::new(),
        })
    }

    /// The configuration in a text (TOML). Files that it names are looked for in the current folder.
    #[staticmethod]
    #[pyo3(signature = (text, origin="configuration"))]
    fn parse(text: String, origin: &str) -> Configuration {
        Configuration {
            text,
            origin: origin.to_owned(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
        }
    }

    /// The same with other values of some keys: `replace({"run.seed": 2})`, or
    /// `replace(run={"seed": 2})`. None takes a key away.
    #[pyo3(signature = (keys=None, /, **tables))]
    fn replace(
        &self,
        keys: Option<&Bound<'_, PyMapping>>,
        tables: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Configuration> {
        let mut same = self.clone();
        same.overrides.extend(settings(keys, tables)?);
        Ok(same)
    }

    /// Checks all keys and how they fit together; raises `ConfigurationError` with all mistakes.
    fn check(&self) -> PyResult<()> {
        self.checked().map(drop).map_err(exception)
    }

    /// The configuration as TOML with every default filled in, of which a file makes the same run. Names of
    /// files in it stay relative to the folder of the configuration.
    fn to_toml(&self) -> PyResult<String> {
        Ok(self.checked().map_err(exception)?.to_toml())
    }

    /// The tables as dicts with every default filled in.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let text = self.to_toml()?;
        let tables: toml::Table = text.parse().expect("TOML that was written here");
        Ok(pythonize::pythonize(py, &tables)?)
    }

    /// A drawing of the network: its routers, nodes and links. A network of more than 2,000 chips is not
    /// drawn.
    fn draw(&self) -> PyResult<Svg> {
        let config = self.checked().map_err(exception)?;
        let network = config.topology();
        let drawing = drawing::network_svg(&*network, &network.fabric());
        drawing.map(Svg::new).map_err(|chips| {
            let most = drawing::DRAWN_CHIPS_MAX;
            let found = format!("found a network of {chips} chips; at most {most} are drawn");
            wrong_argument(
                "network.nodes",
                found,
                "draw a smaller network of the same kind",
            )
        })
    }

    fn __repr__(&self) -> String {
        match self.overrides.is_empty() {
            true => format!("<crosswave.Configuration of {}>", self.origin),
            false => {
                let changes = self.overrides.join(", ");
                format!(
                    "<crosswave.Configuration of {} with {changes}>",
                    self.origin
                )
            }
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Configuration>().is_ok_and(|other| {
            let other = other.get();
            (&self.text, &self.folder, &self.overrides)
                == (&other.text, &other.folder, &other.overrides)
        })
    }

    /// Pickles it, for other processes, also in other folders. Files that it names are looked for in the same
    /// folder there.
    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let this = slf.get();
        let restore = slf.get_type().getattr("_restore")?;
        let folder = match this.folder.as_os_str().is_empty() {
            true => std::env::current_dir(),
            false => std::path::absolute(&this.folder),
        };
        let folder = folder.unwrap_or_else(|_| this.folder.clone());
        let parts = (&this.text, &this.origin, folder, this.overrides.clone());
        Ok((restore, parts.into_pyobject(slf.py())?))
    }

    #[staticmethod]
    fn _restore(
        text: String,
        origin: String,
        folder: PathBuf,
        overrides: Vec<String>,
    ) -> Configuration {
        Configuration {
            text,
            origin,
            folder,
            overrides,
        }
    }
}
