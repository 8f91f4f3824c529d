use super::*;
use crate::balls::Round;
use crate::balls::chain::{ModelI, RoundsDistribution};
use crate::collision::{Bins, LEVELS_MAX, bins};

/// Probabilities of failure, from likely to hardly ever.
const FAILURES: [f64; 7] = [1.0, 0.99, 0.9, 0.5, 0.1, 1e-3, 1e-9];

#[test]
fn equation_7_is_above_equation_6() {
    for levels in 1..=LEVELS_MAX {
        for messages in 2..=nodes(levels) {
            let exact = phase_1_successes(messages, levels);
            let bound = phase_1_successes_bound(messages);
            assert!(
                exact <= bound + 1e-12,
                "{messages} {levels}: {exact} {bound}"
            );
        }
        let nodes = nodes(levels);
        let equal = phase_1_successes(nodes, levels) - phase_1_successes_bound(nodes);
        assert!(equal.abs() < 1e-12);
    }
    // n = 3, m = 2: m / lg m = 2, n / lg n = 1.89.
    assert!(2.0 > 3.0 / 3f64.log2());
}

#[test]
fn phase_1_needs_more_messages_than_the_boundary() {
    for levels in 1..=LEVELS_MAX {
        let boundary = phase_boundary_messages(levels);
        let first = boundary.floor() as u64 + 1;
        assert!(phase_1_successes(first, levels) > 0.0);
        assert!(phase_1_successes(first - 1, levels) <= 0.0);
        assert_eq!(first > nodes(levels), levels <= 2, "{levels} levels");
    }
    // Just above the boundary less than one successful round is asked for.
    assert!(phase_1_successes(104_858, 20) < 1e-4);
    // With more bins than 2n / lg n the same holds of messages between the two.
    let reciprocal = bins(20, Bins::Reciprocal).expect("bins");
    assert!(reciprocal as f64 > phase_boundary_messages(20));
}

/// The steps to p_s of both phases, on the bins of Model I.
#[test]
fn success_of_a_round() {
    assert_eq!(phase_2_success(0.5), PHASE_2_SUCCESS);
    assert!(phase_2_success(1.0 - 1.0 / E).abs() < 1e-15);
    for levels in 1..=LEVELS_MAX {
        let count = bins(levels, Bins::Floor).expect("bins");
        for step in 1..=64 {
            let above = Round {
                bins: count,
                messages: count + count * step / 8 + 1,
            };
            let threshold = 2.0 * count as f64 / E;
            assert!(markov(above.empty(), threshold) < 1.0 - PHASE_1_SUCCESS);
            let below = Round {
                bins: count,
                messages: (count * step).div_ceil(64),
            };
            let half = 0.5 * below.messages as f64;
            assert!(markov(below.rejected_bound(), half) <= 1.0 - PHASE_2_SUCCESS + 1e-9);
            assert!(markov(below.rejected(), half) <= 1.0 - PHASE_2_SUCCESS + 1e-9);
        }
    }
}

#[test]
fn chernoff_step_of_the_proof() {
    for successes in (0..400).map(|s| f64::from(s) / 8.0) {
        for failure in FAILURES {
            let mean = 2.0 * successes - 4.0 * failure.ln();
            let shortfall = successes - 4.0 * failure.ln();
            if shortfall == 0.0 {
                continue;
            }
            let bound = chernoff(mean, shortfall);
            assert!(bound <= (-shortfall / 4.0).exp() * (1.0 + 1e-12));
            assert!(bound <= failure * (1.0 + 1e-12));
        }
    }
}

/// Pr\[X <= `successes`\] of so many trials.
fn at_most(successes: u32, trials: u32, success: f64) -> f64 {
    let mut term = f64::from(trials) * (1.0 - success).ln();
    let mut sum = 0.0;
    for k in 0..=successes.min(trials) {
        sum += term.exp();
        let odds = success / (1.0 - success);
        term += (f64::from(trials - k) / f64::from(k + 1) * odds).ln();
    }
    sum
}

