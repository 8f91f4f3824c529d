//! Replicates of a run: their seeds, their messages, and how many share an engine.

use crate::config::{Config, EngineKind};
use crosswave_base::diagnostic::{Class, Diagnostic, Error};
use crosswave_base::random;
use crosswave_network::Fabric;
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

/// Number of replicates that are to share an engine. Those of the gate engine do, in copies of the
/// network, as long as there are few enough chips (`benches/replicas.rs` measures it); the event
/// engine gains nothing by it.
pub fn together(config: &Config, fabric: &Fabric) -> usize {
    let instances = fabric.arrays.iter().map(|array| array.instances);
    sharing(config.run.engine, &instances.collect::<Vec<_>>())
}

/// The same for arrays of so many chips.
pub fn sharing(engine: EngineKind, instances: &[usize]) -> usize {
    if engine == EngineKind::Event {
        return 1;
    }
    let lanes = instances.iter().map(|count| count.next_multiple_of(64));
    let fitting = (TOGETHER_CHIPS / lanes.sum::<usize>()).clamp(1, TOGETHER_MAX);
    1 << fitting.ilog2()
}

/// Number of replicates of so many messages each that share an engine, `together` at most.
pub fn at_a_time(together: u64, messages: u64) -> u64 {
    (TOGETHER_MESSAGES as u64 / messages.max(1)).clamp(1, together)
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

    /// The next replicates of a run to share an engine, from `first` on: at least
    /// one, and at most `most`.
    ///
    /// # Errors
    /// When the trace cannot be read.
    pub fn next(config: &Config, first: u32, most: usize) -> Result<Vec<Replicate>, Error> {
        let mut found = vec![Replicate::new(config, first)?];
        let mut messages = found[0].workload.messages.len();
        for index in (first + 1..config.run.replicates).take(most.saturating_sub(1)) {
            // Replicates differ little in the number of their messages.
            if messages + messages / found.len() > TOGETHER_MESSAGES {
                break;
            }
            let next = Replicate::new(config, index)?;
            messages += next.workload.messages.len();
            found.push(next);
        }
        Ok(found)
    }
}
