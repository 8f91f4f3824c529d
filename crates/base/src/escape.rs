//! Foreign text made harmless for where it is shown: terminals, XML, JSON, CSV.
//!
//! Names and values come from configurations, netlists, waveforms, tables and arguments, and
//! may hold anything. A terminal obeys control sequences (ESC and the C1 controls begin them:
//! they set titles, write the clipboard, erase what was said), and characters that have no
//! width or turn the direction of text make one name look like another. Such a character is
//! *active* here. It is shown as `\n`, `\t`, `\r`, `\0` or `\u{1b}`, as a string of the
//! language Rust has it.
//!
//! | where text is shown | by |
//! |---|---|
//! | a diagnostic, a cell, a label: one line | [`line()`] |
//! | a whole output on a terminal, whose lines are the program's | [`lines`] |
//! | source text below which columns are marked | [`in_place`] |
//! | SVG and HTML | [`xml`] |
//! | JSON, which may go to a terminal | [`write_json`] |
//! | a cell of CSV that a spreadsheet may open | [`csv_cell`] |

use std::borrow::Cow;
use std::io::{self, Write};

use serde::{Serialize, Serializer};
use serde_json::ser::{Formatter, PrettyFormatter};

/// True when a character acts on a terminal, hides, or reorders what is beside it: controls (C0,
/// DEL, C1), line and paragraph separators, marks of direction, characters of no width, fillers
/// that look like blanks, selectors of variants, tags and noncharacters.
pub fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}'..='\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// The text with every character that `is_kept` does not keep replaced by what `shown` writes.
fn replaced(
    text: &str,
    is_kept: impl Fn(char) -> bool,
    shown: impl Fn(&mut String, char),
) -> Cow<'_, str> {
    let Some((at, _)) = text.char_indices().find(|(_, c)| !is_kept(*c)) else {
        return Cow::Borrowed(text);
    };
    let (kept, rest) = text.split_at(at);
    let mut replaced = kept.to_owned();
    for c in rest.chars() {
        match is_kept(c) {
            true => replaced.push(c),
            false => shown(&mut replaced, c),
        }
    }
    Cow::Owned(replaced)
}

/// Writes an active character as it is shown.
fn push_shown(text: &mut String, c: char) {
    match c {
        '\0' => text.push_str("\\0"),
        '\t' => text.push_str("\\t"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        c => text.extend(c.escape_unicode()),
    }
}

/// A text as one line: every active character is escaped, line ends and tabs as well.
///
/// ```
/// use crosswave_base::escape::line;
/// assert_eq!(line("a\u{1b}]0;title\u{7}b\n"), r"a\u{1b}]0;title\u{7}b\n");
/// assert_eq!(line("Zürich √2 – plain"), "Zürich √2 – plain");
/// ```
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, |c| !is_active(c), push_shown)
}

/// A text of several lines: as [`line()`], but line ends and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_kept = |c| matches!(c, '\n' | '\t') || !is_active(c);
    replaced(text, is_kept, push_shown)
}

/// Source text in which every character keeps its column: a control character becomes its
/// picture (`␛`), another active one U+FFFD. Line ends and tabs stay.
pub fn in_place(text: &str) -> Cow<'_, str> {
    let is_kept = |c| matches!(c, '\n' | '\r' | '\t') || !is_active(c);
    replaced(text, is_kept, |text, c| {
        text.push(match c {
            '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
            '\u{7f}' => '\u{2421}',
            _ => '\u{fffd}',
        });
    })
}

/// A text as it stands in XML and HTML, in elements and in attributes with double quotes. XML
/// has no way to write control characters, so active ones are escaped as in [`line()`].
///
/// ```
/// assert_eq!(crosswave_base::escape::xml("a < \"b\u{8}\""), r"a &lt; &quot;b\u{8}&quot;");
/// ```
pub fn xml(text: &str) -> Cow<'_, str> {
    let is_kept = |c| !matches!(c, '&' | '<' | '>' | '"') && !is_active(c);
    replaced(text, is_kept, |text, c| match c {
        '&' => text.push_str("&amp;"),
        '<' => text.push_str("&lt;"),
        '>' => text.push_str("&gt;"),
        '"' => text.push_str("&quot;"),
        c => push_shown(text, c),
    })
}

/// Writes a value as indented JSON in characters that are harmless on a terminal: active ones as
/// `\u001b`, which says the same.
///
/// # Errors
/// Those of `out`, and those of a value that is no JSON, such as a map whose keys are no texts.
pub fn write_json(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(out, Harmless::default());
    Ok(value.serialize(&mut serializer)?)
}

/// Indented JSON with active characters escaped.
#[derive(Default)]
struct Harmless(PrettyFormatter<'static>);

/// Passes methods of a formatter on to the one within.
macro_rules! passed_on {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {
        $(
            fn $method<W: Write + ?Sized>(
                &mut self,
                out: &mut W
                $(, $argument: $type)*
            ) -> io::Result<()> {
                self.0.$method(out $(, $argument)*)
            }
        )*
    };
}

impl Formatter for Harmless {
    passed_on! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let shown = replaced(
            fragment,
            |c| !is_active(c),
            |text, c| {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    text.push_str(&format!("\\u{unit:04x}"));
                }
            },
        );
        out.write_all(shown.as_bytes())
    }
}

/// Characters that a spreadsheet takes for the begin of a formula.
const FORMULA: [char; 8] = ['=', '+', '-', '@', '\t', '\r', '＝', '＠'];

