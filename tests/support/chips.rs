//! A chip by its port table, in three ways: its model, its netlist, and its Verilog in
//! Icarus Verilog. A row has the values of all inputs but the clock in one cycle, or
//! of all outputs, in the order of the table.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crosswave_chips::{
    Chip, ChipPins, Model, PinDirection, Port, RandomKind, RandomPins, Role, Word, netlists,
};
use crosswave_netlist::{Bit, Leaf};

use crate::support;

pub type Row = Vec<u64>;

/// The inputs of a row.
pub fn inputs(chip: &'static Chip) -> impl Iterator<Item = (usize, &'static Port)> {
    let ports = chip.ports.iter().enumerate();
    ports.filter(|(_, port)| {
        port.direction == PinDirection::Input && !matches!(port.role, Role::Clock)
    })
}

/// The outputs of a row.
pub fn outputs(chip: &'static Chip) -> impl Iterator<Item = (usize, &'static Port)> {
    let ports = chip.ports.iter().enumerate();
    ports.filter(|(_, port)| port.direction == PinDirection::Output)
}

/// The random inputs of a row, and its cycle.
struct Bits<'a>(&'static Chip, &'a Row, u64);

impl RandomPins for Bits<'_> {
    fn cycle(&self) -> u64 {
        self.2
    }

    fn bit(&self, stream: u64, kind: RandomKind) -> bool {
        for ((_, port), &value) in inputs(self.0).zip(self.1) {
            if let Role::Random {
                stream: first,
                kind: is,
            } = port.role
                && (first..first + u64::from(port.width)).contains(&stream)
            {
                assert_eq!(kind, is);
                return value >> (stream - first) & 1 != 0;
            }
        }
        panic!("{} has no stream {stream:#x}", self.0.name);
    }
}

/// A model and what it drives.
#[derive(Debug)]
pub struct Unit<M: Model> {
    pins: M::Pins,
    /// The cycle; that of a reset is 0.
    cycle: u64,
    pub state: M::State,
    pub driven: Vec<M::Word>,
}

impl<M: Model> Unit<M> {
    pub fn new() -> Unit<M> {
        Unit {
            pins: M::Pins::default(),
            cycle: 0,
            state: M::State::default(),
            driven: vec![M::Word::default(); M::LINKS],
        }
    }

    pub fn shown(&self) -> Row {
        let value = |(index, port): (usize, &Port)| match port.role {
            Role::Link { link, lsb } => {
                self.driven[link].into() >> lsb & (u64::MAX >> (64 - port.width))
            }
            _ => M::output(&self.state, index),
        };
        outputs(M::CHIP).map(value).collect()
    }

    /// One clock edge. Whether the model says that it has to be evaluated again.
    pub fn step(&mut self, row: &Row) -> bool {
        let mut reset = false;
        self.driven.fill(M::Word::default());
        for ((index, port), &value) in inputs(M::CHIP).zip(row) {
            match port.role {
                Role::Reset => reset = value != 0,
                Role::Link { link, lsb } => {
                    self.driven[link] = self.driven[link] | M::Word::of(value << lsb);
                }
                Role::Option | Role::Host => {
                    self.pins.set(index, value);
                    assert_eq!(self.pins.get(index), value, "{}", port.name);
                }
                _ => {}
            }
        }
        if reset {
            self.state = M::State::default();
            self.driven.fill(M::Word::default());
            self.cycle = 1;
            return true;
        }
        let arriving = self.driven.clone();
        let bits = Bits(M::CHIP, row, self.cycle);
        self.cycle += 1;
        let again = M::step(&mut self.state, &self.pins, &bits, &mut self.driven);
        if M::STEP_REPORTS_OUTPUT_CHANGE && !again {
            self.assert_stays(&arriving, row);
        }
        again
    }

    /// A model that says that it rests stays as it is while what arrives does, whatever is
    /// drawn.
    fn assert_stays(&self, arriving: &[M::Word], row: &Row) {
        let mut inverted = row.clone();
        for ((_, port), value) in inputs(M::CHIP).zip(&mut inverted) {
            if matches!(port.role, Role::Random { .. }) {
                *value = !*value;
            }
        }
        let saved = |state: &M::State| postcard::to_stdvec(state).expect("a state is saved");
        let before = saved(&self.state);
        for row in [row, &inverted] {
            let (mut state, mut words) = (self.state.clone(), arriving.to_vec());
            let bits = Bits(M::CHIP, row, self.cycle);
            assert!(!M::step(&mut state, &self.pins, &bits, &mut words));
            assert!(saved(&state) == before, "{state:?} after {:?}", self.state);
            assert!(
                words == self.driven,
                "{} drives something else",
                M::CHIP.name
            );
        }
    }
}

/// The netlist, 64 chips at a time: bit `i` of a net belongs to chip `i`.
pub struct Lanes {
    chip: &'static Chip,
    leaf: Leaf,
    nets: Vec<u64>,
}

