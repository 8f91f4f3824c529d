//! Triggers: the moments that they find are those that everything else says, and the cycles
//! around them are those of a whole waveform.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crosswave_network::topology::ROUTERS;
use crosswave_observe::trigger::{Plan, Trigger, parse};
use crosswave_probe::engine::Engine;
use crosswave_probe::signal::SignalSet;
use crosswave_run::config::Config;
use crosswave_run::observer::Observer;
use crosswave_run::replicate::Replicate;
use crosswave_run::simulation::Simulation;

use crate::program::{crosswave, failure, files, read, success, workplace, write};

/// A run with collisions on every level.
const BUSY: [&str; 6] = [
    "--set",
    "traffic.repeat=60",
    "--set",
    "traffic.words=9",
    "--set",
    "run.engine=event",
];

/// The windows that a run with a trigger says it recorded.
pub(crate) fn triggered(
    folder: &std::path::Path,
    file: &str,
    condition: &str,
    more: &[&str],
) -> Vec<u64> {
    let run = ["run", file, "--trigger", condition, "--wave", "t.vcd", "-q"];
    let output = crosswave(folder, &[&run[..], more].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{condition}: {said}");
    let cycles = said.lines().filter_map(|line| {
        let (_, behind) = line.split_once("triggered in cycle ")?;
        behind.split(',').next()?.parse().ok()
    });
    cycles.collect()
}

/// The lines of the events, as JSON.
pub(crate) fn events(
    folder: &std::path::Path,
    file: &str,
    more: &[&str],
) -> Vec<serde_json::Value> {
    let run = [
        "run",
        file,
        "--events",
        "events.jsonl",
        "--messages",
        "messages.csv",
        "-q",
    ];
    success(folder, &[&run[..], more].concat());
    let text = read(folder, "events.jsonl");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

pub(crate) fn attempts(events: &[serde_json::Value]) -> impl Iterator<Item = &serde_json::Value> {
    events.iter().filter(|event| event["record"] == "attempt")
}

/// The first cycle of those of attempts.
fn first<'e>(
    events: &'e [serde_json::Value],
    cycle: &str,
    is: impl Fn(&'e serde_json::Value) -> bool,
) -> u64 {
    let found = attempts(events).filter(|event| is(event));
    let cycles = found.filter_map(|event| event[cycle].as_u64());
    cycles.min().expect("it happens")
}

#[test]
fn moments_are_those_of_the_events() {
    let place = workplace();
    let folder = place.path();
    let events = events(folder, "small.toml", &BUSY);
    let at = |condition: &str| {
        let found = triggered(folder, "small.toml", condition, &BUSY);
        let [cycle] = found[..] else {
            panic!("{condition}: {found:?}");
        };
        cycle
    };
    let rejected = |event: &serde_json::Value| event["end"] == "rejected";
    assert_eq!(at("rejected"), first(&events, "end_cycle", rejected));
    assert_eq!(
        at("rejected(message=100)"),
        first(&events, "end_cycle", |event| rejected(event)
            && event["message"] == 100)
    );
    assert_eq!(
        at("rejected(node=9) and not rejected(message=9)"),
        first(&events, "end_cycle", |event| {
            rejected(event) && event["source"] == 9 && event["message"] != 9
        })
    );
    // Levels of routers are in their names.
    let level = |event: &serde_json::Value| {
        let router = event["collision"]["router"].as_str()?;
        router.split('_').nth(1)?.parse::<u32>().ok()
    };
    let levels: BTreeSet<u32> = attempts(&events).filter_map(level).collect();
    assert!(levels.len() >= 4, "{levels:?}");
    for wanted in levels {
        assert_eq!(
            at(&format!("rejected(level={wanted})")),
            first(&events, "end_cycle", |event| level(event) == Some(wanted)),
            "{wanted}"
        );
    }
    assert_eq!(
        at("attempts > 4"),
        first(&events, "launched_cycle", |event| event["attempt"] == 5)
    );
    assert_eq!(
        at("acknowledged(message=77)"),
        first(&events, "end_cycle", |event| {
            event["message"] == 77 && event["end"] == "acknowledged"
        })
    );
    // The first cycle in which a message under way is that old.
    let messages = events.iter().filter(|event| event["record"] == "message");
    let old = messages.filter_map(|event| {
        let cycle = |key: &str| event[key].as_u64();
        let since = cycle("offered_cycle")? + 200;
        let launched = since.max(cycle("sent_cycle")?);
        (cycle("acknowledged_cycle")? >= launched).then_some(launched)
    });
    assert_eq!(at("latency >= 200"), old.min().expect("one is that old"));
}

/// The values of a signal, by the cycles in which they change, read off a waveform.
fn changes(folder: &std::path::Path, wave: &str, signal: &str) -> BTreeMap<u64, u64> {
    let text = read(folder, wave);
    let name = signal.rsplit('.').next().expect("a name");
    let line = text
        .lines()
        .find(|line| line.starts_with("$var") && line.split_whitespace().nth(4) == Some(name));
    let code = line
        .and_then(|line| line.split_whitespace().nth(3))
        .expect("the signal");
    let (mut time, mut changes) = (0, BTreeMap::new());
    for line in text.lines() {
        if let Some(now) = line.strip_prefix('#') {
            time = now.parse().expect("a time");
        } else if let Some((value, of)) = line.split_once(' ')
            && let Some(bits) = value.strip_prefix('b')
            && of == code
            && let Ok(value) = u64::from_str_radix(bits, 2)
        {
            changes.insert(time / 10, value);
        }
    }
    changes
}

#[test]
fn signals_trigger_in_the_cycle_that_they_show() {
    let place = workplace();
    let folder = place.path();
    let signal = "testbench.network.router_3_2.c_state";
    let scopes = format!("wave.scopes=[\"{signal}\"]");
    let only = [&BUSY[..], &["--set", &scopes]].concat();
    success(
        folder,
        &[&["run", "small.toml", "--wave", "w.vcd", "-q"][..], &only].concat(),
    );
    let changes = changes(folder, "w.vcd", signal);
    let known: Vec<(u64, u64)> = changes
        .into_iter()
        .filter(|(cycle, _)| *cycle > 0)
        .collect();
    let first = |is: &dyn Fn(u64, u64) -> bool| {
        let pairs = known.windows(2);
        let mut found = pairs.filter(|pair| is(pair[0].1, pair[1].1));
        found.next().expect("it happens")[1].0
    };
    let values: Vec<u64> = known.iter().map(|(_, value)| *value).collect();
    let last = *values.iter().max().expect("it changes");
    for engine in ["gate", "event"] {
        let engine = format!("run.engine={engine}");
        let more = [&only[..], &["--set", &engine]].concat();
        let at = |condition: String| triggered(folder, "small.toml", &condition, &more);
        assert_eq!(
            at(format!("{signal} == {last}")),
            [first(&|_, now| now == last)]
        );
        assert_eq!(
            at(format!("rise({signal})")),
            [first(&|before, now| now > before)]
        );
        assert_eq!(
            at(format!("fall({signal})")),
            [first(&|before, now| now < before)]
        );
        let among = format!("{signal} >= 1 && {signal} != {last}");
        assert_eq!(at(among), [first(&|_, now| now > 0 && now != last)]);
        // Many signals by planes are the same as one by one.
        let all = at("**.c_state == DRAIN".into());
        let each: Vec<String> = (0..6)
            .map(|level| format!("**.router_{level}_*.c_state == DRAIN"))
            .collect();
        assert_eq!(at(each.join(" or ")), all);
    }
}

/// Windows are cut out of the whole waveform, wherever they lie, also behind checkpoints.
#[test]
fn windows_are_parts_of_the_whole() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "long.toml",
        "[network]\nkind = \"bidelta\"\nnodes = 16\n\
         [traffic]\npattern = \"random\"\nwords = 20\nrepeat = 400\n",
    );
    let more = [
        "--set",
        "wave.before_cycles=300",
        "--set",
        "wave.after_cycles=40",
        "--set",
        "wave.triggers=5",
    ];
    let condition = "rejected(node=3) || rejected(node=5)";
    let cycles = triggered(folder, "long.toml", condition, &more);
    assert_eq!(cycles.len(), 5);
    let armed = ["--set", "wave.window_cycles=[9000, 12000]"];
    let later = triggered(
        folder,
        "long.toml",
        condition,
        &[&more[..], &armed].concat(),
    );
    assert!(
        later.iter().all(|cycle| (9000..=12000).contains(cycle)),
        "{later:?}"
    );
    assert_eq!(later.len(), 5);
    for (number, cycle) in later.iter().enumerate() {
        let window = format!("wave.window_cycles=[{}, {}]", cycle - 300, cycle + 40);
        success(
            folder,
            &[
                "run",
                "long.toml",
                "--wave",
                "w.vcd",
                "-q",
                "--set",
                &window,
            ],
        );
        let part = read(folder, &format!("t.{number}.vcd"));
        assert!(part == read(folder, "w.vcd"), "{cycle}");
    }
}

