use super::*;
use crate::Timescale;

/// A waveform of `declared`, in which each line `PATH WIDTH` or `PATH WIDTH KIND` is a variable
/// whose code is its place: `!`, `"`, `#` …
fn wave(declared: &[&str], body: &str) -> Waveform {
    let mut text = String::from("$timescale 1 ns $end ");
    let mut open: Vec<&str> = Vec::new();
    for (variable, code) in declared.iter().zip('!'..) {
        let mut words = variable.split(' ');
        let (path, width) = (words.next().unwrap(), words.next().unwrap());
        let kind = words.next().unwrap_or("wire");
        let mut names: Vec<&str> = path.split('.').collect();
        let name = names.pop().unwrap();
        if names != open {
            text += &"$upscope $end ".repeat(open.len());
            for scope in &names {
                text += &format!("$scope module {scope} $end ");
            }
            open = names;
        }
        text += &format!("$var {kind} {width} {code} {name} $end ");
    }
    let closed = "$upscope $end ".repeat(open.len());
    let text = format!("{text}{closed}$enddefinitions $end {body}");
    crate::read("test", text.as_bytes()).unwrap()
}

/// The waveform of `top.a` and the vector `top.b` of 8 bits.
fn two(body: &str) -> Waveform {
    wave(&["top.a 1", "top.b 8"], body)
}

fn exact(left: &Waveform, right: &Waveform) -> Comparison {
    compare(left, right, Rules::EXACT)
}

/// The same in some times, with times multiplied.
fn within(
    (left, right): (&Waveform, &Waveform),
    factors: (u64, u64),
    times: (u64, u64),
) -> Vec<(u64, String)> {
    let names = ComparedNames::new(left, right, &[]);
    let kept = vec![true; left.signals.len() + right.signals.len()];
    let mut comparer = Comparer::new(&names, &kept, Rules::EXACT, factors);
    comparer.part(left, right, times);
    let found = comparer.finish().differences.into_iter();
    found.map(|found| (found.time, found.path)).collect()
}

#[test]
fn every_signal_has_its_first_difference() {
    let left = two("#0 x! b0 \" #10 1! b101 \" #20 0! #30");
    let right = two("#0 x! b0 \" #10 1! b111 \" #20 1! #30");
    let found = exact(&left, &right);
    assert_eq!(found.compared, 2);
    assert_eq!(
        found.to_string(),
        "time 10, top.b: 101 on the left, 111 on the right"
    );
    assert_eq!(
        within((&left, &right), (1, 1), (0, 99)),
        [(10, "top.b".into()), (20, "top.a".into())]
    );
    assert!(exact(&left, &left).is_same());
    assert_eq!(exact(&left, &left).to_string(), "2 signals are the same");
}

/// A difference in the first or the last time is one, and one time more is none.
#[test]
fn both_ends_of_the_times_are_compared() {
    let left = two("#0 0! b0 \" #10 1! #20 0! #30");
    let right = two("#0 0! b0 \" #10 0! #20 0! #30");
    let both = (&left, &right);
    let first = |times| within(both, (1, 1), times).first().map(|found| found.0);
    assert_eq!(first((0, 9)), None);
    assert_eq!(first((0, 10)), Some(10));
    assert_eq!(first((19, 30)), Some(19));
    assert_eq!(first((20, 30)), None);
    // Times in other units: 10 is 30.
    let first = |times| within(both, (3, 3), times).first().map(|found| found.0);
    assert_eq!((first((0, 29)), first((0, 30))), (None, Some(30)));
}

/// Parts one after the other are the whole.
#[test]
fn parts_are_the_whole() {
    let left = two("#0 0! b0 \" #10 1! b1 \" #20 0! b10 \" #30");
    let right = two("#0 0! b0 \" #10 1! b1 \" #20 1! b10 \" #25 b11 \" #30");
    let names = ComparedNames::new(&left, &right, &[]);
    let mut comparer = Comparer::new(&names, &[true; 4], Rules::EXACT, (1, 1));
    for time in 0..31 {
        comparer.part(&left, &right, (time, time));
    }
    assert_eq!(comparer.finish(), exact(&left, &right));
}

