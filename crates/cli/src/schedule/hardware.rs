//! A schedule in hardware: its packets through the chips of a tree, on an engine.

use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::interrupt;
use crate::output::Output;
use crate::usage;
use crate::wave_args::{WaveArgs, WaveOutput};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_chips::{Chip, netlists};
use crosswave_collectives::schedule::Schedule;
use crosswave_collectives::text::destination_text;
use crosswave_collectives::tree::BinaryFatTree as IdealTree;
use crosswave_event::EventEngine;
use crosswave_gate::{Backend, GateEngine};
use crosswave_network::Fabric;
use crosswave_network::binary_fat_tree::BinaryFatTree;
use crosswave_network::topology::ROUTERS;
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::SignalSelection;
use crosswave_run::host::packets::{PacketHost, ScheduleOutcome, Sent, sent};
use crosswave_run::observer::Observer;
use crosswave_run::packets;
use crosswave_run::recorder::{PortSelection, Recorder, signals};
use crosswave_wave::{Timescale, WaveFile};

/// The most nodes of a tree in hardware: with all its slices it has 2^16 chips and more.
const NODES_MAX: u32 = 1 << 14;
/// The most nodes of a tree whose waveform is recorded, all of it.
const RECORDED_NODES_MAX: u32 = 1 << 10;
/// The most packets: their numbers have 24 bits.
const PACKETS_MAX: usize = 1 << 24;
/// Conflicts that are listed.
const LISTED: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnEngine {
    /// The gate netlists of the chips
    Gate,
    /// Their register-level models
    Event,
}

/// Options for sending a schedule through chips.
#[derive(Debug, Args)]
pub(super) struct HardwareArgs {
    /// Send the packets through the chips of the tree as well, on this engine
    #[arg(long, value_enum)]
    engine: Option<OnEngine>,
    #[command(flatten)]
    wave: WaveArgs,
}

/// Result on the chips, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct Hardware {
    pub(super) engine: &'static str,
    steps: u64,
    deliveries: u64,
}

impl Hardware {
    /// As a row of a table.
    pub(super) fn told(&self) -> String {
        format!("{} steps, {} deliveries", self.steps, self.deliveries)
    }
}

impl HardwareArgs {
    /// The waveform.
    ///
    /// # Errors
    /// When there is one, and no engine.
    pub(super) fn output(&self) -> Result<Option<Output<'_>>, Error> {
        let output = self.wave.output()?;
        match (output, self.engine) {
            (Some(output), None) => {
                let help = "add --engine gate or --engine event";
                Err(usage(output.flag, "nothing is sent through chips", help))
            }
            (output, _) => Ok(output.and_then(|output| output.single())),
        }
    }

    /// Sends a schedule through the chips of a tree, where that is asked for.
    ///
    /// # Errors
    /// When there is no such tree of chips, the waveform cannot be written, and someone asks to
    /// stop; and when packets meet, with the first places.
    pub(super) fn send(
        &self,
        ideal: &IdealTree,
        schedule: &Schedule,
        origin: &str,
    ) -> Result<Option<Hardware>, Error> {
        let Some(on) = self.engine else {
            return Ok(None);
        };
        let tree = tree(ideal, schedule)?;
        let fabric = tree.fabric();
        let packets = sent(schedule, ideal.levels());
        let (name, mut engine): (_, Box<dyn Engine>) = match on {
            OnEngine::Event => ("event", Box::new(EventEngine::new(fabric.clone(), 0, 1))),
            OnEngine::Gate => {
                let netlist = netlists::plain;
                let engine = GateEngine::new(fabric.clone(), netlist, 0, 1, Backend::best())?;
                ("gate", Box::new(engine))
            }
        };
        let host = PacketHost::new(&tree, &packets);
        let outcome = match self.wave.output()? {
            None => packets::run(&mut *engine, host, &mut Stop),
            Some(output) => record(&tree, &fabric, &mut *engine, host, output)?,
        };
        if interrupt::interrupted() {
            return Err(interrupt::interruption());
        }
        if !outcome.conflicts.is_empty() || !outcome.wrong.is_empty() {
            let came = came(&outcome, &tree, schedule, &packets);
            return Err(conflicts(&outcome, &fabric, &came, origin));
        }
        Ok(Some(Hardware {
            engine: name,
            steps: outcome.finish_step,
            deliveries: outcome.deliveries.len() as u64,
        }))
    }
}

/// The chips of a tree.
fn tree(ideal: &IdealTree, schedule: &Schedule) -> Result<BinaryFatTree, Error> {
    let capacities: Vec<u32> = (1..=ideal.levels()).map(|i| ideal.capacity(i)).collect();
    if ideal.processors() > NODES_MAX {
        let found = format!("a tree of chips has at most {NODES_MAX} nodes");
        return Err(usage("--engine", found, "take fewer nodes"));
    }
    if schedule.packets.len() > PACKETS_MAX {
        let found = format!("chips number at most {PACKETS_MAX} packets");
        return Err(usage("--engine", found, "take fewer nodes"));
    }
    BinaryFatTree::of(capacities).ok_or_else(|| {
        let found = "a processor has more than one link; chips of a node have one";
        let help = "take capacities with 1 in front";
        usage("--capacities", found, help)
    })
}

