//! One RN1 chip in three ways: its model, its netlist, and `hdl/rn1.v` in Icarus
//! Verilog; and chains of model chips.

use std::collections::VecDeque;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave::chip::rn1::{self, PORTS_A_SIDE, Rn1, STREAM_ORDER, STREAM_OUTPUT};
use crosswave::chip::rn1_protocol::RN1_DATA;
use crosswave::chip::{LinkWord, Model, RandomKind, RandomPins, netlists};
use crosswave::netlist::{Bit, Leaf};

/// Bits of `random_output`.
const OUTPUT_BITS: u64 = 4;

/// What is on the configuration pins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Configuration {
    pub two_crossbars: bool,
    pub swallow: u8,
    pub in_enable: u8,
    pub out_enable: u8,
    pub in_delay: [u8; PORTS_A_SIDE],
    pub out_delay: [u8; PORTS_A_SIDE],
}

fn fives(delays: [u8; PORTS_A_SIDE]) -> u64 {
    let places = delays.iter().enumerate();
    places
        .map(|(at, &delay)| u64::from(delay) << (5 * at))
        .sum()
}

impl Configuration {
    /// The options: port name, width and value.
    pub fn options(&self) -> [(&'static str, usize, u64); 6] {
        [
            ("two_crossbars", 1, u64::from(self.two_crossbars)),
            ("swallow", 8, u64::from(self.swallow)),
            ("in_enable", 8, u64::from(self.in_enable)),
            ("out_enable", 8, u64::from(self.out_enable)),
            ("in_delay", 40, fives(self.in_delay)),
            ("out_delay", 40, fives(self.out_delay)),
        ]
    }

    pub fn pins(&self) -> rn1::Pins {
        let mut pins = rn1::Pins::default();
        for (name, _, value) in self.options() {
            let port = rn1::CHIP.port(name);
            Rn1::set_pin(&mut pins, port, value);
            assert_eq!(Rn1::pin(&pins, port), value, "{name}");
        }
        pins
    }
}

/// The inputs of a chip in one cycle.
#[derive(Debug, Clone, Copy, Default)]
pub struct Row {
    pub reset: bool,
    /// What arrives at the link ports.
    pub words: [LinkWord; 2 * PORTS_A_SIDE],
    /// `random_order` above `random_output`.
    pub random: u16,
}

/// The outputs of a chip in one cycle.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shown {
    /// What it drives at the link ports.
    pub words: [LinkWord; 2 * PORTS_A_SIDE],
    pub states: [u8; PORTS_A_SIDE],
    pub outputs: [u8; PORTS_A_SIDE],
}

/// The random pins of a row.
pub struct Bits(pub u16);

impl RandomPins for Bits {
    fn bit(&self, stream: u64, kind: RandomKind) -> bool {
        assert_eq!(kind, RandomKind::Fair);
        let bit = match stream {
            STREAM_ORDER.. => OUTPUT_BITS + stream - STREAM_ORDER,
            _ => stream - STREAM_OUTPUT,
        };
        self.0 >> bit & 1 != 0
    }
}

/// A model and what it drives.
#[derive(Debug, Clone, Default)]
pub struct Chip {
    pins: rn1::Pins,
    state: rn1::State,
    driven: [LinkWord; 2 * PORTS_A_SIDE],
}

impl Chip {
    pub fn new(configuration: &Configuration) -> Chip {
        Chip {
            pins: configuration.pins(),
            ..Chip::default()
        }
    }

    pub fn shown(&self) -> Shown {
        let value = |input: usize, kind: &str| {
            let port = rn1::CHIP.port(&format!("i{input}_{kind}"));
            Rn1::output(&self.state, port) as u8
        };
        Shown {
            words: self.driven,
            states: std::array::from_fn(|input| value(input, "state")),
            outputs: std::array::from_fn(|input| value(input, "output")),
        }
    }

    pub fn step(&mut self, row: &Row) {
        if row.reset {
            (self.state, self.driven) = Default::default();
            return;
        }
        self.driven = row.words;
        let again = Rn1::step(
            &mut self.state,
            &self.pins,
            &Bits(row.random),
            &mut self.driven,
        );
        // An engine lets a chip rest when it says so and drives nothing. Then all
        // its registers hold what they hold after reset.
        if !again {
            assert_eq!(self.state, rn1::State::default());
        }
    }
}