impl Lanes {
    pub fn new(chip: &'static Chip) -> Lanes {
        let module = netlists::module(chip.name).expect("an embedded netlist");
        let leaf = Leaf::new(module, "clock", &[]).expect("a leaf");
        let nets = vec![0; leaf.nets()];
        Lanes { chip, leaf, nets }
    }

    fn value(&self, bit: Bit) -> u64 {
        match bit {
            Bit::Net(net) => self.nets[net.index()],
            Bit::One => u64::MAX,
            Bit::Zero | Bit::X => 0,
        }
    }

    /// The outputs of a lane.
    pub fn shown(&self, lane: usize) -> Row {
        let value = |(_, port): (usize, &Port)| {
            let bits = &self.leaf.module.port(port.name).expect("a port").bits;
            let bits = bits.iter().enumerate();
            bits.map(|(at, &bit)| (self.value(bit) >> lane & 1) << at)
                .sum()
        };
        outputs(self.chip).map(value).collect()
    }

    /// One clock edge; `rows` has the inputs of each lane.
    pub fn step(&mut self, rows: &[&Row]) {
        for (at, (_, port)) in inputs(self.chip).enumerate() {
            let bits = &self.leaf.module.port(port.name).expect("a port").bits;
            for (place, bit) in bits.iter().enumerate() {
                // An input that nothing reads has no net.
                if let Bit::Net(net) = bit {
                    let lanes = rows.iter().enumerate();
                    self.nets[net.index()] = lanes
                        .map(|(lane, row)| (row[at] >> place & 1) << lane)
                        .sum();
                }
            }
        }
        for gate in &self.leaf.gates {
            let inputs: Vec<u64> = gate.inputs.iter().map(|&bit| self.value(bit)).collect();
            let table = gate.function.table();
            // The lanes in which the inputs are the bits of a row of the table.
            let ones = (0..1usize << inputs.len()).filter(|row| table >> row & 1 != 0);
            self.nets[gate.output.index()] = ones.fold(0, |value, row| {
                let all = inputs.iter().enumerate();
                value
                    | all.fold(u64::MAX, |lanes, (at, &input)| {
                        lanes & if row >> at & 1 != 0 { input } else { !input }
                    })
            });
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

/// Runs the Verilog `sources` of a chip in Icarus Verilog: the outputs in the cycle of
/// each row, `None` where a bit is X.
pub fn icarus(
    chip: &'static Chip,
    sources: &[&str],
    rows: &[Row],
    folder: &Path,
) -> Vec<Option<Row>> {
    let mut text = String::new();
    for row in rows {
        for ((_, port), value) in inputs(chip).zip(row) {
            let _ = write!(text, "{value:0width$b}", width = usize::from(port.width));
        }
        text.push('\n');
    }
    fs::write(folder.join("rows.bin"), text).expect("a writable folder");
    let width: usize = inputs(chip).map(|(_, port)| usize::from(port.width)).sum();
    let (mut wires, mut ports, mut names) = (String::new(), String::new(), Vec::new());
    let mut at = width;
    for (_, port) in inputs(chip) {
        let low = at - usize::from(port.width);
        let _ = write!(ports, ", .{}(row[{}:{low}])", port.name, at - 1);
        at = low;
    }
    for (_, port) in outputs(chip) {
        let _ = writeln!(wires, "wire [{}:0] {};", port.width - 1, port.name);
        let _ = write!(ports, ", .{0}({0})", port.name);
        names.push(port.name);
    }
    let bench = format!(
        "module bench;\nreg clock = 0; reg [{0}:0] rows [0:{1}]; reg [{0}:0] row; integer i;\n{wires}\
         {2} chip (.clock(clock){ports});\n\
         initial begin\n$readmemb(\"rows.bin\", rows);\n\
         for (i = 0; i <= {1}; i = i + 1) begin\n\
         row = rows[i]; #4 $display(\"{3}\", {4}); #1 clock = 1; #5 clock = 0;\nend\nend\nendmodule\n",
        width - 1,
        rows.len() - 1,
        chip.name,
        vec!["%b"; names.len()].join(" "),
        names.join(", ")
    );
    fs::write(folder.join("bench.v"), bench).expect("a writable folder");
    let hdl = Path::new(env!("CARGO_MANIFEST_DIR")).join("hdl");
    let mut compile = Command::new("iverilog");
    compile.args(["-g2005", "-Wall", "-s", "bench", "-o", "bench.vvp"]);
    compile.arg("-I").arg(hdl.join("include")).arg("bench.v");
    compile.args(sources.iter().map(|name| hdl.join(format!("{name}.v"))));
    support::finish(compile.current_dir(folder));
    let mut simulate = Command::new("vvp");
    let printed = support::finished_text(simulate.args(["-n", "bench.vvp"]).current_dir(folder));
    let value = |bits| u64::from_str_radix(bits, 2).ok();
    let lines = printed.lines();
    let shown: Vec<Option<Row>> = lines
        .map(|line| line.split_whitespace().map(value).collect())
        .collect();
    assert_eq!(shown.len(), rows.len(), "{printed}");
    shown
}