/// Sends the packets and records every port.
fn record(
    tree: &BinaryFatTree,
    fabric: &Fabric,
    engine: &mut dyn Engine,
    host: PacketHost<'_>,
    output: WaveOutput<'_>,
) -> Result<ScheduleOutcome, Error> {
    if tree.nodes() > RECORDED_NODES_MAX {
        let found = format!("a waveform shows all ports of at most {RECORDED_NODES_MAX} nodes");
        return Err(usage(output.flag, found, "take fewer nodes"));
    }
    let set = signals(fabric, PortSelection::All);
    let file = WaveFile::create(output.path, output.format, &set, Timescale::NANOSECOND)?;
    let kept = SignalSelection::all(set.signals.len());
    let last = host.last_cycle();
    let mut recorder = Recorder::new(fabric, 0, PortSelection::All, kept, (0, last), file);
    let outcome = packets::run(engine, host, &mut (Stop, &mut recorder));
    let file = recorder
        .finish(last)
        .map_err(|error| Error::io(output.path, "writing the waveform", &error))?;
    if !interrupt::interrupted() {
        file.finish()?;
    }
    Ok(outcome)
}

/// The packets that came to the slice of the first conflict in the clock before it shows, by
/// their steps and ends: the run is made again to look.
fn came(
    outcome: &ScheduleOutcome,
    tree: &BinaryFatTree,
    schedule: &Schedule,
    packets: &[Sent],
) -> String {
    let Some(first) = outcome.conflicts.first() else {
        return String::new();
    };
    let fabric = tree.fabric();
    let mut arrivals = Arrivals {
        chip: fabric.arrays[ROUTERS].chip,
        cycle: first.cycle - 1,
        slice: first.slice as usize,
        ids: Vec::new(),
    };
    let mut engine = EventEngine::new(fabric, 0, 1);
    packets::run(&mut engine, PacketHost::new(tree, packets), &mut arrivals);
    let named = arrivals.ids.iter().map(|&id| {
        let packet = &schedule.packets[id as usize];
        let destination = destination_text(packet.destination);
        format!("{} to {destination} of step {}", packet.source, packet.step)
    });
    named.collect::<Vec<_>>().join(", ")
}

/// The packets that arrive at a slice in a cycle.
struct Arrivals {
    chip: &'static Chip,
    cycle: u64,
    slice: usize,
    ids: Vec<u32>,
}

impl Observer for Arrivals {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        if engine.cycle() != self.cycle {
            return;
        }
        for link in self.chip.links {
            let shown = |what: &str| {
                let port = self.chip.port(&format!("{link}_in_{what}"));
                engine.value(ROUTERS, port, self.slice)
            };
            if shown("valid") != 0 {
                self.ids.push(shown("id") as u32);
            }
        }
    }

    fn interrupted(&mut self) -> bool {
        interrupt::interrupted()
    }
}

/// The error for packets that met: the first places, by step and chip, and the packets that came to
/// the first one.
fn conflicts(outcome: &ScheduleOutcome, fabric: &Fabric, came: &str, origin: &str) -> Error {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for (at, conflict) in outcome.conflicts.iter().take(LISTED).enumerate() {
        let chip = fabric.instance_name(ROUTERS, conflict.slice as usize);
        let sides = fabric.arrays[ROUTERS].chip.links.iter().enumerate();
        let sides = sides.filter(|(bit, _)| conflict.outputs >> bit & 1 != 0);
        let sides: Vec<&str> = sides.map(|(_, side)| *side).collect();
        diagnostics.push(Diagnostic::new(
            format!(
                "{chip}, after step {}, cycle {}",
                conflict.cycle - 2,
                conflict.cycle
            ),
            match at {
                0 => format!(
                    "several packets want {} at once; there came {came}",
                    sides.join(" and ")
                ),
                _ => format!("several packets want {} at once", sides.join(" and ")),
            },
            "one passes, and the others are lost",
        ));
    }
    if outcome.conflicts.len() > LISTED {
        let more = format!("{} more like these", outcome.conflicts.len() - LISTED);
        diagnostics.push(Diagnostic::new("and", more, ""));
    }
    Error {
        class: Class::Check,
        origin: origin.to_owned(),
        source: None,
        diagnostics,
    }
}

/// Ends a run when someone asks to.
struct Stop;

impl Observer for Stop {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn interrupted(&mut self) -> bool {
        interrupt::interrupted()
    }
}
