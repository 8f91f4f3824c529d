//! A router of circuits by its port table, between neighbours that do anything: its model
//! against its netlist and its Verilog.

use super::chips::{Lanes, Row, Unit, icarus, inputs, outputs};
use crosswave_base::random;
use crosswave_chips::{Chip, Model, Port, Role};

/// Cycles of a random case of the chip.
pub const CHIP_CYCLES: usize = 300;
/// Chips that the netlist is evaluated for at a time.
pub const LANES: usize = 64;

/// The inputs of one router in every cycle: options that stand still, neighbours that
/// send messages of a few words, most of them known to this level, and stop when they
/// are rejected, and answers in one clock of eight.
pub fn rows(chip: &'static Chip, seed: u64) -> Vec<Row> {
    let mut rolled = 0;
    let mut below = |end: u64| {
        rolled += 1;
        random::word(random::key(seed, 0, rolled), 0) % end
    };
    let level = [0, 1, 3, 7, 8, 16][below(6) as usize];
    let options: Vec<u64> = inputs(chip)
        .filter(|(_, port)| matches!(port.role, Role::Option))
        .map(|(_, port)| if port.width > 1 { level } else { below(2) })
        .collect();
    let noise = below(4) == 0;
    // Words still to be sent by each port's sender, the silence in front of it included.
    let mut left = vec![0; chip.links.len()];
    let row = |cycle: usize| -> Row {
        let mut words = vec![0; left.len()];
        for left in &mut left {
            *left = match *left {
                0 => below(12) * below(2),
                left => left - 1,
            };
        }
        for (word, left) in words.iter_mut().zip(&left) {
            let data = match below(4) {
                0 => below(256),
                1 => level,
                _ => below(21),
            };
            *word = if *left > 0 { 256 | data } else { 0 };
        }
        let mut option = options.iter();
        let value = |(_, port): (usize, &'static Port)| match port.role {
            Role::Reset => u64::from(cycle == 0 || cycle == 200),
            Role::Option => *option.next().expect("as many options"),
            Role::Random { .. } => below(1 << port.width),
            Role::Link { link, .. } if port.name.ends_with("valid") => words[link] >> 8,
            Role::Link { link, .. } if port.width == 8 => words[link] & 0xff,
            Role::Link { .. } if noise => below(2),
            Role::Link { .. } => u64::from(below(8) == 0),
            _ => below(2),
        };
        inputs(chip).map(value).collect()
    };
    (0..CHIP_CYCLES).map(row).collect()
}

/// The outputs of the model in each cycle.
pub fn shown<M: Model>(rows: &[Row]) -> Vec<Row> {
    let mut model = Unit::<M>::new();
    let show = |row| {
        let shown = model.shown();
        model.step(row);
        shown
    };
    rows.iter().map(show).collect()
}

/// The ports whose values differ, with both.
pub fn difference(chip: &'static Chip, found: &Row, expected: &Row) -> Vec<String> {
    let ports = outputs(chip).zip(found.iter().zip(expected));
    let differ = ports.filter(|(_, (found, expected))| found != expected);
    differ
        .map(|((_, port), (found, expected))| format!("{} {found:x} {expected:x}", port.name))
        .collect()
}

/// The model is the Verilog in Icarus Verilog, in every cycle of 16 random cases.
pub fn model_is_verilog<M: Model>(sources: &[&str]) {
    model_is_verilog_of::<M>(sources, |seed| rows(M::CHIP, seed));
}

/// The same with other inputs, of [`CHIP_CYCLES`] for each seed.
pub fn model_is_verilog_of<M: Model>(sources: &[&str], rows: impl Fn(u64) -> Vec<Row>) {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: Vec<Row> = (0..16).flat_map(rows).collect();
    let found = icarus(M::CHIP, sources, &rows, folder.path());
    for (case, rows) in rows.chunks(CHIP_CYCLES).enumerate() {
        for (cycle, expected) in shown::<M>(rows).iter().enumerate().skip(1) {
            let found = found[case * CHIP_CYCLES + cycle].as_ref().expect("no X");
            let differ = difference(M::CHIP, found, expected);
            assert!(differ.is_empty(), "seed {case}, cycle {cycle}: {differ:?}");
        }
    }
}

/// The model is the netlist, in every cycle of random cases; `watch` sees what the netlist
/// shows of each, and its inputs.
pub fn model_is_netlist<M: Model>(cases: u64, watch: impl FnMut(&Row, &Row)) {
    model_is_netlist_of::<M>(cases, |seed| rows(M::CHIP, seed), watch);
}

/// The same with other inputs, of [`CHIP_CYCLES`] for each seed.
pub fn model_is_netlist_of<M: Model>(
    cases: u64,
    rows: impl Fn(u64) -> Vec<Row>,
    mut watch: impl FnMut(&Row, &Row),
) {
    let seeds: Vec<u64> = (0..cases).collect();
    for seeds in seeds.chunks(LANES) {
        let rows: Vec<Vec<Row>> = seeds.iter().map(|&seed| rows(seed)).collect();
        let expected: Vec<Vec<Row>> = rows.iter().map(|rows| shown::<M>(rows)).collect();
        let mut lanes = Lanes::new(M::CHIP);
        for cycle in 0..CHIP_CYCLES {
            for (lane, seed) in seeds.iter().enumerate().filter(|_| cycle > 0) {
                let (found, expected) = (lanes.shown(lane), &expected[lane][cycle]);
                let differ = difference(M::CHIP, &found, expected);
                assert!(
                    differ.is_empty(),
                    "seed {seed}, cycle {cycle}: netlist, model {differ:?}"
                );
                watch(&found, &rows[lane][cycle]);
            }
            let rows: Vec<&Row> = rows.iter().map(|rows| &rows[cycle]).collect();
            lanes.step(&rows);
        }
    }
}
