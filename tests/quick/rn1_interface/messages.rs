//! Messages from one interface of RN1 to another through a row of model routers: when
//! the host is told what, against what hdl/rn1_interface.md says.

use crosswave_chips::LinkWord;
use crosswave_chips::rn1_interface::Rn1Interface;
use crosswave_chips::rn1_protocol::{RN1_STRATEGY_BACKOFF, RN1_STRATEGY_RANDOM};

use super::loops::{self, ROUTE, chain, get, rotation, row, set};

use crate::support::chips::{Row, Unit};
use crate::support::rn1::Chain;

/// Clocks of a run.
const CLOCKS: usize = 400;

/// One message: the sender has node 1, the destination node 0x2_3456.
#[derive(Debug, Clone)]
struct Message {
    /// The wires between the routers.
    wires: Vec<loops::Wire>,
    /// Extra clocks of the wire to the destination.
    last: u8,
    swallows: u64,
    blocks: Option<usize>,
    turns: u64,
    words: u64,
    reply_words: u64,
    reply_delay: u64,
    close_drop: bool,
    strategy: u64,
}

/// The place at which a word is changed: on the wires between the sender and its router, or between
/// the last router and the destination.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wire {
    FromSender,
    ToSender,
    ToDestination,
    FromDestination,
}

/// The outputs of both ends in each clock. The request is offered from clock 0 on.
struct Seen {
    sender: Vec<Row>,
    destination: Vec<Row>,
}

impl Seen {
    /// The clocks of a pulse at the sender, or at the destination.
    fn clocks(&self, name: &str) -> Vec<usize> {
        let rows = match name.starts_with("tx") {
            true => &self.sender,
            false => &self.destination,
        };
        let clocks = rows.iter().enumerate();
        let on = clocks.filter(|(_, row)| get(row, name) != 0);
        on.map(|(clock, _)| clock).collect()
    }
}

impl Message {
    /// Over wires of so many extra clocks that rotate by two bits each.
    fn new(delays: &[u8], turns: u64) -> Message {
        Message {
            wires: delays.iter().map(|&delay| (delay, 1)).collect(),
            last: 0,
            swallows: 0,
            blocks: None,
            turns,
            words: 5,
            reply_words: 3,
            reply_delay: 2,
            close_drop: false,
            strategy: 0,
        }
    }

    fn stages(&self) -> usize {
        self.wires.len() + 1
    }

    fn route_bytes(&self) -> usize {
        1 + self.swallows.count_ones() as usize
    }

    fn run(&self, change: Option<(Wire, usize, LinkWord)>) -> Seen {
        let mut path: Chain = chain(&self.wires, self.last, self.swallows, self.blocks);
        let mut units = [Unit::<Rn1Interface>::new(), Unit::new()];
        let mut inputs: Vec<Row> = [1, 0x2_3456]
            .map(|node| {
                row(&[
                    ("node", node),
                    ("strategy", self.strategy),
                    ("backoff_limit", 3),
                    ("tx_enable", 1),
                    ("rx_delay", u64::from(self.last)),
                    ("rotation", rotation(&self.wires) as u64),
                    ("tx_stages", self.stages() as u64),
                    ("tx_swallows", self.swallows),
                    ("turns", self.turns),
                    ("reply_words", self.reply_words - 1),
                    ("reply_delay", self.reply_delay),
                    ("close_drop", u64::from(self.close_drop)),
                    ("tx_destination", 0x2_3456),
                    ("tx_words", self.words - 1),
                    ("tx_route", ROUTE * 0x0101_0101),
                    ("tx_route_bytes", self.route_bytes() as u64 - 1),
                ])
            })
            .into();
        set(&mut inputs[0], "tx_request", 1);
        let mut seen = Seen {
            sender: Vec::new(),
            destination: Vec::new(),
        };
        for clock in 0..CLOCKS {
            let altered = |wire, word| match change {
                Some((at, when, flips)) if at == wire && when == clock => word ^ flips,
                _ => word,
            };
            let shown = [units[0].shown(), units[1].shown()];
            if get(&shown[0], "tx_done") != 0 {
                set(&mut inputs[0], "tx_request", 0);
            }
            set(&mut inputs[0], "random_wait", clock as u64);
            let (back, on) = path.step(
                altered(Wire::FromSender, units[0].driven[0]),
                altered(Wire::FromDestination, units[1].driven[2]),
            );
            let back = altered(Wire::ToSender, back);
            let on = altered(Wire::ToDestination, on);
            set(&mut inputs[0], "t0_backward", u64::from(back));
            set(&mut inputs[1], "r0_forward", u64::from(on));
            units[0].step(&inputs[0]);
            units[1].step(&inputs[1]);
            let [sender, destination] = shown;
            seen.sender.push(sender);
            seen.destination.push(destination);
        }
        seen
    }

    /// Clocks from a word at the sender to the same at the destination.
    fn path_clocks(&self) -> usize {
        let wires = self.wires.iter().map(|&(clocks, _)| usize::from(clocks));
        wires.sum::<usize>() + usize::from(self.last) + self.stages()
    }

