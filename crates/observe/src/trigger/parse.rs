//! The words of conditions on networks.
//!
//! ```text
//! test      = differs "(" signals ")"
//!           | (launched | rejected | acknowledged | collided) ["(" meant ("," meant)* ")"]
//!           | (attempts | latency) relation number
//! meant     = (message | node | level) "=" number
//!           | router "=" the name of a router, as in waveforms
//! ```
//!
//! Values are numbers, and the names of states and words. Signals that
//! have no value of the name that is asked for are left out.

use super::collided;
use super::condition::{Condition, Happening, Meant, Quantity, Signals, Term, Test};
use super::named_signals::NamedSignals;
use super::other_engine::Compared;
use super::signal_source::SignalSource;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_network::Fabric;
use crosswave_network::topology::Topology;
use crosswave_probe::message::CountForm;
use crosswave_probe::signal::{SignalSet, StateName};
use crosswave_trigger::grammar::{self, ConditionWord, Parser};
use crosswave_trigger::{Relation, ValueEdge, Vocabulary};

/// Signals that a term looks at.
const SIGNALS_MAX: usize = 1 << 20;

/// Reads a condition on a network. Its fabric's ports and connections can be tested, and extra
/// signals.
///
/// # Errors
/// When it is wrong, with the character in the place.
pub fn parse(
    text: &str,
    topology: &dyn Topology,
    fabric: &Fabric,
    extra: &SignalSet,
) -> Result<Condition, Diagnostic> {
    let mut words = NetworkWords {
        topology,
        fabric,
        extra,
    };
    grammar::parse(text, &mut words).map(Condition::new)
}

/// The network whose signals and messages a condition names.
struct NetworkWords<'f> {
    topology: &'f dyn Topology,
    fabric: &'f Fabric,
    extra: &'f SignalSet,
}

/// A place in the text, for an error.
fn at(place: usize) -> ConditionWord<'static> {
    ConditionWord { text: "", place }
}

impl Vocabulary for NetworkWords<'_> {
    type Test = Term;

    const WORDS: &'static [&'static str] = &[
        "differs",
        "launched",
        "rejected",
        "acknowledged",
        "collided",
        "attempts",
        "latency",
    ];
    const EXAMPLE: &'static str =
        "such as `rejected(level=3)`, `attempts > 5` or `**.router_0_0.a_state == DRAIN`";
    const VALUES: &'static str = "a number or the name of a state";

    fn test(&mut self, word: ConditionWord<'_>, parser: &mut Parser) -> Result<Term, Diagnostic> {
        if word.text == "differs" {
            let (pattern, place) = parser.signals()?;
            let text = &*pattern;
            return self.differs(ConditionWord { text, place });
        }
        let mut all = Happening::ALL.into_iter();
        if let Some(happening) = all.find(|happening| happening.name() == word.text) {
            if happening == Happening::Collided {
                collided::check(self.topology)
                    .map_err(|(message, help)| word.wrong(message, help))?;
            }
            return Ok(Term::Happens(happening, self.meant(happening, parser)?));
        }
        let quantity = match word.text {
            "attempts" => Quantity::Attempts,
            _ => Quantity::Latency,
        };
        let relation = parser.relation_of(word, Self::WORDS)?;
        Ok(Term::Compare(quantity, relation, parser.number()?))
    }

    fn compare(
        &mut self,
        pattern: ConditionWord<'_>,
        relation: Relation,
        value: ConditionWord<'_>,
    ) -> Result<Term, Diagnostic> {
        let number = grammar::number(value.text);
        self.signals(pattern, |states| {
            let named = || {
                states
                    .iter()
                    .find(|state| state.name.trim_end() == value.text)
            };
            let number = number.or_else(|| named().map(|state| state.value))?;
            Some(Test::Compare(relation, number))
        })
    }

    fn edge(&mut self, pattern: ConditionWord<'_>, edge: ValueEdge) -> Result<Term, Diagnostic> {
        self.signals(pattern, |_| Some(Test::Edge(edge)))
    }
}