#[test]
fn a_change_to_the_same_value_is_no_difference() {
    let left = two("#0 0! b0 \" #10 0! #30");
    let right = two("#0 0! b0 \" #30");
    assert!(exact(&left, &right).is_same());
}

#[test]
fn units_have_a_common_one() {
    let unit = |count, unit| Some(Timescale { count, unit });
    use crate::TimeUnit::{Ns, Ps};
    assert_eq!(time_factors(unit(1, Ns), unit(1, Ps)), (1000, 1));
    assert_eq!(time_factors(unit(10, Ps), unit(4, Ps)), (5, 2));
    assert_eq!(time_factors(None, unit(1, Ps)), (1, 1));
}

#[test]
fn signals_of_one_waveform_only_are_named() {
    let left = wave(&["top.a 1", "top.c 1"], "#0");
    let right = wave(&["top.a 1", "top.b 1", "top.t 1 string"], "#0");
    let found = exact(&left, &right);
    assert_eq!(found.only_left, ["top.c"]);
    assert_eq!(found.only_right, ["top.b"]);
    assert_eq!(found.to_string(), "top.c is only in the left waveform");
    assert!(found.common_is_same() && !found.is_same());
}

/// Waveforms without a common signal have nothing that could differ, and are not the same.
#[test]
fn nothing_compared_is_not_the_same() {
    let found = exact(&wave(&["top.a 1"], "#0 0!"), &wave(&["pot.a 1"], "#0 0!"));
    assert!(!found.common_is_same());
    let none = wave(&[], "#0");
    assert!(!exact(&none, &none).is_same());
}

#[test]
fn other_widths_and_kinds_are_told_and_not_compared() {
    let left = wave(&["t.v 4", "t.r 64 real", "t.w 1"], "#0 bx ! b1 # r0.5 \"");
    let right = wave(&["t.v 8", "t.r 64", "t.w 1"], "#0 bx ! b1 # b101 \"");
    let found = exact(&left, &right);
    let told: Vec<String> = found
        .unlike
        .iter()
        .map(|unlike| format!("{} {} {}", unlike.path, unlike.left, unlike.right))
        .collect();
    assert_eq!(told, ["t.r a real number 64 bits", "t.v 4 bits 8 bits"]);
    assert_eq!((found.compared, found.differences.len()), (1, 0));
    assert!(!found.common_is_same());
}

/// Values without bits are not taken for equal bits, whatever their declaration said.
#[test]
fn values_of_other_kinds_are_never_the_same() {
    let bits = |value| (SignalKind::Bits, value);
    let text = |text: &str| WaveValue::Text(text.into());
    let values = [text("AAA"), text("BBB"), WaveValue::Real(2.5)];
    let x_matches = Rules {
        x_matches: true,
        ..Rules::EXACT
    };
    for (at, one) in values.iter().enumerate() {
        for rules in [Rules::EXACT, x_matches] {
            let same = |other| rules.same(bits(8), Some(one), other);
            assert!(!same(Some(&values[(at + 1) % 3])), "{one}");
            assert!(!same(Some(&WaveValue::Known(0))), "{one}");
            assert!(!same(None), "{one}");
        }
    }
}

#[test]
fn a_path_that_occurs_again_is_compared_again() {
    let left = wave(&["t.v 1", "t.v 1"], "#0 0! 1\"");
    let right = wave(&["t.v 1", "t.v 1"], "#0 0! 0\"");
    let found = exact(&left, &right);
    assert_eq!((found.compared, found.differences.len()), (2, 1));
    // One signal that is declared twice is one.
    let text = "$var wire 1 ! v $end $var wire 1 ! v $end $enddefinitions $end #0 0!";
    let twice = crate::read("test", text.as_bytes()).unwrap();
    assert!(exact(&twice, &wave(&["v 1"], "#0 0!")).is_same());
}

