//! The rules of ARCHITECTURE.md that can be read off the source text.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crosswave_chips::{CHIPS, Chip, MODELS};

/// Files whose hash tables are looked up and never walked, so that their order
/// cannot reach a result.
const HASHED: [&str; 12] = [
    "netlist/fold.rs",
    "netlist/lower.rs",
    "netlist/map/cover.rs",
    "netlist/map/graph.rs",
    "netlist/text/parse.rs",
    "netlist/yosys/cells.rs",
    "netlist/yosys/json.rs",
    "netlist/yosys/module.rs",
    "netlist/yosys/names.rs",
    "wave/vcd_reader/builder.rs",
    "wave/fst/section.rs",
    "wave/vcd_writer/names.rs",
];

/// Files with unsafe code: one is the allocator, of which there is none without, one tells the
/// system and the processor how memory is going to be used, one runs machine code, one calls it with
/// places that were checked before, and one lends memory to it.
const UNSAFE: [&str; 5] = [
    "cli/allocator.rs",
    "event/memory.rs",
    "lanes/native/code.rs",
    "lanes/native/code/calls.rs",
    "lanes/native/code/borrowed.rs",
];

/// This file, which names what others must not have.
const OWN: &str = "tests/quick/architecture.rs";

/// Lines of a file that is not a test.
const LINES_MAX: usize = 700;

/// A source file.
struct Source {
    /// The folder of its crate below `crates`, and its path below `src` there.
    name: String,
    /// Its crate and its path as a module in there.
    module: Vec<String>,
    /// The whole text.
    text: String,
    /// Without comments and without what is compiled for tests only.
    code: String,
}

impl Source {
    /// The crate it belongs to.
    fn top(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
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
            // The fuzzer is a workspace of its own, with what it builds.
            if !path.ends_with("tests/fuzz") {
                files.extend(rust_files(&path));
            }
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
    // Files of the fuzzer are named by their paths, and are no part of the tests' own tree.
    let before = std::iter::once("").chain(text.lines());
    let lines = before.zip(text.lines());
    let lines = lines.filter(|(before, _)| !before.starts_with("#[path"));
    lines.filter_map(|(_, line)| declared(line)).collect()
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

/// The folders of sources: that of each crate, by its name, and those of the program and of the Python
/// package.
fn source_folders() -> Vec<(String, PathBuf)> {
    let crates = fs::read_dir(root().join("crates")).expect("a folder");
    let crates = crates.map(|entry| entry.expect("an entry"));
    let mut folders: Vec<(String, PathBuf)> = crates
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, entry.path().join("src"))
        })
        .collect();
    folders.push(("crosswave".to_owned(), root().join("src")));
    folders.push(("python".to_owned(), root().join("python/src")));
    folders.sort();
    folders
}

/// The files that are compiled without tests.
fn sources() -> Vec<Source> {
    let mut all = Vec::new();
    for (name, folder) in source_folders() {
        let mut found = BTreeSet::new();
        for start in ["lib.rs", "main.rs", "build.rs"].map(|file| folder.join(file)) {
            if start.exists() {
                reach(&start, false, &mut found);
            }
        }
        all.extend(found.iter().map(|path| {
            let text = read(path);
            let below = path.strip_prefix(&folder).expect("below src");
            let module = below.with_extension("");
            let module = module
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .filter(|part| part != "lib");
            Source {
                name: format!("{name}/{}", below.display()),
                module: std::iter::once(name.clone()).chain(module).collect(),
                code: code(&text),
                text,
            }
        }));
    }
    all
}

/// All paths in its crate that the code imports or names, each with the crate in front.
/// `pub use` is not among them: it shows what others hold.
fn imports(source: &Source) -> BTreeSet<Vec<String>> {
    let mut paths = BTreeSet::new();
    let code: String = source
        .code
        .split_inclusive(';')
        .filter(|item| !item.trim_start().starts_with("pub use "))
        .collect();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            if code[..at].ends_with("super::") {
                continue;
            }
            let mut rest = &code[at..];
            let mut base = source.module.clone();
            while let Some(below) = rest.strip_prefix("super::") {
                base.pop();
                rest = below;
            }
            if let Some(below) = rest.strip_prefix("crate::") {
                base.truncate(1);
                rest = below;
            }
            spread(rest, base, &mut paths);
        }
    }
    paths
}

