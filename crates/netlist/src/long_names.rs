//! Names of parts of instances, which stay short however deep the hierarchy is.
//!
//! The full name of a net is a path through every instance around it. In a chain of n
//! modules paths are n names long, and all of them together n² names; so the middle of
//! a long path is replaced by a number that tells such names apart.

/// Bytes of a name that is kept whole.
pub(super) const NAME_BYTES_MAX: usize = 256;

/// Bytes that are kept of the beginning and of the end of a longer one.
const ENDS: (usize, usize) = (128, 96);

/// `path` and `name` together, or their ends with `number` between them.
pub(super) fn joined(path: &str, name: &str, number: usize) -> String {
    if path.len() + name.len() <= NAME_BYTES_MAX {
        return format!("{path}{name}");
    }
    let (head, tail) = ENDS;
    let first = beginning(path, head);
    let first_of_name = beginning(name, head - first.len());
    let rest = &name[first_of_name.len()..];
    let last = end(rest, tail);
    let last_of_path = match last.len() == rest.len() {
        true => end(&path[first.len()..], tail - last.len()),
        false => "",
    };
    format!("{first}{first_of_name}…{number}…{last_of_path}{last}")
}

/// The beginning of a text, at most so many bytes.
fn beginning(text: &str, bytes: usize) -> &str {
    let mut at = bytes.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    &text[..at]
}

/// The end of a text, at most so many bytes.
fn end(text: &str, bytes: usize) -> &str {
    let mut at = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(at) {
        at += 1;
    }
    &text[at..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_short_and_distinct() {
        assert_eq!(joined("a.b.", "c", 7), "a.b.c");
        let path = "instance_ä.".repeat(1000);
        let found = joined(&path, "state[3]", 12);
        assert!(found.len() < NAME_BYTES_MAX, "{found}");
        assert!(found.starts_with("instance_ä.instance_"), "{found}");
        assert!(
            found.ends_with(".state[3]") && found.contains("…12…"),
            "{found}"
        );
        let name = "ö".repeat(1000);
        for (path, name) in [("", name.as_str()), (&path, &name), ("x.", &path)] {
            assert!(joined(path, name, usize::MAX).len() < NAME_BYTES_MAX + 24);
            assert_ne!(joined(path, name, 1), joined(path, name, 2));
        }
    }
}