/// Prefix of a text that would be taken for a formula, as spreadsheets have it.
const GUARD: char = '\'';

/// A foreign text as the cell of a table: one line of harmless characters, and with an
/// apostrophe before it where a spreadsheet would compute what it begins with. A number stays a
/// number, and a text that begins with an apostrophe gets one more: who takes away the first
/// apostrophe of a cell has the text as [`line()`] shows it.
///
/// ```
/// use crosswave_base::escape::csv_cell;
/// assert_eq!(csv_cell("=HYPERLINK(1)"), "'=HYPERLINK(1)");
/// assert_eq!(csv_cell("-1"), "-1");
/// assert_eq!(csv_cell("leaf-1"), "leaf-1");
/// ```
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    let begins = text.trim_start_matches(' ').starts_with(FORMULA);
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    match begins && !is_number || text.starts_with(GUARD) {
        true => Cow::Owned(format!("{GUARD}{}", line(text))),
        false => line(text),
    }
}

/// A path in a document: names of files need not be Unicode, documents are, so what is no
/// Unicode is shown as U+FFFD. A [`Path`](std::path::Path) itself fails where it is serialised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPath(String);

impl From<&std::path::Path> for ShownPath {
    fn from(path: &std::path::Path) -> ShownPath {
        ShownPath(path.display().to_string())
    }
}

impl Serialize for ShownPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters that must not reach a terminal, by their kind; each is drawn by hand from the
    /// Unicode tables, not from the code above.
    const HOSTILE: [char; 28] = [
        '\0',
        '\u{7}',
        '\u{8}',
        '\u{1b}',
        '\u{7f}',
        '\u{80}',
        '\u{84}',
        '\u{90}',
        '\u{9b}',
        '\u{9d}',
        '\u{9f}',
        '\u{ad}',
        '\u{61c}',
        '\u{200b}',
        '\u{200c}',
        '\u{200d}',
        '\u{200e}',
        '\u{200f}',
        '\u{2028}',
        '\u{202a}',
        '\u{202e}',
        '\u{2060}',
        '\u{2066}',
        '\u{2069}',
        '\u{feff}',
        '\u{fffe}',
        '\u{e0041}',
        '\r',
    ];
    const PLAIN: &str = "plain ~ äöü ß √ Ω é e\u{301} 日本 한국 עברית 😀 \u{a0} � …";

    #[test]
    fn active_characters_are_escaped_and_others_stay() {
        for c in HOSTILE {
            let text = format!("{PLAIN}{c}{PLAIN}");
            for shown in [line(&text), lines(&text), xml(&text)] {
                assert!(!shown.contains(c), "{c:?} in {shown}");
                assert_eq!(shown.matches(PLAIN).count(), 2, "{shown}");
            }
            if c != '\r' {
                let shown = in_place(&text);
                assert!(!shown.contains(c), "{c:?}");
                assert_eq!(shown.chars().count(), text.chars().count());
            }
        }
        let borrowed = [line(PLAIN), lines(PLAIN), in_place(PLAIN), xml(PLAIN)];
        for shown in borrowed {
            assert!(matches!(shown, Cow::Borrowed(PLAIN)), "{shown}");
        }
        assert_eq!(line("a\tb\nc\r\0"), r"a\tb\nc\r\0");
        assert_eq!(lines("a\tb\nc\r"), "a\tb\nc\\r");
        assert_eq!(in_place("\u{1b}[2J\u{7f}\u{9b}\r\n"), "␛[2J␡\u{fffd}\r\n");
    }

    #[test]
    fn json_says_the_same() {
        for c in HOSTILE {
            let text = format!("a{c}\"\\\n{PLAIN}");
            let mut written = Vec::new();
            write_json(&mut written, &[&text, "b"]).expect("text");
            let written = String::from_utf8(written).expect("UTF-8");
            assert!(!written.contains(c) && written.contains(PLAIN), "{written}");
            let read: Vec<String> = serde_json::from_str(&written).expect("JSON");
            assert_eq!(read, [text.as_str(), "b"]);
        }
        // All else is as serde_json writes it.
        let value = serde_json::json!({"a": [], "b": [1, {"c": 0.5}, "d\"\\"], "e": {}, "f": null});
        let mut written = Vec::new();
        write_json(&mut written, &value).expect("JSON");
        let usual = serde_json::to_vec_pretty(&value).expect("JSON");
        assert_eq!(written, usual);
    }

    #[test]
    fn cells_of_csv_are_no_formulas() {
        let formulas = [
            "=1+1", "+1+1", "-a", "-", "@SUM(A1)", "\tx", "\rx", " =1", "＝1", "-1-1", "+", "-inf",
        ];
        for text in formulas {
            let cell = csv_cell(text);
            assert!(cell.starts_with('\''), "{cell}");
            assert_eq!(cell.strip_prefix('\''), Some(&*line(text)));
        }
        for text in [
            "-1",
            "+2.5",
            "-1e-3",
            "1",
            "leaf-1",
            "a=b",
            "",
            "Rack 3 = row 2",
        ] {
            assert_eq!(csv_cell(text), text);
        }
        for text in ["'", "''", "'=1", "'a"] {
            assert_eq!(csv_cell(text), format!("'{text}"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn paths_that_are_no_unicode_are_shown() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let path = std::path::Path::new(OsStr::from_bytes(b"caf\xe9.csv"));
        let json = serde_json::to_string(&ShownPath::from(path)).expect("text");
        assert_eq!(json, "\"caf\u{fffd}.csv\"");
    }
}
