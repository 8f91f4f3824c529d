//! Source of a signal's value, and the value in a cycle.

use std::rc::Rc;

use crosswave_probe::engine::Engine;
use crosswave_probe::signal::Mark;
use crosswave_run::recorder::RunLanes;

/// A port of one instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortPlace {
    /// Array of the fabric.
    pub array: usize,
    /// Port of its chip.
    pub port: usize,
    /// Instance of the array.
    pub instance: usize,
}

/// Source of a signal's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignalSource {
    /// A port of a chip.
    Port(PortPlace),
    /// The connection of a node, by its instance.
    Connection(usize),
    /// A signal whose changes were found in an earlier run, by its number among those.
    Extra(usize),
}

/// Access to the values of all signals in a cycle.
pub struct CycleView<'c> {
    /// The engine, which stands in the cycle.
    pub engine: &'c dyn Engine,
    /// The connections, where the network has some.
    pub lanes: Option<&'c RunLanes>,
    /// The values of the extra signals.
    pub extra: &'c [u64],
}

impl CycleView<'_> {
    /// The value of a signal.
    ///
    /// # Panics
    /// When it is a connection, or an extra signal, that the run does not have.
    pub fn value(&self, source: SignalSource) -> u64 {
        match source {
            SignalSource::Port(PortPlace {
                array,
                port,
                instance,
            }) => self.engine.value(array, port, instance),
            SignalSource::Connection(instance) => {
                let lanes = self.lanes.expect("the network has connections");
                lanes.phase(instance)
            }
            SignalSource::Extra(signal) => self.extra[signal],
        }
    }
}

/// Signals whose changes were found in an earlier run of the same replicate: messages, and nets
/// inside chips. They are 0 before their first changes.
#[derive(Debug)]
pub struct ExtraSignals {
    values: Vec<u64>,
    /// The changes in the order of cycles, of which the first ones have been taken over.
    marks: Rc<[Mark]>,
    next: usize,
}

impl ExtraSignals {
    /// So many signals, which change as `marks` say, in the order of cycles.
    pub fn new(signals: usize, marks: Rc<[Mark]>) -> ExtraSignals {
        ExtraSignals {
            values: vec![0; signals],
            marks,
            next: 0,
        }
    }

    /// Their values in the cycle that was reached last.
    pub fn values(&self) -> &[u64] {
        &self.values
    }

    /// Goes on to a cycle.
    pub fn advance(&mut self, cycle: u64) {
        let later = self.marks[self.next..].iter();
        for mark in later.take_while(|mark| mark.cycle <= cycle) {
            self.values[mark.signal] = mark.value;
            self.next += 1;
        }
    }
}
