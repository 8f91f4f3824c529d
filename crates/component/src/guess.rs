//! A component file proposed from the names and widths of a module's ports.
//!
//! | file | guesses |
//! |---|---|
//! | `arrays` | the order of elements in the bits of a port |
//! | `constants` | constants of the sources: directions, and codes of kinds of flits |
//! | `names` | the signal that the name of a port says |
//! | `pins` | the clock, the reset, and inputs that keep their values |
//! | `bundles` | ports that are links: their number, protocol and widths |
//! | `tables` | the tables of links |
//! | `packets` | fields of packets |
//!
//! The direction of a signal is that of its port: names tell only which link it belongs to. The proposal
//! reads as a component file. Each of its lines says what it rests on, and what nothing tells is written
//! as the likeliest value, with a comment that says so.

mod arrays;
mod bundles;
mod constants;
mod names;
mod packets;
mod pins;
mod tables;
#[cfg(test)]
mod tests;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::file::ProtocolName;
use crate::included::Included;
use crate::links::ACK;
use bundles::{LinkKey, LinkShape, PlannedLinks, bundles};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_chips::netlists::flattened;
use crosswave_netlist::{Module, Port, PortDirection, yosys};
use crosswave_synthesis::Design;
pub use crosswave_synthesis::{Frontend, ReadOptions};

/// A module to propose a component file for.
#[derive(Debug)]
pub struct ModuleToGuess {
    /// The module, flat.
    pub module: Module,
    /// The text of its Verilog files and of those that they include; empty for a netlist.
    pub sources: String,
    /// True when it was read from a netlist.
    pub is_netlist: bool,
}

