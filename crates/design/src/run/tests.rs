use super::*;
use crosswave_lanes::Backend;
use crosswave_netlist::text;

const VALUES: [Bit; 3] = [Bit::Zero, Bit::One, Bit::X];

fn run(text: &str, four_state: bool, backend: Backend) -> Run {
    let design = text::parse(text, "test").unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        clocks: Clocks::One(None),
        four_state,
        arrays: Arrays::None,
        replicas: 1,
        backend,
        is_saved: false,
    };
    build(&design, 0, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// Output of every gate for its inputs 0, 1, X; the last input goes fastest. Written out from the
/// tables of IEEE 1364 (`&`, `|`, `^`, `~`, `?:`) for the expressions in `simcells.v` of Yosys.
const GATES: [(&str, &[&str]); 16] = [
    ("BUF", &["01x"]),
    ("NOT", &["10x"]),
    ("AND", &["000", "01x", "0xx"]),
    ("NAND", &["111", "10x", "1xx"]),
    ("OR", &["01x", "111", "x1x"]),
    ("NOR", &["10x", "000", "x0x"]),
    ("XOR", &["01x", "10x", "xxx"]),
    ("XNOR", &["10x", "01x", "xxx"]),
    ("ANDNOT", &["000", "10x", "x0x"]),
    ("ORNOT", &["10x", "111", "1xx"]),
    (
        "MUX",
        &[
            "000", "01x", "0xx", "10x", "111", "1xx", "x0x", "x1x", "xxx",
        ],
    ),
    (
        "NMUX",
        &[
            "111", "10x", "1xx", "01x", "000", "0xx", "x1x", "x0x", "xxx",
        ],
    ),
    (
        "AOI3",
        &[
            "10x", "10x", "10x", "10x", "000", "x0x", "10x", "x0x", "x0x",
        ],
    ),
    (
        "OAI3",
        &[
            "111", "10x", "1xx", "10x", "10x", "10x", "1xx", "10x", "1xx",
        ],
    ),
    (
        "AOI4",
        &[
            "111", "10x", "1xx", "111", "10x", "1xx", "111", "10x", "1xx", // a = 0
            "111", "10x", "1xx", "000", "000", "000", "xxx", "x0x", "xxx", // a = 1
            "111", "10x", "1xx", "xxx", "x0x", "xxx", "xxx", "x0x", "xxx", // a = x
        ],
    ),
    (
        "OAI4",
        &[
            "111", "111", "111", "10x", "000", "x0x", "1xx", "xxx", "xxx", // a = 0
            "10x", "000", "x0x", "10x", "000", "x0x", "10x", "000", "x0x", // a = 1
            "1xx", "xxx", "xxx", "10x", "000", "x0x", "1xx", "xxx", "xxx", // a = x
        ],
    ),
];

#[test]
fn every_gate_over_0_1_and_x() {
    for (function, rows) in GATES {
        let expected = rows.concat();
        let arity = expected.len().ilog(3) as usize;
        assert_eq!(3_usize.pow(arity as u32), expected.len(), "{function}");
        let names = &["a", "b", "c", "d"][..arity];
        let inputs: String = names
            .iter()
            .map(|name| format!(" input {name}\n"))
            .collect();
        let text = format!(
            "module m\n{inputs} output y\n gate g {function} {} -> y\nend\n",
            names.join(" ")
        );
        let engines = [Backend::best(), Backend::Interpreter]
            .map(|backend| [true, false].map(|x| (backend, x)));
        for (backend, four_state) in engines.into_iter().flatten() {
            let mut run = run(&text, four_state, backend);
            for (number, expected) in expected.chars().enumerate() {
                let digit = |input: usize| number / 3_usize.pow((arity - 1 - input) as u32) % 3;
                let values: Vec<Bit> = (0..arity).map(|input| VALUES[digit(input)]).collect();
                if !four_state && values.contains(&Bit::X) {
                    continue;
                }
                for (input, &value) in values.iter().enumerate() {
                    run.drive(input, 0, 0, value);
                }
                run.settle();
                let found = run.output(0, 0).as_char();
                assert_eq!(found, expected, "{backend}: {function} of {values:?}");
            }
        }
    }
}

/// A control of a flip-flop: its input, and the value at which it acts.
#[derive(Debug, Clone, Copy)]
struct Level(&'static str, bool);

/// A flip-flop in the words of the text form, and what it does.
#[derive(Debug, Clone, Default)]
struct Kind {
    enable: Option<Level>,
    /// Level, value, whether the enable gates it.
    reset: Option<(Level, bool, bool)>,
    asynchronous_reset: Option<(Level, bool)>,
    set_reset: Option<(Level, Level)>,
    load: Option<Level>,
}

fn bit(value: bool) -> Bit {
    if value { Bit::One } else { Bit::Zero }
}

impl Kind {
    fn text(&self) -> String {
        let level = |Level(name, high): Level| {
            let way = if high { "high" } else { "low" };
            format!("{name} {way}")
        };
        let digit = |value: bool| u8::from(value);
        let mut text = String::from("flop f d -> q posedge clk");
        if let Some(enable) = self.enable {
            text += &format!(" enable {}", level(enable));
        }
        if let Some((reset, value, gated)) = self.reset {
            let gated = if gated { " gated" } else { "" };
            text += &format!(" reset {} to {}{gated}", level(reset), digit(value));
        }
        if let Some((reset, value)) = self.asynchronous_reset {
            text += &format!(" async-reset {} to {}", level(reset), digit(value));
        }
        if let Some((set, reset)) = self.set_reset {
            text += &format!(" async-set-reset {} {}", level(set), level(reset));
        }
        if let Some(load) = self.load {
            text += &format!(" async-load {} ad", level(load));
        }
        text
    }

    /// Applies the asynchronous controls to a stored value: `if (R) .. else if (S)`, where a
    /// condition that is X does not hold.
    fn seen(&self, stored: Bit, of: &dyn Fn(&str) -> Bit) -> Bit {
        let acts = |Level(name, high): Level| of(name) == bit(high);
        match (self.asynchronous_reset, self.set_reset, self.load) {
            (Some((reset, value)), _, _) if acts(reset) => bit(value),
            (_, Some((_, reset)), _) if acts(reset) => Bit::Zero,
            (_, Some((set, _)), _) if acts(set) => Bit::One,
            (_, _, Some(load)) if acts(load) => of("ad"),
            _ => stored,
        }
    }

    /// The stored value after the edge.
    fn next(&self, stored: Bit, of: &dyn Fn(&str) -> Bit) -> Bit {
        let acts = |Level(name, high): Level| of(name) == bit(high);
        let enabled = self.enable.is_none_or(acts);
        let clocked = match self.reset {
            Some((reset, value, false)) if acts(reset) => bit(value),
            Some((reset, value, true)) if enabled && acts(reset) => bit(value),
            _ if enabled => of("d"),
            _ => stored,
        };
        self.seen(clocked, of)
    }
}

/// Every flip-flop of Yosys with a rising clock.
fn kinds() -> Vec<Kind> {
    let both = [false, true];
    let mut kinds = Vec::new();
    let enables = [None, Some(Level("e", true)), Some(Level("e", false))];
    for enable in enables {
        let plain = Kind {
            enable,
            ..Kind::default()
        };
        kinds.push(plain.clone());
        for high in both {
            for value in both {
                let reset = Level("r", high);
                for gated in [false, enable.is_some()] {
                    let reset = Some((reset, value, gated));
                    kinds.push(Kind {
                        reset,
                        ..plain.clone()
                    });
                }
                let asynchronous_reset = Some((reset, value));
                kinds.push(Kind {
                    asynchronous_reset,
                    ..plain.clone()
                });
                let set_reset = Some((Level("s", value), reset));
                kinds.push(Kind {
                    set_reset,
                    ..plain.clone()
                });
            }
            let load = Some(Level("l", high));
            kinds.push(Kind {
                load,
                ..plain.clone()
            });
        }
    }
    kinds
}

const INPUTS: [&str; 6] = ["d", "e", "r", "s", "l", "ad"];

#[test]
fn every_flip_flop_over_0_1_and_x() {
    for kind in kinds() {
        let flop = kind.text();
        let used: Vec<&str> = INPUTS
            .into_iter()
            .filter(|name| flop.split(' ').any(|word| word == *name))
            .collect();
        let inputs: String = used.iter().map(|name| format!(" input {name}\n")).collect();
        let text = format!("module m\n input clk\n{inputs} output q\n {flop}\nend\n");
        for four_state in [true, false] {
            let values = &VALUES[..if four_state { 3 } else { 2 }];
            let mut run = run(&text, four_state, Backend::best());
            let places: Vec<usize> = used
                .iter()
                .map(|name| run.inputs().iter().position(|port| port.name == *name))
                .map(|place| place.expect("an input"))
                .collect();
            // The inputs at which only the enable acts, with data.
            let calm = |name: &str, data: Bit, enabled: bool| {
                let of = |level: Option<Level>, acts: bool| level.map(|Level(_, h)| bit(h == acts));
                let level = match name {
                    "e" => of(kind.enable, enabled),
                    "r" => of(kind.reset.map(|r| r.0), false)
                        .or(of(kind.asynchronous_reset.map(|r| r.0), false))
                        .or(of(kind.set_reset.map(|r| r.1), false)),
                    "s" => of(kind.set_reset.map(|r| r.0), false),
                    "l" => of(kind.load, false),
                    _ => None,
                };
                level.unwrap_or(data)
            };
            let combinations = values.len().pow(used.len() as u32);
            for number in 0..combinations * values.len() {
                let old = values[number % values.len()];
                let digit = |at: usize| {
                    let place = values.len().pow(at as u32 + 1);
                    values[number / place % values.len()]
                };
                for (name, &place) in used.iter().zip(&places) {
                    run.drive(place, 0, 0, calm(name, old, true));
                }
                run.settle();
                run.edge();
                let given: Vec<Bit> = (0..used.len()).map(digit).collect();
                for (&place, &value) in places.iter().zip(&given) {
                    run.drive(place, 0, 0, value);
                }
                run.settle();
                let of = |name: &str| {
                    let at = used.iter().position(|other| *other == name);
                    given[at.expect("an input")]
                };
                let case = format!("{flop}, {used:?} = {given:?}, before {old:?}");
                assert_eq!(run.output(0, 0), kind.seen(old, &of), "{case}");
                run.edge();
                for (name, &place) in used.iter().zip(&places) {
                    run.drive(place, 0, 0, calm(name, Bit::Zero, false));
                }
                run.settle();
                assert_eq!(run.output(0, 0), kind.next(old, &of), "after {case}");
            }
        }
    }
}

#[test]
fn flip_flops_start_at_their_initial_values() {
    for kind in kinds() {
        let flop = kind.text();
        let used = INPUTS
            .into_iter()
            .filter(|name| flop.split(' ').any(|word| word == *name));
        let inputs: String = used.map(|name| format!(" input {name}\n")).collect();
        for (end, expected) in [(" init 0", Bit::Zero), (" init 1", Bit::One), ("", Bit::X)] {
            let text = format!("module m\n input clk\n{inputs} output q\n {flop}{end}\nend\n");
            // No control acts, for all of them are X.
            let mut run = run(&text, true, Backend::best());
            run.settle();
            assert_eq!(run.output(0, 0), expected, "{flop}{end}");
        }
    }
}

/// A chain of 80 registers in the order of their names as texts: `r[0]`, `r[1]`, `r[10]`, ….
fn chain() -> String {
    let mut numbers: Vec<usize> = (0..80).collect();
    numbers.sort_by_key(|number| format!("r[{number}]"));
    let instance = |number: &usize| {
        let from = number.checked_sub(1);
        let data = from.map_or("a".to_owned(), |from| format!("y{from}"));
        format!(" instance r[{number}] register in clk = clk in d = {data} out q = y{number}\n")
    };
    let instances: String = numbers.iter().map(instance).collect();
    let bits: String = (0..80).map(|number| format!(" y{number}")).collect();
    format!(
        "module top\n input clk\n input a\n output y ={bits}\n output both\n{instances} \
         gate g AND y3 y70 -> both\nend\n\
         module register\n input clk\n input d\n output q\n flop f d -> q posedge clk\nend\n"
    )
}

#[test]
fn instances_side_by_side_are_few_moves() {
    const RUNS: usize = 3;
    let design = text::parse(&chain(), "test").unwrap_or_else(|error| panic!("{error}"));
    let options = Options {
        clocks: Clocks::One(None),
        four_state: false,
        arrays: Arrays::Named(vec!["register".to_owned()]),
        replicas: RUNS,
        backend: Backend::best(),
        is_saved: false,
    };
    let mut run = build(&design, 0, &options).unwrap_or_else(|error| panic!("{error}"));
    // Two moves a word for the chain, one for each run of what the user drives and of what the gate
    // reads; a move for each of 240 lanes would be 480.
    assert!(run.engine.cost() < 60, "{}", run.engine.cost());
    let driven = |cycle: usize, replica: usize| cycle.is_multiple_of(replica + 2);
    for cycle in 0..100 {
        for replica in 0..RUNS {
            run.drive(0, 0, replica, bit(driven(cycle, replica)));
        }
        run.settle();
        for replica in 0..RUNS {
            let at = |place: usize| cycle > place && driven(cycle - place - 1, replica);
            for place in 0..80 {
                assert_eq!(
                    run.output(place, replica),
                    bit(at(place)),
                    "{cycle} {place}"
                );
            }
            assert_eq!(run.output(80, replica), bit(at(3) && at(70)), "{cycle}");
        }
        run.edge();
    }
}
