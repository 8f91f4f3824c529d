//! The grammar of conditions.
//!
//! ```text
//! condition = all ("||" all)*                   also written: or
//! all       = one ("&&" one)*                   also written: and
//! one       = ("!" | not) one | "(" condition ")" | test
//! test      = signals relation value            a signal in a cycle
//!           | (rise | fall | change) "(" signals ")"
//!           | what the vocabulary adds
//! relation  = "==" | "!=" | "<" | "<=" | ">" | ">="
//! value     = number | a name, in quotes where it has other characters than letters, digits and _
//! number    = decimal, 0x hexadecimal or 0b binary
//! signals   = a pattern on dotted paths
//! ```
//!
//! A pattern may match many signals: the test is passed when one of them passes it.

use super::expression::{Expression, Step};
use super::test::{Relation, ValueEdge};
use crosswave_base::diagnostic::Diagnostic;
use crosswave_base::suggest;
use crosswave_probe::signal::Hierarchy;
use crosswave_wave::select_entries;

/// Characters of a condition.
const LENGTH_MAX: usize = 4096;
/// Tests of a condition.
const TESTS_MAX: usize = 64;
/// Parentheses and negations around a test.
const DEPTH_MAX: usize = 64;

/// Tests that a program has.
pub trait Vocabulary {
    /// A test.
    type Test;

    /// The words of its own that begin a test.
    const WORDS: &'static [&'static str];
    /// Advice with examples: `such as …`.
    const EXAMPLE: &'static str;
    /// The values that signals are compared with, for a message.
    const VALUES: &'static str;

    /// A test that a word of its own begins, which has been taken.
    ///
    /// # Errors
    /// When it is wrong, with the character.
    fn test(
        &mut self,
        word: ConditionWord<'_>,
        parser: &mut Parser,
    ) -> Result<Self::Test, Diagnostic>;

    /// A test of signals against a value: a number, or a name.
    ///
    /// # Errors
    /// When it is wrong, with the character.
    fn compare(
        &mut self,
        pattern: ConditionWord<'_>,
        relation: Relation,
        value: ConditionWord<'_>,
    ) -> Result<Self::Test, Diagnostic>;

    /// A test of signals against the cycle before.
    ///
    /// # Errors
    /// When it is wrong, with the character.
    fn edge(
        &mut self,
        pattern: ConditionWord<'_>,
        edge: ValueEdge,
    ) -> Result<Self::Test, Diagnostic>;
}

/// A word of a condition.
#[derive(Debug, Clone, Copy)]
pub struct ConditionWord<'a> {
    /// The word.
    pub text: &'a str,
    /// The character that it begins at, from 0.
    pub place: usize,
}

impl ConditionWord<'_> {
    /// The problem with it, and advice.
    pub fn wrong(&self, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        wrong(self.place, message, help)
    }

    /// The signals that it matches as a pattern, one or more of `signals`.
    ///
    /// # Errors
    /// When there is none.
    pub fn matched(&self, signals: &impl Hierarchy) -> Result<Vec<usize>, Diagnostic> {
        let kept = select_entries(signals, &[self.text]).map_err(|mut mistakes| {
            let (_, mistake) = mistakes.remove(0);
            let message = format!("{}: {}", mistake.place, mistake.message);
            self.wrong(message, mistake.help)
        })?;
        let kept = kept.iter().enumerate().filter(|(_, kept)| **kept);
        Ok(kept.map(|(signal, _)| signal).collect())
    }
}

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

/// Reads a condition.
///
/// # Errors
/// When it is wrong, with the character in the place.
pub fn parse<V: Vocabulary>(
    text: &str,
    vocabulary: &mut V,
) -> Result<Expression<V::Test>, Diagnostic> {
    if text.chars().count() > LENGTH_MAX {
        let message = format!("a condition has at most {LENGTH_MAX} characters");
        return Err(Diagnostic::new("trigger", message, V::EXAMPLE));
    }
    let parser = Parser {
        tokens: tokens(text, V::EXAMPLE)?,
        at: 0,
        end: text.chars().count(),
        example: V::EXAMPLE,
    };
    let mut reader = Reader {
        parser,
        vocabulary,
        tests: Vec::new(),
        steps: Vec::new(),
    };
    reader.any(0)?;
    match reader.parser.tokens.get(reader.parser.at) {
        None => Ok(Expression::new(reader.tests, reader.steps)),
        Some(_) => Err(reader.parser.expected("`&&`, `||` or the end")),
    }
}

fn wrong(at: usize, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
    Diagnostic::new(format!("character {}", at + 1), message, help)
}

/// The tokens, each with its first character.
fn tokens(text: &str, example: &str) -> Result<Vec<(usize, Token)>, Diagnostic> {
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
            return Err(wrong(at, format!("`{first}` has no meaning here"), example));
        }
        let length = word.chars().count();
        let sign = WORDS.iter().find(|(name, _)| *name == word);
        let token = sign.map_or(Token::Word(word), |(_, sign)| Token::Sign(sign));
        tokens.push((at, token));
        at += length;
    }
    Ok(tokens)
}

/// The words of a condition, and how far they have been read.
#[derive(Debug)]
pub struct Parser {
    tokens: Vec<(usize, Token)>,
    at: usize,
    /// Characters of the text.
    end: usize,
    example: &'static str,
}

