//! Throughput and latency of a fat tree against offered load: what a designer asks of a
//! network first.
//!
//! All nodes offer messages to random nodes at a given load, in an open loop (see
//! [`traffic::steady`](crosswave_network::traffic::steady)); what is measured is in
//! [`result::steady`](crosswave_run::result::steady). Unlike the other studies this
//! one makes configurations: each point of a curve is one that `crosswave run` takes.
//!
//! Two figures sum up a curve:
//!
//! - the *saturation throughput*: the largest throughput of its points. Beyond saturation
//!   throughput may fall, as attempts that fail hold paths;
//! - the *saturation load*: where the mean latency passes [`LATENCY_RATIO`](crosswave_observe::sweep::saturation::LATENCY_RATIO) times that
//!   without load, on straight lines between the points. The curve begins at load 0 with
//!   the latency without load. The ratio is a convention; as latency rises steeply there,
//!   another one changes the load little.
//!
//! Latencies above saturation grow with the cycles of the run, and those of a message are
//! counted from its offer, so a point there says only that the load is too high.
//!
//! The paper that describes these networks measures rounds and clocks of a given number of
//! messages that all start at once (Strumpen & Krishnamurthy 2005, Figs. 4 to 7), and no
//! open loop.

use crate::steady::steady;
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_chips::routing;
use crosswave_network::fat_tree::Release;
use crosswave_network::fat_tree::config::FatTreeConfig;
use crosswave_network::traffic::{
    Destinations, Pattern, PatternConfig, SteadyConfig, Strategy, TrafficConfig,
};
use crosswave_observe::points::watch::Watch;
use crosswave_observe::sweep::saturation::tripled;
use crosswave_run::config::{Config, NetworkConfig};
use crosswave_run::result::steady::Steady;
use crosswave_run::simulation::Simulation;

/// A run is given up after so many times the cycles in which messages are offered.
const CYCLES_RATIO: u64 = 1000;

/// A fat tree, and how its curve is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Nodes of the tree, a power of two.
    pub nodes: u32,
    /// Body words of every message.
    pub words: u32,
    /// The rule by which a message that lost is sent again: at once, in rounds or with back-off.
    /// In rounds all that have a message when a round begins take part in it, and later
    /// ones wait for the next one.
    pub strategy: Strategy,
    /// The event that frees a circuit.
    pub release: Release,
    /// Cycles in which messages are offered; the first fifth of them is not measured.
    pub cycles: u64,
    /// Independent runs of each point.
    pub replicates: u32,
    /// Seed of all points.
    pub seed: u64,
}

/// The measurement at a load.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyLoadPoint {
    /// The load that was asked for, in words per node and cycle.
    pub load: Decimal,
    /// The measured steady state.
    pub steady: Steady,
}

/// A curve.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyCurve {
    /// Mean clocks from offer to acknowledgement when nothing else is on its way.
    pub zero_load_latency_cycles: f64,
    /// Its points, in rising order of their loads.
    pub points: Vec<SteadyLoadPoint>,
}

impl Sweep {
    /// The configuration of a point, as `crosswave run` takes it; all replicates on the
    /// gate engine, side by side where they fit.
    ///
    /// ```
    /// use crosswave_network::fat_tree::Release;
    /// use crosswave_papers::strumpen2005::steady::Sweep;
    /// use crosswave_base::decimal::Decimal;
    /// use crosswave_network::traffic::Strategy;
    /// let sweep = Sweep {
    ///     nodes: 64,
    ///     words: 8,
    ///     strategy: Strategy::Backoff { limit: 6 },
    ///     release: Release::Acknowledge,
    ///     cycles: 20_000,
    ///     replicates: 4,
    ///     seed: 1,
    /// };
    /// let text = sweep.config(Decimal::parse("0.05").unwrap()).to_toml();
    /// assert!(text.contains("\nload = 0.05\n") && text.contains("\nbackoff_limit = 6\n"));
    /// ```
    pub fn config(&self, load: Decimal) -> Config {
        let traffic = TrafficConfig::Steady(SteadyConfig {
            load,
            words: self.words.into(),
            burst_messages: 1,
            cycles: self.cycles,
            warmup_cycles: Some(SteadyConfig::warmup_default(self.cycles)),
            destinations: Destinations::Others,
        });
        let cycles_max = self.cycles.saturating_mul(CYCLES_RATIO);
        self.config_of(traffic, self.replicates, cycles_max)
    }

