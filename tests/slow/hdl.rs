//! The Verilog of `hdl/`: port lists, headers and cores, lint, benches, netlists, pages and proofs.
//!
//! Needs Yosys, Icarus Verilog and Verilator. A missing tool fails the test that
//! needs it and says which.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crosswave_base::file;
use crosswave_chips::{self as chip, CHIPS, Chip};
use crosswave_netlist::PortDirection;
use crosswave_netlist::yosys;

fn hdl() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl")
}

fn read(name: &str) -> String {
    let path = hdl().join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs a command in `hdl/`.
fn run(program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(hdl())
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; install it to run this test"))
}

/// The text that a command printed, on both streams.
fn printed(output: &Output) -> String {
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    text
}

fn assert_succeeds(program: &str, arguments: &[&str]) {
    let output = run(program, arguments);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {}\n{}",
        output.status,
        printed(&output)
    );
}

fn assert_silent(program: &str, arguments: &[&str]) {
    assert_succeeds(program, arguments);
    assert_eq!(
        printed(&run(program, arguments)),
        "",
        "{program} {arguments:?}"
    );
}

/// The source files of a chip, top module first.
fn sources(chip: &Chip) -> impl Iterator<Item = &'static str> {
    chip.sources.iter().map(|(name, _)| *name)
}

/// The names of the files of a folder of `hdl/` with an ending.
fn files(folder: &str, ending: &str) -> BTreeSet<String> {
    let entries = fs::read_dir(hdl().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.into_string().expect("UTF-8"));
    names.filter(|name| name.ends_with(ending)).collect()
}

/// Compares the files of a folder with those that `crosswave headers hdl` writes there.
fn assert_written(folder: &str, ending: &str, expected: Vec<(String, String)>) {
    for (name, text) in &expected {
        let name = format!("{folder}/{name}");
        assert_eq!(
            &read(&name),
            text,
            "{name}; crosswave headers hdl writes it"
        );
    }
    let kept = file::Folder::new("the folder", &hdl().join(folder)).expect("a manifest");
    let names = expected.iter().map(|(name, _)| name.as_str());
    kept.claim_names(names)
        .expect("the manifest is that of the files; crosswave headers hdl writes it");
    let names: BTreeSet<String> = expected.into_iter().map(|(name, _)| name).collect();
    assert_eq!(files(folder, ending), names, "files of hdl/{folder}");
}

#[test]
fn headers_come_from_the_tables() {
    let mut headers = chip::verilog::headers();
    assert_written("include", ".vh", {
        let is_header = |(name, _): &(String, String)| name.ends_with(".vh");
        headers
            .iter()
            .filter(|file| is_header(file))
            .cloned()
            .collect()
    });
    headers.retain(|(name, _)| !name.ends_with(".vh"));
    assert_written("include", ".list", headers);
}

#[test]
fn port_lists_come_from_the_tables() {
    for chip in CHIPS {
        let name = format!("{}.v", chip.name);
        let source = read(&name);
        let expected = chip::verilog::with_ports(chip, &source, &name);
        let expected = expected.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(
            source, expected,
            "hdl/{name}; crosswave headers hdl writes its ports"
        );
    }
}

#[test]
fn cores_come_from_the_list_of_chips() {
    assert_written(".", ".core", chip::fusesoc::cores());
    let core = read("fpga/fat_tree_router_top.core");
    let name = concat!(
        "name: crosswave:routers:fat_tree_router_top:",
        env!("CARGO_PKG_VERSION")
    );
    assert!(core.contains(&format!("\n{name}\n")), "{core}");
}

#[test]
fn every_source_opens_with_its_licence() {
    for folder in [".", "bench", "fpga", "proof"] {
        for name in files(folder, ".v") {
            let text = read(&format!("{folder}/{name}"));
            let first = text.lines().next();
            let licence = "// SPDX-License-Identifier: MIT OR Apache-2.0";
            assert_eq!(first, Some(licence), "hdl/{folder}/{name}");
        }
    }
}

#[test]
fn verilator_has_nothing_to_say() {
    for chip in CHIPS {
        let mut arguments = vec![
            "--lint-only",
            "-Wall",
            "-Iinclude",
            "--top-module",
            chip.name,
        ];
        arguments.extend(sources(chip));
        assert_silent("verilator", &arguments);
    }
}

