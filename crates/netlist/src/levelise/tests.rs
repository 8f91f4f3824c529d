use super::*;
use crate::testing::{for_all, random_module};
use crate::text;

fn module(netlist: &str) -> Module {
    text::parse_unchecked(netlist, "test")
        .unwrap()
        .modules
        .remove(0)
}

/// The names of the cells of each level, or the loops as net names.
fn shown(module: &Module) -> String {
    match levelise(module) {
        Ok(levels) => (1..=levels.depth())
            .map(|level| {
                let cells = levels
                    .level(level)
                    .iter()
                    .map(|&c| module.cells[c].name.as_str());
                format!("{level}: {}\n", cells.collect::<Vec<_>>().join(" "))
            })
            .collect(),
        Err(loops) => loops
            .iter()
            .map(|found| format!("{}\n", found.diagnostic(module).message))
            .collect(),
    }
}

#[test]
fn gates_come_by_level_and_then_in_the_order_of_the_file() {
    let module = module(
        "module m\n input clk\n input a\n gate g3 AND y x -> z\n gate g2 OR x q -> y\n \
         gate g1 NOT a -> x\n gate g0 BUF q -> w\n flop f z -> q posedge clk\nend\n",
    );
    insta::assert_snapshot!(shown(&module), @r"
    1: g1 g0
    2: g2
    3: g3
    ");
}

#[test]
fn a_module_without_gates_has_no_levels() {
    let levels = levelise(&module("module m\n input a\n output y = a\nend\n")).unwrap();
    assert_eq!(levels.depth(), 0);
    assert!(levels.level(0).is_empty() && levels.level(1).is_empty());
}

#[test]
fn loops_are_named_in_the_direction_of_the_signal() {
    let module = module(
        "module m\n input a\n gate g1 AND a z -> x\n gate g2 NOT x -> y\n gate g3 BUF y -> z\n \
         gate g4 XOR z a -> behind\n gate g5 NOT self -> self\nend\n",
    );
    insta::assert_snapshot!(shown(&module), @r"
    combinational loop: z -> x -> y -> z
    combinational loop: self -> self
    ");
}

#[test]
fn a_long_chain_needs_no_recursion() {
    let mut netlist = String::from("module m\n input n0\n");
    for i in (0..50_000).rev() {
        netlist.push_str(&format!(" gate g{i} NOT n{i} -> n{}\n", i + 1));
    }
    let netlist = module(&(netlist + "end\n"));
    assert_eq!(levelise(&netlist).unwrap().depth(), 50_000);
}

#[test]
fn every_gate_comes_after_those_it_reads_in_random_netlists() {
    for_all(300, |mut choices| {
        let module = random_module(&mut choices);
        let levels = levelise(&module).unwrap();
        assert_eq!(levels.order.len(), module.gates().count());
        let mut ready = vec![true; module.nets.len()];
        for (_, gate) in module.gates() {
            ready[gate.output.index()] = false;
        }
        for level in 1..=levels.depth() {
            let gates = levels
                .level(level)
                .iter()
                .map(|&c| match &module.cells[c].kind {
                    CellKind::Gate(gate) => gate,
                    _ => unreachable!("only gates are ordered"),
                });
            for gate in gates.clone() {
                assert!(
                    gate.inputs
                        .iter()
                        .filter_map(|b| b.net())
                        .all(|n| ready[n.index()])
                );
            }
            gates.for_each(|gate| ready[gate.output.index()] = true);
        }
    });
}