/// The values of all ports of routers in each cycle.
struct RouterOutputs {
    ports: usize,
    routers: usize,
    cycles: Vec<Vec<u64>>,
}

impl Observer for RouterOutputs {
    fn cycle(&mut self, engine: &dyn Engine, _: bool) {
        let routers = 0..self.routers;
        let each = (0..self.ports).flat_map(|port| routers.clone().map(move |at| (port, at)));
        let values = each.map(|(port, at)| engine.value(ROUTERS, port, at));
        self.cycles.resize(engine.cycle() as usize, Vec::new());
        self.cycles.push(values.collect());
    }
}

/// Two runs of one network that go apart stand for engines that differ.
#[test]
fn the_first_difference_triggers() {
    let config = |engine: &str, words: &str| {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\nrepeat=9\n\
             words={words}\n[run]\nengine='{engine}'"
        );
        Config::parse(&text, "case", Path::new("."), &[]).unwrap_or_else(|e| panic!("{e}"))
    };
    let run = |config: &Config, observer: &mut dyn FnMut(&Simulation, &Replicate)| {
        let simulation = Simulation::new(config).unwrap_or_else(|e| panic!("{e}"));
        let replicate = simulation.replicate(0).unwrap_or_else(|e| panic!("{e}"));
        observer(&simulation, &replicate);
    };
    let shown = |config: &Config| {
        let mut cycles = Vec::new();
        run(config, &mut |simulation, replicate| {
            let routers = &simulation.fabric().arrays[ROUTERS];
            let mut shown = RouterOutputs {
                ports: routers.chip.ports.len(),
                routers: routers.instances,
                cycles: Vec::new(),
            };
            simulation.run_one(replicate, &mut shown).expect("it runs");
            cycles = shown.cycles;
        });
        cycles
    };
    let (this, same) = (config("gate", "8"), config("event", "8"));
    let other = config("event", "9");
    let (a, b) = (shown(&this), shown(&other));
    let first = a
        .iter()
        .zip(&b)
        .position(|(a, b)| a != b && !a.is_empty() && !b.is_empty());
    let first = first.expect("they go apart") as u64;
    assert!(first > 5, "{first}");
    for (other, expected) in [(&other, Some(first)), (&same, None)] {
        run(&this, &mut |simulation, replicate| {
            let (network, fabric) = (simulation.network(), simulation.fabric());
            let text = "differs(**.router_*)";
            let condition = parse::parse(text, network, fabric, &SignalSet::default());
            let mut condition = condition.unwrap_or_else(|e| panic!("{e:?}"));
            let mut tellers = condition.tellers();
            assert_eq!(tellers.len(), 1);
            let plan = Plan {
                before_cycles: 5,
                after_cycles: 5,
                moments: 1,
                armed_cycles: (0, 10_000),
            };
            let mut trigger = Trigger::new(simulation.network(), fabric, condition, plan);
            let moments = std::thread::scope(|scope| {
                let other = scope.spawn(move || {
                    run(other, &mut |simulation, replicate| {
                        simulation
                            .run_one(replicate, &mut tellers)
                            .expect("it runs");
                    });
                });
                simulation
                    .run_one(replicate, &mut trigger)
                    .expect("it runs");
                let moments = trigger.moments();
                other.join().expect("it ends");
                moments
            });
            let cycles: Vec<u64> = moments.iter().map(|moment| moment.cycle).collect();
            assert_eq!(cycles, Vec::from_iter(expected));
        });
    }
}

