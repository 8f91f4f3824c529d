//! A designer's own router as a component: its module, its ports as links, its packets, and an endpoint
//! that speaks its protocol.
//!
//! A component file ([`mod@file`]) names a module and says which of its bits are which signal of which
//! link. [`load`] reads it, has the module synthesised or reads its netlist, and makes
//!
//! - a [`Chip`], whose ports are the signals of links as those of all chips are, and its netlist;
//! - the table and the netlist of an endpoint ([`endpoint`]), Verilog written for its links and packets.
//!
//! | file | holds |
//! |---|---|
//! | [`mod@file`] | the component file as it is written |
//! | [`expression`] | bits of ports by expressions |
//! | [`guess`] | a component file proposed from the names of ports |
//! | [`packet`] | fields of flits |
//! | [`links`] | ports of a chip at links |
//! | [`map`] | a module as a chip |
//! | [`parameters`] | routers that differ in values of parameters |
//! | [`wrapper`] | the same as Verilog, for exports |
//! | [`drop_in`] | a module in the place of a chip of the program |
//! | [`rtl`] | the module as its sources have it, simulated |
//! | [`endpoint`] | endpoints |
//! | [`properties`] | what holds at links of routers that keep their protocols |
//! | [`checked`] | components with these beside them |
//! | [`proof`] | proofs of these |
//! | `delay` | cycles on links |
//! | `reset` | resets of several cycles |
//! | `included` | files that Verilog includes |
//! | [`mistakes`] | mistakes in a file, collected |

pub mod checked;
mod delay;
pub mod drop_in;
pub mod endpoint;
pub mod expression;
pub mod file;
pub mod guess;
mod included;
pub mod links;
pub mod map;
pub mod mistakes;
pub mod packet;
pub mod parameters;
pub mod proof;
pub mod properties;
mod reset;
pub mod rtl;
pub mod wrapper;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use sha2::{Digest, Sha256};
use toml::Spanned;

use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_chips::Chip;
use crosswave_chips::netlists::{ChipNetlist, flattened};
use crosswave_netlist::yosys;
use crosswave_synthesis::sources::folders;
use crosswave_synthesis::{Design, Frontend, ReadOptions};

use checked::Monitor;
use endpoint::LocalLink;
use file::{ComponentFile, FrontendName, ModuleTable, ParametersAs, WordValue};
use included::Included;
use links::{LinkEnds, LinkForm, kept};
use map::PinSource;
use mistakes::Mistakes;
use packet::PacketLayout;

/// Files of a module at most.
const FILES_MAX: usize = 256;

/// A chip that is none of the program's, with its netlist.
#[derive(Debug)]
pub struct OwnNetlist {
    /// The table of the chip.
    pub chip: &'static Chip,
    /// Its netlist, which may break rules that engines rely on.
    pub netlist: ChipNetlist,
    /// The hash of the netlist and of what it was made with: 32 hexadecimal digits.
    pub hash: String,
    /// The file that the netlist is of.
    pub origin: String,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
    /// The folders of its sources, in the order of its files; none where they are made by the program.
    pub folders: Vec<PathBuf>,
}

/// A component.
#[derive(Debug)]
pub struct Component {
    /// The name of the module.
    pub top: String,
    /// The module as a chip.
    pub router: OwnNetlist,
    /// The properties that its router looks at in a run; none unless it was given [monitors](Self::monitored).
    pub monitors: Vec<Monitor>,
    /// Its endpoint.
    pub endpoint: &'static OwnNetlist,
    /// The form of its links.
    pub form: LinkForm,
    /// The directions of its links.
    pub ends: Vec<LinkEnds>,
    /// Flits that may be on the way into it before a credit comes back, by link.
    pub credits: Vec<u32>,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
    /// Parameters of the module that instances have their own values of, which are 0 here;
    /// [`parameters::realised`] has it with others.
    pub instance_parameters: Vec<(String, PinSource)>,
    /// The form that these get.
    pub parameters_as: ParametersAs,
    /// The file that it was read from.
    path: PathBuf,
    /// The tables of both.
    pub chips: [&'static Chip; 2],
    /// Its packets.
    pub packet: PacketLayout,
    /// The pins of the chip and their values, by the index of the port.
    pub pins: Vec<(usize, PinSource)>,
    /// Cycles from a head at an input to that at an output, unless the packet waits.
    pub hop_cycles: u64,
    /// Its Verilog files, names and texts; none where it is a netlist.
    pub files: Vec<(&'static str, &'static str)>,
    /// Macros that are defined while these are read.
    pub defines: Vec<(String, String)>,
    /// The component file.
    pub text: String,
}

impl Component {
    /// The component file for a folder that holds its Verilog files.
    pub fn text_beside_files(&self) -> String {
        let mut table: toml::Table = self.text.parse().expect("it was read");
        if let Some(toml::Value::Table(component)) = table.get_mut("component") {
            let names = self.files.iter().map(|(name, _)| toml::Value::from(*name));
            component.insert("sources".to_owned(), toml::Value::Array(names.collect()));
            // Included files lie beside the others.
            component.remove("includes");
        }
        table.to_string()
    }

