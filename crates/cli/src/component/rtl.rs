//! `crosswave component check --rtl`: the netlist against its sources, cycle by cycle.
//!
//! Inputs take random bits in every cycle, except for the clock, and for the reset: it acts in the first
//! cycles and once more half way. The netlist is evaluated with X, as flip-flops without a value begin with
//! it. A bit that is X on one side is not compared, but counted.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::super::usage;
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::random;
use crosswave_component::rtl::{BenchPort, ModuleWithSources, Simulator};
use crosswave_design::run::RunPort;
use crosswave_design::{Arrays, Clocks, Options, Run, build};
use crosswave_gate::Backend;
use crosswave_wave::Bit;

/// Cycles of the reset at the beginning.
const RESET_CYCLES: u64 = 4;
/// Cycles of the reset half way.
const RESET_CYCLES_AGAIN: u64 = 2;
/// Names of outputs that are listed.
const NAMES: usize = 6;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SimulatorName {
    Icarus,
    Verilator,
}

#[derive(Debug, Args)]
pub(super) struct RtlArgs {
    /// Compare the netlist with its sources in this simulator, with random inputs
    #[arg(long, value_name = "SIMULATOR")]
    rtl: Option<SimulatorName>,
    /// Verilog files of a component that is a netlist; may be given again
    #[arg(long, value_name = "FILE", requires = "rtl")]
    sources: Vec<PathBuf>,
    /// Cycles to compare
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "rtl",
          value_parser = clap::value_parser!(u64).range(16..=100_000))]
    cycles: u64,
    /// Seed of the random inputs
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "rtl")]
    seed: u64,
}

/// A bit of an output that differs.
#[derive(Debug, Serialize)]
pub(super) struct FirstDifference {
    cycle: u64,
    port: String,
    netlist: char,
    sources: char,
}

/// The comparison of a netlist with its sources.
#[derive(Debug, Serialize)]
pub(super) struct SourceComparison {
    simulator: &'static str,
    cycles: u64,
    seed: u64,
    /// Bits of outputs that have a value on both sides, in all cycles.
    compared_bits: u64,
    /// Bits that are X in the sources; and those of them up to the end of the first reset.
    unknown_bits: u64,
    unknown_bits_in_reset: u64,
    /// Bits that are X in the netlist only.
    unknown_netlist_bits: u64,
    /// Bits of outputs that were not compared in any cycle.
    never_compared: Vec<String>,
    first_difference: Option<FirstDifference>,
    #[serde(skip)]
    origin: String,
}

impl RtlArgs {
    /// The comparison, when it is asked for.
    pub(super) fn compare(&self, file: &Path) -> Result<Option<SourceComparison>, Error> {
        let simulator = match self.rtl {
            None => return Ok(None),
            Some(SimulatorName::Icarus) => Simulator::Icarus,
            Some(SimulatorName::Verilator) => Simulator::Verilator,
        };
        let module = ModuleWithSources::read(file, &self.sources)?;
        let options = Options {
            clocks: Clocks::One(Some(module.clock.clone())),
            four_state: true,
            arrays: Arrays::Auto,
            replicas: 1,
            backend: Backend::best(),
            is_saved: false,
        };
        let of_file = |error: Error| match error.class {
            Class::Input => Error {
                origin: module.origin.clone(),
                ..error
            },
            _ => error,
        };
        let run = build(&module.netlist, module.root, &options).map_err(of_file)?;
        if run.outputs().is_empty() || run.inputs().is_empty() {
            let message = format!("{} has no ports to compare", module.top);
            return Err(usage(
                "--rtl",
                message,
                "compare a module with inputs and outputs",
            ));
        }
        self.lock_step(simulator, &module, run).map(Some)
    }