/// R rounds, rounded up, hold more than S successful ones: what Phase II needs, although
/// the proof stops at S.
#[test]
fn rounds_hold_one_success_more() {
    for success in [PHASE_1_SUCCESS, PHASE_2_SUCCESS] {
        for successes in (0..200).map(|s| f64::from(s) / 4.0) {
            for failure in FAILURES {
                let rounds = rounds_holding(successes, success, failure).ceil() as u32;
                let wanted = successes.ceil() as u32;
                let missed = at_most(wanted, rounds, success);
                assert!(missed <= failure + 1e-12, "{success} {successes} {failure}");
            }
        }
    }
    // One message needs a round, whatever eps; without rounding up there is none.
    let one = rounds_holding(0.0, PHASE_2_SUCCESS, 0.99);
    assert!((one - 0.152).abs() < 1e-3);
    let limit = (-PHASE_2_SUCCESS / 4.0).exp();
    assert!((limit - 0.936).abs() < 1e-3);
    assert!((rounds_holding(0.0, PHASE_2_SUCCESS, limit) - 1.0).abs() < 1e-12);
}

#[test]
fn theorem_1_holds_in_model_1() {
    const ROUNDS_MAX: u32 = 40;
    for levels in 1..=8 {
        let count = bins(levels, Bins::Floor).expect("bins");
        let distribution = RoundsDistribution::new(count, nodes(levels), ROUNDS_MAX);
        for messages in 1..=nodes(levels) {
            for failure in FAILURES {
                let rounds = theorem_1(messages, levels, failure).rounds();
                let rounds = rounds.min(ROUNDS_MAX.into()) as u32;
                let within = distribution.within(messages, rounds);
                assert!(
                    within >= 1.0 - failure - 1e-12,
                    "{levels} {messages} {failure}"
                );
            }
        }
    }
}

#[test]
fn lines_and_fit() {
    assert_eq!(lg_messages(1 << 20), 20.0);
    assert_eq!(fit_rounds(1 << 20, 20), 13.0);
    assert_eq!(fit_rounds(64, 6), 4.6);
    assert_eq!(fit_rounds(1, 20), 1.0 + 10.0 / (1u64 << 20) as f64);
    for levels in 2..=LEVELS_MAX {
        assert!((load_rounds(nodes(levels), levels) - f64::from(levels)).abs() < 1e-12);
        for messages in (1..).map(|s| s * s * s).take_while(|&m| m <= nodes(levels)) {
            if messages > 1 {
                let line = load_rounds(messages, levels);
                assert!(line <= lg_messages(messages) + 1e-12);
            }
        }
    }
    assert_eq!(mixed_rounds(5, 0), 5.0);
    assert_eq!(mixed_rounds(5, 8), 8.0);
    assert_eq!(mixed_rounds(0, 1), 0.0);
    assert_eq!(critical_path(1), None);
    assert!((critical_path(20).expect("a path") - 5.273).abs() < 1e-3);
}

/// Checks the lines and the fit in the module's docs against the exact means.
#[test]
fn lines_and_fit_beside_model_1() {
    for levels in [4, 6, 8, 10, 12] {
        for reading in Bins::ALL {
            let count = bins(levels, reading).expect("bins");
            let model = ModelI::new(count, nodes(levels));
            for messages in 1..=nodes(levels) {
                let mean = model.mean_rounds(messages);
                assert_eq!(mean <= lg_messages(messages), messages > 2);
                let over = fit_rounds(messages, levels) - mean;
                assert!((-0.9..0.3).contains(&over), "{messages} {levels}: {over}");
            }
        }
    }
    // m lg n / n is below the mean far beyond 2n / lg n = 683 messages.
    let model = ModelI::new(bins(12, Bins::Floor).expect("bins"), 4096);
    for messages in 1..=4096 {
        let below = load_rounds(messages, 12) < model.mean_rounds(messages);
        assert_eq!(below, messages <= 2034, "{messages}");
    }
}

/// The bound itself, computed by hand from S and p_s: with two phases each has half of the
/// probability of failure, with one all of it.
#[test]
fn values_of_theorem_1() {
    let close = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    };
    // S = 9 / (1 - 2/e) and lg 2n / lg n, eps = 0.0005 each.
    let both = theorem_1(1 << 20, 20, 1e-3);
    close(both.phase_1, 197.046_425_441_104_65);
    close(both.phase_2, 241.293_838_800_400_32);
    assert_eq!(both.rounds(), 198 + 242);
    // S = lg m = 10, eps = 0.001.
    let second = theorem_1(1 << 10, 20, 1e-3);
    assert_eq!(second.phase_1, 0.0);
    close(second.phase_2, 180.255_902_405_527_7);
}
