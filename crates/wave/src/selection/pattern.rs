//! Patterns and the comparison of one name with one.

/// One name of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternPart {
    /// `**`: any number of names.
    Any,
    /// A name without wildcards.
    Literal(String),
    /// A name with `*` or `?`.
    Glob(Vec<char>),
}

/// A pattern on dotted paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SignalPattern {
    /// The pattern as it was given.
    pub text: String,
    /// The names between the dots; not empty.
    pub parts: Vec<PatternPart>,
}

/// The pattern that `text` says; `None` when a name in it is empty.
pub(super) fn parse(text: &str) -> Option<SignalPattern> {
    let parts = text
        .split('.')
        .map(|name| match name {
            "" => None,
            "**" => Some(PatternPart::Any),
            _ if name.contains(['*', '?']) => Some(PatternPart::Glob(name.chars().collect())),
            _ => Some(PatternPart::Literal(name.to_owned())),
        })
        .collect::<Option<Vec<_>>>()?;
    Some(SignalPattern {
        text: text.to_owned(),
        parts,
    })
}

impl PatternPart {
    /// True when `name` is one that the part stands for: as it is, without the backslash that
    /// escapes it, or without that and the range of a vector at its end.
    pub(super) fn matches(&self, name: &str) -> bool {
        let unescaped = name.strip_prefix('\\').unwrap_or(name);
        let plain = without_range(unescaped);
        self.is(name)
            || unescaped.len() < name.len() && self.is(unescaped)
            || plain.len() < unescaped.len() && self.is(plain)
    }

    fn is(&self, name: &str) -> bool {
        match self {
            PatternPart::Any => true,
            PatternPart::Literal(literal) => literal == name,
            PatternPart::Glob(glob) => glob_matches(glob, name),
        }
    }
}

/// A name without a range at its end.
fn without_range(name: &str) -> &str {
    let range = name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['));
    match range {
        Some((before, range)) if range.contains(':') && !before.is_empty() => before,
        _ => name,
    }
}

/// Compares from left to right; on a mismatch the last `*` takes one character
/// more. At most the product of both lengths in steps.
fn glob_matches(glob: &[char], name: &str) -> bool {
    let mut name = name.chars();
    let mut at = 0;
    // The positions after the last `*`, in the pattern and in the name, from which to try again.
    let mut retry = None;
    loop {
        let before = name.clone();
        let wanted = glob.get(at);
        match (wanted, name.next()) {
            (Some('*'), _) => {
                at += 1;
                name = before;
                retry = Some((at, name.clone()));
            }
            (None, None) => return true,
            (Some('?'), Some(_)) => at += 1,
            (Some(wanted), Some(found)) if *wanted == found => at += 1,
            (_, None) => return false,
            (_, Some(_)) => {
                let Some((star, mut rest)) = retry else {
                    return false;
                };
                // Cannot be empty: the name had a character left.
                rest.next();
                at = star;
                name = rest.clone();
                retry = Some((star, rest));
            }
        }
    }
}
