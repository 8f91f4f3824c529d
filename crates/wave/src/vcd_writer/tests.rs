use std::io;

use super::*;
use crate::tests::{example, example_set, seen_by_us, seen_by_wellen};
use crosswave_probe::signal::{Net, Scope, Signal};

#[test]
fn the_whole_file() {
    let text = String::from_utf8(example()).unwrap();
    let text = text.replace(env!("CARGO_PKG_VERSION"), "[version]");
    insta::assert_snapshot!(text);
}

#[test]
fn the_same_bytes_every_time() {
    assert_eq!(example(), example());
}

fn one_signal(width: u8) -> SignalSet {
    SignalSet {
        scopes: vec![Scope {
            name: "top".into(),
            parent: None,
        }],
        signals: vec![Signal {
            scope: 0,
            name: "a",
            width,
            states: &[],
            net: Net::Own,
        }],
    }
}

fn body(set: &SignalSet, write: impl FnOnce(&mut VcdWriter<Vec<u8>>)) -> String {
    let mut writer = VcdWriter::new(set, Timescale::NANOSECOND, Vec::new()).unwrap();
    write(&mut writer);
    let text = String::from_utf8(writer.into_inner()).unwrap();
    let (_, body) = text.split_once("$enddefinitions $end\n").unwrap();
    body.into()
}

#[test]
fn vectors_have_the_digits_of_the_formatter() {
    let set = one_signal(64);
    let mut values: Vec<u64> = (0..64).map(|bit| 1 << bit).collect();
    values.extend((0..64).map(|bit| u64::MAX >> bit));
    values.extend([0, 0x0123_4567_89ab_cdef, 0xaaaa_aaaa_aaaa_aaaa]);
    let text = body(&set, |writer| {
        writer.begin(0, &[Value::Known(5)]).unwrap();
        for &value in &values {
            writer.change(0, value).unwrap();
        }
        writer.end(0).unwrap();
    });
    let expected: String = values
        .iter()
        .map(|value| format!("b{value:b} !\n"))
        .collect();
    assert_eq!(text, format!("#0\n$dumpvars\nb101 !\n$end\n{expected}"));
}

#[test]
fn times_without_changes_are_left_out() {
    let set = one_signal(1);
    let text = body(&set, |writer| {
        writer.begin(7, &[Value::Known(1)]).unwrap();
        for time in 8..1000 {
            writer.time(time).unwrap();
        }
        writer.change(0, 0).unwrap();
        writer.time(u64::MAX - 1).unwrap();
        writer.end(u64::MAX).unwrap();
    });
    let expected = "#7\n$dumpvars\n1!\n$end\n#999\n0!\n#18446744073709551615\n";
    assert_eq!(text, expected);
}

#[test]
fn the_last_time_is_written_once() {
    let set = one_signal(1);
    let text = body(&set, |writer| {
        writer.begin(0, &[Value::X]).unwrap();
        writer.time(5).unwrap();
        writer.change(0, 0).unwrap();
        writer.end(5).unwrap();
    });
    assert_eq!(text, "#0\n$dumpvars\nx!\n$end\n#5\n0!\n");
}

/// Every identifier of a set that needs three characters is what the `vcd` crate
/// numbers it, and the buffer is handed on between changes.
#[test]
fn large_sets_and_full_buffers() {
    let mut set = one_signal(1);
    set.signals = (0..10_000)
        .map(|index| Signal {
            width: 1 + (index % 64) as u8,
            ..set.signals[0].clone()
        })
        .collect();
    let values = vec![Value::X; set.signals.len()];
    let mut writer = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).unwrap();
    writer.begin(0, &values).unwrap();
    for time in 1..=30 {
        writer.time(time).unwrap();
        for index in 0..set.signals.len() {
            writer
                .change(index, u64::MAX >> (64 - set.signals[index].width))
                .unwrap();
        }
    }
    writer.end(31).unwrap();
    let bytes = writer.into_inner();
    assert!(bytes.len() > 8 * FLUSH_BYTES);
    let mut expected = 0;
    for command in vcd::Parser::new(&bytes[..]) {
        let code = match command.unwrap() {
            vcd::Command::ChangeScalar(code, _) => code,
            vcd::Command::ChangeVector(code, vector) => {
                let width = usize::from(set.signals[expected % 10_000].width);
                assert!(vector.len() == width || vector.len() == 1);
                code
            }
            _ => continue,
        };
        assert_eq!(code, vcd::IdCode::from(expected as u64 % 10_000));
        expected += 1;
    }
    assert_eq!(expected, 31 * 10_000);
}

