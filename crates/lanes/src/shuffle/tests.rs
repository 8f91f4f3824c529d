//! Programs against the lanes that were asked for, one at a time.

use super::*;
use crate::native::Isa;
use crosswave_base::random;

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

/// Neighbours' ports in some regions, and how windows are loaded of them.
#[derive(Clone, Copy)]
struct Neighbours {
    words: usize,
    bits: usize,
    regions: u32,
    /// Words from one plane to the next.
    stride: u16,
}

impl Neighbours {
    fn new(words: usize, bits: usize, regions: u32) -> Neighbours {
        Neighbours {
            words,
            bits,
            regions,
            stride: words as u16 + 1,
        }
    }

    fn load(self, window: u32) -> PortLoad {
        let planes = window / self.regions * self.bits as u32;
        PortLoad {
            region: (window % self.regions) as u8,
            base: 3 + planes * u32::from(self.stride),
            stride: self.stride,
            turned: (window % 4) as u8,
        }
    }

    /// Words of a region that differ in all bits.
    fn region(self, region: u8, windows: u32) -> Vec<u64> {
        let planes = (windows / self.regions + 1) as usize * self.bits;
        let words = 3 + planes * usize::from(self.stride) + WORDS_MAX;
        (0..words as u64)
            .map(|at| random::word(u64::from(region) + 1, at))
            .collect()
    }
}

/// Words that arrive at each link and bit, by the plain evaluator.
fn evaluated<const W: usize>(
    program: &Shuffle,
    bits: usize,
    regions: &[Vec<u64>],
) -> Vec<(u8, usize, Vec<u64>)> {
    // Values hold what other groups have left there.
    let mut values = vec![[0xdead_beef; W]; program.values()];
    let mut arrived = Vec::new();
    for bit in 0..bits {
        program.run::<W>(
            bit,
            &mut values,
            |region| &regions[usize::from(region)],
            |link, value| arrived.push((link, bit, value.to_vec())),
        );
    }
    arrived
}

/// Carries out a program, plainly and by the code of each instruction set, and compares what arrives,
/// lane by lane.
fn check(wanted: &[PortRequest], found: &FoundShuffle, neighbours: Neighbours) {
    let Neighbours { words, bits, .. } = neighbours;
    let shuffle = found.shuffle(|window| neighbours.load(window));
    let program: Shuffle = shuffle.to_string().parse().expect("a program");
    assert_eq!(program, shuffle);
    let lanes = wanted.iter().flat_map(|wanted| &wanted.lanes);
    let windows = lanes.flatten().map(|lane| lane.window).max();
    let region = |region: u32| neighbours.region(region as u8, windows.unwrap_or(0));
    let regions: Vec<Vec<u64>> = (0..neighbours.regions).map(region).collect();
    let arrived = match words {
        1 => evaluated::<1>(&program, bits, &regions),
        2 => evaluated::<2>(&program, bits, &regions),
        4 => evaluated::<4>(&program, bits, &regions),
        _ => evaluated::<8>(&program, bits, &regions),
    };
    assert_eq!(arrived.len(), wanted.len() * bits);
    for (link, bit, value) in &arrived {
        let wanted = wanted.iter().find(|wanted| wanted.link == *link);
        let lanes = &wanted.expect("it is wanted").lanes;
        for (at, lane) in lanes.iter().enumerate() {
            let expected = lane.map_or(0, |Lane { window, lane }| {
                let load = neighbours.load(window);
                let lane = usize::from(lane);
                regions[usize::from(load.region)][load.at(*bit) + lane / LANES] >> (lane % LANES)
                    & 1
            });
            assert_eq!(value[at / LANES] >> (at % LANES) & 1, expected, "lane {at}");
        }
    }
    let target = |link: u8, bit: usize| usize::from(link) * (bits + 1) + bit;
    let inputs = |link| {
        (0..bits)
            .map(|bit| (bit, target(link, bit) as u32))
            .collect()
    };
    let inputs: Vec<Vec<(usize, u32)>> = (0..32).map(inputs).collect();
    for isa in Isa::ALL.into_iter().filter(|isa| isa.is_available()) {
        let code = ShuffleCode::new(&program, &inputs, isa, false).expect("code");
        let mut arrivals = vec![0xdead_beef; 32 * (bits + 1) * words];
        let mut scratch = vec![0; code.scratch_words()];
        code.run(
            |region| &regions[usize::from(region)],
            &mut arrivals,
            &mut scratch,
        );
        for (link, bit, value) in &arrived {
            let at = target(*link, *bit) * words;
            assert_eq!(arrivals[at..][..words], value[..], "{isa:?}, {program}");
        }
        let written = arrivals.iter().filter(|word| **word != 0xdead_beef);
        assert!(written.count() <= wanted.len() * bits * words);
    }
}

