//! The writer, the reader, and `wellen` as a judge of both.

use std::collections::BTreeMap;
use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crosswave_base::diagnostic::Class;
use crosswave_probe::signal::{Net, Scope, Signal, SignalSet, StateName, Value, WaveSink};
use crosswave_testing as cases;

const STATES: &[StateName] = &[
    StateName {
        value: 0,
        name: "IDLE",
    },
    StateName {
        value: 1,
        name: "SEND",
    },
    StateName {
        value: 2,
        name: "WAIT",
    },
];

const SPARSE: &[StateName] = &[
    StateName {
        value: 7,
        name: "A B",
    },
    StateName {
        value: 1 << 40,
        name: "",
    },
    StateName {
        value: 300,
        name: "THREE_HUNDRED",
    },
];

fn scope(name: &str, parent: Option<usize>) -> Scope {
    Scope {
        name: name.into(),
        parent,
    }
}

fn signal(scope: usize, name: &'static str, width: u8, states: &'static [StateName]) -> Signal {
    Signal {
        scope,
        name,
        width,
        states,
        net: Net::Own,
    }
}

/// Two nodes with a switch between them: scalars, vectors, states, and a scope
/// that is declared before its elder sibling's children.
pub(super) fn example_set() -> SignalSet {
    SignalSet {
        scopes: vec![
            scope("top", None),
            scope("node0", Some(0)),
            scope("node1", Some(0)),
            scope("port", Some(1)),
            scope("other", None),
        ],
        signals: vec![
            signal(0, "reset", 1, &[]),
            signal(1, "valid", 1, &[]),
            signal(1, "data", 8, &[]),
            signal(1, "state", 2, STATES),
            signal(2, "ack", 1, &[]),
            signal(2, "count", 4, &[]),
            signal(3, "mode", 64, SPARSE),
            signal(4, "wide", 64, &[]),
        ],
    }
}

/// Writes a short run of [`example_set`] at ten units of time a cycle.
pub(super) fn play_example(sink: &mut impl WaveSink) {
    let set = example_set();
    let change = |cycle: u64, index, value| SignalChange {
        time: 10 * cycle,
        index,
        value,
    };
    let mut values = vec![Value::X; set.signals.len()];
    values[0] = Value::Known(1);
    let changes = [
        change(2, 0, 0),
        change(2, 1, 0),
        change(2, 2, 0),
        change(2, 3, 0),
        change(2, 4, 0),
        change(2, 5, 0),
        change(2, 6, 7),
        change(4, 1, 1),
        change(4, 2, 0x3a),
        change(4, 3, 1),
        change(5, 2, 0x7f),
        change(6, 2, 0xc4),
        change(6, 5, 1),
        change(6, 6, 300),
        change(7, 1, 0),
        change(7, 2, 0),
        change(7, 3, 2),
        change(7, 5, 2),
        change(8, 4, 1),
        change(8, 5, 15),
        change(8, 6, 9),
        change(9, 3, 3),
        change(9, 4, 0),
        change(9, 6, 1 << 40),
        change(9, 7, u64::MAX),
        change(10, 3, 0),
        change(10, 7, 1),
    ];
    replay(sink, 0, &values, &changes, 110).unwrap();
}

/// The VCD file of that run.
pub(super) fn example() -> Vec<u8> {
    let set = example_set();
    let mut writer = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).unwrap();
    play_example(&mut writer);
    writer.into_inner()
}

/// A signal as both readers see it: its path, and times and values, vectors in
/// all their binary digits.
pub(super) type Seen = (String, Vec<(u64, String)>);

pub(super) fn seen_by_us(bytes: &[u8]) -> Vec<Seen> {
    let wave = read("test", bytes).unwrap();
    (0..wave.signals.len())
        .map(|signal| {
            let width = wave.signals[signal].width;
            let text = |value: &WaveValue| value.binary(width).unwrap_or(value.to_string());
            let changes = wave.changes(signal).iter();
            (
                wave.path(signal),
                changes.map(|c| (c.time, text(&c.value))).collect(),
            )
        })
        .collect()
}

