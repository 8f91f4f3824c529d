use super::figures;
use super::run::{Length, Run, RunTraffic};
use crosswave_network::fat_tree::Release;
use crosswave_network::fat_tree::config::Winner;
use crosswave_network::traffic::Strategy;
use crosswave_observe::points::{PointStopRule, Statistic};
use crosswave_run::host::Outcome;
use crosswave_run::simulation::Simulation;

fn outcome(run: &Run) -> Outcome {
    let spec = run.spec(PointStopRule::exactly(1, Statistic::Rounds));
    let outcomes = Simulation::new(&spec.config).unwrap().run_all();
    outcomes.expect("it runs").remove(0)
}

/// Messages delivered in the first round, with the same random bits up to the last clock in
/// which heads can meet.
fn at_first(levels: u32, length: Length) -> Vec<bool> {
    let run = Run {
        length,
        ..Run::rounds(levels, 1 << levels)
    };
    let messages = outcome(&run).messages;
    messages
        .iter()
        .map(|message| message.attempts == 1)
        .collect()
}

#[test]
fn long_messages_are_long_enough_and_short_ones_are_not() {
    let mut freed = 0;
    for levels in 2..=8 {
        let longer = at_first(levels, Length::Words(20 * levels));
        assert_eq!(at_first(levels, Length::Long), longer, "{levels} levels");
        freed += u32::from(at_first(levels, Length::Words(1)) != longer);
    }
    assert!(freed > 3, "a circuit that is freed lets others pass");
}

#[test]
fn every_run_is_a_configuration() {
    let traffics = [
        RunTraffic::Random,
        RunTraffic::RandomAmongAll,
        RunTraffic::Diameter,
        RunTraffic::HotSpot { random: 0 },
        RunTraffic::Transpose,
        RunTraffic::BitReversal,
        RunTraffic::CyclicShift(3),
    ];
    let strategies = [
        Strategy::Rounds,
        Strategy::Immediate,
        Strategy::Backoff { limit: 4 },
    ];
    for traffic in traffics {
        for strategy in strategies {
            let run = Run {
                traffic,
                strategy,
                winner: Winner::Fixed,
                release: Release::EarlyAcknowledge,
                ..Run::rounds(4, 10)
            };
            let found = outcome(&run).messages.len();
            let expected = match traffic {
                RunTraffic::Diameter => 1..=1,
                // A processor that draws itself sends nothing.
                RunTraffic::RandomAmongAll => 5..=10,
                _ => 10..=10,
            };
            assert!(expected.contains(&found), "{found}: {run:?}");
        }
    }
}

#[test]
fn all_shifts_or_a_sample() {
    assert_eq!(figures::shifts(3), [1, 2, 3, 4, 5, 6, 7]);
    let sample = figures::shifts(14);
    assert!(sample.iter().all(|shift| (1..1 << 14).contains(shift)));
    let mean = sample.iter().map(|&shift| f64::from(shift)).sum::<f64>() / sample.len() as f64;
    // Uniform: standard error 2^14 / sqrt(12 * 4096).
    assert!((mean - 8192.0).abs() < 4.0 * 73.9, "{mean}");
}
