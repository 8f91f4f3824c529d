use std::collections::BTreeSet;

use super::*;
use crate::testing::{for_all, random_module};
use crate::{DesignHierarchy, Module, PortDirection, flatten, text, yosys};
use crosswave_chips::netlists;

/// Tables of the two-input functions and multiplexers.
const FEW: [u8; 6] = [0xc0, 0x30, 0x03, 0x3c, 0xe4, 0xb1];

fn libraries() -> [Library; 3] {
    [Library::ternary(), Library::pairs(), Library::of(&FEW)]
}

/// Values of sixty-four random rows.
fn word(seed: u64, index: usize) -> u64 {
    crosswave_base::random::splitmix(seed ^ crosswave_base::random::splitmix(index as u64))
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
    let read = |nets: &[u64], bit: Bit| match bit {
        Bit::Net(net) => nets[net.index()],
        constant => u64::from(constant == Bit::One).wrapping_neg(),
    };
    for gate in &leaf.gates {
        let pins: Vec<u64> = gate.inputs.iter().map(|&bit| read(&nets, bit)).collect();
        let mut of_lane = vec![false; pins.len()];
        nets[gate.output.index()] = (0..64).fold(0, |value, lane| {
            for (bit, pin) in of_lane.iter_mut().zip(&pins) {
                *bit = pin >> lane & 1 == 1;
            }
            value | u64::from(gate.function.evaluate(&of_lane)) << lane
        });
    }
    let (found, _) = evaluate_mapped(mapped, |source| match source {
        LeafSource::Input { port, bit } => {
            let net = leaf.module.port(port).unwrap().bits[*bit].net();
            nets[net.unwrap().index()]
        }
        LeafSource::Register(index) => nets[leaf.registers[*index].q.index()],
    });
    let registers = leaf.registers.iter();
    let data = registers.map(|register| (&*register.name, register.data));
    let outputs = leaf.outputs().zip(&mapped.outputs);
    let driven = outputs.flat_map(|(port, (name, bits))| {
        assert_eq!((name, bits.len()), (&port.name, port.bits.len()));
        port.bits.iter().map(|&bit| (&*port.name, bit))
    });
    let expected: Vec<(&str, Bit)> = data.chain(driven).collect();
    assert_eq!(found.len(), expected.len());
    for (found, (name, bit)) in found.into_iter().zip(expected) {
        assert_eq!(found, read(&nets, bit), "{name}");
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
        let leaf = Leaf::new(&module, "clk", &[]).expect("a module that can be lowered");
        for library in libraries() {
            let mapped = Mapped::new(&leaf, &library);
            for seed in 0..4 {
                assert_equivalent(&leaf, &mapped, seed);
            }
        }
    });
}

/// The netlist of a chip, without instances.
fn chip(name: &str) -> Module {
    let (_, text) = netlists::texts().find(|(known, _)| *known == name).unwrap();
    let design = yosys::read(text, name).unwrap();
    let root = design
        .modules
        .iter()
        .position(|module| module.name == name)
        .unwrap();
    flatten(&DesignHierarchy::new(&design, root), root, &BTreeSet::new()).unwrap()
}

#[test]
fn chips_keep_their_meaning() {
    let names: Vec<&str> = netlists::texts().map(|(name, _)| name).collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let leaf = Leaf::new(&chip(name), "clock", &[]).unwrap();
        for library in libraries() {
            let mapped = Mapped::new(&leaf, &library);
            for seed in 0..8 {
                assert_equivalent(&leaf, &mapped, seed);
            }
        }
    }
}

/// Values that registers take and outputs show, and the patterns in which a watched input has an
/// influence.
fn evaluate_mapped(mapped: &Mapped, leaf: impl Fn(&LeafSource) -> u64) -> (Vec<u64>, u64) {
    let leaves: Vec<u64> = mapped.leaves.iter().map(leaf).collect();
    let mut results: Vec<u64> = Vec::new();
    let of = |results: &[u64], value: MappedValue| match value {
        MappedValue::Constant(value) => u64::from(value).wrapping_neg(),
        MappedValue::Leaf(index) => leaves[index as usize],
        MappedValue::Function(index) => results[index as usize],
    };
    for lut in &mapped.functions {
        let result = table::evaluate(lut.table, lut.inputs.map(|input| of(&results, input)));
        results.push(result);
    }
    let outputs = mapped.outputs.iter().flat_map(|(_, bits)| bits);
    let roots = mapped.next.iter().chain(outputs);
    let roots = roots.map(|&value| of(&results, value)).collect();
    let influence = mapped
        .influence
        .map_or(u64::MAX, |value| of(&results, value));
    (roots, influence)
}