    /// The component file, for messages.
    fn place(&self) -> String {
        self.path.display().to_string()
    }

    /// A chip that adds a cycle to a link.
    ///
    /// # Errors
    /// When Yosys is missing.
    pub fn delay_line(&'static self) -> Result<&'static OwnNetlist, Error> {
        let mut known = DELAY_LINES.lock().unwrap_or_else(PoisonError::into_inner);
        let key = std::ptr::from_ref(self) as usize;
        if let Some(found) = known.get(&key) {
            return Ok(found);
        }
        let link = LocalLink {
            form: self.form,
            resends: false,
            reset_cycles: self.reset_cycles,
        };
        let made = delay::chip(&self.top, link);
        let origin = format!("the delay line of {}", self.path.display());
        let found = written_netlist(made, link, origin)?;
        known.insert(key, found);
        Ok(found)
    }

    /// The number of a link by its name.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.router.chip.links.iter().position(|link| *link == name)
    }
}

/// A file with its length and the time of its last change.
pub type Stamp = (PathBuf, u64, Option<SystemTime>);

/// The components that were read so far, with the stamps of their files. Each is there to the end of
/// the program; they are few, as a person names them.
static LOADED: Mutex<BTreeMap<PathBuf, (Vec<Stamp>, &'static Component)>> =
    Mutex::new(BTreeMap::new());

/// The chips that add a cycle to a link, by their components.
static DELAY_LINES: Mutex<BTreeMap<usize, &'static OwnNetlist>> = Mutex::new(BTreeMap::new());

/// The stamps of files, as they are now.
pub fn stamps(files: &[PathBuf]) -> Vec<Stamp> {
    files.iter().map(|path| stamp(path)).collect()
}

/// True when no file has changed since its stamp was taken.
pub fn are_current(stamps: &[Stamp]) -> bool {
    stamps.iter().all(|known| stamp(&known.0) == *known)
}

fn stamp(path: &Path) -> Stamp {
    let found = std::fs::metadata(path).ok();
    let length = found.as_ref().map_or(0, std::fs::Metadata::len);
    let changed = found.and_then(|found| found.modified().ok());
    (path.to_owned(), length, changed)
}

/// Reads a component file and all that it names. What was read once is kept as long as the program
/// runs; it is read again if a file that it names has changed.
///
/// # Errors
/// When a file cannot be read, Yosys is missing or refuses the module, or the file does not fit the
/// module.
pub fn load(path: &Path) -> Result<&'static Component, Error> {
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, component)) = loaded.get(path)
        && are_current(known)
    {
        return Ok(component);
    }
    let (component, files) = read(path, With::Zeros)?;
    let component: &'static Component = Box::leak(Box::new(component));
    loaded.insert(path.to_owned(), (stamps(&files), component));
    Ok(component)
}

/// A hash: 32 hexadecimal digits.
fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let bytes = hash.finalize();
    bytes
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The values of the parameters that instances have values of.
#[derive(Clone, Copy)]
enum With<'a> {
    /// All are 0.
    Zeros,
    /// Those of a set, of a component that is known.
    Values(&'static Component, &'a [u64]),
    /// Those of any of these sets by pins, of a component that is known: its netlist with them.
    Pins(&'static Component, &'a [&'a [u64]], &'a str),
}

/// Reads the text of a component file.
fn parsed(text: &str, mistakes: &mut Mistakes<'_>) -> Result<ComponentFile, Error> {
    toml::from_str(text).map_err(|error| {
        mistakes.of_toml(&error, match error.message().contains("`ports`") {
            true => {
                "a file with [ports] is for the place of a chip: `crosswave compare FILE --chip CHIP=FILE` \
                 checks it"
            }
            false => "a component file has the tables [component], [[link]] and [packet]",
        })
    })
}

