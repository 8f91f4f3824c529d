//! README.md and the program agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave_run::config::Config;
use crosswave_run::config::keys::{self, KeyEntry};

/// Commands of README.md that are not run here, by how they begin, and why.
const NOT_RUN: [(&str, &str); 8] = [
    ("./test.sh", "it runs this test"),
    ("./soak.sh", "it takes long"),
    ("cargo bench", "it takes long"),
    ("crosswave figure", "it takes long"),
    ("crosswave report", "tests/slow/report.rs runs it"),
    (
        "sh out/run-verilator.sh",
        "slow to build; tests/slow/export.rs runs it",
    ),
    ("gtkwave ", "it opens a window"),
    ("surfer ", "it opens a window"),
];

/// Pages whose links and benches are checked.
const PAGES: [&str; 19] = [
    "README.md",
    "ARCHITECTURE.md",
    "hdl/README.md",
    "docs/bidelta.md",
    "docs/checks.md",
    "docs/collectives.md",
    "docs/files.md",
    "docs/internals.md",
    "docs/messages.md",
    "docs/netlist.md",
    "docs/networks.md",
    "docs/oblivious.md",
    "docs/performance.md",
    "docs/stacks.md",
    "docs/sweeps.md",
    "docs/testing.md",
    "docs/transit.md",
    "docs/triggers.md",
    "docs/view.md",
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

/// A place where commands of a page run.
struct Place {
    folder: tempfile::TempDir,
    path: String,
}

impl Place {
    /// A place with copies of some folders.
    fn with(folders: &[&str]) -> Place {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in folders {
            copy(&root().join(name), &folder.path().join(name));
        }
        let program = Path::new(env!("CARGO_BIN_EXE_crosswave"));
        let programs = program.parent().expect("a folder").display();
        let path = std::env::var("PATH").unwrap_or_default();
        Place {
            folder,
            path: format!("{programs}:{path}"),
        }
    }

    /// Runs a line and gives what it prints.
    fn run(&self, line: &str) -> String {
        let output = Command::new("sh")
            .args(["-c", line])
            .current_dir(self.folder.path())
            .env("PATH", &self.path)
            .output()
            .expect("a shell");
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        assert!(
            output.status.success(),
            "{line}: {}\n{printed}{said}",
            output.status
        );
        printed
    }
}

/// The commands of a block; a backslash joins a line with the next one.
fn commands(block: &str) -> Vec<String> {
    let joined = block.replace("\\\n", " ");
    let lines = joined.lines().map(|line| line.trim().to_owned());
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

#[test]
fn every_command_of_the_readme_runs() {
    let readme = read("README.md");
    let place = Place::with(&["examples", "traces", "hdl"]);
    let mut first_output = None;
    for line in blocks(&readme, "sh").into_iter().flat_map(commands) {
        if NOT_RUN.iter().any(|(start, _)| line.starts_with(start)) {
            continue;
        }
        let output = place.run(&line.replace("cargo run --release -- ", "crosswave "));
        first_output.get_or_insert(output);
    }
    let drawing = fs::read_to_string(place.folder.path().join("router.svg"));
    let drawing = drawing.expect("the command of a drawing");
    assert!(drawing.contains(">TO_A<"), "nothing happens in router.svg");

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

/// Each block of commands on the page of bidelta networks is followed by what its last
/// command prints. `CROSSWAVE_BLESS=1 cargo test --test suite quick::docs::` writes that.
#[test]
fn the_page_of_bidelta_networks_shows_what_its_commands_print() {
    const PAGE: &str = "docs/bidelta.md";
    const TEXT: &str = "\n```text\n";
    let page = read(PAGE);
    let place = Place::with(&["examples"]);
    let mut parts = page.split("\n```sh\n");
    let mut made = parts.next().expect("a beginning").to_owned();
    let mut shown = BTreeSet::new();
    for part in parts {
        let (block, behind) = part.split_once("\n```\n").expect("the block ends");
        let mut printed = String::new();
        for line in commands(block) {
            let words = line.split_whitespace();
            shown.extend(words.filter_map(|word| {
                let name = word.strip_prefix("examples/scenarios/")?;
                Some(name.strip_suffix(".toml")?.to_owned())
            }));
            printed = place.run(&line);
        }
        let (between, text) = behind.split_once(TEXT).expect("what it prints");
        let (_, behind) = text.split_once("\n```\n").expect("the text ends");
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        made += &format!(
            "\n```sh\n{block}\n```\n{between}{TEXT}{}\n```\n{behind}",
            printed.join("\n").trim_end()
        );
    }
    if std::env::var_os("CROSSWAVE_BLESS").is_some() {
        fs::write(root().join(PAGE), &made).expect("the page is there");
    }
    for (found, expected) in read(PAGE).lines().zip(made.lines()) {
        assert_eq!(found, expected, "{PAGE}");
    }
    assert_eq!(read(PAGE), made, "{PAGE}");
    let scenarios = fs::read_dir(root().join("examples/scenarios")).expect("a folder");
    let names = scenarios.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()));
    let names: BTreeSet<String> = names.filter(|name| name.starts_with("bidelta-")).collect();
    assert_eq!(shown, names, "{PAGE} shows every scenario");
}

/// Pages of one command, and that of schedules.
#[test]
fn every_command_of_a_commands_page_runs_and_every_option_is_there() {
    let place = Place::with(&["examples", "traces"]);
    for (command, page) in [
        ("netlist", "netlist"),
        ("view", "view"),
        ("oblivious", "oblivious"),
        ("schedule check", "collectives"),
        ("schedule total-exchange", "collectives"),
        ("schedule scatter", "collectives"),
        ("schedule messages scatter", "collectives"),
        ("schedule messages total-exchange", "collectives"),
    ] {
        let page = read(&format!("docs/{page}.md"));
        for line in blocks(&page, "sh").into_iter().flat_map(commands) {
            place.run(&line);
        }
        let help = place.run(&format!("crosswave {command} --help"));
        let options = help
            .split_whitespace()
            .filter(|word| word.starts_with("--"));
        let options: BTreeSet<&str> = options
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'))
            .filter(|option| !matches!(*option, "--help"))
            .collect();
        for option in options {
            assert!(page.contains(&format!("`{option}")), "{command} {option}");
        }
    }
}

/// Tables of circuits on the page of collective communications have the numbers of the files
/// beside it. Commas in numbers and names are left out.
#[test]
fn tables_of_circuits_are_those_of_their_files() {
    const TRACES: [(&str, &str); 5] = [
        ("barrier.csv", "barrier 0 bytes"),
        ("allreduce.csv", "allreduce 8 bytes"),
        ("broadcast.csv", "broadcast 1 KiB"),
        ("fft2d64_transpose_p2p.csv", "transpose 1 KiB as recorded"),
        ("total-exchange-xor.csv", "transpose 1 KiB XOR steps"),
    ];
    let page = read("docs/collectives.md").replace(',', "");
    let table = |start: &str| -> Vec<Vec<&str>> {
        let lines = page.lines().skip_while(|line| !line.starts_with(start));
        let lines = lines.take_while(|line| line.starts_with('|'));
        lines
            .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
            .collect()
    };
    let records = |name: &str| -> Vec<csv::StringRecord> {
        let reader = csv::Reader::from_path(root().join("docs").join(name));
        let records = reader.expect("the file").into_records();
        records.map(|record| record.expect("a row")).collect()
    };
    let clocks = |cycles: &str, half: &str| match half {
        "0.0" => cycles.trim_end_matches(".0").to_owned(),
        _ => format!("{cycles} ± {half}"),
    };
    let cell = |table: &[Vec<&str>], row: &str, column: &str| {
        let place = table[0].iter().position(|name| *name == column);
        let place = place.unwrap_or_else(|| panic!("no column {column}"));
        let cells = table.iter().find(|cells| cells[0] == row);
        cells.unwrap_or_else(|| panic!("no row {row}"))[place].to_owned()
    };
    let circuits = table("| operation | EBFT |");
    let mut checked = 0;
    for record in records("dimakopoulos1994-circuits.csv") {
        if &record[1] != "64" {
            continue;
        }
        let way = match &record[3] {
            "" => String::new(),
            way => format!(" --by {way}"),
        };
        let row = format!("`{}{way}`", &record[2]);
        let expected = format!("{} ({})", clocks(&record[6], &record[7]), &record[8]);
        let found = cell(&circuits, &row, &record[0].replace(',', ""));
        assert_eq!(found, expected, "{row}");
        for (tree, steps) in [("EBFT", &record[10]), ("CBFT", &record[11])] {
            let steps = if steps.is_empty() { "–" } else { steps };
            assert_eq!(cell(&circuits, &row, tree), steps, "{row}");
        }
        checked += 1;
    }
    let programs = table("| network | barrier");
    for record in records("collectives-programs.csv") {
        let (_, column) = TRACES
            .iter()
            .find(|(trace, _)| *trace == &record[1])
            .expect("a trace");
        let found = cell(&programs, &record[0], column);
        let clocks = clocks(&record[3], &record[4]);
        assert_eq!(found, format!("{clocks} ({}; {})", &record[5], &record[6]));
        checked += 1;
    }
    assert_eq!(checked, 7 * 13 + 7 * 5);
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

/// The table of keys is made from the program's list.
#[test]
fn the_table_of_keys_is_that_of_the_program() {
    let row = |entry: KeyEntry| {
        let (table, name) = entry.key;
        [
            format!("`{table}.{name}`"),
            entry.value.to_owned(),
            entry.default,
            entry.legal,
        ]
    };
    let expected: Vec<[String; 4]> = keys::table().into_iter().map(row).collect();
    assert_eq!(rows(&read("README.md")), expected);
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
        const TRANSIT: [&str; 6] = [
            "network.leaf",
            "network.up_stage",
            "network.dispersion",
            "network.wiring_seed",
            "network.clock_ps",
            "network.permittivity_percent",
        ];
        const MPORT: [&str; 6] = [
            "network.routing",
            "network.paths",
            "network.choice",
            "network.routing_seed",
            "network.failed",
            "network.reroute",
        ];
        const FRAME: [&str; 5] = [
            "network.cells_per_cycle",
            "network.ring_capacity",
            "network.processors",
            "network.variant",
            "network.ring",
        ];
        let kind = match &*key {
            "network.loop_back_cycles" => "bidelta",
            key if key.starts_with("interface.") || key.starts_with("faults.") => "bidelta",
            key if TRANSIT.contains(&key) => "transit",
            "router.queue_packets" | "router.duplex" => "binary-fat-tree",
            key if MPORT.contains(&key) => "m-port-n-tree",
            key if FRAME.contains(&key) => "fat-stack",
            _ => "fat-tree",
        };
        let size = match kind {
            "m-port-n-tree" => "ports=8\nlevels=2",
            "fat-stack" => "levels=2\nlink_delay_cycles=\"geometry\"",
            _ => "nodes=64",
        };
        let text =
            format!("[network]\nkind=\"{kind}\"\n{size}\n[traffic]\n{traffic}\n[retry]\n{retry}\n");
        let parse = |overrides: &[String]| {
            Config::parse(&text, "test", Path::new("."), overrides)
                .unwrap_or_else(|error| panic!("{key}: {error}"))
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
