use super::chain::{ModelI, RoundsDistribution};
use super::occupancy::Occupancy;
use super::*;
use crosswave_base::statistics::Tally;
use num_traits::{ToPrimitive, Zero};

fn whole(value: u64) -> BigRational {
    BigRational::from_integer(value.into())
}

/// Counts of all `bins`^`messages` tosses that occupy 0, 1, ... bins.
fn enumerated(bins: u64, messages: u64) -> Vec<u64> {
    let mut counts = vec![0; messages.min(bins) as usize + 1];
    for toss in 0..bins.pow(messages as u32) {
        let bin = |ball| toss / bins.pow(ball as u32) % bins;
        let occupied = (0..messages).fold(0u64, |set, ball| set | 1 << bin(ball));
        counts[occupied.count_ones() as usize] += 1;
    }
    counts
}

fn small() -> impl Iterator<Item = (u64, u64)> {
    (1..=5).flat_map(|bins| (0..=6).map(move |messages| (bins, messages)))
}

/// Exact probabilities of 0, 1, ... occupied bins, from the enumeration.
fn occupied_exact(bins: u64, messages: u64) -> Vec<BigRational> {
    let tosses = whole(bins.pow(messages as u32));
    let counts = enumerated(bins, messages).into_iter();
    counts.map(|count| whole(count) / &tosses).collect()
}

#[test]
fn equations_3_to_5_are_the_means_of_all_tosses() {
    for (bins, messages) in small() {
        let round = Round { bins, messages };
        let mean: BigRational = occupied_exact(bins, messages)
            .into_iter()
            .zip(0..)
            .map(|(probability, occupied)| probability * whole(occupied))
            .sum();
        assert_eq!(round.delivered_exact(), mean, "{round:?}");
        assert_eq!(round.empty_exact(), whole(bins) - &mean);
        assert_eq!(round.rejected_exact(), whole(messages) - &mean);
    }
}

#[test]
fn rounded_equations_are_the_exact_ones() {
    for bins in [1, 2, 3, 10, 84, 1000] {
        for messages in [0, 1, 2, 7, 100, 512] {
            let round = Round { bins, messages };
            let near = |value: f64, exact: BigRational| {
                let exact = exact.to_f64().expect("a number");
                assert!((value - exact).abs() <= 1e-13 * (1.0 + exact), "{round:?}");
            };
            near(round.empty(), round.empty_exact());
            near(round.delivered(), round.delivered_exact());
            near(round.rejected(), round.rejected_exact());
        }
    }
}

#[test]
fn bounds_of_equations_3_to_5() {
    for bins in [1, 2, 5, 84, 104_857] {
        for messages in (0..40).map(|power| 3u64.pow(power / 3) + u64::from(power % 3) - 1) {
            let round = Round { bins, messages };
            let slack = 1e-15 * (bins + messages) as f64;
            assert!(round.empty() <= round.empty_bound() + slack, "{round:?}");
            assert!(round.delivered() >= round.delivered_bound() - slack);
            assert!(round.rejected() <= round.rejected_bound() + slack);
        }
    }
}

#[test]
fn occupancy_is_that_of_all_tosses() {
    for (bins, messages) in small() {
        let mut occupancy = Occupancy::new(bins);
        (0..messages).for_each(|_| occupancy.toss());
        let (first, band) = occupancy.rejected();
        let exact = occupied_exact(bins, messages);
        for (occupied, exact) in exact.iter().enumerate() {
            let rejected = messages - occupied as u64;
            let found = rejected
                .checked_sub(first)
                .and_then(|at| band.get(at as usize))
                .unwrap_or(&0.0);
            let exact = exact.to_f64().expect("a number");
            assert!(
                (found - exact).abs() < 1e-15,
                "{bins} {messages} {occupied}"
            );
        }
    }
}

