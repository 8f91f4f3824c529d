//! The numbers of a replicate, by their paths in the JSON of a run of it alone.
//!
//! `collisions.turning_by_level` is a list there: `collisions.turning_by_level.0` is its first
//! entry. What is no number, or one that needs several replicates, is left out: the
//! configuration, bins of histograms, standard errors, and how fast the program was.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crosswave_base::statistics::mean_and_half_width_95;
use crosswave_network::traffic::TrafficConfig;
use crosswave_probe::message::{ConnectionRecord, MessageRecord};
use crosswave_run::config::Config;
use crosswave_run::cycle_loop::queue_rows;
use crosswave_run::host::{End, Outcome};
use crosswave_run::result::RunResult;
use crosswave_run::result::steady::{Slices, Slicing, Stationarity};

/// Fields of the JSON of a run that are no measures.
const NO_MEASURES: [&str; 11] = [
    "config",
    "distribution",
    "histogram",
    "latency_by_routers",
    "latency_percentiles",
    "performance",
    "replicates",
    "replicates_finished",
    "replicates_run",
    "stationarity",
    "stderr_rule",
];

/// Statistics over replicates: of one replicate all are the same.
const OVER_REPLICATES: [&str; 2] = ["cycles_to_finish", "rounds"];

/// The numbers of a replicate.
#[derive(Debug, Clone, PartialEq)]
pub struct Replicate {
    finished: bool,
    slices: Option<Slices>,
    numbers: Vec<(String, f64)>,
}

impl Replicate {
    /// Those of a replicate of a configuration.
    pub fn new(config: &Config, outcome: &Outcome) -> Replicate {
        let result = RunResult::new(config, std::slice::from_ref(outcome), 0.0);
        let slices = result.steady.as_ref().map(|steady| steady.slices.clone());
        let result = serde_json::to_value(&result).expect("a result is JSON");
        let mut numbers = Vec::new();
        collect(&result, &mut String::new(), &mut numbers);
        Replicate {
            finished: outcome.end == End::Finished,
            slices,
            numbers,
        }
    }
}

/// The names of all numbers of a replicate of a configuration, in the order of the JSON of a run:
/// those of one in which everything has happened that can be measured. So they follow from the
/// configuration, and not from what happened.
pub fn names(config: &Config) -> Vec<String> {
    let network = config.topology();
    let cycle = match &config.traffic {
        TrafficConfig::Steady(steady) => steady.warmup_least_cycles() + 1,
        TrafficConfig::Pattern(_) | TrafficConfig::Trace(_) => 1,
    };
    let message = MessageRecord {
        attempts: 1,
        offered_cycle: cycle,
        sent_cycle: cycle,
        delivered_cycle: cycle,
        acknowledged_cycle: cycle,
        ..MessageRecord::new(0, 1, 1)
    };
    let connection = ConnectionRecord {
        launched_cycle: cycle,
        opened_cycle: cycle,
        reply_cycle: cycle,
        ..ConnectionRecord::NEW
    };
    let outcome = Outcome {
        end: End::Finished,
        last_cycle: cycle,
        evaluated_cycles: cycle,
        messages: vec![message],
        connections: match network.endpoint().has_connections() {
            true => vec![connection],
            false => Vec::new(),
        },
        rejections: network.rejections(),
        rounds: 1,
        first_loss: None,
        faulty: Vec::new(),
        longest_queues: queue_rows(&*network),
    };
    let replicate = Replicate::new(config, &outcome);
    replicate
        .numbers
        .into_iter()
        .map(|(name, _)| name)
        .collect()
}

fn collect(value: &Value, path: &mut String, numbers: &mut Vec<(String, f64)>) {
    let mut inner = |name: &str, value: &Value| {
        let end = path.len();
        if end > 0 {
            path.push('.');
        }
        path.push_str(name);
        collect(value, path, numbers);
        path.truncate(end);
    };
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                if NO_MEASURES.contains(&name.as_str()) || name.ends_with("stderr") {
                    continue;
                }
                match value.get("mean") {
                    Some(mean) if OVER_REPLICATES.contains(&name.as_str()) => inner(name, mean),
                    _ if name == "window_cycles" => {}
                    _ => inner(name, value),
                }
            }
        }
        Value::Array(entries) => {
            for (at, value) in entries.iter().enumerate() {
                inner(&at.to_string(), value);
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.is_finite());
            numbers.extend(number.map(|number| (path.clone(), number)));
        }
        _ => {}
    }
}

