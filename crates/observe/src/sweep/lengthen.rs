//! Longer runs of points of steady traffic that are not in a steady state.
//!
//! The cycles in which messages are offered are doubled until the replicates of a point, taken
//! together, are stationary. It ends earlier when two lengths in turn are above saturation, where
//! no length would do, and at a multiple of the first length.

use super::grid::SweepPoint;
use super::measures::Measured;
use crosswave_base::diagnostic::Error;
use crosswave_network::traffic::{SteadyConfig, TrafficConfig};
use crosswave_run::result::steady::Verdict;

/// The same point with twice as many cycles in which messages are offered, and for the run if they
/// are limited; `None` for traffic that is not steady, and for more cycles than a run may have.
pub fn doubled(point: &SweepPoint) -> Option<SweepPoint> {
    let mut longer = point.clone();
    let nodes = longer.config.network.nodes();
    let traffic = steady(&mut longer)?;
    traffic.cycles *= 2;
    if !traffic.faults(nodes).is_empty() {
        return None;
    }
    let limit = &mut longer.config.run.cycles_max;
    *limit = limit.map(|cycles| 2 * cycles);
    Some(longer)
}

/// The steady traffic of a point; `None` for other traffic.
pub fn steady(point: &mut SweepPoint) -> Option<&mut SteadyConfig> {
    match &mut point.config.traffic {
        TrafficConfig::Steady(traffic) => Some(traffic),
        TrafficConfig::Pattern(_) | TrafficConfig::Trace(_) => None,
    }
}

/// A point, lengthened up to so many times until it is stationary, with its results as `measure`
/// gives them; `None` once that gives none.
///
/// # Errors
/// As `measure`.
pub fn settle(
    point: &SweepPoint,
    times_max: u64,
    measure: &mut dyn FnMut(&SweepPoint) -> Result<Option<Measured>, Error>,
) -> Result<Option<(SweepPoint, Measured)>, Error> {
    let mut point = point.clone();
    let (mut times, mut was_above) = (1, false);
    loop {
        let Some(measured) = measure(&point)? else {
            return Ok(None);
        };
        let found = measured.stationarity(&point.config, measured.len());
        let is_settled = found
            .as_ref()
            .is_none_or(|found| found.verdict == Verdict::Stationary);
        let is_above = found.is_some_and(|found| found.above_saturation);
        times *= 2;
        if is_settled || (is_above && was_above) || times > times_max {
            return Ok(Some((point, measured)));
        }
        was_above = is_above;
        match doubled(&point) {
            Some(longer) => point = longer,
            None => return Ok(Some((point, measured))),
        }
    }
}
