//! Inputs that bring a net to a value, found by a SAT solver.
//!
//! The module is unrolled cycle by cycle from the state after its reset, and the solver is asked for inputs
//! with which a net has a value in a cycle: the first cycle of all. Of the inputs of a solution those are
//! kept on which the value depends, so that others may have any value.

use std::collections::{BTreeMap, BTreeSet};

use batsat::{Lit, SolverInterface, SolverOpts, lbool};

use super::levelise;
use super::model::{Bit, CellKind, Gate, Module, NetId, PortDirection};
use super::patience::Patience;

/// The values that an input may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputCourse {
    /// Any value in each cycle.
    Free,
    /// Any value, the same one in all cycles.
    Steady,
    /// This value.
    Held(bool),
}

/// An input in a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReachInput {
    /// The cycle, from 0, the first one with the initial state; 0 of an input that is steady or held.
    pub cycle: usize,
    /// A bit of an input.
    pub net: NetId,
    /// Its value.
    pub value: bool,
}

/// A way to a value of a net.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reach {
    /// The cycle in which the net has the value.
    pub cycle: usize,
    /// The inputs on which that depends, in order; others do not matter.
    pub inputs: Vec<ReachInput>,
}

/// Finds for each of some nets and values the first cycle in which a net can have its value, among so many, and a
/// way there. `initial` has the values of the flip-flops, in their order, in cycle 0, and `course` says what inputs
/// may do. The flip-flops are plain ([`lower_flops`](super::lower_flops)), and no memory is beside the module.
///
/// `None` means that there is none, that finding it takes too long, or that `is_stopped` was true before.
///
/// ```
/// use crosswave_netlist::reach::{InputCourse, reach};
/// use crosswave_netlist::text;
/// let design = text::parse(
///     "module m\n input clk\n input a\n output q\n flop f d -> q posedge clk\n gate g AND a b -> d\n \
///      flop h a -> b posedge clk\nend\n",
///     "example",
/// )?;
/// let module = &design.modules[0];
/// let q = module.port("q").unwrap().bits[0].net().unwrap();
/// let found = reach(module, &[false, false], |_| InputCourse::Free, &[(q, true)], 8, || false);
/// let way = found[0].as_ref().unwrap();
/// assert_eq!((way.cycle, way.inputs.len()), (2, 2));
/// # Ok::<(), crosswave_base::diagnostic::Error>(())
/// ```
///
/// # Panics
/// When `initial` has not one value for each flip-flop.
pub fn reach(
    module: &Module,
    initial: &[bool],
    course: impl Fn(NetId) -> InputCourse,
    wanted: &[(NetId, bool)],
    cycles: usize,
    is_stopped: impl Fn() -> bool,
) -> Vec<Option<Reach>> {
    let mut found = vec![None; wanted.len()];
    let Ok(levels) = levelise(module) else {
        return found;
    };
    let mut is_hard = vec![false; wanted.len()];
    let mut unrolled = Unrolled::new(module, &levels.order, initial);
    for cycle in 0..cycles {
        unrolled.add_cycle(&course);
        for number in 0..wanted.len() {
            let (net, value) = wanted[number];
            if found[number].is_some() || is_hard[number] {
                continue;
            }
            if is_stopped() {
                return found;
            }
            let can_be = unrolled.can_be(net, value);
            is_hard[number] = can_be.is_none();
            if can_be != Some(true) {
                continue;
            }
            // The same inputs may bring other nets where they are wanted.
            for (other, &(net, value)) in found.iter_mut().zip(wanted) {
                if other.is_none() && unrolled.value(cycle, net) == value {
                    *other = Some(unrolled.way(cycle, net, &course));
                }
            }
        }
        if found.iter().all(Option::is_some) {
            break;
        }
    }
    found
}

/// Restarts after which the solver gives up on a question.
const RESTARTS_MAX: u32 = 4;

/// The driver of a net.
#[derive(Debug, Clone, Copy)]
enum Driver {
    /// An input, or nothing.
    Input,
    /// A gate, by the index of its cell.
    Gate(usize),
    /// A flip-flop: its data.
    Flop(Bit),
}

/// A module in some cycles, one after the other.
struct Unrolled<'m> {
    module: &'m Module,
    order: &'m [usize],
    initial: Vec<(NetId, bool)>,
    drivers: Vec<Driver>,
    solver: batsat::Solver<Patience>,
    /// A literal that is true.
    truth: Lit,
    /// The literal of each net in each cycle.
    literals: Vec<Vec<Lit>>,
    /// The values of the last solution.
    values: Vec<Vec<bool>>,
}

