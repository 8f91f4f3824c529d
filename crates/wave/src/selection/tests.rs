use super::*;
use crate::tests::{example, example_set};
use crosswave_probe::signal::Net;
use crosswave_testing as cases;

fn kept(patterns: &[&str]) -> Vec<String> {
    let set = example_set();
    let kept = select("test", &set, patterns).unwrap();
    (0..set.signals.len())
        .filter(|&signal| kept[signal])
        .map(|signal| set.path(signal))
        .collect()
}

#[test]
fn patterns() {
    assert_eq!(kept(&[]).len(), 8);
    assert_eq!(kept(&["*"]).len(), 8);
    assert_eq!(kept(&["**"]).len(), 8);
    assert_eq!(kept(&["top.reset"]), ["top.reset"]);
    assert_eq!(
        kept(&["top.node1", "other.w?de"]),
        ["top.node1.ack", "top.node1.count", "other.wide"]
    );
    // A scope keeps what lies below it; a `*` does not go down.
    assert_eq!(kept(&["top.node0"]).len(), 4);
    assert_eq!(
        kept(&["top.*.*a*"]),
        [
            "top.node0.valid",
            "top.node0.data",
            "top.node0.state",
            "top.node1.ack"
        ]
    );
    assert_eq!(kept(&["**.mode"]), ["top.node0.port.mode"]);
    assert_eq!(kept(&["top.**.mode"]), ["top.node0.port.mode"]);
    assert_eq!(kept(&["**.port.**"]), ["top.node0.port.mode"]);
    assert_eq!(kept(&["**.**.port.**.mode.**"]), ["top.node0.port.mode"]);
    assert_eq!(kept(&["top.*e*1.c*t"]), ["top.node1.count"]);
    assert_eq!(kept(&["*.res?t"]), ["top.reset"]);
}

#[test]
fn escapes_and_ranges_may_be_left_out() {
    let names = ["\\down[3]", "held[11:4]", "\\m[2][7:0]", "[3:0]", "plain"];
    let set = SignalSet {
        scopes: vec![Scope {
            name: "\\u[0]".into(),
            parent: None,
        }],
        signals: names
            .map(|name| Signal {
                scope: 0,
                name,
                width: 1,
                states: &[],
                net: Net::Own,
            })
            .into(),
    };
    for (pattern, expected) in [
        ("u[0].down[3]", "10000"),
        ("\\u[0].\\down[3]", "10000"),
        ("u[0].held", "01000"),
        ("u[0].held[11:4]", "01000"),
        ("**.m[2]", "00100"),
        ("**.m[2][7:0]", "00100"),
        ("**.[3:0]", "00010"),
        ("**.*", "11111"),
    ] {
        let kept = select("test", &set, &[pattern]).unwrap();
        let kept: String = kept
            .into_iter()
            .map(|kept| if kept { '1' } else { '0' })
            .collect();
        assert_eq!(kept, expected, "{pattern}");
    }
    for pattern in ["**.m", "**.down", "**.hel", "u.held"] {
        assert!(select("test", &set, &[pattern]).is_err(), "{pattern}");
    }
}

/// The reference: a pattern against a path, by trying everything.
fn slow(pattern: &[char], path: &[char]) -> bool {
    match pattern {
        [] => path.is_empty(),
        ['*', rest @ ..] => (0..=path.len())
            .take_while(|&taken| !path[..taken].contains(&'.'))
            .any(|taken| slow(rest, &path[taken..])),
        [first, rest @ ..] => match path {
            [c, path @ ..] => (*first == *c || *first == '?' && *c != '.') && slow(rest, path),
            [] => false,
        },
    }
}

#[test]
fn globs_agree_with_trying_everything() {
    cases::runner(256)
        .run(&("[ab*?]{1,7}", "[ab]{0,9}"), |(glob, name)| {
            if glob != "**" && !name.is_empty() {
                let pattern = pattern::parse(&glob).unwrap();
                let glob: Vec<char> = glob.chars().collect();
                let chars: Vec<char> = name.chars().collect();
                assert_eq!(pattern.parts[0].matches(&name), slow(&glob, &chars));
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_waveform_is_selected_from_as_well() {
    let wave = crate::read("test", &example()).unwrap();
    let kept = select("test", &wave, &["**.state*"]).unwrap();
    let paths: Vec<String> = (0..kept.len())
        .filter(|&signal| kept[signal])
        .map(|signal| wave.path(signal))
        .collect();
    assert_eq!(paths, ["top.node0.state", "top.node0.state_name"]);
}

#[test]
fn patterns_that_match_nothing() {
    let set = example_set();
    let patterns = [
        "top.node2.ack",
        "top.node0.vald",
        "node0.state",
        "top.node0.port.speed",
        "topp",
        "top..ack",
        "",
        "top.reset.x",
        "top.reset",
    ];
    let error = select("command line", &set, &patterns).unwrap_err();
    assert_eq!(error.class, Class::Usage);
    insta::assert_snapshot!(error.to_string());
}

/// The name that is wrong may be of any level, below a `**` or without what encloses it.
#[test]
fn names_of_every_level_are_suggested() {
    let set = example_set();
    let help = |pattern: &str| {
        let error = select("test", &set, &[pattern]).unwrap_err();
        error.diagnostics[0].help.clone()
    };
    assert_eq!(help("**.nod0.state"), "did you mean `top.node0`?");
    assert_eq!(help("**.node1.cont"), "did you mean `top.node1.count`?");
    assert_eq!(help("cout"), "did you mean `top.node1.count`?");
    assert_eq!(help("porte"), "did you mean `top.node0.port`?");
    assert_eq!(help("**.prt.mode"), "did you mean `top.node0.port`?");
    assert_eq!(help("**.vlid"), "did you mean `top.node0.valid`?");
    assert_eq!(help("node1.cuont"), "did you mean `top.node1.count`?");
}

#[test]
fn reducing_keeps_order_and_paths() {
    let set = example_set();
    let kept = select("test", &set, &["**.mode", "other", "top.node1.c*"]).unwrap();
    let kept: SignalSelection = kept.into_iter().collect();
    let reduced = reduce(&set, &kept);
    let paths: Vec<String> = (0..reduced.signals.len())
        .map(|signal| reduced.path(signal))
        .collect();
    assert_eq!(
        paths,
        ["top.node1.count", "top.node0.port.mode", "other.wide"]
    );
    assert_eq!(reduced.scopes.len(), 5);
    for old in 0..8 {
        if let Some(new) = kept.place(old) {
            assert_eq!(set.path(old), paths[new]);
        }
    }
    assert_eq!(kept.iter().count(), 3);
    let none = reduce(&set, &[false; 8].into_iter().collect());
    assert_eq!(none, SignalSet::default());
    assert_eq!(reduce(&set, &SignalSelection::all(8)), set);
}

#[test]
fn windows() {
    let parse = |text| CycleWindow::parse("--window", text);
    assert_eq!(parse("..").unwrap(), CycleWindow::ALL);
    assert_eq!(parse("3..").unwrap().last, u64::MAX);
    assert_eq!(parse("..4").unwrap(), CycleWindow { first: 0, last: 4 });
    assert_eq!(parse("5..5").unwrap(), CycleWindow { first: 5, last: 5 });
    for text in [
        "",
        "5",
        "6..5",
        "-1..4",
        "1..2..3",
        "a..b",
        "+1..2",
        "99999999999999999999..",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}