/// A run that ends earlier than the other one differs from there on, whatever signals show.
#[test]
fn the_end_of_the_other_run_is_a_difference() {
    let simulation = |cycles: u64| {
        let text = format!(
            "[network]\nkind='fat-tree'\nnodes=4\n[traffic]\npattern='random'\nrepeat=20\n\
             [run]\nengine='event'\ncycles_max={cycles}\n"
        );
        let config = Config::parse(&text, "case", Path::new("."), &[]);
        Simulation::new(&config.unwrap_or_else(|e| panic!("{e}"))).unwrap_or_else(|e| panic!("{e}"))
    };
    for (own_cycles, other_cycles, expected) in [(80, 40, Some(41)), (40, 80, None)] {
        let (own, other) = (simulation(own_cycles), simulation(other_cycles));
        let fabric = own.fabric();
        // The address of a node is a pin that never changes.
        let text = "differs(**.node_1.node)";
        let condition = parse::parse(text, own.network(), fabric, &SignalSet::default());
        let mut condition = condition.unwrap_or_else(|e| panic!("{e:?}"));
        let mut tellers = condition.tellers();
        let plan = Plan {
            before_cycles: 5,
            after_cycles: 5,
            moments: 1,
            armed_cycles: (0, 1000),
        };
        let mut trigger = Trigger::new(own.network(), fabric, condition, plan);
        let replicate = own.replicate(0).unwrap_or_else(|e| panic!("{e}"));
        let moments = std::thread::scope(|scope| {
            let replicate = &replicate;
            let other = scope.spawn(move || other.run_one(replicate, &mut tellers).map(drop));
            own.run_one(replicate, &mut trigger).expect("it runs");
            let moments = trigger.moments();
            other.join().expect("it ends").expect("it runs");
            moments
        });
        let cycles: Vec<u64> = moments.iter().map(|moment| moment.cycle).collect();
        assert_eq!(
            cycles,
            Vec::from_iter(expected),
            "{own_cycles} {other_cycles}"
        );
    }
}

