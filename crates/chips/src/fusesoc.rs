//! FuseSoC cores of the Verilog in `hdl/` (format CAPI2), by which other hardware takes the chips
//! as packages. `crosswave headers hdl` writes them beside the sources.
//!
//! | file | core | holds |
//! |---|---|---|
//! | `NAME.core` of a chip, or of a module of [`MODULES`] | `crosswave:routers:NAME:VERSION` | what it alone has; targets |
//! | `NAME.core` of a file that several chips have | likewise | all files that the same chips have, the first of which is `NAME.v` |
//! | `headers.core` | `crosswave:routers:headers:VERSION` | the headers with encodings |
//!
//! A file is in one core only, so that a design with several chips has each module once.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{CHIPS, Chip, rn1, verilog};

/// Modules with cores of their own that are no chips, a file for each.
pub const MODULES: [(&str, &str); 2] = [
    ("lfsr_random.v", include_str!("../hdl/lfsr_random.v")),
    rn1::SCAN_CHAIN,
];

/// Modules with a bench that checks itself, `bench/NAME_bench.v`.
const BENCHES: [&str; 3] = ["fat_tree_router", "lfsr_random", "rn1_scan"];

/// A core.
#[derive(Debug, Default)]
struct Core {
    name: String,
    description: String,
    files: Vec<String>,
    /// Names of the cores that it needs.
    depends: Vec<String>,
    /// True when its first file is a module of its name, for which there are targets.
    is_top: bool,
}

/// All cores: name and text of each file.
pub fn cores() -> Vec<(String, String)> {
    let mut cores: Vec<Core> = CHIPS.iter().map(|chip| of_chip(chip)).collect();
    cores.extend(MODULES.map(|(file, text)| Core {
        name: stem(file).to_owned(),
        description: first_sentence(text),
        files: vec![file.to_owned()],
        is_top: true,
        ..Core::default()
    }));
    cores.extend(shared_cores());
    cores.push(Core {
        name: "headers".to_owned(),
        description: "Encodings of the chips' protocols as Verilog macros".to_owned(),
        files: headers(),
        ..Core::default()
    });
    let files = cores
        .iter()
        .map(|core| (format!("{}.core", core.name), text(core)));
    files.collect()
}

/// The core of a chip: its own files, and what it needs of those that others have as well.
fn of_chip(chip: &Chip) -> Core {
    let mut core = Core {
        name: chip.name.to_owned(),
        description: first_sentence(chip.sources[0].1),
        is_top: true,
        ..Core::default()
    };
    for &(file, text) in chip.sources {
        match shared_core(file) {
            Some(name) => core.need(&name),
            None => core.add(file, text),
        }
    }
    core
}

impl Core {
    fn add(&mut self, file: &str, text: &str) {
        self.files.push(file.to_owned());
        if text.contains("\n`include ") {
            self.need("headers");
        }
    }

    fn need(&mut self, core: &str) {
        if !self.depends.iter().any(|needed| needed == core) {
            self.depends.push(core.to_owned());
        }
    }
}

/// The chips that have a file, by their names.
fn users(file: &str) -> Vec<&'static str> {
    let has = |chip: &&&Chip| chip.sources.iter().any(|(name, _)| *name == file);
    CHIPS.iter().filter(has).map(|chip| chip.name).collect()
}

/// The cores of files that several chips have.
fn shared_cores() -> Vec<Core> {
    let mut cores: Vec<Core> = Vec::new();
    let mut places: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for &(file, text) in CHIPS.iter().flat_map(|chip| chip.sources) {
        let users = users(file);
        if users.len() == 1
            || cores
                .iter()
                .any(|core| core.files.iter().any(|f| f == file))
        {
            continue;
        }
        let place = *places.entry(users.clone()).or_insert(cores.len());
        if place == cores.len() {
            cores.push(Core {
                name: stem(file).to_owned(),
                description: format!("Modules of {}", users.join(", ")),
                ..Core::default()
            });
        }
        cores[place].add(file, text);
    }
    cores
}

/// The core with a file that several chips have.
fn shared_core(file: &str) -> Option<String> {
    let mut cores = shared_cores().into_iter();
    let found = cores.find(|core| core.files.iter().any(|name| name == file));
    found.map(|core| core.name)
}

