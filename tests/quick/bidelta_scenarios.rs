//! Statements of the paper about networks of RN1, shown on small ones.
//!
//! As in `tests/quick/scenarios.rs`: configurations in `examples/scenarios`, waveforms in
//! `traces/scenarios` that both engines give byte for byte, drawings in
//! `tests/quick/snapshots`, and assertions about what happens in which clock. The clocks are
//! those of `hdl/rn1.md` and `hdl/rn1_interface.md`. One command makes the waveforms
//! and drawings again:
//!
//! ```text
//! CROSSWAVE_BLESS=1 INSTA_UPDATE=always cargo test --test suite quick::bidelta_scenarios::
//! ```

use crosswave_chips::protocol::signature;
use crosswave_chips::rn1_interface::T0;
use crosswave_chips::rn1_protocol::{RN1_DATA, RN1_DROP, RN1_REST, RN1_TURN, checksum, status};
use crosswave_chips::routing::bidelta::{route, stacks};
use crosswave_network::bidelta::{Bidelta, DELAY_LINES, NODES, ROUTERS};
use crosswave_network::{Fabric, LinkPort, NetworkConfig};

use crate::support::scenario::{Scenario, config, record};

/// An input of a router while it is not idle.
#[derive(Debug, PartialEq, Eq)]
struct Hop {
    stage: usize,
    router: String,
    input: usize,
    /// The output that it holds; blocked: twice the direction.
    output: u64,
    /// Its states, with the cycle in which each is entered; the last one is IDLE,
    /// unless the run ends before.
    states: Vec<(String, u64)>,
}

impl Hop {
    fn opened(&self) -> u64 {
        self.states[0].1
    }

    /// The cycles in which it enters a state.
    fn entered(&self, state: &str) -> Vec<u64> {
        let entered = self.states.iter().filter(|(name, _)| name == state);
        entered.map(|(_, cycle)| *cycle).collect()
    }

    /// The cycle in which it is free again.
    fn freed(&self) -> u64 {
        self.entered("IDLE")[0]
    }

    fn signal(&self, name: &str) -> String {
        format!("{}.{name}", self.router)
    }
}

/// A scenario with what is known of its configuration.
struct ConfiguredScenario {
    run: Scenario,
    /// In order of stages and opening.
    hops: Vec<Hop>,
    network: Bidelta,
    fabric: Fabric,
    words: u64,
}

/// Runs a scenario and compares its drawing, which holds all routers in use.
fn shown(name: &str, rows: &[&str], window: std::ops::Range<u64>) -> ConfiguredScenario {
    let run = Scenario::run(name, rows, window);
    insta::assert_snapshot!(name, run.drawing);
    let config = config(name, &[]);
    let NetworkConfig::Bidelta(network) = &config.network else {
        panic!("{name} is a bidelta network");
    };
    let network = network.network(config.retry.strategy);
    let hops = hops(&run);
    for hop in &hops {
        let scope = format!("**.{}", hop.router);
        assert!(config.wave.scopes.contains(&scope), "{name}: {hop:?}");
    }
    assert!(run.outcome.connections.iter().all(|c| !c.wrong), "{name}");
    let words = u64::from(run.message(0).words);
    ConfiguredScenario {
        run,
        hops,
        fabric: network.fabric(),
        network,
        words,
    }
}

fn hops(run: &Scenario) -> Vec<Hop> {
    let mut hops: Vec<Hop> = Vec::new();
    for scope in &run.wave.scopes {
        let Some(place) = scope.name.strip_prefix("rn1_") else {
            continue;
        };
        let stage = place.split('_').next().and_then(|stage| stage.parse().ok());
        for input in 0..8 {
            let signal = |name: &str| format!("{}.i{input}_{name}", scope.name);
            let mut before = "IDLE";
            let states = run.states(&signal("state"));
            for (cycle, state) in (0..).zip(&states).skip(1) {
                if state == before {
                    continue;
                }
                if before == "IDLE" {
                    hops.push(Hop {
                        stage: stage.expect("the name has the stage"),
                        router: scope.name.clone(),
                        input,
                        output: 0,
                        states: Vec::new(),
                    });
                }
                let hop = hops.last_mut().expect("one has begun");
                hop.states.push((state.to_owned(), cycle));
                if matches!(state.as_str(), "FORWARD" | "BLOCKED") {
                    hop.output = run.at(&signal("output"), cycle);
                }
                before = state;
            }
        }
    }
    hops.sort_by_key(|hop| (hop.stage, hop.opened(), hop.input));
    hops
}

