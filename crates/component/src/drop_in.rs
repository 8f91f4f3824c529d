//! A module that stands in the place of a chip of the program.
//!
//! Its file has the table `[component]` of all component files, and `[ports]` in place of links and
//! packets:
//!
//! ```toml
//! [component]
//! top = "my_router"
//! sources = ["rtl/*.sv"]
//! frontend = "slang"
//! clock = "clk"
//! reset = { port = "rst_n", active = "low" }
//!
//! [ports]                                # ports of the chip that have other names in the module
//! down_in_data = "li[8:1]"
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use super::file::{Expressions, ModuleTable};
use super::map::drop_in::{FittingModule, drop_in};
use super::mistakes::Mistakes;
use super::{files, hash, includes, module_of, netlist, read_options};
use crosswave_base::diagnostic::{Class, Error};
use crosswave_base::file::input;
use crosswave_chips::Chip;
use crosswave_chips::netlists::ChipNetlist;
use crosswave_netlist::yosys;

/// The file as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct DropInFile {
    component: ModuleTable,
    #[serde(default)]
    ports: BTreeMap<String, Spanned<Expressions>>,
}

/// A module with the ports of a chip.
#[derive(Debug)]
pub struct DropIn {
    /// Its netlist, which may break rules that engines rely on.
    pub netlist: ChipNetlist,
    /// The hash of the netlist and of what it was made with: 32 hexadecimal digits.
    pub hash: String,
    /// The file that the netlist is of.
    pub origin: String,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
    /// Outputs, and bits of outputs, that the chip does not have.
    pub left_out: Vec<String>,
    /// All files that it is of.
    pub files: Vec<PathBuf>,
}

/// Reads the file of a module for the place of a chip, and has the module synthesised. Modules that its
/// sources do not define are looked for in a library. `begun` is called before Yosys runs, with its version.
///
/// # Errors
/// When a file cannot be read, Yosys is missing or refuses the module, or the module does not fit the
/// chip.
pub fn load(
    path: &Path,
    chip: &Chip,
    library: &[(String, String)],
    begun: impl FnOnce(&str),
) -> Result<DropIn, Error> {
    let text = input::read_text(path, input::COMPONENT, Class::Usage)?;
    let origin = path.display().to_string();
    let mut mistakes = Mistakes::new(&origin, &text);
    let file: DropInFile = toml::from_str(&text).map_err(|error| {
        let help =
            "a component file for the place of a chip has the tables [component] and [ports]";
        mistakes.of_toml(&error, help)
    })?;
    let table = &file.component;
    let folder = path.parent().unwrap_or(Path::new(""));
    let sources = files(table, folder, &mut mistakes)?;
    let (options, of_instances) = read_options(table, &mut mistakes)?;
    if let Some((name, _)) = of_instances.first() {
        mistakes.add(
            format!("component.parameters.{name}"),
            table.parameters.get(name).map(Spanned::span),
            "found a value of each instance",
            "the instances of a chip of crosswave have no values of their own",
        );
    }
    let includes = includes(table, folder, &mut mistakes)?;
    let (source, json) = netlist(
        table,
        &sources,
        &includes,
        &options,
        library,
        &mut mistakes,
        begun,
    )?;
    let read = yosys::read_netlist(json.trim_start_matches('\u{feff}'), &source)?;
    let ChipNetlist { module, vectors } = module_of(read, &table.top, &source, &mut mistakes)?;
    let FittingModule {
        module,
        reset_cycles,
        left_out,
    } = drop_in(chip, table, &file.ports, &module, &mut mistakes);
    mistakes.finish(())?;
    let mut all = vec![path.to_owned()];
    all.extend(sources);
    Ok(DropIn {
        netlist: ChipNetlist { module, vectors },
        hash: hash(&[&text, &json]),
        origin: source,
        reset_cycles,
        left_out,
        files: all,
    })
}