    /// Runs both sides with the same inputs.
    fn lock_step(
        &self,
        simulator: Simulator,
        module: &ModuleWithSources,
        mut run: Run,
    ) -> Result<SourceComparison, Error> {
        let ports = [bench_ports(run.inputs()), bench_ports(run.outputs())];
        let reset = run
            .inputs()
            .iter()
            .position(|port| port.name == module.reset.0);
        let (reset, active) = (reset.map(|at| run.inputs()[at].first), module.reset.1);
        let width = |ports: &[BenchPort]| ports.iter().map(|port| port.width).sum::<usize>();
        let inputs: Vec<Vec<bool>> = (0..self.cycles)
            .map(|cycle| {
                let half = self.cycles / 2;
                let is_reset =
                    cycle < RESET_CYCLES || (half..half + RESET_CYCLES_AGAIN).contains(&cycle);
                let bit = |at: usize| match reset == Some(at) {
                    true => is_reset == active,
                    false => random::word(random::key(self.seed, at as u64, cycle), 0) & 1 == 1,
                };
                (0..width(&ports[0])).map(bit).collect()
            })
            .collect();
        let lines = module.simulate(simulator, [&ports[0], &ports[1]], &inputs)?;
        let outputs = width(&ports[1]);
        let mut found = SourceComparison {
            simulator: simulator.name(),
            cycles: self.cycles,
            seed: self.seed,
            compared_bits: 0,
            unknown_bits: 0,
            unknown_bits_in_reset: 0,
            unknown_netlist_bits: 0,
            never_compared: Vec::new(),
            first_difference: None,
            origin: module.origin.clone(),
        };
        let mut was_compared = vec![false; outputs];
        let mut bits: Vec<char> = Vec::new();
        for (cycle, values) in (0..).zip(&inputs) {
            bits.clear();
            bits.extend(
                lines
                    .get(cycle as usize)
                    .iter()
                    .flat_map(|line| line.chars().rev()),
            );
            if bits.len() != outputs {
                let message = format!(
                    "{} wrote {} cycles; expected {}",
                    simulator.name(),
                    lines.len(),
                    self.cycles
                );
                let help = "does the module end the simulation with $finish, or print to files?";
                let message = Diagnostic::new(format!("cycle {cycle}"), message, help);
                return Err(Error::one(Class::Input, &*module.origin, message));
            }
            drive(&mut run, values);
            run.settle();
            for port in run.outputs() {
                for (at, is_compared) in (0..port.width).zip(&mut was_compared[port.first..]) {
                    let (own, other) = (run.output(port.first + at, 0), bits[port.first + at]);
                    let own = match own {
                        Bit::Zero => '0',
                        Bit::One => '1',
                        Bit::X | Bit::Z => 'x',
                    };
                    if !matches!(other, '0' | '1') {
                        found.unknown_bits += 1;
                        found.unknown_bits_in_reset += u64::from(cycle < RESET_CYCLES);
                    } else if own == 'x' {
                        found.unknown_netlist_bits += 1;
                    } else {
                        found.compared_bits += 1;
                        *is_compared = true;
                        if own != other && found.first_difference.is_none() {
                            found.first_difference = Some(FirstDifference {
                                cycle,
                                port: port.bit_name(at),
                                netlist: own,
                                sources: other,
                            });
                        }
                    }
                }
            }
            run.edge();
        }
        for port in run.outputs() {
            let bits = (0..port.width).filter(|at| !was_compared[port.first + at]);
            found
                .never_compared
                .extend(bits.map(|at| port.bit_name(at)));
        }
        Ok(found)
    }
}

fn bench_ports(ports: &[RunPort]) -> Vec<BenchPort> {
    let ports = ports.iter().map(|port| BenchPort {
        name: port.name.clone(),
        first: port.first,
        width: port.width,
    });
    ports.collect()
}

/// Drives all inputs for a cycle.
fn drive(run: &mut Run, values: &[bool]) {
    for input in 0..run.inputs().len() {
        let (first, width) = (run.inputs()[input].first, run.inputs()[input].width);
        for bit in 0..width {
            let value = if values[first + bit] {
                Bit::One
            } else {
                Bit::Zero
            };
            run.drive(input, bit, 0, value);
        }
    }
}

impl SourceComparison {
    /// An error when the sides differ, or nothing was compared.
    pub(super) fn check(&self) -> Result<(), Error> {
        let found = match &self.first_difference {
            Some(FirstDifference {
                cycle,
                port,
                netlist,
                sources,
            }) => Diagnostic::new(
                format!("cycle {cycle}, {port}"),
                format!(
                    "the netlist has {netlist}, and the sources in {} have {sources}",
                    self.simulator
                ),
                "one of the two tools reads the sources in another way, or the netlist is of other sources",
            ),
            None if self.compared_bits == 0 => Diagnostic::new(
                "outputs",
                "no bit of an output has a value on both sides, so nothing was compared",
                "does the reset set the registers of the module?",
            ),
            None => return Ok(()),
        };
        Err(Error::one(Class::Check, &*self.origin, found))
    }

    /// The comparison in words.
    pub(super) fn text(&self) -> String {
        let mut text = match &self.first_difference {
            Some(first) => format!(
                "differ in {}, first in cycle {} at {}",
                self.simulator, first.cycle, first.port
            ),
            None => format!("agree in {}", self.simulator),
        };
        let _ = write!(
            text,
            ": {} cycles, seed {}, {} bits of outputs compared",
            self.cycles, self.seed, self.compared_bits
        );
        if self.unknown_bits > 0 {
            let _ = write!(
                text,
                "; {} were X in the sources, {} of them in the first reset",
                self.unknown_bits, self.unknown_bits_in_reset
            );
        }
        if self.unknown_netlist_bits > 0 {
            let _ = write!(
                text,
                "; {} were X in the netlist",
                self.unknown_netlist_bits
            );
        }
        let names = &self.never_compared;
        if !names.is_empty() {
            let shown = names[..names.len().min(NAMES)].join(", ");
            let _ = write!(text, "; {} bits never had a value: {shown}", names.len());
        }
        text
    }
}