/// Triggers can test all that `signals` lists beside ports: connections of nodes, messages and
/// nets.
#[test]
fn what_is_no_port_triggers() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "bidelta.toml",
        "[network]\nkind='bidelta'\nnodes=16\n[traffic]\npattern='random'\nrepeat=4\n\
         words=3\n[wave]\nlanes=true\nnets=['**.rn1_0_0.**']\n",
    );
    for engine in ["gate", "event"] {
        let set = format!("run.engine={engine}");
        let set = ["--set", set.as_str()];
        let run = ["run", "bidelta.toml", "--wave", "whole.vcd", "-q"];
        success(folder, &[&run[..], &set].concat());
        let shown = crate::support::plain_vcd::values(&read(folder, "whole.vcd"));
        let of = |path: &str| &shown[path];
        let first = |path: &str, is: &dyn Fn(u64, u64) -> bool| {
            let values: Vec<(u64, u64)> = of(path).iter().map(|(c, v)| (*c, *v)).collect();
            let mut pairs = values.windows(2);
            let pair = pairs.find(|pair| is(pair[0].1, pair[1].1));
            pair.expect("it happens")[1].0
        };
        let net = shown
            .keys()
            .find(|path| path.starts_with("testbench.nets.") && of(path).len() > 3);
        let net = net.expect("a net that changes");
        let lane = "testbench.connections.node_3.connection";
        let phase = "testbench.messages.node_3.phase";
        for (condition, cycle) in [
            (
                format!("{lane} == OPENING"),
                first(lane, &|_, now| now == 1),
            ),
            (
                "**.connections.node_3 == OPEN".to_owned(),
                first(lane, &|_, now| now == 2),
            ),
            (
                format!("fall({lane})"),
                first(lane, &|before, now| now < before),
            ),
            (format!("{phase} == BODY"), first(phase, &|_, now| now == 3)),
            (
                format!("change({net})"),
                first(net, &|before, now| now != before),
            ),
        ] {
            let more = [&set[..], &["--set", "wave.before_cycles=3"]].concat();
            let found = triggered(folder, "bidelta.toml", &condition, &more);
            assert_eq!(found, [cycle], "{condition}");
        }
        // The engines agree on connections; nets are known of one only.
        let differs = ["run", "bidelta.toml", "-q", "--wave", "d.vcd", "--trigger"];
        let of_lanes = [&differs[..], &["differs(**.connections)"], &set].concat();
        failure(folder, &of_lanes, 1);
        let of_nets = [&differs[..], &["differs(testbench.nets)"], &set].concat();
        let said = failure(folder, &of_nets, 2);
        assert!(said.contains("matches only messages and nets"), "{said}");
    }
}

