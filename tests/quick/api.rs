//! The public items at the root of the library, as a reviewer sees them: a change there is a change
//! of the version.

use std::fs;
use std::path::Path;

/// The names at the root, and the files that hold them.
const ROOT: [(&str, &str); 6] = [
    ("Config", "crates/run/src/config.rs"),
    ("Error", "crates/base/src/diagnostic.rs"),
    ("Outcome", "crates/run/src/host.rs"),
    ("Replicate", "crates/run/src/replicate.rs"),
    ("RunResult", "crates/run/src/result.rs"),
    ("Simulation", "crates/run/src/simulation.rs"),
];

fn source(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines from one that begins so to the one that ends the item, which is formatted.
fn item<'a>(text: &'a str, begins: &str) -> Option<&'a str> {
    let start = text.find(&format!("\n{begins}"))? + 1;
    let end = text[start..].find("\n}\n")?;
    Some(&text[start..start + end])
}

/// The public fields and methods of a type.
fn promises(name: &str, text: &str) -> String {
    let mut found = format!("{name}\n");
    let fields = item(text, &format!("pub struct {name} {{")).unwrap_or_default();
    for field in fields.lines().filter(|line| line.starts_with("    pub ")) {
        found += &format!("  {}\n", field.trim().trim_end_matches(','));
    }
    for start in text.match_indices(&format!("\nimpl {name} {{")) {
        let methods = item(&text[start.0..], "impl ").unwrap_or_default();
        for method in methods.split("\n    pub fn ").skip(1) {
            let signature = method.split(" {\n").next().unwrap_or(method);
            let words: Vec<&str> = signature.split_whitespace().collect();
            found += &format!("  fn {}\n", words.join(" "));
        }
    }
    found
}

#[test]
fn the_root_of_the_library_is_what_it_was() {
    let lib = source("src/lib.rs");
    let mut shown: Vec<&str> = lib
        .lines()
        .filter(|line| line.starts_with("pub use "))
        .filter_map(|line| line.trim_end_matches(';').rsplit("::").next())
        .collect();
    shown.sort_unstable();
    assert_eq!(shown, ROOT.map(|(name, _)| name), "what the root shows");
    let all = ROOT.map(|(name, file)| promises(name, &source(file)));
    insta::assert_snapshot!(all.join("\n"));
}
