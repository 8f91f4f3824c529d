//! Pictures and records of messages that are made by hand.

use std::io;
use std::path::Path;

use smallvec::smallvec;

use super::behind::behind;
use super::blocked::{BlockedBy, WantedOutput, blocked_by};
use super::events::RouterNames;
use super::fold::{TracePart, fold};
use super::ladder;
use super::record::{
    AttemptRecord, Breakdown, Collision, EndOfAttempt, HopRecord, LifeSink, Lost, MessageLife,
    NO_OUTPUT, PacketNumber, Rival,
};
use super::slowest::{OutputHold, Slowest};
use super::story::Story;
use super::transactions::{self, Attribute, Transaction, TransactionKind, TransactionSink};
use crosswave_network::Fabric;
use crosswave_probe::message::{MessageRecord, NEVER};
use crosswave_run::config::Config;

fn fabric() -> Fabric {
    let text = "[network]\nkind='fat-tree'\nnodes=16\n[traffic]\npattern='random'\n";
    let config = Config::parse(text, "test", Path::new("."), &[]);
    let config = config.unwrap_or_else(|error| panic!("{error}"));
    config.topology().fabric()
}

fn hop(router: u32, output: u8, [arrived, left, freed]: [u64; 3]) -> HopRecord {
    HopRecord {
        router,
        input: 0,
        output,
        vc: 0,
        arrived_cycle: arrived,
        left_cycle: left,
        freed_cycle: freed,
    }
}

/// An attempt of message 7 from node 3 to node 9, of which nothing is known but its launch.
fn attempt(attempt: u32, launched_cycle: u64) -> AttemptRecord {
    AttemptRecord {
        id: 7,
        attempt,
        packet: None,
        source: 3,
        destination: 9,
        launched_cycle,
        hops: smallvec![],
        reached_cycle: NEVER,
        collision: None,
        end: EndOfAttempt::UnderWay,
        end_cycle: NEVER,
    }
}

fn life(
    [offered, sent, delivered, acknowledged]: [u64; 4],
    breakdown: Option<Breakdown>,
) -> MessageLife {
    MessageLife {
        id: 7,
        message: MessageRecord {
            attempts: 2,
            offered_cycle: offered,
            sent_cycle: sent,
            delivered_cycle: delivered,
            acknowledged_cycle: acknowledged,
            ..MessageRecord::new(3, 9, 5)
        },
        connection: None,
        breakdown,
    }
}

/// Message 7, offered in cycle 100 and rejected once.
fn story() -> Story {
    let collision = Collision {
        cycle: 110,
        wanted: smallvec![2],
        rivals: smallvec![Rival {
            id: 4,
            attempt: 1,
            packet: None,
            input: 1,
            output: 2,
            since_cycle: 90,
            freed_cycle: NEVER,
        }],
    };
    let first = AttemptRecord {
        hops: smallvec![
            hop(0, 1, [105, 107, 113]),
            hop(1, NO_OUTPUT, [108, NEVER, 112])
        ],
        collision: Some(collision),
        end: EndOfAttempt::Rejected,
        end_cycle: 114,
        ..attempt(1, 104)
    };
    let second = AttemptRecord {
        hops: smallvec![hop(0, 1, [123, 125, 133]), hop(2, 1, [126, 128, 131])],
        reached_cycle: 130,
        end: EndOfAttempt::Acknowledged,
        end_cycle: 146,
        ..attempt(2, 122)
    };
    let breakdown = Breakdown {
        source: 4,
        blocked: 10,
        backoff: 8,
        header: 8,
        body: 1,
        answer: 15,
    };
    Story {
        attempts: vec![first, second],
        life: Some(life([100, 104, 131, 146], Some(breakdown))),
        ..Story::of(7)
    }
}

/// The places that elements of a class have: points of lines, or left edge, top and height of boxes.
fn places<'s>(svg: &'s str, class: &str) -> Vec<&'s str> {
    let begins = format!(" class=\"{class}\" ");
    let elements = svg.split('<').filter(|element| element.contains(&begins));
    elements
        .map(|element| {
            let (_, rest) = element.split_once(&begins).expect("the class");
            rest.split_once('>').expect("an end").0
        })
        .collect()
}

