//! Steady traffic in a study: a run at a load, and the load at which a network saturates.

use crosswave_base::diagnostic::Error;
use crosswave_run::config::Config;
use crosswave_run::result::RunResult;
use crosswave_run::result::steady::Steady;
use crosswave_run::simulation::Simulation;

/// The mean latency at saturation, over that without load.
pub const LATENCY_RATIO: f64 = 3.0;

/// The steady state over all replicates of a configuration with steady traffic.
///
/// # Errors
/// What is wrong with the configuration.
///
/// # Panics
/// When the traffic is not steady, or a run ends before the window does.
pub fn steady(config: &Config) -> Result<Steady, Error> {
    let outcomes = Simulation::new(config)?.run_all()?;
    let result = RunResult::new(config, &outcomes, 0.0);
    Ok(result.steady.expect("runs go on after the window"))
}

/// The load at which the mean latency passes [`LATENCY_RATIO`] times that without load, in
/// words per node and cycle, given loads in rising order with their mean latencies. `None`
/// when it stays below, or a latency that decides is not known.
pub fn saturation_load(
    zero_load_latency_cycles: f64,
    points: impl IntoIterator<Item = (f64, Option<f64>)>,
) -> Option<f64> {
    let limit = LATENCY_RATIO * zero_load_latency_cycles;
    let mut before = (0.0, zero_load_latency_cycles);
    for (load, mean) in points {
        let mean = mean?;
        if mean > limit {
            let (load_before, mean_before) = before;
            let share = (limit - mean_before) / (mean - mean_before);
            return Some(load_before + share * (load - load_before));
        }
        before = (load, mean);
    }
    None
}