/// The numbers of the replicates of a point, in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    names: Vec<String>,
    /// For each replicate whether it delivered all its messages.
    finished: Vec<bool>,
    /// For each replicate its numbers in the order of the names.
    rows: Vec<Vec<Option<f64>>>,
    /// For each replicate its slices; of steady traffic, when it came to the end of the window.
    slices: Vec<Option<Slices>>,
}

impl Measured {
    /// No replicates yet, whose numbers have such names.
    pub fn new(names: Vec<String>) -> Measured {
        Measured {
            names,
            finished: Vec::new(),
            rows: Vec::new(),
            slices: Vec::new(),
        }
    }

    /// Number of replicates.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True when there are no replicates.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Replicates that did not deliver all their messages.
    pub fn unfinished(&self) -> usize {
        self.finished.iter().filter(|&&finished| !finished).count()
    }

    /// The names of all numbers that replicates of the configuration can have.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Keeps the first so many replicates.
    pub fn truncate(&mut self, count: usize) {
        self.rows.truncate(count);
        self.finished.truncate(count);
        self.slices.truncate(count);
    }

    /// Growth of the backlog of each replicate over its window, as a fraction of what was offered;
    /// empty for traffic that is not steady.
    pub fn shortfalls(&self, config: &Config) -> Vec<f64> {
        let TrafficConfig::Steady(traffic) = &config.traffic else {
            return Vec::new();
        };
        let slicing = Slicing::new(traffic);
        let all = self.slices.iter().flatten();
        all.map(|slices| slices.shortfall(slices.start(slicing)))
            .collect()
    }

    /// Verdict whether the first so many replicates, taken together, show a steady state; `None`
    /// for traffic that is not steady, or when no replicate came to the end of the window.
    pub fn stationarity(&self, config: &Config, count: usize) -> Option<Stationarity> {
        let TrafficConfig::Steady(traffic) = &config.traffic else {
            return None;
        };
        let slicing = Slicing::new(traffic);
        let all = self.slices.iter().take(count).flatten();
        let all = all.cloned().reduce(|mut all, one| {
            all.add(&one);
            all
        })?;
        Some(all.stationarity(slicing, all.start(slicing)))
    }

    /// A number of each replicate, where it has it; `None` when there is no such number.
    pub fn values(&self, name: &str) -> Option<Vec<Option<f64>>> {
        let at = self.names.iter().position(|known| known == name)?;
        let of = |row: &Vec<Option<f64>>| row.get(at).copied().flatten();
        Some(self.rows.iter().map(of).collect())
    }

    /// Mean and half of its 95 % interval of a number, over those of the first so many
    /// replicates that have it; `None` without any.
    pub fn mean(&self, name: &str, count: usize) -> Option<(f64, Option<f64>)> {
        let at = self.names.iter().position(|known| known == name)?;
        let of = |row: &Vec<Option<f64>>| row.get(at).copied().flatten();
        let values: Vec<f64> = self.rows.iter().take(count).filter_map(of).collect();
        mean_and_half_width_95(&values)
    }
}

impl Extend<Replicate> for Measured {
    fn extend<I: IntoIterator<Item = Replicate>>(&mut self, replicates: I) {
        for replicate in replicates {
            let mut row = vec![None; self.names.len()];
            for (name, number) in replicate.numbers {
                let known = self.names.iter().position(|known| *known == name);
                row[known.expect("a number that the configuration has")] = Some(number);
            }
            self.rows.push(row);
            self.finished.push(replicate.finished);
            self.slices.push(replicate.slices);
        }
    }
}

#[cfg(test)]
mod tests;
