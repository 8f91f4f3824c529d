//! Files for viewers of a small waveform, as a reviewer sees them.

use super::*;
use crosswave_probe::signal::{Net, Scope, StateName, Value, WaveSink};

const STATES: [StateName; 2] = [
    StateName {
        value: 0,
        name: "IDLE",
    },
    StateName {
        value: 1,
        name: "SEND",
    },
];

/// A waveform goes nowhere.
struct Nowhere;

impl WaveSink for Nowhere {
    fn begin(&mut self, _: u64, _: &[Value]) -> std::io::Result<()> {
        Ok(())
    }
    fn time(&mut self, _: u64) -> std::io::Result<()> {
        Ok(())
    }
    fn change(&mut self, _: usize, _: u64) -> std::io::Result<()> {
        Ok(())
    }
    fn end(&mut self, _: u64) -> std::io::Result<()> {
        Ok(())
    }
}

/// A network of so many chips, each with a clock, a pin, a word, a state and a count.
fn chips(count: usize) -> SignalSet {
    let mut set = SignalSet::default();
    let mut scope = |name: &str, parent| {
        set.scopes.push(Scope {
            name: name.to_owned(),
            parent,
        });
        set.scopes.len() - 1
    };
    let outer = scope("testbench", None);
    let network = scope("network", Some(outer));
    let chips: Vec<usize> = (0..count)
        .map(|chip| scope(&format!("chip_{chip}"), Some(network)))
        .collect();
    for scope in chips {
        for (name, width, states, net) in [
            ("clock", 1, &[][..], Net::Clock),
            ("pin", 1, &[], Net::Own),
            ("word", 8, &[], Net::Own),
            ("state", 1, &STATES, Net::Own),
            ("count", 32, &[], Net::Own),
        ] {
            set.signals.push(Signal {
                scope,
                name,
                width,
                states,
                net,
            });
        }
    }
    set
}

/// The activity of a waveform in which, from cycle 1 on, everything is 0; in cycle 4 the word of a
/// chip changes, and in cycle 6 its state.
fn activity(set: &SignalSet, chip: usize, asked: Option<u64>) -> Activity {
    let mut observed = Observed {
        sink: Nowhere,
        activity: Some(Activity::new(set, asked)),
    };
    let run = |observed: &mut Observed<Nowhere>| {
        observed.begin(0, &vec![Value::X; set.signals.len()])?;
        observed.time(10)?;
        for signal in 0..set.signals.len() {
            observed.change(signal, 0)?;
        }
        for (time, signal) in [(20, 0), (40, 2), (60, 3), (80, 2)] {
            observed.time(time)?;
            observed.change(5 * chip + signal, 1)?;
        }
        observed.end(2000)
    };
    run(&mut observed).expect("nowhere takes anything");
    observed.activity.expect("it was given")
}

#[test]
fn a_few_chips() {
    let set = chips(2);
    let activity = activity(&set, 1, None);
    assert_eq!(activity.moment(), Some(40));
    let files = ViewerFiles::new(&set, FileFormat::Vcd, &activity, 10, usize::MAX, &|_| None);
    insta::assert_snapshot!("a_few_chips.gtkw", files.gtkwave("a.vcd"));
    insta::assert_snapshot!("a_few_chips.sucl", files.surfer());
}

#[test]
fn many_chips_around_a_moment() {
    let set = chips(20);
    let activity = activity(&set, 17, Some(60));
    let family = |scope: &str| Some(format!("family {}", scope.len()));
    let files = ViewerFiles::new(&set, FileFormat::Fst, &activity, 10, 89, &family);
    // The count of the chip is the first one that is a count.
    let text = files.gtkwave("a\"b.fst");
    assert!(!text.contains("dumpfile"), "{text}");
    assert!(text.contains("\n*-6.321928 60 -1 "), "{text}");
    // The chip stands first, in its family, and with its state before its word.
    let at = |row: &str| text.find(row).unwrap_or_else(|| panic!("no {row}: {text}"));
    let order = [
        "@800200\n-family 7\n-chip_17\n",
        "@100000028\ntestbench.network.chip_17.state\n",
        "@22\ntestbench.network.chip_17.word[7:0]\n",
        "@c00200\n-constant\n",
        "@24\ntestbench.network.chip_17.count[31:0]\n",
        "@1000200\n-chip_17\n",
        "-family 6\n",
    ];
    assert!(order.map(at).is_sorted(), "{text}");
    assert!(files.surfer().ends_with("cursor_set 60\nzoom_in\ngoto_cursor\nzoom_in\ngoto_cursor\nzoom_in\ngoto_cursor\nmarker_set trigger 60\n"));
}

#[test]
fn only_so_many_signals_are_listed() {
    let set = chips(2000);
    let activity = activity(&set, 1999, None);
    let files = ViewerFiles::new(&set, FileFormat::Vcd, &activity, 10, 0, &|_| None);
    let text = files.gtkwave("a.vcd");
    let listed = text.lines().filter(|line| line.starts_with("testbench"));
    // And the clock.
    assert_eq!(listed.count(), LISTED_MAX + 1);
    assert_eq!(files.left_out(), 4 * 2000 - LISTED_MAX);
    assert!(text.contains(".chip_1999.word[7:0]"));
}
