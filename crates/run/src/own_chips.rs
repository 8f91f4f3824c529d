//! Netlists of a designer's own chips, read or synthesised when a network is built.
//!
//! A chip of `[chips]` is Verilog, which Yosys makes a netlist of ([`crosswave_synthesis`]), a
//! netlist, or a component file ([`crosswave_component::drop_in`]). It is made fit for the place of the chip ([`crosswave_gate::own_netlist`]). What was
//! read once is kept as long as the program runs, since many runs of one program share it; a file
//! that has changed since is read again.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use sha2::{Digest, Sha256};

use crate::config::{Config, EngineKind, OwnChip};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_chips::half_cycles::{self, HalfCycleLinks};
use crosswave_chips::netlists::{ChipNetlist, NetlistSet, flattened};
use crosswave_chips::{CHIPS, verilog};
use crosswave_component::{OwnNetlist, Stamp, are_current, drop_in, stamps};
use crosswave_gate::own_netlist::{FittedNetlist, fitted};
use crosswave_gate::settling::settling;
use crosswave_netlist::{Bit, Module, PortDirection, mealy, yosys};
use crosswave_synthesis::sources::folders;
use crosswave_synthesis::{Design, ReadOptions};

/// A chip that was read, and what was done to its netlist.
#[derive(Debug)]
pub struct LoadedChip {
    /// The netlist as engines run it.
    pub netlist: ChipNetlist,
    /// The hash of the netlist as it was read or synthesised: 32 hexadecimal digits.
    pub hash: String,
    /// The names of registers that the reset leaves open; they begin at 0.
    pub unreset: Vec<String>,
    /// Number of bits of outputs that gates computed.
    pub registered_outputs: usize,
    /// Those of them that settle within the cycle.
    pub settled_outputs: usize,
    /// Outputs that the chip does not have.
    pub left_out: Vec<String>,
    /// Its links at which the middle of a cycle matters.
    pub half_cycle: HalfCycleLinks,
    /// The folders of its sources, in the order of its files.
    pub folders: Vec<PathBuf>,
    /// The module as it was read.
    pub read: Module,
    /// The cycles in which its reset acts.
    pub reset_cycles: u64,
}

impl LoadedChip {
    /// A netlist that was made fit, with the widths of its vectors and the hash of what was read.
    fn new(fitted: FittedNetlist, vectors: BTreeMap<String, usize>, hash: String) -> LoadedChip {
        let FittedNetlist {
            module,
            unreset,
            registered_outputs,
            settled_outputs,
            left_out,
            half_cycle,
            read,
            reset_cycles,
        } = fitted;
        LoadedChip {
            netlist: ChipNetlist { module, vectors },
            hash,
            unreset,
            registered_outputs,
            settled_outputs,
            left_out,
            half_cycle,
            folders: Vec::new(),
            read,
            reset_cycles,
        }
    }

    /// An output by which a flit may leave in the cycle in which it comes.
    pub fn passing_output(&self) -> Option<&str> {
        let module = &self.netlist.module;
        let is_part = |name: &str, side: &str| {
            name.ends_with(&format!("_{side}_valid")) || name.ends_with(&format!("_{side}_data"))
        };
        let settled = mealy::dependencies(module).into_iter();
        let passing = settled.filter(|settled| {
            let mut inputs = settled.inputs.iter();
            inputs.any(|input| is_part(&module.ports[input.port].name, "in"))
        });
        let passing: Vec<Bit> = passing.map(|settled| Bit::Net(settled.q)).collect();
        let mut outputs = module.ports_of(PortDirection::Output);
        let found = outputs.find(|port| {
            is_part(&port.name, "out") && port.bits.iter().any(|bit| passing.contains(bit))
        });
        found.map(|port| &*port.name)
    }
}

/// Called before Yosys runs, with the name of the chip and the version of Yosys.
pub type OnSynthesis<'a> = &'a mut dyn FnMut(&str, &str);

