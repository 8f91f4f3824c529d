//! The lives of messages: what is recorded of every attempt agrees with the wiring, with the
//! routes, with what hosts record, and with itself; on both engines and any number of threads it
//! is the same.

use std::collections::BTreeMap;
use std::io;

use crosswave_network::path::follow;
use crosswave_network::topology::{NODES, OnPath, ROUTERS};
use crosswave_network::{Fabric, LinkPort};
use crosswave_observe::life::events::EventsWriter;
use crosswave_observe::life::{
    AttemptRecord, EndOfAttempt, Follower, HopRecord, LifeSink, MessageLife, record::NO_OUTPUT,
};
use crosswave_probe::message::NEVER;
use crosswave_run::collisions::CollisionObserver;
use crosswave_run::config::{Config, EngineKind};
use crosswave_run::host::Outcome;
use crosswave_run::simulation::Simulation;

use crate::support;

/// All records of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Records {
    pub(super) attempts: Vec<AttemptRecord>,
    pub(super) messages: Vec<MessageLife>,
}

impl LifeSink for &mut Records {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        self.attempts.push(attempt.clone());
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        self.messages.push(*life);
        Ok(())
    }
}

pub(super) fn followed(simulation: &Simulation) -> (Outcome, Records) {
    let replicate = simulation.replicate(0).unwrap_or_else(|e| panic!("{e}"));
    let mut records = Records::default();
    let mut follower = Follower::new(simulation.network(), simulation.fabric(), &mut records);
    let outcome = simulation.run_one(&replicate, &mut follower);
    let outcome = outcome.unwrap_or_else(|e| panic!("{e}"));
    follower.finish().expect("records are taken");
    (outcome, records)
}

/// Configurations of every kind of network, in which everything occurs.
pub(super) fn cases() -> Vec<String> {
    let mut cases = Vec::new();
    let releases = ["acknowledge", "early-acknowledge", "tail"];
    let strategies = ["immediate", "rounds", "backoff"];
    let trees = [
        "nodes=64",
        "nodes=64\nlink_delay_cycles=3",
        "nodes=32\nlink_delay_cycles=[0,2,0,1,5]",
        "nodes=64\ncapacities=[1,1,2,2,4,4]",
        "nodes=64\ncapacities=[1,2,2,4,4,8]\nlink_delay_cycles=1",
    ];
    for (at, network) in trees.iter().enumerate() {
        for (other, release) in releases.iter().enumerate() {
            let strategy = strategies[(at + other) % 3];
            cases.push(format!(
                "[network]\nkind='fat-tree'\n{network}\n[router]\nrelease='{release}'\n\
                 [traffic]\npattern='random'\nrepeat=3\nwords={}\n[retry]\nstrategy='{strategy}'\n",
                [1, 7, 40][other]
            ));
        }
    }
    for (at, (network, routing)) in [
        ("ports=8\nlevels=2", "omrmn"),
        ("ports=4\nlevels=3", "d-mod-k'\npaths=2\nchoice='random"),
        ("ports=6\nlevels=2", "mlid"),
    ]
    .into_iter()
    .enumerate()
    {
        cases.push(format!(
            "[network]\nkind='m-port-n-tree'\n{network}\nrouting='{routing}'\n\
             [router]\nrelease='{}'\n[traffic]\npattern='random'\nrepeat=6\nwords=5\n\
             [retry]\nstrategy='{}'\n",
            releases[at % 3],
            strategies[at]
        ));
    }
    let connected = [
        ("bidelta", "nodes=64", "turns=1"),
        (
            "bidelta",
            "nodes=64\nlink_delay_cycles=2",
            "turns=0\nclose='end'",
        ),
        (
            "butterfly",
            "nodes=64",
            "turns=2\nclose='drop'\nreply_words=3",
        ),
        ("transit", "nodes=64", "turns=1"),
        (
            "transit",
            "nodes=64\nup_stage='two-crossbars'",
            "turns=3\nclose='drop'",
        ),
        ("transit", "nodes=768\nleaf='B12'", "turns=1\nreply_words=4"),
    ];
    for (at, (kind, network, interface)) in connected.into_iter().enumerate() {
        cases.push(format!(
            "[network]\nkind='{kind}'\n{network}\n[interface]\n{interface}\n\
             [traffic]\npattern='random'\nrepeat={}\nwords=5\n[retry]\nstrategy='{}'\n",
            if network.contains("768") { 1 } else { 3 },
            ["immediate", "random", "backoff"][at % 3]
        ));
    }
    cases
}

