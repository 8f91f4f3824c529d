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
fn driven(plane: u32, bit: usize) -> u64 {
    random::word(u64::from(plane) + 1, bit as u64)
}

/// The steps by which the bytes of a plane are turned.
fn turned(plane: u32) -> u8 {
    (plane % 4) as u8
}

/// Carries out a program and compares what arrives, lane by lane.
fn check(wanted: &[Wanted], found: &Found, bits: usize) {
    let planes: Vec<Vec<u64>> = found
        .planes
        .iter()
        .map(|&plane| {
            let words = (0..bits).flat_map(|bit| [driven(plane, bit), 0, 0]);
            words.collect()
        })
        .collect();
    let mut arrived = Vec::new();
    let plane = |number: usize| (&planes[number][..], 3);
    let program: Shuffle = found.shuffle.to_string().parse().expect("a program");
    assert_eq!(program, found.shuffle);
    let mut values = vec![[0; BITS_MAX]; usize::from(program.slots)];
    program.run(bits, &mut values, plane, |link, word, value| {
        arrived.push(((link, word), value[..bits].to_vec()));
    });
    assert_eq!(arrived.len(), wanted.len());
    for wanted in wanted {
        let (_, value) = arrived
            .iter()
            .find(|(at, _)| *at == (wanted.link, wanted.word))
            .expect("it arrives");
        for (bit, &word) in value.iter().enumerate() {
            for (at, lane) in wanted.lanes.iter().enumerate() {
                let expected = lane.map_or(0, |Lane { plane, lane }| {
                    driven(plane, bit_before(bit, turned(plane))) >> lane & 1
                });
                assert_eq!(word >> at & 1, expected, "bit {bit} lane {at}");
            }
        }
    }
}

/// Ports and words of which `bits` bits of (lane, word, port), those of the lane lowest, come from
/// as many bits of (lane, plane) in some order, some of them turned over; every `open`th lane is not
/// driven.
fn permuted(order: &[usize], over: usize, words: usize, open: usize) -> Vec<Wanted> {
    let from = |at: usize| {
        let moved = order.iter().enumerate();
        moved.fold(over, |all, (to, bit)| all ^ (at >> bit & 1) << to)
    };
    let values = 1 << (order.len() - 6);
    let lane = |at: usize| {
        (open == 0 || !at.is_multiple_of(open)).then(|| Lane {
            plane: (from(at) >> 6) as u32,
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
const WITHOUT_MAX: usize = 20;

#[test]
fn permuted_bits_are_put_together_from_few_steps() {
    let mut draw = Draw(0);
    let mut without = 0;
    for round in 0..200 {
        let bits = 6 + draw.below(6);
        let words = 1 << draw.below(bits - 5).min(3);
        let order = draw.order(bits);
        let wanted = permuted(&order, draw.below(1 << bits), words, 0);
        match search(&wanted, turned) {
            Some(found) => check(&wanted, &found, [9, 11, 16][round % 3]),
            None => without += 1,
        }
    }
    // These would take more steps than there are lanes to gather.
    assert!(without <= WITHOUT_MAX, "{without} without a shuffle");
}

#[test]
fn lanes_that_nobody_drives_are_zero() {
    let mut draw = Draw(1000);
    for open in [2, 3, 5, 64, 100] {
        let wanted = permuted(&draw.order(9), draw.below(512), 2, open);
        if let Some(found) = search(&wanted, turned) {
            check(&wanted, &found, 9);
        }
    }
    let nothing = [Wanted {
        link: 3,
        word: 1,
        lanes: [None; 64],
    }];
    let found = search(&nothing, turned).expect("zeros");
    assert_eq!(found.shuffle.to_string(), "link 3 word 1 = v0\n");
}

/// What lines behind a stage of routers are sent that are numbered port by port, a quarter of them:
/// of the bits of a lane, two are alike everywhere and two alike in a word.
#[test]
fn a_quarter_of_the_lanes_of_many_ports_is_put_together() {
    let lane = |word: usize, at: usize| Lane {
        plane: (at & 15 | word >> 2 << 4) as u32,
        lane: (at >> 4 << 2 | (word & 3) << 4 | 2) as u8,
    };
    let wanted: Vec<Wanted> = (0..8)
        .map(|word| Wanted {
            link: 1,
            word: word as u8,
            lanes: std::array::from_fn(|at| Some(lane(word, at))),
        })
        .collect();
    let found = search(&wanted, turned).expect("a shuffle");
    assert_eq!(found.shuffle.counts(), [32, 56, 8]);
    check(&wanted, &found, 9);
}

/// Three bits of eight ports and of the lanes change places: three joins a port.
#[test]
fn an_exchange_of_three_bits_takes_three_joins_a_port() {
    let wanted = permuted(&[6, 7, 8, 3, 4, 5, 0, 1, 2], 0, 1, 0);
    let found = search(&wanted, turned).expect("a shuffle");
    assert_eq!(found.shuffle.counts(), [8, 24, 8]);
    assert_eq!(found.shuffle.links, 0xff);
}

#[test]
fn an_exchange_of_a_bit_reads_like_this() {
    let wanted = permuted(&[0, 1, 2, 3, 4, 6, 5], 0, 1, 0);
    let found = search(&wanted, turned).expect("a shuffle");
    let text = "\
        v1 = plane 0 >> 0\n\
        v2 = plane 1 >> 1\n\
        v3 = v1 & 00000000ffffffff | v2 <<< 32\n\
        v1 = v2 & ffffffff00000000 | v1 <<< 32\n\
        link 0 word 0 = v3\n\
        link 1 word 0 = v1\n";
    assert_eq!(found.shuffle.to_string(), text);
    check(&wanted, &found, 9);
}

/// A port whose lanes have no order is left out, with all of its words.
#[test]
fn ports_without_order_have_no_shuffle() {
    let mut draw = Draw(2000);
    let mut wanted = permuted(&[6, 7, 8, 3, 4, 5, 0, 1, 2], 0, 2, 0);
    let from = draw.order(64);
    wanted[1].lanes = std::array::from_fn(|at| {
        Some(Lane {
            plane: 0,
            lane: from[at] as u8,
        })
    });
    let found = search(&wanted, turned).expect("a shuffle of the others");
    assert_eq!(found.shuffle.links, 0b1110);
    check(&wanted[2..], &found, 9);
    assert_eq!(search(&wanted[1..2], turned), None);
}

#[test]
fn what_is_no_move_is_not_read() {
    for line in [
        "v1 = plane x >> 0",
        "v2 = plane 0 >> 0",
        "v1 = v2",
        "v0 = v1 & 0 | v2 <<< 0",
        "v256 = v1 & 0 | v2 <<< 0",
        "link 300 word 0 = v1",
    ] {
        assert_eq!(line.parse::<Shuffle>(), Err(NoMove(line.to_owned())));
    }
}