/// A chip and the files that name it.
type Named = (&'static str, Vec<PathBuf>);

/// The chips that were read so far, with the stamps of all their files. Each is there to the end of the
/// program; they are few, as a person names them.
static LOADED: Mutex<BTreeMap<Named, (Vec<Stamp>, &'static LoadedChip)>> =
    Mutex::new(BTreeMap::new());

/// A chip that takes the place of the program's in all networks, and whether some network had it.
type EverywhereChip = (OwnChip, AtomicBool);

/// The chips that take the place of the program's in all networks.
static EVERYWHERE: OnceLock<Vec<EverywhereChip>> = OnceLock::new();

/// Puts chips into all networks that have them, for as long as the program runs: studies make their
/// configurations themselves, and the gate engine runs these then. To be called once, before the first
/// simulation.
pub fn put_everywhere(chips: Vec<OwnChip>) {
    let chips = chips
        .into_iter()
        .map(|chip| (chip, AtomicBool::new(false)))
        .collect();
    // A second call would change what was simulated before.
    let _ = EVERYWHERE.set(chips);
}

/// The chips that were put into all networks, and that no network had.
pub fn unused_everywhere() -> Vec<&'static OwnChip> {
    let chips = EVERYWHERE.get().into_iter().flatten();
    let unused = chips.filter(|(_, used)| !used.load(Ordering::Relaxed));
    unused.map(|(chip, _)| chip).collect()
}

/// A configuration with the chips that were put into all networks, where its network has some of them
/// and it names none itself.
pub(crate) fn with_everywhere(config: &Config) -> Cow<'_, Config> {
    let chips = EVERYWHERE.get().into_iter().flatten();
    let kind = config.network.kind();
    let of_kind = chips.filter(|(chip, _)| kind.chips.contains(&chip.chip));
    let mut of_network: Vec<&EverywhereChip> = of_kind.collect();
    if of_network.is_empty() || !config.chips.is_empty() || config.check().is_err() {
        return Cow::Borrowed(config);
    }
    // Networks of a kind have switches of several sizes.
    let there = config.topology().chips();
    of_network.retain(|(chip, _)| {
        let mut there = there.iter();
        there.any(|(of, count)| of.name == chip.chip && *count > 0)
    });
    if of_network.is_empty() {
        return Cow::Borrowed(config);
    }
    let mut config = config.clone();
    config.run.engine = EngineKind::Gate;
    for (chip, used) in of_network {
        used.store(true, Ordering::Relaxed);
        config.chips.own.push(chip.clone());
    }
    Cow::Owned(config)
}

/// The netlists of a configuration: those of `[chips]`, and those of components.
///
/// # Errors
/// As [`load`] and [`of_component`].
pub fn netlists(config: &Config, begun: OnSynthesis<'_>) -> Result<NetlistSet, Error> {
    Ok(NetlistSet::with(
        all(config, begun)?
            .into_iter()
            .map(|(name, loaded)| (name, &loaded.netlist))
            .collect(),
    ))
}

/// The hashes of the netlists of a configuration, by their chips.
///
/// # Errors
/// As [`load`] and [`of_component`].
pub fn hashes(config: &Config) -> Result<BTreeMap<&'static str, &'static str>, Error> {
    let loaded = all(config, &mut |_, _| {})?.into_iter();
    Ok(loaded.map(|(name, loaded)| (name, &*loaded.hash)).collect())
}

/// The chips of a configuration that are none of the program's, by their names.
///
/// # Errors
/// As [`load`] and [`of_component`].
pub fn all(
    config: &Config,
    begun: OnSynthesis<'_>,
) -> Result<Vec<(&'static str, &'static LoadedChip)>, Error> {
    let mut loaded = Vec::new();
    for own in &config.chips.own {
        loaded.push((own.chip, load(own, begun)?));
    }
    for own in config.network.own_netlists() {
        loaded.push((own.chip.name, of_component(own)?));
    }
    let links = loaded.iter();
    half_cycles::check(links.map(|(name, loaded)| (*name, &loaded.half_cycle)))?;
    Ok(loaded)
}

/// The netlists of components that were made fit so far, by their chips and hashes.
static FITTED: Mutex<BTreeMap<(&'static str, &'static str), &'static LoadedChip>> =
    Mutex::new(BTreeMap::new());

