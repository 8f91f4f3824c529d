//! Stuck-at faults that change nothing, proved.
//!
//! A fault is *redundant* when no values of inputs and flip-flops make an output or the next value of a
//! flip-flop differ from those without the fault. That is asked of a SAT solver, which looks at one cycle: what
//! it proves holds in every cycle, whatever the flip-flops hold. A fault that differs in states that the
//! module never comes to is not found so, unless nets are given that keep one value.

use std::collections::BTreeMap;

use batsat::{Lit, SolverInterface, SolverOpts, lbool};

use super::faults::{FaultEffect, FaultSite, FaultTarget, GateFault};
use super::levelise;
use super::model::{Bit, CellKind, Gate, NetId, PortDirection};
use super::patience::Patience;

/// A module as its gates in order, in which faults are looked at one after another.
pub struct RedundancyProver<'a> {
    target: &'a FaultTarget,
    order: Vec<usize>,
    /// The values of nets that keep one.
    known: &'a [Option<bool>],
    /// For each net true where it is a bit of an output, or the data of a flip-flop.
    is_seen: Vec<bool>,
    /// For each port true where it is an output that counts.
    counts: Vec<bool>,
}

impl<'a> RedundancyProver<'a> {
    /// A prover for faults of a module. `known` has the values of nets that keep one, and `counts` says which
    /// output ports count.
    pub fn new(
        target: &'a FaultTarget,
        known: &'a [Option<bool>],
        counts: impl Fn(&str) -> bool,
    ) -> RedundancyProver<'a> {
        let module = &target.module;
        let mut is_seen = vec![false; module.nets.len()];
        let outputs = module.ports_of(PortDirection::Output);
        let outputs = outputs.filter(|port| counts(&port.name));
        let data = module.flops().map(|(_, flop)| flop.data);
        for bit in outputs
            .flat_map(|port| port.bits.iter().copied())
            .chain(data)
        {
            if let Bit::Net(net) = bit {
                is_seen[net.index()] = true;
            }
        }
        RedundancyProver {
            target,
            // A loop would have been refused.
            order: levelise(module).map_or(Vec::new(), |levels| levels.order),
            known,
            is_seen,
            counts: module.ports.iter().map(|port| counts(&port.name)).collect(),
        }
    }

    /// True when it is proved that a stuck-at fault changes nothing. Nothing is proved where that takes too long.
    pub fn is_redundant(&self, fault: GateFault) -> bool {
        let FaultEffect::StuckAt(stuck) = fault.effect else {
            return false;
        };
        let Some(site) = self.target.net(fault.site) else {
            return false;
        };
        if self.known[site.index()] == Some(stuck) {
            return true;
        }
        let module = &self.target.module;
        let touched = self.touched(fault.site);
        let mut differences = Vec::new();
        match fault.site {
            FaultSite::Output { port, .. } => {
                differences.extend(self.counts[port as usize].then_some(site));
            }
            FaultSite::Pin { cell, .. } => {
                let is_flop = matches!(module.cells[cell as usize].kind, CellKind::Flop(_));
                differences.extend(is_flop.then_some(site));
            }
            FaultSite::Net(_) | FaultSite::Link(_) => {}
        }
        // A pin of an output or flip-flop differs by itself, and the net behind it does not.
        let own = differences.len();
        let seen = touched.iter().zip(&self.is_seen).enumerate();
        let seen = seen.filter(|(_, (touched, seen))| **touched && **seen);
        differences.extend(seen.map(|(net, _)| NetId(net as u32)));
        if differences.is_empty() {
            return true;
        }
        let mut solver = Solver::new(self.cone(&touched, site, &differences));
        // The site has to have the other value, for a difference to begin.
        solver.fix(Side::Good, site, !stuck);
        if own > 0 || fault.site == FaultSite::Net(site) {
            solver.fix(Side::Faulty, site, stuck);
        }
        // The difference goes on from net to net: where one of the way is not seen itself, it is read by a gate
        // whose output is the next one.
        let mut readers: BTreeMap<NetId, Vec<Lit>> = BTreeMap::new();
        for &cell in &self.order {
            let CellKind::Gate(gate) = &module.cells[cell].kind else {
                continue;
            };
            if !solver.has(gate.output) {
                continue;
            }
            solver.gate(gate, |_| Side::Good, None);
            if !touched[gate.output.index()] || fault.site == FaultSite::Net(gate.output) {
                continue;
            }
            let at_pin = match fault.site {
                FaultSite::Pin { cell: of, input } if of as usize == cell => {
                    Some((usize::from(input), stuck))
                }
                _ => None,
            };
            solver.gate(gate, |net| side_of(&touched, net), at_pin);
            let differs = solver.difference(gate.output);
            for net in gate.inputs.iter().filter_map(|bit| bit.net()) {
                if touched[net.index()] {
                    readers.entry(net).or_default().push(differs);
                }
            }
        }
        let begin = match fault.site {
            _ if own > 0 => None,
            FaultSite::Pin { cell, .. } => match &module.cells[cell as usize].kind {
                CellKind::Gate(gate) => Some(gate.output),
                _ => None,
            },
            _ => Some(site),
        };
        if let Some(begin) = begin {
            let on_way = solver.difference(begin);
            solver.clause(vec![on_way]);
        }
        for (net, mut readers) in readers {
            if !self.is_seen[net.index()] {
                readers.push(!solver.difference(net));
                solver.clause(readers);
            }
        }
        for (net, value) in self.known.iter().enumerate() {
            if let (Some(value), true) = (value, solver.has(NetId(net as u32))) {
                solver.fix(Side::Good, NetId(net as u32), *value);
            }
        }
        !solver.may_differ(&differences)
    }

    /// The nets that some nets, and a site, depend on within a cycle.
    fn cone(&self, touched: &[bool], site: NetId, differences: &[NetId]) -> Vec<bool> {
        let mut cone = vec![false; touched.len()];
        for net in differences.iter().chain([&site]) {
            cone[net.index()] = true;
        }
        for &cell in self.order.iter().rev() {
            if let CellKind::Gate(gate) = &self.target.module.cells[cell].kind
                && cone[gate.output.index()]
            {
                let inputs = gate.inputs.iter().filter_map(|bit| bit.net());
                inputs.for_each(|net| cone[net.index()] = true);
            }
        }
        cone
    }

    /// For each net true when a fault at a site may change it.
    fn touched(&self, site: FaultSite) -> Vec<bool> {
        let module = &self.target.module;
        let mut touched = vec![false; module.nets.len()];
        if let FaultSite::Net(net) = site {
            touched[net.index()] = true;
        }
        for &cell in &self.order {
            let CellKind::Gate(gate) = &module.cells[cell].kind else {
                continue;
            };
            let is_site = matches!(site, FaultSite::Pin { cell: of, .. } if of as usize == cell);
            let mut inputs = gate.inputs.iter().filter_map(|bit| bit.net());
            if is_site || inputs.any(|net| touched[net.index()]) {
                touched[gate.output.index()] = true;
            }
        }
        touched
    }
}

