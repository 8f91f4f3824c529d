use crate::{Arrays, Clocks, Options, build};
use crosswave_netlist::text;

/// The clock that is found, or what is said.
fn found(text: &str, wanted: Option<&str>) -> Result<Option<String>, String> {
    let design = text::parse(text, "t").unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        clocks: Clocks::One(wanted.map(str::to_owned)),
        four_state: false,
        arrays: Arrays::None,
        replicas: 1,
        backend: crosswave_lanes::Backend::best(),
        is_saved: false,
    };
    let root = design.modules.len() - 1;
    let built = build(&design, root, &options);
    built
        .map(|run| run.clocks().first().map(|clock| clock.name.clone()))
        .map_err(|error| error.to_string())
}

#[test]
fn several_clocks_are_asked_for() {
    let text = "module t\n input d\n input one\n input two\n output q\n output r\n \
                flop f d -> q posedge one\n gate b BUF two -> two_b\n \
                flop g d -> r posedge two_b\nend\n";
    insta::assert_snapshot!(found(text, None).unwrap_err(), @r"
    error: command line: --clock: flip-flops follow `one` and `two`, and it is not known how they run
      help: give their periods in cycles, as in --clock one=1 --clock two=1; without --clock, a waveform with them as the stimulus says it
    ");
    assert_eq!(found(text, Some("one")), found(text, None));
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
    error: command line: --clock: flip-flops follow falling edges of `clk`, and it is not known how they run
      help: give their periods in cycles, as in --clock clk=2; without --clock, a waveform with them as the stimulus says it
    ");
    let mixed = text.replacen("negedge", "posedge", 1);
    insta::assert_snapshot!(found(&mixed, None).unwrap_err(), @r"
    error: command line: --clock: flip-flops follow both edges of `clk`, and it is not known how they run
      help: give their periods in cycles, as in --clock clk=2; without --clock, a waveform with them as the stimulus says it
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