/// Reads a module: Verilog files, which are synthesised, or one netlist.
///
/// # Errors
/// When a file cannot be read, Yosys is missing or refuses the module, or there is no such module.
pub fn read(files: &[PathBuf], top: &str, options: &ReadOptions) -> Result<ModuleToGuess, Error> {
    let ends_in_json = |file: &PathBuf| file.extension().is_some_and(|ending| ending == "json");
    let is_netlist = files.iter().any(ends_in_json);
    let origin: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let origin = origin.join(", ");
    let mut sources = String::new();
    let json = match files {
        [file] if is_netlist => {
            let bytes = input::read(file, input::NETLIST)?;
            input::utf8(&origin, bytes, Class::Input)?
        }
        _ if is_netlist => {
            let found = format!("found {} files, and a netlist among them", files.len());
            let help = "give Verilog files, or one netlist that Yosys wrote";
            let found = Diagnostic::new("FILE", found, help);
            return Err(Error::one(Class::Usage, "command line", found));
        }
        _ => {
            let design = Design {
                top,
                files,
                includes: &[],
                texts: &[],
                options,
                library: &[],
            };
            let json = crosswave_synthesis::netlist(&design, |_| {})?.json;
            let mut included = Included::new(&[]);
            for file in files {
                let text = input::read_text(file, input::VERILOG, Class::Input)?;
                sources.push_str(&included.of(&text, file.parent().unwrap_or(Path::new("")))?);
                sources.push('\n');
            }
            for (_, text) in included.files.values() {
                sources.push_str(text);
                sources.push('\n');
            }
            json
        }
    };
    let netlist = yosys::read_netlist(json.trim_start_matches('\u{feff}'), &origin)?;
    let modules = &netlist.design.modules;
    let Some(root) = modules.iter().position(|module| module.name == top) else {
        let names: Vec<&str> = modules.iter().map(|module| &*module.name).collect();
        let help = match names.is_empty() {
            true => "it has no module with contents".to_owned(),
            false => format!("its modules are {}", names.join(", ")),
        };
        let found = Diagnostic::new("--top", format!("{origin} has no module {top}"), help);
        return Err(Error::one(Class::Usage, "command line", found));
    };
    Ok(ModuleToGuess {
        module: flattened(netlist, root)?.module,
        sources,
        is_netlist,
    })
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

fn key(text: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !text.is_empty() && text.chars().all(is_bare) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// The proposed component file. `files` are the files as it is to name them.
pub fn propose(found: &ModuleToGuess, files: &[String], options: &ReadOptions) -> String {
    let module = &found.module;
    let clock = pins::clock(module);
    let clock_port = clock.as_ref().map(|clock| &*clock.value);
    let reset = pins::reset(module, clock_port);
    let reset_port = reset.as_ref().map(|reset| &*reset.value.port);
    let is_other = |port: &&Port| {
        let name = Some(&*port.name);
        !port.bits.is_empty() && name != clock_port && name != reset_port
    };
    let others: Vec<&Port> = module.ports.iter().filter(is_other).collect();
    let inputs = |linked: &[&str]| {
        let inputs = others.iter().copied();
        let inputs = inputs.filter(|port| port.direction == PortDirection::Input);
        let inputs = inputs.filter(|port| !linked.contains(&&*port.name));
        inputs.collect::<Vec<&Port>>()
    };
    let (_, places) = pins::pins(&inputs(&[]));
    let is_line = places.axes[0].is_some() && places.axes[1].is_none();
    let signals = others.iter().filter_map(|port| names::signal_port(port));
    let found_bundles = bundles(signals.collect());
    let mut refused: Vec<(String, String)> = Vec::new();
    let mut planned: Vec<PlannedLinks<'_>> = Vec::new();
    for bundle in &found_bundles {
        match bundle.plan(is_line) {
            Ok(mut links) => {
                for part in links.signals.values_mut().flatten() {
                    part.counts_up = arrays::counts_up(&found.sources, &part.port.name);
                }
                planned.push(links);
            }
            Err(reason) => {
                let names: Vec<&str> = bundle.ports.iter().map(|p| &*p.port.name).collect();
                refused.push((names.join(", "), reason));
            }
        }
    }
    // All links are alike: those of the shape that most have.
    let number = |shape: &LinkShape| -> usize {
        let alike = planned.iter().filter(|links| links.shape == *shape);
        alike.map(|links| links.count).sum()
    };
    let best = planned
        .iter()
        .enumerate()
        .max_by_key(|(at, links)| (number(&links.shape), usize::MAX - at));
    let shape = best.map(|(_, links)| links.shape.clone());
    let (planned, unlike): (Vec<_>, Vec<_>) = planned
        .into_iter()
        .partition(|links| Some(&links.shape) == shape.as_ref());
    for links in unlike {
        let names: Vec<&str> = port_names(&links);
        let reason = "its widths or its protocol are not those of the other links";
        refused.push((names.join(", "), reason.to_owned()));
    }
    let linked: Vec<&str> = planned.iter().flat_map(port_names).collect();
    let (pins, places) = pins::pins(&inputs(&linked));

    let mut text = format!(
        "# Proposed by `crosswave component guess` from the names and widths of the ports of {}.\n\
         # Comments say what a line rests on. Correct what is wrong; `crosswave component check FILE` reads it.\n\n\
         [component]\ntop = {}\n",
        one_line(&module.name),
        quoted(&module.name)
    );
    module_keys(&mut text, found, files, options);
    match &clock {
        Some(clock) => {
            let _ = writeln!(text, "clock = {}  # {}", quoted(&clock.value), clock.reason);
        }
        None => text.push_str("clock = \"clk\"  # no input looks like a clock: name it here\n"),
    }
    match &reset {
        Some(reset) => {
            let level = if reset.value.is_low { "low" } else { "high" };
            let port = quoted(&reset.value.port);
            let _ = writeln!(
                text,
                "reset = {{ port = {port}, active = \"{level}\" }}  # {}",
                reset.reason
            );
        }
        None => text.push_str(
            "reset = { port = \"rst\", active = \"high\" }  # no input looks like a reset: name it here\n",
        ),
    }
    text.push_str(
        "# hop_cycles is to be filled in where it is not 1: cycles from a head at an input to that at an output.\n",
    );
    if !pins.is_empty() {
        text.push_str("\n[component.pins]\n");
        for pin in &pins {
            let _ = writeln!(text, "{} = {}  # {}", key(&pin.key), pin.value, pin.reason);
        }
    }
    links(&mut text, shape.as_ref(), &planned, found);
    for (names, reason) in &refused {
        let _ = writeln!(text, "# In no link: {}, as {reason}.", one_line(names));
    }
    let unused: Vec<&str> = others
        .iter()
        .filter(|port| port.direction == PortDirection::Output)
        .map(|port| &*port.name)
        .filter(|name| !linked.contains(name))
        .collect();
    if !unused.is_empty() {
        let _ = writeln!(
            text,
            "# Outputs in no link: {}.",
            one_line(&unused.join(", "))
        );
    }
    let count: usize = planned.iter().map(|links| links.count).sum();
    let shape = shape.unwrap_or(LinkShape {
        protocol: ProtocolName::ValidReady,
        data_bits: 32,
        vcs: 1,
        parts: Vec::new(),
    });
    let codes = constants::codes(&found.sources);
    let packets = packets::packets(&shape, places, count, codes.as_ref());
    let _ = writeln!(
        text,
        "\n[packet]\nflits = \"{}\"  # {}; there are single, counted, last and head-tail",
        packets.flits, packets.reason
    );
    if let Some((kinds, reason)) = &packets.kinds {
        let _ = writeln!(text, "type = {kinds}  # {reason}");
    }
    text.push_str("\n[packet.fields]\n");
    for (name, bits, reason) in &packets.fields {
        let _ = writeln!(text, "{name} = \"{bits}\"  # {reason}");
    }
    text
}

/// A text for a comment.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// The ports of links.
fn port_names<'a>(links: &PlannedLinks<'a>) -> Vec<&'a str> {
    let parts = links.signals.values().flatten();
    parts.map(|part| &*part.port.name).collect()
}