    fn config_of(&self, traffic: TrafficConfig, replicates: u32, cycles_max: u64) -> Config {
        let mut tree = FatTreeConfig::new(self.nodes);
        tree.router.release = self.release;
        let mut config = Config::new(NetworkConfig::FatTree(tree), traffic);
        config.retry.strategy = self.strategy;
        config.run.seed = self.seed;
        config.run.replicates = replicates;
        config.run.cycles_max = Some(cycles_max);
        config
    }

    /// Mean clocks from the offer of a message to its acknowledgement when nothing else is
    /// on its way, over destinations uniform among the other nodes. One message is
    /// simulated for each level at which it can turn: levels are all that matters, and
    /// 2^t of the other nodes are reached by turning at level t.
    ///
    /// # Errors
    /// What is wrong with the configuration.
    pub fn zero_load_latency_cycles(&self) -> Result<f64, Error> {
        let mut sum = 0.0;
        let mut reached = 0.0;
        for turn in 0..self.nodes.max(2).ilog2() {
            let destination = 1u32 << turn;
            debug_assert_eq!(routing::turn_level(0, destination), turn);
            let traffic = TrafficConfig::Pattern(PatternConfig {
                pattern: Pattern::Pair {
                    source: 0,
                    destination,
                },
                words: self.words,
                repeat: 1,
            });
            let config = self.config_of(traffic, 1, 1_000_000_000);
            let outcomes = Simulation::new(&config)?.run_all()?;
            let latency = outcomes[0].messages[0].latency_cycles();
            sum += f64::from(destination) * latency as f64;
            reached += f64::from(destination);
        }
        Ok(sum / reached)
    }

    /// `count` loads, evenly spaced, up to the one at which every node would be sending
    /// all the time if no message ever met another one: `words` in the clocks of
    /// [`Sweep::zero_load_latency_cycles`]. No network accepts more than that, as a node
    /// sends one message at a time.
    ///
    /// # Errors
    /// What is wrong with the configuration.
    pub fn loads(&self, count: u32) -> Result<Vec<Decimal>, Error> {
        let most = 1e6 * f64::from(self.words) / self.zero_load_latency_cycles()?;
        let load = |step: u32| {
            let millionths = most * f64::from(step) / f64::from(count);
            Decimal::of_millionths((millionths as u64).clamp(1, 1_000_000))
        };
        Ok((1..=count).filter_map(load).collect())
    }

    /// Runs the point of a load.
    ///
    /// # Errors
    /// What is wrong with the configuration.
    pub fn point(&self, load: Decimal, watch: &mut dyn Watch) -> Result<SteadyLoadPoint, Error> {
        let Sweep { nodes, words, .. } = self;
        let (name, shown) = (self.strategy.name(), load.to_f64());
        watch.begins(&format!(
            "steady traffic of {nodes} nodes, {words} words, {name}, load {shown}"
        ));
        let steady = steady(&self.config(load))?;
        Ok(SteadyLoadPoint { load, steady })
    }

    /// Runs the points of some loads.
    ///
    /// # Errors
    /// What is wrong with the configuration.
    ///
    /// # Panics
    /// When the loads do not rise.
    pub fn curve(&self, loads: &[Decimal], watch: &mut dyn Watch) -> Result<SteadyCurve, Error> {
        assert!(loads.is_sorted(), "loads in rising order");
        let points = loads.iter().map(|&load| self.point(load, watch));
        Ok(SteadyCurve {
            points: points.collect::<Result<_, _>>()?,
            zero_load_latency_cycles: self.zero_load_latency_cycles()?,
        })
    }
}

impl SteadyCurve {
    /// The largest throughput of a point, in words per node and cycle; 0 without points.
    pub fn saturation_throughput_fraction(&self) -> f64 {
        let throughputs = self.points.iter().map(|p| p.steady.throughput_fraction);
        throughputs.fold(0.0, f64::max)
    }

    /// [`tripled`] of its points. `None` also when a point that decides has messages
    /// that were not delivered.
    pub fn saturation_load_fraction(&self) -> Option<f64> {
        // Without a message there is no latency, and no load worth the name.
        let points = self.points.iter().filter(|point| point.steady.messages > 0);
        let latency =
            |point: &SteadyLoadPoint| point.steady.latency_cycles.as_ref().map(|l| l.mean);
        let points = points.map(|point| (point.load.to_f64(), latency(point)));
        tripled(self.zero_load_latency_cycles, points)
    }
}

#[cfg(test)]
mod tests;
