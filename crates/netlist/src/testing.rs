//! For tests only: random netlists, and an evaluator that is obviously right.

use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::Strategy;

use super::function::Function;
use super::model::{
    Asynchronous, Bit, BitRange, Cell, CellKind, Connection, Control, Design, Edge, Flop, Gate,
    Instance, Module, Net, NetId, Port, PortDirection, SyncReset,
};
use crosswave_testing as cases;

/// Runs `test` on this many lists of numbers, the same ones every time; a list
/// that fails is made shorter and smaller before it is shown.
pub(super) fn for_all(cases: u32, test: impl Fn(Choices)) {
    let strategy = vec(any::<u32>(), 0..300).prop_map(Choices::new);
    cases::runner(cases)
        .run(&strategy, |choices| {
            test(choices);
            Ok(())
        })
        .unwrap();
}

/// Numbers from which something is made; zero when they run out.
#[derive(Debug, Clone)]
pub(super) struct Choices {
    numbers: Vec<u32>,
    next: usize,
}

impl Choices {
    fn new(numbers: Vec<u32>) -> Choices {
        Choices { numbers, next: 0 }
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        let number = self.numbers.get(self.next).copied().unwrap_or(0);
        self.next += 1;
        number as usize % end
    }

    pub fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn pick(&mut self, pool: &[Bit]) -> Bit {
        pool[self.below(pool.len())]
    }
}

/// A module without loops on the clock `clk`, with inputs `a` and outputs `y`.
pub(super) fn random_module(choices: &mut Choices) -> Module {
    let mut maker = ModuleMaker {
        module: Module {
            name: "random".to_owned(),
            ..Module::default()
        },
        every: vec![Bit::Zero, Bit::One, Bit::X],
        settled: vec![Bit::Zero, Bit::One],
    };
    let clock = maker.net("clk".to_owned());
    maker.port("clk", PortDirection::Input, vec![clock.into()]);
    let width = 1 + choices.below(5);
    let inputs: Vec<NetId> = (0..width).map(|i| maker.net(format!("a[{i}]"))).collect();
    maker.port(
        "a",
        PortDirection::Input,
        inputs.iter().map(|&net| net.into()).collect(),
    );
    inputs.iter().for_each(|&net| maker.offer(net, true));
    let flops: Vec<(NetId, bool)> = (0..choices.below(6))
        .map(|i| {
            let asynchronous = choices.below(3) == 0;
            let name = [format!("q{i}"), format!("q {i}\\\"#")];
            let net = maker.net(name[choices.below(2)].clone());
            maker.offer(net, !asynchronous);
            (net, asynchronous)
        })
        .collect();
    for i in 0..choices.below(30) {
        maker.gate(i, choices);
    }
    for (i, &(q, asynchronous)) in flops.iter().enumerate() {
        let flop = maker.flop(clock, q, asynchronous, choices);
        maker.cell(format!("f{i}"), CellKind::Flop(Box::new(flop)));
    }
    let outputs = (0..1 + choices.below(5))
        .map(|_| choices.pick(&maker.every))
        .collect();
    maker.port("y", PortDirection::Output, outputs);
    let cells = &mut maker.module.cells;
    if !cells.is_empty() {
        let turn = choices.below(cells.len());
        cells.rotate_left(turn);
        if choices.flag() {
            cells.reverse();
        }
    }
    maker.module
}

/// A design of two modules, one of which instantiates the other.
pub(super) fn random_design(choices: &mut Choices) -> Design {
    let mut inner = random_module(choices);
    inner.name = ["inner", "$paramod\\in\u{7}ner\\W=1", "end", ""][choices.below(4)].to_owned();
    let mut outer = random_module(choices);
    let mut maker_nets = outer.nets.len();
    let mut connections = Vec::new();
    for port in &inner.ports {
        let bits = (0..port.bits.len()).map(|i| match port.direction {
            PortDirection::Input => [Bit::Zero, Bit::One, outer.ports[1].bits[0]][choices.below(3)],
            PortDirection::Output => {
                outer.nets.push(Net {
                    name: format!("u.{i}").into(),
                    src: ["", "a b.v:1"][choices.below(2)].into(),
                });
                maker_nets += 1;
                Bit::Net(NetId(maker_nets as u32 - 1))
            }
        });
        connections.push(Connection {
            port: port.name.clone(),
            direction: port.direction,
            bits: bits.collect(),
        });
    }
    outer.cells.push(Cell {
        name: "u".into(),
        src: "t.v:1.1-2.2".into(),
        kind: CellKind::Instance(Instance {
            module: inner.name.clone(),
            connections,
        }),
    });
    Design {
        modules: vec![outer, inner],
    }
}

struct ModuleMaker {
    module: Module,
    /// Every bit that may be read.
    every: Vec<Bit>,
    /// Those that do not depend on an asynchronous control within the cycle.
    settled: Vec<Bit>,
}

impl ModuleMaker {
    fn net(&mut self, name: String) -> NetId {
        self.module.nets.push(Net {
            name: name.into(),
            src: "".into(),
        });
        NetId(self.module.nets.len() as u32 - 1)
    }

    fn port(&mut self, name: &str, direction: PortDirection, bits: Vec<Bit>) {
        self.module.ports.push(Port {
            name: name.to_owned(),
            direction,
            bits,
            range: BitRange::default(),
            signed: false,
        });
    }

    fn offer(&mut self, net: NetId, settled: bool) {
        self.every.push(net.into());
        if settled {
            self.settled.push(net.into());
        }
    }

    fn cell(&mut self, name: String, kind: CellKind) {
        self.module.cells.push(Cell {
            name: name.into(),
            src: "".into(),
            kind,
        });
    }

