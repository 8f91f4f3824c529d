use super::*;
use crate::chip::netlists;
use crate::netlist::testing::{for_all, random_module};
use crate::netlist::{Direction, Module, text};

/// Tables of the two-input functions and multiplexers.
const FEW: [u8; 6] = [0xc0, 0x30, 0x03, 0x3c, 0xe4, 0xb1];

fn libraries() -> [Library; 3] {
    [Library::ternary(), Library::pairs(), Library::of(&FEW)]
}

/// Values of sixty-four random rows.
fn word(seed: u64, index: usize) -> u64 {
    crate::random::splitmix(seed ^ crate::random::splitmix(index as u64))
}

/// Asserts that a leaf and its map give the same next values and outputs.
fn assert_equivalent(leaf: &Leaf, mapped: &Mapped, seed: u64) {
    let mut nets = vec![0; leaf.nets()];
    for (index, bit) in leaf.inputs().flat_map(|port| &port.bits).enumerate() {
        nets[bit.net().unwrap().index()] = word(seed, index);
    }
    for (index, register) in leaf.registers.iter().enumerate() {
        nets[register.q.index()] = word(!seed, index);
    }
    let leaves: Vec<u64> = mapped
        .leaves
        .iter()
        .map(|source| match source {
            LeafSource::Input { port, bit } => {
                nets[leaf.module.port(port).unwrap().bits[*bit]
                    .net()
                    .unwrap()
                    .index()]
            }
            LeafSource::Register(index) => nets[leaf.registers[*index].q.index()],
        })
        .collect();
    let read = |nets: &[u64], bit: Bit| match bit {
        Bit::Net(net) => nets[net.index()],
        constant => u64::from(constant == Bit::One).wrapping_neg(),
    };
    for gate in &leaf.gates {
        let pins: Vec<u64> = gate.inputs.iter().map(|&bit| read(&nets, bit)).collect();
        nets[gate.output.index()] = (0..64).fold(0, |value, lane| {
            let pins: Vec<bool> = pins.iter().map(|pin| pin >> lane & 1 == 1).collect();
            value | u64::from(gate.function.evaluate(&pins)) << lane
        });
    }
    let mut results: Vec<u64> = Vec::new();
    let of = |results: &[u64], value: Value| match value {
        Value::Constant(value) => u64::from(value).wrapping_neg(),
        Value::Leaf(index) => leaves[index as usize],
        Value::Function(index) => results[index as usize],
    };
    for lut in &mapped.functions {
        let result = table::evaluate(lut.table, lut.inputs.map(|input| of(&results, input)));
        results.push(result);
    }
    for (register, &next) in leaf.registers.iter().zip(&mapped.next) {
        assert_eq!(
            of(&results, next),
            read(&nets, register.data),
            "{}",
            register.name
        );
    }
    for (port, (name, bits)) in leaf.outputs().zip(&mapped.outputs) {
        assert_eq!(*name, port.name);
        for (&expected, &found) in port.bits.iter().zip(bits) {
            assert_eq!(of(&results, found), read(&nets, expected), "{name}");
        }
    }
}

fn module(netlist: &str) -> Module {
    text::parse(netlist, "test").unwrap().modules.remove(0)
}

/// The functions of the outputs of a module without registers.
fn mapped(netlist: &str) -> Mapped {
    let leaf = Leaf::new(&module(netlist), "clk", &[]).unwrap();
    let mapped = Mapped::new(&leaf, &Library::ternary());
    assert_equivalent(&leaf, &mapped, 1);
    mapped
}

#[test]
fn random_netlists_keep_their_meaning() {
    for_all(400, |mut choices| {
        let module = random_module(&mut choices);
        // Flip-flops with asynchronous controls are refused.
        let Ok(leaf) = Leaf::new(&module, "clk", &[]) else {
            return;
        };
        for library in libraries() {
            let mapped = Mapped::new(&leaf, &library);
            for seed in 0..4 {
                assert_equivalent(&leaf, &mapped, seed);
            }
        }
    });
}

#[test]
fn chips_keep_their_meaning() {
    for chip in crate::chip::CHIPS {
        let leaf = Leaf::new(netlists::module(chip.name).unwrap(), "clock", &[]).unwrap();
        for library in libraries() {
            let mapped = Mapped::new(&leaf, &library);
            for seed in 0..8 {
                assert_equivalent(&leaf, &mapped, seed);
            }
        }
    }
}

#[test]
fn logic_that_comes_together_again_is_one_function() {
    // A full adder: two functions of three inputs.
    let adder = mapped(
        "module m\n input a\n input b\n input c\n gate g1 XOR a b -> x\n gate g2 XOR x c -> s\n \
         gate g3 AND a b -> p\n gate g4 AND x c -> r\n gate g5 OR p r -> t\n output s\n output t\nend\n",
    );
    assert_eq!(adder.functions.len(), 2);
    let tables: Vec<u8> = adder.functions.iter().map(|lut| lut.table).collect();
    assert!(tables.contains(&0x96) && tables.contains(&0xe8));
}

#[test]
fn redundant_logic_is_seen() {
    // (a and b) or (a and not b) is a.
    let redundant = mapped(
        "module m\n input a\n input b\n gate g1 AND a b -> x\n gate g2 ANDNOT a b -> z\n \
         gate g3 OR x z -> y\n output y\nend\n",
    );
    assert_eq!(redundant.functions, []);
    assert_eq!(redundant.outputs[0].1, [Value::Leaf(0)]);
}

#[test]
fn an_inverted_leaf_takes_an_inverter_and_an_inverted_function_none() {
    let inverted = mapped(
        "module m\n input a\n input b\n gate g1 NOT a -> x\n gate g2 NAND a b -> z\n \
         output x\n output z\nend\n",
    );
    assert_eq!(inverted.functions.len(), 2);
}

#[test]
fn a_long_chain_needs_no_recursion_and_linear_time() {
    let mut netlist = String::from("module m\n input n0\n input a\n input b\n");
    for i in 0..50_000 {
        let input = ["a", "b"][i % 2];
        let function = ["AND", "XOR", "OR"][i % 3];
        netlist.push_str(&format!(
            " gate g{i} {function} n{i} {input} -> n{}\n",
            i + 1
        ));
    }
    let netlist = module(&(netlist + " output n50000\nend\n"));
    let leaf = Leaf::new(&netlist, "clk", &[]).unwrap();
    let mapped = Mapped::new(&leaf, &Library::ternary());
    assert_equivalent(&leaf, &mapped, 3);
    assert!(leaf.module.ports_of(Direction::Output).count() == 1);
}

#[test]
fn pairs_are_the_fewest() {
    let pairs = Pairs::get();
    let cost = |table: u8| pairs.cost[table as usize];
    assert_eq!(cost(table::A), 0);
    assert_eq!(cost(table::A & table::B & table::C), 2);
    // A multiplexer and a majority.
    assert_eq!(cost(0xca), 3);
    assert_eq!(cost(0xe8), 4);
    assert_eq!(cost(!table::A), 1);
}