/// The picture of a story, without its legend.
fn drawn(story: &Story) -> String {
    with_legend(story).0
}

/// The picture of a story, and its legend.
fn with_legend(story: &Story) -> (String, String) {
    let fabric = fabric();
    let svg = ladder::draw(story, false, &mut RouterNames::new(&fabric));
    let parts = svg.split_once("<g class=\"legend\">");
    let (picture, legend) = parts.expect("a legend");
    (picture.to_owned(), legend.to_owned())
}

/// The legend explains the boxes and lines that are in the picture, and no others.
#[test]
fn a_legend_has_what_is_drawn() {
    let (_, legend) = with_legend(&story());
    for (meaning, is_there) in [
        ("a router rejects the attempt", true),
        ("cycles are left out here", true),
        ("acknowledgement", true),
        ("several rejected attempts", false),
        ("a router loses the packet", false),
    ] {
        assert_eq!(legend.contains(meaning), is_there, "{meaning}: {legend}");
    }
}

fn boxed(left: f64, top: f64, height: f64) -> String {
    format!("x=\"{left:.1}\" y=\"{top:.1}\" width=\"12\" height=\"{height:.1}\" rx=\"2\"")
}

/// Columns stand 118 pixels apart from 150 on, and a cycle takes 9 pixels from 92 on: cycle 100 + n is
/// at 92 + 9 n, up to 133. The 13 cycles from there to 146 are cut to 8, with a gap in their middle; the
/// 8 from 114 to 122 are not.
#[test]
fn a_ladder_has_every_event_in_its_place() {
    let svg = drawn(&story());
    assert_eq!(
        places(&svg, "head"),
        [
            "points=\"150.0,128.0 268.0,137.0 268.0,155.0 386.0,164.0\"",
            "points=\"150.0,290.0 268.0,299.0 268.0,317.0 386.0,326.0 386.0,344.0 504.0,362.0\"",
        ]
    );
    // From the collision in 110, back over the first router in 113 to the source in 114.
    assert_eq!(
        places(&svg, "no"),
        ["points=\"386.0,182.0 268.0,209.0 150.0,218.0\""]
    );
    // Delivered in 131, over routers in 131 and 133, told in 146.
    assert_eq!(
        places(&svg, "ok"),
        ["points=\"504.0,371.0 386.0,371.0 268.0,389.0 150.0,461.0\""]
    );
    let gap = places(&svg, "g");
    assert!(gap.len() == 1 && gap[0].contains(",425.0 "), "{gap:?}");
    // At the source: waits 100 to 104, attempts 104 to 114 and 122 to 146.
    assert_eq!(
        places(&svg, "wait"),
        [
            boxed(144.0, 92.0, 36.0),
            boxed(144.0, 128.0, 90.0),
            boxed(144.0, 290.0, 171.0)
        ]
    );
    assert_eq!(places(&svg, "back"), [boxed(144.0, 218.0, 72.0)]);
    assert_eq!(places(&svg, "body"), [boxed(498.0, 362.0, 9.0)]);
    assert_eq!(
        places(&svg, "held"),
        [
            boxed(262.0, 137.0, 72.0),
            boxed(262.0, 299.0, 90.0),
            boxed(380.0, 326.0, 45.0)
        ]
    );
    assert_eq!(places(&svg, "lost"), [boxed(380.0, 164.0, 36.0)]);
    for text in [
        "message 7, node 3 to node 9<",
        ">46 cycles: source 4, blocked 10, backoff 8, header 8, body 1, answer 15<",
        ">offered 100<",
        ">1: launched 104<",
        ">rejected 114<",
        ">2: launched 122<",
        ">acknowledged 146<",
        ">delivered 131<",
        ": input ",
        " held by message 4<",
    ] {
        assert!(svg.contains(text), "{text} in {svg}");
    }
}

