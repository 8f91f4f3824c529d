//! Conditions, and whether they hold in a cycle.

use super::other_engine::{Compared, Teller};
use super::signal_source::{CycleView, PortPlace, SignalSource};
use crosswave_network::Fabric;
use crosswave_probe::engine::{Engine, Watched};
use crosswave_trigger::{Expression, Relation, ValueEdge};

/// Test of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// It is so in a cycle.
    Compare(Relation, u64),
    /// It is so beside the cycle before.
    Edge(ValueEdge),
}

impl Test {
    fn holds(self, before: u64, now: u64) -> bool {
        match self {
            Test::Compare(relation, value) => relation.holds(&now, &value),
            Test::Edge(edge) => edge.holds(&before, &now),
        }
    }

    /// True when it can hold for a signal that does not change.
    fn is_of_level(self) -> bool {
        matches!(self, Test::Compare(..))
    }
}

/// Signals of which one has to pass a test.
#[derive(Debug)]
pub struct Signals {
    tested: Vec<(SignalSource, Test)>,
    kept: PastValues,
}

/// Store of the values of signals in the cycle before.
#[derive(Debug)]
enum PastValues {
    /// One by one, as they were in the cycle before.
    Values(Vec<u64>),
    /// By the planes of a port that shows a state, of many instances.
    Planes(Box<Planes>),
}

/// The states of a port of many instances.
#[derive(Debug)]
struct Planes {
    watched: Watched,
    before: Vec<u64>,
    /// By instance: what is asked of it.
    tests: Vec<Option<Test>>,
    /// Instances that pass tests of levels, one bit each, and how many.
    passing: Vec<u64>,
    count: usize,
}

/// Signals from which planes pay.
const PLANES_FROM: usize = 16;

impl Signals {
    /// Signals of a fabric, each with its test.
    pub fn new(fabric: &Fabric, tested: Vec<(SignalSource, Test)>) -> Signals {
        let kept = match Signals::states(fabric, &tested) {
            Some((first, instances)) => {
                let layout = &fabric.arrays[first.array];
                let width = layout.chip.ports[first.port].width;
                let mut tests = vec![None; layout.instances];
                for (instance, (_, test)) in instances.into_iter().zip(&tested) {
                    tests[instance] = Some(*test);
                }
                let watched = Watched::new(first.array, first.port, width, layout.instances);
                // Nothing has been seen, so everything is looked at in the first cycle.
                let mut planes = Planes {
                    before: vec![0; layout.instances],
                    passing: vec![0; layout.instances.div_ceil(64)],
                    watched,
                    tests,
                    count: 0,
                };
                for instance in 0..layout.instances {
                    planes.take(instance, 0, 0);
                }
                PastValues::Planes(Box::new(planes))
            }
            None => PastValues::Values(vec![0; tested.len()]),
        };
        Signals { tested, kept }
    }

    /// The first one and the instances, where they are many instances of one port that shows a
    /// state.
    fn states(fabric: &Fabric, tested: &[(SignalSource, Test)]) -> Option<(PortPlace, Vec<usize>)> {
        let &(SignalSource::Port(first), _) = tested.first()? else {
            return None;
        };
        let port = &fabric.arrays[first.array].chip.ports[first.port];
        if !matches!(port.role, crosswave_chips::Role::State(_)) || tested.len() < PLANES_FROM {
            return None;
        }
        let instance = |source: &SignalSource| match source {
            SignalSource::Port(place) if (place.array, place.port) == (first.array, first.port) => {
                Some(place.instance)
            }
            _ => None,
        };
        let instances: Option<Vec<usize>> =
            tested.iter().map(|(source, _)| instance(source)).collect();
        Some((first, instances?))
    }

    /// True when one of them passes its test in a cycle.
    fn holds(&mut self, cycle: &CycleView<'_>) -> bool {
        match &mut self.kept {
            PastValues::Values(values) => {
                let mut holds = false;
                for ((source, test), before) in self.tested.iter().zip(values) {
                    let now = cycle.value(*source);
                    holds |= test.holds(std::mem::replace(before, now), now);
                }
                holds
            }
            PastValues::Planes(planes) => planes.holds(cycle.engine),
        }
    }
}