/// The module without the fault, or with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Good,
    Faulty,
}

/// The copy that has a net: nets that the fault does not touch are the same in both.
fn side_of(touched: &[bool], net: NetId) -> Side {
    match touched.get(net.index()) {
        Some(true) => Side::Faulty,
        _ => Side::Good,
    }
}

/// Restarts after which the solver gives up: some four thousand conflicts. Faults that are redundant in routers
/// take a few hundred.
const RESTARTS_MAX: u32 = 32;

/// The clauses of both copies.
struct Solver {
    solver: batsat::Solver<Patience>,
    /// The variables of the nets of each copy, of those that are looked at.
    good: Vec<Option<Lit>>,
    faulty: Vec<Option<Lit>>,
    /// For each net the variable that is true only where it differs between the copies, if there is one.
    differences: Vec<Option<Lit>>,
}

impl Solver {
    /// Two copies of some nets.
    fn new(cone: Vec<bool>) -> Solver {
        let mut solver = batsat::Solver::new(SolverOpts::default(), Patience::new(RESTARTS_MAX));
        let mut literals = || {
            let nets = cone.iter();
            nets.map(|has| has.then(|| Lit::new(solver.new_var_default(), true)))
                .collect()
        };
        let (good, faulty) = (literals(), literals());
        Solver {
            solver,
            good,
            faulty,
            differences: vec![None; cone.len()],
        }
    }

    /// True for a net that is looked at.
    fn has(&self, net: NetId) -> bool {
        self.good[net.index()].is_some()
    }

    fn literal(&self, side: Side, net: NetId) -> Lit {
        let literal = match side {
            Side::Good => self.good[net.index()],
            Side::Faulty => self.faulty[net.index()],
        };
        literal.expect("a net of the cone")
    }

    fn clause(&mut self, mut literals: Vec<Lit>) {
        // A clause that cannot hold shows when it is solved.
        self.solver.add_clause_reuse(&mut literals);
    }

    fn fix(&mut self, side: Side, net: NetId, value: bool) {
        let literal = self.literal(side, net);
        self.clause(vec![if value { literal } else { !literal }]);
    }

    /// A gate, whose output is in the copy that its net is in; one of its pins may be stuck.
    fn gate(&mut self, gate: &Gate, side: impl Fn(NetId) -> Side, stuck: Option<(usize, bool)>) {
        let table = gate.function.table();
        let output = self.literal(side(gate.output), gate.output);
        for row in 0..1_usize << gate.inputs.len() {
            let mut clause = Vec::with_capacity(gate.inputs.len() + 1);
            let mut possible = true;
            for (input, bit) in gate.inputs.iter().enumerate() {
                let value = row >> input & 1 != 0;
                let constant = match stuck {
                    Some((pin, stuck)) if pin == input => Some(stuck),
                    _ => bit.constant(),
                };
                match (constant, bit) {
                    (Some(constant), _) => possible &= constant == value,
                    (None, Bit::Net(net)) => {
                        let literal = self.literal(side(*net), *net);
                        clause.push(if value { !literal } else { literal });
                    }
                    (None, _) => {}
                }
            }
            if possible {
                clause.push(if table >> row & 1 != 0 {
                    output
                } else {
                    !output
                });
                self.clause(clause);
            }
        }
    }

    /// A literal that is true only where a net differs between the copies.
    fn difference(&mut self, net: NetId) -> Lit {
        if let Some(known) = self.differences[net.index()] {
            return known;
        }
        let [good, faulty] = [Side::Good, Side::Faulty].map(|side| self.literal(side, net));
        let differs = Lit::new(self.solver.new_var_default(), true);
        self.clause(vec![!differs, good, faulty]);
        self.clause(vec![!differs, !good, !faulty]);
        self.differences[net.index()] = Some(differs);
        differs
    }

    /// True when some of these nets can differ between the copies.
    fn may_differ(&mut self, nets: &[NetId]) -> bool {
        let any = nets.iter().map(|&net| self.difference(net)).collect();
        self.clause(any);
        self.solver.solve_limited(&[]) != lbool::FALSE
    }
}
