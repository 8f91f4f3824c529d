use super::*;
use crate::{Arrays, Options, Run, build};
use crosswave_netlist::text;
use crosswave_wave::Bit as Value;

fn parse(text: &str) -> Design {
    text::parse(text, "t").unwrap_or_else(|error| panic!("{error}"))
}

fn options(clocks: Clocks, arrays: Arrays, replicas: usize) -> Options {
    Options {
        clocks,
        four_state: false,
        arrays,
        replicas,
        backend: crosswave_lanes::Backend::best(),
        is_saved: false,
    }
}

fn period(name: &str, period: u64, shift: u64) -> ClockPeriod {
    ClockPeriod {
        name: name.to_owned(),
        period,
        shift,
    }
}

/// The design is refused with these clocks; what is said.
fn refused(text: &str, clocks: Clocks) -> String {
    let design = parse(text);
    let root = design.modules.len() - 1;
    let built = build(&design, root, &options(clocks, Arrays::Auto, 1));
    built.err().expect("a mistake").to_string()
}

/// Toggles of `part` at each edge of a clock: rising ones of `c`, falling ones of `d`, which are those of an
/// inverter's output; a clock through a module that inverts it.
const TOGGLES: &str = "\
module turned\n input c\n output o\n gate n NOT c -> o\nend\n\
module part\n input c\n input d\n input on\n output p\n output q\n output r\n \
gate np NOT p -> p_next\n gate nq NOT q -> q_next\n gate nr NOT r -> r_next\n \
gate cb BUF c -> c_b\n \
flop fp p_next -> p posedge c_b\n flop fq q_next -> q negedge d\n \
flop fr r_next -> r posedge c enable on low\nend\n\
module top\n input a\n input b\n input on\n output p\n output q\n output r\n output s\n output t\n \
instance x turned in c = b out o = b_not\n \
instance u part in c = a in d = b in on = on out p = p out q = q out r = r\n \
instance v part in c = b_not in d = b_not in on = on out p = s out q = t out r = none\nend\n";

/// The number of edges until a cycle ends, of a clock of this period, counted from its levels.
fn edges(period: u64, shift: u64, rising: bool, cycle: u64) -> u64 {
    // In half cycles.
    let level = |time: u64| (time + 2 * period * shift - 2 * shift) % (2 * period) < period;
    let times = 1..=2 * (cycle + 1);
    times
        .filter(|&time| level(time) == rising && level(time - 1) != rising)
        .count() as u64
}

#[test]
fn flip_flops_act_at_their_edges_only() {
    let design = parse(TOGGLES);
    let arrays = [
        Arrays::None,
        Arrays::Auto,
        Arrays::Named(vec!["part".to_owned()]),
    ];
    for arrays in arrays {
        for (a, b) in [
            ((1, 0), (2, 0)),
            ((3, 0), (2, 1)),
            ((5, 2), (4, 3)),
            ((2, 0), (6, 7)),
        ] {
            let clocks = Clocks::Periods(vec![period("b", b.0, b.1), period("a", a.0, a.1)]);
            let mut run = build(&design, 2, &options(clocks, arrays.clone(), 3)).expect("runs");
            assert_eq!(run.clocks().len(), 2);
            assert_eq!(run.inputs().len(), 1);
            for cycle in 0..60 {
                run.begin_cycle(cycle);
                run.settle();
                let odd = |(period, shift), rising| match cycle {
                    0 => Value::Zero,
                    _ if edges(period, shift, rising, cycle - 1) % 2 == 1 => Value::One,
                    _ => Value::Zero,
                };
                // `on` is 0, so `r` toggles as `p` does.
                let expected = [(a, true), (b, false), (a, true), (b, false), (b, true)];
                let expected = expected.map(|(clock, rising)| odd(clock, rising));
                for replica in 0..3 {
                    let found = [0, 1, 2, 3, 4].map(|bit| run.output(bit, replica));
                    assert_eq!(found, expected, "{arrays:?} {a:?} {b:?} cycle {cycle}");
                }
                run.edge();
            }
        }
    }
}

#[test]
fn levels_are_those_of_half_a_period() {
    let design = parse(TOGGLES);
    for (of_a, shift) in [(1, 0), (2, 0), (2, 1), (3, 0), (3, 2), (4, 9), (7, 3)] {
        let clocks = Clocks::Periods(vec![period("a", of_a, shift), period("b", 2, 0)]);
        let run: Run = build(&design, 2, &options(clocks, Arrays::Auto, 1)).expect("runs");
        for time in 0..80 {
            let found = run.clocks()[0].levels(time / 2, 0)[(time % 2) as usize];
            let phase = (time + 2 * of_a * shift - 2 * shift) % (2 * of_a);
            assert_eq!(
                found,
                phase < of_a,
                "period {of_a} from {shift}, half cycle {time}"
            );
        }
    }
}