/// A byte with the control bit.
fn data(byte: u8) -> u64 {
    RN1_DATA | u64::from(byte)
}

fn rotated(byte: u8, stages: usize) -> u8 {
    byte.rotate_left(2 * (stages as u32 % 4))
}

/// `words` bytes that count up from the first one.
fn counting(first: u8, words: u64) -> impl Iterator<Item = u8> {
    (0..words).map(move |word| first.wrapping_add(word as u8))
}

/// The answers of routers to a segment, as the source gets them. Router `s` from the
/// source has the given output, or none, and `delays[s]` extra clocks behind it.
fn answers(hops: &[&Hop], delays: &[u64], bytes: &[u8], swallowed: &[usize]) -> Vec<u64> {
    let mut words = Vec::new();
    for (stage, hop) in hops.iter().enumerate() {
        let blocked = !hop.entered("BLOCKED").is_empty();
        let seen = bytes.iter().skip(swallowed[stage]);
        let sum = match blocked {
            true => 0,
            false => seen.fold(0, |sum, &byte| checksum(sum, rotated(byte, stage))),
        };
        for repeated in 0..=if blocked { 0 } else { delays[stage] } {
            let status = status(repeated == 0, !blocked, hop.output as u8) as u8;
            let back = |byte: u8| byte.rotate_right(2 * (stage as u32 % 4));
            words.extend([u64::from(back(status)), data(back(sum))]);
        }
    }
    words
}

impl ConfiguredScenario {
    /// Extra clocks behind each router of a message's path; the last are those of the loop back.
    fn delays(&self, id: usize) -> Vec<u64> {
        let message = self.run.message(id);
        let delays = self
            .network
            .path_delays(message.source, message.destination);
        delays
            .iter()
            .map(|&delay| u64::from(delay))
            .chain([u64::from(self.network.loop_back)])
            .collect()
    }

    /// The wires of a source's port in use in a cycle.
    fn wires(&self, node: u32, cycle: u64) -> [String; 2] {
        let port = (0..2)
            .find(|port| self.run.at(&format!("node_{node}.t{port}_forward"), cycle) != 0)
            .expect("a port sends");
        ["forward", "backward"].map(|way| format!("node_{node}.t{port}_{way}"))
    }

    /// The words on a wire from a cycle on.
    fn words(&self, wire: &str, from: u64, count: usize) -> Vec<u64> {
        let cycles = from..from + count as u64;
        cycles.map(|cycle| self.run.at(wire, cycle)).collect()
    }

    /// The words that the source sends in the first segment, without the word after it.
    fn sent(&self, destination: u32) -> Vec<u8> {
        let route = route(self.network.stages, destination);
        let first = signature(u64::from(destination));
        let payload = counting(first, self.words);
        route.bytes.into_iter().chain(payload).collect()
    }

    /// The routers' inputs that a message takes that was launched in a cycle.
    fn path(&self, source: u32, launched: u64) -> Vec<&Hop> {
        let fabric = &self.fabric;
        let [forward, _] = self.wires(source, launched);
        let mut from = LinkPort {
            array: NODES,
            instance: self.network.node_instance(source),
            link: T0 + usize::from(forward.ends_with("t1_forward")),
        };
        let mut path: Vec<&Hop> = Vec::new();
        loop {
            let mut to = fabric.peer(from).expect("no link is open");
            while to.array == DELAY_LINES {
                to.link = 1 - to.link;
                to = fabric.peer(to).expect("no link is open");
            }
            if to.array == NODES {
                return path;
            }
            let router = fabric.instance_name(ROUTERS, to.instance);
            let after = path.last().map_or(launched, |hop| hop.opened());
            let hop = self
                .hops
                .iter()
                .find(|hop| (&hop.router, hop.input) == (&router, to.link) && hop.opened() > after);
            let hop = hop.expect("it comes here");
            path.push(hop);
            if !hop.entered("BLOCKED").is_empty() {
                return path;
            }
            from = LinkPort {
                link: 8 + hop.output as usize,
                ..to
            };
        }
    }