impl<'m> Unrolled<'m> {
    fn new(module: &'m Module, order: &'m [usize], initial: &[bool]) -> Unrolled<'m> {
        let mut drivers = vec![Driver::Input; module.nets.len()];
        for (at, cell) in module.cells.iter().enumerate() {
            match &cell.kind {
                CellKind::Gate(gate) => drivers[gate.output.index()] = Driver::Gate(at),
                CellKind::Flop(flop) => drivers[flop.q.index()] = Driver::Flop(flop.data),
                _ => {}
            }
        }
        let flops: Vec<NetId> = module.flops().map(|(_, flop)| flop.q).collect();
        assert_eq!(flops.len(), initial.len(), "a value for each flip-flop");
        let mut solver = batsat::Solver::new(SolverOpts::default(), Patience::new(RESTARTS_MAX));
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        Unrolled {
            module,
            order,
            initial: flops.into_iter().zip(initial.iter().copied()).collect(),
            drivers,
            solver,
            truth,
            literals: Vec::new(),
            values: Vec::new(),
        }
    }

    fn constant(&self, value: bool) -> Lit {
        if value { self.truth } else { !self.truth }
    }

    fn literal(&self, cycle: &[Lit], bit: Bit) -> Lit {
        match bit {
            Bit::Net(net) => cycle[net.index()],
            _ => self.constant(bit.constant().unwrap_or(false)),
        }
    }

    /// Adds a cycle behind the last one.
    fn add_cycle(&mut self, course: &impl Fn(NetId) -> InputCourse) {
        let mut literals = vec![self.constant(false); self.module.nets.len()];
        for port in self.module.ports_of(PortDirection::Input) {
            for net in port.bits.iter().filter_map(|bit| bit.net()) {
                literals[net.index()] = match (course(net), self.literals.first()) {
                    (InputCourse::Held(value), _) => self.constant(value),
                    (InputCourse::Steady, Some(first)) => first[net.index()],
                    _ => Lit::new(self.solver.new_var_default(), true),
                };
            }
        }
        match self.literals.last() {
            None => {
                for &(net, value) in &self.initial {
                    literals[net.index()] = self.constant(value);
                }
            }
            Some(before) => {
                for (_, flop) in self.module.flops() {
                    literals[flop.q.index()] = self.literal(before, flop.data);
                }
            }
        }
        for &cell in self.order {
            if let CellKind::Gate(gate) = &self.module.cells[cell].kind {
                literals[gate.output.index()] = self.gate(gate, &literals);
            }
        }
        self.literals.push(literals);
    }

    /// The output of a gate.
    fn gate(&mut self, gate: &Gate, literals: &[Lit]) -> Lit {
        let table = gate.function.table();
        let inputs: Vec<Lit> = gate
            .inputs
            .iter()
            .map(|&bit| self.literal(literals, bit))
            .collect();
        let known = |literal: Lit| match literal {
            literal if literal == self.truth => Some(true),
            literal if literal == !self.truth => Some(false),
            _ => None,
        };
        let rows = 0..1_usize << inputs.len();
        let possible = rows.filter(|row| {
            let mut inputs = inputs.iter().enumerate();
            inputs.all(|(at, &literal)| {
                known(literal).is_none_or(|value| value == (row >> at & 1 != 0))
            })
        });
        let possible: Vec<usize> = possible.collect();
        let results: BTreeSet<bool> = possible.iter().map(|row| table >> row & 1 != 0).collect();
        if let (1, Some(&value)) = (results.len(), results.first()) {
            return self.constant(value);
        }
        let output = Lit::new(self.solver.new_var_default(), true);
        for row in possible {
            let mut clause: Vec<Lit> = Vec::with_capacity(inputs.len() + 1);
            for (at, &literal) in inputs.iter().enumerate() {
                if known(literal).is_none() {
                    clause.push(if row >> at & 1 != 0 {
                        !literal
                    } else {
                        literal
                    });
                }
            }
            clause.push(if table >> row & 1 != 0 {
                output
            } else {
                !output
            });
            self.solver.add_clause_reuse(&mut clause);
        }
        output
    }

    /// True when a net can have a value in the last cycle; then there are values of all nets. `None` when the
    /// solver gives up.
    fn can_be(&mut self, net: NetId, value: bool) -> Option<bool> {
        let last = self.literals.last().expect("a cycle");
        let literal = last[net.index()];
        let wanted = if value { literal } else { !literal };
        if wanted == !self.truth {
            return Some(false);
        }
        self.solver.cb_mut().renew();
        let answer = self.solver.solve_limited(&[wanted]);
        if answer != lbool::TRUE {
            return (answer == lbool::FALSE).then_some(false);
        }
        let solver = &self.solver;
        let value = |&literal: &Lit| solver.value_lit(literal) == lbool::TRUE;
        let values = self.literals.iter();
        self.values = values
            .map(|cycle| cycle.iter().map(value).collect())
            .collect();
        Some(true)
    }

    /// The value of a net in a cycle of the last solution.
    fn value(&self, cycle: usize, net: NetId) -> bool {
        self.values[cycle][net.index()]
    }

    /// The inputs of the last solution on which the value of a net in a cycle depends.
    fn way(&self, cycle: usize, net: NetId, course: &impl Fn(NetId) -> InputCourse) -> Reach {
        let mut seen = BTreeSet::from([(cycle, net)]);
        let mut left = vec![(cycle, net)];
        let mut inputs = BTreeSet::new();
        while let Some((at, net)) = left.pop() {
            match self.drivers[net.index()] {
                Driver::Input => {
                    let cycle = match course(net) {
                        InputCourse::Free => at,
                        InputCourse::Steady | InputCourse::Held(_) => 0,
                    };
                    let value = self.value(at, net);
                    inputs.insert(ReachInput { cycle, net, value });
                }
                Driver::Gate(cell) => {
                    let CellKind::Gate(gate) = &self.module.cells[cell].kind else {
                        unreachable!("the cell of a gate");
                    };
                    for input in self.deciding(gate, at, &seen) {
                        if seen.insert((at, input)) {
                            left.push((at, input));
                        }
                    }
                }
                Driver::Flop(data) => {
                    if let (Bit::Net(data), Some(before)) = (data, at.checked_sub(1))
                        && seen.insert((before, data))
                    {
                        left.push((before, data));
                    }
                }
            }
        }
        Reach {
            cycle,
            inputs: inputs.into_iter().collect(),
        }
    }

    /// Inputs of a gate that decide its output in a cycle: as few as there can be that are not known to
    /// matter.
    fn deciding(&self, gate: &Gate, cycle: usize, seen: &BTreeSet<(usize, NetId)>) -> Vec<NetId> {
        let table = gate.function.table();
        let values: Vec<bool> = gate
            .inputs
            .iter()
            .map(|&bit| match bit {
                Bit::Net(net) => self.value(cycle, net),
                _ => bit.constant().unwrap_or(false),
            })
            .collect();
        let row = |values: &[bool]| {
            let bits = values.iter().enumerate();
            bits.fold(0, |row, (at, &value)| row | usize::from(value) << at)
        };
        let own = row(&values);
        let output = table >> own & 1;
        // The output is the same in all rows that agree with the own one at the inputs of `chosen`.
        let decides = |chosen: usize| {
            let rows = 0..1_usize << values.len();
            let mut alike = rows.filter(|other| (other ^ own) & chosen == 0);
            alike.all(|other| table >> other & 1 == output)
        };
        let costs: BTreeMap<usize, usize> = gate
            .inputs
            .iter()
            .enumerate()
            .map(|(at, bit)| {
                let is_free = bit.net().is_none_or(|net| seen.contains(&(cycle, net)));
                (at, usize::from(!is_free))
            })
            .collect();
        let cost = |chosen: usize| -> usize {
            let costs = costs.iter();
            costs
                .filter(|(at, _)| chosen >> **at & 1 == 1)
                .map(|(_, cost)| cost)
                .sum()
        };
        let choices = (0..1_usize << values.len()).filter(|&chosen| decides(chosen));
        let best = choices.min_by_key(|&chosen| (cost(chosen), chosen.count_ones()));
        let best = best.expect("all inputs decide");
        let inputs = gate.inputs.iter().enumerate();
        let inputs = inputs.filter(|(at, _)| best >> at & 1 == 1);
        inputs.filter_map(|(_, bit)| bit.net()).collect()
    }
}

#[cfg(test)]
mod tests;
