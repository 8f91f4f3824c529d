use super::*;
use crosswave_probe::signal::{Net, Scope, Signal, SignalSet};

/// Signals, tests of them, and a word of its own: `above(NUMBER)`.
struct Words(SignalSet);

/// A test as it was understood, with the characters that its words begin at.
type Understood = String;

impl Vocabulary for Words {
    type Test = Understood;

    const WORDS: &'static [&'static str] = &["above"];
    const EXAMPLE: &'static str = "such as a.x == 1";
    const VALUES: &'static str = "a value";

    fn test(
        &mut self,
        word: ConditionWord<'_>,
        parser: &mut Parser,
    ) -> Result<Understood, Diagnostic> {
        parser.takes_or("(")?;
        let number = parser.number()?;
        parser.takes_or(")")?;
        Ok(format!("{}@{} {number}", word.text, word.place))
    }

    fn compare(
        &mut self,
        pattern: ConditionWord<'_>,
        relation: Relation,
        value: ConditionWord<'_>,
    ) -> Result<Understood, Diagnostic> {
        let signals = pattern.matched(&self.0)?;
        let (left, right) = (pattern.place, value.place);
        Ok(format!(
            "{signals:?}@{left} {relation:?} {}@{right}",
            value.text
        ))
    }

    fn edge(
        &mut self,
        pattern: ConditionWord<'_>,
        edge: ValueEdge,
    ) -> Result<Understood, Diagnostic> {
        let signals = pattern.matched(&self.0)?;
        Ok(format!("{edge:?} {signals:?}@{}", pattern.place))
    }
}

/// Reads a condition on the signals `a.x`, `a.y`, `b.x`, `b.z`.
fn read(text: &str) -> Result<Expression<Understood>, Diagnostic> {
    let scope = |name: &str| Scope {
        name: name.to_owned(),
        parent: None,
    };
    let signal = |(scope, name)| Signal {
        scope,
        name,
        width: 1,
        states: &[],
        net: Net::Own,
    };
    let signals = SignalSet {
        scopes: vec![scope("a"), scope("b")],
        signals: [(0, "x"), (0, "y"), (1, "x"), (1, "z")].map(signal).into(),
    };
    parse(text, &mut Words(signals))
}

fn understood(text: &str) -> Vec<Understood> {
    read(text)
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
        .tests()
        .to_vec()
}

/// The error of a condition: its place and message, and the advice.
fn refused(text: &str) -> (String, String) {
    let mistake = read(text).map(|found| found.tests().to_vec());
    let mistake = mistake.expect_err(text);
    (
        format!("{}: {}", mistake.place, mistake.message),
        mistake.help,
    )
}

#[test]
fn tests_are_understood_with_their_places() {
    assert_eq!(understood("a.x == 1"), ["[0]@0 Equal 1@7"]);
    assert_eq!(understood("  *.x<=12"), ["[0, 2]@2 AtMost 12@7"]);
    assert_eq!(understood("b.* >\"to send\""), ["[2, 3]@0 More to send@5"]);
    assert_eq!(understood("a.y != \"\""), ["[1]@0 Unequal @7"]);
    assert_eq!(understood("rise(a.x)"), ["Rise [0]@5"]);
    assert_eq!(understood("change ( *.* )"), ["Change [0, 1, 2, 3]@9"]);
    assert_eq!(understood("above(0x1F)"), ["above@0 31"]);
    // Places go on behind a quotation, whose characters may take several bytes.
    let all = understood("a.x == \"é—\" && fall(b.z) || not b.x < busy_1");
    assert_eq!(
        all,
        ["[0]@0 Equal é—@7", "Fall [3]@20", "[2]@32 Less busy_1@38"]
    );
}

#[test]
fn numbers_are_decimal_hexadecimal_or_binary() {
    for (text, value) in [
        ("0", Some(0)),
        ("17", Some(17)),
        ("0x1f", Some(31)),
        ("0xF", Some(15)),
        ("0b101", Some(5)),
        ("18446744073709551615", Some(u64::MAX)),
        ("18446744073709551616", None),
        ("0xffffffffffffffff", Some(u64::MAX)),
        ("0x", None),
        ("0b2", None),
        ("0xg", None),
        ("0x+1", None),
        ("+1", None),
        ("1f", None),
        ("", None),
        ("é", None),
    ] {
        assert_eq!(number(text), value, "{text}");
    }
}