    /// Clocks of the answers of all routers of a path.
    fn answer_clocks(&self, id: usize) -> u64 {
        self.delays(id).iter().map(|delay| 2 * (delay + 1)).sum()
    }

    /// Checks that the only message opens its connection router by router, that each
    /// finds its digit, and that all of them answer the end of the first segment; gives
    /// the clock in which its last word, the turn or rest, is on the source's wire.
    fn opens(&self) -> u64 {
        let run = &self.run;
        let message = run.message(0);
        assert_eq!((run.outcome.messages.len(), message.attempts), (1, 1));
        let stages = self.network.stages as usize;
        assert_eq!(self.hops.len(), stages);
        let (launched, delays) = (message.sent_cycle, self.delays(0));
        let sent = self.sent(message.destination);
        let mut swallowed = Vec::new();
        let mut first_of_stack = 0;
        for (stack, &layers) in stacks(self.network.stages).iter().enumerate() {
            swallowed.extend((0..layers).map(|_| stack));
            let hop = &self.hops[first_of_stack];
            let swallows = usize::from(stack > 0);
            assert_eq!(hop.entered("SWALLOW").len(), swallows, "{hop:?}");
            first_of_stack += layers as usize;
        }
        for (stage, hop) in self.hops.iter().enumerate() {
            assert_eq!(hop.stage, stage);
            let way = stage as u64 + delays[..stage].iter().sum::<u64>();
            let routed = launched + way + swallowed[stage] as u64;
            assert_eq!(hop.entered("FORWARD")[0], routed + 1, "{hop:?}");
            let byte = rotated(sent[swallowed[stage]], stage);
            let wire = hop.signal(&format!("i{}_forward", hop.input));
            assert_eq!(run.at(&wire, routed), data(byte));
            let digit = message.destination >> (2 * (stages - 1 - stage)) & 3;
            assert_eq!((byte >> 6, hop.output / 2), (digit as u8, u64::from(digit)));
        }
        let [forward, backward] = self.wires(message.source, launched);
        let expected: Vec<u64> = sent.iter().map(|&byte| data(byte)).collect();
        assert_eq!(self.words(&forward, launched, sent.len()), expected);
        let over = launched + sent.len() as u64;
        let hops: Vec<&Hop> = self.hops.iter().collect();
        let expected = answers(&hops, &delays, &sent, &swallowed);
        assert_eq!(expected.len() as u64, self.answer_clocks(0));
        assert_eq!(self.words(&backward, over + 1, expected.len()), expected);

        let way = stages as u64 + delays.iter().sum::<u64>();
        let connection = &run.outcome.connections[0];
        let routing_bytes = sent.len() as u64 - self.words;
        assert_eq!(connection.opened_cycle, launched + routing_bytes + way);
        assert_eq!(message.delivered_cycle, over + way + 1);
        over
    }

    /// The same for a message that ends, and that the routers are free behind it.
    fn opens_and_ends(&self) {
        let over = self.opens();
        let message = self.run.message(0);
        let acknowledged = over + self.answer_clocks(0) + 2;
        assert_eq!(message.acknowledged_cycle, acknowledged);
        let delays = self.delays(0);
        for (stage, hop) in self.hops.iter().enumerate() {
            let way = stage as u64 + delays[..stage].iter().sum::<u64>();
            let behind: u64 = delays[stage..].iter().map(|delay| 2 * (delay + 1)).sum();
            assert_eq!(hop.freed(), over + way + 1 + behind, "{hop:?}");
        }
    }
}

const STATES: [&str; 2] = ["**.tx_state", "**.r?_state"];