/// The names of a variable's values, where it has them, are another signal, as in our VCD.
pub(super) fn seen_by_wellen(bytes: &[u8]) -> Vec<Seen> {
    let mut wave = wellen::simple::read_from_reader(Cursor::new(bytes.to_vec())).unwrap();
    let hierarchy = wave.hierarchy();
    let variables: Vec<_> = hierarchy
        .all_vars()
        .map(|variable| {
            let variable = &hierarchy[variable];
            let names = variable.enum_type(hierarchy).map(|(_, names)| {
                let name = |&(value, name): &(&str, &str)| (value.to_owned(), name.to_owned());
                names.iter().map(name).collect::<BTreeMap<String, String>>()
            });
            (variable.full_name(hierarchy), variable.signal_ref(), names)
        })
        .collect();
    let references: Vec<_> = variables.iter().map(|v| v.1).collect();
    wave.load_signals(&references);
    let mut seen = Vec::new();
    for (path, reference, names) in variables {
        let changes = wave.get_signal(reference).unwrap().iter_changes();
        let times = wave.time_table();
        let values: Vec<(u64, String)> = changes
            .map(|(at, value)| (times[at as usize], value.to_string()))
            .collect();
        if let Some(names) = names {
            let name = |value: &String| match names.get(value) {
                Some(name) => name.clone(),
                None if value.contains('x') => "X".to_owned(),
                None => format!("?{:x}", u64::from_str_radix(value, 2).unwrap()),
            };
            let named = values.iter().map(|(time, value)| (*time, name(value)));
            seen.push((format!("{path}_name"), named.collect()));
        }
        seen.push((path, values));
    }
    seen
}

pub(super) fn sorted(mut seen: Vec<Seen>) -> Vec<Seen> {
    seen.sort();
    seen
}