/// Compares the records of a run with everything else that is known of it.
struct Judge<'s> {
    simulation: &'s Simulation,
    fabric: &'s Fabric,
    outcome: &'s Outcome,
    records: &'s Records,
    text: &'s str,
}

impl Judge<'_> {
    fn judge(&self) {
        self.attempts_are_numbered();
        for attempt in &self.records.attempts {
            self.follows_wires(attempt);
            self.collides_with_who_is_there(attempt);
        }
        self.parts_are_the_latency();
        self.outputs_have_one_holder();
    }

    /// Attempts of a message are those that its host counted, and follow one another.
    fn attempts_are_numbered(&self) {
        let mut of_message: BTreeMap<u32, Vec<&AttemptRecord>> = BTreeMap::new();
        for attempt in &self.records.attempts {
            of_message.entry(attempt.id).or_default().push(attempt);
        }
        for (id, message) in (0..).zip(&self.outcome.messages) {
            let mut attempts = of_message.remove(&id).unwrap_or_default();
            attempts.sort_by_key(|attempt| attempt.attempt);
            let numbers: Vec<u32> = attempts.iter().map(|attempt| attempt.attempt).collect();
            let expected: Vec<u32> = (1..=message.attempts).collect();
            assert_eq!(numbers, expected, "message {id}: {}", self.text);
            if let Some(first) = attempts.first() {
                assert_eq!(first.launched_cycle, message.sent_cycle);
            }
            let ended = attempts.windows(2).all(|pair| {
                pair[0].end == EndOfAttempt::Rejected && pair[0].end_cycle < pair[1].launched_cycle
            });
            assert!(ended, "message {id}: {}", self.text);
        }
        let rejected = self.records.attempts.iter();
        let rejected = rejected.filter(|attempt| attempt.end == EndOfAttempt::Rejected);
        assert_eq!(
            rejected.count() as u64,
            self.outcome.rejections.total(),
            "{}",
            self.text
        );
    }

    /// The head of an attempt goes where the wires lead, in as many clocks, by the outputs that the
    /// route allows.
    fn follows_wires(&self, attempt: &AttemptRecord) {
        let network = self.simulation.network();
        let messages = self.outcome.messages[..attempt.id as usize].iter();
        let pair = (attempt.source, attempt.destination);
        let before = messages.filter(|message| (message.source, message.destination) == pair);
        let way = network.path_choice().map_or(0, |choice| {
            choice.way_of(attempt.source, attempt.destination, before.count() as u32)
        });
        let allowed = |chip: usize, arrived: usize| {
            [false, true].map(|draw| {
                network.leaves(OnPath {
                    source: attempt.source,
                    destination: attempt.destination,
                    chip: chip as u32,
                    arrived,
                    draw,
                    way,
                })
            })
        };
        let mut instances = 0..self.fabric.nodes;
        let instance = instances.find(|&at| network.node_of_instance(at) == attempt.source);
        let mut from: Vec<LinkPort> = allowed(0, 0)
            .map(|link| LinkPort {
                array: NODES,
                instance: instance.expect("a node"),
                link,
            })
            .to_vec();
        let mut cycle = attempt.launched_cycle;
        for (hop, chip) in attempt.hops.iter().zip(1..) {
            let here = LinkPort {
                array: ROUTERS,
                instance: hop.router as usize,
                link: usize::from(hop.input),
            };
            let leads =
                |&at: &LinkPort| follow(self.fabric, at) == Some((hop.arrived_cycle - cycle, here));
            assert!(from.iter().any(leads), "{attempt:?}: {}", self.text);
            if hop.output == NO_OUTPUT {
                assert_eq!(chip, attempt.hops.len());
                return;
            }
            let output = usize::from(hop.output);
            assert!(allowed(chip, here.link).contains(&output), "{attempt:?}");
            assert!(
                (1..=2).contains(&(hop.left_cycle - hop.arrived_cycle)),
                "{hop:?}"
            );
            from = vec![LinkPort {
                link: output,
                ..here
            }];
            cycle = hop.left_cycle;
        }
        if attempt.reached_cycle == NEVER {
            return;
        }
        let (clocks, end) = follow(self.fabric, from[0]).expect("it leads on");
        assert_eq!(end.array, NODES);
        assert_eq!(network.node_of_instance(end.instance), attempt.destination);
        assert_eq!(attempt.reached_cycle, cycle + clocks);
    }

    /// The message that rejected an attempt held what it wanted, by its own record.
    fn collides_with_who_is_there(&self, attempt: &AttemptRecord) {
        let Some(collision) = &attempt.collision else {
            let lost = attempt.hops.iter().any(|hop| hop.output == NO_OUTPUT);
            assert!(
                !lost || attempt.end == EndOfAttempt::UnderWay,
                "{attempt:?}"
            );
            return;
        };
        let at = attempt.hops.last().expect("a router rejects");
        assert_eq!(
            collision.rivals.len(),
            collision.wanted.len(),
            "{attempt:?}: {}",
            self.text
        );
        for rival in &collision.rivals {
            assert!(collision.wanted.contains(&rival.output));
            let mut all = self.records.attempts.iter();
            let winner = all.find(|one| (one.id, one.attempt) == (rival.id, rival.attempt));
            let hops = &winner.expect("it is recorded").hops;
            let holds = |hop: &&HopRecord| {
                (hop.router, hop.input, hop.output) == (at.router, rival.input, rival.output)
            };
            let hop = hops.iter().find(holds).expect("it came by");
            assert_eq!(hop.left_cycle, rival.since_cycle);
            assert!(hop.left_cycle <= collision.cycle);
            match rival.freed_cycle {
                NEVER => assert!(collision.cycle <= hop.freed_cycle),
                freed => {
                    assert_eq!(freed, hop.freed_cycle);
                    assert!(self.text.contains("release='tail'") && freed <= collision.cycle);
                    // Its answer has not passed the router before.
                    assert!(collision.cycle < winner.expect("it is recorded").end_cycle);
                }
            }
        }
    }

    fn parts_are_the_latency(&self) {
        let done = self.outcome.messages.iter().zip(0..);
        let done = done.filter(|(message, _)| message.acknowledged_cycle != NEVER);
        let mut lives: BTreeMap<u32, &MessageLife> = BTreeMap::new();
        for life in &self.records.messages {
            assert!(lives.insert(life.id, life).is_none());
        }
        assert_eq!(lives.len(), done.clone().count());
        for (message, id) in done {
            let life = lives[&id];
            assert_eq!(life.message, *message, "{}", self.text);
            let breakdown = life.breakdown.expect("nothing is stuck");
            assert_eq!(breakdown.total(), message.latency_cycles(), "{life:?}");
            let Some(connection) = life.connection else {
                continue;
            };
            let of_last =
                |attempt: &&AttemptRecord| (attempt.id, attempt.attempt) == (id, message.attempts);
            let mut attempts = self.records.attempts.iter();
            let last = attempts.find(of_last).expect("it is recorded");
            assert_eq!(last.launched_cycle, connection.launched_cycle);
            assert_eq!(
                last.reached_cycle + 1,
                connection.opened_cycle,
                "{}",
                self.text
            );
            assert_eq!(last.hops.len() as u32, connection.stages);
        }
    }

    /// No output is held by two at a time.
    fn outputs_have_one_holder(&self) {
        let mut held: BTreeMap<(u32, u8), Vec<(u64, u64)>> = BTreeMap::new();
        for hop in self
            .records
            .attempts
            .iter()
            .flat_map(|attempt| &attempt.hops)
        {
            if hop.output != NO_OUTPUT {
                let times = held.entry((hop.router, hop.output)).or_default();
                times.push((hop.left_cycle, hop.freed_cycle));
            }
        }
        for times in held.values_mut() {
            times.sort_unstable();
            assert!(
                times.windows(2).all(|pair| pair[0].1 < pair[1].0),
                "{}",
                self.text
            );
        }
    }
}