/// The files with macros, as their paths below `hdl/`.
fn headers() -> Vec<String> {
    let names = verilog::headers().into_iter().map(|(name, _)| name);
    let names = names.filter(|name| name.ends_with(".vh"));
    names.map(|name| format!("include/{name}")).collect()
}

fn stem(file: &str) -> &str {
    file.trim_end_matches(".v")
}

/// The first sentence of the comment that a source opens with, after its licence.
fn first_sentence(source: &str) -> String {
    let lines = source.lines().skip(1);
    let comment = lines.map_while(|line| line.strip_prefix("//"));
    let words: Vec<&str> = comment.flat_map(str::split_whitespace).collect();
    let text = words.join(" ");
    let sentence = text.split(". ").next().unwrap_or_default();
    sentence.trim_end_matches('.').to_owned()
}

/// The text of a core.
fn text(core: &Core) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let name = &core.name;
    let mut text = format!(
        "CAPI=2:\n# {}\n# Written by `crosswave headers hdl` from the list of chips in crates/chips.\n\n\
         name: crosswave:routers:{name}:{version}\ndescription: \"{}\"\n\
         license: MIT OR Apache-2.0\n\nfilesets:\n  rtl:\n    files:\n",
        verilog::LICENCE,
        core.description
    );
    for file in &core.files {
        let is_header = match file.ends_with(".vh") {
            true => ": {is_include_file: true}",
            false => "",
        };
        let _ = writeln!(text, "      - {file}{is_header}");
    }
    text.push_str("    file_type: verilogSource-2005\n");
    if !core.depends.is_empty() {
        text.push_str("    depend:\n");
        for needed in &core.depends {
            let _ = writeln!(text, "      - crosswave:routers:{needed}:{version}");
        }
    }
    let has_bench = BENCHES.contains(&name.as_str());
    if has_bench {
        let _ = write!(
            text,
            "  bench:\n    files:\n      - bench/{name}_bench.v\n    file_type: verilogSource-2005\n"
        );
    }
    text.push_str("\ntargets:\n  default:\n    filesets: [rtl]\n");
    if core.is_top {
        let _ = write!(
            text,
            "  lint:\n    description: Verilator has nothing to say\n    filesets: [rtl]\n    \
             toplevel: {name}\n    flow: lint\n    \
             flow_options: {{tool: verilator, verilator_options: [-Wall]}}\n  \
             synth:\n    description: Yosys maps it to the cells of iCE40\n    filesets: [rtl]\n    \
             toplevel: {name}\n    flow: icestorm\n    flow_options: {{pnr: none}}\n"
        );
    }
    if has_bench {
        let _ = write!(
            text,
            "  sim:\n    description: A bench in Icarus Verilog that checks itself\n    \
             filesets: [rtl, bench]\n    toplevel: {name}_bench\n    flow: sim\n    \
             flow_options: {{tool: icarus, iverilog_options: [-g2005, -Wall]}}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// The names behind `- ` in the list of a key.
    fn list<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
        let lines = text
            .lines()
            .skip_while(|line| line.trim() != format!("{key}:"));
        let items = lines
            .skip(1)
            .map_while(|line| line.trim().strip_prefix("- "));
        let items = items.map(|item| item.split(": ").next().unwrap_or(item));
        items.collect()
    }

    #[test]
    fn cores_bring_all_files_of_a_chip_and_each_once() {
        let cores: BTreeMap<String, String> = cores().into_iter().collect();
        let files = cores.values().flat_map(|text| list(text, "files"));
        let mut seen = BTreeSet::new();
        assert!(files.into_iter().all(|file| seen.insert(file)));
        for chip in CHIPS {
            let own = &cores[&format!("{}.core", chip.name)];
            let mut found: BTreeSet<&str> = list(own, "files").into_iter().collect();
            for needed in list(own, "depend") {
                let name = needed
                    .split(':')
                    .nth(2)
                    .expect("vendor:library:name:version");
                let files = list(&cores[&format!("{name}.core")], "files");
                found.extend(files.into_iter().filter(|file| file.ends_with(".v")));
            }
            let expected = chip.sources.iter().map(|(file, _)| *file);
            assert_eq!(found, expected.collect(), "{}", chip.name);
        }
    }

    #[test]
    fn descriptions_are_the_first_sentences_of_sources() {
        let source = "// licence\n// RN1: a crossbar,\n// and more. A word\n\nmodule x;\n// Else.";
        assert_eq!(first_sentence(source), "RN1: a crossbar, and more");
    }
}
