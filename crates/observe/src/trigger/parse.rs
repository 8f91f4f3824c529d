//! The grammar of conditions.
//!
//! ```text
//! condition = all ("||" all)*                   also written: or
//! all       = one ("&&" one)*                   also written: and
//! one       = ("!" | not) one | "(" condition ")" | test
//! test      = signals relation value            a signal in a cycle
//!           | (rise | fall | change) "(" signals ")"
//!           | differs "(" signals ")"
//!           | (launched | rejected | acknowledged | collided) ["(" meant ("," meant)* ")"]
//!           | (attempts | latency) relation number
//! meant     = (message | node | level) "=" number
//!           | router "=" the name of a router, as in waveforms
//! relation  = "==" | "!=" | "<" | "<=" | ">" | ">="
//! value     = number | the name of a state or of a word, in quotes where it has other
//!             characters than letters, digits and _
//! number    = decimal, 0x hexadecimal or 0b binary
//! signals   = a pattern on dotted paths, as in wave.scopes
//! ```
//!
//! A pattern may match many signals: the test is passed when one of them passes it. Signals that
//! have no value of the name that is asked for are left out.

use super::collided;
use super::condition::{
    Condition, ConditionStep, Happening, Meant, Quantity, Relation, Signals, Term, Test,
};
use super::named_signals::NamedSignals;
use super::other_engine::Compared;
use super::signal_source::SignalSource;
use crosswave_base::diagnostic::Diagnostic;
use crosswave_base::suggest;
use crosswave_network::Fabric;
use crosswave_network::topology::Topology;
use crosswave_probe::message::CountForm;
use crosswave_probe::signal::{SignalSet, StateName};
use crosswave_wave::select_entries;

/// Characters of a condition.
const LENGTH_MAX: usize = 4096;
/// Terms of a condition.
const TERMS_MAX: usize = 64;
/// Parentheses and negations around a term.
const DEPTH_MAX: usize = 64;
/// Signals that a term looks at.
const SIGNALS_MAX: usize = 1 << 20;

const EXAMPLE: &str =
    "such as `rejected(level=3)`, `attempts > 5` or `**.router_0_0.a_state == DRAIN`";

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A word, a number or a pattern.
    Word(String),
    /// A name in quotes.
    Quoted(String),
    Sign(&'static str),
}

/// Signs, the longer ones first.
const SIGNS: [&str; 13] = [
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", ",", "=",
];

/// Words that stand for signs.
const WORDS: [(&str, &str); 3] = [("and", "&&"), ("or", "||"), ("not", "!")];

/// Reads a condition on a network. Its fabric's ports and connections can be tested, and extra
/// signals.
///
/// # Errors
/// What is wrong with it, with the character in the place.
pub fn parse(
    text: &str,
    topology: &dyn Topology,
    fabric: &Fabric,
    extra: &SignalSet,
) -> Result<Condition, Diagnostic> {
    if text.chars().count() > LENGTH_MAX {
        let message = format!("a condition has at most {LENGTH_MAX} characters");
        return Err(Diagnostic::new("trigger", message, EXAMPLE));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        end: text.chars().count(),
        topology,
        fabric,
        extra,
        terms: Vec::new(),
        steps: Vec::new(),
    };
    parser.any(0)?;
    match parser.tokens.get(parser.at) {
        None => Ok(Condition::new(parser.terms, parser.steps)),
        Some(_) => Err(parser.expected("`&&`, `||` or the end")),
    }
}

fn wrong(at: usize, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(format!("character {}", at + 1), message, help)
}