/// The paths of a path that may end in a group.
fn spread(text: &str, mut base: Vec<String>, paths: &mut BTreeSet<Vec<String>>) {
    let mut rest = text;
    loop {
        if let Some(group) = rest.strip_prefix('{') {
            let (mut depth, mut start) = (0, 0);
            for (at, letter) in group.char_indices() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth > 0 => depth -= 1,
                    ',' | '}' if depth == 0 => {
                        spread(group[start..at].trim(), base.clone(), paths);
                        start = at + 1;
                        if letter == '}' {
                            return;
                        }
                    }
                    _ => {}
                }
            }
            return;
        }
        let name = word(rest);
        if name.is_empty() {
            break;
        }
        rest = &rest[name.len()..];
        if name != "self" {
            base.push(name);
        }
        match rest.strip_prefix("::") {
            Some(below) => rest = below,
            None => break,
        }
    }
    if !base.is_empty() {
        paths.insert(base);
    }
}

fn word(text: &str) -> String {
    text.chars()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect()
}

/// The texts between the two marks of each pair of `mark`.
fn quoted(text: &str, mark: char) -> Vec<String> {
    text.split(mark)
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

/// The rows of a table: a module, and the modules that it may import.
fn may_import(page: &str, heading: &str) -> Vec<(String, Vec<String>)> {
    let text = read(&root().join(page));
    let rows = text.lines().skip_while(|line| *line != heading).skip(2);
    let rows: Vec<(String, Vec<String>)> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|row| {
            let mut cells = row.split('|').skip(1).map(|cell| quoted(cell, '`'));
            let name = cells.next().unwrap_or_default().pop();
            (name.unwrap_or_default(), cells.next().unwrap_or_default())
        })
        .collect();
    assert!(rows.len() > 1, "{page} has no table {heading}");
    rows
}

const TOP: &str = "| crate | depends on | holds |";

#[test]
fn groups_of_imports_are_read() {
    let source = Source {
        name: "a/b.rs".into(),
        module: vec!["a".into(), "b".into()],
        text: String::new(),
        code: "use crate::{chip::{A, b}, run};\nuse super::c::{self, D};\npub use super::e;\n\
               let x = crate::random::word(1);\n"
            .into(),
    };
    let paths: Vec<String> = imports(&source)
        .iter()
        .map(|path| path.join("::"))
        .collect();
    let expected = [
        "a::c",
        "a::c::D",
        "a::chip::A",
        "a::chip::b",
        "a::random::word",
        "a::run",
    ];
    assert_eq!(paths, expected);
}

