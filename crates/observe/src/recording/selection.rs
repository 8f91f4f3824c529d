//! Selection of the signals of a waveform.

use super::failure::{RecordingFailure, Refusal, Subject};
use super::monitor::{Monitor, run_before};
use crate::life::Follower;
use crate::life::ports::{Used, UsedByMessages};
use crosswave_base::diagnostic::Diagnostic;
use crosswave_chips::Role;
use crosswave_network::topology::NODES;
use crosswave_network::traffic::EVERY_NODE;
use crosswave_probe::signal::SignalSelection;
use crosswave_run::config::{ConfigSource, PortKind, WaveConfig};
use crosswave_run::memory;
use crosswave_run::nets::NamedNets;
use crosswave_run::recorder::{PortSelection, Signals};
use crosswave_run::simulation::Simulation;
use crosswave_wave::{FileFormat, WaveFile, select_entries};

/// Signals a waveform may have: beyond, its tables would not fit in memory.
pub const SIGNALS_MAX: usize = 1 << 26;

/// The signals of a network that are selected for a waveform.
#[derive(Clone)]
pub struct Selection {
    /// The table that selected them.
    pub(super) wave: WaveConfig,
    pub(super) pins: PortSelection,
    /// The selected signals among all.
    pub(super) kept: SignalSelection,
    /// The selected nets among all named ones, if some are asked for.
    pub(super) nets: Option<SignalSelection>,
}

/// Source of a selection: the simulation, and the origin of its description.
struct Origin<'a> {
    simulation: &'a Simulation,
    wave: &'a WaveConfig,
    source: &'a ConfigSource,
}

impl Selection {
    /// Selects what `wave`, which was read from `source`, asks for of a network. Where messages
    /// are named, they are followed in a run of replicate 0.
    ///
    /// # Errors
    /// When the network has more than [`SIGNALS_MAX`] ports or named nets, when a pattern matches
    /// nothing or nothing is left, when there are no such levels, nodes or messages, and when the
    /// monitor stops the run.
    pub fn new(
        simulation: &Simulation,
        wave: &WaveConfig,
        source: &ConfigSource,
        monitor: &mut dyn Monitor,
    ) -> Result<Selection, RecordingFailure> {
        let origin = &Origin {
            simulation,
            wave,
            source,
        };
        let fabric = simulation.fabric();
        let arrays = fabric.arrays.iter();
        let ports: usize = arrays.map(|a| a.instances * a.chip.ports.len()).sum();
        if ports > SIGNALS_MAX {
            let message = format!(
                "the network has {ports} ports, and a waveform takes at most {SIGNALS_MAX}"
            );
            let help = "record a smaller network, whatever [wave] scopes selects";
            return Err(Refusal::new(Subject::Ports, message, help).into());
        }
        let pins = match wave.random_pins {
            true => PortSelection::All,
            false => PortSelection::NotRandom,
        };
        let shown = Signals::new(fabric, pins);
        let mut kept = select_entries(&shown, &wave.scopes).map_err(|mut mistakes| {
            if pins == PortSelection::NotRandom {
                let all = Signals::new(fabric, PortSelection::All);
                for (entry, mistake) in &mut mistakes {
                    if select_entries(&all, &wave.scopes[*entry..=*entry]).is_ok() {
                        mistake.message = "matches only pins with random bits".into();
                        mistake.help = "set wave.random_pins = true to record those".into();
                    }
                }
            }
            let mistakes = mistakes.into_iter();
            let mistakes = mistakes.map(|(entry, mistake)| (Some(entry), mistake));
            origin.source.wave_error("scopes", mistakes.collect())
        })?;
        let narrowed = Narrowed::new(origin, monitor)?;
        if !narrowed.is_all() {
            for (signal, kept) in kept.iter_mut().enumerate().filter(|(_, kept)| **kept) {
                *kept = narrowed.has(&shown, signal);
            }
            if !kept.contains(&true) {
                let keys = "wave.kinds, wave.levels, wave.routes and wave.messages";
                let message = format!("of what it selects {keys} leave nothing");
                let help = "take one of them away";
                return Err(Refusal::new(Subject::Scopes, message, help).into());
            }
        }
        Ok(Selection {
            wave: wave.clone(),
            pins,
            kept: kept.into_iter().collect(),
            nets: nets(origin)?,
        })
    }

    /// Number of ports that are shown.
    pub fn ports(&self) -> usize {
        self.kept.count()
    }

    /// Bytes of memory that recording them takes.
    pub fn bytes(&self, format: FileFormat) -> u64 {
        let recorder = memory::waveform(self.kept.signals(), self.kept.count());
        recorder + WaveFile::memory(format, self.kept.count() as u64)
    }
}

/// The named nets that are asked for.
fn nets(origin: &Origin<'_>) -> Result<Option<SignalSelection>, RecordingFailure> {
    let patterns = &origin.wave.nets;
    if patterns.is_empty() {
        return Ok(None);
    }
    let (fabric, netlists) = (origin.simulation.fabric(), origin.simulation.netlists());
    if let Some(message) = NamedNets::too_large(fabric, netlists) {
        let help = "leave wave.nets out, or take a smaller memory";
        return Err(Refusal::new(Subject::Nets, message, help).into());
    }
    let all = NamedNets::new(fabric, netlists);
    if all.signal_count() > SIGNALS_MAX {
        let count = all.signal_count();
        let message =
            format!("the chips have {count} named nets; at most {SIGNALS_MAX} are looked at");
        return Err(Refusal::new(Subject::Nets, message, "take a smaller network").into());
    }
    let kept = select_entries(&all, patterns).map_err(|mistakes| {
        let mistakes = mistakes.into_iter();
        let mistakes = mistakes.map(|(entry, mistake)| (Some(entry), mistake));
        origin.source.wave_error("nets", mistakes.collect())
    })?;
    Ok(Some(kept.into_iter().collect()))
}