#[test]
fn buses_in_parts_are_joined() {
    let whole = wave(&["t.a 4"], "#0 bx ! #5 b1010 ! #7 b10z1 !");
    let bits = ["t.a[0] 1", "t.a[1] 1", "t.a[2] 1", "t.a[3] 1"];
    let same = "#0 #5 0! 1\" 0# 1$ #7 1! z\"";
    let parts = wave(&bits, same);
    let found = exact(&whole, &parts);
    assert!(found.is_same(), "{found}");
    assert_eq!(found.compared, 1);
    assert!(exact(&parts, &whole).is_same());
    let other = wave(&bits, "#0 #5 0! 1\" 0# 1$ #7 1! 1\"");
    let found = exact(&whole, &other);
    assert_eq!(
        found.to_string(),
        "time 7, t.a: 10z1 on the left, 1011 on the right"
    );
    // In slices, and with indices that rise from the most significant bit.
    let slices = wave(&["t.a[1:0] 2", "t.a[3:2] 2"], "#5 b10 ! b10 \" #7 bz1 !");
    assert!(exact(&slices, &whole).is_same());
    assert!(exact(&slices, &parts).is_same());
    let rising = wave(&["t.a[0:3] 4"], "#5 b0101 ! #7 b1z01 !");
    assert!(exact(&rising, &parts).is_same());
    // Bits that are not all of it, and elements of an array, are no bus.
    let found = exact(&whole, &wave(&bits[1..], "#0"));
    assert_eq!((found.only_left.len(), found.only_right.len()), (1, 3));
    let array = wave(&["t.a[0] 2", "t.a[1] 2"], "#0");
    assert_eq!(exact(&whole, &array).only_right.len(), 2);
}

#[test]
fn numbers_are_the_same_to_so_many_digits() {
    let real = |number: &str| wave(&["t.r 64 real"], &format!("#0 r{number} !"));
    let same = |real_digits, one, other| {
        let rules = Rules {
            real_digits,
            ..Rules::EXACT
        };
        compare(&real(one), &real(other), rules).is_same()
    };
    assert!(same(17, "nan", "nan") && !same(3, "nan", "1"));
    assert!(!same(17, "0.3", "0.30000000000000004"));
    assert!(same(16, "0.3", "0.30000000000000004"));
    assert!(same(16, "-0.3", "-0.30000000000000004"));
    assert!(!same(16, "0.3", "0.300000000000001"));
    assert!(same(3, "1234", "1243") && !same(3, "1234", "1245"));
    assert!(same(3, "9.99e99", "10.0e99") && !same(3, "9.9e99", "-9.9e99"));
    assert!(!same(3, "inf", "1") && same(3, "inf", "inf"));
    assert!(same(17, "0", "-0") && !same(16, "0", "1e-300"));
}

#[test]
fn unknown_bits_match_on_request() {
    let left = two("#0 x! b0 \" #10 1! b1x1 \" #30");
    let right = two("#0 1! b0 \" #10 1! b111 \" #20 b11x \" #30");
    let x_matches = Rules {
        x_matches: true,
        ..Rules::EXACT
    };
    assert_eq!(exact(&left, &right).differences.len(), 2);
    let found = compare(&left, &right, x_matches);
    assert!(found.is_same(), "{found}");
    let other = two("#0 1! b0 \" #10 1! b110 \" #30");
    let found = compare(&left, &other, x_matches);
    assert_eq!(found.differences[0].path, "top.b");
    // High impedance is no X, and before its first value a bit is X.
    let open = two("#0 z! b0 \" #10 1! b1z1 \" #30");
    assert!(!compare(&open, &right, x_matches).is_same());
    assert!(exact(&two("#0 x! bx \" #30"), &two("#30")).is_same());
    let names = ["t.s_name 1 string"];
    let left = wave(&names, "#0 sX ! #5 sIDLE !");
    let right = wave(&names, "#0 sIDLE !");
    assert!(compare(&left, &right, x_matches).is_same());
    assert!(!exact(&left, &right).is_same());
}