    /// Clocks of the answers of the first `stages` routers.
    fn answer_clocks(&self, stages: usize) -> usize {
        let behind = |stage: usize| {
            self.wires
                .get(stage)
                .map_or(self.last, |&(clocks, _)| clocks)
        };
        (0..stages)
            .map(|stage| 2 * (usize::from(behind(stage)) + 1))
            .sum()
    }

    /// The clock in which the sender's first turn, or its end, is on its wire.
    fn turned(&self) -> usize {
        1 + self.route_bytes() + self.words as usize
    }

    /// The clock of `tx_done`.
    fn done(&self) -> usize {
        let answers = self.answer_clocks(self.stages());
        // From a turn on a wire to the first word that follows its answers.
        let mut clock = self.turned();
        for turn in 1..=self.turns {
            clock += answers + 1;
            match turn % 2 {
                // The reply, and the turn or what closes behind it.
                1 => clock += (self.reply_delay + self.reply_words) as usize,
                // The answers on the way to the destination take as long; the sender
                // sends at once.
                _ => clock = clock - answers + self.words as usize,
            }
        }
        match self.turns % 2 {
            1 => clock + 1,
            0 if self.turns > 0 && self.close_drop => clock,
            _ => clock + answers + 2,
        }
    }
}

/// Paths of one to five routers, with and without long wires.
fn paths() -> Vec<Vec<u8>> {
    let mut all = vec![vec![]];
    for delay in [0, 1, 3] {
        all.extend((1..5).map(|wires| vec![delay; wires]));
    }
    all.push(vec![3, 0, 1, 3]);
    all
}

/// Whatever the wires rotate by, every status and every checksum is understood: four wires of
/// any rotations, short and long ones, with a swallow on the way.
#[test]
fn rotations_are_told_by_the_statuses() {
    for case in 0..256 {
        for delays in [[0; 4], [1, 0, 2, 1]] {
            for turns in [0, 1, 2, 3] {
                let mut message = Message::new(&delays, turns);
                message.last = case as u8 % 3;
                message.swallows = 0b100;
                for (at, (_, steps)) in message.wires.iter_mut().enumerate() {
                    *steps = case >> (2 * at) & 3;
                }
                let seen = message.run(None);
                assert_eq!(seen.clocks("tx_done"), [message.done()], "{message:?}");
                assert!(seen.clocks("tx_error").is_empty(), "{message:?}");
                assert_eq!(seen.clocks("rx0_done").len(), 1, "{message:?}");
            }
        }
    }
}

/// Bytes swallowed by none, and by each set of routers with up to three.
fn swallow_sets(stages: usize) -> Vec<u64> {
    let all = (0..1 << stages).filter(|set: &u64| set & 1 == 0 && set.count_ones() <= 3);
    all.collect()
}

