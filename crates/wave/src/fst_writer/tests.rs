use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::tests::{
    example, example_set, expected, play_example, random_run, seen_by_wellen, sorted,
};
use crate::{SignalChange, replay};
use crosswave_testing as cases;

fn writer(set: &SignalSet) -> FstWriter<Cursor<Vec<u8>>> {
    FstWriter::new(set, Timescale::NANOSECOND, Cursor::new(Vec::new())).unwrap()
}

#[test]
fn the_example_is_that_of_vcd() {
    let mut writer = writer(&example_set());
    play_example(&mut writer);
    let bytes = writer.into_inner().into_inner();
    assert_eq!(
        sorted(seen_by_wellen(&bytes)),
        sorted(seen_by_wellen(&example()))
    );
}

#[test]
fn random_runs_come_back() {
    cases::runner(300)
        .run(&random_run(), |(set, values, changes)| {
            let end = changes.last().map_or(0, |change| change.time) + 1;
            let write = |sections: usize| {
                let mut writer = writer(&set);
                writer.begin(0, &values).unwrap();
                let mut now = 0;
                for (at, change) in changes.iter().enumerate() {
                    if change.time != now {
                        now = change.time;
                        if at % sections == sections - 1 {
                            writer.flush().unwrap();
                        }
                        writer.time(now).unwrap();
                    }
                    writer.change(change.index as usize, change.value).unwrap();
                }
                writer.end(end).unwrap();
                writer.into_inner().into_inner()
            };
            let expected = sorted(expected(&set, &values, &changes));
            for sections in [usize::MAX, 7, 1] {
                prop_assert_eq!(&sorted(seen_by_wellen(&write(sections))), &expected);
            }
            Ok(())
        })
        .unwrap();
}

/// A file of several full sections, with signals on nets that are shared.
#[test]
fn long_runs_come_back() {
    let mut set = example_set();
    set.signals[0].net = Net::Reset;
    set.signals[4].net = Net::Reset;
    let values = vec![Value::X; set.signals.len()];
    let changes: Vec<SignalChange> = (0..3_000_000_u64)
        .map(|at| SignalChange {
            time: 3 + at / 3,
            index: [0, 2, 7][at as usize % 3],
            value: match at % 3 {
                0 => at / 3 % 2,
                1 => at % 256,
                _ => at * at,
            },
        })
        .collect();
    let mut writer = writer(&set);
    replay(&mut writer, 3, &values, &changes, 1_000_009).unwrap();
    let bytes = writer.into_inner().into_inner();
    let seen = seen_by_wellen(&bytes);
    let find = |path: &str| &seen.iter().find(|seen| seen.0 == path).unwrap().1;
    assert_eq!(find("top.reset"), find("top.node1.ack"));
    assert_eq!(find("top.reset").len(), 1_000_000);
    let wide = find("other.wide");
    assert_eq!(wide.len(), 1_000_000);
    let last = changes.last().unwrap();
    assert_eq!(
        wide.last().unwrap(),
        &(last.time, format!("{:064b}", last.value))
    );
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    let bytes = || {
        let mut writer = writer(&example_set());
        play_example(&mut writer);
        writer.into_inner().into_inner()
    };
    assert_eq!(bytes(), bytes());
}

/// A waveform of one time, to which readers find it.
#[test]
fn a_single_time_comes_back() {
    let set = example_set();
    let mut writer = writer(&set);
    let values = vec![Value::Known(1); set.signals.len()];
    writer.begin(70, &values).unwrap();
    writer.end(70).unwrap();
    let bytes = writer.into_inner().into_inner();
    let seen = seen_by_wellen(&bytes);
    let wave = wellen::simple::read_from_reader(Cursor::new(bytes)).unwrap();
    assert_eq!(wave.time_table(), [70]);
    assert!(!seen.is_empty());
}
