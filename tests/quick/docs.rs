//! README.md, the book in `docs` and the program agree.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::NETLISTS;

/// Commands of README.md that are not run here, by how they begin, and why.
const NOT_RUN: [(&str, &str); 1] = [("./test.sh", "it runs this test")];

/// Pages outside of the book whose links and benches are checked.
const OTHER_PAGES: [&str; 4] = [
    "README.md",
    "ARCHITECTURE.md",
    "hdl/README.md",
    "docs/SUMMARY.md",
];

/// The most lines of README.md.
const README_LINES_MAX: usize = 150;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    let path = root().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The pages of the book, in the order of `docs/SUMMARY.md`.
fn book() -> Vec<String> {
    let summary = read("docs/SUMMARY.md");
    let links = summary.split("](").skip(1);
    let pages = links.filter_map(|rest| Some(format!("docs/{}", rest.split(')').next()?)));
    pages.collect()
}

/// All pages whose links and benches are checked.
fn pages() -> Vec<String> {
    let others = OTHER_PAGES.iter().map(|page| (*page).to_owned());
    others.chain(book()).collect()
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
            .env("CROSSWAVE_CACHE", NETLISTS)
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

/// A block of commands, and what stands after it as its output: that of its last command.
struct Shown {
    commands: Vec<String>,
    output: Option<String>,
}

/// The blocks of commands of a page.
fn shown(page: &str) -> Vec<Shown> {
    let text = read(page);
    let parts = text.split("\n```sh\n").skip(1);
    parts
        .map(|part| {
            let (block, after) = part.split_once("\n```").expect("the block ends");
            let output = after.trim_start().strip_prefix("```text\n");
            Shown {
                commands: commands(block),
                output: output.and_then(|text| Some(text.split_once("\n```")?.0.to_owned())),
            }
        })
        .collect()
}

/// Compares what a page shows with what a command printed, line by line; `…` stands for any lines,
/// and the speed differs every time.
fn check_output(page: &str, shown: &str, printed: &str) {
    let mut lines = printed.lines().map(str::trim_end);
    let mut is_gap = false;
    for line in shown.lines() {
        if line == "…" {
            is_gap = true;
            continue;
        }
        let is_same = |other: &str| other == line || line.contains("cycles/s");
        let is_found = match is_gap {
            true => lines.any(is_same),
            false => lines.next().is_some_and(is_same),
        };
        is_gap = false;
        assert!(
            is_found,
            "{page} shows {line:?}; the command prints\n{printed}"
        );
    }
    assert!(
        is_gap || lines.next().is_none(),
        "{page}: {shown}\nleaves out the end of\n{printed}"
    );
}

/// Runs all blocks of a page in a folder of its own.
fn run_page(page: &str) -> Place {
    let place = Place::with(&["examples", "traces", "hdl"]);
    for block in shown(page) {
        let mut printed = String::new();
        for line in block.commands {
            if !NOT_RUN.iter().any(|(start, _)| line.starts_with(start)) {
                printed = place.run(&line.replace("cargo run --release -- ", "crosswave "));
            }
        }
        if let Some(output) = block.output {
            check_output(page, &output, &printed);
        }
    }
    place
}

#[test]
fn every_command_of_the_readme_runs() {
    let place = run_page("README.md");
    let drawing = fs::read_to_string(place.folder.path().join("router.svg"));
    let drawing = drawing.expect("the command of a drawing");
    assert!(drawing.contains(">DRAIN<"), "nothing happens in router.svg");
    // The output of the first command stands after the prose below it.
    let readme = read("README.md");
    let first = blocks(&readme, "text").first().copied().expect("an output");
    let printed = place.run("crosswave run examples/fft64.toml --vcd again.vcd");
    check_output("README.md", first, &printed);
}

/// No page has a place that is still to be filled.
#[test]
fn pages_are_finished() {
    for page in pages() {
        let text = read(&page);
        for mark in ["@@", "To be measured"] {
            assert!(!text.contains(mark), "{page}: {mark}");
        }
    }
}

/// The README's table of figures is that of the page, as both were written by one measurement.
#[test]
fn the_readme_has_the_figures_of_the_page() {
    let readme = read("README.md");
    let (_, rest) = readme.split_once("<!-- figures -->\n").expect("a border");
    let (figures, _) = rest
        .split_once("<!-- end of figures -->\n")
        .expect("another one");
    assert!(figures.lines().count() > 5, "{figures}");
    assert!(
        read("docs/performance.md").contains(figures),
        "docs/performance.sh writes both"
    );
}

#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= README_LINES_MAX, "README.md has {lines} lines");
}