impl Planes {
    fn holds(&mut self, engine: &dyn Engine) -> bool {
        engine.watch(&mut self.watched);
        let mut edge = false;
        for word in 0..self.watched.changed.len() {
            let mut lanes = std::mem::take(&mut self.watched.changed[word]);
            while lanes != 0 {
                let instance = 64 * word + lanes.trailing_zeros() as usize;
                lanes &= lanes - 1;
                let now = self.watched.value(instance);
                let before = std::mem::replace(&mut self.before[instance], now);
                edge |= self.take(instance, before, now);
            }
        }
        edge || self.count > 0
    }

    /// Takes in what an instance shows. Whether it passes a test of an edge.
    fn take(&mut self, instance: usize, before: u64, now: u64) -> bool {
        let Some(test) = self.tests[instance] else {
            return false;
        };
        let holds = test.holds(before, now);
        if !test.is_of_level() {
            return holds;
        }
        let (word, lane) = (instance / 64, 1 << (instance % 64));
        let passed = self.passing[word] & lane != 0;
        match (passed, holds) {
            (false, true) => self.count += 1,
            (true, false) => self.count -= 1,
            _ => return false,
        }
        self.passing[word] ^= lane;
        false
    }
}

/// Event in the trace of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// The head of an attempt is on the wire.
    Launched,
    /// The sender has learnt that its attempt was rejected.
    Rejected,
    /// The sender has its acknowledgement.
    Acknowledged,
    /// A router rejects an attempt.
    Collided,
}

impl Happening {
    /// All of them.
    pub const ALL: [Happening; 4] = [
        Happening::Launched,
        Happening::Rejected,
        Happening::Acknowledged,
        Happening::Collided,
    ];

    /// The word for it in conditions.
    pub fn name(self) -> &'static str {
        match self {
            Happening::Launched => "launched",
            Happening::Rejected => "rejected",
            Happening::Acknowledged => "acknowledged",
            Happening::Collided => "collided",
        }
    }
}

/// Messages that are meant; all where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meant {
    /// The message.
    pub message: Option<u32>,
    /// The sending node.
    pub node: Option<u32>,
    /// The level, or stage, of the router that rejected it.
    pub level: Option<usize>,
    /// The router that rejects it: its instance in the network's fabric.
    pub router: Option<u32>,
}

/// An event in the trace of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TracedEvent {
    /// The event.
    pub what: Happening,
    /// The message.
    pub message: u32,
    /// Its sending node.
    pub node: u32,
    /// The level, or stage, of the router that rejects it, where that is known.
    pub level: Option<usize>,
    /// The router, where that is known.
    pub router: Option<u32>,
}

impl Meant {
    /// True when the message, node, level and router of an event are meant.
    pub(super) fn includes(&self, event: &TracedEvent) -> bool {
        self.message.is_none_or(|meant| meant == event.message)
            && self.node.is_none_or(|meant| meant == event.node)
            && self.level.is_none_or(|meant| event.level == Some(meant))
            && self.router.is_none_or(|meant| event.router == Some(meant))
    }
}

/// A number that is known of the messages in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// The most attempts of a message that is launched in the cycle, with this one.
    Attempts,
    /// The most cycles since the offer of a message that was launched, and was not
    /// acknowledged before the cycle.
    Latency,
}

/// Term of a condition.
#[derive(Debug)]
pub enum Term {
    /// A test that one of some signals passes.
    Signals(Signals),
    /// Something that happens to a message.
    Happens(Happening, Meant),
    /// A comparison of a quantity.
    Compare(Quantity, Relation, u64),
    /// Signals of which one is not what it is in a run on another engine.
    Differs(Compared),
}

/// Events of messages in a cycle.
#[derive(Debug, Default)]
pub struct Happened {
    /// The events.
    pub events: Vec<TracedEvent>,
    /// The most attempts of a message that was launched.
    pub attempts: u64,
    /// The longest time since the offer of a message under way.
    pub latency_cycles: u64,
}

