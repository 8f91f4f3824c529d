//! The topological order of the gates of a module, with level numbers.
//!
//! Constants, input ports, flip-flop outputs and instance outputs are sources,
//! at level 0; a gate is one level above the highest of its inputs. Kahn's
//! algorithm, with a work list; time and space linear in pins. Gates are
//! ordered by (level, position in the module), so the order is that of the
//! file wherever the logic leaves a choice.
//!
//! A path through an instance is not followed: a loop that closes through
//! another module is found once the modules are flattened, not here.

use super::findings::NetlistPlace;
use super::model::{Bit, CellKind, Module, NetId};
use crosswave_base::diagnostic::Diagnostic;

#[cfg(test)]
mod tests;

/// No gate drives the net.
const NONE: u32 = u32::MAX;

/// The gates of a module in an order in which they can be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Levels {
    /// Indices into [`Module::cells`] of all gates; inputs come first.
    pub order: Vec<usize>,
    /// Start of each level in `order`; level 1 is first, and the last entry is the length of
    /// `order`. One longer than the number of levels.
    pub starts: Vec<usize>,
}

impl Levels {
    /// The number of levels: the most gates on any combinational path.
    pub fn depth(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The cells of one level, counted from 1. Empty above [`Levels::depth`].
    pub fn level(&self, level: usize) -> &[usize] {
        match (
            self.starts.get(level.wrapping_sub(1)),
            self.starts.get(level),
        ) {
            (Some(&start), Some(&end)) => &self.order[start..end],
            _ => &[],
        }
    }
}

/// Gates that feed one another in a circle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CombinationalLoop {
    /// The nets of the loop in the direction of the signal, from the one with
    /// the lowest number. The last feeds the first.
    pub nets: Vec<NetId>,
    /// The cells that drive them, as indices into [`Module::cells`].
    pub cells: Vec<usize>,
}

impl CombinationalLoop {
    /// The diagnostic for the loop: its net names in order.
    pub fn diagnostic(&self, module: &Module) -> Diagnostic {
        let cell = &module.cells[self.cells[0]];
        let names: Vec<&str> = self
            .nets
            .iter()
            .chain(self.nets.first())
            .map(|&net| module.net_name(net))
            .collect();
        Diagnostic::new(
            NetlistPlace::module(&module.name, &module.src).cell(&cell.name, &cell.src),
            format!("combinational loop: {}", names.join(" -> ")),
            "put a flip-flop into the loop, or break it",
        )
    }
}

/// Orders the gates of a module, or names loops: at least one, no two of which
/// share a gate. There may be more once these are broken.
pub fn levelise(module: &Module) -> Result<Levels, Vec<CombinationalLoop>> {
    let graph = NetGraph::new(module);
    let (levels, ordered) = graph.order(module);
    if ordered.len() == graph.gates {
        Ok(levels)
    } else {
        Err(graph.loops(module, &levels))
    }
}

/// As far as an order exists: the gates in order, without those that are in a
/// loop or behind one.
pub(super) fn order_outside_loops(module: &Module) -> Vec<usize> {
    NetGraph::new(module).order(module).0.order
}

/// The gate that drives each net, and the gates that read it.
struct NetGraph {
    driver: Vec<u32>,
    /// Readers of net `n` are `readers[starts[n]..starts[n + 1]]`, once per pin.
    starts: Vec<usize>,
    readers: Vec<u32>,
    gates: usize,
}

impl NetGraph {
    fn new(module: &Module) -> NetGraph {
        let nets = module.nets.len();
        let mut driver = vec![NONE; nets];
        let mut starts = vec![0; nets + 1];
        let mut gates = 0;
        for (index, cell) in module.cells.iter().enumerate() {
            let CellKind::Gate(gate) = &cell.kind else {
                continue;
            };
            gates += 1;
            driver[gate.output.index()] = index as u32;
            for net in gate.inputs.iter().filter_map(|bit| bit.net()) {
                starts[net.index() + 1] += 1;
            }
        }
        for net in 0..nets {
            starts[net + 1] += starts[net];
        }
        let mut fill = starts.clone();
        let mut readers = vec![0; starts[nets]];
        for (index, cell) in module.cells.iter().enumerate() {
            let CellKind::Gate(gate) = &cell.kind else {
                continue;
            };
            for net in gate.inputs.iter().filter_map(|bit| bit.net()) {
                readers[fill[net.index()]] = index as u32;
                fill[net.index()] += 1;
            }
        }
        NetGraph {
            driver,
            starts,
            readers,
            gates,
        }
    }

