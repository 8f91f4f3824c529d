use super::*;
use crosswave_base::statistics::Tally;
use std::collections::BTreeMap;

/// All ways to throw `balls` balls into `bins` bins.
fn throws(balls: usize, bins: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..bins.pow(balls as u32)).map(move |throw| {
        (0..balls)
            .map(|ball| throw / bins.pow(ball as u32) % bins)
            .collect()
    })
}

/// Expected rounds, by enumeration of all throws and all draws of survivors.
struct Enumeration {
    bins: usize,
    survivor: Survivor,
    known: BTreeMap<Vec<u32>, f64>,
}

impl Enumeration {
    fn new(bins: usize, survivor: Survivor) -> Self {
        Enumeration {
            bins,
            survivor,
            known: BTreeMap::new(),
        }
    }

    /// The state of `messages` messages to random nodes.
    fn mean_rounds(&mut self, nodes: usize, messages: usize) -> f64 {
        let mut sum = 0.0;
        for throw in throws(messages, nodes) {
            let mut groups = vec![0; nodes];
            throw.into_iter().for_each(|node| groups[node] += 1);
            sum += self.rounds_of(groups);
        }
        sum / nodes.pow(messages as u32) as f64
    }

    /// The state of groups of such sizes.
    fn rounds_of(&mut self, mut groups: Vec<u32>) -> f64 {
        groups.retain(|&left| left > 0);
        groups.sort_unstable();
        if groups.is_empty() {
            return 0.0;
        }
        if let Some(&known) = self.known.get(&groups) {
            return known;
        }
        let mut sum = 0.0;
        for throw in throws(groups.len(), self.bins) {
            let mut outcomes = vec![(1.0, groups.clone())];
            for bin in 0..self.bins {
                let there = throw.iter().enumerate().filter(|&(_, &at)| at == bin);
                let there: Vec<usize> = there.map(|(group, _)| group).collect();
                if there.is_empty() {
                    continue;
                }
                let largest = there.iter().map(|&group| groups[group]).max();
                let weight = |group: usize| match self.survivor {
                    Survivor::RandomGroup => 1.0,
                    Survivor::RandomBall => f64::from(groups[group]),
                    Survivor::LargestGroup => f64::from(u8::from(Some(groups[group]) == largest)),
                };
                let total: f64 = there.iter().map(|&group| weight(group)).sum();
                let mut branches = Vec::new();
                for (probability, outcome) in &outcomes {
                    for &group in there.iter().filter(|&&group| weight(group) > 0.0) {
                        let mut outcome = outcome.clone();
                        outcome[group] -= 1;
                        branches.push((probability * weight(group) / total, outcome));
                    }
                }
                outcomes = branches;
            }
            for (probability, outcome) in outcomes {
                sum += probability * self.rounds_of(outcome);
            }
        }
        let rounds = 1.0 + sum / self.bins.pow(groups.len() as u32) as f64;
        self.known.insert(groups, rounds);
        rounds
    }
}

const SMALL: [(usize, usize, usize); 5] = [(1, 2, 3), (2, 2, 4), (3, 2, 4), (4, 3, 4), (4, 5, 4)];

#[test]
fn play_has_the_mean_of_all_plays() {
    for (nodes, bins, messages) in SMALL {
        for survivor in Survivor::ALL {
            let mean = Enumeration::new(bins, survivor).mean_rounds(nodes, messages);
            let (nodes, bins, messages) = (nodes as u64, bins as u64, messages as u64);
            let plays = (0..4000).map(|seed| play(nodes, bins, messages, survivor, seed).into());
            let tally: Tally = plays.collect();
            let away = (tally.mean() - mean).abs();
            assert!(
                away <= 4.0 * tally.standard_error() + 1e-9,
                "{nodes} {bins} {messages} {survivor:?}: {} for {mean}",
                tally.mean()
            );
        }
    }
}

/// The longest queue first is the best of the three, and equal chances are the worst.
#[test]
fn survivors_in_order() {
    let of = |survivor, (nodes, bins, messages)| {
        Enumeration::new(bins, survivor).mean_rounds(nodes, messages)
    };
    let mut differ = 0;
    for case in SMALL {
        let largest = of(Survivor::LargestGroup, case);
        let ball = of(Survivor::RandomBall, case);
        let group = of(Survivor::RandomGroup, case);
        assert!(largest <= ball + 1e-12 && ball <= group + 1e-12, "{case:?}");
        differ += u32::from(largest + 1e-3 < ball && ball + 1e-3 < group);
    }
    assert!(differ >= 3, "{differ}");
    let mean = |survivor| {
        let plays = (0..200).map(|seed| play(256, 55, 256, survivor, seed).into());
        plays.collect::<Tally>().mean()
    };
    assert!(mean(Survivor::LargestGroup) < mean(Survivor::RandomBall));
    assert!(mean(Survivor::RandomBall) < mean(Survivor::RandomGroup));
}

#[test]
fn no_play_beats_the_critical_path_or_the_bins() {
    let mut generator = random::generator(3, 0);
    for seed in 0..200 {
        let (groups, bins) = (1 + seed % 40, 1 + seed % 7);
        let size = |_| 1 + random::below(&mut generator, 9) as u32;
        let groups: Vec<u32> = (0..groups).map(size).collect();
        let longest = groups.iter().copied().max().expect("a group");
        let total: u32 = groups.iter().sum();
        for survivor in Survivor::ALL {
            let mut generator = random::generator(seed, 1);
            let rounds = play_groups(groups.clone(), bins, survivor, &mut generator);
            assert!(rounds >= longest.max(total.div_ceil(bins as u32)));
            assert!(rounds <= total);
        }
    }
}

#[test]
fn plays_are_repeated_by_their_seed() {
    for survivor in Survivor::ALL {
        let plays = |from: u64| -> Vec<u32> {
            let seeds = from..from + 30;
            seeds.map(|seed| play(64, 26, 64, survivor, seed)).collect()
        };
        assert_eq!(plays(0), plays(0));
        assert_ne!(plays(0), plays(30));
    }
    assert_eq!(play(64, 26, 0, Survivor::default(), 1), 0);
}