/// With an early acknowledgement the answer passes no router that becomes free behind it; parts of 0
/// cycles are not told.
#[test]
fn an_early_answer_comes_before_the_delivery() {
    let breakdown = Breakdown {
        source: 0,
        header: 4,
        body: 3,
        ..Breakdown::default()
    };
    let early = |delivered, freed, end_cycle| Story {
        attempts: vec![AttemptRecord {
            hops: smallvec![hop(0, 1, [11, 13, freed])],
            reached_cycle: 14,
            end: EndOfAttempt::Acknowledged,
            end_cycle,
            ..attempt(1, 10)
        }],
        life: Some(life([10, 10, delivered, end_cycle], Some(breakdown))),
        ..Story::of(7)
    };
    let svg = drawn(&early(24, 23, 17));
    assert_eq!(places(&svg, "ok"), ["points=\"150.0,155.0\""]);
    assert!(svg.contains(">7 cycles: header 4, body 3<"), "{svg}");
    // Delivered, and the router free, in the very cycle in which the sender is told.
    let svg = drawn(&early(17, 17, 17));
    assert_eq!(
        places(&svg, "ok"),
        ["points=\"386.0,155.0 268.0,155.0 150.0,155.0\""]
    );
}

/// A latency is divided at the cycles that are known; the body ends with whatever comes first.
#[test]
fn parts_of_a_latency_end_where_the_next_ones_begin() {
    let lost = Lost {
        blocked: 10,
        backoff: 8,
        told_cycle: 114,
    };
    let of = |reached_cycle, delivered, told| {
        let last = AttemptRecord {
            reached_cycle,
            ..attempt(2, 122)
        };
        let message = life([100, 104, delivered, told], None).message;
        let breakdown = lost.breakdown(&message, &last);
        breakdown.map(|breakdown| {
            assert_eq!(breakdown.total(), told - 100);
            breakdown.parts().map(|(_, cycles)| cycles)
        })
    };
    assert_eq!(of(130, 131, 146), Some([4, 10, 8, 8, 1, 15]));
    // The head may come with the last word, and the answer before it.
    assert_eq!(of(131, 131, 146), Some([4, 10, 8, 9, 0, 15]));
    assert_eq!(of(130, 150, 146), Some([4, 10, 8, 8, 16, 0]));
    assert_eq!(of(130, NEVER, 146), Some([4, 10, 8, 8, 16, 0]));
    // A head that came later than what it leads is another one.
    assert_eq!(of(132, 131, 146), None);
    assert_eq!(of(NEVER, 131, 146), None);
}

/// Attempts and messages in the order in which they came.
#[derive(Debug, Default)]
struct InOrder(Vec<(u32, bool)>);

impl LifeSink for &mut InOrder {
    fn attempt(&mut self, attempt: &AttemptRecord) -> io::Result<()> {
        self.0.push((attempt.id, false));
        Ok(())
    }

    fn message(&mut self, life: &MessageLife) -> io::Result<()> {
        self.0.push((life.id, true));
        Ok(())
    }
}

/// On their way to another thread records stay in order, where a message comes after the last attempt
/// of a hand-over as well.
#[test]
fn records_stay_in_order() {
    let records: Vec<(u32, bool)> = (0..1500)
        .flat_map(|id| {
            [(id, false), (id, true)]
                .into_iter()
                .take(1 + id as usize % 2)
        })
        .collect();
    let mut found = InOrder::default();
    let (given, taken) = behind(&mut found, |mut sink| -> io::Result<()> {
        for &(id, is_message) in &records {
            match is_message {
                true => sink.message(&MessageLife {
                    id,
                    ..life([0, 1, 2, 3], None)
                })?,
                false => sink.attempt(&AttemptRecord {
                    id,
                    ..attempt(1, 0)
                })?,
            }
        }
        Ok(())
    });
    given.and(taken).expect("nothing fails");
    assert_eq!(found.0, records);
}

/// Transactions: kind, first and last cycle, and attributes as texts.
#[derive(Debug, Default)]
struct Transactions(Vec<(TransactionKind, [u64; 2], String)>);

