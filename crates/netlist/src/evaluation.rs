//! A module evaluated net by net: slow and obvious, the judge of all that is faster.
//!
//! It shares nothing with the engines but the netlist reader: no lowering, no folding, no lanes.
//! Every net is one `bool`; a cycle evaluates every gate in level order and then every flip-flop
//! with its own enable and reset, as the library of Yosys defines them.

use super::levelise::levelise;
use super::mealy;
use super::model::{Asynchronous, Bit, Cell, CellKind, Control, Edge, Flop, Module, Port};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};

/// A module whose gates are in order, without the values of its nets, which an instance has.
///
/// ```
/// use crosswave_netlist::{Evaluation, text};
/// let design = text::parse(
///     "module m\n input clk\n output q\n flop f d -> q posedge clk\n gate n NOT q -> d\nend\n",
///     "example",
/// )?;
/// let module = &design.modules[0];
/// let evaluation = Evaluation::new(module)?;
/// let mut nets = vec![false; module.nets.len()];
/// let mut seen = Vec::new();
/// for _ in 0..3 {
///     evaluation.settle(&mut nets);
///     seen.push(Evaluation::port(module.port("q").unwrap(), &nets));
///     evaluation.edge(&mut nets);
/// }
/// assert_eq!(seen, [0, 1, 0]);
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Evaluation<'m> {
    module: &'m Module,
    /// Cells in level order.
    order: Vec<usize>,
}

impl<'m> Evaluation<'m> {
    /// Orders the gates of a module.
    ///
    /// # Errors
    /// When it has a combinational loop or a flip-flop that does not act on the rising edge
    /// alone.
    pub fn new(module: &'m Module) -> Result<Evaluation<'m>, Error> {
        let fault = |diagnostics| Error {
            class: Class::Input,
            origin: module.name.clone(),
            source: None,
            diagnostics,
        };
        let levels = levelise(module)
            .map_err(|loops| fault(loops.iter().map(|found| found.diagnostic(module)).collect()))?;
        for (cell, flop) in module.flops() {
            if flop.edge != Edge::Rising || flop.asynchronous != Asynchronous::None {
                return Err(fault(vec![Diagnostic::new(
                    format!("module {}, cell {} ({})", module.name, cell.name, cell.src),
                    "this flip-flop does not act on the rising edge of the clock alone",
                    "use synchronous resets and one clock edge",
                )]));
            }
        }
        Ok(Evaluation {
            order: levels.order,
            module,
        })
    }

    /// The module.
    pub fn module(&self) -> &'m Module {
        self.module
    }

    /// The nets of an instance before the first edge: flip-flops have their initial values, all else is 0.
    pub fn initial(&self) -> Vec<bool> {
        let mut nets = vec![false; self.module.nets.len()];
        for (_, flop) in self.module.flops() {
            nets[flop.q.index()] = flop.init == Some(true);
        }
        nets
    }

    /// The value of a port, bit 0 first. A constant X reads as 0.
    pub fn port(port: &Port, nets: &[bool]) -> u64 {
        let bits = port.bits.iter().enumerate();
        bits.map(|(index, &bit)| u64::from(value(nets, bit)) << index)
            .sum()
    }

    /// Drives the nets of an input.
    pub fn drive(port: &Port, nets: &mut [bool], driven: u64) {
        for (index, bit) in port.bits.iter().enumerate() {
            if let Bit::Net(net) = bit {
                nets[net.index()] = driven >> index & 1 != 0;
            }
        }
    }

    /// Evaluates the gates of an instance, whose inputs and flip-flops have their values.
    pub fn settle(&self, nets: &mut [bool]) {
        for &cell in &self.order {
            if let CellKind::Gate(gate) = &self.module.cells[cell].kind {
                let inputs: smallvec::SmallVec<[bool; 4]> =
                    gate.inputs.iter().map(|&bit| value(nets, bit)).collect();
                nets[gate.output.index()] = gate.function.evaluate(&inputs);
            }
        }
    }

    /// The clock edge: every flip-flop of an instance that has settled takes its value.
    pub fn edge(&self, nets: &mut [bool]) {
        self.act(nets, |_| true);
    }

    /// The flip-flops of an instance that [settle](super::mealy) take their values; all others hold.
    pub fn settle_outputs(&self, nets: &mut [bool]) {
        self.act(nets, mealy::settles);
    }

    fn act(&self, nets: &mut [bool], acts: impl Fn(&Cell) -> bool) {
        let flops = self.module.flops().filter(|(cell, _)| acts(cell));
        let taken: Vec<(usize, bool)> = flops
            .map(|(_, flop)| (flop.q.index(), clocked(flop, nets)))
            .collect();
        for (q, bit) in taken {
            nets[q] = bit;
        }
    }
}

fn value(nets: &[bool], bit: Bit) -> bool {
    match bit {
        Bit::Net(net) => nets[net.index()],
        Bit::One => true,
        Bit::Zero | Bit::X => false,
    }
}

/// The value of a flip-flop after the edge.
fn clocked(flop: &Flop, nets: &[bool]) -> bool {
    let held = nets[flop.q.index()];
    let acts = |control: Control| value(nets, control.bit) == control.active_high;
    let enabled = flop.enable.is_none_or(acts);
    match flop.reset {
        Some(reset) if !reset.gated && acts(reset.control) => reset.value,
        _ if !enabled => held,
        Some(reset) if acts(reset.control) => reset.value,
        _ => value(nets, flop.data),
    }
}