/// Ports of vectors of `words` words of which `bits` bits of (lane, port), those of the lane lowest,
/// come from as many bits of (lane, window) in some order, some of them turned over; every `open`th
/// lane is not driven.
fn permuted(order: &[usize], over: usize, words: usize, open: usize) -> Vec<PortRequest> {
    let lanes = LANES * words;
    let from = |at: usize| {
        let moved = order.iter().enumerate();
        moved.fold(over, |all, (to, bit)| all ^ (at >> bit & 1) << to)
    };
    let lane = |at: usize| {
        (open == 0 || !at.is_multiple_of(open)).then(|| Lane {
            window: (from(at) / lanes) as u32,
            lane: (from(at) % lanes) as u16,
        })
    };
    (0..(1 << order.len()) / lanes)
        .map(|port| PortRequest {
            link: port as u8,
            lanes: (0..lanes).map(|at| lane(port * lanes + at)).collect(),
        })
        .collect()
}

#[test]
fn permuted_bits_are_put_together_from_few_moves() {
    let mut draw = Draw(0);
    for round in 0..200 {
        let words: usize = [1, 2, 4, 8][round % 4];
        let bits = 6 + words.ilog2() as usize + draw.below(5);
        let order = draw.order(bits);
        let wanted = permuted(&order, draw.below(1 << bits), words, 0);
        let found = search(&wanted).expect("a shuffle");
        assert_eq!(found.links.count_ones() as usize, wanted.len());
        let neighbours = Neighbours::new(words, [9, 11, 16][round % 3], 1 + round as u32 % 5);
        check(&wanted, &found, neighbours);
    }
}

/// Links that read more regions than a piece of code can become several pieces.
#[test]
fn many_regions_are_read_by_several_pieces() {
    let mut draw = Draw(3000);
    for regions in [REGIONS_MAX as u32 + 1, 16] {
        let bits: Vec<usize> = (0..9).chain([10, 9, 12, 11]).collect();
        let mut wanted = permuted(&bits, 0, 8, 0);
        let two = [0, 9, 2, 3, 4, 5, 6, 7, 8, 1, 10, 11, 12];
        wanted.extend(
            permuted(&two, draw.below(512), 8, 0)
                .into_iter()
                .map(|mut port| {
                    port.link += 16;
                    port
                }),
        );
        let found = search(&wanted).expect("a shuffle");
        assert_eq!(found.links, u32::MAX);
        check(&wanted, &found, Neighbours::new(8, 9, regions));
    }
}

/// A link that reads more regions than a piece of code can is evaluated plainly.
#[test]
fn too_many_regions_have_no_code() {
    let wanted = permuted(&[9, 10, 11, 12, 4, 5, 6, 7, 8, 0, 1, 2, 3], 0, 8, 0);
    let found = search(&wanted).expect("a shuffle");
    let neighbours = Neighbours::new(8, 9, 16);
    let shuffle = found.shuffle(|window| neighbours.load(window));
    let inputs = vec![vec![(0, 0)]; 16];
    assert!(ShuffleCode::new(&shuffle, &inputs, Isa::Avx512, true).is_none());
}

