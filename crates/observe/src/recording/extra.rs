//! Signals of a waveform beside ports: messages, and nets inside the chips. Both are known when a
//! run is over, so the replicate is run once before it is recorded.

use std::rc::Rc;

use super::failure::RecordingFailure;
use super::monitor::{Monitor, run_before};
use super::selection::Selection;
use crate::life::Follower;
use crate::life::lanes::MessageLanes;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_probe::signal::{Mark, SignalSet};
use crosswave_run::nets::{CHANGES_MAX, NamedNets, NetObserver};
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

/// Signals that are no ports, with all their changes.
#[derive(Clone)]
pub(super) struct ExtraHistory {
    pub(super) signals: SignalSet,
    /// For each of them, true when it is X in cycle 0.
    pub(super) unknown: Vec<bool>,
    pub(super) marks: Rc<[Mark]>,
}

/// The signals beside ports that a selection asks for: those of messages, then nets.
pub(super) fn signals(simulation: &Simulation, selection: &Selection) -> SignalSet {
    let mut signals =
        messages(simulation, selection).map_or_else(SignalSet::default, |m| m.signals());
    if let Some(kept) = &selection.nets {
        signals.extend(NamedNets::new(simulation.fabric(), simulation.netlists()).set(kept));
    }
    signals
}

/// Messages as signals, where they are asked for.
fn messages<'a>(simulation: &'a Simulation, selection: &Selection) -> Option<MessageLanes<'a>> {
    let is_asked_for = selection.wave.lanes;
    is_asked_for.then(|| MessageLanes::new(simulation.network(), simulation.fabric()))
}

impl ExtraHistory {
    /// Runs a replicate and finds what is asked for; `None` when nothing is.
    ///
    /// # Errors
    /// When the run fails or is stopped, and when nets change too often.
    pub(super) fn find(
        simulation: &Simulation,
        selection: &Selection,
        replicate: &Replicate,
        monitor: &mut dyn Monitor,
    ) -> Result<Option<ExtraHistory>, RecordingFailure> {
        let (network, fabric) = (simulation.network(), simulation.fabric());
        let mut lanes = messages(simulation, selection);
        let kept = selection.nets.as_ref();
        let nets =
            kept.map(|kept| NetObserver::new(&NamedNets::new(fabric, simulation.netlists()), kept));
        let mut nets = nets.transpose()?;
        if lanes.is_none() && nets.is_none() {
            return Ok(None);
        }
        let of_messages = lanes.as_ref().map_or(0, |m| m.signals().signals.len());
        let mut follower = lanes
            .as_mut()
            .map(|lanes| Follower::new(network, fabric, lanes));
        let mut observer = (&mut follower, &mut nets);
        run_before(simulation, replicate, &mut observer, monitor)?;
        if let Some(follower) = follower {
            follower.finish().expect("lanes are kept in memory");
        }
        let mut marks = lanes.map_or_else(Vec::new, |lanes| lanes.marks());
        if let Some(nets) = nets {
            let of_nets = nets.marks().ok_or_else(|| {
                let message = format!("the nets change more than {CHANGES_MAX} times");
                let help = "name fewer of them, or lower run.cycles_max";
                let diagnostic = Diagnostic::new("wave.nets", message, help);
                Error::one(Class::Usage, "configuration", diagnostic)
            })?;
            marks.extend(of_nets.into_iter().map(|mark| Mark {
                signal: of_messages + mark.signal,
                ..mark
            }));
            marks.sort_by_key(|mark| mark.cycle);
        }
        let signals = signals(simulation, selection);
        let unknown = (0..signals.signals.len()).map(|signal| signal >= of_messages);
        Ok(Some(ExtraHistory {
            unknown: unknown.collect(),
            signals,
            marks: marks.into(),
        }))
    }
}