#[test]
fn icarus_has_nothing_to_say() {
    for chip in CHIPS {
        let mut arguments = vec!["-Wall", "-g2005", "-tnull", "-Iinclude", "-s", chip.name];
        arguments.extend(sources(chip));
        assert_silent("iverilog", &arguments);
    }
}

/// Lints a module, and runs the bench that checks it. Returns what it printed.
fn checked_by_bench(module: &str, bench: &str, sources: &[&str]) -> String {
    let lint = ["--lint-only", "-Wall", "--top-module", module];
    assert_silent("verilator", &[&lint[..], sources].concat());
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("bench");
    let program = program.to_str().expect("UTF-8");
    let compile = ["-Wall", "-g2005", "-o", program, bench];
    assert_silent("iverilog", &[&compile[..], sources].concat());
    let output = run("vvp", &["-n", program]);
    assert!(output.status.success(), "{bench}: {}", printed(&output));
    printed(&output)
}

/// RN1's options in a scan chain: no chip of its own.
#[test]
fn the_scan_chain_holds_what_was_shifted_in() {
    let said = checked_by_bench("rn1_scan", "bench/rn1_scan_bench.v", &["rn1_scan.v"]);
    assert_eq!(said, "the options stand at the outputs\n");
}

#[test]
fn the_bench_of_the_router_passes() {
    let sources: Vec<&str> = sources(&chip::fat_tree_router::CHIP).collect();
    let bench = "bench/fat_tree_router_bench.v";
    let said = checked_by_bench("fat_tree_router", bench, &sources);
    assert_eq!(said, "messages pass, are rejected, and go up\n");
}

#[test]
fn random_bits_in_hardware_have_maximal_periods() {
    let bench = "bench/lfsr_random_bench.v";
    let said = checked_by_bench("lfsr_random", bench, &["lfsr_random.v"]);
    assert_eq!(said, "periods, balance, leaps and seeds are right\n");
    for (width, bits) in [("3", "3"), ("31", "1"), ("64", "64")] {
        let [width, bits] = [format!("-GWIDTH={width}"), format!("-GBITS={bits}")];
        let lint = ["--lint-only", "-Wall", &width, &bits, "lfsr_random.v"];
        assert_silent("verilator", &lint);
    }
    for parameter in ["WIDTH=2", "WIDTH=65", "BITS=62", "BITS=0"] {
        let parameter = format!("-Plfsr_random.{parameter}");
        let output = run("iverilog", &["-tnull", &parameter, "lfsr_random.v"]);
        let said = printed(&output);
        let wanted = "lfsr_random_takes_3_to_64_of_width_and_1_to_width_bits";
        assert!(
            !output.status.success() && said.contains(wanted),
            "{parameter}: {said}"
        );
    }
}

/// The taps of all widths: the recurrence has the period 2^w - 1, since its step to that power is
/// the identity, and to no divisor of it. Polynomials over two elements, and factors by division and
/// Pollard's rho, which share nothing with the bench.
#[test]
fn taps_of_random_bits_are_those_of_primitive_polynomials() {
    let source = read("lfsr_random.v");
    let rows = source.lines().filter_map(|line| {
        let (width, taps) = line.trim().split_once(": taps = 64'h")?;
        let taps = u64::from_str_radix(taps.strip_suffix(';')?, 16).ok()?;
        Some((width.parse::<u32>().ok()?, taps))
    });
    let rows: Vec<(u32, u64)> = rows.collect();
    assert!(rows.iter().map(|row| row.0).eq(3..=64));
    for (width, taps) in rows {
        // Bit j - 1 of the taps is the power w - j of the polynomial.
        let polynomial = taps.reverse_bits() >> (64 - width);
        let period = u64::MAX >> (64 - width);
        let step = |times| power_of_x(times, u128::from(polynomial) | 1 << width, width);
        assert_eq!(step(period), 1, "width {width}");
        for prime in prime_factors(period) {
            assert!(
                period == prime || step(period / prime) != 1,
                "width {width}"
            );
        }
    }
}

/// x to a power, modulo a polynomial of a degree.
fn power_of_x(mut exponent: u64, polynomial: u128, degree: u32) -> u128 {
    let times = |left: u128, right: u128| {
        let mut product = 0;
        for bit in (0..degree).rev() {
            product <<= 1;
            if product >> degree & 1 == 1 {
                product ^= polynomial;
            }
            if right >> bit & 1 == 1 {
                product ^= left;
            }
        }
        product
    };
    let (mut power, mut square) = (1, 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = times(power, square);
        }
        square = times(square, square);
        exponent >>= 1;
    }
    power
}