/// Narrowing of the ports that patterns match.
struct Narrowed<'a> {
    simulation: &'a Simulation,
    kinds: &'a [PortKind],
    levels: &'a [u32],
    /// The ports that messages use, if that is asked for.
    used: Option<Used>,
}

impl<'a> Narrowed<'a> {
    fn new(
        origin: &Origin<'a>,
        monitor: &mut dyn Monitor,
    ) -> Result<Narrowed<'a>, RecordingFailure> {
        let Origin {
            simulation, wave, ..
        } = *origin;
        let ranks = simulation.network().drawing().ranks();
        let beyond = wave
            .levels
            .iter()
            .position(|level| *level as usize >= ranks.len());
        if let Some(entry) = beyond {
            let message = format!("there are {} levels or stages", ranks.len());
            let help = format!("levels are counted from 0 to {}", ranks.len() - 1);
            let mistake = Diagnostic::new(wave.levels[entry].to_string(), message, help);
            let mistakes = vec![(Some(entry), mistake)];
            return Err(origin.source.wave_error("levels", mistakes).into());
        }
        let uses = !wave.routes.is_empty() || !wave.messages.is_empty();
        Ok(Narrowed {
            simulation,
            kinds: &wave.kinds,
            levels: &wave.levels,
            used: uses.then(|| used(origin, monitor)).transpose()?,
        })
    }

    fn is_all(&self) -> bool {
        self.kinds.is_empty() && self.levels.is_empty() && self.used.is_none()
    }

    fn has(&self, signals: &Signals<'_>, signal: usize) -> bool {
        let fabric = self.simulation.fabric();
        let Some((array, instance, port)) = signals.place(signal) else {
            // A lane of a connection, which is its node's.
            let lane = signals.lane(signal).expect("it is no port");
            let is_used = |used: &Used| used.has(fabric, (NODES, lane, 0));
            let of_any_kind = self.kinds.is_empty() && self.levels.is_empty();
            return of_any_kind && self.used.as_ref().is_none_or(is_used);
        };
        let role = fabric.arrays[array].chip.ports[port].role;
        let is_of = |kind: &PortKind| match kind {
            PortKind::State => matches!(role, Role::State(_)),
            PortKind::Link => matches!(role, Role::Link { .. }),
            PortKind::Host => matches!(role, Role::Host),
            PortKind::Option => matches!(role, Role::Option),
            PortKind::Clock => matches!(role, Role::Clock | Role::Reset),
        };
        let at_level = || {
            let drawing = self.simulation.network().drawing();
            fabric.router_number(array, instance).is_some_and(|router| {
                let (level, _) = drawing.standing(router as u32);
                self.levels.contains(&(level as u32))
            })
        };
        (self.kinds.is_empty() || self.kinds.iter().any(is_of))
            && (self.levels.is_empty() || at_level())
            && (self.used.as_ref()).is_none_or(|used| used.has(fabric, (array, instance, port)))
    }
}

/// The ports that the named routes and messages use.
fn used(origin: &Origin<'_>, monitor: &mut dyn Monitor) -> Result<Used, RecordingFailure> {
    let Origin {
        simulation,
        wave,
        source: text,
    } = *origin;
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let mut used = match wave.messages.is_empty() {
        true => Used::default(),
        false => used_by_messages(origin, monitor)?,
    };
    for (entry, &(source, destination)) in wave.routes.iter().enumerate() {
        if source.max(destination) >= network.nodes() || source == destination {
            let message = format!("expected two of the nodes 0 to {}", network.nodes() - 1);
            let place = format!("{source} to {destination}");
            let mistake = Diagnostic::new(place, message, "such as [[0, 1]]");
            return Err(text
                .wave_error("routes", vec![(Some(entry), mistake)])
                .into());
        }
        used.add_route(network, fabric, source, destination);
    }
    Ok(used)
}

/// The ports that messages use in a run of replicate 0.
fn used_by_messages(
    origin: &Origin<'_>,
    monitor: &mut dyn Monitor,
) -> Result<Used, RecordingFailure> {
    let Origin {
        simulation, wave, ..
    } = *origin;
    let (network, fabric) = (simulation.network(), simulation.fabric());
    let replicate = simulation.replicate(0)?;
    let count = replicate.workload.messages.len();
    if let Some(entry) = wave.messages.iter().position(|id| *id as usize >= count) {
        let message = format!("there are {count} messages, counted from 0");
        let mistake = Diagnostic::new(wave.messages[entry].to_string(), message, "");
        let mistakes = vec![(Some(entry), mistake)];
        let error = origin.source.wave_error("messages", mistakes);
        return Err(RecordingFailure::UnknownMessage(error));
    }
    if network.switch().is_none() {
        let mut used = Used::default();
        for &id in &wave.messages {
            let message = &replicate.workload.messages[id as usize];
            let others = (0..network.nodes()).filter(|&node| node != message.source);
            let is_destination = |node: &u32| [*node, EVERY_NODE].contains(&message.destination);
            for node in others.filter(is_destination) {
                used.add_route(network, fabric, message.source, node);
            }
        }
        return Ok(used);
    }
    let mut found = UsedByMessages::new(network, fabric, wave.messages.iter().copied());
    let mut follower = Follower::new(network, fabric, &mut found);
    run_before(simulation, &replicate, &mut follower, monitor)?;
    follower.finish().expect("what is used is kept in memory");
    Ok(found.used())
}