impl TransactionSink for Transactions {
    fn transaction(&mut self, transaction: &Transaction<'_>) -> io::Result<()> {
        let attributes = transaction.attributes.iter();
        let attributes = attributes.map(|(name, value)| match value {
            Attribute::Number(number) => format!("{name} {number}"),
            Attribute::Name(text) => format!("{name} {text}"),
        });
        let attributes: Vec<String> = attributes.collect();
        let cycles = [transaction.from_cycle, transaction.to_cycle];
        assert_eq!(transaction.node, 3);
        self.0
            .push((transaction.kind, cycles, attributes.join(", ")));
        Ok(())
    }
}

/// Transactions that a run leaves under way end with the last cycle that is known of the attempt.
#[test]
fn transactions_that_have_not_ended_end_with_what_is_known() {
    let fabric = fabric();
    let mut names = RouterNames::new(&fabric);
    let [a, b] = [0, 2].map(|router| names.router(router).to_owned());
    let (input, output) = (names.port(0, 0).unwrap(), names.port(0, 1).unwrap());
    let mut cycles = |attempt: &AttemptRecord| {
        let mut found = Transactions::default();
        transactions::of_attempt(&mut names, attempt, &mut found).expect("memory");
        found.0
    };
    let under_way = |hops: &[[u64; 3]], reached_cycle| AttemptRecord {
        hops: hops.iter().map(|&cycles| hop(0, 1, cycles)).collect(),
        reached_cycle,
        ..attempt(1, 10)
    };
    let ends = |found: Vec<(TransactionKind, [u64; 2], String)>| -> Vec<[u64; 2]> {
        found.into_iter().map(|(_, cycles, _)| cycles).collect()
    };
    assert_eq!(ends(cycles(&under_way(&[], NEVER))), [[10, 10]]);
    let arrived = under_way(&[[12, NEVER, NEVER]], NEVER);
    assert_eq!(ends(cycles(&arrived)), [[10, 12], [12, 12]]);
    let left = under_way(&[[12, 15, NEVER]], NEVER);
    assert_eq!(ends(cycles(&left)), [[10, 15], [12, 15]]);
    let reached = under_way(&[[12, 15, NEVER]], 17);
    assert_eq!(ends(cycles(&reached)), [[10, 17], [12, 17]]);
    // A router that is free again is no longer held.
    let freed = under_way(&[[12, 15, 16], [18, NEVER, NEVER]], NEVER);
    assert_eq!(ends(cycles(&freed)), [[10, 18], [12, 16], [18, 18]]);
    // Everything is known of an attempt that has ended.
    let which = "message 7, attempt 2";
    let ports = format!("input {input}, output {output}, {which}");
    let ended = story().attempts.pop().expect("two attempts");
    assert_eq!(
        cycles(&ended),
        [
            (
                TransactionKind::Attempt,
                [122, 146],
                format!("{which}, destination 9, routers 2, end acknowledged")
            ),
            (
                TransactionKind::Hop(1),
                [123, 133],
                format!("router {a}, {ports}")
            ),
            (
                TransactionKind::Hop(2),
                [126, 131],
                format!("router {b}, {ports}")
            ),
        ]
    );
}

/// An attempt that a router rejects, since rivals, given by message and output, are in its outputs.
fn rejected(number: u32, router: u32, wanted: &[u8], rivals: &[(u32, u8)]) -> AttemptRecord {
    let launched = 10 * u64::from(number);
    let rival = |&(id, output): &(u32, u8)| Rival {
        id,
        attempt: 1,
        packet: None,
        input: 1,
        output,
        since_cycle: 1,
        freed_cycle: NEVER,
    };
    AttemptRecord {
        hops: smallvec![hop(router, NO_OUTPUT, [launched + 1, NEVER, launched + 4])],
        collision: Some(Collision {
            cycle: launched + 2,
            wanted: wanted.into(),
            rivals: rivals.iter().map(rival).collect(),
        }),
        end: EndOfAttempt::Rejected,
        end_cycle: launched + 5,
        ..attempt(number, launched)
    }
}

/// An attempt that its receiver refuses.
fn refused(number: u32) -> AttemptRecord {
    AttemptRecord {
        collision: None,
        hops: smallvec![],
        ..rejected(number, 0, &[], &[])
    }
}

