//! Lines of a width.

use std::io::stdout;

/// Columns of a text that is written to a file.
pub(super) const FILE_WIDTH: usize = 96;

/// Most columns of a text on a terminal, where lines that are longer are hard to read.
const READABLE_WIDTH: usize = 100;

/// Columns of a text for standard output: those of the terminal, or 80 where there is none.
pub(super) fn terminal_width() -> usize {
    let found = terminal_size::terminal_size_of(stdout());
    found.map_or(80, |(width, _)| {
        usize::from(width.0).clamp(40, READABLE_WIDTH)
    })
}

/// The lines of a text of words, each after `indent`, in so many columns.
pub(super) fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let columns = indent.chars().count() + line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && columns > width {
            lines.push_str(&format!("{indent}{line}\n"));
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if !line.is_empty() {
        lines.push_str(&format!("{indent}{line}\n"));
    }
    lines
}