#[test]
fn a_message_is_delivered_and_every_answer_accepted() {
    for delays in paths() {
        for swallows in swallow_sets(delays.len() + 1) {
            for turns in 0..=5 {
                for close_drop in [false, true] {
                    let message = Message {
                        swallows,
                        close_drop,
                        ..Message::new(&delays, turns)
                    };
                    let seen = message.run(None);
                    let arrives = message.path_clocks() + 1;
                    let expected: [(&str, Option<usize>); 9] = [
                        ("tx_launch", Some(1)),
                        ("tx_blocked", None),
                        ("tx_done", Some(message.done())),
                        ("tx_error", None),
                        ("rx0_open", Some(message.route_bytes() + arrives)),
                        ("rx0_done", Some(message.turned() + arrives)),
                        ("rx0_error", None),
                        ("rx1_open", None),
                        ("tx_reply", {
                            let answers = message.answer_clocks(message.stages());
                            let first = message.turned() + answers + 1;
                            (turns > 0).then_some(first + message.reply_delay as usize + 1)
                        }),
                    ];
                    for (name, clock) in expected {
                        let found = seen.clocks(name);
                        let clock: Vec<usize> = clock.into_iter().collect();
                        assert_eq!(found, clock, "{name} of {message:?}");
                    }
                    let last = seen.sender.last().expect("a clock");
                    assert_eq!(get(last, "tx_stage"), message.stages() as u64);
                    for (rows, state) in
                        [(&seen.sender, "tx_state"), (&seen.destination, "r0_state")]
                    {
                        assert_eq!(get(rows.last().expect("a clock"), state), 0, "{message:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_blocked_message_is_told_where_and_tried_again() {
    for delays in paths() {
        for blocks in 0..=delays.len() {
            for turns in [0, 1, 2] {
                let message = Message {
                    blocks: Some(blocks),
                    ..Message::new(&delays, turns)
                };
                let seen = message.run(None);
                // Behind the status and checksum of the router that is blocked comes a rest.
                let answers = message.answer_clocks(blocks) + 2;
                let attempt = message.turned() + answers + 2;
                let attempts = CLOCKS.div_ceil(attempt);
                let blocked: Vec<usize> = (1..=attempts).map(|at| at * attempt).collect();
                let found = seen.clocks("tx_blocked");
                assert!(found.len() + 1 >= attempts && !found.is_empty());
                assert_eq!(found, blocked[..found.len()], "{message:?}");
                let launched = seen.clocks("tx_launch");
                for (launch, clock) in launched[1..].iter().zip(&found) {
                    assert_eq!(*launch, clock + 1);
                }
                for &clock in &found {
                    assert_eq!(get(&seen.sender[clock], "tx_stage"), blocks as u64);
                }
                assert!(seen.clocks("tx_done").is_empty());
                assert!(seen.clocks("rx0_open").is_empty());
            }
        }
    }
}

#[test]
fn retries_wait_as_long_as_was_drawn() {
    for strategy in [RN1_STRATEGY_RANDOM, RN1_STRATEGY_BACKOFF] {
        let message = Message {
            blocks: Some(0),
            strategy,
            ..Message::new(&[0], 1)
        };
        let seen = message.run(None);
        let blocked = seen.clocks("tx_blocked");
        let launched = seen.clocks("tx_launch");
        assert!(blocked.len() > 5);
        for (attempt, (clock, launch)) in blocked.iter().zip(&launched[1..]).enumerate() {
            // The limit is 3, and the pin held the number of the clock.
            let exponent = match strategy {
                RN1_STRATEGY_RANDOM => 3,
                _ => (attempt + 1).min(3),
            };
            assert_eq!(launch - clock - 1, clock & ((1 << exponent) - 1));
        }
    }
}

#[test]
fn a_changed_word_is_noticed() {
    let message = Message {
        swallows: 0b100,
        ..Message::new(&[1, 0], 1)
    };
    let first_byte = 1 + message.route_bytes();
    let answers = message.turned() + 1;
    let reply = answers + message.answer_clocks(3) + message.reply_delay as usize;
    let arrives = message.path_clocks();
    let replies = message.turned() + arrives + 1 + message.reply_delay as usize;
    for bit in 0..8 {
        let flips = 1 << bit;
        // A payload byte on its way: both notice it, or the destination alone.
        for at in 0..message.words as usize {
            let seen = message.run(Some((Wire::FromSender, first_byte + at, flips)));
            assert_eq!(seen.clocks("tx_error"), [message.done()]);
            assert_eq!(seen.clocks("rx0_error"), [message.turned() + arrives + 1]);
            let clock = first_byte + at + arrives;
            let seen = message.run(Some((Wire::ToDestination, clock, flips)));
            assert!(seen.clocks("tx_error").is_empty());
            assert_eq!(seen.clocks("rx0_error"), [message.turned() + arrives + 1]);
            assert!(seen.clocks("rx0_done").is_empty());
        }
        // The answers come in these clocks: status and checksum of the first router,
        // twice, of the second and of the third one.
        for at in [1, 3, 5, 7] {
            let seen = message.run(Some((Wire::ToSender, answers + at, flips)));
            assert_eq!(seen.clocks("tx_error"), [message.done()], "checksum {at}");
        }
        // A byte of the reply, at either end of its way.
        for at in 0..message.reply_words as usize {
            for (wire, clock) in [
                (Wire::ToSender, reply + at),
                (Wire::FromDestination, replies + at),
            ] {
                let seen = message.run(Some((wire, clock, flips)));
                assert_eq!(seen.clocks("tx_error"), [message.done()], "{wire:?} {at}");
                assert!(seen.clocks("rx0_error").is_empty());
            }
        }
    }
    // A repeated status that is none, a router too many, a reply that is too short or too long.
    for (wire, clock, flips) in [
        (Wire::ToSender, answers + 2, 0x08),
        (Wire::ToSender, answers + 2, 0x20),
        (Wire::FromDestination, replies + 2, 0x100),
        (Wire::FromDestination, replies - 1, 0x100),
    ] {
        let seen = message.run(Some((wire, clock, flips)));
        assert!(
            !seen.clocks("tx_error").is_empty(),
            "{wire:?} {clock} {flips:x}"
        );
    }
    // A router whose first status is not known has not said that it is connected.
    let seen = message.run(Some((Wire::ToSender, answers, 0x20)));
    assert_eq!(seen.clocks("tx_blocked").len(), 1);
}

#[test]
fn the_enabled_port_is_used_and_of_two_the_one_that_is_drawn() {
    for (enable, drawn, ports) in [
        (0, 0, [false, false]),
        (1, 1, [true, false]),
        (2, 0, [false, true]),
        (3, 0, [true, false]),
        (3, 1, [false, true]),
    ] {
        let mut unit = Unit::<Rn1Interface>::new();
        let inputs = row(&[
            ("tx_enable", enable),
            ("random_port", drawn),
            ("tx_stages", 1),
            ("tx_request", 1),
        ]);
        unit.step(&inputs);
        assert_eq!(
            [0, 1].map(|port| unit.driven[port] != 0),
            ports,
            "{enable} {drawn}"
        );
        assert_eq!(get(&unit.shown(), "tx_launch"), u64::from(enable != 0));
    }
}
