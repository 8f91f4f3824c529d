//! README.md and the program agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave::experiment::config::Config;

/// Commands of README.md that are not run here, by how they begin, and why.
const NOT_RUN: [(&str, &str); 7] = [
    ("./test.sh", "it runs this test"),
    ("./soak.sh", "it takes long"),
    ("cargo bench", "it takes long"),
    ("crosswave figure", "it takes long"),
    (
        "sh out/run-verilator.sh",
        "slow to build; tests/export.rs runs it",
    ),
    ("gtkwave ", "it opens a window"),
    ("surfer ", "it opens a window"),
];

/// Pages whose links and benches are checked.
const PAGES: [&str; 6] = [
    "README.md",
    "ARCHITECTURE.md",
    "hdl/README.md",
    "docs/checks.md",
    "docs/netlist.md",
    "docs/performance.md",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The fenced blocks of a language.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("\n```{language}\n");
    let rest = text.split(&fence).skip(1);
    rest.map(|rest| rest.split("\n```").next().unwrap_or(rest))
        .collect()
}

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = read("README.md");
    let place = tempfile::tempdir().expect("a temporary folder");
    for folder in ["examples", "traces", "hdl"] {
        copy(&root().join(folder), &place.path().join(folder));
    }
    let program = Path::new(env!("CARGO_BIN_EXE_crosswave"));
    let path = std::env::var("PATH").unwrap_or_default();
    let folder = program.parent().expect("a folder").display();
    let path = format!("{folder}:{path}");

    let mut first_output = None;
    for block in blocks(&readme, "sh") {
        for line in block.replace("\\\n", " ").lines() {
            let line = line.trim();
            let skipped = NOT_RUN.iter().any(|(start, _)| line.starts_with(start));
            if line.is_empty() || line.starts_with('#') || skipped {
                continue;
            }
            let line = line.replace("cargo run --release -- ", "crosswave ");
            let output = Command::new("sh")
                .args(["-c", &line])
                .current_dir(place.path())
                .env("PATH", &path)
                .output()
                .expect("a shell");
            assert!(
                output.status.success(),
                "{line}: {}\n{}{}",
                output.status,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            first_output
                .get_or_insert_with(|| String::from_utf8_lossy(&output.stdout).into_owned());
        }
    }

    let output = first_output.expect("a command");
    let shown = blocks(&readme, "text");
    for line in shown.first().expect("its output").lines() {
        // The speed is another one every time.
        if line != "…" && !line.contains("cycles/s") {
            assert!(
                output.lines().any(|other| other.trim_end() == line),
                "README.md shows {line:?}; the first command prints\n{output}"
            );
        }
    }
}