/// The engines never differ.
#[test]
fn engines_do_not_trigger() {
    let place = workplace();
    let folder = place.path();
    write(
        folder,
        "connections.toml",
        "[network]\nkind='bidelta'\nnodes=64\n[traffic]\npattern='random'\nwords=5\n",
    );
    for (file, engine) in [
        ("small.toml", "gate"),
        ("small.toml", "event"),
        ("connections.toml", "gate"),
    ] {
        let run = ["run", file, "-q", "--engine", engine, "--wave", "d.vcd"];
        let run = [&run[..], &["--trigger", "differs(testbench.network.**)"]].concat();
        let said = failure(folder, &run, 1);
        assert!(
            said.contains("the condition was never true in cycles 0 to"),
            "{said}"
        );
        assert!(!folder.join("d.vcd").exists());
    }
}

#[test]
fn mistakes_in_conditions_are_told() {
    let place = workplace();
    let folder = place.path();
    let mut told = String::new();
    for condition in [
        "",
        "rejectd",
        "rejected(mesage=3)",
        "launched(level=3)",
        "rejected(router=router_0_0)",
        "collided(router=router_0_99)",
        "collided(router=router_0_1, router=0_1)",
        "collided(way=3)",
        "rejected(message=x)",
        "rejected(message=99999999999)",
        "rejected(message=3",
        "launched(message=0, message=2)",
        "rejected(level=1, node=3, level=1)",
        "rejected(message=100000)",
        "rejected(node=64)",
        "rejected(level=9)",
        "attempts",
        "attempts > many",
        "attempts > 3 &&",
        "(attempts > 3",
        "attempts > 3)",
        "attempts > 3 latency > 4",
        "rise(**.router_0_0.a_stat)",
        "**.router_0_0.a_state == DRIAN",
        "**.router_0_0.a_state = DRAIN",
        "**.router_0_0.a_state == \"DRAIN",
        "a & b",
        &"!".repeat(100),
        &["latency > 1"; 65].join(" or "),
    ] {
        let run = [
            "run",
            "small.toml",
            "--trigger",
            condition,
            "--wave",
            "t.vcd",
            "-q",
        ];
        told += &format!(
            "{}\n{}\n",
            &condition[..condition.len().min(60)],
            failure(folder, &run, 2)
        );
    }
    let run =
        |more: &[&str], code| failure(folder, &[&["run", "small.toml"][..], more].concat(), code);
    told += &run(&["--trigger", "rejected"], 2);
    let several = [
        "--set",
        "wave.triggers=2",
        "--trigger",
        "rejected",
        "--wave",
        "-",
        "--wave-format",
        "vcd",
    ];
    told += &run(&several, 2);
    told += &run(
        &["--trigger", "attempts > 1000", "--wave", "t.vcd", "-q"],
        1,
    );
    assert_eq!(files(folder), ["small.toml"], "no waveform is left");
    insta::assert_snapshot!(told);
}
