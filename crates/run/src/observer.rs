//! Observers of a run.

use crate::snapshot::RunState;
#[cfg(doc)]
use crate::snapshot::Snapshot;
use crosswave_probe::engine::Engine;
use crosswave_probe::message::MessageEvent;

/// Watches every cycle that an engine stands in.
pub trait Observer {
    /// The engine stands in a new cycle; `clocked` says whether a clock edge
    /// led to it. The host pins of the cycle are driven.
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool);

    /// Is told that the network rests: nothing changes after the engine's cycle, which has been
    /// observed, and before `next_cycle`, to which the run skips.
    fn rests(&mut self, _engine: &dyn Engine, _next_cycle: u64) {}

    /// Is told how many of all messages have been acknowledged, in all replicates that run together.
    fn on_progress(&mut self, _acknowledged: usize, _messages: usize) {}

    /// True when it is to be told what becomes of messages.
    fn follows_messages(&self) -> bool {
        false
    }

    /// Is told, behind [`Observer::cycle`] in the same cycle, what becomes of a message of the
    /// replicate in a copy of the network.
    fn message(&mut self, _engine: &dyn Engine, _copy: usize, _event: MessageEvent) {}

    /// True when it can do without some cycles, when an engine takes several at a time.
    fn takes_bursts(&self) -> bool {
        false
    }

    /// Is shown the state between two clock edges, of which a [`Snapshot`] can be taken: the
    /// engine's cycle has been observed, and the run goes on from it, or ends.
    fn between_edges(&mut self, _state: &RunState<'_, '_>) {}

    /// Asked after each cycle; true ends the run.
    fn interrupted(&mut self) -> bool {
        false
    }
}

/// Observes nothing.
impl Observer for () {
    fn cycle(&mut self, _: &dyn Engine, _: bool) {}

    fn takes_bursts(&self) -> bool {
        true
    }
}

/// Several observe. The run ends when one of them asks for it.
impl<O: Observer> Observer for Vec<O> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.iter_mut().for_each(|one| one.cycle(engine, clocked));
    }

    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        self.iter_mut()
            .for_each(|one| one.rests(engine, next_cycle));
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        self.iter_mut()
            .for_each(|one| one.on_progress(acknowledged, messages));
    }

    fn follows_messages(&self) -> bool {
        self.iter().any(O::follows_messages)
    }

    fn message(&mut self, engine: &dyn Engine, copy: usize, event: MessageEvent) {
        self.iter_mut()
            .for_each(|one| one.message(engine, copy, event));
    }

    fn takes_bursts(&self) -> bool {
        self.iter().all(O::takes_bursts)
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        self.iter_mut().for_each(|one| one.between_edges(state));
    }

    fn interrupted(&mut self) -> bool {
        self.iter_mut().any(O::interrupted)
    }
}

/// Observes through a reference.
impl<O: Observer + ?Sized> Observer for &mut O {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        (**self).cycle(engine, clocked);
    }

    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        (**self).rests(engine, next_cycle);
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        (**self).on_progress(acknowledged, messages);
    }

    fn follows_messages(&self) -> bool {
        (**self).follows_messages()
    }

    fn message(&mut self, engine: &dyn Engine, copy: usize, event: MessageEvent) {
        (**self).message(engine, copy, event);
    }

    fn takes_bursts(&self) -> bool {
        (**self).takes_bursts()
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        (**self).between_edges(state);
    }

    fn interrupted(&mut self) -> bool {
        (**self).interrupted()
    }
}

/// Observes, or nothing does.
impl<O: Observer> Observer for Option<O> {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        if let Some(observer) = self {
            observer.cycle(engine, clocked);
        }
    }

    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        if let Some(observer) = self {
            observer.rests(engine, next_cycle);
        }
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        if let Some(observer) = self {
            observer.on_progress(acknowledged, messages);
        }
    }

    fn follows_messages(&self) -> bool {
        self.as_ref().is_some_and(O::follows_messages)
    }

    fn message(&mut self, engine: &dyn Engine, copy: usize, event: MessageEvent) {
        if let Some(observer) = self {
            observer.message(engine, copy, event);
        }
    }

    fn takes_bursts(&self) -> bool {
        self.as_ref().is_none_or(O::takes_bursts)
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        if let Some(observer) = self {
            observer.between_edges(state);
        }
    }

    fn interrupted(&mut self) -> bool {
        self.as_mut().is_some_and(O::interrupted)
    }
}

/// Both observe, one after the other.
impl<O: Observer, P: Observer> Observer for (O, P) {
    fn cycle(&mut self, engine: &dyn Engine, clocked: bool) {
        self.0.cycle(engine, clocked);
        self.1.cycle(engine, clocked);
    }

    fn rests(&mut self, engine: &dyn Engine, next_cycle: u64) {
        self.0.rests(engine, next_cycle);
        self.1.rests(engine, next_cycle);
    }

    fn on_progress(&mut self, acknowledged: usize, messages: usize) {
        self.0.on_progress(acknowledged, messages);
        self.1.on_progress(acknowledged, messages);
    }

    fn follows_messages(&self) -> bool {
        self.0.follows_messages() || self.1.follows_messages()
    }

    fn message(&mut self, engine: &dyn Engine, copy: usize, event: MessageEvent) {
        self.0.message(engine, copy, event);
        self.1.message(engine, copy, event);
    }

    fn takes_bursts(&self) -> bool {
        self.0.takes_bursts() && self.1.takes_bursts()
    }

    fn between_edges(&mut self, state: &RunState<'_, '_>) {
        self.0.between_edges(state);
        self.1.between_edges(state);
    }

    fn interrupted(&mut self) -> bool {
        self.0.interrupted() | self.1.interrupted()
    }
}