/// The tokens, each with its first character.
fn tokens(text: &str) -> Result<Vec<(usize, Token)>, Diagnostic> {
    let characters: Vec<char> = text.chars().collect();
    let is_of_word = |c: &char| c.is_alphanumeric() || "_.*?[]$".contains(*c);
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = characters.get(at) {
        let rest = &characters[at..];
        if first.is_whitespace() {
            at += 1;
            continue;
        }
        if *first == '"' {
            let inside = rest[1..].iter().take_while(|c| **c != '"');
            let name: String = inside.collect();
            let length = name.chars().count() + 2;
            if length > rest.len() {
                return Err(wrong(at, "the quotation has no end", "write a second `\"`"));
            }
            tokens.push((at, Token::Quoted(name)));
            at += length;
            continue;
        }
        let starts = |sign: &&str| {
            rest.iter()
                .zip(sign.chars())
                .filter(|(a, b)| **a == *b)
                .count()
                == sign.len()
        };
        if let Some(sign) = SIGNS.iter().find(|sign| starts(sign)) {
            tokens.push((at, Token::Sign(sign)));
            at += sign.len();
            continue;
        }
        let word: String = rest.iter().take_while(|c| is_of_word(c)).collect();
        if word.is_empty() {
            return Err(wrong(at, format!("`{first}` has no meaning here"), EXAMPLE));
        }
        let length = word.chars().count();
        let sign = WORDS.iter().find(|(name, _)| *name == word);
        let token = sign.map_or(Token::Word(word), |(_, sign)| Token::Sign(sign));
        tokens.push((at, token));
        at += length;
    }
    Ok(tokens)
}

struct Parser<'f> {
    tokens: Vec<(usize, Token)>,
    at: usize,
    /// Characters of the text.
    end: usize,
    topology: &'f dyn Topology,
    fabric: &'f Fabric,
    extra: &'f SignalSet,
    terms: Vec<Term>,
    steps: Vec<ConditionStep>,
}

