//! The page of signals: the ports of every chip, as waveforms show them.

use std::fmt::Write;

use crosswave_chips::{CHIPS, Chip, MODELS, PinDirection, Port, Role};
use crosswave_probe::signal::StateName;

/// The page of signals.
pub(super) fn page() -> String {
    let mut page = String::from(
        "# Signals\n\n\
         Every port of every chip is a signal of a waveform, by the name that it has here and in \
         Verilog. An instance is a scope: `testbench.network.router_LEVEL_NUMBER`, \
         `testbench.network.node_NUMBER` or `testbench.network.delay_NUMBER` in fat trees, \
         `rn1_STAGE_NUMBER` in bidelta networks and butterflies, `STAGE_UNIT_NUMBER` in Transit trees. \
         The kinds are those of `wave.kinds`. Ports with random bits are recorded with \
         `wave.random_pins` only. `crosswave signals FILE.toml` lists the signals of one network.\n",
    );
    let chips: Vec<&Chip> = CHIPS.iter().chain(MODELS).copied().collect();
    let mut last = "";
    for (at, chip) in chips.iter().enumerate() {
        let family = family(chip);
        if family == last {
            continue;
        }
        last = family;
        write_chip(&mut page, chip).expect("a string takes all text");
        let others = chips[at + 1..]
            .iter()
            .filter(|other| self::family(other) == family);
        let others: Vec<String> = others.map(|other| format!("`{}`", other.name)).collect();
        if !others.is_empty() {
            let others = others.join(", ");
            page += &format!("\nThe same ports for more links: {others}.\n");
        }
    }
    page
}

/// The name of a chip, without the number of its links where it ends with that.
fn family(chip: &Chip) -> &'static str {
    let name = chip.name;
    match name.rsplit_once('_') {
        Some((family, links)) if links.parse::<u32>().is_ok() => family,
        _ => name,
    }
}

fn write_chip(page: &mut String, chip: &Chip) -> std::fmt::Result {
    writeln!(page, "\n## {}\n", chip.name)?;
    match chip.sources.first() {
        Some((source, _)) => writeln!(page, "Verilog: `hdl/{source}`.\n")?,
        None => writeln!(
            page,
            "A register-level model for the event engine, without Verilog.\n"
        )?,
    }
    writeln!(page, "| port | direction | bits | kind | meaning |")?;
    writeln!(page, "|---|---|---|---|---|")?;
    for port in chip.ports {
        let direction = match port.direction {
            PinDirection::Input => "input",
            PinDirection::Output => "output",
        };
        let doc = port.doc.replace('|', "\\|");
        let (name, width, kind) = (port.name, port.width, kind(port));
        writeln!(
            page,
            "| `{name}` | {direction} | {width} | {kind} | {doc}{} |",
            states(port)
        )?;
    }
    if !chip.words.is_empty() {
        let words = named(chip.words);
        writeln!(page, "\nWords on its links have names: {words}.")?;
    }
    Ok(())
}

/// The names of the states of a port.
fn states(port: &Port) -> String {
    match port.role {
        Role::State(states) if !states.is_empty() => format!("; states {}", named(states)),
        _ => String::new(),
    }
}

fn named(states: &[StateName]) -> String {
    let states = states
        .iter()
        .map(|state| format!("{} `{}`", state.value, state.name));
    states.collect::<Vec<_>>().join(", ")
}

/// The kind of a port, as in `wave.kinds`.
fn kind(port: &Port) -> &'static str {
    match port.role {
        Role::Clock | Role::Reset => "clock",
        Role::Option | Role::Parameter => "option",
        Role::Random { .. } => "random",
        Role::Host => "host",
        Role::Link { .. } => "link",
        Role::State(_) => "state",
    }
}