    fn driver(&self, bit: Bit) -> Option<usize> {
        let driver = self.driver[bit.net()?.index()];
        (driver != NONE).then_some(driver as usize)
    }

    /// Kahn's algorithm: the levels, and the gates in order of discovery.
    fn order(&self, module: &Module) -> (Levels, Vec<usize>) {
        let mut waiting = vec![0_u32; module.cells.len()];
        let mut level = vec![0_usize; module.cells.len()];
        let mut ready = Vec::new();
        for (index, cell) in module.cells.iter().enumerate() {
            if let CellKind::Gate(gate) = &cell.kind {
                let inputs = gate.inputs.iter();
                waiting[index] = inputs.filter(|&&bit| self.driver(bit).is_some()).count() as u32;
                if waiting[index] == 0 {
                    level[index] = 1;
                    ready.push(index);
                }
            }
        }
        let mut next = 0;
        while let Some(&index) = ready.get(next) {
            next += 1;
            let CellKind::Gate(gate) = &module.cells[index].kind else {
                continue;
            };
            let output = gate.output.index();
            // A net with several drivers counts for the one that is on record.
            if self.driver[output] as usize != index {
                continue;
            }
            for &reader in &self.readers[self.starts[output]..self.starts[output + 1]] {
                let reader = reader as usize;
                level[reader] = level[reader].max(level[index] + 1);
                waiting[reader] -= 1;
                if waiting[reader] == 0 {
                    ready.push(reader);
                }
            }
        }
        let mut order = ready.clone();
        order.sort_unstable_by_key(|&index| (level[index], index));
        let mut starts = vec![0];
        for (position, pair) in order.windows(2).enumerate() {
            if level[pair[0]] != level[pair[1]] {
                starts.push(position + 1);
            }
        }
        if !order.is_empty() {
            starts.push(order.len());
        }
        (Levels { order, starts }, ready)
    }

    /// Walks from each gate left over to one of its drivers that is left over
    /// too; every such walk ends in a loop.
    fn loops(&self, module: &Module, levels: &Levels) -> Vec<CombinationalLoop> {
        let mut settled = vec![true; module.cells.len()];
        for (index, cell) in module.cells.iter().enumerate() {
            settled[index] = !matches!(cell.kind, CellKind::Gate(_));
        }
        for &index in &levels.order {
            settled[index] = true;
        }
        // The walk that came by first; walks are numbered from 1.
        let mut walk = vec![0_usize; module.cells.len()];
        let mut loops = Vec::new();
        for first in 0..module.cells.len() {
            let mut path = Vec::new();
            let mut at = first;
            while !settled[at] && walk[at] == 0 {
                walk[at] = first + 1;
                path.push(at);
                let CellKind::Gate(gate) = &module.cells[at].kind else {
                    break;
                };
                let drivers = gate.inputs.iter().filter_map(|&bit| self.driver(bit));
                match drivers.filter(|&driver| !settled[driver]).min() {
                    Some(driver) => at = driver,
                    None => {
                        path.clear();
                        break;
                    }
                }
            }
            if let Some(start) = path.iter().position(|&index| index == at) {
                loops.push(close(module, &path[start..]));
            }
        }
        loops
    }
}

/// The loop of these cells, which are listed against the signal.
fn close(module: &Module, against: &[usize]) -> CombinationalLoop {
    let mut turns: Vec<(NetId, usize)> = against
        .iter()
        .rev()
        .filter_map(|&index| match &module.cells[index].kind {
            CellKind::Gate(gate) => Some((gate.output, index)),
            _ => None,
        })
        .collect();
    let lowest = (0..turns.len()).min_by_key(|&i| turns[i].0).unwrap_or(0);
    turns.rotate_left(lowest);
    CombinationalLoop {
        nets: turns.iter().map(|turn| turn.0).collect(),
        cells: turns.iter().map(|turn| turn.1).collect(),
    }
}
