//! Two ways up a tree of RN1s (DeHon 1990, section 2.2.4): climbing, as in a unit tree, and the
//! hybrid scheme of Figure 2.7.
//!
//! *Climbing*, each stage leads to the crossovers of three levels and on up, so that level l is
//! reached behind stage ⌈l/3⌉. In the *hybrid* scheme the stages are a bidelta network from the
//! processors to the levels: every level is reached behind the same ⌈log4 levels⌉ stages, each of
//! which decides on two bits of its number.
//!
//! Traffic is that which fits a deep tree of unit trees: of what comes to a layer a quarter
//! crosses at each of its three levels, and a quarter goes on. Wires are taken to be independent;
//! a direction with two outputs passes min(2, X) of the X of eight inputs that want it.

use super::routing::Crossbar;

/// Stages, and probability of routing, on the way up to a level of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WayUp {
    /// The most stages on a way up.
    pub stages: u32,
    /// Stages of a way on average.
    pub mean_stages: f64,
    /// The probability that a connection is routed up, when every input wire has one with the
    /// probability that was asked for.
    pub routed: f64,
}

/// Levels of a layer of unit trees.
const LAYER: usize = 3;

/// The probability of each level of a tree, the lowest first.
pub fn levels(count: u32) -> Vec<f64> {
    let share = |level: u32| 0.25_f64.powi((level / LAYER as u32) as i32 + 1);
    let shares: Vec<f64> = (0..count).map(share).collect();
    // Connections that would go beyond the top are spread over all levels in proportion.
    let all: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / all).collect()
}

/// Climbing to the levels of a tree, with so many connections on an input wire.
pub fn climbing(count: u32, load: f64) -> WayUp {
    let shares = levels(count);
    let mut rest = load;
    let (mut routed, mut stages) = (0.0, 0.0);
    // The part of the connections that are left which goes through each level.
    let mut left: f64 = 1.0;
    let mut reached = 1.0;
    for (stage, layer) in (1..).zip(shares.chunks(LAYER)) {
        let mut beyond = left;
        for &share in layer {
            let passed = Crossbar::RN1.passed(rest * share / left);
            routed += share * reached * passed;
            stages += share * f64::from(stage);
            beyond -= share;
        }
        if beyond <= 1e-12 {
            break;
        }
        let passed = Crossbar::RN1.passed(rest * beyond / left);
        reached *= passed;
        // Two outputs for eight inputs: a quarter as many wires.
        rest = 4.0 * rest * beyond / left * passed;
        left = beyond;
    }
    WayUp {
        stages: count.div_ceil(LAYER as u32),
        mean_stages: stages,
        routed,
    }
}

/// Reaching the levels of a tree by the hybrid scheme, with so many connections on an input wire.
pub fn hybrid(count: u32, load: f64) -> WayUp {
    let mut stages = 0;
    while 4_u32.pow(stages) < count {
        stages += 1;
    }
    let shares = levels(count);
    WayUp {
        stages,
        mean_stages: f64::from(stages),
        routed: routed_through(&shares, 4_usize.pow(stages), load),
    }
}

/// The probability that connections are routed to outputs, of which there are as many as
/// `outputs` though some lead nowhere, by stages of four directions.
fn routed_through(shares: &[f64], outputs: usize, load: f64) -> f64 {
    if outputs <= 1 {
        return 1.0;
    }
    let all: f64 = shares.iter().sum();
    let group = outputs / 4;
    let of_groups = shares.chunks(group).map(|shares| {
        let share = shares.iter().sum::<f64>() / all;
        let passed = Crossbar::RN1.passed(load * share);
        let rest = 4.0 * load * share * passed;
        share * passed * routed_through(shares, group, rest)
    });
    of_groups.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_all_there_is() {
        for count in 1..20 {
            assert!((levels(count).iter().sum::<f64>() - 1.0).abs() < 1e-12);
            for way in [climbing(count, 1e-9), hybrid(count, 1e-9)] {
                assert!((way.routed - 1.0).abs() < 1e-6, "{count} {way:?}");
            }
            for way in [climbing(count, 0.5), hybrid(count, 0.5)] {
                assert!(way.routed < 1.0 || count == 1, "{count} {way:?}");
            }
        }
    }

    /// One stage is the same either way, where all of its directions are wanted equally often.
    #[test]
    fn both_are_alike_in_a_stage() {
        let (one, other) = (climbing(3, 0.5), hybrid(3, 0.5));
        assert!((one.routed - other.routed).abs() < 1e-12);
        assert_eq!((one.stages, other.stages), (1, 1));
    }
}
