use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;

/// Texts with every table and every kind of value.
const WHOLE: [&str; 9] = [
    "[network]\nkind='fat-tree'\nnodes=16\ncapacities=2\nlink_delay_cycles=[0,1,2,3]\n\
     [router]\nwinner='fixed'\nrelease='tail'\n[traffic]\npattern='random'\n\
     messages=7\ndestinations='all'\nwords=9\nrepeat=3\n[retry]\nstrategy='backoff'\n\
     backoff_limit=4\n[run]\nseed=9223372036854775807\nengine='event'\nreplicates=5\n\
     cycles_max=1000000000000\nthreads=3\n[wave]\nscopes=['a.*', '**']\n\
     window_cycles=[3, 9]\nrandom_pins=true",
    "[network]\nkind='fat-tree'\nnodes=2\n[traffic]\npattern='pair'\nsource=1\ndestination=0",
    "[network]\nkind='bidelta'\nnodes=16\n[interface]\nturns=2\nreply_words=7\nclose='end'\n\
     [traffic]\npattern='pairs'\npairs=[[0, 3], [2, 1]]\n[retry]\nstrategy='random'",
    "[network]\nkind='bidelta'\nnodes=64\nlink_delay_cycles=[3, 0]\n\
     [traffic]\npattern='hot-spot'\ndestination=5\nmessages=9\nrandom_messages=4",
    "[network]\nkind='butterfly'\nnodes=16\n[traffic]\npattern='transpose'",
    "[network]\nkind='transit'\nnodes=64\n[faults]\nrouters=['up_0_0_1', 'up_0_0_2@3..']\n\
     ports=['node_3.t0@5..9']\nwires=['up_0_0_3.o1']\nstuck=['up_0_0_4.i2=0x0f0']\n\
     random_wires=2\nfault_seed=9\nmasked=false\n\
     [traffic]\npattern='random'\ndestinations='local'\nlevels=[1, 0, 3]",
    "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='cyclic-shift'\nshift=3",
    "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='steady'\nload=0.000001\n\
     cycles=90\nwarmup_cycles=3\n[retry]\nstrategy='rounds'",
    "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\ntrace='a \\\\ \"b\".csv'\n\
     replay='in-order'\nclock_mhz=0.5\ntime_scale=1.000001\nbytes_per_word=3\nlimit=8",
];

/// A configuration written as TOML is read back as it was.
#[test]
fn a_configuration_is_read_as_it_was_written() {
    for text in WHOLE {
        let read = |text: &str| {
            let config = Config::parse(text, "test", Path::new("."), &[]);
            config.unwrap_or_else(|error| panic!("{error}"))
        };
        let config = read(text);
        let written = config.to_toml();
        assert_eq!(read(&written), config, "{written}");
        assert_eq!(read(&written).to_toml(), written);
    }
}

/// Values: names, ranges, patterns and traces.
mod values;

/// Capacities of fat trees.
mod capacities;

/// Configurations of bidelta networks.
mod bidelta;

/// Configurations of Transit's fat trees.
mod transit;

/// Faults of networks of RN1.
mod faults;

/// Steady traffic.
mod steady;

/// Texts that are not TOML.
mod syntax;

const BASE: &str = "\
[network]
kind = \"fat-tree\"
nodes = 64
[traffic]
";

fn parse(text: &str, overrides: &[&str]) -> Result<Config, Error> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    Config::parse(text, "run.toml", Path::new("experiments"), &overrides)
}

fn refused(text: &str, overrides: &[&str]) -> String {
    let error = parse(text, overrides).unwrap_err();
    assert_eq!(error.class, Class::Usage);
    error.to_string()
}

/// The diagnostic about lines below `[traffic]` in a network of 64 nodes.
fn traffic_refused(lines: &str) -> String {
    refused(&format!("{BASE}{lines}\n"), &[])
}

fn json(text: &str, overrides: &[&str]) -> String {
    serde_json::to_string(&parse(text, overrides).unwrap()).unwrap()
}