/// The netlist, 64 chips at a time: bit `i` of a net belongs to chip `i`.
pub struct Lanes {
    leaf: Leaf,
    nets: Vec<u64>,
}

impl Lanes {
    pub fn new() -> Lanes {
        let module = netlists::module("rn1").expect("an embedded netlist");
        let leaf = Leaf::new(module, "clock", &[]).expect("a leaf");
        let nets = vec![0; leaf.nets()];
        Lanes { leaf, nets }
    }

    fn value(&self, bit: Bit) -> u64 {
        match bit {
            Bit::Net(net) => self.nets[net.index()],
            Bit::One => u64::MAX,
            Bit::Zero | Bit::X => 0,
        }
    }

    fn drive(&mut self, lane: usize, name: &str, value: u64) {
        let port = self.leaf.module.port(name).expect("a port");
        for (at, bit) in port.bits.iter().enumerate() {
            // An input that nothing reads has no net.
            if let Bit::Net(net) = bit {
                let word = &mut self.nets[net.index()];
                *word = *word & !(1 << lane) | (value >> at & 1) << lane;
            }
        }
    }

    pub fn configure(&mut self, lane: usize, configuration: &Configuration) {
        for (name, _, value) in configuration.options() {
            self.drive(lane, name, value);
        }
    }

    /// The outputs of each lane.
    pub fn shown(&self, lanes: usize) -> Vec<Shown> {
        let value = |lane: usize, name: String| {
            let port = self.leaf.module.port(&name).expect("a port");
            let bits = port.bits.iter().enumerate();
            bits.map(|(at, &bit)| (self.value(bit) >> lane & 1) << at)
                .sum::<u64>()
        };
        let all = (0..lanes).map(|lane| Shown {
            words: std::array::from_fn(|link| {
                let side = if link < PORTS_A_SIDE {
                    "backward"
                } else {
                    "forward"
                };
                value(lane, format!("{}_{side}", rn1::CHIP.links[link])) as LinkWord
            }),
            states: std::array::from_fn(|input| value(lane, format!("i{input}_state")) as u8),
            outputs: std::array::from_fn(|input| value(lane, format!("i{input}_output")) as u8),
        });
        all.collect()
    }

    /// One clock edge; `rows` has the inputs of each lane.
    pub fn step(&mut self, rows: &[Row]) {
        for (lane, row) in rows.iter().enumerate() {
            self.drive(lane, "reset", u64::from(row.reset));
            for (link, &word) in row.words.iter().enumerate() {
                let side = if link < PORTS_A_SIDE {
                    "forward"
                } else {
                    "backward"
                };
                let name = format!("{}_{side}", rn1::CHIP.links[link]);
                self.drive(lane, &name, u64::from(word));
            }
            self.drive(lane, "random_output", u64::from(row.random & 0xf));
            self.drive(lane, "random_order", u64::from(row.random >> OUTPUT_BITS));
        }
        for gate in &self.leaf.gates {
            let inputs: Vec<u64> = gate.inputs.iter().map(|&bit| self.value(bit)).collect();
            let table = gate.function.table();
            // The lanes in which the inputs are the bits of a row of the table.
            let ones = (0..1usize << inputs.len()).filter(|row| table >> row & 1 != 0);
            let value = ones.fold(0, |value, row| {
                let matches = inputs
                    .iter()
                    .enumerate()
                    .fold(u64::MAX, |lanes, (at, &input)| {
                        lanes & if row >> at & 1 != 0 { input } else { !input }
                    });
                value | matches
            });
            self.nets[gate.output.index()] = value;
        }
        let registers = self.leaf.registers.iter();
        let next: Vec<u64> = registers
            .map(|register| self.value(register.data))
            .collect();
        for (register, value) in self.leaf.registers.iter().zip(next) {
            self.nets[register.q.index()] = value;
        }
    }
}

