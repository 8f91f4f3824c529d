//! Tests of a router that detect faults, as a folder of vectors with a test bench for other simulators.
//!
//! | file | holds |
//! |---|---|
//! | `tests.txt` | the vectors and the last cycle of each test |
//! | `test_0.hex`, … | a number for each cycle: the values of inputs, then those of outputs, the first port highest |
//! | `test_bench.v`, `run-icarus.sh`, `run-verilator.sh` | drive and compare |
//! | `test_router.py`, `Makefile` | the same for cocotb |
//! | `*.v`, `*.vh` | the chip |

use std::fmt::Write as _;

use super::{shell_word, sources};
use crosswave_base::file::FolderFile;
use crosswave_chips::Port;
use crosswave_network::topology::Topology;
use crosswave_run::campaign::detecting::{RouterTest, RouterTests};

/// Files that are there whatever the tests are.
pub const NAMES: [&str; 7] = [
    "tests.txt",
    "test_bench.v",
    "run-icarus.sh",
    "run-verilator.sh",
    "test_router.py",
    "Makefile",
    "README.txt",
];

/// The bits of ports, in binary digits.
fn digits(ports: &[&Port], values: &[u64], text: &mut String) {
    for (port, value) in ports.iter().zip(values) {
        let width = usize::from(port.width);
        let _ = write!(text, "{value:0width$b}");
    }
}

/// Binary digits as hexadecimal ones.
fn hexadecimal(binary: &str) -> String {
    let mut text = String::new();
    let lead = (4 - binary.len() % 4) % 4;
    let padded = format!("{}{binary}", "0".repeat(lead));
    for digits in padded.as_bytes().chunks(4) {
        let value = digits
            .iter()
            .fold(0, |value, digit| 2 * value + u32::from(digit - b'0'));
        text.extend(char::from_digit(value, 16));
    }
    text
}

/// The vectors of a test.
fn vectors(tests: &RouterTests, test: &RouterTest) -> String {
    let port = |&at: &usize| &tests.chip.ports[at];
    let inputs: Vec<&Port> = tests.inputs.iter().map(port).collect();
    let outputs: Vec<&Port> = tests.outputs.iter().map(port).collect();
    let taken = test.values(&test.inputs, &tests.inputs);
    let shown = test.values(&test.outputs, &tests.outputs);
    let mut text = String::new();
    let mut line = String::new();
    for (taken, shown) in taken.iter().zip(&shown) {
        line.clear();
        digits(&inputs, taken, &mut line);
        digits(&outputs, shown, &mut line);
        text += &hexadecimal(&line);
        text.push('\n');
    }
    text
}

/// Connections of ports to the bits of a vector, the first port highest.
fn connections(ports: &[&Port], vector: &str) -> Vec<String> {
    let mut above = ports
        .iter()
        .map(|port| usize::from(port.width))
        .sum::<usize>();
    let connect = |port: &&Port| {
        let highest = above - 1;
        above -= usize::from(port.width);
        match port.width {
            1 => format!("        .{}({vector}[{highest}])", port.name),
            _ => format!("        .{}({vector}[{highest}:{above}])", port.name),
        }
    };
    ports.iter().map(connect).collect()
}

/// The files of the folder. `origin` names the configuration in the README.
pub fn files(tests: &RouterTests, network: &dyn Topology, origin: &str) -> Vec<FolderFile> {
    let chip = tests.chip;
    let port = |&at: &usize| &chip.ports[at];
    let inputs: Vec<&Port> = tests.inputs.iter().map(port).collect();
    let outputs: Vec<&Port> = tests.outputs.iter().map(port).collect();
    let [clock, reset] = chip.clock_and_reset();
    let mut connected = vec![
        format!("        .{clock}(clock)"),
        format!("        .{reset}(reset)"),
    ];
    connected.extend(connections(&inputs, "taken"));
    connected.extend(connections(&outputs, "shown"));
    // Modules of a designer's own are not found by the names of their files.
    let own = network.components();
    let defines = own.iter().flat_map(|component| &component.defines);
    let defines = defines.map(|(name, value)| shell_word(&format!("-D{name}={value}")) + " ");
    let mut of_router: Vec<String> = Vec::new();
    let beside = own.iter().flat_map(|component| &component.files);
    for name in beside
        .map(|(name, _)| (*name).to_owned())
        .chain([format!("{}.v", chip.name)])
    {
        let name = shell_word(&name);
        if !of_router.contains(&name) {
            of_router.push(name);
        }
    }
    let list = |ports: &[&Port]| {
        let ports = ports.iter();
        let ports = ports.map(|port| format!("(\"{}\", {})", port.name, port.width));
        ports.collect::<Vec<_>>().join(", ")
    };
    let width = |ports: &[&Port]| {
        let widths = ports.iter().map(|port| usize::from(port.width));
        widths.sum::<usize>().to_string()
    };
    let cycles = tests.tests.iter().map(|test| test.last_cycle + 1).max();
    let faults = tests.tests.iter().map(|test| test.faults).sum::<u64>();
    let mut rows = String::new();
    let mut listed = String::new();
    for (number, test) in tests.tests.iter().enumerate() {
        let name = format!("test_{number}.hex");
        let _ = writeln!(listed, "{name} {}", test.last_cycle);
        let RouterTest {
            replicate,
            seed,
            last_cycle,
            faults,
            ..
        } = test;
        let _ = writeln!(
            rows,
            "{name:<11} {replicate:<10} {seed:<21} {last_cycle:<11} {faults}"
        );
    }
    let filled = |template: &str| {
        template
            .replace("@chip@", chip.name)
            .replace("@router@", &tests.router)
            .replace("@origin@", origin)
            .replace("@version@", env!("CARGO_PKG_VERSION"))
            .replace("@inputs@", &width(&inputs))
            .replace("@outputs@", &width(&outputs))
            .replace("@cycles@", &cycles.unwrap_or(1).to_string())
            .replace("@connections@", &connected.join(",\n"))
            .replace("@defines@", &defines.clone().collect::<String>())
            .replace("@files@", &of_router.join(" "))
            .replace("@input_list@", &list(&inputs))
            .replace("@output_list@", &list(&outputs))
            .replace("@clock@", clock)
            .replace("@reset@", reset)
            .replace("@faults@", &faults.to_string())
            .replace("@rows@\n", &rows)
    };
    let chips = [chip];
    let mut files: Vec<FolderFile> = sources(&chips)
        .map(|(name, text)| FolderFile::new(name, text))
        .collect();
    for (number, test) in tests.tests.iter().enumerate() {
        files.push(FolderFile::new(
            format!("test_{number}.hex"),
            vectors(tests, test),
        ));
    }
    files.extend([
        FolderFile::new("tests.txt", listed),
        FolderFile::new(
            "test_bench.v",
            filled(include_str!("router_tests/test_bench.v")),
        ),
        FolderFile::script(
            "run-icarus.sh",
            filled(include_str!("router_tests/run-icarus.sh")),
        ),
        FolderFile::script(
            "run-verilator.sh",
            filled(include_str!("router_tests/run-verilator.sh")),
        ),
        FolderFile::new(
            "test_router.py",
            filled(include_str!("router_tests/test_router.py")),
        ),
        FolderFile::new("Makefile", filled(include_str!("router_tests/Makefile"))),
        FolderFile::new(
            "README.txt",
            filled(include_str!("router_tests/README.txt")),
        ),
    ]);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_put_together_by_fours() {
        for (binary, expected) in [("1", "1"), ("10000", "10"), ("11110101", "f5"), ("", "")] {
            assert_eq!(hexadecimal(binary), expected);
        }
    }
}
