use super::*;
use crate::testing::{evaluate, for_all, random_inputs, random_module};
use crate::{Design, Leaf, check, text};

fn lowered(netlist: &str) -> String {
    let design = text::parse(netlist, "test").unwrap();
    match lower_flops(design.modules[0].clone(), "clk") {
        Ok(module) => text::print_module(&module),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_plain_flop_stays() {
    let netlist =
        "module m\n input clk\n input d\n output q\n flop f d -> q posedge clk init 1\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r"
    module m
      input clk
      input d
      output q
      flop f d -> q posedge clk init 1
    end
    ");
}

#[test]
fn enable_and_synchronous_reset_become_gates() {
    let netlist = "module m\n input clk\n input d\n input e\n input r\n output q\n output p\n \
        flop f d -> q posedge clk enable e high reset r high to 0\n \
        flop g d -> p posedge clk enable e low reset r low to 1 gated\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r"
    module m
      input clk
      input d
      input e
      input r
      output q
      output p
      gate f$enable MUX q d e -> f$enable
      gate f$reset ANDNOT f$enable r -> f$reset
      flop f f$reset -> q posedge clk
      gate g$reset ORNOT d r -> g$reset
      gate g$enable MUX g$reset p e -> g$enable
      flop g g$enable -> p posedge clk
    end
    ");
}

#[test]
fn asynchronous_controls_act_on_both_sides() {
    let netlist = "module m\n input clk\n input d\n input a\n input b\n output q\n output p\n \
        output l\n flop f d -> q posedge clk async-reset a low to 1\n \
        flop g d -> p posedge clk async-set-reset a high b low\n \
        flop h d -> l posedge clk async-load a high b\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r"
    module m
      wire clk
      wire d
      wire a
      wire b
      wire q
      wire p
      wire l
      wire q$stored
      wire f$next
      wire p$stored
      wire g$next$set
      wire g$next
      wire g$seen$set
      wire l$stored
      wire h$next
      input clk
      input d
      input a
      input b
      output q
      output p
      output l
      gate f$next ORNOT d a -> f$next
      gate f$seen ORNOT q$stored a -> q
      flop f f$next -> q$stored posedge clk
      gate g$next$set OR d a -> g$next$set
      gate g$next AND g$next$set b -> g$next
      gate g$seen$set OR p$stored a -> g$seen$set
      gate g$seen AND g$seen$set b -> p
      flop g g$next -> p$stored posedge clk
      gate h$next MUX d b a -> h$next
      gate h$seen MUX l$stored b a -> l
      flop h h$next -> l$stored posedge clk
    end
    ");
}

#[test]
fn clocks_that_are_not_the_clock_are_reported() {
    let netlist = "module m src \"m.v:1\"\n input clk\n input d\n output q = q clk\n output p\n \
        output r\n output s\n gate g AND clk d -> gated\n flop f1 d -> q posedge gated src \"m.v:7\"\n \
        flop f2 d -> p negedge clk\n flop f3 clk -> r posedge clk\n flop f4 d -> s posedge 0\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r"
    error: m: module m, cell f1, port C (m.v:7): clocked by net `gated`, expected the clock `clk`
      help: use an enable instead of a gated clock, and one clock in a module

    error: m: module m, cell f2, port C (m.v:1): acts on the falling edge of `clk`, expected the rising edge
      help: use `posedge`, for there is one step to a cycle

    error: m: module m, cell f4, port C (m.v:1): clocked by a constant, expected the clock `clk`
      help: use an enable instead of a gated clock, and one clock in a module

    error: m: module m, cell g, port A (m.v:1): reads the clock `clk` as data, and 2 more of this kind: module m, cell f3, port D (m.v:1); module m, port q, bit 1 (m.v:1)
      help: a clock has no value within a cycle; use an enable, or a flip-flop that toggles
    ");
}

#[test]
fn a_clock_port_must_be_an_input_of_one_bit() {
    let absent = "module m\n input ck\n input d\n output q\n flop f d -> q posedge ck\nend\n";
    insta::assert_snapshot!(lowered(absent), @r"
    error: m: module m, port clk: the clock must be an input of one bit, but there is no such port
      help: inputs of one bit: `ck`, `d`
    ");
    let wide = "module m\n input clk = a b\n output q\n flop f b -> q posedge a\nend\n";
    insta::assert_snapshot!(lowered(wide), @r"
    error: m: module m, port clk: the clock must be an input of one bit, but it has 2 bits
      help: give the module a clock
    ");
    let out = "module m\n input d\n output clk = d\n output q\n flop f d -> q posedge d\nend\n";
    insta::assert_snapshot!(lowered(out), @r"
    error: m: module m, port clk: the clock must be an input of one bit, but it is an output
      help: inputs of one bit: `d`
    ");
    let no_flops = "module m\n input d\n output q = d\nend\n";
    insta::assert_snapshot!(lowered(no_flops), @r"
    module m
      input d
      output q = d
    end
    ");
}

#[test]
fn a_flop_that_resets_itself_is_a_loop() {
    let netlist = "module m\n input clk\n input d\n output q\n gate g BUF q -> clear\n \
        flop f d -> q posedge clk async-reset clear high to 0\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r"
    error: m: module m, cell f$seen: combinational loop: q -> clear -> q
      help: an asynchronous control or its data depends on the flip-flop itself; make it synchronous
    ");
}

#[test]
fn lowering_keeps_behaviour_on_random_netlists() {
    for_all(1500, |mut choices| {
        let module = random_module(&mut choices);
        let Ok(lowered) = lower_flops(module.clone(), "clk") else {
            panic!("{}", text::print_module(&module));
        };
        let inputs = random_inputs(&module, &mut choices);
        let expected = evaluate(&module, &inputs);
        assert_eq!(evaluate(&lowered, &inputs), expected);
        assert!(lowered.flops().all(|(_, flop)| flop.is_plain()));
        let leaf = Leaf::new(&module, "clk", &[]).unwrap();
        assert_eq!(evaluate(&leaf.module, &inputs), expected);
        let modules = vec![lowered];
        assert_eq!(check(&Design { modules }, "lowered"), Ok(()));
    });
}
