use super::*;
use crate::testing::{evaluate, for_all, random_inputs, random_module};
use crate::{Design, check, text};

fn folded(netlist: &str, ties: &[(&str, usize, bool)]) -> String {
    let design = text::parse(netlist, "test").unwrap();
    let ties: Vec<(String, usize, bool)> = ties
        .iter()
        .map(|&(port, bit, value)| (port.to_owned(), bit, value))
        .collect();
    text::print_module(&fold(design.modules[0].clone(), &ties))
}

#[test]
fn constants_and_equal_inputs_go_through_gates() {
    let netlist = "module m\n input a\n input b\n output y = w z p q r s\n \
        gate g1 AND a a -> w\n gate g2 XOR b b -> z\n gate g3 MUX a b 1 -> p\n \
        gate g4 MUX a a b -> q\n gate g5 NAND a 1 -> r\n gate g6 AOI4 a b 1 0 -> s\nend\n";
    insta::assert_snapshot!(folded(netlist, &[]), @r"
    module m
      input a
      input b
      output y = a 0 b a r s
      gate g5 NOT a -> r
      gate g6 NAND a b -> s
    end
    ");
}

#[test]
fn inverters_are_absorbed_and_pairs_vanish() {
    let netlist = "module m\n input a\n input b\n output y = w z\n gate g1 NOT a -> na\n \
        gate g2 NOT na -> nna\n gate g3 BUF nna -> w\n gate g4 AND na b -> z\nend\n";
    insta::assert_snapshot!(folded(netlist, &[]), @r"
    module m
      input a
      input b
      output y = a z
      gate g4 ANDNOT b a -> z
    end
    ");
}

#[test]
fn equal_gates_become_one_and_keep_the_better_name() {
    let netlist = "module m\n input a\n input b\n output y\n output z\n gate g1 AND a b -> $1\n \
        gate g2 AND b a -> both\n gate g3 OR both $1 -> y\n gate g4 NAND b a -> z\nend\n";
    insta::assert_snapshot!(folded(netlist, &[]), @r"
    module m
      wire a
      wire b
      wire z
      wire both
      input a
      input b
      output y = both
      output z
      gate g1 AND a b -> both
      gate g4 NAND a b -> z
    end
    ");
}

#[test]
fn a_tied_input_specialises_the_module_and_keeps_its_ports() {
    let netlist = "module m\n input clk\n input mode = mode[0] mode[1]\n input d\n output q\n \
        output r\n gate g1 AND d mode[0] -> x\n gate g2 OR d mode[1] -> r\n \
        flop f x -> q posedge clk enable mode[1] high async-reset mode[0] low to 1\n \
        flop unused d -> v posedge clk\nend\n";
    insta::assert_snapshot!(folded(netlist, &[("mode", 0, true), ("mode", 1, true)]), @r"
    module m
      input clk
      input mode = mode[0] mode[1]
      input d
      output q
      output r = 1
      flop f d -> q posedge clk
    end
    ");
}

#[test]
fn instances_are_kept_when_an_output_needs_them() {
    let netlist = "module m\n input a\n output y\n gate g BUF a -> b\n \
        instance u1 inner in i = b 1 out o = y spare\n \
        instance u2 inner in i = b 0 out o = p q\nend\n\
        module inner\n input i = i[0] i[1]\n output o = i[0] i[1]\nend\n";
    insta::assert_snapshot!(folded(netlist, &[]), @r"
    module m
      input a
      output y
      instance u1 inner in i = a 1 out o = y spare
    end
    ");
}

#[test]
fn a_loop_is_left_as_it_is() {
    let netlist =
        "module m\n input a\n output y\n gate g1 AND a z -> y\n gate g2 BUF y -> z\nend\n";
    let design = text::parse_unchecked(netlist, "test").unwrap();
    assert_eq!(fold(design.modules[0].clone(), &[]), design.modules[0]);
}

#[test]
#[should_panic(expected = "module m has no input b bit 1 to tie")]
fn tying_what_is_not_there_panics() {
    folded(
        "module m\n input b\n output y = b\nend\n",
        &[("b", 1, true)],
    );
}

#[test]
fn folding_keeps_behaviour_on_random_netlists() {
    for_all(1500, |mut choices| {
        let module = random_module(&mut choices);
        let ties: Vec<(String, usize, bool)> = (0..module.ports[1].bits.len())
            .filter(|_| choices.below(3) == 0)
            .map(|bit| ("a".to_owned(), bit, bit % 2 == 0))
            .collect();
        let mut inputs = random_inputs(&module, &mut choices);
        for row in &mut inputs {
            for &(_, bit, value) in &ties {
                row[1 + bit] = value;
            }
        }
        let folded = fold(module.clone(), &ties);
        assert_eq!(evaluate(&folded, &inputs), evaluate(&module, &inputs));
        assert!(folded.gates().count() <= module.gates().count());
        for (before, after) in module.ports.iter().zip(&folded.ports) {
            assert_eq!(before.name, after.name);
            assert_eq!(before.bits.len(), after.bits.len());
        }
        let modules = vec![folded];
        assert_eq!(check(&Design { modules }, "folded"), Ok(()));
    });
}
