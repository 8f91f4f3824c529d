//! Routers of one component that differ in values of parameters.
//!
//! Each set of values makes another module. Modules that differ in constants only become one netlist with
//! pins ([`crosswave_synthesis::merged`]), and so one chip; others are chips of their own.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use toml::Spanned;

use super::file::{ModuleTable, ParametersAs};
use super::links::kept;
use super::map::{MappedModule, PinSource};
use super::mistakes::Mistakes;
use super::{Component, With, files, includes, parsed, read, read_options};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_base::threads;
use crosswave_chips::{PinDirection, Port, Role};
use crosswave_netlist::{self as netlist, Module};
use crosswave_synthesis::Design;
use crosswave_synthesis::merged::{self, Merged};
use crosswave_synthesis::rtlil::PINS;

/// The key of a component file that says what becomes of parameters.
const KEY: &str = "component.parameters_as";

/// Routers along each axis of the grid of a [`sample`].
pub const SAMPLE_SIDE: u64 = 4;

/// A router with a set of values.
#[derive(Debug, Clone)]
pub struct Realised {
    /// The component with its chip.
    pub component: &'static Component,
    /// The values of the chip's pins for parameters, by their ports.
    pub pins: Vec<(usize, u64)>,
    /// Its module in Verilog.
    pub module: &'static str,
}

/// Routers with sets of values.
#[derive(Debug, Clone)]
pub struct Realisation {
    /// The router of each set.
    pub routers: Vec<Realised>,
    /// Number of chips that are for several sets.
    pub merged: usize,
    /// Number of chips.
    pub chips: usize,
    /// The reason for more than one, where they were to be one.
    pub reason: Option<String>,
}

/// Sets of values of a component.
type Key = (usize, Vec<Vec<u64>>);
/// Routers that were made so far. They are there to the end of the program.
static REALISED: Mutex<BTreeMap<Key, &'static Realisation>> = Mutex::new(BTreeMap::new());
static VARIANTS: Mutex<BTreeMap<(usize, Vec<u64>), &'static Component>> =
    Mutex::new(BTreeMap::new());

/// Makes the routers of a component with sets of values of the parameters that instances have values of
/// ([`Component::instance_parameters`]). The sets differ. Their ports are those of the component, which has the
/// values 0, and so is their endpoint.
///
/// # Errors
/// When Yosys refuses a module, it has other ports than with values of 0, or a file says that parameters
/// are pins where they cannot be.
pub fn realised(
    component: &'static Component,
    sets: &[Vec<u64>],
) -> Result<&'static Realisation, Error> {
    let key = (std::ptr::from_ref(component) as usize, sets.to_vec());
    let known = REALISED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&key) {
        return Ok(found);
    }
    drop(known);
    let found = make(component, sets)?;
    let mut known = REALISED.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(known
        .entry(key)
        .or_insert_with(|| Box::leak(Box::new(found))))
}

fn make(component: &'static Component, sets: &[Vec<u64>]) -> Result<Realisation, Error> {
    let is_merged = component.parameters_as != ParametersAs::Arrays && sets.len() > 1;
    let merged = match is_merged {
        true => merged(component, sets)?,
        false => Merged {
            modules: Vec::new(),
            alone: (0..sets.len()).collect(),
            reason: None,
        },
    };
    let chips = merged.modules.len() + merged.alone.len();
    if component.parameters_as == ParametersAs::Pins && chips > 1 {
        let names = names(&component.instance_parameters);
        let reason = merged.reason.unwrap_or_default();
        let message = format!("{names} of {} cannot be pins: {reason}", component.top);
        let help = "parameters_as = \"auto\" takes a chip for each kind of module";
        let of = |table: &ModuleTable| table.parameters_as.as_ref().map(Spanned::span);
        let mistake = Diagnostic::new(KEY, message, help);
        return Err(at_key(component, of, mistake));
    }
    let alone = threads::each(merged.alone.len(), |at| {
        load_with(component, &sets[merged.alone[at]])
    });
    let mut routers: Vec<Option<Realised>> = vec![None; sets.len()];
    for (&set, made) in merged.alone.iter().zip(alone) {
        let made = made?;
        routers[set] = Some(Realised {
            component: made,
            pins: Vec::new(),
            module: made.router.chip.name,
        });
    }
    for module in &merged.modules {
        let members = module.members.iter();
        let of_module: Vec<&[u64]> = members.map(|member| &*sets[member.set]).collect();
        let (made, _) = read(
            &component.path,
            With::Pins(component, &of_module, &module.json),
        )?;
        let made = same_ports(component, made)?;
        let ports = made.router.chip.ports.iter().enumerate();
        let ports = ports.filter(|(_, port)| matches!(port.role, Role::Parameter));
        let ports: Vec<usize> = ports.map(|(number, _)| number).collect();
        for (member, values) in module.members.iter().zip(of_module) {
            routers[member.set] = Some(Realised {
                component: made,
                pins: ports
                    .iter()
                    .copied()
                    .zip(member.pins.iter().copied())
                    .collect(),
                module: kept(chip_name(component, values)),
            });
        }
    }
    let routers: Option<Vec<Realised>> = routers.into_iter().collect();
    Ok(Realisation {
        routers: routers.expect("each set has a module"),
        merged: merged.modules.len(),
        chips,
        reason: merged.reason.filter(|_| chips > 1),
    })
}

/// The error of a mistake at a key of the file of a component.
fn at_key(
    component: &Component,
    span: impl Fn(&ModuleTable) -> Option<Range<usize>>,
    mut mistake: Diagnostic,
) -> Error {
    let origin = component.place();
    let mut mistakes = Mistakes::new(&origin, &component.text);
    let file = parsed(&component.text, &mut mistakes).ok();
    mistake.span = file.and_then(|file| span(&file.component));
    mistakes.error(vec![mistake])
}