/// The netlist of a component, or of its endpoint, as engines run it.
///
/// # Errors
/// When an output depends in the same cycle on an input that is not of a link, or the netlist has what
/// engines do not run.
pub fn of_component(own: &'static OwnNetlist) -> Result<&'static LoadedChip, Error> {
    let key = (own.chip.name, &*own.hash);
    let mut known = FITTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(loaded) = known.get(&key) {
        return Ok(loaded);
    }
    let fitted = fitted(own.chip, &own.netlist.module, &own.origin, own.reset_cycles)?;
    let mut loaded = LoadedChip::new(fitted, own.netlist.vectors.clone(), own.hash.clone());
    loaded.folders.clone_from(&own.folders);
    let loaded: &'static LoadedChip = Box::leak(Box::new(loaded));
    known.insert(key, loaded);
    Ok(loaded)
}

/// The folders of the sources of a chip, in the order of its files; none where it is one of the program's,
/// or cannot be read.
pub fn source_folders(config: &Config, chip: &str) -> Vec<PathBuf> {
    let loaded = all(config, &mut |_, _| {}).unwrap_or_default();
    let mut loaded = loaded.into_iter();
    let found = loaded.find(|(name, _)| *name == chip);
    found.map_or(Vec::new(), |(_, loaded)| loaded.folders.clone())
}

/// A circle of outputs that depend on each other in one cycle, if the network of a configuration has one.
///
/// # Errors
/// As [`netlists`].
pub fn circle(config: &Config) -> Result<Option<String>, Error> {
    let loaded = all(config, &mut |_, _| {})?;
    if loaded.iter().all(|(_, loaded)| loaded.settled_outputs == 0) {
        return Ok(None);
    }
    let netlists = netlists(config, &mut |_, _| {})?;
    let fabric = config.topology().fabric();
    let settling = settling(&fabric, |name| netlists.plain(name))?;
    Ok(settling.circle)
}

/// Reads a chip, and synthesises it where it is Verilog.
///
/// # Errors
/// When a file cannot be read, Yosys is missing or refuses the design, or the netlist cannot be put
/// in the place of the chip.
pub fn load(own: &OwnChip, begun: OnSynthesis<'_>) -> Result<&'static LoadedChip, Error> {
    let key = (own.chip, own.files.clone());
    let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((stamps, known)) = loaded.get(&key)
        && are_current(stamps)
    {
        return Ok(known);
    }
    let is_component = own.files[0]
        .extension()
        .is_some_and(|ending| ending == "toml");
    let (chip, files) = match is_component {
        true => of_component_file(own, begun)?,
        false => {
            let mut chip = read(own, begun)?;
            chip.folders = folders(&own.files);
            (chip, own.files.clone())
        }
    };
    let chip: &'static LoadedChip = Box::leak(Box::new(chip));
    loaded.insert(key, (stamps(&files), chip));
    Ok(chip)
}

/// A chip as a component file describes it, and the files that it is of.
fn of_component_file(
    own: &OwnChip,
    begun: OnSynthesis<'_>,
) -> Result<(LoadedChip, Vec<PathBuf>), Error> {
    let chip = own.table();
    let found = drop_in::load(&own.files[0], chip, &library(), |version| {
        begun(own.chip, version);
    })?;
    let ChipNetlist { module, vectors } = found.netlist;
    let fitted = fitted(chip, &module, &found.origin, found.reset_cycles)?;
    let mut loaded = LoadedChip::new(fitted, vectors, found.hash);
    loaded.left_out.extend(found.left_out);
    // The first one is the component file.
    loaded.folders = folders(found.files.iter().skip(1));
    Ok((loaded, found.files))
}

/// The sources of all chips, in which modules are looked for that a designer's files do not define.
fn library() -> Vec<(String, String)> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for (name, text) in CHIPS.iter().flat_map(|chip| chip.sources) {
        files.insert((*name).to_owned(), (*text).to_owned());
    }
    for (name, text) in verilog::headers() {
        files.insert(format!("include/{name}"), text);
    }
    files.into_iter().collect()
}

fn read(own: &OwnChip, begun: OnSynthesis<'_>) -> Result<LoadedChip, Error> {
    let chip = own.table();
    let is_netlist = own.files[0]
        .extension()
        .is_some_and(|ending| ending == "json");
    let (origin, json) = match is_netlist {
        true => {
            let bytes = input::read(&own.files[0], input::NETLIST)?;
            let origin = own.files[0].display().to_string();
            let text = input::utf8(&origin, bytes, Class::Input)?;
            (origin, text)
        }
        false => {
            let design = Design {
                top: own.chip,
                files: &own.files,
                includes: &[],
                texts: &[],
                options: &ReadOptions::default(),
                library: &library(),
            };
            let netlist =
                crosswave_synthesis::netlist(&design, |version| begun(own.chip, version))?;
            (own.written.join(", "), netlist.json)
        }
    };
    let hash = Sha256::digest(json.as_bytes());
    let hash = hash
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let netlist = yosys::read_netlist(json.trim_start_matches('\u{feff}'), &origin)?;
    let root = root(own.chip, &netlist, &origin)?;
    let ChipNetlist { module, vectors } = flattened(netlist, root)?;
    let fitted = fitted(chip, &module, &origin, 1)?;
    Ok(LoadedChip::new(fitted, vectors, hash))
}

/// The module of a file that is put in the place of a chip: the one of its name, the one that is
/// marked as the top, or the only one that no other module instantiates.
fn root(chip: &str, netlist: &yosys::Netlist, origin: &str) -> Result<usize, Error> {
    let modules = &netlist.design.modules;
    let find = |name: &str| modules.iter().position(|module| module.name == name);
    let marked = || netlist.top.as_deref().and_then(find);
    let only = || find(&netlist.design.top()?.name);
    find(chip).or_else(marked).or_else(only).ok_or_else(|| {
        if modules.is_empty() {
            let help =
                "look at what Yosys says of the files: `yosys -p 'read_verilog FILE; proc; stat'`";
            let found = "the netlist has no module with gates, flip-flops or connections in it";
            return Error::one(
                Class::Input,
                origin.to_owned(),
                Diagnostic::new("modules", found, help),
            );
        }
        let names: Vec<String> = modules
            .iter()
            .take(12)
            .map(|module| format!("`{}`", module.name))
            .collect();
        let found = format!("several modules may be the chip: {}", names.join(", "));
        let help = format!("name one of them {chip}");
        Error::one(
            Class::Input,
            origin.to_owned(),
            Diagnostic::new("modules", found, help),
        )
    })
}