fn times_modulo(left: u64, right: u64, modulus: u64) -> u64 {
    (u128::from(left) * u128::from(right) % u128::from(modulus)) as u64
}

/// True for an odd number that is prime, by the witnesses that are enough for 64 bits.
fn is_prime(number: u64) -> bool {
    let twos = (number - 1).trailing_zeros();
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
        .iter()
        .all(|&witness| {
            if witness % number == 0 {
                return true;
            }
            let (mut power, mut square, mut exponent) = (1, witness, (number - 1) >> twos);
            while exponent > 0 {
                if exponent & 1 == 1 {
                    power = times_modulo(power, square, number);
                }
                square = times_modulo(square, square, number);
                exponent >>= 1;
            }
            let mut squares =
                std::iter::successors(Some(power), |&last| Some(times_modulo(last, last, number)));
            power == 1
                || squares
                    .by_ref()
                    .take(twos as usize)
                    .any(|square| square == number - 1)
        })
}

/// The prime factors of an odd number above 1.
fn prime_factors(number: u64) -> BTreeSet<u64> {
    if is_prime(number) {
        return BTreeSet::from([number]);
    }
    let divisor = (1..)
        .find_map(|start| pollard(number, start))
        .expect("it is composite");
    let mut factors = prime_factors(divisor);
    factors.extend(prime_factors(number / divisor));
    factors
}

/// A divisor of a number, if this start finds one.
fn pollard(number: u64, start: u64) -> Option<u64> {
    let next = |value| {
        ((u128::from(times_modulo(value, value, number)) + u128::from(start)) % u128::from(number))
            as u64
    };
    let (mut slow, mut fast) = (2 % number, 2 % number);
    loop {
        slow = next(slow);
        fast = next(next(fast));
        let (mut divisor, mut rest) = (slow.abs_diff(fast), number);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        match divisor {
            1 => {}
            divisor if divisor == number => return None,
            divisor => return Some(divisor),
        }
    }
}

/// The top modules for FPGAs of all chips have nothing to be said of, and that of the router, which
/// the repository holds, passes a message by its pins.
#[test]
fn fpga_tops_hold_every_chip() {
    let folder = tempfile::tempdir().expect("a folder");
    for chip in CHIPS {
        let output = run("fpga/top.sh", &[chip.name]);
        assert!(output.status.success(), "{}", printed(&output));
        let top = format!("{}_top", chip.name);
        let file = folder.path().join(format!("{top}.v"));
        fs::write(&file, &output.stdout).expect("a file");
        let file = file.to_str().expect("UTF-8");
        let mut lint = vec!["--lint-only", "-Wall", "-Iinclude", "--top-module", &top];
        lint.extend([file, "fpga/fpga_pins.v"]);
        for name in sources(chip) {
            lint.push(name);
        }
        if chip
            .ports
            .iter()
            .any(|port| matches!(port.role, chip::Role::Random { .. }))
        {
            lint.push("lfsr_random.v");
        }
        assert_silent("verilator", &lint);
    }
    let kept = "fpga/fat_tree_router_top.v";
    let fresh = printed(&run("fpga/top.sh", &["fat_tree_router"]));
    assert_eq!(
        read(kept),
        fresh,
        "hdl/{kept}; hdl/fpga/top.sh fat_tree_router gives it"
    );
    let mut files = vec![kept, "fpga/fpga_pins.v", "lfsr_random.v"];
    files.extend(sources(&chip::fat_tree_router::CHIP));
    let bench = "fpga/fat_tree_router_top_bench.v";
    let said = checked_by_bench("fat_tree_router_top", bench, &files);
    assert_eq!(said, "a message passes the router between its registers\n");
    let refused = run("fpga/top.sh", &["nothing"]);
    assert_eq!(refused.status.code(), Some(2), "{}", printed(&refused));
}

#[test]
fn netlists_are_what_the_sources_give() {
    assert_succeeds("./synthesise.sh", &["--check"]);
}

