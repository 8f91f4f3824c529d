use super::*;
use crosswave_wave::Bit;

fn input(name: &str, width: usize, lowest: i32, ascending: bool) -> RunPort {
    RunPort {
        name: name.to_owned(),
        width,
        first: 0,
        range: BitRange { lowest, ascending },
        signed: false,
    }
}

/// A clock that rises at the end of each cycle.
fn clocks(name: &str) -> [RunClock; 1] {
    [RunClock::of_each_cycle(name.to_owned())]
}

fn sampled(text: &str, inputs: &[RunPort], period: Option<u64>) -> Result<Stimulus, Error> {
    let wave = crosswave_wave::read("t.vcd", text.as_bytes()).expect("a waveform");
    let sampling = Sampling {
        scope: None,
        period,
        with_clocks: false,
    };
    sample("t.vcd", &wave, inputs, &clocks("clk"), &sampling)
}

/// The changes as cycle, lowest bit, digits.
fn changes(stimulus: &Stimulus) -> Vec<(u64, usize, String)> {
    let text = |drive: &Drive| {
        let digits: Vec<char> = drive.values().map(Bit::as_char).collect();
        digits.into_iter().rev().collect()
    };
    let drives = stimulus.drives.iter();
    drives
        .map(|drive| (drive.cycle, drive.bits.start, text(drive)))
        .collect()
}

#[test]
fn inputs_are_taken_just_before_the_edge() {
    let text = "$scope module t $end $var wire 1 ! clk $end $var wire 2 # a $end
        $upscope $end $enddefinitions $end
        #0 0! b0 # #5 1! b1 # #10 0! #15 1! #17 b10 # #20 0! #25 1!";
    let inputs = [input("a", 2, 0, false)];
    let stimulus = sampled(text, &inputs, None).unwrap();
    assert_eq!(stimulus.cycles, 3);
    let expected = [(0, 0, "00"), (1, 0, "01"), (2, 0, "10")];
    let expected = expected.map(|(cycle, bit, digits)| (cycle, bit, digits.to_owned()));
    assert_eq!(changes(&stimulus), expected);
    let stimulus = sampled(text, &inputs, Some(10)).unwrap();
    assert_eq!(stimulus.cycles, 2);
    let expected = [(0, 0, "01".to_owned()), (1, 0, "10".to_owned())];
    assert_eq!(changes(&stimulus), expected);
    let wave = crosswave_wave::read("t", text.as_bytes()).unwrap();
    assert!(sample("t", &wave, &inputs, &clocks("clock"), &Sampling::default()).is_err());
}

#[test]
fn a_first_value_of_1_is_no_edge() {
    let text = "$var wire 1 ! clk $end $var wire 1 # a $end $enddefinitions $end
        #0 1! 0# #5 0! #7 1# #10 1! 0# #15 0! #20 1!";
    let stimulus = sampled(text, &[input("a", 1, 0, false)], None).unwrap();
    assert_eq!(stimulus.cycles, 2);
    let expected = [(0, 0, "1".to_owned()), (1, 0, "0".to_owned())];
    assert_eq!(changes(&stimulus), expected);
}

#[test]
fn times_are_no_amount_of_memory() {
    for (end, period, cycles) in [
        (1_000_000_000_000, 1, 1_000_000_000_000),
        (u64::MAX, 1, u64::MAX),
        (u64::MAX, u64::MAX, 1),
    ] {
        let text = format!("$var wire 1 # a $end $enddefinitions $end #0 1# #7 0# #{end} 1#");
        let stimulus = sampled(&text, &[input("a", 1, 0, false)], Some(period)).unwrap();
        assert_eq!(stimulus.cycles, cycles);
        assert!(stimulus.drives.len() <= 2);
    }
}