/// Mean and mean square of the rounds of 0, 1, ... messages, from enumerated tosses.
fn moments_exact(bins: u64, messages_max: u64) -> Vec<(BigRational, BigRational)> {
    let mut moments = vec![(BigRational::zero(), BigRational::zero())];
    for messages in 1..=messages_max {
        let (mut mean, mut square) = (BigRational::one(), BigRational::one());
        let occupied = occupied_exact(bins, messages).into_iter().enumerate();
        for (occupied, probability) in occupied.skip(1) {
            let (rest, rest_square) = &moments[messages as usize - occupied];
            mean += &probability * rest;
            square += probability * (rest + rest + rest_square);
        }
        moments.push((mean, square));
    }
    moments
}

#[test]
fn chain_has_the_exact_moments() {
    for bins in 1..=5 {
        let model = ModelI::new(bins, 6);
        assert_eq!((model.bins(), model.messages_max()), (bins, 6));
        for (messages, (mean, square)) in (0..).zip(moments_exact(bins, 6)) {
            let variance = (&square - &mean * &mean).to_f64().expect("a number");
            let mean = mean.to_f64().expect("a number");
            assert!((model.mean_rounds(messages) - mean).abs() < 1e-14);
            assert!((model.variance(messages) - variance).abs() < 1e-14);
        }
    }
}

#[test]
fn one_bin_delivers_one_a_round() {
    let model = ModelI::new(1, 2000);
    for messages in 0..=2000 {
        assert_eq!(model.mean_rounds(messages), messages as f64);
        assert_eq!(model.variance(messages), 0.0);
    }
}

/// The band drops something, but too little to show in the results.
#[test]
fn band_and_everything_agree() {
    for (bins, messages_max) in [(21, 400), (64, 1000), (400, 1500)] {
        let band = ModelI::new(bins, messages_max);
        let whole = ModelI::with_cutoff(bins, messages_max, 0.0);
        assert_eq!(whole.dropped(), 0.0);
        assert!(band.dropped() > 0.0 && band.dropped() < 1e-13);
        for messages in 0..=messages_max {
            let near =
                |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{bins} {messages}: {a} {b}");
            near(band.mean_rounds(messages), whole.mean_rounds(messages));
            near(band.variance(messages), whole.variance(messages));
        }
    }
}

#[test]
fn distribution_has_the_moments_of_the_chain() {
    let (bins, messages_max, rounds_max) = (24, 128, 64);
    let model = ModelI::new(bins, messages_max);
    let distribution = RoundsDistribution::new(bins, messages_max, rounds_max);
    for messages in 0..=messages_max {
        let within = |rounds| distribution.within(messages, rounds);
        assert!((within(rounds_max) - 1.0).abs() < 1e-13);
        assert!((1..=rounds_max).all(|rounds| within(rounds - 1) <= within(rounds)));
        let (mut mean, mut square) = (0.0, 0.0);
        for rounds in 1..=rounds_max {
            let probability = within(rounds) - within(rounds - 1);
            mean += probability * f64::from(rounds);
            square += probability * f64::from(rounds * rounds);
        }
        assert!((mean - model.mean_rounds(messages)).abs() < 1e-11);
        assert!((square - mean * mean - model.variance(messages)).abs() < 1e-10);
    }
}

#[test]
fn play_has_the_mean_and_variance_of_the_chain() {
    const PLAYS: u64 = 2000;
    for (bins, messages) in [(1, 3), (2, 2), (5, 6), (21, 8), (21, 64), (200, 300)] {
        let model = ModelI::new(bins, messages);
        let plays = (0..PLAYS).map(|seed| play(bins, messages, seed).into());
        let tally: Tally = plays.collect();
        let (mean, variance) = (model.mean_rounds(messages), model.variance(messages));
        let stderr = (variance / PLAYS as f64).sqrt();
        assert!(
            (tally.mean() - mean).abs() <= 4.0 * stderr,
            "{bins} {messages}"
        );
        assert!((tally.variance() - variance).abs() <= 0.2 * variance);
    }
}

#[test]
fn plays_are_repeated_by_their_seed() {
    let plays = |from: u64| -> Vec<u32> { (from..from + 50).map(|s| play(8, 64, s)).collect() };
    assert_eq!(plays(0), plays(0));
    assert_ne!(plays(0), plays(50));
    assert_eq!(play(8, 0, 1), 0);
}