/// The first values of a large network are more than the buffer holds.
#[test]
fn first_values_may_be_more_than_the_buffer_holds() {
    let mut set = one_signal(64);
    set.signals = vec![set.signals[0].clone(); 20_000];
    for value in [Value::Known(u64::MAX), Value::X] {
        let values = vec![value; set.signals.len()];
        let text = body(&set, |writer| {
            writer.begin(0, &values).unwrap();
            writer.end(1).unwrap();
        });
        assert!(value == Value::X || text.len() > FLUSH_BYTES);
        assert!(text.starts_with("#0\n$dumpvars\n") && text.ends_with("\n$end\n#1\n"));
        assert_eq!(text.lines().count(), 20_000 + 4);
    }
}

#[test]
fn signals_on_one_net_are_one_variable_with_many_names() {
    let mut set = one_signal(1);
    for scope in ["a", "b"] {
        let parent = Some(0);
        let name = scope.into();
        set.scopes.push(Scope { name, parent });
        for (name, net) in [
            ("clock", Net::Clock),
            ("reset", Net::Reset),
            ("d", Net::Own),
        ] {
            set.signals.push(Signal {
                scope: set.scopes.len() - 1,
                name,
                net,
                ..set.signals[0].clone()
            });
        }
    }
    let mut writer = VcdWriter::new(&set, Timescale::NANOSECOND, Vec::new()).unwrap();
    let values = [0, 1, 1, 0, 1, 1, 0].map(Value::Known);
    writer.begin(0, &values).unwrap();
    writer.time(5).unwrap();
    writer.change(1, 0).unwrap();
    writer.change(6, 1).unwrap();
    writer.end(10).unwrap();
    let bytes = writer.into_inner();
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.ends_with("#0\n$dumpvars\n0!\n1\"\n1#\n0$\n0%\n$end\n#5\n0\"\n1%\n#10\n"));
    for seen in [seen_by_us(&bytes), seen_by_wellen(&bytes)] {
        let of = |path: &str| &seen.iter().find(|seen| seen.0 == path).unwrap().1;
        let history = |changes: &[(u64, &str)]| -> Vec<(u64, String)> {
            let owned = |&(time, value): &(u64, &str)| (time, value.to_owned());
            changes.iter().map(owned).collect()
        };
        assert_eq!(of("top.a.clock"), &history(&[(0, "1"), (5, "0")]));
        assert_eq!(of("top.a.clock"), of("top.b.clock"));
        assert_eq!(of("top.b.reset"), &history(&[(0, "1")]));
        assert_eq!(of("top.a.d"), &history(&[(0, "0")]));
        assert_eq!(of("top.b.d"), &history(&[(0, "0"), (5, "1")]));
    }
}

/// Takes some bytes, then fails.
struct Full(usize);

impl io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 {
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error_and_stays_one() {
    let set = one_signal(64);
    assert!(VcdWriter::new(&set, Timescale::NANOSECOND, Full(10)).is_err());

    let mut writer = VcdWriter::new(&set, Timescale::NANOSECOND, Full(3000)).unwrap();
    writer.begin(0, &[Value::X]).unwrap();
    let mut errors = 0;
    for time in 1..100_000 {
        errors += u32::from(writer.time(time).is_err());
        if let Err(error) = writer.change(0, u64::MAX - time) {
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
            errors += 1;
        }
    }
    assert!(errors > 0);
    assert!(writer.has_failed());
    assert!(writer.end(100_000).is_err());
}

#[test]
fn scopes_are_nested_as_in_the_set() {
    let set = example_set();
    let text = String::from_utf8(example()).unwrap();
    let mut open: Vec<String> = Vec::new();
    let mut seen = Vec::new();
    for line in text.lines().take_while(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split(' ').collect();
        match words[0] {
            "$scope" => open.push(words[2].into()),
            "$upscope" => drop(open.pop()),
            "$var" if words[1] == "wire" => seen.push(format!("{}.{}", open.join("."), words[4])),
            _ => {}
        }
    }
    let mut expected: Vec<String> = (0..set.signals.len())
        .map(|index| set.path(index))
        .collect();
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected);
}