#[test]
fn a_connection_opens_one_stage_a_clock() {
    let rows = [
        &STATES[..],
        &["**.t?_forward", "**.t?_backward", "**.r?_forward"],
    ]
    .concat();
    let shown = shown("bidelta-open", &rows, 0..20);
    shown.opens_and_ends();
    let directions: Vec<u64> = shown.hops.iter().map(|hop| hop.output / 2).collect();
    assert_eq!(directions, [0, 1, 2, 3]);
}

#[test]
fn routers_between_stacks_swallow_a_byte() {
    let shown = shown("bidelta-swallow", &STATES, 0..32);
    shown.opens_and_ends();
    assert!(
        shown.delays(0)[2] > 0,
        "the wire between the stacks is long"
    );
    let hop = &shown.hops[3];
    let swallowed = hop.entered("SWALLOW")[0];
    assert_eq!(hop.entered("FORWARD"), [swallowed + 1]);
    // The first byte comes no further.
    let output = hop.signal(&format!("o{}_forward", hop.output));
    assert_eq!(shown.run.at(&output, swallowed), RN1_REST);
    assert_ne!(shown.run.at(&output, swallowed + 1), RN1_REST);
}

#[test]
fn the_status_tells_where_a_message_was_blocked() {
    let shown = shown("bidelta-blocked", &STATES, 0..36);
    let run = &shown.run;
    let id = (0..2).find(|&id| run.message(id).attempts > 1);
    let id = id.expect("choose another seed");
    let message = run.message(id);
    let launched = message.sent_cycle;
    assert_eq!(run.message(1 - id).sent_cycle, launched);
    assert_eq!(run.message(1 - id).attempts, 1);

    let path = shown.path(message.source, launched);
    let states: Vec<&str> = path.iter().map(|hop| hop.states[0].0.as_str()).collect();
    assert_eq!(
        states,
        ["FORWARD", "FORWARD", "BLOCKED"],
        "choose another seed"
    );
    // Twice the direction; the other message has the output of the same crossbar.
    assert_eq!(path[2].output, 6);
    let other = shown.path(run.message(1 - id).source, launched);
    assert_eq!(other[2].router, path[2].router);
    assert_eq!(other[2].output / 2, 3);

    let sent = shown.sent(message.destination);
    let over = launched + sent.len() as u64;
    let [_, backward] = shown.wires(message.source, launched);
    let expected = answers(&path, &[0; 3], &sent, &[0; 3]);
    assert_eq!(shown.words(&backward, over + 1, 6), expected);
    assert_eq!(
        rotated(expected[4] as u8, 2),
        status(true, false, 6) as u8,
        "the status says blocked"
    );
    assert_eq!(run.at(&backward, over + 7), RN1_REST);

    let node = format!("node_{}", message.source);
    let blocked = over + 2 * 2 + 4;
    assert_eq!(run.high(&format!("{node}.tx_blocked"))[0], blocked);
    assert_eq!(run.at(&format!("{node}.tx_stage"), blocked), 2);
    assert_eq!(run.high(&format!("{node}.tx_launch"))[1], blocked + 1);
    let attempts = u64::from(message.attempts) - 1;
    assert_eq!(
        run.outcome.rejections.of("by_stage").iter().sum::<u64>(),
        attempts
    );
    assert!(run.outcome.rejections.of("by_stage")[2] > 0);
    // The routers in front are free again, one after the other from the far end.
    assert_eq!(path[2].freed(), over + 2 + 2);
    for stage in 0..2 {
        let answered = 2 * (2 - stage);
        assert_eq!(path[stage as usize].freed(), over + stage + 3 + answered);
    }
}

