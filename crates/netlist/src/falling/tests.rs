use super::*;
use crate::testing::{evaluate, for_all, random_inputs, random_module};
use crate::{Design, check, text};

fn lowered(netlist: &str) -> String {
    let design = text::parse(netlist, "test").unwrap();
    match lower_both_edges(design.modules[0].clone(), "clk") {
        Ok((module, edges)) => format!("{}{edges:?}\n", text::print_module(&module)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_flip_flop_of_the_falling_edge_shows_what_it_takes() {
    let netlist = "module m\n input clk\n input d\n output q\n output p\n \
        flop f d -> h posedge clk\n flop g h -> q negedge clk init 1\n flop e q -> p posedge clk\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r#"
    module m
      input clk
      input d
      output q
      output p
      flop f d -> h posedge clk
      gate g BUF h -> q
      flop e q -> p posedge clk
    end
    HalfCycles { changing: ["q"], taken: [] }
    "#);
}

#[test]
fn what_is_before_the_falling_edge_is_there_twice() {
    let netlist = "module m\n input clk\n input d\n output q\n output y\n \
        gate n XOR q d -> t\n gate o NOT t -> y\n flop g t -> q negedge clk\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r#"
    module m
      input clk
      input d
      output q
      output y
      gate n XOR q d -> t
      gate o NOT t -> y
      flop g q -> q$before posedge clk
      gate n$before XOR q$before d -> t$before
      gate g$falls BUF t$before -> q
    end
    HalfCycles { changing: ["q", "y"], taken: ["d"] }
    "#);
}

#[test]
fn an_inverted_clock_has_the_other_edge() {
    let netlist = "module m\n input clk\n input d\n output q\n \
        gate n NOT clk -> nclk\n flop g d -> q posedge nclk\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r#"
    module m
      wire clk
      wire d
      wire q
      wire nclk
      input clk
      input d
      output q
      gate g BUF d -> q
    end
    HalfCycles { changing: ["q"], taken: ["d"] }
    "#);
    let twice = "module m\n input clk\n input d\n output q\n output c\n \
        gate n NOT clk -> c\n flop g d -> q negedge c\nend\n";
    insta::assert_snapshot!(lowered(twice), @r"
    error: m: module m, cell n, port A: reads the clock `clk` as data
      help: a clock has no value within a cycle; use an enable, or a flip-flop that toggles
    ");
}

#[test]
fn a_control_in_half_a_cycle_is_refused() {
    let netlist = "module m\n input clk\n input d\n output q\n \
        flop g d -> r negedge clk\n flop f d -> q posedge clk async-reset r low to 1\nend\n";
    insta::assert_snapshot!(lowered(netlist), @r"
    error: m: module m, cell f: its asynchronous control, or what that loads, `r`, may change at the falling edge, and may act in half a cycle only
      help: make it synchronous, or control it from flip-flops of the rising edge
    ");
}

#[test]
fn memories_are_written_at_the_falling_edge_and_read_once() {
    let netlist = |clock: &str, flop: &str| {
        format!(
            "module m\n input clk\n input a\n input d\n input e\n output q\n \
             memory ram words 2 width 1 in R0_ADDR = b out R0_DATA = w in {clock} = clk \
             in W0_ADDR = a in W0_DATA = d in W0_EN = e\n {flop}\n flop g a -> b negedge clk\nend\n"
        )
    };
    let print = |netlist: &str| {
        let design = text::parse(netlist, "test").unwrap();
        lower_both_edges(design.modules[0].clone(), "clk")
    };
    let rising = netlist("W0_CLK", "flop f w -> q posedge clk");
    let (module, edges) = print(&rising).unwrap();
    assert_eq!(module.memories().count(), 1);
    assert_eq!(
        (edges.changing, edges.taken),
        (vec![], vec!["a".to_owned()])
    );
    let falling = netlist("W0_CLKN", "flop f w -> q posedge clk");
    let (module, edges) = print(&falling).unwrap();
    assert_eq!(module.memories().count(), 0);
    assert_eq!(edges.taken, ["a", "d", "e"]);
    // An address and its word at the falling edge: the memory is read before it and after it.
    let twice = netlist("W0_CLK", "flop f w -> q negedge clk");
    let (module, edges) = print(&twice).unwrap();
    assert_eq!(module.memories().count(), 0);
    assert_eq!(edges.taken, ["a"]);
    let own_address = twice
        .replace("= b out", "= own out")
        .replace("flop f", "gate x XOR w b -> own\n flop f");
    let error = print(&own_address).unwrap_err().to_string();
    assert!(error.contains("combinational loop"), "{error}");
    let large = twice.replace("words 2", "words 300000");
    let error = print(&large).unwrap_err().to_string();
    assert!(
        error.contains("flip-flops of that edge give the address"),
        "{error}"
    );
}

#[test]
fn what_acts_by_level_is_taken_in_both_halves() {
    let netlist = |flop: &str| {
        format!(
            "module m\n input clk\n input d\n input e\n output q\n gate n NOT e -> c\n {flop}\nend\n"
        )
    };
    let taken = |flop: &str| {
        let design = text::parse(&netlist(flop), "test").unwrap();
        let (module, edges) = lower_both_edges(design.modules[0].clone(), "clk").unwrap();
        assert!(module.flops().all(|(_, flop)| flop.is_plain()));
        edges.taken
    };
    assert_eq!(
        taken("flop f d -> q posedge clk enable c high"),
        Vec::<String>::new()
    );
    assert_eq!(
        taken("flop f d -> q posedge clk async-reset c high to 0"),
        ["e"]
    );
    assert_eq!(
        taken("flop f 0 -> q posedge clk async-load c high d"),
        ["d", "e"]
    );
    let late = netlist("flop g d -> r negedge clk\n flop f d -> q negedge clk async-load c high r");
    insta::assert_snapshot!(lowered(&late), @r"
    error: m: module m, cell f: its asynchronous control, or what that loads, `r`, may change at the falling edge, and may act in half a cycle only
      help: make it synchronous, or control it from flip-flops of the rising edge
    ");
}

#[test]
fn both_edges_are_as_in_half_cycles_on_random_netlists() {
    let counts = std::cell::Cell::new((0, 0));
    for_all(1500, |mut choices| {
        let mut module = random_module(&mut choices);
        for cell in &mut module.cells {
            if let CellKind::Flop(flop) = &mut cell.kind
                && choices.flag()
            {
                flop.edge = Edge::Falling;
            }
        }
        let inputs = random_inputs(&module, &mut choices);
        let (compared, refused) = counts.get();
        let falls = module.flops().any(|(_, flop)| flop.edge == Edge::Falling);
        let Ok((lowered, _)) = lower_both_edges(module.clone(), "clk") else {
            counts.set((compared, refused + 1));
            return;
        };
        counts.set((compared + usize::from(falls), refused));
        assert_eq!(
            evaluate(&lowered, &inputs),
            evaluate(&module, &inputs),
            "{}",
            text::print_module(&module)
        );
        assert!(lowered.flops().all(|(_, flop)| flop.is_plain()));
        let modules = vec![lowered];
        assert_eq!(check(&Design { modules }, "lowered"), Ok(()));
    });
    let (compared, refused) = counts.get();
    assert!(
        compared > 300 && refused < 500,
        "{compared} compared, {refused} refused"
    );
}