/// Commands of a part of the book run, and print what is shown after them.
fn run_part(part: &str) {
    let folder = format!("docs/{part}/");
    let pages: Vec<String> = book()
        .into_iter()
        .filter(|page| page.starts_with(&folder))
        .collect();
    assert!(!pages.is_empty(), "{part}");
    for page in pages {
        // Its outputs are compared whole by a test of its own.
        if page != BIDELTA {
            run_page(&page);
        }
    }
}

#[test]
fn tutorials_run() {
    run_part("tutorials");
}

#[test]
fn commands_of_how_to_pages_run() {
    run_part("how-to");
}

#[test]
fn commands_of_pages_of_networks_run() {
    run_part("networks");
}

#[test]
fn commands_of_pages_of_papers_run() {
    run_part("papers");
}

#[test]
fn commands_of_the_reference_run() {
    run_part("reference");
}

/// Every page of `docs` is in the book.
#[test]
fn the_book_has_all_pages() {
    let mut found = BTreeSet::new();
    let mut pending = vec![root().join("docs")];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                let name = path.strip_prefix(root()).expect("it is inside");
                found.insert(name.to_string_lossy().into_owned());
            }
        }
    }
    assert!(found.remove("docs/SUMMARY.md"));
    assert_eq!(found, book().into_iter().collect());
}

/// The pages of the reference are those that the program writes.
#[test]
fn the_reference_is_that_of_the_program() {
    let place = Place::with(&[]);
    place.run("crosswave reference reference");
    for entry in fs::read_dir(place.folder.path().join("reference")).expect("a folder") {
        let entry = entry.expect("an entry");
        let name = format!("docs/reference/{}", entry.file_name().to_string_lossy());
        let made = fs::read_to_string(entry.path()).expect("text");
        for (found, expected) in read(&name).lines().zip(made.lines()) {
            assert_eq!(
                found, expected,
                "{name}: run `crosswave reference docs/reference`"
            );
        }
        assert_eq!(
            read(&name),
            made,
            "{name}: run `crosswave reference docs/reference`"
        );
    }
}

const BIDELTA: &str = "docs/networks/bidelta.md";

/// Each block of commands on the page of bidelta networks is followed by what its last
/// command prints. `CROSSWAVE_BLESS=1 cargo test --test suite quick::docs::` writes that.
#[test]
fn the_page_of_bidelta_networks_shows_what_its_commands_print() {
    const TEXT: &str = "\n```text\n";
    let page = read(BIDELTA);
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
        fs::write(root().join(BIDELTA), &made).expect("the page is there");
    }
    for (found, expected) in read(BIDELTA).lines().zip(made.lines()) {
        assert_eq!(found, expected, "{BIDELTA}");
    }
    assert_eq!(read(BIDELTA), made, "{BIDELTA}");
    let scenarios = fs::read_dir(root().join("examples/scenarios")).expect("a folder");
    let names = scenarios.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names = names.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned()));
    let names: BTreeSet<String> = names.filter(|name| name.starts_with("bidelta-")).collect();
    assert_eq!(shown, names, "{BIDELTA} shows every scenario");
}

