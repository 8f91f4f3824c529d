//! The rules of ARCHITECTURE.md that can be read off the source text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The top modules, from the bottom up, and what each may import. The table in
/// ARCHITECTURE.md says the same.
const IMPORTS: [(&str, &[&str]); 18] = [
    ("diagnostic", &[]),
    ("system", &[]),
    ("file", &["diagnostic"]),
    ("random", &[]),
    ("netlist", &["diagnostic"]),
    ("probe", &[]),
    ("routing", &[]),
    (
        "chip",
        &["diagnostic", "random", "netlist", "probe", "routing"],
    ),
    ("network", &["random", "routing", "chip"]),
    ("traffic", &["diagnostic", "file", "random"]),
    (
        "gate",
        &[
            "diagnostic",
            "random",
            "netlist",
            "probe",
            "chip",
            "network",
        ],
    ),
    ("event", &["random", "probe", "chip", "network"]),
    ("wave", &["diagnostic", "file", "probe"]),
    (
        "design",
        &["diagnostic", "random", "netlist", "gate", "wave"],
    ),
    ("analytic", &["random"]),
    ("plot", &[]),
    (
        "experiment",
        &[
            "diagnostic",
            "file",
            "random",
            "probe",
            "routing",
            "chip",
            "network",
            "traffic",
            "gate",
            "event",
            "analytic",
            "plot",
        ],
    ),
    (
        "cli",
        &[
            "diagnostic",
            "system",
            "file",
            "netlist",
            "probe",
            "chip",
            "network",
            "traffic",
            "gate",
            "wave",
            "design",
            "experiment",
        ],
    ),
];

/// Files whose hash tables are looked up and never walked, so that their order
/// cannot reach a result.
const HASHED: [&str; 9] = [
    "netlist/fold.rs",
    "netlist/lower.rs",
    "netlist/map/cover.rs",
    "netlist/map/graph.rs",
    "netlist/text/parse.rs",
    "netlist/yosys/module.rs",
    "netlist/yosys/names.rs",
    "wave/vcd_reader/builder.rs",
    "wave/vcd_writer/names.rs",
];

/// Files with unsafe code: one runs machine code, the other is the allocator, of which
/// there is none without.
const UNSAFE: [&str; 2] = ["cli/allocator.rs", "gate/native/code.rs"];

/// This file, which names what others must not have.
const OWN: &str = "tests/quick/architecture.rs";

/// Lines of a file that is not a test.
const LINES_MAX: usize = 700;

/// A source file.
struct Source {
    /// Below `src`, with `/`.
    name: String,
    /// The whole text.
    text: String,
    /// Without comments and without what is compiled for tests only.
    code: String,
}

impl Source {
    /// The top module it belongs to.
    fn top(&self) -> &str {
        let first = self.name.split('/').next().unwrap_or_default();
        first.strip_suffix(".rs").unwrap_or(first)
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files below a folder that end in `.rs`, sorted.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// The text without line comments and without items under `#[cfg(test)]`.
/// The source is formatted, so such an item ends with a brace as far to the
/// left as its attribute.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        if line.trim() == "#[cfg(test)]" {
            let indent = &line[..line.len() - line.trim_start().len()];
            let end = format!("{indent}}}");
            let item = lines
                .by_ref()
                .find(|line| !line.trim_start().starts_with("#["));
            if item.is_some_and(|item| item.ends_with('{')) {
                lines.by_ref().find(|line| *line == end);
            }
            continue;
        }
        let line = line.split(" // ").next().unwrap_or(line);
        code.push_str(line);
        code.push('\n');
    }
    code
}

/// The names that `mod NAME;` declares in a text.
fn modules(text: &str) -> Vec<String> {
    let declared = |line: &str| {
        let line = line.trim();
        let rest = line.strip_prefix("mod ").or_else(|| {
            let rest = line.strip_prefix("pub")?;
            Some(rest.split_once("mod ")?.1)
        })?;
        Some(rest.strip_suffix(';')?.to_owned())
    };
    text.lines().filter_map(declared).collect()
}