/// Reads a component file: the component, and the files that it is of.
fn read(path: &Path, with: With<'_>) -> Result<(Component, Vec<PathBuf>), Error> {
    let text = input::read_text(path, input::COMPONENT, Class::Usage)?;
    let origin = path.display().to_string();
    let mut mistakes = Mistakes::new(&origin, &text);
    let file = parsed(&text, &mut mistakes)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = files(&file.component, folder, &mut mistakes)?;
    let (mut options, instance_parameters) = read_options(&file.component, &mut mistakes)?;
    let own_parameters = options.parameters.clone();
    let of_set = |values: &[u64]| parameters::words(&instance_parameters, values);
    let zeros = vec![0; instance_parameters.len()];
    let (base, sets) = match &with {
        With::Zeros => (None, vec![&*zeros]),
        With::Values(base, values) => (Some(*base), vec![*values]),
        With::Pins(base, sets, _) => (Some(*base), sets.to_vec()),
    };
    options.parameters.extend(of_set(sets[0]));
    let includes = includes(&file.component, folder, &mut mistakes)?;
    let (source, json) = match with {
        With::Pins(base, _, json) => (base.router.origin.clone(), json.to_owned()),
        _ => netlist(
            &file.component,
            &files,
            &includes,
            &options,
            &[],
            &mut mistakes,
            |_| {},
        )?,
    };
    let read = yosys::read_netlist(json.trim_start_matches('\u{feff}'), &source)?;
    let top = file.component.top.get_ref();
    let ChipNetlist {
        mut module,
        vectors,
    } = module_of(read, &file.component.top, &source, &mut mistakes)?;
    let pins = parameters::take_pins(&mut module);
    let mapped = map::map(&file, &module, &mut mistakes);
    // Fields are bits of flits, whose width is known only of links without mistakes.
    mistakes.finish(())?;
    let mapped = mapped.expect("no mistake was found");
    let packet = PacketLayout::read(&file.packet, mapped.form, &mapped.links, &mut mistakes);
    mistakes.finish(())?;
    // Each set of values is a module of its own in Verilog.
    let name_of = |values: &[u64]| match base {
        Some(base) => parameters::chip_name(base, values),
        None => format!("{top}_chip"),
    };
    let wrapper = |values: &&[u64]| {
        let name = name_of(values);
        let parameters = [&own_parameters[..], &of_set(values)].concat();
        let text = wrapper::verilog(&name, &module, &parameters, &mapped);
        (kept(format!("{name}.v")), kept(text))
    };
    let mut sources: Vec<(&'static str, &'static str)> = sets.iter().map(wrapper).collect();
    let wrappers = sources.len();
    let name = kept(match with {
        With::Pins(..) => format!("{}_and_{}_more", name_of(sets[0]), sets.len() - 1),
        _ => name_of(sets[0]),
    });
    let mapped = parameters::with_pins(mapped, pins);
    let mut all = vec![path.to_owned()];
    let mut included = Included::new(&includes);
    for file in &files {
        all.push(file.clone());
        if file.extension().is_some_and(|ending| ending == "json") {
            continue;
        }
        let name = file
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        let text = input::read_text(file, input::VERILOG, Class::Input)?;
        let text = included.of(&text, file.parent().unwrap_or(Path::new("")))?;
        sources.push((kept(name.unwrap_or_default()), kept(text)));
    }
    let verilog_files = sources[wrappers..].to_vec();
    for (name, (place, text)) in included.files {
        all.push(place);
        sources.push((kept(name), kept(text)));
    }
    let chip: &'static Chip = Box::leak(Box::new(Chip {
        name,
        ports: Box::leak(mapped.ports.into_boxed_slice()),
        links: Box::leak(mapped.links.into_boxed_slice()),
        words: &[],
        sources: Box::leak(sources.into_boxed_slice()),
    }));
    let endpoint = match base {
        Some(base) => base.endpoint,
        None => {
            let answered = mapped.ends.iter().filter(|ends| ends.takes && ends.sends);
            let link = LocalLink {
                form: mapped.form,
                resends: mapped.form.protocol.back_is_optional()
                    && answered.clone().any(|ends| ends.takes_answer),
                reset_cycles: mapped.reset_cycles,
            };
            let made = endpoint::chip(top, link, &packet);
            written_netlist(made, link, format!("the endpoint of {origin}"))?
        }
    };
    let component = Component {
        top: top.clone(),
        router: OwnNetlist {
            chip,
            netlist: ChipNetlist {
                module: mapped.module,
                vectors,
            },
            hash: hash(&[&text, &json]),
            origin: source,
            reset_cycles: mapped.reset_cycles,
            folders: folders(&files),
        },
        monitors: Vec::new(),
        endpoint,
        form: mapped.form,
        ends: mapped.ends,
        credits: mapped.credits,
        reset_cycles: mapped.reset_cycles,
        instance_parameters,
        parameters_as: file
            .component
            .parameters_as
            .map_or_else(ParametersAs::default, Spanned::into_inner),
        path: path.to_owned(),
        chips: [chip, endpoint.chip],
        packet,
        pins: mapped.pins,
        hop_cycles: file.component.hop_cycles.get(),
        files: verilog_files,
        defines: options.defines,
        text,
    };
    Ok((component, all))
}

