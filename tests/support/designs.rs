//! Helpers of the tests that run designs of others: synthesis by Yosys, and the same
//! netlist in Icarus Verilog.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use crosswave_wave::{self as wave, Bit, Waveform};

use crate::support;

/// A module's input or output, for a test bench.
#[derive(Debug, Clone, Copy)]
pub struct Pin {
    /// Name.
    pub name: &'static str,
    /// Width in bits.
    pub width: usize,
}

/// A design of `tests/designs` or of `examples`.
#[derive(Debug, Clone, Copy)]
pub struct Design {
    /// The top module.
    pub top: &'static str,
    /// Its source, below the root of the project.
    pub source: &'static str,
    /// Its reset, and the value at which it acts.
    pub reset: (&'static str, char),
    /// Other inputs but for `clk`.
    pub inputs: &'static [Pin],
    /// Outputs.
    pub outputs: &'static [Pin],
}

/// Runs crosswave in a folder, where it has to succeed.
pub fn crosswave(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_crosswave"));
    support::finished_text(command.args(arguments).current_dir(folder))
}

/// Synthesises into `netlist.json` and `netlist.v` of a folder.
pub fn synthesise(design: &Design, folder: &Path) {
    synthesise_with(design, folder, "");
}

/// Synthesises as [`synthesise`] does, into one module.
pub fn synthesise_flat(design: &Design, folder: &Path) {
    synthesise_with(design, folder, "-flatten");
}

/// Netlists and Verilog that Yosys wrote, by the design and the option. Tests share them.
type Synthesised = BTreeMap<(&'static str, String), [Vec<u8>; 2]>;

/// The designs that were synthesised so far.
static SYNTHESISED: Mutex<Synthesised> = Mutex::new(BTreeMap::new());

/// Synthesises as [`synthesise`] does, with passes of its own after the hierarchy is known.
pub fn synthesise_by(design: &Design, folder: &Path, passes: &str) {
    run_yosys(
        design,
        folder,
        &format!("hierarchy -check -top {}; {passes}", design.top),
    );
}

fn synthesise_with(design: &Design, folder: &Path, option: &str) {
    let passes = format!("synth {option} -top {}; abc -g simple", design.top);
    run_yosys(design, folder, &passes);
}

fn run_yosys(design: &Design, folder: &Path, passes: &str) {
    const FILES: [&str; 2] = ["netlist.json", "netlist.v"];
    let files = FILES.map(|name| folder.join(name));
    let known = || SYNTHESISED.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (design.source, passes.to_owned());
    if let Some(made) = known().get(&key) {
        for (file, text) in files.iter().zip(made) {
            fs::write(file, text).expect("writable");
        }
        return;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(design.source);
    let script = format!(
        "read_verilog {}; {passes}; opt_clean; \
         write_json netlist.json; write_verilog -noexpr -noattr netlist.v",
        source.display(),
    );
    let mut command = Command::new("yosys");
    support::finish(command.args(["-q", "-p", &script]).current_dir(folder));
    let made = files.map(|file| fs::read(file).expect("Yosys wrote it"));
    known().insert(key, made);
}

/// One row of stimulus a cycle: the digits of each input, the reset first.
pub type Rows = Vec<Vec<String>>;

/// Random inputs. The first `unknown` cycles leave inputs X, and some bits are X
/// later on as well when `x` is set; the reset acts in cycles 1 and 2.
pub fn random_rows(design: &Design, cycles: usize, seed: u64, x: bool) -> Rows {
    let mut number = 0;
    let mut draw = |bound: u64| {
        number += 1;
        crosswave_base::random::word(crosswave_base::random::key(seed, 0, number), 0) % bound
    };
    let mut rows = Vec::new();
    for cycle in 0..cycles {
        let (_, active) = design.reset;
        let acts = (1..3).contains(&cycle) || (cycle == 0 && active == '0');
        let inactive = if active == '1' { '0' } else { '1' };
        let mut row = vec![if acts { active } else { inactive }.to_string()];
        for pin in design.inputs {
            let digits = (0..pin.width).map(|_| {
                if x && (cycle < 4 || draw(40) == 0) {
                    'x'
                } else if draw(2) == 1 {
                    '1'
                } else {
                    '0'
                }
            });
            row.push(digits.collect());
        }
        rows.push(row);
    }
    rows
}

/// The rows as a CSV stimulus.
pub fn csv(design: &Design, rows: &Rows) -> String {
    let mut text = format!("cycle,{}", design.reset.0);
    for pin in design.inputs {
        let _ = write!(text, ",{}", pin.name);
    }
    text.push('\n');
    for (cycle, row) in rows.iter().enumerate() {
        let _ = writeln!(text, "{cycle},0b{}", row.join(",0b"));
    }
    text
}

/// Verilog that Icarus Verilog runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verilog {
    /// The netlist of the folder, with the models of the cells.
    Netlist,
    /// The source of the design.
    Source,
}

/// A clock of a test bench, which is high in the first half of its period.
#[derive(Debug, Clone, Copy)]
pub struct BenchClock {
    /// Name.
    pub name: &'static str,
    /// Cycles of a period.
    pub period: usize,
    /// Cycles before the first one.
    pub shift: usize,
}

impl BenchClock {
    /// Its level in a half of a cycle.
    fn level(&self, cycle: usize, half: usize) -> char {
        let phase = 2 * cycle + half + 2 * self.shift * (self.period - 1);
        let is_high = phase % (2 * self.period) < self.period;
        if is_high { '1' } else { '0' }
    }
}

/// The one clock of most designs.
const CLOCK: BenchClock = BenchClock {
    name: "clk",
    period: 1,
    shift: 0,
};

/// Runs the netlist of a folder in Icarus Verilog, and gives the digits of every
/// output by cycle. Inputs change in the middle between the ends of cycles, outputs are taken
/// before the ends. With `dump`, all nets are written to `icarus.vcd`, where cycle c is settled
/// at time 10 c + 4.
pub fn icarus(design: &Design, rows: &Rows, folder: &Path, dump: bool) -> Vec<Vec<String>> {
    icarus_of(design, rows, folder, dump, Verilog::Netlist)
}

/// Runs a design as [`icarus`] does, from its netlist or its source.
pub fn icarus_of(
    design: &Design,
    rows: &Rows,
    folder: &Path,
    dump: bool,
    verilog: Verilog,
) -> Vec<Vec<String>> {
    icarus_clocked(design, &[CLOCK], rows, folder, dump, verilog)
}

/// Runs a design of these clocks as [`icarus_of`] does.
pub fn icarus_clocked(
    design: &Design,
    clocks: &[BenchClock],
    rows: &Rows,
    folder: &Path,
    dump: bool,
    verilog: Verilog,
) -> Vec<Vec<String>> {
    let levels = |cycle: usize, half: usize| -> String {
        clocks
            .iter()
            .map(|clock| clock.level(cycle, half))
            .collect()
    };
    let text = (1..=rows.len()).map(|cycle| levels(cycle, 0) + &levels(cycle, 1) + "\n");
    fs::write(folder.join("clocks.txt"), text.collect::<String>()).expect("a writable folder");
    let widths: Vec<usize> = design.inputs.iter().map(|pin| pin.width).collect();
    let total = 1 + widths.iter().sum::<usize>();
    let outputs: usize = design.outputs.iter().map(|pin| pin.width).sum();
    let text: String = rows.iter().map(|row| row.concat() + "\n").collect();
    fs::write(folder.join("stimulus.txt"), text).expect("a writable folder");
    let mut bench = format!(
        "module bench;\nreg [{}:0] rows [0:{}]; reg [{0}:0] in; wire [{}:0] out;\n\
         reg [{}:0] clocks = {}'b{}; reg [{}:0] levels [0:{1}];\n\
         integer i;\n{} dut (.{}(in[{0}])",
        total - 1,
        rows.len() - 1,
        outputs - 1,
        clocks.len() - 1,
        clocks.len(),
        levels(0, 1),
        2 * clocks.len() - 1,
        design.top,
        design.reset.0
    );
    for (at, clock) in (0..clocks.len()).rev().zip(clocks) {
        let _ = write!(bench, ", .{}(clocks[{at}])", clock.name);
    }
    let mut at = total - 1;
    for pin in design.inputs {
        let _ = write!(bench, ", .{}(in[{}:{}])", pin.name, at - 1, at - pin.width);
        at -= pin.width;
    }
    let mut at = outputs;
    for pin in design.outputs {
        let _ = write!(bench, ", .{}(out[{}:{}])", pin.name, at - 1, at - pin.width);
        at -= pin.width;
    }
    let dumped = if dump {
        "$dumpfile(\"icarus.vcd\"); $dumpvars(0, dut);"
    } else {
        ""
    };
    let _ = write!(
        bench,
        ");\ninitial begin\n{dumped} $readmemb(\"stimulus.txt\", rows); $readmemb(\"clocks.txt\", levels);\n\
         for (i = 0; i < {}; i = i + 1) begin\n\
         in = rows[i]; #4 $display(\"%b\", out); #1 clocks = levels[i][{}:{}]; \
         #5 clocks = levels[i][{}:0];\nend\nend\nendmodule\n",
        rows.len(),
        2 * clocks.len() - 1,
        clocks.len(),
        clocks.len() - 1,
    );
    fs::write(folder.join("bench.v"), bench).expect("a writable folder");
    let mut compile = Command::new("iverilog");
    compile.args(["-g2012", "-o", "bench.vvp", "-s", "bench", "bench.v"]);
    match verilog {
        Verilog::Netlist => compile.arg("netlist.v").arg(simcells()),
        Verilog::Source => compile.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(design.source)),
    };
    support::finish(compile.current_dir(folder));
    let printed = support::finished_text(
        Command::new("vvp")
            .args(["-n", "bench.vvp"])
            .current_dir(folder),
    );
    let lines = printed.lines().filter(|line| line.len() == outputs);
    let rows: Vec<Vec<String>> = lines
        .map(|line| {
            let mut rest = line;
            let cut = design.outputs.iter().map(|pin| {
                let (own, after) = rest.split_at(pin.width);
                rest = after;
                own.to_owned()
            });
            cut.collect()
        })
        .collect();
    assert!(!rows.is_empty(), "{printed}");
    rows
}

/// The models of the cells that come with Yosys.
fn simcells() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .filter(|folder| folder.join("yosys").exists())
        .map(|folder| folder.join("../share/yosys/simcells.v"))
        .find(|file| file.exists())
        .expect("simcells.v beside yosys")
}

