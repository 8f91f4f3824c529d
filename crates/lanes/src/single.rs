//! One module by itself in 512 lanes: an instance in each, which all take the same inputs.
//!
//! Outputs are what they are in the cycle, whatever they depend on, so they need no flip-flops. With
//! machine code an edge of a router of a thousand gates takes less than a microsecond.

use crosswave_netlist::{Leaf, LeafSource, Library, Lut, Mapped, MappedValue, table};
use smol_str::SmolStr;

use super::evaluator::Backend;
use super::native::{Isa, Native, NativeOptions};
use super::planes::Planes;
use super::straight::{Location, NEXT, STATE, StraightLine};

/// Words of a plane.
pub const WORDS: usize = 8;

/// Instances.
pub const LANES: usize = 64 * WORDS;

/// A bit of all instances.
pub type Plane = [u64; WORDS];

/// The region of the inputs.
const INPUTS: u8 = 2;

/// The functions of a module, and the values that come of them.
#[derive(Debug)]
struct Interpreter {
    leaves: Vec<Location>,
    functions: Vec<Lut>,
    sinks: Vec<(MappedValue, Location)>,
    values: Vec<Plane>,
}

#[derive(Debug)]
enum Code {
    Interpreter(Interpreter),
    Native { code: Native, scratch: Planes },
}

/// A module in lanes.
#[derive(Debug)]
pub struct SingleModule {
    /// The bits of inputs, each a port and the bit of it.
    pub inputs: Vec<(String, usize)>,
    /// The registers.
    pub registers: Vec<SmolStr>,
    /// The output ports, with the number of the first plane of each and its bits.
    pub outputs: Vec<(String, std::ops::Range<usize>)>,
    state: Planes,
    shown: Planes,
    driven: Planes,
    code: Code,
}

fn at(region: u8, plane: usize) -> Location {
    Location {
        region,
        plane: plane as u32,
    }
}

impl SingleModule {
    /// A module whose registers and inputs are all 0.
    pub fn new(leaf: &Leaf, backend: Backend) -> SingleModule {
        let library = match backend {
            Backend::Native(Isa::Avx2) => Library::pairs(),
            _ => Library::ternary(),
        };
        let mapped = Mapped::new(leaf, &library);
        let mut inputs = Vec::new();
        let leaves = mapped.leaves.iter().map(|source| match source {
            LeafSource::Input { port, bit } => {
                inputs.push((port.clone(), *bit));
                at(INPUTS, inputs.len() - 1)
            }
            LeafSource::Register(register) => at(STATE, *register),
        });
        let leaves: Vec<Location> = leaves.collect();
        let mut sinks: Vec<(MappedValue, Location)> = Vec::new();
        for (register, &next) in mapped.next.iter().enumerate() {
            let holds = matches!(next,
                MappedValue::Leaf(leaf) if leaves[leaf as usize] == at(STATE, register));
            if !holds {
                sinks.push((next, at(STATE, register)));
            }
        }
        let mut outputs = Vec::new();
        let mut plane = 0;
        for (port, bits) in mapped.outputs {
            outputs.push((port, plane..plane + bits.len()));
            for value in bits {
                sinks.push((value, at(NEXT, plane)));
                plane += 1;
            }
        }
        let straight = StraightLine {
            leaves,
            functions: mapped.functions,
            sinks,
            ..StraightLine::default()
        };
        let native = match backend {
            Backend::Native(isa) => Native::new(&straight, NativeOptions::new(isa, WORDS)).ok(),
            Backend::Interpreter => None,
        };
        let code = match native {
            Some(code) => Code::Native {
                scratch: Planes::new(code.scratch_words()),
                code,
            },
            None => Code::Interpreter(Interpreter {
                values: vec![[0; WORDS]; straight.functions.len()],
                leaves: straight.leaves,
                functions: straight.functions,
                sinks: straight.sinks,
            }),
        };
        SingleModule {
            registers: leaf.registers.iter().map(|one| one.name.clone()).collect(),
            state: Planes::new(WORDS * leaf.registers.len()),
            shown: Planes::new(WORDS * plane),
            driven: Planes::new(WORDS * inputs.len()),
            inputs,
            outputs,
            code,
        }
    }

    /// Gives a register its values.
    pub fn set(&mut self, register: usize, plane: Plane) {
        self.state.words_mut()[WORDS * register..][..WORDS].copy_from_slice(&plane);
    }

    /// The values of a register.
    pub fn register(&self, register: usize) -> Plane {
        words(&self.state, register)
    }