/// The keys that say how the module is read.
fn module_keys(text: &mut String, found: &ModuleToGuess, files: &[String], options: &ReadOptions) {
    if found.is_netlist {
        let _ = writeln!(text, "netlist = {}", quoted(&files.concat()));
        return;
    }
    let names: Vec<String> = files.iter().map(|file| quoted(file)).collect();
    let _ = writeln!(text, "sources = [{}]", names.join(", "));
    if options.frontend == Frontend::Slang {
        text.push_str("frontend = \"slang\"\n");
    }
    for (name, values) in [
        ("defines", &options.defines),
        ("parameters", &options.parameters),
    ] {
        let values: Vec<String> = values
            .iter()
            .map(|(name, value)| match value.parse::<i64>() {
                Ok(number) if number.to_string() == *value => format!("{} = {value}", key(name)),
                _ => format!("{} = {}", key(name), quoted(value)),
            })
            .collect();
        if !values.is_empty() {
            let _ = writeln!(text, "{name} = {{ {} }}", values.join(", "));
        }
    }
}

/// The tables of links.
fn links(
    text: &mut String,
    shape: Option<&LinkShape>,
    planned: &[PlannedLinks<'_>],
    found: &ModuleToGuess,
) {
    let Some(shape) = shape else {
        text.push_str(
            "\n# No ports look like a link: data that go in and out, with what goes with them. Name them here.\n\
             [[link]]\nnames = [\"local\", \"west\", \"east\"]\nprotocol = \"valid-ready\"\n\
             in = { data = \"{name}_in\", valid = \"{name}_in_valid\", ready = \"{name}_in_ready\" }\n\
             out = { data = \"{name}_out\", valid = \"{name}_out_valid\", ready = \"{name}_out_ready\" }\n",
        );
        return;
    };
    for table in tables::tables(planned, &found.sources) {
        text.push('\n');
        for note in &table.notes {
            let _ = writeln!(text, "# {}", one_line(note));
        }
        let names: Vec<String> = table.names.iter().map(|name| quoted(name)).collect();
        let _ = writeln!(
            text,
            "[[link]]\nnames = [{}]\nprotocol = \"{}\"  # flits of {} bits, by the ports",
            names.join(", "),
            shape.protocol.name(),
            shape.data_bits
        );
        if shape.protocol == ProtocolName::Credit {
            text.push_str("credits = 4  # a guess: flits that the buffer at the other end holds\n");
        }
        if shape.vcs > 1 {
            let _ = writeln!(
                text,
                "vcs = {}  # by the bits of what comes back",
                shape.vcs
            );
        }
        for (word, is_out) in [("in", false), ("out", true)] {
            let mut signals = Vec::new();
            for ((_, signal), texts) in table.expressions.iter().filter(|((o, _), _)| *o == is_out)
            {
                let name = match signal {
                    LinkKey::Data => "data",
                    LinkKey::Valid => "valid",
                    LinkKey::Back => shape.protocol.back(),
                    LinkKey::BackChannel => "credit_vc",
                    LinkKey::Ack => ACK,
                };
                let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
                signals.push(match &texts[..] {
                    [one] => format!("{name} = {one}"),
                    several => format!("{name} = [{}]", several.join(", ")),
                });
            }
            let _ = writeln!(text, "{word} = {{ {} }}", signals.join(", "));
        }
    }
}