/// Merges the modules of sets of values.
fn merged(component: &Component, sets: &[Vec<u64>]) -> Result<Merged, Error> {
    let path = &component.path;
    let text = input::read_text(path, input::COMPONENT, Class::Usage)?;
    let origin = component.place();
    let mut mistakes = Mistakes::new(&origin, &text);
    let file = parsed(&text, &mut mistakes)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let files = files(&file.component, folder, &mut mistakes)?;
    let includes = includes(&file.component, folder, &mut mistakes)?;
    let (options, _) = read_options(&file.component, &mut mistakes)?;
    let design = Design {
        top: &component.top,
        files: &files,
        includes: &includes,
        texts: &[],
        options: &options,
        library: &[],
    };
    let sets = sets.iter();
    let sets: Vec<_> = sets
        .map(|values| words(&component.instance_parameters, values))
        .collect();
    merged::merged(&design, &sets, |_| {})
}

/// Parameters with values, as Verilog writes them.
pub(super) fn words(parameters: &[(String, PinSource)], values: &[u64]) -> Vec<(String, String)> {
    let each = parameters.iter().zip(values);
    each.map(|((name, _), value)| (name.clone(), value.to_string()))
        .collect()
}

/// Takes the ports of pins off a module that sets of values have in common.
pub(super) fn take_pins(module: &mut Module) -> Vec<netlist::Port> {
    let is_pin = |port: &netlist::Port| port.name.starts_with(PINS);
    let pins = module.ports.iter().filter(|port| is_pin(port)).cloned();
    let pins = pins.collect();
    module.ports.retain(|port| !is_pin(port));
    pins
}

/// Adds ports of pins to a chip.
pub(super) fn with_pins(mut mapped: MappedModule, pins: Vec<netlist::Port>) -> MappedModule {
    for pin in pins {
        mapped.ports.push(Port {
            name: kept(pin.name.clone()),
            direction: PinDirection::Input,
            width: pin.bits.len() as u8,
            role: Role::Parameter,
            doc: "constants of the module with the values that its parameters have here",
        });
        mapped.module.ports.push(pin);
    }
    mapped
}

/// The sets of values that routers of a component have in a grid of [`SAMPLE_SIDE`] routers along each
/// axis: of two axes, and of three where a parameter is `instance.z`.
pub fn sample(component: &Component) -> Vec<Vec<u64>> {
    let sources = component
        .instance_parameters
        .iter()
        .map(|(_, source)| *source);
    let has_z = sources
        .clone()
        .any(|source| source == PinSource::Coordinate(2));
    let routers = SAMPLE_SIDE.pow(if has_z { 3 } else { 2 });
    let value = |router: u64, source| match source {
        PinSource::Value(value) => value,
        PinSource::Coordinate(axis) => router / SAMPLE_SIDE.pow(axis as u32) % SAMPLE_SIDE,
        PinSource::Id => router,
    };
    let sets = (0..routers).map(|router| sources.clone().map(move |source| value(router, source)));
    let mut sample: Vec<Vec<u64>> = Vec::new();
    for set in sets.map(Iterator::collect) {
        if !sample.contains(&set) {
            sample.push(set);
        }
    }
    sample
}

/// The names of parameters, in words.
pub fn names(parameters: &[(String, PinSource)]) -> String {
    let names: Vec<&str> = parameters.iter().map(|(name, _)| &**name).collect();
    names.join(", ")
}

/// The name of the chip with a set of values: that of the component with values of 0.
pub(super) fn chip_name(component: &Component, values: &[u64]) -> String {
    match values.iter().all(|&value| value == 0) {
        true => component.router.chip.name.to_owned(),
        false => format!(
            "{}{}",
            component.router.chip.name,
            suffix(&component.instance_parameters, values)
        ),
    }
}

/// The end of the name of a chip with a set of values.
pub(super) fn suffix(parameters: &[(String, PinSource)], values: &[u64]) -> String {
    let each = parameters.iter().zip(values);
    each.map(|((name, _), value)| format!("_{name}_{value}"))
        .collect()
}

/// The component whose module has a set of values.
fn load_with(component: &'static Component, values: &[u64]) -> Result<&'static Component, Error> {
    if values.iter().all(|&value| value == 0) {
        return Ok(component);
    }
    let key = (std::ptr::from_ref(component) as usize, values.to_vec());
    let known = VARIANTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&key) {
        return Ok(found);
    }
    drop(known);
    let (found, _) = read(&component.path, With::Values(component, values))?;
    let found = same_ports(component, found)?;
    let mut known = VARIANTS.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(known.entry(key).or_insert(found))
}

/// A component that was made of another one, and has the same ports.
fn same_ports(of: &'static Component, found: Component) -> Result<&'static Component, Error> {
    let ports = |component: &Component| {
        let ports = component.router.chip.ports.iter();
        let ports = ports.filter(|port| !matches!(port.role, Role::Parameter));
        let ports = ports.map(|port| (port.name, port.width, port.direction));
        ports.collect::<Vec<_>>()
    };
    if ports(&found) != ports(of) {
        let message = format!(
            "{} has other ports than {}",
            found.router.chip.name, of.router.chip.name
        );
        let help = "parameters that instances have values of do not change widths";
        let first = of.instance_parameters.first();
        let span = |table: &ModuleTable| Some(table.parameters.get(&first?.0)?.span());
        let mistake = Diagnostic::new("component.parameters", message, help);
        return Err(at_key(of, span, mistake));
    }
    Ok(Box::leak(Box::new(found)))
}