/// The check of netlists finds wires that are exchanged between modules, and a module that is
/// missing.
#[test]
fn netlists_with_other_wires_are_not_equivalent() {
    const CHIP: &str = "mport_switch_4";
    type Edit = fn(&mut serde_json::Value);
    let edits: [(&str, Edit); 3] = [
        ("nothing", |_| {}),
        ("wires exchanged", |cells| {
            let grants =
                ["0", "1"].map(|input| format!("/switch.inputs[{input}].unit/connections/grant"));
            let first = cells.pointer(&grants[0]).unwrap().clone();
            let second = cells.pointer_mut(&grants[1]).unwrap();
            let second = std::mem::replace(second, first);
            *cells.pointer_mut(&grants[0]).unwrap() = second;
        }),
        ("a module missing", |cells| {
            let cells = cells.as_object_mut().unwrap();
            assert!(cells.remove("switch.inputs[0].unit").is_some());
        }),
    ];
    for (what, edit) in edits {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["", "include", "netlists"] {
            let to = dir.path().join(folder);
            fs::create_dir_all(&to).unwrap();
            for file in fs::read_dir(hdl().join(folder)).unwrap() {
                let file = file.unwrap();
                if file.file_type().unwrap().is_file() {
                    fs::copy(file.path(), to.join(file.file_name())).unwrap();
                }
            }
        }
        let list = dir.path().join("include/chips.list");
        let chips = fs::read_to_string(&list).unwrap();
        let own = chips.lines().find(|line| line.starts_with(CHIP)).unwrap();
        fs::write(&list, format!("{own}\n")).unwrap();
        let netlist = dir.path().join(format!("netlists/{CHIP}.json"));
        let text = fs::read_to_string(&netlist).unwrap();
        let mut json: serde_json::Value = serde_json::from_str(&text).unwrap();
        edit(&mut json["modules"][CHIP]["cells"]);
        let text = serde_json::to_string_pretty(&json).unwrap();
        fs::write(&netlist, text).unwrap();
        let output = Command::new(dir.path().join("synthesise.sh"))
            .arg("--check")
            .output()
            .unwrap();
        let printed = printed(&output);
        let is_equivalent = printed.contains(&format!("equivalent: {CHIP}"));
        assert_eq!(is_equivalent, what == "nothing", "{what}: {printed}");
    }
}

#[test]
fn netlists_have_the_ports_of_the_tables() {
    for chip in CHIPS {
        let name = format!("netlists/{}.json", chip.name);
        let design = yosys::read(&read(&name), &name)
            .unwrap_or_else(|error| panic!("{name} does not read: {error:?}"));
        let module = design.module(chip.name).expect("the module of the chip");
        let found: BTreeSet<_> = module
            .ports
            .iter()
            .map(|port| {
                let input = port.direction == PortDirection::Input;
                (port.name.to_string(), input, port.bits.len())
            })
            .collect();
        let expected: BTreeSet<_> = chip
            .ports
            .iter()
            .map(|port| {
                let input = port.direction == chip::PinDirection::Input;
                (port.name.to_owned(), input, usize::from(port.width))
            })
            .collect();
        assert_eq!(found, expected, "ports of {name}");
    }
}

/// Gives the name and the width of a port as the page of a chip writes them.
type GeneralName = fn(&Chip, &chip::Port) -> (String, String);

/// The page of a chip, and how it writes ports: switches of several sizes have one page, with a
/// row for all ports of a kind.
fn general_names(chip: &'static str) -> (&'static str, GeneralName) {
    if chip.starts_with("mport_switch_") || chip.starts_with("mport_tail_switch_") {
        let page = match chip.starts_with("mport_tail") {
            true => "mport_tail_switch",
            false => "mport_switch",
        };
        return (page, |chip, port| {
            let m = chip.links.len() as u8;
            let name = of_any_link(chip, port, "pK");
            let width = match &name[..] {
                "random_order" if 1 << port.width == m => "lg m".to_owned(),
                "pK_state" if port.width == m + 1 => "m + 1".to_owned(),
                _ => port.width.to_string(),
            };
            (name, width)
        });
    }
    if chip.starts_with("mport_packet_switch_") {
        return ("mport_packet_switch", |chip, port| {
            let name = of_any_link(chip, port, "pK");
            let width = match &name[..] {
                "lost" if usize::from(port.width) == chip.links.len() => "m".to_owned(),
                _ => port.width.to_string(),
            };
            (name, width)
        });
    }
    if chip.starts_with("stack_switch_") {
        return ("stack_switch", |chip, port| {
            let name = of_any_link(chip, port, "P");
            let width = match &name[..] {
                "lost" | "P_owner" if usize::from(port.width) == chip.links.len() => "m".to_owned(),
                _ => port.width.to_string(),
            };
            (name, width)
        });
    }
    (chip, |_, port| {
        (port.name.to_owned(), port.width.to_string())
    })
}

