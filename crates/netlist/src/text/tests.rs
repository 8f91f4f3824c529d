use super::*;
use crate::testing::{for_all, random_design};

const ALL_KINDS: &str = "\
module top src \"t.v:1.1\"   # a comment
  wire clk
  wire \"a b\" src \"t.v:2.2\"
  input clk
  input d = \"a b\" d[1]
  output q = q 0 1 ? \"?\"
  gate g1 MUX d[1] 0 clk -> \"?\" src \"t.v:3\"
  flop f1 \"?\" -> q posedge clk enable d[1] low reset d[1] high to 1 gated init 0
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
    insta::assert_snapshot!(printed, @r#"
    module top src t.v:1.1
      wire clk
      wire "a b" src t.v:2.2
      wire d[1]
      wire q
      wire "?"
      wire p
      wire r
      wire s
      wire t
      input clk
      input d = "a b" d[1]
      output q = q 0 1 ? "?"
      gate g1 MUX d[1] 0 clk -> "?" src t.v:3
      flop f1 "?" -> q posedge clk enable d[1] low reset d[1] high to 1 gated init 0
      flop f2 q -> p negedge clk async-reset d[1] low to 0
      flop f3 q -> r posedge clk async-set-reset p high d[1] low
      flop f4 q -> s posedge clk async-load p high 1 src t.v:9
      instance u1 "in" in a = d[1] 0 out y = t
    end

    module "in"
      input a = a[0] a[1]
      output y = a[0]
    end
    "#);
}

fn fault(netlist: &str) -> String {
    parse(netlist, "m.txt").unwrap_err().to_string()
}

#[test]
fn faults_of_syntax_show_the_line() {
    insta::assert_snapshot!(fault("modul m\nend\n"), @r"
    error: line 1, column 1: found `modul`, expected `module`
     --> m.txt:1:1
      |
    1 | modul m
      | ^^^^^

    error: line 2, column 1: found `end`, expected `module`
     --> m.txt:2:1
      |
    2 | end
      | ^^^
    ");
    insta::assert_snapshot!(fault("module m\n gate g1 AND a -> y\n gate g2 FOO a -> y\nend\n"), @r"
    error: line 2, column 10: AND has 2 inputs (A B), but 1 are given
     --> m.txt:2:10
      |
    2 |  gate g1 AND a -> y
      |          ^^^

    error: line 3, column 10: found `FOO`, expected `BUF` or `NOT` or `AND` or `NAND` or `OR` or `NOR` or `XOR` or `XNOR` or `ANDNOT` or `ORNOT` or `MUX` or `NMUX` or `AOI3` or `OAI3` or `AOI4` or `OAI4`
     --> m.txt:3:10
      |
    3 |  gate g2 FOO a -> y
      |          ^^^
    ");
    insta::assert_snapshot!(fault("module m\n input a = b c d ->\n wires\nend\n"), @r"
    error: line 2, column 18: found `->`, expected `=`, bits, and the end of the line
     --> m.txt:2:18
      |
    2 |  input a = b c d ->
      |                  ^^

    error: line 3, column 2: found `wires`, expected `wire`, `input`, `output`, `gate`, `flop`, `memory`, `instance`, `module` or `end`
     --> m.txt:3:2
      |
    3 |  wires
      |  ^^^^^
    ");
    insta::assert_snapshot!(fault("module m\n flop f d -> q\n flop f d -> q posedge c enable e\n flop f d -> q posedge c init 1 init 0\n flop f d -> q posedge c sometimes\nend\n"), @r"
    error: line 2, column 15: found the end of the line, expected `posedge` or `negedge`
     --> m.txt:2:15
      |
    2 |  flop f d -> q
      |               ^

    error: line 3, column 34: found the end of the line, expected `low` or `high`
     --> m.txt:3:34
      |
    3 |  flop f d -> q posedge c enable e
      |                                  ^

    error: line 4, column 33: a second option of this kind
     --> m.txt:4:33
      |
    4 |  flop f d -> q posedge c init 1 init 0
      |                                 ^^^^
      |
      = help: give it once

    error: line 5, column 26: found `sometimes`, expected `enable`, `reset`, `async-reset`, `async-set-reset`, `async-load`, `init` or `src`
     --> m.txt:5:26
      |
    5 |  flop f d -> q posedge c sometimes
      |                          ^^^^^^^^^
    ");
    insta::assert_snapshot!(fault("module m\n instance u\n instance u n a = b\nend m\n"), @r"
    error: line 2, column 12: found the end of the line, expected the name of the module
     --> m.txt:2:12
      |
    2 |  instance u
      |            ^

    error: line 3, column 15: found `a`, expected `in` or `out`
     --> m.txt:3:15
      |
    3 |  instance u n a = b
      |               ^

    error: line 4, column 5: found `m`, expected the end of the line
     --> m.txt:4:5
      |
    4 | end m
      |     ^
    ");
    insta::assert_snapshot!(fault("module m\n input a\n wire a\nmodule n\n"), @r"
    error: line 3, column 7: net `a` was mentioned before
     --> m.txt:3:7
      |
    3 |  wire a
      |       ^
      |
      = help: put `wire` lines before all others, one for each net

    error: line 4, column 1: a module begins inside module `m`
     --> m.txt:4:1
      |
    4 | module n
      | ^^^^^^
      |
      = help: write `end` before it

    error: line 5, column 1: module `m` has no `end`
     --> m.txt:4:10
      |
    4 | module n
      |         ^
    ");
    insta::assert_snapshot!(fault("module m\n input \"a\n input \"\\q\"\n input \"\\u{110000}\"\nend\n"), @r#"
    error: line 2, column 8: the quoted name has no end
     --> m.txt:2:8
      |
    2 |  input "a
      |        ^^

    error: line 3, column 9: expected one of `\"`, `\\`, `\n`, `\u{hex}`
     --> m.txt:3:9
      |
    3 |  input "\q"
      |         ^

    error: line 4, column 9: expected the code of a character: `\u{hex}`
     --> m.txt:4:9
      |
    4 |  input "\u{110000}"
      |         ^^
    "#);
}

#[test]
fn the_design_is_checked() {
    insta::assert_snapshot!(fault("module m\n input a\n output y\n gate g NOT a -> n\nend\n"), @r"
    error: m.txt: module m, port y, bit 0: net `y` is read here but never driven
      help: drive it, or give undriven nets a value with the Yosys pass `setundef -undriven -zero`
    ");
}

#[test]
fn random_designs_print_and_parse() {
    for_all(500, |mut choices| {
        let design = random_design(&mut choices);
        let printed = print(&design);
        match parse_unchecked(&printed, "printed") {
            Ok(again) => assert_eq!(again, design),
            Err(error) => panic!("{printed}\n{error}"),
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
                2 => bytes.insert(at, b" \"\\#\n=10?{}"[choices.below(11)]),
                _ => bytes.truncate(at + 1),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        match parse(&text, "mutated") {
            Ok(design) => assert_eq!(parse_unchecked(&print(&design), "again"), Ok(design)),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    });
}