#[test]
fn defaults() {
    assert_snapshot!(json(&format!("{BASE}pattern = \"random\""), &[]), @r#"{"network":{"kind":"fat-tree","nodes":64,"link_delay_cycles":[0,0,0,0,0,0]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"pattern":"random","messages":64,"words":1,"repeat":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
    assert_snapshot!(json(&format!("{BASE}trace = \"a/b.csv\""), &[]), @r#"{"network":{"kind":"fat-tree","nodes":64,"link_delay_cycles":[0,0,0,0,0,0]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"trace":"a/b.csv","replay":"timed","clock_mhz":100.0,"time_scale":1.0,"bytes_scale":1.0,"bytes_per_word":1},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
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
release = "early-acknowledge"
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
    assert_snapshot!(json(text, &[]), @r#"{"network":{"kind":"fat-tree","nodes":16,"link_delay_cycles":[0,1,2,64]},"router":{"winner":"fixed","release":"early-acknowledge"},"traffic":{"pattern":"hot-spot","messages":3,"destination":15,"words":1048576,"repeat":2},"retry":{"strategy":"backoff","backoff_limit":12},"run":{"seed":9223372036854775807,"engine":"event","replicates":100000,"cycles_max":1000000000000,"threads":256},"wave":{"scopes":["r.0.*","node?"],"window_cycles":[5,5],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
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
    assert_snapshot!(json(text, &[]), @r#"{"network":{"kind":"fat-tree","nodes":2,"link_delay_cycles":[7]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"trace":"t.csv","replay":"in-order","clock_mhz":0.25,"time_scale":2.0,"bytes_scale":0.001,"bytes_per_word":8,"limit":10},"retry":{"strategy":"immediate"},"run":{"seed":1,"engine":"gate","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
    let trace = |config: Config| match config.traffic {
        TrafficConfig::Trace(trace) => trace.path,
        TrafficConfig::Pattern(_) | TrafficConfig::Steady(_) => panic!("a trace was asked for"),
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
            TrafficConfig::Steady(_) | TrafficConfig::Trace(_) => {
                panic!("another pattern was asked for")
            }
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
    assert_snapshot!(json(&text, &overrides), @r#"{"network":{"kind":"fat-tree","nodes":64,"link_delay_cycles":[1,2,3,4,5,6]},"router":{"winner":"random","release":"acknowledge"},"traffic":{"pattern":"random","messages":8,"words":1,"repeat":1},"retry":{"strategy":"rounds"},"run":{"seed":1,"engine":"event","replicates":1,"threads":0},"wave":{"scopes":["*"],"before_cycles":1000,"after_cycles":100,"triggers":1}}"#);
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
      help: did you mean `seed` in [run]?

    error: run.toml: --set runs.seed=1: unknown table
      help: did you mean [run]?

    error: run.toml: --set run.x=1: unknown key
      help: the keys of [run] are seed, engine, replicates, cycles_max, threads

    error: run.toml: --set run.seed=[1: not a TOML value: unclosed array, expected `]`
      help: quote a string for TOML and for the shell: 'wave.scopes=["*"]'

    error: run.toml: --set run.threads=1\nrun.seed=2: not a TOML value: unexpected content, expected nothing
      help: quote a string for TOML and for the shell: 'wave.scopes=["*"]'

    error: run.toml: --set run.replicates=: not a TOML value: string values must be quoted, expected literal string
      help: quote a string for TOML and for the shell: 'wave.scopes=["*"]'

    error: run.toml: --set network.link_delay_cycles=[1,2,3,4,5,99]: found 99; expected an integer from 0 to 64
      help: give one delay for all links, or a list with one entry per level

    error: run.toml: --set traffic.shift=1: the pattern "random" does not take this key
      help: it belongs to the pattern "cyclic-shift"

    error: run.toml: --set traffic.messages=65: 65 sources of 64 nodes; expected 1 to 64 for this pattern
      help: each node is the source of at most one; use `repeat` for more

    error: run.toml: --set run.engine=evnt: found "evnt"; expected one of "gate", "event", "gpu"
      help: did you mean "event"?
    "#);
}

#[test]
fn mistakes_of_syntax_are_told_together() {
    let text = "a =\nb = ]\nc = 'x\nd = 1 2\n[e]\n[e]\n";
    assert_eq!(refused(text, &[]).matches("error: TOML: ").count(), 5);
    let said = refused("[network]\nnodes = 64\nnodes = 64\n", &["run.seed"]);
    assert_eq!(said.matches("error: ").count(), 2, "{said}");
    assert!(said.contains("--set run.seed: no `=`"), "{said}");
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
    assert_snapshot!(refused(text, &[]), @r"
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
       = help: the keys of [network] are kind, nodes, capacities, link_delay_cycles, loop_back_cycles, leaf, up_stage, climb, dispersion, wiring_seed, clock_ps, permittivity_percent, ports, levels, routing, paths, choice, routing_seed, tables, failed, reroute, cells_per_cycle, ring_capacity, processors, variant, ring, component, size, local, axes, link_cycles, routers, links, structure

    error: traffic.mesages: unknown key
      --> run.toml:13:1
       |
    13 | mesages = 3
       | ^^^^^^^
       |
       = help: did you mean `messages` in [traffic]?

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
      help: the patterns are "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"
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
      = help: the patterns are "random", "pair", "pairs", "hot-spot", "transpose", "bit-reversal", "cyclic-shift", "steady"
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
    error: network.nodes: found 100; expected a power of two from 2 to 1048576
     --> run.toml:3:9
      |
    3 | nodes = 100
      |         ^^^
      |
      = help: the nearest are 64 and 128

    error: network.link_delay_cycles: found 65; expected an integer from 0 to 64
     --> run.toml:4:21
      |
    4 | link_delay_cycles = 65
      |                     ^^
      |
      = help: give one delay for all links, or a list with one entry per level
    ");
    assert_snapshot!(network("2097152", "'x'"), @r#"
    error: network.nodes: found 2097152; expected a power of two from 2 to 1048576
     --> run.toml:3:9
      |
    3 | nodes = 2097152
      |         ^^^^^^^
      |
      = help: such as nodes = 1048576

    error: network.link_delay_cycles: found "x"; expected an integer from 0 to 64
     --> run.toml:4:21
      |
    4 | link_delay_cycles = 'x'
      |                     ^^^
      |
      = help: give one delay for all links, or a list with one entry per level
    "#);
    assert_snapshot!(network("1", "0"), @"
    error: network.nodes: found 1; expected a power of two from 2 to 1048576
     --> run.toml:3:9
      |
    3 | nodes = 1
      |         ^
      |
      = help: such as nodes = 2
    ");
    assert_snapshot!(network("'64'", "[1, 65, 2.5]"), @r#"
    error: network.nodes: found "64"; expected a power of two from 2 to 1048576
     --> run.toml:3:9
      |
    3 | nodes = '64'
      |         ^^^^
      |
      = help: such as nodes = 64

    error: network.link_delay_cycles[1]: found 65; expected an integer from 0 to 64
     --> run.toml:4:25
      |
    4 | link_delay_cycles = [1, 65, 2.5]
      |                         ^^
      |
      = help: give one delay for all links, or a list with one entry per level

    error: network.link_delay_cycles[2]: found 2.5; expected an integer from 0 to 64
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
    error: network.link_delay_cycles[1]: found -2; expected an integer from 0 to 64
     --> run.toml:4:25
      |
    4 | link_delay_cycles = [1, -2, 3]
      |                         ^^
      |
      = help: give one delay for all links, or a list with one entry per level
    ");
    let text = "[network]\nkind = 'hypercube'\nnodes = 99999999999999999999999\n[traffic]\npattern = 'random'\n";
    assert_snapshot!(refused(text, &[]), @r#"
    error: network.kind: found "hypercube"; expected one of "fat-tree", "bidelta", "butterfly", "transit", "binary-fat-tree", "m-port-n-tree", "m-port-n-tree-packets", "butterfly-fat-tree", "fat-stack", "fat-pyramid", "mesh", "torus", "ring", "custom"
     --> run.toml:2:8
      |
    2 | kind = 'hypercube'
      |        ^^^^^^^^^^^
      |
      = help: such as kind = "fat-tree"

    error: network.nodes: found 99999999999999999999999; expected a power of two from 2 to 1048576
     --> run.toml:3:9
      |
    3 | nodes = 99999999999999999999999
      |         ^^^^^^^^^^^^^^^^^^^^^^^
      |
      = help: such as nodes = 64
    "#);
}
