//! Words of the source: comments begin with a noun or a verb, and names of types tell.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that make a clause of what should be a noun or a sentence.
const CLAUSES: [&str; 9] = [
    "What", "How", "Where", "Whether", "Which", "Who", "When", "Why", "Of",
];

/// Names that the module of a type explains: every chip has its own.
const OF_EVERY_CHIP: [&str; 2] = ["Pins", "State"];

/// All Rust files of the workspace, sorted, with their paths below its root.
fn sources() -> Vec<(String, String)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("target") {
                collect(&path, files);
            } else if path.extension().is_some_and(|end| end == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["benches", "crates", "examples", "src", "tests"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let named = files.into_iter().map(|path| {
        let name = path.strip_prefix(root).expect("below the root");
        let text = fs::read_to_string(&path).expect("a text");
        (name.to_string_lossy().into_owned(), text)
    });
    named.collect()
}

/// The marker of a comment line and its text.
fn comment(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let marker = ["///", "//!", "//"]
        .into_iter()
        .find(|marker| line.starts_with(marker))?;
    Some((marker, line[marker.len()..].trim_start()))
}

#[test]
fn no_comment_opens_with_a_relative_clause() {
    let mut wrong = Vec::new();
    for (name, text) in sources() {
        let mut before = None;
        for (at, line) in text.lines().enumerate() {
            let found = comment(line);
            let marker = found.map(|(marker, _)| marker);
            if let Some((_, text)) = found.filter(|_| marker != before) {
                let first = text.split(|letter: char| !letter.is_alphabetic()).next();
                if first.is_some_and(|first| CLAUSES.contains(&first)) {
                    wrong.push(format!("{name}:{}: {text}", at + 1));
                }
            }
            before = marker;
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The name of the type that a line declares for other modules.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("pub")?;
    let rest = match rest.strip_prefix('(') {
        Some(scope) => scope.split_once(')')?.1,
        None => rest,
    };
    let rest = ["struct ", "enum ", "trait ", "type ", "union "]
        .into_iter()
        .find_map(|word| rest.trim_start().strip_prefix(word))?;
    let name = rest
        .split(|letter: char| !letter.is_alphanumeric())
        .next()?;
    // A macro that declares one has a variable there.
    (!name.is_empty()).then_some(name)
}

/// A type's name has one meaning in a crate, and at most two in all.
#[test]
fn a_name_of_a_type_has_one_meaning() {
    let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, text) in sources() {
        let Some(file) = file.strip_prefix("crates/") else {
            continue;
        };
        for name in text.lines().filter_map(declared) {
            let own = files.entry(name.to_owned()).or_default();
            own.push(file.to_owned());
        }
    }
    let top = |file: &String| file.split('/').next().unwrap_or_default().to_owned();
    files.retain(|name, files| {
        let mut crates: Vec<String> = files.iter().map(top).collect();
        crates.sort();
        crates.dedup();
        let is_shared = files.len() > 2 || crates.len() < files.len();
        is_shared && !OF_EVERY_CHIP.contains(&name.as_str())
    });
    assert_eq!(files, BTreeMap::new());
}
