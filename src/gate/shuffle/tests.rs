//! Programs against the lanes that were asked for, one at a time.

use super::*;
use crate::random;

/// Random numbers in a row.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: usize) -> usize {
        self.0 += 1;
        (random::word(7, self.0) % end as u64) as usize
    }

    fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for at in (1..count).rev() {
            order.swap(at, self.below(at + 1));
        }
        order
    }
}

/// Words of a plane that differ in all bits.
fn driven(plane: Plane, bit: usize) -> u64 {
    let plane = u64::from(plane.port) << 3 | u64::from(plane.word);
    random::word(plane + 1, bit as u64)
}

/// The planes of a number, in ports of `words` words.
fn plane(number: usize, words: u8) -> Plane {
    Plane {
        port: number as u32 / u32::from(words),
        word: number as u8 % words,
    }
}

/// How ports of so many words are loaded.
fn loaded(words: u8) -> impl Fn(u32) -> Load {
    move |port| Load {
        words,
        turned: (port % 4) as u8,
    }
}

/// Words between two planes of a port in `check`.
const STRIDE: usize = 9;

/// The neighbours' ports, and what has arrived at ports, bit by bit.
struct Wires {
    planes: Vec<Vec<u64>>,
    arrived: Vec<(u8, Vec<Vec<u64>>)>,
    bits: usize,
}

impl<const W: usize> Ports<W> for Wires {
    fn load(&self, port: usize) -> (&[u64], usize) {
        (&self.planes[port], STRIDE)
    }

    fn store(&mut self, link: u8, arriving: Arriving<'_, W>) {
        let bits = (0..self.bits).map(|bit| arriving.bit(bit).to_vec());
        self.arrived.push((link, bits.collect()));
    }
}

/// Carries out a program and compares what arrives, lane by lane. The words of ports are loaded by
/// `load`, `words` are stored.
fn check(
    wanted: &[Wanted],
    found: &Found,
    bits: usize,
    (load, words): (&dyn Fn(u32) -> Load, usize),
) {
    let planes = found.ports.iter().map(|&port| {
        let mut planes = vec![0; STRIDE * bits];
        for (bit, word) in (0..bits).flat_map(|bit| (0..load(port).words).map(move |w| (bit, w))) {
            planes[STRIDE * bit + usize::from(word)] = driven(Plane { port, word }, bit);
        }
        planes
    });
    let mut wires = Wires {
        planes: planes.collect(),
        arrived: Vec::new(),
        bits,
    };
    let program: Shuffle = found.shuffle.to_string().parse().expect("a program");
    assert_eq!(program, found.shuffle);
    // Slots hold what other groups have left there.
    let mut values = [[0xdead_beef; BITS_MAX]; SLOTS_MAX];
    values[0] = [0; BITS_MAX];
    match words {
        1 => program.run::<1>(bits, &mut values, &mut wires),
        2 => program.run::<2>(bits, &mut values, &mut wires),
        4 => program.run::<4>(bits, &mut values, &mut wires),
        _ => program.run::<8>(bits, &mut values, &mut wires),
    }
    assert_eq!(values[0], [0; BITS_MAX]);
    assert_eq!(words * wires.arrived.len(), wanted.len());
    for wanted in wanted {
        let mut arrived = wires.arrived.iter();
        let (_, arrived) = arrived
            .find(|(link, _)| *link == wanted.link)
            .expect("it arrives");
        for (bit, words) in arrived.iter().enumerate() {
            for (at, lane) in wanted.lanes.iter().enumerate() {
                let expected = lane.map_or(0, |Lane { plane, lane }| {
                    let turned = load(plane.port).turned;
                    driven(plane, bit_before(bit, turned)) >> lane & 1
                });
                let word = words[usize::from(wanted.word)];
                assert_eq!(word >> at & 1, expected, "bit {bit} lane {at}");
            }
        }
    }
}