#[test]
fn inputs_are_found_by_name_range_and_width() {
    let found = |variables: &str, port: RunPort| {
        let text = format!(
            "$var wire 1 ! clk $end $var wire 3 a ra $end $var wire 2 b rb $end \
             $var wire 6 c rc $end $var wire 1 d rd $end {variables} $enddefinitions $end \
             #0 0! b1 a b11 b b101011 c 1d #5 1!"
        );
        sampled(&text, &[port], None).map(|stimulus| {
            let all = changes(&stimulus).into_iter();
            all.map(|(_, bit, digits)| format!("{bit}:{digits}"))
                .collect::<Vec<String>>()
        })
    };
    let adr = || input("adr", 6, 2, false);
    let whole = ["0:101011"];
    for variable in [
        "$var wire 6 c adr [7:2] $end",
        "$var wire 6 c adr[7:2] $end",
        "$var wire 6 c \\adr[7:2] $end",
        "$var wire 6 c adr [5:0] $end",
        "$var wire 6 c adr $end",
    ] {
        assert_eq!(found(variable, adr()).unwrap(), whole, "{variable}");
    }
    // The range was lost on the way to the netlist, or counts upwards.
    let lost = found("$var wire 6 c adr [7:2] $end", input("adr", 6, 0, false));
    assert_eq!(lost.unwrap(), whole);
    let up = found("$var wire 6 c adr [2:7] $end", input("adr", 6, 2, true));
    assert_eq!(up.unwrap(), whole);
    // Parts.
    let parts = "$var wire 2 b adr [4:3] $end $var wire 3 a adr [7:5] $end \
                 $var wire 1 d adr [2] $end $var wire 2 b adr [3:2] $end";
    assert_eq!(found(parts, adr()).unwrap(), ["3:001", "1:11", "0:1"]);
    for variables in [
        "$var wire 6 c adr [9:4] $end",
        "$var wire 6 c adr [2:7] $end",
        "$var wire 3 a adr $end",
        "$var wire 3 a adr [7:5] $end",
        "$var wire 1 d adr [8] $end",
    ] {
        let said = found(variables, adr()).unwrap_err().to_string();
        assert!(said.contains("adr") && said.contains("help"), "{said}");
    }
}

/// A bench around a design: the clock has another name there.
const BENCH: &str = "$scope module tb $end $var wire 1 ! ck $end $var wire 2 # a $end
    $var wire 1 % b $end $scope module dut $end $var wire 1 ! clk $end $var wire 2 & a $end
    $upscope $end $upscope $end $enddefinitions $end
    #0 0! b0 # b11 & 0% #5 1! #10 0! #15 1!";

#[test]
fn the_scope_with_the_clock_is_preferred_and_named() {
    let inputs = [input("a", 2, 0, false), input("b", 1, 0, false)];
    let wave = crosswave_wave::read("t.vcd", BENCH.as_bytes()).unwrap();
    let sampled = |scope: Option<&str>, period| {
        let sampling = Sampling {
            scope,
            period,
            with_clocks: false,
        };
        sample("t.vcd", &wave, &inputs, &clocks("clk"), &sampling)
    };
    let stimulus = sampled(None, None).unwrap();
    assert_eq!((stimulus.cycles, &*stimulus.inputs), (2, [0].as_slice()));
    assert_eq!(changes(&stimulus), [(0, 0, "11".to_owned())]);
    let choice = stimulus.scope.unwrap();
    assert_eq!(
        (&*choice.path, choice.others),
        ("tb.dut", vec!["tb".to_owned()])
    );
    // Without need of a clock, the one with most inputs.
    let stimulus = sampled(None, Some(10)).unwrap();
    assert_eq!(stimulus.inputs, [0, 1]);
    assert_eq!(stimulus.scope.unwrap().path, "tb");
    // One that was asked for is not named.
    assert_eq!(sampled(Some("tb.dut"), None).unwrap().scope, None);
    let error = sampled(Some("tb"), None).unwrap_err().to_string();
    assert!(error.contains("`tb`, has no variable `clk`"), "{error}");
    assert!(error.contains("--stimulus-scope"), "{error}");
    let error = sampled(Some("dut"), None).unwrap_err().to_string();
    assert!(
        error.contains("dut: the waveform has no such scope"),
        "{error}"
    );
    assert!(error.contains("`tb`, `tb.dut`"), "{error}");
}

/// An edge from X is an edge: the documentation says where this differs from Icarus Verilog.
#[test]
fn a_change_to_1_is_an_edge_whatever_was_before() {
    for (values, cycles) in [
        ("#0 0! #5 x! #10 1!", 1),
        ("#0 0! #5 x! #10 0!", 0),
        ("#0 1! #5 x! #10 1!", 1),
        ("#0 0! #5 z! #10 1!", 1),
        ("#0 x! #5 1!", 1),
    ] {
        let text =
            format!("$var wire 1 ! clk $end $var wire 1 # a $end $enddefinitions $end 0# {values}");
        let stimulus = sampled(&text, &[input("a", 1, 0, false)], None).unwrap();
        assert_eq!(stimulus.cycles, cycles, "{values}");
    }
}
