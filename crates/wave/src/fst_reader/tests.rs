use std::cell::Cell;
use std::fs;

use proptest::prelude::*;

use super::*;
use crate::tests::{example, example_set, play_example};
use crate::{FstWriter, source};
use crosswave_probe::signal::{Value, WaveSink};
use crosswave_testing as cases;

fn example_fst() -> Vec<u8> {
    let out = Cursor::new(Vec::new());
    let mut writer = FstWriter::new(&example_set(), Timescale::NANOSECOND, out).unwrap();
    play_example(&mut writer);
    writer.into_inner().into_inner()
}

/// Reads the bytes as a file.
fn read(bytes: &[u8]) -> Result<Waveform, Error> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, bytes).unwrap();
    source::read_file(&path)
}

#[test]
fn an_example_is_that_of_vcd() {
    let vcd = read(&example()).unwrap();
    let mut fst = read(&example_fst()).unwrap();
    assert_eq!((fst.end, fst.last_change), (vcd.end, vcd.last_change));
    assert_eq!(fst.signals.len(), vcd.signals.len());
    for (left, right) in vcd.signals.iter().zip(&mut fst.signals) {
        let changes = (&vcd.streams[left.stream], &fst.streams[right.stream]);
        assert_eq!(changes.0, changes.1, "{}", left.name);
        right.stream = left.stream;
        // The VCD of this program says the range of a vector, its FST only the width.
        right.had_range = left.had_range;
    }
    assert_eq!(
        (vcd.signals, vcd.scopes, vcd.timescale),
        (fst.signals, fst.scopes, fst.timescale)
    );
}

#[test]
fn a_window_begins_with_the_value_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fst");
    fs::write(&path, example_fst()).unwrap();
    let source = source::open(&path).unwrap();
    let signal = source.declared().find("top.node0.state_name").unwrap();
    let mut kept = vec![false; source.declared().signals.len()];
    kept[signal] = true;
    let wave = source.some(&kept, (45, 75)).unwrap();
    let seen: Vec<(u64, String)> = wave
        .changes(signal)
        .iter()
        .map(|change| (change.time, change.value.to_string()))
        .collect();
    assert_eq!(seen, [(40, "SEND".into()), (70, "WAIT".into())]);
    assert_eq!(
        wave.streams
            .iter()
            .filter(|changes| !changes.is_empty())
            .count(),
        1
    );
}

#[test]
fn damaged_files_are_read_or_refused() {
    let original = example_fst();
    let length = original.len();
    for cut in (0..length).step_by(7) {
        let error = read(&original[..cut]).map(|_| ());
        if let Err(error) = error {
            assert_eq!(error.class, Class::Input, "{cut}");
        }
    }
    let mutation = (0..length, any::<u8>(), 0..3_u8);
    let mutations = prop::collection::vec(mutation, 1..6);
    let refused = Cell::new(0);
    cases::runner(1500)
        .run(&mutations, |mutations| {
            let mut bytes = original.clone();
            for (at, byte, kind) in mutations {
                // The header is long, and most of it is text.
                let at = if at < 320 { at / 4 } else { at };
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes[at] ^= 1 << (byte % 8),
                    _ => bytes[at] = 255,
                }
            }
            if let Err(error) = read(&bytes) {
                assert_eq!(error.class, Class::Input, "{error}");
                refused.set(refused.get() + 1);
            }
            Ok(())
        })
        .unwrap();
    assert!(refused.get() > 100, "{}", refused.get());
}

/// Exponents of seconds as counts of the units that VCD has.
#[test]
fn timescales_have_counts_of_1_10_and_100() {
    for (exponent, shown) in [
        (2, "100 s"),
        (0, "1 s"),
        (-1, "100 ms"),
        (-7, "100 ns"),
        (-8, "10 ns"),
        (-9, "1 ns"),
        (-10, "100 ps"),
        (-15, "1 fs"),
    ] {
        let timescale = timescale(exponent).map(|timescale| timescale.to_string());
        assert_eq!(timescale.as_deref(), Some(shown), "{exponent}");
    }
    assert_eq!(timescale(-16), None);
}

/// A window in a later section shows what signals hold from before: of files of this program,
/// of which each time is a section, and of those of other writers (`quick::foreign`).
#[test]
fn windows_in_later_sections_are_parts_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fst");
    let out = Cursor::new(Vec::new());
    let mut writer = FstWriter::new(&example_set(), Timescale::NANOSECOND, out).unwrap();
    play_example(&mut Sections(&mut writer));
    fs::write(&path, writer.into_inner().into_inner()).unwrap();
    let whole = read(&example()).unwrap();
    let source = source::open(&path).unwrap();
    let signals = source.declared().signals.len();
    let paths: Vec<String> = (0..signals).map(|at| source.declared().path(at)).collect();
    let mut compared = 0;
    for first in (0..=110).step_by(5) {
        let part = source::open(&path).unwrap();
        let part = part
            .some(&vec![true; signals], (first, first + 12))
            .unwrap();
        for (signal, path) in paths.iter().enumerate() {
            let of_whole = whole.find(path).unwrap();
            for time in first..=(first + 12).min(110) {
                let expected = whole.value_at(of_whole, time);
                assert_eq!(part.value_at(signal, time), expected, "{path} {time}");
                compared += usize::from(expected.is_some());
            }
        }
    }
    assert!(compared > 2000, "{compared}");
}

/// A writer that ends a section before every time.
struct Sections<'a>(&'a mut FstWriter<Cursor<Vec<u8>>>);

impl WaveSink for Sections<'_> {
    fn begin(&mut self, time: u64, values: &[Value]) -> io::Result<()> {
        self.0.begin(time, values)
    }

    fn time(&mut self, time: u64) -> io::Result<()> {
        self.0.flush()?;
        self.0.time(time)
    }

    fn change(&mut self, index: usize, value: u64) -> io::Result<()> {
        self.0.change(index, value)
    }

    fn end(&mut self, time: u64) -> io::Result<()> {
        self.0.end(time)
    }
}