#[test]
fn lives_agree_with_wires_routes_and_hosts() {
    for text in cases() {
        let mut config = support::config(&text);
        config.run.engine = EngineKind::Event;
        let simulation = Simulation::new(&config).expect("a legal configuration");
        let (outcome, records) = followed(&simulation);
        assert!(
            outcome.rejections.total() > 5,
            "something has to collide: {text}"
        );
        let judge = Judge {
            simulation: &simulation,
            fabric: simulation.fabric(),
            outcome: &outcome,
            records: &records,
            text: &text,
        };
        judge.judge();
        for threads in [1, 3] {
            (config.run.engine, config.run.threads) = (EngineKind::Gate, threads);
            let again = Simulation::new(&config).expect("a legal configuration");
            assert!(
                followed(&again) == (outcome.clone(), records.clone()),
                "{text}"
            );
        }
    }
}

/// Collisions of a fat tree, level by level, are those that [`CollisionObserver`] counts.
#[test]
fn collisions_are_those_that_are_counted() {
    let text = "[network]\nkind='fat-tree'\nnodes=64\n[traffic]\npattern='random'\nrepeat=3\n\
                words=20\n[run]\nengine='event'\n";
    let config = support::config(text);
    let simulation = Simulation::new(&config).expect("a legal configuration");
    let (_, records) = followed(&simulation);
    let collisions = simulation.network().collisions().expect("a fat tree");
    let mut counted = CollisionObserver::new(collisions, simulation.fabric());
    let replicate = simulation.replicate(0).expect("no trace");
    simulation
        .run_one(&replicate, &mut counted)
        .expect("it runs");
    let mut by_level = [0; 6];
    for attempt in records
        .attempts
        .iter()
        .filter(|attempt| attempt.collision.is_some())
    {
        let router = attempt.hops.last().expect("a router rejects").router;
        let name = simulation.fabric().instance_name(ROUTERS, router as usize);
        let level: usize = name
            .split('_')
            .nth(1)
            .and_then(|level| level.parse().ok())
            .unwrap();
        by_level[level] += 1;
    }
    let expected = [0, 1, 2, 3, 4, 5].map(|level| counted.found().total(level));
    assert_eq!(by_level, expected);
    assert!(by_level.iter().sum::<u64>() > 100);
}