/// The files that `mod` declarations reach from `file`. With `tests`, also
/// those that are compiled for tests only.
fn reach(file: &Path, tests: bool, found: &mut BTreeSet<PathBuf>) {
    if !found.insert(file.to_owned()) {
        return;
    }
    let text = read(file);
    let names = modules(&if tests { text } else { code(&text) });
    let stem = file
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or_default();
    let folder = match stem {
        "lib" | "main" => file.with_file_name(""),
        stem => file.with_file_name(stem),
    };
    for name in names {
        reach(&folder.join(format!("{name}.rs")), tests, found);
    }
}

/// The files that are compiled without tests.
fn sources() -> Vec<Source> {
    let src = root().join("src");
    let mut found = BTreeSet::new();
    reach(&src.join("lib.rs"), false, &mut found);
    reach(&src.join("main.rs"), false, &mut found);
    let source = |path: &PathBuf| {
        let text = read(path);
        Source {
            name: path
                .strip_prefix(&src)
                .expect("below src")
                .display()
                .to_string(),
            code: code(&text),
            text,
        }
    };
    found.iter().map(source).collect()
}

/// The first names of all `crate::` paths.
fn imports(code: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, matched) in code.match_indices("crate::") {
        let rest = &code[at + matched.len()..];
        let Some(group) = rest.strip_prefix('{') else {
            names.insert(word(rest));
            continue;
        };
        let mut depth = 0;
        let mut start = true;
        for (at, letter) in group.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                _ if start && letter.is_alphabetic() => {
                    names.insert(word(&group[at..]));
                    start = false;
                }
                _ => {}
            }
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// What stands between the first pair of `mark` in a text.
fn quoted(text: &str, mark: char) -> Vec<String> {
    text.split(mark)
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[test]
fn groups_of_imports_are_read() {
    let code = "use crate::{chip::{A, b}, experiment};\nlet x = crate::random::word(1);\n";
    let names: Vec<String> = imports(code).into_iter().collect();
    assert_eq!(names, ["chip", "experiment", "random"]);
}

#[test]
fn modules_import_only_what_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = IMPORTS.into_iter().collect();
    let mut wrong = Vec::new();
    for source in sources() {
        let top = source.top();
        if matches!(top, "lib" | "main") {
            continue;
        }
        let Some(allowed) = allowed.get(top) else {
            wrong.push(format!("src/{}: {top} is not in the table", source.name));
            continue;
        };
        for name in imports(&source.code) {
            if name != top && !allowed.contains(&name.as_str()) {
                wrong.push(format!("src/{}: {top} must not know {name}", source.name));
            }
        }
        let is_root = source.name == format!("{top}.rs");
        if is_root && source.code.contains("super::") {
            wrong.push(format!("src/{}: write crate:: for super::", source.name));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn imports_lead_downwards_only() {
    let order = IMPORTS.map(|(name, _)| name);
    for (at, (name, imports)) in IMPORTS.iter().enumerate() {
        for import in *imports {
            assert!(order[..at].contains(import), "{name} imports {import}");
        }
    }
    let lib = read(&root().join("src/lib.rs"));
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    let names: Vec<&str> = rows.filter_map(|row| row.split('`').next()).collect();
    assert_eq!(names, order, "the table in src/lib.rs");
}

#[test]
fn architecture_has_the_same_table() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let rows = text
        .lines()
        .skip_while(|line| !line.starts_with("| module | may import |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let found: Vec<Vec<String>> = rows.map(|row| quoted(row, '`')).collect();
    let expected: Vec<Vec<String>> = IMPORTS
        .iter()
        .map(|(name, imports)| {
            let all = std::iter::once(name).chain(imports.iter());
            all.map(|name| (*name).to_owned()).collect()
        })
        .collect();
    assert_eq!(found, expected, "the table in ARCHITECTURE.md");
}

/// Asserts that none of `words` stands in the code of the files that `rule`
/// holds for.
fn assert_without(rule: impl Fn(&Source) -> bool, words: &[&str]) {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| rule(source)) {
        for (at, line) in source.code.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(**word)) {
                wrong.push(format!("src/{}: {word} (line {at} of code)", source.name));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let hands_out_standard_output = |source: &Source| source.name == "file/standard.rs";
    assert_without(
        |source| !matches!(source.top(), "cli" | "main") && !hands_out_standard_output(source),
        &[
            "println!",
            "print!(",
            "stdout()",
            "stderr()",
            "process::exit",
            "process::abort",
            "ExitCode",
        ],
    );
}

/// So that inputs have a limit, and nothing is replaced that is not to be.
#[test]
fn only_one_module_opens_files() {
    assert_without(
        |source| source.top() != "file",
        &[
            " File::",
            "(File::",
            "fs::File::",
            "OpenOptions",
            "fs::read(",
            "fs::write(",
        ],
    );
}

#[test]
fn engines_do_no_input_and_read_no_clock() {
    assert_without(
        |source| matches!(source.top(), "gate" | "event"),
        &[
            "Instant",
            "SystemTime",
            "std::fs",
            "std::io",
            "std::env",
            "std::net",
            "std::time",
        ],
    );
}

#[test]
fn unsafe_code_is_in_few_files() {
    assert_without(
        |source| !UNSAFE.contains(&source.name.as_str()),
        &["unsafe ", "allow(unsafe_code)"],
    );
}

#[test]
fn no_order_of_hash_tables() {
    assert_without(
        |source| !HASHED.contains(&source.name.as_str()),
        &["HashMap", "HashSet"],
    );
}

#[test]
fn files_fit_one_sitting() {
    for source in sources() {
        let lines = source.text.lines().count();
        assert!(
            lines <= LINES_MAX,
            "src/{} has {lines} lines; split it",
            source.name
        );
    }
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["TODO", "FIXME", "XXX", "todo!", "unimplemented!", "dbg!("];
    for folder in ["src", "tests", "benches"] {
        for path in rust_files(&root().join(folder)) {
            if path.ends_with(OWN) {
                continue;
            }
            let text = read(&path);
            for word in words {
                assert!(!text.contains(word), "{}: {word}", path.display());
            }
        }
    }
}

/// A test that draws other cases in every run fails some day on code that nobody changed.
#[test]
fn random_cases_are_the_same_in_every_run() {
    let own = ["src/random/cases.rs", "tests/support/cases.rs"].map(|name| root().join(name));
    for folder in ["src", "tests", "benches"] {
        for path in rust_files(&root().join(folder)) {
            if own.contains(&path) || path.ends_with(OWN) {
                continue;
            }
            let text = read(&path);
            for word in ["TestRunner", "TestRng", "ProptestConfig"] {
                let place = path.display();
                assert!(!text.contains(word), "{place}: {word}; see random::cases");
            }
            let (macros, seeded) = ("proptest! {\n", "#![proptest_config(crate::random::cases::");
            for rest in text.split(macros).skip(1) {
                let place = path.display();
                assert!(
                    rest.trim_start().starts_with(seeded),
                    "{place}: proptest! without a seed; see random::cases"
                );
            }
        }
    }
}

#[test]
fn every_file_is_reachable() {
    for (folder, roots) in [("src", &["lib.rs", "main.rs"][..]), ("tests", &["main.rs"])] {
        let folder = root().join(folder);
        let mut found = BTreeSet::new();
        for root in roots {
            reach(&folder.join(root), true, &mut found);
        }
        let all: BTreeSet<PathBuf> = rust_files(&folder).into_iter().collect();
        let place = folder.display();
        assert_eq!(found, all, "files of {place}, and those that a mod reaches");
    }
}

/// The map has a row for every file of tests, and no other one.
#[test]
fn architecture_lists_every_file_of_tests() {
    let text = read(&root().join("ARCHITECTURE.md"));
    for tier in ["quick", "slow"] {
        let start = format!("| `tests/{tier}/` | ");
        let row = text.lines().find_map(|line| line.strip_prefix(&start));
        let names = quoted(row.expect("a row of the map"), '`');
        let names: BTreeSet<String> = names.into_iter().filter(|n| n.ends_with(".rs")).collect();
        let modules = modules(&read(&root().join(format!("tests/{tier}.rs"))));
        let files: BTreeSet<String> = modules.iter().map(|name| format!("{name}.rs")).collect();
        assert_eq!(names, files, "ARCHITECTURE.md and tests/{tier}.rs");
    }
}