impl Parser<'_> {
    /// The character that the next token begins at.
    fn place(&self) -> usize {
        self.tokens
            .get(self.at)
            .map_or(self.end, |(place, _)| *place)
    }

    fn found(&self) -> String {
        match self.tokens.get(self.at) {
            None => "the end".into(),
            Some((_, Token::Word(word) | Token::Quoted(word))) => format!("`{word}`"),
            Some((_, Token::Sign(sign))) => format!("`{sign}`"),
        }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("found {}; expected {what}", self.found());
        wrong(self.place(), message, EXAMPLE)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found =
            matches!(self.tokens.get(self.at), Some((_, Token::Sign(found))) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn takes_or(&mut self, sign: &str) -> Result<(), Diagnostic> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    fn word(&mut self) -> Option<String> {
        let Some((_, Token::Word(word))) = self.tokens.get(self.at) else {
            return None;
        };
        self.at += 1;
        Some(word.clone())
    }

    fn any(&mut self, depth: usize) -> Result<(), Diagnostic> {
        self.all(depth)?;
        while self.takes("||") {
            self.all(depth)?;
            self.steps.push(ConditionStep::Or);
        }
        Ok(())
    }

    fn all(&mut self, depth: usize) -> Result<(), Diagnostic> {
        self.one(depth)?;
        while self.takes("&&") {
            self.one(depth)?;
            self.steps.push(ConditionStep::And);
        }
        Ok(())
    }

    fn one(&mut self, depth: usize) -> Result<(), Diagnostic> {
        if depth == DEPTH_MAX {
            let message =
                format!("a term stands in more than {DEPTH_MAX} parentheses and negations");
            return Err(wrong(self.place(), message, "take some away"));
        }
        if self.takes("!") {
            self.one(depth + 1)?;
            self.steps.push(ConditionStep::Not);
            return Ok(());
        }
        if self.takes("(") {
            self.any(depth + 1)?;
            return self.takes_or(")");
        }
        let term = self.test()?;
        if self.terms.len() == TERMS_MAX {
            let message = format!("a condition has at most {TERMS_MAX} tests");
            return Err(wrong(
                self.place(),
                message,
                "use patterns that match several signals",
            ));
        }
        self.terms.push(term);
        self.steps.push(ConditionStep::Term);
        Ok(())
    }

    fn test(&mut self) -> Result<Term, Diagnostic> {
        let place = self.place();
        let Some(word) = self.word() else {
            return Err(self.expected("a test"));
        };
        let edge = match &*word {
            "rise" => Some(Test::Rise),
            "fall" => Some(Test::Fall),
            "change" => Some(Test::Change),
            _ => None,
        };
        if let Some(edge) = edge {
            self.takes_or("(")?;
            let place = self.place();
            let Some(pattern) = self.word() else {
                return Err(self.expected("a signal"));
            };
            self.takes_or(")")?;
            return self.signals(place, &pattern, |_| Some(edge));
        }
        if word == "differs" {
            self.takes_or("(")?;
            let place = self.place();
            let Some(pattern) = self.word() else {
                return Err(self.expected("a signal"));
            };
            self.takes_or(")")?;
            let tested = self.tested(place, &pattern, |_| Some(Test::Change))?;
            let sources = tested.into_iter().map(|(source, _)| source);
            // Extra signals are known of this engine only.
            let is_extra = |source: &SignalSource| matches!(source, SignalSource::Extra(_));
            let sources: Vec<_> = sources.filter(|source| !is_extra(source)).collect();
            if sources.is_empty() {
                let message = format!("`{pattern}` matches only messages and nets");
                let help = "name ports of chips, or connections; the others follow from them";
                return Err(wrong(place, message, help));
            }
            return Ok(Term::Differs(Compared::new(self.fabric, sources)));
        }
        let mut all = Happening::ALL.into_iter();
        if let Some(happening) = all.find(|happening| happening.name() == word) {
            if happening == Happening::Collided {
                collided::check(self.topology)
                    .map_err(|(message, help)| wrong(place, message, help))?;
            }
            return Ok(Term::Happens(happening, self.meant(happening)?));
        }
        let Some(relation) = self.relation() else {
            let near = suggest::nearest(&word, &KNOWN).filter(|near| *near != word);
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => EXAMPLE.into(),
            };
            let message = format!(
                "found {} after `{word}`; expected ==, !=, <, <=, > or >=",
                self.found()
            );
            return Err(wrong(place, message, help));
        };
        let quantity = match &*word {
            "attempts" => Some(Quantity::Attempts),
            "latency" => Some(Quantity::Latency),
            _ => None,
        };
        if let Some(quantity) = quantity {
            return Ok(Term::Compare(quantity, relation, self.number()?));
        }
        let Some((_, Token::Word(value) | Token::Quoted(value))) = self.tokens.get(self.at) else {
            return Err(self.expected("a number or the name of a state"));
        };
        let value = value.clone();
        self.at += 1;
        let number = number(&value);
        self.signals(place, &word, |states| {
            let named = || states.iter().find(|state| state.name.trim_end() == value);
            let number = number.or_else(|| named().map(|state| state.value))?;
            Some(Test::Compare(relation, number))
        })
    }

    /// The messages that are meant.
    fn meant(&mut self, happening: Happening) -> Result<Meant, Diagnostic> {
        let mut meant = Meant::default();
        if !self.takes("(") {
            return Ok(meant);
        }
        loop {
            let place = self.place();
            let word = self.word();
            let is_known = match word.as_deref() {
                Some("message" | "node") => true,
                Some("level") => matches!(happening, Happening::Rejected | Happening::Collided),
                Some("router") => happening == Happening::Collided,
                _ => false,
            };
            if !is_known {
                self.at -= usize::from(word.is_some());
                let what = match happening {
                    Happening::Rejected => "message=, node= or level=",
                    Happening::Collided => "message=, node=, level= or router=",
                    _ => "message= or node=",
                };
                return Err(self.expected(what));
            }
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
                return Err(wrong(place, message, help));
            }
            self.takes_or("=")?;
            if word.as_deref() == Some("router") {
                let place = self.place();
                let Some(name) = self.word() else {
                    return Err(self.expected("the name of a router"));
                };
                let router = collided::router_of_name(self.fabric, &name);
                let router = router.map_err(|(message, help)| wrong(place, message, help))?;
                meant.router = Some(router);
                if self.takes(",") {
                    continue;
                }
                break;
            }
            let value = self.number()?;
            let small = u32::try_from(value).map_err(|_| {
                let message = format!("{value} is more than there can be");
                wrong(place, message, "write a smaller number")
            })?;
            self.exists(word.as_deref(), small)
                .map_err(|(message, help)| wrong(place, message, help))?;
            match word.as_deref() {
                Some("message") => meant.message = Some(small),
                Some("node") => meant.node = Some(small),
                _ => meant.level = Some(small as usize),
            }
            if !self.takes(",") {
                break;
            }
        }
        self.takes_or(")")?;
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

    fn relation(&mut self) -> Option<Relation> {
        let relations = [
            ("==", Relation::Equal),
            ("!=", Relation::Unequal),
            ("<=", Relation::AtMost),
            (">=", Relation::AtLeast),
            ("<", Relation::Less),
            (">", Relation::More),
        ];
        let found = relations.into_iter().find(|(sign, _)| self.takes(sign));
        found.map(|(_, relation)| relation)
    }

    fn number(&mut self) -> Result<u64, Diagnostic> {
        let found = match self.tokens.get(self.at) {
            Some((_, Token::Word(word))) => number(word),
            _ => None,
        };
        let Some(found) = found else {
            return Err(self.expected("a number"));
        };
        self.at += 1;
        Ok(found)
    }

    /// A term that holds when one of the signals that a pattern matches passes the test that its
    /// states give.
    fn signals(
        &self,
        place: usize,
        pattern: &str,
        test: impl Fn(&'static [StateName]) -> Option<Test>,
    ) -> Result<Term, Diagnostic> {
        let tested = self.tested(place, pattern, test)?;
        Ok(Term::Signals(Signals::new(self.fabric, tested)))
    }

    /// The signals that a pattern matches, each with the test that its states give.
    fn tested(
        &self,
        place: usize,
        pattern: &str,
        test: impl Fn(&'static [StateName]) -> Option<Test>,
    ) -> Result<Vec<(SignalSource, Test)>, Diagnostic> {
        let signals = NamedSignals::new(self.fabric, self.extra);
        let kept = select_entries(&signals, &[pattern]).map_err(|mut mistakes| {
            let (_, mistake) = mistakes.remove(0);
            let message = format!("{}: {}", mistake.place, mistake.message);
            wrong(place, message, mistake.help)
        })?;
        let mut tested = Vec::new();
        let kept = kept.iter().enumerate().filter(|(_, kept)| **kept);
        for (signal, _) in kept {
            let found = test(signals.states(signal));
            tested.extend(found.map(|test| (signals.source(signal), test)));
            if tested.len() > SIGNALS_MAX {
                let message = format!("`{pattern}` matches more than {SIGNALS_MAX} signals");
                return Err(wrong(place, message, "name fewer"));
            }
        }
        if tested.is_empty() {
            let message = format!("no signal that `{pattern}` matches has a value of that name");
            let help = "crosswave signals lists signals with the names of their values";
            return Err(wrong(place, message, help));
        }
        Ok(tested)
    }
}

/// Words that begin a test.
const KNOWN: [&str; 10] = [
    "differs",
    "rise",
    "fall",
    "change",
    "launched",
    "rejected",
    "acknowledged",
    "collided",
    "attempts",
    "latency",
];

fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        _ => (text, 10),
    };
    let begins = digits.starts_with(|c: char| c.is_digit(radix));
    begins.then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crosswave_run::config::Config;

    /// Every relation at less, the same and more.
    #[test]
    fn relations_hold_as_they_are_written() {
        let text = "[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='random'\n";
        let config = Config::parse(text, "test", Path::new("."), &[]);
        let network = config.unwrap_or_else(|e| panic!("{e}")).topology();
        let fabric = network.fabric();
        for (sign, holds) in [
            ("==", [false, true, false]),
            ("!=", [true, false, true]),
            ("<", [true, false, false]),
            ("<=", [true, true, false]),
            (">", [false, false, true]),
            (">=", [false, true, true]),
        ] {
            let text = format!("latency {sign} 7");
            let condition = parse(&text, &*network, &fabric, &SignalSet::default());
            let condition = condition.unwrap_or_else(|e| panic!("{e:?}"));
            let [Term::Compare(Quantity::Latency, relation, 7)] = condition.terms[..] else {
                panic!("{:?}", condition.terms);
            };
            let found = [6, 7, 8].map(|latency| relation.holds(latency, 7));
            assert_eq!(found, holds, "{sign}");
        }
    }
}