#[test]
fn example_is_the_same_to_both_readers() {
    let bytes = example();
    let ours = sorted(seen_by_us(&bytes));
    assert_eq!(ours, sorted(seen_by_wellen(&bytes)));
    let of = |path: &str| {
        let (_, changes) = ours.iter().find(|seen| seen.0 == path).unwrap();
        let changes = changes.iter();
        changes
            .map(|(time, value)| format!("{time}={value}"))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(of("top.node0.valid"), "0=x 20=0 40=1 70=0");
    assert_eq!(
        of("top.node0.state_name"),
        "0=X 20=IDLE 40=SEND 70=WAIT 90=?3 100=IDLE"
    );
    assert_eq!(
        of("top.node0.port.mode_name"),
        "0=X 20=A_B 60=THREE_HUNDRED 80=?9 90=_"
    );
    assert_eq!(
        of("top.node1.count"),
        "0=xxxx 20=0000 60=0001 70=0010 80=1111"
    );
    assert!(of("other.wide").contains(&format!("90={}", "1".repeat(64))));
}

#[test]
fn wellen_sees_the_header() {
    let wave = wellen::simple::read_from_reader(Cursor::new(example())).unwrap();
    let hierarchy = wave.hierarchy();
    assert_eq!(
        hierarchy.version(),
        concat!("crosswave ", env!("CARGO_PKG_VERSION"))
    );
    assert_eq!(hierarchy.date(), "");
    let timescale = hierarchy.timescale().unwrap();
    assert_eq!(timescale.factor, 1);
    assert_eq!(timescale.unit, wellen::TimescaleUnit::NanoSeconds);
    assert_eq!(wave.time_table().last(), Some(&110));
}

/// A signal set: for every scope a number that chooses its parent, and the
/// signals of each with their widths.
fn random_set() -> impl Strategy<Value = SignalSet> {
    const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    let signals = prop::collection::vec((1_u8..=64, any::<bool>()), 1..NAMES.len());
    prop::collection::vec((any::<usize>(), signals), 1..6).prop_map(|scopes| {
        let mut set = SignalSet::default();
        for (index, (parent, signals)) in scopes.into_iter().enumerate() {
            let parent = match parent % (index + 1) {
                0 => None,
                parent => Some(parent - 1),
            };
            set.scopes.push(scope(&format!("s{index}"), parent));
            for ((width, named), name) in signals.into_iter().zip(NAMES) {
                let states = if named { STATES } else { &[] };
                set.signals.push(signal(index, name, width, states));
            }
        }
        set
    })
}

/// A set, its first values, and changes: time steps, signals and values, to be
/// brought into range.
pub(super) fn random_run() -> impl Strategy<Value = (SignalSet, Vec<Value>, Vec<SignalChange>)> {
    let values = prop::collection::vec(any::<Option<u64>>(), 30);
    let changes = prop::collection::vec((0_u64..3, any::<u32>(), any::<u64>(), 0_u32..64), 0..60);
    (random_set(), values, changes).prop_map(|(set, values, changes)| {
        let masked =
            |index: usize, value: u64| value & (u64::MAX >> (64 - set.signals[index].width));
        let values = (0..set.signals.len())
            .map(|index| match values[index] {
                None => Value::X,
                Some(value) => Value::Known(masked(index, value)),
            })
            .collect();
        let mut time = 0;
        let mut changes: Vec<SignalChange> = changes
            .into_iter()
            .map(|(step, index, value, shift)| {
                time += step;
                let index = index % set.signals.len() as u32;
                SignalChange {
                    time,
                    index,
                    value: masked(index as usize, value >> shift),
                }
            })
            .collect();
        // A signal changes at most once at a time.
        changes.sort_by_key(|change| (change.time, change.index));
        changes.dedup_by_key(|change| (change.time, change.index));
        changes.retain(|change| change.time > 0);
        (set, values, changes)
    })
}

/// The file of a [`random_run`].
pub(super) fn random_bytes() -> impl Strategy<Value = Vec<u8>> {
    random_run().prop_map(|(set, values, changes)| {
        let end = changes.last().map_or(0, |change| change.time) + 1;
        let mut writer = VcdWriter::new(&set, Timescale::PICOSECOND, Vec::new()).unwrap();
        replay(&mut writer, 0, &values, &changes, end).unwrap();
        writer.into_inner()
    })
}

/// The values that a reader should see of a run, from its definition.
pub(super) fn expected(set: &SignalSet, values: &[Value], changes: &[SignalChange]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for (index, signal) in set.signals.iter().enumerate() {
        let mine = changes
            .iter()
            .filter(|change| change.index as usize == index);
        let mine = mine.map(|change| (change.time, Value::Known(change.value)));
        let mut history = vec![(0, values[index])];
        for (time, value) in mine {
            if history.last().unwrap().1 != value {
                history.push((time, value));
            }
        }
        let width = usize::from(signal.width);
        let bits = history.iter().map(|&(time, value)| match value {
            Value::X => (time, "x".repeat(width)),
            Value::Known(value) => (time, format!("{value:0width$b}")),
        });
        seen.push((set.path(index), bits.collect()));
        if !signal.states.is_empty() {
            let names = history.iter().map(|&(time, value)| match value {
                Value::X => (time, "X".to_string()),
                Value::Known(value) => {
                    let state = signal.states.iter().find(|state| state.value == value);
                    let unnamed = format!("?{value:x}");
                    (time, state.map_or(unnamed, |state| state.name.to_string()))
                }
            });
            seen.push((format!("{}_name", set.path(index)), names.collect()));
        }
    }
    seen
}

#[test]
fn random_runs_come_back_from_both_readers() {
    cases::runner(300)
        .run(&random_run(), |(set, values, changes)| {
            let end = changes.last().map_or(0, |change| change.time) + 1;
            let mut writer = VcdWriter::new(&set, Timescale::PICOSECOND, Vec::new()).unwrap();
            replay(&mut writer, 0, &values, &changes, end).unwrap();
            let bytes = writer.into_inner();
            let expected = sorted(expected(&set, &values, &changes));
            prop_assert_eq!(&sorted(seen_by_us(&bytes)), &expected);
            prop_assert_eq!(&sorted(seen_by_wellen(&bytes)), &expected);
            prop_assert_eq!(read("test", &bytes).unwrap().end, end);
            Ok(())
        })
        .unwrap();
}

#[test]
fn mutated_files_are_read_or_refused() {
    let original = example();
    let length = original.len();
    let mutation = (0..length, 0..5_u8, any::<u8>(), 0..length);
    let mutations = prop::collection::vec(mutation, 1..8);
    let options = DrawOptions {
        period: 10,
        ..DrawOptions::default()
    };
    let counts = std::cell::Cell::new((0, 0));
    cases::runner(3000)
        .run(&mutations, |mutations| {
            let mut bytes = original.clone();
            for (at, kind, byte, other) in mutations {
                let at = at.min(bytes.len().saturating_sub(1));
                let other = other.min(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, b" \n$#bsrx019!"[usize::from(byte) % 12]),
                    2 => drop(bytes.remove(at)),
                    3 => bytes[at] = original[other.min(length - 1)],
                    _ => bytes.rotate_left(usize::from(byte % 3)),
                }
            }
            let (good, bad) = counts.get();
            match read("test", &bytes) {
                Ok(wave) => {
                    let kept = vec![true; wave.signals.len()];
                    let rows = rows(&wave, &kept);
                    assert!(!terminal::draw(&wave, &rows, &options).is_empty());
                    counts.set((good + 1, bad));
                }
                Err(error) => {
                    assert_eq!(error.class, Class::Input);
                    let place = &error.diagnostics[0].place;
                    assert!(place.starts_with("line ") || place == "end of file");
                    counts.set((good, bad + 1));
                }
            }
            Ok(())
        })
        .unwrap();
    let (read_count, refused) = counts.get();
    // The mutations reach both ends.
    assert!(read_count > 100 && refused > 100, "{read_count} {refused}");
}
