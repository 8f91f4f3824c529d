//! Conditions, and whether they hold in a cycle.

use super::other_engine::{Compared, Teller};
use super::place::Place;
use crate::network::Fabric;
use crate::probe::engine::{Engine, Watched};

/// How numbers are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// The same.
    Equal,
    /// Not the same.
    Unequal,
    /// Less.
    Less,
    /// Less or the same.
    AtMost,
    /// More.
    More,
    /// More or the same.
    AtLeast,
}

impl Relation {
    /// Whether it holds between two numbers.
    pub fn holds(self, left: u64, right: u64) -> bool {
        match self {
            Relation::Equal => left == right,
            Relation::Unequal => left != right,
            Relation::Less => left < right,
            Relation::AtMost => left <= right,
            Relation::More => left > right,
            Relation::AtLeast => left >= right,
        }
    }
}

/// What is asked of a signal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// It is so in a cycle.
    Compare(Relation, u64),
    /// It is more than in the cycle before.
    Rise,
    /// It is less.
    Fall,
    /// It is another one.
    Change,
}

impl Test {
    fn holds(self, before: u64, now: u64) -> bool {
        match self {
            Test::Compare(relation, value) => relation.holds(now, value),
            Test::Rise => now > before,
            Test::Fall => now < before,
            Test::Change => now != before,
        }
    }

    /// Whether it can hold of a signal that does not change.
    fn is_of_level(self) -> bool {
        matches!(self, Test::Compare(..))
    }
}

/// Signals of which one has to pass a test.
#[derive(Debug)]
pub struct Signals {
    tested: Vec<(Place, Test)>,
    kept: Kept,
}

/// How the values of signals are kept.
#[derive(Debug)]
enum Kept {
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
    pub fn new(fabric: &Fabric, tested: Vec<(Place, Test)>) -> Signals {
        let kept = match tested.first() {
            Some(&(first, _)) if Signals::are_states(fabric, &tested) => {
                let layout = &fabric.arrays[first.array];
                let width = layout.chip.ports[first.port].width;
                let mut tests = vec![None; layout.instances];
                for (place, test) in &tested {
                    tests[place.instance] = Some(*test);
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
                Kept::Planes(Box::new(planes))
            }
            _ => Kept::Values(vec![0; tested.len()]),
        };
        Signals { tested, kept }
    }

    /// Whether they are many instances of one port that shows a state.
    fn are_states(fabric: &Fabric, tested: &[(Place, Test)]) -> bool {
        let (first, _) = tested[0];
        let port = &fabric.arrays[first.array].chip.ports[first.port];
        let is_state = matches!(port.role, crate::chip::Role::State(_));
        let same = |place: &Place| (place.array, place.port) == (first.array, first.port);
        is_state && tested.len() >= PLANES_FROM && tested.iter().all(|(place, _)| same(place))
    }

    /// Whether one of them passes its test in the engine's cycle.
    fn holds<E: Engine + ?Sized>(&mut self, engine: &E) -> bool {
        match &mut self.kept {
            Kept::Values(values) => {
                let mut holds = false;
                for ((place, test), before) in self.tested.iter().zip(values) {
                    let now = engine.value(place.array, place.port, place.instance);
                    holds |= test.holds(std::mem::replace(before, now), now);
                }
                holds
            }
            Kept::Planes(planes) => planes.holds(engine),
        }
    }
}

impl Planes {
    fn holds<E: Engine + ?Sized>(&mut self, engine: &E) -> bool {
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

/// What may happen to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// The head of an attempt is on the wire.
    Launched,
    /// The sender has learnt that its attempt was rejected.
    Rejected,
    /// The sender has its acknowledgement.
    Acknowledged,
}

/// Which messages are meant; all where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Meant {
    /// The message.
    pub message: Option<u32>,
    /// The sending node.
    pub node: Option<u32>,
    /// The level, or stage, of the router that rejected it.
    pub level: Option<usize>,
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

/// What a condition is made of.
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

/// A step of an evaluation on a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The next term.
    Term,
    /// Not the last one.
    Not,
    /// Both of the last two.
    And,
    /// One of the last two.
    Or,
}

/// What has happened to messages in a cycle.
#[derive(Debug, Default)]
pub struct Happened {
    /// The events: what, message, node, level where it is known.
    pub events: Vec<(Happening, u32, u32, Option<usize>)>,
    /// The most attempts of a message that was launched.
    pub attempts: u64,
    /// The longest time since the offer of a message under way.
    pub latency_cycles: u64,
}

/// A condition: terms, and steps that put them together, in the order in which they are taken.
#[derive(Debug)]
pub struct Condition {
    pub(super) terms: Vec<Term>,
    pub(super) steps: Vec<Step>,
    stack: Vec<bool>,
}

impl Condition {
    pub(super) fn new(terms: Vec<Term>, steps: Vec<Step>) -> Condition {
        Condition {
            stack: Vec::with_capacity(terms.len()),
            terms,
            steps,
        }
    }

    /// Whether it asks for anything that happens to messages.
    pub fn follows_messages(&self) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| !matches!(term, Term::Signals(_) | Term::Differs(_)))
    }

    /// Whether it asks how old messages are.
    pub fn asks_for_latency(&self) -> bool {
        let mut terms = self.terms.iter();
        terms.any(|term| matches!(term, Term::Compare(Quantity::Latency, ..)))
    }

    /// Who has to watch the run on another engine that it compares with; nobody where it compares
    /// with none.
    pub fn tellers(&mut self) -> Vec<Teller> {
        let terms = self.terms.iter_mut();
        let compared = terms.filter_map(|term| match term {
            Term::Differs(compared) => Some(compared.teller()),
            _ => None,
        });
        compared.collect()
    }

    /// The messages that it names.
    pub fn messages(&self) -> impl Iterator<Item = u32> {
        self.terms.iter().filter_map(|term| match term {
            Term::Happens(_, meant) => meant.message,
            _ => None,
        })
    }

    /// Whether it holds in the engine's cycle, in which so much has happened. It has to be asked
    /// in every cycle, since it looks for changes.
    pub fn holds<E: Engine + ?Sized>(&mut self, engine: &E, happened: &Happened) -> bool {
        let Condition {
            terms,
            steps,
            stack,
        } = self;
        let mut terms = terms.iter_mut();
        let pop = |stack: &mut Vec<bool>| stack.pop().expect("a step has its operands");
        stack.clear();
        for step in steps {
            let result = match step {
                Step::Term => {
                    let term = terms.next().expect("as many terms as steps for them");
                    term.holds(engine, happened)
                }
                Step::Not => !pop(stack),
                Step::And => pop(stack) & pop(stack),
                Step::Or => pop(stack) | pop(stack),
            };
            stack.push(result);
        }
        pop(stack)
    }
}

impl Term {
    fn holds<E: Engine + ?Sized>(&mut self, engine: &E, happened: &Happened) -> bool {
        match self {
            Term::Signals(signals) => signals.holds(engine),
            Term::Differs(compared) => compared.differs(engine),
            Term::Happens(wanted, meant) => {
                let mut events = happened.events.iter();
                events.any(|&(what, message, node, level)| {
                    what == *wanted
                        && meant.message.is_none_or(|wanted| wanted == message)
                        && meant.node.is_none_or(|wanted| wanted == node)
                        && meant.level.is_none_or(|wanted| level == Some(wanted))
                })
            }
            Term::Compare(quantity, relation, value) => {
                let found = match quantity {
                    Quantity::Attempts => happened.attempts,
                    Quantity::Latency => happened.latency_cycles,
                };
                relation.holds(found, *value)
            }
        }
    }
}