#[test]
fn lanes_that_nobody_drives_are_zero() {
    let mut draw = Draw(1000);
    let mut found_of = Vec::new();
    for open in [2, 3, 5, 64, 100] {
        let wanted = permuted(&draw.order(9), draw.below(512), 2, open);
        if let Some(found) = search(&wanted) {
            found_of.push(open);
            let mut wanted = wanted;
            wanted.retain(|wanted| found.links >> wanted.link & 1 != 0);
            check(&wanted, &found, Neighbours::new(2, 9, 2));
        }
    }
    assert_eq!(found_of, [2, 3, 5, 64, 100]);
    let nothing = [PortRequest {
        link: 3,
        lanes: vec![None; 512],
    }];
    let found = search(&nothing).expect("zeros");
    let neighbours = Neighbours::new(8, 9, 1);
    let program = found.shuffle(|window| neighbours.load(window));
    assert_eq!(program.to_string(), "8 words\nlink 3 = v0\n");
    check(&nothing, &found, neighbours);
}

/// Lines after a stage of routers that are numbered port by port, a quarter of them: among the bits
/// of a lane, two are alike everywhere and two alike in a word.
#[test]
fn a_quarter_of_the_lanes_of_many_ports_is_put_together() {
    let lane = |at: usize| {
        let (word, at) = (at / LANES, at % LANES);
        Some(Lane {
            window: ((at & 15 | word >> 2 << 4) / 8) as u32,
            lane: (at % 8 * LANES + (at >> 4 << 2 | (word & 3) << 4 | 2)) as u16,
        })
    };
    let wanted = [PortRequest {
        link: 1,
        lanes: (0..512).map(lane).collect(),
    }];
    let found = search(&wanted).expect("a shuffle");
    check(&wanted, &found, Neighbours::new(8, 9, 2));
}

/// Three bits of eight ports and of the lanes change places: three joins a port.
#[test]
fn an_exchange_of_three_bits_takes_three_joins_a_port() {
    for (words, order) in [
        (1, &[6, 7, 8, 3, 4, 5, 0, 1, 2][..]),
        (8, &[0, 1, 2, 3, 4, 9, 10, 11, 8, 5, 6, 7][..]),
    ] {
        let wanted = permuted(order, 0, words, 0);
        let found = search(&wanted).expect("a shuffle");
        let neighbours = Neighbours::new(words, 9, 1);
        let shuffle = found.shuffle(|window| neighbours.load(window));
        assert_eq!(shuffle.counts(), [8, 24, 8]);
        assert_eq!(found.links, 0xff);
        check(&wanted, &found, neighbours);
    }
}

/// Each word exchanges three bits of its own with those of eight ports, and comes from another word: three
/// joins a port, and one that puts words in order.
#[test]
fn words_exchange_bits_of_their_own() {
    let mut draw = Draw(4000);
    for words in [2, 4, 8] {
        for round in 0..20 {
            let bits: Vec<Vec<usize>> = (0..words).map(|_| draw.order(6)).collect();
            let from = match round % 2 {
                0 => (0..words).collect(),
                _ => draw.order(words),
            };
            let lane = |port: usize, at: usize| {
                let (word, mut lane, mut window) = (at / LANES, at % LANES, 0);
                for (of_port, &bit) in bits[word][..3].iter().enumerate() {
                    window |= (lane >> bit & 1) << of_port;
                    lane = lane & !(1 << bit) | (port >> of_port & 1) << bit;
                }
                Some(Lane {
                    window: window as u32,
                    lane: (from[word] * LANES + lane) as u16,
                })
            };
            let port = |port: usize| PortRequest {
                link: port as u8,
                lanes: (0..words * LANES).map(|at| lane(port, at)).collect(),
            };
            let wanted: Vec<PortRequest> = (0..8).map(port).collect();
            let found = search(&wanted).expect("a shuffle");
            let neighbours = Neighbours::new(words, 9, 1 + round as u32 % 3);
            let shuffle = found.shuffle(|window| neighbours.load(window));
            let ordered = 8 * usize::from(!from.is_sorted());
            assert_eq!(shuffle.counts(), [8, 24 + ordered, 8], "{words} words");
            check(&wanted, &found, neighbours);
        }
    }
}

#[test]
fn an_exchange_of_a_bit_reads_like_this() {
    let wanted = permuted(&[0, 1, 2, 3, 4, 6, 5], 0, 1, 0);
    let found = search(&wanted).expect("a shuffle");
    let neighbours = Neighbours::new(1, 9, 1);
    let text = "\
        1 words\n\
        v1 = region 0 at 3 step 2 >> 0\n\
        v2 = region 0 at 21 step 2 >> 1\n\
        v3 = v1 & 00000000ffffffff | v2 0 <<< 32\n\
        v4 = v2 & ffffffff00000000 | v1 0 <<< 32\n\
        link 0 = v3\n\
        link 1 = v4\n";
    let program = found.shuffle(|window| neighbours.load(window));
    assert_eq!(program.to_string(), text);
    check(&wanted, &found, neighbours);
}

