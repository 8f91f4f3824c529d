//! Specification of a point.

use serde_json::{Value, json};

use super::sample::Statistic;
use crosswave_run::config::Config;

/// Rule for the number of replicates: as many as make half of the 95 % interval of a mean at most a
/// fraction of it, within limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointStopRule {
    /// The fewest replicates.
    pub least: usize,
    /// The most replicates.
    pub most: usize,
    /// A multiple of so many; above the most there may be less than so many.
    pub step: usize,
    /// The statistic whose mean must reach the half width.
    pub of: Statistic,
    /// Half of the interval, as a fraction of the mean.
    pub half_width_fraction: f64,
}

impl PointStopRule {
    /// Exactly so many.
    pub fn exactly(count: usize, of: Statistic) -> PointStopRule {
        PointStopRule {
            least: count,
            most: count,
            step: 1,
            of,
            half_width_fraction: 0.0,
        }
    }
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The name that is shown while it is run.
    pub title: String,
    /// Its configuration, whose replicates and threads do not count.
    pub config: Config,
    /// Shifts of a cyclic shift, which replicates take in turn: replicate `i` has the
    /// shift of index `i mod len`, and the seed of replicate `i`. Empty: that of the
    /// configuration.
    pub shifts: Vec<u32>,
    /// The rule for the number of replicates.
    pub wanted: PointStopRule,
}

impl Spec {
    /// The configuration that gives so many replicates to `crosswave run`.
    pub fn run_config(&self, replicates: usize) -> Config {
        let mut config = self.config.clone();
        config.run.replicates = replicates as u32;
        config.run.threads = 0;
        config
    }

    /// The same as TOML.
    pub fn run_text(&self, replicates: usize) -> String {
        let mut text = format!("# {}\n", self.title);
        if !self.shifts.is_empty() {
            text.push_str("# Of many shifts, which replicates took in turn, this is the first.\n");
        }
        text.push_str(&self.run_config(replicates).to_toml());
        text
    }

    /// Key of the samples: all that they depend on.
    pub fn key(&self) -> Value {
        let config = of_replicates(&self.config);
        match self.shifts.is_empty() {
            true => json!({ "config": config }),
            false => json!({ "config": config, "shifts in turn": self.shifts }),
        }
    }
}

/// The part of a configuration that the results of its replicates depend on.
pub fn of_replicates(config: &Config) -> Value {
    let mut config = serde_json::to_value(config).expect("a configuration is JSON");
    if let Some(run) = config.get_mut("run").and_then(Value::as_object_mut) {
        run.shift_remove("replicates");
        run.shift_remove("threads");
    }
    if let Some(config) = config.as_object_mut() {
        config.shift_remove("wave");
    }
    config
}
