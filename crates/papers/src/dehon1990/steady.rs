//! Transit's fat trees in steady state, which the thesis leaves open (section 5.3.1): what
//! retries make of the load, throughput and latency against offered load, beside a bidelta
//! network of like size, under uniform traffic and under traffic that fits a tree.
//!
//! Every processor offers messages in an open loop
//! ([`traffic::steady`](crosswave_network::traffic::steady)) and keeps those that wait in a queue; what is
//! blocked is tried again after a random time. Wires are as long as their geometry makes them.

use crate::steady::steady;
use crosswave_base::decimal::Decimal;
use crosswave_base::diagnostic::Error;
use crosswave_chips::routing::transit::TransitForm;
use crosswave_network::bidelta::config::BideltaConfig;
use crosswave_network::bidelta::{LOOP_BACK_CYCLES, StageWires};
use crosswave_network::rn1_nodes::InterfaceConfig;
use crosswave_network::traffic::{Destinations, Locality, SteadyConfig, Strategy, TrafficConfig};
use crosswave_network::transit::config::TransitConfig;
use crosswave_observe::points::watch::Watch;
use crosswave_run::config::{Config, EngineKind, NetworkConfig};
use crosswave_run::result::steady::Steady;

/// Words of a request, and of its reply.
pub const WORDS: u32 = 16;
/// The longest back-off, as an exponent of two.
const BACKOFF: u32 = 6;
/// Cycles in which messages are offered; the first fifth of them is not measured.
const CYCLES: u64 = 5_000;
/// Seed of all runs.
const SEED: u64 = 1;

/// A network whose steady state is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SteadyNetwork {
    /// The full fat tree of 4,096 processors.
    Full,
    /// The hybrid one of 3,072: 64 clusters of 48.
    Hybrid,
    /// The bidelta network of 4,096.
    Bidelta,
}

impl SteadyNetwork {
    /// All.
    pub const ALL: [SteadyNetwork; 3] = [
        SteadyNetwork::Full,
        SteadyNetwork::Hybrid,
        SteadyNetwork::Bidelta,
    ];

    /// Its part in the names of quantities.
    pub fn name(self) -> &'static str {
        match self {
            SteadyNetwork::Full => "full-4096",
            SteadyNetwork::Hybrid => "hybrid-3072",
            SteadyNetwork::Bidelta => "bidelta-4096",
        }
    }

    /// Its name in a legend.
    pub fn title(self) -> &'static str {
        match self {
            SteadyNetwork::Full => "full fat tree, 4,096",
            SteadyNetwork::Hybrid => "hybrid fat tree, 3,072",
            SteadyNetwork::Bidelta => "bidelta network, 4,096",
        }
    }

    fn network(self) -> NetworkConfig {
        let interface = InterfaceConfig {
            reply_words: WORDS,
            ..InterfaceConfig::default()
        };
        let tree = |leaf_stages| {
            let form = TransitForm {
                leaf_stages,
                layers: 1,
                capped: false,
            };
            NetworkConfig::Transit(TransitConfig {
                interface,
                ..TransitConfig::new(form)
            })
        };
        match self {
            SteadyNetwork::Full => tree(0),
            SteadyNetwork::Hybrid => tree(3),
            SteadyNetwork::Bidelta => NetworkConfig::Bidelta(BideltaConfig {
                nodes: 4096,
                link_delay_cycles: StageWires::Geometry,
                loop_back_cycles: LOOP_BACK_CYCLES,
                interface,
            }),
        }
    }

    /// The destinations of messages in traffic that is uniform, or fits; traffic of the bidelta
    /// network fits the full fat tree of its size, which has groups of the same sizes.
    fn destinations(self, local: bool) -> Destinations {
        if !local {
            return Destinations::Others;
        }
        let network = self.network();
        let weights = network.level_weights();
        let weights = weights.or_else(|| SteadyNetwork::Full.network().level_weights());
        Destinations::Local(Locality {
            groups: network.levels(),
            weights: weights.expect("some traffic fits a fat tree"),
        })
    }
}

/// The measurement at a load.
#[derive(Debug, Clone, PartialEq)]
pub struct SteadyPoint {
    /// The network.
    pub kind: SteadyNetwork,
    /// True when traffic fits the tree.
    pub local: bool,
    /// The load that was asked for, in words per node and cycle.
    pub load: Decimal,
    /// The measured steady state.
    pub steady: Steady,
}

/// The configuration of a point, as `crosswave run` takes it.
pub fn config(kind: SteadyNetwork, local: bool, load: Decimal, replicates: u32) -> Config {
    let traffic = TrafficConfig::Steady(SteadyConfig {
        load,
        words: WORDS.into(),
        burst_messages: 1,
        cycles: CYCLES,
        warmup_cycles: Some(SteadyConfig::warmup_default(CYCLES)),
        destinations: kind.destinations(local),
    });
    let mut config = Config::new(kind.network(), traffic);
    config.retry.strategy = Strategy::Random { limit: BACKOFF };
    config.run.engine = EngineKind::Gate;
    config.run.seed = SEED;
    config.run.replicates = replicates;
    // Messages that are still queued then show that the load is too high.
    config.run.cycles_max = Some(2 * CYCLES);
    config
}

/// Runs a point.
///
/// # Errors
/// What is wrong with the configuration.
pub fn point(
    kind: SteadyNetwork,
    local: bool,
    load: Decimal,
    replicates: u32,
    watch: &mut dyn Watch,
) -> Result<SteadyPoint, Error> {
    let (title, traffic) = (kind.title(), if local { "local" } else { "uniform" });
    let shown = load.to_f64();
    watch.begins(&format!(
        "steady {traffic} traffic at load {shown}: {title}"
    ));
    let steady = steady(&config(kind, local, load, replicates))?;
    Ok(SteadyPoint {
        kind,
        local,
        load,
        steady,
    })
}