/// Pages of one command, and that of schedules.
#[test]
fn every_option_of_a_command_is_on_its_page() {
    let place = Place::with(&["examples", "traces"]);
    for (command, page) in [
        ("compare", "how-to/own-chip"),
        ("netlist", "how-to/netlist"),
        ("view", "how-to/view"),
        ("oblivious", "papers/oblivious"),
        ("schedule check", "papers/collectives"),
        ("schedule total-exchange", "papers/collectives"),
        ("schedule scatter", "papers/collectives"),
        ("schedule messages scatter", "papers/collectives"),
        ("schedule messages total-exchange", "papers/collectives"),
    ] {
        let page = read(&format!("docs/{page}.md"));
        let help = place.run(&format!("crosswave {command} --help"));
        let options = help
            .split_whitespace()
            .filter(|word| word.starts_with("--"));
        let options: BTreeSet<&str> = options
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-'))
            .filter(|option| !matches!(*option, "--help"))
            .collect();
        for option in options {
            let ends = ["`", " ", "[", "="].map(|end| format!("`{option}{end}"));
            assert!(
                ends.iter().any(|text| page.contains(text)),
                "{command} {option}"
            );
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
    let page = read("docs/papers/collectives.md").replace(',', "");
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

/// The table of broken chips has the counts of its file, which add up.
#[test]
fn every_fault_of_a_chip_is_counted_once() {
    let page = read("docs/how-to/faults.md");
    let digits = |cell: &str| cell.replace([',', '`', '%', ' '], "");
    let lines = page
        .lines()
        .filter(|line| line.starts_with("| `") && line.ends_with(" % |"));
    let found: Vec<Vec<String>> = lines
        .map(|line| line.trim_matches('|').split('|').map(digits).collect())
        .collect();
    let file = csv::Reader::from_path(root().join("docs/faults.csv"));
    let mut expected = Vec::new();
    for record in file.expect("it is there").records() {
        let record = record.expect("a record");
        let count = |column: usize| record[column].parse::<u64>().expect("a number");
        let proved = count(5) + count(6);
        assert_eq!(
            count(3),
            count(4) + proved + count(7) + count(8),
            "{record:?}"
        );
        let mut row: Vec<String> = [0, 1, 3, 4, 7, 8, 10]
            .map(|column: usize| record[column].to_owned())
            .to_vec();
        row.insert(4, proved.to_string());
        expected.push(row);
    }
    assert_eq!(found, expected);
    assert_eq!(expected.len(), 15);
}

/// The anchor of a title.
fn anchor_of(title: &str) -> String {
    let title = title.trim().to_lowercase().replace(' ', "-");
    title
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .collect()
}

#[test]
fn links_of_the_pages_lead_somewhere() {
    for page in pages() {
        let text = read(&page);
        let folder = root().join(&page);
        let folder = folder.parent().expect("a folder");
        let sources = text.split(" src=\"").skip(1);
        let sources = sources.filter_map(|rest| rest.split('"').next());
        let links = text.split("](").skip(1);
        let links = links.filter_map(|rest| rest.split(')').next());
        for link in links.chain(sources) {
            let file = link.split('#').next().unwrap_or(link);
            if link.starts_with("http") {
                continue;
            }
            let target = if file.is_empty() {
                root().join(&page)
            } else {
                folder.join(file)
            };
            assert!(target.exists(), "{page}: {link}");
            let is_inside = target
                .canonicalize()
                .is_ok_and(|path| path.starts_with(root().join("docs")));
            assert!(
                is_inside || !page.starts_with("docs/"),
                "{page}: {link} leaves the book"
            );
            if let Some((_, anchor)) = link.split_once('#') {
                let text = fs::read_to_string(&target).expect("a page");
                let titles = text.lines().filter(|line| line.starts_with('#'));
                let mut anchors = titles.map(|title| anchor_of(title.trim_start_matches('#')));
                assert!(anchors.any(|found| found == anchor), "{page}: {link}");
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
    for page in pages() {
        let text = read(&page);
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