/// The module of a name in a netlist, without instances.
fn module_of(
    netlist: yosys::Netlist,
    top: &Spanned<String>,
    source: &str,
    mistakes: &mut Mistakes<'_>,
) -> Result<ChipNetlist, Error> {
    let modules = &netlist.design.modules;
    let Some(root) = modules
        .iter()
        .position(|found| found.name == *top.get_ref())
    else {
        let names: Vec<&str> = modules.iter().map(|module| &*module.name).collect();
        let message = format!("{source} has no module {}", top.get_ref());
        let help = format!("its modules are {}", names.join(", "));
        let mut mistake = Diagnostic::new("component.top", message, help);
        mistake.span = Some(top.span());
        return Err(mistakes.error(vec![mistake]));
    };
    flattened(netlist, root)
}

/// The netlist of a chip that was written for a component, which is there to the end of the program.
fn written_netlist(
    (chip, verilog): (&'static Chip, String),
    link: LocalLink,
    origin: String,
) -> Result<&'static OwnNetlist, Error> {
    let design = Design {
        top: chip.name,
        files: &[],
        includes: &[],
        texts: &[(format!("{}.v", chip.name), verilog.clone())],
        options: &ReadOptions::default(),
        library: &[],
    };
    let json = crosswave_synthesis::netlist(&design, |_| {})?.json;
    let netlist = flattened(yosys::read_netlist(&json, chip.name)?, 0)?;
    Ok(Box::leak(Box::new(OwnNetlist {
        chip,
        netlist,
        hash: hash(&[&verilog, &json]),
        origin,
        reset_cycles: link.reset_cycles,
        folders: Vec::new(),
    })))
}

/// The folders in which included files are looked for.
fn includes(
    table: &ModuleTable,
    folder: &Path,
    mistakes: &mut Mistakes<'_>,
) -> Result<Vec<PathBuf>, Error> {
    let mut folders = Vec::new();
    for named in &table.includes {
        let path = folder.join(named.get_ref());
        if named.get_ref().contains('\0') || !path.is_dir() {
            let message = format!("there is no folder {}", path.display());
            let help = "such as includes = [\"rtl/include\"]";
            mistakes.add("component.includes", Some(named.span()), message, help);
        }
        folders.push(path);
    }
    mistakes.finish(folders)
}

/// The files that a component file names.
fn files(
    table: &ModuleTable,
    folder: &Path,
    mistakes: &mut Mistakes<'_>,
) -> Result<Vec<PathBuf>, Error> {
    let named: Vec<&Spanned<String>> = match &table.netlist {
        Some(netlist) => vec![netlist],
        None => table.sources.iter().collect(),
    };
    if let Some(netlist) = table.netlist.as_ref().filter(|_| !table.sources.is_empty()) {
        let (span, message) = (netlist.span(), "found a netlist and sources");
        mistakes.add(
            "component.netlist",
            Some(span),
            message,
            "remove one of the two",
        );
    }
    if named.is_empty() || named.len() > FILES_MAX {
        let message = format!("found {} files; expected 1 to {FILES_MAX}", named.len());
        let help = "such as sources = [\"mesh_router.sv\"], or netlist = \"mesh_router.json\"";
        let span = named.first().map_or(table.top.span(), |file| file.span());
        mistakes.add("component.sources", Some(span), message, help);
    }
    for file in &named {
        if file.get_ref().is_empty() || file.get_ref().contains('\0') {
            let message = format!("found {:?}; expected a path", file.get_ref());
            mistakes.add(
                "component.sources",
                Some(file.span()),
                message,
                "name a file",
            );
        }
    }
    mistakes.finish(())?;
    let mut files = Vec::new();
    for file in named {
        let path = folder.join(file.get_ref());
        if !file.get_ref().contains('*') {
            files.push(path);
            continue;
        }
        let found = matching(&path);
        if found.is_empty() {
            let message = format!("no file matches {}", path.display());
            let help = "* stands for any part of the name of a file";
            mistakes.add("component.sources", Some(file.span()), message, help);
        }
        files.extend(found.into_iter().take(FILES_MAX));
    }
    mistakes.finish(files)
}