/// A turn over a wire of `extra` clocks.
fn turn(name: &str, extra: u64) {
    let rows = [&STATES[..], &["**.t?_*", "**.r?_*ward"]].concat();
    let shown = shown(name, &rows, 0..24 + 2 * extra);
    let over = shown.opens();
    let run = &shown.run;
    let message = run.message(0);
    let [forward, backward] = shown.wires(0, message.sent_cycle);
    assert_eq!(run.at(&forward, over), RN1_TURN);
    // The first router has 2 (k + 1) clocks to fill, and the last one four, as it loops back.
    let [first, last] = [0, 1].map(|stage| &shown.hops[stage]);
    assert_eq!(shown.answer_clocks(0), 2 * (extra + 1) + 4);
    let turned = first.entered("TO_REVERSE")[0];
    assert_eq!(turned, over + 1);
    assert_eq!(first.entered("REVERSE"), [turned + 2 * extra + 1]);
    assert_eq!(last.entered("TO_REVERSE"), [turned + 1 + extra]);
    assert_eq!(last.entered("REVERSE"), [turned + 1 + extra + 3]);
    // The reply follows without a gap; the sender has seen it a clock later.
    let replied = over + shown.answer_clocks(0) + 1;
    let bytes = counting(!signature(15), 2).map(|byte| data(byte.rotate_right(2)));
    let reply: Vec<u64> = bytes.chain([RN1_DROP]).collect();
    assert_eq!(shown.words(&backward, replied, 3), reply);
    assert_eq!(run.outcome.connections[0].reply_cycle, replied + 1);
    assert_eq!(message.acknowledged_cycle, replied + 3);
}

#[test]
fn a_turn_without_extra_clocks() {
    turn("bidelta-turn-0", 0);
}

#[test]
fn a_turn_over_a_wire_of_one_extra_clock() {
    turn("bidelta-turn-1", 1);
}

#[test]
fn a_turn_over_a_wire_of_three_extra_clocks() {
    turn("bidelta-turn-3", 3);
}

#[test]
fn both_outputs_of_a_direction_carry_a_message_at_once() {
    let rows = [
        "**.rn1_0_?.i?_state",
        "**.rn1_0_?.i?_output",
        "**.rn1_0_?.o6_forward",
        "**.rn1_0_?.o7_forward",
    ];
    let shown = shown("bidelta-both-outputs", &rows, 0..18);
    let [first, second] = [0, 1].map(|id| {
        let message = shown.run.message(id);
        assert_eq!(message.attempts, 1);
        shown.path(message.source, message.sent_cycle)[0]
    });
    assert_eq!(first.router, second.router, "choose another seed");
    assert_eq!(first.states, second.states, "at the same time");
    let mut outputs = [first.output, second.output];
    outputs.sort_unstable();
    assert_eq!(outputs, [6, 7]);
    assert_eq!(shown.run.at(&first.signal("two_crossbars"), 1), 0);
    assert_eq!(shown.run.outcome.rejections.total(), 0);
}

#[test]
fn two_messages_reach_one_node_at_once() {
    let rows = [
        "**.r?_state",
        "**.rn1_1_?.i?_state",
        "**.rn1_1_?.i?_output",
        "**.r?_forward",
    ];
    let shown = shown("bidelta-two-crossbars", &rows, 0..20);
    let run = &shown.run;
    let last: Vec<&Hop> = (0..3)
        .map(|id| {
            let message = run.message(id);
            assert_eq!(message.attempts, 1, "choose another seed");
            shown.path(message.source, message.sent_cycle)[1]
        })
        .collect();
    assert_ne!(last[0].router, last[1].router);
    let shared = last[..2].iter().any(|hop| hop.router == last[2].router);
    assert!(shared, "the third one passes one of these routers");
    for hop in &last {
        assert_eq!(run.at(&hop.signal("two_crossbars"), 1), 1);
        // Inputs 0 to 3 reach the even outputs.
        assert_eq!(hop.output % 2, u64::from(hop.input >= 4), "{hop:?}");
        assert_eq!(hop.output / 2, 3);
        assert_eq!(hop.states, last[0].states, "at the same time");
    }
    let receiving = |side: u32| run.cycles_in(&format!("node_15.r{side}_state"), "RECEIVE");
    assert_eq!(receiving(0), receiving(1));
    assert_eq!(receiving(0).len(), 4);
    for side in 0..2 {
        assert_eq!(run.high(&format!("node_15.rx{side}_done")).len(), 1);
    }
}

