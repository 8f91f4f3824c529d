//! Waveforms: VCD, FST, and both compressed with gzip.

use std::path::Path;

use crosswave_base::diagnostic::Error;
use crosswave_probe::signal::Scope;
use crosswave_wave::{
    CycleWindow, DrawOptions, FileFormat, Radix, SignalKind, Timescale, VectorFile, VectorSignal,
    WaveSource, Waveform, saif, svg, terminal, vcd_reader,
};

use super::{file, read};

/// Cycles that are drawn at most.
const CYCLES: u64 = 24;
/// Bits of the signals that are written again at most.
const BITS_MAX: u32 = 1 << 12;
/// Changes that are written again at most.
const CHANGES_MAX: usize = 1 << 12;

/// A VCD file.
pub fn vcd(data: &[u8]) {
    if let Some(wave) = read(vcd_reader::read("wave.vcd", data)) {
        looked_at(&wave);
        for format in [FileFormat::Vcd, FileFormat::Fst] {
            written_again(&wave, format);
        }
        let path = file("wave.vcd", data);
        parts_of(&|| crosswave_wave::open(&path));
    }
}

/// An FST file; if its first two bytes, the smaller one first, are a length within the input, so many bytes
/// are the declarations beside it.
pub fn fst(data: &[u8]) {
    let split = data.split_at_checked(2).and_then(|(length, rest)| {
        rest.split_at_checked(u16::from_le_bytes([length[0], length[1]]).into())
    });
    let (declared, data) = split.unwrap_or((&[], data));
    let path = file("wave.fst", data);
    let beside = file("wave.fst.hier", declared);
    if declared.is_empty() {
        std::fs::remove_file(beside).expect("it was written");
    }
    waveform(&path);
}

/// A waveform of any kind, compressed or not.
pub fn packed(data: &[u8]) {
    waveform(&file("wave.gz", data));
}

fn waveform(path: &Path) {
    if let Some(wave) = read(crosswave_wave::read_file(path)) {
        looked_at(&wave);
        written_again(&wave, FileFormat::Vcd);
    }
    parts_of(&|| crosswave_wave::open(path));
}

/// Reads parts of a file: its beginning, the cycles of its clock, and some times of every other signal.
fn parts_of(open: &dyn Fn() -> Result<WaveSource, Error>) {
    let source = || read(open());
    let Some(mut first) = source() else {
        return;
    };
    let signals = first.declared().signals.len();
    let _ = read(first.first_time());
    let some: Vec<bool> = (0..signals).map(|signal| signal % 2 == 0).collect();
    if let Some(mut source) = source() {
        let _ = read(source.phase(&some, 10));
        let _ = read(source.part(&some, (5, 20)).cloned());
    }
    if let Some(source) = source() {
        let _ = read(source.some(&some, (7, u64::MAX)));
    }
}

/// Draws a waveform, and counts its activity.
fn looked_at(wave: &Waveform) {
    let kept: Vec<bool> = (0..wave.signals.len()).map(|signal| signal < 8).collect();
    let rows = crosswave_wave::rows(wave, &kept);
    for (from, radix) in [(0, Radix::Hexadecimal), (wave.end / 10, Radix::Decimal)] {
        let options = DrawOptions {
            window: CycleWindow {
                first: from,
                last: from.saturating_add(CYCLES),
            },
            period: 10,
            phase: 0,
            radix,
            ascii: true,
            column_width: None,
            line_width: Some(80),
            title: "drawn".to_owned(),
        };
        let _ = terminal::draw(wave, &rows, &options);
        let _ = svg::draw(wave, &rows, &options);
    }
    let mut activity = Vec::new();
    saif::write(wave, &kept, (0, wave.end), &mut activity).expect("memory takes it");
}

/// Writes the vectors of a waveform under other names, reads them again, and compares.
fn written_again(wave: &Waveform, format: FileFormat) {
    let is_vector = |&index: &usize| {
        let signal = &wave.signals[index];
        signal.kind == SignalKind::Bits && signal.width <= BITS_MAX
    };
    let vectors: Vec<usize> = (0..wave.signals.len()).filter(is_vector).take(16).collect();
    let signals: Vec<VectorSignal> = vectors
        .iter()
        .enumerate()
        .map(|(at, &index)| VectorSignal {
            scope: 0,
            name: format!("s{at}"),
            width: wave.signals[index].width,
            range: (wave.signals[index].width as i32 - 1, 0),
            alias: None,
        })
        .collect();
    let mut changes = Vec::new();
    for (at, &index) in vectors.iter().enumerate() {
        let these = wave.changes(index).iter().take(CHANGES_MAX);
        changes.extend(these.map(|change| (change.time, at, change.value)));
    }
    changes.sort_by_key(|&(time, ..)| time);
    let Some(&(first, ..)) = changes.first() else {
        return;
    };
    let scopes = [Scope {
        name: "top".to_owned(),
        parent: None,
    }];
    let name = match format {
        FileFormat::Fst => "again.fst",
        _ => "again.vcd",
    };
    let path = file(name, b"");
    // The program writes no file that it has read.
    let path = path.with_file_name(format!("written_{name}"));
    let mut writer = VectorFile::create(&path, format, Timescale::NANOSECOND, &scopes, &signals)
        .expect("a file");
    let (mut now, mut is_first) = (first, true);
    for (time, at, value) in &changes {
        if *time != now || is_first {
            (now, is_first) = (*time, false);
            writer.time(now).expect("times rise");
        }
        let width = signals[*at].width;
        let bits: Vec<_> = (0..width).filter_map(|bit| value.bit(bit)).collect();
        assert_eq!(bits.len(), width as usize, "a vector has all its bits");
        writer.change(*at, &bits).expect("a change");
    }
    writer.finish(now.saturating_add(1)).expect("a whole file");
    let bytes = std::fs::read(&path).expect("it was written");
    std::fs::remove_file(&path).expect("it was written");
    let again = read(crosswave_wave::read_file(&file(name, &bytes))).expect("it is a waveform");
    for (time, at, _) in changes {
        let signal = again.find(&format!("top.s{at}")).expect("it was declared");
        let value = wave.value_at(vectors[at], time);
        // Only a part of many changes was written.
        if wave.changes(vectors[at]).len() <= CHANGES_MAX {
            assert_eq!(again.value_at(signal, time), value, "s{at} at {time}");
        }
    }
}