/// The condition as a function of four tests, of which bit n of a word is test n.
fn holds(text: &str, values: u32) -> bool {
    let mut condition = read(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    let mut asked = 0;
    let mut stack = vec![true];
    let result = condition.evaluate(&mut stack, |_| {
        asked += 1;
        values >> (asked - 1) & 1 == 1
    });
    assert_eq!((asked, stack.len()), (condition.tests().len(), 0), "{text}");
    result
}

#[test]
fn tests_are_put_together_by_rank() {
    type Function = fn([bool; 4]) -> bool;
    let cases: [(&str, Function); 8] = [
        ("A", |[a, ..]| a),
        ("!A", |[a, ..]| !a),
        ("A && B", |[a, b, ..]| a && b),
        ("A or B", |[a, b, ..]| a || b),
        ("A || B && C || D", |[a, b, c, d]| a || b && c || d),
        ("A and (B or C) and D", |[a, b, c, d]| a && (b || c) && d),
        ("not (A && !B) || !!C", |[a, b, c, _]| !a || b || c),
        ("!A && B || !(C || D)", |[a, b, c, d]| !a && b || !(c || d)),
    ];
    for (text, function) in cases {
        let text = ["A", "B", "C", "D"]
            .iter()
            .fold(text.to_owned(), |text, letter| {
                text.replace(letter, "a.x == 1")
            });
        for values in 0..16 {
            let bits = [0, 1, 2, 3].map(|bit| values >> bit & 1 == 1);
            assert_eq!(holds(&text, values), function(bits), "{text} {bits:?}");
        }
    }
}

#[test]
fn tests_can_be_reached_and_replaced() {
    let mut condition = read("a.x == 1 && b.z == 0").expect("right");
    condition.tests_mut()[1].push('!');
    assert_eq!(condition.tests()[1], "[3]@12 Equal 0@19!");
    let mut lengths = condition.map(|test| test.len());
    assert_eq!(lengths.tests(), [15, 18]);
    assert!(lengths.evaluate(&mut Vec::new(), |length| *length > 10));
    assert!(!lengths.evaluate(&mut Vec::new(), |length| *length > 15));
}

#[test]
fn mistakes_name_their_characters() {
    for (text, mistake) in [
        ("", "character 1: found the end; expected a test"),
        (
            "a.x",
            "character 1: found the end after `a.x`; expected ==, !=, <, <=, > or >=",
        ),
        (
            "a.x = 1",
            "character 1: found `=` after `a.x`; expected ==, !=, <, <=, > or >=",
        ),
        (
            "a.x == 1 b.x",
            "character 10: found `b.x`; expected `&&`, `||` or the end",
        ),
        (
            "a.x == 1 )",
            "character 10: found `)`; expected `&&`, `||` or the end",
        ),
        ("(a.x == 1", "character 10: found the end; expected `)`"),
        ("a.x == && 1", "character 8: found `&&`; expected a value"),
        (
            "a.x == 1 && \"b\"",
            "character 13: found `b`; expected a test",
        ),
        ("rise a.x", "character 6: found `a.x`; expected `(`"),
        ("rise()", "character 6: found `)`; expected a signal"),
        ("rise(a.x b.x)", "character 10: found `b.x`; expected `)`"),
        ("above(x)", "character 7: found `x`; expected a number"),
        ("above(\"1\")", "character 7: found `1`; expected a number"),
        ("a.x == \"b", "character 8: the quotation has no end"),
        ("\"", "character 1: the quotation has no end"),
        (
            "a.x == 1 & b.x == 1",
            "character 10: `&` has no meaning here",
        ),
        ("é.x == #", "character 8: `#` has no meaning here"),
    ] {
        assert_eq!(refused(text).0, mistake, "{text}");
    }
    assert_eq!(refused("abov a.x").1, "did you mean `above`?");
    assert_eq!(refused("raise(a.x)").1, "did you mean `rise`?");
    // A word that is right needs no other one.
    assert_eq!(refused("nothing").1, Words::EXAMPLE);
    let (mistake, help) = refused("a.x == 1 && c.x == 1");
    assert!(mistake.starts_with("character 13: "), "{mistake}");
    assert!(!help.is_empty());
}

#[test]
fn conditions_have_limits() {
    let test = "a.x == 1";
    let with_spaces = |characters: usize| format!("{test}{}", " ".repeat(characters - test.len()));
    assert_eq!(understood(&with_spaces(LENGTH_MAX)).len(), 1);
    let long = refused(&with_spaces(LENGTH_MAX + 1)).0;
    assert_eq!(long, "trigger: a condition has at most 4096 characters");

    let tests = |count: usize| vec![test; count].join(" || ");
    assert_eq!(understood(&tests(TESTS_MAX)).len(), TESTS_MAX);
    let many = refused(&tests(TESTS_MAX + 1)).0;
    assert!(
        many.ends_with(": a condition has at most 64 tests"),
        "{many}"
    );

    for (open, close) in [("(", ")"), ("!", "")] {
        let deep = |depth: usize| format!("{}{test}{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(understood(&deep(DEPTH_MAX - 1)).len(), 1);
        let message = "character 65: a term stands in more than 64 parentheses and negations";
        assert_eq!(refused(&deep(DEPTH_MAX)).0, message);
    }
}