#[test]
fn a_connection_is_turned_twice() {
    let rows = [&STATES[..], &["**.t?_*ward", "**.r?_*ward"]].concat();
    let shown = shown("bidelta-two-turns", &rows, 0..44);
    let over = shown.opens();
    let run = &shown.run;
    let [forward, backward] = shown.wires(0, run.message(0).sent_cycle);
    let [first, last] = [0, 1].map(|stage| &shown.hops[stage]);
    let (delays, sum) = (shown.delays(0), shown.answer_clocks(0));
    assert_eq!(delays, [1, 1]);

    // The reply, its turn, and in the clock after it the second request.
    let replied = over + sum + 1;
    assert_eq!(run.at(&backward, replied + 2), RN1_TURN);
    let request: Vec<u8> = counting(signature(15), 2).collect();
    let words: Vec<u64> = request.iter().map(|&byte| data(byte)).collect();
    assert_eq!(shown.words(&forward, replied + 3, 2), words);
    let over = replied + 5;
    assert_eq!(run.at(&forward, over), RN1_REST);
    let hops: Vec<&Hop> = shown.hops.iter().collect();
    let expected = answers(&hops, &delays, &request, &[0; 2]);
    assert_eq!(shown.words(&backward, over + 1, expected.len()), expected);
    assert_eq!(run.message(0).acknowledged_cycle, over + sum + 2);

    // Behind the second turn the router at the destination answers first, as often as
    // the wire at its input asks for, and the one at the source once.
    let side = last.router.strip_prefix("rn1_1_").expect("stage 1");
    let side = side.parse::<u32>().expect("a number") & 1;
    let ways = ["forward", "backward"].map(|way| format!("node_15.r{side}_{way}"));
    let turned = last.entered("TO_FORWARD")[0] - 2;
    assert_eq!(run.at(&ways[1], turned), RN1_TURN);
    let reply: Vec<u8> = counting(!signature(15), 2).collect();
    let near = data(reply.iter().fold(0, |sum, &byte| checksum(sum, byte)));
    let far = reply.iter().map(|byte| byte.rotate_right(2));
    let far = far.fold(0, checksum).rotate_left(2);
    let status = |hop: &Hop, first: bool| status(first, true, hop.output as u8);
    let expected = [
        status(last, true),
        near,
        status(last, false),
        near,
        u64::from((status(first, true) as u8).rotate_left(2)),
        data(far),
    ];
    // There and back over the loop.
    assert_eq!(shown.words(&ways[0], turned + 3, 6), expected);
}

#[test]
fn a_drop_frees_what_an_end_frees() {
    let rows = [&STATES[..], &["**.t?_*ward", "**.r?_*ward"]].concat();
    let [drop, end] = ["bidelta-close-drop", "bidelta-close-end"].map(|name| {
        let shown = shown(name, &rows, 0..28);
        shown.opens();
        shown
    });
    // Reversed, the last router is freed first, and words take one clock more than
    // stages on the wire between them.
    let closed = drop.run.message(0).acknowledged_cycle - 1;
    for (shown, word) in [(&drop, RN1_DROP), (&end, RN1_REST)] {
        let [_, backward] = shown.wires(0, shown.run.message(0).sent_cycle);
        assert_eq!(shown.run.at(&backward, closed), word);
        assert_ne!(shown.run.at(&backward, closed - 1), RN1_REST);
        assert_eq!(shown.hops[0].freed(), closed);
        assert_eq!(shown.hops[1].freed(), closed - 2);
    }
    assert_eq!(drop.run.outcome.messages, end.run.outcome.messages);
    assert_eq!(drop.hops, end.hops);

    // A source that closes is answered when it ends, and not when it drops.
    let acknowledged = |close: &str| {
        let settings = [
            "interface.turns=2".to_owned(),
            format!("interface.close={close}"),
        ];
        let config = config(
            "bidelta-close-drop",
            &settings.each_ref().map(String::as_str),
        );
        let (outcome, _) = record(&config, &["**.node_0".to_owned()], (0, 0));
        outcome.messages[0].acknowledged_cycle
    };
    let answered = drop.answer_clocks(0) + 2;
    assert_eq!(acknowledged("end"), acknowledged("drop") + answered);
}
