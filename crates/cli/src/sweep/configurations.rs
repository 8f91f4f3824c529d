//! The configurations of a sweep: a file each, or variants of one.
//!
//! Several of them are the values of the first key, [`CONFIGURATION`], which is a column of the
//! tables and tells the curves of pictures apart. A configuration has the name of its file without
//! folder and ending, a variant its own; names that are there twice have a number behind them.
//!
//! ```text
//! variant    = name ":" assignment+      a name has letters, digits, "-", "_" and "."
//! assignment = table.key=VALUE           as for --set; spaces within quotes and brackets count
//!            | "!" table.key             as for --unset
//! ```

use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::super::own_chips::ChipArgument;
use super::super::{ConfigArgs, usage};
use super::SweepArgs;
use crosswave_base::diagnostic::Error;
use crosswave_observe::sweep::values::{CONFIGURATION, Vary};

/// A named variant of the configurations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Variant {
    name: String,
    overrides: Vec<String>,
}

impl FromStr for Variant {
    type Err = String;

    fn from_str(text: &str) -> Result<Variant, String> {
        const FORM: &str = "expected 'NAME: KEY=VALUE …', such as 'fixed: router.winner=fixed'";
        let (name, assignments) = text
            .split_once(':')
            .ok_or_else(|| format!("found no ':' after a name; {FORM}"))?;
        let name = name.trim();
        let is_of_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        if name.is_empty() || !name.chars().all(is_of_name) {
            return Err(format!("found the name '{name}'; {FORM}"));
        }
        let overrides = words(assignments);
        let is_assignment = |word: &String| word.starts_with('!') || word.contains('=');
        match overrides.iter().find(|word| !is_assignment(word)) {
            _ if overrides.is_empty() => Err(format!("found no assignment; {FORM}")),
            Some(word) => Err(format!("found '{word}', which has no '='; {FORM}")),
            None => Ok(Variant {
                name: name.to_owned(),
                overrides,
            }),
        }
    }
}

/// The words of a text, divided by spaces outside of quotes and brackets.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut depth, mut quote) = (String::new(), 0_usize, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        match quote.is_none() && depth == 0 && letter.is_whitespace() {
            true if word.is_empty() => {}
            true => words.push(std::mem::take(&mut word)),
            false => word.push(letter),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// A configuration before keys are varied.
pub(super) struct BaseConfiguration {
    name: String,
    pub(super) text: String,
    pub(super) origin: String,
    pub(super) folder: PathBuf,
    pub(super) overrides: Vec<String>,
    /// The options of chips, which the overrides contain.
    pub(super) chips: Vec<ChipArgument>,
}

/// The configurations of a command line, in their order.
pub(super) struct Configurations {
    pub(super) list: Vec<BaseConfiguration>,
}

impl Configurations {
    /// Reads the files.
    ///
    /// # Errors
    /// When a file cannot be read or is given twice, or a variant is.
    pub(super) fn read(args: &SweepArgs) -> Result<Configurations, Error> {
        for (at, variant) in args.variants.iter().enumerate() {
            if args.variants[..at]
                .iter()
                .any(|other| other.name == variant.name)
            {
                let message = format!("{} is given twice", variant.name);
                return Err(usage(
                    "--variant",
                    message,
                    "give each variant a name of its own",
                ));
            }
        }
        let more = args.more.iter().map(|file| args.config.of_file(file));
        let files: Vec<ConfigArgs> = std::iter::once(args.config.of_file(&args.config.file))
            .chain(more)
            .collect();
        let mut list: Vec<BaseConfiguration> = Vec::new();
        for (at, file) in files.iter().enumerate() {
            if files[..at].iter().any(|other| other.file == file.file) {
                let message = format!("{} is given twice", file.origin());
                return Err(usage("FILE", message, "name each configuration once"));
            }
            let stem = match file.is_standard_input() {
                true => "standard input".into(),
                false => file.file.file_stem().unwrap_or_default().to_string_lossy(),
            };
            let base = |name: String, origin: String, overrides: Vec<String>, text: &str| {
                BaseConfiguration {
                    name,
                    text: text.to_owned(),
                    origin,
                    folder: file.folder().to_owned(),
                    overrides,
                    chips: file.changes.chip.clone(),
                }
            };
            let text = file.text()?;
            if args.variants.is_empty() {
                let base = base(stem.into_owned(), file.origin(), file.overrides(), &text);
                list.push(base);
                continue;
            }
            for variant in &args.variants {
                let name = match files.len() {
                    1 => variant.name.clone(),
                    _ => format!("{stem} {}", variant.name),
                };
                let origin = format!("{} as {}", file.origin(), variant.name);
                let overrides = [file.overrides(), variant.overrides.clone()].concat();
                list.push(base(name, origin, overrides, &text));
            }
        }
        make_unique(&mut list);
        Ok(Configurations { list })
    }

    /// Several configurations as the values of a key; `None` for one.
    pub(super) fn vary(&self) -> Option<Vary> {
        (self.list.len() > 1).then(|| Vary {
            key: CONFIGURATION.into(),
            values: self.list.iter().map(|base| base.name.clone()).collect(),
        })
    }
}

/// Puts numbers behind names that are there already.
fn make_unique(list: &mut [BaseConfiguration]) {
    for at in 1..list.len() {
        let is_taken = |name: &str| list[..at].iter().any(|other| other.name == name);
        let mut name = list[at].name.clone();
        let mut number = 2;
        while is_taken(&name) {
            name = format!("{}-{number}", list[at].name);
            number += 1;
        }
        list[at].name = name;
    }
}

impl ConfigArgs {
    /// The same options for another file.
    pub(in super::super) fn of_file(&self, file: &Path) -> ConfigArgs {
        ConfigArgs {
            file: file.to_owned(),
            changes: self.changes.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(text: &str) -> Result<(String, Vec<String>), String> {
        let variant: Variant = text.parse()?;
        Ok((variant.name, variant.overrides))
    }

    #[test]
    fn variants_have_a_name_and_assignments() {
        let text =
            "wide: network.kind=\"bidelta\"  network.link_delay_cycles=[1, 2] !router.winner";
        let overrides = [
            "network.kind=\"bidelta\"",
            "network.link_delay_cycles=[1, 2]",
            "!router.winner",
        ];
        let expected = ("wide".to_owned(), overrides.map(String::from).to_vec());
        assert_eq!(variant(text), Ok(expected));
        for wrong in ["wide", "wide:", ": a.b=1", "a b: a.b=1", "wide: a.b"] {
            assert!(variant(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_are_unique() {
        let base = |name: &str| BaseConfiguration {
            name: name.into(),
            text: String::new(),
            origin: String::new(),
            folder: PathBuf::new(),
            overrides: Vec::new(),
            chips: Vec::new(),
        };
        let mut list = ["a", "b", "a", "a-2", "a"].map(base);
        make_unique(&mut list);
        let names = list.map(|base| base.name);
        assert_eq!(names, ["a", "b", "a-2", "a-2-2", "a-3"]);
    }
}