/// Ports and words of which `bits` bits of (lane, word, port), those of the lane lowest, come from
/// as many bits of (lane, plane) in some order, some of them turned over; every `open`th lane is not
/// driven. Neighbours' ports have `far` words.
fn permuted(order: &[usize], over: usize, (words, far): (usize, u8), open: usize) -> Vec<Wanted> {
    let from = |at: usize| {
        let moved = order.iter().enumerate();
        moved.fold(over, |all, (to, bit)| all ^ (at >> bit & 1) << to)
    };
    let values = 1 << (order.len() - 6);
    let lane = |at: usize| {
        (open == 0 || !at.is_multiple_of(open)).then(|| Lane {
            plane: plane(from(at) >> 6, far),
            lane: (from(at) & 63) as u8,
        })
    };
    (0..values)
        .map(|value| Wanted {
            link: (value / words) as u8,
            word: (value % words) as u8,
            lanes: std::array::from_fn(|at| lane(value << 6 | at)),
        })
        .collect()
}

/// Of 200 random orders of bits, those for which no shuffle is found.
const WITHOUT: usize = 20;

#[test]
fn permuted_bits_are_put_together_from_few_moves() {
    let mut draw = Draw(0);
    let mut without = 0;
    for round in 0..200 {
        let bits = 6 + draw.below(6);
        let words = 1 << draw.below(bits - 5).min(3);
        let order = draw.order(bits);
        let (over, far) = (draw.below(1 << bits), [1, 2, 4, 8][round % 4]);
        let load = loaded(far);
        let wanted = permuted(&order, over, (words, far), 0);
        match search(&wanted, &load) {
            Some(found) => check(&wanted, &found, [9, 11, 16][round % 3], (&load, words)),
            None => without += 1,
        }
    }
    // These would take more moves than lanes take to gather.
    assert_eq!(without, WITHOUT);
}

#[test]
fn lanes_that_nobody_drives_are_zero() {
    let mut draw = Draw(1000);
    let mut found_of = Vec::new();
    for open in [2, 3, 5, 64, 100] {
        let wanted = permuted(&draw.order(9), draw.below(512), (2, 2), open);
        if let Some(found) = search(&wanted, loaded(2)) {
            found_of.push(open);
            check(&wanted, &found, 9, (&loaded(2), 2));
        }
    }
    // Too many moves where partners do not want each other's halves.
    assert_eq!(found_of, [2, 100]);
    let nothing = [Wanted {
        link: 3,
        word: 0,
        lanes: [None; 64],
    }];
    let found = search(&nothing, loaded(8)).expect("zeros");
    assert_eq!(found.shuffle.to_string(), "link 3 = v0\n");
}

/// What lines behind a stage of routers are sent that are numbered port by port, a quarter of them:
/// of the bits of a lane, two are alike everywhere and two alike in a word.
#[test]
fn a_quarter_of_the_lanes_of_many_ports_is_put_together() {
    let lane = |word: usize, at: usize| Lane {
        plane: plane(at & 15 | word >> 2 << 4, 8),
        lane: (at >> 4 << 2 | (word & 3) << 4 | 2) as u8,
    };
    let wanted: Vec<Wanted> = (0..8)
        .map(|word| Wanted {
            link: 1,
            word: word as u8,
            lanes: std::array::from_fn(|at| Some(lane(word, at))),
        })
        .collect();
    let found = search(&wanted, loaded(8)).expect("a shuffle");
    assert_eq!(found.shuffle.counts(), [32, 56, 8]);
    check(&wanted, &found, 9, (&loaded(8), 8));
}

/// Three bits of eight ports and of the lanes change places: three joins a port.
#[test]
fn an_exchange_of_three_bits_takes_three_joins_a_port() {
    let wanted = permuted(&[6, 7, 8, 3, 4, 5, 0, 1, 2], 0, (1, 8), 0);
    let found = search(&wanted, loaded(8)).expect("a shuffle");
    assert_eq!(found.shuffle.counts(), [8, 24, 8]);
    assert_eq!(found.shuffle.links, 0xff);
}