/// The name of a port, with `any` in place of that of its link port.
fn of_any_link(chip: &Chip, port: &chip::Port, any: &str) -> String {
    match port.name.split_once('_') {
        Some((link, rest)) if chip.links.contains(&link) => format!("{any}_{rest}"),
        _ => port.name.to_owned(),
    }
}

#[test]
fn pages_have_the_ports_of_the_tables() {
    for chip in CHIPS {
        let (page, general) = general_names(chip.name);
        let mut expected: Vec<String> = Vec::new();
        for port in chip.ports {
            let direction = match port.direction {
                chip::PinDirection::Input => "input",
                chip::PinDirection::Output => "output",
            };
            let ((name, width), doc) = (general(chip, port), port.doc);
            let row = format!("| `{name}` | {direction} | {width} | {doc} |");
            if !expected.contains(&row) {
                expected.push(row);
            }
        }
        let page = read(&format!("{page}.md"));
        let found: Vec<&str> = page
            .lines()
            .skip_while(|line| !line.starts_with("| Port |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        assert_eq!(found, expected, "port table of hdl/{}.md", chip.name);
    }
}

#[test]
fn pages_have_the_diagrams_of_the_simulation() {
    for (page, diagrams) in [
        ("fat_tree_router.md", &["pass", "turn"][..]),
        ("fat_tree_tail_router.md", &["behind"]),
        ("network_interface.md", &["sender", "receiver"]),
        ("delay_line.md", &["delay"]),
        ("rn1.md", &["connection", "blocked"]),
        ("rn1_height.md", &["height"]),
        ("rn1_delay_line.md", &["rn1_delay"]),
        ("rn1_fault_line.md", &["rn1_fault"]),
        ("rn1_interface.md", &["reply", "retry"]),
        ("bft_node.md", &["packets"]),
        ("packet_switch_q8.md", &["queue_fills"]),
        ("packet_interface.md", &["packet_ends"]),
        ("mport_packet_switch.md", &["routed_packets"]),
        ("mport_switch.md", &["meet"]),
        ("mport_tail_switch.md", &["behind_head"]),
        ("mport_interface.md", &["routed"]),
        ("stack_switch.md", &["stack_meet"]),
        ("stack_interface.md", &["stack_ends"]),
        ("stack_delay_line.md", &["stack_delay"]),
    ] {
        let text = read(page);
        for diagram in diagrams {
            let output = run("proof/diagrams.sh", &[diagram]);
            assert!(output.status.success(), "{diagram}: {}", printed(&output));
            let fresh = printed(&output);
            assert!(
                text.contains(&fresh),
                "hdl/{page} does not hold the diagram `{diagram}`, which is now\n{fresh}"
            );
        }
    }
}

/// Proves the chips of a name. Of the broken ones every fifth is looked at, unless many cases
/// are asked for, as by `soak.sh`: each takes seconds.
fn prove(name: &str) {
    let every = match std::env::var_os("CROSSWAVE_SOAK_CASES") {
        Some(_) => "1",
        None => "5",
    };
    let output = Command::new("proof/prove.sh")
        .arg(name)
        .env("CROSSWAVE_MUTANTS_EVERY", every)
        .current_dir(hdl())
        .output()
        .unwrap_or_else(|error| panic!("prove.sh: {error}"));
    assert!(output.status.success(), "{name}: {}", printed(&output));
}

// Several tests, so that two processors share them.

#[test]
fn every_proof_of_the_router_holds_and_broken_chips_are_refuted() {
    prove("fat_tree_router");
}

#[test]
fn every_proof_of_the_tail_router_holds_and_broken_chips_are_refuted() {
    prove("fat_tree_tail_router");
}

#[test]
fn every_proof_of_the_packet_node_holds_and_broken_chips_are_refuted() {
    prove("bft_node");
}

#[test]
fn every_proof_of_the_packet_switches_holds_and_broken_chips_are_refuted() {
    prove("packet_switch");
}

#[test]
fn every_proof_of_the_mport_switch_holds_and_broken_chips_are_refuted() {
    prove("mport_switch");
}

#[test]
fn every_proof_of_the_stack_switch_holds_and_broken_chips_are_refuted() {
    prove("stack_switch");
}

#[test]
fn every_proof_of_rn1_holds_and_broken_chips_are_refuted() {
    prove("rn1");
}
