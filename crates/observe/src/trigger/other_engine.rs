//! The first difference between two engines: what signals show in the cycles of a run on
//! another engine, which goes on beside this one.

use crossbeam::channel::{Receiver, Sender, bounded};

use super::signal_source::{CycleView, SignalSource};
use crosswave_network::Fabric;
use crosswave_probe::engine::Engine;
use crosswave_run::observer::Observer;
use crosswave_run::recorder::RunLanes;

/// Cycles by which a run may be ahead of the other.
const AHEAD: usize = 1024;

/// A hash of the signals in a cycle. Two cycles that differ have the same once in 2^64 times.
fn digest(cycle: &CycleView<'_>, sources: &[SignalSource]) -> u64 {
    sources.iter().fold(0, |digest: u64, &source| {
        (digest.rotate_left(23) ^ cycle.value(source)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// A cycle, and what signals show from it on.
type Told = (u64, u64);

/// Signals that are compared with those of another run.
#[derive(Debug)]
pub struct Compared {
    sources: Vec<SignalSource>,
    /// The connections of the other run before it begins, where one of the signals is one.
    lanes: Option<RunLanes>,
    told: Option<Receiver<Told>>,
    now: Told,
    next: Option<Told>,
}

impl Compared {
    /// Signals of a fabric, of which there is no other run yet. Extra signals are none of them.
    pub fn new(fabric: &Fabric, sources: Vec<SignalSource>) -> Compared {
        let is_connection = |source: &SignalSource| matches!(source, SignalSource::Connection(_));
        let lanes = sources.iter().any(is_connection);
        Compared {
            lanes: lanes.then(|| RunLanes::new(fabric)).flatten(),
            sources,
            told: None,
            now: (0, 0),
            next: None,
        }
    }

    /// The observer for the other run. Its values are waited for in every cycle from now on.
    pub fn teller(&mut self) -> Teller {
        let (tell, told) = bounded(AHEAD);
        self.told = Some(told);
        Teller {
            sources: self.sources.clone(),
            lanes: self.lanes.clone(),
            tell,
            is_over: false,
        }
    }

    /// True when one of them differs in a cycle, or the other run has ended before it.
    ///
    /// # Panics
    /// When nobody was asked to watch another run.
    pub fn differs(&mut self, view: &CycleView<'_>) -> bool {
        let told = self.told.as_ref().expect("another run is watched");
        let cycle = view.engine.cycle();
        // An engine need not stand in cycles in which nothing happens.
        let has_ended = loop {
            if self.next.is_none() {
                self.next = told.recv().ok();
            }
            match self.next {
                Some(next) if next.0 <= cycle => (self.now, self.next) = (next, None),
                Some(_) => break false,
                None => break self.now.0 < cycle,
            }
            // The next one may be far away.
            if self.now.0 == cycle {
                break false;
            }
        };
        has_ended || digest(view, &self.sources) != self.now.1
    }
}

/// Tells what signals show in each cycle of a run. It ends the run when nobody asks any more.
#[derive(Debug)]
pub struct Teller {
    sources: Vec<SignalSource>,
    lanes: Option<RunLanes>,
    tell: Sender<Told>,
    is_over: bool,
}

impl Observer for Teller {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        if let Some(lanes) = &mut self.lanes {
            lanes.update(engine, |_, _| {});
        }
        let view = CycleView {
            engine,
            lanes: self.lanes.as_ref(),
            extra: &[],
        };
        let told = (engine.cycle(), digest(&view, &self.sources));
        self.is_over |= self.tell.send(told).is_err();
    }

    fn interrupted(&mut self) -> bool {
        self.is_over
    }
}
