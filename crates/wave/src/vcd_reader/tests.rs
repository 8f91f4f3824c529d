use std::io::{BufReader, Write};

use super::builder::bit;
use super::*;
use crate::tests::{example, random_bytes};
use crate::{Bit, Changes, SignalKind, WaveValue, open, read_file};
use crosswave_testing as cases;

fn mistake(text: &str) -> String {
    let error = read("test.vcd", text.as_bytes()).unwrap_err();
    assert_eq!(error.class, Class::Input);
    error.to_string()
}

const HEADER: &str = "\
$timescale 10ns $end
$scope module top $end
$var wire 1 ! a $end
$var reg 8 \" b [7:0] $end
$var wire 8 \" alias [7:0] $end
$var wire 1 % split [3] $end
$var real 64 # r $end
$var string 1 $ s $end
$upscope $end
$enddefinitions $end
";

fn wave(body: &str) -> Waveform {
    read("test.vcd", format!("{HEADER}{body}").as_bytes()).unwrap()
}

fn history(wave: &Waveform, path: &str) -> String {
    let signal = wave.find(path).unwrap();
    let width = wave.signals[signal].width;
    let changes = wave.changes(signal).iter();
    let shown = changes.map(|change| {
        let value = &change.value;
        let text = value.binary(width).unwrap_or(value.to_string());
        format!("{}={text}", change.time)
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn values_are_extended() {
    let wave =
        wave("#0\nb1 \"\n#1\nb0x1 \"\n#2\nbx1 \"\n#3\nbz0 \"\n#4\nBX \"\n#5\n1\"\n#6 bzzzzzzzz \"");
    assert_eq!(
        history(&wave, "top.b"),
        "0=00000001 1=000000x1 2=xxxxxxx1 3=zzzzzzz0 4=xxxxxxxx 5=00000001 6=zzzzzzzz"
    );
    assert_eq!(history(&wave, "top.alias"), history(&wave, "top.b"));
    let timescale = wave.timescale.unwrap();
    assert_eq!(timescale.to_string(), "10 ns");
    assert_eq!(wave.end, 6);
}

#[test]
fn repeated_and_overwritten_values_are_not_kept() {
    let wave = wave("$dumpvars 0! $end #5 0! #6 1! 0! #7 1! #8 $dumpall 1! $end #9 z! 1! #12");
    assert_eq!(history(&wave, "top.a"), "0=0 7=1");
    assert_eq!(wave.end, 12);
    assert_eq!(wave.value_at(0, 6), Some(WaveValue::Known(0)));
    assert_eq!(wave.value_at(0, 7), Some(WaveValue::Known(1)));
    assert_eq!(wave.value_at(1, 7), None);
}

#[test]
fn other_kinds_of_values() {
    let wave = wave("#0 r1.5 # sIDLE $ 1% $comment text $end #1 r-2e3 # sX $");
    assert_eq!(history(&wave, "top.r"), "0=1.5 1=-2000");
    assert_eq!(history(&wave, "top.s"), "0=IDLE 1=X");
    assert_eq!(history(&wave, "top.split[3]"), "0=1");
}

#[test]
fn hexadecimal_digits() {
    let bits = |text: &str| {
        let bits: Vec<Bit> = text.bytes().map(|digit| bit(digit).unwrap()).collect();
        WaveValue::from_bits(&bits)
    };
    let hexadecimal = |text, width| bits(text).hexadecimal(width, 99).unwrap();
    assert_eq!(hexadecimal("111010", 8), "3A");
    assert_eq!(hexadecimal("1", 9), "001");
    assert_eq!(hexadecimal("x", 9), "xxx");
    assert_eq!(hexadecimal("x10100000", 12), "xA0");
    assert_eq!(hexadecimal("zzzz0z011111", 12), "zZF");
    assert_eq!(bits("1010").hexadecimal(4000, 3).unwrap(), "000");
    let ones = "1".repeat(70);
    assert_eq!(hexadecimal(&ones, 72), "3FFFFFFFFFFFFFFFFF");
    assert_eq!(
        bits(&format!("0000{}", &ones[..64])),
        WaveValue::Known(u64::MAX)
    );
}

#[test]
fn mistakes_have_a_line_and_a_help() {
    let bodies = [
        "#5\n#4\n",
        "#5\n1?\n",
        "#5\nb101010101 \"\n",
        "#5\nb12 \"\n",
        "#5\n1!\nsIDLE !\n",
        "#5\nrhalf #\n",
        "#5\nq!\n",
        "#5\npD 6 0 <0\n",
        "#x\n",
        "#99999999999999999999\n",
        "#5\n\0\0a\n",
        "$var wire 1 & late $end\n",
        "$upscope $end\n",
        "$end\n",
    ];
    let headers = [
        "",
        "hello\n",
        "$timescale 0 ns $end",
        "$timescale 1 fortnight $end",
        "$timescale ns $end",
        "$scope $end",
        "$scope module top $end $enddefinitions $end",
        "$var wire 1 ! $end",
        "$var wire wide ! a $end",
        "$var wire 1 ! a $end\n$var wire 2 ! b $end",
        "$scope module \u{fffd}",
    ];
    let bodies = bodies.iter().map(|body| format!("{HEADER}{body}"));
    let texts = bodies.chain(headers.iter().map(|header| header.to_string()));
    let messages: String = texts.map(|text| mistake(&text)).collect();
    insta::assert_snapshot!(messages);
}

#[test]
fn depth_and_width_cost_nothing() {
    let deep = "$scope module a $end\n".repeat(1_000_000);
    assert!(mistake(&deep).contains("at most 256"));
    let mut wide = String::from("$var wire 65536 ! a $end $enddefinitions $end\n");
    for time in 0..10_000 {
        wide.push_str(&format!("#{time} bx1 !\n#{time} bz{time:b} !\n"));
    }
    let wave = read("test", wide.as_bytes()).unwrap();
    assert_eq!(wave.changes(0).len(), 10_000);
}

/// Only scopes that are open count, however many there are beside each other.
#[test]
fn many_scopes_are_not_deep() {
    let beside = "$scope module a $end $upscope $end\n".repeat(2 * MAX_DEPTH);
    let text = format!("{beside}$enddefinitions $end");
    let wave = read("test", text.as_bytes()).unwrap();
    assert_eq!(wave.scopes.len(), 2 * MAX_DEPTH);
    assert!(wave.scopes.iter().all(|scope| scope.parent.is_none()));
    let open = "$scope module a $end ".repeat(MAX_DEPTH);
    let close = "$upscope $end ".repeat(MAX_DEPTH);
    let text = format!("{beside}{open}{close}{open}{close}$enddefinitions $end");
    assert!(read("test", text.as_bytes()).is_ok());
}

#[test]
fn missing_file() {
    let error = read_file(Path::new("no/such/file.vcd")).unwrap_err();
    assert_eq!(error.class, Class::Io);
    assert!(error.to_string().contains("no/such/file.vcd"));
}

/// A part of a waveform shows what the whole one shows there.
#[test]
fn a_part_is_the_whole_in_its_signals_and_times() {
    let part = (
        random_bytes(),
        proptest::num::u64::ANY,
        0_u64..90,
        0_u64..90,
    );
    cases::runner(256)
        .run(&part, |(bytes, kept, first, length)| {
            let whole = read("test", &bytes).unwrap();
            let kept: Vec<bool> = (0..whole.signals.len())
                .map(|signal| kept >> (signal % 64) & 1 == 1)
                .collect();
            let last = first + length;
            // A small buffer ends in the middle of changes.
            for capacity in [1, 7, 1 << 16] {
                let input = BufReader::with_capacity(capacity, &bytes[..]);
                let mut reader = Reader::new("test", input).unwrap();
                assert_eq!(reader.declared().signals, whole.signals);
                if length % 2 == 1 {
                    // The beginning first, with more signals.
                    let all = vec![true; kept.len()];
                    let beginning = reader.beginning(&all, length / 2).unwrap();
                    for (part, whole) in beginning.streams.iter().zip(&whole.streams) {
                        assert!(part.iter().eq(whole.iter().take(part.len())));
                        let mut rest = whole.times().skip(part.len());
                        assert!(rest.all(|time| time > length / 2));
                    }
                }
                let part = reader.some(&kept, (first, last)).unwrap();
                assert!(part.end == whole.end || part.end > last && part.end < whole.end);
                if part.end == whole.end {
                    assert_eq!(part.last_change, whole.last_change);
                }
                for (signal, _) in kept.iter().enumerate().filter(|(_, kept)| **kept) {
                    let before = part.changes(signal).iter().filter(|c| c.time < first);
                    assert!(before.count() <= 1);
                    for time in first..=last {
                        let expected = whole.value_at(signal, time);
                        assert_eq!(part.value_at(signal, time), expected, "{signal} {time}");
                    }
                }
                let changes = part.streams.iter().map(Changes::len).sum::<usize>();
                assert!(kept.contains(&true) || changes == 0);
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn mistakes_behind_changes_that_are_passed_over_have_their_line() {
    for (body, line) in [
        ("#0\n0!\n\n1!\nq!\n", 15),
        ("#0\n0! 1!\n0!\n#1 1!\n1! #0\n", 15),
        ("#0\n1!\n1?\n", 13),
    ] {
        let text = format!("{HEADER}{body}");
        let whole = read("test.vcd", text.as_bytes()).unwrap_err();
        let reader = Reader::new("test.vcd", text.as_bytes()).unwrap();
        let none = vec![false; reader.declared().signals.len()];
        let part = reader.some(&none, (0, 99)).unwrap_err();
        assert_eq!(part.diagnostics[0].place, format!("line {line}"));
        assert_eq!(part, whole);
    }
}

/// Text after the times is not looked at.
#[test]
fn reading_stops_behind_the_times() {
    let text = format!("{HEADER}#0 0! #5 1! #9 0! #10 hello\n");
    assert!(read("test", text.as_bytes()).is_err());
    let reader = Reader::new("test", text.as_bytes()).unwrap();
    let all = vec![true; reader.declared().signals.len()];
    let part = reader.some(&all, (6, 8)).unwrap();
    assert_eq!(history(&part, "top.a"), "5=1");
    assert_eq!(part.end, 9);
}

#[test]
fn a_file_is_read_in_part_as_well() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&example()).unwrap();
    let reader = open(file.path()).unwrap();
    let kept: Vec<bool> = (0..reader.declared().signals.len())
        .map(|signal| reader.declared().path(signal) == "top.node0.valid")
        .collect();
    let part = reader.some(&kept, (0, u64::MAX)).unwrap();
    assert_eq!(history(&part, "top.node0.valid"), "0=x 20=0 40=1 70=0");
    assert_eq!((part.end, part.last_change), (110, 100));
}

/// Two firings with nothing between them are two; what `$dumpvars` shows of an event is none.
#[test]
fn events_fire_at_times() {
    let text = "$timescale 1ps $end $scope module tb $end $var event 1 ! e $end
        $var reg 1 \" clk $end $upscope $end $enddefinitions $end
        #0 $dumpvars 0\" 1! $end #5 1\" #12 1! #20 0\" #32 1! #32 1! #40 x! #52 1! #60";
    let wave = read("test", text.as_bytes()).unwrap();
    assert_eq!(wave.signals[0].kind, SignalKind::Event);
    let times: Vec<u64> = wave.changes(0).times().collect();
    assert_eq!(times, [12, 32, 52]);
    assert_eq!(wave.value_at(0, 12), Some(WaveValue::Fired));
    assert_eq!(wave.value_at(0, 13), None);
}

/// Wherever a file ends, it shows what the whole one shows before its end.
#[test]
fn a_cut_file_is_the_beginning_of_the_whole() {
    let bytes = example();
    let whole = read("test", &bytes).unwrap();
    let (mut read_count, mut warned) = (0, 0);
    for length in 0..bytes.len() {
        let Ok(part) = read("test", &bytes[..length]) else {
            continue;
        };
        read_count += 1;
        warned += usize::from(!part.warnings.is_empty());
        for (signal, declared) in part.signals.iter().enumerate() {
            // The last time may be cut itself.
            let last = part.end.min(part.last_change);
            let before = |wave: &Waveform, stream: usize| {
                let changes = wave.streams[stream].iter();
                let before = changes.filter(|change| change.time < last);
                before.collect::<Vec<_>>()
            };
            let expected = before(&whole, whole.signals[signal].stream);
            assert_eq!(before(&part, declared.stream), expected, "{length}");
        }
    }
    assert!(read_count > bytes.len() / 2, "{read_count}");
    assert!(warned > read_count / 3, "{warned} of {read_count}");
}

/// Values with digits that only VHDL has, blanks behind letters, and numbers that are bits.
#[test]
fn odd_values_are_taken_in() {
    let wave = wave("#0 L! H% bUW-H \" r 2.5 # #1 H! b LHLH \" bx # #2 1 ! b11 # #3");
    assert_eq!(history(&wave, "top.a"), "0=0 1=1");
    assert_eq!(history(&wave, "top.b"), "0=xxxxxxx1 1=00000101");
    assert_eq!(history(&wave, "top.r"), "0=2.5 1=NaN 2=3");
    let declared = "$var wire 1 aaaa a $end $var wire 1 bbbbb b $end $enddefinitions $end";
    let text = format!("{declared} #0 0aaaa 1bbbbb #1 1aaaa #2");
    let wave = read("test", text.as_bytes()).unwrap();
    assert_eq!(history(&wave, "a"), "0=0 1=1");
    assert_eq!(history(&wave, "b"), "0=1");
}

/// The last word of a line is the code of the text that begins it, whatever the words before
/// are, and also where texts of other codes are passed over.
#[test]
fn texts_with_blanks_end_with_their_line() {
    let text = "$var string 1 ! s $end $var wire 1 a w $end $var string 1 is o $end
        $enddefinitions $end\n#0\n0a\nsit is a dog !\nsa is\n\
        #5\nsa is a !\n1a\ns  a  is  \n#7 sshort ! 0a\n#9\nsis\n!\n";
    let expected = [
        "0=it is a dog 5=a is a 7=short 9=is",
        "0=0 5=1 7=0",
        "0=a 5= a",
    ];
    for kept in 0..8 {
        let kept: Vec<bool> = (0..3).map(|signal| kept >> signal & 1 == 1).collect();
        for capacity in [1, 7, 1 << 16] {
            let input = BufReader::with_capacity(capacity, text.as_bytes());
            let reader = Reader::new("test", input).unwrap();
            let part = reader.some(&kept, (0, 99)).unwrap();
            for (signal, expected) in expected.iter().enumerate() {
                let expected = if kept[signal] { expected } else { "" };
                let path = ["s", "w", "o"][signal];
                assert_eq!(history(&part, path), expected, "{kept:?} {capacity}");
            }
        }
    }
}

/// Numbers are read as C's `printf` writes them with `%a`, also those that are none.
#[test]
fn real_numbers_are_read_as_c_prints_them() {
    for (text, value) in [
        ("0x1p3", 8.0),
        ("-0X1.8P+1", -3.0),
        ("0x.8p0", 0.5),
        ("0x1.921fb54442d18p+1", std::f64::consts::PI),
        ("0x1.fffffffffffffp+1023", f64::MAX),
        ("0x0.0000000000001p-1022", 5e-324),
        ("0x0p+9999", 0.0),
        ("0x10000000000000000000p0", 75_557_863_725_914_323_419_136.0),
        ("-inf", f64::NEG_INFINITY),
        ("1.#INF00", f64::INFINITY),
    ] {
        assert_eq!(numbers::real_number(text), Some(value), "{text}");
    }
    for text in ["-nan", "nan(0x8)", "-1.#IND", "1.#QNAN0"] {
        assert!(
            numbers::real_number(text).is_some_and(f64::is_nan),
            "{text}"
        );
    }
    for text in ["", "-", "half", "0x", "0xp3", "0x1p", "0x1q", "1,5"] {
        assert_eq!(numbers::real_number(text), None, "{text}");
    }
}