    fn gate(&mut self, index: usize, choices: &mut Choices) {
        let function = Function::ALL[choices.below(Function::ALL.len())];
        let pool = match choices.flag() {
            true => self.every.clone(),
            false => self.settled.clone(),
        };
        let inputs: Vec<Bit> = (0..function.arity()).map(|_| choices.pick(&pool)).collect();
        let settled = inputs.iter().all(|bit| self.settled.contains(bit));
        let name = [format!("n{index}"), format!("$n{index}")][choices.below(2)].clone();
        let output = self.net(name);
        self.offer(output, settled);
        let gate = Gate {
            function,
            inputs: inputs.as_slice().into(),
            output,
        };
        self.cell(format!("g{index}"), CellKind::Gate(gate));
    }

    fn flop(&self, clock: NetId, q: NetId, asynchronous: bool, choices: &mut Choices) -> Flop {
        let control = |pool: &[Bit], choices: &mut Choices| Control {
            bit: choices.pick(pool),
            active_high: choices.flag(),
        };
        let mut flop = Flop::plain(clock.into(), choices.pick(&self.every), q);
        if choices.flag() {
            flop.enable = Some(control(&self.every, choices));
        }
        if choices.flag() {
            flop.reset = Some(SyncReset {
                control: control(&self.every, choices),
                value: choices.flag(),
                gated: choices.flag(),
            });
        }
        flop.init = [None, Some(false), Some(true)][choices.below(3)];
        if asynchronous {
            let first = control(&self.settled, choices);
            flop.asynchronous = match choices.below(3) {
                0 => Asynchronous::Reset {
                    control: first,
                    value: choices.flag(),
                },
                1 => Asynchronous::SetReset {
                    set: first,
                    reset: control(&self.settled, choices),
                },
                _ => Asynchronous::Load {
                    control: first,
                    data: choices.pick(&self.settled),
                },
            };
        }
        flop
    }
}

/// Random inputs for some cycles, one row of input port bits for each.
pub(super) fn random_inputs(module: &Module, choices: &mut Choices) -> Vec<Vec<bool>> {
    let bits: usize = module
        .ports_of(PortDirection::Input)
        .map(|p| p.bits.len())
        .sum();
    // The numbers may have run out, so they only seed a generator.
    let mut state = choices.below(1 << 30) as u64;
    let mut flip = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        state >> 62 & 1 == 1
    };
    (0..12)
        .map(|_| (0..bits).map(|_| flip()).collect())
        .collect()
}

/// The outputs of a module in each cycle.
///
/// Values settle by sweeping over the cells until nothing changes; flip-flops act
/// as their definition says, those of the falling edge in the middle of each cycle, after
/// which values settle again. A flip-flop without an initial value starts with one that
/// depends on its name.
pub(super) fn evaluate(module: &Module, inputs: &[Vec<bool>]) -> Vec<Vec<bool>> {
    let mut values = vec![false; module.nets.len()];
    let mut stored: Vec<bool> = module
        .flops()
        .map(|(cell, flop)| {
            flop.init.unwrap_or(
                cell.name.len() % 2 == cell.name.bytes().map(usize::from).sum::<usize>() % 2,
            )
        })
        .collect();
    let read = |values: &[bool], bit: Bit| match bit {
        Bit::Net(net) => values[net.index()],
        constant => constant == Bit::One,
    };
    let acts = |values: &[bool], c: Control| read(values, c.bit) == c.active_high;
    let forced = |values: &[bool], flop: &Flop| match flop.asynchronous {
        Asynchronous::Reset { control, value } if acts(values, control) => Some(value),
        Asynchronous::SetReset { reset, .. } if acts(values, reset) => Some(false),
        Asynchronous::SetReset { set, .. } if acts(values, set) => Some(true),
        Asynchronous::Load { control, data } if acts(values, control) => Some(read(values, data)),
        _ => None,
    };
    let settle = |values: &mut Vec<bool>, stored: &[bool]| {
        for sweep in 0.. {
            assert!(sweep < module.cells.len() + 2, "values do not settle");
            let before = values.clone();
            for (_, gate) in module.gates() {
                let pins: Vec<bool> = gate.inputs.iter().map(|&bit| read(values, bit)).collect();
                values[gate.output.index()] = gate.function.evaluate(&pins);
            }
            for ((_, flop), &stored) in module.flops().zip(stored) {
                values[flop.q.index()] = forced(values, flop).unwrap_or(stored);
            }
            if *values == before {
                break;
            }
        }
    };
    let act = |values: &[bool], stored: &mut Vec<bool>, edge: Edge| {
        for ((_, flop), stored) in module.flops().zip(stored) {
            if flop.edge != edge {
                continue;
            }
            let enabled = flop.enable.is_none_or(|enable| acts(values, enable));
            let reset = flop
                .reset
                .filter(|r| acts(values, r.control) && (enabled || !r.gated));
            *stored = match (forced(values, flop), reset) {
                (Some(value), _) => value,
                (None, Some(reset)) => reset.value,
                (None, None) if enabled => read(values, flop.data),
                (None, None) => *stored,
            };
        }
    };
    let mut rows = Vec::new();
    for row in inputs {
        let ports = module.ports_of(PortDirection::Input).flat_map(|p| &p.bits);
        for (bit, &value) in ports.zip(row) {
            values[bit.net().unwrap().index()] = value;
        }
        settle(&mut values, &stored);
        act(&values, &mut stored, Edge::Falling);
        settle(&mut values, &stored);
        let ports = module.ports_of(PortDirection::Output).flat_map(|p| &p.bits);
        rows.push(ports.map(|&bit| read(&values, bit)).collect());
        act(&values, &mut stored, Edge::Rising);
    }
    rows
}
