use super::*;
use crosswave_testing as cases;
use proptest::prelude::*;

/// Values of all widths of storage, and of those that have none.
fn value() -> impl Strategy<Value = WaveValue> {
    let known = prop_oneof![
        0..4_u64,
        250..260_u64,
        Just(u64::from(u32::MAX) - 3),
        Just(u64::from(u32::MAX) - 2),
        Just(u64::from(u32::MAX)),
        Just(u64::MAX - 3),
        Just(u64::MAX - 2),
        Just(u64::MAX),
    ];
    prop_oneof![
        8 => known.prop_map(WaveValue::Known),
        2 => Just(WaveValue::from_bits(&[Bit::X])),
        2 => Just(WaveValue::from_bits(&[Bit::Z])),
        1 => Just(WaveValue::from_bits(&[Bit::One, Bit::X])),
        1 => Just(WaveValue::Text("IDLE".into())),
        1 => prop_oneof![Just(0.5), Just(f64::NAN)].prop_map(WaveValue::Real),
    ]
}

/// Whatever the arrays are, they hold what was put in; a plain list is the judge.
#[test]
fn changes_are_those_that_were_taken() {
    let step = prop_oneof![0..3_u64, Just(1 << 31)];
    let taken = prop::collection::vec((step, value()), 0..40);
    cases::runner(2000)
        .run(&(taken, 0..40_u64), |(taken, from)| {
            let (mut changes, mut list) = (Changes::default(), Vec::<Change>::new());
            let mut time = 0;
            for (step, value) in taken {
                time += step;
                let change = Change { time, value };
                changes.take(from, change.clone());
                let repeats = list.last().is_some_and(|last| last.value == change.value);
                if time < from && !repeats {
                    list.clear();
                }
                if list.last().is_some_and(|last| last.time == time) {
                    list.pop();
                }
                if list.last().is_none_or(|last| last.value != change.value) {
                    list.push(change);
                }
            }
            assert_eq!(changes.iter().collect::<Vec<_>>(), list);
            assert_eq!(changes.last(), list.last().cloned());
            for time in (0..80).chain([1 << 31, 1 << 32, u64::MAX]) {
                let until = list.iter().filter(|change| change.time <= time).count();
                assert_eq!(changes.count_until(time), until);
            }
            let half = list.len() / 2;
            changes.drop_first(half);
            assert_eq!(changes, list[half..].iter().cloned().collect());
            Ok(())
        })
        .unwrap();
}

#[test]
fn known_scalars_take_five_bytes() {
    let mut changes = Changes::default();
    let values = [Bit::X, Bit::Zero, Bit::One, Bit::Z];
    for time in 0..1000 {
        let value = WaveValue::from_bits(&[values[time % 4]]);
        changes.take(
            0,
            Change {
                time: time as u64,
                value,
            },
        );
    }
    assert!(matches!(&changes.times, Times::Short(times) if times.len() == 1000));
    assert!(matches!(&changes.values, Values::Bytes(values) if values.len() == 1000));
}

#[test]
fn an_event_fires_at_times_and_never_before() {
    let mut changes = Changes::default();
    for time in [3, 5, 5, 9, 9, 20] {
        let value = WaveValue::Fired;
        changes.take(5, Change { time, value });
    }
    assert_eq!(changes.times().collect::<Vec<_>>(), [5, 9, 20]);
}
