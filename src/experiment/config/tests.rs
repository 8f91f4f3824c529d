use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

const BASE: &str = "\
[network]
kind = \"fat-tree\"
nodes = 64
[traffic]
";

fn parse(text: &str, overrides: &[&str]) -> Result<Config, Report> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    Config::parse(text, "run.toml", Path::new("experiments"), &overrides)
}

fn refused(text: &str, overrides: &[&str]) -> String {
    let report = parse(text, overrides).unwrap_err();
    assert_eq!(report.class, Class::Usage);
    report.to_string()
}

/// What is wrong with lines below `[traffic]` in a network of 64 nodes.
fn traffic_refused(lines: &str) -> String {
    refused(&format!("{BASE}{lines}\n"), &[])
}

fn json(text: &str, overrides: &[&str]) -> String {
    serde_json::to_string(&parse(text, overrides).unwrap()).unwrap()
}

#[test]
fn defaults() {
    assert_snapshot!(json(&format!("{BASE}pattern = \"random\""), &[]), @r#"{"network":{"kind":"fat-tree","nodes":64,"link_delay_cycles":[0,0,0,0,0,0]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"pattern":"random","messages":64,"words":1,"repeat":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"cycles_max":10000000,"threads":0},"wave":{"scopes":["*"]}}"#);
    assert_snapshot!(json(&format!("{BASE}trace = \"a/b.csv\""), &[]), @r#"{"network":{"kind":"fat-tree","nodes":64,"link_delay_cycles":[0,0,0,0,0,0]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"trace":"a/b.csv","replay":"timed","clock_mhz":100.0,"time_scale":1.0,"bytes_scale":1.0,"bytes_per_word":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"cycles_max":10000000,"threads":0},"wave":{"scopes":["*"]}}"#);
}

#[test]
fn every_key() {
    let text = r#"
network = { kind = "fat-tree", nodes = 0x10, link_delay_cycles = [0, 1, 2, 64] }
traffic.pattern = "hot-spot"
traffic.messages = 3
traffic.words = 1_048_576
traffic.destination = 15
traffic.repeat = 2
[router]
winner = "fixed"
release = "tail"
[retry]
strategy = "backoff"
backoff_limit = 12
[run]
seed = 9223372036854775807
engine = "event"
replicates = 100_000
cycles_max = 1_000_000_000_000
threads = 256
[wave]
scopes = ["r.0.*", "node?"]
window_cycles = [5, 5]
"#;
    assert_snapshot!(json(text, &[]), @r#"{"network":{"kind":"fat-tree","nodes":16,"link_delay_cycles":[0,1,2,64]},"router":{"winner":"fixed","release":"tail"},"traffic":{"pattern":"hot-spot","messages":3,"destination":15,"words":1048576,"repeat":2},"retry":{"strategy":"backoff","backoff_limit":12},"run":{"seed":9223372036854775807,"engine":"event","replicates":100000,"cycles_max":1000000000000,"threads":256},"wave":{"scopes":["r.0.*","node?"],"window_cycles":[5,5]}}"#);
    let text = r#"
[network]
kind = "fat-tree"
nodes = 2
link_delay_cycles = 7
[traffic]
trace = "t.csv"
replay = "in-order"
clock_mhz = 0.25
time_scale = 2
bytes_scale = 1e-3
bytes_per_word = 8
limit = 10
"#;
    assert_snapshot!(json(text, &[]), @r#"{"network":{"kind":"fat-tree","nodes":2,"link_delay_cycles":[7]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"trace":"t.csv","replay":"in-order","clock_mhz":0.25,"time_scale":2.0,"bytes_scale":0.001,"bytes_per_word":8,"limit":10},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"cycles_max":10000000,"threads":0},"wave":{"scopes":["*"]}}"#);
    let trace = |config: Config| match config.traffic {
        TrafficConfig::Trace(trace) => trace.path,
        TrafficConfig::Pattern(_) => panic!("a trace was asked for"),
    };
    let path = trace(parse(text, &[]).unwrap());
    assert_eq!(path, Path::new("experiments").join("t.csv"));
    let path = trace(parse(text, &["traffic.trace=/abs.csv"]).unwrap());
    assert_eq!(path, Path::new("/abs.csv"));
}

#[test]
fn each_pattern() {
    for (keys, expected) in [
        ("pattern='pair'\nsource=1\ndestination=2", "pair"),
        ("pattern='pairs'\npairs=[[1,2],[2,1]]", "pairs"),
        ("pattern='transpose'\nmessages=64", "transpose"),
        ("pattern='bit-reversal'", "bit-reversal"),
        ("pattern='cyclic-shift'\nshift=63", "cyclic-shift"),
        ("pattern='hot-spot'\ndestination=0", "hot-spot"),
    ] {
        let config = parse(&format!("{BASE}{keys}"), &[]).unwrap();
        match config.traffic {
            TrafficConfig::Pattern(config) => assert_eq!(config.pattern.name(), expected),
            TrafficConfig::Trace(_) => panic!("a pattern was asked for"),
        }
    }
}

#[test]
fn overrides_replace_keys() {
    let text = format!("{BASE}pattern = \"random\"\nmessages = \"wrong\"");
    let overrides = [
        "traffic.messages = 9",
        "traffic.messages=8",
        "run.engine=event",
        "retry.strategy=\"rounds\"",
        "network.link_delay_cycles=[1,2,3,4,5,6]",
    ];
    assert_snapshot!(json(&text, &overrides), @r#"{"network":{"kind":"fat-tree","nodes":64,"link_delay_cycles":[1,2,3,4,5,6]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"pattern":"random","messages":8,"words":1,"repeat":1},"retry":{"strategy":"rounds"},"run":{"seed":1,"engine":"event","replicates":1,"cycles_max":10000000,"threads":0},"wave":{"scopes":["*"]}}"#);
}

#[test]
fn wrong_overrides() {
    let text = format!("{BASE}pattern = \"random\"");
    let overrides = [
        "run.seed",
        "seed=1",
        "run.sead=1",
        "runs.seed=1",
        "run.x=1",
        "run.seed=[1",
        "run.threads=1\nrun.seed=2",
        "run.replicates=",
        "run.engine=evnt",
        "traffic.messages=65",
        "traffic.shift=1",
        "network.link_delay_cycles=[1,2,3,4,5,99]",
    ];
    assert_snapshot!(refused(&text, &overrides), @r#"
    error: run.toml: --set run.seed: no `=`; expected table.key=VALUE
      help: write --set table.key=VALUE, such as --set run.seed=7

    error: run.toml: --set seed=1: no `.`; expected table.key=VALUE
      help: write --set table.key=VALUE, such as --set run.seed=7

    error: run.toml: --set run.sead=1: unknown key
      help: did you mean `seed`?

    error: run.toml: --set runs.seed=1: unknown table
      help: did you mean [run]?

    error: run.toml: --set run.x=1: unknown key
      help: the keys of [run] are seed, engine, replicates, cycles_max, threads

    error: run.toml: --set run.seed=[1: not a TOML value: unclosed array, expected `]`
      help: quote a string for TOML and for the shell: 'wave.scopes=["*"]'

    error: run.toml: --set run.threads=1�run.seed=2: not a TOML value: unexpected content, expected nothing
      help: quote a string for TOML and for the shell: 'wave.scopes=["*"]'

    error: run.toml: --set run.replicates=: not a TOML value: string values must be quoted, expected literal string
      help: quote a string for TOML and for the shell: 'wave.scopes=["*"]'

    error: run.toml: --set network.link_delay_cycles=[1,2,3,4,5,99]: found 99; expected an integer in 0..=64
      help: give one delay for all links, or a list with one entry per level

    error: run.toml: --set traffic.shift=1: the pattern "random" does not take this key
      help: it belongs to the pattern "cyclic-shift"

    error: run.toml: --set traffic.messages=65: 65 sources of 64 nodes; expected 1..=64 for this pattern
      help: each node is the source of at most one; use `repeat` for more

    error: run.toml: --set run.engine=evnt: found "evnt"; expected one of "gate", "event"
      help: did you mean "event"?
    "#);
}

#[test]
fn syntax() {
    assert_snapshot!(refused("[network\nkind = \"fat-tree\"\nnodes = \n", &[]), @"
    error: TOML: unclosed table, expected `]`
     --> run.toml:1:9
      |
    1 | [network
      |         ^
    ");
    assert_snapshot!(refused("a =\nb = ]\nc = 'x\nd = 1 2\n[e]\n[e]\n", &[]), @"
    error: TOML: string values must be quoted, expected literal string
     --> run.toml:1:4
      |
    1 | a =
      |    ^

    error: TOML: missing array opening, expected `[`
     --> run.toml:2:5
      |
    2 | b = ]
      |     ^

    error: TOML: invalid literal string, expected `'`
     --> run.toml:3:7
      |
    3 | c = 'x
      |       ^

    error: TOML: string values must be quoted, expected literal string
     --> run.toml:4:5
      |
    4 | d = 1 2
      |     ^^^

    error: TOML: duplicate key
     --> run.toml:6:2
      |
    6 | [e]
      |  ^
    ");
    assert_snapshot!(refused("[network]\nnodes = 64\nnodes = 64\n", &["run.seed"]), @"
    error: TOML: duplicate key
     --> run.toml:3:1
      |
    3 | nodes = 64
      | ^^^^^

    error: run.toml: --set run.seed: no `=`; expected table.key=VALUE
      help: write --set table.key=VALUE, such as --set run.seed=7
    ");
}

#[test]
fn unknown_keys_and_tables() {
    let text = r#"
sead = 1
nodes = 64
run = 3
[netwrok]
[network]
kind = "fat-tree"
nodes = 64
seed = 7
topology = 1
[traffic]
pattern = "random"
mesages = 3
[[wave]]
"#;
    assert_snapshot!(refused(text, &[]), @"
    error: sead: unknown key
     --> run.toml:2:1
      |
    2 | sead = 1
      | ^^^^
      |
      = help: did you mean `seed` in [run]?

    error: nodes: unknown key
     --> run.toml:3:1
      |
    3 | nodes = 64
      | ^^^^^
      |
      = help: the key `nodes` belongs in [network]

    error: run: not a table; expected a table
     --> run.toml:4:7
      |
    4 | run = 3
      |       ^
      |
      = help: write [run] on a line of its own, and its keys below

    error: netwrok: unknown table
     --> run.toml:5:2
      |
    5 | [netwrok]
      |  ^^^^^^^
      |
      = help: did you mean [network]?

    error: network.seed: unknown key
     --> run.toml:9:1
      |
    9 | seed = 7
      | ^^^^
      |
      = help: the key `seed` belongs in [run]

    error: network.topology: unknown key
      --> run.toml:10:1
       |
    10 | topology = 1
       | ^^^^^^^^
       |
       = help: the keys of [network] are kind, nodes, link_delay_cycles

    error: traffic.mesages: unknown key
      --> run.toml:13:1
       |
    13 | mesages = 3
       | ^^^^^^^
       |
       = help: did you mean `messages`?

    error: wave: not a table; expected a table
      --> run.toml:14:1
       |
    14 | [[wave]]
       | ^^^^^^^^
       |
       = help: write [wave] on a line of its own, and its keys below
    ");
}

#[test]
fn what_has_no_default() {
    assert_snapshot!(refused("", &[]), @r#"
    error: run.toml: network.kind: missing; it has no default
      help: such as kind = "fat-tree"

    error: run.toml: network.nodes: missing; it has no default
      help: such as nodes = 64

    error: run.toml: traffic.pattern: missing, and no trace is given; expected one of the two
      help: the patterns are "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
    "#);
    assert_snapshot!(refused("[network]\n[traffic]\n", &[]), @r#"
    error: network.kind: missing; it has no default
     --> run.toml:1:2
      |
    1 | [network]
      |  ^^^^^^^
      |
      = help: such as kind = "fat-tree"

    error: network.nodes: missing; it has no default
     --> run.toml:1:2
      |
    1 | [network]
      |  ^^^^^^^
      |
      = help: such as nodes = 64

    error: traffic.pattern: missing, and no trace is given; expected one of the two
     --> run.toml:2:2
      |
    2 | [traffic]
      |  ^^^^^^^
      |
      = help: the patterns are "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
    "#);
}

#[test]
fn network() {
    let network = |nodes: &str, delays: &str| {
        let text = format!(
            "[network]\nkind = 'fat-tree'\nnodes = {nodes}\nlink_delay_cycles = {delays}\n\
             [traffic]\npattern = 'random'\n"
        );
        refused(&text, &[])
    };
    assert_snapshot!(network("100", "65"), @"
    error: network.nodes: found 100; expected a power of two in 2..=1048576
     --> run.toml:3:9
      |
    3 | nodes = 100
      |         ^^^
      |
      = help: the nearest are 64 and 128

    error: network.link_delay_cycles: found 65; expected an integer in 0..=64
     --> run.toml:4:21
      |
    4 | link_delay_cycles = 65
      |                     ^^
      |
      = help: give one delay for all links, or a list with one entry per level
    ");
    assert_snapshot!(network("2097152", "'x'"), @r#"
    error: network.nodes: found 2097152; expected a power of two in 2..=1048576
     --> run.toml:3:9
      |
    3 | nodes = 2097152
      |         ^^^^^^^
      |
      = help: such as nodes = 1048576

    error: network.link_delay_cycles: found "x"; expected an integer in 0..=64
     --> run.toml:4:21
      |
    4 | link_delay_cycles = 'x'
      |                     ^^^
      |
      = help: give one delay for all links, or a list with one entry per level
    "#);
    assert_snapshot!(network("1", "0"), @"
    error: network.nodes: found 1; expected a power of two in 2..=1048576
     --> run.toml:3:9
      |
    3 | nodes = 1
      |         ^
      |
      = help: such as nodes = 2
    ");
    assert_snapshot!(network("'64'", "[1, 65, 2.5]"), @r#"
    error: network.nodes: found "64"; expected a power of two in 2..=1048576
     --> run.toml:3:9
      |
    3 | nodes = '64'
      |         ^^^^
      |
      = help: such as nodes = 64

    error: network.link_delay_cycles[1]: found 65; expected an integer in 0..=64
     --> run.toml:4:25
      |
    4 | link_delay_cycles = [1, 65, 2.5]
      |                         ^^
      |
      = help: give one delay for all links, or a list with one entry per level

    error: network.link_delay_cycles[2]: found 2.5; expected an integer in 0..=64
     --> run.toml:4:29
      |
    4 | link_delay_cycles = [1, 65, 2.5]
      |                             ^^^
      |
      = help: give one delay for all links, or a list with one entry per level
    "#);
    assert_snapshot!(network("8", "[1, 2]"), @"
    error: network.link_delay_cycles: found a list of 2; expected 3 entries, one for each level
     --> run.toml:4:21
      |
    4 | link_delay_cycles = [1, 2]
      |                     ^^^^^^
      |
      = help: entry 0 is for the links of the nodes, entry l for those between levels l-1 and l
    ");
    assert_snapshot!(network("8", "[1, -2, 3]"), @"
    error: network.link_delay_cycles[1]: found -2; expected an integer in 0..=64
     --> run.toml:4:25
      |
    4 | link_delay_cycles = [1, -2, 3]
      |                         ^^
      |
      = help: give one delay for all links, or a list with one entry per level
    ");
    let text = "[network]\nkind = 'mesh'\nnodes = 99999999999999999999999\n[traffic]\npattern = 'random'\n";
    assert_snapshot!(refused(text, &[]), @r#"
    error: network.kind: found "mesh"; expected "fat-tree"
     --> run.toml:2:8
      |
    2 | kind = 'mesh'
      |        ^^^^^^
      |
      = help: such as kind = "fat-tree"

    error: network.nodes: found 99999999999999999999999; expected a power of two in 2..=1048576
     --> run.toml:3:9
      |
    3 | nodes = 99999999999999999999999
      |         ^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: such as nodes = 64
    "#);
}

#[test]
fn names_and_ranges() {
    let text = format!(
        "{BASE}pattern = 'random'\n\
         [router]\nwinner = 'radnom'\nrelease = 3\n\
         [retry]\nstrategy = 'backof'\nbackoff_limit = 13\n\
         [run]\nseed = -1\nengine = 'rtl'\nreplicates = 0\ncycles_max = 1_000_000_000_001\n\
         threads = true\n\
         [wave]\nscopes = ['*', 'a b', 3, '']\nwindow_cycles = [9, 5]\n"
    );
    assert_snapshot!(refused(&text, &[]), @r#"
    error: router.winner: found "radnom"; expected one of "random", "fixed"
     --> run.toml:7:10
      |
    7 | winner = 'radnom'
      |          ^^^^^^^^
      |
      = help: did you mean "random"?

    error: router.release: found 3; expected one of "acknowledge", "tail"
     --> run.toml:8:11
      |
    8 | release = 3
      |           ^
      |
      = help: such as release = "acknowledge"

    error: retry.strategy: found "backof"; expected one of "immediate", "rounds", "backoff"
      --> run.toml:10:12
       |
    10 | strategy = 'backof'
       |            ^^^^^^^^
       |
       = help: did you mean "backoff"?

    error: retry.backoff_limit: found 13; expected an integer in 1..=12
      --> run.toml:11:17
       |
    11 | backoff_limit = 13
       |                 ^^
       |
       = help: such as backoff_limit = 12

    error: run.seed: found -1; expected an integer in 0..=9223372036854775807
      --> run.toml:13:8
       |
    13 | seed = -1
       |        ^^
       |
       = help: such as seed = 0

    error: run.engine: found "rtl"; expected one of "gate", "event"
      --> run.toml:14:10
       |
    14 | engine = 'rtl'
       |          ^^^^^
       |
       = help: such as engine = "gate"

    error: run.replicates: found 0; expected an integer in 1..=100000
      --> run.toml:15:14
       |
    15 | replicates = 0
       |              ^
       |
       = help: such as replicates = 1

    error: run.cycles_max: found 1000000000001; expected an integer in 1..=1000000000000
      --> run.toml:16:14
       |
    16 | cycles_max = 1_000_000_000_001
       |              ^^^^^^^^^^^^^^^^^
       |
       = help: such as cycles_max = 1000000000000

    error: run.threads: found true; expected an integer in 0..=256
      --> run.toml:17:11
       |
    17 | threads = true
       |           ^^^^
       |
       = help: such as threads = 0

    error: wave.scopes[1]: found "a b"; expected a pattern of 1..=256 characters without space
      --> run.toml:19:16
       |
    19 | scopes = ['*', 'a b', 3, '']
       |                ^^^^^
       |
       = help: such as scopes = ["*"]

    error: wave.scopes[2]: found 3; expected a pattern of 1..=256 characters without space
      --> run.toml:19:23
       |
    19 | scopes = ['*', 'a b', 3, '']
       |                       ^
       |
       = help: such as scopes = ["*"]

    error: wave.scopes[3]: found ""; expected a pattern of 1..=256 characters without space
      --> run.toml:19:26
       |
    19 | scopes = ['*', 'a b', 3, '']
       |                          ^^
       |
       = help: such as scopes = ["*"]

    error: wave.window_cycles: from 9 to 5; expected from <= to
      --> run.toml:20:17
       |
    20 | window_cycles = [9, 5]
       |                 ^^^^^^
       |
       = help: write window_cycles = [5, 9]
    "#);
    let text =
        format!("{BASE}pattern = 'random'\n[retry]\nstrategy = 'rounds'\nbackoff_limit = 3\n");
    assert_snapshot!(refused(&text, &[]), @r#"
    error: retry.backoff_limit: the strategy "rounds" does not take this key
     --> run.toml:8:17
      |
    8 | backoff_limit = 3
      |                 ^
      |
      = help: remove it, or set retry.strategy = "backoff"
    "#);
    let text = format!("{BASE}pattern = 'random'\n[wave]\nscopes = []\nwindow_cycles = [1]\n");
    assert_snapshot!(refused(&text, &[]), @r#"
    error: wave.scopes: found an empty list; expected a list of glob patterns on dotted instance paths
     --> run.toml:7:10
      |
    7 | scopes = []
      |          ^^
      |
      = help: such as scopes = ["*"]

    error: wave.window_cycles: found a list of 1; expected [from, to], two cycles in 0..=1000000000000
     --> run.toml:8:17
      |
    8 | window_cycles = [1]
      |                 ^^^
      |
      = help: such as window_cycles = [1, 100]
    "#);
    let text = format!("{BASE}pattern = 'random'\n[wave]\nscopes = '*'\nwindow_cycles = [-1, 2]\n");
    assert_snapshot!(refused(&text, &[]), @r#"
    error: wave.scopes: found "*"; expected a list of glob patterns on dotted instance paths
     --> run.toml:7:10
      |
    7 | scopes = '*'
      |          ^^^
      |
      = help: such as scopes = ["*"]

    error: wave.window_cycles: found a list of 2; expected [from, to], two cycles in 0..=1000000000000
     --> run.toml:8:17
      |
    8 | window_cycles = [-1, 2]
      |                 ^^^^^^^
      |
      = help: such as window_cycles = [1, 100]
    "#);
}

#[test]
fn pattern_or_trace() {
    assert_snapshot!(traffic_refused("words = 3"), @r#"
    error: traffic.pattern: missing, and no trace is given; expected one of the two
     --> run.toml:4:2
      |
    4 | [traffic]
      |  ^^^^^^^
      |
      = help: the patterns are "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\ntrace = 't.csv'\nshift = 'x'\nlimit = 0"), @r#"
    error: traffic.trace: given beside a pattern; expected one of the two
     --> run.toml:6:9
      |
    6 | trace = 't.csv'
      |         ^^^^^^^
      |
      = help: remove one of them

    error: traffic.shift: found "x"; expected an integer in 1..=63
     --> run.toml:7:9
      |
    7 | shift = 'x'
      |         ^^^
      |
      = help: such as shift = 1

    error: traffic.limit: found 0; expected an integer in 1..=16777216
     --> run.toml:8:9
      |
    8 | limit = 0
      |         ^
      |
      = help: such as limit = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 'randon'\nwords = 0.5"), @r#"
    error: traffic.pattern: found "randon"; expected one of "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
     --> run.toml:5:11
      |
    5 | pattern = 'randon'
      |           ^^^^^^^^
      |
      = help: did you mean "random"?

    error: traffic.words: found 0.5; expected an integer in 1..=1048576
     --> run.toml:6:9
      |
    6 | words = 0.5
      |         ^^^
      |
      = help: such as words = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 7"), @r#"
    error: traffic.pattern: found 7; expected one of "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
     --> run.toml:5:11
      |
    5 | pattern = 7
      |           ^
      |
      = help: such as pattern = "random"
    "#);
    assert_snapshot!(traffic_refused("trace = ''"), @r#"
    error: traffic.trace: found ""; expected the path of a trace
     --> run.toml:5:9
      |
    5 | trace = ''
      |         ^^
      |
      = help: such as trace = "traces/fft2d64_p2p.csv"
    "#);
}

#[test]
fn keys_of_other_patterns() {
    assert_snapshot!(traffic_refused("pattern = 'random'\nshift = 'x'\nsource = 1\nreplay = 'timed'"), @r#"
    error: traffic.shift: the pattern "random" does not take this key
     --> run.toml:6:9
      |
    6 | shift = 'x'
      |         ^^^
      |
      = help: it belongs to the pattern "cyclic-shift"

    error: traffic.source: the pattern "random" does not take this key
     --> run.toml:7:10
      |
    7 | source = 1
      |          ^
      |
      = help: it belongs to the pattern "pair"

    error: traffic.replay: the pattern "random" does not take this key
     --> run.toml:8:10
      |
    8 | replay = 'timed'
      |          ^^^^^^^
      |
      = help: it belongs to a trace
    "#);
    assert_snapshot!(traffic_refused("trace = 't.csv'\nmessages = 5\nwords = 2"), @r#"
    error: traffic.messages: a trace does not take this key
     --> run.toml:6:12
      |
    6 | messages = 5
      |            ^
      |
      = help: it belongs to the patterns "random", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"

    error: traffic.words: a trace does not take this key
     --> run.toml:7:9
      |
    7 | words = 2
      |         ^
      |
      = help: it belongs to the patterns "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift"
    "#);
}

#[test]
fn no_mistake_hides_another() {
    let places = |text: &str| -> Vec<String> {
        let errors = refused(text, &[]);
        let titles = errors.lines().filter_map(|l| l.strip_prefix("error: "));
        titles
            .map(|t| t.split(": ").next().unwrap_or(t).to_string())
            .collect()
    };
    let keys = "messages = 0\nwords = 0\nshift = 0\ndestination = 4_000_000\nrepeat = 1_000_001\n";
    let ranges = [
        "traffic.messages",
        "traffic.words",
        "traffic.shift",
        "traffic.destination",
        "traffic.repeat",
    ];
    for (nodes, first) in [
        ("100", "pattern = 'randon'\n"),
        ("64", "pattern = 'randon'\n"),
        ("64", "pattern = 'random'\ntrace = 't.csv'\n"),
        ("64", ""),
    ] {
        let head = format!("[network]\nkind = 'fat-tree'\nnodes = {nodes}\n[traffic]\n");
        let mut found = places(&format!("{head}{first}{keys}"));
        found.retain(|place| ranges.contains(&place.as_str()));
        assert_eq!(found, ranges, "{nodes} nodes, {first}");
    }
    let head = "[network]\nkind = 'fat-tree'\nnodes = 100\n[traffic]\n";
    let text = format!("{head}pattern = 'cyclic-shift'\nshift = 0\nwords = 0\n");
    assert_eq!(
        places(&text),
        ["network.nodes", "traffic.shift", "traffic.words"]
    );
    let text = format!("{BASE}pattern = 'pairs'\npairs = [[1], [2, 2], [0, 64], [0, 1]]\n");
    assert_eq!(
        places(&text),
        ["traffic.pairs[0]", "traffic.pairs[1]", "traffic.pairs[2]"]
    );
}

#[test]
fn values_of_patterns() {
    assert_snapshot!(traffic_refused("pattern = 'random'\nmessages = 65\nwords = 1048577\nrepeat = 0"), @"
    error: traffic.messages: 65 sources of 64 nodes; expected 1..=64 for this pattern
     --> run.toml:6:12
      |
    6 | messages = 65
      |            ^^
      |
      = help: each node is the source of at most one; use `repeat` for more

    error: traffic.words: found 1048577; expected an integer in 1..=1048576
     --> run.toml:7:9
      |
    7 | words = 1048577
      |         ^^^^^^^
      |
      = help: such as words = 1

    error: traffic.repeat: found 0; expected an integer in 1..=1000000
     --> run.toml:8:10
      |
    8 | repeat = 0
      |          ^
      |
      = help: such as repeat = 1
    ");
    assert_snapshot!(traffic_refused("pattern = 'random'\nmessages = -1\nwords = 'x'\nrepeat = 1_000_000"), @r#"
    error: traffic.messages: found -1; expected an integer in 1..=64
     --> run.toml:6:12
      |
    6 | messages = -1
      |            ^^
      |
      = help: such as messages = 1

    error: traffic.words: found "x"; expected an integer in 1..=1048576
     --> run.toml:7:9
      |
    7 | words = 'x'
      |         ^^^
      |
      = help: such as words = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 'random'\nrepeat = 1_000_000"), @"
    error: traffic.repeat: 64 sources with 1000000 messages each; a run has at most 16777216 messages
     --> run.toml:6:10
      |
    6 | repeat = 1_000_000
      |          ^^^^^^^^^
      |
      = help: expected 1..=262144
    ");
    assert_snapshot!(traffic_refused("pattern = 'hot-spot'\nmessages = 64"), @r#"
    error: traffic.destination: missing; the pattern "hot-spot" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'hot-spot'
      |           ^^^^^^^^^^
      |
      = help: such as destination = 0

    error: traffic.messages: 64 sources of 64 nodes; expected 1..=63 for this pattern
     --> run.toml:6:12
      |
    6 | messages = 64
      |            ^^
      |
      = help: each node is the source of at most one; use `repeat` for more
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pair'\nsource = 64\ndestination = 1.5"), @"
    error: traffic.source: node 64 of 64; expected 0..=63
     --> run.toml:6:10
      |
    6 | source = 64
      |          ^^
      |
      = help: name a node of the network, or raise network.nodes

    error: traffic.destination: found 1.5; expected an integer in 0..=63
     --> run.toml:7:15
      |
    7 | destination = 1.5
      |               ^^^
      |
      = help: such as destination = 0
    ");
    assert_snapshot!(traffic_refused("pattern = 'pair'\nsource = 3\ndestination = 3"), @"
    error: traffic.destination: 3 is the source as well
     --> run.toml:7:15
      |
    7 | destination = 3
      |               ^
      |
      = help: a node sends only to another node
    ");
    assert_snapshot!(traffic_refused("pattern = 'pair'"), @r#"
    error: traffic.source: missing; the pattern "pair" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'pair'
      |           ^^^^^^
      |
      = help: such as source = 0

    error: traffic.destination: missing; the pattern "pair" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'pair'
      |           ^^^^^^
      |
      = help: such as destination = 0
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pairs'"), @r#"
    error: traffic.pairs: missing; the pattern "pairs" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'pairs'
      |           ^^^^^^^
      |
      = help: such as pairs = [[0, 1]]
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = []"), @"
    error: traffic.pairs: the list is empty
     --> run.toml:6:9
      |
    6 | pairs = []
      |         ^^
      |
      = help: give at least one, such as pairs = [[0, 1]]
    ");
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = 5"), @"
    error: traffic.pairs: found 5; expected a list of [source, destination]
     --> run.toml:6:9
      |
    6 | pairs = 5
      |         ^
      |
      = help: such as pairs = [[0, 1], [2, 3]]
    ");
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = [[0, 1], [1], 'x', [-1, 2]]"), @r#"
    error: traffic.pairs[1]: found a list of 1; expected [source, destination], two nodes in 0..=63
     --> run.toml:6:18
      |
    6 | pairs = [[0, 1], [1], 'x', [-1, 2]]
      |                  ^^^
      |
      = help: such as pairs = [[0, 1], [2, 3]]

    error: traffic.pairs[2]: found "x"; expected [source, destination], two nodes in 0..=63
     --> run.toml:6:23
      |
    6 | pairs = [[0, 1], [1], 'x', [-1, 2]]
      |                       ^^^
      |
      = help: such as pairs = [[0, 1], [2, 3]]

    error: traffic.pairs[3]: found a list of 2; expected [source, destination], two nodes in 0..=63
     --> run.toml:6:28
      |
    6 | pairs = [[0, 1], [1], 'x', [-1, 2]]
      |                            ^^^^^^^
      |
      = help: such as pairs = [[0, 1], [2, 3]]
    "#);
    assert_snapshot!(traffic_refused("pattern = 'pairs'\npairs = [[0, 1], [1, 1], [2, 64]]"), @"
    error: traffic.pairs[1]: node 1 would send to itself
     --> run.toml:6:18
      |
    6 | pairs = [[0, 1], [1, 1], [2, 64]]
      |                  ^^^^^^
      |
      = help: a node sends only to another node

    error: traffic.pairs[2]: node 64 of 64; expected 0..=63
     --> run.toml:6:26
      |
    6 | pairs = [[0, 1], [1, 1], [2, 64]]
      |                          ^^^^^^^
      |
      = help: name a node of the network, or raise network.nodes
    ");
    assert_snapshot!(traffic_refused("pattern = 'cyclic-shift'\nshift = 64"), @"
    error: traffic.shift: a shift of 64; expected 1..=63
     --> run.toml:6:9
      |
    6 | shift = 64
      |         ^^
      |
      = help: a shift by all 64 nodes returns to the source
    ");
    assert_snapshot!(traffic_refused("pattern = 'cyclic-shift'\nshift = '1'"), @r#"
    error: traffic.shift: found "1"; expected an integer in 1..=63
     --> run.toml:6:9
      |
    6 | shift = '1'
      |         ^^^
      |
      = help: such as shift = 1
    "#);
    assert_snapshot!(traffic_refused("pattern = 'cyclic-shift'"), @r#"
    error: traffic.shift: missing; the pattern "cyclic-shift" needs it
     --> run.toml:5:11
      |
    5 | pattern = 'cyclic-shift'
      |           ^^^^^^^^^^^^^^
      |
      = help: such as shift = 1
    "#);
    let text =
        "[network]\nkind = 'fat-tree'\nnodes = 32\n[traffic]\npattern = 'transpose'\nmessages = 33";
    assert_snapshot!(refused(text, &[]), @"
    error: traffic.pattern: transpose exchanges two halves of the address, but the addresses of 32 nodes have 5 bits; expected an even number
     --> run.toml:5:11
      |
    5 | pattern = 'transpose'
      |           ^^^^^^^^^^^
      |
      = help: use 16 or 64 nodes

    error: traffic.messages: 33 sources of 32 nodes; expected 1..=32 for this pattern
     --> run.toml:6:12
      |
    6 | messages = 33
      |            ^^
      |
      = help: each node is the source of at most one; use `repeat` for more
    ");
}

#[test]
fn values_of_traces() {
    let lines = "trace = 3\nreplay = 'inorder'\nclock_mhz = 100_001\ntime_scale = 0.0000001\n\
                 bytes_scale = nan\nbytes_per_word = 0\nlimit = 16777217";
    assert_snapshot!(traffic_refused(lines), @r#"
    error: traffic.trace: found 3; expected the path of a trace
     --> run.toml:5:9
      |
    5 | trace = 3
      |         ^
      |
      = help: such as trace = "traces/fft2d64_p2p.csv"

    error: traffic.replay: found "inorder"; expected one of "timed", "in-order"
     --> run.toml:6:10
      |
    6 | replay = 'inorder'
      |          ^^^^^^^^^
      |
      = help: did you mean "in-order"?

    error: traffic.clock_mhz: found 100001; expected a number above 0, at most 100000, with up to 6 decimals
     --> run.toml:7:13
      |
    7 | clock_mhz = 100_001
      |             ^^^^^^^
      |
      = help: such as clock_mhz = 0.5

    error: traffic.time_scale: found 0.0000001; expected a number above 0, at most 1000000, with up to 6 decimals
     --> run.toml:8:14
      |
    8 | time_scale = 0.0000001
      |              ^^^^^^^^^
      |
      = help: such as time_scale = 0.5

    error: traffic.bytes_scale: found nan; expected a number above 0, at most 1000000, with up to 6 decimals
     --> run.toml:9:15
      |
    9 | bytes_scale = nan
      |               ^^^
      |
      = help: such as bytes_scale = 0.5

    error: traffic.bytes_per_word: found 0; expected an integer in 1..=65536
      --> run.toml:10:18
       |
    10 | bytes_per_word = 0
       |                  ^
       |
       = help: such as bytes_per_word = 1

    error: traffic.limit: found 16777217; expected an integer in 1..=16777216
      --> run.toml:11:9
       |
    11 | limit = 16777217
       |         ^^^^^^^^
       |
       = help: such as limit = 16777216
    "#);
}

#[test]
fn no_more_mistakes_than_a_reader_can_use() {
    let pairs = "[1], ".repeat(80);
    let text = traffic_refused(&format!("pattern = 'pairs'\npairs = [{pairs}]"));
    assert_eq!(text.matches("error:").count(), MISTAKES_MAX);
    assert_eq!(text.matches("more mistakes follow").count(), 1);
}

#[test]
fn deep_nesting_is_refused() {
    for open in ["[", "{a="] {
        let text = format!("{BASE}pairs = {}", open.repeat(100_000));
        assert!(parse(&text, &[]).is_err());
        let value = format!("traffic.pairs={}", open.repeat(100_000));
        assert!(parse(BASE, &[&value]).is_err());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_configurations_never_panic(
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 1..8),
        which in 0..3usize,
        overridden in "[a-z]{0,3}.{0,12}",
    ) {
        let texts = [
            format!("{BASE}pattern = \"pairs\"\npairs = [[1, 2], [3, 4]]\n[retry]\nstrategy = \"backoff\"\nbackoff_limit = 3\n"),
            format!("{BASE}trace = \"t.csv\"\nclock_mhz = 1e2\nlimit = 5\n[wave]\nscopes = [\"*\"]\nwindow_cycles = [1, 2]\n"),
            format!("{BASE}pattern = \"hot-spot\"\nmessages = 7\ndestination = 3\n[run]\nseed = 0x7f\nthreads = 2\n"),
        ];
        let mut bytes = texts[which].clone().into_bytes();
        for (at, byte, kind) in damage {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Err(report) = parse(&text, &[]) {
            prop_assert!(!report.to_string().is_empty());
        }
        let value = format!("traffic.pairs={overridden}");
        if let Err(report) = parse(&texts[0], &[&value, &overridden]) {
            prop_assert!(!report.to_string().is_empty());
        }
    }
}