/// The digits of every output by cycle, of a waveform that crosswave wrote.
pub fn outputs(design: &Design, file: &Path, cycles: usize) -> Vec<Vec<String>> {
    let wave = wave::read_file(file).unwrap_or_else(|error| panic!("{error}"));
    let signals: Vec<usize> = design
        .outputs
        .iter()
        .map(|pin| {
            let path = format!("{}.{}", design.top, pin.name);
            wave.find(&path).unwrap_or_else(|| panic!("no {path}"))
        })
        .collect();
    let value = |signal: usize, time: u64| {
        let value = wave.value_at(signal, time).expect("a value");
        value.binary(wave.signals[signal].width).expect("bits")
    };
    (0..cycles as u64)
        .map(|cycle| signals.iter().map(|&s| value(s, 10 * cycle)).collect())
        .collect()
}

/// Every bit of every signal below `bench.dut` of a dump, by path, at a time.
pub fn bits_at(wave: &Waveform, time: u64) -> BTreeMap<String, Bit> {
    let mut all = BTreeMap::new();
    for (index, signal) in wave.signals.iter().enumerate() {
        // Icarus Verilog keeps the backslash of escaped names.
        let path = wave.path(index).replace('\\', "");
        let Some(path) = path.strip_prefix("bench.dut.") else {
            continue;
        };
        for position in 0..signal.width {
            let value = wave.value_at(index, time);
            let bit = value.map_or(Bit::X, |value| value.bit(position).expect("bits"));
            if signal.width == 1 {
                all.insert(path.to_owned(), bit);
            }
            all.insert(format!("{path}[{position}]"), bit);
        }
    }
    all
}
