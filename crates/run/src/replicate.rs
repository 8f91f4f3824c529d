//! Replicates of a run: their seeds, their messages, and how many share an engine.

use crate::config::{Config, EngineKind};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::random;
use crosswave_network::topology::PacketRules;
use crosswave_network::traffic::{self, EVERY_NODE, Workload};

/// Stream from which the seeds of replicates are drawn.
const STREAM_REPLICATE: u64 = 0x7265_706c;

/// The seed of replicate `index`; replicate 0 has the seed of the run itself.
pub fn replicate_seed(seed: u64, index: u32) -> u64 {
    match index {
        0 => seed,
        index => random::word(random::key(seed, STREAM_REPLICATE, 0), u64::from(index)),
    }
}

/// Chips in lanes up to which more replicates share an engine: 32 lane words of
/// 512. Their bits, and what their hosts know, fit a core's own cache.
const TOGETHER_CHIPS: usize = 32 * 512;

/// Most replicates that share an engine: four lane words of each group of 64
/// chips. Beyond, there is little left to share.
const TOGETHER_MAX: usize = 32;

/// Most messages of replicates that share an engine; one replicate may have more.
const TOGETHER_MESSAGES: usize = 1 << 22;

/// Chips of replicates that share a GPU: it takes some ten thousand words of 32 chips to keep one busy.
const TOGETHER_ON_GPU: usize = 1 << 20;

/// The most replicates that share one.
const TOGETHER_ON_GPU_MAX: usize = 1 << 10;

/// Lanes of the widest word of lanes: replicates that do not fill it are nearly for nothing.
const WORD_LANES: usize = 512;

/// Nodes from which an engine has all threads to itself.
const ALONE_NODES: u32 = 1 << 15;

/// Number of replicates that share an engine at most, in networks with arrays of so many chips. Those
/// of the gate engine do, in copies of the network, as long as there are few enough chips
/// (`benches/replicas.rs` measures it), and more on a GPU; the event engine gains nothing by it.
pub fn sharing(engine: EngineKind, instances: &[usize]) -> usize {
    match engine {
        EngineKind::Event => 1,
        EngineKind::Gate => fitting(TOGETHER_CHIPS, instances).min(TOGETHER_MAX),
        EngineKind::Gpu => fitting(TOGETHER_ON_GPU, instances).min(TOGETHER_ON_GPU_MAX),
    }
}

/// Copies of arrays of so many chips whose lanes fit into a number: a power of two, at least one.
fn fitting(lanes: usize, instances: &[usize]) -> usize {
    let each = instances.iter().map(|count| count.next_multiple_of(64));
    1 << (lanes / each.sum::<usize>()).max(1).ilog2()
}

/// The size of batches, a power of two as copies of a network are, or `most`, with which so many workers
/// are done soonest: a batch takes as long as its replicates and as those that fill a word of lanes.
fn batch_size(replicates: u64, workers: u64, most: u64, word: u64) -> u64 {
    let time = |size: u64| {
        let batches = replicates.max(1).div_ceil(size);
        let rounds = (batches - 1) / workers;
        let last = match batches - rounds * workers {
            1 => replicates - (batches - 1) * size,
            _ => size,
        };
        rounds * (size + word) + last + word
    };
    let smaller = (0..u64::BITS)
        .map(|exponent| 1 << exponent)
        .filter(|&size| size < most);
    // The largest one of sizes that are as good.
    let sizes = std::iter::once(most).chain(smaller.rev());
    sizes.min_by_key(|&size| time(size)).unwrap_or(most)
}

/// Replicates that run at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Batches of replicates that run side by side.
    pub workers: usize,
    /// Replicates of a batch, which share an engine; the last batch may have fewer.
    pub size: usize,
    /// Threads of each engine; 0 leaves the number to it.
    pub threads: usize,
}