#[test]
fn every_command_of_the_netlist_page_runs_and_every_option_is_there() {
    let page = read("docs/netlist.md");
    let place = tempfile::tempdir().expect("a temporary folder");
    copy(&root().join("examples"), &place.path().join("examples"));
    let program = Path::new(env!("CARGO_BIN_EXE_crosswave"));
    let run = |arguments: &[&str]| {
        let mut command = Command::new(program);
        let output = command.args(arguments).current_dir(place.path()).output();
        let output = output.expect("the program");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    for line in blocks(&page, "sh").iter().flat_map(|block| block.lines()) {
        run(&line.split(' ').skip(1).collect::<Vec<_>>());
    }
    let help = run(&["netlist", "--help"]);
    let options = help
        .split_whitespace()
        .filter(|word| word.starts_with("--"));
    let options: BTreeSet<&str> = options
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'))
        .filter(|option| !matches!(*option, "--help"))
        .collect();
    for option in options {
        assert!(page.contains(&format!("`{option}")), "{option}");
    }
}

#[test]
fn every_command_is_in_the_readme() {
    let output = Command::new(env!("CARGO_BIN_EXE_crosswave"))
        .arg("--help")
        .output()
        .expect("the program");
    let help = String::from_utf8(output.stdout).expect("UTF-8");
    let commands = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .map_while(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    let readme = read("README.md");
    for name in commands {
        assert!(readme.contains(&format!("| `{name}` |")), "command {name}");
        assert!(
            readme.contains(&format!("crosswave {name} ")),
            "example of {name}"
        );
    }
}

/// The keys of a configuration, as `table.key`.
fn keys() -> BTreeSet<String> {
    let text = read("src/experiment/config/document.rs");
    let text = text
        .split("const TABLES")
        .nth(1)
        .expect("the table of keys");
    let text = text.split_once('=').expect("its value").1;
    let text: String = text
        .split(';')
        .next()
        .unwrap_or(text)
        .split_whitespace()
        .collect();
    let mut keys = BTreeSet::new();
    for table in text.split("(\"").skip(1) {
        let names: Vec<&str> = table.split('"').step_by(2).collect();
        let all = table.split('"').skip(2).step_by(2);
        keys.extend(all.map(|key| format!("{}.{key}", names[0])));
    }
    keys
}

/// The cells of a row: key, type, default, what is legal.
fn rows(readme: &str) -> Vec<[String; 4]> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        match cells[..] {
            [key, kind, default, legal] => Some([key, kind, default, legal].map(str::to_owned)),
            _ => None,
        }
    };
    let table = readme
        .lines()
        .skip_while(|line| !line.starts_with("| key | type |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    table.filter_map(row).collect()
}

#[test]
fn every_key_is_in_the_readme() {
    let rows = rows(&read("README.md"));
    let found = rows.iter().map(|row| row[0].trim_matches('`').to_owned());
    assert_eq!(found.collect::<BTreeSet<_>>(), keys());
}

/// Setting a key to the default in the README changes nothing.
#[test]
fn defaults_in_the_readme_are_those_of_the_program() {
    let mut checked = 0;
    for [key, _, default, _] in rows(&read("README.md")) {
        let key = key.trim_matches('`').to_owned();
        let Some(value) = default.strip_prefix('`').and_then(|d| d.split('`').next()) else {
            continue;
        };
        let of_trace = [
            "replay",
            "clock_mhz",
            "time_scale",
            "bytes_scale",
            "bytes_per_word",
        ];
        let is_of_trace = of_trace.iter().any(|name| key == format!("traffic.{name}"));
        let traffic = if is_of_trace {
            "trace=\"t.csv\""
        } else {
            "pattern=\"random\""
        };
        let retry = if key == "retry.backoff_limit" {
            "strategy=\"backoff\""
        } else {
            ""
        };
        let text = format!(
            "[network]\nkind=\"fat-tree\"\nnodes=64\n[traffic]\n{traffic}\n[retry]\n{retry}\n"
        );
        let parse = |overrides: &[String]| {
            Config::parse(&text, "test", Path::new("."), overrides)
                .unwrap_or_else(|report| panic!("{key}: {report}"))
        };
        assert_eq!(parse(&[]), parse(&[format!("{key}={value}")]), "{key}");
        checked += 1;
    }
    assert!(checked >= 15, "{checked} defaults found");
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    for page in PAGES {
        let text = read(page);
        let folder = root().join(page);
        let folder = folder.parent().expect("a folder");
        for link in text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let file = link.split('#').next().unwrap_or(link);
            if !link.starts_with("http") && !file.is_empty() {
                assert!(folder.join(file).exists(), "{page}: {link}");
            }
        }
    }
}

/// Every bench that a page names is one, and those that it gives to the bench of
/// figures are figures.
#[test]
fn benches_of_the_pages_exist() {
    let figures = read("benches/figures.rs");
    let mut checked = 0;
    for page in PAGES {
        let text = read(page);
        for command in text.split("cargo bench --bench ").skip(1) {
            let command = command.lines().next().unwrap_or(command);
            let command = command.split('`').next().unwrap_or(command);
            let mut words = command.split_whitespace();
            let bench = words.next().unwrap_or_default();
            let path = root().join(format!("benches/{bench}.rs"));
            assert!(path.is_file(), "{page}: bench {bench}");
            let names = words.skip(1).take_while(|word| !word.starts_with("--"));
            for name in names.filter(|_| bench == "figures") {
                let row = format!("//! | `{name}` |");
                assert!(figures.contains(&row), "{page}: figure {name}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked} commands found");
}