/// Attempts that were rejected at three routers and by the receiver, and one that came through.
fn repeated() -> Vec<AttemptRecord> {
    let mut attempts = vec![
        rejected(1, 0, &[2], &[(4, 2)]),
        rejected(2, 0, &[2], &[(4, 2)]),
        rejected(3, 0, &[2], &[(5, 2)]),
        rejected(4, 1, &[2, 3], &[(6, 2), (8, 3)]),
        rejected(5, 2, &[1], &[]),
        rejected(6, 2, &[1], &[]),
        refused(7),
        refused(8),
        attempt(9, 90),
    ];
    let awaited = attempts[2].collision.as_mut().expect("a collision");
    awaited.rivals[0].freed_cycle = 20;
    attempts
}

/// The parts of a fold: numbers of attempts, and what is told of folded ones.
fn told(attempts: &[AttemptRecord], most: usize) -> Vec<String> {
    let fabric = fabric();
    let mut names = RouterNames::new(&fabric);
    let parts = fold(attempts, |parts| parts.len() <= most);
    let told = parts.iter().map(|part| match part {
        TracePart::Whole(attempt) => attempt.attempt.to_string(),
        TracePart::Folded(folded) => format!(
            "{}, {}, by {}: {}; {} to {}",
            folded.numbers(),
            folded.times(),
            folded.places(&mut names),
            folded.causes(&names),
            folded.from_cycle(),
            folded.to_cycle()
        ),
    });
    told.collect()
}

#[test]
fn attempts_are_folded_as_far_as_need_be() {
    let attempts = repeated();
    let fabric = fabric();
    let mut names = RouterNames::new(&fabric);
    let [first, second, third] = [0, 1, 2].map(|router| names.router(router).to_owned());
    let [c, d] = [2, 3].map(|port| names.port(0, port).expect("a port"));
    let numbers: Vec<String> = (1..=9).map(|number: u32| number.to_string()).collect();
    assert_eq!(told(&attempts, 9), numbers);
    // Those of one router and one kind of cause; single ones stay whole.
    assert_eq!(
        told(&attempts, 8),
        [
            "1",
            "2",
            "3",
            "4",
            &format!("5 to 6, twice, by {third}: the output it wants is off; 50 to 65"),
            "7 to 8, twice, by node 9: its receiver refuses; 70 to 85",
            "9"
        ]
    );
    // Neighbours, as few as need be.
    assert_eq!(
        told(&attempts, 5),
        [
            "1".to_owned(),
            format!(
                "2 to 4, 3 times, by {first} (2) and {second}: twice outputs {c}, {d} held by \
                 messages 4, 6 and 8; once output {c} waiting for the answers to message 5; \
                 20 to 45"
            ),
            format!("5 to 6, twice, by {third}: the output it wants is off; 50 to 65"),
            "7 to 8, twice, by node 9: its receiver refuses; 70 to 85".to_owned(),
            "9".to_owned(),
        ]
    );
    // The first and the last one are never folded.
    let all = told(&attempts, 1);
    assert_eq!((all.len(), &*all[0], &*all[2]), (3, "1", "9"));
    assert!(all[1].starts_with("2 to 8, 7 times, by "), "{}", all[1]);
    assert_eq!(told(&attempts[..1], 0), ["1"]);
    assert_eq!(told(&[], 0), Vec::<String>::new());
}

#[test]
fn blockers_are_counted_by_output() {
    let of = |at: Option<(u32, u8)>, message, attempts, cycles| BlockedBy {
        at: at.map(|(router, output)| WantedOutput { router, output }),
        message,
        attempts,
        cycles,
    };
    assert_eq!(
        blocked_by(&repeated()),
        [
            of(None, None, 2, 10),
            of(Some((0, 2)), Some(4), 2, 10),
            of(Some((2, 1)), None, 2, 10),
            of(Some((0, 2)), Some(5), 1, 5),
            of(Some((1, 2)), Some(6), 1, 5),
            of(Some((1, 3)), Some(8), 1, 5),
        ]
    );
}

