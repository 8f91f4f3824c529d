use super::*;
use crate::netlist::testing::{evaluate, for_all, random_inputs, random_module};
use crate::netlist::{Design, Leaf, check, text};

fn lowered(netlist: &str) -> String {
    let design = text::parse(netlist, "test").unwrap();
    match lower_flops(&design.modules[0], "clk") {
        Ok(module) => text::print_module(&module),
        Err(report) => report.to_string(),
    }
}

#[test]
fn a_plain_flop_stays() {
    let netlist =
        "module m\n input clk\n input d\n output q\n flop f d -> q posedge clk init 1\nend\n";
    insta::assert_snapshot!(lowered(netlist), @"");
}

#[test]
fn enable_and_synchronous_reset_become_gates() {
    let netlist = "module m\n input clk\n input d\n input e\n input r\n output q\n output p\n \
        flop f d -> q posedge clk enable e high reset r high to 0\n \
        flop g d -> p posedge clk enable e low reset r low to 1 gated\nend\n";
    insta::assert_snapshot!(lowered(netlist), @"");
}

#[test]
fn asynchronous_controls_act_on_both_sides() {
    let netlist = "module m\n input clk\n input d\n input a\n input b\n output q\n output p\n \
        output l\n flop f d -> q posedge clk async-reset a low to 1\n \
        flop g d -> p posedge clk async-set-reset a high b low\n \
        flop h d -> l posedge clk async-load a high b\nend\n";
    insta::assert_snapshot!(lowered(netlist), @"");
}

#[test]
fn clocks_that_are_not_the_clock_are_reported() {
    let netlist = "module m src \"m.v:1\"\n input clk\n input d\n output q = q clk\n output p\n \
        output r\n output s\n gate g AND clk d -> gated\n flop f1 d -> q posedge gated src \"m.v:7\"\n \
        flop f2 d -> p negedge clk\n flop f3 clk -> r posedge clk\n flop f4 d -> s posedge 0\nend\n";
    insta::assert_snapshot!(lowered(netlist), @"");
}

#[test]
fn a_clock_port_must_be_an_input_of_one_bit() {
    let absent = "module m\n input ck\n input d\n output q\n flop f d -> q posedge ck\nend\n";
    insta::assert_snapshot!(lowered(absent), @"");
    let wide = "module m\n input clk = a b\n output q\n flop f b -> q posedge a\nend\n";
    insta::assert_snapshot!(lowered(wide), @"");
    let out = "module m\n input d\n output clk = d\n output q\n flop f d -> q posedge d\nend\n";
    insta::assert_snapshot!(lowered(out), @"");
    let no_flops = "module m\n input d\n output q = d\nend\n";
    insta::assert_snapshot!(lowered(no_flops), @"");
}

#[test]
fn a_flop_that_resets_itself_is_a_loop() {
    let netlist = "module m\n input clk\n input d\n output q\n gate g BUF q -> clear\n \
        flop f d -> q posedge clk async-reset clear high to 0\nend\n";
    insta::assert_snapshot!(lowered(netlist), @"");
}

#[test]
fn lowering_keeps_behaviour_on_random_netlists() {
    for_all(1500, |mut choices| {
        let module = random_module(&mut choices);
        let Ok(lowered) = lower_flops(&module, "clk") else {
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