/// The bits of a row with its configuration, the highest first, as hexadecimal
/// digits for `$readmemh`.
fn digits(configuration: &Configuration, row: &Row) -> String {
    let mut bits = vec![row.reset];
    let mut push = |width: usize, value: u64| {
        bits.extend((0..width).rev().map(|at| value >> at & 1 != 0));
    };
    push(16, u64::from(row.random));
    for (_, width, value) in configuration.options() {
        push(width, value);
    }
    row.words.iter().for_each(|&word| push(9, u64::from(word)));
    while bits.len() % 4 != 0 {
        bits.insert(0, false);
    }
    let digit = |four: &[bool]| {
        four.iter()
            .fold(0, |digit, &bit| 2 * digit + u32::from(bit))
    };
    let all = bits.chunks(4).map(digit);
    all.filter_map(|digit| char::from_digit(digit, 16))
        .collect()
}

/// Runs `hdl/rn1.v` in Icarus Verilog: the outputs in every cycle, `None` where a
/// bit is X.
pub fn icarus(cases: &[(Configuration, Vec<Row>)], folder: &Path) -> Vec<Option<Shown>> {
    let lines: Vec<String> = cases
        .iter()
        .flat_map(|(configuration, rows)| rows.iter().map(|row| digits(configuration, row)))
        .collect();
    fs::write(folder.join("rows.hex"), lines.join("\n")).expect("a writable folder");
    let width = 1 + 16 + 105 + 9 * 16;
    let mut ports = String::new();
    let mut at = width - 1;
    let mut take = |width: usize| {
        let range = format!("row[{}:{}]", at - 1, at - width);
        at -= width;
        range
    };
    let _ = write!(ports, ".random_order({}), ", take(12));
    let _ = write!(ports, ".random_output({})", take(4));
    for (name, width, _) in Configuration::default().options() {
        let _ = write!(ports, ", .{name}({})", take(width));
    }
    let mut shown = Vec::new();
    for (link, name) in rn1::CHIP.links.iter().enumerate() {
        let (read, driven) = match link < PORTS_A_SIDE {
            true => ("forward", "backward"),
            false => ("backward", "forward"),
        };
        let _ = write!(ports, ", .{name}_{read}({})", take(9));
        let _ = write!(ports, ", .{name}_{driven}({name})");
        shown.push((name.to_string(), 9));
    }
    for input in 0..PORTS_A_SIDE {
        let _ = write!(
            ports,
            ", .i{input}_state(s{input}), .i{input}_output(t{input})"
        );
        shown.push((format!("s{input}"), 3));
        shown.push((format!("t{input}"), 3));
    }
    let mut wires = String::new();
    for (name, width) in &shown {
        let _ = writeln!(wires, "wire [{}:0] {name};", width - 1);
    }
    let names: Vec<&str> = shown.iter().map(|(name, _)| name.as_str()).collect();
    let bench = format!(
        "module bench;\nreg clock = 0; reg [{0}:0] rows [0:{1}]; reg [{0}:0] row; integer i;\n{wires}\
         rn1 chip (.clock(clock), .reset(row[{0}]), {ports});\n\
         initial begin\n$readmemh(\"rows.hex\", rows);\n\
         for (i = 0; i <= {1}; i = i + 1) begin\n\
         row = rows[i]; #4 $display(\"{2}\", {3}); #1 clock = 1; #5 clock = 0;\nend\nend\nendmodule\n",
        width - 1,
        lines.len() - 1,
        vec!["%b"; names.len()].join(" "),
        names.join(", ")
    );
    fs::write(folder.join("bench.v"), bench).expect("a writable folder");
    let hdl = Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl");
    let sources = [
        "rn1",
        "rn1_input",
        "rn1_checksum",
        "rn1_direction",
        "rn1_gather",
    ];
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-Wall", "-s", "bench", "-o", "bench.vvp"]);
    compile.arg("-I").arg(hdl.join("include")).arg("bench.v");
    compile.args(sources.map(|name| hdl.join(format!("{name}.v"))));
    finish(compile.current_dir(folder));
    let printed = finish(
        Command::new("vvp")
            .args(["-n", "bench.vvp"])
            .current_dir(folder),
    );
    let result: Vec<Option<Shown>> = printed.lines().map(parse).collect();
    assert_eq!(result.len(), lines.len(), "{printed}");
    result
}