/// A condition.
#[derive(Debug)]
pub struct Condition {
    terms: Expression<Term>,
    stack: Vec<bool>,
}

impl Condition {
    pub(super) fn new(terms: Expression<Term>) -> Condition {
        Condition {
            stack: Vec::with_capacity(terms.tests().len()),
            terms,
        }
    }

    /// True when it asks for events of messages.
    pub fn follows_messages(&self) -> bool {
        let mut terms = self.terms.tests().iter();
        terms.any(|term| !matches!(term, Term::Signals(_) | Term::Differs(_)))
    }

    /// The messages and routers whose collisions it asks for.
    pub fn collisions(&self) -> impl Iterator<Item = &Meant> {
        self.terms.tests().iter().filter_map(|term| match term {
            Term::Happens(Happening::Collided, meant) => Some(meant),
            _ => None,
        })
    }

    /// True when it asks for the age of messages.
    pub fn asks_for_latency(&self) -> bool {
        let mut terms = self.terms.tests().iter();
        terms.any(|term| matches!(term, Term::Compare(Quantity::Latency, ..)))
    }

    /// The watchers that the other engine's run needs, if it compares with one; empty if it
    /// compares with none.
    pub fn tellers(&mut self) -> Vec<Teller> {
        let terms = self.terms.tests_mut().iter_mut();
        let compared = terms.filter_map(|term| match term {
            Term::Differs(compared) => Some(compared.teller()),
            _ => None,
        });
        compared.collect()
    }

    /// The messages that it names.
    pub fn messages(&self) -> impl Iterator<Item = u32> {
        self.terms.tests().iter().filter_map(|term| match term {
            Term::Happens(_, meant) => meant.message,
            _ => None,
        })
    }

    /// The least age of a message above `age` at which a comparison with an age may become
    /// another one.
    pub fn next_age(&self, age: u64) -> Option<u64> {
        let ages = self.terms.tests().iter().filter_map(|term| match term {
            Term::Compare(Quantity::Latency, _, value) => Some([*value, value.saturating_add(1)]),
            _ => None,
        });
        ages.flatten().filter(|&next| next > age).min()
    }

    /// True when it holds in a cycle with these events. It has to be asked in every cycle that an
    /// engine stands in, since it looks for changes.
    pub fn holds(&mut self, cycle: &CycleView<'_>, happened: &Happened) -> bool {
        let Condition { terms, stack } = self;
        terms.evaluate(stack, |term| term.holds(cycle, happened))
    }
}

impl Term {
    fn holds(&mut self, cycle: &CycleView<'_>, happened: &Happened) -> bool {
        match self {
            Term::Signals(signals) => signals.holds(cycle),
            Term::Differs(compared) => compared.differs(cycle),
            Term::Happens(wanted, meant) => {
                let mut events = happened.events.iter();
                events.any(|event| event.what == *wanted && meant.includes(event))
            }
            Term::Compare(quantity, relation, value) => {
                let found = match quantity {
                    Quantity::Attempts => happened.attempts,
                    Quantity::Latency => happened.latency_cycles,
                };
                relation.holds(&found, value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_not_that_of_what_has_none() {
        let event = |message, node, level| TracedEvent {
            what: Happening::Rejected,
            message,
            node,
            level,
            router: level.map(|level| level as u32 + 10),
        };
        let level = |level| Meant {
            level,
            ..Meant::default()
        };
        assert!(level(Some(2)).includes(&event(1, 1, Some(2))));
        assert!(!level(Some(2)).includes(&event(1, 1, Some(1))));
        assert!(!level(Some(2)).includes(&event(1, 1, None)));
        assert!(level(None).includes(&event(1, 1, None)));
        let node = Meant {
            node: Some(3),
            ..Meant::default()
        };
        assert!(node.includes(&event(1, 3, None)) && !node.includes(&event(3, 1, None)));
        let router = Meant {
            router: Some(12),
            ..Meant::default()
        };
        assert!(router.includes(&event(1, 1, Some(2))) && !router.includes(&event(1, 1, Some(3))));
    }
}