impl Parser {
    /// The character that the next word begins at, from 0.
    pub fn place(&self) -> usize {
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

    /// The error of a next word that is not what is expected.
    pub fn expected(&self, what: &str) -> Diagnostic {
        let message = format!("found {}; expected {what}", self.found());
        wrong(self.place(), message, self.example)
    }

    /// Takes a sign if it is the next word.
    pub fn takes(&mut self, sign: &str) -> bool {
        let found =
            matches!(self.tokens.get(self.at), Some((_, Token::Sign(found))) if *found == sign);
        self.at += usize::from(found);
        found
    }

    /// Takes a sign.
    ///
    /// # Errors
    /// When another word is the next.
    pub fn takes_or(&mut self, sign: &str) -> Result<(), Diagnostic> {
        match self.takes(sign) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{sign}`"))),
        }
    }

    /// The next word, if it is no sign.
    pub fn next_word(&self) -> Option<&str> {
        match self.tokens.get(self.at) {
            Some((_, Token::Word(word))) => Some(word),
            _ => None,
        }
    }

    /// Takes a word that is no sign.
    pub fn word(&mut self) -> Option<String> {
        let word = self.next_word()?.to_owned();
        self.at += 1;
        Some(word)
    }

    /// Takes a relation.
    pub fn relation(&mut self) -> Option<Relation> {
        let mut signs = Relation::SIGNS.into_iter();
        let found = signs.find(|(sign, _)| self.takes(sign));
        found.map(|(_, relation)| relation)
    }

    /// Takes a number.
    ///
    /// # Errors
    /// When another word is the next.
    pub fn number(&mut self) -> Result<u64, Diagnostic> {
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

    /// Takes signals in parentheses: the pattern, and the character that it begins at.
    ///
    /// # Errors
    /// When other words are the next.
    pub fn signals(&mut self) -> Result<(String, usize), Diagnostic> {
        self.takes_or("(")?;
        let place = self.place();
        let Some(pattern) = self.word() else {
            return Err(self.expected("a signal"));
        };
        self.takes_or(")")?;
        Ok((pattern, place))
    }

    /// Takes the relation that has to follow a word; `known` are the words that begin tests.
    ///
    /// # Errors
    /// When none follows.
    pub fn relation_of(
        &mut self,
        word: ConditionWord<'_>,
        known: &[&'static str],
    ) -> Result<Relation, Diagnostic> {
        if let Some(relation) = self.relation() {
            return Ok(relation);
        }
        let edges = ValueEdge::WORDS.map(|(edge, _)| edge);
        let known: Vec<&str> = edges.iter().chain(known).copied().collect();
        let near = suggest::nearest(word.text, &known).filter(|near| *near != word.text);
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => self.example.into(),
        };
        let message = format!(
            "found {} after `{}`; expected ==, !=, <, <=, > or >=",
            self.found(),
            word.text
        );
        Err(word.wrong(message, help))
    }
}

/// Puts tests together.
struct Reader<'v, V: Vocabulary> {
    parser: Parser,
    vocabulary: &'v mut V,
    tests: Vec<V::Test>,
    steps: Vec<Step>,
}

impl<V: Vocabulary> Reader<'_, V> {
    fn any(&mut self, depth: usize) -> Result<(), Diagnostic> {
        self.all(depth)?;
        while self.parser.takes("||") {
            self.all(depth)?;
            self.steps.push(Step::Or);
        }
        Ok(())
    }

    fn all(&mut self, depth: usize) -> Result<(), Diagnostic> {
        self.one(depth)?;
        while self.parser.takes("&&") {
            self.one(depth)?;
            self.steps.push(Step::And);
        }
        Ok(())
    }

    fn one(&mut self, depth: usize) -> Result<(), Diagnostic> {
        let place = self.parser.place();
        if depth == DEPTH_MAX {
            let message =
                format!("a term stands in more than {DEPTH_MAX} parentheses and negations");
            return Err(wrong(place, message, "take some away"));
        }
        if self.parser.takes("!") {
            self.one(depth + 1)?;
            self.steps.push(Step::Not);
            return Ok(());
        }
        if self.parser.takes("(") {
            self.any(depth + 1)?;
            return self.parser.takes_or(")");
        }
        let test = self.test()?;
        if self.tests.len() == TESTS_MAX {
            let message = format!("a condition has at most {TESTS_MAX} tests");
            let help = "use patterns that match several signals";
            return Err(wrong(self.parser.place(), message, help));
        }
        self.tests.push(test);
        self.steps.push(Step::Test);
        Ok(())
    }

    fn test(&mut self) -> Result<V::Test, Diagnostic> {
        let parser = &mut self.parser;
        let place = parser.place();
        let Some(text) = parser.word() else {
            return Err(parser.expected("a test"));
        };
        let word = ConditionWord { text: &text, place };
        let mut edges = ValueEdge::WORDS.into_iter();
        if let Some((_, edge)) = edges.find(|(known, _)| *known == text) {
            let (pattern, place) = parser.signals()?;
            let text = &*pattern;
            return self.vocabulary.edge(ConditionWord { text, place }, edge);
        }
        if V::WORDS.contains(&&*text) {
            return self.vocabulary.test(word, parser);
        }
        let relation = parser.relation_of(word, V::WORDS)?;
        let Some((_, Token::Word(value) | Token::Quoted(value))) = parser.tokens.get(parser.at)
        else {
            return Err(parser.expected(V::VALUES));
        };
        let (text, place) = (value.clone(), parser.place());
        parser.at += 1;
        let text = &*text;
        let value = ConditionWord { text, place };
        self.vocabulary.compare(word, relation, value)
    }
}

/// A number as conditions have it: decimal, hexadecimal or binary.
pub fn number(text: &str) -> Option<u64> {
    let (digits, radix) = match text.get(..2) {
        Some("0x") => (&text[2..], 16),
        Some("0b") => (&text[2..], 2),
        _ => (text, 10),
    };
    let begins = digits.starts_with(|c: char| c.is_digit(radix));
    begins.then(|| u64::from_str_radix(digits, radix).ok())?
}

#[cfg(test)]
mod tests;
