//! Help for text that is not TOML: the parser says what it found, and this module what to write.
//!
//! The parser goes on behind a mistake and finds more, most of which come from the first.
//! Of each line the first is told.

use std::ops::Range;

use toml::de::Error;
use toml_parser as _;

use crosswave_base::diagnostic::Diagnostic;

/// The mistakes in a text, each with its place and how to mend it.
pub(super) fn mistakes(text: &str, errors: &[Error]) -> Vec<Diagnostic> {
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    let mut last_line = None;
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        let before = text.get(..span.start).unwrap_or(text);
        let line = before.matches('\n').count();
        if last_line.replace(line) == Some(line) {
            continue;
        }
        let (message, help) = explained(error.message(), text, &span);
        mistakes.push(Diagnostic::new("TOML", message, help).at(span));
    }
    mistakes
}

/// Beginnings of what the parser says, and how to mend it. The first that fits counts.
/// Its mistakes have no kinds, and its words may change with any version, so that the manifest of the
/// workspace fixes the versions of `toml` and `toml_parser`.
const HELPS: [(&str, &str); 32] = [
    (
        "missing escaped value",
        "write \\\\ for a backslash, or put the text in single quotes, where nothing is escaped",
    ),
    (
        "too few unicode value digits",
        "write \\u and four digits, or put the text in single quotes, where nothing is escaped",
    ),
    (
        "invalid value, expected unicode",
        "write \\u and four digits, or put the text in single quotes, where nothing is escaped",
    ),
    ("missing value for key", "write KEY = VALUE"),
    ("missing value", "write a value after the `=`"),
    ("extra `=`", "leave one `=` between key and value"),
    (
        "unclosed table",
        "end the head of the table with `]`, as in [network]",
    ),
    (
        "unclosed array table",
        "write the head of a table with one bracket, as in [network]",
    ),
    ("unclosed array", "end the list with `]`"),
    (
        "missing array opening",
        "remove the `]`, or begin the list with `[`",
    ),
    (
        "missing comma between array elements",
        "put a comma between the entries of the list, or end it with `]`",
    ),
    (
        "extra comma in array",
        "leave one comma between the entries of the list",
    ),
    (
        "unexpected `=` in array",
        "end the list with `]` before the next key",
    ),
    ("unclosed inline table", "end the table with `}`"),
    (
        "missing inline table opening",
        "remove the `}`, or begin the table with `{`",
    ),
    (
        "extra comma in inline table",
        "leave one comma between the keys of the table",
    ),
    (
        "extra assignment between key-value pairs",
        "leave one `=` between key and value",
    ),
    (
        "missing key for inline table element",
        "write { KEY = VALUE, KEY = VALUE }",
    ),
    (
        "missing assignment between key-value pairs",
        "write { KEY = VALUE, KEY = VALUE }",
    ),
    (
        "missing comma between key-value pairs",
        "put a comma between the keys of the table, or end it with `}`",
    ),
    (
        "invalid inline table element",
        "write { KEY = VALUE, KEY = VALUE }",
    ),
    (
        "unexpected key or value",
        "begin a new line for the next key; a text of several words stands in quotes, a list in \
         brackets",
    ),
    (
        "invalid unquoted key",
        "a key has letters, digits, `-` and `_`; a `.` leads to the key of a table",
    ),
    (
        "unquoted keys cannot be empty",
        "write a key before the `=`",
    ),
    (
        "missing table open",
        "begin the head of the table with `[`, as in [network]",
    ),
    (
        "unexpected leading zero",
        "write the number without zeros before it",
    ),
    ("redundant", "write the number with one sign, or with none"),
    (
        "`_` may only go between digits",
        "leave the `_` out, or write it between digits, as in 1_000",
    ),
    (
        "integers with a radix cannot be signed",
        "write the number without its sign, or in decimal digits",
    ),
    (
        "radix must be lowercase",
        "write 0x, 0o or 0b in small letters",
    ),
    (
        "cannot extend value",
        "the key has a value already, so it is no table: remove one of the two",
    ),
    ("recursion limit", "no value here needs brackets that deep"),
];