/// The parts of a large crate import what its table says.
#[test]
fn papers_import_only_what_they_may() {
    let heading = "| in `papers` | may import |";
    let table = may_import("docs/internals.md", heading);
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.top() == "papers") {
        let Some(part) = source.module.get(1) else {
            continue;
        };
        let place = format!("crates/{}", source.name);
        let Some((_, allowed)) = table.iter().find(|(name, _)| name == part) else {
            wrong.push(format!("{place}: {part} is not in the table {heading}"));
            continue;
        };
        for path in imports(source) {
            let Some(name) = path.get(1) else { continue };
            let is_part = table.iter().any(|(part, _)| part == name);
            if is_part && name != part && !allowed.contains(name) {
                wrong.push(format!("{place}: {part} must not know {name}"));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The crates of the workspace on which a crate depends by its manifest.
fn dependencies(manifest: &Path) -> Vec<String> {
    let text = read(manifest);
    let manifest: toml::Table = text.parse().expect("a manifest");
    let dependencies = manifest.get("dependencies").and_then(toml::Value::as_table);
    let names = dependencies.into_iter().flat_map(|table| table.keys());
    let names = names.filter_map(|name| name.strip_prefix("crosswave-"));
    names.map(str::to_owned).collect()
}

/// The table of crates is what their manifests say, and leads downwards.
#[test]
fn crates_depend_on_what_the_table_says() {
    let table = may_import("ARCHITECTURE.md", TOP);
    let order: Vec<&str> = table.iter().map(|(name, _)| name.as_str()).collect();
    for (at, (name, listed)) in table.iter().enumerate() {
        let folder = match name.as_str() {
            "crosswave" => root().to_owned(),
            "python" => root().join("python"),
            name => root().join("crates").join(name),
        };
        let mut listed = listed.clone();
        listed.sort();
        let mut found = dependencies(&folder.join("Cargo.toml"));
        found.sort();
        assert_eq!(listed, found, "dependencies of {name}");
        for below in &found {
            let is_above = order[..at].contains(&below.as_str());
            assert!(is_above, "{name} depends on {below}, which is not above it");
        }
    }
    let crates: BTreeSet<String> = source_folders().into_iter().map(|(name, _)| name).collect();
    let known: BTreeSet<String> = order.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        known, crates,
        "the crates of the table, and those that are there"
    );
}

/// No file needs, by whatever way round, one that needs it.
#[test]
fn imports_have_no_circles() {
    let sources = sources();
    let place = |path: &[String]| {
        let at = |length| {
            sources
                .iter()
                .position(|source| source.module == path[..length])
        };
        (1..=path.len()).rev().find_map(at)
    };
    let mut graph = petgraph::graph::DiGraph::<&str, ()>::new();
    let nodes: Vec<_> = sources
        .iter()
        .map(|source| graph.add_node(&source.name))
        .collect();
    for (from, source) in sources.iter().enumerate() {
        for path in imports(source) {
            if let Some(to) = place(&path)
                && to != from
            {
                graph.update_edge(nodes[from], nodes[to], ());
            }
        }
    }
    let circles = petgraph::algo::tarjan_scc(&graph).into_iter();
    let circles: Vec<Vec<&str>> = circles
        .filter(|circle| circle.len() > 1)
        .map(|circle| circle.into_iter().map(|node| graph[node]).collect())
        .collect();
    assert_eq!(circles, Vec::<Vec<&str>>::new());
}

/// The map names every folder at the top.
#[test]
fn the_map_is_the_tree() {
    let text = read(&root().join("ARCHITECTURE.md"));
    for entry in fs::read_dir(root()).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_own = entry.path().is_dir() && !name.starts_with('.') && name != "target";
        assert!(
            !is_own || text.contains(&format!("`{name}/`")),
            "{name}/ is not in the map"
        );
    }
}

/// Asserts that none of `words` stands in the code of the files that `rule`
/// holds for.
fn assert_without(rule: impl Fn(&Source) -> bool, words: &[&str]) {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| rule(source)) {
        for (at, line) in source.code.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(**word)) {
                wrong.push(format!(
                    "crates/{}: {word} (line {at} of code)",
                    source.name
                ));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn only_the_command_line_prints_or_exits() {
    let hands_out_standard_output = |source: &Source| source.name == "base/file/standard.rs";
    assert_without(
        |source| !matches!(source.top(), "cli" | "crosswave") && !hands_out_standard_output(source),
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
        |source| !source.name.starts_with("base/file"),
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

/// A name of a file that is no Unicode cannot be serialised, which shows when all else has been
/// written. `escape::ShownPath` can.
#[test]
fn nothing_that_is_serialised_has_a_path() {
    let is_path = |word: &str| word == "Path" || word == "PathBuf";
    let mut wrong = Vec::new();
    for source in sources() {
        for item in source.code.split("#[derive(").skip(1) {
            let item = item.split("\n}").next().unwrap_or_default();
            let (derived, fields) = item.split_once(")]").unwrap_or_default();
            let mut words = fields.split(|c: char| !c.is_alphanumeric() && c != '_');
            if derived.contains("Serialize") && words.any(is_path) {
                let name = fields.lines().find(|line| line.contains("struct"));
                wrong.push(format!(
                    "crates/{}: {}",
                    source.name,
                    name.unwrap_or(fields)
                ));
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// Files above the networks that are about one kind of them, or about one chip.
const OF_ONE_KIND: [(&str, &str); 3] = [
    ("cli/schedule/hardware.rs", "binary_fat_tree"),
    ("observe/flows/reference.rs", "rated_switch"),
    ("observe/flows/run.rs", "rated_switch"),
];

/// Code for a kind of network stands in its folder, code for a chip in its file, and the layers
/// above ask through `Topology` and its facets, `Endpoint` and `Switch`. Papers are about some
/// kinds and may name them.
#[test]
fn kinds_of_networks_and_chips_are_named_where_they_belong() {
    let all = sources();
    let named = |top: &str, is: fn(&Source) -> bool| -> BTreeSet<String> {
        let own = all
            .iter()
            .filter(|source| source.top() == top && is(source));
        own.filter_map(|source| source.module.get(1).cloned())
            .collect()
    };
    // Chips of several sizes are one module.
    let module = |chip: &&Chip| match chip.name.rsplit_once('_') {
        Some((module, size)) if size.parse::<u32>().is_ok() => module.to_owned(),
        _ => chip.name.to_owned(),
    };
    let chips: BTreeSet<String> = CHIPS.iter().chain(MODELS).map(module).collect();
    let kinds = named("network", |source| {
        source.module.get(2).is_some_and(|file| file == "topology")
    });
    assert!(chips.len() > 10 && kinds.len() > 5, "{chips:?} {kinds:?}");
    let mut wrong = Vec::new();
    for source in &all {
        if !["run", "observe", "wave", "cli"].contains(&source.top()) {
            continue;
        }
        for (library, names) in [("crosswave_chips", &chips), ("crosswave_network", &kinds)] {
            let mut paths = BTreeSet::new();
            for (at, _) in source.code.match_indices(&format!("{library}::")) {
                spread(&source.code[at..], Vec::new(), &mut paths);
            }
            for name in paths.iter().filter_map(|path| path.get(1)) {
                let is_known = OF_ONE_KIND.contains(&(&source.name, name));
                if names.contains(name) && !is_known {
                    wrong.push(format!("crates/{} names {name}", source.name));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// The one file that reads a clock for engines, to find out whether threads are faster.
const CLOCKED: &str = "base/threads/policy.rs";

#[test]
fn engines_do_no_input_and_read_no_clock() {
    assert_without(
        |source| {
            let is_engine = matches!(source.top(), "lanes" | "gate" | "event");
            (is_engine || source.name.starts_with("base/threads")) && source.name != CLOCKED
        },
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
            "crates/{} has {lines} lines; split it",
            source.name
        );
    }
}

#[test]
fn nothing_is_left_for_later() {
    let words = ["TODO", "FIXME", "XXX", "todo!", "unimplemented!", "dbg!("];
    for folder in ["src", "crates", "tests", "benches"] {
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
    let own = ["crates/testing/src/lib.rs", "tests/support/cases.rs"].map(|name| root().join(name));
    for folder in ["src", "crates", "tests", "benches"] {
        for path in rust_files(&root().join(folder)) {
            if own.contains(&path) || path.ends_with(OWN) {
                continue;
            }
            let text = read(&path);
            for word in ["TestRunner", "TestRng", "ProptestConfig"] {
                let place = path.display();
                assert!(!text.contains(word), "{place}: {word}; see crates/testing");
            }
            let (macros, seeded) = ("proptest! {\n", "#![proptest_config(crosswave_testing::");
            for rest in text.split(macros).skip(1) {
                let place = path.display();
                assert!(
                    rest.trim_start().starts_with(seeded),
                    "{place}: proptest! without a seed; see crates/testing"
                );
            }
        }
    }
}

#[test]
fn every_file_is_reachable() {
    let tests = ("tests".to_owned(), root().join("tests"));
    for (name, folder) in source_folders().into_iter().chain([tests]) {
        let mut found = BTreeSet::new();
        for start in ["lib.rs", "main.rs", "build.rs"].map(|file| folder.join(file)) {
            if start.exists() {
                reach(&start, true, &mut found);
            }
        }
        let all: BTreeSet<PathBuf> = rust_files(&folder).into_iter().collect();
        assert_eq!(found, all, "files of {name}, and those that a mod reaches");
    }
}

/// Every file of tests has a line that says what it tests.
#[test]
fn every_file_of_tests_is_described() {
    for tier in ["quick", "slow"] {
        let text = read(&root().join(format!("tests/{tier}.rs")));
        let mut before = "";
        for line in text.lines().filter(|line| !line.starts_with("#[")) {
            let is_described = !line.starts_with("mod ") || before.starts_with("/// ");
            assert!(is_described, "tests/{tier}.rs: {line}");
            before = line;
        }
    }
}

/// Each crate stands in the figure once, above all crates that it depends on.
#[test]
fn the_figure_has_every_crate_above_what_it_depends_on() {
    let text = read(&root().join("ARCHITECTURE.md"));
    let start = text.find("```text\n crosswave ").expect("the figure");
    let lines = text[start..].lines().skip(1);
    let lines = lines.take_while(|line| *line != "```");
    let lines: Vec<Vec<&str>> = lines
        .map(|line| line[1..].split("   ").next().unwrap_or_default())
        .map(|names| names.split(" · ").collect())
        .collect();
    let level = |name: &str| {
        let mut found = (0..lines.len()).filter(|&at| lines[at].contains(&name));
        let level = found
            .next()
            .unwrap_or_else(|| panic!("{name} is not in the figure"));
        assert_eq!(found.next(), None, "{name} is in the figure twice");
        level
    };
    let table = may_import("ARCHITECTURE.md", TOP);
    for (name, below) in &table {
        for below in below {
            assert!(level(name) < level(below), "{name} is not above {below}");
        }
    }
    assert_eq!(lines.iter().map(Vec::len).sum::<usize>(), table.len());
}
