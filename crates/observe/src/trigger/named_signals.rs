//! The signals that a condition may name.

use std::borrow::Cow;

use super::signal_source::{PortPlace, SignalSource};
use crosswave_network::Fabric;
use crosswave_probe::signal::Hierarchy;
use crosswave_probe::signal::{SignalSet, StateName};
use crosswave_run::recorder;
use crosswave_run::recorder::PortSelection;

/// The ports of all chips, the connections of nodes, and extra signals behind them.
pub(super) struct NamedSignals<'a> {
    own: recorder::Signals<'a>,
    extra: &'a SignalSet,
}

impl<'a> NamedSignals<'a> {
    /// The signals of a fabric, and others.
    pub(super) fn new(fabric: &'a Fabric, extra: &'a SignalSet) -> NamedSignals<'a> {
        NamedSignals {
            own: recorder::Signals::new(fabric, PortSelection::All),
            extra,
        }
    }

    /// The source of a signal's value.
    pub(super) fn source(&self, signal: usize) -> SignalSource {
        if let Some(extra) = signal.checked_sub(self.own.signal_count()) {
            return SignalSource::Extra(extra);
        }
        match self.own.place(signal) {
            Some((array, instance, port)) => SignalSource::Port(PortPlace {
                array,
                port,
                instance,
            }),
            None => SignalSource::Connection(self.own.lane(signal).expect("it is no port")),
        }
    }

    /// The names of a signal's values.
    pub(super) fn states(&self, signal: usize) -> &'static [StateName] {
        match signal.checked_sub(self.own.signal_count()) {
            Some(extra) => self.extra.signals[extra].states,
            None => self.own.signal(signal).states,
        }
    }
}

impl Hierarchy for NamedSignals<'_> {
    fn scope_count(&self) -> usize {
        self.own.scope_count() + self.extra.scopes.len()
    }

    fn scope_name(&self, scope: usize) -> Cow<'_, str> {
        match scope.checked_sub(self.own.scope_count()) {
            Some(extra) => Cow::Borrowed(&self.extra.scopes[extra].name),
            None => self.own.scope_name(scope),
        }
    }

    fn parent(&self, scope: usize) -> Option<usize> {
        let first = self.own.scope_count();
        match scope.checked_sub(first) {
            Some(extra) => self.extra.scopes[extra].parent.map(|parent| first + parent),
            None => self.own.parent(scope),
        }
    }

    fn signal_count(&self) -> usize {
        self.own.signal_count() + self.extra.signals.len()
    }

    fn signal(&self, signal: usize) -> (&str, Option<usize>) {
        match signal.checked_sub(self.own.signal_count()) {
            Some(extra) => {
                let signal = &self.extra.signals[extra];
                (signal.name, Some(self.own.scope_count() + signal.scope))
            }
            None => {
                let signal = self.own.signal(signal);
                (signal.name, Some(signal.scope))
            }
        }
    }
}