/// One line of the bench.
fn parse(line: &str) -> Option<Shown> {
    let values = line.split_whitespace();
    let values: Option<Vec<u16>> = values
        .map(|bits| u16::from_str_radix(bits, 2).ok())
        .collect();
    let values = values?;
    let rest = &values[2 * PORTS_A_SIDE..];
    Some(Shown {
        words: values[..2 * PORTS_A_SIDE].try_into().expect("all links"),
        states: std::array::from_fn(|input| rest[2 * input] as u8),
        outputs: std::array::from_fn(|input| rest[2 * input + 1] as u8),
    })
}

/// Runs a program that has to succeed, and gives what it printed.
fn finish(command: &mut Command) -> String {
    let output = command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}; install it to run this test"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// The word with its byte rotated to the left by `steps` times two bits.
pub fn rotated(word: LinkWord, steps: usize) -> LinkWord {
    let byte = (word as u8).rotate_left(2 * (steps as u32 % 4));
    word & RN1_DATA as LinkWord | LinkWord::from(byte)
}

/// A source, routers in a row and a destination. The wire in front of router `j`
/// has `delays[j]` extra clocks, and the last one leads to the destination.
/// Between routers the wires rotate the byte, forward to the left by two bits.
pub struct Chain {
    pub chips: Vec<Chip>,
    /// Input and output of each router that the wires join.
    ports: Vec<(usize, usize)>,
    forward: Vec<VecDeque<LinkWord>>,
    backward: Vec<VecDeque<LinkWord>>,
}

impl Chain {
    /// Routers as `configure` wants them, told of the delays of the wires.
    pub fn new(
        delays: &[u8],
        ports: &[(usize, usize)],
        configure: impl Fn(usize, &mut Configuration),
    ) -> Chain {
        let chips = (0..ports.len()).map(|stage| {
            let mut configuration = Configuration {
                in_enable: 0xff,
                out_enable: 0xff,
                ..Configuration::default()
            };
            configuration.in_delay[ports[stage].0] = delays[stage];
            configuration.out_delay[ports[stage].1] = delays[stage + 1];
            configure(stage, &mut configuration);
            Chip::new(&configuration)
        });
        let wire = |&delay: &u8| VecDeque::from(vec![0; usize::from(delay)]);
        Chain {
            chips: chips.collect(),
            ports: ports.to_vec(),
            forward: delays.iter().map(wire).collect(),
            backward: delays.iter().map(wire).collect(),
        }
    }

    /// One clock: what the source and the destination drive in it; what they see.
    pub fn step(&mut self, source: LinkWord, destination: LinkWord) -> (LinkWord, LinkWord) {
        let stages = self.chips.len();
        let driven = |chips: &[Chip], stage: usize, link: usize| chips[stage].driven[link];
        let mut at_far = Vec::new();
        let mut at_near = Vec::new();
        for wire in 0..=stages {
            let near = match wire {
                0 => source,
                _ => driven(&self.chips, wire - 1, PORTS_A_SIDE + self.ports[wire - 1].1),
            };
            let far = match wire {
                _ if wire == stages => destination,
                _ => driven(&self.chips, wire, self.ports[wire].0),
            };
            let between = usize::from(wire > 0 && wire < stages);
            self.forward[wire].push_back(rotated(near, between));
            self.backward[wire].push_back(rotated(far, 4 - between));
            at_far.push(self.forward[wire].pop_front().expect("a word"));
            at_near.push(self.backward[wire].pop_front().expect("a word"));
        }
        for (stage, chip) in self.chips.iter_mut().enumerate() {
            let mut row = Row::default();
            row.words[self.ports[stage].0] = at_far[stage];
            row.words[PORTS_A_SIDE + self.ports[stage].1] = at_near[stage + 1];
            chip.step(&row);
        }
        (at_near[0], at_far[stages])
    }

    /// The states of the routers' inputs.
    pub fn states(&self) -> Vec<u64> {
        let stages = self.chips.iter().zip(&self.ports);
        stages
            .map(|(chip, &(input, _))| u64::from(chip.shown().states[input]))
            .collect()
    }
}