/// The files of a folder whose names match the last part of a path, in the order of their names.
fn matching(path: &Path) -> Vec<PathBuf> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let Some(pattern) = path.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| matches(pattern, name)).collect();
    names.sort();
    names
        .into_iter()
        .map(|name| path.with_file_name(name))
        .collect()
}

/// True when a name is a pattern with something in the place of each `*`.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut left) = name.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = rest.split('*').collect();
    let (last, inner) = parts.split_last().expect("a split has a part");
    for part in inner {
        match left.find(part) {
            Some(at) => left = &left[at + part.len()..],
            None => return false,
        }
    }
    left.ends_with(last)
}

/// The netlist of a module as JSON, and the name of what it is of.
fn netlist(
    table: &ModuleTable,
    files: &[PathBuf],
    includes: &[PathBuf],
    options: &ReadOptions,
    library: &[(String, String)],
    mistakes: &mut Mistakes<'_>,
    begun: impl FnOnce(&str),
) -> Result<(String, String), Error> {
    let names: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let origin = names.join(", ");
    if table.netlist.is_some() {
        let bytes = input::read(&files[0], input::NETLIST)?;
        let text = input::utf8(&origin, bytes, Class::Input)?;
        return Ok((origin, text));
    }
    let top = table.top.get_ref();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if top.is_empty() || !top.chars().all(is_name) {
        let message = format!("found {top:?}; expected the name of a module");
        mistakes.add(
            "component.top",
            Some(table.top.span()),
            message,
            "letters, digits and _",
        );
        mistakes.finish(())?;
    }
    let design = Design {
        top,
        files,
        includes,
        texts: &[],
        options,
        library,
    };
    let netlist = crosswave_synthesis::netlist(&design, begun)?;
    Ok((origin, netlist.json))
}

/// The options for reading the files of a module, and the parameters that instances have values of. What
/// they hold becomes words of a script.
fn read_options(
    table: &ModuleTable,
    mistakes: &mut Mistakes<'_>,
) -> Result<(ReadOptions, Vec<(String, PinSource)>), Error> {
    let mut words = |key: &str, map: &BTreeMap<String, Spanned<WordValue>>| {
        let mut words = Vec::new();
        for (name, value) in map {
            let text = value.get_ref().text();
            if !ReadOptions::takes(name, &text) {
                let message = format!(
                    "found {name:?} = {text:?}; expected a name, and a value without blanks"
                );
                let help = "such as WIDTH = 32, or MASK = \"8'hff\"";
                mistakes.add(
                    format!("component.{key}.{name}"),
                    Some(value.span()),
                    message,
                    help,
                );
            }
            words.push((name.clone(), text));
        }
        words
    };
    let defines = words("defines", &table.defines);
    let mut parameters = words("parameters", &table.parameters);
    let of_instance = |(name, text): &(String, String)| {
        let source = PinSource::named(text)?;
        Some((name.clone(), source))
    };
    for (name, value) in &table.parameters {
        let text = value.get_ref().text();
        if text.starts_with("instance.") && PinSource::named(&text).is_none() {
            let message = format!("found {text:?}; expected the name of a value");
            let place = format!("component.parameters.{name}");
            mistakes.add(place, Some(value.span()), message, PinSource::advice(&text));
        }
    }
    let of_instances: Vec<_> = parameters.iter().filter_map(of_instance).collect();
    parameters.retain(|(_, text)| PinSource::named(text).is_none());
    let options = ReadOptions {
        frontend: match table.frontend {
            FrontendName::Verilog => Frontend::Verilog,
            FrontendName::Slang => Frontend::Slang,
        },
        defines,
        parameters,
    };
    if let (Some((name, _)), Some(netlist)) = (of_instances.first(), &table.netlist) {
        let message =
            format!("the parameter {name} has a value for each instance, and a netlist has none");
        let help = "name sources in place of the netlist";
        mistakes.add("component.netlist", Some(netlist.span()), message, help);
    }
    mistakes.finish((options, of_instances))
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stand_for_parts_of_names() {
        for (pattern, name) in [
            ("*.sv", "a.sv"),
            ("a*b*c", "abbc"),
            ("a.v", "a.v"),
            ("a**", "a"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("*.sv", "a.v"), ("a*b*c", "acb"), ("ab*ba", "aba")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
