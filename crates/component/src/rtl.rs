//! The module of a component as its sources have it: its netlist with its own ports, and a simulation of the
//! sources with the same inputs.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::mistakes::Mistakes;
use super::{files, includes, netlist, parsed, read_options};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::file::input;
use crosswave_netlist::yosys;
use crosswave_synthesis::simulator::{INPUTS, OUTPUTS, TESTBENCH, TestBench};
use crosswave_synthesis::sources::Sources;
use crosswave_synthesis::{Design, ReadOptions};

pub use crosswave_synthesis::simulator::Simulator;

/// The module of a component file with its own ports, and its sources.
#[derive(Debug)]
pub struct ModuleWithSources {
    /// The netlist.
    pub netlist: crosswave_netlist::Design,
    /// The index of the module in the netlist.
    pub root: usize,
    /// The name of the module.
    pub top: String,
    /// The port of its clock.
    pub clock: String,
    /// The port of its reset, and the value at which it acts.
    pub reset: (String, bool),
    /// The files that the netlist is of.
    pub origin: String,
    sources: Sources,
    options: ReadOptions,
}

/// A port in the vector of all inputs or all outputs of a test bench.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BenchPort {
    /// Its name.
    pub name: String,
    /// The number of its first bit.
    pub first: usize,
    /// Its bits.
    pub width: usize,
}

impl ModuleWithSources {
    /// Reads a component file that [`load`](super::load) takes. `verilog` are the sources of a component
    /// that is a netlist; others have theirs.
    ///
    /// # Errors
    /// When a file cannot be read, or it is not known which the sources are.
    pub fn read(path: &Path, verilog: &[PathBuf]) -> Result<ModuleWithSources, Error> {
        let text = input::read_text(path, input::COMPONENT, Class::Usage)?;
        let origin = path.display().to_string();
        let mut mistakes = Mistakes::new(&origin, &text);
        let usage = |place: &str, message: &str, help: &str| {
            Error::one(
                Class::Usage,
                &*origin,
                Diagnostic::new(place, message, help),
            )
        };
        let file = parsed(&text, &mut mistakes)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let named = files(&file.component, folder, &mut mistakes)?;
        let (mut options, of_instances) = read_options(&file.component, &mut mistakes)?;
        // A module whose instances differ is compared with values of 0.
        let zeros = of_instances.into_iter();
        let zeros = zeros.map(|(name, _)| (name, "0".to_owned()));
        options.parameters.extend(zeros);
        let includes = includes(&file.component, folder, &mut mistakes)?;
        let verilog = match (file.component.netlist.is_some(), verilog.is_empty()) {
            (true, false) => verilog,
            (false, true) => &named,
            (true, true) => {
                let help = "name the Verilog that it was made of with --sources FILE";
                return Err(usage("component.netlist", "a netlist has no sources", help));
            }
            (false, false) => {
                let help = "leave --sources out";
                return Err(usage(
                    "component.sources",
                    "the component has its sources",
                    help,
                ));
            }
        };
        let top = file.component.top.get_ref().clone();
        let sources = Sources::read(&Design {
            top: &top,
            files: verilog,
            includes: &includes,
            texts: &[],
            options: &options,
            library: &[],
        })?;
        if sources.top.is_none() {
            let message = format!("the sources declare no module {top}");
            return Err(usage("component.top", &message, "name its file too"));
        }
        let (origin, json) = netlist(
            &file.component,
            &named,
            &includes,
            &options,
            &[],
            &mut mistakes,
            |_| {},
        )?;
        let read = yosys::read_netlist(json.trim_start_matches('\u{feff}'), &origin)?;
        let modules = &read.design.modules;
        let root = modules.iter().position(|module| module.name == top);
        let port = |text: &str| text.split('[').next().unwrap_or_default().trim().to_owned();
        let reset = &file.component.reset;
        Ok(ModuleWithSources {
            root: root
                .ok_or_else(|| usage("component.top", "the netlist has no such module", ""))?,
            netlist: read.design,
            clock: port(file.component.clock.get_ref()),
            reset: (
                port(reset.port.get_ref()),
                reset.active == super::file::ActiveLevel::High,
            ),
            top,
            origin,
            sources,
            options,
        })
    }

    /// Runs the sources. Each of `inputs` is the bits of all input ports in a cycle, the lowest bits first.
    /// Returns a line for each cycle: the bits of all output ports, 0, 1, x or z, the highest first.
    ///
    /// # Errors
    /// As [`Simulator::run`].
    pub fn simulate(
        &self,
        simulator: Simulator,
        ports: [&[BenchPort]; 2],
        inputs: &[Vec<bool>],
    ) -> Result<Vec<String>, Error> {
        let mut hex = String::new();
        for bits in inputs {
            let digit = |four: &[bool]| {
                four.iter()
                    .rev()
                    .fold(0, |sum, bit| sum * 2 + u32::from(*bit))
            };
            let digits = bits.chunks(4).rev().map(digit);
            hex.extend(digits.filter_map(|digit| char::from_digit(digit, 16)));
            hex.push('\n');
        }
        let text = self.bench(ports);
        let bench = TestBench {
            text: &text,
            inputs: &hex,
        };
        let written = simulator.run(&self.sources, &bench)?;
        Ok(written.lines().map(str::to_owned).collect())
    }

    /// The text of the test bench. Inputs change while the clock is 0; outputs are taken before it rises.
    fn bench(&self, [inputs, outputs]: [&[BenchPort]; 2]) -> String {
        let width = |ports: &[BenchPort]| ports.iter().map(|port| port.width).sum::<usize>().max(1);
        let connection = |vector: &str, port: &BenchPort| {
            let (low, high) = (port.first, port.first + port.width - 1);
            format!("    .\\{} ({vector}[{high}:{low}])", port.name)
        };
        let connections = inputs.iter().map(|port| connection("inputs", port));
        let connections = connections.chain(outputs.iter().map(|port| connection("outputs", port)));
        let mut connections: Vec<String> = connections.collect();
        // A module that clocks nothing has its clock among the inputs.
        if !inputs.iter().any(|port| port.name == self.clock) {
            connections.push(format!("    .\\{} (clock)", self.clock));
        }
        let parameters = self.options.parameters.iter();
        let parameters: Vec<String> = parameters
            .map(|(name, value)| format!(".{name}({value})"))
            .collect();
        let parameters = match parameters.is_empty() {
            true => String::new(),
            false => format!("#({}) ", parameters.join(", ")),
        };
        let mut text = format!("`timescale 1ns/1ns\nmodule {TESTBENCH};\n  reg clock = 1'b0;\n");
        let _ = write!(
            text,
            "  reg [{0}:0] next, inputs;\n  wire [{1}:0] outputs;\n  integer from, to;\n  {2} {parameters}module_of_sources (\n{3}\n  );\n",
            width(inputs) - 1,
            width(outputs) - 1,
            self.top,
            connections.join(",\n")
        );
        let _ = write!(
            text,
            // Verilator 5.006 does not take what $fscanf writes for a change: it is assigned once more.
            "  initial begin\n    from = $fopen(\"{INPUTS}\", \"r\");\n    to = $fopen(\"{OUTPUTS}\", \"w\");\n    \
             while ($fscanf(from, \"%h\", next) == 1) begin\n      inputs = next;\n      #4 $fdisplay(to, \"%b\", outputs);\n      \
             #1 clock = 1'b1;\n      #5 clock = 1'b0;\n    end\n    $fclose(to);\n    $finish;\n  end\nendmodule\n"
        );
        text
    }
}
