use super::*;
use crate::netlist::testing::{for_all, random_design};

const ALL_KINDS: &str = "\
module top src \"t.v:1.1\"   # a comment
  wire clk
  wire \"a b\" src \"t.v:2.2\"
  input clk
  input d = \"a b\" d[1]
  output q = q 0 1 x \"x\"
  gate g1 MUX d[1] 0 clk -> \"x\" src \"t.v:3\"
  flop f1 \"x\" -> q posedge clk enable d[1] low reset d[1] high to 1 gated init 0
  flop f2 q -> p negedge clk async-reset d[1] low to 0
  flop f3 q -> r posedge clk async-set-reset p high d[1] low
  flop f4 q -> s posedge clk async-load p high 1 src \"t.v:9\"
  instance u1 \"in\" in a = d[1] 0 out y = t
end

module \"in\"
  input a = a[0] a[1]
  output y = a[0]
end
";

#[test]
fn every_statement_prints_and_parses() {
    let design = parse(ALL_KINDS, "test").unwrap();
    let printed = print(&design);
    assert_eq!(parse(&printed, "printed").unwrap(), design);
    insta::assert_snapshot!(printed, @"");
}

fn fault(netlist: &str) -> String {
    parse(netlist, "m.txt").unwrap_err().to_string()
}

#[test]
fn faults_of_syntax_show_the_line() {
    insta::assert_snapshot!(fault("modul m\nend\n"), @"");
    insta::assert_snapshot!(fault("module m\n gate g1 AND a -> y\n gate g2 FOO a -> y\nend\n"), @"");
    insta::assert_snapshot!(fault("module m\n input a = b c d ->\n wires\nend\n"), @"");
    insta::assert_snapshot!(fault("module m\n flop f d -> q\n flop f d -> q posedge c enable e\n flop f d -> q posedge c init 1 init 0\n flop f d -> q posedge c sometimes\nend\n"), @"");
    insta::assert_snapshot!(fault("module m\n instance u\n instance u n a = b\nend m\n"), @"");
    insta::assert_snapshot!(fault("module m\n input a\n wire a\nmodule n\n"), @"");
    insta::assert_snapshot!(fault("module m\n input \"a\n input \"\\q\"\n input \"\\u{110000}\"\nend\n"), @"");
}

#[test]
fn the_design_is_checked() {
    insta::assert_snapshot!(fault("module m\n output y\nend\n"), @"");
}

#[test]
fn random_designs_print_and_parse() {
    for_all(500, |mut choices| {
        let design = random_design(&mut choices);
        let printed = print(&design);
        match parse_unchecked(&printed, "printed") {
            Ok(again) => assert_eq!(again, design),
            Err(report) => panic!("{printed}\n{report}"),
        }
    });
}

#[test]
fn mutated_texts_do_not_panic() {
    for_all(2000, |mut choices| {
        let mut bytes = ALL_KINDS.as_bytes().to_vec();
        for _ in 0..1 + choices.below(4) {
            let at = choices.below(bytes.len());
            match choices.below(4) {
                0 => bytes[at] = choices.below(256) as u8,
                1 => drop(bytes.remove(at)),
                2 => bytes.insert(at, b" \"\\#\n=10x{}"[choices.below(11)]),
                _ => bytes.truncate(at + 1),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text, "mutated") {
            Ok(design) => assert_eq!(parse_unchecked(&print(&design), "again"), Ok(design)),
            Err(report) => assert!(!report.to_string().is_empty()),
        }
    });
}