/// Events are compared by the times at which they fire.
#[test]
fn events_are_compared_by_their_times() {
    let fired = |times: &[u64]| {
        let fired: String = times.iter().map(|time| format!("#{time} 1! ")).collect();
        wave(&["t.e 1 event"], &format!("{fired} #99"))
    };
    let left = fired(&[12, 32, 52]);
    let difference = |other: &Waveform| {
        let found = exact(&left, other).differences;
        found
            .first()
            .map(|found| (found.time, found.left.is_some()))
    };
    assert_eq!(difference(&left), None);
    assert_eq!(difference(&fired(&[12, 52])), Some((32, true)));
    assert_eq!(difference(&fired(&[12, 32, 33, 52])), Some((33, false)));
    assert_eq!(difference(&fired(&[])), Some((12, true)));
    let x_matches = Rules {
        x_matches: true,
        ..Rules::EXACT
    };
    assert!(!compare(&left, &fired(&[12, 52]), x_matches).is_same());
    // A window that begins between two firings, and parts.
    let other = fired(&[32, 52, 60]);
    assert_eq!(within((&left, &other), (1, 1), (13, 59)), []);
    assert_eq!(within((&left, &other), (1, 1), (12, 59)).len(), 1);
    // An event is no bit.
    let bit = wave(&["t.e 1"], "#12 1! #99");
    assert_eq!(exact(&left, &bit).unlike.len(), 1);
}

/// The names of a value are told with it, and not as another difference.
#[test]
fn names_of_values_are_told_with_them() {
    let states = ["t.s 2", "t.s_name 1 string"];
    let left = wave(&states, "#0 b0 ! sIDLE \" #5 b1 ! sBUSY \"");
    let right = wave(&states, "#0 b0 ! sIDLE \" #5 b10 ! sDONE \"");
    let [found] = &exact(&left, &right).differences[..] else {
        panic!("one difference");
    };
    assert_eq!(found.names, (Some("BUSY".into()), Some("DONE".into())));
    // Other names for the same value are a difference.
    let right = wave(&states, "#0 b0 ! sIDLE \" #5 b1 ! sDONE \"");
    let found = exact(&left, &right);
    assert_eq!(found.differences[0].path, "t.s_name");
}

fn prefix(left: &str, right: &str) -> Prefix {
    Prefix {
        left: left.into(),
        right: right.into(),
    }
}

#[test]
fn a_prefix_of_scopes_is_found() {
    let icarus = wave(&["tb.clk 1", "tb.dut.a 1", "tb.dut.u.q 4"], "#0");
    let found = |right: &[&str]| Prefix::found(&icarus, &wave(right, "#0"));
    let verilator = [
        "TOP.clk 1",
        "TOP.tb.clk 1",
        "TOP.tb.dut.a 1",
        "TOP.tb.dut.u.q 4",
    ];
    assert_eq!(found(&verilator), Some(prefix("", "TOP")));
    // The design alone, under other names, with or without scopes in it.
    let alone = ["top.a 1", "top.u.q 4", "top.b 1"];
    assert_eq!(found(&alone), Some(prefix("tb.dut", "top")));
    assert_eq!(found(&["a 1", "u.q 4"]), Some(prefix("tb.dut", "")));
    assert_eq!(
        found(&["x.y.q 4", "x.y.z 1"]),
        Some(prefix("tb.dut.u", "x.y"))
    );
    // Scopes that are in both already, and scopes that never are.
    assert_eq!(found(&["tb.clk 1", "TOP.tb.dut.a 1"]), None);
    assert_eq!(found(&["top.other 1"]), None);
    assert_eq!(Prefix::found(&icarus, &Waveform::default()), None);
}

#[test]
fn prefixes_bring_scopes_together() {
    let left = wave(&["a.x 1", "b.c.x 1", "b.d.x 1", "e 1"], "#0 0! 0\" 0# 0$");
    let right = wave(&["p.q.x 1", "r.x 1", "s.d.x 1", "e 1"], "#0 0! 1\" 0# 0$");
    let prefixes = [prefix("a", "p.q"), prefix("b.c", "r"), prefix("b", "s")];
    let names = ComparedNames::new(&left, &right, &prefixes);
    assert_eq!(names.in_common(), 4);
    let mut comparer = Comparer::new(&names, &[true; 8], Rules::EXACT, (1, 1));
    comparer.part(&left, &right, (0, 9));
    let found = comparer.finish();
    assert!(found.only_left.is_empty() && found.only_right.is_empty());
    let paths: Vec<&str> = found.differences.iter().map(|d| &*d.path).collect();
    assert_eq!(paths, ["b.c.x"]);
    // Patterns see the names of the left waveform, also for the right one.
    let kept = crate::select("test", &names, &["b.**"]).unwrap();
    let expected = [false, true, true, false, false, true, true, false];
    assert_eq!(kept, expected);
}