#[test]
fn clocks_that_are_not_inputs_are_refused() {
    let with = |text: &str| refused(text, Clocks::OfStimulus);
    insta::assert_snapshot!(with(
        "module t\n input a\n input b\n input d\n output q\n output r\n output s\n \
         gate g AND a b -> c\n flop f d -> q posedge a\n flop h d -> r negedge a\n \
         flop k d -> s posedge c\nend\n"
    ), @r"
    error: t: module t, cell k: clocked by net `c`, which is no input of module `t`
      help: gated and divided clocks are not supported: use an enable, and a clock that is an input

    error: t: module t, cell g, port A: reads the clock `a` as data
      help: use a flip-flop that toggles
    ");
    insta::assert_snapshot!(with(
        "module u\n input c\n input d\n output q\n output r\n flop f d -> q negedge c\n \
         gate g AND q c -> r\nend\n\
         module t\n input a\n input d\n output q\n output r\n \
         instance x u in c = a in d = d out q = q out r = r\nend\n"
    ), @r"
    error: u: module u, cell g, port B: reads the clock `c` as data
      help: use a flip-flop that toggles
    ");
    insta::assert_snapshot!(with(
        "module u\n input c\n output o\n gate g BUF c -> o\nend\n\
         module t\n input a\n input d\n output q\n output o\n instance x u in c = a out o = o\n \
         flop f d -> q negedge a\nend\n"
    ), @r"
    error: t: module t, port o: reads the clock `a` as data
      help: use a flip-flop that toggles
    ");
    insta::assert_snapshot!(with(
        "module t\n input c = a b\n input d\n output q\n output r\n flop f d -> q posedge a\n \
         flop g d -> r posedge b\nend\n"
    ), @r"
    error: t: module t, port c: a clock is a bit of a vector
      help: give each clock an input of its own, with the Yosys command `splitnets -ports i:c` before `abc`
    ");
}

#[test]
fn periods_that_do_not_fit_are_refused() {
    let with = |periods: &[ClockPeriod]| refused(TOGGLES, Clocks::Periods(periods.to_vec()));
    insta::assert_snapshot!(with(&[period("a", 1, 0)]), @r"
    error: command line: --clock: `b` clocks flip-flops too, but its period is not known
      help: add --clock b=CYCLES
    ");
    insta::assert_snapshot!(with(&[period("a", 2, 0)]), @r"
    error: command line: --clock: `b` clocks flip-flops too, but its period is not known
      help: add --clock b=CYCLES
    ");
    insta::assert_snapshot!(with(&[period("a", 1, 0), period("b", 3, 0)]), @r"
    error: command line: --clock: flip-flops act on the falling edges of `b`, which are within a cycle: its period is 3, expected an even number of cycles
      help: double the periods and shifts of all clocks
    ");
    insta::assert_snapshot!(with(&[period("a", 1, 0), period("a", 2, 0), period("b", 2, 0)]), @r"
    error: command line: --clock: `a` has two periods
      help: give each clock one
    ");
    insta::assert_snapshot!(with(&[period("on", 1, 0), period("b", 2, 0)]), @r"
    error: command line: --clock: `on` clocks no flip-flop; the flip-flops are clocked by `a`, `b`
      help: leave it out
    ");
    insta::assert_snapshot!(with(&[period("none", 1, 0), period("b", 2, 0)]), @r"
    error: command line: --clock: module `top` has no port `none`
      help: inputs of one bit: `a`, `b`, `on`
    ");
}

#[test]
fn one_clock_that_modules_turn_is_one() {
    // `v` has it at two inputs.
    let turned = "\
module turned\n input c\n output o\n gate n NOT c -> o\nend\n\
module part\n input c\n input d\n output p\n output q\n \
gate np NOT p -> p_next\n gate nq NOT q -> q_next\n \
flop fp p_next -> p posedge c\n flop fq q_next -> q negedge d\nend\n\
module top\n input clk\n output p\n output q\n \
instance x turned in c = clk out o = nclk\n \
instance v part in c = clk in d = nclk out p = p out q = q\nend\n";
    // Inverted twice, rising edges are rising ones again.
    let twice = "\
module turned\n input c\n output o\n gate n NOT c -> m\n gate k NOT m -> o\nend\n\
module part\n input c\n output p\n gate np NOT p -> p_next\n flop fp p_next -> p posedge c\nend\n\
module top\n input clk\n output p\n output q\n \
gate a NOT clk -> b\n gate d NOT b -> e\n \
instance x turned in c = clk out o = f\n \
instance v part in c = e out p = p\n instance w part in c = f out p = q\nend\n";
    let all = [
        Clocks::One(None),
        Clocks::One(Some("clk".to_owned())),
        Clocks::OfStimulus,
        Clocks::Periods(vec![period("clk", 1, 0)]),
    ];
    for (text, clocks) in [turned, twice].into_iter().flat_map(|text| {
        let all = all.clone().into_iter();
        all.map(move |clocks| (text, clocks))
    }) {
        let design = parse(text);
        let named = Arrays::Named(vec!["part".to_owned()]);
        let mut run = build(&design, 2, &options(clocks, named, 1)).expect("runs");
        assert_eq!(run.clocks()[0].period(), Some((1, 0)));
        for cycle in 0..9 {
            run.begin_cycle(cycle);
            run.settle();
            let expected = [Value::Zero, Value::One][(cycle % 2) as usize];
            assert_eq!([run.output(0, 0), run.output(1, 0)], [expected; 2]);
            run.edge();
        }
    }
    insta::assert_snapshot!(refused(turned, Clocks::One(Some("none".to_owned()))), @r"
    error: command line: --clock: module `top` has no port `none`
      help: inputs of one bit: `clk`
    ");
}