#[test]
fn the_slowest_messages_are_kept_with_their_blockers() {
    let mut slowest = Slowest::new(2);
    let mut sink = &mut slowest;
    let life_of = |id: u32, told: u64| MessageLife {
        id,
        ..life([0, 1, 2, told], None)
    };
    for attempt in &repeated() {
        sink.attempt(attempt).expect("memory");
    }
    let holder = |number: u32, cycles: [u64; 3]| AttemptRecord {
        id: 20 + number,
        hops: smallvec![hop(0, 2, cycles)],
        ..attempt(number, 0)
    };
    for (number, cycles) in [
        (1, [0, 1, 9]),
        (2, [9, 10, 40]),
        (3, [40, 41, 45]),
        (4, [45, 50, 60]),
        (5, [60, 61, NEVER]),
    ] {
        sink.attempt(&holder(number, cycles)).expect("memory");
    }
    for id in 100..300 {
        sink.message(&life_of(id, u64::from(id % 7) + 3))
            .expect("memory");
    }
    sink.message(&life_of(7, 50)).expect("memory");
    assert_eq!(slowest.messages(), 201);
    assert_eq!(slowest.refused(), 2);
    let found = slowest.slowest();
    let ids: Vec<u32> = found.iter().map(|slow| slow.life.id).collect();
    assert_eq!(ids, [7, 104]);
    assert_eq!(found[0].blocked_by, blocked_by(&repeated()));
    assert_eq!(found[1].blocked_by, []);
    // A hold that has not ended lasts to the end of the run, in cycle 75 or 64.
    let longest = |last_cycle| -> Vec<(u32, u64)> {
        let outputs = slowest.outputs(1, last_cycle);
        assert_eq!(outputs.len(), 1);
        let at = (outputs[0].at.router, outputs[0].at.output);
        assert_eq!(
            (at, outputs[0].attempts, outputs[0].cycles),
            ((0, 2), 3, 15)
        );
        let holds = outputs[0].longest.iter();
        holds
            .map(|hold: &OutputHold| (hold.message, hold.cycles(last_cycle)))
            .collect()
    };
    assert_eq!(longest(75), [(22, 30), (25, 15), (24, 10)]);
    assert_eq!(longest(64), [(22, 30), (24, 10), (21, 8)]);
}

/// The picture of two packets, one of which is lost: no answers, the route named once, and who was in
/// front of the one that is lost.
#[test]
fn packets_are_drawn_without_answers() {
    let packet = |number| {
        Some(PacketNumber {
            number,
            router_cycles: 1,
            is_copy: false,
        })
    };
    let fabric = fabric();
    let through = AttemptRecord {
        packet: packet(1),
        hops: smallvec![hop(0, 2, [10, 14, 15]), hop(8, 3, [14, 15, 16])],
        reached_cycle: 15,
        end: EndOfAttempt::Delivered,
        end_cycle: 16,
        ..attempt(1, 10)
    };
    let lost = AttemptRecord {
        packet: packet(2),
        hops: smallvec![hop(0, NO_OUTPUT, [11, NEVER, 12])],
        collision: Some(Collision {
            cycle: 12,
            wanted: smallvec![2],
            rivals: smallvec![Rival {
                id: 7,
                attempt: 1,
                packet: Some(1),
                input: 0,
                output: 2,
                since_cycle: 11,
                freed_cycle: NEVER,
            }],
        }),
        end: EndOfAttempt::Lost,
        end_cycle: 12,
        ..attempt(1, 11)
    };
    assert_eq!(through.waited_cycles(&through.hops[0]), Some(3));
    assert_eq!(through.waited_cycles(&through.hops[1]), Some(0));
    assert_eq!(lost.waited_cycles(&lost.hops[0]), None);
    let story = Story {
        id: 7,
        attempts: vec![through, lost],
        life: None,
    };
    let picture = ladder::draw(&story, false, &mut RouterNames::new(&fabric));
    for text in [
        "1: launched 10",
        "2: launched 11",
        "loses the packet",
        "c: message 7",
    ] {
        assert!(picture.contains(text), "{text}: {picture}");
    }
    for class in ["class=\"ok\"", "class=\"no\"", "class=\"wait\""] {
        assert!(!picture.contains(class), "{class}: {picture}");
    }
    assert_eq!(
        picture.matches("a → c").count(),
        2,
        "a title and a label: {picture}"
    );
}