    /// Drives an input of all instances.
    pub fn drive(&mut self, input: usize, value: bool) {
        let word = u64::from(value).wrapping_neg();
        self.driven.words_mut()[WORDS * input..][..WORDS].fill(word);
    }

    /// The bit of an output before the last edge.
    pub fn shown(&self, plane: usize) -> Plane {
        words(&self.shown, plane)
    }

    /// Finds what the outputs show, and takes the clock edge.
    pub fn step(&mut self) {
        let SingleModule {
            state,
            shown,
            driven,
            code,
            ..
        } = self;
        match code {
            Code::Native { code, scratch } => {
                let driven = [driven.words()];
                code.run(
                    state.words_mut(),
                    shown.words_mut(),
                    driven,
                    scratch.words_mut(),
                );
            }
            Code::Interpreter(interpreter) => interpreter.run(state, shown, driven),
        }
    }
}

/// A plane.
fn words(planes: &Planes, plane: usize) -> Plane {
    let words = planes.words()[WORDS * plane..].first_chunk();
    *words.expect("a plane of so many words")
}

impl Interpreter {
    fn run(&mut self, state: &mut Planes, shown: &mut Planes, driven: &Planes) {
        let value = |values: &[Plane], value| match value {
            MappedValue::Constant(one) => [u64::from(one).wrapping_neg(); WORDS],
            MappedValue::Function(function) => values[function as usize],
            MappedValue::Leaf(leaf) => {
                let Location { region, plane } = self.leaves[leaf as usize];
                let region = if region == STATE { &*state } else { driven };
                words(region, plane as usize)
            }
        };
        for (number, function) in self.functions.iter().enumerate() {
            let inputs = function.inputs.map(|input| value(&self.values, input));
            let result = std::array::from_fn(|word| {
                table::evaluate(function.table, inputs.map(|input| input[word]))
            });
            self.values[number] = result;
        }
        let written: Vec<(Plane, Location)> = self
            .sinks
            .iter()
            .map(|&(sink, place)| (value(&self.values, sink), place))
            .collect();
        for (plane, place) in written {
            let region = match place.region {
                STATE => &mut *state,
                _ => &mut *shown,
            };
            region.words_mut()[WORDS * place.plane as usize..][..WORDS].copy_from_slice(&plane);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crosswave_chips::netlists;
    use crosswave_netlist::Evaluation;

    /// All lanes show what evaluating net by net does, and one whose register was set shows another thing.
    #[test]
    fn a_router_shows_what_it_does_net_by_net() {
        let module = netlists::plain("fat_tree_router").expect("it is there");
        let leaf = Leaf::new(module, "clock", &[]).expect("sound");
        for backend in [Backend::Interpreter, Backend::best()] {
            let mut single = SingleModule::new(&leaf, backend);
            let evaluation = Evaluation::new(module).expect("sound");
            let mut nets = vec![false; module.nets.len()];
            let mut differs = false;
            for cycle in 0..200_u64 {
                if cycle == 20 {
                    let other = single.register(0).map(|word| word ^ 1 << 5);
                    single.set(0, other);
                }
                for (at, port) in leaf.inputs().enumerate() {
                    let drawn = (cycle << 8 | at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
                    let value = match &*port.name {
                        "reset" => u64::from(cycle == 0),
                        _ => drawn & drawn >> 20,
                    };
                    let of_netlist = module.port(&port.name).expect("the same ports");
                    Evaluation::drive(of_netlist, &mut nets, value);
                    for input in 0..single.inputs.len() {
                        if single.inputs[input].0 == port.name {
                            let bit = single.inputs[input].1;
                            single.drive(input, value >> bit & 1 != 0);
                        }
                    }
                }
                evaluation.settle(&mut nets);
                single.step();
                for (name, planes) in single.outputs.clone() {
                    let expected = Evaluation::port(module.port(&name).expect("it"), &nets);
                    for (bit, plane) in planes.enumerate() {
                        let good = (expected >> bit & 1).wrapping_neg();
                        let shown = single.shown(plane);
                        let of_lane = |word: u64| word & !(1 << 5);
                        let alike = shown.map(|word| of_lane(word) == of_lane(good));
                        assert_eq!(alike, [true; WORDS], "{backend}, cycle {cycle}, {name}");
                        differs |= shown[0] != good;
                        assert!(cycle >= 20 || !differs, "{backend}, cycle {cycle}, {name}");
                    }
                }
                evaluation.edge(&mut nets);
            }
        }
    }
}