impl NetworkWords<'_> {
    /// A term that holds when one of the signals is another one on another engine.
    fn differs(&self, pattern: ConditionWord<'_>) -> Result<Term, Diagnostic> {
        let tested = self.tested(pattern, |_| Some(Test::Edge(ValueEdge::Change)))?;
        let sources = tested.into_iter().map(|(source, _)| source);
        // Extra signals are known of this engine only.
        let is_extra = |source: &SignalSource| matches!(source, SignalSource::Extra(_));
        let sources: Vec<_> = sources.filter(|source| !is_extra(source)).collect();
        if sources.is_empty() {
            let message = format!("`{}` matches only messages and nets", pattern.text);
            let help = "name ports of chips, or connections; the others follow from them";
            return Err(pattern.wrong(message, help));
        }
        Ok(Term::Differs(Compared::new(self.fabric, sources)))
    }

    /// The messages that are meant.
    fn meant(&self, happening: Happening, parser: &mut Parser) -> Result<Meant, Diagnostic> {
        let mut meant = Meant::default();
        if !parser.takes("(") {
            return Ok(meant);
        }
        loop {
            let place = parser.place();
            let word = parser.next_word().map(str::to_owned);
            let is_known = match word.as_deref() {
                Some("message" | "node") => true,
                Some("level") => matches!(happening, Happening::Rejected | Happening::Collided),
                Some("router") => happening == Happening::Collided,
                _ => false,
            };
            if !is_known {
                let what = match happening {
                    Happening::Rejected => "message=, node= or level=",
                    Happening::Collided => "message=, node=, level= or router=",
                    _ => "message= or node=",
                };
                return Err(parser.expected(what));
            }
            parser.word();
            let is_twice = match word.as_deref() {
                Some("message") => meant.message.is_some(),
                Some("node") => meant.node.is_some(),
                Some("router") => meant.router.is_some(),
                _ => meant.level.is_some(),
            };
            if let (Some(word), true) = (&word, is_twice) {
                let message = format!("{word}= is given twice");
                let help = format!(
                    "name one, or write `{0}({word}=…) || {0}({word}=…)`",
                    happening.name()
                );
                return Err(at(place).wrong(message, help));
            }
            parser.takes_or("=")?;
            if word.as_deref() == Some("router") {
                let place = parser.place();
                let Some(name) = parser.word() else {
                    return Err(parser.expected("the name of a router"));
                };
                let router = collided::router_of_name(self.fabric, &name);
                let router = router.map_err(|(message, help)| at(place).wrong(message, help))?;
                meant.router = Some(router);
                if parser.takes(",") {
                    continue;
                }
                break;
            }
            let value = parser.number()?;
            let small = u32::try_from(value).map_err(|_| {
                let message = format!("{value} is more than there can be");
                at(place).wrong(message, "write a smaller number")
            })?;
            self.exists(word.as_deref(), small)
                .map_err(|(message, help)| at(place).wrong(message, help))?;
            match word.as_deref() {
                Some("message") => meant.message = Some(small),
                Some("node") => meant.node = Some(small),
                _ => meant.level = Some(small as usize),
            }
            if !parser.takes(",") {
                break;
            }
        }
        parser.takes_or(")")?;
        Ok(meant)
    }

    /// Checks that the network has such a node or level. The error is the problem, and advice on
    /// fixing it.
    fn exists(&self, word: Option<&str>, number: u32) -> Result<(), (String, String)> {
        let (what, count) = match word {
            Some("node") => ("nodes", self.topology.nodes() as usize),
            Some("level") => {
                let rows = self.topology.rejections().rows;
                let lists = rows.iter().filter(|row| row.shown == CountForm::List);
                let levels = lists.map(|row| row.counts.len()).max();
                ("levels or stages", levels.unwrap_or(0))
            }
            // The number of messages is known when their traffic has been made.
            _ => return Ok(()),
        };
        match (number as usize) < count {
            true => Ok(()),
            false => Err((
                format!("found {number}; the network has {count} {what}"),
                format!("they are counted from 0 to {}", count.saturating_sub(1)),
            )),
        }
    }

    /// A term that holds when one of the signals that a pattern matches passes the test that its
    /// states give.
    fn signals(
        &self,
        pattern: ConditionWord<'_>,
        test: impl Fn(&'static [StateName]) -> Option<Test>,
    ) -> Result<Term, Diagnostic> {
        let tested = self.tested(pattern, test)?;
        Ok(Term::Signals(Signals::new(self.fabric, tested)))
    }

    /// The signals that a pattern matches, each with the test that its states give.
    fn tested(
        &self,
        pattern: ConditionWord<'_>,
        test: impl Fn(&'static [StateName]) -> Option<Test>,
    ) -> Result<Vec<(SignalSource, Test)>, Diagnostic> {
        let signals = NamedSignals::new(self.fabric, self.extra);
        let text = pattern.text;
        let mut tested = Vec::new();
        for signal in pattern.matched(&signals)? {
            let found = test(signals.states(signal));
            tested.extend(found.map(|test| (signals.source(signal), test)));
            if tested.len() > SIGNALS_MAX {
                let message = format!("`{text}` matches more than {SIGNALS_MAX} signals");
                return Err(pattern.wrong(message, "name fewer"));
            }
        }
        if tested.is_empty() {
            let message = format!("no signal that `{text}` matches has a value of that name");
            let help = "crosswave signals lists signals with the names of their values";
            return Err(pattern.wrong(message, help));
        }
        Ok(tested)
    }
}
