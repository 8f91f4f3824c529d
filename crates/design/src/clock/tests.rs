use crate::{Arrays, Options, build};
use crosswave_netlist::text;

/// The clock that is found, or what is said.
fn found(text: &str, wanted: Option<&str>) -> Result<Option<String>, String> {
    let design = text::parse(text, "t").unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        clock: wanted.map(str::to_owned),
        four_state: false,
        arrays: Arrays::None,
        replicas: 1,
        backend: crosswave_lanes::Backend::best(),
    };
    let root = design.modules.len() - 1;
    let built = build(&design, root, &options);
    built
        .map(|run| run.clock().map(str::to_owned))
        .map_err(|error| error.to_string())
}

#[test]
fn of_two_clocks_with_equally_many_flip_flops_the_first_input_counts() {
    for (first, second) in [("one", "two"), ("two", "one")] {
        let text = format!(
            "module t\n input d\n input {first}\n input {second}\n output q\n output r\n \
             flop f d -> q posedge one\n flop g d -> r posedge two\nend\n"
        );
        let said = found(&text, None).unwrap_err();
        let (cell, wrong) = if second == "two" {
            ("g", "two")
        } else {
            ("f", "one")
        };
        let expected = format!("cell {cell}: clocked by `{wrong}`, expected the clock `{first}`");
        assert!(said.contains(&expected), "{said}");
        assert_eq!(said.matches("error").count(), 1, "{said}");
        // The one that is asked for counts, whichever is first.
        let said = found(&text, Some("two")).unwrap_err();
        assert!(said.contains("cell f: clocked by `one`, expected the clock `two`"));
    }
}

#[test]
fn the_clock_of_most_flip_flops_counts() {
    let text = "module t\n input d\n input one\n input two\n output q\n output r\n output s\n \
                flop f d -> q posedge one\n flop g d -> r posedge two\n \
                gate b BUF two -> two_b\n flop h d -> s posedge two_b\nend\n";
    let said = found(text, None).unwrap_err();
    assert!(
        said.contains("cell f: clocked by `one`, expected the clock `two`"),
        "{said}"
    );
    assert_eq!(said.matches("error").count(), 1, "{said}");
}

#[test]
fn one_clock_that_reaches_two_inputs_of_a_module_is_one() {
    let text = "module part\n input d\n input one\n input two\n output q\n output r\n \
                flop f d -> q posedge one\n flop g q -> r posedge two\nend\n\
                module t\n input clk\n input d\n output q\n output r\n \
                instance u part in d = d in one = clk in two = clk out q = q out r = r\nend\n";
    assert_eq!(found(text, None), Ok(Some("clk".to_owned())));
}

#[test]
fn falling_edges_only_are_told_how_to_turn_over() {
    let text = "module t\n input clk\n input d\n input e\n output q\n output r\n \
                flop f d -> q negedge clk\n \
                flop g d -> r negedge clk enable e low async-reset d high to 1\nend\n";
    insta::assert_snapshot!(found(text, None).unwrap_err(), @r"
    error: t: module t: all 2 flip-flops act on the falling edge of their clock
      help: a cycle ends with the rising edge; turn the flip-flops over with the Yosys commands `chtype -set $_DFFE_PP1N_ t:$_DFFE_NP1N_`, `chtype -set $_DFF_P_ t:$_DFF_N_` before `write_json`; a VCD stimulus needs its clock inverted then
    ");
    let mixed = text.replacen("negedge", "posedge", 1);
    insta::assert_snapshot!(found(&mixed, None).unwrap_err(), @r"
    error: t: module t, cell g: acts on the falling edge of its clock
      help: a cycle has one edge, and others act on the rising one; use `posedge`
    ");
}

#[test]
fn a_clock_within_a_vector_is_told_how_to_be_split() {
    let text = "module t\n input c = a b\n input d\n output q\n flop f d -> q posedge b\nend\n";
    insta::assert_snapshot!(found(text, None).unwrap_err(), @r"
    error: t: module t, cell f: clocked by net `b`, which is not an input of one bit of module `t`
      help: give the clock an input of its own, with the Yosys command `splitnets -ports i:c` before `abc`
    ");
}
