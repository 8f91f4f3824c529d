//! Steady traffic in a study: a run at a load.

use crosswave_base::diagnostic::Error;
use crosswave_run::config::Config;
use crosswave_run::result::RunResult;
use crosswave_run::result::steady::Steady;
use crosswave_run::simulation::Simulation;

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
