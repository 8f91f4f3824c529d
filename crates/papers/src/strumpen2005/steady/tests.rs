use super::*;
use crosswave_run::result::Latency;

fn sweep(nodes: u32, words: u32, strategy: Strategy) -> Sweep {
    Sweep {
        nodes,
        words,
        strategy,
        release: Release::Acknowledge,
        cycles: 2000,
        replicates: 2,
        seed: 1,
    }
}

/// A message takes 3 clocks a router, w for its body and 3 more; 2t + 1 routers when it
/// turns at level t.
#[test]
fn latency_without_load_is_that_of_the_clocks() {
    for strategy in [Strategy::Immediate, Strategy::Backoff { limit: 4 }] {
        let found = sweep(16, 5, strategy).zero_load_latency_cycles().unwrap();
        let clocks = |turn: u32| 3.0 + 5.0 + 3.0 * f64::from(2 * turn + 1);
        let sum: f64 = (0..4).map(|turn| f64::from(1 << turn) * clocks(turn)).sum();
        assert!((found - sum / 15.0).abs() < 1e-12, "{found}");
    }
}

#[test]
fn a_curve_saturates() {
    for strategy in [
        Strategy::Immediate,
        Strategy::Rounds,
        Strategy::Backoff { limit: 10 },
    ] {
        let sweep = sweep(16, 8, strategy);
        let loads = sweep.loads(5).unwrap();
        assert!(loads.len() == 5 && loads.is_sorted());
        let curve = sweep.curve(&loads, &mut ()).unwrap();
        let bound = loads[4].to_f64();
        let throughput = curve.saturation_throughput_fraction();
        assert!(
            throughput > 0.1 * bound && throughput < bound,
            "{strategy:?}: {throughput}"
        );
        let load = curve.saturation_load_fraction().unwrap();
        assert!(load > 0.1 * bound && load < bound, "{strategy:?}: {load}");
        for (point, load) in curve.points.iter().zip(&loads) {
            assert_eq!(point.load, *load);
            assert!(point.steady.throughput_fraction <= throughput);
            assert!(point.steady.latency_cycles.as_ref().unwrap().min as f64 > 12.0);
        }
        let again = sweep.point(loads[4], &mut ()).unwrap();
        assert_eq!(curve.points[4], again);
    }
}

/// The loads between the points of a curve with known latencies.
#[test]
fn saturation_is_interpolated() {
    let point = |load: &str, mean: Option<f64>, throughput: f64| SteadyLoadPoint {
        load: Decimal::parse(load).unwrap(),
        steady: Steady {
            throughput_fraction: throughput,
            messages: 1,
            undelivered: u64::from(mean.is_none()),
            latency_cycles: mean.map(|mean| Latency {
                mean,
                ..Latency::default()
            }),
            ..Steady::default()
        },
    };
    let curve = |points: &[SteadyLoadPoint]| SteadyCurve {
        zero_load_latency_cycles: 10.0,
        points: points.to_vec(),
    };
    let low = point("0.1", Some(20.0), 0.1);
    let high = point("0.2", Some(60.0), 0.15);
    let higher = point("0.3", Some(90.0), 0.14);
    let found = curve(&[low.clone(), high.clone(), higher]);
    assert!((found.saturation_load_fraction().unwrap() - 0.125).abs() < 1e-12);
    assert_eq!(found.saturation_throughput_fraction(), 0.15);
    // From load 0 on.
    let found = curve(&[high]).saturation_load_fraction().unwrap();
    assert!((found - 0.08).abs() < 1e-12);
    assert_eq!(
        curve(std::slice::from_ref(&low)).saturation_load_fraction(),
        None
    );
    let lost = point("0.2", None, 0.1);
    assert_eq!(curve(&[low, lost]).saturation_load_fraction(), None);
}

#[test]
fn what_a_configuration_refuses_is_reported() {
    let load = Decimal::parse("0.1").unwrap();
    for wrong in [
        sweep(12, 8, Strategy::Immediate),
        sweep(16, 0, Strategy::Immediate),
        sweep(16, 8, Strategy::Random { limit: 3 }),
    ] {
        assert!(wrong.point(load, &mut ()).is_err() && wrong.loads(3).is_err());
    }
}