impl Shares {
    /// The shares of so many replicates, of so many messages each, on a number of processors, where at
    /// most `together` share an engine. A large
    /// network has one engine with all threads. Otherwise there are as many engines as processors, as
    /// far as batches do not become so small that their words of lanes are empty.
    pub fn of(
        config: &Config,
        instances: &[usize],
        together: usize,
        replicates: u64,
        messages: u64,
        processors: usize,
    ) -> Shares {
        let by_messages = TOGETHER_MESSAGES as u64 / messages.max(1);
        let most = by_messages.clamp(1, together as u64);
        let configured = config.run.threads as usize;
        let threads = match configured {
            0 => processors,
            threads => threads.min(processors),
        };
        let workers = match (config.run.engine, config.network.nodes()) {
            // There is one device.
            (EngineKind::Gpu, _) | (_, ALONE_NODES..) => 1,
            _ => threads as u64,
        };
        let size = batch_size(
            replicates,
            workers,
            most,
            fitting(WORD_LANES, instances) as u64,
        );
        let workers = replicates.div_ceil(size).clamp(1, workers) as usize;
        Shares {
            workers,
            size: size as usize,
            threads: match workers {
                1 => configured.min(processors),
                _ => (threads / workers).max(1),
            },
        }
    }
}

/// Refuses messages to all nodes, where messages are no packets.
fn check_single(config: &Config, workload: &Workload) -> Result<(), Error> {
    let mut messages = workload.messages.iter();
    let Some(id) = messages.position(|message| message.destination == EVERY_NODE) else {
        return Ok(());
    };
    let kind = config.network.kind();
    let found = format!(
        "message {id}, counted from 0, goes to all nodes, which a {} does not do",
        kind.title
    );
    let help = "send one to each node, or set network.kind = \"binary-fat-tree\"";
    let file = config.trace_file().map(|path| path.display().to_string());
    Err(Error::one(
        Class::Input,
        file.unwrap_or_default(),
        Diagnostic::new("destination *", found, help),
    ))
}

/// Refuses messages of more words than heads can count.
fn check_words(config: &Config, workload: &Workload) -> Result<(), Error> {
    let network = config.intact_topology();
    let most = network.packets().map_or(u64::MAX, PacketRules::words_max);
    let mut messages = workload.messages.iter().enumerate();
    let Some((id, message)) = messages.find(|(_, message)| u64::from(message.words) > most) else {
        return Ok(());
    };
    let found = format!(
        "message {id}, counted from 0, has {} words; the field length of heads holds packets of up to {most}",
        message.words
    );
    let help = "send shorter messages, or make the field wider";
    let file = config.trace_file().map(|path| path.display().to_string());
    Err(Error::one(
        Class::Input,
        file.unwrap_or_default(),
        Diagnostic::new("words", found, help),
    ))
}

/// A replicate that is to be run.
#[derive(Debug, Clone)]
pub struct Replicate {
    /// Its seed.
    pub seed: u64,
    /// Its messages.
    pub workload: Workload,
}

impl Replicate {
    /// Replicate `index` of a run.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn new(config: &Config, index: u32) -> Result<Replicate, Error> {
        Replicate::of_seed(config, replicate_seed(config.run.seed, index))
    }

    /// The replicate of a seed.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn of_seed(config: &Config, seed: u64) -> Result<Replicate, Error> {
        let workload = traffic::build(&config.traffic, config.network.nodes(), seed)?;
        // Only a trace has messages to all nodes.
        if !config.network.kind().broadcasts && config.trace_file().is_some() {
            check_single(config, &workload)?;
        }
        if config.trace_file().is_some() && !config.network.own_netlists().is_empty() {
            check_words(config, &workload)?;
        }
        Ok(Replicate { seed, workload })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_so_large_that_workers_are_done_soon() {
        for (replicates, workers, expected) in [
            (1000, 1, 32),
            (1000, 2, 32),
            (1000, 16, 32),
            (40, 1, 32),
            (40, 2, 16),
            (16, 16, 1),
            (4, 16, 1),
            (1, 2, 32),
            (3, 1, 32),
        ] {
            let size = batch_size(replicates, workers, 32, 2);
            assert_eq!(size, expected, "{replicates} on {workers}");
        }
        // Words of lanes that are not full cost as much as full ones.
        assert_eq!(batch_size(16, 16, 32, 32), 1);
        assert_eq!(batch_size(100, 4, 1, 1), 1);
    }
}
