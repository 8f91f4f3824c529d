//! Who watches a run.

use crate::probe::message::MessageEvent;
#[cfg(doc)]
use crate::run::snapshot::Snapshot;
use crate::run::snapshot::State;

/// Watches every cycle that an engine stands in.
pub trait Observer<E: ?Sized> {
    /// The engine stands in a new cycle; `clocked` says whether a clock edge
    /// led to it. The host pins of the cycle are driven.
    fn cycle(&mut self, engine: &E, clocked: bool);

    /// Is told that the network rests: nothing changes after the engine's cycle, which has been
    /// observed, and before `next_cycle`, to which the run skips.
    fn rests(&mut self, _engine: &E, _next_cycle: u64) {}

    /// Is told how many of all messages have been acknowledged, in all replicates that run together.
    fn reached(&mut self, _acknowledged: usize, _messages: usize) {}

    /// Whether it is to be told what becomes of messages.
    fn follows_messages(&self) -> bool {
        false
    }

    /// Is told, behind [`Observer::cycle`] in the same cycle, what becomes of a message of the
    /// replicate in a copy of the network.
    fn message(&mut self, _engine: &E, _copy: usize, _event: MessageEvent) {}

    /// Whether it can do without some cycles, when an engine takes several at a time.
    fn takes_bursts(&self) -> bool {
        false
    }

    /// Is shown the state between two clock edges, of which a [`Snapshot`] can be taken: the
    /// engine's cycle has been observed, and the run goes on from it, or ends.
    fn between_edges(&mut self, _state: &State<'_, '_, E>) {}

    /// Whether to stop.
    fn interrupted(&mut self) -> bool {
        false
    }
}

/// Observes nothing.
impl<E: ?Sized> Observer<E> for () {
    fn cycle(&mut self, _: &E, _: bool) {}

    fn takes_bursts(&self) -> bool {
        true
    }
}

/// Observes through a reference.
impl<E: ?Sized, O: Observer<E>> Observer<E> for &mut O {
    fn cycle(&mut self, engine: &E, clocked: bool) {
        (**self).cycle(engine, clocked);
    }

    fn rests(&mut self, engine: &E, next_cycle: u64) {
        (**self).rests(engine, next_cycle);
    }

    fn reached(&mut self, acknowledged: usize, messages: usize) {
        (**self).reached(acknowledged, messages);
    }

    fn follows_messages(&self) -> bool {
        (**self).follows_messages()
    }

    fn message(&mut self, engine: &E, copy: usize, event: MessageEvent) {
        (**self).message(engine, copy, event);
    }

    fn takes_bursts(&self) -> bool {
        (**self).takes_bursts()
    }

    fn between_edges(&mut self, state: &State<'_, '_, E>) {
        (**self).between_edges(state);
    }

    fn interrupted(&mut self) -> bool {
        (**self).interrupted()
    }
}

/// Observes, or nothing does.
impl<E: ?Sized, O: Observer<E>> Observer<E> for Option<O> {
    fn cycle(&mut self, engine: &E, clocked: bool) {
        if let Some(observer) = self {
            observer.cycle(engine, clocked);
        }
    }

    fn rests(&mut self, engine: &E, next_cycle: u64) {
        if let Some(observer) = self {
            observer.rests(engine, next_cycle);
        }
    }

    fn reached(&mut self, acknowledged: usize, messages: usize) {
        if let Some(observer) = self {
            observer.reached(acknowledged, messages);
        }
    }

    fn follows_messages(&self) -> bool {
        self.as_ref().is_some_and(O::follows_messages)
    }

    fn message(&mut self, engine: &E, copy: usize, event: MessageEvent) {
        if let Some(observer) = self {
            observer.message(engine, copy, event);
        }
    }

    fn takes_bursts(&self) -> bool {
        self.as_ref().is_none_or(O::takes_bursts)
    }

    fn between_edges(&mut self, state: &State<'_, '_, E>) {
        if let Some(observer) = self {
            observer.between_edges(state);
        }
    }

    fn interrupted(&mut self) -> bool {
        self.as_mut().is_some_and(O::interrupted)
    }
}

/// Both observe, one after the other.
impl<E: ?Sized, O: Observer<E>, P: Observer<E>> Observer<E> for (O, P) {
    fn cycle(&mut self, engine: &E, clocked: bool) {
        self.0.cycle(engine, clocked);
        self.1.cycle(engine, clocked);
    }

    fn rests(&mut self, engine: &E, next_cycle: u64) {
        self.0.rests(engine, next_cycle);
        self.1.rests(engine, next_cycle);
    }

    fn reached(&mut self, acknowledged: usize, messages: usize) {
        self.0.reached(acknowledged, messages);
        self.1.reached(acknowledged, messages);
    }

    fn follows_messages(&self) -> bool {
        self.0.follows_messages() || self.1.follows_messages()
    }

    fn message(&mut self, engine: &E, copy: usize, event: MessageEvent) {
        self.0.message(engine, copy, event);
        self.1.message(engine, copy, event);
    }

    fn takes_bursts(&self) -> bool {
        self.0.takes_bursts() && self.1.takes_bursts()
    }

    fn between_edges(&mut self, state: &State<'_, '_, E>) {
        self.0.between_edges(state);
        self.1.between_edges(state);
    }

    fn interrupted(&mut self) -> bool {
        self.0.interrupted() | self.1.interrupted()
    }
}