/// Traces with wires cut or stuck, and routers off, are still the same on both engines, and
/// rejected attempts say so.
#[test]
fn lives_with_faults_are_the_same_on_both_engines() {
    let text = "[network]\nkind='transit'\nnodes=64\n[faults]\nrandom_routers=2\nrandom_wires=2\nrouters=['down_0_2_0_5@40..90']\nstuck=['node_9.t0=0x155']\nfault_seed=4\n\
                [traffic]\npattern='random'\nrepeat=2\nwords=4\n[retry]\nstrategy='random'\n\
                [run]\ncycles_max=3000\n";
    let found = [EngineKind::Event, EngineKind::Gate].map(|engine| {
        let mut config = support::config(text);
        config.run.engine = engine;
        followed(&Simulation::new(&config).expect("a legal configuration"))
    });
    assert!(found[0] == found[1]);
    let (outcome, records) = &found[0];
    assert!(outcome.rejections.total() > 20);
    assert_eq!(
        records.attempts.len() as u64,
        outcome
            .messages
            .iter()
            .map(|m| u64::from(m.attempts))
            .sum::<u64>()
    );
}

fn events(config: &Config) -> String {
    let simulation = Simulation::new(config).expect("a legal configuration");
    let mut bytes = Vec::new();
    let mut writer = EventsWriter::new(simulation.fabric(), &mut bytes);
    for index in 0..config.run.replicates {
        writer.begin(index);
        let replicate = simulation.replicate(index).expect("no trace");
        let mut follower = Follower::new(simulation.network(), simulation.fabric(), &mut writer);
        simulation
            .run_one(&replicate, &mut follower)
            .expect("it runs");
        follower.finish().expect("memory takes all bytes");
    }
    writer.finish().expect("memory takes all bytes");
    String::from_utf8(bytes).expect("JSON")
}

/// Two messages that want one output; the loser comes through behind the winner.
#[test]
fn a_collision_is_told_from_both_sides() {
    let text = "[network]\nkind='fat-tree'\nnodes=4\n[router]\nwinner='fixed'\n\
                [traffic]\npattern='pairs'\npairs=[[0,3],[1,3]]\nwords=2\n[run]\nengine='event'\n";
    insta::assert_snapshot!(events(&support::config(text)));
}