/// Halves of a vector that are wired differently, as are stages of 256 routers, are put together
/// apart; those that come from the other half of windows are moved as they meet.
#[test]
fn words_that_are_wired_differently_are_put_together() {
    let half = 4 * LANES;
    let lower = permuted(&[9, 10, 11, 3, 4, 5, 6, 7, 8, 0, 1, 2], 0, 8, 0);
    let upper = permuted(&[0, 9, 10, 3, 11, 5, 6, 7, 8, 1, 2, 4], 0, 8, 0);
    for over in [[0, 0], [half, 0], [0, half], [half, half]] {
        let mut wanted = lower.clone();
        for (wanted, upper) in wanted.iter_mut().zip(&upper) {
            wanted.lanes[half..].copy_from_slice(&upper.lanes[half..]);
            for (at, lane) in wanted.lanes.iter_mut().flatten().enumerate() {
                lane.lane ^= over[at / half] as u16;
                lane.window += 8 * (at / half) as u32;
            }
        }
        let found = search(&wanted).expect("a shuffle");
        assert_eq!(found.links, 0xff);
        check(&wanted, &found, Neighbours::new(8, 9, 2));
    }
}

/// A port whose lanes have no order is left out.
#[test]
fn ports_without_order_have_no_shuffle() {
    let mut draw = Draw(2000);
    let mut wanted = permuted(&[6, 7, 8, 3, 4, 5, 0, 1, 2, 9], 0, 2, 0);
    let from = draw.order(64);
    let lane = |at: usize| {
        Some(Lane {
            window: 0,
            lane: from[at % 64] as u16,
        })
    };
    wanted[1].lanes = (0..128).map(lane).collect();
    let found = search(&wanted).expect("a shuffle of the others");
    assert_eq!(found.links, 0b1111_1101);
    wanted.remove(1);
    check(&wanted, &found, Neighbours::new(2, 9, 3));
    let mut alone = wanted.swap_remove(0);
    alone.lanes = (0..128).map(lane).collect();
    assert_eq!(search(&[alone]), None);
}

#[test]
fn what_is_no_move_is_not_read() {
    let text = |line: &str| format!("2 words\n{line}");
    for line in [
        "v1 = region x at 0 step 0 >> 0",
        "v1 = region 0 at 0 step 0 >> 4",
        "v2 = region 0 at 0 step 0 >> 0",
        "v1 = v0 & 0,0 | v0 0,1 <<< 0,64",
        "v1 = v0 & 0,0 | v0 2,0 <<< 0,0",
        "v1 = v0 & 0,0 | v0 0 <<< 0,0",
        "v1 = v0 & 0,0 | v0 0,1 <<< 0,0,0",
        "v1 = v0 & 0 | v0 0,1 <<< 0,0",
        "v0 = v0 & 0,0 | v0 0,1 <<< 0,0",
        "v1 = v0 & 0,0 | v1 0,1 <<< 0,0",
        "link 0 = v1",
        "link 32 = v0",
        "v1 = v0",
        "2 words",
        "3 words",
    ] {
        assert_eq!(text(line).parse::<Shuffle>(), Err(NoMove(line.to_owned())));
    }
    assert!("link 0 = v0".parse::<Shuffle>().is_err() && "3 words".parse::<Shuffle>().is_err());
    let kinds = [
        "2 words",
        "v1 = region 0 at 0 step 0 >> 0",
        "v2 = v1 & 0,0 | v0 1,0 <<< 1,0",
        "link 0 = v1",
    ];
    assert!(kinds.join("\n").parse::<Shuffle>().is_ok());
    for (first, second) in [(2, 3), (1, 2)] {
        let mut moves = kinds;
        moves.swap(first, second);
        assert!(moves.join("\n").parse::<Shuffle>().is_err());
    }
}