#[test]
fn an_exchange_of_a_bit_reads_like_this() {
    let wanted = permuted(&[0, 1, 2, 3, 4, 6, 5], 0, (1, 1), 0);
    let found = search(&wanted, loaded(1)).expect("a shuffle");
    let text = "\
        v1..v1 = port 0 >> 0\n\
        v2..v2 = port 1 >> 1\n\
        v3 = v1 & 00000000ffffffff | v2 <<< 32\n\
        v1 = v2 & ffffffff00000000 | v1 <<< 32\n\
        link 0 = v3\n\
        link 1 = v1\n";
    assert_eq!(found.shuffle.to_string(), text);
    check(&wanted, &found, 9, (&loaded(1), 1));
}

/// Words of a port that nobody wants are loaded, and give their slots away.
#[test]
fn joins_use_the_slots_of_words_that_are_not_wanted() {
    let mut wanted = permuted(&[0, 1, 2, 3, 4, 6, 5], 0, (1, 1), 0);
    wanted.truncate(1);
    for lane in wanted[0].lanes.iter_mut().flatten() {
        lane.plane.word = 1;
    }
    let found = search(&wanted, loaded(2)).expect("a shuffle");
    let text = "\
        v1..v2 = port 0 >> 0\n\
        v3..v4 = port 1 >> 1\n\
        v4 = v2 & 00000000ffffffff | v4 <<< 32\n\
        link 0 = v4\n";
    assert_eq!(found.shuffle.to_string(), text);
    check(&wanted, &found, 9, (&loaded(2), 1));
}

/// A port whose lanes have no order is left out, with all of its words.
#[test]
fn ports_without_order_have_no_shuffle() {
    let mut draw = Draw(2000);
    let mut wanted = permuted(&[6, 7, 8, 3, 4, 5, 0, 1, 2], 0, (2, 1), 0);
    let from = draw.order(64);
    wanted[1].lanes = std::array::from_fn(|at| {
        Some(Lane {
            plane: plane(0, 1),
            lane: from[at] as u8,
        })
    });
    let found = search(&wanted, loaded(1)).expect("a shuffle of the others");
    assert_eq!(found.shuffle.links, 0b1110);
    check(&wanted[2..], &found, 9, (&loaded(1), 2));
    wanted[1].word = 0;
    assert_eq!(search(&wanted[1..2], loaded(1)), None);
}

#[test]
fn what_is_no_move_is_not_read() {
    for line in [
        "v1..v8 = port x >> 0",
        "v1..v8 = port 1 >> 0",
        "v1..v8 = port 0 >> 4",
        "v1..v3 = port 0 >> 0",
        "v2..v9 = port 0 >> 0",
        "v1..v256 = port 0 >> 0",
        "v1..v0 = port 0 >> 0",
        "v1 = port 0 >> 0",
        "v1 = v0 & 0 | v0 <<< 64",
        "v0 = v0 & 0 | v0 <<< 0",
        "v1 = v0 & 0 | v1 <<< 0",
        "v256 = v0 & 0 | v0 <<< 0",
        "link 0 = v1",
        "link 32 = v0",
        "link 0 = v0 v0 v0 v0 v0 v0 v0 v0 v0",
        "v1 = v0",
    ] {
        assert_eq!(line.parse::<Shuffle>(), Err(NoMove(line.to_owned())));
    }
    let kinds = [
        "v1..v1 = port 0 >> 0",
        "v1 = v1 & 0 | v0 <<< 1",
        "link 0 = v1",
    ];
    assert!(kinds.join("\n").parse::<Shuffle>().is_ok());
    for (first, second) in [(1, 2), (0, 1)] {
        let mut moves = kinds;
        moves.swap(first, second);
        assert!(moves.join("\n").parse::<Shuffle>().is_err());
    }
}