/// The mistake in the bytes at `span`, of which the parser says `message`, and advice on how to fix
/// it.
fn explained(message: &str, text: &str, span: &Range<usize>) -> (String, String) {
    let found = text.get(span.clone()).unwrap_or_default();
    let line = line_of(text, span.start);
    let begins = |begin: &&str| message.starts_with(begin);
    // The parser takes a word that begins like true or nan for one of them.
    let is_word = found.starts_with(|first: char| first.is_alphabetic());
    let no_value = ["string values must", "missing opening", "invalid boolean"];
    if no_value.iter().any(begins) || message.starts_with("invalid float") && is_word {
        let expected = "a number, a text in quotes, true, false or a list";
        let what = match found {
            "" => "nothing".to_owned(),
            _ => shown(found),
        };
        return (
            format!("found {what}; expected a value: {expected}"),
            value(found),
        );
    }
    let help = if message.starts_with("duplicate key") {
        duplicate(text, span, line)
    } else if message.starts_with("key with no value") {
        key_alone(line)
    } else if message.contains("basic string") {
        string(found, '"')
    } else if message.contains("literal string") {
        string(found, '\'')
    } else if let Some((_, help)) = HELPS.iter().find(|(begin, _)| begins(begin)) {
        (*help).to_owned()
    } else if message.starts_with("invalid") {
        "write a number, such as 64, 1_000 or 0.5, or put a text in quotes".to_owned()
    } else {
        "write [table] on one line, and KEY = 1, KEY = \"text\" or KEY = [1, 2] below".to_owned()
    };
    (message.to_owned(), help)
}

/// Advice on what to write instead of something that is no value.
fn value(found: &str) -> String {
    if found.is_empty() {
        return "write a value after the `=`, or remove the key".into();
    }
    if found.ends_with(['"', '\'']) {
        return "put a quote before the text too".into();
    }
    match found.to_lowercase().as_str() {
        small @ ("true" | "false" | "inf" | "nan") => format!("write {small} in small letters"),
        _ if found.starts_with(|first: char| first.is_ascii_digit()) => {
            "write one number and nothing behind it; the entries of a list have commas between \
             them, and a text has quotes"
                .into()
        }
        _ => format!("put the text in quotes: {}", shown(found)),
    }
}

/// A text in quotes, without its end when it is long.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    let dots = if short.len() < text.len() { " …" } else { "" };
    format!("{short:?}{dots}")
}

/// Advice on what to write for a key without `=`.
fn key_alone(line: &str) -> String {
    let line = line.trim();
    if let Some(name) = line.strip_suffix(']') {
        return format!("write the head of a table in brackets: [{name}]");
    }
    match line.split_once(char::is_whitespace) {
        Some((_, rest)) if rest.contains('=') => {
            "write a key without spaces; comments begin with #".into()
        }
        Some((key, rest)) => {
            let key = key.trim_end_matches(':');
            format!("write {key} = {}", rest.trim_start_matches(':').trim())
        }
        None => format!("write {line} = VALUE, or [{line}] for the head of a table"),
    }
}

/// Advice on what to write for a string with a mistake.
fn string(found: &str, quote: char) -> String {
    if found.is_empty() {
        return format!("end the text with {quote} on the same line");
    }
    if found.starts_with('\\') || quote == '"' && !found.contains(char::is_control) {
        return "write \\\\ for a backslash, or put the text in single quotes, where nothing is \
                escaped"
            .into();
    }
    "remove the character, which cannot be seen; \\t is a tabulator, \\n a line feed".into()
}

/// Advice on a key, or the head of a table, that is there twice.
fn duplicate(text: &str, span: &Range<usize>, line: &str) -> String {
    let is_head = |line: &str| line.trim_start().starts_with('[');
    let name = |line: &str| {
        let name = match is_head(line) {
            true => line.trim().trim_matches(['[', ']']),
            false => line.split('=').next().unwrap_or_default(),
        };
        name.trim().to_owned()
    };
    let before = text.get(..span.start).unwrap_or_default();
    let number = before.matches('\n').count();
    let above = text.lines().take(number);
    let first = above
        .enumerate()
        .filter(|(_, other)| is_head(other) == is_head(line) && name(other) == name(line));
    // The same key of another table is no duplicate, so the nearest one counts.
    let first = first.map(|(at, _)| at + 1).last();
    match (first, is_head(line)) {
        (Some(first), true) => {
            format!("the table begins in line {first}: move the keys there, and remove this head")
        }
        (Some(first), false) => format!("its value is in line {first} already: remove one of them"),
        (None, _) => "it has a value already: remove one of them".into(),
    }
}

/// The line in which a byte stands.
fn line_of(text: &str, at: usize) -> &str {
    let at = at.min(text.len());
    let before = text.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}