/// Random words of all leaves but a watched input, which has one value in all lanes; bits of words and
/// states are mostly 0. Lanes in which the input makes a difference, and those in which it is said that
/// it may.
fn differences(leaf: &Leaf, mapped: &Mapped, watched: (&str, usize), seed: u64) -> (u64, u64) {
    let random = |name: &str, bit: usize| {
        let index = name.bytes().fold(bit, |all, byte| {
            all.wrapping_mul(257).wrapping_add(byte.into())
        });
        let is_sparse = ["data", "level", "path", "state", "drain"]
            .iter()
            .any(|of| name.contains(of));
        let words = (0..if is_sparse { 3 } else { 1 }).map(|each| word(seed ^ each << 40, index));
        words.fold(u64::MAX, |all, word| all & word)
    };
    let with = |value: u64| {
        let leaf = |source: &LeafSource| match source {
            LeafSource::Input { port, bit } if (&**port, *bit) == watched => value,
            LeafSource::Input { port, bit } => random(port, *bit),
            LeafSource::Register(register) => {
                let net = leaf.registers[*register].q;
                random(leaf.module.net_name(net), *register)
            }
        };
        evaluate_mapped(mapped, leaf)
    };
    let [(zeros, said), (ones, said_again)] = [0, u64::MAX].map(with);
    assert_eq!(said, said_again, "the input has no influence on that");
    let differs = zeros.iter().zip(&ones).map(|(zero, one)| zero ^ one);
    (differs.fold(0, |all, lanes| all | lanes), said)
}

#[test]
fn an_input_makes_no_difference_where_it_is_said_to_have_no_influence() {
    let silent = std::cell::Cell::new(0);
    for_all(400, |mut choices| {
        let module = random_module(&mut choices);
        let leaf = Leaf::new(&module, "clk", &[]).expect("a module that can be lowered");
        let inputs = leaf.inputs().filter(|port| port.name != "clk");
        for (port, bit) in inputs.flat_map(|port| (0..port.bits.len()).map(move |bit| (port, bit)))
        {
            let watched = (&*port.name, bit);
            for library in libraries() {
                let mapped = Mapped::with_influence(&leaf, &library, Some(watched));
                assert_equivalent(&leaf, &mapped, 1);
                for seed in 0..4 {
                    let (differs, said) = differences(&leaf, &mapped, watched, seed);
                    assert_eq!(differs & !said, 0, "{watched:?}");
                    silent.set(silent.get() + said.count_zeros());
                }
            }
        }
    });
    assert!(
        silent.get() > 10_000,
        "few lanes without influence: {silent:?}"
    );
}

/// A bit that decides among three matters to few lanes, and hardly more are said to be such.
#[test]
fn the_choice_among_three_has_an_influence_where_there_are_three() {
    for name in ["fat_tree_router", "fat_tree_tail_router"] {
        let watched = ("random_third", 0);
        let ties = ["reset", "winner_fixed", "upstream_single"];
        let ties = ties.map(|port| (port.to_owned(), 0, false)).into_iter();
        let level = (0..5).map(|bit| ("level".to_owned(), bit, false));
        let ties: Vec<(String, usize, bool)> = ties.chain(level).collect();
        let leaf = Leaf::new(&chip(name), "clock", &ties).unwrap();
        let mapped = Mapped::with_influence(&leaf, &Library::ternary(), Some(watched));
        let plain = Mapped::new(&leaf, &Library::ternary());
        let more = mapped.functions.len() - plain.functions.len();
        let (mut differ, mut said, mut lanes) = (0, 0, 0);
        for seed in 0..4_000 {
            let (differs, may_differ) = differences(&leaf, &mapped, watched, seed);
            assert_eq!(differs & !may_differ, 0, "{name}");
            differ += differs.count_ones();
            said += may_differ.count_ones();
            lanes += 64;
        }
        let counts = format!("{name}: {more} functions, {differ} of {said} of {lanes} lanes");
        assert!(more < 12 && differ > 20 && said < lanes / 500, "{counts}");
    }
}

#[test]
fn an_input_that_is_taken_as_it_is_has_no_condition() {
    let leaf = "module m\n input a\n input b\n input c\n gate g AND b c -> x\n gate h BUF a -> y\n \
                output x\n output y\nend\n";
    let leaf = Leaf::new(&module(leaf), "clk", &[]).unwrap();
    let of = |watched| Mapped::with_influence(&leaf, &Library::ternary(), Some(watched)).influence;
    assert_eq!(of(("a", 0)), None);
    assert_eq!(of(("nothing", 0)), None);
    // b matters where c is 1, the third leaf.
    assert_eq!(of(("b", 0)), Some(MappedValue::Leaf(2)));
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
    assert_eq!(redundant.outputs[0].1, [MappedValue::Leaf(0)]);
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
    assert!(leaf.module.ports_of(PortDirection::Output).count() == 1);
}

#[test]
fn pairs_are_the_fewest() {
    let pairs = PairExpressions::get();
    let cost = |table: u8| pairs.cost[table as usize];
    assert_eq!(cost(table::A), 0);
    assert_eq!(cost(table::A & table::B & table::C), 2);
    // A multiplexer and a majority.
    assert_eq!(cost(0xca), 3);
    assert_eq!(cost(0xe8), 4);
    assert_eq!(cost(!table::A), 1);
}
